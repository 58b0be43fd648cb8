//! Kernels of the runtime's own, as PTX: they fill memory, find the largest, the smallest or the sum of an array, and what
//! parts of an array do to a sum ([`sums`]).
//!
//! All work in a fixed order: the result depends on sizes alone, not on who is faster.

pub mod sums;

use hexpass_abi::ElemType;
use std::fmt::Write;
use sums::Sums;

/// Threads of a block of each of them.
pub const THREADS: u64 = 256;
/// Most blocks of a launch along the first axis.
pub const MOST_BLOCKS: u64 = 256;
/// Writes `words` times the eight bytes `value` from `at` on, and for each block along the second axis `distance` bytes further.
pub const FILL: &str = "hexrt_fill";

/// What becomes of the elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    Largest,
    Smallest,
    Sum,
}

impl Fold {
    const ALL: [Fold; 3] = [Fold::Largest, Fold::Smallest, Fold::Sum];

    /// The kernel that folds elements of this type, `f32` or `f64`. A NaN among them makes the result one.
    pub fn kernel(self, elem: ElemType) -> String {
        let (fold, elem) = (self.word(), if elem == ElemType::F32 { "f32" } else { "f64" });
        format!("hexrt_{fold}_{elem}")
    }

    fn word(self) -> &'static str {
        match self {
            Fold::Largest => "largest",
            Fold::Smallest => "smallest",
            Fold::Sum => "sum",
        }
    }
}

/// The array that a fold goes through: for each block along the second axis one, `distance` bytes after the one before.
#[derive(Clone, Copy, Debug)]
pub struct Folded {
    /// Address of the first element.
    pub at: u64,
    pub distance: u64,
    /// Bytes from row to row.
    pub stride: u64,
    /// Elements of a row.
    pub len: u64,
    /// Elements in all, fewer than 2^31.
    pub total: u64,
    /// Where each thread leaves its part, one after the other.
    pub out: u64,
    /// Bytes from array to array there.
    pub out_distance: u64,
}

impl Folded {
    /// The parameters for so many blocks along the first axis.
    pub fn params(&self, blocks: u64) -> [u64; 9] {
        let threads = blocks * THREADS;
        let f = self;
        [
            f.at,
            f.distance,
            f.stride,
            f.len,
            f.total,
            threads / f.len,
            threads % f.len,
            f.out,
            f.out_distance,
        ]
    }
}

/// Modules: drivers compile what is loaded.
pub const MODULES: usize = 1 + Sums::ALL.len();

/// The module of a kernel.
pub fn module_of(kernel: &str) -> usize {
    let has = |s: &Sums| s.about() == kernel || s.passages() == kernel;
    Sums::ALL.iter().position(has).map_or(0, |sums| 1 + sums)
}

const HEADER: &str = ".version 7.0\n.target sm_70\n.address_size 64\n";

/// A module's text.
pub fn text(module: usize) -> String {
    match module {
        0 => folds(),
        sums => Sums::ALL[sums - 1].text(),
    }
}

fn folds() -> String {
    let mut ptx = String::from(HEADER);
    fill(&mut ptx);
    for fold in Fold::ALL {
        for elem in [ElemType::F32, ElemType::F64] {
            folding(&mut ptx, fold, elem);
        }
    }
    ptx
}

fn entry(ptx: &mut String, name: &str, params: &[&str], body: &str) {
    let list: Vec<String> = params.iter().map(|p| format!(".param .b64 {p}")).collect();
    let mut loads = String::new();
    for (i, p) in params.iter().enumerate() {
        // Writing to a string can't fail.
        let _ = writeln!(loads, "ld.param.u64 %l{i}, [{p}];");
    }
    let _ = write!(
        ptx,
        "\n.visible .entry {name}({})\n{{\n\
         .reg .pred %p<8>;\n.reg .b32 %r<24>;\n.reg .b64 %l<24>;\n.reg .f32 %f<8>;\n.reg .f64 %d<8>;\n\
         {loads}mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %ntid.x;\nmov.u32 %r2, %tid.x;\n\
         mad.lo.s32 %r3, %r0, %r1, %r2;\nmov.u32 %r4, %nctaid.x;\nmul.lo.s32 %r5, %r4, %r1;\n\
         {body}ret;\n}}\n",
        list.join(", ")
    );
}

