//! Division and square root without branches, rounded as IEEE 754 says.
//!
//! Consumes operands of a [`Body`]; produces the straight-line code of the common case: an approximation by the
//! special-function unit, then fused corrections (P. Markstein, "Computation of elementary functions on the IBM RISC
//! System/6000 processor", 1990; the same steps as the assembler's own `div.rn` and `sqrt.rn`, which hold a branch each).
//! What it does not cover, operands so small or so large that a step would leave the normal numbers, infinities, NaN, is
//! gathered in one condition for many operations ([`Straight::special`]): where it holds, the caller takes the code
//! generator's own operations instead.
//!
//! Refuses nothing: an operation that it has no steps for is left to the code generator.

pub mod approximate;
mod constant;
mod functions;
mod range;

use crate::emit::body::Rounding;
use crate::emit::fault::{Emitted, Fault};
use hexpass_poly::body::{Body, ValueId};
use inkwell::builder::Builder;
use inkwell::context::ContextRef;
use inkwell::intrinsics::Intrinsic;
use inkwell::module::Module;
use inkwell::types::BasicType;
use inkwell::values::{FloatValue, IntValue};
use inkwell::{FloatPredicate, IntPredicate};
use std::cell::{Cell, RefCell};

/// Where the steps are exact, as powers of two: operands of a division, and a radicand.
struct Limits {
    operand: (i32, i32),
    radicand: (i32, i32),
}

const SINGLE: Limits = Limits { operand: (-60, 60), radicand: (-96, 126) };
const DOUBLE: Limits = Limits { operand: (-500, 500), radicand: (-960, 1022) };

/// Steps for the bodies of one stretch of code.
pub struct Straight<'a, 'ctx> {
    ctx: ContextRef<'ctx>,
    module: &'a Module<'ctx>,
    builder: &'a Builder<'ctx>,
    special: Cell<Option<IntValue<'ctx>>>,
    /// A result that is not a number is noticed later, so that operands which lead there need no condition.
    sees_nans: bool,
    /// Values of the body at work that are operands within the limits unless the condition holds.
    moderate: RefCell<Vec<ValueId>>,
    /// Roots of the body at work whose inverses are known well.
    roots: RefCell<Vec<Root<'ctx>>>,
}

/// A square root in double precision.
struct Root<'ctx> {
    id: ValueId,
    radicand: FloatValue<'ctx>,
    /// 1/√radicand but for half a unit in the last place.
    inverse: FloatValue<'ctx>,
}

impl<'a, 'ctx> Straight<'a, 'ctx> {
    /// Without any operation so far.
    pub fn new(
        ctx: ContextRef<'ctx>,
        module: &'a Module<'ctx>,
        builder: &'a Builder<'ctx>,
        sees_nans: bool,
    ) -> Straight<'a, 'ctx> {
        let (special, moderate) = (Cell::new(None), RefCell::new(Vec::new()));
        let roots = RefCell::new(Vec::new());
        Straight { ctx, module, builder, special, sees_nans, moderate, roots }
    }

    /// What follows belongs to another body.
    pub fn end_body(&self) {
        self.moderate.borrow_mut().clear();
        self.roots.borrow_mut().clear();
    }

