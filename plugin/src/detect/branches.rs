//! Branches inside a sweep: which way they go at which iterations.
//!
//! A condition on the position (`i == 0`, `j < m - 1`, the wrap of `(i + 1) % n`) is decided by splitting: the statement
//! is read several times, each time for a [`Region`] of iterations in which every such condition that it meets goes one
//! way. Nothing is enumerated beforehand: who can't decide notes a [`Split`] and gives up, and
//! [`Statements`](super::statements::Statements) tries both sides. What depends on data is left to the body, as a choice
//! between values.
//!
//! Consumes conditions and blocks of one loop; refuses `control-flow`.

use super::affine::{Extension, Found, push_check, too_large};
use super::context::Context;
use super::narrow::require_fits;
use crate::llvm::{Block, LoopRef, Opcode, Predicate, TypeKind, Value};
use hexpass_abi::expr::OutOfRange;
use hexpass_abi::{CheckKind, IntExpr, Poly, Sym};
use hexpass_poly::rejection::{Reason, Rejection};
use hexpass_poly::scop::LARGER_THAN_ANY_SIZE;
use inkwell::llvm_sys::LLVMIntPredicate::*;

/// Numbers of which one comparison is made.
const MAX_JOINED: usize = 6;

/// What is known of a condition at the iterations of the region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    Yes,
    No,
    /// It depends on data, or on the position in a way that is no bound of one counter.
    Data,
}

impl Truth {
    fn of(b: bool) -> Truth {
        if b { Truth::Yes } else { Truth::No }
    }

    fn not(self) -> Truth {
        match self {
            Truth::Yes => Truth::No,
            Truth::No => Truth::Yes,
            Truth::Data => Truth::Data,
        }
    }

    fn and(self, other: Truth) -> Truth {
        match (self, other) {
            (Truth::No, _) | (_, Truth::No) => Truth::No,
            (Truth::Yes, Truth::Yes) => Truth::Yes,
            _ => Truth::Data,
        }
    }
}

/// Iterations at which none of the conditions is negative; each is `±Iv` plus an expression over `Int`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Region {
    pub conditions: Vec<Poly>,
}

/// A condition that divides the region: it holds where `at_least` is not negative, and, given `at_most`, that too.
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    pub at_least: Poly,
    pub at_most: Option<Poly>,
}

/// Whether a counter's bound holds that lies where no grid ends: `j < 2147483647`, which is left of `j + 1 >= 1`.
fn within_any_size(p: &Poly) -> Option<bool> {
    const FAR: i64 = LARGER_THAN_ANY_SIZE - 1024;
    let rest = p.constant_part();
    let mut counters = p.terms().iter().filter(|t| !t.symbols.is_empty());
    let counter = counters.next().filter(|t| matches!(t.symbols[..], [Sym::Iv(_)]))?;
    match (counter.coefficient, counters.next()) {
        (-1, None) if rest >= FAR => Some(true),
        (1, None) if rest <= -FAR => Some(false),
        _ => None,
    }
}

/// The opposite of `p >= 0`: `-p - 1 >= 0`.
fn opposite(p: &Poly) -> Result<Poly, Rejection> {
    p.scale(-1).and_then(|p| p.sub(&Poly::constant(1))).map_err(too_large)
}

/// Where a condition makes a counter begin, or (true) end: it is `±Iv` plus what is known before the nest.
pub(super) fn end_of(condition: &Poly, counter: u16) -> Result<Option<(Poly, bool)>, OutOfRange> {
    let Some((factor, rest)) = condition.split(Sym::Iv(counter)) else { return Ok(None) };
    if rest.mentions_any(|s| !matches!(s, Sym::Int(_))) {
        return Ok(None);
    }
    Ok(match factor.as_constant() {
        Some(1) => Some((rest.scale(-1)?, false)),
        Some(-1) => Some((rest, true)),
        _ => None,
    })
}

