//! A statement whose stores don't agree becomes several, one for each store, in order.

use crate::body::{Body, Op, Value, ValueId};
use crate::scop::{AccessRelation, Statement, WriteRelation};

/// The statement without stores that a later store of the same instance overwrites.
pub fn without_dead_stores(s: &Statement) -> Statement {
    let mut out = s.clone();
    out.writes = s
        .writes
        .iter()
        .enumerate()
        .filter(|(i, w)| !s.writes[i + 1..].iter().any(|later| later.access == w.access))
        .map(|(_, w)| w.clone())
        .collect();
    out
}

/// One statement for each store, with what it needs of the body.
pub fn one_store_each(s: &Statement) -> Vec<Statement> {
    s.writes.iter().map(|w| part(s, w)).collect()
}

fn part(s: &Statement, w: &WriteRelation) -> Statement {
    let needed = s.body.needed_by(w.value);
    let mut new_value: Vec<Option<ValueId>> = vec![None; s.body.values.len()];
    let mut new_load: Vec<Option<u16>> = vec![None; s.reads.len()];
    let mut reads: Vec<AccessRelation> = Vec::new();
    let mut values: Vec<Value> = Vec::new();
    for (i, v) in s.body.values.iter().enumerate().filter(|(i, _)| needed[*i]) {
        let value = |v: &ValueId| new_value[usize::from(*v)].unwrap_or(*v);
        let op = match &v.op {
            Op::Load(l) => {
                let slot = &mut new_load[usize::from(*l)];
                let load = *slot.get_or_insert_with(|| {
                    reads.push(s.reads[usize::from(*l)].clone());
                    (reads.len() - 1) as u16
                });
                Op::Load(load)
            }
            Op::Unary(op, a) => Op::Unary(*op, value(a)),
            Op::Convert(c, a) => Op::Convert(*c, value(a)),
            Op::Binary(op, a, b) => Op::Binary(*op, value(a), value(b)),
            Op::Compare(p, a, b) => Op::Compare(*p, value(a), value(b)),
            Op::Fma(a, b, c) => Op::Fma(value(a), value(b), value(c)),
            Op::Select(a, b, c) => Op::Select(value(a), value(b), value(c)),
            leaf @ (Op::Float(_) | Op::Integer(_) | Op::Scalar(_) | Op::Index(_)) => leaf.clone(),
        };
        new_value[i] = Some(values.len() as ValueId);
        values.push(Value { op, ..v.clone() });
    }
    let value = new_value[usize::from(w.value)].unwrap_or(0);
    Statement {
        loops: s.loops.clone(),
        conditions: s.conditions.clone(),
        reads,
        entries: s.entries.clone(),
        body: Body { values },
        writes: vec![WriteRelation { access: w.access.clone(), value }],
        line: s.line,
    }
}
