//! A launch at nominal extents, for strategies whose kernels carry their own cost.

use crate::cost::nominal_extent;
use crate::kernel::build::thin;
use crate::kernel::ir::Kernel;
use crate::problem::Problem;
use hexpass_abi::cost::{LaunchShape, Machine};
use hexpass_abi::plan::PlanValues;
use hexpass_abi::{PlanExpr, Tunable};

/// Every space dimension from 0 on, tunables at one choice of their values.
pub struct Nominal<'a> {
    pub dims: usize,
    pub tunables: &'a [i64],
}

impl PlanValues for Nominal<'_> {
    fn steps(&self) -> i64 {
        1
    }

    fn space(&self, _: u8) -> (i64, i64) {
        (0, nominal_extent(self.dims) as i64 - 1)
    }

    fn tunable(&self, index: u8) -> i64 {
        self.tunables.get(usize::from(index)).copied().unwrap_or(1)
    }
}

impl Nominal<'_> {
    /// Blocks of a launch.
    pub fn blocks(&self, blocks: &[PlanExpr; 3]) -> u64 {
        self.grid(blocks).iter().product()
    }

    fn grid(&self, blocks: &[PlanExpr; 3]) -> [u64; 3] {
        blocks.each_ref().map(|b| b.eval(self, &[]).max(0) as u64)
    }

    /// Seconds of a launch of so many blocks; infinite if a block doesn't fit.
    pub fn seconds(&self, kernel: &Kernel, blocks: &[PlanExpr; 3]) -> f64 {
        let [turns, border_turns] = kernel.cost.turns_of(|t| t.eval(self, &[]));
        let shape = LaunchShape {
            threads: kernel.threads.iter().product(),
            shared_bytes: kernel.shared_bytes() as u32,
            blocks: self.blocks(blocks),
            border: kernel.cost.border_blocks(self.grid(blocks)),
            rows: kernel.cost.row_blocks(self.grid(blocks)),
            turns,
            border_turns,
            in_cache: false,
        };
        Machine::h200().launch_seconds(&kernel.cost, &shape).unwrap_or(f64::INFINITY)
    }
}

/// Statements that have a point of the grid each; boundary rows have none worth counting. At least 1.
pub fn thick(problem: &Problem) -> i64 {
    problem.stencil.statements.iter().filter(|s| !thin(s)).count().max(1) as i64
}

/// All combinations of values.
pub fn settings(tunables: &[Tunable]) -> Vec<Vec<i64>> {
    tunables.iter().fold(vec![Vec::new()], |all, t| {
        let longer = |known: &Vec<i64>| {
            t.values.iter().map(|&v| [known.as_slice(), &[v]].concat()).collect::<Vec<_>>()
        };
        all.iter().flat_map(longer).collect()
    })
}
