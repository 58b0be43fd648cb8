//! Consumes a [`Phased`]; produces a [`KernelProgram`]: kernels for one kind of device, and their launch plan.
//!
//! Refuses (`tile-size`) what does not fit the device, and as `bug` a schedule whose numbers make no sense.
//!
//! Phases of equal shape share a kernel: what differs between launches is passed to it ([`plan`]).

mod copies;
pub mod cost;
pub mod direct;
mod draft;
mod gpu;
mod host;
mod instance;
mod plan;
mod registers;
pub mod slabs;

use super::ir::{IExpr, Kernel, KernelProgram, LoopKind, Node, Place, Style};
use crate::device::{Device, Gpu};
use crate::problem::Problem;
use crate::rejection::{Reason, Rejection};
use crate::schedule::{Cut, LEVEL, Phase, Phased, StagedArray, Storage};
use crate::stencil::{Statement, thin_at};
use hexpass_abi::{KernelCost, KernelParam};
use std::ops::{Deref, DerefMut};

pub use draft::Draft;

impl KernelProgram {
    /// Kernels and plan of a phased schedule.
    pub fn build(
        problem: &Problem,
        schedule: &Phased,
        device: &Device,
    ) -> Result<KernelProgram, Rejection> {
        let mut kernels: Vec<Kernel> = Vec::new();
        let mut shapes: Vec<(&Phase, u16)> = Vec::new();
        // Where a split dimension has no dependences, one kind of trapezoid is empty.
        let is_empty = |phase: &&Phase| !(0..phase.levels).any(|l| phase.has_points(l));
        for phase in schedule.phases.iter().filter(|p| !is_empty(p)) {
            let same = shapes.iter().find(|(p, _)| same_shape(p, phase)).map(|&(_, index)| index);
            let index = match same {
                Some(index) => index,
                None => {
                    let name = format!("{}_{}", schedule.strategy, kernels.len());
                    kernels.push(kernel(name, problem, schedule, phase, device)?);
                    kernels.len() as u16 - 1
                }
            };
            shapes.push((phase, index));
        }
        let plan = plan::launch_plan(problem, schedule, &shapes);
        Ok(KernelProgram::new(kernels, plan))
    }
}

fn same_shape(a: &Phase, b: &Phase) -> bool {
    let cut = |c: &Cut| match c {
        Cut::Blocks(row) => (Some((row.pitch, row.interval.clone())), None),
        Cut::Tiles(classical) => (None, Some(*classical)),
    };
    a.levels == b.levels
        && a.staging == b.staging
        && a.cuts.iter().map(cut).eq(b.cuts.iter().map(cut))
}

fn kernel(
    name: String,
    problem: &Problem,
    schedule: &Phased,
    phase: &Phase,
    device: &Device,
) -> Result<Kernel, Rejection> {
    let k = problem.k();
    if k < 1 || phase.levels < k || phase.levels % k != 0 {
        return Err(bug(format!("{} levels for {k} statements", phase.levels)));
    }
    let mut ctx = Context::new(problem, schedule, phase);
    let (threads, shared, registers, body) = match device {
        Device::Gpu(_) if schedule.storage == Storage::Registers => {
            let (banks, body) = registers::body(&mut ctx)?;
            ([32, 1, 1], Vec::new(), banks, body)
        }
        Device::Gpu(gpu) => {
            let shared = copies::buffers(&ctx);
            (threads_of(phase, gpu), shared, Vec::new(), gpu::body(&mut ctx))
        }
        Device::Host(_) => ([1, 1, 1], Vec::new(), Vec::new(), host::body(&mut ctx)),
    };
    let (params, vars) = ctx.draft.finish();
    let style = if registers.is_empty() { Style::Block } else { Style::Thread };
    let cost = match device {
        Device::Gpu(gpu) => cost::cost(problem, schedule.storage, phase, gpu),
        Device::Host(_) => KernelCost::default(),
    };
    let kernel = Kernel {
        name,
        threads,
        style,
        shared,
        registers,
        params,
        pieces: Vec::new(),
        vars,
        body,
        general: false,
        round: Vec::new(),
        folds: None,
        cost,
    };
    match device {
        Device::Gpu(gpu) if kernel.shared_bytes() > gpu.shared_bytes => Err(Rejection::new(
            Reason::TileSize,
            format!(
                "a tile needs {} bytes of shared memory, a block has {}",
                kernel.shared_bytes(),
                gpu.shared_bytes
            ),
        )),
        _ => Ok(kernel),
    }
}

fn bug(detail: String) -> Rejection {
    Rejection::new(Reason::Bug, detail)
}

/// Threads of a block: x over the innermost dimension, in warps, then y and z over the next.
pub fn threads_of(phase: &Phase, gpu: &Gpu) -> [u32; 3] {
    let dims = phase.cuts.len();
    let most = |d: usize| match &phase.cuts[d] {
        Cut::Blocks(_) => phase.whole_hull(d).map_or(1, |(lo, hi)| hi - lo + 1),
        Cut::Tiles(classical) => classical.width.unwrap_or(128),
    };
    let total = u64::from(gpu.max_threads.min(256));
    let warp = u64::from(gpu.warp.max(1));
    let widest = if dims == 1 { total } else { 2 * warp };
    let x = (most(dims - 1).max(1) as u64).next_multiple_of(warp).clamp(warp, widest.max(warp));
    let y = if dims > 1 { fit(most(dims - 2), total / x) } else { 1 };
    let z = if dims > 2 { fit(most(dims - 3), total / (x * y)) } else { 1 };
    [x as u32, y as u32, z as u32]
}

