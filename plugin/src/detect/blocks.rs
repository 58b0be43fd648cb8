//! Loops that the program has cut into blocks:
//!
//! ```text
//! for (ii = a; ii < n; ii += B)
//!     for (i = ii; i < min(ii + B, n); i++)
//!
//! for (b = 0; b < blocks; b++)
//!     for (i = a + b * B; i < min(a + (b + 1) * B, n); i++)
//! ```
//!
//! Consumes the outer of two such loops; produces one counter for both, i - a, which runs through all of a..n. The outer
//! loop counts nothing, and nothing may depend on it but through i. In which order the points come is another than the
//! counters say where several loops are cut: what depends on it is refused later (`NestFacts::blocked`).
//!
//! Refuses `trip-count`: what depends on the block.

use super::affine::{Extension, Found, push_check, too_large};
use super::context::Context;
use super::narrow::require_fits;
use super::nest::{self, Exits, alternatives, inverse, mirrored};
use crate::llvm::{LoopRef, Predicate, ScevKind, ScevRef, Value};
use hexpass_abi::{CheckKind, IntExpr, Poly, Sym};
use hexpass_poly::body::Op;
use hexpass_poly::facts::{CheckFact, StatementFact};
use hexpass_poly::rejection::{Reason, Rejection};

/// Two such loops.
#[derive(Debug)]
pub struct Blocked<'a> {
    pub outer: LoopRef<'a>,
    pub inner: LoopRef<'a>,
    size: Poly,
    /// n - a.
    whole: IntExpr,
    /// Iterations of the outer, where they are a polynomial.
    blocks: Option<Poly>,
}

/// What the inner of two such loops runs through: from where, how much of it in a block, and where the last block ends at
/// the latest.
struct Points {
    from: Poly,
    size: Poly,
    last: Poly,
}

/// One comparison that a loop goes on by: what grows with it, what that stays below (or reaches), which of both.
struct Limit<'a> {
    counter: ScevRef<'a>,
    bound: ScevRef<'a>,
    ext: Extension,
    reaches: bool,
}

/// All comparisons of a loop that is tested at its top.
fn limits<'a>(c: &Context<'a>, l: LoopRef<'a>, exits: &Exits<'a>) -> Option<Vec<Limit<'a>>> {
    use inkwell::llvm_sys::LLVMIntPredicate::*;
    if exits.exiting != l.header() {
        return None;
    }
    let condition = exits.exiting.terminator().and_then(Value::condition)?;
    let leaves = !exits.exiting.successors().first().is_some_and(|&s| l.contains(s));
    let mut parts = Vec::new();
    alternatives(condition, leaves, &mut parts);
    let limit = |part: Value<'a>| {
        let predicate: Predicate = part.int_predicate()?;
        let predicate = if leaves { inverse(predicate) } else { predicate };
        let scev = |i: u32| part.operand(i).and_then(|v| c.a.scev(v));
        let (x, y) = (scev(0)?, scev(1)?);
        let (counter, bound, predicate) = match x.add_rec_loop() == Some(l) {
            true => (x, y, predicate),
            false => (y, x, mirrored(predicate)),
        };
        let (ext, reaches) = match predicate {
            LLVMIntSLT => (Extension::Signed, false),
            LLVMIntSLE => (Extension::Signed, true),
            LLVMIntULT => (Extension::Unsigned, false),
            LLVMIntULE => (Extension::Unsigned, true),
            _ => return None,
        };
        (counter.add_rec_loop() == Some(l)).then_some(Limit { counter, bound, ext, reaches })
    };
    parts.into_iter().map(limit).collect()
}

