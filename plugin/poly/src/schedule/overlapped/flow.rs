//! Which values a launch of some time steps works on: versions of slots, how far each must reach beyond a block's own
//! box, and how many planes each lags and is kept.
//!
//! Consumes a [`Problem`] and a number of steps; produces a [`TimeTile`], the carried slots and the number of steps that
//! a run must end with outside time tiles. Refuses programs in which an array that the nest writes is not read at
//! constant distances.
//!
//! Records (arrays in which steps keep what they look at, and none reads it) have no versions: what a level writes to them
//! goes to where it belongs at once, of the points that the block owns. Nor have folds (arrays of what a step is reduced
//! from), where they are wanted: each thread keeps what its owned points make of one element. Where folds are wanted, levels
//! may make versions and store records.
//!
//! A walk over the statements of some steps, in order, gives each read the version that it sees and each write a new one
//! (overlapped-tiling-ics12, section 4). Margins follow backwards from what is left at the end, delays forwards.

use super::{Carried, Level, Owned, TimeTile, Version, plan};
use crate::kernel::build::thin;
use crate::problem::Problem;
use crate::schedule::staging::aligned_offset;
use crate::stencil::{Statement, StencilProgram, Write};
use hexpass_abi::{Access, Poly, Subscript};
use std::collections::HashMap;

/// How blocks hold planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Hold {
    /// The streamed dimension.
    pub streamed: Option<usize>,
    /// A dimension whose neighbours other warps hold: they can be seen one plane after they were made.
    pub exchanged: Option<usize>,
}

impl Hold {
    /// How many planes a level must lag behind a version that it reads at this distance.
    pub fn lag(&self, distance: &[i64]) -> i64 {
        let along = self.streamed.map_or(0, |d| distance[d]);
        along + i64::from(self.exchanged.is_some_and(|d| distance[d] != 0))
    }
}

/// A problem whose written arrays are read at constant distances.
#[derive(Clone, Debug)]
pub struct Flow<'a> {
    pub problem: &'a Problem,
    /// For each array that the nest writes, the subscript of coordinate zero in each dimension.
    anchors: Vec<Option<Vec<i64>>>,
    /// For each array, if it is a record, how many steps a launch may take.
    records: Vec<Option<i64>>,
    /// For each array, whether threads keep elements of their own.
    folds: Vec<bool>,
    /// The ends of dimensions that go round, and have no border.
    round: Vec<Option<(Poly, Poly)>>,
}

impl<'a> Flow<'a> {
    /// The sentence says which access stands in the way.
    pub fn of(problem: &'a Problem) -> Result<Flow<'a>, String> {
        let program = &problem.stencil;
        Flow::with(problem, records_alone(program), vec![false; program.arrays.len()])
    }

    /// The same for threads that keep what a step is reduced from in registers.
    pub fn folding(problem: &'a Problem) -> Result<Flow<'a>, String> {
        let program = &problem.stencil;
        let mut folds = vec![false; program.arrays.len()];
        program.folds().for_each(|array| folds[usize::from(array)] = true);
        Flow::with(problem, records(program), folds)
    }

    fn with(
        problem: &'a Problem,
        records: Vec<Option<i64>>,
        folds: Vec<bool>,
    ) -> Result<Flow<'a>, String> {
        let program = &problem.stencil;
        let mut anchors = vec![None; program.arrays.len()];
        let has_versions = |w: &&Write| {
            let array = usize::from(w.access.array);
            records[array].is_none() && !folds[array]
        };
        for w in program.statements.iter().flat_map(|s| &s.writes).filter(has_versions) {
            let at =
                constants(&w.access, program.dims).ok_or_else(|| unlike(problem, &w.access))?;
            match &mut anchors[usize::from(w.access.array)] {
                known @ None => *known = Some(at),
                Some(known) if *known == at => (),
                Some(_) => return Err(unlike(problem, &w.access)),
            }
        }
        for a in program.statements.iter().flat_map(|s| &s.reads) {
            let written = anchors[usize::from(a.array)].is_some();
            if a.subscripts.iter().any(Subscript::is_far)
                || written && constants(a, program.dims).is_none()
            {
                return Err(unlike(problem, a));
            }
        }
        Ok(Flow { problem, anchors, records, folds, round: vec![None; program.dims] })
    }

    /// The same of the problem on a torus, if it is on one.
    pub fn on_torus(problem: &'a Problem) -> Result<Flow<'a>, String> {
        let Some(torus) = &problem.torus else { return Flow::of(problem) };
        let flow = Flow::of(&torus.problem)?;
        match flow.records.iter().any(Option::is_some) {
            true => Err("what each step keeps lies on a torus".into()),
            false => Ok(Flow { round: torus.round.clone(), ..flow }),
        }
    }

    /// The problem on a torus, if it is on one; else one whose threads keep what a step is reduced from.
    pub fn streamed(problem: &'a Problem) -> Result<Flow<'a>, String> {
        match problem.torus {
            Some(_) => Flow::on_torus(problem),
            None => Flow::folding(problem),
        }
    }

    /// Arrays that the nest writes, without records and folds.
    pub fn versioned(&self) -> impl Iterator<Item = u16> {
        (0..).zip(&self.anchors).filter(|(_, anchor)| anchor.is_some()).map(|(array, _)| array)
    }

    /// Where a statement stores records.
    pub fn stored(&self, statement: u16) -> impl Iterator<Item = &'a Write> {
        let writes = &self.problem.stencil.statements[usize::from(statement)].writes;
        writes.iter().filter(|w| self.is_record(w.access.array))
    }

    /// The same if it writes nothing else.
    pub fn recorded(&self, statement: u16) -> Option<&'a [Write]> {
        let writes = &self.problem.stencil.statements[usize::from(statement)].writes;
        let all = writes.iter().all(|w| self.is_record(w.access.array));
        (!writes.is_empty() && all).then_some(writes)
    }

    /// True for a record, which has no versions.
    pub fn is_record(&self, array: u16) -> bool {
        self.records[usize::from(array)].is_some()
    }

    /// True for an array of which each thread keeps an element of its own; it has no versions.
    pub fn is_fold(&self, array: u16) -> bool {
        self.folds[usize::from(array)]
    }

    /// Where a statement keeps what its step is reduced from in folds.
    pub fn folded(&self, statement: u16) -> impl Iterator<Item = &'a Write> {
        let writes = &self.problem.stencil.statements[usize::from(statement)].writes;
        writes.iter().filter(|w| self.is_fold(w.access.array))
    }

