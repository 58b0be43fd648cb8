//! The judge with isl: for all sizes at once.

use super::illegal;
use super::relations::Writer;
use crate::isl::{BUDGET, Isl, UnionMap, UnionSet};
use crate::problem::Problem;
use crate::rejection::Rejection;
use crate::schedule::{Kept, Phase, Phased, Row, StagedArray, Storage, staging};
use hexpass_abi::Access;

/// Whether all dependences of a problem lie in its cone: schedules of one problem ask the same question, word for word.
#[derive(Debug, Default)]
pub struct Cones(Vec<(Vec<String>, bool)>);

impl Cones {
    fn contain(
        &mut self,
        question: Vec<String>,
        ask: impl FnOnce() -> Result<bool, Rejection>,
    ) -> Result<bool, Rejection> {
        if let Some((_, answer)) = self.0.iter().find(|(asked, _)| *asked == question) {
            return Ok(*answer);
        }
        let answer = ask()?;
        self.0.push((question, answer));
        Ok(answer)
    }
}

/// (a) to (e) of the module's head.
pub fn check(problem: &Problem, schedule: &Phased, cones: &mut Cones) -> Result<(), Rejection> {
    let isl = Isl::new(BUDGET)?;
    let mut writer = Writer::new(problem, schedule);
    let tiling = Tiling {
        execution: UnionMap::parse(&isl, &schedule.execution)?,
        loops: UnionMap::parse(&isl, &writer.loops()?)?,
        times: UnionMap::parse(&isl, &writer.times())?,
    };
    well_formed(problem, schedule)?;
    each_instance_once(&isl, schedule, &writer, &tiling)?;
    loops_agree(&tiling)?;
    dependences_in_order(&isl, problem, &writer, &tiling, cones)?;
    boxes_cover(problem, schedule)?;
    blocks_are_strangers(&isl, problem, schedule, &mut writer, &tiling.execution)
}

/// One tiling, said twice.
struct Tiling<'c> {
    /// As the schedule's text: `{ S<i>[t, s0, …] -> [T, p, X0, X1, …, l] }`.
    execution: UnionMap<'c>,
    /// As its loops run: `{ [u, s0, …] -> [T, p, X0, X1, …, l] }`.
    loops: UnionMap<'c>,
    /// `{ S<i>[t, s0, …] -> [u, s0, …] }`
    times: UnionMap<'c>,
}

/// Every phase holds whole time steps, since level l runs statement `l mod k`, and cuts every dimension, in the same
/// way as the others.
fn well_formed(problem: &Problem, schedule: &Phased) -> Result<(), Rejection> {
    let k = problem.k();
    let whole = |levels: i64| levels > 0 && levels % k == 0;
    let Some(first) = schedule.phases.first() else {
        return Err(illegal("there is no phase"));
    };
    let rows = |p: &Phase| p.rows().map(|(d, _)| d).collect::<Vec<_>>();
    for phase in &schedule.phases {
        if !whole(phase.levels) {
            return Err(illegal("a phase does not hold whole time steps"));
        }
        if phase.cuts.len() != problem.dims() || rows(phase) != rows(first) {
            return Err(illegal("phases cut dimensions in different ways"));
        }
    }
    match rows(first).first() {
        Some(0) => Ok(()),
        _ => Err(illegal("the first dimension is not cut into blocks")),
    }
}

/// (a) Every instance has one place.
///
/// Whether every instance has any is asked for one dimension after the other first; where that does not show it, for all at
/// once, which takes long in three dimensions.
fn each_instance_once<'c>(
    isl: &'c Isl,
    schedule: &Phased,
    writer: &Writer,
    tiling: &Tiling<'c>,
) -> Result<(), Rejection> {
    if !tiling.loops.is_single_valued()? {
        return Err(illegal("(a) an instance runs twice"));
    }
    if covered(isl, writer, &schedule.phases.iter().collect::<Vec<_>>(), 0)? {
        return Ok(());
    }
    let all = UnionSet::parse(isl, &writer.hull())?;
    if !all.is_subset(&tiling.loops.copy()?.domain()?)? {
        return Err(illegal("(a) an instance does not run"));
    }
    Ok(())
}

