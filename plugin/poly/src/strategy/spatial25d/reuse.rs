//! Where each read of a statement finds its value, given where values are placed.
//!
//! A column is what a thread reads above itself, on several planes at one place; a tile is what a block reads of one slot of
//! an array, with the neighbours beside it. Both hold planes in a ring while the block walks along the outermost dimension.

use crate::stencil::{Statement, StencilProgram};
use crate::strategy::Inapplicable;
use hexpass_abi::Access;

/// The four placements of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    Global,
    Shared,
    SharedAndRegister,
    Register,
}

impl Placement {
    /// By number.
    pub const ALL: [Placement; 4] =
        [Placement::Global, Placement::Shared, Placement::SharedAndRegister, Placement::Register];
}

/// Most planes that are held: beyond, the loop that is written out would outgrow the instruction cache.
const MOST_PLANES: i64 = 12;

/// What lies further away is no neighbour that a block could hold.
const FARTHEST: u64 = 64;

/// Where a read finds its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Global,
    Column(usize),
    Tile(usize),
}

/// What one array's slot is read at, several planes at one place beside the thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub array: u16,
    pub rotation: i32,
    /// Offsets in the dimensions after the first.
    pub beside: Vec<i64>,
    /// Smallest and largest offset in the first.
    pub planes: (i64, i64),
}

/// What one array's slot is read at, several places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile {
    pub array: u16,
    pub rotation: i32,
    /// Smallest and largest offset in each dimension after the first.
    pub beside: Vec<(i64, i64)>,
    pub planes: (i64, i64),
}

/// The reads of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reuse {
    /// One for each read.
    pub sources: Vec<Source>,
    pub columns: Vec<Column>,
    pub tiles: Vec<Tile>,
    /// Planes that each ring holds; the loop is written out so many times.
    pub ring: i64,
}

impl Reuse {
    pub fn of(
        program: &StencilProgram,
        s: &Statement,
        placement: Placement,
    ) -> Result<Reuse, Inapplicable> {
        let dims = program.dims;
        let sources = vec![Source::Global; s.reads.len()];
        let (columns, tiles) = (Vec::new(), Vec::new());
        let mut out = Reuse { sources, columns, tiles, ring: 1 };
        let reads: Vec<Option<Read>> = s.reads.iter().map(|a| Read::of(program, a)).collect();
        let registers = [Placement::SharedAndRegister, Placement::Register].contains(&placement);
        for (i, read) in reads.iter().enumerate() {
            let Some(read) = read.as_ref().filter(|_| registers && dims > 1) else { continue };
            let alone = placement == Placement::Register || read.beside().iter().all(|&c| c == 0);
            if alone && out.sources[i] == Source::Global {
                out.column(&reads, read);
            }
        }
        let shared = [Placement::SharedAndRegister, Placement::Shared].contains(&placement);
        for (i, read) in reads.iter().enumerate() {
            let Some(read) = read.as_ref().filter(|_| shared && dims > 1) else { continue };
            if out.sources[i] == Source::Global {
                out.tile(&reads, read);
            }
        }
        let span = |p: (i64, i64)| p.1 - p.0 + 1;
        // One plane more in shared memory: while some threads fill the next, others still read the oldest.
        let columns = out.columns.iter().map(|c| span(c.planes));
        let all = columns.chain(out.tiles.iter().map(|t| span(t.planes) + 1));
        out.ring = all.max().unwrap_or(1);
        match out.ring > MOST_PLANES {
            true => Err(Inapplicable::new(format!(
                "{} planes would have to be held at once, {MOST_PLANES} can be",
                out.ring
            ))),
            false => Ok(out),
        }
    }

    /// A column for all reads beside the thread where `read` is, if there are several.
    fn column(&mut self, reads: &[Option<Read>], read: &Read) {
        let same = |r: &&Read| r.slot() == read.slot() && r.beside() == read.beside();
        let planes: Vec<i64> = reads.iter().flatten().filter(same).map(|r| r.at[0]).collect();
        let Some(planes) = several(&planes) else { return };
        for (source, r) in self.sources.iter_mut().zip(reads) {
            if r.as_ref().is_some_and(|r| same(&r)) {
                *source = Source::Column(self.columns.len());
            }
        }
        let (array, rotation) = read.slot();
        self.columns.push(Column { array, rotation, beside: read.beside().to_vec(), planes });
    }

    /// A tile for all reads of the slot of `read` that have no column, if there are several.
    fn tile(&mut self, reads: &[Option<Read>], read: &Read) {
        let free = |(i, r): &(usize, &Option<Read>)| {
            self.sources[*i] == Source::Global
                && r.as_ref().is_some_and(|r| r.slot() == read.slot())
        };
        let free: Vec<usize> = reads.iter().enumerate().filter(free).map(|(i, _)| i).collect();
        let of: Vec<&Read> = free.iter().filter_map(|&i| reads[i].as_ref()).collect();
        if of.iter().all(|r| r.at == read.at) {
            return;
        }
        for i in free {
            self.sources[i] = Source::Tile(self.tiles.len());
        }
        let hull = |d: usize| {
            let all = of.iter().map(|r| (r.at[d], r.at[d]));
            all.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or((0, 0))
        };
        let (array, rotation) = read.slot();
        let beside = (1..read.at.len()).map(hull).collect();
        self.tiles.push(Tile { array, rotation, beside, planes: hull(0) });
    }
}

/// Smallest and largest, if they differ.
fn several(all: &[i64]) -> Option<(i64, i64)> {
    let (lo, hi) = (*all.iter().min()?, *all.iter().max()?);
    (lo < hi).then_some((lo, hi))
}

/// A read at constant offsets from the thread's point in all dimensions.
struct Read {
    array: u16,
    rotation: i32,
    at: Vec<i64>,
}

impl Read {
    fn of(program: &StencilProgram, a: &Access) -> Option<Read> {
        let slots = program.arrays[usize::from(a.array)].slots.len().max(1) as i32;
        let along = |(d, s): (usize, &hexpass_abi::Subscript)| {
            let here = s.dim.map(usize::from) == Some(d);
            s.offset.as_constant().filter(|c| here && c.unsigned_abs() <= FARTHEST)
        };
        let at: Vec<i64> = a.subscripts.iter().enumerate().map(along).collect::<Option<_>>()?;
        let rotation = a.rotation.rem_euclid(slots);
        (at.len() == program.dims).then_some(Read { array: a.array, rotation, at })
    }

    fn slot(&self) -> (u16, i32) {
        (self.array, self.rotation)
    }

    fn beside(&self) -> &[i64] {
        &self.at[1..]
    }
}
