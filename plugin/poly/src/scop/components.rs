//! Loops over the components of cells, where sweeps mean components by their number:
//!
//! ```text
//! do j … do i … qn(i, j, 1) = q(i, j, 1) - q(i + 1, j, 2) …; qn(i, j, 2) = …
//! q = qn                                                           all components, one after the other
//! ```
//!
//! Consumes and produces facts: such a loop becomes one statement for each component, as if the source had written it so,
//! and components are grids of their own (`pitch.rs`) instead of planes of one with a dimension more. Refuses nothing: other
//! loops stay as they are.

use super::algebra::{compare, div_rem, magnitude};
use super::copies::{self, Copy};
use crate::facts::{AccessFact, LoopFact, NestFacts, StatementFact};
use hexpass_abi::expr::OutOfRange;
use hexpass_abi::{IntExpr, Poly, Sym};
use std::cmp::Ordering;
use std::ops::Range;

/// As many velocities as lattices have.
pub(super) const MOST_COMPONENTS: i64 = 32;

/// The facts without such loops; none where there are none.
pub fn write_out(facts: &NestFacts) -> Result<Option<NestFacts>, OutOfRange> {
    let mut out: Option<NestFacts> = None;
    for index in 0..facts.loops.len() as u16 {
        let now = out.as_ref().unwrap_or(facts);
        if let Some(components) = Components::of(now, index)? {
            out = Some(components.apply(now)?);
        }
    }
    Ok(out)
}

/// A loop over components.
struct Components {
    index: u16,
    count: i64,
    /// The statements under the loop, which is the outermost.
    statements: Range<usize>,
}

impl Components {
    fn of(facts: &NestFacts, index: u16) -> Result<Option<Components>, OutOfRange> {
        let Some(count) = few(facts, index) else { return Ok(None) };
        let is_under = |s: &StatementFact| s.loops.contains(&index);
        let Some(first) = facts.statements.iter().position(is_under) else { return Ok(None) };
        let end = first + facts.statements[first..].iter().take_while(|s| is_under(s)).count();
        let mine = &facts.statements[first..end];
        let others = facts.statements[..first].iter().chain(&facts.statements[end..]);
        let others: Vec<&StatementFact> = others.collect();
        for (i, s) in mine.iter().enumerate() {
            let is_plain = s.loops.len() > 1
                && s.loops[0] == index
                && !s.conditions.iter().any(|c| c.mentions(Sym::Iv(index)));
            if !is_plain || !stays_in_its_component(s, &mine[i..], index)? {
                return Ok(None);
            }
            for a in s.stores.iter().map(|w| &w.access) {
                if !by_number(a, step(a, index), s.loops.len() - 1, &others, facts)? {
                    return Ok(None);
                }
            }
        }
        Ok(Some(Components { index, count, statements: first..end }))
    }

    /// The statements once for each component, in loops of their own.
    fn apply(&self, facts: &NestFacts) -> Result<NestFacts, OutOfRange> {
        let mut out = facts.clone();
        let mine = &facts.statements[self.statements.clone()];
        let mut inner: Vec<u16> = mine.iter().flat_map(|s| s.loops[1..].to_vec()).collect();
        inner.sort_unstable();
        inner.dedup();
        let mut copy = |component: i64| {
            let mut copy = Copy {
                counters: vec![(self.index, Poly::constant(component))],
                loops: vec![(self.index, Vec::new())],
            };
            // The first keeps its loops.
            for &l in inner.iter().filter(|_| component > 0) {
                let new = out.loops.len() as u16;
                out.loops.push(LoopFact { trip: facts.loops[usize::from(l)].trip.clone() });
                copy.counters.push((l, Poly::symbol(Sym::Iv(new))));
                copy.loops.push((l, vec![new]));
            }
            copy
        };
        let all: Vec<Copy> = (0..self.count).map(&mut copy).collect();
        copies::put(&mut out, &self.statements, &all)?;
        Ok(out)
    }
}

/// Bytes from one iteration to the next.
pub(super) fn step(a: &AccessFact, counter: u16) -> Poly {
    a.offset.split(Sym::Iv(counter)).map_or(Poly::zero(), |(step, _)| step)
}

/// True if what a statement and those behind it touch through one pointer is of one component in each iteration, components
/// being what lies furthest apart.
fn stays_in_its_component(
    s: &StatementFact,
    all: &[StatementFact],
    index: u16,
) -> Result<bool, OutOfRange> {
    for a in s.accesses() {
        let apart = magnitude(&step(a, index))?;
        let within = |distance: &Poly| {
            Ok(apart.is_zero() || compare(&magnitude(distance)?, &apart)? == Ordering::Less)
        };
        for &l in &s.loops[1..] {
            if !within(&step(a, l))? {
                return Ok(false);
            }
        }
        for b in all.iter().flat_map(StatementFact::accesses).filter(|b| b.base.goes_with(&a.base))
        {
            if step(b, index) != step(a, index) || !within(&constant_distance(a, b)?)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Bytes between two accesses where all counters are zero.
fn constant_distance(a: &AccessFact, b: &AccessFact) -> Result<Poly, OutOfRange> {
    let still = |a: &AccessFact| {
        let terms = a.offset.terms().iter();
        let still = terms.filter(|t| !t.symbols.iter().any(|s| matches!(s, Sym::Iv(_))));
        Poly::from_terms(still.map(|t| (t.coefficient, t.symbols.clone())))
    };
    still(b)?.sub(&still(a)?)
}

/// True if other statements mean components of what is stored to by their number, at least one of them in a sweep over as
/// many dimensions: no loop but those over few components steps from one to the next, or further.
fn by_number(
    a: &AccessFact,
    apart: Poly,
    dims: usize,
    others: &[&StatementFact],
    facts: &NestFacts,
) -> Result<bool, OutOfRange> {
    let apart = magnitude(&apart)?;
    let mut sweeps = false;
    for s in others {
        for b in s.accesses().filter(|b| b.base.goes_with(&a.base)) {
            let mut numbers = true;
            for &l in &s.loops {
                let (components, _) = div_rem(&magnitude(&step(b, l))?, &apart)?;
                if !components.is_zero() {
                    numbers = false;
                    if few(facts, l).is_none() {
                        return Ok(false);
                    }
                }
            }
            sweeps |= numbers && s.loops.len() >= dims;
        }
    }
    Ok(sweeps && !apart.is_zero())
}

/// Iterations of a loop, if these are as few as cells have components.
fn few(facts: &NestFacts, counter: u16) -> Option<i64> {
    let IntExpr::Poly(trip) = &facts.loops[usize::from(counter)].trip else { return None };
    trip.as_constant().filter(|c| (2..=MOST_COMPONENTS).contains(c))
}
