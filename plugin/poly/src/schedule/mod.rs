//! A tiling of a problem, in a form that says nothing of which strategy made it.
//!
//! There are two families. [`Phased`] tiles partition the instances: every one runs once, in place. [`Overlapped`] time
//! tiles compute near their borders what neighbours compute too, and go from one set of buffers to another.
//!
//! In a phased tiling a launch runs blocks that don't speak to each other. A block walks its classical tiles in sequence; in each, its
//! levels in sequence; at a level, the points of one statement in parallel. A barrier stands after every level.

use crate::kernel::ir::IExpr;
use hexpass_abi::PlanExpr;
use std::{cmp::Ordering, fmt};

pub mod judge;
pub mod overlapped;
pub mod staging;

pub use overlapped::Overlapped;
pub use staging::StagedArray;

/// Exact rational, denominator positive, lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ratio {
    pub num: i64,
    pub den: i64,
}

impl Ratio {
    /// `num / den` in lowest terms; `None` if `den` is zero or a part leaves `i64`.
    pub fn new(num: i64, den: i64) -> Option<Ratio> {
        let divisor = i64::try_from(gcd(num.unsigned_abs(), den.unsigned_abs())).ok()?;
        if den == 0 {
            return None;
        }
        let sign = den.signum();
        Some(Ratio {
            num: (num / divisor).checked_mul(sign)?,
            den: (den / divisor).checked_mul(sign)?,
        })
    }

    /// A whole number.
    pub const fn whole(num: i64) -> Ratio {
        Ratio { num, den: 1 }
    }

    /// ⌊self · x⌋
    pub fn floor_times(self, x: i64) -> i64 {
        (self.num * x).div_euclid(self.den)
    }

    /// ⌈self · x⌉
    pub fn ceil_times(self, x: i64) -> i64 {
        -(-self.num * x).div_euclid(self.den)
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, o: &Ratio) -> Option<Ordering> {
        Some(self.cmp(o))
    }
}

impl Ord for Ratio {
    fn cmp(&self, o: &Ratio) -> Ordering {
        (i128::from(self.num) * i128::from(o.den)).cmp(&(i128::from(o.num) * i128::from(self.den)))
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.den {
            1 => write!(f, "{}", self.num),
            den => write!(f, "{}/{den}", self.num),
        }
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}

/// Named tile sizes in the strategy's order: `h`, `w0`, `w1`, …
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileSizes(pub Vec<(String, i64)>);

impl TileSizes {
    /// Without any size.
    pub const NONE: &'static TileSizes = &TileSizes(Vec::new());

    /// The size of that name.
    pub fn get(&self, name: &str) -> Option<i64> {
        self.0.iter().find(|(n, _)| n == name).map(|&(_, v)| v)
    }
}

/// A tiling of one of the families.
#[derive(Clone, Debug, PartialEq)]
pub enum TiledSchedule {
    Phased(Phased),
    Overlapped(Overlapped),
}

impl TiledSchedule {
    /// The strategy that made it.
    pub fn strategy(&self) -> &'static str {
        match self {
            TiledSchedule::Phased(s) => s.strategy,
            TiledSchedule::Overlapped(s) => s.strategy,
        }
    }

    /// Sizes by name.
    pub fn sizes(&self) -> &TileSizes {
        match self {
            TiledSchedule::Phased(s) => &s.sizes,
            TiledSchedule::Overlapped(s) => &s.sizes,
        }
    }
}

/// Phases repeated over time tiles: for T from `first` to `last`, each phase once, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Phased {
    pub strategy: &'static str,
    pub sizes: TileSizes,
    /// Range of T, [`PlanExpr::Var`]`(0)` in the phases' expressions; both included.
    pub first: PlanExpr,
    pub last: PlanExpr,
    pub phases: Vec<Phase>,
    /// One for each space dimension after the first, outermost first.
    pub classical: Vec<Classical>,
    /// Same points as an isl union map, for the judge:
    /// `{ S<i>[t, s0, …] -> [T, phase, block, C1, …, level] }`; equal images are parallel.
    pub execution: String,
    /// How a block holds what it works on.
    pub storage: Storage,
    /// What each tile loads into shared memory before its first level; empty with [`Storage::Global`].
    pub staging: Vec<StagedArray>,
}

/// One launch for each T.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    /// Logical time u at level 0 (over `Var(0)` = T); a multiple of the number of statements.
    pub u: PlanExpr,
    /// First and last block (inclusive).
    pub first_block: PlanExpr,
    pub last_block: PlanExpr,
    /// s0 at local coordinate 0 of `first_block`.
    pub origin: PlanExpr,
    /// Distance in s0 from one block to the next.
    pub pitch: i64,
    /// Number of levels; level l runs statement `l mod k` at step `u/k + l/k`.
    pub levels: i64,
    /// Local s0 interval of a level (inclusive; empty if lo > hi), over `Var(`[`LEVEL`]`)`; constant for a constant
    /// level.
    pub row: (IExpr, IExpr),
    /// Smallest lo and largest hi over all levels.
    pub row_hull: (i64, i64),
}

/// The variable that stands for the level in [`Phase::row`].
pub const LEVEL: u16 = 0;

/// A classically tiled dimension: tile C holds, at level l, `s = C·width − ⌊skew·l⌋ + [0, width)`.
/// (hybrid-hexagonal-tiling-cgo14, section 3.4)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Classical {
    /// `None`: not tiled, one tile holds the whole dimension.
    pub width: Option<i64>,
    /// δ1 of the dimension.
    pub skew: Ratio,
}

/// Where a block's values live while it works; the paper's steps (a) to (d) are its settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// (a): every access goes to global memory.
    Global,
    /// Arrays that the nest writes are staged in shared memory for each tile.
    Shared {
        /// (c): results are stored to global memory as they are made; otherwise (b) after the last level.
        interleave: bool,
        /// (d): staging starts at columns that are multiples of a warp's 128 bytes.
        align: bool,
    },
}
