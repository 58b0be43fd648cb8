//! A statement's arithmetic in pieces, each of which takes some of the reads: what reads become known at different times
//! a kernel may work on as they come, and keep results on their way instead of what was read.
//!
//! Consumes a [`Body`] and the turn at which each read is known; produces [`Pieces`]. Refuses (`None`) bodies of which
//! more must be kept from one piece to the next than the instance writes.

use super::ir::Kernel;
use crate::body::{Body, Op, Ty, Value, ValueId};
use crate::stencil::{Statement, StencilProgram};

/// A part of a statement's arithmetic.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    pub statement: u16,
    /// `Op::Load(i)` is read i of the instance that names the piece.
    pub body: Body,
    /// What the instance writes.
    pub writes: Vec<ValueId>,
}

/// Where an instance's read comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Read i of the statement.
    Read(u16),
    /// Write i of the piece before.
    Before(u16),
}

/// All pieces of a body, first to last; the last writes what the statement does.
#[derive(Clone, Debug, PartialEq)]
pub struct Pieces {
    /// Each with where its reads come from.
    pub pieces: Vec<(Piece, Vec<Source>)>,
}

impl Pieces {
    /// Cuts a statement's body. `turns[i]` says when read i is known (any order of numbers); `None`: at any time, for
    /// reads that one piece alone uses.
    pub fn of(statement: u16, s: &Statement, turns: &[Option<i64>]) -> Option<Pieces> {
        let mut order: Vec<i64> = turns.iter().flatten().copied().collect();
        order.sort_unstable();
        order.dedup();
        if order.len() < 2 {
            return None;
        }
        let known = known(&s.body, turns)?;
        let written: Vec<ValueId> = s.writes.iter().map(|w| w.value).collect();
        let mut pieces = Vec::new();
        let mut before: Vec<ValueId> = Vec::new();
        for (at, &turn) in order.iter().enumerate() {
            let last = at + 1 == order.len();
            let after =
                if last { written.clone() } else { crossing(&s.body, &known, turn, &written) };
            if after.len() > written.len()
                || !last && after.iter().any(|&v| is_kept_badly(&s.body, v))
            {
                return None;
            }
            pieces.push(piece(statement, &s.body, &before, &after, &known, turn)?);
            before = after;
        }
        Some(Pieces { pieces })
    }
}

/// No gain in keeping what was read, and no register for a Bool.
fn is_kept_badly(body: &Body, value: ValueId) -> bool {
    let v = &body.values[usize::from(value)];
    matches!(v.op, Op::Load(_)) || v.ty == Ty::Bool
}

/// When each value can be computed; `None`: at any time, from constants alone.
fn known(body: &Body, turns: &[Option<i64>]) -> Option<Vec<Option<i64>>> {
    let mut all: Vec<Option<i64>> = Vec::with_capacity(body.values.len());
    for v in &body.values {
        let turn = match &v.op {
            Op::Load(i) => *turns.get(usize::from(*i))?,
            op => op.operands().into_iter().filter_map(|a| all[usize::from(a)]).max(),
        };
        all.push(turn);
    }
    Some(all)
}

