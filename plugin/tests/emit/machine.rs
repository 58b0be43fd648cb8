//! A launch plan carried out on plain memory, with kernels that somebody else runs.

use super::support::{memory, sizes};
use hexpass_abi::{Array, KernelParam, KernelRecord, PlanExpr, PlanOp, Poly, expr::Sym};
use hexpass_poly::device::Device;
use hexpass_poly::kernel::interp::memory::{Memory, Sizes};
use hexpass_poly::kernel::interp::reference;
use hexpass_poly::kernel::ir::KernelProgram;
use hexpass_poly::problem::Problem;
use hexpass_poly::schedule::{Storage, TileSizes};
use hexpass_poly::stencil::StencilProgram;
use hexpass_poly::strategy::{Request, choose};

/// Runs one launch: kernel, its parameters, blocks.
pub trait Launcher {
    fn launch(&mut self, kernel: usize, params: &[u64], blocks: [u32; 3]);
}

/// Where arrays lie.
pub struct Addresses {
    /// For each array the address of subscript zero of each slot, then of each scratch buffer.
    pub buffers: Vec<Vec<u64>>,
    /// For each array its strides, in elements.
    pub strides: Vec<Vec<i64>>,
}

impl Addresses {
    /// As in the program, with these addresses of the base pointers.
    pub fn flat(stencil: &StencilProgram, sizes: &Sizes, bases: &[u64]) -> Addresses {
        let value = |p: &Poly| p.eval(&|s: Sym| sizes.symbol(s)).unwrap();
        let slots = |a: &Array| {
            let start = |s: &hexpass_abi::Slot| {
                bases[usize::from(s.pointer)].wrapping_add_signed(value(&s.offset))
            };
            a.slots.iter().map(start).collect()
        };
        let strides =
            |a: &Array| a.strides.iter().map(|s| value(s) / a.elem.size() as i64).collect();
        Addresses {
            buffers: stencil.arrays.iter().map(slots).collect(),
            strides: stencil.arrays.iter().map(strides).collect(),
        }
    }
}

/// Carries out a plan.
pub struct Plan<'a> {
    pub stencil: &'a StencilProgram,
    pub kernels: &'a [KernelRecord],
    pub sizes: &'a Sizes,
    pub storage: Addresses,
}

impl Plan<'_> {
    pub fn run(&self, program: &KernelProgram, launcher: &mut dyn Launcher) {
        if self.sizes.steps > 0 {
            let mut vars = vec![0; usize::from(program.plan.vars)];
            self.ops(&program.plan.ops, &mut vars, launcher);
        }
    }

    fn ops(&self, ops: &[PlanOp], vars: &mut Vec<i64>, launcher: &mut dyn Launcher) {
        for op in ops {
            match op {
                PlanOp::Loop { var, lo, hi, body } => {
                    for v in lo.eval(self.sizes, vars)..=hi.eval(self.sizes, vars) {
                        vars[usize::from(*var)] = v;
                        self.ops(body, vars, launcher);
                    }
                }
                PlanOp::Launch { kernel, blocks, time, args } => {
                    let value = |e: &PlanExpr| e.eval(self.sizes, vars);
                    let args: Vec<i64> = args.iter().map(value).collect();
                    let params: Vec<u64> = self.kernels[usize::from(*kernel)]
                        .params
                        .iter()
                        .map(|p| self.param(p, value(time), &args))
                        .collect();
                    let blocks = blocks.each_ref().map(|b| value(b).max(0) as u32);
                    if !blocks.contains(&0) {
                        launcher.launch(usize::from(*kernel), &params, blocks);
                    }
                }
            }
        }
    }

    /// Address of the slot for an absolute rotation.
    fn slot(&self, array: u16, rotation: i64) -> u64 {
        let a = &self.stencil.arrays[usize::from(array)];
        let own = a.rotation.eval(&|s: Sym| self.sizes.symbol(s)).unwrap();
        let at = (rotation + own).rem_euclid(a.slots.len() as i64);
        self.storage.buffers[usize::from(array)][at as usize]
    }

    fn param(&self, p: &KernelParam, time: i64, args: &[i64]) -> u64 {
        let sizes = self.sizes;
        let array = |a: &u16| -> &Array { &self.stencil.arrays[usize::from(*a)] };
        let value = |p: &Poly| p.eval(&|s: Sym| sizes.symbol(s)).unwrap();
        let signed = match p {
            KernelParam::Slot { array: a, rotation } => {
                return self.slot(*a, time + i64::from(*rotation));
            }
            KernelParam::Buffer { array: a, even, odd, arg } => {
                let buffer = match args[usize::from(*arg)].rem_euclid(2) {
                    0 => usize::from(*even),
                    _ => usize::from(*odd),
                };
                return match buffer < array(a).slots.len() {
                    true => self.slot(*a, buffer as i64),
                    false => self.storage.buffers[usize::from(*a)][buffer],
                };
            }
            KernelParam::Scalar(i) => return sizes.scalars[usize::from(*i)],
            KernelParam::Stride { array: a, dim } => {
                self.storage.strides[usize::from(*a)][usize::from(*dim)]
            }
            KernelParam::ArrayLo { array, dim } => sizes.array(*array, *dim).unwrap().0,
            KernelParam::ArrayHi { array, dim } => sizes.array(*array, *dim).unwrap().1,
            KernelParam::StatementLo { statement, dim } => {
                sizes.statement(*statement, *dim).unwrap().0
            }
            KernelParam::StatementHi { statement, dim } => {
                sizes.statement(*statement, *dim).unwrap().1
            }
            KernelParam::Int(p) => value(p),
            KernelParam::Steps => sizes.steps,
            KernelParam::Launch(i) => args[usize::from(*i)],
        };
        signed as u64
    }
}

/// A problem tiled for a device.
pub fn tiled(
    name: &str,
    problem: &Problem,
    device: &Device,
    tile: Option<TileSizes>,
    storage: Option<Storage>,
) -> (TileSizes, KernelProgram) {
    let request = Request { strategy: Some("hexagonal".into()), tile, storage };
    let choice = choose(problem, device, &request).unwrap_or_else(|e| panic!("{name}: {e}"));
    let program = choice.kernels(problem, device).unwrap();
    (choice.sizes.clone(), program)
}

/// Named sizes.
pub fn tile(sizes: &[(&str, i64)]) -> TileSizes {
    TileSizes(sizes.iter().map(|&(n, v)| (n.to_owned(), v)).collect())
}

/// Memory before, and what the reference leaves of it.
pub fn expected(problem: &Problem, ints: &[i64]) -> (Sizes, Memory, Memory) {
    let sizes = sizes(&problem.stencil, ints);
    let before = memory(&problem.stencil, ints);
    let mut after = before.clone();
    reference::run(&problem.stencil, &sizes, &mut after).unwrap();
    (sizes, before, after)
}