/// True if phases that agree in time and in all dimensions before `dim` leave out no coordinate of it at any of their
/// levels, and those of them that agree in it, too, none of the next. Of the first dimension, which phases of different
/// times may share, every coordinate at every time is in one of them: then, since a phase cuts each dimension on its own,
/// so is every point.
fn covered(isl: &Isl, writer: &Writer, phases: &[&Phase], dim: usize) -> Result<bool, Rejection> {
    let mut alike: Vec<Vec<&Phase>> = Vec::new();
    for &phase in phases {
        let same = |group: &&mut Vec<&Phase>| {
            let first = group[0];
            (&first.u, first.levels, &first.cuts[dim]) == (&phase.u, phase.levels, &phase.cuts[dim])
        };
        match alike.iter_mut().find(same) {
            Some(group) => group.push(phase),
            None => alike.push(vec![phase]),
        }
    }
    let each: Vec<&Phase> = alike.iter().map(|group| group[0]).collect();
    let wanted = UnionSet::parse(isl, &writer.wanted_along(phases[0], dim))?;
    if !wanted.is_subset(&UnionSet::parse(isl, &writer.run_along(&each, dim)?)?)? {
        return Ok(false);
    }
    for group in alike.iter().filter(|_| dim + 1 < phases[0].cuts.len()) {
        if !covered(isl, writer, group, dim + 1)? {
            return Ok(false);
        }
    }
    Ok(true)
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
    cones: &mut Cones,
) -> Result<(), Rejection> {
    let later = UnionMap::parse(isl, &writer.later())?;
    let in_order = |dependences: UnionMap<'c>, by: &UnionMap<'c>| {
        dependences.apply_domain(by.copy()?)?.apply_range(by.copy()?)?.is_subset(&later)
    };
    let deps = &problem.deps;
    let kinds = [("flow", &deps.flow), ("anti", &deps.anti), ("output", &deps.output)];
    let cone = UnionMap::parse(isl, &writer.cone())?;
    let mut question = vec![writer.times(), writer.cone()];
    question.extend(kinds.map(|(_, text)| text.clone()));
    let inside = cones.contain(question, || {
        for (_, text) in kinds {
            let times = || tiling.times.copy();
            let timed = UnionMap::parse(isl, text)?.apply_domain(times()?)?.apply_range(times()?)?;
            if !timed.is_subset(&cone)? {
                return Ok(false);
            }
        }
        Ok(true)
    })?;
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
    let k = program.statements.len();
    for phase in &schedule.phases {
        if schedule.storage == Storage::Global && !phase.staging.is_empty() {
            return Err(illegal("arrays are staged although all accesses go to global memory"));
        }
        for staged in &phase.staging {
            what_is_kept_is_there(schedule.storage, phase, staged)?;
            let levels = (0..phase.levels).filter(|&l| phase.has_points(l));
            for (level, extents) in levels.map(|l| (l, extents(phase, l))) {
                let of = |&(i, _, _): &(usize, &Access, bool)| i == level as usize % k;
                for (_, access, _) in staging::accesses(program, staged.array).filter(of) {
                    covers(&extents, staged, access)?;
                }
            }
        }
    }
    Ok(())
}

/// (b) What a tile does not load lies in the box of the tile before it, and no two elements of a box have one place.
///
/// The tile before has all of its own box, current as global memory is: it staged it or kept it, (c) nobody else writes
/// there, and what it wrote itself it wrote to the copy too, being inside the box.
fn what_is_kept_is_there(
    storage: Storage,
    phase: &Phase,
    staged: &StagedArray,
) -> Result<(), Rejection> {
    let Some(Kept { dim, count, round }) = staged.kept else { return Ok(()) };
    let Some((walked, by)) = phase.walk().filter(|_| matches!(storage, Storage::Shared { .. }))
    else {
        return Err(illegal("(b) a tile keeps what no tile before it has"));
    };
    let (Some(&lo), Some(&hi)) = (staged.lo.get(dim), staged.hi.get(dim)) else {
        return Err(illegal("(b) a box is kept along a dimension that it hasn't got"));
    };
    if dim != walked || by < 1 {
        return Err(illegal("(b) a tile keeps what no tile before it has"));
    }
    // In coordinates of the tile before, the box begins `by` further.
    if count < 0 || count > 0 && lo + by + count - 1 > hi {
        return Err(illegal("(b) a tile keeps elements that the tile before it does not hold"));
    }
    if round.is_some_and(|places| places < hi - lo + 1) {
        return Err(illegal("(b) two elements of a staged box have one place"));
    }
    Ok(())
}

