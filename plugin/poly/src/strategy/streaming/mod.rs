//! Overlapped time tiling whose blocks stream along the outermost space dimension with all time levels in registers
//! (2.5-D blocking with overlapped time tiling; overlapped-tiling-ics12, data-placement-2.5d-blocking).
//!
//! Sizes: `b` time steps a launch, `v` columns a thread, `r` rows a thread (three dimensions), `w` warps a block, `s` whether
//! strips share vectors; the planes of a chunk are tunable. In one dimension nothing streams: a warp's strip takes all steps at once.
//!
//! Where a problem's sweeps go round, time tiles are of the program on its [torus](crate::torus); on the host that is so
//! always ([`host`]).

mod counts;
mod cut;
mod fill;
mod host;
mod kernel;
mod shape;
mod sizes;

use super::{Counts, Inapplicable, Strategy, admit_overlapping, out_of_place};
use crate::cost;
use crate::device::Device;
use crate::kernel::build::direct;
use crate::kernel::ir::KernelProgram;
use crate::problem::Problem;
use crate::rejection::{Reason, Rejection};
use crate::schedule::overlapped::flow::Flow;
use crate::schedule::overlapped::plan::{self, Launch, Launches, blocks_over};
use crate::schedule::overlapped::{Carried, Start, TimeTile};
use crate::schedule::{Overlapped, Storage, TileSizes, TiledSchedule};
use fill::Fill;
use hexpass_abi::cost::{Machine, SCHEDULERS};
use hexpass_abi::{PlanExpr, Reduces, Reduction, Tunable};
use kernel::order;
use shape::{Shape, Sizes};

/// The strategy.
#[derive(Debug)]
pub struct Streaming;

/// Instructions that a multiprocessor's caches hold: longer loops ran at two thirds of their speed (50 KiB, H200).
const MOST_CODE: u32 = 3200;
/// The same in double precision where roots and quotients, of many instructions each, have rare ways behind them: beyond, 8 to
/// 17 % slower than predicted.
const MOST_WITH_RARE_WAYS: u32 = 1200;
/// Blocks of a grid along y and z at most, two less: as many may stand at its ends for less than another one.
const MOST_BLOCKS: i64 = 65533;

