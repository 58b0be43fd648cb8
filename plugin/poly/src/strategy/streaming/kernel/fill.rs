//! A block's first turns, in stages without the levels that nobody needs yet ([`Fill`]).
//!
//! ```text
//! for each stage:
//!     for its turns, `unroll` at a time: as inside, without some levels
//! ```
//! A level that is left out and reads what the stage makes has its edges shuffled as if it were there: later planes of it
//! find them in registers.
//!
//! [`Fill`]: super::super::fill::Fill

use super::bounds::Bounds;
use super::{Builder, Turn, Where};
use crate::kernel::build::thin;
use crate::kernel::ir::{IExpr, LoopKind, Node};

impl Builder<'_> {
    /// All stages, from the first plane on.
    pub(super) fn fill(&mut self, bounds: &Bounds, first: &IExpr) -> Vec<Node> {
        let stages = self.shape.fill.stages();
        stages.into_iter().map(|stage| self.stage(bounds, first, stage)).collect()
    }

    fn stage(&mut self, bounds: &Bounds, first: &IExpr, (begin, end): (i64, i64)) -> Node {
        self.neighbours.begin();
        self.find_neighbours(Where::Inside);
        let var = self.var();
        let z = first.clone().plus(IExpr::Var(var));
        let body = self.turns(bounds, &Turn { mode: Where::Inside, index: 0, z, stage: Some(end) });
        Node::For {
            var,
            lo: IExpr::Const(begin),
            hi: IExpr::Const(end - 1),
            step: self.shape.unroll,
            kind: LoopKind::Sequential,
            body,
        }
    }

    /// True for a level that nobody needs in the turn's stage.
    pub(super) fn is_left_out(&self, turn: &Turn, level: usize) -> bool {
        turn.stage.is_some_and(|end| self.shape.fill.needed[level] >= end)
    }

    /// What a level that is left out would leave in registers for its later planes: edges, of versions that are made.
    pub(super) fn edges_of(&mut self, turn: &Turn, level: usize) -> Vec<Node> {
        let mut out = Vec::new();
        if thin(self.statement(level)) {
            return out;
        }
        for wanted in self.wanted(level, turn.mode, turn.index) {
            let made = self.tile.versions[usize::from(wanted.version)].level;
            let is_made = made.is_none_or(|l| !self.is_left_out(turn, usize::from(l)));
            if is_made && self.is_kept(&wanted) {
                self.obtain(&mut out, wanted);
            }
        }
        out
    }
}
