//! Sweeps over whole grids that a mask keeps inside: `if (!solid[k]) v[k] = u[k - 1] + …` for every k, where the mask holds
//! back all points at the border.
//!
//! Only the run knows what the mask holds. Where a statement reads beyond its rows (or before its array) under a condition
//! on an element that no statement stores, its border iterations become statements of their own, of which it is assumed
//! that the mask holds them back; the guard looks at the mask's elements there ([`Fence`]). Consumes and produces facts; refuses
//! nothing.

mod held;
mod mask;
mod pieces;

use super::outside::{InRow, in_row};
use crate::facts::{AccessFact, CheckFact, NestFacts, StatementFact};
use held::{Becomes, Left, pin};
use hexpass_abi::expr::OutOfRange;
use hexpass_abi::{CheckKind, Entry, Fence, IntExpr, Lookup, Poly, Sym, TableEntries};
use mask::{Test, tests};
use pieces::Pieces;

/// A border is no wider.
const WIDEST: i64 = 8;

/// The facts with such borders, and what the guard looks at; none where there are none.
pub fn keep_inside(facts: &NestFacts) -> Result<Option<(NestFacts, Vec<Fence>)>, OutOfRange> {
    let mut out: Option<(NestFacts, Vec<Fence>)> = None;
    let mut at = 0;
    for (i, s) in facts.statements.iter().enumerate() {
        let pieces = match Border::of(s, facts)? {
            Some(border) => border.pieces(s, i, facts)?,
            None => None,
        };
        let Some(pieces) = pieces else {
            at += 1;
            continue;
        };
        let (out, fences) = out.get_or_insert_with(|| (facts.clone(), Vec::new()));
        at += pieces.put((out, fences), at);
    }
    Ok(out)
}

/// How many of a loop's iterations reach beyond the grid.
struct Side {
    counter: u16,
    trip: Poly,
    /// First ones.
    low: i64,
    /// Last ones.
    high: i64,
}

impl Side {
    /// What the entry leads to lies before the loop's first iteration's row (-1), or behind the last one's (1).
    fn is_beyond(&self, e: &Entry, end: i64) -> bool {
        e.index
            .iter()
            .any(|p| p.coefficient(&[Sym::Iv(self.counter)]) * p.constant_part() * end > 0)
    }
}

/// The iterations of a statement whose reads lie outside of the grid that it stores to.
struct Border {
    /// Outermost loop first; none that has no such iterations.
    sides: Vec<Side>,
    /// By load: it reaches beyond.
    beyond: Vec<bool>,
}

impl Border {
    fn of(s: &StatementFact, facts: &NestFacts) -> Result<Option<Border>, OutOfRange> {
        let mut border = Border { sides: Vec::new(), beyond: vec![false; s.loads.len()] };
        if !s.loads.iter().any(|a| a.maybe) {
            return Ok(None);
        }
        for &counter in &s.loops {
            let IntExpr::Poly(trip) = &facts.loops[usize::from(counter)].trip else { continue };
            let mut side = Side { counter, trip: trip.clone(), low: 0, high: 0 };
            // The grid begins where the loop does.
            if !begins_with(s, counter, facts)? {
                continue;
            }
            for (load, beyond) in s.loads.iter().zip(&mut border.beyond) {
                let Some(at) = in_grid(load, s, counter, facts)? else { continue };
                let (low, high) = reach(&at, s, counter, trip)?;
                if low == 0 && high == 0 {
                    continue;
                }
                if load.maybe {
                    *beyond = true;
                    side.low = side.low.max(low);
                    side.high = side.high.max(high);
                } else if !s.entries.is_empty() {
                    // Rows that are looked up there in any case can't be told from others.
                    return Ok(None);
                }
            }
            if side.low.max(side.high) > WIDEST {
                return Ok(None);
            }
            if side.low.max(side.high) > 0 {
                border.sides.push(side);
            }
        }
        // What is only read ahead may be a larger array.
        Ok(border.sides.iter().any(|side| side.low > 0).then_some(border))
    }

