//! The launch plan of a schedule: for each time tile, each phase once.

use crate::problem::Problem;
use crate::schedule::{Classical, Cut, Phase, Phased};
use hexpass_abi::{LaunchPlan, PlanExpr, PlanOp};

/// Index of the launch argument that holds the step of level 0.
pub const TIME: u8 = 0;

/// The launch argument that holds the coordinate at local coordinate 0 of the first block of dimension `dim`, or its
/// first classical tile; the last follows it.
pub fn start(dim: usize) -> u8 {
    1 + 2 * dim as u8
}

/// Loop over T; the phases, each with its kernel.
pub fn launch_plan(problem: &Problem, schedule: &Phased, phases: &[(&Phase, u16)]) -> LaunchPlan {
    let body = phases.iter().map(|&(phase, kernel)| launch(problem, phase, kernel)).collect();
    let (lo, hi) = (schedule.first.clone(), schedule.last.clone());
    LaunchPlan { ops: vec![PlanOp::Loop { var: 0, lo, hi, body }], vars: 1 }
}

fn launch(problem: &Problem, phase: &Phase, kernel: u16) -> PlanOp {
    let k = problem.k();
    let time = match k {
        1 => phase.u.clone(),
        _ => PlanExpr::FloorDiv(Box::new(phase.u.clone()), k),
    };
    let mut args = vec![time.clone()];
    let mut blocks = [PlanExpr::Const(1), PlanExpr::Const(1), PlanExpr::Const(1)];
    for (dim, cut) in phase.cuts.iter().enumerate() {
        match cut {
            Cut::Blocks(row) => {
                args.extend([row.origin.clone(), PlanExpr::Const(0)]);
                let all = row.last.clone() + row.first.clone() * -1 + PlanExpr::Const(1);
                let axis = usize::from(phase.axis(dim));
                blocks[axis] = if dim == 0 { with_time(all, time.clone()) } else { all };
            }
            Cut::Tiles(classical) => args.extend(tile_range(classical, dim as u8, phase.levels)),
        }
    }
    PlanOp::Launch { kernel, blocks, time, args }
}

/// That many blocks, but none when all of the phase's levels come after the last step.
fn with_time(blocks: PlanExpr, time: PlanExpr) -> PlanExpr {
    let steps_left = PlanExpr::Steps + time * -1;
    PlanExpr::Min(Box::new(blocks), Box::new(steps_left * (1 << 32)))
}

/// First and last classical tile that meet the space: ⌊(lo − shift) / w⌋ and ⌊(hi − shift + ⌊δ1·last level⌋) / w⌋; nothing
/// if whole.
pub fn tile_range(classical: &Classical, dim: u8, levels: i64) -> [PlanExpr; 2] {
    let Some(width) = classical.width else { return [PlanExpr::Const(0), PlanExpr::Const(0)] };
    let reach = classical.skew.floor_times(levels - 1);
    let first = match classical.shift {
        0 => PlanExpr::SpaceLo(dim),
        shift => PlanExpr::SpaceLo(dim) + PlanExpr::Const(-shift),
    };
    let last = PlanExpr::SpaceHi(dim) + PlanExpr::Const(reach - classical.shift);
    [PlanExpr::FloorDiv(Box::new(first), width), PlanExpr::FloorDiv(Box::new(last), width)]
}
