//! Planes on their way in shared memory (`Shape::fetches`), where registers have no room for them.
//!
//! ```text
//! fetch the first planes ahead, take the first to registers
//! for each plane:
//!     wait for the next one, take it to registers
//!     fetch the one that is so many planes ahead, to the place of this one
//!     levels, with this plane
//! ```
//! There are as many places as planes ahead. A thread fetches what it takes itself, so that nobody else waits for it.

use super::bounds::Bounds;
use super::load::widest;
use super::{Builder, Turn, Where};
use crate::kernel::ir::{IExpr, Node, Place, SharedBuffer};
use crate::strategy::streaming::shape::WARP;
use std::collections::BTreeSet;

impl Builder<'_> {
    /// Buffers for the planes on their way: each thread has its own elements of them.
    pub(super) fn share_fetched(&mut self) {
        if !self.shape.fetches {
            return;
        }
        let s = self.shape.sizes;
        let columns = WARP * s.warps * s.vector;
        let modes = [Where::Inside, Where::Border];
        for version in
            modes.into_iter().flat_map(|mode| self.loaded(mode)).collect::<BTreeSet<u16>>()
        {
            let array = self.tile.versions[usize::from(version)].array;
            let extents = vec![self.shape.ahead, s.rows, columns];
            let buffer = self.neighbours.shared.len() as u16;
            let name = format!("fetched{version}");
            let elem = self.elem(array);
            self.neighbours.shared.push(SharedBuffer { name, elem, extents });
            self.fetched.insert(version, buffer);
        }
    }

    /// Fetches the plane so many turns later of all versions that are loaded, a group each.
    pub(super) fn fetch_plane(&mut self, bounds: &Bounds, turn: &Turn, later: i64) -> Vec<Node> {
        let versions = if self.shape.fetches { self.loaded(turn.mode) } else { Vec::new() };
        let one = |version: u16| {
            let like = self.ahead[&version].plane(0);
            let loads = self.load(bounds, turn, version, &like, turn.plane(-later));
            let count = like.rows() * like.columns() / loads.len().max(1) as i64;
            let from = loads.into_iter().filter_map(|node| match node {
                Node::Copy { from, .. } | Node::Vector { from, .. } => Some(from),
                _ => None,
            });
            let places = (0..).step_by(count as usize).map(|at| {
                let (row, column) = (at / like.columns(), at % like.columns());
                self.fetched_place(version, turn.index + later, row, column)
            });
            Node::Fetch { copies: places.zip(from).collect(), count: count as u32 }
        };
        versions.into_iter().map(one).collect()
    }

    /// Waits for all planes but the last ones.
    pub(super) fn await_fetched(&self, mode: Where, but: i64) -> Vec<Node> {
        let groups = but * self.loaded(mode).len() as i64;
        if self.shape.fetches { vec![Node::Await { but: groups as u32 }] } else { Vec::new() }
    }

    /// A plane that has come, to the registers that it is taken from in the next turn.
    pub(super) fn take_fetched(&self, version: u16, index: i64) -> Vec<Node> {
        let to = match self.ahead.get(&version) {
            Some(ahead) if self.shape.fetches => ahead.plane(0),
            _ => return Vec::new(),
        };
        let elem = self.elem(self.tile.versions[usize::from(version)].array);
        let count = widest(elem, to.columns());
        let of_row = |row: i64| (0..to.columns()).step_by(count as usize).map(move |c| (row, c));
        let all = (0..to.rows()).flat_map(of_row);
        all.map(|(row, column)| {
            let from = self.fetched_place(version, index, row, column);
            let to = to.at(row, column);
            match count {
                1 => Node::Copy { to, from },
                _ => Node::Vector { to, from, count: count as u32 },
            }
        })
        .collect()
    }

    fn fetched_place(&self, version: u16, index: i64, row: i64, column: i64) -> Place {
        let s = self.shape.sizes;
        let thread = IExpr::Thread(1).times(WARP).plus(IExpr::Thread(0));
        let subscripts = vec![
            IExpr::Const(index.rem_euclid(self.shape.ahead)),
            IExpr::Const(row),
            thread.times(s.vector).plus(IExpr::Const(column)),
        ];
        Place::Shared { buffer: self.fetched[&version], subscripts }
    }
}
