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
    /// Values of the body at work that are operands within the limits unless the condition holds.
    moderate: RefCell<Vec<ValueId>>,
}

impl<'a, 'ctx> Straight<'a, 'ctx> {
    /// Without any operation so far.
    pub fn new(
        ctx: ContextRef<'ctx>,
        module: &'a Module<'ctx>,
        builder: &'a Builder<'ctx>,
    ) -> Straight<'a, 'ctx> {
        let (special, moderate) = (Cell::new(None), RefCell::new(Vec::new()));
        Straight { ctx, module, builder, special, moderate }
    }

    /// What follows belongs to another body.
    pub fn end_body(&self) {
        self.moderate.borrow_mut().clear();
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

    /// The high 32 bits of a double, without the sign if so wanted.
    fn high_word(&self, x: FloatValue<'ctx>, magnitude: bool) -> Emitted<IntValue<'ctx>> {
        let (b, i64_type, i32_type) = (self.builder, self.ctx.i64_type(), self.ctx.i32_type());
        let bits = b.build_bit_cast(x, i64_type, "")?.into_int_value();
        let high = b.build_right_shift(bits, i64_type.const_int(32, false), false, "")?;
        let high = b.build_int_truncate(high, i32_type, "")?;
        if !magnitude {
            return Ok(high);
        }
        Ok(b.build_and(high, i32_type.const_int(0x7fff_ffff, false), "")?)
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

    /// √x for x within the radicand's limits.
    fn root(&self, x: FloatValue<'ctx>) -> Emitted<FloatValue<'ctx>> {
        let b = self.builder;
        let y = match self.is_single(x) {
            true => self.approximate("rsqrt", x)?,
            false => self.fine_inverse_root(x)?,
        };
        let s = b.build_float_mul(x, y, "")?;
        let half = b.build_float_mul(y, self.number(x, 0.5), "")?;
        let e = self.rest(s, s, x)?;
        self.fma(e, half, s)
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
    fn sqrt(
        &self,
        body: &Body,
        at: ValueId,
        id: ValueId,
        x: FloatValue<'ctx>,
    ) -> Emitted<Option<FloatValue<'ctx>>> {
        let limits = self.limits(x).radicand;
        let above = range::lower_bound(body, id).is_some_and(|lo| lo >= f64::from(limits.0).exp2());
        self.within(x, limits, false, above)?;
        if limits.0 / 2 >= self.limits(x).operand.0 {
            self.moderate.borrow_mut().push(at);
        }
        self.root(x).map(Some)
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
        let r = self.reciprocal(b)?;
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
