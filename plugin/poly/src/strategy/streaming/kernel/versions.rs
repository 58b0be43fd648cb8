//! Which registers hold a version, and which versions are loaded.

use super::{Builder, Where};
use crate::schedule::overlapped::Level;

impl Builder<'_> {
    /// The version in whose registers a version lies: a statement without instances leaves everything as it was; of what
    /// is there before the launch and isn't carried only what the nest never writes is wanted, which is the same in all
    /// slots.
    pub(super) fn seen(&self, mut version: u16, mode: Where) -> u16 {
        loop {
            let v = &self.tile.versions[usize::from(version)];
            match (v.level, v.before) {
                (Some(l), Some(before)) if mode.lacks(self.statement(usize::from(l))) => {
                    version = before;
                }
                (None, _) if !self.is_carried(v.array, v.rotation) => {
                    return self.initial(v.array).unwrap_or(version);
                }
                _ => return version,
            }
        }
    }

    /// Versions that are there before the launch and are loaded: those of carried slots, and one of each other array of
    /// which something is read that the nest never writes. Inside that is so where thin statements alone write it.
    pub(super) fn loaded(&self, mode: Where) -> Vec<u16> {
        let versions = (0u16..).zip(&self.tile.versions).filter(|(_, v)| v.level.is_none());
        let alone = |i: u16, array| {
            (mode != Where::Inside || self.is_read_inside(i))
                && self.initial(array) == Some(i)
                && self.flow.is_read_outside(array)
        };
        versions
            .filter(|(i, v)| self.is_live(v.array, v.rotation) || alone(*i, v.array))
            .map(|(i, _)| i)
            .collect()
    }

    /// True if some level reads the version inside.
    fn is_read_inside(&self, version: u16) -> bool {
        let exists =
            |l: &&Level| !Where::Inside.lacks(&self.program().statements[usize::from(l.statement)]);
        let mut reads =
            self.tile.levels.iter().filter(exists).flat_map(|l| l.reads.iter().flatten());
        reads.any(|&v| self.seen(v, Where::Inside) == version)
    }

    /// Of an array's versions that are there before the launch, the one that holds what the nest never writes: a carried
    /// one if there is one.
    fn initial(&self, array: u16) -> Option<u16> {
        let all = (0u16..).zip(&self.tile.versions);
        let mut all = all.filter(|(_, v)| v.level.is_none() && v.array == array);
        let first = all.clone().next();
        all.find(|(_, v)| self.is_carried(array, v.rotation)).or(first).map(|(i, _)| i)
    }

    /// True for a carried slot whose value before the launch matters.
    fn is_live(&self, array: u16, rotation: i32) -> bool {
        self.live.iter().any(|&(a, r)| a == array && self.same_slot(array, r, rotation))
    }

    fn is_carried(&self, array: u16, rotation: i32) -> bool {
        self.carried.iter().any(|c| c.array == array && self.same_slot(array, c.rotation, rotation))
    }

    /// The version whose registers hold what a level leaves as it was, of one that it makes; `None` if nothing reads it.
    ///
    /// A statement that writes all that any writes leaves what the nest never writes, which is the same in all slots:
    /// the newest version has it too.
    pub(super) fn old(&self, level: usize, version: u16, mode: Where) -> Option<u16> {
        let v = &self.tile.versions[usize::from(version)];
        if !self.flow.covers(self.statement(level), v.array) {
            return v.before.map(|before| self.seen(before, mode));
        }
        let live = self.live.iter().any(|(array, _)| *array == v.array);
        if !live && !self.flow.is_read_outside(v.array) {
            return None;
        }
        let delay = self.tile.levels[level].delay;
        let known = (0..version).rev().find(|&i| {
            let w = &self.tile.versions[usize::from(i)];
            let age = delay - self.tile.delay_of(i);
            w.array == v.array
                && self.seen(i, mode) == i
                && w.level.is_none_or(|l| usize::from(l) < level)
                && (0..self.shape.unroll).contains(&age)
        });
        known.or_else(|| v.before.map(|before| self.seen(before, mode)))
    }

    pub(super) fn same_slot(&self, array: u16, a: i32, b: i32) -> bool {
        let slots = self.program().arrays[usize::from(array)].slots.len().max(1) as i32;
        (a - b).rem_euclid(slots) == 0
    }
}
