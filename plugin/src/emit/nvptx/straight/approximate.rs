//! Division, square root and functions of libm where the source's flags allow a result that is not the nearest.
//!
//! The code generator makes the special-function unit's own instructions of single precision, but rounds to nearest in
//! double precision whatever the flags say, and never sees that 1/√x is one instruction.

use super::functions::Functions;
use super::{Straight, range};
use crate::emit::body::{Approximation, Radicand};
use crate::emit::fault::Emitted;
use hexpass_poly::body::{BinaryOp, UnaryOp};
use inkwell::FloatPredicate;
use inkwell::attributes::AttributeLoc;
use inkwell::values::{FloatValue, FunctionValue};

/// Steps for one stretch of code.
pub struct Approximate<'a, 'ctx> {
    straight: Straight<'a, 'ctx>,
    /// Subnormal numbers of single precision count as zero here.
    flush: bool,
}

impl<'a, 'ctx> Approximate<'a, 'ctx> {
    /// For code of this function.
    pub fn new(
        straight: Straight<'a, 'ctx>,
        function: FunctionValue<'ctx>,
    ) -> Approximate<'a, 'ctx> {
        Approximate { straight, flush: flushes(function) }
    }

    /// 1/√x: of single precision as the unit says, in double precision after a step of third order.
    fn inverse_root(&self, x: Radicand<'_, 'ctx>) -> Emitted<FloatValue<'ctx>> {
        match self.straight.is_single(x.value) {
            true => self.of_the_unit("rsqrt", x),
            false => self.straight.fine_inverse_root(x.value),
        }
    }

    /// A function of a single as the unit says. It takes subnormal numbers for zeros; where x may be one, the assembler
    /// scales it there and back, in three instructions.
    fn of_the_unit(&self, name: &str, x: Radicand<'_, 'ctx>) -> Emitted<FloatValue<'ctx>> {
        let least = range::lower_bound(x.body, x.id);
        let is_normal = least.is_some_and(|lo| lo >= f64::from(f32::MIN_POSITIVE));
        let ftz = if self.flush || is_normal { ".ftz" } else { "" };
        self.straight.call(&format!("llvm.nvvm.{name}.approx{ftz}.f"), &[x.value], false)
    }
}

impl<'ctx> Approximation<'ctx> for Approximate<'_, 'ctx> {
    fn sqrt(&self, x: Radicand<'_, 'ctx>) -> Emitted<Option<FloatValue<'ctx>>> {
        let (s, b) = (&self.straight, self.straight.builder);
        if s.is_single(x.value) {
            return self.of_the_unit("sqrt", x).map(Some);
        }
        let (inverse, x) = (self.inverse_root(x)?, x.value);
        let root = b.build_float_mul(x, inverse, "")?;
        // The unit takes what is smaller for a zero.
        let least = s.number(x, f64::MIN_POSITIVE);
        let small = b.build_float_compare(FloatPredicate::OLT, x, least, "")?;
        Ok(Some(b.build_select(small, s.number(x, 0.0), root, "")?.into_float_value()))
    }

    fn divide(
        &self,
        dividend: Option<FloatValue<'ctx>>,
        divisor: FloatValue<'ctx>,
        radicand: Option<Radicand<'_, 'ctx>>,
    ) -> Emitted<Option<FloatValue<'ctx>>> {
        let s = &self.straight;
        let inverse = match radicand {
            Some(x) => self.inverse_root(x)?,
            None if s.is_single(divisor) => return Ok(None),
            None => s.reciprocal(divisor)?,
        };
        Ok(Some(match dividend {
            Some(a) => s.builder.build_float_mul(a, inverse, "")?,
            None => inverse,
        }))
    }

    fn unary(&self, op: UnaryOp, x: FloatValue<'ctx>) -> Emitted<Option<FloatValue<'ctx>>> {
        Functions(&self.straight).unary(op, x)
    }

    fn binary(
        &self,
        op: BinaryOp,
        x: FloatValue<'ctx>,
        y: FloatValue<'ctx>,
    ) -> Emitted<Option<FloatValue<'ctx>>> {
        Functions(&self.straight).binary(op, x, y)
    }
}

/// True if the function's mode takes subnormal numbers of single precision for zeros.
fn flushes(function: FunctionValue<'_>) -> bool {
    let mode = super::super::DENORMALS.iter().rev().find_map(|key| {
        let value = function.get_string_attribute(AttributeLoc::Function, key)?;
        Some(value.get_string_value().to_string_lossy().into_owned())
    });
    mode.is_some_and(|mode| mode.contains("preserve-sign") || mode.contains("positive-zero"))
}
