//! Which arrays a tile can hold in shared memory, and the boxes it loads for that.
//!
//! An array that the nest writes is staged when every access to it moves with the tile: subscript d is space
//! coordinate d plus a constant. Its box is the rectangular hull of all elements that the levels of a tile touch
//! (hybrid-hexagonal-tiling-cgo14, section 4.2), so a tile loads elements that it never reads: those must not be
//! written by a neighbour in the same launch, which [`clear_of_neighbours`] asks and the judge checks again.

use super::{Classical, Phase};
use crate::stencil::StencilProgram;
use hexpass_abi::Access;

/// A staged array's box, in subscripts relative to the tile's origin: the s0 of local coordinate 0 of the block, and
/// C·width in the classical dimensions. Each slot of the array has a box of its own in shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StagedArray {
    pub array: u16,
    /// Smallest and largest (inclusive) relative subscript of each dimension.
    pub lo: Vec<i64>,
    pub hi: Vec<i64>,
}

impl StagedArray {
    /// Number of elements in each dimension.
    pub fn extents(&self) -> Vec<i64> {
        self.lo.iter().zip(&self.hi).map(|(lo, hi)| hi - lo + 1).collect()
    }

    /// Number of elements of one slot.
    pub fn elements(&self) -> i64 {
        self.extents().iter().fold(1, |n, &extent| n.saturating_mul(extent))
    }
}

impl Phase {
    /// Local interval of a dimension at a level; `None` if the dimension is not tiled or the row not constant.
    pub fn extent(&self, classical: &[Classical], level: i64, dim: usize) -> Option<(i64, i64)> {
        if dim == 0 {
            return Some((self.row.0.at_level(level)?, self.row.1.at_level(level)?));
        }
        let c = classical.get(dim - 1)?;
        let start = -c.skew.floor_times(level);
        Some((start, start + c.width? - 1))
    }

    /// Hull of a dimension's local intervals over the levels of one statement of `k`; `None` if not tiled.
    pub fn statement_hull(
        &self,
        classical: &[Classical],
        k: usize,
        statement: usize,
        dim: usize,
    ) -> Option<(i64, i64)> {
        let mut hull = (i64::MAX, i64::MIN);
        for level in (statement as i64..self.levels).step_by(k.max(1)) {
            let (lo, hi) = self.extent(classical, level, dim)?;
            if lo <= hi {
                hull = (hull.0.min(lo), hull.1.max(hi));
            }
        }
        (hull.0 <= hull.1).then_some(hull)
    }
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

/// Arrays that the nest writes and whose every access moves with the tile.
pub fn stageable(program: &StencilProgram) -> Vec<u16> {
    (0..program.arrays.len() as u16)
        .filter(|&array| {
            let strides = &program.arrays[usize::from(array)].strides;
            strides.len() == program.dims
                && accesses(program, array).any(|(_, _, write)| write)
                && accesses(program, array)
                    .all(|(_, a, _)| (0..program.dims).all(|d| aligned_offset(a, d).is_some()))
        })
        .collect()
}

/// The boxes of all stageable arrays; `None` if a dimension is not tiled.
///
/// With `align`, the innermost classical dimension starts at multiples of 128 bytes from the tile's origin (step (d)).
pub fn boxes(
    program: &StencilProgram,
    phases: &[Phase],
    classical: &[Classical],
    align: bool,
) -> Option<Vec<StagedArray>> {
    let hulls = hulls(program, phases, classical)?;
    let mut out = Vec::new();
    for array in stageable(program) {
        let mut staged = StagedArray {
            array,
            lo: vec![i64::MAX; program.dims],
            hi: vec![i64::MIN; program.dims],
        };
        for (statement, access, _) in accesses(program, array) {
            for (d, &(lo, hi)) in hulls[statement].iter().enumerate() {
                let offset = aligned_offset(access, d)?;
                staged.lo[d] = staged.lo[d].min(lo + offset);
                staged.hi[d] = staged.hi[d].max(hi + offset);
            }
        }
        if align && program.dims > 1 {
            let unit = (128 / program.arrays[usize::from(array)].elem.size()) as i64;
            let last = &mut staged.lo[program.dims - 1];
            *last = last.div_euclid(unit) * unit;
        }
        out.push(staged);
    }
    Some(out)
}

/// For each statement and dimension, the local interval over all levels and phases.
fn hulls(
    program: &StencilProgram,
    phases: &[Phase],
    classical: &[Classical],
) -> Option<Vec<Vec<(i64, i64)>>> {
    let k = program.statements.len();
    let hull = |i: usize, d: usize| {
        let mut hull = (i64::MAX, i64::MIN);
        for phase in phases {
            let (lo, hi) = phase.statement_hull(classical, k, i, d)?;
            hull = (hull.0.min(lo), hull.1.max(hi));
        }
        Some(hull)
    };
    (0..k).map(|i| (0..program.dims).map(|d| hull(i, d)).collect()).collect()
}

/// True if no box of a block reaches what another block of the same launch writes.
pub fn clear_of_neighbours(
    program: &StencilProgram,
    phases: &[Phase],
    classical: &[Classical],
    staging: &[StagedArray],
) -> bool {
    let k = program.statements.len();
    staging.iter().all(|staged| {
        accesses(program, staged.array).filter(|&(_, _, write)| write).all(|(i, access, _)| {
            phases.iter().all(|phase| {
                let hull = phase.statement_hull(classical, k, i, 0);
                let (Some((lo, hi)), Some(c)) = (hull, aligned_offset(access, 0)) else {
                    return false;
                };
                lo + c + phase.pitch > staged.hi[0] && hi + c - phase.pitch < staged.lo[0]
            })
        })
    })
}