impl Strategy for Streaming {
    fn name(&self) -> &'static str {
        "streaming"
    }

    /// On GPUs, threads keep what their owned points add up to.
    fn repeats(&self, problem: &Problem, device: &Device) -> bool {
        let adds = |r: &&Reduction| matches!(r.kind, Reduces::Sum | Reduces::Magnitudes);
        let mut sums = problem.stencil.reductions.iter().filter(adds);
        let apart = matches!(device, Device::Gpu(_)) && problem.torus.is_none();
        !apart || sums.any(|r| !problem.stencil.is_fold(r.array))
    }

    fn admit(&self, problem: &Problem) -> Result<(), Inapplicable> {
        admit_overlapping(Flow::on_torus(problem))
    }

    fn sizes(
        &self,
        problem: &Problem,
        device: &Device,
        given: &TileSizes,
    ) -> Result<Vec<TileSizes>, Inapplicable> {
        match device {
            Device::Host(_) => host::candidates(problem, given),
            Device::Gpu(_) => sizes::candidates(problem, given),
        }
    }

    /// Few, some and many steps a launch: small grids want little redundant work, large ones few bytes. Also strips of
    /// few columns and of many, and in three dimensions blocks of few rows and of many.
    fn variants(&self) -> usize {
        8
    }

    fn unlike(&self, a: &TileSizes, b: &TileSizes) -> bool {
        let of = |s: &TileSizes, name| s.get(name).unwrap_or(1);
        let (few, many) = (of(a, "b").min(of(b, "b")), of(a, "b").max(of(b, "b")));
        let is_other = |name| of(a, name) != of(b, name);
        let shares = |s: &TileSizes| s.get("s").unwrap_or(0);
        3 * many >= 4 * few && many > few
            || ["v", "r", "w"].into_iter().any(is_other)
            || shares(a) != shares(b)
    }

    fn counts(&self, problem: &Problem, schedule: &TiledSchedule, device: &Device) -> Counts {
        match (schedule, Flow::streamed(problem)) {
            (TiledSchedule::Overlapped(s), Ok(_)) if matches!(device, Device::Host(_)) => {
                host::counts(problem, s)
            }
            (TiledSchedule::Overlapped(s), Ok(flow)) => counts::counts(&flow, s),
            _ => Counts::default(),
        }
    }

    fn estimate(&self, problem: &Problem, schedule: &TiledSchedule, device: &Device) -> f64 {
        match (schedule, Flow::streamed(problem)) {
            (TiledSchedule::Overlapped(s), Ok(flow)) if matches!(device, Device::Gpu(_)) => {
                counts::estimate(&flow, s)
            }
            _ => cost::estimate(&self.counts(problem, schedule, device), device),
        }
    }

    fn schedule(
        &self,
        problem: &Problem,
        sizes: &TileSizes,
        device: &Device,
        _: Option<Storage>,
    ) -> Result<TiledSchedule, Inapplicable> {
        let Device::Gpu(gpu) = device else {
            return host::schedule(problem, sizes).map(TiledSchedule::Overlapped);
        };
        let flow = Flow::streamed(problem).map_err(Inapplicable::new)?;
        let checked = sizes::check(problem, sizes)?;
        if checked.warps * i64::from(gpu.warp) > i64::from(gpu.max_threads) {
            return Err(Inapplicable::new(format!(
                "w = {} warps don't fit a block",
                checked.warps
            )));
        }
        overlapped(problem, &flow, checked).map(TiledSchedule::Overlapped)
    }

    fn kernels(
        &self,
        problem: &Problem,
        schedule: &TiledSchedule,
        device: &Device,
    ) -> Result<KernelProgram, Rejection> {
        let schedule = out_of_place(schedule)?;
        if let Device::Host(_) = device {
            return host::kernels(problem, schedule);
        }
        let bug = |why: Inapplicable| Rejection::new(Reason::Bug, why.0);
        let flow = Flow::streamed(problem).map_err(|why| Rejection::new(Reason::Bug, why))?;
        let sizes = sizes::check(problem, &schedule.sizes).map_err(bug)?;
        let mut kernels = Vec::new();
        for tile in &schedule.tiles {
            let shape = shape_of(&flow, tile, sizes).map_err(bug)?;
            let cost = counts::cost(&flow, tile, &schedule.carried, &shape);
            let name = format!("streaming_{}", tile.steps);
            let kernel = kernel::kernel(name, &flow, &schedule.carried, tile, &shape, cost);
            kernels.push(match &problem.torus {
                Some(torus) => kernel.of_statements(|s| torus.pieces[usize::from(s)][0]),
                None => kernel,
            });
        }
        if !schedule.tiles.iter().any(|tile| tile.in_place) {
            kernels.extend(direct::kernels(problem, kernels.len() as u16)?.0);
        }
        Ok(KernelProgram {
            kernels,
            plan: schedule.plan.clone(),
            tunables: schedule.tunables.clone(),
            scratch: schedule.scratch.clone(),
            // Without borders nothing is read that the nest never writes.
            alike: !flow.has_no_border(),
            least: schedule.least.clone().unwrap_or_default(),
        })
    }
}

/// The shape of a time tile's blocks.
fn shape_of(flow: &Flow<'_>, tile: &TimeTile, sizes: Sizes) -> Result<Shape, Inapplicable> {
    let shape = Shape::of(sizes, flow, tile)?;
    let shape = Shape { fetches: counts::fetches(flow, tile, &shape), ..shape };
    let registers = |shape: &Shape| i64::from(counts::registers(flow, tile, shape));
    let is_cut = (0..tile.levels.len()).any(|level| cut::cut(flow, tile, level).is_some());
    let shape = shape.fitted(registers, most_registers(sizes), is_cut, counts::is_long(flow));
    let fetches = shape.fetches && shape.ahead > 1;
    let shape = Shape { fetches, fill: Fill::of(flow, tile, &shape), ..shape };
    let prefetches = counts::prefetches(flow, tile, &shape);
    Ok(Shape { prefetches, short: shape.short_ends(flow, tile), ..shape })
}

/// Registers that a thread of such blocks can have: each scheduler of a multiprocessor has its part of them. Threads get
/// them in eights; what is estimated is not as exact as that.
fn most_registers(sizes: Sizes) -> i64 {
    let machine = Machine::h200();
    let threads = shape::WARP as u64 * (sizes.warps as u64).div_ceil(SCHEDULERS);
    let each = u64::from(machine.registers) / SCHEDULERS / threads;
    each.min(u64::from(counts::MOST_REGISTERS)) as i64
}

