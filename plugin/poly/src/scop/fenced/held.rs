//! What is left of a statement where questions come out in a known way.
//!
//! Consumes a statement and which of its masks' questions come out how; produces the statement with its choices made, without
//! what nobody needs then. Refuses nothing.

use super::mask::Test;
use crate::body::{BinaryOp, Body, FpFlags, Op, Ty, UnaryOp, Value, ValueId};
use crate::facts::{AccessFact, StatementFact, StoreFact};
use hexpass_abi::ElemType;
use std::collections::HashMap;

/// The statement where tests come out so, without stores that leave what was there, and what its values become.
pub fn pin(s: &StatementFact, tests: &[Test], pinned: &[(usize, bool)]) -> Left {
    let known = |v: ValueId| {
        let test = Test::of(&s.body, v, &s.loads)?;
        pinned.iter().find(|&&(t, _)| tests[t] == test).map(|&(_, holds)| holds)
    };
    let becomes = fold(&s.body, &known);
    let leaves = |w: &StoreFact| {
        let Becomes::Value(v) = becomes[usize::from(w.value)] else { return false };
        let Op::Load(load) = s.body.values[usize::from(v)].op else { return false };
        let old = &s.loads[usize::from(load)];
        let there = |a: &AccessFact| (a.base, a.elem, a.offset.clone());
        there(old) == there(&w.access)
    };
    let mut stores: Vec<StoreFact> = s.stores.iter().filter(|w| !leaves(w)).cloned().collect();
    let mut piece = Rebuilt::default();
    for store in &mut stores {
        store.value = piece.value(s, &becomes, store.value);
    }
    let statement = StatementFact { loads: piece.loads, body: piece.body, stores, ..s.clone() };
    Left { statement, becomes }
}

/// What is left of a statement.
pub struct Left {
    pub statement: StatementFact,
    /// By value of the whole statement's body.
    pub becomes: Vec<Becomes>,
}

/// What a value has become.
#[derive(Clone, Copy)]
pub enum Becomes {
    Bool(bool),
    /// What another value is, or this one.
    Value(ValueId),
}

/// Choices whose conditions are known are made.
fn fold(body: &Body, known: &dyn Fn(ValueId) -> Option<bool>) -> Vec<Becomes> {
    let mut out: Vec<Becomes> = Vec::with_capacity(body.values.len());
    for (v, value) in body.values.iter().enumerate() {
        let of = |v: ValueId| out[usize::from(v)];
        let is = |v: ValueId| if let Becomes::Bool(is) = of(v) { Some(is) } else { None };
        let is_nan = |v: Becomes| match v {
            Becomes::Value(v) => {
                let Value { op, ty, .. } = &body.values[usize::from(v)];
                match (op, ty) {
                    (Op::Float(bits), Ty::Elem(ElemType::F64)) => f64::from_bits(*bits).is_nan(),
                    (Op::Float(bits), _) => f32::from_bits(*bits as u32).is_nan(),
                    _ => false,
                }
            }
            Becomes::Bool(_) => false,
        };
        let own = Becomes::Value(v as ValueId);
        out.push(match value.op {
            _ if let Some(is) = known(v as ValueId) => Becomes::Bool(is),
            Op::Integer(number) if value.ty == Ty::Bool => Becomes::Bool(number != 0),
            Op::Unary(UnaryOp::Not, a) => is(a).map_or(own, |a| Becomes::Bool(!a)),
            Op::Compare(p, a, b) if p.is_ordered() && (is_nan(of(a)) || is_nan(of(b))) => {
                Becomes::Bool(false)
            }
            Op::Select(c, t, f) => match is(c) {
                Some(c) => of(if c { t } else { f }),
                None => own,
            },
            Op::Binary(BinaryOp::And, a, b) if value.ty == Ty::Bool => match (is(a), is(b)) {
                (Some(false), _) | (_, Some(false)) => Becomes::Bool(false),
                (Some(true), _) => of(b),
                (_, Some(true)) => of(a),
                _ => own,
            },
            Op::Binary(BinaryOp::Or, a, b) if value.ty == Ty::Bool => match (is(a), is(b)) {
                (Some(true), _) | (_, Some(true)) => Becomes::Bool(true),
                (Some(false), _) => of(b),
                (_, Some(false)) => of(a),
                _ => own,
            },
            _ => own,
        });
    }
    out
}

/// A body of those values that are wanted, and its loads.
#[derive(Default)]
struct Rebuilt {
    body: Body,
    loads: Vec<AccessFact>,
    names: HashMap<ValueId, ValueId>,
    /// `false` and `true`.
    bools: [Option<ValueId>; 2],
}

impl Rebuilt {
    fn value(&mut self, s: &StatementFact, becomes: &[Becomes], v: ValueId) -> ValueId {
        let v = match becomes[usize::from(v)] {
            Becomes::Value(v) => v,
            Becomes::Bool(is) => {
                let op = Op::Integer(i64::from(is));
                let flags = FpFlags::default();
                let known = self.bools[usize::from(is)];
                let v = known.unwrap_or_else(|| self.push(Value { op, ty: Ty::Bool, flags }));
                self.bools[usize::from(is)] = Some(v);
                return v;
            }
        };
        if let Some(&known) = self.names.get(&v) {
            return known;
        }
        let value = &s.body.values[usize::from(v)];
        let op = match value.op {
            Op::Load(load) => {
                self.loads.push(s.loads[usize::from(load)].clone());
                Op::Load((self.loads.len() - 1) as u16)
            }
            ref op => {
                for operand in op.operands() {
                    self.value(s, becomes, operand);
                }
                op.renamed(|v| self.name(becomes, v)).unwrap_or_else(|| op.clone())
            }
        };
        let new = self.push(Value { op, ..value.clone() });
        self.names.insert(v, new);
        new
    }

    fn name(&self, becomes: &[Becomes], v: ValueId) -> Option<ValueId> {
        match becomes[usize::from(v)] {
            Becomes::Value(v) => self.names.get(&v).copied(),
            Becomes::Bool(is) => self.bools[usize::from(is)],
        }
    }

    fn push(&mut self, value: Value) -> ValueId {
        self.body.values.push(value);
        (self.body.values.len() - 1) as ValueId
    }
}
