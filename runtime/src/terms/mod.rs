//! Sums that are to the last bit what the loop makes by adding one term after the other.
//!
//! Consumes the terms of several steps, in the loop's order; produces the sums. An addition waits for the one before it.
//! Where there are as many steps as threads, each thread goes through several steps at a time, term by term
//! ([`in_order`]); where there are fewer, all threads go through one step ([`threads`]), whose chunks are gone through at
//! once ([`chunks`] says why that is exact). On a device it is done there ([`device`]).
//!
//! One of the few doors to unsafe code: instructions that not every CPU has.

pub mod chunks;
pub mod device;
mod in_order;
mod lanes;
mod real;
mod threads;

use crate::device::cpu;
use crate::fp::Environment;
use crate::pause::Pause;
use crate::run;
use in_order::abreast;
use real::{Numbers, Real};

/// Steps that a thread adds up at a time.
const ABREAST: usize = 8;
/// Threads take turns at a step's chunks as fast as each goes through so many steps term by term.
pub const ALONE: usize = 2;
/// Terms that are worth a second thread.
const MANY: usize = 1 << 15;

/// Terms that threads go through between two of their meetings.
pub fn group(threads: usize) -> usize {
    threads::GROUP * threads * chunks::TERMS
}

/// What a step adds up. Of `f32`, each word holds two.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'a> {
    pub words: &'a [u64],
    /// Products with these are not rounded before they are added.
    pub factors: Option<&'a [u64]>,
}

/// How many terms a step has, of which type, and what the loop begins with.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    pub count: usize,
    pub wide: bool,
    pub initial: u64,
}

/// The sum of each step, as the loop writes it. Of sums like these, some have been hard to go through in chunks.
pub fn add_up(steps: &[Terms], form: Form, threads: usize, hard: &Pause) -> Vec<u64> {
    match form.wide {
        true => add_up_all::<f64>(steps, form, threads, hard),
        false => add_up_all::<f32>(steps, form, threads, hard),
    }
}

fn add_up_all<R: Real>(steps: &[Terms], form: Form, threads: usize, hard: &Pause) -> Vec<u64> {
    let is_much = steps.len() * form.count >= MANY;
    let threads = if is_much && cpu::is_running(threads) { threads } else { 1 };
    let mut sums = vec![form.initial; steps.len()];
    let mut done = 0;
    if is_much && steps.len() <= ALONE * threads {
        for (terms, sum) in steps.iter().zip(&mut sums) {
            if hard.holds() {
                break;
            }
            let (found, well) = threads::add_up::<R>(*terms, form, threads);
            hard.after(well);
            *sum = found;
            done += 1;
        }
    }
    side_by_side::<R>(&steps[done..], form, threads, &mut sums[done..]);
    sums
}

/// Several steps at a time, term by term, on so many threads of the pool.
fn side_by_side<R: Real>(steps: &[Terms], form: Form, threads: usize, sums: &mut [u64]) {
    if threads == 1 || steps.len() < 2 {
        return some::<R>(steps, form, sums);
    }
    let environment = Environment::current();
    let share = steps.len().div_ceil(threads);
    let shared = cpu::within(threads, || {
        rayon::scope(|scope| {
            for (steps, sums) in steps.chunks(share).zip(sums.chunks_mut(share)) {
                scope.spawn(move |_| environment.during(|| some::<R>(steps, form, sums)));
            }
        });
    });
    if shared.is_err() {
        run::abandon("the threads of the pool are gone");
    }
}

fn some<R: Real>(mut steps: &[Terms], form: Form, mut sums: &mut [u64]) {
    let mut together = ABREAST;
    while !steps.is_empty() {
        while together > steps.len() {
            together /= 2;
        }
        let (now, later) = steps.split_at(together);
        let (to, others) = sums.split_at_mut(together);
        match together {
            8 => add::<R, 8>(now, form, to),
            4 => add::<R, 4>(now, form, to),
            2 => add::<R, 2>(now, form, to),
            _ => add::<R, 1>(now, form, to),
        }
        (steps, sums) = (later, others);
    }
}

fn add<R: Real, const N: usize>(steps: &[Terms], form: Form, to: &mut [u64]) {
    let numbers = std::array::from_fn(|k| Numbers::of(steps[k], form.count));
    let sums = abreast::<R, N>(numbers, [R::from_bits(form.initial); N]);
    to.iter_mut().zip(sums).for_each(|(to, sum)| *to = sum.to_bits());
}

#[cfg(test)]
mod hard;

#[cfg(test)]
mod tests {
    use super::*;

    fn term(step: usize, i: usize) -> f64 {
        ((i * 7919 + step * 31) % 1009) as f64 * 1e-3 - 0.4
    }

    #[test]
    fn doubles_are_added_in_order() {
        for (count, steps) in [(0, 3), (1, 1), (17, 16), (4000, 13), (4001, 7)] {
            let lists: Vec<Vec<u64>> =
                (0..steps).map(|s| (0..count).map(|i| term(s, i).to_bits()).collect()).collect();
            let form = Form { count, wide: true, initial: 0.1f64.to_bits() };
            for fused in [false, true] {
                let terms: Vec<Terms> = lists
                    .iter()
                    .map(|words| Terms { words, factors: fused.then_some(&words[..]) })
                    .collect();
                for (s, sum) in add_up(&terms, form, 2, &Pause::default()).into_iter().enumerate() {
                    let expected = (0..count).fold(0.1f64, |sum, i| {
                        let x = term(s, i);
                        if fused { x.mul_add(x, sum) } else { sum + x }
                    });
                    assert_eq!(sum, expected.to_bits(), "{count} terms of step {s}, {fused}");
                }
            }
        }
    }

    #[test]
    fn floats_are_added_in_order() {
        for (count, steps) in [(0, 1), (1, 2), (2, 3), (1001, 16)] {
            let pair = |s: usize, i: usize| {
                let half = |i: usize| u64::from((term(s, i) as f32).to_bits());
                half(2 * i) | half(2 * i + 1) << 32
            };
            let lists: Vec<Vec<u64>> = (0..steps)
                .map(|s| (0..usize::div_ceil(count, 2)).map(|i| pair(s, i)).collect())
                .collect();
            let form = Form { count, wide: false, initial: u64::from(0.1f32.to_bits()) };
            for fused in [false, true] {
                let terms: Vec<Terms> = lists
                    .iter()
                    .map(|words| Terms { words, factors: fused.then_some(&words[..]) })
                    .collect();
                for (s, sum) in add_up(&terms, form, 1, &Pause::default()).into_iter().enumerate() {
                    let expected = (0..count).fold(0.1f32, |sum, i| {
                        let x = term(s, i) as f32;
                        if fused { x.mul_add(x, sum) } else { sum + x }
                    });
                    assert_eq!(sum, u64::from(expected.to_bits()), "{count} of step {s}, {fused}");
                }
            }
        }
    }

    #[test]
    fn what_adds_nothing_leaves_the_sign_of_a_zero() {
        for initial in [0.0f64, -0.0] {
            let words = [(-0.0f64).to_bits(); 3];
            let ones = [1.0f64.to_bits(); 3];
            let form = Form { count: 3, wide: true, initial: initial.to_bits() };
            for factors in [None, Some(&ones[..])] {
                let steps = [Terms { words: &words, factors }];
                assert_eq!(add_up(&steps, form, 1, &Pause::default()), [initial.to_bits()]);
            }
        }
    }
}
