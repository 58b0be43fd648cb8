//! Which arrays a tile can hold in shared memory, and the boxes it loads for that.
//!
//! An array that the nest writes is staged when every access to it moves with the tile: subscript d is space
//! coordinate d plus a constant. Its box is the rectangular hull of all elements that the levels of a tile touch
//! (hybrid-hexagonal-tiling-cgo14, section 4.2), so a tile loads elements that it never reads: those must not be
//! written by a neighbour in the same launch, which [`clear_of_neighbours`] asks and the judge checks again.
//!
//! Where a block walks tiles in sequence, most of a tile's box is in shared memory already (section 4.2.2): the tile before
//! has loaded it, and whatever it wrote it wrote there too. [`keep`] says how much, and where it lies.

use super::{Phase, Reuse};
use crate::stencil::StencilProgram;
use hexpass_abi::Access;

/// A staged array's box, in subscripts relative to the tile's origin: local coordinate 0 of the block where a dimension
/// is cut into blocks, C·width where it is tiled classically. Each slot of the array has a box of its own in shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StagedArray {
    pub array: u16,
    /// Smallest and largest (inclusive) relative subscript of each dimension.
    pub lo: Vec<i64>,
    pub hi: Vec<i64>,
    /// What a tile that follows another does not load.
    pub kept: Option<Kept>,
}

/// The part of a box that the block's tile before has in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The dimension of [`Phase::walk`].
    pub dim: usize,
    /// The box's first elements along it, so many, are kept; the others are loaded.
    pub count: i64,
    /// Coordinates along it go round in so many places, and an element stays in its own; `None`: a box starts at the
    /// buffer's first place, and what is kept moves there.
    pub round: Option<i64>,
}

impl StagedArray {
    /// Number of elements in each dimension.
    pub fn extents(&self) -> Vec<i64> {
        self.lo.iter().zip(&self.hi).map(|(lo, hi)| hi - lo + 1).collect()
    }

    /// Number of elements of one slot.
    pub fn elements(&self) -> i64 {
        product(self.extents())
    }

    /// Extents of the buffer that holds one slot.
    pub fn places(&self) -> Vec<i64> {
        let mut places = self.extents();
        if let Some(Kept { dim, round: Some(round), .. }) = self.kept {
            places[dim] = round;
        }
        places
    }

    /// Number of elements of one slot that a tile loads when it follows another, and of those that it moves.
    pub fn renewed(&self) -> (i64, i64) {
        let mut extents = self.extents();
        let Some(kept) = self.kept else { return (product(extents), 0) };
        let along = extents[kept.dim];
        extents[kept.dim] = along - kept.count;
        let loaded = product(extents.clone());
        extents[kept.dim] = if kept.round.is_some() { 0 } else { kept.count };
        (loaded, product(extents))
    }
}

fn product(extents: Vec<i64>) -> i64 {
    extents.iter().fold(1, |n, &extent| n.saturating_mul(extent))
}

/// The constant of dimension `dim`, if the access is `s_d + constant` there.
pub fn aligned_offset(access: &Access, dim: usize) -> Option<i64> {
    let s = access.subscripts.get(dim)?;
    if s.dim.map(usize::from) == Some(dim) { s.offset.as_constant() } else { None }
}

/// Every access of the program to `array`, with its statement, stores marked true.
pub fn accesses(
    program: &StencilProgram,
    array: u16,
) -> impl Iterator<Item = (usize, &Access, bool)> {
    program.statements.iter().enumerate().flat_map(move |(i, s)| {
        let reads = s.reads.iter().map(|a| (a, false));
        let writes = s.writes.iter().map(|w| (&w.access, true));
        reads.chain(writes).filter(move |(a, _)| a.array == array).map(move |(a, w)| (i, a, w))
    })
}

/// Arrays whose every access moves with the tile.
pub fn moving(program: &StencilProgram) -> Vec<u16> {
    (0..program.arrays.len() as u16)
        .filter(|&array| {
            let strides = &program.arrays[usize::from(array)].strides;
            strides.len() == program.dims
                && accesses(program, array)
                    .all(|(_, a, _)| (0..program.dims).all(|d| aligned_offset(a, d).is_some()))
        })
        .collect()
}

/// Those of them that the nest writes.
pub fn stageable(program: &StencilProgram) -> Vec<u16> {
    let written = |&array: &u16| accesses(program, array).any(|(_, _, write)| write);
    moving(program).into_iter().filter(written).collect()
}