impl Region {
    /// Where the condition holds and where it does not, the smaller iterations first.
    pub fn split(&self, by: &Split) -> Result<Vec<Region>, Rejection> {
        let with = |more: &[&Poly]| {
            let mut conditions = self.conditions.clone();
            conditions.extend(more.iter().map(|&p| p.clone()));
            Region { conditions }
        };
        let below = opposite(&by.at_least)?;
        Ok(match &by.at_most {
            None => vec![with(&[&below]), with(&[&by.at_least])],
            Some(most) => {
                vec![with(&[&below]), with(&[&by.at_least, most]), with(&[&opposite(most)?])]
            }
        })
    }

    /// The constant by which `p` surely exceeds, or falls short of, what is known: `Some(true)` if `p >= 0` throughout,
    /// `Some(false)` if nowhere.
    fn decides(&self, p: &Poly, trips: &dyn Fn(u16) -> Option<Poly>) -> Option<bool> {
        if let Some(c) = p.as_constant() {
            return Some(c >= 0);
        }
        let mut known = self.conditions.clone();
        for s in p.terms().iter().flat_map(|t| &t.symbols) {
            if let Sym::Iv(i) = s {
                known.push(Poly::symbol(*s));
                if let Some(trip) = trips(*i) {
                    known.extend(
                        trip.sub(&Poly::symbol(*s)).and_then(|x| x.sub(&Poly::constant(1))),
                    );
                }
            }
        }
        for k in &known {
            if p.sub(k).ok().and_then(|d| d.as_constant()).is_some_and(|d| d >= 0) {
                return Some(true);
            }
            if p.add(k).ok().and_then(|d| d.as_constant()).is_some_and(|d| d < 0) {
                return Some(false);
            }
        }
        None
    }

    /// True if no iteration is left, as far as constants tell.
    pub fn is_empty(&self, trips: &dyn Fn(u16) -> Option<Poly>) -> bool {
        (0..self.conditions.len()).any(|i| {
            let others = Region {
                conditions: self
                    .conditions
                    .iter()
                    .enumerate()
                    .filter(|(j, _)| *j != i)
                    .map(|(_, p)| p.clone())
                    .collect(),
            };
            others.decides(&self.conditions[i], trips) == Some(false)
        })
    }
}

/// One counter, once, with a factor of one or minus one; the rest over `Int`.
fn is_bound(p: &Poly) -> bool {
    let mut counters =
        p.terms().iter().filter(|t| t.symbols.iter().any(|s| !matches!(s, Sym::Int(_))));
    let one = counters.next().is_some_and(|t| {
        matches!(t.symbols.as_slice(), [Sym::Iv(_)]) && t.coefficient.unsigned_abs() == 1
    });
    one && counters.next().is_none()
}

/// Read as unsigned, it is larger than any number that is not negative.
fn is_beyond(p: &Poly) -> bool {
    p.as_constant().is_some_and(|c| c < 0)
}

fn undecided() -> Rejection {
    Rejection::new(
        Reason::ControlFlow,
        "the loop body differs from place to place in more ways than are told apart",
    )
}

impl<'a> Context<'a> {
    /// A trip count that is a polynomial.
    pub fn plain_trip(&self, counter: u16) -> Option<Poly> {
        match self.trips.get(usize::from(counter))? {
            IntExpr::Poly(p) => Some(p.clone()),
            _ => None,
        }
    }

    /// Whether `p >= 0` in the region; an error and a noted split where it differs, `Data` where `p` is no bound of one
    /// counter.
    pub fn sign(&mut self, p: &Poly) -> Result<Truth, Rejection> {
        let rows = if is_bound(p) { None } else { self.in_rows(p)? };
        let p = rows.as_ref().unwrap_or(p);
        if let Some(b) = self.region.decides(p, &|l| self.plain_trip(l)) {
            return Ok(Truth::of(b));
        }
        if !is_bound(p) {
            return Ok(Truth::Data);
        }
        if let Some(holds) = within_any_size(p) {
            let value = if holds { p.clone() } else { opposite(p)? };
            self.everywhere(vec![Found { value, kind: CheckKind::Size }])?;
            return Ok(Truth::of(holds));
        }
        if let Some(truth) = self.sign_at_one(p)? {
            return Ok(truth);
        }
        self.split = Some(Split { at_least: p.clone(), at_most: None });
        Err(undecided())
    }