    /// True for an array that the nest does not write.
    pub fn is_only_read(&self, array: u16) -> bool {
        self.anchor(array).is_none() && !self.is_record(array) && !self.is_fold(array)
    }

    /// Refuses launches of so many steps if one of them would write over what another keeps.
    pub fn admit_steps(&self, steps: i64) -> Result<(), String> {
        let folds = (0..).zip(&self.folds).filter(|(_, fold)| **fold);
        let folds = folds.map(|(array, _)| self.slots(array));
        match self.records.iter().flatten().copied().chain(folds).min() {
            Some(most) if steps > most => {
                Err(format!("what steps keep has room for {most} of them, not for {steps}"))
            }
            _ => Ok(()),
        }
    }

    /// True for a dimension without borders.
    pub fn goes_round(&self, dim: usize) -> bool {
        self.ends(dim).is_some()
    }

    /// Where the grid begins and ends along a dimension that goes round.
    pub fn ends(&self, dim: usize) -> Option<&(Poly, Poly)> {
        self.round.get(dim)?.as_ref()
    }

    /// True if no dimension has borders.
    pub fn has_no_border(&self) -> bool {
        self.round.iter().all(Option::is_some)
    }

    /// The subscripts of coordinate zero, of an array that the nest writes.
    pub fn anchor(&self, array: u16) -> Option<&[i64]> {
        self.anchors.get(usize::from(array))?.as_deref()
    }

    /// Where an access to an array that the nest writes lies, relative to the statement's coordinates.
    pub fn distance(&self, access: &Access) -> Option<Vec<i64>> {
        let anchor = self.anchor(access.array)?;
        let at = constants(access, anchor.len())?;
        Some(at.iter().zip(anchor).map(|(c, a)| c - a).collect())
    }

    /// True for a read of an array that is only read and moves with the block in every dimension.
    pub fn is_stream(&self, access: &Access) -> bool {
        let dims = self.problem.dims();
        self.is_only_read(access.array)
            && access.subscripts.len() == dims
            && (0..dims).all(|d| aligned_offset(access, d).is_some())
    }

