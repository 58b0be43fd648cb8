//! What is copied between the program's memory and a device's, and where it lies there.
//!
//! Consumes a guarded [`crate::guard::Shape`]; produces a [`Placement`] and the copies. Exactly the elements that
//! the nest may need go in, exactly those that it writes come back: nothing else of the program's memory is read or
//! written, not even between rows.

use crate::borders;
use crate::device::Device;
use crate::error::Refusal;
use crate::footprint::{Cuboid, MAX_DIMS};
use crate::guard::SlotShape;
use crate::layout::Layout;
use crate::plan::Job;
use hexpass_abi::{KernelParam, Variant};

/// Device buffers start at multiples of this, at least; a multiple of [`hexpass_abi::ALIGNMENT`].
pub const BUFFER_ALIGNMENT: u64 = 256;

/// Where everything lies for the kernels of one execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// For each array of the record.
    pub arrays: Vec<Placed>,
}

/// One array of a [`Placement`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Byte strides.
    pub strides: Vec<i64>,
    /// Address of subscript zero of each slot, then of each scratch buffer; of slots that these steps don't reach, that of
    /// another.
    pub origins: Vec<u64>,
}

impl Placement {
    /// The program's own addresses where the device shares its memory, else fresh buffers, each as large as the hull
    /// of all accesses to its array; they serve any of `variants`.
    pub fn of(
        job: &Job,
        variants: &[&Variant],
        device: &mut dyn Device,
    ) -> Result<Placement, Refusal> {
        let aligned = variants.iter().any(|v| v.aligned);
        let mut arrays = Vec::with_capacity(job.shape.arrays.len());
        for (index, shape) in job.shape.arrays.iter().enumerate() {
            if device.shares_memory() {
                let origins = shape.slots.iter().map(|s| s.origin).collect();
                arrays.push(Placed { strides: shape.strides.clone(), origins });
                continue;
            }
            let array = &job.nest.record.arrays[index];
            let layout = Layout::of(array, shape, aligned)?;
            let turns = variants.iter().any(|v| has_buffers(v, index));
            let of_array =
                |v: &&Variant| v.scratch.iter().filter(|&&a| usize::from(a) == index).count();
            let scratch = variants.iter().map(of_array).max().unwrap_or(0);
            let wanted = shape.slots.iter().map(|s| turns || s.hull.is_some());
            let wanted: Vec<bool> = wanted.chain((0..scratch).map(|_| true)).collect();
            let mut origins = Vec::with_capacity(wanted.len());
            for wanted in wanted {
                origins.push(if wanted && shape.hull.is_some() {
                    device.alloc(layout.bytes)?.wrapping_sub(layout.start as u64)
                } else {
                    0
                });
            }
            // Staging may load what no instance looks at, in slots that these steps don't reach.
            let some = origins.iter().copied().find(|&o| o != 0).unwrap_or(0);
            origins.iter_mut().filter(|o| **o == 0).for_each(|o| *o = some);
            arrays.push(Placed { strides: layout.strides, origins });
        }
        Ok(Placement { arrays })
    }
}

/// True if kernels reach slots of the array by [`KernelParam::Buffer`]: any of them may then serve for another.
fn has_buffers(variant: &Variant, index: usize) -> bool {
    let of_array = |p: &KernelParam| matches!(p, KernelParam::Buffer { array, .. } if usize::from(*array) == index);
    variant.kernels.iter().any(|k| k.params.iter().any(of_array))
}

/// Rows of bytes that are copied between the program's memory and a device's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Address of the first row in the program's memory.
    pub host: u64,
    /// Its address on the device.
    pub device: u64,
    /// Bytes of a row.
    pub bytes: u64,
    /// How rows repeat, outermost dimension first; the first `levels` are in use.
    pub repeat: [Repeat; MAX_DIMS],
    /// See `repeat`.
    pub levels: usize,
    /// What lies on the device between the first and the last row may be overwritten with anything.
    pub loose: bool,
}

/// A number of rows, or of groups of rows, at equal distances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repeat {
    /// How many.
    pub count: u64,
    /// Bytes between them in the program's memory.
    pub host: u64,
    /// Bytes between them on the device.
    pub device: u64,
}

/// Where one side of a copy lies.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// Address of subscript zero.
    pub origin: u64,
    /// Byte strides.
    pub strides: &'a [i64],
}

