//! Device kernels: PTX, run by the emulated grid.

use super::machine::{self, Launcher, Plan, expected, tile, tiled};
use super::support::{self, problems};
use hexpass::emit::{self, Program, plan};
use hexpass_abi::{ElemType, KernelCode, KernelRecord, VariantTarget};
use hexpass_poly::body::{BinaryOp, Body, FpFlags, Op, Predicate, Ty, UnaryOp, Value};
use hexpass_poly::device::{Device, Gpu};
use hexpass_poly::kernel::interp::memory::{Memory, Sizes};
use hexpass_poly::kernel::interp::reference;
use hexpass_poly::kernel::ir::KernelProgram;
use hexpass_poly::problem::Problem;
use hexpass_poly::schedule::{Storage, TileSizes};
use hexpass_poly::stencil::StencilProgram;
use hexrt::emulated;

const BASE: u64 = 0x1000_0000;
const APART: u64 = 1 << 24;

/// The emulated grid with the memory that kernels work on.
pub struct Grid<'a> {
    pub module: &'a emulated::Module,
    pub kernels: &'a [KernelRecord],
    pub memory: emulated::Memory,
}

impl Launcher for Grid<'_> {
    fn launch(&mut self, kernel: usize, params: &[u64], blocks: [u32; 3]) {
        let record = &self.kernels[kernel];
        let KernelCode::Ptx(name) = &record.code else { panic!("not on the device") };
        let code = self.module.kernel(name).unwrap();
        let bytes: Vec<u8> = params.iter().flat_map(|p| p.to_le_bytes()).collect();
        let (shared, threads) = (record.shared_bytes, record.threads);
        emulated::launch(code, blocks, threads, shared, &bytes, &self.memory, 2)
            .unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}

fn gpu() -> Device {
    Device::Gpu(Gpu { shared_bytes: 96 << 10, max_threads: 1024, warp: 32 })
}

/// The kernels' PTX and their records.
pub fn compiled(
    stencil: &StencilProgram,
    sizes: &TileSizes,
    kernels: &KernelProgram,
    arch: u32,
) -> (String, Vec<KernelRecord>) {
    compiled_with(stencil, sizes, kernels, arch, Vec::new())
}

/// As [`compiled`], for a function with these attributes.
pub fn compiled_with(
    stencil: &StencilProgram,
    sizes: &TileSizes,
    kernels: &KernelProgram,
    arch: u32,
    attributes: Vec<(String, String)>,
) -> (String, Vec<KernelRecord>) {
    let program = Program {
        number: 0,
        strategy: "tiled",
        sizes,
        storage: "",
        target: VariantTarget::Device,
        kernels,
    };
    let ptx = emit::device_ptx(stencil, &program, attributes, &[arch]).unwrap();
    let record = plan::record(stencil, &[program], vec![ptx], Vec::new());
    (
        record.variants[0].ptx[0].text.as_str().unwrap().to_string(),
        record.variants[0].kernels.clone(),
    )
}

fn run(
    module: &emulated::Module,
    records: &[KernelRecord],
    problem: &Problem,
    program: &KernelProgram,
    ints: &[i64],
    label: &str,
) {
    let (sizes, before, after) = expected(problem, ints);
    run_from(module, records, problem, program, (&sizes, &before, &after), label);
}

/// From memory `before` to `after`.
fn run_from(
    module: &emulated::Module,
    records: &[KernelRecord],
    problem: &Problem,
    program: &KernelProgram,
    (sizes, before, after): (&Sizes, &Memory, &Memory),
    label: &str,
) {
    let mut found: Vec<Vec<u64>> = before
        .pointers
        .iter()
        .map(|p| {
            let mut words = vec![0u64; p.len().div_ceil(8)];
            for (i, b) in p.iter().enumerate() {
                words[i / 8] |= u64::from(*b) << (8 * (i % 8));
            }
            words
        })
        .collect();
    let mut grid = Grid { module, kernels: records, memory: emulated::Memory::new() };
    let mut bases = Vec::new();
    for (i, words) in found.iter_mut().enumerate() {
        let base = BASE + APART * i as u64;
        // SAFETY: the words outlive the grid and nobody else touches them while it runs.
        unsafe {
            grid.memory.add_region(base, words.as_mut_ptr().cast(), before.pointers[i].len())
        }
        .unwrap();
        bases.push(base);
    }
    let storage = machine::Addresses::flat(&problem.stencil, sizes, &bases);
    let plan = Plan { stencil: &problem.stencil, kernels: records, sizes, storage };
    plan.run(program, &mut grid);
    drop(grid);
    let found = Memory {
        pointers: found
            .iter()
            .zip(&before.pointers)
            .map(|(w, p)| w.iter().flat_map(|w| w.to_le_bytes()).take(p.len()).collect())
            .collect(),
    };
    assert!(found == *after, "{label} {:?}: memory differs", sizes.ints);
}

