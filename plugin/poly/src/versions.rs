//! One nest as several problems, where only the run knows how far reads reach, how long rows are, or how long grids are.
//!
//! Consumes [`NestFacts`]; produces the [`Problem`]s that the runtime may choose among, in the order in which it asks their
//! guards; refuses what the first of them is refused for, if no other is taken.
//!
//! In `v[i] = u[i + s]` nothing says whether s is the distance of another grid in the same allocation, or a shift. First
//! come grids of their own, which must lie apart. Then shifts of a few elements: time can be tiled, with a cone of as many.
//! Then shifts of any length, one step at a time.
//!
//! Where two names stand for the length of one array's rows, the array with equal rows comes first, then what it is without.
//!
//! Where both ends of a grid are worked on, its rows are the same ones if there are none between them: what is refused for
//! that is taken with a guard that says how long the grid is at least.

use crate::deps::never_meet;
use crate::facts::NestFacts;
use crate::isl::{Isl, Set};
use crate::problem::{Problem, analyse_within, solve};
use crate::rejection::{Reason, Rejection};
use crate::scop::{IslNames, Scop, out_of_range};
use crate::stencil::{Aligned, Granted, Statement, StencilProgram, thin_at};
use hexpass_abi::{Access, IntExpr, Poly, Subscript, Sym};

/// Grids smaller than that need no tiles.
const SMALLEST: i64 = 64;
/// Rows and columns of fewer points may be both ends of a grid.
const SHORTEST: i64 = 4;
/// Constant shifts beyond are too far for tiles of several steps.
const FAR: i64 = 32;

/// The problems of a nest, each within so many operations of isl; at least one.
pub fn analyse_all(facts: &NestFacts, budget: u64) -> Result<Vec<Problem>, Rejection> {
    let plain = with_any_shifts(facts, budget);
    let Ok(Some(equal)) = Scop::with_equal_rows(facts) else { return plain };
    let Ok(mut all) = with_any_shifts(&equal, budget) else { return plain };
    all.iter_mut().for_each(|problem| problem.equal_rows = true);
    all.extend(plain.into_iter().flatten());
    Ok(all)
}

/// The problems for reads at distances that only the run knows.
fn with_any_shifts(facts: &NestFacts, budget: u64) -> Result<Vec<Problem>, Rejection> {
    let apart =
        analyse_within(facts, budget).or_else(|why| with_room(facts, &why, budget).ok_or(why));
    match Scop::build_joined(facts).ok().flatten().filter(may_meet) {
        Some(joined) => {
            let small = with_small_shifts(&joined, budget);
            let any = solve(&joined, &Granted::default(), budget).ok();
            let others: Vec<Problem> = small.into_iter().chain(any).collect();
            match apart {
                Err(why) if others.is_empty() => Err(why),
                apart => Ok(apart.into_iter().chain(others).collect()),
            }
        }
        None => {
            let plain = apart?;
            let takes_one_step = plain.deps.unbounded.is_some();
            let small = takes_one_step.then(|| Scop::build(facts).ok()).flatten();
            let small = small.and_then(|scop| with_small_shifts(&scop, budget));
            Ok(small.into_iter().chain([plain]).collect())
        }
    }
}

/// The problem of grids so long that their ends lie apart, if that is all that is amiss, and some statement works on an end
/// of which only the run knows where it lies.
fn with_room(facts: &NestFacts, why: &Rejection, budget: u64) -> Option<Problem> {
    if !matches!(why.reason, Reason::Dependence | Reason::WriteShape) {
        return None;
    }
    let scop = Scop::build(facts).ok()?;
    let p = StencilProgram::recognise(&scop).ok()?.program;
    let dims = |s: &Statement| 0..s.lo.len();
    let is_far_end = |s: &Statement, d: usize| {
        thin_at(&s.lo[d], &s.hi[d]).is_some_and(|at| at.as_constant().is_none())
    };
    if !p.statements.iter().any(|s| dims(s).any(|d| is_far_end(s, d))) {
        return None;
    }
    let mut granted = Granted::default();
    for s in &p.statements {
        for d in dims(s).filter(|&d| thin_at(&s.lo[d], &s.hi[d]).is_none()) {
            let (IntExpr::Poly(lo), IntExpr::Poly(hi)) = (&s.lo[d], &s.hi[d]) else { continue };
            let spare = hi.sub(lo).ok()?.sub(&Poly::constant(SHORTEST - 1)).ok()?;
            let is_known = spare.as_constant().is_some();
            if !is_known && !granted.room.contains(&spare) {
                granted.room.push(spare);
            }
        }
    }
    (!granted.room.is_empty()).then(|| solve(&scop, &granted, budget).ok()).flatten()
}

