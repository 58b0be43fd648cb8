//! Runs a [`KernelProgram`] on plain memory, for tests: blocks in any order, threads between barriers in any order.
//!
//! What a real machine would leave to chance is a [`Fault`] here: two threads that touch a place without a barrier
//! between them, one writing; two blocks of a launch that do; a read of shared memory that nothing has filled; an
//! access outside a buffer. In kernels whose threads run every node, values that a device leaves undefined are tracked
//! as such. [`reference`] runs a stencil program as it was written.

pub mod arithmetic;
mod block;
mod elements;
mod launch;
pub mod memory;
mod races;
pub mod reference;
mod threads;

use super::ir::{Kernel, KernelProgram};
use crate::stencil::StencilProgram;
use elements::Elements;
use hexpass_abi::{KernelParam, PlanExpr, PlanOp};
use launch::Launch;
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
    /// Statement instances, each as often as it was computed.
    pub instances: u64,
    /// Elements copied between places.
    pub copies: u64,
}

/// Runs the plan; `seed` decides the order of blocks. Where there are no instances nothing is launched, as by the runtime.
pub fn run(
    program: &KernelProgram,
    stencil: &StencilProgram,
    sizes: &Sizes,
    memory: &mut Memory,
    seed: u64,
) -> Result<Ran, Fault> {
    let sizes = &sizes.clone().or_defaults(&program.tunables);
    let mut elements = Elements::new(stencil, sizes, memory, &program.scratch)?;
    if program.alike {
        elements.fill_scratch(stencil)?;
    }
    let mut machine = Machine { program, stencil, sizes, elements, seed, ran: Ran::default() };
    let has_points = sizes.space.iter().all(|(lo, hi)| lo <= hi);
    if sizes.steps > 0 && has_points {
        let mut vars = vec![0; usize::from(program.plan.vars)];
        machine.ops(&program.plan.ops, &mut vars)?;
    }
    Ok(machine.ran)
}

struct Machine<'a> {
    program: &'a KernelProgram,
    stencil: &'a StencilProgram,
    sizes: &'a Sizes,
    elements: Elements<'a>,
    seed: u64,
    ran: Ran,
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
                    let (grid, time) = (blocks.each_ref().map(value), value(time));
                    self.launch(usize::from(*kernel), grid, time, &args)?;
                }
            }
        }
        Ok(())
    }

    fn launch(
        &mut self,
        kernel: usize,
        grid: [i64; 3],
        time: i64,
        args: &[i64],
    ) -> Result<(), Fault> {
        let kernel = self.program.kernels.get(kernel).ok_or("no such kernel")?;
        let params = self.params(kernel, args)?;
        let grid = grid.map(|n| n.max(0));
        let mut launch = Launch::new(kernel, self.stencil, self.sizes, params, time, grid);
        self.ran.launches += 1;
        for block in self.shuffled(grid.iter().product()) {
            let at = [block % grid[0], block / grid[0] % grid[1], block / grid[0] / grid[1]];
            launch.run_block(at, &mut self.elements, &mut self.ran)?;
        }
        Ok(())
    }

    /// Values of the integer parameters, a buffer's number for buffers; 0 for addresses and strides, which places look
    /// up themselves.
    fn params(&self, kernel: &Kernel, args: &[i64]) -> Result<Vec<i64>, Fault> {
        let sizes = self.sizes;
        let arg = |i: u8| args.get(usize::from(i)).copied().ok_or("a launch argument is missing");
        let mut out = Vec::new();
        for p in &kernel.params {
            out.push(match p {
                KernelParam::Slot { .. } | KernelParam::Scalar(_) | KernelParam::Stride { .. } => 0,
                KernelParam::Buffer { even, odd, arg: a, .. } => {
                    i64::from(if arg(*a)?.rem_euclid(2) == 0 { *even } else { *odd })
                }
                KernelParam::ArrayLo { array, dim } => sizes.array(*array, *dim)?.0,
                KernelParam::ArrayHi { array, dim } => sizes.array(*array, *dim)?.1,
                KernelParam::StatementLo { statement, dim } => sizes.statement(*statement, *dim)?.0,
                KernelParam::StatementHi { statement, dim } => sizes.statement(*statement, *dim)?.1,
                KernelParam::Int(p) => {
                    p.eval(&|s| sizes.symbol(s)).map_err(|_| "an integer parameter overflows")?
                }
                KernelParam::Steps => sizes.steps,
                KernelParam::Launch(i) => arg(*i)?,
            });
        }
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
