//! Which levels a block can leave out at its first planes: those whose values nobody needs yet.
//!
//! ```text
//! plane    0  1  2  3  4  5  6  7  8  …          a star, four steps: level l is needed from turn 2l on
//! loaded   x  x  x  x  x  x  x  x  x
//! level 1  .  .  x  x  x  x  x  x  x             x: what is owned needs it
//! level 2  .  .  .  .  x  x  x  x  x
//! level 3  .  .  .  .  .  .  x  x  x
//! level 4  .  .  .  .  .  .  .  .  x
//!          └ 1 ──┘  └ 1, 2 ─┘  └ all             stages that end at turns 3 and 6
//! ```
//! A block's last turn is the last of every level: at the other end nothing can be left out.

use super::counts::{is_double, is_long};
use super::cut::cut;
use super::shape::Shape;
use crate::kernel::build::{direct, thin};
use crate::schedule::overlapped::TimeTile;
use crate::schedule::overlapped::flow::Flow;

/// The first turns of a block, counted from the first plane that is loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fill {
    /// For each level the first turn at which something is computed for it that is needed.
    pub needed: Vec<i64>,
    /// Turns at which stages end, in order; multiples of those that the loop writes out. Levels that are needed from
    /// then on only are left out of the stage.
    pub ends: Vec<i64>,
}

impl Fill {
    /// The stages that leave out most; none but in two dimensions: in three, blocks have no registers left for another
    /// loop, and their parts of the stream are long.
    pub fn of(flow: &Flow<'_>, tile: &TimeTile, shape: &Shape) -> Fill {
        let Some(streamed) = tile.streamed.filter(|_| shape.dims == 2) else {
            return Fill::default();
        };
        let first = shape.halo[streamed].0;
        let needed: Vec<i64> = (0..tile.levels.len())
            .map(|at| {
                let level = &tile.levels[at];
                let versions = level.writes.iter().map(|&v| &tile.versions[usize::from(v)]);
                let margin = versions.map(|v| v.margin[streamed].0).max().unwrap_or(0);
                let parts = cut(flow, tile, at).map_or(Vec::new(), |c| c.parts);
                let lead = parts.iter().map(|p| p.lead).max().unwrap_or(0);
                level.delay - lead - margin + first
            })
            .collect();
        let after = |end: i64| operations_after(flow, tile, &needed, end);
        // By rounds of the loop, the stages that end there and leave out most, and how much that is.
        let rounds = needed.iter().copied().max().unwrap_or(0).max(0) / shape.unroll;
        let mut best: Vec<Option<(i64, Vec<i64>)>> = vec![None; rounds as usize + 1];
        best[0] = Some((0, Vec::new()));
        for _ in 0..most_stages(flow) {
            for rounds in (1..best.len()).rev() {
                let end = rounds as i64 * shape.unroll;
                let longer = best[..rounds].iter().flatten().map(|(saved, ends)| {
                    let begin = ends.last().copied().unwrap_or(0);
                    let ends = ends.iter().copied().chain([end]).collect();
                    (saved + (end - begin) * after(end), ends)
                });
                best[rounds] = longer.chain(best[rounds].clone()).max_by_key(|(saved, _)| *saved);
            }
        }
        let found = best.into_iter().flatten().max_by_key(|(saved, _)| *saved);
        Fill { ends: found.map_or(Vec::new(), |(_, ends)| ends), needed }
    }

    /// Turns of all stages.
    pub fn turns(&self) -> i64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The first turn of each stage, and the first behind it.
    pub fn stages(&self) -> Vec<(i64, i64)> {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        begins.zip(self.ends.iter().copied()).collect()
    }

    /// What is left out: operations of a point.
    pub fn left_out(&self, flow: &Flow<'_>, tile: &TimeTile) -> i64 {
        let after = |end: i64| operations_after(flow, tile, &self.needed, end);
        self.stages().into_iter().map(|(begin, end)| (end - begin) * after(end)).sum()
    }
}

/// Stages at most, each of which is code of its own.
///
/// Of long bodies, stages that a block goes through once take longer than they save; where values are of two words, stages
/// leave the loop too few registers (gradient in double precision).
fn most_stages(flow: &Flow<'_>) -> usize {
    match (is_long(flow), is_double(flow)) {
        (true, true) => 0,
        (true, false) => 1,
        (false, _) => 3,
    }
}

/// Operations, at a point, of the levels that are needed from a turn on only.
fn operations_after(flow: &Flow<'_>, tile: &TimeTile, needed: &[i64], end: i64) -> i64 {
    let levels = tile.levels.iter().zip(needed).filter(|(_, needed)| **needed >= end);
    levels.map(|(l, _)| operations(flow, l.statement)).sum()
}

/// Operations of an instance of a statement inside.
pub fn operations(flow: &Flow<'_>, statement: u16) -> i64 {
    let statement = &flow.problem.stencil.statements[usize::from(statement)];
    if thin(statement) { 0 } else { direct::operations(statement).max(1) as i64 }
}
