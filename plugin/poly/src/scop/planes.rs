//! Several arrays in one allocation: `u` and `v = u + n*m`.
//!
//! Accesses of one statement under the same counters whose subscripts differ by a parameter, or by more rows than any
//! stencil reaches, are accesses to different arrays; the difference is where the second array starts. That they
//! don't overlap is checked at run time like for any two arrays. Rows that other accesses reach too say nothing of a second
//! array: the far side of a grid that wraps round, at its border (`rows.rs`).
//!
//! Where the rows of all accesses are known, grids at equal distances are told apart by these alone (`pitch.rs`).

use super::algebra::{compare, out_of_range, sign, symbolic_part};
use super::delinearize::{divide, fold};
use super::pitch::{Pitch, pitch};
use super::rows::{Rows, around, lie_within};
use super::{Affine, Counter};
use crate::rejection::Rejection;
use hexpass_abi::Poly;
use hexpass_abi::expr::OutOfRange;
use std::cmp::Ordering;

/// No stencil reaches further.
const REACH: i64 = 32;

/// One access, as far as it matters here.
#[derive(Clone, Debug)]
pub struct Position {
    pub statement: usize,
    pub counters: Vec<Option<Counter>>,
    /// Bytes at the smallest subscripts.
    pub start: Poly,
    /// First and last row, where that is known.
    pub rows: Option<Rows>,
}

/// For each access, the bytes at which its array starts.
pub fn array_starts(accesses: &[Position], strides: &[Poly]) -> Result<Vec<Poly>, Rejection> {
    starts(accesses, strides).map_err(out_of_range)
}

fn starts(accesses: &[Position], strides: &[Poly]) -> Result<Vec<Poly>, OutOfRange> {
    if let Some(starts) = at_a_pitch(accesses, strides)? {
        return Ok(starts);
    }
    let candidates = candidates(accesses, strides)?;
    if candidates.len() == 1 {
        return Ok(vec![Poly::zero(); accesses.len()]);
    }
    let mut out: Vec<usize> =
        accesses.iter().map(|a| cheapest(a, &candidates, strides)).collect::<Result<_, _>>()?;
    let touched = touched(accesses, &out, candidates.len())?;
    for (a, start) in accesses.iter().zip(&mut out).filter(|(a, _)| stays_in_a_row(a)) {
        if let Some(home) = home(a, &touched, strides)? {
            *start = home;
        }
    }
    Ok(out.into_iter().map(|c| candidates[c].clone()).collect())
}

/// The starts of grids at equal distances.
fn at_a_pitch(accesses: &[Position], strides: &[Poly]) -> Result<Option<Vec<Poly>>, OutOfRange> {
    let mut reached = Vec::with_capacity(accesses.len());
    let (mut told, mut before): (Vec<Poly>, Vec<(&Position, Poly)>) = (Vec::new(), Vec::new());
    for a in accesses {
        // The last element of a row is not one before the next row.
        let (rounded, _) = divide(&a.start, strides)?;
        let row = folded(a, rounded.clone(), strides)?.swap_remove(0).offset;
        let by = row.sub(&rounded[0])?;
        let beside = |b: &Position| b.statement == a.statement && b.counters == a.counters;
        for (_, other) in before.iter().filter(|(b, _)| beside(b)) {
            let distance = row.sub(other)?;
            if distance.as_constant().is_none() && !told.contains(&distance) {
                told.push(distance);
            }
        }
        before.push((a, row.clone()));
        reached.push(match &a.rows {
            Some((first, last)) => ((first.add(&by)?, last.add(&by)?), first != last),
            None if stays_in_a_row(a) => ((row.clone(), row), false),
            None => return Ok(None),
        });
    }
    let (Some(Pitch { rows, grids }), Some(outer)) = (pitch(&reached, &told)?, strides.first())
    else {
        return Ok(None);
    };
    let size = outer.mul(&rows)?;
    grids.into_iter().map(|grid| size.scale(grid)).collect::<Result<_, _>>().map(Some)
}

/// The candidate from which an access's subscripts look best.
fn cheapest(a: &Position, candidates: &[Poly], strides: &[Poly]) -> Result<usize, OutOfRange> {
    let mut best: Option<(u128, usize)> = None;
    for (i, c) in candidates.iter().enumerate() {
        let cost = cost(a, c, strides)?;
        if best.is_none_or(|(b, _)| cost < b) {
            best = Some((cost, i));
        }
    }
    Ok(best.map_or(0, |(_, i)| i))
}

