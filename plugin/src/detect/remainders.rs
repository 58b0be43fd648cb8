//! Remainders and quotients of what changes in the nest, and of sizes.
//!
//! Consumes polynomials and what they are divided by; produces remainders of the step (`ModFact`), along space the side of
//! a wrap that the region lies on, and quotients of sizes as parameters. Refuses (`non-affine`) other divisions.

use super::affine::{Extension, Found, non_affine, not_linear, push_check, too_large};
use super::branches::Truth;
use super::context::{Context, Known};
use super::narrow::{require_fits, small_constant};
use super::places::Divisor;
use crate::llvm::{Opcode, ScevRef, Value};
use hexpass_abi::{CheckKind, IntExpr, Poly, Sym};
use hexpass_poly::facts::ModFact;
use hexpass_poly::rejection::Rejection;

/// Remainders by less are no period of a grid.
const SMALLEST_PERIOD: i64 = 4;

/// Nobody goes round a torus more often before a remainder is taken.
const MOST_TURNS: usize = 3;

impl<'a> Context<'a> {
    /// `x mod m` along space: x itself, or one m less (or more) where it has wrapped.
    pub(super) fn wrapped(
        &mut self,
        x: &Poly,
        m: &Poly,
        may_be_negative: bool,
        found: &mut Vec<Found>,
    ) -> Result<Poly, Rejection> {
        let refuse = || {
            non_affine(
                "a subscript is taken modulo something along space in a way that is not followed",
            )
        };
        if m.mentions_any(|s| !matches!(s, Sym::Int(_)))
            || m.as_constant().is_some_and(|c| c < SMALLEST_PERIOD)
        {
            return Err(refuse());
        }
        if let Some(rest) = beside_multiple(x, m, found)? {
            return Ok(rest);
        }
        let beyond = x.sub(m).map_err(too_large)?;
        match self.sign(&beyond)? {
            // Already so at the start: it may come round once more.
            Truth::Yes if self.first_value(&beyond)?.as_constant().is_some_and(|c| c >= 0) => {
                return self.wrapped(&beyond, m, false, found);
            }
            Truth::Yes => {
                let one_less = m.sub(&beyond).and_then(|p| p.sub(&Poly::constant(1)));
                push_check(found, one_less.map_err(too_large)?, CheckKind::Size);
                return Ok(beyond);
            }
            Truth::No => {}
            Truth::Data => return Err(refuse()),
        }
        if may_be_negative && self.sign(x)? == Truth::No {
            let up = x.add(m).map_err(too_large)?;
            push_check(found, up.clone(), CheckKind::Size);
            return Ok(up);
        }
        push_check(found, x.clone(), CheckKind::Size);
        Ok(x.clone())
    }

    /// It starts below zero, and is so in the region: a remainder of it is itself, as long as it is small.
    fn is_negative(&mut self, x: &Poly) -> Result<bool, Rejection> {
        if self.first_value(x)?.as_constant().is_none_or(|c| c >= 0) {
            return Ok(false);
        }
        Ok(self.sign(x)? == Truth::No)
    }

    /// The value in the first iteration of all space loops.
    fn first_value(&self, p: &Poly) -> Result<Poly, Rejection> {
        let counters = 0..u16::try_from(self.trips.len()).map_err(too_large)?;
        counters
            .into_iter()
            .try_fold(p.clone(), |p, i| p.substitute(Sym::Iv(i), &Poly::zero()).map_err(too_large))
    }

    /// It takes as many values as the modulus in the space loops, of which some lie outside of `0..modulus`: a torus of that
    /// many places, and no conversion of a number that is known to be small.
    pub(super) fn comes_round(&self, x: &Poly, modulus: i64) -> Result<bool, Rejection> {
        let mut last = x.clone();
        for (i, trip) in self.trips.iter().enumerate() {
            let (Ok(i), IntExpr::Poly(trip)) = (u16::try_from(i), trip) else { return Ok(false) };
            let end = trip.sub(&Poly::constant(1)).map_err(too_large)?;
            last = last.substitute(Sym::Iv(i), &end).map_err(too_large)?;
        }
        let first = self.first_value(x)?.as_constant();
        Ok(first.zip(last.as_constant()).is_some_and(|(first, last)| {
            last - first == modulus - 1 && (first < 0 || last >= modulus)
        }))
    }