/// The local interval of each dimension at a level.
fn extents(phase: &Phase, level: i64) -> Vec<Option<(i64, i64)>> {
    (0..phase.cuts.len()).map(|d| phase.extent(level, d)).collect()
}

fn covers(
    extents: &[Option<(i64, i64)>],
    staged: &StagedArray,
    access: &Access,
) -> Result<(), Rejection> {
    for (d, &extent) in extents.iter().enumerate() {
        let offset = staging::aligned_offset(access, d);
        let (Some((lo, hi)), Some(offset)) = (extent, offset) else {
            return Err(illegal("(b) a staged array's access does not move with the tile"));
        };
        let inside = staged.lo.get(d).is_some_and(|&x| x <= lo + offset)
            && staged.hi.get(d).is_some_and(|&x| hi + offset <= x);
        if !inside {
            return Err(illegal("(b) a staged box does not hold all that a tile touches"));
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
        .filter(|&array| !schedule.phases.iter().all(|phase| apart(problem, phase, array)))
        .collect();
    if meeting.is_empty() {
        return Ok(());
    }
    let staged_in = |p: &Phase, array: u16| p.staging.iter().any(|s| s.array == array);
    let is_staged = |array: u16| schedule.phases.iter().all(|p| staged_in(p, array));
    let writes = writer.accesses(true, &|array| meeting.contains(&array));
    let reads = writer.accesses(false, &|array| meeting.contains(&array) && !is_staged(array));
    let to_block = UnionMap::parse(isl, &writer.to_block())?;
    let blocks = execution.copy()?.apply_range(to_block)?;
    let written = UnionMap::parse(isl, &writes)?.apply_domain(blocks.copy()?)?;
    let read = UnionMap::parse(isl, &reads)?.apply_domain(blocks)?;
    let staged = UnionMap::parse(isl, &writer.staged())?;
    let strangers = UnionMap::parse(isl, &writer.strangers())?;
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

/// True if what a block writes lies more than a pitch away from all that another touches in the same slot, along every
/// dimension in which they may differ: hulls of constant rows, since the loops agree with `execution`.
fn apart(problem: &Problem, phase: &Phase, array: u16) -> bool {
    let slots = problem.stencil.arrays[usize::from(array)].slots.len().max(1) as i64;
    let each = |(d, row): (usize, &Row)| {
        (0..slots).all(|slot| apart_along(problem, phase, (array, slot), d, row.pitch))
    };
    phase.rows().all(each)
}

/// A level, and the local interval of a dimension at it.
type Level = (i64, Option<(i64, i64)>);

/// The same for one dimension and one of the array's slots, counted from the one that a step of the tile calls its first.
fn apart_along(
    problem: &Problem,
    phase: &Phase,
    (array, slot): (u16, i64),
    d: usize,
    pitch: i64,
) -> bool {
    let program = &problem.stencil;
    let k = program.statements.len();
    let slots = program.arrays[usize::from(array)].slots.len().max(1) as i64;
    let meant = |access: &Access, level: i64| {
        (level / k as i64 + i64::from(access.rotation) - slot).rem_euclid(slots) == 0
    };
    let of = |statement: usize| {
        let levels = (statement as i64..phase.levels).step_by(k).filter(|&l| phase.has_points(l));
        levels.map(|l| (l, phase.extent(l, d))).collect()
    };
    // By statement, its levels that have points.
    let extents: Vec<Vec<Level>> = (0..k).map(of).collect();
    // From the first of the numbers to the last, none if the first is larger.
    let hull_of = |writes: bool| {
        let mut hull = (i64::MAX, i64::MIN);
        for (i, access, _) in staging::accesses(program, array).filter(|a| a.2 || !writes) {
            for &(_, extent) in extents[i].iter().filter(|&&(level, _)| meant(access, level)) {
                let (lo, hi) = extent?;
                let offset = staging::aligned_offset(access, d)?;
                hull = (hull.0.min(lo + offset), hull.1.max(hi + offset));
            }
        }
        Some(hull)
    };
    let (Some(written), Some(mut touched)) = (hull_of(true), hull_of(false)) else { return false };
    if written.0 > written.1 {
        return true;
    }
    if let Some(staged) = phase.staging.iter().find(|s| s.array == array) {
        touched = (touched.0.min(staged.lo[d]), touched.1.max(staged.hi[d]));
    }
    touched.0 + pitch > written.1 && touched.1 - pitch < written.0
}
