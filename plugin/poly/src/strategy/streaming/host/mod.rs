//! Streaming on the CPU: a block is a chunk of planes, which one thread walks in strips that its cache holds, all time levels
//! alive; what goes from level to level lies in rings of planes, a ring for each version.
//!
//! Only on a torus in all dimensions: elsewhere hexagonal tiles do it without computing anything twice.
//!
//! Sizes: `b` time steps a launch, `w1` and `w2` the widths of a strip; in one dimension nothing streams, and a block is `w0` points.
//! Refuses programs that read neighbours, along a row, of an array that is only read.

mod kernel;

use crate::cost::nominal_extent;
use crate::kernel::build::slabs;
use crate::kernel::ir::KernelProgram;
use crate::problem::Problem;
use crate::rejection::{Reason, Rejection};
use crate::schedule::overlapped::flow::{Flow, Hold};
use crate::schedule::overlapped::plan::{self, Launch, Launches, blocks_over};
use crate::schedule::overlapped::{Owned, Start, TimeTile, Width};
use crate::schedule::{Overlapped, TileSizes};
use crate::strategy::{Counts, Inapplicable};
use hexpass_abi::plan::in_a_row;
use hexpass_abi::{PlanExpr, Tunable};
use std::collections::BTreeSet;

/// Most time steps of a launch, and points of a strip along a dimension.
const MOST_STEPS: i64 = 64;
const WIDEST: i64 = 1 << 12;
/// Bytes that a block's rings may take of its thread's stack: with 450 KiB, 7 points in 3-D ran at 0.8 of their speed with 370
/// KiB (f64, 512³, 16 cores with 2 MiB of second-level cache each).
const MOST_BYTES: u64 = 384 << 10;
/// Chunks of a launch at most: enough for many cores to end at about the same time.
const CHUNKS: i64 = 64;
/// Planes of a chunk at least, for each that blocks look at beyond it, as many of which are computed twice: few cores want
/// long chunks, and many at least as many as they are.
const TIMES_BEYOND: [i64; 3] = [6, 4, 2];

/// Widths by name, of the dimensions that have some.
fn names(dims: usize) -> &'static [&'static str] {
    match dims {
        1 => &["w0"],
        2 => &["w1"],
        _ => &["w1", "w2"],
    }
}