/// Words that the steps of a root or a division in double precision hold at once, for each of a thread's points: the
/// assembler works on all of them together.
const WORDS_OF_A_ROOT: i64 = 6;

/// Estimates that are so little beyond what there is are taken: gradients in single precision, three steps of four rows, then spill
/// a few words near the border, and are the fastest of all.
const WITHIN: i64 = 2;

/// Registers beyond the estimate: long bodies, and values of two words, hold more that it does not know of.
fn spare(flow: &Flow<'_>, tile: &TimeTile, sizes: Sizes) -> i64 {
    let is_cut = (0..tile.levels.len()).any(|level| cut::cut(flow, tile, level).is_some());
    let (times, more) = match (counts::is_double(flow), counts::is_long(flow)) {
        (true, _) if is_cut => (4, 0),
        (true, true) => (2, WORDS_OF_A_ROOT * sizes.rows * sizes.vector),
        (false, false) => (1, 0),
        _ => (2, 0),
    };
    times * shape::SPARE + more
}

/// The time tile of so many steps, and the shape of its blocks.
fn tile(
    flow: &Flow<'_>,
    carried: &[Carried],
    sizes: Sizes,
) -> Result<(TimeTile, Shape), Inapplicable> {
    let dims = flow.problem.dims();
    flow.admit_steps(sizes.steps).map_err(Inapplicable::new)?;
    let mut tile = flow.tile(sizes.steps, shape::hold(dims), Vec::new(), carried);
    let shape = shape_of(flow, &tile, sizes)?;
    (tile.owned, tile.short) = (shape.owned(), shape.short);
    let registers = i64::from(counts::registers(flow, &tile, &shape)) + spare(flow, &tile, sizes);
    let most = most_registers(sizes);
    if registers > most + WITHIN {
        return Err(Inapplicable::new(format!(
            "a thread would need about {registers} registers, it has {most}"
        )));
    }
    let code = counts::cost(flow, &tile, carried, &shape).code;
    let has_rare_ways = counts::is_double(flow) && counts::is_long(flow);
    let most = if has_rare_ways { MOST_WITH_RARE_WAYS } else { MOST_CODE };
    if code > most {
        return Err(Inapplicable::new(format!(
            "the loop over planes would be about {code} instructions long, caches hold {most}"
        )));
    }
    Ok((tile, shape))
}

fn overlapped(
    problem: &Problem,
    flow: &Flow<'_>,
    sizes: Sizes,
) -> Result<Overlapped, Inapplicable> {
    let program = &problem.stencil;
    let dims = flow.problem.dims();
    let (carried, scratch) = carried(flow);
    let (long, shape) = tile(flow, &carried, sizes)?;
    if sizes.shares && shape.shared_columns() == 0 {
        return Err(Inapplicable::new(
            "strips that share vectors own no more than others: s must be 0",
        ));
    }
    let first = launch(&shape, 0);
    let mut tiles = vec![long];
    let mut shorter = None;
    if sizes.steps > 1 {
        let sizes = Sizes { steps: sizes.steps - 1, ..sizes };
        let (short, shape) = tile(flow, &carried, sizes)?;
        tiles.push(short);
        shorter = Some(launch(&shape, 1));
    }
    // What a step is reduced from is kept by all kernels in the same way, if that can be. With B = 2, the time tile of one step
    // is there already: before it the plan has an even number of those of two, after which all lies in its own slots.
    let alone = folds_always(flow, &carried);
    let mut in_place = None;
    if alone {
        let known = tiles.iter().position(|tile| tile.steps == 1);
        let (index, shape) = match known {
            Some(0) => (0, shape),
            _ => {
                let (one, shape) = tile(flow, &carried, Sizes { steps: 1, ..sizes })?;
                tiles.truncate(known.unwrap_or(tiles.len()));
                tiles.push(one);
                (tiles.len() - 1, shape)
            }
        };
        tiles[index].in_place = true;
        in_place = Some(launch(&shape, index as u16));
    }
    let next = tiles.len() as u16;
    let direct = program.statements.iter().zip(next..).filter(|_| !alone);
    let direct: Vec<Launch> =
        direct.map(|(s, kernel)| direct::launch(s, direct::shape(s), kernel)).collect();
    let (begin, again) = around(problem, &direct);
    let tile = first;
    let launches = Launches { steps: sizes.steps, tile, shorter, direct, begin, again, in_place };
    let slots: Vec<usize> = program.arrays.iter().map(|a| a.slots.len()).collect();
    let plan = plan::plan(&slots, &carried, finish(problem, flow, &carried), &launches);
    let least = room(problem, &tiles);
    let tunables = match dims {
        1 => Vec::new(),
        _ => vec![Tunable { name: "chunk".into(), values: sizes::chunks(dims) }],
    };
    Ok(Overlapped {
        strategy: "streaming",
        sizes: sizes::named(sizes, dims),
        tiles,
        carried,
        plan,
        tunables,
        scratch,
        least,
    })
}