    /// Whether an operation met operands that its steps are not for; `None` if there was none.
    pub fn special(&self) -> Option<IntValue<'ctx>> {
        self.special.get()
    }

    fn limits(&self, x: FloatValue<'ctx>) -> Limits {
        if self.is_single(x) { SINGLE } else { DOUBLE }
    }

    fn is_single(&self, x: FloatValue<'ctx>) -> bool {
        x.get_type() == self.ctx.f32_type()
    }

    fn number(&self, like: FloatValue<'ctx>, value: f64) -> FloatValue<'ctx> {
        like.get_type().const_float(value)
    }

    fn note(&self, condition: IntValue<'ctx>) -> Emitted<()> {
        let all = match self.special.get() {
            Some(before) => self.builder.build_or(before, condition, "")?,
            None => condition,
        };
        self.special.set(Some(all));
        Ok(())
    }

    fn call(
        &self,
        name: &str,
        operands: &[FloatValue<'ctx>],
        overloaded: bool,
    ) -> Emitted<FloatValue<'ctx>> {
        let missing = || Fault::new(format!("{name} is not there"));
        let intrinsic = Intrinsic::find(name).ok_or_else(missing)?;
        let ty = operands[0].get_type().as_basic_type_enum();
        let types = if overloaded { vec![ty] } else { Vec::new() };
        let function = intrinsic.get_declaration(self.module, &types).ok_or_else(missing)?;
        let operands: Vec<_> = operands.iter().map(|&v| v.into()).collect();
        let call = self.builder.build_call(function, &operands, "")?;
        Ok(call.try_as_basic_value().basic().ok_or_else(missing)?.into_float_value())
    }

    /// a · b + c, rounded once.
    fn fma(
        &self,
        a: FloatValue<'ctx>,
        b: FloatValue<'ctx>,
        c: FloatValue<'ctx>,
    ) -> Emitted<FloatValue<'ctx>> {
        self.call("llvm.fma", &[a, b, c], true)
    }

    /// c − a · b, rounded once.
    fn rest(
        &self,
        a: FloatValue<'ctx>,
        b: FloatValue<'ctx>,
        c: FloatValue<'ctx>,
    ) -> Emitted<FloatValue<'ctx>> {
        let negated = self.builder.build_float_neg(a, "")?;
        self.fma(negated, b, c)
    }

    fn approximate(&self, what: &str, x: FloatValue<'ctx>) -> Emitted<FloatValue<'ctx>> {
        let suffix = if self.is_single(x) { "f" } else { "d" };
        self.call(&format!("llvm.nvvm.{what}.approx.ftz.{suffix}"), &[x], false)
    }

    /// Half of a double's bits: 0 for the low, 1 for the high. (As an element of a vector; of shifts the optimiser would
    /// make 64-bit comparisons, two instructions each.)
    fn word(&self, x: FloatValue<'ctx>, which: u64) -> Emitted<IntValue<'ctx>> {
        let (b, i32_type) = (self.builder, self.ctx.i32_type());
        let words = b.build_bit_cast(x, i32_type.vec_type(2), "")?.into_vector_value();
        Ok(b.build_extract_element(words, i32_type.const_int(which, false), "")?.into_int_value())
    }

    /// The high 32 bits of a double, without the sign if so wanted.
    fn high_word(&self, x: FloatValue<'ctx>, magnitude: bool) -> Emitted<IntValue<'ctx>> {
        let high = self.word(x, 1)?;
        if !magnitude {
            return Ok(high);
        }
        Ok(self.builder.build_and(high, self.ctx.i32_type().const_int(0x7fff_ffff, false), "")?)
    }

    /// Notes that x, or |x|, must lie between two powers of two; `above` if the lower bound is known to hold.
    fn within(
        &self,
        x: FloatValue<'ctx>,
        (lo, hi): (i32, i32),
        magnitude: bool,
        above: bool,
    ) -> Emitted<()> {
        let b = self.builder;
        if !self.is_single(x) {
            let i32_type = self.ctx.i32_type();
            let word = |exponent: i32| ((exponent + 1023) as u64) << 20;
            let high = self.high_word(x, magnitude)?;
            let (from, span) = if above { (0, word(hi)) } else { (word(lo), word(hi) - word(lo)) };
            let high = b.build_int_sub(high, i32_type.const_int(from, false), "")?;
            let span = i32_type.const_int(span, false);
            return self.note(b.build_int_compare(IntPredicate::UGE, high, span, "")?);
        }
        let x = if magnitude { self.call("llvm.fabs", &[x], true)? } else { x };
        let bound = |exponent: i32| self.number(x, f64::from(exponent).exp2());
        if !above {
            self.note(b.build_float_compare(FloatPredicate::ULT, x, bound(lo), "")?)?;
        }
        self.note(b.build_float_compare(FloatPredicate::UGE, x, bound(hi), "")?)
    }

    /// Notes a radicand that the steps are not for. In single precision they are right up to the largest number, and make
    /// NaN of infinity and NaN.
    fn radicand(&self, x: FloatValue<'ctx>, limits: (i32, i32), above: bool) -> Emitted<()> {
        if !(self.sees_nans && self.is_single(x)) {
            return self.within(x, limits, false, above);
        }
        if above {
            return Ok(());
        }
        let least = self.number(x, f64::from(limits.0).exp2());
        self.note(self.builder.build_float_compare(FloatPredicate::ULT, x, least, "")?)
    }

    /// 1/√x in double precision: what the unit says is good to some twenty bits; then one step of third order.
    fn fine_inverse_root(&self, x: FloatValue<'ctx>) -> Emitted<FloatValue<'ctx>> {
        let b = self.builder;
        let y = self.approximate("rsqrt", x)?;
        let square = b.build_float_mul(y, y, "")?;
        let e = self.rest(x, square, self.number(x, 1.0))?;
        let p = self.fma(e, self.number(x, 0.375), self.number(x, 0.5))?;
        let q = b.build_float_mul(y, e, "")?;
        self.fma(p, q, y)
    }

    /// √x for x within the radicand's limits, and what is next to its inverse.
    fn root(&self, x: FloatValue<'ctx>) -> Emitted<(FloatValue<'ctx>, FloatValue<'ctx>)> {
        let b = self.builder;
        let y = match self.is_single(x) {
            true => self.approximate("rsqrt", x)?,
            false => self.fine_inverse_root(x)?,
        };
        let s = b.build_float_mul(x, y, "")?;
        let half = b.build_float_mul(y, self.number(x, 0.5), "")?;
        let e = self.rest(s, s, x)?;
        Ok((self.fma(e, half, s)?, y))
    }

    /// 1 / s, rounded to nearest, where s is the root of x, from what its steps knew of 1/√x: one more step, instead of
    /// another approximation and its steps.
    ///
    /// With y = 1/√x (1 + δ) rounded, s·y is 1 but for 1.5 · 2⁻⁵³, the rest is exact, and the step's error before rounding
    /// is less than 2.3 · 2⁻¹⁰⁶. A wrong result needs a number between two neighbours nearer to 1 / s than that, so
    /// integers S and odd M of 53 and 54 bits with S · M = 2¹⁰⁶ - 1 or 2¹⁰⁶ - 2: there are 35. Of these, with
    /// |δ| < 2⁻⁵⁶·⁹, the largest mantissa alone goes wrong; it is the root of the two largest below a power of four.
    /// (5/16 of the cube of 1 - x·y² is less than that if the unit is right to 19.4 bits; an H200's is to 20.04.)
    fn inverse_of_root(&self, s: FloatValue<'ctx>, root: &Root<'ctx>) -> Emitted<FloatValue<'ctx>> {
        let low = self.word(root.radicand, 0)?;
        let last = self.ctx.i32_type().const_int(0xffff_fffe, false);
        self.note(self.builder.build_int_compare(IntPredicate::UGE, low, last, "")?)?;
        let e = self.rest(s, root.inverse, self.number(s, 1.0))?;
        self.fma(root.inverse, e, root.inverse)
    }

    /// 1 / x, rounded to nearest, for |x| within the operands' limits.
    fn reciprocal(&self, x: FloatValue<'ctx>) -> Emitted<FloatValue<'ctx>> {
        let one = self.number(x, 1.0);
        let mut r = self.approximate("rcp", x)?;
        let mut e = self.rest(x, r, one)?;
        if !self.is_single(x) {
            e = self.fma(e, e, e)?;
            r = self.fma(r, e, r)?;
            e = self.rest(x, r, one)?;
        }
        self.fma(r, e, r)
    }

    /// a / b with r next to 1 / b, both within the operands' limits, or a zero.
    fn quotient(
        &self,
        a: FloatValue<'ctx>,
        b: FloatValue<'ctx>,
        r: FloatValue<'ctx>,
        corrections: u32,
    ) -> Emitted<FloatValue<'ctx>> {
        let first = self.builder.build_float_mul(a, r, "")?;
        let mut q = first;
        for _ in 0..corrections {
            let e = self.rest(b, q, a)?;
            q = self.fma(e, r, q)?;
        }
        // A zero keeps its sign in the product only.
        let zero =
            self.builder.build_float_compare(FloatPredicate::OEQ, a, self.number(a, 0.0), "")?;
        Ok(self.builder.build_select(zero, first, q, "")?.into_float_value())
    }

    /// Notes that a dividend must be a zero or within the limits.
    fn dividend(&self, a: FloatValue<'ctx>) -> Emitted<()> {
        let b = self.builder;
        let (lo, hi) = self.limits(a).operand;
        let magnitude = self.call("llvm.fabs", &[a], true)?;
        let bound = |exponent: i32| self.number(a, f64::from(exponent).exp2());
        let small = b.build_float_compare(FloatPredicate::OLT, magnitude, bound(lo), "")?;
        let some = b.build_float_compare(FloatPredicate::ONE, a, self.number(a, 0.0), "")?;
        self.note(b.build_and(small, some, "")?)?;
        self.note(b.build_float_compare(FloatPredicate::UGE, magnitude, bound(hi), "")?)
    }
}

impl<'ctx> Rounding<'ctx> for Straight<'_, 'ctx> {
    fn unless(&self, condition: IntValue<'ctx>) -> Emitted<()> {
        self.note(condition)
    }

    fn sqrt(
        &self,
        body: &Body,
        at: ValueId,
        id: ValueId,
        x: FloatValue<'ctx>,
    ) -> Emitted<Option<FloatValue<'ctx>>> {
        let limits = self.limits(x).radicand;
        let above = range::lower_bound(body, id).is_some_and(|lo| lo >= f64::from(limits.0).exp2());
        self.radicand(x, limits, above)?;
        if limits.0 / 2 >= self.limits(x).operand.0 {
            self.moderate.borrow_mut().push(at);
        }
        let (root, inverse) = self.root(x)?;
        if !self.is_single(x) {
            self.roots.borrow_mut().push(Root { id: at, radicand: x, inverse });
        }
        Ok(Some(root))
    }

    fn divide(
        &self,
        body: &Body,
        (a_id, a): (ValueId, FloatValue<'ctx>),
        (b_id, b): (ValueId, FloatValue<'ctx>),
    ) -> Emitted<Option<FloatValue<'ctx>>> {
        let single = self.is_single(a);
        if let Some(divisor) = range::constant(body, b_id) {
            return match constant::Divisor::new(divisor, single) {
                Some(divisor) => {
                    self.dividend(a)?;
                    self.by_constant(a, b, &divisor).map(Some)
                }
                None => Ok(None),
            };
        }
        if !self.moderate.borrow().contains(&b_id) {
            self.within(b, self.limits(b).operand, true, false)?;
        }
        let r = match self.roots.borrow().iter().find(|root| root.id == b_id) {
            Some(root) => self.inverse_of_root(b, root)?,
            None => self.reciprocal(b)?,
        };
        match range::constant(body, a_id) {
            Some(1.0) => Ok(Some(r)),
            _ => {
                self.dividend(a)?;
                self.quotient(a, b, r, if single { 2 } else { 1 }).map(Some)
            }
        }
    }
}

impl<'ctx> Straight<'_, 'ctx> {
    /// a / b for a constant b.
    fn by_constant(
        &self,
        a: FloatValue<'ctx>,
        b: FloatValue<'ctx>,
        divisor: &constant::Divisor,
    ) -> Emitted<FloatValue<'ctx>> {
        match *divisor {
            constant::Divisor::TwoParts { high, low } => {
                let small = self.builder.build_float_mul(a, self.number(a, low), "")?;
                self.fma(a, self.number(a, high), small)
            }
            constant::Divisor::Nearest(reciprocal) => {
                self.quotient(a, b, self.number(a, reciprocal), 2)
            }
        }
    }
}
