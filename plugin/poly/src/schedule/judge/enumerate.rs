//! The judge by enumeration: runs a schedule on memory that holds, instead of numbers, who wrote them.
//!
//! Every read must find the tag that it finds in the original order; at the end all memory must hold the same tags.

use super::illegal;
use crate::kernel::interp::Fault;
use crate::kernel::interp::memory::{Address, Sizes};
use crate::kernel::interp::reference::advance;
use crate::problem::Problem;
use crate::rejection::Rejection;
use crate::schedule::{Cut, Phase, Phased, Row, Storage};
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

/// A tile's copy of the staged arrays.
struct Copy {
    arrays: Vec<u16>,
    tags: HashMap<Address, Option<Tag>>,
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
                    self.column(phase, block as i64, u, origins, Vec::new())?;
                }
            }
        }
        Ok(())
    }

    /// The classical tiles of a block, in order; `blocks` are its origins in the dimensions that are cut into blocks.
    fn column(
        &mut self,
        phase: &Phase,
        block: i64,
        u: i64,
        blocks: &[i64],
        origin: Vec<i64>,
    ) -> Result<(), Rejection> {
        let dim = origin.len();
        let with = |x: i64| [origin.as_slice(), &[x]].concat();
        match phase.cuts.get(dim) {
            None => self.tile(phase, block, u, &origin),
            Some(Cut::Blocks(_)) => self.column(phase, block, u, &blocks[1..], with(blocks[0])),
            Some(Cut::Tiles(classical)) => {
                let Some(width) = classical.width else {
                    return self.column(phase, block, u, blocks, with(0));
                };
                let (lo, hi) = self.sizes.space[dim];
                let reach = classical.skew.floor_times(phase.levels - 1);
                for c in lo.div_euclid(width)..=(hi + reach).div_euclid(width) {
                    self.column(phase, block, u, blocks, with(c * width))?;
                }
                Ok(())
            }
        }
    }

    fn tile(&mut self, phase: &Phase, block: i64, u: i64, origin: &[i64]) -> Result<(), Rejection> {
        let mut copy = self.stage_in(phase, block, u, origin)?;
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
                self.reads(tag, block, &copy)?;
            }
            for tag in instances {
                self.writes(tag, block, &mut copy, if later { Some(&mut written) } else { None })?;
            }
        }
        for (at, tag) in written {
            self.store(at, tag, block)?;
        }
        Ok(())
    }

    /// All slots of all boxes, inside their arrays.
    fn stage_in(
        &mut self,
        phase: &Phase,
        block: i64,
        u: i64,
        origin: &[i64],
    ) -> Result<Copy, Rejection> {
        let mut copy =
            Copy { arrays: phase.staging.iter().map(|s| s.array).collect(), tags: HashMap::new() };
        let program = &self.problem.stencil;
        let t = u.div_euclid(self.problem.k());
        for staged in &phase.staging {
            let bounds: Option<Vec<(i64, i64)>> = (0..origin.len())
                .map(|d| {
                    let (lo, hi) = self.sizes.array(staged.array, d as u8).ok()?;
                    let range =
                        (lo.max(origin[d] + staged.lo[d]), hi.min(origin[d] + staged.hi[d]));
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
                    copy.tags.insert(at, tag);
                    if !advance(&mut x, &bounds) {
                        break;
                    }
                }
            }
        }
        Ok(copy)
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

    fn reads(&mut self, tag: &Tag, block: i64, copy: &Copy) -> Result<(), Rejection> {
        let Some(expected) = self.expected.remove(tag) else {
            return Err(illegal(format!("(a) {tag:?} runs twice or does not exist")));
        };
        let problem = self.problem;
        for (access, expected) in problem.stencil.statements[tag.0].reads.iter().zip(expected) {
            let at = self.address(access, tag)?;
            let found = if copy.arrays.contains(&access.array) {
                let Some(found) = copy.tags.get(&at) else {
                    return Err(illegal(format!("(b) {tag:?} reads outside its staged box")));
                };
                found.clone()
            } else {
                self.load(at, block)?
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
        tag: Tag,
        block: i64,
        copy: &mut Copy,
        mut later: Option<&mut Vec<(Address, Tag)>>,
    ) -> Result<(), Rejection> {
        let problem = self.problem;
        for w in &problem.stencil.statements[tag.0].writes {
            let at = self.address(&w.access, &tag)?;
            if copy.arrays.contains(&w.access.array) {
                if copy.tags.insert(at, Some(tag.clone())).is_none() {
                    return Err(illegal(format!("(b) {tag:?} writes outside its staged box")));
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
