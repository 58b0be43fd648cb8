//! Kernels whose threads run every node: PTX on the emulated grid, in rows laid out as on a device, leaves the same bytes
//! as the interpreter and the reference.

use super::device::{Grid, compiled};
use super::machine::{Addresses, Plan};
use super::support::threads::{SHARED, WARP, strips, three_points};
use super::support::{memory, memory_alike, problems, sizes};
use hexpass_abi::ALIGNMENT;
use hexpass_poly::device::Device;
use hexpass_poly::kernel::build::direct;
use hexpass_poly::kernel::interp::memory::{Memory, Sizes};
use hexpass_poly::kernel::interp::{self, reference};
use hexpass_poly::kernel::ir::KernelProgram;
use hexpass_poly::problem::Problem;
use hexpass_poly::schedule::TileSizes;
use hexpass_poly::schedule::overlapped::plan;
use hexpass_poly::stencil::StencilProgram;
use hexpass_poly::strategy::Strategy;
use hexpass_poly::strategy::streaming::Streaming;
use hexrt::emulated;

/// Bytes between buffers.
const APART: u64 = 1 << 24;
/// What memory holds that nothing has filled: no number that a stencil computes.
const GARBAGE: u8 = 0xfb;

/// Buffers in aligned, padded rows.
struct Padded<'a> {
    stencil: &'a StencilProgram,
    sizes: &'a Sizes,
    /// For each array and buffer its words.
    words: Vec<Vec<Vec<u64>>>,
    strides: Vec<Vec<i64>>,
    /// Bytes from a buffer's start to subscript zero.
    starts: Vec<i64>,
}

impl<'a> Padded<'a> {
    fn new(stencil: &'a StencilProgram, sizes: &'a Sizes, scratch: &[u16]) -> Padded<'a> {
        let (mut words, mut strides, mut starts) = (Vec::new(), Vec::new(), Vec::new());
        for (i, a) in stencil.arrays.iter().enumerate() {
            let dims = a.strides.len();
            let unit = (ALIGNMENT / a.elem.size()) as i64;
            let bounds = |d| sizes.array(i as u16, d as u8).unwrap();
            let (lo, hi) = bounds(dims - 1);
            let first = lo.div_euclid(unit) * unit;
            let mut extent = (hi.div_euclid(unit) + 1) * unit - first;
            let (mut own, mut zero) = (vec![1; dims], -first);
            for d in (0..dims - 1).rev() {
                own[d] = extent;
                zero -= bounds(d).0 * extent;
                extent *= (bounds(d).1 - bounds(d).0 + 1).max(0);
            }
            let buffers = a.slots.len() + scratch.iter().filter(|&&s| usize::from(s) == i).count();
            let bytes = extent as usize * a.elem.size() as usize;
            words.push(vec![vec![u64::from_le_bytes([GARBAGE; 8]); bytes / 8]; buffers]);
            strides.push(own);
            starts.push(zero * a.elem.size() as i64);
        }
        Padded { stencil, sizes, words, strides, starts }
    }

    /// Puts what the nest never writes into scratch buffers.
    fn fill_scratch(&mut self) {
        for (a, array) in self.stencil.arrays.iter().enumerate() {
            let size = array.elem.size() as usize;
            let [first, others @ ..] = self.words[a].as_mut_slice() else { continue };
            for at in self.sizes.never_written(self.stencil, a as u16).unwrap() {
                let index: i64 = at.iter().zip(&self.strides[a]).map(|(x, s)| x * s).sum();
                let here = (index * size as i64 + self.starts[a]) as usize;
                let mask = (u64::MAX >> (64 - 8 * size)) << (8 * (here % 8));
                for scratch in &mut others[array.slots.len() - 1..] {
                    let word = &mut scratch[here / 8];
                    *word = *word & !mask | first[here / 8] & mask;
                }
            }
        }
    }

    fn address(array: usize, buffer: usize) -> u64 {
        APART * (1 + 16 * array + buffer) as u64
    }

    fn storage(&self) -> Addresses {
        let buffers = self.words.iter().enumerate().map(|(a, all)| {
            let of = |b| Padded::address(a, b).wrapping_add_signed(self.starts[a]);
            (0..all.len()).map(of).collect()
        });
        Addresses { buffers: buffers.collect(), strides: self.strides.clone() }
    }

    /// Calls `f` for each element that some access touches, of each slot: where it lies in `words`, its bytes there, and
    /// in the program.
    fn each(&mut self, memory: &mut Memory, f: impl Fn(&mut [u8], &mut [u8])) {
        for (a, array) in self.stencil.arrays.iter().enumerate() {
            let bounds: Vec<(i64, i64)> = (0..array.strides.len())
                .map(|d| self.sizes.array(a as u16, d as u8).unwrap())
                .collect();
            if bounds.iter().any(|b| b.1 < b.0) {
                continue;
            }
            let size = array.elem.size() as usize;
            for slot in 0..array.slots.len() {
                let mut at: Vec<i64> = bounds.iter().map(|b| b.0).collect();
                let mut bytes: Vec<u8> =
                    self.words[a][slot].iter().flat_map(|w| w.to_le_bytes()).collect();
                loop {
                    if self.sizes.is_touched(a as u16, &at) {
                        let index: i64 = at.iter().zip(&self.strides[a]).map(|(x, s)| x * s).sum();
                        let here = (index * size as i64 + self.starts[a]) as usize;
                        let there = self.sizes.address(self.stencil, a as u16, slot as i64, &at);
                        let there = there.unwrap();
                        let from = there.offset as usize;
                        let program = &mut memory.pointers[usize::from(there.pointer)];
                        f(&mut bytes[here..here + size], &mut program[from..from + size]);
                    }
                    if !reference::advance(&mut at, &bounds) {
                        break;
                    }
                }
                let words =
                    bytes.chunks_exact(8).map(|c| u64::from_le_bytes(c.try_into().unwrap()));
                self.words[a][slot] = words.collect();
            }
        }
    }
}