fn stays_in_a_row(a: &Position) -> bool {
    a.counters.first().is_some_and(Option::is_none)
}

/// The rows that accesses reach which run over rows, for each candidate.
fn touched(
    accesses: &[Position],
    starts: &[usize],
    candidates: usize,
) -> Result<Vec<Option<Rows>>, OutOfRange> {
    let mut out: Vec<Option<Rows>> = vec![None; candidates];
    for (a, &start) in accesses.iter().zip(starts) {
        if let Some(rows) = &a.rows {
            out[start] = Some(around(out[start].as_ref(), rows)?);
        }
    }
    Ok(out)
}

/// The only array whose sweeps reach the row that an access stays in: a border's last row lies closer to the start of
/// what comes next in a structure than to its own.
fn home(
    a: &Position,
    touched: &[Option<Rows>],
    strides: &[Poly],
) -> Result<Option<usize>, OutOfRange> {
    let (quotients, _) = divide(&a.start, strides)?;
    let row = (quotients[0].clone(), quotients[0].clone());
    let mut out = None;
    for (i, rows) in touched.iter().enumerate() {
        let Some(rows) = rows else { continue };
        if lie_within(&row, rows)? && out.replace(i).is_some() {
            return Ok(None);
        }
    }
    Ok(out)
}

/// Lets arrays that are only read begin where one begins that is written, the one whose subscripts they look most like;
/// says whether there were any. `written` says of each access whether it is a store.
pub fn join(
    accesses: &[Position],
    written: &[bool],
    strides: &[Poly],
    starts: &mut [Poly],
) -> Result<bool, OutOfRange> {
    let stores = starts.iter().zip(written).filter(|(_, written)| **written);
    let mut homes: Vec<Poly> = Vec::new();
    for (start, _) in stores {
        if !homes.contains(start) {
            homes.push(start.clone());
        }
    }
    let mut joined = false;
    for (a, start) in accesses.iter().zip(starts) {
        if homes.contains(start) {
            continue;
        }
        let mut best: Option<(u128, &Poly)> = None;
        for home in &homes {
            let (_, left) = divide(&start.sub(home)?, strides)?;
            let cost = cost(a, home, strides)?;
            if left.is_zero() && best.is_none_or(|(b, _)| cost < b) {
                best = Some((cost, home));
            }
        }
        if let Some((_, home)) = best {
            *start = home.clone();
            joined = true;
        }
    }
    Ok(joined)
}

/// Subscripts that start at these offsets, none of them negative throughout.
fn folded(a: &Position, offsets: Vec<Poly>, strides: &[Poly]) -> Result<Vec<Affine>, OutOfRange> {
    let counters = a.counters.iter().zip(offsets);
    let mut out: Vec<Affine> =
        counters.map(|(&counter, offset)| Affine { counter, offset }).collect();
    fold(&mut out, strides, &vec![None; strides.len()], |_| 0)?;
    Ok(out)
}

/// How unlike subscripts look if the array starts there.
fn cost(a: &Position, array: &Poly, strides: &[Poly]) -> Result<u128, OutOfRange> {
    let (quotients, _) = divide(&a.start.sub(array)?, strides)?;
    let subscripts = folded(a, quotients, strides)?;
    let mut sum: u128 = 0;
    for (d, s) in subscripts.iter().enumerate() {
        let constant = s.offset.constant_part();
        let symbols: u128 = s
            .offset
            .terms()
            .iter()
            .filter(|t| !t.symbols.is_empty())
            .map(|t| u128::from(t.coefficient.unsigned_abs()))
            .fold(0, u128::saturating_add);
        let below = sign(&s.offset) < 0 && (constant < -REACH || (d == 0 && s.counter.is_none()));
        sum = sum
            .saturating_add(symbols.saturating_mul(1 << 40))
            .saturating_add(u128::from(constant.unsigned_abs()))
            .saturating_add(if below { 1 << 60 } else { 0 });
    }
    Ok(sum)
}

