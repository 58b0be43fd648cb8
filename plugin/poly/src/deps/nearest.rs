//! Exact dependences: each read with the last write before it, each read with the next write after it, each write
//! with the last write before it.
//!
//! Boxes are the same at each step and slots go round with the steps (or each step has its own, in an array that keeps
//! its history), so between two given accesses the nearest
//! dependence is always the same number of steps long. What remains for isl is which instances have one, and which
//! nearer one hides a farther one.

use super::relations::{
    At, Instances, fixed_distance, never_meet, next_step, same_element, same_slot,
};
use super::{DependenceKind, Overwritten};
use crate::isl::{UnionMap, UnionSet};
use crate::rejection::Rejection;
use crate::stencil::StencilProgram;

/// Dependences between one access and another.
pub struct Piece<'c> {
    pub kind: DependenceKind,
    pub array: u16,
    pub source: usize,
    pub sink: usize,
    /// Steps from one to the other.
    pub steps: i64,
    /// `{ S<source>[t, s…] -> S<sink>[t, s…] }`
    pub relation: UnionMap<'c>,
    /// Δu and Δs, where the subscripts alone say that they are the same for all pairs.
    pub distance: Option<(i64, Vec<i64>)>,
}

/// All reads and all writes of written arrays.
fn accesses(p: &StencilProgram) -> (Vec<At<'_>>, Vec<At<'_>>) {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    for (statement, s) in p.statements.iter().enumerate() {
        let at = |access| At { statement, access };
        for w in &s.writes {
            writes.push(at(&w.access));
        }
        for (i, access) in s.reads.iter().enumerate() {
            if !s.reads[..i].contains(access) {
                reads.push(at(access));
            }
        }
    }
    reads.retain(|r| writes.iter().any(|w| w.access.array == r.access.array));
    (reads, writes)
}

/// All dependences, in pieces that are not empty.
pub fn dependences<'c>(all: &Instances<'c, '_>) -> Result<Vec<Piece<'c>>, Rejection> {
    let (reads, writes) = accesses(all.program);
    let mut out = Vec::new();
    for &read in &reads {
        nearest(all, read, &writes, DependenceKind::Flow, &mut out)?;
        nearest(all, read, &writes, DependenceKind::Anti, &mut out)?;
    }
    for &write in &writes {
        nearest(all, write, &writes, DependenceKind::Output, &mut out)?;
    }
    Ok(out)
}

/// What instances overwrite that others wrote.
pub fn overwritten(all: &Instances<'_, '_>) -> Result<Vec<Overwritten>, Rejection> {
    let (_, writes) = accesses(all.program);
    let mut out = Vec::new();
    for &write in &writes {
        nearest(all, write, &writes, DependenceKind::Output, &mut out)?;
    }
    Ok(out.iter().map(|piece| Overwritten { array: piece.array, steps: piece.steps }).collect())
}

/// From or to `one`, the nearest among `others`: before it, or after it for anti dependences.
fn nearest<'c>(
    all: &Instances<'c, '_>,
    one: At,
    others: &[At],
    kind: DependenceKind,
    out: &mut Vec<Piece<'c>>,
) -> Result<(), Rejection> {
    let p = all.program;
    let after = kind == DependenceKind::Anti;
    let mut candidates: Vec<(i64, i64, At)> = Vec::new();
    let mine = |o: &&At| o.access.array == one.access.array && !never_meet(p, one, **o);
    for &other in others.iter().filter(mine) {
        let (from, to) = if after { (one, other) } else { (other, one) };
        if let Some(dt) = next_step(p, from, to) {
            let du = p.statements.len() as i64 * dt + to.statement as i64 - from.statement as i64;
            candidates.push((du, dt, other));
        }
        // What an instance itself overwrites, nothing later can overwrite first.
        if after && one.statement == other.statement && same_slot(p, one, other) {
            candidates.push((0, 0, other));
        }
    }
    candidates.sort_by_key(|&(du, ..)| du);
    // Instances of `one` that have a nearer partner, and that partner.
    let mut served: Vec<(At, UnionSet)> = Vec::new();
    for (index, &(du, dt, other)) in candidates.iter().enumerate() {
        let (from, to) = if after { (one, other) } else { (other, one) };
        let mut relation = same_element(all, from, to, dt, None)?;
        for (_, nearer) in served.iter().filter(|(o, _)| !never_meet(p, *o, other)) {
            relation = hide(relation, nearer, after)?;
        }
        if relation.is_empty()? {
            continue;
        }
        if index + 1 < candidates.len() {
            let own = relation.copy()?;
            served.push((other, if after { own.domain()? } else { own.range()? }));
        }
        if du == 0 {
            continue;
        }
        let (source, sink) = (from.statement, to.statement);
        let distance = fixed_distance(p.dims, from, to).map(|ds| (du, ds));
        let array = one.access.array;
        out.push(Piece { kind, array, source, sink, steps: dt, relation, distance });
    }
    Ok(())
}

fn hide<'c>(
    relation: UnionMap<'c>,
    served: &UnionSet<'c>,
    after: bool,
) -> Result<UnionMap<'c>, Rejection> {
    if after {
        relation.subtract_domain(served.copy()?)
    } else {
        relation.subtract_range(served.copy()?)
    }
}