/// Runs a program on the emulated grid.
pub fn emulate(
    stencil: &StencilProgram,
    program: &KernelProgram,
    sizes: &Sizes,
    memory: &mut Memory,
    module: &emulated::Module,
    records: &[hexpass_abi::KernelRecord],
) {
    let mut padded = Padded::new(stencil, sizes, &program.scratch);
    padded.each(memory, |here, program| here.copy_from_slice(program));
    if program.alike {
        padded.fill_scratch();
    }
    let mut grid = Grid { module, kernels: records, memory: emulated::Memory::new() };
    for (a, buffers) in padded.words.iter_mut().enumerate() {
        for (b, words) in buffers.iter_mut().enumerate().filter(|(_, w)| !w.is_empty()) {
            let (at, bytes) = (words.as_mut_ptr().cast(), words.len() * 8);
            // SAFETY: the words outlive the grid and nobody else touches them while it runs.
            unsafe { grid.memory.add_region(Padded::address(a, b), at, bytes) }.unwrap();
        }
    }
    let plan = Plan { stencil, kernels: records, sizes, storage: padded.storage() };
    plan.run(program, &mut grid);
    drop(grid);
    padded.each(memory, |here, program| program.copy_from_slice(here));
}

fn agrees(
    name: &str,
    stencil: &StencilProgram,
    program: &KernelProgram,
    tunables: &[i64],
    runs: &[&[i64]],
) {
    assert_eq!(program.verify(stencil), Ok(()), "{name}");
    for arch in [75, 90] {
        let (text, records) = compiled(stencil, &TileSizes(Vec::new()), program, arch);
        if let Ok(folder) = std::env::var("HEXPASS_DUMP") {
            std::fs::write(format!("{folder}/{name}.{arch}.ptx"), &text).unwrap();
        }
        let module = emulated::Module::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        for ints in runs {
            let sizes = sizes(stencil, ints).with_tunables(tunables).or_defaults(&program.tunables);
            let mut expected = match program.alike {
                true => memory_alike(stencil, ints, &sizes),
                false => memory(stencil, ints),
            };
            let (mut found, mut interpreted) = (expected.clone(), expected.clone());
            reference::run(stencil, &sizes, &mut expected).unwrap();
            interp::run(program, stencil, &sizes, &mut interpreted, 11)
                .unwrap_or_else(|e| panic!("{name} {ints:?}: {e}"));
            assert!(interpreted == expected, "{name} {ints:?}: the interpreter's memory differs");
            emulate(stencil, program, &sizes, &mut found, &module, &records);
            assert!(found == expected, "{name} {ints:?} sm_{arch}: memory differs");
        }
    }
}

#[test]
fn shuffles_between_buffers() {
    let runs: &[&[i64]] = &[&[1, 3], &[5, 30], &[4, 31], &[7, 61], &[8, 200], &[0, 9]];
    agrees("warp", &three_points(), &WARP.parse().unwrap(), &[], runs);
}

