//! Functions of libm where the source's flags allow results that are not the library's.
//!
//! Consumes a function and its operands, none of them an infinity or NaN, nor the result; produces straight-line code
//! in double precision, also for singles, which are then right but for half a unit in the last place. Polynomials are
//! Taylor's, over a range so small that what they leave out is less than a rounding. In double precision, relative errors
//! are below 6 · 2⁻⁵²; those of `pow` grow with the logarithm of the result, to some 64 · 2⁻⁵² where that is a hundred.
//!
//! Refuses `asin`, `acos`, `atan2` and `fmod`, which the host computes, and sines of numbers beyond 2³¹ quarter turns:
//! those are between -1 and 1, and no more is said of them.

use super::Straight;
use crate::emit::fault::Emitted;
use hexpass_poly::body::{BinaryOp, UnaryOp};
use inkwell::values::{FloatValue, IntValue};
use inkwell::{FloatPredicate, IntPredicate};
use std::f64::consts;

/// Terms of polynomials in double precision: of eˣ for |x| < 0.35, of sine and cosine for |x| < 0.79, of the inverse
/// hyperbolic tangent for |x| < 0.18, of the inverse tangent for |x| < 0.2.
const EXP_TERMS: u32 = 14;
const SINE_TERMS: u32 = 9;
const ATANH_TERMS: u32 = 11;
const ATAN_TERMS: u32 = 13;

/// Beyond these, eˣ is no number of double precision, or zero.
const EXP_RANGE: (f64, f64) = (-750.0, 710.0);

/// What `LN_2` lacks of the logarithm of two, and what `FRAC_PI_2` and that lack of a quarter turn.
const LN_2_REST: f64 = 2.319_046_813_846_299_6e-17;
const QUARTER_REST: [f64; 2] = [6.123_233_995_736_766e-17, -1.497_384_904_859_183_3e-33];

type Float<'ctx> = FloatValue<'ctx>;

/// Writes functions of double precision.
pub struct Functions<'s, 'a, 'ctx>(pub &'s Straight<'a, 'ctx>);

impl<'ctx> Functions<'_, '_, 'ctx> {
    /// `None` for an operation that is no function of those.
    pub fn unary(&self, op: UnaryOp, x: Float<'ctx>) -> Emitted<Option<Float<'ctx>>> {
        let d = self.widened(x)?;
        let value = match op {
            UnaryOp::Exp => self.exp(d)?,
            UnaryOp::Exp2 => self.exp2(d)?,
            UnaryOp::Expm1 => self.expm1(d)?,
            UnaryOp::Log => self.log(d)?,
            UnaryOp::Log2 => self.times(self.log(d)?, consts::LOG2_E)?,
            UnaryOp::Log10 => self.times(self.log(d)?, consts::LOG10_E)?,
            UnaryOp::Log1p => self.log1p(d)?,
            UnaryOp::Sin => self.circular(d)?.0,
            UnaryOp::Cos => self.circular(d)?.1,
            UnaryOp::Tan => {
                let (sine, cosine) = self.circular(d)?;
                self.divide(sine, cosine)?
            }
            UnaryOp::Atan => self.atan(d)?,
            UnaryOp::Sinh => self.sinh(d)?,
            UnaryOp::Cosh => self.cosh(d)?,
            UnaryOp::Tanh => self.tanh(d)?,
            UnaryOp::Cbrt => self.cbrt(d)?,
            _ => return Ok(None),
        };
        self.narrowed(value, x).map(Some)
    }

    /// `None` for an operation that is no function of those.
    pub fn binary(
        &self,
        op: BinaryOp,
        x: Float<'ctx>,
        y: Float<'ctx>,
    ) -> Emitted<Option<Float<'ctx>>> {
        let (a, b) = (self.widened(x)?, self.widened(y)?);
        let value = match op {
            BinaryOp::Pow => self.pow(a, b)?,
            BinaryOp::Hypot => self.hypot(a, b)?,
            _ => return Ok(None),
        };
        self.narrowed(value, x).map(Some)
    }