fn fill(ptx: &mut String) {
    let body = "mov.u32 %r6, %ctaid.y;\ncvt.u64.u32 %l6, %r6;\nmad.lo.s64 %l0, %l6, %l3, %l0;\n\
                cvt.u64.u32 %l3, %r3;\ncvt.u64.u32 %l4, %r5;\n\
                LOOP:\nsetp.ge.u64 %p0, %l3, %l1;\n@%p0 bra DONE;\n\
                shl.b64 %l5, %l3, 3;\nadd.s64 %l5, %l0, %l5;\nst.global.b64 [%l5], %l2;\n\
                add.s64 %l3, %l3, %l4;\nbra LOOP;\nDONE:\n";
    entry(ptx, FILL, &["at", "words", "value", "distance"], body);
}

/// Elements that a thread loads before it looks at any.
const AT_ONCE: usize = 4;

/// Each thread goes through the elements that have its number modulo the number of threads, row by row.
fn folding(ptx: &mut String, fold: Fold, elem: ElemType) {
    let (ty, bits, r, shift) = match elem {
        ElemType::F32 => ("f32", "b32", "f", 2),
        _ => ("f64", "b64", "d", 3),
    };
    let neutral = match (fold, elem) {
        (Fold::Sum, ElemType::F32) => "0f00000000",
        (Fold::Sum, _) => "0d0000000000000000",
        (Fold::Largest, ElemType::F32) => "0fFF800000",
        (Fold::Largest, _) => "0dFFF0000000000000",
        (Fold::Smallest, ElemType::F32) => "0f7F800000",
        (Fold::Smallest, _) => "0d7FF0000000000000",
    };
    let nan = if elem == ElemType::F32 { "0f7FC00000" } else { "0d7FF8000000000000" };
    // %r6 row, %r7 column, %r8 element, %r9 row length, %r10 elements, %r11 and %r12 how far a turn goes; %p1 a NaN.
    let mut body = String::from(
        "mov.u32 %r13, %ctaid.y;\ncvt.u64.u32 %l10, %r13;\nmul.lo.s64 %l11, %l10, %l1;\nadd.s64 %l0, %l0, %l11;\n\
         mul.lo.s64 %l11, %l10, %l8;\nadd.s64 %l7, %l7, %l11;\n\
         cvt.u32.u64 %r9, %l3;\ncvt.u32.u64 %r10, %l4;\ncvt.u32.u64 %r11, %l5;\ncvt.u32.u64 %r12, %l6;\n\
         mov.b32 %r8, %r3;\ndiv.u32 %r6, %r3, %r9;\nrem.u32 %r7, %r3, %r9;\nsetp.ne.u32 %p1, 0, 0;\n",
    );
    let best = AT_ONCE;
    let _ = writeln!(
        body,
        "mov.{ty} %{r}{best}, {neutral};\nLOOP:\nsetp.ge.u32 %p0, %r8, %r10;\n@%p0 bra DONE;"
    );
    for i in 0..AT_ONCE {
        let _ = write!(
            body,
            "setp.lt.u32 %p2, %r8, %r10;\nmov.{ty} %{r}{i}, {neutral};\n\
             cvt.u64.u32 %l12, %r6;\ncvt.u64.u32 %l13, %r7;\nshl.b64 %l13, %l13, {shift};\n\
             mad.lo.s64 %l12, %l12, %l2, %l13;\nadd.s64 %l12, %l0, %l12;\n\
             @%p2 ld.global.{ty} %{r}{i}, [%l12];\n\
             add.s32 %r8, %r8, %r5;\nadd.s32 %r6, %r6, %r11;\nadd.s32 %r7, %r7, %r12;\n\
             setp.ge.u32 %p3, %r7, %r9;\nsub.s32 %r14, %r7, %r9;\nselp.b32 %r7, %r14, %r7, %p3;\n\
             add.s32 %r15, %r6, 1;\nselp.b32 %r6, %r15, %r6, %p3;\n"
        );
    }
    for i in 0..AT_ONCE {
        let _ = match fold {
            Fold::Sum => writeln!(body, "add.rn.{ty} %{r}{best}, %{r}{best}, %{r}{i};"),
            _ => {
                let wins = if fold == Fold::Largest { "gt" } else { "lt" };
                writeln!(
                    body,
                    "setp.nan.{ty} %p4, %{r}{i}, %{r}{i};\nor.pred %p1, %p1, %p4;\n\
                     setp.{wins}.{ty} %p5, %{r}{i}, %{r}{best};\n\
                     selp.{ty} %{r}{best}, %{r}{i}, %{r}{best}, %p5;"
                )
            }
        };
    }
    let _ = write!(
        body,
        "bra LOOP;\nDONE:\n@%p1 mov.{ty} %{r}{best}, {nan};\ncvt.u64.u32 %l12, %r3;\nshl.b64 %l12, %l12, {shift};\n\
         add.s64 %l12, %l7, %l12;\nst.global.{bits} [%l12], %{r}{best};\n"
    );
    let params =
        ["at", "distance", "stride", "len", "total", "rows", "columns", "out", "out_distance"];
    entry(ptx, &fold.kernel(elem), &params, &body);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{Device, emulated::Emulated};
    use crate::footprint::Cuboid;
    use crate::transfer::{Rows, Side};

    fn words(host: u64, device: u64, count: usize) -> Rows {
        let all = Cuboid::new(&[(0, count as i64 - 1)]).unwrap();
        let side = |origin| Side { origin, strides: &[8] };
        Rows::of(&all, 8, side(host), side(device))
    }

    /// Two arrays of so many rows, with room between rows that holds NaNs; the parts that the fold leaves of each.
    fn folded(fold: Fold, rows: usize, len: usize, value: impl Fn(usize) -> f64) -> Vec<Vec<f64>> {
        let stride = len + 3;
        let mut memory = vec![f64::NAN; 2 * rows * stride];
        for i in 0..2 * rows * len {
            memory[i / len * stride + i % len] = value(i);
        }
        let mut device = Emulated::open(None, 2);
        let buffer = device.alloc(8 * memory.len() as u64).unwrap();
        let blocks = 2;
        let threads = blocks * THREADS;
        let out = device.alloc(2 * 8 * threads).unwrap();
        device.upload(&words(memory.as_ptr() as u64, buffer.address, memory.len())).unwrap();
        let how = Folded {
            at: buffer.address,
            distance: (8 * rows * stride) as u64,
            stride: 8 * stride as u64,
            len: len as u64,
            total: (rows * len) as u64,
            out: out.address,
            out_distance: 8 * threads,
        };
        device.tool(&fold.kernel(ElemType::F64), [blocks, 2, 1], &how.params(blocks)).unwrap();
        let found = vec![0.0f64; 2 * threads as usize];
        device.download(&words(found.as_ptr() as u64, out.address, found.len())).unwrap();
        found.chunks(threads as usize).map(<[f64]>::to_vec).collect()
    }

    #[test]
    fn folds_see_each_element_once() {
        for (rows, len) in [(1, 1), (1, 3000), (7, 1), (40, 13), (3, 511), (5, 513), (2, 2048)] {
            let value = |i: usize| ((i * 7919) % 1009) as f64 - 300.0;
            for fold in Fold::ALL {
                let parts = folded(fold, rows, len, value);
                for (half, parts) in parts.iter().enumerate() {
                    let all = (half * rows * len..(half + 1) * rows * len).map(value);
                    let parts = parts.iter().copied();
                    let (expected, found) = match fold {
                        Fold::Largest => (
                            all.fold(f64::NEG_INFINITY, f64::max),
                            parts.fold(f64::NEG_INFINITY, f64::max),
                        ),
                        Fold::Smallest => {
                            (all.fold(f64::INFINITY, f64::min), parts.fold(f64::INFINITY, f64::min))
                        }
                        // Whole numbers: every order gives the same.
                        Fold::Sum => (all.sum(), parts.sum()),
                    };
                    assert_eq!(expected, found, "{fold:?} of {rows} rows of {len}");
                }
            }
        }
    }

    #[test]
    fn a_nan_makes_the_part_one() {
        for fold in Fold::ALL {
            let value = |i: usize| if i == 77 { f64::NAN } else { 1.0 };
            let parts = folded(fold, 10, 20, value);
            let nans = |parts: &[f64]| parts.iter().filter(|x| x.is_nan()).count();
            assert_eq!((nans(&parts[0]), nans(&parts[1])), (1, 0), "{fold:?}");
        }
    }

    #[test]
    fn memory_is_filled_with_words() {
        let mut device = Emulated::open(None, 2);
        let count = 1000;
        let buffer = device.alloc(8 * count).unwrap();
        let apart = 8 * 600;
        device.tool(FILL, [2, 2, 1], &[buffer.address, 399, 7, apart]).unwrap();
        let found = vec![0u64; count as usize];
        device.download(&words(found.as_ptr() as u64, buffer.address, found.len())).unwrap();
        let filled = |i: usize| i < 399 || (600..999).contains(&i);
        assert!((0..1000).all(|i| found[i] == if filled(i) { 7 } else { u64::MAX }));
    }
}
