//! Integers and conditions that take turns, and what they are in subscripts and behind the loop.

use super::arithmetic::{
    bits, compared, converted, is_conversion, is_operation, operation, signed,
};
use super::{DEEPEST, MOST_TURNS, Turns};
use crate::detect::affine::{Extension, Found, push_check, too_large};
use crate::detect::context::{Context, Known};
use crate::llvm::{Opcode, ScevKind, ScevRef, Value};
use hexpass_abi::{CheckKind, Poly, Sym};
use hexpass_poly::rejection::Rejection;
use hexpass_poly::scop::Linear;
use inkwell::llvm_sys::LLVMIntPredicate;

impl<'a> Context<'a> {
    /// A value that scalar evolution has no name for, as a remainder of the step.
    pub fn turning(
        &mut self,
        v: Value<'a>,
        ext: Extension,
        found: &mut Vec<Found>,
    ) -> Result<Option<Poly>, Rejection> {
        let Some(turns) = self.turns(v, found)? else { return Ok(None) };
        let negative = ext == Extension::Signed && bits(v) == Some(1);
        let p = self.remainder_of_step(&turns, found)?;
        p.map(|p| if negative { p.scale(-1).map_err(too_large) } else { Ok(p) }).transpose()
    }

    fn remainder_of_step(
        &mut self,
        turns: &Turns,
        found: &mut Vec<Found>,
    ) -> Result<Option<Poly>, Rejection> {
        if let [value] = turns.values[..] {
            return Ok(Some(Poly::constant(value)));
        }
        let Some((base, step, way, first)) = turns.as_remainder() else { return Ok(None) };
        let modulus = turns.values.len() as i64;
        let turn = Poly::symbol(Sym::Time).add(&turns.turned).map_err(too_large)?;
        let turn = turn.scale(way.rem_euclid(modulus)).map_err(too_large)?;
        let turn = turn.add(&Poly::constant(first)).map_err(too_large)?;
        let turn = self.modulo(&turn, modulus, found)?;
        turn.scale(step).and_then(|p| p.add(&Poly::constant(base))).map(Some).map_err(too_large)
    }

    /// The turns of an integer or a condition.
    pub fn turns(
        &mut self,
        v: Value<'a>,
        found: &mut Vec<Found>,
    ) -> Result<Option<Turns>, Rejection> {
        match self.is_of_steps(v, DEEPEST) {
            true => self.turns_of(v, found),
            false => Ok(None),
        }
    }

    /// It is made of integer phis of the time loop's header and of what is known before the nest.
    pub(super) fn is_of_steps(&self, v: Value<'a>, deep: u32) -> bool {
        if bits(v).is_none() {
            return false;
        }
        if self.is_outside(v) || self.is_header_phi(v) {
            return true;
        }
        let selects = v.opcode() == Some(Opcode::LLVMSelect);
        let fine = |o: Opcode| selects || is_operation(o) || is_conversion(o);
        deep > 0
            && v.opcode().is_some_and(fine)
            && v.operands().into_iter().all(|x| self.is_of_steps(x, deep - 1))
    }

    fn turns_of(
        &mut self,
        v: Value<'a>,
        found: &mut Vec<Found>,
    ) -> Result<Option<Turns>, Rejection> {
        if let Some(c) = v.as_int() {
            return Ok(bits(v).map(|bits| Turns::constant(signed(c, bits))));
        }
        if self.is_outside(v) {
            return Ok(None);
        }
        if self.is_header_phi(v) {
            if let Some(known) = self.turning_ints.get(&v) {
                return Ok(known.clone());
            }
            let turns = self.turning_phi(v)?;
            self.turning_ints.insert(v, turns.clone());
            return Ok(turns);
        }
        let Some(opcode) = v.opcode() else { return Ok(None) };
        let mut of = Vec::new();
        for x in v.operands() {
            match self.turns_of(x, found)? {
                Some(turns) => of.push(turns),
                None => return self.turns_of_step(v, found),
            }
        }
        let mut of = of.into_iter();
        let (Some(x), y, z) = (of.next(), of.next(), of.next()) else { return Ok(None) };
        Ok(match (y, z) {
            (None, _) => x.clone().with(x, |x, _| converted(v, opcode, x)),
            (Some(y), None) => x.with(y, |x, y| operation(v, opcode, x, y)),
            (Some(y), Some(z)) => {
                // Places in the list of both, then what stands there.
                let if_not = x.clone().with(z, |c, z| Some(if c == 0 { z } else { 0 }));
                let if_so = x.with(y, |c, y| Some(if c == 0 { 0 } else { y }));
                if_so.zip(if_not).and_then(|(a, b)| a.with(b, |a, b| Some(a + b)))
            }
        })
    }

    /// A remainder of the step's own number (`t % 2`), as scalar evolution knows it.
    fn turns_of_step(
        &mut self,
        v: Value<'a>,
        found: &mut Vec<Found>,
    ) -> Result<Option<Turns>, Rejection> {
        let is_bit = bits(v) == Some(1) && v.opcode() == Some(Opcode::LLVMTrunc);
        let number = if is_bit { v.operand(0) } else { Some(v) };
        let scev = number.and_then(|number| self.a.scev(number));
        let p = match scev.filter(|s| s.kind() != ScevKind::Unknown) {
            Some(scev) => {
                let split = self.split.take();
                let p = self.poly(scev, Extension::Unsigned, found).ok();
                self.split = split;
                p
            }
            None if matches!(v.opcode(), Some(Opcode::LLVMSRem | Opcode::LLVMURem)) => {
                self.remainder(v, found).ok()
            }
            None => None,
        };
        // The lowest bit says whether it is odd, as the same number without multiples of two is.
        let p = match p {
            Some(p) if is_bit => {
                let terms =
                    p.terms().iter().map(|t| (t.coefficient.rem_euclid(2), t.symbols.clone()));
                Poly::from_terms(terms).ok().and_then(|p| self.modulo(&p, 2, found).ok())
            }
            p => p,
        };
        let (Some(turns), Some(bits)) = (p.and_then(|p| self.turns_of_poly(&p)), bits(v)) else {
            return Ok(None);
        };
        // As numbers of so many bits are read elsewhere: an unsigned one may be large.
        let values = turns.values.iter().map(|&value| signed(value, bits)).collect();
        Ok(Some(Turns { values, ..turns }))
    }

