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

/// Runs one launch: kernel, its parameters, blocks. Addresses are those of `bases`.
pub trait Launcher {
    fn launch(&mut self, kernel: usize, params: &[u64], blocks: u32);
}

/// Carries out a plan.
pub struct Plan<'a> {
    pub stencil: &'a StencilProgram,
    pub kernels: &'a [KernelRecord],
    pub sizes: &'a Sizes,
    /// Address of each base pointer.
    pub bases: Vec<u64>,
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
                    let blocks: i64 = blocks.iter().map(|b| value(b).max(0)).product();
                    if blocks > 0 {
                        launcher.launch(usize::from(*kernel), &params, blocks as u32);
                    }
                }
            }
        }
    }

    fn param(&self, p: &KernelParam, time: i64, args: &[i64]) -> u64 {
        let sizes = self.sizes;
        let array = |a: &u16| -> &Array { &self.stencil.arrays[usize::from(*a)] };
        let value = |p: &Poly| p.eval(&|s: Sym| sizes.symbol(s)).unwrap();
        let signed = match p {
            KernelParam::Slot { array: a, rotation } => {
                let a = array(a);
                let at = time + i64::from(*rotation) + value(&a.rotation);
                let slot = &a.slots[at.rem_euclid(a.slots.len() as i64) as usize];
                let base = self.bases[usize::from(slot.pointer)];
                return base.wrapping_add_signed(value(&slot.offset));
            }
            KernelParam::Scalar(i) => return sizes.scalars[usize::from(*i)],
            KernelParam::Stride { array: a, dim } => {
                value(&array(a).strides[usize::from(*dim)]) / array(a).elem.size() as i64
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
            KernelParam::Buffer { .. } => panic!("a buffer in place of a slot"),
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
    let request = Request { strategy: None, tile, storage };
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
