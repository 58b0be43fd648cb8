//! Values of a body that only one arm of a choice needs.
//!
//! Consumes a [`Body`] and which of its values are written; produces, by value, the conditions under which anything comes
//! of it. A body has no branches: what the source computes under `if` is computed always, and chosen. Where that is dear (a
//! function of libm), a writer may ask first. Not every such value is found, and none is that anything else needs.

use crate::body::{Body, Op, ValueId};

/// A condition, and what it must come to.
pub type Holds = (ValueId, bool);

/// By value, what has to hold for it to matter, in ascending order: nothing comes of it where one of these does not hold.
pub fn conditions(body: &Body, writes: &[ValueId]) -> Vec<Vec<Holds>> {
    // By value: what all of its uses so far have in common.
    let mut common: Vec<Option<Vec<Holds>>> = vec![None; body.values.len()];
    for &v in writes {
        common[usize::from(v)] = Some(Vec::new());
    }
    for (at, value) in body.values.iter().enumerate().rev() {
        let own = common[at].clone().unwrap_or_default();
        for (nth, operand) in value.op.operands().into_iter().enumerate() {
            let mut here = own.clone();
            if let Op::Select(condition, ..) = value.op
                && nth > 0
            {
                here.push((condition, nth == 1));
                here.sort_unstable();
                here.dedup();
            }
            let so_far = &mut common[usize::from(operand)];
            match so_far {
                Some(so_far) => so_far.retain(|c| here.contains(c)),
                None => *so_far = Some(here),
            }
        }
    }
    common.into_iter().map(Option::unwrap_or_default).collect()
}

/// True if there are functions of libm that only matter under conditions.
pub fn ask(body: &Body, writes: &[ValueId]) -> bool {
    let calls = |at: &usize| body.values[*at].libm().is_some();
    let mut dear = (0..body.values.len()).filter(calls).peekable();
    dear.peek().is_some() && {
        let conditions = conditions(body, writes);
        dear.any(|at| !conditions[at].is_empty())
    }
}

/// All values of a body in an order in which operands come before their users, and conditions before the functions of libm
/// that only matter where they hold.
pub fn conditions_first(body: &Body, conditions: &[Vec<Holds>]) -> Vec<ValueId> {
    let mut order = Vec::with_capacity(body.values.len());
    // Begun, and whether it waits for others only.
    let mut begun = vec![false; body.values.len()];
    let mut waiting: Vec<(ValueId, bool)> = Vec::new();
    for at in 0..body.values.len() {
        waiting.push((at as ValueId, false));
        while let Some((v, is_ready)) = waiting.pop() {
            if is_ready {
                order.push(v);
                continue;
            }
            if std::mem::replace(&mut begun[usize::from(v)], true) {
                continue;
            }
            waiting.push((v, true));
            let value = &body.values[usize::from(v)];
            waiting.extend(value.op.operands().into_iter().map(|o| (o, false)));
            if let (Some(_), Some(conditions)) = (value.libm(), conditions.get(usize::from(v))) {
                waiting.extend(conditions.iter().map(|&(c, _)| (c, false)));
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{FpFlags, Predicate, Ty, UnaryOp, Value};
    use hexpass_abi::ElemType;

    fn body(ops: &[Op]) -> Body {
        let ty = |op: &Op| match op {
            Op::Compare(..) => Ty::Bool,
            _ => Ty::Elem(ElemType::F64),
        };
        let value = |op: &Op| Value { op: op.clone(), ty: ty(op), flags: FpFlags::default() };
        Body { values: ops.iter().map(value).collect() }
    }

    /// `x < y ? exp(x) : y`, and the same again if `y < x`.
    fn nested() -> Body {
        body(&[
            Op::Load(0),
            Op::Load(1),
            Op::Compare(Predicate::FOlt, 0, 1),
            Op::Unary(UnaryOp::Exp, 0),
            Op::Select(2, 3, 1),
            Op::Compare(Predicate::FOlt, 1, 0),
            Op::Select(5, 1, 4),
        ])
    }

    #[test]
    fn conditions_of_choices_within_choices_add_up() {
        let found = conditions(&nested(), &[6]);
        assert_eq!(found[3], [(2, true), (5, false)]);
        assert_eq!(found[4], [(5, false)]);
        assert_eq!(found[2], [(5, false)]);
        assert!(found[0].is_empty() && found[1].is_empty() && found[6].is_empty());
    }

    #[test]
    fn what_is_written_matters_always() {
        let found = conditions(&nested(), &[6, 3]);
        assert!(found[3].is_empty());
        let found = conditions(&nested(), &[6, 4]);
        assert_eq!(found[3], [(2, true)]);
    }

    #[test]
    fn conditions_come_first() {
        let body = nested();
        let order = conditions_first(&body, &conditions(&body, &[6]));
        assert_eq!(order, [0, 1, 2, 5, 3, 4, 6]);
        assert_eq!(conditions_first(&body, &[]), [0, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn both_arms_have_nothing_in_common() {
        let twice = body(&[
            Op::Load(0),
            Op::Load(1),
            Op::Compare(Predicate::FOlt, 0, 1),
            Op::Unary(UnaryOp::Exp, 0),
            Op::Select(2, 3, 3),
        ]);
        assert!(conditions(&twice, &[4])[3].is_empty());
    }
}