/// The problem in which all shifts that only the run knows are small, if there are such, and that makes time tileable.
fn with_small_shifts(scop: &Scop, budget: u64) -> Option<Problem> {
    let aligned = StencilProgram::recognise(scop).ok()?;
    let near = shifts(&aligned.program, budget).ok().filter(|near| !near.shifts.is_empty())?;
    solve(scop, &near, budget).ok().filter(|problem| problem.deps.unbounded.is_none())
}

/// True if some read that is far from what its array's stores write may be of what they write.
fn may_meet(scop: &Scop) -> bool {
    let Ok(Aligned { program: p, .. }) = StencilProgram::recognise(scop) else { return false };
    let far = |a: &Access| a.subscripts.iter().any(|s| s.is_far() || is_long(s));
    let all = || p.statements.iter().enumerate();
    let mut reads = all().flat_map(|(i, s)| s.reads.iter().map(move |a| (i, a)));
    let stores = || all().flat_map(|(i, s)| s.writes.iter().map(move |w| (i, &w.access)));
    reads.any(|(i, read)| {
        let meets = |(j, store): (usize, &Access)| {
            store.array == read.array && !never_meet(&p, (i, read), (j, store))
        };
        far(read) && stores().any(meets)
    })
}

fn is_long(s: &Subscript) -> bool {
    s.dim.is_some() && s.offset.as_constant().is_some_and(|c| c.abs() > FAR)
}

/// The shifts that only the run knows of reads of written arrays, if all of them may be small while the grids are not.
fn shifts(p: &StencilProgram, budget: u64) -> Result<Granted, Rejection> {
    let mut near = Granted::default();
    for s in &p.statements {
        for a in s.reads.iter().filter(|a| p.writes(a.array)) {
            for far in a.subscripts.iter().filter(|s| s.is_far()) {
                let along = far.dim.map_or(0, usize::from);
                // From one face to another: as far as the grid is wide.
                let face = thin_at(&s.lo[along], &s.hi[along]).is_some();
                if face || far.offset.mentions_any(|s| !matches!(s, Sym::Int(_))) {
                    return Ok(Granted::default());
                }
                if !near.shifts.contains(&far.offset) {
                    near.shifts.push(far.offset.clone());
                }
            }
        }
    }
    if !near.shifts.is_empty() && !leaves_room(p, &near, budget)? {
        near.shifts.clear();
    }
    Ok(near)
}

/// True if with such shifts grids may still be large.
fn leaves_room(p: &StencilProgram, near: &Granted, budget: u64) -> Result<bool, Rejection> {
    let mut names = IslNames::new("s");
    let mut all = vec!["true".to_owned()];
    for condition in near.conditions().map_err(out_of_range)? {
        all.push(format!("{} >= 0", names.poly(&condition)));
    }
    let thick = |s: &Statement, d: usize| thin_at(&s.lo[d], &s.hi[d]).is_none();
    for s in &p.statements {
        for d in (0..p.dims).filter(|&d| thick(s, d)) {
            let (lo, hi) = (names.expr(&s.lo[d]), names.expr(&s.hi[d]));
            all.push(format!("{hi} >= {lo} + {SMALLEST}"));
        }
    }
    let isl = Isl::new(budget)?;
    Ok(!Set::parse(&isl, &names.wrap(&format!("[] : {}", all.join(" and "))))?.is_empty()?)
}