impl Rows {
    /// The rows of a box, as few and as long as the strides of both sides allow.
    pub fn of(cuboid: &Cuboid, elem: u64, host: Side, device: Side) -> Rows {
        let first = |side: Side| side.origin.wrapping_add(cuboid.span(side.strides).0 as u64);
        let mut rows = Rows {
            host: first(host),
            device: first(device),
            bytes: elem,
            repeat: [Repeat::default(); MAX_DIMS],
            levels: 0,
            loose: false,
        };
        let mut inner: Vec<Repeat> = Vec::new();
        for d in (0..cuboid.dims).rev() {
            let (host, device) = (host.strides[d] as u64, device.strides[d] as u64);
            let next = Repeat { count: cuboid.extent(d) as u64, host, device };
            match inner.last_mut() {
                _ if next.count == 1 => {}
                None if host == rows.bytes && device == rows.bytes => rows.bytes *= next.count,
                Some(r) if host == r.count * r.host && device == r.count * r.device => {
                    r.count *= next.count;
                }
                _ => inner.push(next),
            }
        }
        rows.levels = inner.len();
        for (level, repeat) in inner.into_iter().rev().enumerate() {
            rows.repeat[level] = repeat;
        }
        rows
    }

    /// Number of rows.
    pub fn count(&self) -> u64 {
        self.repeat[..self.levels].iter().map(|r| r.count).product()
    }

    /// Bytes of all rows.
    pub fn total(&self) -> u64 {
        self.count() * self.bytes
    }

    /// Distances of a row from the first in the program's memory and on the device.
    pub fn offsets(&self, row: u64) -> (u64, u64) {
        let mut rest = row;
        let (mut host, mut device) = (0, 0);
        for r in self.repeat[..self.levels].iter().rev() {
            host += rest % r.count * r.host;
            device += rest % r.count * r.device;
            rest /= r.count;
        }
        (host, device)
    }

    /// Bytes on the device from the start of row `from` to the end of row `to`, which lies behind it.
    pub fn device_span(&self, from: u64, to: u64) -> u64 {
        self.offsets(to).1 - self.offsets(from).1 + self.bytes
    }

    /// The innermost level: so many rows at equal distances lie in each group.
    pub fn innermost(&self) -> Repeat {
        let alone = Repeat { count: 1, host: self.bytes, device: self.bytes };
        self.levels.checked_sub(1).map_or(alone, |l| self.repeat[l])
    }

    /// The groups of rows that have only the innermost level.
    pub fn planes(&self) -> impl Iterator<Item = Rows> + '_ {
        let innermost = self.innermost();
        (0..self.count() / innermost.count).map(move |p| {
            let (host, device) = self.offsets(p * innermost.count);
            let mut part = Rows { levels: self.levels.min(1), ..*self };
            (part.host, part.device) = (self.host + host, self.device + device);
            part.repeat[0] = innermost;
            part
        })
    }

    /// One of the rows.
    pub fn row(&self, row: u64) -> Rows {
        let (host, device) = self.offsets(row);
        Rows { host: self.host + host, device: self.device + device, levels: 0, ..*self }
    }
}

/// Copies all inputs to the device, and to every buffer what kernels of [`Variant::alike`] expect there; the number of
/// bytes.
pub fn copy_in(
    job: &Job,
    variants: &[&Variant],
    device: &mut dyn Device,
    placement: &Placement,
) -> Result<u64, Refusal> {
    let mut total = 0;
    for mut slot in slots(job, device, placement, |s| &s.inputs) {
        // The first copy into a buffer may spoil what lies between its rows: the others come after it.
        slot.sort_by_key(|rows| std::cmp::Reverse(rows.total()));
        for (i, rows) in slot.iter_mut().enumerate() {
            rows.loose = i == 0;
            total += rows.total();
            device.upload(rows)?;
        }
    }
    if variants.iter().any(|v| v.alike) {
        for rows in borders(job, device, placement) {
            total += rows.total();
            device.upload(&rows)?;
        }
    }
    Ok(total)
}

/// What buffers lack of elements that the nest never writes; none where the device shares the program's memory.
fn borders(job: &Job, device: &dyn Device, placement: &Placement) -> Vec<Rows> {
    let mut all = Vec::new();
    if device.shares_memory() {
        return all;
    }
    for (a, (shape, placed)) in job.shape.arrays.iter().zip(&placement.arrays).enumerate() {
        let elem = job.nest.record.arrays[a].elem.size();
        for (buffer, slot, cuboid) in borders::lacking(job.nest, a, shape, placed.origins.len()) {
            let origin = placed.origins[buffer];
            if origin != 0 {
                let host = Side { origin: shape.slots[slot].origin, strides: &shape.strides };
                let device = Side { origin, strides: &placed.strides };
                all.push(Rows::of(&cuboid, elem, host, device));
            }
        }
    }
    all
}

