//! The judge of overlapped tilings. It works out anew, from the stencil program, which versions a launch's reads see; it
//! takes nothing from the analysis that made the schedule.
//!
//! - (a) the launches of the plan take every step once and in order, for every number of steps, and their blocks cover
//!   the space, for every extent (owned boxes lie side by side by their definition, so each instance has one owner);
//! - (b) each read names the version that it sees, whose valid box holds what is read; along the streamed dimension it has
//!   been made and is still kept; what comes from before the launch is carried, or never written;
//! - (c) a launch loads from buffers that none of its blocks stores to, and the statements that direct launches run have
//!   no dependence inside a step;
//! - (e) what is left in each buffer is the slot's last version, and carried slots lie in their homes, all other slots
//!   being overwritten, when direct launches end the nest;
//! - (f) where time tiles are of a program on a torus, it is the nest's ([`crate::torus::proof`]), and as large as they need.
//!
//! What a schedule doesn't say can't be judged here: in which registers a version lies, which lane holds a neighbour. Running
//! the kernels in the interpreter shows it (`kernel::interp`).

pub mod enumerate;
mod grid;
mod steps;
mod values;

use super::illegal;
use crate::problem::Problem;
use crate::rejection::{Reason, Rejection};
use crate::schedule::Overlapped;
use crate::schedule::overlapped::{Owned, Start, TimeTile, Width};
use crate::stencil::StencilProgram;
use crate::torus::{Torus, proof};
use crate::{deps, isl};
use values::Values;

/// Programs on tori that have been looked at, and whether they are those that they are said to be: all schedules of a problem
/// ask the same.
#[derive(Debug, Default)]
pub struct Tori(Vec<(StencilProgram, Torus, bool)>);

impl Tori {
    fn are_right(&mut self, program: &StencilProgram, torus: &Torus) -> Result<bool, Rejection> {
        let same = |(p, t, _): &&(StencilProgram, Torus, bool)| p == program && t == torus;
        if let Some((_, _, answer)) = self.0.iter().find(same) {
            return Ok(*answer);
        }
        let answer = proof::check(program, torus)?;
        self.0.push((program.clone(), torus.clone(), answer));
        Ok(answer)
    }
}

/// Refuses an illegal schedule as a `bug`, one that can't be judged as `budget`.
pub fn check(problem: &Problem, schedule: &Overlapped, tori: &mut Tori) -> Result<(), Rejection> {
    let isl = isl::Isl::new(isl::BUDGET)?;
    let tiled = tiled(problem, schedule, tori)?;
    form(tiled, schedule)?;
    buffers(&problem.stencil, schedule)?;
    parallel(&problem.stencil)?;
    let mut finish = 0;
    if !schedule.tiles.is_empty() {
        let mut values = Values::new(&isl, &tiled.stencil, schedule)?;
        for tile in &schedule.tiles {
            values.tile(tile)?;
        }
        finish = values.finish()?;
        let in_place = schedule.tiles.iter().filter(|t| t.in_place);
        let fits = |t: &TimeTile| t.steps == 1 && schedule.least.is_none() && values.is_in_place();
        if !in_place.clone().all(fits) {
            return Err(illegal("(e) a time tile that is said to be in place is not"));
        }
        if let (Some(_), Some(torus)) = (&schedule.least, &problem.torus) {
            finish = finish.max(torus.finish());
        }
    }
    let torus = problem.torus.as_ref().filter(|_| schedule.least.is_some());
    let (begin, again) = torus.map_or((0, &[][..]), |torus| torus.around());
    let around = steps::Around { begin, again, finish };
    steps::check(&problem.stencil, schedule, around)?;
    grid::check(&isl, &problem.stencil, schedule)
}

