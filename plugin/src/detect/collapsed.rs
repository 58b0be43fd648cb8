//! Loops that run through rows and columns at once, and find both by division:
//!
//! ```text
//! for (k = 0; k < n * m; k++) { i = k / m; j = k % m; … }
//! ```
//! Consumes a loop that counts from the start of a row, or of a plane, and its trip count; produces a counter for each
//! dimension, k = i·m + j, of which quotients and remainders are counters again. Only where the rows are whole ones, as far
//! as polynomials tell; that no size is negative, the runtime checks.

use super::affine::{Extension, Found, push_check, too_large};
use super::context::Context;
use crate::llvm::{LoopRef, Opcode, ScevKind, Value};
use hexpass_abi::{CheckKind, IntExpr, Poly, Sym};
use hexpass_poly::rejection::Rejection;

/// Rows narrower than this are none of a grid: something happens every so many points.
const MIN_ROW: i64 = 16;
/// Nor those of more than 2 to that many elements.
const MOST_BITS: i64 = 31;

/// Such a loop.
#[derive(Debug)]
pub struct Collapsed<'a> {
    pub own: LoopRef<'a>,
    /// Its counters, outermost first, and by how much the loop's own grows with each: the last one by 1.
    pub counters: Vec<(u16, Poly)>,
}

/// What is divided, by what, and whether for the remainder; powers of two are shifts and masks.
fn division(v: Value<'_>) -> Option<(Value<'_>, By<'_>, bool)> {
    let (x, by) = (v.operand(0)?, v.operand(1)?);
    Some(match v.opcode()? {
        Opcode::LLVMSDiv | Opcode::LLVMUDiv => (x, By::Value(by), false),
        Opcode::LLVMSRem | Opcode::LLVMURem => (x, By::Value(by), true),
        Opcode::LLVMLShr => {
            let bits = by.as_int().filter(|b| (1..MOST_BITS).contains(b))?;
            (x, By::Number(1 << bits), false)
        }
        Opcode::LLVMAnd => {
            let mask = by.as_int().filter(|m| (1..1 << MOST_BITS).contains(m))?;
            ((mask + 1) & mask == 0).then_some((x, By::Number(mask + 1), true))?
        }
        _ => return None,
    })
}

/// A divisor.
enum By<'a> {
    Value(Value<'a>),
    Number(i64),
}

