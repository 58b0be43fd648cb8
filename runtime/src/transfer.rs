//! Where arrays lie for kernels, and rows of bytes between the program's memory and a device's.
//!
//! Consumes a guarded [`crate::guard::Shape`]; produces a [`Placement`] and [`Rows`]. What is copied, and when, is the
//! business of [`crate::resident`]: exactly the elements that the nest may need go in, exactly those that it writes come
//! back. Nothing else of the program's memory is read or written, not even between rows.

use crate::device::Device;
use crate::error::Refusal;
use crate::footprint::{Cuboid, MAX_DIMS};
use crate::plan::Job;
use crate::resident::Resident;
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
    /// Address of subscript zero of each slot, then of each scratch buffer; of slots that these steps don't reach, of an
    /// array that is only read, that of another.
    pub origins: Vec<u64>,
    /// Of each of these, the entry of the table that it is, if it is the program's array.
    pub entries: Vec<Option<usize>>,
}

impl Placement {
    /// The program's own addresses where the device shares its memory, else what the table says; they serve any of
    /// `variants`. And bytes that went home for that.
    pub fn of(
        job: &Job,
        variants: &[&Variant],
        device: &mut dyn Device,
        resident: &mut Resident,
    ) -> Result<(Placement, u64), Refusal> {
        if !device.shares_memory() {
            return resident.locate(job, variants, device);
        }
        let mut arrays = Vec::new();
        for (index, shape) in job.shape.arrays.iter().enumerate() {
            let mut origins: Vec<u64> = shape.slots.iter().map(|s| s.origin).collect();
            let scratch = variants.iter().map(|v| scratch_of(v, index)).max().unwrap_or(0);
            if let Some(hull) = shape.hull.filter(|_| scratch > 0) {
                // Laid out as the slots are.
                let (first, last) = hull.span(&shape.strides);
                let bytes = last - first + i128::from(job.nest.record.arrays[index].elem.size());
                let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
                for _ in 0..scratch {
                    origins.push(device.scratch(bytes)?.wrapping_sub(first as u64));
                }
            }
            let (strides, entries) = (shape.strides.clone(), Vec::new());
            arrays.push(Placed { strides, origins, entries });
        }
        Ok((Placement { arrays }, 0))
    }
}

/// True if kernels reach slots of the array by [`KernelParam::Buffer`]: any of them may then serve for another.
pub fn has_buffers(variant: &Variant, index: usize) -> bool {
    let of_array = |p: &KernelParam| matches!(p, KernelParam::Buffer { array, .. } if usize::from(*array) == index);
    variant.kernels.iter().any(|k| k.params.iter().any(of_array))
}

/// True if kernels know where the array lies.
pub fn names(variant: &Variant, index: usize) -> bool {
    let of_array = |p: &KernelParam| match p {
        KernelParam::Slot { array, .. } | KernelParam::Buffer { array, .. } => {
            usize::from(*array) == index
        }
        _ => false,
    };
    variant.kernels.iter().any(|k| k.params.iter().any(of_array))
}

/// Scratch buffers of a variant that are like this array's slots.
pub fn scratch_of(variant: &Variant, array: usize) -> usize {
    variant.scratch.iter().filter(|&&a| usize::from(a) == array).count()
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
