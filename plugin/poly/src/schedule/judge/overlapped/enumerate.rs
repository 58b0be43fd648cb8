//! The judge by enumeration: runs an overlapped schedule on buffers that hold, instead of numbers, who wrote them.
//!
//! Every block computes its levels plane by plane, in the boxes that the schedule says, and keeps as many planes as it
//! says. Every read must find the tag that it finds in the original order; at the end all slots must hold the same tags.

use super::{illegal, slots};
use crate::kernel::interp::Fault;
use crate::kernel::interp::memory::Sizes;
use crate::kernel::interp::reference::advance;
use crate::problem::Problem;
use crate::rejection::Rejection;
use crate::schedule::Overlapped;
use crate::schedule::overlapped::plan::{INDEX, TIME};
use crate::schedule::overlapped::short::Short;
use crate::schedule::overlapped::{Carried, TimeTile, Version, Width};
use hexpass_abi::plan::PlanValues;
use hexpass_abi::{Access, PlanExpr, PlanOp};
use std::collections::{HashMap, HashSet};

/// An instance: statement, step, coordinates.
type Tag = (usize, i64, Vec<i64>);
/// Array, buffer, subscripts.
type Element = (u16, u16, Vec<i64>);

/// What an element holds.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    /// What was there before the nest.
    Original(Element),
    Written(Tag),
    /// Nobody knows.
    Junk,
}

/// Elements that have been written; the slots' others hold what was there before, those of scratch buffers junk.
type Memory = HashMap<Element, Value>;

/// (a) to (e) for the sizes of one run; small ones, since every instance is visited. Tunables are at their smallest.
pub fn check(problem: &Problem, schedule: &Overlapped, sizes: &Sizes) -> Result<(), Rejection> {
    let levels = schedule.tiles.iter().flat_map(|t| &t.levels);
    let mut run = Run {
        problem,
        schedule,
        sizes,
        expected: HashMap::new(),
        memory: Memory::new(),
        time: 0,
        statement: 0,
        tiles: 0,
        hulls: HashMap::new(),
        folds: levels.flat_map(|l| l.folds.iter().copied()).collect(),
    };
    run.original()?;
    let original = std::mem::take(&mut run.memory);
    run.ops(&schedule.plan.ops, &mut vec![0; usize::from(schedule.plan.vars)])?;
    if run.time != sizes.steps.max(0) {
        return Err(illegal("(a) the plan does not end with the last step"));
    }
    for (element, value) in original.iter().filter(|(e, _)| !run.folds.contains(&e.0)) {
        if run.load(element) != *value {
            return Err(illegal(format!("(e) {element:?} differs at the end")));
        }
    }
    for element in run.memory.keys().filter(|e| i64::from(e.1) < slots(&problem.stencil, e.0)) {
        if !original.contains_key(element) && run.load(element) != Value::Original(element.clone())
        {
            return Err(illegal(format!("(e) {element:?} is written and should not be")));
        }
    }
    Ok(())
}

struct Run<'a> {
    problem: &'a Problem,
    schedule: &'a Overlapped,
    sizes: &'a Sizes,
    /// What each instance's reads of written arrays must find.
    expected: HashMap<Tag, Vec<Option<Value>>>,
    memory: Memory,
    /// Steps taken, statements of the next one, time tiles.
    time: i64,
    statement: usize,
    tiles: i64,
    /// Of each written array, the box of coordinates that any statement writes.
    hulls: HashMap<u16, Vec<(i64, i64)>>,
    /// Arrays of what a step is reduced from, of which blocks have elements of their own: that each instance has one owner is
    /// all that counts.
    folds: HashSet<u16>,
}

impl PlanValues for Run<'_> {
    fn steps(&self) -> i64 {
        self.sizes.steps
    }

    fn space(&self, dim: u8) -> (i64, i64) {
        self.sizes.space[usize::from(dim)]
    }

    fn tunable(&self, index: u8) -> i64 {
        let all = self.schedule.tunables.get(usize::from(index));
        all.and_then(|t| t.values.iter().copied().min()).unwrap_or(1)
    }
}

