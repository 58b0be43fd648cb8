//! One time step a launch, one statement a kernel, for loops whose time can't be tiled, or needn't be
//! (data-placement-2.5d-blocking).
//!
//! Blocks are flat: threads along the inner dimensions, and each walks some planes of the outermost one (section II). What a
//! statement reads at several places lies, by the placement (section III),
//!
//! - 0: in global memory, where the caches are all the reuse there is;
//! - 1: in shared memory, all planes that are needed at once, in a ring;
//! - 2: in shared memory what has neighbours beside it, in registers what has neighbours on other planes;
//! - 3: in registers what has neighbours on other planes, the rest in global memory.
//!
//! Sizes: the placement `p`, threads `x` and `y`; the planes of a thread are tunable. On the host, blocks are slabs of `w`
//! planes, and there is no placement.
//!
//! This takes every problem: nothing is needed but that each statement's instances of one step are independent.

mod device;
mod host;
mod reuse;

use super::nominal::{Nominal, settings, thick};
use super::{Counts, Inapplicable, Strategy, admit_dims, out_of_place};
use crate::cost;
use crate::device::{Device, Gpu};
use crate::kernel::build::{direct, slabs};
use crate::kernel::ir::{Kernel, KernelProgram};
use crate::problem::Problem;
use crate::rejection::{Reason, Rejection};
use crate::schedule::overlapped::plan::{Launch, direct_plan};
use crate::schedule::{Overlapped, Storage, TileSizes, TiledSchedule};
use hexpass_abi::Tunable;
use reuse::Placement;

/// The strategy.
#[derive(Debug)]
pub struct Spatial25d;

/// What the sizes say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    pub placement: Placement,
    /// Threads along the innermost dimension, and the one around it of three.
    pub threads: [u32; 2],
}

/// Planes of a thread.
const CHUNKS: [i64; 4] = [32, 8, 128, 2];

impl Strategy for Spatial25d {
    fn name(&self) -> &'static str {
        "spatial25d"
    }

    fn tiles_time(&self) -> bool {
        false
    }

    fn admit(&self, problem: &Problem) -> Result<(), Inapplicable> {
        admit_dims(problem)?;
        match problem.stencil.statements.is_empty() {
            true => Err(Inapplicable::new("the nest has no statement")),
            false => Ok(()),
        }
    }

    /// The paper's heuristic (section IV): threads in whole warps along the innermost dimension, long and flat.
    fn sizes(
        &self,
        problem: &Problem,
        device: &Device,
        given: &TileSizes,
    ) -> Result<Vec<TileSizes>, Inapplicable> {
        let all = match device {
            Device::Host(_) => host::candidates(problem),
            Device::Gpu(_) => candidates(problem.dims()),
        };
        let names: Vec<String> = all[0].0.iter().map(|(n, _)| n.clone()).collect();
        if let Some((name, _)) = given.0.iter().find(|(n, _)| !names.contains(n)) {
            let known = names.join(", ");
            return Err(Inapplicable::new(format!(
                "there is no tile size {name}; the sizes here are {known}"
            )));
        }
        let mut out: Vec<TileSizes> = Vec::new();
        for TileSizes(sizes) in all {
            let fixed = |(n, v): (String, i64)| (n.clone(), given.get(&n).unwrap_or(v));
            let sizes = TileSizes(sizes.into_iter().map(fixed).collect());
            if !out.contains(&sizes) {
                out.push(sizes);
            }
        }
        Ok(out)
    }

    fn counts(&self, problem: &Problem, schedule: &TiledSchedule, device: &Device) -> Counts {
        let TiledSchedule::Overlapped(s) = schedule else { return Counts::default() };
        match device {
            Device::Host(host) => host::counts(problem, s, host),
            Device::Gpu(gpu) => match built(problem, &s.sizes, gpu) {
                Ok(all) => counts(problem, &all, s),
                Err(_) => Counts::default(),
            },
        }
    }

    fn estimate(&self, problem: &Problem, schedule: &TiledSchedule, device: &Device) -> f64 {
        let (Device::Gpu(gpu), TiledSchedule::Overlapped(s)) = (device, schedule) else {
            return cost::estimate(&self.counts(problem, schedule, device), device);
        };
        let Ok(all) = built(problem, &s.sizes, gpu) else { return f64::INFINITY };
        let dims = problem.dims();
        let points = cost::nominal_extent(dims).pow(dims as u32);
        let instances = points as f64 * thick(problem) as f64;
        let one = |tunables: Vec<i64>| {
            let nominal = Nominal { dims, tunables: &tunables };
            all.iter().map(|(kernel, launch)| nominal.seconds(kernel, &launch.blocks)).sum::<f64>()
        };
        settings(&s.tunables).into_iter().map(one).fold(f64::INFINITY, f64::min) / instances
    }

    fn schedule(
        &self,
        problem: &Problem,
        sizes: &TileSizes,
        device: &Device,
        _: Option<Storage>,
    ) -> Result<TiledSchedule, Inapplicable> {
        let (launches, tunables) = match device {
            Device::Host(_) => (slabs::launches(problem, host::width(sizes)?), Vec::new()),
            Device::Gpu(gpu) => {
                let all = built(problem, sizes, gpu)?;
                let chunks = Tunable { name: "chunk".into(), values: CHUNKS.to_vec() };
                let tunables = if problem.dims() > 1 { vec![chunks] } else { Vec::new() };
                (all.into_iter().map(|(_, launch)| launch).collect(), tunables)
            }
        };
        Ok(TiledSchedule::Overlapped(Overlapped {
            strategy: self.name(),
            sizes: sizes.clone(),
            tiles: Vec::new(),
            carried: Vec::new(),
            plan: direct_plan(&launches),
            tunables,
            scratch: Vec::new(),
            least: None,
        }))
    }

    fn kernels(
        &self,
        problem: &Problem,
        schedule: &TiledSchedule,
        device: &Device,
    ) -> Result<KernelProgram, Rejection> {
        let schedule = out_of_place(schedule)?;
        let bug = |why: Inapplicable| Rejection::new(Reason::Bug, why.0);
        let kernels = match device {
            Device::Host(_) => slabs::kernels(problem, host::width(&schedule.sizes).map_err(bug)?),
            Device::Gpu(gpu) => {
                let all = built(problem, &schedule.sizes, gpu).map_err(bug)?;
                all.into_iter().map(|(kernel, _)| kernel).collect()
            }
        };
        let (plan, tunables) = (schedule.plan.clone(), schedule.tunables.clone());
        Ok(KernelProgram { tunables, ..KernelProgram::new(kernels, plan) })
    }
}