    /// Whether `p >= 0` throughout or nowhere in the region as it is, if that is known.
    pub fn known_sign(&self, p: &Poly) -> Option<bool> {
        self.region.decides(p, &|l| self.plain_trip(l))
    }

    /// Where the region is one iteration of the counter in `p`, `p` is a size: the sign that it has for large ones, and
    /// a check that it has it.
    fn sign_at_one(&mut self, p: &Poly) -> Result<Option<Truth>, Rejection> {
        let Some(at) = self.at_one(p)? else { return Ok(None) };
        let size = |t: &hexpass_abi::expr::Term| !t.symbols.is_empty();
        let coefficients: Vec<i64> =
            at.terms().iter().filter(|t| size(t)).map(|t| t.coefficient).collect();
        let (truth, holds) = match coefficients.as_slice() {
            [] => return Ok(Some(Truth::of(at.constant_part() >= 0))),
            [c] if *c > 0 => (Truth::Yes, at),
            [_] => (Truth::No, opposite(&at)?),
            _ => return Ok(None),
        };
        push_check(&mut self.checks, holds, CheckKind::Size);
        Ok(Some(truth))
    }

    /// `p` with the value of each counter of which the region is one iteration; `None` if it has no such counter.
    fn at_one(&self, p: &Poly) -> Result<Option<Poly>, Rejection> {
        let mut out = p.clone();
        for i in self.counters_of(p) {
            if let Some(value) = self.only_value(i)? {
                out = out.substitute(Sym::Iv(i), &value).map_err(too_large)?;
            }
        }
        Ok((out != *p).then_some(out))
    }

    /// `p` with the values of such counters as far as that makes it shorter: what has wrapped round to the other end is
    /// that end.
    pub fn shortest(&self, p: &Poly) -> Result<Poly, Rejection> {
        let mut best = p.clone();
        for i in self.counters_of(p) {
            if let Some(value) = self.only_value(i)? {
                let there = best.substitute(Sym::Iv(i), &value).map_err(too_large)?;
                if there.terms().len() < best.terms().len() {
                    best = there;
                }
            }
        }
        Ok(match self.at_one(p)? {
            Some(there) if there.terms().len() < best.terms().len() => there,
            _ => best,
        })
    }

    fn counters_of(&self, p: &Poly) -> Vec<u16> {
        (0u16..).take(self.trips.len()).filter(|&i| p.mentions(Sym::Iv(i))).collect()
    }

    /// The counter's value where the region is one iteration of it.
    fn only_value(&self, i: u16) -> Result<Option<Poly>, Rejection> {
        let counter = Poly::symbol(Sym::Iv(i));
        let mut known = self.region.conditions.clone();
        known.push(counter.clone());
        let last = self.plain_trip(i).and_then(|t| t.sub(&Poly::constant(1)).ok());
        known.extend(last.and_then(|last| last.sub(&counter).ok()));
        // counter >= a and counter <= a: a and its opposite add up to nothing.
        let from = known.iter().find(|k| {
            k.split(Sym::Iv(i)).is_some_and(|(f, _)| f.as_constant() == Some(1))
                && known.iter().any(|o| o.add(k).is_ok_and(|s| s.is_zero()))
        });
        from.map(|from| counter.sub(from).map_err(too_large)).transpose()
    }

    /// Whether `p == 0`, likewise.
    pub fn zero(&mut self, p: &Poly) -> Result<Truth, Rejection> {
        let reverse = p.scale(-1).map_err(too_large)?;
        let trips = |l| self.plain_trip(l);
        let (least, most) = (self.region.decides(p, &trips), self.region.decides(&reverse, &trips));
        match (least, most) {
            (Some(false), _) | (_, Some(false)) => Ok(Truth::No),
            (Some(true), Some(true)) => Ok(Truth::Yes),
            _ if !is_bound(p) => Ok(Truth::Data),
            (Some(true), None) => self.sign(&reverse),
            (None, Some(true)) => self.sign(p),
            // Never zero, on whatever side of it.
            _ if within_any_size(p).is_some() => Ok(self.sign(p)?.and(self.sign(&reverse)?)),
            _ => {
                self.split = Some(Split { at_least: p.clone(), at_most: Some(reverse) });
                Err(undecided())
            }
        }
    }

