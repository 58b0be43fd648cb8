//! Loops that run through several rows as if they were one (`for (k = 0; k < n * m; k++) old[k] = u[k]`), where other
//! loops run through the same arrays in rows.
//!
//! Consumes and produces facts: such a loop becomes one over rows and one through a row, which visit the same elements
//! in the same order. If its first and last row aren't whole, they become statements of their own. A length of its own
//! (`u.size()`) is taken for all the rows that others touch; of several lengths (Rust's `zip`), the one that is made of
//! rows, or is taken for them, for the smallest one. Where a condition says whether it runs at all, no row is visited
//! otherwise. What this rests on, the runtime checks.
//!
//! Refuses `write-shape`: loops that run through more than a row, but not in a way that could be cut.
//!
//! Where no rest is left, the number of rows is an exact quotient of polynomials:
//!
//! ```text
//!          column 0        m         start = column c0 of a row, end = start + trip = rows·m + c1
//!  first   . . . . # # # # #
//!  middle  # # # # # # # # #
//!          # # # # # # # # #
//!  last    # # # . . . . . .
//! ```

use super::algebra::{compare, div_rem, exact_ratio, magnitude, out_of_range, sign};
use super::copies::{self, Copy};
use super::delinearize::MIN_ROW;
use crate::facts::{AccessFact, Base, CheckFact, LoopFact, NestFacts, StatementFact};
use crate::rejection::{Reason, Rejection};
use hexpass_abi::expr::OutOfRange;
use hexpass_abi::{CheckKind, IntExpr, Poly, Sym};
use std::cmp::Ordering;
use std::ops::Range;

/// The guard lets no such trip count through: at most so many times as what is positive means whenever that is.
pub const LARGER_THAN_ANY_SIZE: i64 = 1 << 31;
/// More cuts than any nest needs.
const MAX_CUTS: usize = 64;

/// The facts without such loops; none where there was nothing to cut.
pub fn cut(facts: &NestFacts) -> Result<Option<NestFacts>, Rejection> {
    let mut out: Option<NestFacts> = None;
    for _ in 0..MAX_CUTS {
        let now = out.as_ref().unwrap_or(facts);
        let Some(cut) = next(now)? else { break };
        out = Some(cut.apply(now).map_err(out_of_range)?);
    }
    Ok(out)
}

/// A loop all of whose accesses walk through their arrays in the same steps. Lengths are in elements.
struct Walk {
    index: u16,
    trip: Poly,
    unit: Poly,
    /// From the last element to the first.
    backwards: bool,
    /// The statements under the loop.
    statements: Range<usize>,
    /// Of what is walked through: the array, and where it starts.
    starts: Vec<(Base, Poly)>,
}

/// What becomes of a walk.
#[derive(Debug)]
struct Cut {
    index: u16,
    statements: Range<usize>,
    /// Iterations in a whole row.
    row: Poly,
    /// Iterations of the loop as it was.
    trip: Poly,
    /// Iterations of the first row, if it isn't whole: at most so many, should the loop end before the row does.
    first: Option<Poly>,
    /// Whole rows; fewer than none, should the loop end where its first row does, or before.
    middle: Poly,
    /// Iterations of the last row, if it isn't whole and there is one.
    last: Option<Poly>,
    /// Nothing runs where one of them is not positive.
    conditions: Vec<IntExpr>,
    /// What must not be negative.
    checks: Vec<Poly>,
}

/// How a walk's length compares to a row's.
enum Rows {
    /// It stays within one, or nothing is known.
    One,
    Several(Cut),
    /// It surely leaves the row, but not at the end of one.
    Broken,
}

