//! What a block looks like: warps, the columns and rows of a thread, and how much of it a block owns.
//!
//! ```text
//! 1-D, 2-D: warps side by side, each with a strip           3-D: warps on top of each other, one tile
//!
//!   │◄──────── 32·V columns ───────►│                         ┌──────────────────┐
//!   │halo│◄─────── own ───────►│halo│                         │ R rows of warp 0 │
//!                         │halo│◄─────── own ───────►│halo│   ├──────────────────┤
//!                                                             │ R rows of warp 1 │
//! ```
//! Loads are aligned, and a strip owns as many columns as some vectors have. The halo on the left is rounded up to whole
//! vectors, so that stores are whole too; or (`s=1`) a strip begins where its halo ends, within a vector that it shares with the
//! strip before: then it owns more, and the first and the last lane store a part of theirs.

use super::fill::Fill;
use crate::kernel::build::{is_thin, thin};
use crate::kernel::ir::MOST_NEIGHBOURS;
use crate::schedule::overlapped::flow::{Flow, Hold};
use crate::schedule::overlapped::plan::gcd;
use crate::schedule::overlapped::short::Short;
use crate::schedule::overlapped::{Owned, Start, TimeTile, Width};
use crate::schedule::staging::aligned_offset;
use crate::stencil::{Statement, thin_at};
use crate::strategy::Inapplicable;
use hexpass_abi::{IntExpr, Poly};

/// Threads of a warp.
pub const WARP: i64 = 32;

/// Registers beyond the estimate that blocks inside need to be free of spills, and that code with two ways for border
/// blocks needs not to spill more than it gains.
pub const SPARE: i64 = 12;
const TIGHT: i64 = 24;
/// Planes by which the boxes of statements may lie within one another, mostly.
pub const APART: i64 = 2;
/// Pieces of a part at most: each looks at planes beyond its own.
const MOST_PIECES: i64 = 8;
/// The part of a thread's registers that the estimate may take where blocks go through planes in rounds.
const ROOM_FOR_ROUNDS: (i64, i64) = (4, 5);

/// Sizes that shape the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Time steps of a launch.
    pub steps: i64,
    /// Columns of a thread.
    pub vector: i64,
    /// Rows of a thread; 1 unless there are three dimensions.
    pub rows: i64,
    /// Warps of a block.
    pub warps: i64,
    /// Strips begin and end within vectors, where they own more that way.
    pub shares: bool,
}

/// A block of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    pub sizes: Sizes,
    pub dims: usize,
    /// What is loaded beyond the owned box, in each dimension, below and above.
    pub halo: Vec<(i64, i64)>,
    /// Columns that a warp owns.
    pub own: i64,
    /// Planes of the loop that are written out; every ring of registers has so many.
    pub unroll: i64,
    /// Planes that are loaded ahead; divides `unroll`.
    pub ahead: i64,
    /// Blocks inside load the planes of a time round the loop together, and prefetch those of the next.
    pub prefetches: bool,
    /// Planes on their way lie in shared memory, and in registers one plane before they are used only.
    pub fetches: bool,
    /// Levels that blocks inside leave out at their first planes.
    pub fill: Fill,
    /// Blocks near the border have code of its own for planes between those of the border.
    pub split: bool,
    /// Blocks whose rows and columns lie between the border's go through the planes between as blocks inside do.
    pub rounds: bool,
    /// All blocks of the first and the last layer take longer than others, and start first: without rounds they go the
    /// border's way all along, which is much longer for short bodies only.
    pub ends_first: bool,
    /// Warps wait for those beside them only: of long bodies, where it pays that one which is late doesn't hold up all.
    pub beside: bool,
    /// Blocks near the border own less ([`TimeTile::short`]): in two dimensions, where whole grids are at work at once, and
    /// the slowest block decides. In three, a block is a multiprocessor's only one.
    pub short: Option<Short>,
}

/// How blocks of so many dimensions hold planes.
pub fn hold(dims: usize) -> Hold {
    Hold { streamed: (dims > 1).then_some(0), exchanged: (dims > 2).then_some(1) }
}

