//! The judge with isl: for all sizes at once.

use super::illegal;
use super::relations::Writer;
use crate::isl::{BUDGET, Isl, UnionMap, UnionSet};
use crate::problem::Problem;
use crate::rejection::Rejection;
use crate::schedule::{Storage, TiledSchedule, staging};

/// (a) to (e) of the module's head.
pub fn check(problem: &Problem, schedule: &TiledSchedule) -> Result<(), Rejection> {
    let isl = Isl::new(BUDGET)?;
    let execution = UnionMap::parse(&isl, &schedule.execution)?;
    let mut writer = Writer::new(problem, schedule);
    levels_are_whole_steps(problem, schedule)?;
    each_instance_once(&isl, &writer, &execution)?;
    loops_agree(&isl, &writer, &execution)?;
    dependences_in_order(&isl, problem, &writer, &execution)?;
    boxes_cover(problem, schedule)?;
    blocks_are_strangers(&isl, schedule, &mut writer, &execution)
}

/// Level l runs statement `l mod k` only if phases begin with statement 0.
fn levels_are_whole_steps(problem: &Problem, schedule: &TiledSchedule) -> Result<(), Rejection> {
    let k = problem.k();
    let whole = |levels: i64| levels > 0 && levels % k == 0;
    match schedule.phases.iter().all(|p| whole(p.levels)) && !schedule.phases.is_empty() {
        true => Ok(()),
        false => Err(illegal("a phase does not hold whole time steps")),
    }
}

/// (a) Every instance has one place.
fn each_instance_once(isl: &Isl, writer: &Writer, execution: &UnionMap) -> Result<(), Rejection> {
    if !execution.is_single_valued()? {
        return Err(illegal("(a) an instance runs twice"));
    }
    let all = UnionSet::parse(isl, &writer.hull())?;
    if !all.is_subset(&execution.copy()?.domain()?)? {
        return Err(illegal("(a) an instance does not run"));
    }
    Ok(())
}

/// (a) The loops run what `execution` says.
fn loops_agree<'c>(
    isl: &'c Isl,
    writer: &Writer,
    execution: &UnionMap<'c>,
) -> Result<(), Rejection> {
    let all = UnionSet::parse(isl, &writer.hull())?;
    let loops = UnionMap::parse(isl, &writer.loops()?)?;
    let execution = execution.copy()?.intersect_domain(all)?;
    if !execution.is_subset(&loops)? {
        return Err(illegal("(a) the loops leave out instances"));
    }
    if !loops.is_subset(&execution)? {
        return Err(illegal("(a) the loops run instances elsewhere than said"));
    }
    Ok(())
}

/// (b), (d) and the order of (e): each sink comes after its source, in a later launch or later in the same block.
fn dependences_in_order<'c>(
    isl: &'c Isl,
    problem: &Problem,
    writer: &Writer,
    execution: &UnionMap<'c>,
) -> Result<(), Rejection> {
    let later = UnionMap::parse(isl, &writer.later())?;
    let deps = &problem.deps;
    for (name, text) in [("flow", &deps.flow), ("anti", &deps.anti), ("output", &deps.output)] {
        let dependences = UnionMap::parse(isl, text)?;
        let scheduled =
            dependences.apply_domain(execution.copy()?)?.apply_range(execution.copy()?)?;
        if !scheduled.is_subset(&later)? {
            return Err(illegal(format!(
                "(b) the sink of a {name} dependence does not come after its source"
            )));
        }
    }
    Ok(())
}

/// (b) Every element of a staged array that a level touches lies in the box. Since the loops agree with `execution`,
/// it is enough to look at their constant rows.
fn boxes_cover(problem: &Problem, schedule: &TiledSchedule) -> Result<(), Rejection> {
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
fn blocks_are_strangers<'c>(
    isl: &'c Isl,
    schedule: &TiledSchedule,
    writer: &mut Writer,
    execution: &UnionMap<'c>,
) -> Result<(), Rejection> {
    let is_staged = |array: u16| schedule.staging.iter().any(|s| s.array == array);
    let writes = writer.accesses(true, &|_| true);
    let reads = writer.accesses(false, &|array| !is_staged(array));
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