fn fault(f: Fault) -> Rejection {
    illegal(f.0)
}

impl Run<'_> {
    fn load(&self, element: &Element) -> Value {
        match self.memory.get(element) {
            Some(value) => value.clone(),
            None if i64::from(element.1) < slots(&self.problem.stencil, element.0) => {
                Value::Original(element.clone())
            }
            None => Value::Junk,
        }
    }

    /// The element that an access means in the arrays' own slots.
    fn home(&self, access: &Access, t: i64, coords: &[i64]) -> Result<Element, Rejection> {
        let subscripts = self.sizes.subscripts(access, t, coords).map_err(fault)?;
        let slot =
            (t + i64::from(access.rotation)).rem_euclid(slots(&self.problem.stencil, access.array));
        Ok((access.array, slot as u16, subscripts))
    }

    fn is_written(&self, array: u16) -> bool {
        self.hulls.contains_key(&array) && !self.folds.contains(&array)
    }

    /// Instances of a statement, in order.
    fn instances(&self, statement: usize, t: i64) -> Vec<Tag> {
        if self.sizes.is_empty(statement) {
            return Vec::new();
        }
        let points = points(self.sizes.bounds(statement));
        points.into_iter().map(|x| (statement, t, x)).collect()
    }

    fn original(&mut self) -> Result<(), Rejection> {
        for (i, s) in self.problem.stencil.statements.iter().enumerate() {
            for w in &s.writes {
                let hull = self.hulls.entry(w.access.array).or_default();
                if self.sizes.is_empty(i) {
                    continue;
                }
                let bounds = self.sizes.bounds(i);
                *hull = match hull.is_empty() {
                    true => bounds.to_vec(),
                    false => {
                        let both = hull.iter().zip(bounds);
                        both.map(|(a, b)| (a.0.min(b.0), a.1.max(b.1))).collect()
                    }
                };
            }
        }
        for t in 0..self.sizes.steps {
            for statement in 0..self.problem.stencil.statements.len() {
                for tag in self.instances(statement, t) {
                    let seen = self.seen(&tag)?;
                    self.expected.insert(tag.clone(), seen);
                    self.write(&tag)?;
                }
            }
        }
        Ok(())
    }

    /// What an instance reads of written arrays, in the arrays' own slots.
    fn seen(&self, tag: &Tag) -> Result<Vec<Option<Value>>, Rejection> {
        let reads = self.problem.stencil.statements[tag.0].reads.iter();
        reads
            .map(|a| {
                if !self.is_written(a.array) {
                    return Ok(None);
                }
                Ok(Some(self.load(&self.home(a, tag.1, &tag.2)?)))
            })
            .collect()
    }

    fn write(&mut self, tag: &Tag) -> Result<(), Rejection> {
        let problem = self.problem;
        for w in &problem.stencil.statements[tag.0].writes {
            let element = self.home(&w.access, tag.1, &tag.2)?;
            self.memory.insert(element, Value::Written(tag.clone()));
        }
        Ok(())
    }

    fn ops(&mut self, ops: &[PlanOp], vars: &mut Vec<i64>) -> Result<(), Rejection> {
        for op in ops {
            match op {
                PlanOp::Loop { var, lo, hi, body } => {
                    for value in lo.eval(self, vars)..=hi.eval(self, vars) {
                        vars[usize::from(*var)] = value;
                        self.ops(body, vars)?;
                    }
                }
                PlanOp::Launch { kernel, blocks, time, args } => {
                    let value = |e: &PlanExpr| e.eval(self, vars);
                    let args: Vec<i64> = args.iter().map(value).collect();
                    let (blocks, time) = (blocks.each_ref().map(value), value(time));
                    let known = args.get(usize::from(TIME)) == Some(&time) && time == self.time;
                    if !known || time >= self.sizes.steps {
                        return Err(illegal(
                            "(a) a launch takes a step too early, too late or twice",
                        ));
                    }
                    match self.schedule.tiles.get(usize::from(*kernel)) {
                        Some(tile) => self.tile(tile, blocks, args.get(usize::from(INDEX)))?,
                        None => self.direct(usize::from(*kernel) - self.schedule.tiles.len())?,
                    }
                }
            }
        }
        Ok(())
    }

    fn direct(&mut self, statement: usize) -> Result<(), Rejection> {
        if statement != self.statement {
            return Err(illegal("(a) the statements of a step are not launched in order"));
        }
        let all = self.instances(statement, self.time);
        let mut found = Vec::new();
        for tag in &all {
            found.push(self.seen(tag)?);
        }
        for (tag, found) in all.iter().zip(found) {
            if self.expected[tag] != found {
                return Err(illegal(format!("(b) {tag:?} reads {found:?} in a direct launch")));
            }
            self.write(tag)?;
        }
        self.statement += 1;
        if self.statement == self.problem.stencil.statements.len() {
            (self.statement, self.time) = (0, self.time + 1);
        }
        Ok(())
    }

    fn tile(
        &mut self,
        tile: &TimeTile,
        blocks: [i64; 3],
        index: Option<&i64>,
    ) -> Result<(), Rejection> {
        if index != Some(&self.tiles) || self.statement != 0 {
            return Err(illegal("(e) time tiles are not numbered in order"));
        }
        if self.time + tile.steps > self.sizes.steps {
            return Err(illegal("(a) a time tile takes steps that do not exist"));
        }
        let dims = self.problem.dims();
        let grid: Vec<(i64, i64)> = (0..dims).map(|d| (0, blocks[dims - 1 - d] - 1)).collect();
        let mut owned = HashSet::new();
        let (mut loaded, mut stored) = (HashSet::new(), Memory::new());
        for block in points(&grid) {
            let own = self.own(tile, &block, &blocks);
            for l in 0..tile.levels.len() {
                let bounds = self.sizes.bounds(usize::from(tile.levels[l].statement));
                for x in points(&intersection(&own, bounds)) {
                    if !owned.insert((l, x)) {
                        return Err(illegal("(a) two blocks own an instance"));
                    }
                }
            }
            Block { run: self, tile, own, loaded: &mut loaded, values: HashMap::new() }
                .run(&mut stored)?;
        }
        let instances = |l: &crate::schedule::overlapped::Level| {
            self.instances(usize::from(l.statement), 0).len()
        };
        if owned.len() != tile.levels.iter().map(instances).sum::<usize>() {
            return Err(illegal("(a) nobody owns an instance"));
        }
        if let Some(element) = stored.keys().find(|e| loaded.contains(*e)) {
            return Err(illegal(format!("(c) {element:?} is stored and loaded in one launch")));
        }
        self.memory.extend(stored);
        self.tiles += 1;
        self.time += tile.steps;
        Ok(())
    }

    /// The box that a block owns, of so many blocks along the grid's axes.
    fn own(&self, tile: &TimeTile, block: &[i64], blocks: &[i64; 3]) -> Vec<(i64, i64)> {
        match &tile.short {
            Some(short) => self.own_short(tile, short, block, blocks),
            None => self.own_even(tile, block),
        }
    }

    /// The same where blocks near the border own less ([`TimeTile::short`]).
    fn own_short(
        &self,
        tile: &TimeTile,
        short: &Short,
        block: &[i64],
        blocks: &[i64; 3],
    ) -> Vec<(i64, i64)> {
        let last = block.len() - 1;
        let streamed = tile.streamed.unwrap_or(0);
        // Strips there are, the one that this block is in, and which piece of a part: those after the first follow all
        // strips, first the first strip's.
        let more = short.pieces - 1;
        let strips = if blocks[0] == 1 + more { 1 } else { blocks[0] - 2 * more };
        let (strip, piece) = match block[last] - strips {
            after if after >= more => (strips - 1, after - more + 1),
            after if after >= 0 => (0, after + 1),
            _ => (block[last], 0),
        };
        let mut block = block.to_vec();
        block[last] = strip;
        let mut own = self.own_even(tile, &block);
        let (lo, hi) = self.sizes.space[streamed];
        // Where a part begins: those between the first and the last share what these leave.
        let (points, width) = (hi - lo + 1, own[streamed].1 - own[streamed].0 + 1);
        let all = (points - 2 * short.ends.min((width + 1) / 2)).max(0);
        let between = (all + width - 1) / width;
        let begin = |part: i64| match part {
            0 => lo,
            part if part > between + 1 => hi + 1,
            part => {
                let before = part - 1;
                let shared = if between > 0 { (all / between, all % between) } else { (0, 0) };
                lo + (points - all + 1) / 2 + before * shared.0 + before.min(shared.1)
            }
        };
        // The blocks that start first have the parts at the ends.
        let part = match block[streamed] {
            0 => 0,
            1 => between + 1,
            later => later - 1,
        };
        let (mut first, mut end) = (begin(part), begin(part + 1) - 1);
        if strip == 0 || strip == strips - 1 {
            let each = (end - first + 1 + more) / short.pieces;
            first += piece * each;
            end = end.min(first + each - 1);
        }
        own[streamed] = (first, end);
        own
    }

    fn own_even(&self, tile: &TimeTile, block: &[i64]) -> Vec<(i64, i64)> {
        let one = |(d, owned): (usize, &crate::schedule::overlapped::Owned)| {
            let width = match owned.width {
                Width::Fixed(w) => w,
                Width::Tunable(i) => self.tunable(i),
                Width::All => return self.sizes.space[d],
            };
            let base = owned.from.not_above(self.sizes.space[d].0);
            (base + block[d] * width, base + (block[d] + 1) * width - 1)
        };
        tile.owned.iter().enumerate().map(one).collect()
    }
}