fn next(facts: &NestFacts) -> Result<Option<Cut>, Rejection> {
    for index in 0..facts.loops.len() as u16 {
        if let Some(cut) = shorter(facts, index).map_err(out_of_range)? {
            return Ok(Some(cut));
        }
        let IntExpr::Poly(trip) = &facts.loops[usize::from(index)].trip else { continue };
        let Some(walk) = Walk::of(facts, index, trip).map_err(out_of_range)? else { continue };
        let mut broken = false;
        for stride in walk.longer_strides(facts).map_err(out_of_range)? {
            match walk.rows(facts, &stride).map_err(out_of_range)? {
                Rows::One => {}
                Rows::Several(cut) => return Ok(Some(cut)),
                Rows::Broken => broken = true,
            }
        }
        if broken {
            return Err(Rejection::new(
                Reason::WriteShape,
                "a loop runs through several rows of an array, but not from the start of a row to the end of one: let one loop run over rows, and one through a row",
            )
            .at(facts.statements[walk.statements.start].line));
        }
    }
    Ok(None)
}

/// The cut of a loop that ends with the smallest of several lengths, where one of them is whole rows; what says by a length
/// whether it runs at all says so of its rows.
fn shorter(facts: &NestFacts, index: u16) -> Result<Option<Cut>, OutOfRange> {
    let mut all = Vec::new();
    least_of(&facts.loops[usize::from(index)].trip, &mut all);
    let (conditions, lengths): (Vec<&IntExpr>, Vec<&IntExpr>) =
        all.into_iter().partition(|e| is_condition(e));
    let lengths: Option<Vec<&Poly>> = lengths.into_iter().map(as_length).collect();
    let Some(lengths) = lengths else { return Ok(None) };
    if lengths.len() + conditions.len() < 2 {
        return Ok(None);
    }
    for trip in &lengths {
        let Some(walk) = Walk::of(facts, index, trip)? else { continue };
        for stride in walk.longer_strides(facts)? {
            if let Rows::Several(mut cut) = walk.rows(facts, &stride)?
                && cut.first.is_none()
                && cut.last.is_none()
            {
                for other in lengths.iter().filter(|other| *other != trip) {
                    cut.checks.push(other.sub(trip)?);
                }
                cut.conditions = conditions.into_iter().cloned().collect();
                return Ok(Some(cut));
            }
        }
    }
    Ok(None)
}

/// What a trip count is the smallest of.
fn least_of<'f>(trip: &'f IntExpr, parts: &mut Vec<&'f IntExpr>) {
    match trip {
        IntExpr::Min(a, b) => {
            least_of(a, parts);
            least_of(b, parts);
        }
        other => parts.push(other),
    }
}

fn as_length(e: &IntExpr) -> Option<&Poly> {
    match e {
        IntExpr::Poly(length) => Some(length),
        _ => None,
    }
}

/// It is none, or more than any length ([`LARGER_THAN_ANY_SIZE`]).
fn is_condition(e: &IntExpr) -> bool {
    match e {
        IntExpr::Poly(p) => {
            p.terms().iter().all(|t| t.coefficient % LARGER_THAN_ANY_SIZE == 0) && !p.is_zero()
        }
        IntExpr::Min(a, b) | IntExpr::Max(a, b) | IntExpr::Add(a, b) => {
            is_condition(a) && is_condition(b)
        }
    }
}

/// The coefficient of a counter, in elements; none if it is zero, or no number of them.
fn step(a: &AccessFact, counter: u16) -> Result<Option<Poly>, OutOfRange> {
    let Some((factor, _)) = a.offset.split(Sym::Iv(counter)) else { return Ok(None) };
    let plain = !factor.is_zero() && !factor.mentions_any(|s| !matches!(s, Sym::Int(_)));
    if plain { in_elements(&factor, a) } else { Ok(None) }
}

fn in_elements(bytes: &Poly, a: &AccessFact) -> Result<Option<Poly>, OutOfRange> {
    exact_ratio(bytes, &Poly::constant(i64::try_from(a.elem.size()).unwrap_or(8)))
}

/// 1 for an element that lies before the row that its offset speaks of, whichever its column.
fn before(a: &AccessFact, counter: u16, within: &Poly) -> Poly {
    let alone = !a.offset.mentions_any(|s| !matches!(s, Sym::Int(_)) && s != Sym::Iv(counter));
    Poly::constant((alone && within.as_constant().is_some_and(|at| at < 0)).into())
}

