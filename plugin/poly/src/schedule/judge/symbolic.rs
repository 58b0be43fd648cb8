//! The judge with isl: for all sizes at once.

use super::illegal;
use super::relations::Writer;
use crate::isl::{BUDGET, Isl, UnionMap, UnionSet};
use crate::problem::Problem;
use crate::rejection::Rejection;
use crate::schedule::{Phase, Phased, Storage, staging};
use hexpass_abi::Access;

/// (a) to (e) of the module's head.
pub fn check(problem: &Problem, schedule: &Phased) -> Result<(), Rejection> {
    let isl = Isl::new(BUDGET)?;
    let mut writer = Writer::new(problem, schedule);
    let tiling = Tiling {
        execution: UnionMap::parse(&isl, &schedule.execution)?,
        loops: UnionMap::parse(&isl, &writer.loops()?)?,
        times: UnionMap::parse(&isl, &writer.times())?,
    };
    levels_are_whole_steps(problem, schedule)?;
    each_instance_once(&isl, &writer, &tiling)?;
    loops_agree(&tiling)?;
    dependences_in_order(&isl, problem, &writer, &tiling)?;
    boxes_cover(problem, schedule)?;
    blocks_are_strangers(&isl, problem, schedule, &mut writer, &tiling.execution)
}

/// One tiling, said twice.
struct Tiling<'c> {
    /// As the schedule's text: `{ S<i>[t, s0, …] -> [T, p, B, C1, …, l] }`.
    execution: UnionMap<'c>,
    /// As its loops run: `{ [u, s0, …] -> [T, p, B, C1, …, l] }`.
    loops: UnionMap<'c>,
    /// `{ S<i>[t, s0, …] -> [u, s0, …] }`
    times: UnionMap<'c>,
}

/// Level l runs statement `l mod k` only if phases begin with statement 0.
fn levels_are_whole_steps(problem: &Problem, schedule: &Phased) -> Result<(), Rejection> {
    let k = problem.k();
    let whole = |levels: i64| levels > 0 && levels % k == 0;
    match schedule.phases.iter().all(|p| whole(p.levels)) && !schedule.phases.is_empty() {
        true => Ok(()),
        false => Err(illegal("a phase does not hold whole time steps")),
    }
}

/// (a) Every instance has one place.
fn each_instance_once<'c>(
    isl: &'c Isl,
    writer: &Writer,
    tiling: &Tiling<'c>,
) -> Result<(), Rejection> {
    if !tiling.loops.is_single_valued()? {
        return Err(illegal("(a) an instance runs twice"));
    }
    let all = UnionSet::parse(isl, &writer.hull())?;
    if !all.is_subset(&tiling.loops.copy()?.domain()?)? {
        return Err(illegal("(a) an instance does not run"));
    }
    Ok(())
}

/// (a) The loops run what `execution` says.
fn loops_agree(tiling: &Tiling) -> Result<(), Rejection> {
    let loops = tiling.times.copy()?.apply_range(tiling.loops.copy()?)?;
    let said = tiling.execution.copy()?.intersect_domain(tiling.times.copy()?.domain()?)?;
    if !said.is_subset(&loops)? {
        return Err(illegal("(a) the loops leave out instances"));
    }
    if !loops.is_subset(&said)? {
        return Err(illegal("(a) the loops run instances elsewhere than said"));
    }
    Ok(())
}

/// (b), (d) and the order of (e): each sink comes after its source, in a later launch or later in the same block.
///
/// First for the whole cone, one piece instead of one for each distance; where the cone is too large, for the
/// dependences themselves.
fn dependences_in_order<'c>(
    isl: &'c Isl,
    problem: &Problem,
    writer: &Writer,
    tiling: &Tiling<'c>,
) -> Result<(), Rejection> {
    let later = UnionMap::parse(isl, &writer.later())?;
    let in_order = |dependences: UnionMap<'c>, by: &UnionMap<'c>| {
        dependences.apply_domain(by.copy()?)?.apply_range(by.copy()?)?.is_subset(&later)
    };
    let deps = &problem.deps;
    let kinds = [("flow", &deps.flow), ("anti", &deps.anti), ("output", &deps.output)];
    let cone = UnionMap::parse(isl, &writer.cone())?;
    let mut inside = true;
    for (_, text) in kinds {
        let times = || tiling.times.copy();
        let timed = UnionMap::parse(isl, text)?.apply_domain(times()?)?.apply_range(times()?)?;
        inside = inside && timed.is_subset(&cone)?;
    }
    if inside && in_order(cone, &tiling.loops)? {
        return Ok(());
    }
    for (name, text) in kinds {
        if !in_order(UnionMap::parse(isl, text)?, &tiling.execution)? {
            return Err(illegal(format!(
                "(b) the sink of a {name} dependence does not come after its source"
            )));
        }
    }
    Ok(())
}