/// One block of a time tile.
struct Block<'a, 'r> {
    run: &'a Run<'r>,
    tile: &'a TimeTile,
    own: Vec<(i64, i64)>,
    loaded: &'a mut HashSet<Element>,
    /// By version and coordinates.
    values: HashMap<(u16, Vec<i64>), Value>,
}

impl Block<'_, '_> {
    /// Plane by plane, all levels in order; without a streamed dimension all at once.
    fn run(mut self, stored: &mut Memory) -> Result<(), Rejection> {
        let versions = &self.tile.versions;
        let planes = match self.tile.streamed {
            None => (0, 0),
            Some(d) => {
                let most = |f: &dyn Fn(&Version) -> i64| versions.iter().map(f).max().unwrap_or(0);
                let last = self.tile.levels.iter().map(|l| l.delay).max().unwrap_or(0);
                let (lo, hi) = self.own[d];
                (lo - most(&|v| v.margin[d].0), hi + most(&|v| v.margin[d].1) + last.max(0))
            }
        };
        for z in planes.0..=planes.1 {
            for (v, _) in versions.iter().enumerate().filter(|(_, v)| v.level.is_none()) {
                self.load(v as u16, z)?;
            }
            for l in 0..self.tile.levels.len() {
                self.level(l, z)?;
                self.record(l, z, stored)?;
            }
        }
        self.store(stored)
    }