/// What the smallest is of.
fn smallest_of(scev: ScevRef<'_>) -> Vec<ScevRef<'_>> {
    match scev.kind() {
        ScevKind::SMin | ScevKind::UMin => {
            scev.operands().into_iter().flat_map(smallest_of).collect()
        }
        ScevKind::SignExtend | ScevKind::ZeroExtend
            if matches!(scev.operands()[0].kind(), ScevKind::SMin | ScevKind::UMin) =>
        {
            smallest_of(scev.operands()[0])
        }
        _ => vec![scev],
    }
}

fn varies(p: &Poly) -> bool {
    p.mentions_any(|s| !matches!(s, Sym::Int(_)))
}

impl<'a> Context<'a> {
    /// How often a loop runs that goes through blocks, or through the points of one.
    pub fn blocked_trip(
        &mut self,
        l: LoopRef<'a>,
        exits: &Exits<'a>,
    ) -> Result<Option<IntExpr>, Rejection> {
        if let Some(block) = self.blocks.iter().find(|b| b.inner == l) {
            return Ok(Some(block.whole.clone()));
        }
        if self.blocks.iter().any(|b| b.outer == l) {
            return Ok(Some(IntExpr::Poly(Poly::constant(1))));
        }
        let Some([limit]) = limits(self, l, exits).and_then(|all| <[_; 1]>::try_from(all).ok())
        else {
            return Ok(None);
        };
        let [start, step] = limit.counter.operands()[..] else { return Ok(None) };
        let children = || l.with_descendants().into_iter().skip(1);
        if children().next().is_none() {
            return Ok(None);
        }
        let mut found = Vec::new();
        let mut parts = Vec::new();
        for scev in [start, step, limit.bound] {
            match self.poly(scev, limit.ext, &mut found) {
                Ok(p) if !varies(&p) => parts.push(p),
                _ => return Ok(None),
            }
        }
        let [start, step, mut end] = <[Poly; 3]>::try_from(parts).expect("three of them");
        if step.as_constant().is_some_and(|c| c <= 0) {
            return Ok(None);
        }
        if limit.reaches {
            end = end.add(&Poly::constant(1)).map_err(too_large)?;
        }
        let by_one = step.as_constant() == Some(1);
        let span = end.sub(&start).map_err(too_large)?;
        let mut inner = None;
        for child in children() {
            let Some(points) = self.points_of_blocks(child, l, (&step, &span))? else { continue };
            if inner.is_some() {
                return Ok(None);
            }
            inner = Some((child, points));
        }
        let Some((inner, points)) = inner else { return Ok(None) };
        let Points { from, size, last } = points;
        let points = last.sub(&from).map_err(too_large)?;
        let whole = if by_one {
            // A number of blocks.
            let all = span.mul(&size).map_err(too_large)?;
            let beyond = from.add(&all).map_err(too_large)?;
            require_fits(&beyond, self.a.bits(limit.counter), limit.ext, &mut found)?;
            IntExpr::Min(Box::new(IntExpr::Poly(all)), Box::new(IntExpr::Poly(points)))
        } else {
            let left = span.sub(&points).map_err(too_large)?;
            // No block is left out.
            if from != start || size != step || left.as_constant().is_none_or(|c| c < 0) {
                return Ok(None);
            }
            IntExpr::Poly(points)
        };
        push_check(&mut found, size.sub(&Poly::constant(1)).map_err(too_large)?, CheckKind::Size);
        // Where the last block ends, or would.
        let bits = self.a.bits(limit.counter);
        let beyond = end.add(&step).map_err(too_large)?;
        for p in [&start, &end, &beyond] {
            require_fits(p, bits, limit.ext, &mut found)?;
        }
        if found.iter().any(|f| varies(&f.value)) {
            return Ok(None);
        }
        self.checks.extend(found);
        let blocks = by_one.then_some(span);
        self.blocks.push(Blocked { outer: l, inner, size, whole, blocks });
        Ok(Some(IntExpr::Poly(Poly::constant(1))))
    }

    /// The points that `child` runs through block by block, each of which begins where `outer` stands, whose counter grows
    /// in steps by less than `span` altogether.
    fn points_of_blocks(
        &mut self,
        child: LoopRef<'a>,
        outer: LoopRef<'a>,
        growth: (&Poly, &Poly),
    ) -> Result<Option<Points>, Rejection> {
        let Ok(exits) = nest::exits(child) else { return Ok(None) };
        let Some(limits) = limits(self, child, &exits) else { return Ok(None) };
        let (mut begin, mut ends_with_block, mut last) = (None, false, None);
        let mut found = Vec::new();
        for limit in limits {
            let [start, step] = limit.counter.operands()[..] else { return Ok(None) };
            if step.constant() != Some(1) || self.a.is_invariant(start, outer) {
                return Ok(None);
            }
            let begins = self.along(start, outer, (growth, limit.ext), &mut found);
            let Some((from, size)) = begins.filter(|(from, size)| !varies(from) && !varies(size))
            else {
                return Ok(None);
            };
            if begin.as_ref().is_some_and(|b| *b != (from.clone(), size.clone())) {
                return Ok(None);
            }
            let more = Poly::constant(i64::from(limit.reaches));
            for bound in smallest_of(limit.bound) {
                let Some((end, grows)) = self.along(bound, outer, (growth, limit.ext), &mut found)
                else {
                    return Ok(None);
                };
                let end = end.add(&more).map_err(too_large)?;
                if grows == size && end.sub(&from).is_ok_and(|length| length == size) {
                    ends_with_block = true;
                    continue;
                }
                if !grows.is_zero() || varies(&end) || last.is_some() {
                    return Ok(None);
                }
                require_fits(&end, self.a.bits(bound), limit.ext, &mut found)?;
                last = Some(end);
            }
            begin = Some((from, size));
        }
        // Blocks that are all of one size may be rows: loops like others.
        let (Some((from, size)), true, Some(last)) = (begin, ends_with_block, last) else {
            return Ok(None);
        };
        if found.iter().any(|f| varies(&f.value)) {
            return Ok(None);
        }
        self.checks.extend(found);
        Ok(Some(Points { from, size, last }))
    }

    /// Where it starts and by how much it grows with each iteration of `l`, whose counter does so in steps by less than
    /// `span` altogether.
    fn along(
        &mut self,
        scev: ScevRef<'a>,
        l: LoopRef<'a>,
        ((step_of, span), ext): ((&Poly, &Poly), Extension),
        found: &mut Vec<Found>,
    ) -> Option<(Poly, Poly)> {
        if self.a.is_invariant(scev, l) {
            return Some((self.poly(scev, ext, found).ok()?, Poly::zero()));
        }
        let operands = scev.operands();
        match scev.kind() {
            ScevKind::AddRec if scev.add_rec_loop() == Some(l) => {
                let [start, step] = operands[..] else { return None };
                Some((self.poly(start, ext, found).ok()?, self.poly(step, ext, found).ok()?))
            }
            ScevKind::Add => {
                let mut sum = (Poly::zero(), Poly::zero());
                for operand in operands {
                    let (start, step) = self.along(operand, l, ((step_of, span), ext), found)?;
                    sum = (sum.0.add(&start).ok()?, sum.1.add(&step).ok()?);
                }
                Some(sum)
            }
            ScevKind::SignExtend | ScevKind::ZeroExtend => {
                let own = match scev.kind() {
                    ScevKind::SignExtend => Extension::Signed,
                    _ => Extension::Unsigned,
                };
                let bits = self.a.bits(operands[0]);
                let (start, step) = self.along(operands[0], l, ((step_of, span), own), found)?;
                require_fits(&start, bits, own, found).ok()?;
                // As fast as the counter does, or so many times as fast.
                let times = step.exact_div(step_of)?;
                let last = start.add(&span.mul(&times).ok()?).ok()?;
                require_fits(&last, bits, own, found).ok()?;
                Some((start, step))
            }
            _ => None,
        }
    }

    /// What the counter of the inner of two such loops is: that of both, less what the outer has come to.
    pub fn counter_in_block(&self, l: LoopRef<'a>) -> Result<Option<Poly>, Rejection> {
        let Some(block) = self.blocks.iter().find(|b| b.inner == l) else { return Ok(None) };
        let id = |l| self.loops.iter().position(|&x| x == l).and_then(|i| u16::try_from(i).ok());
        let (Some(outer), Some(inner)) = (id(block.outer), id(l)) else { return Ok(None) };
        let before = block.size.mul(&Poly::symbol(Sym::Iv(outer)));
        let counter = before.and_then(|p| Poly::symbol(Sym::Iv(inner)).sub(&p));
        counter.map(Some).map_err(too_large)
    }

    /// It is one of two such loops.
    pub fn is_blocked(&self, l: LoopRef<'a>) -> bool {
        self.blocks.iter().any(|b| b.outer == l || b.inner == l)
    }

    /// Takes the loops over blocks out of the facts; an error if anything depends on them.
    pub fn join_blocks(
        &mut self,
        statements: &mut [StatementFact],
        checks: &mut Vec<CheckFact>,
    ) -> Result<(), Rejection> {
        for i in 0..self.blocks.len() {
            let block = &self.blocks[i];
            let line = block.inner.location().map(|p| p.line);
            let depends = || {
                Rejection::new(
                    Reason::TripCount,
                    "a loop goes through blocks of points, and something depends on which block it is",
                )
                .at(line)
            };
            let id = |l| self.loops.iter().position(|&x| x == l);
            let (outer, inner) = (id(block.outer), id(block.inner));
            let (Some(outer), Some(inner)) = (outer, inner) else { return Err(depends()) };
            let [of, own] = [outer, inner].map(|l| u16::try_from(l).map_err(too_large));
            let (of, own) = (of?, own?);
            let counter = Sym::Iv(of);
            let polys = |s: &StatementFact| {
                let index = s
                    .body
                    .values
                    .iter()
                    .any(|v| matches!(&v.op, Op::Index(p) if p.mentions(counter)));
                index
                    || s.accesses().any(|a| a.offset.mentions(counter))
                    || s.conditions.iter().any(|p| p.mentions(counter))
                    || s.entries.iter().flat_map(|e| &e.index).any(|p| p.mentions(counter))
                    || (s.loops.contains(&of) && !s.loops.contains(&own))
            };
            if statements.iter().any(polys) {
                return Err(depends());
            }
            // Checks hold for all blocks if they do for the first and the last.
            let (varying, fixed): (Vec<CheckFact>, Vec<CheckFact>) =
                std::mem::take(checks).into_iter().partition(|c| c.value.mentions(counter));
            *checks = fixed;
            for check in varying {
                let is_linear =
                    check.value.split(counter).is_some_and(|(f, _)| !f.mentions(counter));
                let Some(blocks) = block.blocks.as_ref().filter(|_| is_linear) else {
                    return Err(depends());
                };
                let last = blocks.sub(&Poly::constant(1)).map_err(too_large)?;
                for at in [Poly::zero(), last] {
                    let value = check.value.substitute(counter, &at).map_err(too_large)?;
                    checks.push(CheckFact { value, ..check.clone() });
                }
            }
            statements.iter_mut().for_each(|s| s.loops.retain(|&l| l != of));
            // Where it is only under a condition that the loop runs at all, that is the inner one's.
            let one = IntExpr::Poly(Poly::constant(1));
            let trip = std::mem::replace(&mut self.trips[outer], one.clone());
            match trip {
                IntExpr::Min(runs, condition) if *runs == one => {
                    let whole = Box::new(self.trips[inner].clone());
                    self.trips[inner] = IntExpr::Min(whole, condition);
                }
                trip if trip == one => {}
                _ => return Err(depends()),
            }
        }
        Ok(())
    }
}