/// What goes from launch to launch. Where steps are reduced, only a few run at a time: time tiles leave all there is then, if
/// that saves the single statements at the end.
fn carried(flow: &Flow<'_>) -> (Vec<Carried>, Vec<u16>) {
    let usual = flow.carried();
    if !folds(flow) || folds_always(flow, &usual.0) {
        return usual;
    }
    let whole = flow.carried_whole();
    if flow.finish(&whole.0) == 0 { whole } else { usual }
}

fn folds(flow: &Flow<'_>) -> bool {
    (0..flow.problem.stencil.arrays.len() as u16).any(|array| flow.is_fold(array))
}

/// True if what a step is reduced from is kept by threads, and time tiles of one step take the place of direct launches.
fn folds_always(flow: &Flow<'_>, carried: &[Carried]) -> bool {
    let program = &flow.problem.stencil;
    let versioned: Vec<u16> = flow.versioned().collect();
    folds(flow) && plan::is_in_place(program, carried, &versioned)
}

/// Of a torus the fewest points of each dimension, cells that are filled included, with which time tiles look round it once at
/// most.
fn room(problem: &Problem, tiles: &[TimeTile]) -> Option<Vec<i64>> {
    let torus = problem.torus.as_ref()?;
    let looks = |d: usize| {
        let margins = tiles.iter().flat_map(|t| &t.versions).map(|v| v.margin[d]);
        let looks = margins.map(|(lo, hi)| lo.max(hi)).chain([torus.least]).max().unwrap_or(0);
        let (below, above) = torus.beyond(&problem.stencil, d).unwrap_or((0, 0));
        looks + below + above
    };
    let all = 0..problem.dims();
    Some(all.map(|d| if torus.goes_round(d) { looks(d) } else { 0 }).collect())
}

/// Steps that direct launches take at the end.
fn finish(problem: &Problem, flow: &Flow<'_>, carried: &[Carried]) -> i64 {
    flow.finish(carried).max(problem.torus.as_ref().map_or(0, |torus| torus.finish()))
}

/// Steps that they take at the beginning, and which of them are made once more behind time tiles.
fn around(problem: &Problem, direct: &[Launch]) -> (i64, Vec<Launch>) {
    let Some(torus) = &problem.torus else { return (0, Vec::new()) };
    let (begin, again) = torus.around();
    (begin, again.iter().map(|&s| direct[usize::from(s)].clone()).collect())
}

/// Planes of a chunk: as many as wanted, or as the largest grid leaves.
fn chunk() -> PlanExpr {
    let needed = blocks_over(0, PlanExpr::Const(MOST_BLOCKS), Start::ANY);
    PlanExpr::Max(Box::new(PlanExpr::Tunable(0)), Box::new(needed))
}

/// Blocks and arguments of a kernel.
fn launch(shape: &Shape, kernel: u16) -> Launch {
    let dims = shape.dims;
    let fixed = PlanExpr::Const;
    let one = || fixed(1);
    let columns = blocks_over(dims as u8 - 1, fixed(shape.own_columns()), shape.strips());
    let parts = match shape.short {
        Some(short) => short.parts(0, &chunk()),
        None => blocks_over(0, chunk(), Start::ANY),
    };
    let blocks = match dims {
        1 => [columns.clone(), one(), one()],
        2 => [shape.short.map_or(columns.clone(), |s| s.blocks(&columns)), parts, one()],
        _ => [columns.clone(), blocks_over(1, fixed(shape.own_rows()), Start::ANY), parts],
    };
    let space = |d: u8| [PlanExpr::SpaceLo(d), PlanExpr::SpaceHi(d)];
    let mut args: Vec<PlanExpr> = (0..dims as u8).flat_map(space).collect();
    if dims == 3 {
        args.push(chunk());
        args.extend(order::arguments(blocks.clone()));
    } else if let Some(short) = shape.short {
        args.extend(short.planes(0, &chunk()));
        args.push(columns);
    }
    Launch { kernel, blocks, args }
}