/// (b) Every element of a staged array that a level touches lies in the box. Since the loops agree with `execution`,
/// it is enough to look at their constant rows.
fn boxes_cover(problem: &Problem, schedule: &Phased) -> Result<(), Rejection> {
    let program = &problem.stencil;
    if schedule.storage == Storage::Global && !schedule.staging.is_empty() {
        return Err(illegal("arrays are staged although all accesses go to global memory"));
    }
    let k = program.statements.len();
    for staged in &schedule.staging {
        for (statement, access, _) in staging::accesses(program, staged.array) {
            for phase in &schedule.phases {
                for level in (statement as i64..phase.levels).step_by(k) {
                    for d in 0..program.dims {
                        let extent = phase.extent(&schedule.classical, level, d);
                        let offset = staging::aligned_offset(access, d);
                        let (Some((lo, hi)), Some(offset)) = (extent, offset) else {
                            return Err(illegal(
                                "(b) a staged array's access does not move with the tile",
                            ));
                        };
                        let inside = staged.lo.get(d).is_some_and(|&x| x <= lo + offset)
                            && staged.hi.get(d).is_some_and(|&x| hi + offset <= x);
                        if lo <= hi && !inside {
                            return Err(illegal(
                                "(b) a staged box does not hold all that a tile touches",
                            ));
                        }
                    }
                }
            }
        }
    }
    Ok(())
}

/// (c) Blocks of a launch have nothing to do with each other.
///
/// isl is asked about the arrays whose hulls meet only.
fn blocks_are_strangers<'c>(
    isl: &'c Isl,
    problem: &Problem,
    schedule: &Phased,
    writer: &mut Writer,
    execution: &UnionMap<'c>,
) -> Result<(), Rejection> {
    let meeting: Vec<u16> = problem
        .written_arrays()
        .into_iter()
        .filter(|&array| {
            !schedule.phases.iter().all(|phase| apart(problem, schedule, phase, array))
        })
        .collect();
    if meeting.is_empty() {
        return Ok(());
    }
    let is_staged = |array: u16| schedule.staging.iter().any(|s| s.array == array);
    let writes = writer.accesses(true, &|array| meeting.contains(&array));
    let reads = writer.accesses(false, &|array| meeting.contains(&array) && !is_staged(array));
    let to_block = UnionMap::parse(isl, &writer.to_block())?;
    let blocks = execution.copy()?.apply_range(to_block)?;
    let written = UnionMap::parse(isl, &writes)?.apply_domain(blocks.copy()?)?;
    let read = UnionMap::parse(isl, &reads)?.apply_domain(blocks)?;
    let staged = UnionMap::parse(isl, &writer.staged())?;
    let strangers = UnionMap::parse(isl, writer.strangers())?;
    for (what, touched) in [("writes", written.copy()?), ("reads", read), ("loads", staged)] {
        let met = written.copy()?.apply_range(touched.reverse()?)?;
        if !met.intersect(strangers.copy()?)?.is_empty()? {
            return Err(illegal(format!(
                "(c) a block {what} what another block of its launch writes"
            )));
        }
    }
    Ok(())
}

/// True if the first subscripts that a block writes lie more than a pitch away from all that another touches: a hull
/// of constant rows, since the loops agree with `execution`.
fn apart(problem: &Problem, schedule: &Phased, phase: &Phase, array: u16) -> bool {
    let program = &problem.stencil;
    let interval = |statement: usize, access: &Access| {
        let hull =
            phase.statement_hull(&schedule.classical, program.statements.len(), statement, 0)?;
        let offset = staging::aligned_offset(access, 0)?;
        Some((hull.0 + offset, hull.1 + offset))
    };
    let hull_of = |writes: bool| {
        let of = |&(_, _, write): &(usize, &Access, bool)| write || !writes;
        let mut all =
            staging::accesses(program, array).filter(of).map(|(i, access, _)| interval(i, access));
        all.try_fold((i64::MAX, i64::MIN), |hull, part| {
            let (lo, hi) = part?;
            Some((hull.0.min(lo), hull.1.max(hi)))
        })
    };
    let (Some(written), Some(mut touched)) = (hull_of(true), hull_of(false)) else { return false };
    if let Some(staged) = schedule.staging.iter().find(|s| s.array == array) {
        touched = (touched.0.min(staged.lo[0]), touched.1.max(staged.hi[0]));
    }
    touched.0 + phase.pitch > written.1 && touched.1 - phase.pitch < written.0
}