/// All but registers, whose tiles are of another kind; those that reuse need tiles to follow each other.
fn storages(dims: usize) -> impl Iterator<Item = Storage> {
    let all = Storage::NAMES.into_iter().map(|(_, storage)| storage);
    all.filter(move |s| *s != Storage::Registers && (dims > 1 || s.reuse().is_none()))
}

/// Classical tiles of two heights, and tiles that are split in every further dimension.
fn tiles(problem: &Problem) -> Vec<TileSizes> {
    let (dims, k) = (problem.dims(), problem.k());
    let classical = [(1, 3, 32, 4), (2, 5, 24, 5)].map(|(m, w0, w_inner, w_middle)| {
        let h = m * k - 1;
        match dims {
            1 => tile(&[("h", h), ("w0", w0 * 3)]),
            2 => tile(&[("h", h), ("w0", w0), ("w1", w_inner)]),
            _ => tile(&[("h", h), ("w0", w0), ("w1", w_middle), ("w2", w_inner)]),
        }
    });
    let h = k - 1;
    let pitch = |d: usize| {
        let (delta0, delta1) = problem.deps.cone.delta[d];
        8 + delta0.ceil_times(2 * h + 2) + delta1.ceil_times(2 * h + 2)
    };
    let split = match dims {
        1 => None,
        2 => Some(tile(&[("h", h), ("w0", 9), ("p1", pitch(1))])),
        _ => Some(tile(&[("h", h), ("w0", 9), ("p1", pitch(1)), ("p2", pitch(2))])),
    };
    // The middle dimension is walked, the innermost split.
    let both = (dims == 3).then(|| tile(&[("h", h), ("w0", 9), ("w1", 3), ("p2", pitch(2))]));
    classical.into_iter().chain(split).chain(both).collect()
}

#[test]
fn every_problem_and_storage() {
    for (name, problem) in problems::all() {
        let dims = problem.dims();
        for tile in tiles(&problem) {
            // Aligned loads are wider than the distance between trapezoids.
            let is_split = tile.get("p1").or(tile.get("p2")).is_some();
            let fits = |s: &Storage| match s {
                Storage::Shared { align: true, reuse: None, .. } => !is_split,
                storage => storage.reuse().is_none() || tile.get("p1").is_none(),
            };
            for storage in storages(dims).filter(fits) {
                let (sizes, program) =
                    tiled(name, &problem, &gpu(), Some(tile.clone()), Some(storage));
                let start = std::time::Instant::now();
                let (text, records) = compiled(&problem.stencil, &sizes, &program, 75);
                let label = format!("{name} {:?} {storage:?}", sizes.0);
                println!("{label}: {:?} for {} lines", start.elapsed(), text.lines().count());
                let module =
                    emulated::Module::parse(&text).unwrap_or_else(|e| panic!("{label}: {e}"));
                let extents: &[&[i64]] = match dims {
                    1 => &[&[3], &[37], &[211]],
                    2 => &[&[3, 3], &[31, 5], &[37, 131]],
                    _ => &[&[3, 3, 3], &[13, 12, 70]],
                };
                for e in extents {
                    for steps in [0, 1, 7] {
                        let ints: Vec<i64> = [steps].into_iter().chain(e.iter().copied()).collect();
                        run(&module, &records, &problem, &program, &ints, &label);
                    }
                }
            }
        }
    }
}

/// Code that is generated for one of two architectures, and rewritten for the other, is what would be generated for it.
#[test]
fn code_for_older_architectures_is_the_same() {
    for (name, problem) in problems::all() {
        for tile in tiles(&problem).into_iter().take(1) {
            let (sizes, kernels) = tiled(name, &problem, &gpu(), Some(tile), None);
            let program = Program {
                number: 0,
                strategy: "tiled",
                sizes: &sizes,
                storage: "",
                target: VariantTarget::Device,
                kernels: &kernels,
            };
            let texts = |arches: &[u32]| {
                emit::device_ptx(&problem.stencil, &program, Vec::new(), arches).unwrap()
            };
            let together = texts(&[75, 80, 90]);
            for one in &together {
                let alone = texts(&[one.arch]);
                assert_eq!(
                    one.text.as_str().unwrap(),
                    alone[0].text.as_str().unwrap(),
                    "{name} {:?} sm_{}",
                    sizes.0,
                    one.arch
                );
            }
        }
    }
}

