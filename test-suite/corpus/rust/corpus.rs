//! What the Rust programs share: cases from the command line, memory filled with varied values, all of it written
//! out afterwards, in the format of `c/corpus.h`.

use std::fs::File;
use std::io::{BufWriter, Write};

pub struct Case {
    pub nx: i32,
    pub ny: i32,
    pub nz: i32,
    pub steps: i32,
}

/// The cases of the command line, `size[xsize[xsize]]:steps` each.
pub fn cases() -> Vec<Case> {
    std::env::args()
        .skip(1)
        .map(|word| {
            let (sizes, steps) = word.split_once(':').expect("size[xsize[xsize]]:steps");
            let mut sizes: Vec<i32> = sizes.split('x').map(|s| s.parse().unwrap()).collect();
            sizes.resize(3, *sizes.last().unwrap());
            Case { nx: sizes[0], ny: sizes[1], nz: sizes[2], steps: steps.parse().unwrap() }
        })
        .collect()
}

pub trait Element: Copy {
    const TYPE: u8;
    const DENORMAL: f64;
    fn from_f64(x: f64) -> Self;
    fn bytes(self) -> impl AsRef<[u8]>;
}

impl Element for f32 {
    const TYPE: u8 = b'f';
    const DENORMAL: f64 = 1e-44;
    fn from_f64(x: f64) -> f32 {
        x as f32
    }
    fn bytes(self) -> impl AsRef<[u8]> {
        self.to_ne_bytes()
    }
}

impl Element for f64 {
    const TYPE: u8 = b'd';
    const DENORMAL: f64 = 5e-323;
    fn from_f64(x: f64) -> f64 {
        x
    }
    fn bytes(self) -> impl AsRef<[u8]> {
        self.to_ne_bytes()
    }
}

impl Element for i32 {
    const TYPE: u8 = b'i';
    const DENORMAL: f64 = 0.0;
    fn from_f64(x: f64) -> i32 {
        (x * 4096.0) as i32
    }
    fn bytes(self) -> impl AsRef<[u8]> {
        self.to_ne_bytes()
    }
}

impl Element for u8 {
    const TYPE: u8 = b'b';
    const DENORMAL: f64 = 0.0;
    fn from_f64(x: f64) -> u8 {
        (x * 256.0) as i32 as u8
    }
    fn bytes(self) -> impl AsRef<[u8]> {
        [self]
    }
}

/// Varied values: mostly within ±1, some zeros of both signs, some denormals, some large.
#[inline(never)]
pub fn varied<T: Element>(count: usize, seed: u64) -> Vec<T> {
    let mut state = seed.wrapping_add(88172645463325252);
    (0..count)
        .map(|_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let bits = (state >> 32) as u32;
            let sign = if bits & 1 == 1 { -1.0 } else { 1.0 };
            let magnitude = match bits >> 1 & 127 {
                0 => 0.0,
                1 => T::DENORMAL * f64::from(bits >> 24),
                2 => 1e-9 * f64::from(bits >> 8),
                3 => 100.0 * f64::from(bits >> 8) / 16777216.0,
                _ => f64::from(bits >> 8) / 16777216.0,
            };
            T::from_f64(sign * magnitude)
        })
        .collect()
}

/// Writes all cases to the file named by `CORPUS_OUT`.
pub struct Output(Option<BufWriter<File>>);

impl Output {
    pub fn new() -> Output {
        Output(
            std::env::var_os("CORPUS_OUT").map(|path| BufWriter::new(File::create(path).unwrap())),
        )
    }

    pub fn case(&mut self, c: &Case) {
        self.put(b"C");
        for n in [c.nx, c.ny, c.nz, c.steps] {
            self.put(&n.to_ne_bytes());
        }
    }

    /// All of an array, `guard` elements before and after the array proper included.
    #[inline(never)]
    pub fn array<T: Element>(&mut self, name: &str, guard: usize, all: &[T]) {
        self.name(b"A", name);
        self.put(&[T::TYPE]);
        self.put(&(guard as u64).to_ne_bytes());
        self.put(&((all.len() - 2 * guard) as u64).to_ne_bytes());
        for x in all {
            self.put(x.bytes().as_ref());
        }
    }

    fn name(&mut self, kind: &[u8], name: &str) {
        self.put(kind);
        self.put(&(name.len() as u32).to_ne_bytes());
        self.put(name.as_bytes());
    }

    fn put(&mut self, bytes: &[u8]) {
        if let Some(file) = &mut self.0 {
            file.write_all(bytes).unwrap();
        }
    }
}