    /// The owned box with a margin; of the streamed dimension one plane.
    fn around(&self, margin: &[(i64, i64)], plane: i64) -> Vec<(i64, i64)> {
        let one = |d: usize| {
            let range = (self.own[d].0 - margin[d].0, self.own[d].1 + margin[d].1);
            match self.tile.streamed == Some(d) {
                true => (range.0.max(plane), range.1.min(plane)),
                false => range,
            }
        };
        (0..self.own.len()).map(one).collect()
    }

    fn carried(&self, array: u16, rotation: i32) -> Option<&Carried> {
        let slots = slots(&self.run.problem.stencil, array);
        let same = |a: i32, b: i32| i64::from(a - b).rem_euclid(slots) == 0;
        let all = &self.run.schedule.carried;
        all.iter().find(|c| c.array == array && same(c.rotation, rotation))
    }

    /// A plane of an initial version: inside what the nest writes from its buffer, if it is carried, outside from home.
    fn load(&mut self, v: u16, z: i64) -> Result<(), Rejection> {
        let version = &self.tile.versions[usize::from(v)];
        let hull = &self.run.hulls[&version.array];
        let side = self.run.tiles as usize % 2;
        let slots = slots(&self.run.problem.stencil, version.array);
        let home = (self.run.time + i64::from(version.rotation)).rem_euclid(slots) as u16;
        let own = self.tile.in_place.then_some(home);
        let carried = self.carried(version.array, version.rotation);
        let buffer = carried.map(|c| own.unwrap_or(c.buffers[side]));
        for x in points(&self.around(&version.margin, z)) {
            let subscripts = self.subscripts(version.array, &x);
            let value = match (contains(hull, &x), buffer) {
                (true, None) => Value::Junk,
                (true, Some(buffer)) => {
                    let element = (version.array, buffer, subscripts);
                    self.loaded.insert(element.clone());
                    self.run.load(&element)
                }
                (false, _) => {
                    let element = (version.array, home, subscripts);
                    self.loaded.insert(element.clone());
                    self.run.load(&element)
                }
            };
            self.values.insert((v, x), value);
        }
        Ok(())
    }

