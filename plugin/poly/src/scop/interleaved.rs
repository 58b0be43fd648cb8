//! Loops that run through all components of cells, element by element, where sweeps go from cell to cell:
//!
//! ```text
//! do j … do i … d(2, i, j) = d(1, i + 1, j) - d(1, i, j)
//! d(:, :, n - 2:n) = 0;  v = d                             three components of each cell, one after the other
//! ```
//!
//! Consumes and produces facts: such a loop becomes one for each component, from cell to cell, as if the source had written
//! it so. Refuses nothing: other loops stay as they are.

use super::components::{MOST_COMPONENTS, step};
use super::copies::{self, Copy};
use crate::facts::{AccessFact, Base, LoopFact, NestFacts, StatementFact};
use hexpass_abi::expr::OutOfRange;
use hexpass_abi::{IntExpr, Poly, Sym};
use std::ops::Range;

/// The facts without such loops; none where there are none.
pub fn part(facts: &NestFacts) -> Result<Option<NestFacts>, OutOfRange> {
    let mut out: Option<NestFacts> = None;
    for index in 0..facts.loops.len() as u16 {
        let now = out.as_ref().unwrap_or(facts);
        if let Some(cells) = Cells::of(now, index) {
            out = Some(cells.apply(now)?);
        }
    }
    Ok(out)
}

/// A loop through cells.
struct Cells {
    index: u16,
    components: i64,
    trip: Poly,
    /// The statements under the loop, which is the innermost.
    statements: Range<usize>,
}

impl Cells {
    fn of(facts: &NestFacts, index: u16) -> Option<Cells> {
        let is_under = |s: &StatementFact| s.loops.contains(&index);
        let first = facts.statements.iter().position(is_under)?;
        let end = first + facts.statements[first..].iter().take_while(|s| is_under(s)).count();
        let mine = &facts.statements[first..end];
        if !goes_by_elements(mine, index) {
            return None;
        }
        let others = facts.statements[..first].iter().chain(&facts.statements[end..]);
        let others: Vec<&StatementFact> = others.collect();
        let stored = mine.iter().flat_map(|s| &s.stores).map(|w| &w.access);
        let mut components = None;
        for a in stored {
            let found = components_of(a, &others)?;
            if components.is_some_and(|c| c != found) {
                return None;
            }
            components = Some(found);
        }
        let components = components?;
        let IntExpr::Poly(trip) = &facts.loops[usize::from(index)].trip else { return None };
        let trip = trip.exact_div(&Poly::constant(components))?;
        Some(Cells { index, components, trip, statements: first..end })
    }

    fn apply(&self, facts: &NestFacts) -> Result<NestFacts, OutOfRange> {
        let mut out = facts.clone();
        let mut all = Vec::new();
        for component in 0..self.components {
            let new = out.loops.len() as u16;
            out.loops.push(LoopFact { trip: IntExpr::Poly(self.trip.clone()) });
            let cell = Poly::symbol(Sym::Iv(new)).scale(self.components)?;
            all.push(Copy {
                counters: vec![(self.index, cell.add(&Poly::constant(component))?)],
                loops: vec![(self.index, vec![new])],
            });
        }
        copies::put(&mut out, &self.statements, &all)?;
        Ok(out)
    }
}

fn size(a: &AccessFact) -> i64 {
    a.elem.size() as i64
}

/// The innermost loop of all of them goes from element to element, and what is stored in an iteration is what no other one
/// looks at: iterations may come in any order.
fn goes_by_elements(statements: &[StatementFact], index: u16) -> bool {
    let all = || statements.iter().flat_map(StatementFact::accesses);
    let stored =
        |b: &Base| statements.iter().flat_map(|s| &s.stores).any(|w| w.access.base.goes_with(b));
    let is_plain = |s: &StatementFact| {
        s.loops.last() == Some(&index)
            && s.entries.is_empty()
            && !s.conditions.iter().any(|c| c.mentions(Sym::Iv(index)))
    };
    let alone = |a: &AccessFact| {
        let step = step(a, index);
        if !stored(&a.base) && step.is_zero() {
            return true;
        }
        step.as_constant() == Some(size(a))
            && all()
                .filter(|b| b.base.goes_with(&a.base))
                .all(|b| b.base == a.base && b.offset == a.offset && b.elem == a.elem)
    };
    statements.iter().all(is_plain) && all().all(alone)
}

/// How many elements a cell has for other statements: these touch what is stored, and go from cell to cell; but for those
/// that also go by elements.
fn components_of(stored: &AccessFact, others: &[&StatementFact]) -> Option<i64> {
    let size = size(stored);
    let mut least: Option<i64> = None;
    let mut steps = Vec::new();
    for s in others {
        let Some(&innermost) = s.loops.last() else { continue };
        let mine = || s.accesses().filter(|b| b.base.goes_with(&stored.base));
        if mine().next().is_none() || goes_by_elements(std::slice::from_ref(*s), innermost) {
            continue;
        }
        for b in mine() {
            let along = step(b, innermost).as_constant().map(i64::abs);
            if b.elem == stored.elem
                && let Some(along) = along.filter(|&along| along > 0)
            {
                least = Some(least.map_or(along, |least| least.min(along)));
            }
            steps.extend(s.loops.iter().map(|&l| step(b, l)));
        }
    }
    let cell = least.filter(|cell| cell % size == 0)?;
    let is_whole = |step: &Poly| step.is_zero() || step.exact_div(&Poly::constant(cell)).is_some();
    let components = cell / size;
    ((2..=MOST_COMPONENTS).contains(&components) && steps.iter().all(is_whole))
        .then_some(components)
}
