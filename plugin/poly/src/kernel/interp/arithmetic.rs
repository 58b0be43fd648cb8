//! The arithmetic of a [`Body`], as IEEE 754 and LLVM define it.

use super::Fault;
use super::memory::Sizes;
use crate::body::{BinaryOp, Body, Conversion, Op, Predicate, Ty, UnaryOp};
use hexpass_abi::ElemType;
use hexpass_abi::expr::Sym;

/// All values of an instance as bits; integers are truncated to their type, a Bool is 0 or 1.
pub fn evaluate(
    body: &Body,
    loads: &[u64],
    sizes: &Sizes,
    t: i64,
    coords: &[i64],
) -> Result<Vec<u64>, Fault> {
    let mut values: Vec<u64> = Vec::with_capacity(body.values.len());
    for v in &body.values {
        let of = |id: u16| {
            values
                .get(usize::from(id))
                .copied()
                .ok_or_else(|| Fault::from("a value before its operand"))
        };
        let ty_of = |id: u16| body.values.get(usize::from(id)).map_or(Ty::Bool, |v| v.ty);
        let bits = match &v.op {
            Op::Load(i) => *loads.get(usize::from(*i)).ok_or("no such load")?,
            Op::Float(bits) => *bits,
            Op::Integer(i) => *i as u64,
            Op::Scalar(i) => *sizes.scalars.get(usize::from(*i)).ok_or("no such scalar")?,
            Op::Index(poly) => {
                let symbol = |s: Sym| match s {
                    Sym::Time => Some(t),
                    Sym::Iv(d) => coords.get(usize::from(d)).copied(),
                    _ => sizes.symbol(s),
                };
                poly.eval(&symbol).map_err(|_| "an index value overflows")? as u64
            }
            Op::Unary(op, a) => unary(*op, v.ty, of(*a)?),
            Op::Binary(op, a, b) => binary(*op, v.ty, of(*a)?, of(*b)?),
            Op::Fma(a, b, c) => fma(v.ty, of(*a)?, of(*b)?, of(*c)?),
            Op::Compare(p, a, b) => u64::from(compare(*p, ty_of(*a), of(*a)?, of(*b)?)),
            Op::Select(c, a, b) => {
                if of(*c)? != 0 {
                    of(*a)?
                } else {
                    of(*b)?
                }
            }
            Op::Convert(c, a) => convert(*c, ty_of(*a), v.ty, of(*a)?),
        };
        values.push(truncate(v.ty, bits));
    }
    Ok(values)
}

/// Which values of an instance are defined, where some of what it loads is not.
pub fn defined(body: &Body, loads: &[Option<u64>]) -> Vec<bool> {
    let mut all: Vec<bool> = Vec::with_capacity(body.values.len());
    for v in &body.values {
        let of = |id: &u16| all.get(usize::from(*id)).copied().unwrap_or(false);
        all.push(match &v.op {
            Op::Load(i) => loads.get(usize::from(*i)).is_some_and(Option::is_some),
            op => op.operands().iter().all(of),
        });
    }
    all
}

/// Keeps the bits of a type.
fn truncate(ty: Ty, bits: u64) -> u64 {
    match ty {
        Ty::Bool => bits & 1,
        Ty::Elem(e) if e.size() == 8 => bits,
        Ty::Elem(e) => bits & ((1 << (8 * e.size())) - 1),
    }
}

/// An integer's value, sign-extended.
fn signed(ty: Ty, bits: u64) -> i64 {
    match ty {
        Ty::Bool => -((bits & 1) as i64),
        Ty::Elem(e) => {
            let unused = 64 - 8 * e.size();
            ((bits << unused) as i64) >> unused
        }
    }
}