/// Copies all outputs back; the number of bytes.
pub fn copy_out(job: &Job, device: &mut dyn Device, placement: &Placement) -> Result<u64, Refusal> {
    let mut total = 0;
    for rows in slots(job, device, placement, |s| &s.outputs).into_iter().flatten() {
        total += rows.total();
        device.download(&rows)?;
    }
    Ok(total)
}

/// The rows of a region of each slot; none where the device shares the program's memory.
fn slots(
    job: &Job,
    device: &dyn Device,
    placement: &Placement,
    region: impl Fn(&SlotShape) -> &[Cuboid],
) -> Vec<Vec<Rows>> {
    let mut all = Vec::new();
    if device.shares_memory() {
        return all;
    }
    for (a, (shape, placed)) in job.shape.arrays.iter().zip(&placement.arrays).enumerate() {
        let elem = job.nest.record.arrays[a].elem.size();
        for (slot, &origin) in shape.slots.iter().zip(&placed.origins) {
            let host = Side { origin: slot.origin, strides: &shape.strides };
            let device = Side { origin, strides: &placed.strides };
            all.push(region(slot).iter().map(|c| Rows::of(c, elem, host, device)).collect());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows_between(bounds: &[(i64, i64)], host: &[i64], device: &[i64]) -> Rows {
        let host = Side { origin: 4096, strides: host };
        let device = Side { origin: 8192, strides: device };
        Rows::of(&Cuboid::new(bounds).unwrap(), 8, host, device)
    }

    fn rows(bounds: &[(i64, i64)], strides: &[i64]) -> Rows {
        rows_between(bounds, strides, strides)
    }

    fn repeat(count: u64, host: u64, device: u64) -> Repeat {
        Repeat { count, host, device }
    }

    #[test]
    fn full_rows_join() {
        let r = rows(&[(0, 9), (0, 9)], &[80, 8]);
        assert_eq!((r.bytes, r.levels, r.host), (800, 0, 4096));
        let r = rows(&[(1, 8), (0, 9), (0, 9)], &[800, 80, 8]);
        assert_eq!((r.bytes, r.levels, r.host, r.device), (6400, 0, 4896, 8992));
    }

    #[test]
    fn part_rows_keep_their_distance() {
        let r = rows(&[(1, 8), (1, 8)], &[80, 8]);
        assert_eq!((r.bytes, r.count(), r.repeat[0]), (64, 8, repeat(8, 80, 80)));
        assert_eq!(r.host, 4096 + 88);
        // Planes without gaps between their rows are one series of rows.
        let r = rows(&[(0, 4), (0, 9), (1, 8)], &[800, 80, 8]);
        assert_eq!((r.bytes, r.levels, r.repeat[0]), (64, 1, repeat(50, 80, 80)));
        let r = rows(&[(0, 4), (1, 8), (1, 8)], &[800, 80, 8]);
        assert_eq!((r.bytes, r.levels, r.total()), (64, 2, 5 * 8 * 64));
        assert_eq!(r.offsets(9), (800 + 80, 800 + 80));
        let firsts: Vec<u64> = r.planes().map(|p| p.host - r.host).collect();
        assert_eq!((r.innermost(), firsts), (repeat(8, 80, 80), vec![0, 800, 1600, 2400, 3200]));
    }

    #[test]
    fn padded_rows_have_distances_of_their_own() {
        let r = rows_between(&[(0, 4), (0, 9), (0, 9)], &[800, 80, 8], &[1280, 128, 8]);
        assert_eq!((r.bytes, r.levels, r.repeat[0]), (80, 1, repeat(50, 80, 128)));
        assert_eq!((r.offsets(11), r.device_span(1, 3)), ((880, 1408), 2 * 128 + 80));
        let r = rows_between(&[(0, 4), (1, 8), (0, 9)], &[800, 80, 8], &[1280, 128, 8]);
        assert_eq!(
            (r.levels, r.repeat[0], r.repeat[1]),
            (2, repeat(5, 800, 1280), repeat(8, 80, 128))
        );
        assert_eq!((r.row(9).host, r.row(9).device), (r.host + 880, r.device + 1280 + 128));
    }

    #[test]
    fn single_elements_have_no_levels() {
        let r = rows(&[(3, 3), (4, 4)], &[80, 8]);
        assert_eq!((r.bytes, r.levels, r.total(), r.host), (8, 0, 8, 4096 + 240 + 32));
        assert_eq!(r.planes().count(), 1);
    }

    #[test]
    fn a_column_is_a_row_per_element() {
        let r = rows(&[(2, 5), (4, 4)], &[80, 8]);
        assert_eq!((r.bytes, r.levels, r.repeat[0]), (8, 1, repeat(4, 80, 80)));
    }
}
