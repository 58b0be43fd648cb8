//! Arrays in which each step keeps one value (`trace[t] = u[i][j]`), a line of them (`seismogram[t][j] = u[3][j]`), or a box.
//!
//! Consumes accesses with their subscripts; gives such an array the dimensions of the grid that the values come from: its own
//! along the line, and a single element along each other, at the values' place. So it keeps its steps as a whole history
//! does, its statement has coordinates as all others have, and it is made where and when the value is there. What several
//! statements keep side by side, such as receivers (`seismogram[t][k] = u[x[k]][y]`), are as many arrays.
//! Refuses nothing: arrays that are read too, an element that several statements write, or values that come from no written
//! grid, stay as they are.

use super::Affine;
use super::build::{Access, made_of};
use super::delinearize::mentions_time;
use crate::facts::NestFacts;
use hexpass_abi::expr::OutOfRange;
use hexpass_abi::{Array, Poly};

/// Gives each trace its dimensions; says which arrays are such.
pub fn spread(
    accesses: &mut [Access],
    array_of: &mut [usize],
    arrays: &mut Vec<Array>,
    facts: &NestFacts,
) -> Result<Vec<u16>, OutOfRange> {
    take_apart(accesses, array_of, arrays, facts);
    let mut traces = Vec::new();
    for (index, array) in arrays.iter_mut().enumerate() {
        let Some(at) = only_access(accesses, array_of, index) else { continue };
        let Some(step) = kept_step(&accesses[at], facts) else { continue };
        let Some(place) = place_of_value(accesses, array_of, at, facts) else { continue };
        let own = &accesses[at].subscripts;
        let Some(lines) = lines_of(&place, own) else { continue };
        let elem = Poly::constant(array.elem.size() as i64);
        let mut strides: Vec<Poly> = lines
            .iter()
            .map(|line| line.map_or_else(|| elem.clone(), |d| array.strides[d].clone()))
            .collect();
        let mut start = Poly::zero();
        for (d, s) in own.iter().enumerate().filter(|&(d, _)| d != step) {
            start = start.add(&array.strides[d].mul(&s.offset)?)?;
        }
        for (x, stride) in place.iter().zip(&strides) {
            start = start.sub(&stride.mul(&x.offset)?)?;
        }
        // Behind what lies further apart than steps do.
        let behind = lines.iter().rposition(|line| line.is_some_and(|d| d < step));
        let among = behind.map_or(0, |d| d + 1);
        strides.insert(among, array.strides[step].clone());
        // Something else lies between neighbours.
        if strides.last() != Some(&elem) {
            continue;
        }
        let mut subscripts = place;
        subscripts.insert(among, own[step].clone());
        array.strides = strides;
        for slot in &mut array.slots {
            slot.offset = slot.offset.add(&start)?;
        }
        accesses[at].subscripts = subscripts;
        traces.extend(u16::try_from(index));
    }
    Ok(traces)
}

/// Gives each store of an array that keeps several values of each step, and is not read, an array of its own.
fn take_apart(
    accesses: &[Access],
    array_of: &mut [usize],
    arrays: &mut Vec<Array>,
    facts: &NestFacts,
) {
    for index in 0..arrays.len() {
        let mine: Vec<usize> = (0..accesses.len()).filter(|&a| array_of[a] == index).collect();
        let keeps = |a: &usize| {
            accesses[*a].write
                && kept_step(&accesses[*a], facts).is_some()
                && place_of_value(accesses, array_of, *a, facts).is_some()
        };
        let again = |(n, a): (usize, &usize)| {
            mine[..n].iter().any(|b| accesses[*b].subscripts == accesses[*a].subscripts)
        };
        if mine.iter().all(keeps) && !mine.iter().enumerate().any(again) {
            for &a in mine.iter().skip(1) {
                array_of[a] = arrays.len();
                arrays.push(arrays[index].clone());
            }
        }
    }
}

/// The one access of an array, a store.
fn only_access(accesses: &[Access], array_of: &[usize], index: usize) -> Option<usize> {
    let mut mine = (0..accesses.len()).filter(|&a| array_of[a] == index);
    let only = mine.next().filter(|&a| accesses[a].write)?;
    mine.next().is_none().then_some(only)
}

/// The dimension along which each step keeps what it stores: one element, or one for each iteration of the loops around it.
fn kept_step(a: &Access, facts: &NestFacts) -> Option<usize> {
    let once = once_in_each_loop(&a.subscripts, &facts.statements[a.statement].loops);
    let mut steps = (0..a.subscripts.len()).filter(|&d| mentions_time(&a.subscripts[d].offset));
    let step = steps.next().filter(|_| once && !mentions_time(&a.start))?;
    (steps.next().is_none() && a.subscripts[step].counter.is_none()).then_some(step)
}

/// For each subscript of a place the one of a store that runs through the line with it, if a counter does; none unless they
/// go the same way, and in the same order.
fn lines_of(place: &[Affine], store: &[Affine]) -> Option<Vec<Option<usize>>> {
    let mut out = Vec::with_capacity(place.len());
    for x in place {
        out.push(match x.counter {
            None => None,
            Some(_) => Some(store.iter().position(|s| s.counter == x.counter)?),
        });
    }
    out.iter().flatten().is_sorted().then_some(out)
}

/// Each loop's counter stands in just one of the subscripts.
fn once_in_each_loop(subscripts: &[Affine], loops: &[u16]) -> bool {
    let all = || subscripts.iter().filter_map(|s| s.counter);
    all().count() == loops.len() && loops.iter().all(|l| all().any(|c| c.index == *l))
}

/// Where a statement reads a grid that the nest sweeps over and writes, for what it stores at `store`: the subscripts along
/// space, fixed but for those that its loops run through, or in a box somewhere in it.
fn place_of_value(
    accesses: &[Access],
    array_of: &[usize],
    store: usize,
    facts: &NestFacts,
) -> Option<Vec<Affine>> {
    let loops = &facts.statements[accesses[store].statement].loops;
    made_of(accesses, store, facts)
        .into_iter()
        .filter_map(|a| {
            let mine = || accesses.iter().zip(array_of).filter(|(_, i)| **i == array_of[a]);
            if !mine().any(|(other, _)| other.write) {
                return None;
            }
            let runs = |d: usize| mine().any(|(other, _)| other.subscripts[d].counter.is_some());
            let subscripts = accesses[a].subscripts.iter().enumerate();
            let along: Vec<Affine> =
                subscripts.filter(|&(d, _)| runs(d)).map(|(_, s)| s.clone()).collect();
            // Of a box, only the run knows where it lies.
            let fixed = |s: &Affine| s.counter.is_none() || s.offset.as_constant().is_none();
            let fixed = along.iter().any(fixed);
            let stays = !along.iter().any(|s| mentions_time(&s.offset));
            (fixed && stays && once_in_each_loop(&along, loops)).then_some(along)
        })
        .next()
}
