//! Planes on their way: loaded some turns before they are used.
//!
//! ```text
//! each plane in its turn                      all planes of a time round together (`Shape::prefetches`)
//!
//! for z, several planes at a time             for z, several planes at a time
//!     turn 0: take the plane, load the one        load all planes of the next time round
//!             that is so many planes ahead        prefetch those of the one after, to the second-level cache
//!     turn 1: …                                   turn 0: take the plane
//!                                                 turn 1: …
//!                                                 what was loaded is what is taken next
//! ```
//! Where loads stand between a kernel's turns is the assembler's choice, and all of them may end on one scoreboard: then
//! whoever takes a plane waits for the one that was asked for last, be it a few instructions before. Loaded together they
//! are waited for once, when most of the loop has passed. Registers hold one time round more.
//!
//! Where registers have no room for planes ahead, these lie in shared memory ([`fetched`](super::fetched)).

use super::bounds::Bounds;
use super::{Builder, Turn, Where};
use crate::kernel::ir::{Cond, IExpr, Node};

impl Builder<'_> {
    /// Loads the first planes ahead.
    pub(super) fn load_first(&mut self, bounds: &Bounds, mode: Where, first: &IExpr) -> Vec<Node> {
        let mut out = Vec::new();
        for index in 0..self.shape.ahead {
            let turn = Turn { mode, index, z: first.clone(), stage: None };
            out.extend(self.fetch_plane(bounds, &turn, 0));
            for version in self.loaded(mode).into_iter().filter(|_| !self.shape.fetches) {
                let to = self.ahead[&version].plane(index);
                out.extend(self.load(bounds, &turn, version, &to, turn.plane(0)));
            }
        }
        out.extend(self.await_fetched(mode, self.shape.ahead - 1));
        for version in self.loaded(mode) {
            out.extend(self.take_fetched(version, 0));
        }
        out
    }

    /// The turn's plane of a version: taken from those ahead, of which the next is loaded where they aren't loaded
    /// together; without a loop over planes, loaded now.
    pub(super) fn take(&mut self, bounds: &Bounds, turn: &Turn, version: u16) -> Vec<Node> {
        let to = self.rings[usize::from(version)].plane(turn.index);
        let Some(ahead) = self.ahead.get(&version) else {
            return self.load(bounds, turn, version, &to, IExpr::Const(0));
        };
        let from = ahead.plane(turn.index.rem_euclid(self.shape.held()));
        let mut out = to.copy_from(&from);
        if self.shape.fetches {
            out.extend(self.take_fetched(version, turn.index + 1));
        } else if !self.loads_together(turn.mode) {
            let plane = turn.plane(-self.shape.ahead);
            out.extend(self.load(bounds, turn, version, &from, plane));
        }
        out
    }

    /// Near the border, loads are too long to be kept apart from what is computed.
    fn loads_together(&self, mode: Where) -> bool {
        self.shape.prefetches && mode == Where::Inside
    }

    /// Before the first turn: loads all planes of the next time round.
    pub(super) fn load_next(&mut self, bounds: &Bounds, first: &Turn) -> Vec<Node> {
        let mut out = Vec::new();
        if !self.loads_together(first.mode) {
            return out;
        }
        for version in self.loaded(first.mode) {
            for index in 0..self.shape.ahead {
                let turn = first.later(index);
                let to = self.next[&version].plane(index);
                let plane = turn.plane(-self.shape.ahead);
                out.extend(self.load(bounds, &turn, version, &to, plane));
                out.extend(self.prefetch(bounds, &turn, version));
            }
        }
        out
    }

    /// Behind the last turn: what has been loaded is what is taken the next time round.
    pub(super) fn take_next(&self, mode: Where) -> Vec<Node> {
        let mut out = Vec::new();
        if self.loads_together(mode) {
            for version in self.loaded(mode) {
                let (ahead, next) = (&self.ahead[&version], &self.next[&version]);
                for index in 0..self.shape.ahead {
                    out.extend(ahead.plane(index).copy_from(&next.plane(index)));
                }
            }
        }
        out
    }

    /// Asks for the plane that the turn loads the next time round: each thread for its first element, whose sector of
    /// the cache holds its others too where rows are aligned.
    fn prefetch(&mut self, bounds: &Bounds, turn: &Turn, version: u16) -> Vec<Node> {
        let Some(stream) = &bounds.stream else { return Vec::new() };
        let round = IExpr::Const(self.shape.unroll);
        let cond = Cond::Le(turn.z.clone().plus(round), stream.last.clone());
        let plane = turn.plane(-self.shape.ahead - self.shape.unroll);
        let to = self.next[&version].plane(turn.index);
        let loads = self.load(bounds, turn, version, &to, plane);
        let from = loads.into_iter().find_map(|node| match node {
            Node::Copy { from, .. } | Node::Vector { from, .. } => Some(from),
            _ => None,
        });
        from.map(|from| Node::Prefetch { from, cond }).into_iter().collect()
    }
}