    /// Such reads of a level.
    pub fn streams(&self, level: &Level) -> impl Iterator<Item = &'a Access> {
        let reads = &self.problem.stencil.statements[usize::from(level.statement)].reads;
        reads.iter().filter(|a| self.is_stream(a))
    }

    /// Statements that write an array.
    pub fn writers(&self, array: u16) -> impl Iterator<Item = usize> {
        let statements = self.problem.stencil.statements.iter().enumerate();
        statements
            .filter(move |(_, s)| s.writes.iter().any(|w| w.access.array == array))
            .map(|(i, _)| i)
    }

    /// True if the statement surely writes every element of an array that any statement writes.
    pub fn covers(&self, statement: &Statement, array: u16) -> bool {
        let all = &self.problem.stencil.statements;
        self.writers(array).all(|i| all[i].lo == statement.lo && all[i].hi == statement.hi)
    }

    /// True unless each read of an array, which the nest writes, surely stays where every statement that writes it does.
    pub fn is_read_outside(&self, array: u16) -> bool {
        self.problem.stencil.statements.iter().any(|s| {
            let mut reads = s.reads.iter().filter(|a| a.array == array);
            let stays = |(d, &x): (usize, &i64)| x == 0 || self.goes_round(d);
            let here =
                |a: &Access| self.distance(a).is_some_and(|d| d.iter().enumerate().all(stays));
            reads.any(|a| !(self.covers(s, array) && here(a)))
        })
    }

    fn slots(&self, array: u16) -> i64 {
        self.problem.stencil.arrays[usize::from(array)].slots.len().max(1) as i64
    }

    fn slot(&self, step: i64, access: &Access) -> i32 {
        (step + i64::from(access.rotation)).rem_euclid(self.slots(access.array)) as i32
    }

    /// Slots whose values before a step matter to it or to later ones, relative to that step, by array and rotation.
    pub fn live(&self) -> Vec<(u16, i32)> {
        let mut live = Vec::new();
        for array in self.versioned() {
            let mut dead = Vec::new();
            let mut found = Vec::new();
            for step in 0..self.slots(array) {
                for s in &self.problem.stencil.statements {
                    let mut matters = |slot: i32, dead: &[i32]| {
                        if !dead.contains(&slot) && !found.contains(&slot) {
                            found.push(slot);
                        }
                    };
                    for a in s.reads.iter().filter(|a| a.array == array) {
                        matters(self.slot(step, a), &dead);
                    }
                    for w in s.writes.iter().filter(|w| w.access.array == array) {
                        let slot = self.slot(step, &w.access);
                        match self.covers(s, array) {
                            true => dead.push(slot),
                            false => matters(slot, &dead),
                        }
                    }
                }
            }
            found.sort_unstable();
            live.extend(found.into_iter().map(|slot| (array, slot)));
        }
        live
    }

    /// What goes from launch to launch, with buffers, and the arrays of the scratch buffers that this takes.
    pub fn carried(&self) -> (Vec<Carried>, Vec<u16>) {
        self.with_buffers(&self.live())
    }

    /// The same, and arrays of one slot that each step writes before it reads them: then time tiles leave all of them as
    /// they are to be, too.
    pub fn carried_whole(&self) -> (Vec<Carried>, Vec<u16>) {
        let mut all = self.live();
        all.extend(self.versioned().filter(|&array| self.slots(array) == 1).map(|a| (a, 0)));
        all.sort_unstable();
        all.dedup();
        self.with_buffers(&all)
    }

    fn with_buffers(&self, live: &[(u16, i32)]) -> (Vec<Carried>, Vec<u16>) {
        let (mut carried, mut scratch) = (Vec::new(), Vec::new());
        for array in self.versioned() {
            let rotations: Vec<i32> =
                live.iter().filter(|(a, _)| *a == array).map(|&(_, r)| r).collect();
            let (buffers, more) = plan::buffers(self.slots(array) as usize, &rotations);
            scratch.extend(vec![array; more]);
            let slots = rotations.into_iter().zip(buffers);
            carried.extend(slots.map(|(rotation, buffers)| Carried { array, rotation, buffers }));
        }
        (carried, scratch)
    }

    /// The fewest steps at the end of a run, each statement in the arrays' own slots, after which every slot holds what it
    /// should: what is carried into the next step, what was carried into the first of these steps and is still there, and
    /// what they write whole.
    pub fn finish(&self, carried: &[Carried]) -> i64 {
        let arrays: Vec<u16> = self.versioned().collect();
        let most = arrays.iter().map(|&a| self.slots(a)).max().unwrap_or(1);
        let right = |&steps: &i64| {
            arrays.iter().all(|&array| {
                let slots = self.slots(array);
                (0..slots as i32).all(|slot| {
                    let is_carried = |c: &Carried, ago: i64| {
                        let from = i64::from(c.rotation) - ago - i64::from(slot);
                        c.array == array && from.rem_euclid(slots) == 0
                    };
                    carried.iter().any(|c| is_carried(c, 0) || is_carried(c, steps))
                        || self.is_written_before(array, slot, steps)
                })
            })
        };
        (0..=most).find(right).unwrap_or(most)
    }

    /// True if a slot, relative to the step after the last of `steps` steps, is written whole in one of them.
    fn is_written_before(&self, array: u16, slot: i32, steps: i64) -> bool {
        (1..=steps).any(|ago| {
            self.problem.stencil.statements.iter().any(|s| {
                self.covers(s, array)
                    && s.writes
                        .iter()
                        .any(|w| w.access.array == array && self.slot(-ago, &w.access) == slot)
            })
        })
    }

    /// A launch of some steps.
    pub fn tile(&self, steps: i64, hold: Hold, owned: Vec<Owned>, carried: &[Carried]) -> TimeTile {
        let mut walk =
            Walk { flow: self, current: HashMap::new(), tile: self.empty(steps, hold, owned) };
        let k = self.problem.k();
        for level in 0..steps * k {
            walk.level(level / k, (level % k) as u16);
        }
        let left = carried.iter().map(|c| {
            let slot = (steps + i64::from(c.rotation)).rem_euclid(self.slots(c.array)) as i32;
            walk.version(c.array, slot)
        });
        let left = left.collect();
        let mut tile = walk.tile;
        tile.left = left;
        self.delays(&mut tile, hold);
        self.margins(&mut tile);
        self.keep(&mut tile);
        tile
    }

    fn empty(&self, steps: i64, hold: Hold, owned: Vec<Owned>) -> TimeTile {
        let (levels, versions, left) = (Vec::new(), Vec::new(), Vec::new());
        let (streamed, short, in_place) = (hold.streamed, None, false);
        TimeTile { steps, owned, streamed, short, in_place, levels, versions, left }
    }

    /// Forwards: each level as soon as all that it reads is there.
    fn delays(&self, tile: &mut TimeTile, hold: Hold) {
        for l in 0..tile.levels.len() {
            let level = &tile.levels[l];
            let reads = self.reads(level).map(|(v, d)| tile.delay_of(v) + hold.lag(&d));
            let before = level.writes.iter().filter_map(|&w| tile.versions[usize::from(w)].before);
            let carries = before.map(|v| tile.delay_of(v));
            tile.levels[l].delay = reads.chain(carries).fold(0, i64::max);
        }
    }

    /// Backwards from the versions that are left, which need no margin.
    fn margins(&self, tile: &mut TimeTile) {
        for l in (0..tile.levels.len()).rev() {
            let level = tile.levels[l].clone();
            let mut margin = level.margin.clone();
            for &w in &level.writes {
                widen(&mut margin, &tile.versions[usize::from(w)].margin);
            }
            for &w in &level.writes {
                let version = &mut tile.versions[usize::from(w)];
                version.margin.clone_from(&margin);
                if let Some(before) = version.before {
                    widen(&mut tile.versions[usize::from(before)].margin, &margin);
                }
            }
            for (v, distance) in self.reads(&level) {
                let reach: Vec<(i64, i64)> =
                    margin.iter().zip(distance).map(|(&(lo, hi), d)| (lo - d, hi + d)).collect();
                widen(&mut tile.versions[usize::from(v)].margin, &reach);
            }
            tile.levels[l].margin = margin;
        }
    }

    /// Planes kept: up to the last use. What a thin statement leaves as it was is read from the version before, for as
    /// long as its own version is.
    fn keep(&self, tile: &mut TimeTile) {
        let mut age = vec![0; tile.versions.len()];
        for l in (0..tile.levels.len()).rev() {
            let level = tile.levels[l].clone();
            let thin = thin(&self.problem.stencil.statements[usize::from(level.statement)]);
            for &w in &level.writes {
                let Some(before) = tile.versions[usize::from(w)].before else { continue };
                let longer = if thin { age[usize::from(w)] } else { 0 };
                let at = level.delay - tile.delay_of(before) + longer;
                age[usize::from(before)] = age[usize::from(before)].max(at);
            }
            for (v, distance) in self.reads(&level) {
                let at = level.delay - tile.streamed.map_or(0, |d| distance[d]) - tile.delay_of(v);
                age[usize::from(v)] = age[usize::from(v)].max(at);
            }
        }
        for (version, age) in tile.versions.iter_mut().zip(age) {
            version.kept = if tile.streamed.is_some() { age + 1 } else { 1 };
        }
    }

    /// The versions that a level reads, each with the distance.
    fn reads(&self, level: &Level) -> impl Iterator<Item = (u16, Vec<i64>)> {
        let accesses = &self.problem.stencil.statements[usize::from(level.statement)].reads;
        let seen = level.reads.clone();
        accesses
            .iter()
            .zip(seen)
            .filter_map(|(a, v)| Some((v?, self.distance(a)?)))
            .collect::<Vec<_>>()
            .into_iter()
    }
}

