//! Choices of a body that hardly ever come out the other way: products of complex numbers.
//!
//! Consumes a [`Body`]; produces what such choices usually come to, and the conditions under which they may not. Where
//! none of these holds, a writer may leave out what else there is to choose: host kernels do so for a row at a time, device
//! kernels for an instance, and both compute again where one has held.
//!
//! A product whose parts are both NaN is computed anew where one of the factors is infinite, and is then a multiple of
//! infinity (C, Annex G). So a rare choice has a multiple of infinity on one side, and asks first whether something is NaN.
//! Not every choice of that form is found, and one that is found need not be rare: results are the same either way.

use crate::body::{BinaryOp, Body, Op, Predicate, Ty, UnaryOp, ValueId};
use hexpass_abi::ElemType;

/// What a choice comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usual {
    pub value: ValueId,
    /// Unless one of these values is what stands beside it.
    pub unless: Vec<(ValueId, bool)>,
}

/// By value, those that are rare choices.
pub fn usual(body: &Body) -> Vec<Option<Usual>> {
    let mut found: Vec<Option<Usual>> = vec![None; body.values.len()];
    let mut recovers = vec![false; body.values.len()];
    for (at, v) in body.values.iter().enumerate() {
        match v.op {
            Op::Binary(BinaryOp::FMul, x, y) => {
                recovers[at] = is_infinite(body, x) || is_infinite(body, y);
            }
            Op::Select(condition, x, y) => {
                recovers[at] = recovers[usize::from(x)] || recovers[usize::from(y)];
                if !recovers[at] {
                    continue;
                }
                let Some((holds, unless)) = assumed(body, condition) else { continue };
                let value = if holds { x } else { y };
                if !recovers[usize::from(value)] || found[usize::from(value)].is_some() {
                    found[at] = Some(Usual { value, unless });
                }
            }
            _ => (),
        }
    }
    found
}

/// By value, whether it is computed where no rare choice comes out the other way.
pub fn usually_computed(body: &Body) -> Vec<bool> {
    let choices = usual(body);
    if choices.iter().all(Option::is_none) {
        return vec![true; body.values.len()];
    }
    let mut used = vec![false; body.values.len()];
    for v in body.values.iter().flat_map(|v| v.op.operands()) {
        used[usize::from(v)] = true;
    }
    // What nobody uses is written.
    let mut needed: Vec<bool> = used.into_iter().map(|used| !used).collect();
    for at in (0..body.values.len()).rev() {
        if !needed[at] {
            continue;
        }
        match &choices[at] {
            Some(choice) => {
                needed[usize::from(choice.value)] = true;
                choice.unless.iter().for_each(|&(v, _)| needed[usize::from(v)] = true);
            }
            None => body.values[at]
                .op
                .operands()
                .into_iter()
                .for_each(|v| needed[usize::from(v)] = true),
        }
    }
    needed
}

fn is_infinite(body: &Body, v: ValueId) -> bool {
    let value = &body.values[usize::from(v)];
    match (&value.op, value.ty) {
        (Op::Float(bits), Ty::Elem(ElemType::F32)) => f32::from_bits(*bits as u32).is_infinite(),
        (Op::Float(bits), _) => f64::from_bits(*bits).is_infinite(),
        _ => false,
    }
}

/// What a condition is if nothing that it asks about is NaN, and the values that it was taken from.
fn assumed(body: &Body, condition: ValueId) -> Option<(bool, Vec<(ValueId, bool)>)> {
    let value = &body.values[usize::from(condition)];
    match value.op {
        Op::Compare(Predicate::FUno, ..) => Some((false, vec![(condition, true)])),
        Op::Compare(Predicate::FOrd, ..) => Some((true, vec![(condition, false)])),
        Op::Integer(c) => Some((c != 0, Vec::new())),
        Op::Unary(UnaryOp::Not, x) => assumed(body, x).map(|(holds, from)| (!holds, from)),
        Op::Binary(op @ (BinaryOp::And | BinaryOp::Or), x, y) if value.ty == Ty::Bool => {
            // One side may settle it.
            let settles = op == BinaryOp::Or;
            match (assumed(body, x), assumed(body, y)) {
                (Some((holds, from)), _) if holds == settles => Some((holds, from)),
                (_, Some((holds, from))) if holds == settles => Some((holds, from)),
                (Some((_, mut from)), Some((_, more))) => {
                    from.extend(more);
                    Some((!settles, from))
                }
                _ => None,
            }
        }
        Op::Select(c, x, y) if value.ty == Ty::Bool => {
            let (holds, mut from) = assumed(body, c)?;
            let (chosen, more) = assumed(body, if holds { x } else { y })?;
            from.extend(more);
            Some((chosen, from))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{FpFlags, Value};

    fn body(ops: &[(Op, Ty)]) -> Body {
        let value =
            |(op, ty): &(Op, Ty)| Value { op: op.clone(), ty: *ty, flags: FpFlags::default() };
        Body { values: ops.iter().map(value).collect() }
    }

    /// A choice between value 0 and a multiple of `factor`, if values 0 and 1 are NaN and an integer says so.
    fn choice(factor: f64) -> Body {
        let double = Ty::Elem(ElemType::F64);
        body(&[
            (Op::Load(0), double),
            (Op::Load(1), double),
            (Op::Float(factor.to_bits()), double),
            (Op::Binary(BinaryOp::FMul, 1, 2), double),
            (Op::Compare(Predicate::FUno, 0, 0), Ty::Bool),
            (Op::Compare(Predicate::FOrd, 1, 1), Ty::Bool),
            (Op::Unary(UnaryOp::Not, 5), Ty::Bool),
            (Op::Binary(BinaryOp::And, 4, 6), Ty::Bool),
            (Op::Select(7, 3, 0), double),
        ])
    }

    #[test]
    fn a_multiple_of_infinity_is_rare() {
        let found = usual(&choice(f64::INFINITY));
        assert_eq!(found[8], Some(Usual { value: 0, unless: vec![(4, true)] }));
        assert!(found[..8].iter().all(Option::is_none));
        let needed = usually_computed(&choice(f64::INFINITY));
        assert_eq!(needed, [true, false, false, false, true, false, false, false, true]);
    }

    #[test]
    fn other_choices_are_made() {
        assert!(usual(&choice(2.0)).iter().all(Option::is_none));
        assert!(usually_computed(&choice(2.0)).into_iter().all(|needed| needed));
    }
}
