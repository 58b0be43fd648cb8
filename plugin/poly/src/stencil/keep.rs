//! Statements that overwrite what other instances of theirs have read before.
//!
//! Consumes a [`StencilProgram`] and which of its statements those are; in each of them, what is stored goes to an array
//! of its own first, and a second statement copies it to where it belongs. Both run over the same box, so that whatever
//! order instances of the first have, all of them read before any of the second writes.

use super::{Statement, StencilProgram, Write};
use crate::body::{Body, FpFlags, Op, Ty, Value};
use crate::rejection::{Reason, Rejection};
use hexpass_abi::{Access, Array, Poly};

/// Splits the statements with these indices, which are in rising order.
pub fn keep_aside(p: &mut StencilProgram, statements: &[usize]) -> Result<(), Rejection> {
    let too_many = |_| Rejection::new(Reason::Budget, "the loop uses too many arrays");
    let old = std::mem::take(&mut p.statements);
    let mut at = Vec::with_capacity(old.len());
    for (index, mut first) in old.into_iter().enumerate() {
        at.push(u16::try_from(p.statements.len()).map_err(too_many)?);
        if !statements.contains(&index) {
            p.statements.push(first);
            continue;
        }
        let mut kept = Vec::new();
        for w in &first.writes {
            let array = u16::try_from(p.arrays.len()).map_err(too_many)?;
            let like = &p.arrays[usize::from(w.access.array)];
            p.arrays.push(Array {
                name: format!("{}, kept aside", like.name),
                slots: like.slots[..1].to_vec(),
                rotation: Poly::zero(),
                ..like.clone()
            });
            p.aside.push(array);
            kept.push(Access { array, rotation: 0, ..w.access.clone() });
        }
        let second = store(p, &first, &kept);
        for (w, access) in first.writes.iter_mut().zip(kept) {
            w.access = access;
        }
        first.unsure_writes = Vec::new();
        p.statements.push(first);
        p.statements.push(second);
    }
    for check in &mut p.checks {
        check.statement = check.statement.map(|s| at[usize::from(s)]);
    }
    Ok(())
}

/// The statement that stores what the first one has kept.
fn store(p: &StencilProgram, first: &Statement, kept: &[Access]) -> Statement {
    let load = |(i, access): (usize, &Access)| Value {
        op: Op::Load(i as u16),
        ty: Ty::Elem(p.arrays[usize::from(access.array)].elem),
        flags: FpFlags::default(),
    };
    let values = kept.iter().enumerate().map(load).collect();
    let write = |(i, w): (usize, &Write)| Write { access: w.access.clone(), value: i as u16 };
    Statement {
        reads: kept.to_vec(),
        body: Body { values },
        writes: first.writes.iter().enumerate().map(write).collect(),
        unsure_reads: Vec::new(),
        unsure_writes: first.unsure_writes.clone(),
        ..first.clone()
    }
}
