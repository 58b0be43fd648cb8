//! Arrays along a line of a grid (`kept[j] = u[1][j]`), as borders that absorb waves keep one, and variables that keep a
//! single element of it.
//!
//! Consumes accesses with their subscripts; gives a written array that has fewer dimensions than others the dimensions of
//! the grid that its values come from or go to, a single element along those that it lacks, at the line's place. So its
//! statements have coordinates as all others have, and are neighbours of the points that they are about.
//! Refuses nothing: arrays that no statement puts along a grid stay as they are.

use super::build::{Access, made_of};
use super::delinearize::mentions_time;
use super::pinned::only_iteration;
use super::{Affine, Counter};
use crate::facts::NestFacts;
use hexpass_abi::expr::OutOfRange;
use hexpass_abi::{Array, Poly};

/// Where an array lies in a grid.
struct Line {
    /// For each of its dimensions, the grid's; none for a single element.
    along: Vec<usize>,
    /// For each dimension of the grid, the place in those that the array lacks.
    at: Vec<Poly>,
}

/// Gives each of them its dimensions; says which they are.
pub fn spread(
    accesses: &mut [Access],
    array_of: &[usize],
    arrays: &mut [Array],
    facts: &NestFacts,
) -> Result<Vec<u16>, OutOfRange> {
    let of = |index: usize| (0..array_of.len()).filter(move |&a| array_of[a] == index);
    let mut space: Vec<Vec<bool>> = Vec::with_capacity(arrays.len());
    for (index, array) in arrays.iter().enumerate() {
        let runs = |d: usize| of(index).any(|a| accesses[a].subscripts[d].counter.is_some());
        space.push((0..array.strides.len()).map(runs).collect());
    }
    let dims = |along: &[bool]| along.iter().filter(|along| **along).count();
    let written: Vec<usize> =
        (0..arrays.len()).filter(|&index| of(index).any(|a| accesses[a].write)).collect();
    let most = written.iter().map(|&index| dims(&space[index])).max().unwrap_or(0);
    let mut left: Vec<(usize, Vec<usize>)> =
        written.into_iter().map(|index| (index, of(index).collect::<Vec<_>>())).collect();
    left.retain(|(index, mine)| {
        dims(&space[*index]) < most && is_line(accesses, mine, &space[*index])
    });
    let mut found: Vec<usize> = Vec::new();
    loop {
        let before = left.len();
        for (index, mine) in std::mem::take(&mut left) {
            let grids =
                Grids { accesses, array_of, space: &space, placed: &found, dims: most, facts };
            match grids.line_of(&mine)? {
                Some(line) => {
                    let mut subscripts = Vec::with_capacity(mine.len());
                    for &a in &mine {
                        subscripts.push(grids.subscripts(a, &line)?);
                    }
                    place(&mut arrays[index], &accesses[mine[0]], &line)?;
                    for (&a, new) in mine.iter().zip(subscripts) {
                        accesses[a].subscripts = new;
                    }
                    space[index] = vec![true; most];
                    found.push(index);
                }
                None => left.push((index, mine)),
            }
        }
        if left.len() == before {
            found.sort_unstable();
            return Ok(found.into_iter().map(|index| index as u16).collect());
        }
    }
}

/// Counters run through all of it, or it is a single element; the same in all steps.
fn is_line(accesses: &[Access], mine: &[usize], space: &[bool]) -> bool {
    let subscripts = |a: usize| &accesses[a].subscripts;
    let single = || mine.iter().all(|&a| subscripts(a) == subscripts(mine[0]));
    let steady = |a: &usize| {
        !mentions_time(&accesses[*a].start)
            && subscripts(*a).iter().all(|s| !mentions_time(&s.offset))
    };
    (space.iter().all(|along| *along) || (!space.contains(&true) && single()))
        && mine.iter().all(steady)
}

/// What has all dimensions.
struct Grids<'a> {
    accesses: &'a [Access],
    array_of: &'a [usize],
    /// Of each array, the dimensions along space.
    space: &'a [Vec<bool>],
    /// Those that have them from here.
    placed: &'a [usize],
    dims: usize,
    facts: &'a NestFacts,
}

