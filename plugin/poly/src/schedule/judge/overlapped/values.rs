//! Which version each read sees, whether it is there, and whether its values are right.
//!
//! A slot's values are right in a region of W, the hull of all writes to the array: everywhere if they were carried into
//! the launch, or in the boxes of the statements that have written the slot since. Outside W nothing ever changes.
//!
//! Levels store records at once. That is right of arrays that nothing reads and of which no two instances of a launch write the
//! same element: the owner of an instance stores it, whenever it comes to it. What a step is reduced from lies anywhere in its
//! array: each instance has one owner, and that is all that counts.

use super::{illegal, slots};
use crate::deps::{self, Overwritten};
use crate::isl::{Isl, UnionSet};
use crate::rejection::Rejection;
use crate::schedule::Overlapped;
use crate::schedule::overlapped::{Carried, Level, TimeTile, Version};
use crate::scop::IslNames;
use crate::stencil::{StencilProgram, Write};
use hexpass_abi::{Access, IntExpr};
use std::collections::{BTreeSet, HashMap};

/// An array and a slot of it, relative to the first step.
type Slot = (u16, i64);

/// Where the values of a slot are right.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Right {
    Everywhere,
    /// In the boxes of these statements.
    Written(BTreeSet<usize>),
}

/// The analysis of a program, for launches of any number of steps.
pub struct Values<'a> {
    isl: &'a Isl,
    program: &'a StencilProgram,
    carried: &'a [Carried],
    /// Of each array that the nest writes, the subscripts of coordinate zero.
    anchors: HashMap<u16, Vec<i64>>,
    /// Arrays of records; nothing reads them, and no two instances of a launch write the same element.
    records: BTreeSet<u16>,
    /// Arrays of which blocks have elements of their own.
    folds: BTreeSet<u16>,
    /// Questions to isl that have been answered.
    known: HashMap<(usize, u16, Vec<i64>, Right), bool>,
}

