//! The judge of legality. It takes a problem and a tiling of it, and knows nothing of how the tiling was made.
//!
//! It checks the schedule together with where its values live:
//!
//! - (a) every instance runs exactly once, and the loops ([`Phase`](super::Phase), [`Classical`](super::Classical))
//!   run the points that `execution` speaks of;
//! - (b) the source of every dependence runs before its sink, and the boxes staged in shared memory hold every element
//!   that a tile touches, what is not loaded because the tile before has it included;
//! - (c) inside one launch, nothing that one block writes is read or written by another, the elements that staging
//!   loads and nobody needs included;
//! - (d) inside a block, source and sink have different sequential coordinates, so that a barrier stands between them;
//! - (e) writes to a location happen in the original order, and each reaches global memory.
//!
//! Why a staged copy then holds the producer's value: by (b) the producer ran in the same tile, which also updates the
//! copy, or before the tile began, when global memory has it, and so has the copy that a tile before left; by the dependence from the read to the next write nobody
//! has overwritten it earlier, and by (c) nobody else touches it while the block runs.
//!
//! [`check`] is symbolic, with isl, for all sizes at once; [`enumerate`] simulates memory for given sizes. Debug builds
//! do both.

pub mod enumerate;
pub mod overlapped;
mod relations;
mod symbolic;

use super::TiledSchedule;
use crate::kernel::interp::memory::Sizes;
use crate::problem::Problem;
use crate::rejection::{Reason, Rejection};

/// Refuses an illegal schedule as a `bug`, one that can't be judged as `budget`.
pub fn check(problem: &Problem, schedule: &TiledSchedule) -> Result<(), Rejection> {
    check_with(problem, schedule, &mut Known::default())
}

/// Answers that schedules of one problem share.
#[derive(Debug, Default)]
struct Known {
    cones: symbolic::Cones,
    tori: overlapped::Tori,
}

fn check_with(
    problem: &Problem,
    schedule: &TiledSchedule,
    known: &mut Known,
) -> Result<(), Rejection> {
    match schedule {
        TiledSchedule::Phased(schedule) => symbolic::check(problem, schedule, &mut known.cones),
        TiledSchedule::Overlapped(schedule) => {
            overlapped::check(problem, schedule, &mut known.tori)
        }
    }
}

/// Verdicts already given, so that nests of one unit with equal dependences and sizes are judged once.
#[derive(Debug, Default)]
pub struct Verdicts {
    given: Vec<(Problem, TiledSchedule, Result<(), Rejection>)>,
    known: Known,
}

impl Verdicts {
    /// [`check`], or what it said before about the same problem and schedule.
    pub fn check(&mut self, problem: &Problem, schedule: &TiledSchedule) -> Result<(), Rejection> {
        let same = |(p, s, _): &&(Problem, TiledSchedule, Result<(), Rejection>)| {
            s == schedule && judged_alike(p, problem)
        };
        if let Some((_, _, verdict)) = self.given.iter().find(same) {
            return verdict.clone();
        }
        let mut verdict = check_with(problem, schedule, &mut self.known);
        if cfg!(debug_assertions) && verdict.is_ok() {
            verdict = check_small(problem, schedule);
        }
        self.given.push((problem.clone(), schedule.clone(), verdict.clone()));
        verdict
    }
}

/// By enumeration, with all parameters equal and small; where the bounds can't be had that way there is nothing to see.
fn check_small(problem: &Problem, schedule: &TiledSchedule) -> Result<(), Rejection> {
    const SMALL: [i64; 2] = [5, 9];
    for value in SMALL {
        let ints = vec![value; problem.stencil.ints.len()];
        let scalars = vec![0; problem.stencil.scalars.len()];
        if let Ok(sizes) = Sizes::new(&problem.stencil, &ints, &scalars) {
            match schedule {
                TiledSchedule::Phased(schedule) => enumerate::check(problem, schedule, &sizes)?,
                // Of a torus, the kernels' interpreter shows it.
                TiledSchedule::Overlapped(schedule) if schedule.least.is_some() => (),
                TiledSchedule::Overlapped(schedule) => {
                    overlapped::enumerate::check(problem, schedule, &sizes)?;
                }
            }
        }
    }
    Ok(())
}

/// True if two problems differ only in what the judge doesn't look at.
fn judged_alike(a: &Problem, b: &Problem) -> bool {
    let (x, y) = (&a.stencil, &b.stencil);
    let shapes = |p: &Problem| {
        p.stencil.arrays.iter().map(|a| (a.slots.len(), a.strides.len())).collect::<Vec<_>>()
    };
    a.deps == b.deps
        && on_one_torus(a, b)
        && x.dims == y.dims
        && x.granted == y.granted
        && shapes(a) == shapes(b)
        && x.statements.len() == y.statements.len()
        && x.statements.iter().zip(&y.statements).all(|(s, t)| {
            s.lo == t.lo
                && s.hi == t.hi
                && s.reads == t.reads
                && s.writes.iter().map(|w| &w.access).eq(t.writes.iter().map(|w| &w.access))
        })
}

/// True if neither is on a torus, or both on one: what pieces compute makes them pieces.
fn on_one_torus(a: &Problem, b: &Problem) -> bool {
    a.torus == b.torus && (a.torus.is_none() || a.stencil.statements == b.stencil.statements)
}

fn illegal(why: impl Into<String>) -> Rejection {
    Rejection::new(Reason::Bug, why)
}
