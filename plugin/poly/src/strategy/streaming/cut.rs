//! Levels that are computed in pieces, each as soon as the planes that it reads are there: where a statement adds up a
//! box plane by plane, sums on their way are kept instead of planes with their neighbours, and every plane is looked at
//! once.
//!
//! Consumes a level of a [`TimeTile`]; produces its [`Cut`]. `None`: the level is better, or can only be, computed at once.

use super::shape;
use crate::body::Ty;
use crate::kernel::build::thin;
use crate::kernel::pieces::{Piece, Pieces, Source};
use crate::schedule::overlapped::TimeTile;
use crate::schedule::overlapped::flow::Flow;
use hexpass_abi::ElemType;
use std::collections::{BTreeMap, BTreeSet};

/// A level in pieces.
#[derive(Clone, Debug, PartialEq)]
pub struct Cut {
    /// First to last; the last leads by nothing.
    pub parts: Vec<Part>,
    /// For each read of the statement, by how many planes the piece that reads it leads.
    pub leads: Vec<i64>,
}

/// A piece of a level's instances.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    pub piece: Piece,
    pub sources: Vec<Source>,
    /// Planes by which it is computed before the level is.
    pub lead: i64,
}

impl Part {
    /// True if one value of this type is handed on.
    pub fn writes_one(&self, elem: ElemType) -> bool {
        let values = &self.piece.body.values;
        let ty = |&v: &u16| values.get(usize::from(v)).map(|v| v.ty);
        matches!(&self.piece.writes[..], [v] if ty(v) == Some(Ty::Elem(elem)))
    }
}

/// How a level is cut.
pub fn cut(flow: &Flow<'_>, tile: &TimeTile, level: usize) -> Option<Cut> {
    let streamed = tile.streamed?;
    let l = &tile.levels[level];
    let statement = &flow.problem.stencil.statements[usize::from(l.statement)];
    if thin(statement) || l.keeps() {
        return None;
    }
    // By read: the version, and the distance.
    let reads: Vec<Option<(u16, Vec<i64>)>> = statement
        .reads
        .iter()
        .zip(&l.reads)
        .map(|(access, version)| Some(((*version)?, flow.distance(access)?)))
        .collect();
    if !looks_around(&reads, streamed) {
        return None;
    }
    let along: Vec<Option<i64>> =
        reads.iter().map(|r| r.as_ref().map(|(_, d)| d[streamed])).collect();
    let pieces = Pieces::of(l.statement, statement, &along)?;
    let hold = shape::hold(flow.problem.dims());
    let mut early: BTreeMap<i64, i64> = BTreeMap::new();
    for (version, distance) in reads.iter().flatten() {
        let most = l.delay - tile.delay_of(*version) - hold.lag(distance);
        let lead = early.entry(distance[streamed]).or_insert(most);
        *lead = most.min(*lead);
    }
    let mut least = i64::MAX;
    for lead in early.values_mut() {
        least = least.min(*lead);
        *lead = least;
    }
    if let Some(last) = early.values_mut().next_back() {
        *last = 0;
    }
    if early.values().all(|&lead| lead == 0) {
        return None;
    }
    let leads = along.iter().map(|a| a.map_or(0, |a| early[&a])).collect();
    let parts = pieces.pieces.into_iter().zip(early.values());
    let parts = parts.map(|((piece, sources), &lead)| Part { piece, sources, lead }).collect();
    Some(Cut { parts, leads })
}

/// True if values beside an instance's own column are read in more than one plane.
fn looks_around(reads: &[Option<(u16, Vec<i64>)>], streamed: usize) -> bool {
    let mut planes: BTreeMap<u16, BTreeSet<i64>> = BTreeMap::new();
    for (version, distance) in reads.iter().flatten() {
        if distance.iter().enumerate().any(|(d, &x)| d != streamed && x != 0) {
            planes.entry(*version).or_default().insert(distance[streamed]);
        }
    }
    planes.values().any(|p| p.len() > 1)
}
