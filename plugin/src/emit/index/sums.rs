//! Instructions for sums, in 32 or 64 bits, and for comparisons of them.

use super::{Indexer, Key, Test, too_large};
use crate::emit::affine::{Affine, AtomId};
use crate::emit::fault::Emitted;
use hexpass_poly::kernel::ir::Cond;
use inkwell::IntPredicate;
use inkwell::builder::Builder;
use inkwell::types::IntType;
use inkwell::values::IntValue;

/// A wide bound is clamped to this before it is compared in 32 bits.
const CLAMP: i64 = 1 << 30;

impl<'ctx> Indexer<'ctx> {
    /// The sum in 32 bits if it fits, else in 64.
    pub fn value(&mut self, b: &Builder<'ctx>, a: &Affine) -> Emitted<IntValue<'ctx>> {
        if self.is_narrow(a) { self.sum32(b, a) } else { self.wide(b, a) }
    }

    /// The sum in 64 bits.
    pub fn wide(&mut self, b: &Builder<'ctx>, a: &Affine) -> Emitted<IntValue<'ctx>> {
        if let Some(c) = a.as_constant() {
            return Ok(self.i64.const_int(c as u64, true));
        }
        let key = Key::Wide(a.clone());
        if let Some(v) = self.find_value(&key) {
            return Ok(v);
        }
        let (wide, narrow) = self.split_widths(a)?;
        let mut sum = self.add_terms(b, &wide, self.i64, true)?;
        if !narrow.terms.is_empty() {
            let small = self.sum32(b, &narrow)?;
            let small = b.build_int_s_extend(small, self.i64, "")?;
            sum = Some(match sum {
                Some(s) => b.build_int_nsw_add(s, small, "")?,
                None => small,
            });
        } else if narrow.constant != 0 {
            let c = self.i64.const_int(narrow.constant as u64, true);
            sum = Some(match sum {
                Some(s) => b.build_int_nsw_add(s, c, "")?,
                None => c,
            });
        }
        let value = sum.unwrap_or_else(|| self.i64.const_zero());
        self.remember_value(key, value);
        Ok(value)
    }

    /// Terms that need 64 bits, and the others with the constant; the latter fit 32 bits.
    pub fn split_widths(&self, a: &Affine) -> Emitted<(Affine, Affine)> {
        if !self.narrow {
            let wide = a.offset(a.constant.checked_neg().ok_or_else(too_large)?);
            return Ok((wide.ok_or_else(too_large)?, Affine::constant(a.constant)));
        }
        let (mut wide, mut narrow) = (Affine::default(), Affine::constant(a.constant));
        if !self.is_narrow(&narrow) {
            wide.constant = a.constant;
            narrow.constant = 0;
        }
        for &term in &a.terms {
            narrow.terms.push(term);
            if !self.is_narrow(&narrow) {
                narrow.terms.pop();
                wide.terms.push(term);
            }
        }
        Ok((wide, narrow))
    }

    pub(super) fn sum32(&mut self, b: &Builder<'ctx>, a: &Affine) -> Emitted<IntValue<'ctx>> {
        if let Some(c) = a.as_constant() {
            return Ok(self.i32.const_int(c as u64, true));
        }
        let key = Key::Narrow(a.clone());
        if let Some(v) = self.find_value(&key) {
            return Ok(v);
        }
        let value = self.add_terms(b, a, self.i32, true)?.unwrap_or_else(|| self.i32.const_zero());
        self.remember_value(key, value);
        Ok(value)
    }

    /// The low 32 bits of the sum (arithmetic wraps).
    pub fn truncated(&mut self, b: &Builder<'ctx>, a: &Affine) -> Emitted<IntValue<'ctx>> {
        if self.is_narrow(a) {
            return self.sum32(b, a);
        }
        let key = Key::Truncated(a.clone());
        if let Some(v) = self.find_value(&key) {
            return Ok(v);
        }
        let value = self.add_terms(b, a, self.i32, false)?.unwrap_or_else(|| self.i32.const_zero());
        self.remember_value(key, value);
        Ok(value)
    }

    /// Σ terms + constant in type `ty`, what changes in fewer loops first.
    fn add_terms(
        &mut self,
        b: &Builder<'ctx>,
        a: &Affine,
        ty: IntType<'ctx>,
        exact: bool,
    ) -> Emitted<Option<IntValue<'ctx>>> {
        let mut sum: Option<IntValue<'ctx>> = None;
        let mut terms = a.terms.clone();
        terms.sort_by_key(|&(atom, _)| (self.atoms[atom as usize].depth, atom));
        for (atom, k) in terms {
            let v = self.atom_in(b, atom, ty)?;
            let size = ty.const_int(k.unsigned_abs(), true);
            let magnitude = match (k.unsigned_abs(), exact) {
                (1, _) => v,
                (_, true) => b.build_int_nsw_mul(v, size, "")?,
                (_, false) => b.build_int_mul(v, size, "")?,
            };
            sum = Some(match (sum, k < 0, exact) {
                (None, false, _) => magnitude,
                (None, true, true) => b.build_int_nsw_neg(magnitude, "")?,
                (None, true, false) => b.build_int_neg(magnitude, "")?,
                (Some(s), false, true) => b.build_int_nsw_add(s, magnitude, "")?,
                (Some(s), false, false) => b.build_int_add(s, magnitude, "")?,
                (Some(s), true, true) => b.build_int_nsw_sub(s, magnitude, "")?,
                (Some(s), true, false) => b.build_int_sub(s, magnitude, "")?,
            });
        }
        if a.constant != 0 {
            let c = ty.const_int(a.constant as u64, true);
            sum = Some(match (sum, exact) {
                (None, _) => c,
                (Some(s), true) => b.build_int_nsw_add(s, c, "")?,
                (Some(s), false) => b.build_int_add(s, c, "")?,
            });
        }
        Ok(sum)
    }

    fn atom_in(
        &self,
        b: &Builder<'ctx>,
        atom: AtomId,
        ty: IntType<'ctx>,
    ) -> Emitted<IntValue<'ctx>> {
        let v = self.atoms[atom as usize].value;
        Ok(match (v.get_type() == self.i64, ty == self.i64) {
            (true, false) => b.build_int_truncate(v, ty, "")?,
            (false, true) => b.build_int_s_extend(v, ty, "")?,
            _ => v,
        })
    }

    /// The condition, folded where ranges decide it.
    pub fn test(&mut self, b: &Builder<'ctx>, c: &Cond) -> Emitted<Test<'ctx>> {
        match c {
            Cond::Le(x, y) => {
                let (x, y) = (self.affine(b, x)?, self.affine(b, y)?);
                self.not_above(b, &x, &y)
            }
            Cond::All(all) => {
                let mut sum = Test::Always;
                for c in all {
                    sum = sum.and(b, self.test(b, c)?)?;
                }
                Ok(sum)
            }
        }
    }

    /// x <= y
    pub fn not_above(&mut self, b: &Builder<'ctx>, x: &Affine, y: &Affine) -> Emitted<Test<'ctx>> {
        let slack = y.add_scaled(x, -1).ok_or_else(too_large)?;
        let minus = slack.scale(-1).ok_or_else(too_large)?;
        if self.upper_bound(&minus) <= 0 {
            return Ok(Test::Always);
        }
        if self.upper_bound(&slack) < 0 {
            return Ok(Test::Never);
        }
        let (wide, narrow) = self.split_widths(&slack)?;
        let clampable = self.narrow
            && !wide.terms.is_empty()
            && !narrow.terms.is_empty()
            && wide.constant == 0
            && self.range(&narrow).lo > -CLAMP as i128
            && self.range(&narrow).hi < CLAMP as i128;
        let (left, right) = if clampable {
            let left = narrow.scale(-1).ok_or_else(too_large)?;
            (self.sum32(b, &left)?, self.clamped(b, &wide)?)
        } else {
            self.sides(b, &slack)?
        };
        Ok(Test::Value(b.build_int_compare(IntPredicate::SLE, left, right, "")?))
    }

    /// `slack >= 0` as a comparison of the terms below zero with those above.
    fn sides(
        &mut self,
        b: &Builder<'ctx>,
        slack: &Affine,
    ) -> Emitted<(IntValue<'ctx>, IntValue<'ctx>)> {
        let (mut left, mut right) = (Affine::default(), Affine::constant(slack.constant));
        for &(atom, k) in &slack.terms {
            if k < 0 {
                left.terms.push((atom, k.checked_neg().ok_or_else(too_large)?));
            } else {
                right.terms.push((atom, k));
            }
        }
        if self.is_narrow(&left) && self.is_narrow(&right) {
            Ok((self.sum32(b, &left)?, self.sum32(b, &right)?))
        } else {
            Ok((self.wide(b, &left)?, self.wide(b, &right)?))
        }
    }

    /// A wide sum limited to ±[`CLAMP`], in 32 bits: comparisons with smaller values come out the same.
    pub fn clamped(&mut self, b: &Builder<'ctx>, a: &Affine) -> Emitted<IntValue<'ctx>> {
        let key = Key::Clamped(a.clone());
        if let Some(v) = self.find_value(&key) {
            return Ok(v);
        }
        let v = self.wide(b, a)?;
        let (low, high) =
            (self.i64.const_int(-CLAMP as u64, true), self.i64.const_int(CLAMP as u64, true));
        let above = b.build_int_compare(IntPredicate::SGT, v, high, "")?;
        let v = b.build_select(above, high, v, "")?.into_int_value();
        let below = b.build_int_compare(IntPredicate::SLT, v, low, "")?;
        let v = b.build_select(below, low, v, "")?.into_int_value();
        let v = b.build_int_truncate(v, self.i32, "")?;
        self.remember_value(key, v);
        Ok(v)
    }
}