/// The terms that speak of sizes alone.
fn sizes_alone(p: &Poly) -> Result<Poly, OutOfRange> {
    let plain = |s: &Sym| matches!(s, Sym::Int(_));
    let terms = p.terms().iter().filter(|t| t.symbols.iter().all(plain));
    Poly::from_terms(terms.map(|t| (t.coefficient, t.symbols.clone())))
}

fn degree(p: &Poly) -> usize {
    p.terms().iter().map(|t| t.symbols.len()).max().unwrap_or(0)
}

impl Walk {
    /// `trip`: how often it runs, as far as is asked.
    fn of(facts: &NestFacts, index: u16, trip: &Poly) -> Result<Option<Walk>, OutOfRange> {
        let under = |s: &&StatementFact| s.loops.contains(&index);
        let Some(from) = facts.statements.iter().position(|s| under(&s)) else { return Ok(None) };
        let statements = from..from + facts.statements[from..].iter().take_while(under).count();
        let mine = &facts.statements[statements.clone()];
        if mine.iter().flat_map(|s| &s.conditions).any(|p| p.mentions(Sym::Iv(index))) {
            return Ok(None);
        }
        let mut steps: Option<Poly> = None;
        let mut starts: Vec<(Base, Poly)> = Vec::new();
        for a in mine
            .iter()
            .flat_map(StatementFact::accesses)
            .filter(|a| a.offset.mentions(Sym::Iv(index)))
        {
            let Some(own) = step(a, index)? else { return Ok(None) };
            if steps.get_or_insert_with(|| own.clone()) != &own {
                return Ok(None);
            }
            let rest = sizes_alone(&a.offset)?;
            let Some(start) = in_elements(&rest, a)? else { return Ok(None) };
            starts.push((a.base, start));
        }
        let Some(steps) = steps else { return Ok(None) };
        let (unit, backwards) = (magnitude(&steps)?, sign(&steps) < 0);
        Ok(Some(Walk { index, trip: trip.clone(), unit, backwards, statements, starts }))
    }

    fn touches(&self, a: &AccessFact) -> bool {
        self.starts.iter().any(|(base, _)| base.goes_with(&a.base))
    }

    /// With which step other accesses run through the same arrays; longest first.
    fn longer_strides(&self, facts: &NestFacts) -> Result<Vec<Poly>, OutOfRange> {
        let mut out: Vec<Poly> = Vec::new();
        for s in &facts.statements {
            for a in s.accesses().filter(|a| self.touches(a)) {
                for &l in &s.loops {
                    let Some(own) = step(a, l)? else { continue };
                    let own = magnitude(&own)?;
                    if compare(&own, &self.unit)? == Ordering::Greater && !out.contains(&own) {
                        out.push(own);
                    }
                }
            }
        }
        for i in 1..out.len() {
            let mut j = i;
            while j > 0 && compare(&out[j], &out[j - 1])? == Ordering::Greater {
                out.swap(j - 1, j);
                j -= 1;
            }
        }
        Ok(out)
    }