/// (f) The program that time tiles are of: the problem's, or one that is the same on a torus, no dimension of which any tile
/// looks round more than once.
fn tiled<'a>(
    problem: &'a Problem,
    schedule: &Overlapped,
    tori: &mut Tori,
) -> Result<&'a Problem, Rejection> {
    let Some(tiled) = schedule.tiled(problem) else {
        return Err(illegal("(f) there is no torus that time tiles could be of"));
    };
    if let (Some(least), Some(torus)) = (&schedule.least, &problem.torus) {
        if !tori.are_right(&problem.stencil, torus)? {
            return Err(illegal("(f) the program on a torus is another one"));
        }
        let looks = |d: usize| {
            let margins = schedule.tiles.iter().flat_map(|t| &t.versions).map(|v| v.margin.get(d));
            let margins = margins.flatten().map(|&(lo, hi)| lo.max(hi));
            margins.chain([torus.least]).max().unwrap_or(0)
        };
        let enough = |(d, &least): (usize, &i64)| {
            let beyond = torus.beyond(&problem.stencil, d).map(|(below, above)| below + above);
            !torus.goes_round(d) || beyond.is_some_and(|beyond| least >= looks(d) + beyond)
        };
        if least.len() != problem.dims() || !least.iter().enumerate().all(enough) {
            return Err(illegal("(f) time tiles look round a torus more than once"));
        }
    }
    Ok(tiled)
}

/// (c) Direct launches run all instances of a statement at once.
fn parallel(program: &StencilProgram) -> Result<(), Rejection> {
    deps::check_parallel(program).map_err(|r| match r.reason {
        Reason::Dependence => illegal(format!("(c) {}", r.detail)),
        _ => r,
    })
}

/// Numbers that other checks rely on.
fn form(problem: &Problem, schedule: &Overlapped) -> Result<(), Rejection> {
    let (dims, k) = (problem.dims(), problem.k());
    let margins = |m: &Vec<(i64, i64)>| m.len() == dims && m.iter().all(|m| m.0 >= 0 && m.1 >= 0);
    let tunable = |i: u8| schedule.tunables.get(usize::from(i));
    let width = |w: Width| match w {
        Width::All => true,
        Width::Fixed(w) => w > 0,
        Width::Tunable(i) => {
            tunable(i).is_some_and(|t| !t.values.is_empty() && t.values.iter().all(|&v| v > 0))
        }
    };
    let well_formed = |t: &TimeTile| {
        let version = |&v: &u16| usize::from(v) < t.versions.len();
        t.steps > 0
            && t.owned.len() == dims
            && t.owned.iter().all(|o| o.from.exists() && width(o.width))
            && t.streamed.is_none_or(|d| d < dims)
            && t.short.is_none_or(|s| s.ends > 0 && s.pieces > 0 && is_short(t, dims))
            && t.levels.iter().all(|l| {
                margins(&l.margin)
                    && usize::from(l.statement) < k as usize
                    && l.reads.iter().flatten().chain(&l.writes).all(version)
            })
            && t.versions.iter().all(|v| {
                margins(&v.margin)
                    && usize::from(v.array) < problem.stencil.arrays.len()
                    && v.before.iter().all(version)
            })
            && t.left.iter().all(version)
    };
    match schedule.tiles.iter().position(|t| !well_formed(t)) {
        Some(tile) => Err(illegal(format!("(a) time tile {tile} makes no sense"))),
        None => Ok(()),
    }
}

/// A width of the streamed dimension can be parted, and strips lie side by side in another one.
fn is_short(tile: &TimeTile, dims: usize) -> bool {
    tile.streamed.is_some_and(|d| {
        d + 1 < dims
            && matches!(tile.owned[d], Owned { width: Width::Tunable(_), from: Start::ANY })
    })
}

/// (c) Each carried slot has a buffer on both sides, none of them twice.
fn buffers(program: &StencilProgram, schedule: &Overlapped) -> Result<(), Rejection> {
    let mut seen = Vec::new();
    let mut carried = Vec::new();
    for c in &schedule.carried {
        let slots = slots(program, c.array);
        let scratch = schedule.scratch.iter().filter(|&&a| a == c.array).count() as i64;
        let rotation = i64::from(c.rotation).rem_euclid(slots);
        if carried.contains(&(c.array, rotation)) {
            return Err(illegal(format!("(c) {c:?} is carried twice")));
        }
        carried.push((c.array, rotation));
        for buffer in c.buffers {
            if i64::from(buffer) >= slots + scratch {
                return Err(illegal(format!("(c) there is no buffer {buffer} of {c:?}")));
            }
            if seen.contains(&(c.array, buffer)) {
                return Err(illegal(format!(
                    "(c) buffer {buffer} of {c:?} is another slot's, too"
                )));
            }
            seen.push((c.array, buffer));
        }
    }
    Ok(())
}

fn slots(program: &StencilProgram, array: u16) -> i64 {
    program.arrays.get(usize::from(array)).map_or(1, |a| a.slots.len().max(1) as i64)
}
