//! Stores in pieces of a sweep that run in one iteration of a loop.
//!
//! In the last iteration, `to[j + 1 == m ? 0 : j + 1]` stores to an element that does not depend on the counter any more.
//! Where conditions leave one iteration of a loop, the counter less that iteration is nothing, so a store may run along
//! with the counter in the steps of the sweep's other stores, and is of the same shape as these.
//! Consumes and produces facts; refuses nothing.

use crate::facts::{Base, NestFacts};
use hexpass_abi::expr::OutOfRange;
use hexpass_abi::{IntExpr, Poly, Sym};

/// The facts with such stores; none where there are none.
pub fn follow(facts: &NestFacts) -> Result<Option<NestFacts>, OutOfRange> {
    let mut steps: Option<Vec<Step>> = None;
    let mut out: Option<NestFacts> = None;
    for (i, s) in facts.statements.iter().enumerate() {
        for &counter in &s.loops {
            let stays = |offset: &Poly| !offset.mentions(Sym::Iv(counter));
            if !s.stores.iter().any(|w| stays(&w.access.offset)) {
                continue;
            }
            let trip = &facts.loops[usize::from(counter)].trip;
            let Some(only) = only_iteration(&s.conditions, counter, trip)? else { continue };
            let steps = steps.get_or_insert_with(|| steps_of(facts));
            let out = out.get_or_insert_with(|| facts.clone());
            for w in &mut out.statements[i].stores {
                let access = &mut w.access;
                if !stays(&access.offset) {
                    continue;
                }
                let Some(step) = step(steps, counter, access.base) else { continue };
                let nothing = Poly::symbol(Sym::Iv(counter)).sub(&only)?;
                access.offset = access.offset.add(&step.mul(&nothing)?)?;
            }
        }
    }
    Ok(out)
}

/// The one iteration of a loop that conditions leave of it, if they do.
pub fn only_iteration(
    conditions: &[Poly],
    counter: u16,
    trip: &IntExpr,
) -> Result<Option<Poly>, OutOfRange> {
    let (mut first, mut last) = (vec![Poly::zero()], Vec::new());
    if let IntExpr::Poly(trip) = trip {
        last.push(trip.sub(&Poly::constant(1))?);
    }
    for condition in conditions {
        let Some((factor, rest)) = condition.split(Sym::Iv(counter)) else { continue };
        match factor.as_constant() {
            Some(1) => first.push(rest.scale(-1)?),
            Some(-1) => last.push(rest),
            _ => {}
        }
    }
    Ok(first.into_iter().find(|at| last.contains(at)))
}

/// By how many bytes a store through `base` goes on with a counter.
struct Step {
    counter: u16,
    base: Base,
    bytes: Poly,
}

/// Those of all stores, the first of each kind.
fn steps_of(facts: &NestFacts) -> Vec<Step> {
    let mut out: Vec<Step> = Vec::new();
    for s in &facts.statements {
        for (counter, w) in s.loops.iter().flat_map(|&l| s.stores.iter().map(move |w| (l, w))) {
            let base = w.access.base;
            let Some((bytes, _)) = w.access.offset.split(Sym::Iv(counter)) else { continue };
            let is_step = !bytes.is_zero() && !bytes.mentions_any(|s| !matches!(s, Sym::Int(_)));
            if is_step && !out.iter().any(|s| s.counter == counter && s.base == base) {
                out.push(Step { counter, base, bytes });
            }
        }
    }
    out
}

/// The step of another store through the same base, or else through any.
fn step(steps: &[Step], counter: u16, base: Base) -> Option<&Poly> {
    let with = || steps.iter().filter(|s| s.counter == counter);
    with().find(|s| s.base == base).or_else(|| with().next()).map(|s| &s.bytes)
}
