//! Phased tilings: every instance runs once, in place.
//!
//! A time tile is a sequence of phases, each a launch of blocks that don't speak to each other. A phase cuts every space
//! dimension in one of two ways: into rows of blocks side by side, which run in parallel, or into classical tiles, which
//! a block walks in sequence. A tile has levels; at a level, the points of one statement run in parallel. A barrier
//! stands after every level.

use super::{Ratio, StagedArray, TileSizes};
use crate::kernel::ir::IExpr;
use hexpass_abi::PlanExpr;

/// Phases repeated over time tiles: for T from `first` to `last`, each phase once, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Phased {
    pub strategy: &'static str,
    pub sizes: TileSizes,
    /// Range of T, [`PlanExpr::Var`]`(0)` in the phases' expressions; both included.
    pub first: PlanExpr,
    pub last: PlanExpr,
    pub phases: Vec<Phase>,
    /// Same points as an isl union map, for the judge: `{ S<i>[t, s0, …] -> [T, phase, X0, X1, …, level] }`, where X<d>
    /// is the block or the classical tile in dimension d; equal images are parallel.
    pub execution: String,
    /// How a block holds what it works on.
    pub storage: Storage,
}

/// One launch for each T.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    /// Logical time u at level 0 (over `Var(0)` = T); a multiple of the number of statements.
    pub u: PlanExpr,
    /// Number of levels; level l runs statement `l mod k` at step `u/k + l/k`.
    pub levels: i64,
    /// One for each space dimension, outermost first; the first is cut into blocks, and a dimension in the same way in
    /// every phase.
    pub cuts: Vec<Cut>,
    /// What each tile loads into shared memory or registers before its first level; empty with [`Storage::Global`].
    pub staging: Vec<StagedArray>,
}

/// How a phase cuts a space dimension.
#[derive(Clone, Debug, PartialEq)]
pub enum Cut {
    /// Blocks side by side.
    Blocks(Row),
    /// Tiles that a block walks in sequence.
    Tiles(Classical),
}

/// A row of blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// First and last block (inclusive).
    pub first: PlanExpr,
    pub last: PlanExpr,
    /// Coordinate at local coordinate 0 of block `first`.
    pub origin: PlanExpr,
    /// Distance from one block to the next.
    pub pitch: i64,
    /// Local interval of a level (inclusive; empty if lo > hi), over `Var(`[`LEVEL`]`)`; constant for a constant level.
    pub interval: (IExpr, IExpr),
}

/// The variable that stands for the level in [`Row::interval`].
pub const LEVEL: u16 = 0;

/// A classically tiled dimension: tile C holds, at level l, `s = C·width + shift − ⌊skew·l⌋ + [0, width)`.
/// (hybrid-hexagonal-tiling-cgo14, section 3.4; the shift is section 4.2.3's)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Classical {
    /// `None`: not tiled, one tile holds the whole dimension.
    pub width: Option<i64>,
    /// δ1 of the dimension.
    pub skew: Ratio,
    /// Moves all tiles, so that what they load starts where lines of memory do.
    pub shift: i64,
}

/// Where a block's values live while it works; the paper's steps (a) to (f) are the first settings.
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
        /// (e), (f): what the tile before has in shared memory is not loaded again.
        reuse: Option<Reuse>,
    },
    /// They are staged in the registers of one warp, which is the block: each lane holds a few columns of the innermost
    /// dimension and everything of the tile along the others. Nothing is shared but by shuffles; results are stored
    /// after the last level.
    Registers,
}

/// How a tile gets at what the tile before, of the same block, has in shared memory.
/// (hybrid-hexagonal-tiling-cgo14, section 4.2.2)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reuse {
    /// (e): an element has one place for all tiles; coordinates go round in the buffer.
    Static,
    /// (f): between two tiles, elements are moved to where the next one expects them.
    Dynamic,
}

impl Storage {
    /// The words for all of them.
    pub const NAMES: [(&'static str, Storage); 7] = [
        ("global", Storage::Global),
        ("shared", Storage::Shared { interleave: false, align: false, reuse: None }),
        ("interleaved", Storage::Shared { interleave: true, align: false, reuse: None }),
        ("aligned", Storage::Shared { interleave: true, align: true, reuse: None }),
        ("static", Storage::Shared { interleave: true, align: true, reuse: Some(Reuse::Static) }),
        ("dynamic", Storage::Shared { interleave: true, align: true, reuse: Some(Reuse::Dynamic) }),
        ("registers", Storage::Registers),
    ];

    /// The word for it, that of its last step.
    pub fn name(self) -> &'static str {
        match self {
            Storage::Global => "global",
            Storage::Registers => "registers",
            Storage::Shared { reuse: Some(Reuse::Static), .. } => "static",
            Storage::Shared { reuse: Some(Reuse::Dynamic), .. } => "dynamic",
            Storage::Shared { interleave: false, .. } => "shared",
            Storage::Shared { align: false, .. } => "interleaved",
            Storage::Shared { .. } => "aligned",
        }
    }