/// The largest power of two up to `limit` that is at most the next power of two of `extent`.
fn fit(extent: i64, limit: u64) -> u64 {
    let limit = limit.max(1);
    let wanted = (extent.max(1) as u64).next_power_of_two();
    wanted.min(if limit.is_power_of_two() { limit } else { limit.next_power_of_two() / 2 })
}

/// What is shared while one kernel of a phased schedule is built.
pub(super) struct Context<'a> {
    draft: Draft<'a>,
    schedule: &'a Phased,
    phase: &'a Phase,
    /// The tile's number and the first one's along [`Phase::walk`], inside its loop.
    walk: Option<(IExpr, IExpr)>,
    /// By staged box: the place of its first element, where coordinates go round.
    rounds: Vec<Option<IExpr>>,
}

impl<'a> Deref for Context<'a> {
    type Target = Draft<'a>;

    fn deref(&self) -> &Draft<'a> {
        &self.draft
    }
}

impl<'a> DerefMut for Context<'a> {
    fn deref_mut(&mut self) -> &mut Draft<'a> {
        &mut self.draft
    }
}

impl<'a> Context<'a> {
    fn new(problem: &'a Problem, schedule: &'a Phased, phase: &'a Phase) -> Context<'a> {
        let rounds = vec![None; phase.staging.len()];
        Context { draft: Draft::new(&problem.stencil), schedule, phase, walk: None, rounds }
    }

    /// Statements of a time step.
    fn k(&self) -> i64 {
        self.program.statements.len() as i64
    }

    /// The levels of a statement that have points.
    fn levels_of(&self, statement: usize) -> impl Iterator<Item = i64> + use<'a> {
        let phase = self.phase;
        let k = self.k() as usize;
        (statement as i64..phase.levels).step_by(k).filter(|&l| phase.has_points(l))
    }

    /// Time steps of a tile.
    fn groups(&self) -> i64 {
        self.phase.levels / self.k()
    }

    /// Step of level 0.
    fn time(&mut self) -> IExpr {
        self.param(KernelParam::Launch(plan::TIME))
    }

    /// Local interval of a dimension at a level given as an expression; `None` if the dimension is whole.
    fn extent(&self, dim: usize, level: &IExpr) -> Option<(IExpr, IExpr)> {
        let (lo, hi) = self.phase.interval(dim)?;
        Some((lo.substitute(LEVEL, level), hi.substitute(LEVEL, level)))
    }

    /// Origins of the block's tiles in every dimension: around `tile`, loops over the classical ones.
    fn around_tiles(
        &mut self,
        mut origin: Vec<IExpr>,
        tile: &mut dyn FnMut(&mut Self, &[IExpr]) -> Vec<Node>,
    ) -> Vec<Node> {
        let dim = origin.len();
        let phase = self.phase;
        match phase.cuts.get(dim) {
            None => tile(self, &origin),
            Some(Cut::Blocks(row)) => {
                let start = self.var();
                let first = self.param(KernelParam::Launch(plan::start(dim)));
                let value = first.plus(IExpr::Block(phase.axis(dim)).times(row.pitch));
                origin.push(IExpr::Var(start));
                let mut nodes = vec![Node::Let { var: start, value }];
                nodes.extend(self.around_tiles(origin, tile));
                nodes
            }
            Some(Cut::Tiles(classical)) => {
                let Some(width) = classical.width else {
                    origin.push(IExpr::Const(0));
                    return self.around_tiles(origin, tile);
                };
                let (index, start) = (self.var(), self.var());
                let lo = self.param(KernelParam::Launch(plan::start(dim)));
                let hi = self.param(KernelParam::Launch(plan::start(dim) + 1));
                self.walk = Some((IExpr::Var(index), lo.clone()));
                origin.push(IExpr::Var(start));
                let value = IExpr::Var(index).times(width);
                let mut body = vec![Node::Let { var: start, value }];
                body.extend(self.around_tiles(origin, tile));
                let kind = LoopKind::Sequential;
                vec![Node::For { var: index, lo, hi, step: 1, kind, body }]
            }
        }
    }

    /// The place in a staged box's buffer of an element, by its subscripts relative to the tile's origin.
    fn in_box(&self, buffer: u16, slot: IExpr, relative: impl Iterator<Item = IExpr>) -> Place {
        let staged = &self.phase.staging[usize::from(buffer)];
        let mut subscripts = if self.slots(staged.array) > 1 { vec![slot] } else { Vec::new() };
        subscripts.extend(relative.enumerate().map(|(d, x)| {
            let x = x.plus(IExpr::Const(-staged.lo[d]));
            let kept = staged.kept.filter(|kept| kept.dim == d);
            match (kept.and_then(|kept| kept.round), &self.rounds[usize::from(buffer)]) {
                (Some(places), Some(first)) => first.clone().plus(x).modulo(places),
                _ => x,
            }
        }));
        Place::Shared { buffer, subscripts }
    }

    /// The staged box of an array, with its buffer.
    fn staged(&self, array: u16) -> Option<(u16, &'a StagedArray)> {
        let at = self.phase.staging.iter().position(|s| s.array == array)?;
        Some((at as u16, &self.phase.staging[at]))
    }
}

/// True if the statement is one element thick at most, by construction, in some dimension, such as a boundary row.
pub fn thin(statement: &Statement) -> bool {
    (0..statement.lo.len()).any(|d| is_thin(statement, d))
}

/// True if it is so in dimension `d`.
pub fn is_thin(statement: &Statement, d: usize) -> bool {
    thin_at(&statement.lo[d], &statement.hi[d]).is_some()
}