    /// The turns of a polynomial over one remainder of the step.
    pub(super) fn turns_of_poly(&self, p: &Poly) -> Option<Turns> {
        let linear = Linear::of(p, &self.mods).ok()?;
        let rest = linear.rest.as_constant().filter(|_| linear.counters.is_empty())?;
        let Some((phase, step)) = linear.modular else { return Some(Turns::constant(rest)) };
        let step = step.as_constant()?;
        if phase.modulus > MOST_TURNS as i64 {
            return None;
        }
        let value = |turn: i64| {
            rest + step * (phase.direction * turn + phase.shift).rem_euclid(phase.modulus)
        };
        let values = (0..phase.modulus).map(value).collect();
        let by = phase.direction.rem_euclid(phase.modulus);
        Some(Turns { values, turned: phase.rotation.scale(by).ok()? })
    }

    /// What a comparison of such polynomials says in every turn.
    pub fn in_every_turn(&self, predicate: LLVMIntPredicate, x: &Poly, y: &Poly) -> Option<bool> {
        let (x, y) = (self.turns_of_poly(x)?, self.turns_of_poly(y)?);
        let answers = x.with(y, |x, y| Some(i64::from(compared(predicate, x, y, 64))))?;
        (answers.values.len() == 1).then(|| answers.values[0] != 0)
    }

    /// One of two sizes that a condition on the step chooses: they must be the same, unless one is nothing, as the way to the
    /// first of two planes of an array is.
    pub fn turning_choice(
        &mut self,
        v: Value<'a>,
        ext: Extension,
        found: &mut Vec<Found>,
    ) -> Result<Option<Poly>, Rejection> {
        let operands = (v.operand(0), v.operand(1), v.operand(2));
        let (Some(condition), Some(yes), Some(no)) = operands else { return Ok(None) };
        // They are of the step, and not of where the size is wanted.
        let mut of_steps = Vec::new();
        if self.turns(condition, &mut of_steps)?.is_none() {
            return Ok(None);
        }
        self.checks.extend(of_steps);
        let (Some(yes), Some(no)) = (self.a.scev(yes), self.a.scev(no)) else { return Ok(None) };
        let (x, y) = (self.poly(yes, ext, found)?, self.poly(no, ext, found)?);
        if (x.is_zero() || y.is_zero())
            && let Some(turn) = self.turning(condition, Extension::Unsigned, found)?
        {
            let apart = x.sub(&y).and_then(|apart| apart.mul(&turn));
            return apart.and_then(|p| p.add(&y)).map(Some).map_err(too_large);
        }
        push_check(found, x.sub(&y).map_err(too_large)?, CheckKind::Size);
        push_check(found, y.sub(&x).map_err(too_large)?, CheckKind::Size);
        Ok(Some(x.min(y)))
    }

    /// What a value that takes turns is in each of them, as values before the nest: first in iteration 0.
    pub fn turning_values(&mut self, v: Value<'a>) -> Result<Option<Vec<Value<'a>>>, Rejection> {
        let mut found = Vec::new();
        let (Some(turns), Some(like)) = (self.turns(v, &mut found)?, self.a.scev(v)) else {
            return Ok(None);
        };
        let len = turns.values.len();
        let values = if turns.turned.is_zero() {
            let constant = |&value: &i64| self.a.constant(value, like);
            turns.values.iter().map(constant).collect::<Option<Vec<_>>>()
        } else {
            self.values_from_start(&turns, v)
        };
        let Some(values) = values else { return Ok(None) };
        self.checks.extend(found);
        let values: Option<Vec<_>> = values.into_iter().map(|s| self.expand(s)).collect();
        Ok(values.filter(|v| v.len() == len))
    }

    /// The turns in iterations 0 … m−1 as formulas over the one parameter that says where they start.
    fn values_from_start(&self, turns: &Turns, v: Value<'a>) -> Option<Vec<ScevRef<'a>>> {
        let [term] = turns.turned.terms() else { return None };
        let [Sym::Int(start)] = term.symbols[..] else { return None };
        let Known::Value(start) = *self.ints.get(usize::from(start))? else { return None };
        let start = self.a.cast(self.a.scev(start)?, 64, true)?;
        let (base, step, way, first) = turns.as_remainder()?;
        let m = turns.values.len() as i64;
        let constant = |c: i64| self.a.constant(c, start);
        let turned = self.a.times(start, constant(term.coefficient)?)?;
        (0..m)
            .map(|i| {
                let turn = self.a.plus(turned, constant(i)?)?;
                let turn = self.a.times(turn, constant(way.rem_euclid(m))?)?;
                let turn = self.a.remainder(self.a.plus(turn, constant(first)?)?, constant(m)?)?;
                let value = self.a.times(turn, constant(step)?)?;
                let value = self.a.plus(value, constant(base)?)?;
                self.a.cast(value, bits(v)?, true)
            })
            .collect()
    }
}