    /// What is known of a condition.
    pub fn truth(&mut self, v: Value<'a>) -> Result<Truth, Rejection> {
        if let Some(c) = v.as_int() {
            return Ok(Truth::of(c != 0));
        }
        match v.opcode() {
            Some(Opcode::LLVMICmp) => self.compared(v),
            Some(Opcode::LLVMFreeze) => self.truth_of(v, 0),
            Some(Opcode::LLVMXor) => match (self.truth_of(v, 0)?, self.truth_of(v, 1)?) {
                (Truth::Data, _) | (_, Truth::Data) => Ok(Truth::Data),
                (x, y) => Ok(Truth::of(x != y)),
            },
            Some(Opcode::LLVMAnd) => self.joined_truth(v, (0, 1), Truth::No),
            Some(Opcode::LLVMOr) => self.joined_truth(v, (0, 1), Truth::Yes),
            Some(Opcode::LLVMSelect) => {
                let constant = |i| v.operand(i).and_then(|x| x.as_int());
                match (constant(1), constant(2)) {
                    (_, Some(0)) => self.joined_truth(v, (0, 1), Truth::No),
                    (Some(_), _) => self.joined_truth(v, (0, 2), Truth::Yes),
                    _ => match self.truth_of(v, 0)? {
                        Truth::Yes => self.truth_of(v, 1),
                        Truth::No => self.truth_of(v, 2),
                        Truth::Data => Ok(Truth::Data),
                    },
                }
            }
            Some(Opcode::LLVMPHI) => self.by_way(v),
            _ => Ok(Truth::Data),
        }
    }

    /// What a condition is that says by which way control has come: where the region allows one of them.
    fn by_way(&mut self, phi: Value<'a>) -> Result<Truth, Rejection> {
        let ways = phi.incoming();
        let l = phi.block().and_then(|block| self.a.loop_of(block)).filter(|l| {
            phi.block() != Some(l.header())
                && ways.iter().all(|(value, _)| value.as_int().is_some())
        });
        let (Some(l), Some(block)) = (l, phi.block()) else { return Ok(Truth::Data) };
        let mut found = None;
        for (value, from) in ways {
            if !self.reachable(l, from)? || self.edge(l, from, block)? == Truth::No {
                continue;
            }
            let truth = self.truth(value)?;
            if found.is_some_and(|before| before != truth) {
                return Ok(Truth::Data);
            }
            found = Some(truth);
        }
        Ok(found.unwrap_or(Truth::Data))
    }

    fn truth_of(&mut self, v: Value<'a>, operand: u32) -> Result<Truth, Rejection> {
        match v.operand(operand) {
            Some(x) => self.truth(x),
            None => Ok(Truth::Data),
        }
    }

    /// Both or either of two operands; `decisive` is the one answer that settles it alone.
    fn joined_truth(
        &mut self,
        v: Value<'a>,
        (x, y): (u32, u32),
        decisive: Truth,
    ) -> Result<Truth, Rejection> {
        let first = match self.truth_of(v, x) {
            Ok(first) => first,
            Err(why) => {
                let split = self.split.take();
                if self.truth_of(v, y).is_ok_and(|second| second == decisive) {
                    return Ok(decisive);
                }
                self.split = split;
                return Err(why);
            }
        };
        if first == decisive {
            return Ok(decisive);
        }
        let second = self.truth_of(v, y)?;
        Ok(match (first, second) {
            (_, s) if s == decisive => decisive,
            (Truth::Data, _) | (_, Truth::Data) => Truth::Data,
            _ => decisive.not(),
        })
    }

