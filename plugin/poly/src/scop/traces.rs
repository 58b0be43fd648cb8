//! Arrays in which each step keeps one value (`trace[t] = u[i][j]`).
//!
//! Consumes accesses with their subscripts; gives such an array the dimensions of the grid that the value comes from, a single
//! element along each, at the value's place. So it keeps its steps as a whole history does, its statement has coordinates
//! as all others have, and it is made where and when the value is there. What several statements keep side by side, such as
//! receivers (`seismogram[t][k] = u[x[k]][y]`), are as many arrays.
//! Refuses nothing: arrays that are read too, an element that several statements write, or values that come from no written
//! grid, stay as they are.

use super::Affine;
use super::build::{Access, made_of};
use super::delinearize::mentions_time;
use crate::facts::NestFacts;
use hexpass_abi::expr::OutOfRange;
use hexpass_abi::{Array, Poly};

/// Gives each trace its dimensions.
pub fn spread(
    accesses: &mut [Access],
    array_of: &mut [usize],
    arrays: &mut Vec<Array>,
    facts: &NestFacts,
) -> Result<(), OutOfRange> {
    take_apart(accesses, array_of, arrays, facts);
    for (index, array) in arrays.iter_mut().enumerate() {
        let Some(at) = only_access(accesses, array_of, index) else { continue };
        let Some(step) = kept_step(&accesses[at], facts) else { continue };
        let Some(place) = place_of_value(accesses, array_of, at, facts) else { continue };
        let elem = Poly::constant(array.elem.size() as i64);
        let mut start = Poly::zero();
        for (d, s) in accesses[at].subscripts.iter().enumerate().filter(|&(d, _)| d != step) {
            start = start.add(&array.strides[d].mul(&s.offset)?)?;
        }
        for x in &place {
            start = start.sub(&elem.mul(x)?)?;
        }
        array.strides = vec![array.strides[step].clone()];
        array.strides.extend(place.iter().map(|_| elem.clone()));
        for slot in &mut array.slots {
            slot.offset = slot.offset.add(&start)?;
        }
        let step = accesses[at].subscripts[step].clone();
        let along = place.into_iter().map(|offset| Affine { counter: None, offset });
        accesses[at].subscripts = std::iter::once(step).chain(along).collect();
    }
    Ok(())
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

/// The dimension along which a single element is kept in each step.
fn kept_step(a: &Access, facts: &NestFacts) -> Option<usize> {
    let single = facts.statements[a.statement].loops.is_empty()
        && a.subscripts.iter().all(|s| s.counter.is_none())
        && !mentions_time(&a.start);
    let mut steps = (0..a.subscripts.len()).filter(|&d| mentions_time(&a.subscripts[d].offset));
    let step = steps.next().filter(|_| single)?;
    steps.next().is_none().then_some(step)
}

/// Where a statement without loops reads a grid that the nest sweeps over and writes, for what it stores at `store`: the
/// subscripts along space.
fn place_of_value(
    accesses: &[Access],
    array_of: &[usize],
    store: usize,
    facts: &NestFacts,
) -> Option<Vec<Poly>> {
    made_of(accesses, store, facts)
        .into_iter()
        .filter_map(|a| {
            let mine = || accesses.iter().zip(array_of).filter(|(_, i)| **i == array_of[a]);
            if !mine().any(|(other, _)| other.write) {
                return None;
            }
            let runs = |d: usize| mine().any(|(other, _)| other.subscripts[d].counter.is_some());
            let along: Vec<&Affine> = accesses[a]
                .subscripts
                .iter()
                .enumerate()
                .filter(|&(d, _)| runs(d))
                .map(|(_, s)| s)
                .collect();
            let is_fixed = |s: &&Affine| s.counter.is_none() && !mentions_time(&s.offset);
            let fixed = !along.is_empty() && along.iter().all(is_fixed);
            fixed.then(|| along.into_iter().map(|s| s.offset.clone()).collect())
        })
        .next()
}
