//! Strategies: ways to tile a [`Problem`]. Each is one folder here and one line in [`registry`].
//!
//! A strategy says whether it applies, proposes sizes and counts what a tile does; [`crate::cost`] judges all of them
//! with one formula and [`choose`](choose::choose) takes the best. Nobody else knows their names.

pub mod choose;
pub mod hexagonal;
mod nominal;
pub mod overlapped;
pub mod registry;
pub mod spatial25d;
pub mod streaming;

use crate::device::Device;
use crate::kernel::build::thin;
use crate::kernel::ir::KernelProgram;
use crate::problem::Problem;
use crate::rejection::{Reason, Rejection};
use crate::schedule::overlapped::flow::Flow;
use crate::schedule::{Overlapped, Phased, Storage, TileSizes, TiledSchedule};
use std::fmt::{self, Debug};

pub use choose::{Choice, Request, choose, shortlist};

/// Why a strategy can't take a problem or a size: a sentence that says which bound fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inapplicable(pub String);

impl Inapplicable {
    /// With that sentence.
    pub fn new(why: impl Into<String>) -> Inapplicable {
        Inapplicable(why.into())
    }
}

/// The phased schedule that a strategy made itself; a bug if it is of the other family.
pub fn phased(schedule: &TiledSchedule) -> Result<&Phased, Rejection> {
    match schedule {
        TiledSchedule::Phased(s) => Ok(s),
        TiledSchedule::Overlapped(s) => {
            Err(Rejection::new(Reason::Bug, format!("{} made no phased schedule", s.strategy)))
        }
    }
}

/// The overlapped schedule that a strategy made itself; a bug if it is of the other family.
pub fn out_of_place(schedule: &TiledSchedule) -> Result<&Overlapped, Rejection> {
    match schedule {
        TiledSchedule::Overlapped(s) => Ok(s),
        TiledSchedule::Phased(s) => {
            Err(Rejection::new(Reason::Bug, format!("{} made no overlapped schedule", s.strategy)))
        }
    }
}

/// Refuses more dimensions than any strategy tiles.
pub fn admit_dims(problem: &Problem) -> Result<(), Inapplicable> {
    match problem.dims() {
        1..=3 => Ok(()),
        dims => Err(Inapplicable::new(format!("{dims} space dimensions, 1 to 3 can be tiled"))),
    }
}

/// What strategies that take several steps out of place need.
pub fn admit_overlapping(flow: Result<Flow<'_>, String>) -> Result<(), Inapplicable> {
    let flow = flow.map_err(Inapplicable::new)?;
    admit_dims(flow.problem)?;
    if flow.problem.stencil.statements.iter().all(thin) {
        return Err(Inapplicable::new("all statements are boundary rows"));
    }
    match flow.live().is_empty() {
        true => Err(Inapplicable::new("no value goes from one time step to the next")),
        false => Ok(()),
    }
}

impl fmt::Display for Inapplicable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a full tile does, and how many tiles a launch has at the nominal extents ([`crate::cost::nominal_extent`]).
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Counts {
    /// Statement instances, redundant ones included.
    pub instances: u64,
    /// Instances that another tile computes too.
    pub redundant: u64,
    /// Bytes between global memory and the tile if it works in shared memory or cache.
    pub bytes: u64,
    /// Bytes that the tile stores and that a cache absorbs, because it stores there again.
    pub restored: u64,
    /// Bytes that all accesses of the tile touch, each counted: what moves without any reuse.
    pub touched: u64,
    /// Barriers in sequence.
    pub barriers: u64,
    /// Launches that run `blocks` blocks: 1.
    pub launches: u64,
    /// Shared memory of a block.
    pub shared_bytes: u64,
    /// Distinct bytes that a tile works on.
    pub working_set: u64,
    /// Iterations that the threads issue, idle lanes included.
    pub issued: u64,
    /// Innermost rows that are started.
    pub rows: u64,
    /// Threads of a block.
    pub threads: u64,
    /// Arithmetic operations of the tile.
    pub operations: u64,
    /// Tiles that one block works through.
    pub tiles_per_block: u64,
    /// Blocks of a launch.
    pub blocks: u64,
}

/// A way to tile.
pub trait Strategy: Debug + Sync {
    /// The word in reports and in `HEXPASS_STRATEGY`.
    fn name(&self) -> &'static str;

    /// Whether the problem has what the strategy needs.
    fn admit(&self, problem: &Problem) -> Result<(), Inapplicable>;

    /// Legal sizes to choose from; those that agree with `given`, which may name some of them.
    fn sizes(
        &self,
        problem: &Problem,
        device: &Device,
        given: &TileSizes,
    ) -> Result<Vec<TileSizes>, Inapplicable>;

    /// What a tile of a schedule does.
    fn counts(&self, problem: &Problem, schedule: &TiledSchedule, device: &Device) -> Counts;

    /// True if a launch may make more than one step.
    fn tiles_time(&self) -> bool {
        true
    }

    /// True if it lets the user say where a block keeps its values.
    fn places(&self) -> bool {
        false
    }

    /// How many variants of it an object should carry at most, for the runtime to choose from.
    fn variants(&self) -> usize {
        1
    }

    /// True if sizes differ so much that one may be best where the other is far from it.
    fn unlike(&self, _: &TileSizes, _: &TileSizes) -> bool {
        true
    }

    /// True if it executes instances more than once: what they add to would be too large.
    fn repeats(&self, _: &Problem, _: &Device) -> bool {
        false
    }

    /// Seconds for each statement instance on a nominal problem, to rank by; smaller is better.
    fn estimate(&self, problem: &Problem, schedule: &TiledSchedule, device: &Device) -> f64 {
        crate::cost::estimate(&self.counts(problem, schedule, device), device)
    }

    /// The tiling; `storage` if the user wants a certain one.
    fn schedule(
        &self,
        problem: &Problem,
        sizes: &TileSizes,
        device: &Device,
        storage: Option<Storage>,
    ) -> Result<TiledSchedule, Inapplicable>;

    /// The kernels of a schedule that this strategy made and the judge has passed, and their launch plan.
    fn kernels(
        &self,
        problem: &Problem,
        schedule: &TiledSchedule,
        device: &Device,
    ) -> Result<KernelProgram, Rejection>;
}
