//! What operations of a body take.
//!
//! Consumes a [`Body`]; produces instructions and latencies, as the code generator writes operations; divisions and roots
//! by straight-line steps (`emit/nvptx/straight`), or in one or two instructions where the source allows that.

use crate::body::{BinaryOp, Body, Op, Ty, UnaryOp, Value};
use crate::rare::usually_computed;
use crate::stencil::Statement;
use hexpass_abi::ElemType;

/// Cycles until a result is there: of float and of double arithmetic.
pub const LATENCY: u64 = 4;
const DOUBLE_LATENCY: u64 = 8;
/// Of the special-function unit.
const SPECIAL_LATENCY: u64 = 30;

/// What the rare way of a division or root costs those who don't take it: a branch, and what it keeps apart. Fitted to
/// gradients in two and three dimensions, in slots for instructions.
const RARE: u64 = 5;

/// What one operation takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operation {
    pub issued: u64,
    pub doubles: u64,
    pub special: u64,
    /// Cycles.
    pub latency: u64,
}

/// Instructions of the operations of a statement's instance.
pub fn instructions(s: &Statement) -> u64 {
    usual_operations(&s.body).iter().map(|of| of.issued).sum()
}

/// True if some of its divisions or roots have rare ways.
pub fn has_rare_ways(s: &Statement) -> bool {
    let exact = |at: usize| {
        let value = &s.body.values[at];
        let divides = match value.op {
            Op::Binary(BinaryOp::FDiv, _, by) => {
                !matches!(s.body.values[usize::from(by)].op, Op::Float(_))
            }
            Op::Unary(UnaryOp::Sqrt, _) => true,
            _ => false,
        };
        divides && !is_approximate(value)
    };
    (0..s.body.values.len()).any(exact)
}

/// Cycles from the operands of a statement's instance to its last value.
pub fn chain(s: &Statement) -> u64 {
    let mut ready: Vec<u64> = Vec::with_capacity(s.body.values.len());
    for (v, of) in s.body.values.iter().zip(usual_operations(&s.body)) {
        let operands = v.op.operands().into_iter().map(|v| ready[usize::from(v)]).max();
        ready.push(operands.unwrap_or(0) + of.latency);
    }
    ready.into_iter().max().unwrap_or(0)
}

/// What each value of a body takes; nothing where it is hardly ever computed.
pub fn usual_operations(body: &Body) -> Vec<Operation> {
    let computed = usually_computed(body).into_iter().enumerate();
    computed.map(|(at, is)| if is { operation(body, at) } else { Operation::default() }).collect()
}

/// What value `at` of a body takes.
pub fn operation(body: &Body, at: usize) -> Operation {
    let value = &body.values[at];
    let is_double = value.ty == Ty::Elem(ElemType::F64);
    let each = if is_double { DOUBLE_LATENCY } else { LATENCY };
    // Instructions in single precision; those of the double unit, and others, in double precision.
    let steps = |special: u64, single: u64, doubles: u64, others: u64| Operation {
        issued: if is_double { doubles + others } else { single },
        doubles: if is_double { doubles } else { 0 },
        special,
        latency: SPECIAL_LATENCY * special + each * if is_double { doubles } else { single / 2 },
    };
    let is = |v: u16, what: fn(&Value) -> bool| what(&body.values[usize::from(v)]);
    let is_constant = |v: &Value| matches!(v.op, Op::Float(_));
    let is_one = |v: &Value| match (&v.op, v.ty) {
        (Op::Float(bits), Ty::Elem(ElemType::F32)) => *bits == u64::from(1f32.to_bits()),
        (Op::Float(bits), _) => *bits == 1f64.to_bits(),
        _ => false,
    };
    let is_root = |v: &Value| matches!(v.op, Op::Unary(UnaryOp::Sqrt, _));
    match value.op {
        Op::Load(_) | Op::Float(_) | Op::Integer(_) | Op::Scalar(_) | Op::Index(_) => {
            Operation::default()
        }
        Op::Binary(BinaryOp::FDiv, _, b) if is(b, is_constant) => {
            let rare = if is_approximate(value) { 0 } else { RARE };
            Operation {
                issued: 2 + rare,
                doubles: if is_double { 2 } else { 0 },
                latency: (2 + rare) * each,
                special: 0,
            }
        }
        Op::Binary(BinaryOp::FDiv, ..) if is_approximate(value) => steps(1, 2, 5, 3),
        Op::Unary(UnaryOp::Sqrt, _) if is_inverted(body, at) => Operation::default(),
        Op::Unary(UnaryOp::Sqrt, _) if is_approximate(value) => steps(1, 2, 6, 4),
        Op::Binary(BinaryOp::FDiv, a, b) => match (is(a, is_one), is(b, is_root)) {
            (true, true) => steps(u64::from(!is_double), 3 + RARE, 2, 1 + RARE),
            (true, false) => steps(1, 5 + RARE, 5, 5 + RARE),
            (false, true) => steps(u64::from(!is_double), 12 + RARE, 5, 5 + RARE),
            (false, false) => steps(1, 14 + RARE, 8, 9 + RARE),
        },
        Op::Unary(UnaryOp::Sqrt, _) => steps(1, 7 + RARE, 9, 4 + RARE),
        _ if value.libm().is_some() => function(value.exponentials()),
        _ => Operation { issued: 1, doubles: u64::from(is_double), special: 0, latency: each },
    }
}