impl<'a> Values<'a> {
    pub fn new(
        isl: &'a Isl,
        program: &'a StencilProgram,
        schedule: &'a Overlapped,
    ) -> Result<Values<'a>, Rejection> {
        let mut anchors: HashMap<u16, Vec<i64>> = HashMap::new();
        let records = records(program, &schedule.tiles)?;
        let folds = folds(program, &schedule.tiles)?;
        let kept = |array: &u16| records.contains(array) || folds.contains(array);
        let versioned = |w: &&Write| !kept(&w.access.array);
        for w in program.statements.iter().flat_map(|s| &s.writes).filter(versioned) {
            let at = offsets(program, &w.access)?;
            if *anchors.entry(w.access.array).or_insert_with(|| at.clone()) != at {
                return Err(illegal("(b) an array is written at different places"));
            }
        }
        let carried = &schedule.carried;
        Ok(Values { isl, program, carried, anchors, records, folds, known: HashMap::new() })
    }

    /// (b) and the end of (e), for one kind of launch.
    pub fn tile(&mut self, tile: &TimeTile) -> Result<(), Rejection> {
        let k = self.program.statements.len();
        let order = |(l, level): (usize, &Level)| usize::from(level.statement) == l % k;
        if tile.levels.len() as i64 != tile.steps * k as i64
            || !tile.levels.iter().enumerate().all(order)
        {
            return Err(illegal("(a) levels are not the statements of the steps, in order"));
        }
        let mut walk = Walk { program: self.program, tile, current: HashMap::new() };
        for (l, level) in tile.levels.iter().enumerate() {
            self.level(&mut walk, l, level)?;
        }
        self.left(&mut walk)
    }

    fn slot(&self, step: i64, access: &Access) -> Slot {
        let rotation = step + i64::from(access.rotation);
        (access.array, rotation.rem_euclid(slots(self.program, access.array)))
    }

    /// What a slot holds before the first step.
    fn initial(&self, (array, slot): Slot) -> Right {
        let slots = slots(self.program, array);
        let same =
            |c: &&Carried| c.array == array && i64::from(c.rotation).rem_euclid(slots) == slot;
        match self.carried.iter().find(same) {
            Some(_) => Right::Everywhere,
            None => Right::Written(BTreeSet::new()),
        }
    }

    fn level(&mut self, walk: &mut Walk, l: usize, level: &Level) -> Result<(), Rejection> {
        let statement = usize::from(level.statement);
        let s = &self.program.statements[statement];
        let step = (l / self.program.statements.len()) as i64;
        let of = |kept: &BTreeSet<u16>| -> Vec<u16> {
            s.writes.iter().map(|w| w.access.array).filter(|a| kept.contains(a)).collect()
        };
        let writes: Vec<&Write> =
            s.writes.iter().filter(|w| self.anchors.contains_key(&w.access.array)).collect();
        if level.reads.len() != s.reads.len()
            || level.writes.len() != writes.len()
            || level.records != of(&self.records)
            || level.folds != of(&self.folds)
        {
            return Err(illegal(format!("(b) level {l} has not the accesses of its statement")));
        }
        for (i, (access, seen)) in s.reads.iter().zip(&level.reads).enumerate() {
            let what = || format!("read {i} of level {l}");
            let Some(anchor) = self.anchors.get(&access.array) else {
                match seen {
                    None => continue,
                    Some(_) => return Err(illegal(format!("(b) {} sees a version", what()))),
                }
            };
            let at = offsets(self.program, access)?;
            let distance: Vec<i64> = at.iter().zip(anchor).map(|(a, b)| a - b).collect();
            let slot = self.slot(step, access);
            let held = walk.held(slot, || self.initial(slot));
            let version = *seen;
            let Some(version) = version.filter(|&v| walk.is(v, slot, held.level)) else {
                return Err(illegal(format!(
                    "(b) {} sees another version than {version:?}",
                    what()
                )));
            };
            walk.there(version, level, &distance)
                .map_err(|why| illegal(format!("(b) {}: {why}", what())))?;
            if !self.is_right(statement, access.array, &distance, &held.right)? {
                return Err(illegal(format!("(b) {} sees values that nobody made", what())));
            }
        }
        let zero = vec![0; self.program.dims];
        for (i, (w, &made)) in writes.iter().zip(&level.writes).enumerate() {
            let what = || format!("write {i} of level {l}");
            let slot = self.slot(step, &w.access);
            let held = walk.held(slot, || self.initial(slot));
            if !walk.is(made, slot, Some((l, i))) {
                return Err(illegal(format!("(b) {} makes another version", what())));
            }
            let version = &walk.tile.versions[usize::from(made)];
            let Some(before) = version.before.filter(|&b| walk.is(b, slot, held.level)) else {
                return Err(illegal(format!("(b) {} replaces another version", what())));
            };
            if !holds(&level.margin, &version.margin, &zero) {
                return Err(illegal(format!(
                    "(b) {} is valid beyond what its level computes",
                    what()
                )));
            }
            if !holds(&walk.tile.versions[usize::from(before)].margin, &version.margin, &zero) {
                return Err(illegal(format!("(b) {} is valid beyond what it replaces", what())));
            }
            walk.there(before, &Level { margin: version.margin.clone(), ..level.clone() }, &zero)
                .map_err(|why| illegal(format!("(b) {} carries on: {why}", what())))?;
            let right = self.written(held.right, statement, w.access.array);
            walk.current.insert(slot, Held { level: Some((l, i)), right });
        }
        Ok(())
    }

    /// (e) What is stored at the end.
    fn left(&mut self, walk: &mut Walk) -> Result<(), Rejection> {
        if walk.tile.left.len() != self.carried.len() {
            return Err(illegal("(e) not every carried slot is left"));
        }
        for (c, &left) in self.carried.iter().zip(&walk.tile.left) {
            let rotation = walk.tile.steps + i64::from(c.rotation);
            let slot = (c.array, rotation.rem_euclid(slots(self.program, c.array)));
            let held = walk.held(slot, || self.initial(slot));
            if !walk.is(left, slot, held.level) {
                return Err(illegal(format!(
                    "(e) {c:?} is left with another version than its last"
                )));
            }
            if !self.is_whole(c.array, &held.right)? {
                return Err(illegal(format!("(e) {c:?} is left with values that nobody made")));
            }
        }
        Ok(())
    }

    /// (e) True if a time tile of one step, which finds the carried slots in their homes, leaves every slot as the statements
    /// would: of each array all is written to one slot of two, which is carried on from there, and which is where it is
    /// stored. Two launches change places of the two.
    pub fn is_in_place(&self) -> bool {
        self.anchors.keys().all(|&array| {
            let mut carried = self.carried.iter().filter(|c| c.array == array);
            let (Some(c), None) = (carried.next(), carried.next()) else { return false };
            let all = self.program.statements.iter().flat_map(|s| &s.writes);
            let mut writes = all.filter(|w| w.access.array == array);
            let left = |w: &Write| (w.access.rotation - 1 - c.rotation).rem_euclid(2) == 0;
            let both = c.buffers.iter().collect::<BTreeSet<_>>();
            slots(self.program, array) == 2
                && both.into_iter().eq([0, 1].iter())
                && writes.all(left)
        })
    }

    /// (b), (e) Steps in the arrays' own slots after which all slots are right, if the carried ones are before: the first
    /// number of steps for which that is so. Meanwhile nothing may be read that is not right.
    pub fn finish(&mut self) -> Result<i64, Rejection> {
        let arrays: BTreeSet<u16> = self.anchors.keys().copied().collect();
        let most = arrays.iter().map(|&a| slots(self.program, a)).max().unwrap_or(1);
        let mut current: HashMap<Slot, Right> = HashMap::new();
        for &array in &arrays {
            for slot in 0..slots(self.program, array) {
                current.insert((array, slot), self.initial((array, slot)));
            }
        }
        for step in 0..=most {
            let mut whole = true;
            for ((array, _), right) in &current {
                whole &= self.is_whole(*array, right)?;
            }
            if whole {
                return Ok(step);
            }
            for (i, s) in self.program.statements.iter().enumerate() {
                for access in &s.reads {
                    let Some(anchor) = self.anchors.get(&access.array) else { continue };
                    let at = offsets(self.program, access)?;
                    let distance: Vec<i64> = at.iter().zip(anchor).map(|(a, b)| a - b).collect();
                    let right = current[&self.slot(step, access)].clone();
                    if !self.is_right(i, access.array, &distance, &right)? {
                        return Err(illegal(format!(
                            "(b) statement {i} of a direct launch reads a slot that is not carried"
                        )));
                    }
                }
                for w in s.writes.iter().filter(|w| self.anchors.contains_key(&w.access.array)) {
                    let slot = self.slot(step, &w.access);
                    let right = self.written(current[&slot].clone(), i, w.access.array);
                    current.insert(slot, right);
                }
            }
        }
        Err(illegal("(e) a slot that is not carried is never written as a whole"))
    }

    /// Where values are right after a statement has written some.
    fn written(&self, before: Right, statement: usize, array: u16) -> Right {
        let Right::Written(mut by) = before else { return Right::Everywhere };
        by.insert(statement);
        let all = &self.program.statements;
        let same = |&i: &usize| all[i].lo == all[statement].lo && all[i].hi == all[statement].hi;
        if self.writers(array).all(|i| same(&i)) { Right::Everywhere } else { Right::Written(by) }
    }

    fn writers(&self, array: u16) -> impl Iterator<Item = usize> {
        let all = self.program.statements.iter().enumerate();
        all.filter(move |(_, s)| s.writes.iter().any(|w| w.access.array == array)).map(|(i, _)| i)
    }

    /// True if everything is right that a statement reads at a distance: what lies in W.
    fn is_right(
        &mut self,
        statement: usize,
        array: u16,
        distance: &[i64],
        right: &Right,
    ) -> Result<bool, Rejection> {
        let Right::Written(by) = right else { return Ok(true) };
        let key = (statement, array, distance.to_vec(), right.clone());
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let s = &self.program.statements[statement];
        let read = |names: &mut IslNames| {
            format!("{} and {}", bounds(names, &s.lo, &s.hi, distance), self.hull(names, array))
        };
        let answer = self.lies_in(&read, by)?;
        self.known.insert(key, answer);
        Ok(answer)
    }

    /// True if all of W is right.
    fn is_whole(&self, array: u16, right: &Right) -> Result<bool, Rejection> {
        let Right::Written(by) = right else { return Ok(true) };
        let hull = |names: &mut IslNames| self.hull(names, array);
        self.lies_in(&hull, by)
    }

    /// `{ [s0, …] }`: the hull of the boxes of all statements that write an array.
    fn hull(&self, names: &mut IslNames, array: u16) -> String {
        let all = &self.program.statements;
        let mut out = Vec::new();
        for d in 0..self.program.dims {
            let lo: Vec<String> = self.writers(array).map(|i| names.expr(&all[i].lo[d])).collect();
            let hi: Vec<String> = self.writers(array).map(|i| names.expr(&all[i].hi[d])).collect();
            out.push(format!("{} <= s{d} <= {}", among("min", lo), among("max", hi)));
        }
        out.join(" and ")
    }

    /// True if a region lies in the union of some statements' boxes.
    fn lies_in(
        &self,
        region: &dyn Fn(&mut IslNames) -> String,
        by: &BTreeSet<usize>,
    ) -> Result<bool, Rejection> {
        let space: Vec<String> = (0..self.program.dims).map(|d| format!("s{d}")).collect();
        let space = space.join(", ");
        let mut names = IslNames::new("s");
        let text = region(&mut names);
        let rest = UnionSet::parse(self.isl, &names.wrap(&format!("[{space}] : {text}")))?;
        let zero = vec![0; self.program.dims];
        let mut rest = rest;
        for &i in by {
            let s = &self.program.statements[i];
            let mut names = IslNames::new("s");
            let text = bounds(&mut names, &s.lo, &s.hi, &zero);
            let text = names.wrap(&format!("[{space}] : {text}"));
            rest = rest.subtract(UnionSet::parse(self.isl, &text)?)?;
        }
        rest.is_empty()
    }
}