    /// One of the two operands is negative and the other is not; what the counters don't change is taken for a size, which
    /// is never negative, or for the opposite of one.
    fn differ_in_sign(&mut self, v: Value<'a>) -> Result<Truth, Rejection> {
        let (mut found, mut signs) = (Vec::new(), Vec::new());
        for i in 0..2 {
            let scev = v.operand(i).and_then(|x| self.a.scev(x));
            let Some(scev) = scev.filter(|s| !s.is_pointer() && self.a.bits(*s) <= 64) else {
                return Ok(Truth::Data);
            };
            let bits = self.a.bits(scev);
            let p = match self.poly(scev, Extension::Signed, &mut found) {
                Ok(p) => p,
                Err(r) if self.split.is_some() => return Err(r),
                Err(_) => return Ok(Truth::Data),
            };
            require_fits(&p, bits, Extension::Signed, &mut found)?;
            if !p.mentions_any(|s| !matches!(s, Sym::Int(_))) && p.as_constant().is_none() {
                let is_negative = p.terms().iter().all(|t| t.coefficient < 0);
                let holds = if is_negative { opposite(&p)? } else { p };
                push_check(&mut found, holds, CheckKind::Size);
                signs.push(Truth::of(!is_negative));
            } else {
                signs.push(self.sign(&p)?);
            }
        }
        if signs.contains(&Truth::Data) || !found.iter().all(|f| self.corners(&f.value).is_ok()) {
            return Ok(Truth::Data);
        }
        self.everywhere(found)?;
        Ok(Truth::of(signs[0] != signs[1]))
    }

    /// Whether all of the numbers lie in `0..2^free`, of which one or several may decide alone.
    fn all_within(&mut self, joined: &JoinedBits<'a>) -> Result<Truth, Rejection> {
        let (mut all, mut refused) = (Truth::Yes, None);
        for &part in &joined.parts {
            match self.is_within(part, joined.bits, joined.free) {
                Ok(truth) => all = all.and(truth),
                Err(why) => refused = refused.or(Some((why, self.split.take()))),
            }
        }
        match refused {
            Some((why, split)) if all != Truth::No => {
                self.split = split;
                Err(why)
            }
            _ => Ok(all),
        }
    }

    /// Whether the lowest `bits` bits of a number, as a number with a sign, lie in `0..2^free`.
    fn is_within(&mut self, v: Value<'a>, bits: u32, free: u32) -> Result<Truth, Rejection> {
        let Some(scev) = self.a.scev(v).filter(|s| !s.is_pointer() && self.a.bits(*s) <= 64) else {
            return Ok(Truth::Data);
        };
        let mut found = Vec::new();
        let p = match self.poly(scev, Extension::Signed, &mut found) {
            Ok(p) => p,
            Err(r) if self.split.is_some() => return Err(r),
            Err(_) => return Ok(Truth::Data),
        };
        let strange = p.mentions_any(|s| matches!(s, Sym::Time | Sym::Mod(_)));
        if strange || self.corners(&p).is_err() {
            return Ok(Truth::Data);
        }
        require_fits(&p, bits, Extension::Signed, &mut found)?;
        if !found.iter().all(|f| self.corners(&f.value).is_ok()) {
            return Ok(Truth::Data);
        }
        let mut truth = self.sign(&p)?;
        if truth == Truth::Yes && free + 1 < bits {
            let most = Poly::constant((1 << free) - 1);
            truth = self.sign(&most.sub(&p).map_err(too_large)?)?;
        }
        if truth != Truth::Data {
            self.everywhere(found)?;
        }
        Ok(truth)
    }

