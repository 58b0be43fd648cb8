//! Overlapped tiling in shared memory (overlapped-tiling-ics12): a block loads the box that it owns with what its later
//! steps need around it, takes the steps one after the other, each level in a smaller box, and stores what it owns.
//!
//! For programs of several statements this is the paper's algorithm: the boxes follow backwards from what is stored
//! (`schedule::overlapped::flow`, section 4), every thread computes several elements of a level's box (sub-grids,
//! section 5), and each slot of an array has one buffer in shared memory, where its versions replace each other.
//!
//! Sizes: `b` time steps a launch, `w0`, `w1`, `w2` the owned widths.

mod kernel;

use super::nominal::{Nominal, thick};
use super::{Counts, Inapplicable, Strategy, admit_overlapping, out_of_place};
use crate::cost;
use crate::device::{Device, Gpu};
use crate::kernel::build::direct;
use crate::kernel::ir::{Kernel, KernelProgram};
use crate::problem::Problem;
use crate::rejection::{Reason, Rejection};
use crate::schedule::overlapped::flow::{Flow, Hold};
use crate::schedule::overlapped::plan::{self, Launch, Launches, blocks_over};
use crate::schedule::overlapped::{Owned, Start, TimeTile, Width};
use crate::schedule::{Overlapped as Tiling, Storage, TileSizes, TiledSchedule};
use hexpass_abi::PlanExpr;

/// The strategy.
#[derive(Debug)]
pub struct Overlapped;

/// Names of the owned widths, by space dimension.
const WIDTHS: [&str; 3] = ["w0", "w1", "w2"];
/// Largest number of steps and width.
const MOST_STEPS: i64 = 16;
const WIDEST: i64 = 1 << 12;
/// Columns of a block start at multiples of so many elements: a warp's 128 bytes.
const ALIGN: i64 = 32;

impl Strategy for Overlapped {
    fn name(&self) -> &'static str {
        "overlapped"
    }

    fn repeats(&self, _: &Problem, _: &Device) -> bool {
        true
    }

    fn admit(&self, problem: &Problem) -> Result<(), Inapplicable> {
        admit_overlapping(Flow::of(problem))
    }

    fn sizes(
        &self,
        problem: &Problem,
        device: &Device,
        given: &TileSizes,
    ) -> Result<Vec<TileSizes>, Inapplicable> {
        if let Device::Host(_) = device {
            return Err(Inapplicable::new("the host has no shared memory"));
        }
        let dims = problem.dims();
        let known = |n: &str| n == "b" || WIDTHS[..dims].contains(&n);
        if let Some((name, _)) = given.0.iter().find(|(n, _)| !known(n)) {
            return Err(Inapplicable::new(format!(
                "there is no tile size {name}; the sizes here are b, {}",
                WIDTHS[..dims].join(", ")
            )));
        }
        let mut all = vec![Vec::new()];
        for (name, values) in proposed(dims) {
            let values = given.get(name).map_or(values.to_vec(), |v| vec![v]);
            let longer = |known: &Vec<(String, i64)>| {
                let one = |&v: &i64| [known.as_slice(), &[(name.to_owned(), v)]].concat();
                values.iter().map(one).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(longer).collect();
        }
        Ok(all.into_iter().map(TileSizes).collect())
    }

    fn counts(&self, problem: &Problem, schedule: &TiledSchedule, _: &Device) -> Counts {
        let TiledSchedule::Overlapped(s) = schedule else { return Counts::default() };
        let Ok((kernel, blocks)) = longest(problem, s) else { return Counts::default() };
        let work = &kernel.cost.start;
        let nominal = Nominal { dims: problem.dims(), tunables: &[] };
        Counts {
            instances: work.instances,
            redundant: work.redundant,
            bytes: work.bytes,
            touched: work.words * 4,
            barriers: work.barriers,
            launches: 1,
            shared_bytes: kernel.shared_bytes(),
            issued: work.instances,
            threads: kernel.threads.iter().map(|&t| u64::from(t)).product(),
            operations: work.instructions * 32,
            tiles_per_block: 1,
            blocks: nominal.blocks(&blocks),
            ..Counts::default()
        }
    }

    fn estimate(&self, problem: &Problem, schedule: &TiledSchedule, _: &Device) -> f64 {
        let TiledSchedule::Overlapped(s) = schedule else { return f64::INFINITY };
        let Ok((kernel, blocks)) = longest(problem, s) else { return f64::INFINITY };
        let dims = problem.dims();
        let points = cost::nominal_extent(dims).pow(dims as u32) as f64;
        let instances = points * (s.tiles[0].steps * thick(problem)) as f64;
        Nominal { dims, tunables: &[] }.seconds(&kernel, &blocks) / instances
    }

    fn schedule(
        &self,
        problem: &Problem,
        sizes: &TileSizes,
        device: &Device,
        _: Option<Storage>,
    ) -> Result<TiledSchedule, Inapplicable> {
        let Device::Gpu(gpu) = device else {
            return Err(Inapplicable::new("the host has no shared memory"));
        };
        tiling(problem, sizes, gpu).map(TiledSchedule::Overlapped)
    }

    fn kernels(
        &self,
        problem: &Problem,
        schedule: &TiledSchedule,
        _: &Device,
    ) -> Result<KernelProgram, Rejection> {
        let schedule = out_of_place(schedule)?;
        let flow = Flow::of(problem).map_err(|why| Rejection::new(Reason::Bug, why))?;
        let mut kernels = Vec::new();
        for tile in &schedule.tiles {
            kernels.push(kernel::kernel(&flow, &schedule.carried, tile));
        }
        kernels.extend(direct::kernels(problem, kernels.len() as u16)?.0);
        let (plan, tunables) = (schedule.plan.clone(), schedule.tunables.clone());
        Ok(KernelProgram {
            kernels,
            plan,
            tunables,
            scratch: schedule.scratch.clone(),
            alike: false,
            least: Vec::new(),
        })
    }
}

