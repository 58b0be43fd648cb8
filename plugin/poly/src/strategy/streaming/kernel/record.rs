//! What a level keeps of its step in a record: computed as soon as all that it reads is there, and stored where it belongs
//! by whoever owns it.

use super::bounds::{Bounds, within};
use super::constants::Loaded;
use super::level::ReadAt;
use super::masks::Mask;
use super::store::when;
use super::{Builder, Turn, Where};
use crate::kernel::ir::{Cond, Node, Place};
use crate::stencil::Write;

impl Builder<'_> {
    /// One plane of a level that stores to `writes`. What other threads hold of what it reads is fetched at every plane; the
    /// rest happens at those planes only that are owned and have instances.
    pub(super) fn record(
        &mut self,
        bounds: &Bounds,
        turn: &Turn,
        level: usize,
        writes: &[Write],
    ) -> Vec<Node> {
        let s = self.statement(level);
        if turn.mode.lacks(s) {
            return Vec::new();
        }
        let l = &self.tile.levels[level];
        let (statement, plane, time) = (l.statement, turn.plane(l.delay), self.time(level));
        let step = level as i64 / self.flow.problem.k();
        let mask = self.recorded(bounds, turn.mode, statement);
        let (mut out, mut then) = (Vec::new(), Vec::new());
        let mut stores = Vec::new();
        let mut loaded = Loaded::default();
        for (row, column) in self.points() {
            let coords = self.coordinates(bounds, &plane, row, column);
            let reads = (0..s.reads.len())
                .map(|read| {
                    let at = ReadAt { level, read, row, column };
                    self.read(&mut out, &mut loaded, bounds, turn, at)
                })
                .collect();
            self.draft.body(s, &time, &coords);
            let values: Vec<Place> = writes.iter().map(|w| self.register(w)).collect();
            for (w, from) in writes.iter().zip(&values) {
                let to = self.draft.access(&w.access, step, &time, &coords);
                let copy = Node::Copy { to, from: from.clone() };
                stores.push(when(mask.has(row * self.shape.sizes.vector + column), vec![copy]));
            }
            let writes = values.into_iter().map(|to| vec![to]).collect();
            let time = time.clone();
            then.push(Node::Instance { statement, piece: None, time, coords, reads, writes });
        }
        then.extend(stores);
        let mut planes: Vec<Cond> = Vec::new();
        if let Some(stream) = &bounds.stream {
            planes.extend(within(&plane, &stream.owned));
            if turn.mode.has_end_planes() {
                planes.extend(within(&plane, &bounds.statements[usize::from(statement)][0]));
            }
        }
        match planes.is_empty() {
            true => out.extend(then),
            false => out.push(when(Cond::All(planes), then)),
        }
        out
    }

    /// A register for one value of what is written.
    fn register(&mut self, w: &Write) -> Place {
        let elem = self.elem(w.access.array);
        self.registers.rows(elem, 1, 1, 1).plane(0).at(0, 0)
    }

    /// Which points of the thread are owned and, near the border, have an instance of a statement, apart from the streamed
    /// dimension: bit `row · V + column`.
    pub(super) fn recorded(&mut self, bounds: &Bounds, mode: Where, statement: u16) -> Mask {
        let near = mode.has_ends().then_some(statement);
        if let Some(known) = self.recorded.get(&near) {
            return known.clone();
        }
        let one = |(row, column): (i64, i64)| {
            let owned = self.owned_point(bounds, row, column);
            match near {
                Some(s) => {
                    owned.lesser(bounds.within(row, column, &bounds.statements[usize::from(s)]))
                }
                None => owned,
            }
        };
        let bits = self.points().map(one).collect();
        let mask = Mask::new(self, bits);
        self.recorded.insert(near, mask.clone());
        mask
    }
}