/// The smallest or largest of some expressions.
fn among(word: &str, all: Vec<String>) -> String {
    all.into_iter().reduce(|a, b| format!("{word}({a}, {b})")).unwrap_or_default()
}

/// A box moved by a distance.
fn bounds(names: &mut IslNames, lo: &[IntExpr], hi: &[IntExpr], distance: &[i64]) -> String {
    let one = |d: usize| {
        let (lo, hi) = (names.expr(&lo[d]), names.expr(&hi[d]));
        format!("{lo} + {c} <= s{d} <= {hi} + {c}", c = distance[d])
    };
    (0..lo.len()).map(one).collect::<Vec<_>>().join(" and ")
}

/// The constants of an access to an array that the nest writes, whose subscripts are the coordinates plus constants.
fn offsets(program: &StencilProgram, access: &Access) -> Result<Vec<i64>, Rejection> {
    let one = |d: usize| {
        let s = access.subscripts.get(d)?;
        if s.dim.map(usize::from) != Some(d) { None } else { s.offset.as_constant() }
    };
    match (0..program.dims).map(one).collect::<Option<Vec<i64>>>() {
        Some(at) if access.subscripts.len() == program.dims => Ok(at),
        _ => Err(illegal("(b) an access to a written array has no constant distance")),
    }
}