    /// What the walk is to rows that lie `stride` apart.
    fn rows(&self, facts: &NestFacts, stride: &Poly) -> Result<Rows, OutOfRange> {
        let Some(row) = exact_ratio(stride, &self.unit)? else { return Ok(Rows::One) };
        let narrow = row.as_constant().is_some_and(|r| r < MIN_ROW);
        if narrow || sign(&row) < 0 || self.inside_rows(facts, stride)? {
            return Ok(Rows::One);
        }
        if let Some(rows) = self.opaque_rows(facts, stride)? {
            let all = rows.mul(&row)?;
            let checks = vec![all.sub(&self.trip)?, self.trip.sub(&all)?];
            return Ok(Rows::Several(self.whole(row, rows, checks)));
        }
        let Some(column) = self.column(stride, &row)? else {
            return Ok(if self.longer(&row)? { Rows::Broken } else { Rows::One });
        };
        let (rows, rest) = divided(&self.trip.add(&Poly::constant(column))?, &row)?;
        let Some(rest) = rest.as_constant() else {
            return Ok(if self.longer(&row)? { Rows::Broken } else { Rows::One });
        };
        let one = match rows.as_constant() {
            Some(rows) => rows < 1 || (rows == 1 && rest <= 0),
            None => false,
        };
        match (one, column, rest) {
            (true, ..) => Ok(Rows::One),
            (false, 0, 0) => Ok(Rows::Several(self.whole(row, rows, Vec::new()))),
            _ if self.backwards || !self.innermost(facts) => Ok(Rows::Broken),
            _ => Ok(Rows::Several(self.pieces(row, &rows, column, rest)?)),
        }
    }