impl Grids<'_> {
    /// What a statement that writes an array, or else one that reads it, says of its place, by what else that writes, or
    /// else by the middle of what it reads: of what it stores there, where it stores several values.
    fn line_of(&self, mine: &[usize]) -> Result<Option<Line>, OutOfRange> {
        let (writes, reads): (Vec<usize>, Vec<usize>) =
            mine.iter().partition(|&&a| self.accesses[a].write);
        for a in [writes, reads].concat() {
            let beside = |write: bool| {
                let mut all: Vec<usize> = (0..self.accesses.len()).collect();
                all.retain(|&g| self.is_beside(g, a, write));
                all
            };
            let (placed, stored): (Vec<usize>, Vec<usize>) =
                beside(true).into_iter().partition(|&g| self.placed.contains(&self.array_of[g]));
            let made_of = made_of(self.accesses, a, self.facts);
            let (needed, read): (Vec<usize>, Vec<usize>) =
                beside(false).into_iter().partition(|g| made_of.contains(g));
            for sources in [stored, needed, read, placed] {
                let mut lines = Vec::new();
                for g in sources {
                    lines.extend(self.line_through(a, g)?);
                }
                if let Some(line) = middle(lines)? {
                    return Ok(Some(line));
                }
            }
        }
        Ok(None)
    }

    /// An access to a grid in the statement of another one.
    fn is_beside(&self, g: usize, a: usize, write: bool) -> bool {
        let dims = self.space[self.array_of[g]].iter().filter(|along| **along).count();
        dims == self.dims
            && self.accesses[g].statement == self.accesses[a].statement
            && self.accesses[g].write == write
    }

    /// The line through a grid that an access goes along, if it has the same counters.
    fn line_through(&self, a: usize, g: usize) -> Result<Option<Line>, OutOfRange> {
        let own = &self.accesses[a].subscripts;
        let counters: Vec<Counter> = own.iter().filter_map(|s| s.counter).collect();
        let mut grid = Vec::with_capacity(self.dims);
        let space = self.accesses[g].subscripts.iter().zip(&self.space[self.array_of[g]]);
        for s in space.filter(|(_, along)| **along).map(|(s, _)| s) {
            let shared = s.counter.is_some_and(|c| counters.contains(&c));
            grid.push(if shared {
                s.clone()
            } else {
                self.settled(s, self.accesses[a].statement)?
            });
        }
        let is_whole = counters.is_empty() || counters.len() == own.len();
        let of_counter = |c: &Counter| grid.iter().position(|s| s.counter == Some(*c));
        let along: Option<Vec<usize>> = counters.iter().map(of_counter).collect();
        let Some(along) = along.filter(|_| is_whole) else { return Ok(None) };
        let in_order = along.windows(2).all(|pair| pair[0] < pair[1]);
        let is_place = |s: &Affine| s.counter.is_none() && !mentions_time(&s.offset);
        let others = grid.iter().enumerate().all(|(d, s)| along.contains(&d) || is_place(s));
        Ok((in_order && others)
            .then(|| Line { along, at: grid.into_iter().map(|s| s.offset).collect() }))
    }

    /// An access's subscripts in the grid; where its statement runs in one iteration of a loop, they go on with that.
    fn subscripts(&self, a: usize, line: &Line) -> Result<Vec<Affine>, OutOfRange> {
        let fixed = line.at.iter().map(|at| Affine { counter: None, offset: at.clone() });
        let mut out: Vec<Affine> = fixed.collect();
        for (&d, s) in line.along.iter().zip(&self.accesses[a].subscripts) {
            out[d] = s.clone();
        }
        let beside = |g: &usize| self.is_beside(*g, a, true) || self.is_beside(*g, a, false);
        for g in (0..self.accesses.len()).filter(beside) {
            let space = self.accesses[g].subscripts.iter().zip(&self.space[self.array_of[g]]);
            let along = space.filter(|(_, along)| **along).map(|(s, _)| s);
            for (d, s) in along.enumerate() {
                let is_taken = out.iter().any(|o| o.counter.is_some() && o.counter == s.counter);
                if out[d].counter.is_some() || s.counter.is_none() || is_taken {
                    continue;
                }
                let settled = self.settled(s, self.accesses[a].statement)?;
                if settled.counter.is_none() {
                    let from_there = s.offset.sub(&settled.offset)?;
                    out[d] = Affine { counter: s.counter, offset: out[d].offset.add(&from_there)? };
                }
            }
        }
        Ok(out)
    }

    /// A subscript without its counter where the statement runs in one iteration of that loop.
    fn settled(&self, s: &Affine, statement: usize) -> Result<Affine, OutOfRange> {
        let Some(counter) = s.counter else { return Ok(s.clone()) };
        let trip = &self.facts.loops[usize::from(counter.index)].trip;
        let conditions = &self.facts.statements[statement].conditions;
        let Some(only) = only_iteration(conditions, counter.index, trip)? else {
            return Ok(s.clone());
        };
        let only = if counter.negative { only.scale(-1)? } else { only };
        Ok(Affine { counter: None, offset: s.offset.add(&only)? })
    }
}

/// Between lines that lie at known distances, so that none is far from it.
fn middle(lines: Vec<Line>) -> Result<Option<Line>, OutOfRange> {
    let mut lines = lines.into_iter();
    let Some(mut first) = lines.next() else { return Ok(None) };
    let mut ends = vec![(0, 0); first.at.len()];
    for line in lines.filter(|line| line.along == first.along) {
        for ((a, b), (low, high)) in line.at.iter().zip(&first.at).zip(&mut ends) {
            if let Some(distance) = a.sub(b)?.as_constant() {
                (*low, *high) = (distance.min(*low), distance.max(*high));
            }
        }
    }
    for (at, (low, high)) in first.at.iter_mut().zip(ends) {
        let way: i64 = low.checked_add(high).ok_or(OutOfRange)?;
        *at = at.add(&Poly::constant(way.div_euclid(2)))?;
    }
    Ok(Some(first))
}

/// The array among the grid's dimensions; `first` is one of its accesses.
fn place(array: &mut Array, first: &Access, line: &Line) -> Result<(), OutOfRange> {
    let elem = Poly::constant(array.elem.size() as i64);
    let mut start = Poly::zero();
    if line.along.is_empty() {
        for (s, stride) in first.subscripts.iter().zip(&array.strides) {
            start = start.add(&stride.mul(&s.offset)?)?;
        }
    }
    let lacking = line.at.iter().enumerate().filter(|(d, _)| !line.along.contains(d));
    for (_, at) in lacking {
        start = start.sub(&elem.mul(at)?)?;
    }
    for slot in &mut array.slots {
        slot.offset = slot.offset.add(&start)?;
    }
    let mut strides = vec![elem; line.at.len()];
    for (&d, stride) in line.along.iter().zip(&array.strides) {
        strides[d] = stride.clone();
    }
    array.strides = strides;
    Ok(())
}