    /// A comparison of integers.
    fn compared(&mut self, v: Value<'a>) -> Result<Truth, Rejection> {
        let (Some(predicate), Some(x), Some(y)) = (v.int_predicate(), v.operand(0), v.operand(1))
        else {
            return Ok(Truth::Data);
        };
        match (predicate, y.as_int()) {
            (LLVMIntSLT, Some(0)) if x.opcode() == Some(Opcode::LLVMXor) => {
                return self.differ_in_sign(x);
            }
            (LLVMIntSGT, Some(-1)) if x.opcode() == Some(Opcode::LLVMXor) => {
                return self.differ_in_sign(x).map(Truth::not);
            }
            _ => {}
        }
        if let Some(joined) = JoinedBits::of(predicate, x, y) {
            let inside = self.all_within(&joined)?;
            return Ok(if joined.holds_within { inside } else { inside.not() });
        }
        let (Some(sx), Some(sy)) = (self.a.scev(x), self.a.scev(y)) else { return Ok(Truth::Data) };
        if sx.is_pointer() || sy.is_pointer() || self.a.bits(sx) > 64 {
            return Ok(Truth::Data);
        }
        let bits = self.a.bits(sx);
        let mut found = Vec::new();
        let polys = self
            .poly(sx, Extension::Signed, &mut found)
            .and_then(|x| Ok((x, self.poly(sy, Extension::Signed, &mut found)?)));
        let (x, y) = match polys {
            Ok(polys) => polys,
            Err(r) if self.split.is_some() => return Err(r),
            Err(_) => return Ok(Truth::Data),
        };
        // What stands on the right is known not to be negative, or checked once.
        let counts = |p: &Poly| p.mentions_any(|s| matches!(s, Sym::Iv(_)));
        let (predicate, x, y) = match is_unsigned(predicate) && counts(&y) && !counts(&x) {
            true => (reversed(predicate), y, x),
            false => (predicate, x, y),
        };
        let strange = |p: &Poly| p.mentions_any(|s| matches!(s, Sym::Time | Sym::Mod(_)));
        if strange(&x) || strange(&y) {
            let always = self.in_every_turn(predicate, &x, &y);
            if always.is_some() {
                self.checks.extend(found);
            }
            return Ok(always.map_or(Truth::Data, Truth::of));
        }
        let measured = |p: &Poly| self.corners(p).is_ok();
        if !(measured(&x) && measured(&y) && found.iter().all(|f| measured(&f.value))) {
            return Ok(Truth::Data);
        }
        let truth = self.ordered(predicate, &x, &y)?;
        if truth == Truth::Data {
            return Ok(truth);
        }
        // The numbers compared are those of the program.
        for p in [&x, &y] {
            require_fits(p, bits, Extension::Signed, &mut found)?;
        }
        if is_unsigned(predicate) && !is_beyond(&y) {
            push_check(&mut found, y, CheckKind::Size);
        }
        self.everywhere(found)?;
        Ok(truth)
    }

    /// Signed, or unsigned with a right side that a check finds not negative: what is negative is larger then. Unsigned, a
    /// constant that looks negative is larger than all that is not (`i < 100 || i > 200` as one comparison).
    fn ordered(&mut self, predicate: Predicate, x: &Poly, y: &Poly) -> Result<Truth, Rejection> {
        let difference = x.sub(y).map_err(too_large)?;
        let reverse = difference.scale(-1).map_err(too_large)?;
        let less = |p: &Poly| p.sub(&Poly::constant(1)).map_err(too_large);
        Ok(match predicate {
            LLVMIntEQ => self.zero(&difference)?,
            LLVMIntNE => self.zero(&difference)?.not(),
            LLVMIntSGE => self.sign(&difference)?,
            LLVMIntSLT => self.sign(&difference)?.not(),
            LLVMIntSLE => self.sign(&reverse)?,
            LLVMIntSGT => self.sign(&reverse)?.not(),
            LLVMIntULT | LLVMIntUGE | LLVMIntULE | LLVMIntUGT => {
                let below = if matches!(predicate, LLVMIntULT | LLVMIntUGE) {
                    less(&reverse)?
                } else {
                    reverse
                };
                let inside = match (self.sign(x)?, is_beyond(y)) {
                    (Truth::Yes, true) => Truth::Yes,
                    (Truth::Yes, false) | (Truth::No, true) => self.sign(&below)?,
                    (other, _) => other,
                };
                match predicate {
                    LLVMIntULT | LLVMIntULE => inside,
                    _ => inside.not(),
                }
            }
        })
    }

    /// Checks of conditions: they must hold at all iterations of the region, of which a condition was said to hold or not.
    fn everywhere(&mut self, found: Vec<Found>) -> Result<(), Rejection> {
        for f in found {
            for corner in self.corners_within(&f.value, &self.region)? {
                push_check(&mut self.checks, corner, f.kind);
            }
        }
        Ok(())
    }

