//! Which rows an access reaches, its loop and the conditions of its statement considered.
//!
//! Consumes an access's outermost counter, where its subscripts start, and the conditions; produces the first and the last
//! row. A grid that wraps round reaches its last row from the first, `u[(i + n - 1) % n]` at i = 0: a whole grid away by
//! its offset, and no further than any other access. Nothing is refused: rows that are no polynomials are not known.

use super::Counter;
use super::algebra::compare;
use super::delinearize::divide;
use crate::facts::NestFacts;
use hexpass_abi::expr::OutOfRange;
use hexpass_abi::{IntExpr, Poly, Sym};
use std::cmp::Ordering;

/// First and last row.
pub type Rows = (Poly, Poly);

/// The rows of an access whose subscripts start `start` bytes into the allocation.
pub fn rows(
    counters: &[Option<Counter>],
    start: &Poly,
    conditions: &[Poly],
    strides: &[Poly],
    facts: &NestFacts,
) -> Result<Option<Rows>, OutOfRange> {
    let Some(Some(counter)) = counters.first().filter(|c| c.is_some_and(|c| !c.negative)) else {
        return Ok(None);
    };
    let IntExpr::Poly(trip) = &facts.loops[usize::from(counter.index)].trip else {
        return Ok(None);
    };
    let (mut first, mut last) = (Poly::zero(), trip.sub(&Poly::constant(1))?);
    for condition in conditions {
        let Some((factor, rest)) = condition.split(Sym::Iv(counter.index)) else { continue };
        if speaks_of_counters(&rest) {
            continue;
        }
        match factor.as_constant() {
            Some(1) => first = larger(first, rest.scale(-1)?)?,
            Some(-1) => last = smaller(last, rest)?,
            _ => {}
        }
    }
    let (quotients, _) = divide(start, strides)?;
    Ok(Some((quotients[0].add(&first)?, quotients[0].add(&last)?)))
}

/// From the first row of either to the last of either.
pub fn around(some: Option<&Rows>, more: &Rows) -> Result<Rows, OutOfRange> {
    let Some((first, last)) = some else { return Ok(more.clone()) };
    Ok((smaller(first.clone(), more.0.clone())?, larger(last.clone(), more.1.clone())?))
}

pub fn lie_within(inner: &Rows, outer: &Rows) -> Result<bool, OutOfRange> {
    Ok(compare(&inner.0, &outer.0)? != Ordering::Less
        && compare(&inner.1, &outer.1)? != Ordering::Greater)
}

fn speaks_of_counters(p: &Poly) -> bool {
    p.terms().iter().any(|t| t.symbols.iter().any(|s| matches!(s, Sym::Iv(_))))
}

fn larger(a: Poly, b: Poly) -> Result<Poly, OutOfRange> {
    Ok(if compare(&a, &b)? == Ordering::Less { b } else { a })
}

fn smaller(a: Poly, b: Poly) -> Result<Poly, OutOfRange> {
    Ok(if compare(&a, &b)? == Ordering::Greater { b } else { a })
}
