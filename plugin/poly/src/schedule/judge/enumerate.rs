//! The judge by enumeration: runs a schedule on memory that holds, instead of numbers, who wrote them.
//!
//! Every read must find the tag that it finds in the original order; at the end all memory must hold the same tags.

use super::illegal;
use crate::kernel::interp::Fault;
use crate::kernel::interp::memory::{Address, Sizes};
use crate::kernel::interp::reference::advance;
use crate::problem::Problem;
use crate::rejection::Rejection;
use crate::schedule::{Cut, Kept, Phase, Phased, Row, StagedArray, Storage};
use crate::stencil::StencilProgram;
use hexpass_abi::Access;
use std::collections::HashMap;

/// An instance: statement, step, coordinates.
type Tag = (usize, i64, Vec<i64>);
/// The last writer of each location; nobody where there is no entry.
type Tags = HashMap<Address, Tag>;

/// (a) to (e) for the sizes of one run; small ones, since every instance is visited.
pub fn check(problem: &Problem, schedule: &Phased, sizes: &Sizes) -> Result<(), Rejection> {
    let mut original =
        Original { program: &problem.stencil, sizes, memory: Tags::new(), seen: HashMap::new() };
    original.run().map_err(|f| illegal(f.0))?;
    let mut run = Run {
        problem,
        schedule,
        sizes,
        expected: original.seen,
        memory: Tags::new(),
        copy: Copy::new(),
        touched: HashMap::new(),
    };
    run.all()?;
    if let Some(tag) = run.expected.keys().next() {
        return Err(illegal(format!("(a) {tag:?} does not run")));
    }
    if run.memory != original.memory {
        return Err(illegal("(e) memory differs at the end"));
    }
    Ok(())
}

fn address(
    p: &StencilProgram,
    sizes: &Sizes,
    access: &Access,
    tag: &Tag,
) -> Result<Address, Fault> {
    let subscripts = sizes.subscripts(access, tag.1, &tag.2)?;
    sizes.address(p, access.array, tag.1 + i64::from(access.rotation), &subscripts)
}

struct Original<'a> {
    program: &'a StencilProgram,
    sizes: &'a Sizes,
    memory: Tags,
    seen: HashMap<Tag, Vec<Option<Tag>>>,
}