    fn widened(&self, x: Float<'ctx>) -> Emitted<Float<'ctx>> {
        match self.0.is_single(x) {
            true => Ok(self.0.builder.build_float_ext(x, self.0.ctx.f64_type(), "")?),
            false => Ok(x),
        }
    }

    fn narrowed(&self, value: Float<'ctx>, like: Float<'ctx>) -> Emitted<Float<'ctx>> {
        match self.0.is_single(like) {
            true => Ok(self.0.builder.build_float_trunc(value, like.get_type(), "")?),
            false => Ok(value),
        }
    }

    // Arithmetic, shorter.

    fn number(&self, value: f64) -> Float<'ctx> {
        self.0.ctx.f64_type().const_float(value)
    }

    fn add(&self, x: Float<'ctx>, y: Float<'ctx>) -> Emitted<Float<'ctx>> {
        Ok(self.0.builder.build_float_add(x, y, "")?)
    }

    fn sub(&self, x: Float<'ctx>, y: Float<'ctx>) -> Emitted<Float<'ctx>> {
        Ok(self.0.builder.build_float_sub(x, y, "")?)
    }

    fn mul(&self, x: Float<'ctx>, y: Float<'ctx>) -> Emitted<Float<'ctx>> {
        Ok(self.0.builder.build_float_mul(x, y, "")?)
    }

    fn times(&self, x: Float<'ctx>, factor: f64) -> Emitted<Float<'ctx>> {
        self.mul(x, self.number(factor))
    }

    /// x / y for a y that is neither zero nor near the ends of the range.
    fn divide(&self, x: Float<'ctx>, y: Float<'ctx>) -> Emitted<Float<'ctx>> {
        let inverse = self.0.reciprocal(y)?;
        self.0.quotient(x, y, inverse, 1)
    }

    fn root(&self, x: Float<'ctx>) -> Emitted<Float<'ctx>> {
        Ok(self.0.root(x)?.0)
    }

    fn abs(&self, x: Float<'ctx>) -> Emitted<Float<'ctx>> {
        self.0.call("llvm.fabs", &[x], true)
    }

    fn signed_as(&self, x: Float<'ctx>, sign: Float<'ctx>) -> Emitted<Float<'ctx>> {
        self.0.call("llvm.copysign", &[x, sign], true)
    }

    fn is(&self, p: FloatPredicate, x: Float<'ctx>, bound: f64) -> Emitted<IntValue<'ctx>> {
        Ok(self.0.builder.build_float_compare(p, x, self.number(bound), "")?)
    }

    fn choose(
        &self,
        condition: IntValue<'ctx>,
        x: Float<'ctx>,
        y: Float<'ctx>,
    ) -> Emitted<Float<'ctx>> {
        Ok(self.0.builder.build_select(condition, x, y, "")?.into_float_value())
    }

    /// c₀ + c₁·x + c₂·x² + … by Horner's rule.
    fn polynomial(&self, x: Float<'ctx>, coefficients: &[f64]) -> Emitted<Float<'ctx>> {
        let mut terms = coefficients.iter().rev().map(|&c| self.number(c));
        let last = terms.next().unwrap_or_else(|| self.number(0.0));
        terms.try_fold(last, |sum, c| self.0.fma(sum, x, c))
    }

    // Bits.

    fn bits(&self, x: Float<'ctx>) -> Emitted<IntValue<'ctx>> {
        Ok(self.0.builder.build_bit_cast(x, self.0.ctx.i64_type(), "")?.into_int_value())
    }

    fn whole(&self, value: u64) -> IntValue<'ctx> {
        self.0.ctx.i64_type().const_int(value, false)
    }

    /// 2ⁿ for a whole n whose power is a normal number.
    fn power_of_two(&self, n: IntValue<'ctx>) -> Emitted<Float<'ctx>> {
        let b = self.0.builder;
        let biased = b.build_int_add(n, self.whole(1023), "")?;
        let bits = b.build_left_shift(biased, self.whole(52), "")?;
        Ok(b.build_bit_cast(bits, self.0.ctx.f64_type(), "")?.into_float_value())
    }

    /// The nearest whole number, as one and as the other.
    fn nearest(&self, x: Float<'ctx>) -> Emitted<(Float<'ctx>, IntValue<'ctx>)> {
        let n = self.0.call("llvm.rint", &[x], true)?;
        Ok((n, self.0.builder.build_float_to_signed_int(n, self.0.ctx.i64_type(), "")?))
    }

    // Exponential functions and logarithms.

    /// x within eˣ's range.
    fn clamped(&self, x: Float<'ctx>, (least, most): (f64, f64)) -> Emitted<Float<'ctx>> {
        let low = self.is(FloatPredicate::OLT, x, least)?;
        let x = self.choose(low, self.number(least), x)?;
        let high = self.is(FloatPredicate::OGT, x, most)?;
        self.choose(high, self.number(most), x)
    }

    /// eʳ · 2ⁿ, with the power in two factors: the result may be below the normal numbers.
    fn scaled_exp(&self, r: Float<'ctx>, n: IntValue<'ctx>) -> Emitted<Float<'ctx>> {
        let b = self.0.builder;
        let coefficients: Vec<f64> = (0..EXP_TERMS).map(|k| 1.0 / factorial(k)).collect();
        let value = self.polynomial(r, &coefficients)?;
        let half = b.build_right_shift(n, self.whole(1), true, "")?;
        let rest = b.build_int_sub(n, half, "")?;
        let value = self.mul(value, self.power_of_two(half)?)?;
        self.mul(value, self.power_of_two(rest)?)
    }

    fn exp(&self, x: Float<'ctx>) -> Emitted<Float<'ctx>> {
        let x = self.clamped(x, EXP_RANGE)?;
        let (n, whole) = self.nearest(self.times(x, consts::LOG2_E)?)?;
        let r = self.0.rest(n, self.number(consts::LN_2), x)?;
        let r = self.0.rest(n, self.number(LN_2_REST), r)?;
        self.scaled_exp(r, whole)
    }

    fn exp2(&self, x: Float<'ctx>) -> Emitted<Float<'ctx>> {
        let (least, most) = EXP_RANGE;
        let x = self.clamped(x, (least * consts::LOG2_E, most * consts::LOG2_E))?;
        let (n, whole) = self.nearest(x)?;
        let r = self.times(self.sub(x, n)?, consts::LN_2)?;
        self.scaled_exp(r, whole)
    }

    /// eˣ - 1: near zero by how much eˣ, as it was rounded, is the exponential of something next to x (W. Kahan).
    fn expm1(&self, x: Float<'ctx>) -> Emitted<Float<'ctx>> {
        let u = self.exp(x)?;
        let difference = self.sub(u, self.number(1.0))?;
        let one = self.is(FloatPredicate::OEQ, u, 1.0)?;
        let far = self.is(FloatPredicate::OGT, self.abs(x)?, 1.0)?;
        let near = self.choose(far, self.number(consts::E), u)?;
        let log = self.choose(one, self.number(1.0), self.log(near)?)?;
        let close = self.mul(difference, self.divide(x, log)?)?;
        let value = self.choose(far, difference, close)?;
        self.choose(one, x, value)
    }

    /// With x = 2ᵏ · m, m next to 1: k · log 2 + 2 · artanh((m - 1) / (m + 1)).
    fn log(&self, x: Float<'ctx>) -> Emitted<Float<'ctx>> {
        let b = self.0.builder;
        // Below the normal numbers, 2⁵⁴ times as much.
        let small = self.is(FloatPredicate::OLT, x, f64::MIN_POSITIVE)?;
        let scaled = self.times(x, (1u64 << 54) as f64)?;
        let bits = self.bits(self.choose(small, scaled, x)?)?;
        let root_half = self.whole(consts::FRAC_1_SQRT_2.to_bits());
        let above = b.build_int_sub(bits, root_half, "")?;
        let k = b.build_right_shift(above, self.whole(52), true, "")?;
        let fraction = b.build_and(above, self.whole((1 << 52) - 1), "")?;
        let bits = b.build_int_add(fraction, root_half, "")?;
        let m = b.build_bit_cast(bits, self.0.ctx.f64_type(), "")?.into_float_value();
        let k = b.build_signed_int_to_float(k, self.0.ctx.f64_type(), "")?;
        let k = self.choose(small, self.sub(k, self.number(54.0))?, k)?;

        let f = self.sub(m, self.number(1.0))?;
        let s = self.divide(f, self.add(m, self.number(1.0))?)?;
        let z = self.mul(s, s)?;
        let coefficients: Vec<f64> = (1..ATANH_TERMS).map(|i| 2.0 / f64::from(2 * i + 1)).collect();
        let tail = self.mul(z, self.polynomial(z, &coefficients)?)?;
        // 2·s is f - f²/2 + s·f²/2: the first is exact, and the rest small.
        let half = self.times(self.mul(f, f)?, 0.5)?;
        let rest = self.mul(s, self.add(half, tail)?)?;
        let rest = self.0.fma(k, self.number(LN_2_REST), rest)?;
        let value = self.sub(f, self.sub(half, rest)?)?;
        self.0.fma(k, self.number(consts::LN_2), value)
    }

    /// log(1 + x), corrected for what the sum has lost (W. Kahan).
    fn log1p(&self, x: Float<'ctx>) -> Emitted<Float<'ctx>> {
        let u = self.add(self.number(1.0), x)?;
        let difference = self.sub(u, self.number(1.0))?;
        let none = self.is(FloatPredicate::OEQ, difference, 0.0)?;
        let by = self.choose(none, self.number(1.0), difference)?;
        let value = self.mul(self.log(u)?, self.divide(x, by)?)?;
        self.choose(none, x, value)
    }

    /// |x|ʸ, with the sign of x where y is odd. Of zero, and to the power of zero, as C says.
    fn pow(&self, x: Float<'ctx>, y: Float<'ctx>) -> Emitted<Float<'ctx>> {
        let b = self.0.builder;
        let base = self.abs(x)?;
        let zero = self.is(FloatPredicate::OEQ, base, 0.0)?;
        let log = self.log(self.choose(zero, self.number(1.0), base)?)?;
        let value = self.exp(self.mul(y, log)?)?;
        let of_zero = self.is(FloatPredicate::OEQ, y, 0.0)?;
        let of_zero = self.choose(of_zero, self.number(1.0), self.number(0.0))?;
        let value = self.choose(zero, of_zero, value)?;
        // Of halves of whole numbers, those that are no whole numbers themselves are of odd ones.
        let half = self.times(y, 0.5)?;
        let fraction = self.sub(half, self.0.call("llvm.floor", &[half], true)?)?;
        let odd = self.is(FloatPredicate::OEQ, fraction, 0.5)?;
        let negative = self.is(FloatPredicate::OLT, x, 0.0)?;
        let flips = b.build_and(odd, negative, "")?;
        self.choose(flips, b.build_float_neg(value, "")?, value)
    }

    /// The root of the logarithm, and one of Newton's steps.
    fn cbrt(&self, x: Float<'ctx>) -> Emitted<Float<'ctx>> {
        let a = self.abs(x)?;
        let zero = self.is(FloatPredicate::OEQ, a, 0.0)?;
        let a = self.choose(zero, self.number(1.0), a)?;
        let y = self.exp(self.times(self.log(a)?, 1.0 / 3.0)?)?;
        let square = self.mul(y, y)?;
        let excess = self.times(self.sub(y, self.divide(a, square)?)?, 1.0 / 3.0)?;
        let value = self.choose(zero, self.number(0.0), self.sub(y, excess)?)?;
        self.signed_as(value, x)
    }

    // Hyperbolic functions, by eˣ - 1 for |x|.

    fn sinh(&self, x: Float<'ctx>) -> Emitted<Float<'ctx>> {
        let t = self.expm1(self.abs(x)?)?;
        let inverse = self.divide(t, self.add(t, self.number(1.0))?)?;
        let far = self.is(FloatPredicate::OGT, t, 1e17)?;
        let sum = self.add(t, self.choose(far, self.number(0.0), inverse)?)?;
        self.signed_as(self.times(sum, 0.5)?, x)
    }

    fn cosh(&self, x: Float<'ctx>) -> Emitted<Float<'ctx>> {
        let e = self.exp(self.abs(x)?)?;
        let far = self.is(FloatPredicate::OGT, e, 1e17)?;
        let inverse = self.choose(far, self.number(0.0), self.0.reciprocal(e)?)?;
        self.times(self.add(e, inverse)?, 0.5)
    }

    fn tanh(&self, x: Float<'ctx>) -> Emitted<Float<'ctx>> {
        let t = self.expm1(self.times(self.abs(x)?, -2.0)?)?;
        let value = self.divide(t, self.add(t, self.number(2.0))?)?;
        self.signed_as(value, x)
    }

    // Circular functions.

    /// Sine and cosine: x less quarter turns (W. J. Cody and W. Waite), and the two polynomials, which take turns.
    fn circular(&self, x: Float<'ctx>) -> Emitted<(Float<'ctx>, Float<'ctx>)> {
        let b = self.0.builder;
        let (n, whole) = self.nearest(self.times(x, consts::FRAC_2_PI)?)?;
        let mut r = self.0.rest(n, self.number(consts::FRAC_PI_2), x)?;
        for part in QUARTER_REST {
            r = self.0.rest(n, self.number(part), r)?;
        }
        let r = self.clamped(r, (-consts::FRAC_PI_4 * 1.01, consts::FRAC_PI_4 * 1.01))?;
        let z = self.mul(r, r)?;
        let terms = |first: u32| -> Vec<f64> {
            (1..SINE_TERMS).map(|i| alternating(i) / factorial(2 * i + first)).collect()
        };
        let sine = self.mul(z, self.polynomial(z, &terms(1))?)?;
        let sine = self.0.fma(r, sine, r)?;
        // What 1 - z/2 loses is added to the rest.
        let tail = self.mul(self.mul(z, z)?, self.polynomial(z, &terms(0)[1..])?)?;
        let half = self.times(z, 0.5)?;
        let most = self.sub(self.number(1.0), half)?;
        let lost = self.sub(self.sub(self.number(1.0), most)?, half)?;
        let cosine = self.add(most, self.add(lost, tail)?)?;

        let bit = |of: IntValue<'ctx>, which: u64| -> Emitted<IntValue<'ctx>> {
            let only = b.build_and(of, self.whole(which), "")?;
            Ok(b.build_int_compare(IntPredicate::NE, only, self.whole(0), "")?)
        };
        let odd = bit(whole, 1)?;
        let turned = |value: Float<'ctx>, of: IntValue<'ctx>| -> Emitted<Float<'ctx>> {
            self.choose(bit(of, 2)?, b.build_float_neg(value, "")?, value)
        };
        let next = b.build_int_add(whole, self.whole(1), "")?;
        Ok((
            turned(self.choose(odd, cosine, sine)?, whole)?,
            turned(self.choose(odd, sine, cosine)?, next)?,
        ))
    }

    /// Of 1/x beyond 1; the angle is halved twice.
    fn atan(&self, x: Float<'ctx>) -> Emitted<Float<'ctx>> {
        let a = self.abs(x)?;
        let far = self.is(FloatPredicate::OGT, a, 1.0)?;
        let a = self.choose(far, self.0.reciprocal(self.choose(far, a, self.number(1.0))?)?, a)?;
        let halved = |t: Float<'ctx>| -> Emitted<Float<'ctx>> {
            let root = self.root(self.0.fma(t, t, self.number(1.0))?)?;
            self.divide(t, self.add(root, self.number(1.0))?)
        };
        let t = halved(halved(a)?)?;
        let z = self.mul(t, t)?;
        let coefficients: Vec<f64> =
            (0..ATAN_TERMS).map(|i| alternating(i) / f64::from(2 * i + 1)).collect();
        let angle = self.times(self.mul(t, self.polynomial(z, &coefficients)?)?, 4.0)?;
        let other = self.sub(self.number(consts::FRAC_PI_2), angle)?;
        self.signed_as(self.choose(far, other, angle)?, x)
    }

    /// With the larger one outside of the root, so that no square overflows.
    fn hypot(&self, x: Float<'ctx>, y: Float<'ctx>) -> Emitted<Float<'ctx>> {
        let (x, y) = (self.abs(x)?, self.abs(y)?);
        let first = self.0.builder.build_float_compare(FloatPredicate::OGT, x, y, "")?;
        let (most, least) = (self.choose(first, x, y)?, self.choose(first, y, x)?);
        let none = self.is(FloatPredicate::OEQ, most, 0.0)?;
        let ratio = self.divide(least, self.choose(none, self.number(1.0), most)?)?;
        self.mul(most, self.root(self.0.fma(ratio, ratio, self.number(1.0))?)?)
    }
}

/// 1, -1, 1, …
fn alternating(i: u32) -> f64 {
    if i.is_multiple_of(2) { 1.0 } else { -1.0 }
}

fn factorial(n: u32) -> f64 {
    (1..=n).map(f64::from).product()
}
