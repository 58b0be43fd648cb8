//! How arrays lie in a device's memory.
//!
//! Consumes the shape of an array that has passed the guard; produces a [`Layout`]; refuses what device kernels can't
//! address. Rows are padded and aligned to [`hexpass_abi::ALIGNMENT`], so that kernels may load and store whole
//! vectors, unless that would blow up an array of short rows for a variant that does not need it.

use crate::error::{Reason, Refusal};
use crate::footprint::Cuboid;
use crate::guard::{ArrayShape, DEVICE_ELEMENT_LIMIT};
use hexpass_abi::{ALIGNMENT, Array};

/// Where the elements of a buffer lie, given where it starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Bytes between neighbours along each dimension; the last is the element's size.
    pub strides: Vec<i64>,
    /// Bytes from subscript zero to the start of the buffer, a multiple of [`ALIGNMENT`]; subscript zero itself may
    /// lie outside.
    pub start: i64,
    /// Size of the buffer.
    pub bytes: u64,
}

/// Padding may make an array this many times as large where nothing depends on it.
const MOST_PADDING: i128 = 2;
/// What padding may always cost, in bytes.
const FREE_PADDING: i128 = 1 << 16;

impl Layout {
    /// The layout of each slot of an array, and of scratch buffers like it; empty for an array that nothing touches.
    pub fn of(array: &Array, shape: &ArrayShape, aligned: bool) -> Result<Layout, Refusal> {
        let Some(hull) = &shape.hull else {
            return Ok(Layout { strides: shape.strides.clone(), start: 0, bytes: 0 });
        };
        let elem = i128::from(array.elem.size());
        let (padded, flat) = (Wide::padded(hull, elem), Wide::flat(hull, &shape.strides, elem));
        let pads = aligned || padded.bytes <= flat.bytes * MOST_PADDING + FREE_PADDING;
        let wide = if pads { padded } else { flat };
        wide.narrow(elem).ok_or_else(|| {
            let name = &array.name;
            let message = format!("array {name} has more elements than device kernels can address");
            Refusal::new(Reason::Range, message)
        })
    }
}

/// A layout before anyone knows whether it is small enough.
struct Wide {
    strides: Vec<i128>,
    start: i128,
    bytes: i128,
}

impl Wide {
    /// Rows in whole units, side by side.
    fn padded(hull: &Cuboid, elem: i128) -> Wide {
        let bounds: Vec<(i128, i128)> =
            hull.bounds().map(|(lo, hi)| (i128::from(lo), i128::from(hi))).collect();
        let mut strides = vec![elem; bounds.len()];
        let (mut start, mut bytes) = (0, elem);
        for (d, &(lo, hi)) in bounds.iter().enumerate().rev() {
            strides[d] = bytes;
            if d + 1 == bounds.len() {
                (start, bytes) = whole_units(lo * elem, (hi + 1) * elem);
            } else {
                start += lo * bytes;
                bytes *= hi - lo + 1;
            }
        }
        Wide { strides, start, bytes }
    }

    /// The program's own strides.
    fn flat(hull: &Cuboid, strides: &[i64], elem: i128) -> Wide {
        let (low, high) = hull.span(strides);
        let (start, bytes) = whole_units(low, high + elem);
        Wide { strides: strides.iter().map(|&s| i128::from(s)).collect(), start, bytes }
    }

    fn narrow(self, elem: i128) -> Option<Layout> {
        if self.bytes / elem >= DEVICE_ELEMENT_LIMIT {
            return None;
        }
        let strides = self.strides.into_iter().map(|s| i64::try_from(s).ok());
        Some(Layout {
            strides: strides.collect::<Option<_>>()?,
            start: i64::try_from(self.start).ok()?,
            bytes: u64::try_from(self.bytes).ok()?,
        })
    }
}

/// Start and length of the whole units around the bytes from `from` to `to`.
fn whole_units(from: i128, to: i128) -> (i128, i128) {
    let unit = i128::from(ALIGNMENT);
    let start = from.div_euclid(unit) * unit;
    (start, (to - start + unit - 1) / unit * unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexpass_abi::{ElemType, Poly};

    fn layout(
        bounds: &[(i64, i64)],
        strides: &[i64],
        elem: ElemType,
        aligned: bool,
    ) -> Result<Layout, Reason> {
        let array = Array {
            name: "a".into(),
            elem,
            slots: vec![],
            rotation: Poly::zero(),
            strides: vec![],
        };
        let shape = ArrayShape {
            strides: strides.to_vec(),
            hull: Cuboid::new(bounds),
            rotation: 0,
            slots: vec![],
            careful: false,
        };
        Layout::of(&array, &shape, aligned).map_err(|r| r.reason)
    }

    #[test]
    fn rows_hold_whole_units_around_their_subscripts() {
        use ElemType::{F32, F64};
        for (bounds, elem, strides, start, bytes) in [
            (&[(0, 31)][..], F32, &[4][..], 0, 128),
            (&[(-1, 31)], F32, &[4], -128, 256),
            (&[(5, 40)], F64, &[8], 0, 384),
            (&[(0, 9), (0, 99)], F32, &[512, 4], 0, 5120),
            (&[(2, 9), (-3, 99)], F32, &[640, 4], 2 * 640 - 128, 8 * 640),
            (&[(1, 3), (2, 4), (16, 31)], F64, &[384, 128, 8], 384 + 256 + 128, 3 * 384),
        ] {
            let host: Vec<i64> = (0..bounds.len()).map(|d| 1 << (14 - 7 * d)).collect();
            let found = layout(bounds, &host, elem, true).unwrap();
            let expected = Layout { strides: strides.to_vec(), start, bytes };
            assert_eq!(found, expected, "{bounds:?}");
        }
    }

    #[test]
    fn short_rows_stay_as_they_are_where_nothing_needs_them_padded() {
        let bounds = [(0, 99_999), (0, 2)];
        let flat = layout(&bounds, &[12, 4], ElemType::F32, false).unwrap();
        assert_eq!((flat.strides, flat.start, flat.bytes), (vec![12, 4], 0, 1_200_000));
        let padded = layout(&bounds, &[12, 4], ElemType::F32, true).unwrap();
        assert_eq!((padded.strides, padded.bytes), (vec![128, 4], 12_800_000));
    }

    #[test]
    fn what_kernels_can_not_address_is_refused() {
        let rows = |n: i64| layout(&[(0, n - 1), (0, 1023)], &[4096, 4], ElemType::F32, true);
        assert!(rows((1 << 21) - 1).is_ok());
        assert_eq!(rows(1 << 21), Err(Reason::Range));
    }
}
