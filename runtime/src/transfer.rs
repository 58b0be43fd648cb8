//! What is copied between the program's memory and a device's, and where it lies there.
//!
//! Consumes a guarded [`crate::guard::Shape`]; produces a [`Placement`] and the copies. Exactly the elements that
//! the nest may need go in, exactly those that it writes come back: nothing else of the program's memory is read or
//! written, not even between rows.

use crate::device::Device;
use crate::error::Refusal;
use crate::footprint::{Cuboid, MAX_DIMS};
use crate::guard::ArrayShape;
use crate::plan::Job;

/// Buffers are congruent to the program's own addresses modulo this, so that both sides see the same alignment.
pub const ALIGNMENT: u64 = 256;

/// Device address of subscript zero of each slot of each array; 0 for a slot that is left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// `origins[array][slot]`
    pub origins: Vec<Vec<u64>>,
}

impl Placement {
    /// The program's own addresses where the device shares its memory, else fresh buffers with the same strides.
    ///
    /// A buffer spans the hull of all accesses to its array.
    pub fn of(job: &Job, device: &mut dyn Device) -> Result<Placement, Refusal> {
        let mut origins = Vec::with_capacity(job.shape.arrays.len());
        for (shape, array) in job.shape.arrays.iter().zip(&job.nest.record.arrays) {
            let mut of_array = Vec::with_capacity(shape.slots.len());
            for slot in &shape.slots {
                of_array.push(match &shape.hull {
                    _ if device.shares_memory() => slot.origin,
                    Some(hull) if slot.hull.is_some() => {
                        let (low, high) = hull.span(&shape.strides);
                        let first = slot.origin.wrapping_add(low as u64);
                        let pad = first % ALIGNMENT;
                        let buffer = device.alloc(pad + (high - low) as u64 + array.elem.size())?;
                        (buffer + pad).wrapping_sub(low as u64)
                    }
                    _ => 0,
                });
            }
            origins.push(of_array);
        }
        Ok(Placement { origins })
    }
}

/// Rows of bytes at the same distances on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Address of the first row in the program's memory.
    pub host: u64,
    /// Its address on the device.
    pub device: u64,
    /// Bytes of a row.
    pub bytes: u64,
    /// Number of rows and their distance in bytes, outermost dimension first; the first `levels` are in use.
    pub repeat: [(u64, u64); MAX_DIMS],
    /// See `repeat`.
    pub levels: usize,
}

impl Rows {
    /// The rows of a box, as few and as long as its strides allow.
    pub fn of(cuboid: &Cuboid, strides: &[i64], elem: u64, host: u64, device: u64) -> Rows {
        let low = cuboid.span(strides).0 as u64;
        let mut rows = Rows {
            host: host.wrapping_add(low),
            device: device.wrapping_add(low),
            bytes: elem,
            repeat: [(1, 0); MAX_DIMS],
            levels: 0,
        };
        let mut inner: Vec<(u64, u64)> = Vec::new();
        for d in (0..cuboid.dims).rev() {
            let (count, stride) = (cuboid.extent(d) as u64, strides[d] as u64);
            match inner.last_mut() {
                _ if count == 1 => {}
                None if stride == rows.bytes => rows.bytes *= count,
                Some((below, step)) if stride == *below * *step => *below *= count,
                _ => inner.push((count, stride)),
            }
        }
        rows.levels = inner.len();
        for (level, pair) in inner.into_iter().rev().enumerate() {
            rows.repeat[level] = pair;
        }
        rows
    }

    /// Number of rows.
    pub fn count(&self) -> u64 {
        self.repeat[..self.levels].iter().map(|r| r.0).product()
    }

    /// Bytes of all rows.
    pub fn total(&self) -> u64 {
        self.count() * self.bytes
    }

    /// Distance of a row from the first.
    pub fn offset(&self, row: u64) -> u64 {
        let mut rest = row;
        let mut offset = 0;
        for &(count, stride) in self.repeat[..self.levels].iter().rev() {
            offset += rest % count * stride;
            rest /= count;
        }
        offset
    }

