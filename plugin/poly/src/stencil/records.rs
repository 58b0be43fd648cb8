//! Arrays in which steps keep what they look at: a receiver's trace, a line of them, the whole grid.
//!
//! Consumes a [`StencilProgram`]; says of an array whether it is such a record, and how many steps it has room for. What
//! lies in one matters to no instance, so that tiles need not hold it. Refuses nothing: where it is not plain, the answer is
//! no.

use super::{Statement, StencilProgram, kept_step};
use crate::deps::never_meet;
use hexpass_abi::Access;

/// Arrays of at least so many slots keep what steps look at; with fewer, they are time levels.
const KEPT: i64 = 16;

impl StencilProgram {
    /// For an array in which steps keep what they look at, and which none reads: how many steps may run before one writes
    /// what another has written, without an end if each has elements of its own. `None` for other arrays, and where it is not
    /// plain.
    pub fn kept_steps(&self, array: u16) -> Option<i64> {
        let all = || self.statements.iter().enumerate();
        if all().any(|(_, s)| s.reads.iter().any(|a| a.array == array)) {
            return None;
        }
        let writes: Vec<(usize, &Access)> = all()
            .flat_map(|(i, s)| s.writes.iter().map(move |w| (i, &w.access)))
            .filter(|(_, a)| a.array == array)
            .collect();
        let apart = |(i, &a): (usize, &(usize, &Access))| {
            writes[..i].iter().all(|&b| never_meet(self, a, b))
        };
        let once = |&(i, a): &(usize, &Access)| self.statements[i].writes_once(a);
        if writes.is_empty() || !writes.iter().all(once) || !writes.iter().enumerate().all(apart) {
            return None;
        }
        let slots = self.arrays[usize::from(array)].slots.len() as i64;
        match slots {
            ..=1 => writes.iter().all(|(_, a)| kept_step(a).is_some()).then_some(i64::MAX),
            _ => (slots >= KEPT).then_some(slots),
        }
    }
}

impl Statement {
    /// True if it is plain that no two instances of a step mean the same element by an access.
    fn writes_once(&self, a: &Access) -> bool {
        let uses = |d: usize| a.subscripts.iter().any(|s| s.dim.map(usize::from) == Some(d));
        (0..self.lo.len()).all(|d| self.lo[d] == self.hi[d] || uses(d))
    }
}
