//! One slot of an array on a device: where it lies in the program's memory, and how parts of it come home.

use super::{Entry, Place};
use crate::device::Device;
use crate::error::Refusal;
use crate::footprint::{Cuboid, MAX_DIMS, Region, difference};
use crate::guard::ArrayShape;
use crate::layout::Layout;
use crate::transfer::{Rows, Side};

pub(super) fn union(a: &Region, b: &[Cuboid]) -> Region {
    let mut all = a.clone();
    all.extend(b);
    difference(&all, &[])
}

pub(super) fn common(a: &[Cuboid], b: &[Cuboid]) -> Region {
    difference(a, &difference(a, b))
}

impl Place {
    pub(super) fn of(
        array: &hexpass_abi::Array,
        shape: &ArrayShape,
        slot: usize,
        (hull, layout, _): &(Option<Cuboid>, Layout, bool),
    ) -> Option<Place> {
        let (origin, strides) = (shape.slots[slot].origin, shape.strides.clone());
        hull.map(|hull| Place {
            origin,
            elem: array.elem.size(),
            strides,
            hull,
            layout: layout.clone(),
        })
    }

    /// Elements have several subscripts: rows of an array that is only read may reach into each other.
    pub(super) fn is_folded(&self) -> bool {
        self.hull.overlong_rows(&self.strides, self.elem).is_some()
    }

    /// Elements that so many bytes from an address on may belong to, as a box; `None` if there are none.
    pub(super) fn slab(&self, at: i128, bytes: i128) -> Option<Cuboid> {
        let mut part = self.hull;
        let (low, high) = self.span(&part);
        if !meet((at, at + bytes), (low, high)) {
            return None;
        }
        let mut base = i128::from(self.origin as i64);
        for d in 0..part.dims {
            let inner = |x: &[i64; MAX_DIMS]| -> i128 {
                let of = |d: usize| i128::from(x[d]) * i128::from(self.strides[d]);
                (d + 1..part.dims).map(of).sum()
            };
            // Row x of this dimension reaches from `first + x · stride` to before `behind + x · stride`.
            let stride = i128::from(self.strides[d]);
            let first = base + inner(&self.hull.lo);
            let behind = base + inner(&self.hull.hi) + i128::from(self.elem);
            let from = (at - behind).div_euclid(stride) + 1;
            let to = (at + bytes - 1 - first).div_euclid(stride);
            part.lo[d] = part.lo[d].max(i64::try_from(from).unwrap_or(i64::MIN));
            part.hi[d] = part.hi[d].min(i64::try_from(to).unwrap_or(i64::MAX));
            if part.hi[d] < part.lo[d] {
                return None;
            }
            if part.lo[d] < part.hi[d] {
                break;
            }
            base += i128::from(part.lo[d]) * stride;
        }
        Some(part)
    }

    /// Bytes of the program's memory from the first to behind the last element of the box.
    pub(super) fn span(&self, cuboid: &Cuboid) -> (i128, i128) {
        span(self.origin, &self.strides, self.elem, cuboid)
    }
}

pub(super) fn span(origin: u64, strides: &[i64], elem: u64, cuboid: &Cuboid) -> (i128, i128) {
    let (low, high) = cuboid.span(strides);
    (i128::from(origin as i64) + low, i128::from(origin as i64) + high + i128::from(elem))
}

pub(super) fn meet(a: (i128, i128), b: (i128, i128)) -> bool {
    a.0 < b.1 && b.0 < a.1
}

impl Entry {
    pub(super) fn origin(&self) -> u64 {
        self.buffer.address.wrapping_sub(self.place.layout.start as u64)
    }

    pub(super) fn rows(&self, cuboid: &Cuboid) -> Rows {
        let host = Side { origin: self.place.origin, strides: &self.place.strides };
        let device = Side { origin: self.origin(), strides: &self.place.layout.strides };
        Rows::of(cuboid, self.place.elem, host, device)
    }

    pub(super) fn is_open(&self) -> bool {
        self.saved.as_ref().is_some_and(|s| s.open)
    }

    /// Brings a part of what is newer home; the number of bytes.
    pub(super) fn bring_home(
        &mut self,
        part: &[Cuboid],
        device: &mut dyn Device,
    ) -> Result<u64, Refusal> {
        let mut total = 0;
        for cuboid in common(&self.newer, part) {
            let rows = self.rows(&cuboid);
            match &mut self.shadow {
                Some(shadow) => shadow.bring_home(&rows, device)?,
                None => device.download(&rows)?,
            }
            total += rows.total();
        }
        self.newer = difference(&self.newer, part);
        Ok(total)
    }

    pub(super) fn bring_all_home(&mut self, device: &mut dyn Device) -> Result<u64, Refusal> {
        let all = self.newer.clone();
        self.bring_home(&all, device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(bounds: &[(i64, i64)], strides: &[i64], elem: u64) -> Place {
        let hull = Cuboid::new(bounds).unwrap();
        let layout = Layout { strides: strides.to_vec(), start: 0, bytes: 0 };
        Place { origin: 1 << 20, elem, strides: strides.to_vec(), hull, layout }
    }

    /// Every element that has one of the bytes is in the box, and rows that have none are not.
    #[test]
    fn bytes_belong_to_rows() {
        let whole = [(1, 6), (2, 5), (0, 9)];
        let place = place(&whole, &[400, 88, 8], 8);
        for at in (0..3000).step_by(3) {
            for bytes in [1, 8, 40, 700] {
                let from = i128::from(place.origin) + at;
                let slab = place.slab(from, bytes);
                let mut touched: Option<Cuboid> = None;
                for x in 1..=6 {
                    for y in 2..=5 {
                        for z in 0..=9 {
                            let c = Cuboid::new(&[(x, x), (y, y), (z, z)]).unwrap();
                            if meet(place.span(&c), (from, from + bytes)) {
                                touched = Some(touched.map_or(c, |t| t.hull(&c)));
                            }
                        }
                    }
                }
                match (touched, slab) {
                    (Some(touched), Some(slab)) => {
                        assert!(slab.contains(&touched));
                        assert_eq!((slab.lo[0], slab.hi[0]), (touched.lo[0], touched.hi[0]));
                    }
                    (touched, slab) => assert!(touched.is_none(), "{at} {bytes} {slab:?}"),
                }
            }
        }
    }

    #[test]
    fn what_is_held_and_newer_follows_who_reads_and_writes() {
        let all: Region = vec![Cuboid::new(&[(0, 9)]).unwrap()];
        let some: Region = vec![Cuboid::new(&[(3, 5)]).unwrap()];
        assert_eq!(common(&all, &some), some);
        assert_eq!(union(&some, &all), all);
        assert_eq!(common(&difference(&all, &some), &some), Region::new());
    }
}