    /// The innermost level as `(rows, distance)`, and the parts with only that level.
    pub fn planes(&self) -> (u64, u64, impl Iterator<Item = Rows> + '_) {
        let (count, stride) =
            self.levels.checked_sub(1).map_or((1, self.bytes), |l| self.repeat[l]);
        let planes = self.count() / count;
        let parts = (0..planes).map(move |p| {
            let offset = self.offset(p * count);
            let mut part = Rows { levels: 0, ..*self };
            (part.host, part.device) = (self.host + offset, self.device + offset);
            if self.levels > 0 {
                part.repeat[0] = (count, stride);
                part.levels = 1;
            }
            part
        });
        (count, stride, parts)
    }
}

/// Copies all inputs to the device; the number of bytes.
pub fn copy_in(job: &Job, device: &mut dyn Device, placement: &Placement) -> Result<u64, Refusal> {
    each(job, device, placement, |s| &s.inputs, |d, rows| d.upload(rows))
}

/// Copies all outputs back; the number of bytes.
pub fn copy_out(job: &Job, device: &mut dyn Device, placement: &Placement) -> Result<u64, Refusal> {
    each(job, device, placement, |s| &s.outputs, |d, rows| d.download(rows))
}

fn each(
    job: &Job,
    device: &mut dyn Device,
    placement: &Placement,
    region: impl Fn(&crate::guard::SlotShape) -> &[Cuboid],
    copy: impl Fn(&mut dyn Device, &Rows) -> Result<(), Refusal>,
) -> Result<u64, Refusal> {
    let mut total = 0;
    if device.shares_memory() {
        return Ok(0);
    }
    for (a, shape) in job.shape.arrays.iter().enumerate() {
        let elem = job.nest.record.arrays[a].elem.size();
        let ArrayShape { strides, slots, .. } = shape;
        for (slot, &origin) in slots.iter().zip(&placement.origins[a]) {
            for cuboid in region(slot) {
                let rows = Rows::of(cuboid, strides, elem, slot.origin, origin);
                total += rows.total();
                copy(device, &rows)?;
            }
        }
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(bounds: &[(i64, i64)], strides: &[i64]) -> Rows {
        Rows::of(&Cuboid::new(bounds).unwrap(), strides, 8, 4096, 8192)
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
        assert_eq!((r.bytes, r.count(), r.repeat[0], r.host), (64, 8, (8, 80), 4096 + 88));
        // Planes without gaps between their rows are one series of rows.
        let r = rows(&[(0, 4), (0, 9), (1, 8)], &[800, 80, 8]);
        assert_eq!((r.bytes, r.levels, r.repeat[0]), (64, 1, (50, 80)));
        let r = rows(&[(0, 4), (1, 8), (1, 8)], &[800, 80, 8]);
        assert_eq!((r.bytes, r.levels, r.total()), (64, 2, 5 * 8 * 64));
        assert_eq!(r.offset(9), 800 + 80);
        let (count, stride, planes) = r.planes();
        assert_eq!((count, stride), (8, 80));
        let firsts: Vec<u64> = planes.map(|p| p.host - r.host).collect();
        assert_eq!(firsts, [0, 800, 1600, 2400, 3200]);
    }

    #[test]
    fn single_elements_have_no_levels() {
        let r = rows(&[(3, 3), (4, 4)], &[80, 8]);
        assert_eq!((r.bytes, r.levels, r.total(), r.host), (8, 0, 8, 4096 + 240 + 32));
        let (_, _, planes) = r.planes();
        assert_eq!(planes.count(), 1);
    }

    #[test]
    fn a_column_is_a_row_per_element() {
        let r = rows(&[(2, 5), (4, 4)], &[80, 8]);
        assert_eq!((r.bytes, r.levels, r.repeat[0]), (8, 1, (4, 80)));
    }
}