    /// `x mod modulus`, with a check that x is not negative.
    pub fn modulo(
        &mut self,
        x: &Poly,
        modulus: i64,
        found: &mut Vec<Found>,
    ) -> Result<Poly, Rejection> {
        if let Some(c) = x.as_constant()
            && c >= 0
        {
            return Ok(Poly::constant(c % modulus));
        }
        if x.mentions_any(|s| matches!(s, Sym::Iv(_))) {
            return self.wrapped(x, &Poly::constant(modulus), false, found);
        }
        if x.mentions_any(|s| matches!(s, Sym::Mod(_))) {
            return Err(non_affine(format!(
                "a subscript is taken modulo {modulus} along space; write the wrapped border as loops of its own"
            )));
        }
        push_check(found, x.clone(), CheckKind::Size);
        let fact = ModFact { inner: x.clone(), modulus };
        let id = match self.mods.iter().position(|m| *m == fact) {
            Some(i) => i,
            None => {
                self.mods.push(fact);
                self.mods.len() - 1
            }
        };
        Ok(Poly::symbol(Sym::Mod(u16::try_from(id).map_err(too_large)?)))
    }

    /// What a division, or a remainder's, has above and below.
    pub(super) fn division_operands(
        &mut self,
        v: Value<'a>,
        found: &mut Vec<Found>,
    ) -> Result<(Poly, Poly), Rejection> {
        let ext = match v.opcode() {
            Some(Opcode::LLVMSDiv | Opcode::LLVMSRem) => Extension::Signed,
            _ => Extension::Unsigned,
        };
        let scev = |at| v.operand(at).and_then(|x| self.a.scev(x)).ok_or_else(not_linear);
        let (x, by) = (scev(0)?, scev(1)?);
        Ok((self.divided_value(x, ext, found)?, self.divided_value(by, ext, found)?))
    }

    /// What is divided, or divides. That is the polynomial itself, where any other one only has to be the same modulo
    /// 2^bits.
    pub(super) fn divided_value(
        &mut self,
        scev: ScevRef<'a>,
        ext: Extension,
        found: &mut Vec<Found>,
    ) -> Result<Poly, Rejection> {
        let bits = self.a.bits(scev);
        let p = small_constant(self.poly(scev, ext, found)?, bits)?;
        require_fits(&p, bits, ext, found)?;
        Ok(p)
    }

    pub(super) fn remainder(
        &mut self,
        v: Value<'a>,
        found: &mut Vec<Found>,
    ) -> Result<Poly, Rejection> {
        let (x, m) = self.division_operands(v, found)?;
        if let Some((_, rest)) = self.divided_counters(&x, &m, found)? {
            return Ok(rest);
        }
        if v.opcode() == Some(Opcode::LLVMSRem) && self.is_negative(&x)? {
            let above = x.add(&m).and_then(|p| p.sub(&Poly::constant(1)));
            push_check(found, above.map_err(too_large)?, CheckKind::Size);
            return Ok(x);
        }
        match m.as_constant().filter(|c| *c > 0) {
            Some(c) => self.modulo(&x, c, found),
            None => self.wrapped(&x, &m, false, found),
        }
    }