    /// One statement for each border where it does something, and one for what is inside; none where no mask holds back
    /// the reads.
    fn pieces(
        &self,
        s: &StatementFact,
        number: usize,
        facts: &NestFacts,
    ) -> Result<Option<Pieces>, OutOfRange> {
        let tests = tests(s, facts)?;
        let Some((left, pinned)) = self.held_back(s, &tests) else { return Ok(None) };
        let Some(lookups) = self.lookups(s, facts)? else { return Ok(None) };
        let (statements, fences, checks) = (Vec::new(), Vec::new(), Vec::new());
        let mut pieces = Pieces { statements, fences, checks, lookups };
        let mut inside = s.clone();
        for side in &self.sides {
            let counter = Poly::symbol(Sym::Iv(side.counter));
            let first = counter.sub(&Poly::constant(side.low))?;
            let last = side.trip.sub(&Poly::constant(side.high + 1))?.sub(&counter)?;
            for (inner, width, beyond) in [(&first, side.low, -1), (&last, side.high, 1)] {
                if width == 0 {
                    continue;
                }
                let outer = inner.scale(-1)?.sub(&Poly::constant(1))?;
                let mut conditions = inside.conditions.clone();
                conditions.push(outer);
                for &(test, holds) in &pinned {
                    pieces.fences.extend(tests[test].fences(s, &conditions, holds, facts)?);
                }
                if !left.statement.stores.is_empty() {
                    let mut piece = StatementFact { conditions, ..left.statement.clone() };
                    piece.entries.retain(|e| !side.is_beyond(e, beyond));
                    pieces.statements.push(piece);
                }
                inside.conditions.push(inner.clone());
            }
            // There is room for both; nothing is left inside only where the loop has no iterations.
            let value = side.trip.sub(&Poly::constant(side.low + side.high))?;
            let none_or_more = side.trip.mul(&value.sub(&Poly::constant(1))?)?;
            pieces.checks.push(CheckFact::once(none_or_more, CheckKind::Idle));
            pieces.checks.push(CheckFact::once(value, CheckKind::Size));
        }
        if !s.conditions.is_empty() {
            // Nor where the statement runs at the border only.
            pieces.checks.push(CheckFact::once(Poly::constant(-1), CheckKind::Idle));
        }
        pieces.statements.push(inside);
        let own = |c: &&CheckFact| c.statement.map(usize::from) == Some(number);
        for check in facts.checks.iter().filter(own) {
            let is_asked = check
                .under
                .is_none_or(|v| !matches!(left.becomes[usize::from(v)], Becomes::Bool(false)));
            if !pieces.ask(check, is_asked, s, facts)? {
                return Ok(None);
            }
        }
        Ok(Some(pieces))
    }

    /// What the border's iterations look up in tables, as where rows of the mask lie; none if that can't be said.
    fn lookups(
        &self,
        s: &StatementFact,
        facts: &NestFacts,
    ) -> Result<Option<Vec<Lookup>>, OutOfRange> {
        let is_beyond =
            |e: &Entry| self.sides.iter().any(|side| side.is_beyond(e, -1) || side.is_beyond(e, 1));
        let mut out = Vec::new();
        for entry in s.entries.iter().filter(|e| !is_beyond(e)) {
            let mut index = Vec::with_capacity(entry.index.len());
            for p in &entry.index {
                let Some(ends) = ends(p, s, facts)? else { return Ok(None) };
                index.push(ends);
            }
            out.push(Lookup { table: entry.table, rotation: entry.rotation, index });
        }
        Ok(Some(out))
    }

    /// What is left of the statement where tests come out so that nothing beyond the border is read; which ones, and how.
    fn held_back(&self, s: &StatementFact, tests: &[Test]) -> Option<(Left, Vec<(usize, bool)>)> {
        let all = |holds: bool| (0..tests.len()).map(|t| (t, holds)).collect();
        let alone = (0..tests.len()).flat_map(|t| [vec![(t, false)], vec![(t, true)]]);
        let ways = alone.chain([all(false), all(true)]);
        let mut all = ways.map(|pinned: Vec<(usize, bool)>| (pin(s, tests, &pinned), pinned));
        all.find(|(left, _)| !self.reaches_beyond(s, &left.statement))
    }

    fn reaches_beyond(&self, s: &StatementFact, left: &StatementFact) -> bool {
        let mut beyond = s.loads.iter().zip(&self.beyond).filter(|(_, beyond)| **beyond);
        beyond.any(|(load, _)| left.loads.contains(load))
    }
}