/// Zero, and the differences found inside statements; smallest first.
fn candidates(accesses: &[Position], strides: &[Poly]) -> Result<Vec<Poly>, OutOfRange> {
    let mut out = vec![Poly::zero()];
    let statements = accesses.iter().map(|a| a.statement).max().map_or(0, |s| s + 1);
    let mut groups_of: Vec<Vec<Group>> = Vec::with_capacity(statements);
    let mut usual: Option<Rows> = None;
    for s in 0..statements {
        let mut groups: Vec<Group> = Vec::new();
        for a in accesses.iter().filter(|a| a.statement == s) {
            add_to_group(&mut groups, a, strides)?;
        }
        if let Some(rows) = smallest(&groups)?.and_then(|first| first.touched.as_ref()) {
            usual = Some(around(usual.as_ref(), rows)?);
        }
        groups_of.push(groups);
    }
    for groups in &groups_of {
        let Some(first) = smallest(groups)? else { continue };
        for g in groups {
            if let (Some(rows), Some(usual)) = (&g.touched, &usual)
                && lie_within(rows, usual)?
            {
                continue;
            }
            let start = g.start(strides)?.sub(&first.start(strides)?)?;
            if g.counters == first.counters && !known(&out, &start, strides)? {
                out.push(start);
            }
        }
    }
    for i in 1..out.len() {
        let mut j = i;
        while j > 1 && compare(&out[j], &out[j - 1])? == Ordering::Less {
            out.swap(j - 1, j);
            j -= 1;
        }
    }
    Ok(out)
}

/// Accesses that belong to one array for sure.
struct Group {
    counters: Vec<Option<Counter>>,
    /// Parameters in each dimension that has a counter.
    symbols: Vec<Poly>,
    /// Constants of the first dimension, if it has a counter.
    rows: Option<(i64, i64)>,
    /// The rows of all of them, where these are known.
    touched: Option<Rows>,
}

impl Group {
    /// Bytes at the middle of the group's accesses.
    fn start(&self, strides: &[Poly]) -> Result<Poly, OutOfRange> {
        let mut sum = Poly::zero();
        for (p, s) in self.symbols.iter().zip(strides) {
            sum = sum.add(&p.mul(s)?)?;
        }
        if let (Some((lo, hi)), Some(outer)) = (self.rows, strides.first()) {
            let middle = lo.checked_add(hi).ok_or(OutOfRange)? / 2;
            sum = sum.add(&outer.scale(middle)?)?;
        }
        Ok(sum)
    }
}

fn add_to_group(groups: &mut Vec<Group>, a: &Position, strides: &[Poly]) -> Result<(), OutOfRange> {
    let (quotients, _) = divide(&a.start, strides)?;
    let mut symbols = Vec::with_capacity(quotients.len());
    for (counter, q) in a.counters.iter().zip(&quotients) {
        symbols.push(if counter.is_some() { symbolic_part(q)? } else { Poly::zero() });
    }
    if a.counters.iter().all(Option::is_none) {
        return Ok(());
    }
    let row = a.counters[0].map(|_| quotients[0].constant_part());
    let near = |rows: Option<(i64, i64)>| match (rows, row) {
        (Some((lo, hi)), Some(r)) => r >= lo.saturating_sub(REACH) && r <= hi.saturating_add(REACH),
        _ => true,
    };
    let same = groups
        .iter_mut()
        .find(|g| g.counters == a.counters && g.symbols == symbols && near(g.rows));
    match same {
        Some(g) => {
            if let (Some((lo, hi)), Some(r)) = (&mut g.rows, row) {
                (*lo, *hi) = ((*lo).min(r), (*hi).max(r));
            }
            g.touched = match (&g.touched, &a.rows) {
                (Some(these), Some(more)) => Some(around(Some(these), more)?),
                _ => None,
            };
        }
        None => groups.push(Group {
            counters: a.counters.clone(),
            symbols,
            rows: row.map(|r| (r, r)),
            touched: a.rows.clone(),
        }),
    }
    Ok(())
}

fn smallest(groups: &[Group]) -> Result<Option<&Group>, OutOfRange> {
    let weight = |g: &Group| {
        let symbols = g.symbols.iter().flat_map(|p| p.terms()).count();
        (symbols, g.rows.map_or(0, |(lo, _)| lo.unsigned_abs()))
    };
    Ok(groups.iter().min_by_key(|g| weight(g)))
}

/// True if a candidate lies within a stencil's reach.
fn known(out: &[Poly], start: &Poly, strides: &[Poly]) -> Result<bool, OutOfRange> {
    for c in out {
        let (quotients, rest) = divide(&start.sub(c)?, strides)?;
        let close = |q: &Poly| q.as_constant().is_some_and(|q| (-REACH..=REACH).contains(&q));
        if rest.is_zero() && quotients.iter().all(close) {
            return Ok(true);
        }
    }
    Ok(false)
}