    /// The values at the first and last iteration of every counter in `p`, which is linear in each.
    pub fn corners(&self, p: &Poly) -> Result<Vec<Poly>, Rejection> {
        self.corners_within(p, &Region::default())
    }

    /// The same where a region begins and ends.
    pub fn corners_within(&self, p: &Poly, region: &Region) -> Result<Vec<Poly>, Rejection> {
        let counter = p.terms().iter().flat_map(|t| &t.symbols).find(|s| matches!(s, Sym::Iv(_)));
        let Some(&Sym::Iv(i)) = counter else { return Ok(vec![p.clone()]) };
        let trip = self.plain_trip(i).ok_or_else(undecided)?;
        let mut ends = [Poly::zero(), trip.sub(&Poly::constant(1)).map_err(too_large)?];
        for condition in &region.conditions {
            if let Some((end, upper)) = end_of(condition, i).map_err(too_large)? {
                ends[usize::from(upper)] = end;
            }
        }
        let mut out = Vec::new();
        for end in ends {
            let at = p.substitute(Sym::Iv(i), &end).map_err(too_large)?;
            out.extend(self.corners_within(&at, region)?);
        }
        Ok(out)
    }

    /// What is known of the way from a block to one of its successors, inside loop `l`. A way out of the loop is never
    /// taken while an iteration goes on.
    pub fn edge(
        &mut self,
        l: LoopRef<'a>,
        from: Block<'a>,
        to: Block<'a>,
    ) -> Result<Truth, Rejection> {
        let ways = from.successors();
        // The preheader that stands for an inner loop goes on behind it.
        if !ways.contains(&to) || !ways.iter().any(|&s| s != to && l.contains(s)) {
            return Ok(Truth::Yes);
        }
        let Some(branch) = from.terminator() else { return Ok(Truth::Data) };
        match branch.condition() {
            Some(condition) => {
                let truth = self.truth(condition)?;
                Ok(if from.successors().first() == Some(&to) { truth } else { truth.not() })
            }
            None => Ok(Truth::Data),
        }
    }

    /// The blocks of `l` that lead to `to`, blocks of inner loops standing as their preheaders.
    pub fn ways_into(&self, l: LoopRef<'a>, to: Block<'a>) -> Result<Vec<Block<'a>>, Rejection> {
        let mut out = Vec::new();
        for p in to.predecessors().into_iter().filter(|&p| l.contains(p)) {
            let from = outermost(l, p)?;
            if !out.contains(&from) {
                out.push(from);
            }
        }
        Ok(out)
    }

    /// What a phi of a body takes, if the region leaves one way into its block.
    pub fn only_incoming(&mut self, phi: Value<'a>) -> Result<Option<Value<'a>>, Rejection> {
        let Some(block) = phi.block() else { return Ok(None) };
        let Some(l) = self.a.loop_of(block).filter(|l| l.header() != block) else {
            return Ok(None);
        };
        let mut left = Vec::new();
        for (value, from) in phi.incoming() {
            if self.reachable(l, from)? && self.edge(l, from, block)? != Truth::No {
                left.push(value);
            }
        }
        left.dedup();
        Ok(match left.as_slice() {
            [one] => Some(*one),
            _ => None,
        })
    }

    /// False if the region keeps control from reaching `block` in an iteration of `l`.
    pub fn reachable(&mut self, l: LoopRef<'a>, block: Block<'a>) -> Result<bool, Rejection> {
        let latch = l.latch().ok_or_else(undecided)?;
        let block = outermost(l, block)?;
        Ok(self.a.dominates(block, latch) || self.is_way(l, block, &[])?)
    }

    /// True if the region allows a way from the header to `block` that avoids `blocks`.
    fn is_way(
        &mut self,
        l: LoopRef<'a>,
        block: Block<'a>,
        blocks: &[Block<'a>],
    ) -> Result<bool, Rejection> {
        let mut seen = Vec::new();
        let mut todo = vec![block];
        while let Some(at) = todo.pop() {
            if blocks.contains(&at) || seen.contains(&at) {
                continue;
            }
            if at == l.header() {
                return Ok(true);
            }
            seen.push(at);
            for from in self.ways_into(l, at)? {
                if self.edge(l, from, at)? != Truth::No {
                    todo.push(from);
                }
            }
        }
        Ok(false)
    }

    /// True if every iteration of `l` that the region allows passes through one of `blocks`.
    pub fn covers(&mut self, l: LoopRef<'a>, blocks: &[Block<'a>]) -> Result<bool, Rejection> {
        let latch = l.latch().ok_or_else(undecided)?;
        let blocks: Vec<_> = blocks.iter().map(|&b| outermost(l, b)).collect::<Result<_, _>>()?;
        if blocks.iter().any(|&b| self.a.dominates(b, latch)) {
            return Ok(true);
        }
        Ok(!self.is_way(l, latch, &blocks)?)
    }
}