/// The loop's first iteration stores to the first row, or column. A step's largest value is kept beside the grid.
fn begins_with(s: &StatementFact, counter: u16, facts: &NestFacts) -> Result<bool, OutOfRange> {
    for w in &s.stores {
        if in_grid(&w.access, s, counter, facts)?.is_some_and(|at| at.first.is_zero()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The first and the last value that a subscript of a table has in the statement's instances; none where that can't be said.
fn ends(
    p: &Poly,
    s: &StatementFact,
    facts: &NestFacts,
) -> Result<Option<(IntExpr, IntExpr)>, OutOfRange> {
    let is_size = |p: &Poly| !p.mentions_any(|s| !matches!(s, Sym::Int(_)));
    if is_size(p) {
        return Ok(Some((p.clone().into(), p.clone().into())));
    }
    for &l in &s.loops {
        let Some((factor, rest)) = p.split(Sym::Iv(l)) else { continue };
        let IntExpr::Poly(trip) = &facts.loops[usize::from(l)].trip else { continue };
        if factor.as_constant() != Some(1) || !is_size(&rest) || !is_size(trip) {
            continue;
        }
        let mut first = IntExpr::Poly(rest.clone());
        let mut last = IntExpr::Poly(trip.add(&rest)?.sub(&Poly::constant(1))?);
        for condition in &s.conditions {
            let Some((factor, end)) = condition.split(Sym::Iv(l)) else { continue };
            if !is_size(&end) {
                continue;
            }
            match factor.as_constant() {
                Some(1) => {
                    first = IntExpr::Max(first.into(), IntExpr::Poly(rest.sub(&end)?).into())
                }
                Some(-1) => last = IntExpr::Min(last.into(), IntExpr::Poly(rest.add(&end)?).into()),
                _ => {}
            }
        }
        return Ok(Some((first, last)));
    }
    // Of several counters: whatever the conditions.
    let (mut first, mut last) = (p.clone(), p.clone());
    for &l in &s.loops {
        let IntExpr::Poly(trip) = &facts.loops[usize::from(l)].trip else { continue };
        first = first.substitute(Sym::Iv(l), &Poly::zero())?;
        last = last.substitute(Sym::Iv(l), &trip.sub(&Poly::constant(1))?)?;
    }
    Ok((is_size(&first) && is_size(&last)).then(|| (first.into(), last.into())))
}

/// In how many first and last iterations the place lies outside of its row, or of as many rows as the loop has iterations.
/// Of iterations that are the first and the last at once, in grids that have no others, the guard speaks.
fn reach(
    at: &InRow,
    s: &StatementFact,
    counter: u16,
    trip: &Poly,
) -> Result<(i64, i64), OutOfRange> {
    let Some(first) = at.first.as_constant() else { return Ok((0, 0)) };
    let room = match &at.row {
        Some(row) => row.sub(trip)?.as_constant().unwrap_or(0).max(0),
        None => 0,
    };
    let (mut low, mut high) = ((-first).max(0), (first - room).max(0));
    for condition in &s.conditions {
        let Some((factor, rest)) = condition.split(Sym::Iv(counter)) else { continue };
        match factor.as_constant() {
            // Iterations that the statement does not run in anyway.
            Some(1) => {
                let only_last = rest.add(trip)?.as_constant().is_some();
                if only_last || rest.as_constant().is_some_and(|c| c <= -low) {
                    low = 0;
                }
            }
            Some(-1) => {
                let only_first = rest.as_constant().is_some();
                let left = trip.sub(&Poly::constant(1))?.sub(&rest)?.as_constant();
                if only_first || left.is_some_and(|left| left >= high) {
                    high = 0;
                }
            }
            _ => {}
        }
    }
    Ok((low, high))
}

/// As [`in_row`]; rows behind a table have the numbers of their entries.
fn in_grid(
    a: &AccessFact,
    s: &StatementFact,
    counter: u16,
    facts: &NestFacts,
) -> Result<Option<InRow>, OutOfRange> {
    let Some(mut at) = in_row(a, s, counter)? else { return Ok(None) };
    let step = a.offset.split(Sym::Iv(counter)).map(|(step, _)| step);
    let mut levels = facts.tables.iter().flat_map(|t| match &t.entries {
        TableEntries::Rows(slots) => slots.iter().flat_map(|(_, levels)| levels).collect(),
        _ => Vec::new(),
    });
    let own = levels.find(|(_, pitch)| step == Some(Poly::symbol(Sym::Int(*pitch))));
    if let Some(&(number, _)) = own {
        at.first = at.first.add(&Poly::constant(number))?;
    }
    Ok(Some(at))
}