/// Arrays of which levels say that they are records.
fn records(program: &StencilProgram, tiles: &[TimeTile]) -> Result<BTreeSet<u16>, Rejection> {
    let levels = tiles.iter().flat_map(|t| &t.levels);
    let records: BTreeSet<u16> = levels.flat_map(|l| &l.records).copied().collect();
    let mut reads = program.statements.iter().flat_map(|s| &s.reads);
    if reads.any(|a| records.contains(&a.array)) {
        return Err(illegal("(b) an array is read of which there are no versions"));
    }
    let most = tiles.iter().map(|t| t.steps).max().unwrap_or(0);
    let again = |o: &Overwritten| records.contains(&o.array) && o.steps < most;
    if !records.is_empty() && deps::overwritten(program)?.iter().any(again) {
        return Err(illegal("(e) two instances write the same element of what steps keep"));
    }
    Ok(records)
}

/// Arrays of which levels say that blocks have elements of their own: what a step is reduced from, in any order, and no two
/// steps of a launch in one slot.
fn folds(program: &StencilProgram, tiles: &[TimeTile]) -> Result<BTreeSet<u16>, Rejection> {
    let all =
        tiles.iter().flat_map(|t| t.levels.iter().flat_map(|l| &l.folds).map(|&a| (a, t.steps)));
    let mut found = BTreeSet::new();
    for (array, steps) in all {
        if !program.is_fold(array) {
            return Err(illegal("(b) an array is said to hold what a step is reduced from"));
        }
        if steps > slots(program, array) {
            return Err(illegal("(e) two steps are reduced in one slot"));
        }
        found.insert(array);
    }
    Ok(found)
}