/// Functions of libm, which devices compute in double precision (`emit/nvptx/straight/functions.rs`), in so many
/// exponentials.
fn function(parts: u64) -> Operation {
    const DOUBLES: u64 = 22;
    const OTHERS: u64 = 12;
    Operation {
        issued: parts * (DOUBLES + OTHERS),
        doubles: parts * DOUBLES,
        special: parts - 1,
        latency: parts * DOUBLES * DOUBLE_LATENCY + (parts - 1) * SPECIAL_LATENCY,
    }
}

fn is_approximate(value: &Value) -> bool {
    value.flags.afn || value.flags.arcp
}

/// True for a root of which nothing but an approximate inverse is wanted: those are one approximation.
fn is_inverted(body: &Body, at: usize) -> bool {
    let mut users =
        body.values.iter().filter(|v| v.op.operands().contains(&(at as u16))).peekable();
    users.peek().is_some()
        && users.all(|v| {
            is_approximate(v)
                && matches!(v.op, Op::Binary(BinaryOp::FDiv, a, b)
                    if usize::from(b) == at && usize::from(a) != at)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::FpFlags;

    /// What each value of a ÷ √(b) takes, the dividend 1 or not, with these flags.
    fn inverse_root(ty: ElemType, one: bool, flags: FpFlags) -> [Operation; 2] {
        let dividend = match (one, ty) {
            (true, ElemType::F32) => Op::Float(1f32.to_bits().into()),
            (true, _) => Op::Float(1f64.to_bits()),
            (false, _) => Op::Load(1),
        };
        let ops =
            [Op::Load(0), Op::Unary(UnaryOp::Sqrt, 0), dividend, Op::Binary(BinaryOp::FDiv, 2, 1)];
        let values = ops.map(|op| Value { op, ty: Ty::Elem(ty), flags }).to_vec();
        let body = Body { values };
        [operation(&body, 1), operation(&body, 3)]
    }

    #[test]
    fn an_inverse_root_takes_what_is_written_for_it() {
        let exact = FpFlags::default();
        let [root, inverse] = inverse_root(ElemType::F64, true, exact);
        assert_eq!((root.doubles, inverse.doubles, inverse.special), (9, 2, 0));
        let [root, quotient] = inverse_root(ElemType::F32, false, exact);
        assert_eq!((root.special, quotient.special, quotient.doubles), (1, 1, 0));
        let fast = FpFlags { afn: true, arcp: true, ..exact };
        let [root, inverse] = inverse_root(ElemType::F32, true, fast);
        assert_eq!((root, inverse.special, inverse.issued), (Operation::default(), 1, 2));
    }
}