impl Shape {
    /// The shape for a tile's margins; refused where a block would own nothing.
    pub fn of(sizes: Sizes, flow: &Flow<'_>, tile: &TimeTile) -> Result<Shape, Inapplicable> {
        let dims = flow.problem.dims();
        let mut halo = vec![(0, 0); dims];
        for version in &tile.versions {
            for (h, m) in halo.iter_mut().zip(&version.margin) {
                *h = (h.0.max(m.0), h.1.max(m.1));
            }
        }
        let v = sizes.vector;
        let (columns, x) = (WARP * v, &mut halo[dims - 1]);
        // Columns of arrays that are only read are other lanes' too.
        for level in &tile.levels {
            let (lo, hi) = level.margin[dims - 1];
            for access in flow.streams(level) {
                let d = aligned_offset(access, dims - 1).unwrap_or(0);
                *x = (x.0.max(lo - d), x.1.max(hi + d));
            }
        }
        let owned = |left: i64| (columns - left - x.1).div_euclid(v) * v;
        let whole = (x.0 + v - 1) / v * v;
        if !sizes.shares || owned(whole) >= owned(x.0) {
            x.0 = whole;
        }
        let own = owned(x.0);
        x.1 = columns - x.0 - own;
        if own < 1 {
            return Err(Inapplicable::new(format!(
                "a warp's {columns} columns don't hold the halo of {} steps",
                sizes.steps
            )));
        }
        if dims == 3 && sizes.warps * sizes.rows <= halo[1].0 + halo[1].1 {
            return Err(Inapplicable::new(format!(
                "a block's {} rows don't hold the halo of {} steps",
                sizes.warps * sizes.rows,
                sizes.steps
            )));
        }
        let kept = tile.versions.iter().map(|v| v.kept).max().unwrap_or(1);
        let unroll = match tile.streamed {
            None => 1,
            Some(_) => (kept.max(2)..).find(|u| u % 2 == 0 || u % 3 == 0).unwrap_or(kept),
        };
        // Planes of three dimensions take long enough.
        let ahead = if unroll % 3 == 0 && (dims < 3 || unroll % 2 != 0) { 3 } else { 2 };
        let (split, rounds) = (true, dims == 3);
        let (prefetches, fetches, ends_first) = (false, false, false);
        let fill = Fill::default();
        let shape = Shape {
            sizes,
            dims,
            halo,
            own,
            unroll,
            ahead,
            prefetches,
            fetches,
            fill,
            split,
            rounds,
            ends_first,
            beside: false,
            short: None,
        };
        Ok(shape)
    }

    /// The same with what takes fewer registers, where threads can't have as many. In pieces (`cut`), levels gain more by
    /// code of their own for planes between the border's than they lose by what border blocks then spill. Rounds keep more
    /// in registers than either of their loops; bodies that are long themselves (`long`) leave none for that.
    pub fn fitted(
        mut self,
        registers: impl Fn(&Shape) -> i64,
        most: i64,
        cut: bool,
        long: bool,
    ) -> Shape {
        let needed = registers(&self);
        self.split = cut || needed + TIGHT <= most;
        let is_short = self.rounds && !cut && !long;
        self.rounds = is_short && ROOM_FOR_ROUNDS.1 * needed <= ROOM_FOR_ROUNDS.0 * most;
        self.ends_first = is_short && !self.rounds;
        let paired = self.sizes.warps % 2 == 0 && self.sizes.warps <= i64::from(MOST_NEIGHBOURS);
        self.beside = self.dims == 3 && long && paired;
        if registers(&self) + SPARE > most && self.unroll == 3 {
            (self.unroll, self.ahead) = (4, 2);
        }
        if registers(&self) + SPARE > most {
            self.ahead = 1;
        }
        self
    }

    /// Planes that a block looks at before those that it owns, and after them: all that it loads, and those of levels that read
    /// memory themselves.
    pub fn looks_beyond(&self, flow: &Flow<'_>, tile: &TimeTile) -> (i64, i64) {
        let latest = tile.levels.iter().map(|l| l.delay).max().unwrap_or(0);
        let mut reads = flow.problem.stencil.statements.iter().flat_map(|s| &s.reads);
        let early = if reads.any(|a| flow.is_only_read(a.array)) { latest } else { 0 };
        (self.halo[0].0 + early, tile.latest() + self.unroll - 1 + self.ahead)
    }