/// True if values valid so far beyond the owned box serve a level of this margin that reads them at a distance.
fn holds(valid: &[(i64, i64)], margin: &[(i64, i64)], distance: &[i64]) -> bool {
    let enough = |d: usize| {
        valid[d].0 >= margin[d].0 - distance[d] && valid[d].1 >= margin[d].1 + distance[d]
    };
    (0..distance.len()).all(enough)
}

/// What a slot holds: the write that made it, and where that is right.
#[derive(Clone)]
struct Held {
    /// Level and write; none: it is from before the launch.
    level: Option<(usize, usize)>,
    right: Right,
}

/// The levels of a launch, one after the other.
struct Walk<'a> {
    program: &'a StencilProgram,
    tile: &'a TimeTile,
    current: HashMap<Slot, Held>,
}

impl Walk<'_> {
    fn held(&self, slot: Slot, initial: impl FnOnce() -> Right) -> Held {
        match self.current.get(&slot) {
            Some(held) => held.clone(),
            None => Held { level: None, right: initial() },
        }
    }

    /// True if a version stands for what a slot holds after that write.
    fn is(&self, version: u16, (array, slot): Slot, made: Option<(usize, usize)>) -> bool {
        let v = &self.tile.versions[usize::from(version)];
        let rotation = i64::from(v.rotation).rem_euclid(slots(self.program, array));
        let same_slot = v.array == array && rotation == slot;
        let same_maker = match (v.level, made) {
            (None, None) => v.before.is_none(),
            (Some(l), Some((level, write))) => {
                usize::from(l) == level
                    && self.tile.levels[level].writes.get(write) == Some(&version)
            }
            _ => false,
        };
        same_slot && same_maker
    }

    /// True if a level finds all of a version that it reads at a distance: inside its valid box, made, and still kept.
    fn there(&self, version: u16, level: &Level, distance: &[i64]) -> Result<(), String> {
        let v = &self.tile.versions[usize::from(version)];
        if !holds(&v.margin, &level.margin, distance) {
            return Err("it reaches beyond the valid box".into());
        }
        let along = self.tile.streamed.map_or(0, |d| distance[d]);
        let age = level.delay - along - self.delay(v);
        if age < 0 {
            return Err(format!("the plane comes {} planes later", -age));
        }
        if age >= v.kept {
            return Err(format!("the plane is {age} planes old, {} are kept", v.kept));
        }
        Ok(())
    }

    fn delay(&self, v: &Version) -> i64 {
        v.level.map_or(0, |l| self.tile.levels[usize::from(l)].delay)
    }
}