/// The boxes of stageable arrays in a phase, without those that it doesn't touch; `None` if a dimension is not tiled.
///
/// With `align`, the innermost dimension starts at multiples of so many bytes from the tile's origin (step (d)).
pub fn boxes(
    program: &StencilProgram,
    arrays: &[u16],
    phase: &Phase,
    align: Option<u64>,
) -> Option<Vec<StagedArray>> {
    let mut out = Vec::new();
    let hulls = phase.hulls(program.statements.len());
    let hull = |statement: usize, d: usize| hulls[statement][d];
    for &array in arrays {
        let mut staged = StagedArray { array, lo: Vec::new(), hi: Vec::new(), kept: None };
        for d in 0..program.dims {
            phase.interval(d)?;
            let touched = accesses(program, array).filter_map(|(i, access, _)| {
                let ((lo, hi), offset) = (hull(i, d)?, aligned_offset(access, d)?);
                Some((lo + offset, hi + offset))
            });
            if let Some((lo, hi)) = touched.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))) {
                staged.lo.push(lo);
                staged.hi.push(hi);
            }
        }
        if staged.lo.len() < program.dims {
            continue;
        }
        if let Some(bytes) = align.filter(|_| program.dims > 1) {
            let unit = unit(program, array, bytes);
            let last = &mut staged.lo[program.dims - 1];
            *last = last.div_euclid(unit) * unit;
        }
        out.push(staged);
    }
    Some(out)
}

/// Elements of an array in so many bytes.
fn unit(program: &StencilProgram, array: u16, bytes: u64) -> i64 {
    (bytes / program.arrays[usize::from(array)].elem.size()).max(1) as i64
}

/// True if tiles follow each other along the innermost dimension at multiples of so many bytes of every array: then what
/// they load anew starts at one if their boxes end before one.
fn in_lines(program: &StencilProgram, phase: &Phase, bytes: u64) -> bool {
    let whole = |b: &StagedArray, by: i64| by % unit(program, b.array, bytes) == 0;
    phase.walk().is_some_and(|(dim, by)| {
        dim + 1 == program.dims && phase.staging.iter().all(|b| whole(b, by))
    })
}

/// How far to shift the tiles of a phase along its walk, so that the largest of its boxes ends before a multiple of so many
/// bytes.
pub fn shift(program: &StencilProgram, phase: &Phase, bytes: u64) -> i64 {
    if !in_lines(program, phase, bytes) {
        return 0;
    }
    let last = program.dims - 1;
    let over = |b: &StagedArray| (b.hi[last] + 1).rem_euclid(unit(program, b.array, bytes));
    let largest = phase.staging.iter().max_by_key(|b| b.elements());
    largest.map_or(0, |b| -over(b))
}

/// Says what each tile of a phase keeps of the one before: all that this one's box has. The boxes end before multiples of
/// so many bytes, where that helps; where coordinates go round, they do so in whole units of as many.
pub fn keep(program: &StencilProgram, phase: &mut Phase, reuse: Reuse, bytes: u64) {
    let Some((dim, by)) = phase.walk() else { return };
    let in_lines = in_lines(program, phase, bytes);
    for staged in &mut phase.staging {
        let unit = unit(program, staged.array, bytes);
        if in_lines {
            let end = staged.hi[dim] + unit;
            staged.hi[dim] = end.div_euclid(unit) * unit - 1;
        }
        let extent = staged.hi[dim] - staged.lo[dim] + 1;
        let whole = if dim + 1 == program.dims { unit } else { 1 };
        let round = (extent + whole - 1) / whole * whole;
        let round = (reuse == Reuse::Static).then_some(round);
        staged.kept = Some(Kept { dim, count: (extent - by).max(0), round });
    }
}

/// True if no box of a block reaches what another block of the same launch writes: their boxes and writes lie apart
/// along every dimension in which two blocks may differ.
pub fn clear_of_neighbours(program: &StencilProgram, phase: &Phase) -> bool {
    let k = program.statements.len();
    phase.staging.iter().all(|staged| {
        accesses(program, staged.array).filter(|&(_, _, write)| write).all(|(i, access, _)| {
            phase.rows().all(|(d, row)| {
                let (Some((lo, hi)), Some(c)) =
                    (phase.statement_hull(k, i, d), aligned_offset(access, d))
                else {
                    return !(i as i64..phase.levels).step_by(k).any(|l| phase.has_points(l));
                };
                lo + c + row.pitch > staged.hi[d] && hi + c - row.pitch < staged.lo[d]
            })
        })
    })
}
