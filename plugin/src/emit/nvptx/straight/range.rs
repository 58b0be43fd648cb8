//! What a body says of its values before it runs.

use hexpass_abi::ElemType;
use hexpass_poly::body::{BinaryOp, Body, Op, Ty, UnaryOp, ValueId};

/// The value if it is a floating constant.
pub fn constant(body: &Body, id: ValueId) -> Option<f64> {
    let value = body.values.get(usize::from(id))?;
    match (&value.op, value.ty) {
        (Op::Float(bits), Ty::Elem(ElemType::F32)) => Some(f32::from_bits(*bits as u32).into()),
        (Op::Float(bits), Ty::Elem(ElemType::F64)) => Some(f64::from_bits(*bits)),
        _ => None,
    }
}

/// Something that the value is not below unless it is a NaN, whatever is loaded.
pub fn lower_bound(body: &Body, id: ValueId) -> Option<f64> {
    let of = |id: ValueId| lower_bound(body, id);
    let positive = |id: ValueId| of(id).filter(|lo| *lo >= 0.0);
    if let Some(value) = constant(body, id) {
        return Some(value);
    }
    match body.values.get(usize::from(id))?.op {
        Op::Unary(UnaryOp::Abs, _) => Some(0.0),
        Op::Binary(BinaryOp::FMul, a, b) if a == b => Some(0.0),
        Op::Binary(BinaryOp::FMul, a, b) => positive(a).and(positive(b)).map(|_| 0.0),
        // Rounding is monotonic: a sum is not below the larger of two numbers that are not negative.
        Op::Binary(BinaryOp::FAdd, a, b) => Some(positive(a)?.max(positive(b)?)),
        Op::Fma(a, b, c) if a == b => positive(c),
        Op::Fma(a, b, c) => positive(a).and(positive(b)).and(positive(c)),
        Op::Select(_, a, b) => Some(of(a)?.min(of(b)?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexpass_poly::body::{FpFlags, Value};

    #[test]
    fn sums_of_squares_are_not_below_their_constant() {
        let float = |x: f64| Op::Float(x.to_bits());
        let ops = [
            Op::Load(0),
            float(0.25),
            Op::Binary(BinaryOp::FMul, 0, 0),
            Op::Binary(BinaryOp::FAdd, 2, 1),
            Op::Fma(0, 0, 3),
            Op::Fma(0, 1, 4),
            Op::Binary(BinaryOp::FSub, 4, 1),
        ];
        let ty = Ty::Elem(ElemType::F64);
        let values = ops.map(|op| Value { op, ty, flags: FpFlags::default() }).to_vec();
        let body = Body { values };
        let bounds: Vec<Option<f64>> = (0..7).map(|id| lower_bound(&body, id)).collect();
        let quarter = Some(0.25);
        assert_eq!(bounds, [None, quarter, Some(0.0), quarter, quarter, None, None]);
    }
}