fn candidates(dims: usize) -> Vec<TileSizes> {
    let named =
        |all: &[(&str, i64)]| TileSizes(all.iter().map(|&(n, v)| (n.to_owned(), v)).collect());
    let mut out = Vec::new();
    for p in [0, 3, 2, 1] {
        for x in [128, 64, 256] {
            match dims {
                1 if p == 0 => out.push(named(&[("p", 0), ("x", x)])),
                1 => (),
                2 => out.push(named(&[("p", p), ("x", x)])),
                _ => {
                    let flat = [1, 2, 4, 8].into_iter().filter(|y| (64..=512).contains(&(x * y)));
                    out.extend(flat.map(|y| named(&[("p", p), ("x", x), ("y", y)])));
                }
            }
        }
    }
    out
}

fn checked(problem: &Problem, sizes: &TileSizes, gpu: &Gpu) -> Result<Sizes, Inapplicable> {
    let p = sizes.get("p").unwrap_or(0);
    let placement = usize::try_from(p).ok().and_then(|p| Placement::ALL.get(p));
    let Some(&placement) = placement else {
        return Err(Inapplicable::new(format!("p = {p} must lie between 0 and 3")));
    };
    let threads = |name: &str, unit: i64| match sizes.get(name) {
        None => Ok(unit),
        Some(n) if n >= unit && n % unit == 0 && n <= i64::from(gpu.max_threads) => Ok(n),
        Some(n) => Err(Inapplicable::new(format!(
            "{name} = {n} must be a multiple of {unit} up to {}",
            gpu.max_threads
        ))),
    };
    let (x, y) = (threads("x", i64::from(gpu.warp))?, threads("y", 1)?);
    if x * y > i64::from(gpu.max_threads) {
        return Err(Inapplicable::new(format!("a block has {} threads at most", gpu.max_threads)));
    }
    if placement != Placement::Global && problem.dims() == 1 {
        return Err(Inapplicable::new("there are no planes to walk in one dimension: p must be 0"));
    }
    Ok(Sizes { placement, threads: [x as u32, y as u32] })
}

/// The kernel and the launch of each statement.
fn built(
    problem: &Problem,
    sizes: &TileSizes,
    gpu: &Gpu,
) -> Result<Vec<(Kernel, Launch)>, Inapplicable> {
    let sizes = checked(problem, sizes, gpu)?;
    let mut useful = sizes.placement == Placement::Global;
    let mut out = Vec::new();
    for (i, s) in problem.stencil.statements.iter().enumerate() {
        let name = format!("spatial_{i}");
        if problem.dims() == 1 || crate::kernel::build::thin(s) {
            let mut shape = direct::shape(s);
            if problem.dims() == 1 && shape.threads[0] > 1 {
                shape.threads[0] = sizes.threads[0];
            }
            let launch = direct::launch(s, shape, i as u16);
            out.push((direct::kernel(problem, i, shape, name), launch));
            continue;
        }
        let reuse = reuse::Reuse::of(&problem.stencil, s, sizes.placement)?;
        useful |= reuse.ring > 1;
        let kernel = device::kernel(problem, i, sizes, &reuse, name);
        if kernel.shared_bytes() > gpu.shared_bytes {
            return Err(Inapplicable::new(format!(
                "a block needs {} bytes of shared memory, it has {}",
                kernel.shared_bytes(),
                gpu.shared_bytes
            )));
        }
        out.push((kernel, device::launch(problem.dims(), sizes, i as u16)));
    }
    match useful {
        true => Ok(out),
        false => Err(Inapplicable::new("no statement reads neighbours that could be placed so")),
    }
}

/// What a block of the first statement that has planes does.
fn counts(problem: &Problem, all: &[(Kernel, Launch)], schedule: &Overlapped) -> Counts {
    let Some((kernel, launch)) = all.iter().max_by_key(|(k, _)| k.cost.turn.instances) else {
        return Counts::default();
    };
    let tunables: Vec<i64> =
        schedule.tunables.iter().filter_map(|t| t.values.first().copied()).collect();
    let nominal = Nominal { dims: problem.dims(), tunables: &tunables };
    let turns = kernel.cost.turns.as_ref().map_or(1, |_| tunables.first().copied().unwrap_or(1));
    let work = if kernel.cost.turns.is_some() { &kernel.cost.turn } else { &kernel.cost.start };
    let turns = turns.max(1) as u64;
    Counts {
        instances: work.instances * turns,
        bytes: work.bytes * turns,
        touched: work.cached * turns,
        barriers: work.barriers * turns,
        launches: 1,
        shared_bytes: kernel.shared_bytes(),
        issued: work.instances * turns,
        threads: kernel.threads.iter().map(|&t| u64::from(t)).product(),
        operations: work.instructions * 32 * turns,
        tiles_per_block: 1,
        blocks: nominal.blocks(&launch.blocks),
        ..Counts::default()
    }
}
