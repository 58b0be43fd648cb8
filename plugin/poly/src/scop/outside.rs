//! Pieces of a sweep that lie outside of their rows.
//!
//! A sweep over a part of a grid that wraps round (`j + 1 == n ? 0 : j + 1`, for j from one variable to another) falls into
//! pieces by what the source compares. In some of them each place that it touches lies where its row has ended, or not
//! begun: `j > n`, of which only the run knows that it never happens. Those are left out, and checks say so to the runtime.
//! Consumes and produces facts; refuses nothing.
//!
//! What touches a place in the row too is no such piece: `a[n*i + j + 1]` for j = n−1 is the start of the next row.

use super::algebra::{exact_ratio, sign};
use super::delinearize::{divide, strides};
use crate::facts::{AccessFact, CheckFact, NestFacts, StatementFact};
use hexpass_abi::expr::OutOfRange;
use hexpass_abi::{CheckKind, IntExpr, Poly, Sym};

/// The facts without such statements; none where there are no such.
pub fn leave_out(facts: &NestFacts) -> Result<Option<NestFacts>, OutOfRange> {
    let mut empty: Vec<Option<Poly>> = Vec::with_capacity(facts.statements.len());
    for s in &facts.statements {
        empty.push(outside(s, facts)?);
    }
    if empty.iter().all(Option::is_none) {
        return Ok(None);
    }
    // A sweep all of which lies outside is one that is not understood.
    let mut kept: Vec<&[u16]> = Vec::new();
    for (s, _) in facts.statements.iter().zip(&empty).filter(|(_, e)| e.is_none()) {
        if !kept.contains(&&s.loops[..]) {
            kept.push(&s.loops);
        }
    }
    let stays: Vec<bool> = facts
        .statements
        .iter()
        .zip(&empty)
        .map(|(s, e)| e.is_none() || !kept.contains(&&s.loops[..]))
        .collect();
    let mut out = facts.clone();
    let mut which = stays.iter();
    out.statements.retain(|_| which.next().is_none_or(|&stays| stays));
    out.checks.retain_mut(|check| match check.statement {
        Some(s) => {
            let before = stays.iter().take(usize::from(s)).filter(|&&stays| stays).count();
            check.statement = u16::try_from(before).ok();
            stays[usize::from(s)]
        }
        None => true,
    });
    for (value, _) in empty.into_iter().zip(&stays).filter(|(_, stays)| !**stays) {
        let Some(value) = value else { continue };
        let check = CheckFact::once(value, CheckKind::Size);
        if !out.checks.contains(&check) {
            out.checks.push(check);
        }
    }
    Ok(Some(out))
}

/// Which end of a row a piece lies beyond.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beyond {
    Start,
    End,
}

/// What is not negative if no iteration of the statement lies in its conditions, should these say that it lies outside.
fn outside(s: &StatementFact, facts: &NestFacts) -> Result<Option<Poly>, OutOfRange> {
    for &counter in &s.loops {
        let IntExpr::Poly(trip) = &facts.loops[usize::from(counter)].trip else { continue };
        if !s.conditions.iter().any(|c| c.mentions(Sym::Iv(counter))) {
            continue;
        }
        for end in [Beyond::Start, Beyond::End] {
            let Some(store) = store_outside(s, counter, end)? else { continue };
            let Some(row) = &store.row else { continue };
            let value = match end {
                Beyond::Start => store.first,
                Beyond::End => row.sub(&store.first)?.sub(trip)?,
            };
            // `a[n*i + j + n - 1]` for j = 0 is the end of its own row, though it may be read as just before the next.
            if value.as_constant().is_some_and(|c| c < 0) {
                continue;
            }
            if !value.mentions_any(|s| !matches!(s, Sym::Int(_))) {
                return Ok(Some(value));
            }
        }
    }
    Ok(None)
}

/// Where the first store lies, if all stores do lie outside and no load is known not to.
fn store_outside(
    s: &StatementFact,
    counter: u16,
    end: Beyond,
) -> Result<Option<InRow>, OutOfRange> {
    let mut first = None;
    for w in &s.stores {
        let Some(at) = in_row(&w.access, s, counter)? else { return Ok(None) };
        if !distances(s, counter, &at, end)?.iter().any(|&d| d >= 0) {
            return Ok(None);
        }
        first = first.or(Some(at));
    }
    for load in &s.loads {
        let Some(at) = in_row(load, s, counter)? else { continue };
        let known = distances(s, counter, &at, end)?;
        if !known.is_empty() && known.iter().all(|&d| d < 0) {
            return Ok(None);
        }
    }
    Ok(first)
}

/// A place in a row: where it is in a loop's first iteration, and how long the row is, in iterations; that of the
/// outermost dimension is not known, nor that of rows behind tables.
pub struct InRow {
    pub first: Poly,
    pub row: Option<Poly>,
}

/// None for what does not run along a row with the counter.
pub fn in_row(
    access: &AccessFact,
    s: &StatementFact,
    counter: u16,
) -> Result<Option<InRow>, OutOfRange> {
    let (mut rest, mut factors, mut own) = (access.offset.clone(), Vec::new(), Poly::zero());
    for &l in &s.loops {
        let Some((factor, other)) = rest.split(Sym::Iv(l)) else { return Ok(None) };
        if l == counter {
            own = factor.clone();
        }
        if !factor.is_zero() {
            factors.push(factor);
        }
        rest = other;
    }
    if sign(&own) <= 0 || factors.iter().any(|f| f.mentions_any(|s| matches!(s, Sym::Iv(_)))) {
        return Ok(None);
    }
    let elem = i64::try_from(access.elem.size()).unwrap_or(8);
    let Ok(strides) = strides(&factors, elem, &[]) else { return Ok(None) };
    let Some(d) = strides.iter().position(|s| *s == own) else { return Ok(None) };
    let row = if d > 0 { exact_ratio(&strides[d - 1], &own)? } else { None };
    let (quotients, _) = divide(&rest, &strides)?;
    Ok(Some(InRow { first: quotients[d].clone(), row }))
}

/// How far beyond the row's end the place lies at least, by each condition that tells: 0 is just outside.
fn distances(
    s: &StatementFact,
    counter: u16,
    at: &InRow,
    end: Beyond,
) -> Result<Vec<i64>, OutOfRange> {
    let mut out = Vec::new();
    let Some(row) = &at.row else { return Ok(out) };
    for condition in &s.conditions {
        let Some((factor, rest)) = condition.split(Sym::Iv(counter)) else { continue };
        let distance = match (factor.as_constant(), end) {
            (Some(1), Beyond::End) => at.first.sub(&rest)?.sub(row)?,
            (Some(-1), Beyond::Start) => at.first.add(&rest)?.scale(-1)?.sub(&Poly::constant(1))?,
            _ => continue,
        };
        out.extend(distance.as_constant());
    }
    Ok(out)
}
