//! Pieces of a sweep that do the same.
//!
//! A sweep whose neighbours wrap round falls into pieces, three in each dimension. A store along one of them
//! (`to[(i + 1) % n][j]`) does the same in all pieces of the others, so once each store is a statement of its own, two
//! pieces that lie beside each other are one. Joined pieces take the place of the first of them; what that changes of the
//! order is looked at where all orders are (`deps/order.rs`).
//!
//! Consumes and produces statements in the loops' coordinates; refuses nothing.

use crate::scop::{AccessRelation, Affine, Scop, Statement, WriteRelation, only_iteration};
use hexpass_abi::expr::OutOfRange;
use hexpass_abi::{Poly, Sym};

/// One statement, or what several have in common.
#[derive(Clone, Debug)]
pub struct Piece {
    pub statement: Statement,
    /// Which store of it, where each is a statement of its own.
    pub part: u16,
    pub sources: Vec<Source>,
    /// Over `Int`; it is what the sources are together only where none of these is negative.
    pub granted: Vec<Poly>,
}

/// A statement of the model that a piece comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// Index into `Scop::statements`.
    pub statement: u16,
    /// Counters of which the piece runs through more iterations than the statement.
    pub widened: Vec<u16>,
}

impl Piece {
    pub fn new(index: usize, part: usize, statement: Statement) -> Piece {
        let sources = vec![Source { statement: index as u16, widened: Vec::new() }];
        Piece { statement, part: part as u16, sources, granted: Vec::new() }
    }
}

/// Joins what can be joined; says whether there was any.
pub fn join(pieces: &mut Vec<Piece>, scop: &Scop) -> Result<bool, OutOfRange> {
    let before = pieces.len();
    loop {
        let length = pieces.len();
        let mut i = 0;
        while i < pieces.len() {
            let mut j = i + 1;
            while j < pieces.len() && pieces[j].statement.loops == pieces[i].statement.loops {
                match joined(&pieces[i], &pieces[j], scop)? {
                    Some(both) => {
                        pieces[i] = both;
                        pieces.remove(j);
                    }
                    None => j += 1,
                }
            }
            i += 1;
        }
        if pieces.len() == length {
            return Ok(length < before);
        }
    }
}

/// Two pieces as one, if they do the same on both sides of a bound.
fn joined(a: &Piece, b: &Piece, scop: &Scop) -> Result<Option<Piece>, OutOfRange> {
    let (s, t) = (&a.statement, &b.statement);
    let alike =
        a.part == b.part && s.reads.len() == t.reads.len() && s.writes.len() == t.writes.len();
    if !alike || s.entries != t.entries || s.body != t.body {
        return Ok(None);
    }
    let Some(bound) = bound(s, t)? else { return Ok(None) };
    let pair = Pair { statements: [s, t], scop };
    let mut out = Statement { conditions: bound.shared, ..s.clone() };
    for (x, y) in out.reads.iter_mut().zip(&t.reads) {
        let Some(both) = pair.access(x, y)? else { return Ok(None) };
        *x = both;
    }
    for (x, y) in out.writes.iter_mut().zip(&t.writes) {
        let Some(access) = pair.access(&x.access, &y.access)? else { return Ok(None) };
        if x.value != y.value {
            return Ok(None);
        }
        *x = WriteRelation { access, value: x.value };
    }
    let mut sources = [&a.sources[..], &b.sources[..]].concat();
    for source in sources.iter_mut().filter(|s| !s.widened.contains(&bound.counter)) {
        source.widened.push(bound.counter);
    }
    let mut granted = a.granted.clone();
    granted.extend(b.granted.iter().chain(&bound.granted).cloned());
    Ok(Some(Piece { statement: out, part: a.part, sources, granted }))
}

/// What two statements have on their sides: `i <= u` here, `i >= u + 1` there.
struct Bound {
    counter: u16,
    /// The conditions of both together.
    shared: Vec<Poly>,
    /// As in [`Piece`].
    granted: Vec<Poly>,
}

/// None where they run on two sides of no bound, or under other conditions besides. One side may say more: where `i >= 1` is
/// asked here only, it holds there as well if u is at least 0.
fn bound(s: &Statement, t: &Statement) -> Result<Option<Bound>, OutOfRange> {
    let own = |a: &Statement, b: &Statement| -> Vec<Poly> {
        a.conditions.iter().filter(|c| !b.conditions.contains(c)).cloned().collect()
    };
    let (here, there) = (own(s, t), own(t, s));
    for (i, h) in here.iter().enumerate() {
        for (j, g) in there.iter().enumerate() {
            // The factors are opposite where the sum has no counter left.
            if h.add(g)?.as_constant() != Some(-1) {
                continue;
            }
            let Some(&counter) = s.loops.iter().find(|&&l| h.mentions(Sym::Iv(l))) else {
                return Ok(None);
            };
            let (more, less) = (without(&here, i), without(&there, j));
            let (more, implied_by) = match (more.is_empty(), less.is_empty()) {
                (_, true) => (more, g),
                (true, false) => (less, h),
                (false, false) => return Ok(None),
            };
            let mut granted = Vec::new();
            for c in &more {
                let spare = c.sub(implied_by)?;
                match spare.as_constant() {
                    _ if spare.mentions_any(|s| !matches!(s, Sym::Int(_))) => return Ok(None),
                    Some(spare) if spare < 0 => return Ok(None),
                    Some(_) => {}
                    None => granted.push(spare),
                }
            }
            let common = s.conditions.iter().filter(|c| t.conditions.contains(c)).cloned();
            return Ok(Some(Bound { counter, shared: common.chain(more).collect(), granted }));
        }
    }
    Ok(None)
}

fn without(all: &[Poly], index: usize) -> Vec<Poly> {
    all.iter().enumerate().filter(|(i, _)| *i != index).map(|(_, p)| p.clone()).collect()
}

/// Two statements under the same loops.
struct Pair<'a> {
    statements: [&'a Statement; 2],
    scop: &'a Scop,
}

impl Pair<'_> {
    /// The access that is the one in the first and the other in the second.
    fn access(
        &self,
        a: &AccessRelation,
        b: &AccessRelation,
    ) -> Result<Option<AccessRelation>, OutOfRange> {
        let alike = a.array == b.array && a.rotation == b.rotation && a.maybe == b.maybe;
        if !alike || a.subscripts.len() != b.subscripts.len() {
            return Ok(None);
        }
        let mut subscripts = Vec::with_capacity(a.subscripts.len());
        for (x, y) in a.subscripts.iter().zip(&b.subscripts) {
            let both = if x == y || self.is_fixed(y, x, 1)? {
                x
            } else if self.is_fixed(x, y, 0)? {
                y
            } else {
                return Ok(None);
            };
            subscripts.push(both.clone());
        }
        Ok(Some(AccessRelation { subscripts, ..a.clone() }))
    }

    /// True if the subscript is what `moving` is in the one iteration that statement `which` runs in.
    fn is_fixed(&self, s: &Affine, moving: &Affine, which: usize) -> Result<bool, OutOfRange> {
        let (None, Some(counter)) = (s.counter, moving.counter) else { return Ok(false) };
        let trip = &self.scop.loops[usize::from(counter.index)];
        let conditions = &self.statements[which].conditions;
        let Some(at) = only_iteration(conditions, counter.index, trip)? else { return Ok(false) };
        let at = if counter.negative { at.scale(-1)? } else { at };
        Ok(moving.offset.add(&at)? == s.offset)
    }
}