impl TimeTile {
    /// The delay of the level that makes a version; 0 for what is loaded.
    pub fn delay_of(&self, version: u16) -> i64 {
        match self.versions[usize::from(version)].level {
            Some(l) => self.levels[usize::from(l)].delay,
            None => 0,
        }
    }

    /// The delay of what is stored last.
    pub fn latest(&self) -> i64 {
        let records = self.levels.iter().filter(|l| l.keeps()).map(|l| l.delay);
        self.left.iter().map(|&v| self.delay_of(v)).chain(records).max().unwrap_or(0)
    }
}

/// Statements of some steps, one after the other.
struct Walk<'a> {
    flow: &'a Flow<'a>,
    current: HashMap<(u16, i32), u16>,
    tile: TimeTile,
}

impl Walk<'_> {
    /// What a slot holds now.
    fn version(&mut self, array: u16, slot: i32) -> u16 {
        if let Some(&v) = self.current.get(&(array, slot)) {
            return v;
        }
        self.push(Version {
            array,
            rotation: slot,
            level: None,
            before: None,
            margin: Vec::new(),
            kept: 1,
        })
    }

    fn push(&mut self, mut version: Version) -> u16 {
        let index = self.tile.versions.len() as u16;
        version.margin = vec![(0, 0); self.flow.problem.dims()];
        self.current.insert((version.array, version.rotation), index);
        self.tile.versions.push(version);
        index
    }

    fn level(&mut self, step: i64, statement: u16) {
        let flow = self.flow;
        let s = &flow.problem.stencil.statements[usize::from(statement)];
        let see =
            |a: &Access| flow.anchor(a.array).map(|_| self.version(a.array, flow.slot(step, a)));
        let reads = s.reads.iter().map(see).collect();
        let level = self.tile.levels.len() as u16;
        let versioned = s.writes.iter().filter(|w| flow.anchor(w.access.array).is_some());
        let slots: Vec<(u16, i32)> =
            versioned.map(|w| (w.access.array, flow.slot(step, &w.access))).collect();
        let mut writes = Vec::new();
        for (array, rotation) in slots {
            let before = Some(self.version(array, rotation));
            let (margin, kept) = (Vec::new(), 1);
            writes.push(self.push(Version {
                array,
                rotation,
                level: Some(level),
                before,
                margin,
                kept,
            }));
        }
        let margin = vec![(0, 0); flow.problem.dims()];
        let folds = flow.folded(statement).map(|w| w.access.array).collect();
        let records = flow.stored(statement).map(|w| w.access.array).collect();
        self.tile.levels.push(Level { statement, margin, delay: 0, reads, writes, records, folds });
    }
}

