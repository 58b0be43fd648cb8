//! The launch plan of a schedule: for each time tile, each phase once.

use crate::problem::Problem;
use crate::schedule::{Classical, Phase, Phased};
use hexpass_abi::plan::in_a_row;
use hexpass_abi::{LaunchPlan, PlanExpr, PlanOp};

/// Index of the launch argument that holds the step of level 0.
pub const TIME: u8 = 0;
/// s0 at local coordinate 0 of the first block.
pub const ORIGIN: u8 = 1;

/// First classical tile of dimension `dim`; the last follows it.
pub fn first_tile(dim: usize) -> u8 {
    2 * dim as u8
}

/// Loop over T; the phases, each with its kernel.
pub fn launch_plan(problem: &Problem, schedule: &Phased, phases: &[(&Phase, u16)]) -> LaunchPlan {
    let body =
        phases.iter().map(|&(phase, kernel)| launch(problem, schedule, phase, kernel)).collect();
    let (lo, hi) = (schedule.first.clone(), schedule.last.clone());
    LaunchPlan { ops: vec![PlanOp::Loop { var: 0, lo, hi, body }], vars: 1 }
}

fn launch(problem: &Problem, schedule: &Phased, phase: &Phase, kernel: u16) -> PlanOp {
    let k = problem.k();
    let time = match k {
        1 => phase.u.clone(),
        _ => PlanExpr::FloorDiv(Box::new(phase.u.clone()), k),
    };
    let mut args = vec![time.clone(), phase.origin.clone()];
    for (at, classical) in schedule.classical.iter().enumerate() {
        args.extend(tile_range(classical, at as u8 + 1, phase.levels));
    }
    PlanOp::Launch { kernel, blocks: in_a_row(blocks(phase, time.clone())), time, args }
}

/// Number of blocks; not positive when all of the phase's levels come after the last step.
fn blocks(phase: &Phase, time: PlanExpr) -> PlanExpr {
    let all = phase.last_block.clone() + phase.first_block.clone() * -1 + PlanExpr::Const(1);
    let steps_left = PlanExpr::Steps + time * -1;
    PlanExpr::Min(Box::new(all), Box::new(steps_left * (1 << 32)))
}

/// First and last classical tile that meet the space: ⌊lo / w⌋ and ⌊(hi + ⌊δ1·last level⌋) / w⌋; nothing if whole.
fn tile_range(classical: &Classical, dim: u8, levels: i64) -> [PlanExpr; 2] {
    let Some(width) = classical.width else { return [PlanExpr::Const(0), PlanExpr::Const(0)] };
    let reach = classical.skew.floor_times(levels - 1);
    let last = PlanExpr::SpaceHi(dim) + PlanExpr::Const(reach);
    [
        PlanExpr::FloorDiv(Box::new(PlanExpr::SpaceLo(dim)), width),
        PlanExpr::FloorDiv(Box::new(last), width),
    ]
}
