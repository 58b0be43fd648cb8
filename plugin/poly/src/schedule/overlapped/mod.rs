//! Overlapped time tiles: a launch takes some time steps at once; a block computes, besides the box of the grid that it
//! owns, as much around it as its later levels need (overlapped-tiling-ics12). Along one dimension a block may stream:
//! it walks its planes in order with all levels alive, each level some planes behind the ones that it reads.
//!
//! Between launches values lie in global memory, and a launch reads from one set of buffers and stores to another: what
//! a block stores, no other block of the launch loads. A version is what one slot of an array holds after one of the
//! launch's writes to it; kernels hold versions in registers or shared memory, never in global memory.

pub mod flow;
pub mod plan;
pub mod short;

use super::TileSizes;
use crate::problem::Problem;
use hexpass_abi::{LaunchPlan, Tunable};
use short::Short;

/// An overlapped tiling.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlapped {
    pub strategy: &'static str,
    pub sizes: TileSizes,
    /// The kinds of launches, by number of steps, most first.
    pub tiles: Vec<TimeTile>,
    /// What goes from launch to launch, in buffers; everything else that the nest writes is overwritten before it is
    /// read.
    pub carried: Vec<Carried>,
    /// Steps that no time tile takes (the last ones, and all of a short run) are taken one statement at a time, each a
    /// launch of its own in the arrays' own slots.
    ///
    /// Its kernel i runs `tiles[i]`, kernel `tiles.len() + j` statement j. The grid's axes are the space dimensions from
    /// the innermost; the arguments of a launch begin with [`plan::TIME`] and [`plan::INDEX`].
    pub plan: LaunchPlan,
    /// As `Variant::tunables`.
    pub tunables: Vec<Tunable>,
    /// As `Variant::scratch`.
    pub scratch: Vec<u16>,
    /// Where time tiles are of the program on a torus ([`crate::torus::Torus`]), the fewest points that each dimension must
    /// have; as `Variant::least`. Direct launches are of the program itself.
    pub least: Option<Vec<i64>>,
}

impl Overlapped {
    /// The program that time tiles are of.
    pub fn tiled<'a>(&self, problem: &'a Problem) -> Option<&'a Problem> {
        match (&self.least, &problem.torus) {
            (None, _) => Some(problem),
            (Some(_), Some(torus)) => Some(&torus.problem),
            (Some(_), None) => None,
        }
    }
}

/// A slot of an array whose values before a launch's first step matter to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carried {
    pub array: u16,
    /// Slot, relative to the launch's first step.
    pub rotation: i32,
    /// Where it lies before an even and before an odd launch (counted from 0): [`hexpass_abi::KernelParam::Buffer`].
    /// After the launch, the same slot relative to the next one's first step lies in the other of the two.
    pub buffers: [u16; 2],
}

/// What one launch of a kind does.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeTile {
    /// Time steps.
    pub steps: i64,
    /// One for each space dimension.
    pub owned: Vec<Owned>,
    /// The streamed dimension, if there is one.
    pub streamed: Option<usize>,
    /// Blocks near the border take longer than others, and own less of the streamed dimension: a first and a last part of few
    /// points (blocks 0 and 1 of its axis, so that they start before the others), between which others of a width at most
    /// share the rest evenly (where some have a point more, these are the first). The first and the last strip of the
    /// innermost dimension have P blocks for each part, with equal pieces of it but the last, which may be smaller or empty:
    /// of S strips the first piece belongs to number 0 and S − 1, the other P − 1 to S and after, then to S + P − 1 and after
    /// (S and after only, if S is 1). Only with a streamed dimension, which is not the innermost.
    pub short: Option<Short>,
    /// Its one step goes from one of the arrays' own slots to the other, instead of from buffer to buffer by the launch's
    /// number, and so does what direct launches do ([`plan::is_in_place`]); the carried slots lie in their own before it.
    pub in_place: bool,
    /// In order; level l runs statement `l mod k` of step `l / k` of the launch.
    pub levels: Vec<Level>,
    /// All versions that levels read, carry on or leave.
    pub versions: Vec<Version>,
    /// For each of [`Overlapped::carried`] the version that is stored at the end.
    pub left: Vec<u16>,
}

/// The part of a dimension that a block owns: blocks lie side by side from the smallest coordinate of all statements,
/// rounded down to a place, so that nothing lies before the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owned {
    pub width: Width,
    pub from: Start,
}

/// Numbers that are `before` less than a multiple of `align`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    pub align: i64,
    /// From 0 to `align − 1`.
    pub before: i64,
}

impl Start {
    /// Every number.
    pub const ANY: Start = Start::aligned(1);

    /// Multiples of a number.
    pub const fn aligned(align: i64) -> Start {
        Start { align, before: 0 }
    }

    /// True if there are such numbers.
    pub fn exists(self) -> bool {
        self.align > 0 && (0..self.align).contains(&self.before)
    }

    /// The last place that is not above x.
    pub fn not_above(self, x: i64) -> i64 {
        (x + self.before).div_euclid(self.align) * self.align - self.before
    }
}

/// A number of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    Fixed(i64),
    /// [`Overlapped::tunables`]`[i]`, or more where the grid would have too many blocks: what the plan divides the
    /// dimension by.
    Tunable(u8),
    /// All of the dimension: the grid has no axis for it.
    All,
}

/// One statement of one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    pub statement: u16,
    /// How far its valid box goes beyond the owned one, below and above, in each dimension (0 or more).
    pub margin: Vec<(i64, i64)>,
    /// When a block is at plane z of the streamed dimension, this level computes plane `z − delay`; levels run in order
    /// at each z.
    pub delay: i64,
    /// The version that each read of the statement sees; `None` for arrays that the nest doesn't write, which are read
    /// where they are.
    pub reads: Vec<Option<u16>>,
    /// The version that each write makes, but those to records and folds.
    pub writes: Vec<u16>,
    /// The arrays of writes to records ([`StencilProgram::kept_steps`]): these are stored at once, of the points that the block
    /// owns.
    ///
    /// [`StencilProgram::kept_steps`]: crate::stencil::StencilProgram::kept_steps
    pub records: Vec<u16>,
    /// Those of writes of what the step is reduced from ([`StencilProgram::is_fold`]): points that the block owns change
    /// elements of the step's slot that are its own, whichever; no two steps of a launch have the same slot.
    ///
    /// [`StencilProgram::is_fold`]: crate::stencil::StencilProgram::is_fold
    pub folds: Vec<u16>,
}

impl Level {
    /// True if its statement writes nothing but records.
    pub fn records(&self) -> bool {
        self.writes.is_empty() && self.folds.is_empty()
    }

    /// True if points that the block owns leave more than versions.
    pub fn keeps(&self) -> bool {
        !self.records.is_empty() || !self.folds.is_empty()
    }
}

/// What a slot of an array holds between two writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    pub array: u16,
    /// Slot, relative to the launch's first step.
    pub rotation: i32,
    /// The level that makes it; `None`: it is there before the launch.
    pub level: Option<u16>,
    /// The version that it replaces, whose values stay outside the box of the level's statement.
    pub before: Option<u16>,
    /// How far the box of valid values goes beyond the owned one.
    pub margin: Vec<(i64, i64)>,
    /// Planes of the streamed dimension that are kept: when plane p is made, plane `p − kept + 1` is the oldest there.
    /// Without a streamed dimension 1.
    pub kept: i64,
}