/// The value before it was made wider or narrower.
fn uncast(mut v: Value<'_>) -> Value<'_> {
    while let Some(Opcode::LLVMTrunc | Opcode::LLVMSExt | Opcode::LLVMZExt | Opcode::LLVMFreeze) =
        v.opcode()
    {
        let Some(of) = v.operand(0) else { break };
        v = of;
    }
    v
}

impl<'a> Context<'a> {
    /// Gives a loop its counters: one, or several where its body divides it. Their numbers.
    pub fn count(&mut self, l: LoopRef<'a>, trip: IntExpr) -> Result<Vec<u16>, Rejection> {
        let strides = match &trip {
            IntExpr::Poly(trip) => self.strides(l, trip)?,
            _ => Vec::new(),
        };
        let first = u16::try_from(self.loops.len()).map_err(too_large)?;
        let (IntExpr::Poly(all), false) = (&trip, strides.is_empty()) else {
            self.loops.push(l);
            self.trips.push(trip);
            return Ok(vec![first]);
        };
        let (mut left, mut counters) = (all.clone(), Vec::new());
        for stride in strides.into_iter().chain([Poly::constant(1)]) {
            let extent = left.exact_div(&stride).ok_or_else(|| too_large(()))?;
            let id = u16::try_from(self.loops.len()).map_err(too_large)?;
            counters.push((id, stride.clone()));
            self.loops.push(l);
            self.trips.push(IntExpr::Poly(extent.clone()));
            // Two negative sizes are a length that no loop over rows has.
            push_check(&mut self.checks, extent, CheckKind::Size);
            left = stride;
        }
        push_check(&mut self.checks, all.scale(-1).map_err(too_large)?, CheckKind::Idle);
        let ids = counters.iter().map(|(id, _)| *id).collect();
        self.collapsed.push(Collapsed { own: l, counters });
        Ok(ids)
    }

    /// By how much the loop's counter grows with its rows, with planes of those, and so on, largest first; none if nothing
    /// in its body speaks of rows, or these aren't whole.
    fn strides(&mut self, l: LoopRef<'a>, trip: &Poly) -> Result<Vec<Poly>, Rejection> {
        let mut out: Vec<Poly> = Vec::new();
        for v in l.blocks().into_iter().flat_map(|b| b.instructions()) {
            let Some((x, by, _)) = division(v) else { continue };
            if let Some((of, from)) = self.stride_of(x, l)?
                && let Some(by) = self.size(by)?
                && from.exact_div(&by).is_some()
            {
                let stride = of.mul(&by).map_err(too_large)?;
                if !out.contains(&stride) {
                    out.push(stride);
                }
            }
        }
        let longest = |p: &Poly| std::cmp::Reverse(p.terms().iter().map(|t| t.symbols.len()).max());
        out.sort_by_key(|p| (longest(p), std::cmp::Reverse(p.as_constant())));
        let whole = [trip].into_iter().chain(&out).zip(&out).all(|(a, b)| a.exact_div(b).is_some());
        let wide = out.last().is_some_and(|p| p.as_constant().is_none_or(|c| c >= MIN_ROW));
        Ok(if whole && wide && out[0] != *trip { out } else { Vec::new() })
    }

    /// How far a value of the loop is the loop's own counter: by how much that grows while the value grows by one, and what
    /// the value is at first.
    fn stride_of(
        &mut self,
        v: Value<'a>,
        l: LoopRef<'a>,
    ) -> Result<Option<(Poly, Poly)>, Rejection> {
        let v = uncast(v);
        if let Some((x, by, is_remainder)) = division(v) {
            if is_remainder {
                return Ok(None);
            }
            let (Some((of, from)), Some(by)) = (self.stride_of(x, l)?, self.size(by)?) else {
                return Ok(None);
            };
            let Some(from) = from.exact_div(&by) else { return Ok(None) };
            return Ok(Some((of.mul(&by).map_err(too_large)?, from)));
        }
        let Some(counter) = self.a.scev(v) else { return Ok(None) };
        if counter.kind() != ScevKind::AddRec || counter.add_rec_loop() != Some(l) {
            return Ok(None);
        }
        let [from, by] = counter.operands()[..] else { return Ok(None) };
        if by.constant() != Some(1) || !self.a.is_invariant(from, self.time) {
            return Ok(None);
        }
        let from = self.poly(from, Extension::Signed, &mut Vec::new()).ok();
        Ok(from.map(|from| (Poly::constant(1), from)))
    }

    /// What does not change in the nest, as a polynomial of one term.
    fn size(&mut self, by: By<'a>) -> Result<Option<Poly>, Rejection> {
        let v = match by {
            By::Number(n) => return Ok(Some(Poly::constant(n))),
            By::Value(v) => v,
        };
        let Some(scev) = self.a.scev(v).filter(|s| self.a.is_invariant(*s, self.time)) else {
            return Ok(None);
        };
        let size = self.poly(scev, Extension::Signed, &mut Vec::new()).ok();
        Ok(size.filter(|p| p.terms().len() == 1))
    }

    /// What the loop's own counter is.
    pub fn counter_of(&self, l: LoopRef<'a>) -> Result<Option<Poly>, Rejection> {
        if let Some((_, counter)) = self.filling.iter().find(|(own, _)| *own == l) {
            return Ok(Some(counter.clone()));
        }
        if let Some(counter) = self.counter_in_block(l)? {
            return Ok(Some(counter));
        }
        let Some(collapsed) = self.collapsed.iter().find(|c| c.own == l) else {
            return Ok(self.symbol_of(l).map(Poly::symbol));
        };
        let each = |(id, stride): &(u16, Poly)| stride.mul(&Poly::symbol(Sym::Iv(*id)));
        let sum = collapsed.counters.iter().try_fold(Poly::zero(), |sum, c| sum.add(&each(c)?));
        sum.map(Some).map_err(too_large)
    }

    /// Quotient and remainder of what a collapsed loop's counters say, where those that don't make whole multiples of
    /// `by` run through all that is less than it.
    pub fn divided_counters(
        &mut self,
        x: &Poly,
        by: &Poly,
        found: &mut Vec<Found>,
    ) -> Result<Option<(Poly, Poly)>, Rejection> {
        if self.collapsed.is_empty() {
            return Ok(None);
        }
        let counters = (0u16..).take(self.trips.len()).filter(|&i| x.mentions(Sym::Iv(i)));
        let (mut quotient, mut rest, mut within) = (Poly::zero(), x.clone(), Vec::new());
        for i in counters.collect::<Vec<_>>() {
            let counter = Poly::symbol(Sym::Iv(i));
            let Some((factor, others)) = rest.split(Sym::Iv(i)) else { return Ok(None) };
            match factor.exact_div(by) {
                Some(times) => {
                    quotient =
                        times.mul(&counter).and_then(|p| quotient.add(&p)).map_err(too_large)?;
                    rest = others;
                }
                None => within.push((i, factor)),
            }
        }
        let mut below = Poly::constant(1);
        let mut left = rest.clone();
        for (i, factor) in within.into_iter().rev() {
            let Some(extent) = self.plain_trip(i).filter(|_| factor == below) else {
                return Ok(None);
            };
            below = below.mul(&extent).map_err(too_large)?;
            left = left.substitute(Sym::Iv(i), &Poly::zero()).map_err(too_large)?;
        }
        // Some whole rows before the first.
        let Some(before) = left.exact_div(by) else { return Ok(None) };
        let rest = rest.sub(&left).map_err(too_large)?;
        if quotient.is_zero() || !(below == *by || rest.is_zero()) {
            return Ok(None);
        }
        let quotient = quotient.add(&before).map_err(too_large)?;
        push_check(found, x.clone(), CheckKind::Size);
        Ok(Some((quotient, rest)))
    }

    /// A number that has the sign of `p`, in whole rows, or planes: k < m, say, where i·m + j is k, if i < 1.
    pub fn in_rows(&mut self, p: &Poly) -> Result<Option<Poly>, Rejection> {
        let opposite =
            |p: &Poly| p.scale(-1).and_then(|p| p.sub(&Poly::constant(1))).map_err(too_large);
        let strides = self.collapsed.iter().flat_map(|c| &c.counters).map(|(_, stride)| stride);
        let several = strides.filter(|s| s.as_constant() != Some(1)).cloned();
        for stride in several.collect::<Vec<_>>() {
            if let Some(rows) = self.whole_rows(p, &stride)? {
                return Ok(Some(rows));
            }
            if let Some(rows) = self.whole_rows(&opposite(p)?, &stride)? {
                return opposite(&rows).map(Some);
            }
        }
        Ok(None)
    }

    /// `p / stride`, rounded down.
    fn whole_rows(&mut self, p: &Poly, stride: &Poly) -> Result<Option<Poly>, Rejection> {
        let counts = |s: &Sym| matches!(s, Sym::Iv(_));
        let terms = p.terms().iter().filter(|t| t.symbols.iter().any(counts));
        let of_counters = Poly::from_terms(terms.map(|t| (t.coefficient, t.symbols.clone())));
        let of_counters = of_counters.map_err(too_large)?;
        let rest = p.sub(&of_counters).map_err(too_large)?;
        let (Some(more), Some((rows, _))) =
            (rest.exact_div(stride), self.divided_counters(&of_counters, stride, &mut Vec::new())?)
        else {
            return Ok(None);
        };
        rows.add(&more).map(Some).map_err(too_large)
    }
}
