//! How long a tiling takes on a GPU, by the time model, at the nominal extents.

use crate::cost::nominal_extent;
use crate::device::Gpu;
use crate::kernel::build::{cost::cost, threads_of};
use crate::problem::Problem;
use crate::schedule::{Phased, Storage};
use hexpass_abi::PlanExpr;
use hexpass_abi::cost::{LaunchShape, Machine};
use hexpass_abi::plan::PlanValues;

/// Seconds for each statement instance: a time tile's launches by the instances in it.
pub fn seconds(problem: &Problem, schedule: &Phased, gpu: &Gpu) -> f64 {
    let machine = Machine::h200();
    let nominal = Nominal(nominal_extent(problem.dims()) as i64);
    let value = |e: &PlanExpr| e.eval(&nominal, &[1]).max(0);
    let (mut seconds, mut instances) = (0.0, 0.0);
    for phase in &schedule.phases {
        let cost = cost(problem, schedule.storage, phase, gpu);
        let rows = phase.rows().map(|(_, row)| value(&row.last) - value(&row.first) + 1);
        let blocks = rows.product::<i64>() as u64;
        let turns = cost.turns.as_ref().map_or(0, value);
        let threads = match schedule.storage {
            Storage::Registers => gpu.warp,
            _ => threads_of(phase, gpu).iter().product(),
        };
        let shared_bytes = super::tiling::shared_bytes(problem, &phase.staging);
        let shared_bytes = match schedule.storage {
            Storage::Shared { .. } => shared_bytes as u32,
            _ => 0,
        };
        let shape = LaunchShape {
            threads,
            shared_bytes,
            blocks,
            border: 0,
            rows: 0,
            turns,
            border_turns: turns,
            in_cache: false,
        };
        seconds += machine.launch_seconds(&cost, &shape).unwrap_or(machine.launch);
        let of_block = cost.start.instances + cost.turn.instances * turns as u64;
        instances += (of_block * blocks) as f64;
    }
    seconds / instances.max(1.0)
}

/// A nest whose every extent is the nominal one.
struct Nominal(i64);

impl PlanValues for Nominal {
    fn steps(&self) -> i64 {
        64
    }

    fn space(&self, _: u8) -> (i64, i64) {
        (1, self.0 - 2)
    }

    fn tunable(&self, _: u8) -> i64 {
        1
    }
}
