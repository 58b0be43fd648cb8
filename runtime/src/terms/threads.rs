//! One sum on the CPU's threads, which share its chunks.
//!
//! Threads add up their chunks of a group of these roughly, guesses are made of that, and while the group is still in the
//! caches the same threads find what each chunk does to such a sum ([`super::chunks`]).

use super::chunks::{NONE, Passage, TERMS, Walk};
use super::in_order::abreast;
use super::real::{Numbers, Real, by_cpu};
use super::{Form, Terms, lanes};
use crate::device::cpu;
use crate::fp::Environment;
use crate::run;

/// Chunks of a group for each thread: what they take stays in a core's cache.
pub const GROUP: usize = 128;

/// The sum of a step, to the last bit, and whether chunks were worth it; the pool is running, or there is one thread.
pub fn add_up<R: Real>(terms: Terms, form: Form, threads: usize) -> (u64, bool) {
    let all = Numbers::<R>::of(terms, form.count);
    let team = Team { threads, environment: Environment::current() };
    let groups = || {
        let (mut sum, mut from) = (form.initial, 0);
        while from < form.count {
            let to = form.count.min(from + super::group(threads));
            let walk = group(all.part(from..to), form.wide, sum, team);
            (sum, from) = (walk.sum(), to);
            if !walk.went_well() {
                return (in_order(all.part(from..form.count), sum), false);
            }
        }
        (sum, true)
    };
    match cpu::within(threads, || team.environment.during(groups)) {
        Ok(sum) => sum,
        Err(_) => run::abandon("the threads of the pool are gone"),
    }
}

fn in_order<R: Real>(terms: Numbers<R>, sum: u64) -> u64 {
    abreast::<R, 1>([terms], [R::from_bits(sum)])[0].to_bits()
}

/// A few chunks further.
fn group<R: Real>(terms: Numbers<R>, wide: bool, sum: u64, team: Team) -> Walk {
    let count = terms.terms.len();
    let chunks = count.div_ceil(TERMS);
    let chunk = |c: usize| terms.part(c * TERMS..count.min((c + 1) * TERMS));
    let about = team.each(chunks, |c| roughly::<R, 16>(chunk(c)));
    let mut walk = Walk::new(wide, sum, about);
    while !walk.is_done() {
        let starts = walk.starts();
        let passages = team.each(chunks, |c| match starts[c] {
            NONE => Passage::default(),
            start => passage(chunk(c), start),
        });
        walk.go(|c| passages[c], |c, sum| Some(in_order(chunk(c), sum)));
    }
    walk
}

/// The threads of the pool, in one of which this is called.
#[derive(Clone, Copy)]
struct Team {
    threads: usize,
    environment: Environment,
}

impl Team {
    /// What `of` says of each chunk.
    fn each<T: Copy + Default + Send>(
        self,
        chunks: usize,
        of: impl Fn(usize) -> T + Sync,
    ) -> Vec<T> {
        let mut found = vec![T::default(); chunks];
        if self.threads == 1 {
            found.iter_mut().enumerate().for_each(|(c, found)| *found = of(c));
            return found;
        }
        let share = chunks.div_ceil(self.threads).max(1);
        let part = |first: usize, found: &mut [T]| {
            let one = |(c, found): (usize, &mut T)| *found = of(first + c);
            self.environment.during(|| found.iter_mut().enumerate().for_each(one));
        };
        let (here, others) = found.split_at_mut(share.min(chunks));
        rayon::scope(|scope| {
            for (i, found) in others.chunks_mut(share).enumerate() {
                let part = &part;
                scope.spawn(move |_| part((1 + i) * share, found));
            }
            part(0, here);
        });
        found
    }
}

by_cpu! {
    /// About what the terms add up to.
    pub fn roughly<R: Real, const N: usize>(terms: Numbers<R>) -> f64 {
        let mut sums = [0.0; N];
        match terms.factors {
            None => {
                let (whole, rest) = terms.terms.as_chunks::<N>();
                for terms in whole {
                    for k in 0..N {
                        sums[k] += terms[k].widened();
                    }
                }
                rest.iter().for_each(|x| sums[0] += x.widened());
            }
            Some(factors) => {
                let (whole, rest) = terms.terms.as_chunks::<N>();
                let (by, rest_by) = factors.as_chunks::<N>();
                for (terms, factors) in whole.iter().zip(by) {
                    for k in 0..N {
                        sums[k] += terms[k].widened() * factors[k].widened();
                    }
                }
                rest.iter().zip(rest_by).for_each(|(x, y)| sums[0] += x.widened() * y.widened());
            }
        }
        sums.iter().sum()
    }
}

/// What a chunk does to a sum of the exponent and sign of `start`.
fn passage<R: Real>(terms: Numbers<R>, start: u64) -> Passage {
    let lanes = R::lanes(terms, start);
    // Where no term lies half-way between two numbers, each is rounded alike wherever it comes.
    let together = lanes.into_iter().try_fold(Passage::default(), |sum, lane| {
        (lane.even == lane.odd).then(|| side_by_side(sum, lane))
    });
    together.unwrap_or_else(|| lanes::in_order(terms, start))
}

/// Of two lanes whose terms come in any order.
fn side_by_side(one: Passage, other: Passage) -> Passage {
    Passage {
        even: one.even.saturating_add(other.even),
        odd: one.odd.saturating_add(other.odd),
        lowest: one.lowest.saturating_add(other.lowest),
        highest: one.highest.saturating_add(other.highest),
    }
}