/// What is prefetched is asked for by one instruction under its condition, and by no branch.
#[test]
fn prefetches() {
    let program: KernelProgram = WARP.parse().unwrap();
    let (text, _) = compiled(&three_points(), &TileSizes(Vec::new()), &program, 90);
    let guarded = |line: &str| line.trim_start().starts_with("@%p");
    let asked: Vec<&str> = text.lines().filter(|l| l.contains("prefetch.global.L2")).collect();
    assert!(asked.len() == 1 && guarded(asked[0]), "{asked:?}");
    let always = WARP.replace("where v0 <= p4", "where 0 <= 1");
    let (text, _) = compiled(&three_points(), &TileSizes(Vec::new()), &always.parse().unwrap(), 90);
    assert_eq!(text.matches("prefetch.global.L2").count(), 1, "{text}");
}

#[test]
fn vectors_and_scratch() {
    let runs: &[&[i64]] = &[&[1, 3], &[5, 121], &[4, 128], &[3, 300]];
    agrees("shared", &three_points(), &SHARED.parse().unwrap(), &[7], runs);
}

#[test]
fn strips_of_a_plane() {
    let runs: &[&[i64]] = &[&[1, 3, 3], &[2, 9, 7], &[5, 20, 130], &[6, 7, 121], &[9, 17, 250]];
    for (name, problem) in [("f32", problems::jacobi2d()), ("f64", problems::star2d_f64())] {
        agrees(&format!("strip_{name}"), &problem.stencil, &strips(&problem), &[5], runs);
    }
}

/// Streams of every number of dimensions, with several levels and warps.
#[test]
fn streams() {
    let device = Device::default_gpu();
    let mut taken = 0;
    for (name, problem) in problems::all() {
        let (tile, runs): (&[(&str, i64)], &[&[i64]]) = match problem.dims() {
            1 => (&[("b", 5), ("v", 4), ("w", 2)], &[&[5, 31], &[12, 700]]),
            2 => (&[("b", 2), ("v", 2), ("w", 2)], &[&[5, 31, 5], &[7, 61, 270]]),
            _ => (&[("b", 2), ("v", 1), ("r", 2), ("w", 4)], &[&[2, 3, 3, 3], &[5, 27, 31, 70]]),
        };
        let tile = TileSizes(tile.iter().map(|&(n, v)| (n.to_owned(), v)).collect());
        let Ok(schedule) = Streaming.schedule(&problem, &tile, &device, None) else { continue };
        let program = Streaming.kernels(&problem, &schedule, &device).unwrap();
        agrees(&format!("stream_{name}"), &problem.stencil, &program, &[8], runs);
        taken += 1;
    }
    assert!(taken > 10, "{taken}");
}

/// With debug information, the kernels' code says which lines it comes from, and their names where the nest is.
#[test]
fn source_lines() {
    let mut problem = problems::jacobi1d();
    problem.stencil.file = Some("/home/me/heat \"2d\".c".into());
    problem.stencil.line = Some(25);
    problem.stencil.statements[0].line = Some(27);
    let program = directly(&problem).unwrap();
    let (text, records) = compiled(&problem.stencil, &TileSizes(Vec::new()), &program, 90);
    let hexpass_abi::KernelCode::Ptx(name) = &records[0].code else { panic!("not on the device") };
    assert_eq!(name, "test$at$heat$x20$x222d$x22$c$25$tiled$v0$statement_0");
    assert!(text.contains(&format!(".entry {name}(")), "{text}");
    assert!(text.contains(".file\t1 \"/home/me/heat _2d_.c\""), "{text}");
    assert!(text.contains("\t.loc\t1 27 0"), "{text}");
    assert!(!text.contains(", debug"), "{text}");
    assert!(emulated::Module::parse(&text).is_ok());
}

/// One statement a launch, every problem.
#[test]
fn direct_kernels() {
    for (name, problem) in problems::all() {
        let Ok(program) = directly(&problem) else { continue };
        let runs: &[&[i64]] = match problem.dims() {
            1 => &[&[1, 3], &[3, 211]],
            2 => &[&[1, 3, 3], &[3, 37, 131]],
            _ => &[&[1, 3, 3, 3], &[2, 13, 12, 70]],
        };
        agrees(&format!("direct_{name}"), &problem.stencil, &program, &[], runs);
    }
}

/// A program of direct launches alone.
pub fn directly(problem: &Problem) -> Result<KernelProgram, hexpass_poly::rejection::Rejection> {
    let (kernels, direct) = direct::kernels(problem, 0)?;
    let tile = direct[0].clone();
    let slots: Vec<usize> = problem.stencil.arrays.iter().map(|a| a.slots.len()).collect();
    let launches = plan::Launches {
        steps: 1,
        tile,
        shorter: None,
        direct,
        begin: 0,
        again: Vec::new(),
        in_place: None,
    };
    let plan = plan::plan(&slots, &[], i64::MAX / 4, &launches);
    Ok(KernelProgram::new(kernels, plan))
}