/// For each array, if it is a record, as [`StencilProgram::kept_steps`].
fn records(program: &StencilProgram) -> Vec<Option<i64>> {
    (0..program.arrays.len() as u16).map(|array| program.kept_steps(array)).collect()
}

/// The same of statements that write nothing but records.
fn records_alone(program: &StencilProgram) -> Vec<Option<i64>> {
    let mut known = records(program);
    let is_one = |known: &[Option<i64>], w: &Write| known[usize::from(w.access.array)].is_some();
    let mixed = |known: &[Option<i64>]| {
        let others = |s: &&Statement| s.writes.iter().any(|w| !is_one(known, w));
        let mut writes = program.statements.iter().filter(others).flat_map(|s| &s.writes);
        writes.find(|w| is_one(known, w)).map(|w| usize::from(w.access.array))
    };
    while let Some(array) = mixed(&known) {
        known[array] = None;
    }
    known
}

/// The constants of an access whose subscripts are the coordinates, in order, plus constants.
fn constants(access: &Access, dims: usize) -> Option<Vec<i64>> {
    if access.subscripts.len() != dims {
        return None;
    }
    (0..dims).map(|d| aligned_offset(access, d)).collect()
}

fn unlike(problem: &Problem, access: &Access) -> String {
    let array = &problem.stencil.arrays[usize::from(access.array)].name;
    format!(
        "an access to {array}, which the nest writes, is not at a constant distance from where it is written"
    )
}

/// Makes margins at least so large, and not negative.
fn widen(margin: &mut [(i64, i64)], other: &[(i64, i64)]) {
    for (m, o) in margin.iter_mut().zip(other) {
        *m = (m.0.max(o.0), m.1.max(o.1));
    }
}
