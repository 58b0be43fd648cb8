//! Runs a [`KernelProgram`] on plain memory, for tests: blocks in any order, threads between barriers in any order.
//!
//! What a real machine would leave to chance is a [`Fault`] here: two threads that touch a place without a barrier
//! between them, one writing; two blocks of a launch that do; a read of shared memory that nothing has filled; an
//! access outside a buffer. [`reference`] runs a stencil program as it was written.

pub mod arithmetic;
mod block;
pub mod memory;
mod races;
pub mod reference;

use super::ir::{IExpr, Kernel, KernelProgram};
use crate::stencil::StencilProgram;
use hexpass_abi::{KernelParam, PlanExpr, PlanOp, plan::PlanValues};
use memory::{Memory, Sizes};
use std::fmt;

/// What went wrong, in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(pub String);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<T: Into<String>> From<T> for Fault {
    fn from(s: T) -> Fault {
        Fault(s.into())
    }
}

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    pub launches: u64,
    pub blocks: u64,
    /// Statement instances.
    pub instances: u64,
    /// Elements copied between global and shared memory.
    pub copies: u64,
}

/// Runs the plan; `seed` decides the order of blocks.
pub fn run(
    program: &KernelProgram,
    stencil: &StencilProgram,
    sizes: &Sizes,
    memory: &mut Memory,
    seed: u64,
) -> Result<Ran, Fault> {
    let mut machine = Machine { program, stencil, sizes, memory, seed, ran: Ran::default() };
    if sizes.steps > 0 {
        let mut vars = vec![0; usize::from(program.plan.vars)];
        machine.ops(&program.plan.ops, &mut vars)?;
    }
    Ok(machine.ran)
}

struct Machine<'a> {
    program: &'a KernelProgram,
    stencil: &'a StencilProgram,
    sizes: &'a Sizes,
    memory: &'a mut Memory,
    seed: u64,
    ran: Ran,
}

impl PlanValues for Sizes {
    fn steps(&self) -> i64 {
        self.steps
    }

    fn space(&self, dim: u8) -> (i64, i64) {
        self.space[usize::from(dim)]
    }

    fn tunable(&self, _: u8) -> i64 {
        1
    }
}

impl Machine<'_> {
    fn ops(&mut self, ops: &[PlanOp], vars: &mut Vec<i64>) -> Result<(), Fault> {
        for op in ops {
            match op {
                PlanOp::Loop { var, lo, hi, body } => {
                    let (lo, hi) = (lo.eval(self.sizes, vars), hi.eval(self.sizes, vars));
                    for v in lo..=hi {
                        vars[usize::from(*var)] = v;
                        self.ops(body, vars)?;
                    }
                }
                PlanOp::Launch { kernel, blocks, time, args } => {
                    let value = |e: &PlanExpr| e.eval(self.sizes, vars);
                    let args: Vec<i64> = args.iter().map(value).collect();
                    let (blocks, time) = (value(&blocks[0]), value(time));
                    self.launch(usize::from(*kernel), blocks, time, &args)?;
                }
            }
        }
        Ok(())
    }

    fn launch(&mut self, kernel: usize, blocks: i64, time: i64, args: &[i64]) -> Result<(), Fault> {
        let kernel = self.program.kernels.get(kernel).ok_or("no such kernel")?;
        let params = self.params(kernel, time, args)?;
        let mut launch = block::Launch::new(kernel, self.stencil, self.sizes, params, time);
        self.ran.launches += 1;
        for block in self.shuffled(blocks.max(0)) {
            launch.run_block(block, self.memory, &mut self.ran)?;
        }
        Ok(())
    }

    /// Values of the integer parameters; 0 for addresses, which places look up themselves.
    fn params(&self, kernel: &Kernel, time: i64, args: &[i64]) -> Result<Vec<i64>, Fault> {
        let sizes = self.sizes;
        let mut out = Vec::new();
        for p in &kernel.params {
            out.push(match p {
                KernelParam::Slot { .. }
                | KernelParam::Buffer { .. }
                | KernelParam::Scalar(_)
                | KernelParam::Stride { .. } => 0,
                KernelParam::ArrayLo { array, dim } => sizes.array(*array, *dim)?.0,
                KernelParam::ArrayHi { array, dim } => sizes.array(*array, *dim)?.1,
                KernelParam::StatementLo { statement, dim } => sizes.statement(*statement, *dim)?.0,
                KernelParam::StatementHi { statement, dim } => sizes.statement(*statement, *dim)?.1,
                KernelParam::Int(p) => {
                    p.eval(&|s| sizes.symbol(s)).map_err(|_| "an integer parameter overflows")?
                }
                KernelParam::Steps => sizes.steps,
                KernelParam::Launch(i) => {
                    *args.get(usize::from(*i)).ok_or("a launch argument is missing")?
                }
            });
        }
        let _ = time;
        Ok(out)
    }

    fn shuffled(&mut self, blocks: i64) -> Vec<i64> {
        let mut order: Vec<i64> = (0..blocks).collect();
        for i in (1..order.len()).rev() {
            self.seed ^= self.seed << 13;
            self.seed ^= self.seed >> 7;
            self.seed ^= self.seed << 17;
            order.swap(i, (self.seed % (i as u64 + 1)) as usize);
        }
        order
    }
}

/// Value of an expression inside a kernel.
fn value(e: &IExpr, vars: &[Option<i64>], params: &[i64], block: i64) -> Result<i64, Fault> {
    e.eval(&|leaf| match leaf {
        IExpr::Var(v) => vars.get(usize::from(*v)).copied().flatten(),
        IExpr::Param(p) => params.get(usize::from(*p)).copied(),
        IExpr::Block(0) => Some(block),
        _ => None,
    })
    .ok_or_else(|| Fault(format!("{e:?} speaks of something unbound")))
}