impl Original<'_> {
    fn run(&mut self) -> Result<(), Fault> {
        for t in 0..self.sizes.steps {
            for statement in 0..self.program.statements.len() {
                if self.sizes.is_empty(statement) {
                    continue;
                }
                let bounds = self.sizes.bounds(statement);
                let mut coords: Vec<i64> = bounds.iter().map(|b| b.0).collect();
                loop {
                    self.instance((statement, t, coords.clone()))?;
                    if !advance(&mut coords, bounds) {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    fn instance(&mut self, tag: Tag) -> Result<(), Fault> {
        let s = &self.program.statements[tag.0];
        let mut seen = Vec::new();
        for access in &s.reads {
            seen.push(self.memory.get(&address(self.program, self.sizes, access, &tag)?).cloned());
        }
        for w in &s.writes {
            self.memory.insert(address(self.program, self.sizes, &w.access, &tag)?, tag.clone());
        }
        self.seen.insert(tag, seen);
        Ok(())
    }
}

/// Who of a launch has touched a location: a reading block and whether several, a writing block.
#[derive(Clone, Copy, Default)]
struct Touched {
    reader: Option<i64>,
    readers: bool,
    writer: Option<i64>,
}

struct Run<'a> {
    problem: &'a Problem,
    schedule: &'a Phased,
    sizes: &'a Sizes,
    /// Instances that have not run, with what their reads must find.
    expected: HashMap<Tag, Vec<Option<Tag>>>,
    memory: Tags,
    copy: Copy,
    touched: HashMap<Address, Touched>,
}

/// The blocks of a launch, one more dimension of them: all origins so far with each of a row's.
fn blocks_along(
    blocks: &[Vec<i64>],
    row: &Row,
    at: &dyn Fn(&hexpass_abi::PlanExpr) -> i64,
) -> Vec<Vec<i64>> {
    let (first, last, origin) = (at(&row.first), at(&row.last), at(&row.origin));
    let starts = (0..=last - first).map(|block| origin + block * row.pitch);
    let with = |b: &Vec<i64>, start: i64| [b.as_slice(), &[start]].concat();
    blocks.iter().flat_map(|b| starts.clone().map(move |start| with(b, start))).collect()
}

/// What shared memory holds: by box, slot and place, the element that lies there, and who wrote it.
type Copy = HashMap<(u16, i64, Vec<i64>), (Address, Option<Tag>)>;

/// Where a box holds the element at these subscripts, for the tile at an origin.
fn place(staged: &StagedArray, origin: &[i64], subscripts: &[i64]) -> Vec<i64> {
    let mut place: Vec<i64> =
        subscripts.iter().zip(origin).zip(&staged.lo).map(|((x, o), lo)| x - o - lo).collect();
    if let Some(Kept { dim, round: Some(round), .. }) = staged.kept {
        place[dim] = subscripts[dim].rem_euclid(round);
    }
    place
}

impl Run<'_> {
    fn all(&mut self) -> Result<(), Rejection> {
        let (first, last) = (&self.schedule.first, &self.schedule.last);
        for tile in first.eval(self.sizes, &[])..=last.eval(self.sizes, &[]) {
            for phase in &self.schedule.phases {
                self.touched.clear();
                let at = |e: &hexpass_abi::PlanExpr| e.eval(self.sizes, &[tile]);
                let u = at(&phase.u);
                let mut blocks = vec![Vec::new()];
                for (_, row) in phase.rows() {
                    blocks = blocks_along(&blocks, row, &at);
                }
                for (block, origins) in blocks.iter().enumerate().rev() {
                    self.column(phase, block as i64, u, origins, Vec::new(), false)?;
                }
            }
        }
        Ok(())
    }

    /// The classical tiles of a block, in order; `blocks` are its origins in the dimensions that are cut into blocks.
    /// With `after`, the tile before was the one beside it along the innermost of the dimensions walked.
    fn column(
        &mut self,
        phase: &Phase,
        block: i64,
        u: i64,
        blocks: &[i64],
        origin: Vec<i64>,
        after: bool,
    ) -> Result<(), Rejection> {
        let dim = origin.len();
        let with = |x: i64| [origin.as_slice(), &[x]].concat();
        match phase.cuts.get(dim) {
            None => self.tile(phase, block, u, &origin, after),
            Some(Cut::Blocks(_)) => {
                self.column(phase, block, u, &blocks[1..], with(blocks[0]), after)
            }
            Some(Cut::Tiles(classical)) => {
                let Some(width) = classical.width else {
                    return self.column(phase, block, u, blocks, with(0), after);
                };
                let (lo, hi) = self.sizes.space[dim];
                let (lo, hi) = (lo - classical.shift, hi - classical.shift);
                let reach = classical.skew.floor_times(phase.levels - 1);
                let first = lo.div_euclid(width);
                for c in first..=(hi + reach).div_euclid(width) {
                    self.column(phase, block, u, blocks, with(c * width), c > first)?;
                }
                Ok(())
            }
        }
    }

    fn tile(
        &mut self,
        phase: &Phase,
        block: i64,
        u: i64,
        origin: &[i64],
        after: bool,
    ) -> Result<(), Rejection> {
        self.keep(phase, after);
        self.stage_in(phase, block, u, origin, after)?;
        let mut written = Vec::new();
        let later = matches!(
            self.schedule.storage,
            Storage::Shared { interleave: false, .. } | Storage::Registers
        );
        for level in 0..phase.levels {
            let time = u + level;
            let (t, statement) =
                (time.div_euclid(self.problem.k()), time.rem_euclid(self.problem.k()));
            if !(0..self.sizes.steps).contains(&t) || self.sizes.is_empty(statement as usize) {
                continue;
            }
            let instances = self.level(phase, level, statement as usize, t, origin);
            for tag in &instances {
                self.reads(phase, origin, tag, block)?;
            }
            for tag in instances {
                let later = if later { Some(&mut written) } else { None };
                self.writes(phase, origin, tag, block, later)?;
            }
        }
        for (at, tag) in written {
            self.store(at, tag, block)?;
        }
        Ok(())
    }

    /// What the tile before left, where this one counts on it: in place, or moved there. Everything else is forgotten.
    fn keep(&mut self, phase: &Phase, after: bool) {
        let old = std::mem::take(&mut self.copy);
        let Some((walked, by)) = phase.walk().filter(|_| after) else { return };
        for ((array, slot, mut place), held) in old {
            let staged = phase.staging.iter().find(|s| s.array == array);
            let Some(kept) = staged.and_then(|s| s.kept) else { continue };
            if kept.round.is_none() {
                place[walked] -= by;
                if !(0..kept.count).contains(&place[walked]) {
                    continue;
                }
            }
            self.copy.insert((array, slot, place), held);
        }
    }

    /// All slots of all boxes, inside their arrays; without what is kept, if the tile comes after another.
    fn stage_in(
        &mut self,
        phase: &Phase,
        block: i64,
        u: i64,
        origin: &[i64],
        after: bool,
    ) -> Result<(), Rejection> {
        let program = &self.problem.stencil;
        let t = u.div_euclid(self.problem.k());
        for staged in &phase.staging {
            let bounds: Option<Vec<(i64, i64)>> = (0..origin.len())
                .map(|d| {
                    let (lo, hi) = self.sizes.array(staged.array, d as u8).ok()?;
                    let kept = staged.kept.filter(|kept| after && kept.dim == d);
                    let first = staged.lo[d] + kept.map_or(0, |kept| kept.count);
                    let range = (lo.max(origin[d] + first), hi.min(origin[d] + staged.hi[d]));
                    (range.0 <= range.1).then_some(range)
                })
                .collect();
            let Some(bounds) = bounds else { continue };
            for slot in 0..program.arrays[usize::from(staged.array)].slots.len() as i64 {
                let mut x: Vec<i64> = bounds.iter().map(|b| b.0).collect();
                loop {
                    let at = self
                        .sizes
                        .address(program, staged.array, t + slot, &x)
                        .map_err(|f| illegal(f.0))?;
                    let tag = self.load(at, block)?;
                    let slots = program.arrays[usize::from(staged.array)].slots.len() as i64;
                    let slot = (t + slot).rem_euclid(slots);
                    self.copy.insert((staged.array, slot, place(staged, origin, &x)), (at, tag));
                    if !advance(&mut x, &bounds) {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// Instances of a level, inside their statement's box.
    fn level(
        &self,
        phase: &Phase,
        level: i64,
        statement: usize,
        t: i64,
        origin: &[i64],
    ) -> Vec<Tag> {
        let interval = |d: usize| {
            let (lo, hi) = self.sizes.bounds(statement)[d];
            let range = match phase.extent(level, d) {
                Some((a, b)) => (lo.max(origin[d] + a), hi.min(origin[d] + b)),
                None => (lo, hi),
            };
            (range.0 <= range.1).then_some(range)
        };
        let Some(bounds) = (0..origin.len()).map(interval).collect::<Option<Vec<_>>>() else {
            return Vec::new();
        };
        let mut coords: Vec<i64> = bounds.iter().map(|b| b.0).collect();
        let mut out = vec![(statement, t, coords.clone())];
        while advance(&mut coords, &bounds) {
            out.push((statement, t, coords.clone()));
        }
        out
    }

    fn address(&self, access: &Access, tag: &Tag) -> Result<Address, Rejection> {
        address(&self.problem.stencil, self.sizes, access, tag).map_err(|f| illegal(f.0))
    }

    /// The box of an access's array, with the slot and the place that it means there; `None` if it is not staged.
    fn copied(
        &self,
        phase: &Phase,
        origin: &[i64],
        access: &Access,
        tag: &Tag,
    ) -> Result<Option<(u16, i64, Vec<i64>)>, Rejection> {
        let Some(staged) = phase.staging.iter().find(|s| s.array == access.array) else {
            return Ok(None);
        };
        let slots = self.problem.stencil.arrays[usize::from(access.array)].slots.len() as i64;
        let slot = (tag.1 + i64::from(access.rotation)).rem_euclid(slots.max(1));
        let x = self.sizes.subscripts(access, tag.1, &tag.2).map_err(|f| illegal(f.0))?;
        Ok(Some((access.array, slot, place(staged, origin, &x))))
    }

    fn reads(
        &mut self,
        phase: &Phase,
        origin: &[i64],
        tag: &Tag,
        block: i64,
    ) -> Result<(), Rejection> {
        let Some(expected) = self.expected.remove(tag) else {
            return Err(illegal(format!("(a) {tag:?} runs twice or does not exist")));
        };
        let problem = self.problem;
        for (access, expected) in problem.stencil.statements[tag.0].reads.iter().zip(expected) {
            let at = self.address(access, tag)?;
            let found = match self.copied(phase, origin, access, tag)? {
                Some(place) => match self.copy.get(&place) {
                    Some((element, found)) if *element == at => found.clone(),
                    _ => {
                        return Err(illegal(format!("(b) {tag:?} reads what is not staged")));
                    }
                },
                None => self.load(at, block)?,
            };
            if found != expected {
                return Err(illegal(format!(
                    "(b) {tag:?} reads what {found:?} wrote instead of {expected:?}"
                )));
            }
        }
        Ok(())
    }

    fn writes(
        &mut self,
        phase: &Phase,
        origin: &[i64],
        tag: Tag,
        block: i64,
        mut later: Option<&mut Vec<(Address, Tag)>>,
    ) -> Result<(), Rejection> {
        let problem = self.problem;
        for w in &problem.stencil.statements[tag.0].writes {
            let at = self.address(&w.access, &tag)?;
            if let Some(place) = self.copied(phase, origin, &w.access, &tag)? {
                let held = self.copy.insert(place, (at, Some(tag.clone())));
                if held.is_none_or(|(element, _)| element != at) {
                    return Err(illegal(format!("(b) {tag:?} writes what is not staged")));
                }
                if let Some(later) = &mut later {
                    later.push((at, tag.clone()));
                    continue;
                }
            }
            self.store(at, tag.clone(), block)?;
        }
        Ok(())
    }

    fn load(&mut self, at: Address, block: i64) -> Result<Option<Tag>, Rejection> {
        let touched = self.touched.entry(at).or_default();
        touched.readers |= touched.reader.is_some_and(|b| b != block);
        touched.reader = Some(block);
        if touched.writer.is_some_and(|b| b != block) {
            return Err(illegal("(c) a block reads what another block of its launch writes"));
        }
        Ok(self.memory.get(&at).cloned())
    }

    fn store(&mut self, at: Address, tag: Tag, block: i64) -> Result<(), Rejection> {
        let touched = self.touched.entry(at).or_default();
        let read = touched.readers || touched.reader.is_some_and(|b| b != block);
        if read || touched.writer.is_some_and(|b| b != block) {
            return Err(illegal("(c) a block writes what another block of its launch touches"));
        }
        touched.writer = Some(block);
        self.memory.insert(at, tag);
        Ok(())
    }
}