    /// What a word means.
    pub fn named(name: &str) -> Option<Storage> {
        Storage::NAMES.iter().find(|(n, _)| *n == name).map(|&(_, storage)| storage)
    }

    /// How tiles of a block reuse what others have loaded.
    pub fn reuse(self) -> Option<Reuse> {
        match self {
            Storage::Shared { reuse, .. } => reuse,
            Storage::Global | Storage::Registers => None,
        }
    }
}

impl Phase {
    /// The dimension along which a block's tiles follow each other, and how far the next one is; `None` where a block has
    /// one tile.
    pub fn walk(&self) -> Option<(usize, i64)> {
        self.cuts.iter().enumerate().rev().find_map(|(d, cut)| match cut {
            Cut::Tiles(classical) => Some((d, classical.width?)),
            Cut::Blocks(_) => None,
        })
    }

    /// Local interval of a dimension at a level given over [`LEVEL`]; `None` if the dimension is whole.
    pub fn interval(&self, dim: usize) -> Option<(IExpr, IExpr)> {
        match self.cuts.get(dim)? {
            Cut::Blocks(row) => Some(row.interval.clone()),
            Cut::Tiles(c) => {
                let width = c.width?;
                let skewed = IExpr::Var(LEVEL).times(c.skew.num).floor_div(c.skew.den);
                let start = IExpr::Const(c.shift).minus(skewed);
                Some((start.clone(), start.plus(IExpr::Const(width - 1))))
            }
        }
    }

    /// Local interval of a dimension at a level; `None` if the dimension is whole or the row not constant.
    pub fn extent(&self, level: i64, dim: usize) -> Option<(i64, i64)> {
        match self.cuts.get(dim)? {
            Cut::Blocks(row) => {
                Some((row.interval.0.at_level(level)?, row.interval.1.at_level(level)?))
            }
            Cut::Tiles(c) => {
                let start = c.shift - c.skew.floor_times(level);
                Some((start, start + c.width? - 1))
            }
        }
    }

    /// True if the tile has a point at a level.
    pub fn has_points(&self, level: i64) -> bool {
        let empty = |d| self.extent(level, d).is_some_and(|(lo, hi)| lo > hi);
        !(0..self.cuts.len()).any(empty)
    }

    /// Hull of a dimension's local intervals over the levels of one statement of `k` that have points; `None` if there
    /// is none, or the dimension is not tiled.
    pub fn statement_hull(&self, k: usize, statement: usize, dim: usize) -> Option<(i64, i64)> {
        let levels = (statement as i64..self.levels).step_by(k.max(1));
        self.hull(levels, dim)
    }

    /// The same of each of `k` statements, in each dimension.
    pub fn hulls(&self, k: usize) -> Vec<Vec<Option<(i64, i64)>>> {
        let dims = 0..self.cuts.len();
        let of = |statement| dims.clone().map(|d| self.statement_hull(k, statement, d)).collect();
        (0..k).map(of).collect()
    }

    /// The same over all levels.
    pub fn whole_hull(&self, dim: usize) -> Option<(i64, i64)> {
        self.hull(0..self.levels, dim)
    }

    fn hull(&self, levels: impl Iterator<Item = i64>, dim: usize) -> Option<(i64, i64)> {
        let mut hull = (i64::MAX, i64::MIN);
        for level in levels.filter(|&l| self.has_points(l)) {
            let (lo, hi) = self.extent(level, dim)?;
            hull = (hull.0.min(lo), hull.1.max(hi));
        }
        (hull.0 <= hull.1).then_some(hull)
    }

    /// The dimensions that are cut into blocks, outermost first.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = (usize, &Row)> {
        self.cuts.iter().enumerate().filter_map(|(d, cut)| match cut {
            Cut::Blocks(row) => Some((d, row)),
            Cut::Tiles(_) => None,
        })
    }

    /// Axis of the grid along which the blocks of a dimension lie: the innermost along the first.
    pub fn axis(&self, dim: usize) -> u8 {
        self.rows().filter(|&(d, _)| d > dim).count() as u8
    }
}