    /// How blocks near the border own less, if they do: the first and the last part of the streamed dimension have as many
    /// planes as the others look at beyond their own, so that none of these meets the border there; parts of the outermost
    /// strips, which go through more levels than others, and test and choose besides, are in the more pieces.
    pub fn short_ends(&self, flow: &Flow<'_>, tile: &TimeTile) -> Option<Short> {
        if self.dims != 2 {
            return None;
        }
        let (before, after) = self.looks_beyond(flow, tile);
        let all = &flow.problem.stencil.statements;
        let levels =
            |lacks: fn(&Statement) -> bool| all.iter().filter(|s| !lacks(s)).count() as i64;
        let (inside, beside) = (levels(thin).max(1), levels(|s| is_thin(s, 0)));
        let pieces = (1 + (beside + inside / 2) / inside).clamp(2, MOST_PIECES);
        Some(Short { ends: before.max(after) + APART, pieces })
    }

    /// Planes on their way that a thread has in registers.
    pub fn held(&self) -> i64 {
        if self.fetches { 1 } else { self.ahead }
    }

    /// Where strips may begin, so that loads are aligned.
    pub fn strips(&self) -> Start {
        let v = self.sizes.vector;
        Start { align: v, before: (-self.halo[self.dims - 1].0).rem_euclid(v) }
    }

    /// Columns of a strip's first vector that the strip before owns; 0 where every vector is one strip's.
    pub fn shared_columns(&self) -> i64 {
        self.halo[self.dims - 1].0 % self.sizes.vector
    }

    /// Elements of one store of a thread that owns a part of its vector, where whole ones are stored in so many; 0 if there
    /// are no such threads.
    pub fn part_at_once(&self, count: i64) -> i64 {
        let shared = self.shared_columns();
        if shared == 0 { 0 } else { gcd(shared, count) }
    }

    /// Columns that a block owns.
    pub fn own_columns(&self) -> i64 {
        if self.dims == 3 { self.own } else { self.own * self.sizes.warps }
    }

    /// Rows that a block of three dimensions owns.
    pub fn own_rows(&self) -> i64 {
        self.sizes.warps * self.sizes.rows - self.halo[1].0 - self.halo[1].1
    }

    /// What a block owns in each dimension; chunks of the streamed one are tunable 0.
    pub fn owned(&self) -> Vec<Owned> {
        let fixed = |width, from| Owned { width: Width::Fixed(width), from };
        let columns = fixed(self.own_columns(), self.strips());
        let chunk = Owned { width: Width::Tunable(0), from: Start::ANY };
        match self.dims {
            1 => vec![columns],
            2 => vec![chunk, columns],
            _ => vec![chunk, fixed(self.own_rows(), Start::ANY), columns],
        }
    }
}

/// How many parts of the streamed dimension do not lie beside all rows and ends, where there are rows: the first, the last,
/// and each with a row that is not known to lie in these.
pub fn short_parts(flow: &Flow<'_>, short: Short) -> u8 {
    let statements = flow.problem.stencil.statements.iter();
    let (rows, others): (Vec<_>, Vec<_>) = statements.partition(|s| is_thin(s, 0));
    if rows.is_empty() {
        return 0;
    }
    let ends: Vec<&Poly> =
        others.iter().flat_map(|s| polynomials(&s.lo[0]).chain(polynomials(&s.hi[0]))).collect();
    let near = |a: &Poly, b: &Poly| {
        let apart = a.sub(b).ok().and_then(|d| d.as_constant());
        apart.is_some_and(|d| d.abs() <= short.ends)
    };
    let mut found: Vec<Poly> = Vec::new();
    for row in rows.iter().filter_map(|s| thin_at(&s.lo[0], &s.hi[0])) {
        if !ends.iter().any(|end| near(&row, end)) && !found.iter().any(|known| near(&row, known)) {
            found.push(row);
        }
    }
    u8::try_from(2 + found.len()).unwrap_or(u8::MAX)
}

/// What an expression chooses from.
fn polynomials(e: &IntExpr) -> Box<dyn Iterator<Item = &Poly> + '_> {
    match e {
        IntExpr::Poly(p) => Box::new(std::iter::once(p)),
        IntExpr::Max(a, b) | IntExpr::Min(a, b) => Box::new(polynomials(a).chain(polynomials(b))),
        IntExpr::Add(..) => Box::new(std::iter::empty()),
    }
}
