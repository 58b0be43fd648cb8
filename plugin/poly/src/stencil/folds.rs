//! Arrays in which the instances of a step keep what it is reduced from: its largest value, its sum.
//!
//! Consumes a [`StencilProgram`]; says of an array whether its elements may be any, and any number of them: then threads
//! keep their own in registers, and store one each. Refuses nothing: where it is not plain, the answer is no.

use super::{Statement, StencilProgram};
use crate::body::Op;
use crate::schedule::staging::aligned_offset;
use hexpass_abi::Access;

impl StencilProgram {
    /// True for an array of reductions none of which minds the order, where each instance of a statement makes the element at
    /// its own coordinates larger, or smaller, or adds to it, and does nothing else with what is there.
    pub fn is_fold(&self, array: u16) -> bool {
        let mut kinds = self.reductions.iter().filter(|r| r.array == array).map(|r| r.kind);
        let unordered = kinds.clone().next().is_some() && !kinds.any(|kind| kind.is_ordered());
        let mut places = Vec::new();
        let plain = unordered
            && self.statements.iter().all(|s| match s.folded(array) {
                None => false,
                Some(access) => {
                    places.extend(access);
                    true
                }
            });
        let dims = self.dims;
        let aligned = |a: &&Access| {
            a.subscripts.len() == dims && (0..dims).all(|d| aligned_offset(a, d).is_some())
        };
        plain
            && !places.is_empty()
            && places.iter().all(aligned)
            && places.iter().all(|a| *a == places[0])
    }

    /// Such arrays.
    pub fn folds(&self) -> impl Iterator<Item = u16> {
        (0..self.arrays.len() as u16).filter(|&array| self.is_fold(array))
    }
}

impl Statement {
    /// Where the statement keeps something in an array that it does not use otherwise, if it does; `None` if it does.
    fn folded(&self, array: u16) -> Option<Option<&Access>> {
        let reads: Vec<usize> =
            (0..self.reads.len()).filter(|&i| self.reads[i].array == array).collect();
        let mut writes = self.writes.iter().filter(|w| w.access.array == array);
        match (&reads[..], writes.next(), writes.next()) {
            ([], None, None) => Some(None),
            ([read], Some(kept), None) if self.reads[*read] == kept.access => {
                let mut from = vec![false; self.body.values.len()];
                for (i, value) in self.body.values.iter().enumerate() {
                    let is_read = matches!(value.op, Op::Load(of) if usize::from(of) == *read);
                    from[i] = is_read || value.op.operands().iter().any(|&a| from[usize::from(a)]);
                }
                let others = self.writes.iter().filter(|w| w.access.array != array);
                let apart = others.map(|w| usize::from(w.value)).all(|value| !from[value]);
                apart.then_some(Some(&kept.access))
            }
            _ => None,
        }
    }
}