/// Values known by a turn that are used later, or written.
fn crossing(body: &Body, known: &[Option<i64>], turn: i64, written: &[ValueId]) -> Vec<ValueId> {
    let by_then = |v: ValueId| known[usize::from(v)].is_some_and(|t| t <= turn);
    let mut all: Vec<ValueId> = written.iter().copied().filter(|&v| by_then(v)).collect();
    for (v, value) in body.values.iter().enumerate() {
        if known[v].is_some_and(|t| t > turn) {
            all.extend(value.op.operands().into_iter().filter(|&a| by_then(a)));
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The values of one turn, with the constants that they need.
fn piece(
    statement: u16,
    body: &Body,
    before: &[ValueId],
    after: &[ValueId],
    known: &[Option<i64>],
    turn: i64,
) -> Option<(Piece, Vec<Source>)> {
    let mut wanted = vec![false; body.values.len()];
    for &v in after {
        wanted[usize::from(v)] = true;
    }
    for v in (0..body.values.len()).rev() {
        if wanted[v] && !before.contains(&(v as ValueId)) {
            for a in body.values[v].op.operands() {
                wanted[usize::from(a)] = true;
            }
        }
    }
    let mut sources = Vec::new();
    let mut renamed: Vec<Option<ValueId>> = vec![None; body.values.len()];
    let mut values: Vec<Value> = Vec::new();
    for (v, value) in body.values.iter().enumerate().filter(|(v, _)| wanted[*v]) {
        let mut value = value.clone();
        let source = match (&value.op, before.iter().position(|&b| usize::from(b) == v)) {
            (_, Some(i)) => Some(Source::Before(i as u16)),
            (Op::Load(i), None) => Some(Source::Read(*i)),
            _ => None,
        };
        match source {
            Some(source) => {
                // What was known earlier has been handed on, or is a constant's.
                let late =
                    matches!(source, Source::Before(_)) || known[v].is_none_or(|t| t == turn);
                if !late {
                    return None;
                }
                let at = sources.iter().position(|s| *s == source).unwrap_or_else(|| {
                    sources.push(source);
                    sources.len() - 1
                });
                value = Value { op: Op::Load(at as u16), ..value };
            }
            None => value.op = value.op.renamed(|a| renamed[usize::from(a)])?,
        }
        renamed[v] = Some(values.len() as ValueId);
        values.push(value);
    }
    let writes = after.iter().map(|&v| renamed[usize::from(v)]).collect::<Option<Vec<_>>>()?;
    Some((Piece { statement, body: Body { values }, writes }, sources))
}

/// What an instance computes.
#[derive(Clone, Copy, Debug)]
pub struct Code<'a> {
    pub statement: &'a Statement,
    pub body: &'a Body,
    piece: Option<&'a Piece>,
}

impl<'a> Code<'a> {
    /// Of a statement, or of a piece of it; `None` if there is none.
    pub fn of(
        stencil: &'a StencilProgram,
        kernel: &'a Kernel,
        statement: u16,
        piece: Option<u16>,
    ) -> Option<Code<'a>> {
        let s = stencil.statements.get(usize::from(statement))?;
        let Some(piece) = piece else {
            return Some(Code { statement: s, body: &s.body, piece: None });
        };
        let piece = kernel.pieces.get(usize::from(piece)).filter(|p| p.statement == statement)?;
        Some(Code { statement: s, body: &piece.body, piece: Some(piece) })
    }

    /// The values that are written.
    pub fn writes(&self) -> Vec<ValueId> {
        match self.piece {
            Some(piece) => piece.writes.clone(),
            None => self.statement.writes.iter().map(|w| w.value).collect(),
        }
    }

    /// True if values come after what they are made of, and all that is written is there.
    pub fn is_sound(&self) -> bool {
        let mut values = (0u16..).zip(&self.body.values);
        let ordered = values.all(|(v, value)| value.op.operands().iter().all(|&a| a < v));
        ordered && self.writes().iter().all(|&v| usize::from(v) < self.body.values.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::BinaryOp;
    use crate::stencil::Write;
    use hexpass_abi::{Access, ElemType};

    fn value(op: Op) -> Value {
        Value { op, ty: Ty::Elem(ElemType::F64), flags: Default::default() }
    }

    /// A statement of so many reads that writes its last value.
    fn statement(reads: usize, ops: Vec<Op>) -> Statement {
        let access = Access { array: 0, rotation: 0, subscripts: Vec::new() };
        let values: Vec<Value> = ops.into_iter().map(value).collect();
        let written = values.len() as ValueId - 1;
        Statement {
            lo: Vec::new(),
            hi: Vec::new(),
            reads: vec![access.clone(); reads],
            body: Body { values },
            writes: vec![Write { access, value: written }],
            unsure_reads: Vec::new(),
            unsure_writes: Vec::new(),
            entries: Vec::new(),
            line: None,
        }
    }

    /// ((2·r0 + r1) + 2·r2)
    fn chain() -> Statement {
        let multiply = |a, b| Op::Binary(BinaryOp::FMul, a, b);
        let add = |a, b| Op::Binary(BinaryOp::FAdd, a, b);
        let two = Op::Float(2f64.to_bits());
        let ops = vec![
            two,
            Op::Load(0),
            multiply(0, 1),
            Op::Load(1),
            add(2, 3),
            Op::Load(2),
            multiply(0, 5),
            add(4, 6),
        ];
        statement(3, ops)
    }

    #[test]
    fn a_chain_is_cut_where_its_reads_are_known() {
        let cut = Pieces::of(7, &chain(), &[Some(-1), Some(0), Some(1)]).unwrap();
        let sources: Vec<_> = cut.pieces.iter().map(|(_, s)| s.clone()).collect();
        let (read, before) = (Source::Read, Source::Before(0));
        assert_eq!(sources, [vec![read(0)], vec![before, read(1)], vec![before, read(2)]]);
        for (piece, _) in &cut.pieces {
            assert_eq!((piece.statement, piece.writes.len()), (7, 1));
        }
        // The constant stands in both pieces that multiply by it.
        let constants = |(p, _): &(Piece, Vec<Source>)| {
            p.body.values.iter().filter(|v| matches!(v.op, Op::Float(_))).count()
        };
        let counts: Vec<usize> = cut.pieces.iter().map(constants).collect();
        assert_eq!(counts, [1, 0, 1]);
    }

    #[test]
    fn reads_that_are_always_known_stay_with_their_users() {
        let cut = Pieces::of(0, &chain(), &[Some(0), None, Some(1)]).unwrap();
        let sources: Vec<_> = cut.pieces.iter().map(|(_, s)| s.clone()).collect();
        // What is made of a read that is known early, and of one that always is, is known early.
        assert_eq!(sources[0], [Source::Read(0), Source::Read(1)]);
        assert_eq!(sources[1], [Source::Before(0), Source::Read(2)]);
    }

    #[test]
    fn what_would_keep_more_than_it_saves_is_not_cut() {
        // Known in the other order: both products wait for the first read.
        assert_eq!(Pieces::of(0, &chain(), &[Some(1), Some(0), Some(-1)]), None);
        assert_eq!(Pieces::of(0, &chain(), &[Some(0), Some(0), None]), None);
        // A read on its own is no gain.
        let sum = statement(2, vec![Op::Load(0), Op::Load(1), Op::Binary(BinaryOp::FAdd, 0, 1)]);
        assert_eq!(Pieces::of(0, &sum, &[Some(0), Some(1)]), None);
    }
}