    /// Subscripts in an array of what lies at coordinates.
    fn subscripts(&self, array: u16, x: &[i64]) -> Vec<i64> {
        let all = self.run.problem.stencil.statements.iter().flat_map(|s| &s.writes);
        let offset = |d: usize| {
            let mut of = all.clone().filter(|w| w.access.array == array);
            of.next().and_then(|w| w.access.subscripts.get(d)?.offset.as_constant()).unwrap_or(0)
        };
        x.iter().enumerate().map(|(d, x)| x + offset(d)).collect()
    }

    fn level(&mut self, l: usize, z: i64) -> Result<(), Rejection> {
        let level = &self.tile.levels[l];
        let k = self.run.problem.stencil.statements.len();
        let (statement, step) = (usize::from(level.statement), self.run.time + (l / k) as i64);
        let s = &self.run.problem.stencil.statements[statement];
        let mut made = Vec::new();
        for x in points(&self.around(&level.margin, z - level.delay)) {
            if contains(self.run.sizes.bounds(statement), &x) {
                let tag = (statement, step, x.clone());
                let Some(expected) = self.run.expected.get(&tag) else {
                    return Err(illegal(format!("(a) {tag:?} does not exist")));
                };
                for ((access, &v), expected) in s.reads.iter().zip(&level.reads).zip(expected) {
                    let (Some(v), Some(expected)) = (v, expected) else { continue };
                    let at = self.run.home(access, step, &x)?.2;
                    let zero = self.subscripts(access.array, &vec![0; x.len()]);
                    let at: Vec<i64> = at.iter().zip(zero).map(|(a, b)| a - b).collect();
                    let found = self.value(v, l, z, &at)?;
                    if found != *expected {
                        return Err(illegal(format!(
                            "(b) {tag:?} reads {found:?} instead of {expected:?}"
                        )));
                    }
                }
                made.extend(
                    level.writes.iter().map(|&w| (w, x.clone(), Value::Written(tag.clone()))),
                );
            } else {
                for &w in &level.writes {
                    let version = &self.tile.versions[usize::from(w)];
                    let valid = self.around(&version.margin, z - level.delay);
                    if let Some(before) = version.before.filter(|_| contains(&valid, &x)) {
                        let value = self.value(before, l, z, &x)?;
                        made.push((w, x.clone(), value));
                    }
                }
            }
        }
        self.values.extend(made.into_iter().map(|(v, x, value)| ((v, x), value)));
        Ok(())
    }