    /// A size divided by another, rounded down: how many rows of one length an array holds, or a part of it that begins or
    /// ends some whole rows further on.
    pub fn quotient(
        &mut self,
        x: &Poly,
        by: &Poly,
        found: &mut Vec<Found>,
    ) -> Result<Option<Poly>, Rejection> {
        let Some(divisor) = Divisor::of(by) else { return Ok(None) };
        let Some((whole, rest)) = whole_parts(x, by)? else { return Ok(None) };
        let quotient = match rest.terms() {
            [] => Poly::zero(),
            [term] => match (term.symbols.as_slice(), term.coefficient) {
                ([Sym::Int(of)], 1) => {
                    Poly::symbol(Sym::Int(self.parameter(Known::Quotient(*of, divisor))?))
                }
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        // Rounded down alike: neither what is divided nor the part of it that leaves a remainder is below zero.
        for size in [x.clone(), rest] {
            push_check(found, size, CheckKind::Size);
        }
        let positive = by.sub(&Poly::constant(1)).map_err(too_large)?;
        push_check(found, positive, CheckKind::Size);
        Ok(Some(quotient.add(&whole).map_err(too_large)?))
    }

    /// `x / by` where `x` is made of strides in bytes, which are whole numbers of elements ([`super::places`] has the guard
    /// check that).
    pub(super) fn divided(&mut self, x: &Poly, by: i64) -> Result<Poly, Rejection> {
        let mut terms = Vec::new();
        for t in x.terms() {
            let mut symbols = t.symbols.clone();
            if t.coefficient % by == 0 {
                terms.push((t.coefficient / by, symbols));
                continue;
            }
            let own = |s: &&mut Sym| matches!(s, Sym::Int(i) if self.is_stride(*i, x, by));
            let known = symbols.iter_mut().find(own);
            let stride = match known {
                Some(stride) => Some(stride),
                None => t.symbols.iter().position(is_int).map(|i| &mut symbols[i]),
            };
            let Some(Sym::Int(stride)) = stride else { return Err(not_linear()) };
            let of = *stride;
            *stride = self.parameter(Known::Quotient(of, Divisor::Constant(by)))?;
            if !self.whole_strides.contains(&(of, by)) {
                self.whole_strides.push((of, by));
            }
            terms.push((t.coefficient, symbols));
        }
        Poly::from_terms(terms).map_err(too_large)
    }

    /// A stride in bytes and no number of rows, where both are multiplied (`stride * (i - rows)`): it has been taken for one
    /// before, or a counter goes on by it.
    fn is_stride(&self, int: u16, x: &Poly, by: i64) -> bool {
        let counted = |symbols: &[Sym]| {
            symbols.contains(&Sym::Int(int)) && symbols.iter().filter(|s| is_int(s)).count() == 1
        };
        self.whole_strides.contains(&(int, by))
            || x.terms().iter().any(|t| t.symbols.len() > 1 && counted(&t.symbols))
    }
}

/// `x mod m` where x is some times m and a number, which is less than m: the neighbour of one place on a torus
/// (`(0 + d + n) % n`).
fn beside_multiple(x: &Poly, m: &Poly, found: &mut Vec<Found>) -> Result<Option<Poly>, Rejection> {
    let mut rest = x.clone();
    for turns in 0..=MOST_TURNS {
        if let Some(c) = rest.as_constant().filter(|&c| c >= 0 || turns > 0) {
            let wrapped = if c < 0 { m.add(&rest).map_err(too_large)? } else { rest };
            let room =
                m.sub(&wrapped).and_then(|p| p.sub(&Poly::constant(1))).map_err(too_large)?;
            push_check(found, wrapped.clone(), CheckKind::Size);
            push_check(found, room, CheckKind::Size);
            return Ok(Some(wrapped));
        }
        rest = rest.sub(m).map_err(too_large)?;
    }
    Ok(None)
}

fn is_int(s: &Sym) -> bool {
    matches!(s, Sym::Int(_))
}

/// `x` as `by` times the first plus the second, of which no term can be divided; none where more than sizes are in it.
fn whole_parts(x: &Poly, by: &Poly) -> Result<Option<(Poly, Poly)>, Rejection> {
    if x.mentions_any(|s| !matches!(s, Sym::Int(_))) {
        return Ok(None);
    }
    let (mut whole, mut rest) = (Poly::zero(), Poly::zero());
    for t in x.terms() {
        let term = Poly::from_terms(vec![(t.coefficient, t.symbols.clone())]).map_err(too_large)?;
        match term.exact_div(by) {
            Some(times) => whole = whole.add(&times).map_err(too_large)?,
            None => rest = rest.add(&term).map_err(too_large)?,
        }
    }
    Ok(Some((whole, rest)))
}