/// One comparison for several numbers, as `InstCombine` makes of `x < n && y < n` where `n` is a power of two, and of
/// `x >= 0 && y >= 0`: no bit of any of them is set that lies beyond.
struct JoinedBits<'a> {
    parts: Vec<Value<'a>>,
    /// The lowest bits of the numbers, which are all that is compared.
    bits: u32,
    /// Bits that may be set.
    free: u32,
    /// The condition is that all lie within; otherwise, that one doesn't.
    holds_within: bool,
}

impl<'a> JoinedBits<'a> {
    fn of(predicate: Predicate, x: Value<'a>, y: Value<'a>) -> Option<JoinedBits<'a>> {
        let TypeKind::Int(width @ 32..=64) = x.ty().kind() else { return None };
        let power = |c: i64| (c > 0 && c & (c - 1) == 0).then(|| c.trailing_zeros());
        let (joined, bits, free, holds_within) = match (predicate, y.as_int()?) {
            (LLVMIntSLT, 0) => (x, width, width - 1, false),
            (LLVMIntSGT, -1) => (x, width, width - 1, true),
            (LLVMIntULT, c) => (x, width, power(c)?, true),
            (LLVMIntUGT, c) => (x, width, power(c.checked_add(1)?)?, false),
            (LLVMIntEQ | LLVMIntNE, 0) if x.opcode() == Some(Opcode::LLVMAnd) => {
                let mask = x.operand(1)?.as_int().filter(|mask| *mask != 0)? as u64;
                let free = mask.trailing_zeros();
                let bits = (mask >> free).trailing_ones() + free;
                if mask >> free != u64::MAX >> (64 - (bits - free)) {
                    return None;
                }
                let bits = if bits == 64 { width } else { bits };
                (x.operand(0)?, bits, free, predicate == LLVMIntEQ)
            }
            _ => return None,
        };
        let mut parts = vec![joined];
        while let Some(i) = parts.iter().position(|p| p.opcode() == Some(Opcode::LLVMOr)) {
            let or = parts.swap_remove(i);
            parts.extend(or.operands());
        }
        (parts.len() > 1 && parts.len() <= MAX_JOINED).then_some(JoinedBits {
            parts,
            bits,
            free,
            holds_within,
        })
    }
}

/// The block, or the preheader of the loop directly in `l` that holds it.
pub fn outermost<'a>(l: LoopRef<'a>, block: Block<'a>) -> Result<Block<'a>, Rejection> {
    match l.children().into_iter().find(|c| c.contains(block)) {
        Some(inner) => inner.preheader().ok_or_else(undecided),
        None => Ok(block),
    }
}

/// The same of the operands in the other order.
fn reversed(unsigned: Predicate) -> Predicate {
    match unsigned {
        LLVMIntUGT => LLVMIntULT,
        LLVMIntULT => LLVMIntUGT,
        LLVMIntUGE => LLVMIntULE,
        LLVMIntULE => LLVMIntUGE,
        other => other,
    }
}

fn is_unsigned(p: Predicate) -> bool {
    matches!(p, LLVMIntUGT | LLVMIntUGE | LLVMIntULT | LLVMIntULE)
}