    /// What a level stores at once in records: of its instances those that the block owns.
    fn record(&self, l: usize, z: i64, stored: &mut Memory) -> Result<(), Rejection> {
        let level = &self.tile.levels[l];
        if level.records.is_empty() {
            return Ok(());
        }
        let problem = &self.run.problem.stencil;
        let (statement, step) = (usize::from(level.statement), l / problem.statements.len());
        let time = self.run.time + step as i64;
        let bounds = self.run.sizes.bounds(statement);
        let none = vec![(0, 0); self.own.len()];
        for x in points(&intersection(&self.around(&none, z - level.delay), bounds)) {
            let writes = problem.statements[statement].writes.iter();
            for w in writes.filter(|w| level.records.contains(&w.access.array)) {
                let element = self.run.home(&w.access, time, &x)?;
                let value = Value::Written((statement, time, x.clone()));
                if stored.insert(element, value).is_some() {
                    return Err(illegal(format!("(c) a record is stored twice at {x:?}")));
                }
            }
        }
        Ok(())
    }

    /// What a level finds of a version at coordinates when the block is at plane z.
    fn value(&self, v: u16, l: usize, z: i64, x: &[i64]) -> Result<Value, Rejection> {
        let version = &self.tile.versions[usize::from(v)];
        if let Some(d) = self.tile.streamed {
            let newest = match version.level.map(usize::from) {
                None => z,
                Some(maker) => z - self.tile.levels[maker].delay - i64::from(maker >= l),
            };
            if x[d] > newest || x[d] <= newest - version.kept {
                return Err(illegal(format!("(b) version {v} is not there at plane {}", x[d])));
            }
        }
        let inside = version.margin.iter().zip(&self.own).zip(x);
        if !inside.into_iter().all(|((m, own), x)| own.0 - m.0 <= *x && *x <= own.1 + m.1) {
            return Err(illegal(format!("(b) version {v} is not valid at {x:?}")));
        }
        match self.values.get(&(v, x.to_vec())) {
            Some(value) => Ok(value.clone()),
            None => Err(illegal(format!("(b) version {v} has not been made at {x:?}"))),
        }
    }

    /// What is left, inside what the nest writes.
    fn store(self, stored: &mut Memory) -> Result<(), Rejection> {
        let side = (self.run.tiles as usize + 1) % 2;
        for (c, &left) in self.run.schedule.carried.iter().zip(&self.tile.left) {
            for x in points(&intersection(&self.own, &self.run.hulls[&c.array])) {
                let Some(value) = self.values.get(&(left, x.clone())) else {
                    return Err(illegal(format!("(e) {c:?} is not left at {x:?}")));
                };
                let later = self.run.time + self.tile.steps + i64::from(c.rotation);
                let own = later.rem_euclid(slots(&self.run.problem.stencil, c.array)) as u16;
                let buffer = if self.tile.in_place { own } else { c.buffers[side] };
                let element = (c.array, buffer, self.subscripts(c.array, &x));
                if stored.insert(element, value.clone()).is_some() {
                    return Err(illegal(format!("(c) {c:?} is stored twice at {x:?}")));
                }
            }
        }
        Ok(())
    }
}

fn contains(bounds: &[(i64, i64)], x: &[i64]) -> bool {
    !bounds.is_empty() && bounds.iter().zip(x).all(|(b, x)| b.0 <= *x && *x <= b.1)
}

fn intersection(a: &[(i64, i64)], b: &[(i64, i64)]) -> Vec<(i64, i64)> {
    match b.is_empty() {
        true => vec![(0, -1); a.len()],
        false => a.iter().zip(b).map(|(a, b)| (a.0.max(b.0), a.1.min(b.1))).collect(),
    }
}

/// All points of a box.
fn points(bounds: &[(i64, i64)]) -> Vec<Vec<i64>> {
    if bounds.iter().any(|b| b.1 < b.0) {
        return Vec::new();
    }
    let mut x: Vec<i64> = bounds.iter().map(|b| b.0).collect();
    let mut out = vec![x.clone()];
    while advance(&mut x, bounds) {
        out.push(x.clone());
    }
    out
}