/// Quotients and roots of all pairs of numbers with edges: zeros of both signs, subnormal, huge and tiny ones, infinities.
#[test]
fn divisions_round_right() {
    let edges = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        3.0,
        0.1,
        -7.3,
        1e-3,
        1234.567,
        1e-20,
        3e19,
        -2e-30,
        1e30,
        1e38,
        1e-38,
        1e-44,
        f64::from(f32::MAX),
        f64::INFINITY,
        f64::NEG_INFINITY,
        1e-300,
        1e300,
        5e-324,
        // Roots of all ones.
        1.0f64.next_down(),
        16.0f64.next_down().next_down(),
        f64::from(4.0f32.next_down()),
        f64::from(1.0f32.next_down().next_down()),
    ];
    for elem in [ElemType::F32, ElemType::F64] {
        let problem = quotients(elem);
        let (sizes, program) = tiled("quotients", &problem, &gpu(), None, None);
        let (text, records) = compiled(&problem.stencil, &sizes, &program, 75);
        for slow in ["div.rn", "sqrt.rn", "rcp.approx.ftz", "rsqrt.approx.ftz"] {
            assert!(text.contains(slow), "{elem:?}: no {slow}");
        }
        let module = emulated::Module::parse(&text).unwrap();
        let points = (edges.len() * edges.len()) as i64;
        let (sizes, mut before, _) = expected(&problem, &[1, points]);
        for (pointer, bytes) in before.pointers.iter_mut().enumerate() {
            let size = elem.size() as usize;
            for (i, element) in bytes.chunks_exact_mut(size).enumerate() {
                let at = if pointer == 0 { i } else { i / edges.len() };
                let x = edges[at % edges.len()];
                match elem {
                    ElemType::F32 => element.copy_from_slice(&(x as f32).to_le_bytes()),
                    _ => element.copy_from_slice(&x.to_le_bytes()),
                }
            }
        }
        let mut after = before.clone();
        reference::run(&problem.stencil, &sizes, &mut after).unwrap();
        // What is not a number may have other bits.
        run_from(&module, &records, &problem, &program, (&sizes, &before, &after), "quotients");
    }
}

/// c[x] = a/b, 3/b, √|a| / −0.7, 1/√(a² + 0.01) or 1/√|a|, each where it is a number.
fn quotients(elem: ElemType) -> Problem {
    let mut p = support::Program::new(1, elem);
    let (a, b) = (p.array(1), p.array(1));
    let outputs: Vec<u16> = (0..5).map(|_| p.array(1)).collect();
    let zero: &[i64] = &[0];
    for &c in &outputs {
        p.statement(
            &[support::Bound::Inside(0, 1)],
            &[(a, 0, zero), (b, 0, zero)],
            &[(c, 0, zero)],
        );
    }
    let float = |x: f64| match elem {
        ElemType::F32 => Op::Float((x as f32).to_bits().into()),
        _ => Op::Float(x.to_bits()),
    };
    let divide = |x, y| Op::Binary(BinaryOp::FDiv, x, y);
    let bodies = [
        vec![divide(0, 1)],
        vec![float(3.0), divide(0, 2)],
        vec![Op::Unary(UnaryOp::Abs, 0), Op::Unary(UnaryOp::Sqrt, 2), float(-0.7), divide(3, 4)],
        vec![float(0.01), Op::Fma(0, 0, 2), Op::Unary(UnaryOp::Sqrt, 3), float(1.0), divide(5, 4)],
        vec![Op::Unary(UnaryOp::Abs, 0), Op::Unary(UnaryOp::Sqrt, 2), float(1.0), divide(4, 3)],
    ];
    for (statement, ops) in p.statements_mut().iter_mut().zip(bodies) {
        let ty = Ty::Elem(elem);
        let value = |op: Op| Value { op, ty, flags: FpFlags::default() };
        let mut values: Vec<Value> =
            [Op::Load(0), Op::Load(1)].into_iter().chain(ops).map(value).collect();
        // A NaN's bits are the machine's own: a zero takes its place.
        let last = values.len() as u16 - 1;
        let number = Op::Compare(Predicate::FOrd, last, last);
        values.push(Value { op: number, ty: Ty::Bool, flags: FpFlags::default() });
        values.push(value(float(0.0)));
        values.push(value(Op::Select(last + 1, last, last + 2)));
        statement.writes[0].value = last + 3;
        statement.body = Body { values };
    }
    p.problem()
}

/// Writes the PTX of every problem with default sizes to a folder, for ptxas.
#[test]
#[ignore]
fn dump() {
    let folder = std::env::var("HEXPASS_DUMP").unwrap();
    for (name, problem) in problems::all() {
        let (sizes, program) = tiled(name, &problem, &Device::default_gpu(), None, None);
        let start = std::time::Instant::now();
        let (text, _) = compiled(&problem.stencil, &sizes, &program, 75);
        println!("{name} {:?} {:?} {}", sizes.0, start.elapsed(), text.len());
        std::fs::write(format!("{folder}/{name}.ptx"), text).unwrap();
        let ctx = inkwell::context::Context::create();
        let names = program.kernels.iter().map(|k| k.name.clone()).collect();
        let device =
            emit::nvptx::DeviceModule::new(&ctx, &problem.stencil, names, Vec::new()).unwrap();
        for (i, kernel) in program.kernels.iter().enumerate() {
            device.add(i, &problem.stencil, kernel).unwrap();
        }
        std::fs::write(format!("{folder}/{name}.ll"), device.module.to_string()).unwrap();
    }
}