/// All combinations worth counting that agree with what is given.
pub fn candidates(problem: &Problem, given: &TileSizes) -> Result<Vec<TileSizes>, Inapplicable> {
    let dims = problem.dims();
    let mut proposed: Vec<(&str, &[i64])> = vec![match dims {
        1 => ("b", &[16, 32, 64]),
        2 => ("b", &[4, 8, 16]),
        _ => ("b", &[3, 4, 6]),
    }];
    proposed.extend(names(dims).iter().map(|&name| {
        let values: &[i64] = match (name, dims) {
            ("w0", _) => &[1024, 2048, 4096],
            ("w1", 2) => &[256, 512, 1024],
            ("w1", _) => &[16, 32, 64],
            _ => &[64, 128, 256],
        };
        (name, values)
    }));
    if let Some((name, _)) = given.0.iter().find(|(n, _)| proposed.iter().all(|(p, _)| p != n)) {
        return Err(Inapplicable::new(format!(
            "there is no tile size {name}; the sizes on the host are b, {}",
            names(dims).join(", ")
        )));
    }
    let mut all = vec![Vec::new()];
    for (name, values) in proposed {
        let values = given.get(name).map_or(values.to_vec(), |v| vec![v]);
        let longer = |known: &Vec<(String, i64)>| {
            let one = |&v: &i64| [known.as_slice(), &[(name.to_owned(), v)]].concat();
            values.iter().map(one).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    Ok(all.into_iter().map(TileSizes).collect())
}

fn size(sizes: &TileSizes, name: &str, most: i64) -> Result<i64, Inapplicable> {
    match sizes.get(name) {
        Some(value) if (1..=most).contains(&value) => Ok(value),
        Some(value) => {
            Err(Inapplicable::new(format!("{name} = {value} must lie between 1 and {most}")))
        }
        None => Err(Inapplicable::new(format!("the size {name} is missing"))),
    }
}

/// Widths of a strip, of the dimensions behind the streamed one; in one dimension of a block.
pub fn widths(sizes: &TileSizes, dims: usize) -> Result<Vec<i64>, Inapplicable> {
    names(dims).iter().map(|name| size(sizes, name, WIDEST)).collect()
}

/// How blocks hold planes.
fn hold(dims: usize) -> Hold {
    Hold { streamed: (dims > 1).then_some(0), exchanged: None }
}

/// The tiling.
pub fn schedule(problem: &Problem, sizes: &TileSizes) -> Result<Overlapped, Inapplicable> {
    let flow = Flow::on_torus(problem).map_err(Inapplicable::new)?;
    if !flow.has_no_border() {
        return Err(Inapplicable::new("the host streams along tori only"));
    }
    let dims = problem.dims();
    let steps = size(sizes, "b", MOST_STEPS)?;
    let widths = widths(sizes, dims)?;
    let (carried, scratch) = flow.carried();
    let owned = |d: usize| match (dims, d) {
        (1, _) => Owned { width: Width::Fixed(widths[0]), from: Start::ANY },
        (_, 0) => Owned { width: Width::Tunable(0), from: Start::ANY },
        _ => Owned { width: Width::All, from: Start::ANY },
    };
    let tile = |steps| flow.tile(steps, hold(dims), (0..dims).map(owned).collect(), &carried);
    let tiles: Vec<TimeTile> = (1..=steps).rev().take(2).map(tile).collect();
    let bytes = kernel::bytes(&flow, &tiles[0], &widths);
    if bytes > MOST_BYTES {
        return Err(Inapplicable::new(format!(
            "its planes take {bytes} bytes, {MOST_BYTES} are kept in a thread's stack"
        )));
    }
    if kernel::looks_aside(&flow) {
        return Err(Inapplicable::new("neighbours are read of an array that is only read"));
    }
    let least = super::room(problem, &tiles);
    let beyond = tiles[0].versions.iter().map(|v| v.margin[0].0 + v.margin[0].1).max().unwrap_or(0);
    let launch = |kernel| launch(dims, &widths, kernel);
    let next = tiles.len() as u16;
    let direct = slabs::launches(problem, slab(dims)).into_iter();
    let direct: Vec<Launch> = direct.map(|l| Launch { kernel: l.kernel + next, ..l }).collect();
    let shorter = (steps > 1).then(|| launch(1));
    let (begin, again) = super::around(problem, &direct);
    let launches =
        Launches { steps, tile: launch(0), shorter, direct, begin, again, in_place: None };
    let slots: Vec<usize> = problem.stencil.arrays.iter().map(|a| a.slots.len()).collect();
    let plan = plan::plan(&slots, &carried, super::finish(problem, &flow, &carried), &launches);
    let mut values: Vec<i64> = TIMES_BEYOND.iter().map(|n| (n * beyond).max(8)).collect();
    values.dedup();
    let chunk = Tunable { name: "chunk".into(), values };
    let tunables = if dims > 1 { vec![chunk] } else { Vec::new() };
    Ok(Overlapped {
        strategy: "streaming",
        sizes: sizes.clone(),
        tiles,
        carried,
        plan,
        tunables,
        scratch,
        least,
    })
}

/// Planes of a slab in single steps.
fn slab(dims: usize) -> i64 {
    match dims {
        1 => 8192,
        2 => 16,
        _ => 2,
    }
}

/// Planes of a chunk: as many as wanted, or as the largest grid leaves.
fn chunk() -> PlanExpr {
    let needed = blocks_over(0, PlanExpr::Const(CHUNKS), Start::ANY);
    PlanExpr::Max(Box::new(PlanExpr::Tunable(0)), Box::new(needed))
}

fn launch(dims: usize, widths: &[i64], kernel: u16) -> Launch {
    let (width, args) = match dims {
        1 => (PlanExpr::Const(widths[0]), Vec::new()),
        _ => (chunk(), vec![chunk()]),
    };
    Launch { kernel, blocks: in_a_row(blocks_over(0, width, Start::ANY)), args }
}

/// The kernels of a schedule.
pub fn kernels(problem: &Problem, schedule: &Overlapped) -> Result<KernelProgram, Rejection> {
    let bug = |why: Inapplicable| Rejection::new(Reason::Bug, why.0);
    let flow = Flow::on_torus(problem).map_err(|why| Rejection::new(Reason::Bug, why))?;
    let widths = widths(&schedule.sizes, problem.dims()).map_err(bug)?;
    let inside = |s: u16| problem.torus.as_ref().map_or(s, |t| t.pieces[usize::from(s)][0]);
    let tiles = schedule.tiles.iter();
    let kernel =
        |tile| kernel::kernel(&flow, &schedule.carried, tile, &widths).of_statements(inside);
    let mut kernels: Vec<_> = tiles.map(kernel).collect();
    kernels.extend(slabs::kernels(problem, slab(problem.dims())));
    Ok(KernelProgram {
        kernels,
        plan: schedule.plan.clone(),
        tunables: schedule.tunables.clone(),
        scratch: schedule.scratch.clone(),
        alike: false,
        least: schedule.least.clone().unwrap_or_default(),
    })
}

/// Planes of a chunk, of so many in all: the most of which there are enough for many cores, as the run time has it.
fn longest(values: &[i64], extent: i64) -> i64 {
    let chunk = |value: &i64| (*value).max((extent + CHUNKS - 1) / CHUNKS);
    let all: Vec<i64> = values.iter().map(chunk).collect();
    let enough = all.iter().find(|&&planes| extent / planes + 1 >= CHUNKS / 2);
    enough.or(all.last()).copied().unwrap_or(1)
}

/// What a block does.
pub fn counts(problem: &Problem, schedule: &Overlapped) -> Counts {
    let dims = problem.dims();
    let (Ok(flow), Ok(widths)) = (Flow::on_torus(problem), widths(&schedule.sizes, dims)) else {
        return Counts::default();
    };
    let program = &flow.problem.stencil;
    let (tile, extent) = (&schedule.tiles[0], nominal_extent(dims) as i64);
    let planes = match schedule.tunables.first() {
        Some(chunk) => longest(&chunk.values, extent),
        None => widths[0],
    };
    let strip: Vec<i64> = if dims == 1 { Vec::new() } else { widths.clone() };
    // Of a strip, all planes of a chunk: points, and rows.
    let points = |margin: &[(i64, i64)]| {
        let beyond = |d: usize| margin[d].0 + margin[d].1;
        let across = strip.iter().enumerate().map(|(i, w)| w + beyond(i + 1));
        let rows: i64 = across.clone().rev().skip(1).product();
        let points = (planes + beyond(0)) * across.product::<i64>();
        (points as u64, if dims == 1 { 1 } else { ((planes + beyond(0)) * rows) as u64 })
    };
    let size = |array: u16| program.arrays[usize::from(array)].elem.size();
    let own = points(&vec![(0, 0); dims]).0;
    let strips: i64 = strip.iter().map(|w| (extent + w - 1) / w).product();
    let mut out = Counts {
        launches: 1,
        tiles_per_block: strips as u64,
        blocks: ((extent + planes - 1) / planes) as u64,
        working_set: kernel::bytes(&flow, tile, &widths),
        barriers: 1,
        threads: 1,
        ..Counts::default()
    };
    for level in &tile.levels {
        let s = &program.statements[usize::from(level.statement)];
        let (instances, rows) = points(&level.margin);
        let accesses = s.reads.iter().chain(s.writes.iter().map(|w| &w.access));
        out.instances += instances;
        out.redundant += instances - own;
        out.rows += rows;
        out.operations += instances * s.body.values.len() as u64;
        out.touched += instances * accesses.map(|a| size(a.array)).sum::<u64>();
    }
    for version in tile.versions.iter().filter(|v| v.level.is_none()) {
        let (instances, rows) = points(&version.margin);
        out.bytes += instances * size(version.array);
        out.rows += rows;
    }
    // What is stored is fetched first.
    out.bytes += schedule.carried.iter().map(|c| 2 * own * size(c.array)).sum::<u64>();
    let only_read = tile.levels.iter().flat_map(|l| flow.streams(l)).map(|a| a.array);
    let only_read: BTreeSet<u16> = only_read.collect();
    out.bytes += only_read.into_iter().map(|a| own * size(a)).sum::<u64>();
    out.issued = out.instances;
    out
}