/// Values worth counting.
fn proposed(dims: usize) -> Vec<(&'static str, &'static [i64])> {
    let steps: &[i64] = &[2, 3, 4, 6, 8];
    match dims {
        1 => vec![("b", steps), ("w0", &[512, 1024, 2048])],
        2 => vec![("b", steps), ("w0", &[16, 32, 48]), ("w1", &[32, 64])],
        _ => vec![("b", &[2, 3, 4]), ("w0", &[8, 16]), ("w1", &[8, 16]), ("w2", &[32])],
    }
}

fn size(sizes: &TileSizes, name: &str, most: i64) -> Result<i64, Inapplicable> {
    match sizes.get(name) {
        Some(v) if (1..=most).contains(&v) => Ok(v),
        Some(v) => Err(Inapplicable::new(format!("{name} = {v} must lie between 1 and {most}"))),
        None => Err(Inapplicable::new(format!("the size {name} is missing"))),
    }
}

fn tiling(problem: &Problem, sizes: &TileSizes, gpu: &Gpu) -> Result<Tiling, Inapplicable> {
    let dims = problem.dims();
    let flow = Flow::of(problem).map_err(Inapplicable::new)?;
    let steps = size(sizes, "b", MOST_STEPS)?;
    let mut owned = Vec::new();
    for (d, name) in WIDTHS.iter().enumerate().take(dims) {
        let from = Start::aligned(if d + 1 == dims { ALIGN } else { 1 });
        owned.push(Owned { width: Width::Fixed(size(sizes, name, WIDEST)?), from });
    }
    let (carried, scratch) = flow.carried();
    flow.admit_steps(steps).map_err(Inapplicable::new)?;
    let tile = |steps| flow.tile(steps, Hold::default(), owned.clone(), &carried);
    let mut tiles = vec![tile(steps)];
    if steps > 1 {
        tiles.push(tile(steps - 1));
    }
    let bytes = kernel::shared_bytes(&flow, &tiles[0]);
    if bytes > gpu.shared_bytes {
        return Err(Inapplicable::new(format!(
            "a tile needs {bytes} bytes of shared memory, a block has {}",
            gpu.shared_bytes
        )));
    }
    let statements = &problem.stencil.statements;
    let next = tiles.len() as u16..;
    let direct = statements.iter().zip(next);
    let launches = Launches {
        steps,
        tile: launch(&tiles[0], 0),
        shorter: tiles.get(1).map(|t| launch(t, 1)),
        direct: direct.map(|(s, kernel)| direct::launch(s, direct::shape(s), kernel)).collect(),
        begin: 0,
        again: Vec::new(),
        in_place: None,
    };
    let slots: Vec<usize> = problem.stencil.arrays.iter().map(|a| a.slots.len()).collect();
    let plan = plan::plan(&slots, &carried, flow.finish(&carried), &launches);
    Ok(Tiling {
        strategy: "overlapped",
        sizes: sizes.clone(),
        tiles,
        carried,
        plan,
        tunables: Vec::new(),
        scratch,
        least: None,
    })
}

/// Owned widths; all are fixed.
fn widths(tile: &TimeTile) -> Vec<i64> {
    let fixed = |o: &Owned| match o.width {
        Width::Fixed(w) => w,
        Width::Tunable(_) | Width::All => 1,
    };
    tile.owned.iter().map(fixed).collect()
}

/// Blocks of a time tile; its further arguments are the bounds of the space.
fn launch(tile: &TimeTile, kernel: u16) -> Launch {
    let dims = tile.owned.len();
    let mut blocks = [const { PlanExpr::Const(1) }; 3];
    let mut args = Vec::new();
    for (d, width) in widths(tile).into_iter().enumerate() {
        let (dim, from) = (d as u8, tile.owned[d].from);
        blocks[dims - 1 - d] = blocks_over(dim, PlanExpr::Const(width), from);
        args.extend([PlanExpr::SpaceLo(dim), PlanExpr::SpaceHi(dim)]);
    }
    Launch { kernel, blocks, args }
}

/// The kernel of the longest tile, and its grid.
fn longest(problem: &Problem, s: &Tiling) -> Result<(Kernel, [PlanExpr; 3]), Inapplicable> {
    let flow = Flow::of(problem).map_err(Inapplicable::new)?;
    let tile = s.tiles.first().ok_or_else(|| Inapplicable::new("there is no time tile"))?;
    Ok((kernel::kernel(&flow, &s.carried, tile), launch(tile, 0).blocks))
}