    /// Some loop around it, or in it, runs over these rows.
    fn inside_rows(&self, facts: &NestFacts, stride: &Poly) -> Result<bool, OutOfRange> {
        for s in &facts.statements[self.statements.clone()] {
            for a in s.accesses() {
                for &l in s.loops.iter().filter(|&&l| l != self.index) {
                    if step(a, l)?.map(|own| magnitude(&own)).transpose()?.as_ref() == Some(stride)
                    {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    fn innermost(&self, facts: &NestFacts) -> bool {
        facts.statements[self.statements.clone()]
            .iter()
            .all(|s| s.loops.last() == Some(&self.index))
    }

    /// It has surely more iterations than a row, as far as sizes that are multiplied are larger than others. How long a
    /// row of a fixed length is in parameters is not known.
    fn longer(&self, row: &Poly) -> Result<bool, OutOfRange> {
        let more = self.trip.sub(row)?;
        Ok(match more.as_constant() {
            Some(more) => more > 0,
            None => {
                let (own, row) = (degree(&self.trip), degree(row));
                row > 0 && own > row && sign(&self.trip) > 0
            }
        })
    }

    /// In which column all accesses start (or end, backwards), in iterations; none if they don't agree. Where arrays start
    /// at parameters, they start in column 0.
    fn column(&self, stride: &Poly, row: &Poly) -> Result<Option<i64>, OutOfRange> {
        let mut out = None;
        for (_, start) in &self.starts {
            let start = match self.backwards {
                true => start.sub(&row.sub(&Poly::constant(1))?.mul(&self.unit)?)?,
                false => start.clone(),
            };
            let (_, within) = divided(&start, stride)?;
            let column = match (within.as_constant(), self.unit.as_constant()) {
                (Some(at), Some(unit)) => at.div_euclid(unit),
                _ => 0,
            };
            if out.is_some_and(|known| known != column) {
                return Ok(None);
            }
            out = Some(column);
        }
        Ok(out)
    }

    /// All the rows that others touch, where the length is a parameter that says nothing of rows. Where they leave out
    /// the array's first rows, what is read through other arrays in such rows counts, too; and where that leaves them out,
    /// as many are taken to be left out at the end.
    fn opaque_rows(&self, facts: &NestFacts, stride: &Poly) -> Result<Option<Poly>, OutOfRange> {
        let [length] = self.trip.terms() else { return Ok(None) };
        let (1, [symbol]) = (length.coefficient, length.symbols.as_slice()) else {
            return Ok(None);
        };
        // In the first element, of whose parts an access may mean any.
        let parts = self.unit.as_constant().unwrap_or(1);
        let from_zero = |(_, start): &(Base, Poly)| {
            start.as_constant().is_some_and(|part| (0..parts).contains(&part))
        };
        if self.backwards || !self.starts.iter().all(from_zero) || stride.mentions(*symbol) {
            return Ok(None);
        }
        let touched = self.touched_rows(facts, stride, *symbol, |a| self.touches(a))?;
        let touched = match touched {
            Some((first, _)) if first > 0 => self.touched_rows(facts, stride, *symbol, |_| true)?,
            other => other,
        };
        let Some((first, end)) = touched else { return Ok(None) };
        let rows = end.add(&Poly::constant(first.max(0)))?;
        Ok(Some(rows).filter(|rows| !rows.mentions(*symbol)))
    }

    /// The first row that accesses touch, and the end of their rows; none if there are none, if they can't be compared,
    /// or if some loop among them runs as long as the walk does.
    fn touched_rows(
        &self,
        facts: &NestFacts,
        stride: &Poly,
        symbol: Sym,
        asked: impl Fn(&AccessFact) -> bool,
    ) -> Result<Option<(i64, Poly)>, OutOfRange> {
        let mut most: Option<Poly> = None;
        let mut least = i64::MAX;
        for s in &facts.statements {
            for a in s.accesses().filter(|a| asked(a)) {
                for &l in &s.loops {
                    let mut parts = Vec::new();
                    least_of(&facts.loops[usize::from(l)].trip, &mut parts);
                    parts.retain(|e| !is_condition(e));
                    let lengths: Option<Vec<&Poly>> = parts.into_iter().map(as_length).collect();
                    let Some(lengths) = lengths else { return Ok(None) };
                    let Some(own) = step(a, l)?.filter(|own| own == stride) else {
                        // Through a row as long as that: it is the length of a row.
                        let over = |&o: &u16| {
                            o != l && step(a, o).is_ok_and(|p| p.as_ref() == Some(stride))
                        };
                        let is_row = |trip: &&Poly| {
                            trip.mentions(symbol)
                                && (*trip != &self.trip || s.loops.iter().any(over))
                        };
                        if lengths.iter().any(is_row) {
                            return Ok(None);
                        }
                        continue;
                    };
                    let [trip] = lengths[..] else { return Ok(None) };
                    let Some(start) = in_elements(&sizes_alone(&a.offset)?, a)? else { continue };
                    let (first, within) = div_rem(&start, &own)?;
                    let Some(trip) = s.iterations(l, trip)? else { continue };
                    let before = before(a, l, &within);
                    let end = trip.add(&first)?.sub(&before)?;
                    let further = match &most {
                        None => Some(1),
                        Some(most) => end.sub(most)?.as_constant(),
                    };
                    match further {
                        Some(more) if more > 0 => most = Some(end),
                        Some(_) => {}
                        None => return Ok(None),
                    }
                    let first = first.sub(&before)?.as_constant().unwrap_or(0);
                    least = least.min(first);
                }
            }
        }
        Ok(most.map(|end| (least, end)))
    }

    fn whole(&self, row: Poly, rows: Poly, mut checks: Vec<Poly>) -> Cut {
        checks.push(row.clone());
        let (index, statements, trip) = (self.index, self.statements.clone(), self.trip.clone());
        let (middle, conditions) = (rows, Vec::new());
        Cut { index, statements, row, trip, first: None, middle, last: None, conditions, checks }
    }

    /// From `column` of the first row to `rest` columns after the start of row `rows`.
    fn pieces(&self, row: Poly, rows: &Poly, column: i64, rest: i64) -> Result<Cut, OutOfRange> {
        let first = match column {
            0 => None,
            c if c > 0 => Some(row.sub(&Poly::constant(c))?),
            c => Some(Poly::constant(-c)),
        };
        // The rows before the last; a negative column lies in the row before row 0.
        let before = if rest < 0 { rows.sub(&Poly::constant(1))? } else { rows.clone() };
        let middle = before.sub(&Poly::constant(i64::from(column > 0)))?;
        let last = match rest {
            0 => None,
            r if r > 0 => Some(Poly::constant(r)),
            r => Some(row.add(&Poly::constant(r))?),
        };
        // Where rows have no elements at all, nothing runs, if it ends no later in a row than it starts.
        let nothing = column >= 0 && rest <= 0;
        let mut checks = vec![row.clone()];
        for length in first.iter().chain(&last) {
            checks.push(if nothing { length.mul(&row)? } else { length.clone() });
        }
        let (index, statements, trip) = (self.index, self.statements.clone(), self.trip.clone());
        let conditions = Vec::new();
        Ok(Cut { index, statements, row, trip, first, middle, last, conditions, checks })
    }
}

/// Quotient and rest; constants are not negative where the divisor is one.
fn divided(p: &Poly, by: &Poly) -> Result<(Poly, Poly), OutOfRange> {
    let (mut quotient, mut rest) = div_rem(p, by)?;
    if let Some(by) = by.as_constant().filter(|by| *by > 0) {
        let constant = rest.constant_part();
        let (q, r) = (constant.div_euclid(by), constant.rem_euclid(by));
        quotient = quotient.add(&Poly::constant(q))?;
        rest = rest.add(&Poly::constant(r))?.sub(&Poly::constant(constant))?;
    }
    Ok((quotient, rest))
}

/// The smaller of both.
fn at_most(a: &Poly, b: Poly) -> IntExpr {
    match a.sub(&b).ok().and_then(|d| d.as_constant()) {
        Some(d) if d <= 0 => IntExpr::Poly(a.clone()),
        Some(_) => IntExpr::Poly(b),
        None => IntExpr::Min(Box::new(IntExpr::Poly(a.clone())), Box::new(IntExpr::Poly(b))),
    }
}

impl Cut {
    fn apply(&self, facts: &NestFacts) -> Result<NestFacts, OutOfRange> {
        let mut out = facts.clone();
        let mut new_loop = |trip: IntExpr| {
            out.loops.push(LoopFact { trip });
            (out.loops.len() - 1) as u16
        };
        // For each piece: the loops in place of the cut one, and the cut one's counter.
        let mut pieces: Vec<(Vec<u16>, Poly)> = Vec::new();
        let mut done = Poly::zero();
        if let Some(first) = &self.first {
            let through = new_loop(at_most(first, self.trip.clone()));
            pieces.push((vec![through], Poly::symbol(Sym::Iv(through))));
            done = first.clone();
        }
        let rows = self.conditions.iter().fold(IntExpr::Poly(self.middle.clone()), |rows, c| {
            IntExpr::Min(Box::new(rows), Box::new(c.clone()))
        });
        let (over, through) = (new_loop(rows), self.index);
        let counter = Poly::symbol(Sym::Iv(over)).mul(&self.row)?;
        let counter = counter.add(&Poly::symbol(Sym::Iv(through)))?.add(&done)?;
        pieces.push((vec![over, through], counter));
        if let Some(last) = &self.last {
            let done = done.add(&self.middle.mul(&self.row)?)?;
            let reached = self.middle.add(&Poly::constant(1))?.scale(LARGER_THAN_ANY_SIZE)?;
            let through = new_loop(match self.middle.as_constant() {
                Some(rows) if rows >= 0 => IntExpr::Poly(last.clone()),
                _ => at_most(last, reached),
            });
            pieces.push((vec![through], Poly::symbol(Sym::Iv(through)).add(&done)?));
        }
        out.loops[usize::from(self.index)].trip = IntExpr::Poly(self.row.clone());
        let piece = |(loops, counter): (Vec<u16>, Poly)| Copy {
            counters: vec![(self.index, counter)],
            loops: vec![(self.index, loops)],
        };
        let pieces: Vec<Copy> = pieces.into_iter().map(piece).collect();
        copies::put(&mut out, &self.statements, &pieces)?;
        for value in self.checks.iter().filter(|p| p.as_constant().is_none_or(|c| c < 0)) {
            let value = value.clone();
            out.checks.push(CheckFact::once(value, CheckKind::Size));
        }
        let none = self.trip.scale(-1)?;
        if none.as_constant().is_none() && self.conditions.is_empty() {
            out.checks.push(CheckFact::once(none, CheckKind::Idle));
        }
        Ok(out)
    }
}