fn single(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn double(bits: u64) -> f64 {
    f64::from_bits(bits)
}

fn is_single(ty: Ty) -> bool {
    ty == Ty::Elem(ElemType::F32)
}

fn unary(op: UnaryOp, ty: Ty, a: u64) -> u64 {
    let sign = if is_single(ty) { 1 << 31 } else { 1 << 63 };
    match op {
        UnaryOp::Neg => a ^ sign,
        UnaryOp::Abs => a & !sign,
        UnaryOp::Sqrt if is_single(ty) => u64::from(single(a).sqrt().to_bits()),
        UnaryOp::Sqrt => double(a).sqrt().to_bits(),
        UnaryOp::Not => !a,
        UnaryOp::Floor => rounded(ty, a, f64::floor),
        UnaryOp::Ceil => rounded(ty, a, f64::ceil),
        UnaryOp::Trunc => rounded(ty, a, f64::trunc),
        UnaryOp::RoundEven => rounded(ty, a, f64::round_ties_even),
        UnaryOp::Round => rounded(ty, a, f64::round),
        UnaryOp::Sin => called(ty, a, f32::sin, f64::sin),
        UnaryOp::Cos => called(ty, a, f32::cos, f64::cos),
        UnaryOp::Tan => called(ty, a, f32::tan, f64::tan),
        UnaryOp::Asin => called(ty, a, f32::asin, f64::asin),
        UnaryOp::Acos => called(ty, a, f32::acos, f64::acos),
        UnaryOp::Atan => called(ty, a, f32::atan, f64::atan),
        UnaryOp::Sinh => called(ty, a, f32::sinh, f64::sinh),
        UnaryOp::Cosh => called(ty, a, f32::cosh, f64::cosh),
        UnaryOp::Tanh => called(ty, a, f32::tanh, f64::tanh),
        UnaryOp::Exp => called(ty, a, f32::exp, f64::exp),
        UnaryOp::Exp2 => called(ty, a, f32::exp2, f64::exp2),
        UnaryOp::Expm1 => called(ty, a, f32::exp_m1, f64::exp_m1),
        UnaryOp::Log => called(ty, a, f32::ln, f64::ln),
        UnaryOp::Log2 => called(ty, a, f32::log2, f64::log2),
        UnaryOp::Log10 => called(ty, a, f32::log10, f64::log10),
        UnaryOp::Log1p => called(ty, a, f32::ln_1p, f64::ln_1p),
        UnaryOp::Cbrt => called(ty, a, f32::cbrt, f64::cbrt),
    }
}

/// Rounding to whole numbers, which is as exact for a single read as a double.
fn rounded(ty: Ty, a: u64, how: fn(f64) -> f64) -> u64 {
    if is_single(ty) {
        u64::from((how(f64::from(single(a))) as f32).to_bits())
    } else {
        how(double(a)).to_bits()
    }
}

fn called(ty: Ty, a: u64, f: fn(f32) -> f32, g: fn(f64) -> f64) -> u64 {
    if is_single(ty) { u64::from(f(single(a)).to_bits()) } else { g(double(a)).to_bits() }
}

fn fma(ty: Ty, a: u64, b: u64, c: u64) -> u64 {
    if is_single(ty) {
        u64::from(single(a).mul_add(single(b), single(c)).to_bits())
    } else {
        double(a).mul_add(double(b), double(c)).to_bits()
    }
}

fn binary(op: BinaryOp, ty: Ty, a: u64, b: u64) -> u64 {
    let float = |f: fn(f32, f32) -> f32, g: fn(f64, f64) -> f64| {
        if is_single(ty) {
            u64::from(f(single(a), single(b)).to_bits())
        } else {
            g(double(a), double(b)).to_bits()
        }
    };
    let (x, y) = (signed(ty, a), signed(ty, b));
    let shift = (b & 63) as u32;
    match op {
        BinaryOp::FAdd => float(|x, y| x + y, |x, y| x + y),
        BinaryOp::FSub => float(|x, y| x - y, |x, y| x - y),
        BinaryOp::FMul => float(|x, y| x * y, |x, y| x * y),
        BinaryOp::FDiv => float(|x, y| x / y, |x, y| x / y),
        BinaryOp::FMinNum => float(f32::min, f64::min),
        BinaryOp::FMaxNum => float(f32::max, f64::max),
        BinaryOp::CopySign => float(f32::copysign, f64::copysign),
        BinaryOp::Pow => float(f32::powf, f64::powf),
        BinaryOp::Atan2 => float(f32::atan2, f64::atan2),
        BinaryOp::Hypot => float(f32::hypot, f64::hypot),
        BinaryOp::Fmod => float(|x, y| x % y, |x, y| x % y),
        BinaryOp::IAdd => x.wrapping_add(y) as u64,
        BinaryOp::ISub => x.wrapping_sub(y) as u64,
        BinaryOp::IMul => x.wrapping_mul(y) as u64,
        BinaryOp::SDiv if y == 0 => 0,
        BinaryOp::SDiv => x.wrapping_div(y) as u64,
        BinaryOp::SRem if y == 0 => 0,
        BinaryOp::SRem => x.wrapping_rem(y) as u64,
        BinaryOp::UDiv => a.checked_div(b).unwrap_or(0),
        BinaryOp::URem => a.checked_rem(b).unwrap_or(0),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl => a.wrapping_shl(shift),
        BinaryOp::AShr => (x >> shift) as u64,
        BinaryOp::LShr => a >> shift,
        BinaryOp::SMin => x.min(y) as u64,
        BinaryOp::SMax => x.max(y) as u64,
        BinaryOp::UMin => a.min(b),
        BinaryOp::UMax => a.max(b),
    }
}

fn compare(p: Predicate, ty: Ty, a: u64, b: u64) -> bool {
    use Predicate::*;
    let ordering = match ty {
        Ty::Elem(ElemType::F32) => single(a).partial_cmp(&single(b)),
        Ty::Elem(ElemType::F64) => double(a).partial_cmp(&double(b)),
        _ => None,
    };
    let (x, y) = (signed(ty, a), signed(ty, b));
    match p {
        FOeq => ordering.is_some_and(|o| o.is_eq()),
        FOgt => ordering.is_some_and(|o| o.is_gt()),
        FOge => ordering.is_some_and(|o| o.is_ge()),
        FOlt => ordering.is_some_and(|o| o.is_lt()),
        FOle => ordering.is_some_and(|o| o.is_le()),
        FOne => ordering.is_some_and(|o| o.is_ne()),
        FOrd => ordering.is_some(),
        FUno => ordering.is_none(),
        FUeq => ordering.is_none_or(|o| o.is_eq()),
        FUgt => ordering.is_none_or(|o| o.is_gt()),
        FUge => ordering.is_none_or(|o| o.is_ge()),
        FUlt => ordering.is_none_or(|o| o.is_lt()),
        FUle => ordering.is_none_or(|o| o.is_le()),
        FUne => ordering.is_none_or(|o| o.is_ne()),
        IEq => a == b,
        INe => a != b,
        ISgt => x > y,
        ISge => x >= y,
        ISlt => x < y,
        ISle => x <= y,
        IUgt => a > b,
        IUge => a >= b,
        IUlt => a < b,
        IUle => a <= b,
    }
}

fn number(ty: Ty, a: u64) -> f64 {
    if is_single(ty) { f64::from(single(a)) } else { double(a) }
}

/// Bytes of a number's type.
fn width(ty: Ty) -> u64 {
    match ty {
        Ty::Bool => 1,
        Ty::Elem(e) => e.size(),
    }
}

fn convert(c: Conversion, from: Ty, to: Ty, a: u64) -> u64 {
    match c {
        Conversion::FpExtend => f64::from(single(a)).to_bits(),
        Conversion::FpTruncate => u64::from((double(a) as f32).to_bits()),
        Conversion::SignedToFp if is_single(to) => u64::from((signed(from, a) as f32).to_bits()),
        Conversion::SignedToFp => (signed(from, a) as f64).to_bits(),
        Conversion::UnsignedToFp if is_single(to) => u64::from((a as f32).to_bits()),
        Conversion::UnsignedToFp => (a as f64).to_bits(),
        Conversion::FpToSigned | Conversion::FpToSignedSaturating => {
            let bits = 8 * width(to);
            let (least, most) = (-1i128 << (bits - 1), (1i128 << (bits - 1)) - 1);
            (number(from, a) as i128).clamp(least, most) as u64
        }
        Conversion::FpToUnsigned | Conversion::FpToUnsignedSaturating => {
            (number(from, a) as i128).clamp(0, (1i128 << (8 * width(to))) - 1) as u64
        }
        Conversion::SignExtend => signed(from, a) as u64,
        Conversion::ZeroExtend | Conversion::Truncate => a,
    }
}
