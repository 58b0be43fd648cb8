//! Sums in the loop's order of what steps have left on a device.
//!
//! Consumes the arrays of terms of a reduction there; produces the sum of each slot. They are added up on the device
//! ([`crate::terms::device`]), or, where that goes badly, brought home.

use super::Resident;
use super::reduced::used;
use crate::device::Device;
use crate::device::tools::sums::{self, Sums};
use crate::error::Refusal;
use crate::footprint::Cuboid;
use crate::guard::ArrayShape;
use crate::options::Options;
use crate::plan::Job;
use crate::terms::device::Steps;
use crate::terms::{self, Form, Terms};
use crate::transfer::{Placed, Placement, Rows, Side};
use hexpass_abi::{ElemType, Reduces, Reduction};

impl Resident {
    /// The sums of a reduction's terms, in their order.
    pub(super) fn add_up(
        &mut self,
        job: &Job,
        (at, initial): (usize, u64),
        device: &mut dyn Device,
        placement: &Placement,
    ) -> Result<u64, Refusal> {
        let all = &job.nest.record.reductions;
        let factors = all.get(at + 1).filter(|r| r.kind == Reduces::Factors);
        let terms = Ordered::of(job, &all[at], placement);
        let Some(hull) = terms.shape.hull else {
            self.sums[at] = vec![initial; terms.shape.slots.len()];
            return Ok(0);
        };
        let factors = factors.map(|r| Ordered::of(job, r, placement));
        let steps = Steps {
            sums: Sums { elem: terms.elem, fused: factors.is_some() },
            terms: sums::Terms {
                at: terms.place(&hull),
                factors: factors.map_or([0; 2], |f| f.place(&hull)),
                stride: terms.stride(&hull),
                len: hull.dims.checked_sub(1).map_or(1, |last| hull.extent(last) as u64),
                total: hull.volume() as u64,
            },
            arrays: used(&terms.shape.slots) as u64,
        };
        let hard = &job.nest.hard_sums[at];
        let mut bytes = 0;
        let owner = (job, usize::from(all[at].array), usize::MAX - 1 - at);
        // Steps have been made: where there is no room for this, terms come home.
        let room = match hard.holds() {
            false => self.own_buffer(owner, steps.room(), &[], device).ok(),
            true => None,
        };
        if let Some(room) = room {
            let (found, home) = steps.add_up(device, initial, room)?;
            hard.after(found.is_some());
            bytes += home;
            if let Some(sums) = found {
                self.sums[at] = sums;
                return Ok(bytes);
            }
        }
        let (here, by) = (terms.all(device)?, factors.map(|f| f.all(device)).transpose()?);
        let words = (here.len() / steps.arrays.max(1) as usize).max(1);
        let mut factors = by.iter().flat_map(|by| by.chunks(words));
        let lists: Vec<Terms> =
            here.chunks(words).map(|words| Terms { words, factors: factors.next() }).collect();
        let wide = terms.elem.size() == 8;
        let form = Form { count: steps.terms.total as usize, wide, initial };
        self.sums[at] = terms::add_up(&lists, form, Options::of_process().thread_count(), hard);
        Ok(bytes + 8 * (here.len() + by.map_or(0, |by| by.len())) as u64)
    }
}

/// An array of terms, or of factors, on the device.
#[derive(Clone, Copy)]
struct Ordered<'a> {
    shape: &'a ArrayShape,
    placed: &'a Placed,
    elem: ElemType,
}

impl<'a> Ordered<'a> {
    fn of(job: &'a Job, reduction: &Reduction, placement: &'a Placement) -> Ordered<'a> {
        let array = usize::from(reduction.array);
        Ordered {
            shape: &job.shape.arrays[array],
            placed: &placement.arrays[array],
            elem: job.nest.record.arrays[array].elem,
        }
    }

    /// Where the first element is, and how far it is from slot to slot.
    fn place(&self, hull: &Cuboid) -> [u64; 2] {
        let origins = &self.placed.origins;
        let distance = origins.get(1).map_or(0, |second| second.wrapping_sub(origins[0]));
        [origins[0].wrapping_add(hull.span(&self.placed.strides).0 as u64), distance]
    }

    /// Bytes from row to row. All rows lie at equal distances: this array has no shape of the program's.
    fn stride(&self, hull: &Cuboid) -> u64 {
        if hull.dims > 1 { self.placed.strides[hull.dims - 2] as u64 } else { 0 }
    }

    fn all(&self, device: &mut dyn Device) -> Result<Vec<u64>, Refusal> {
        all_of(self.shape, &self.placed.origins, &self.placed.strides, self.elem.size(), device)
    }
}

/// All elements of each slot as they lie, one after the other.
fn all_of(
    shape: &ArrayShape,
    origins: &[u64],
    strides: &[i64],
    elem: u64,
    device: &mut dyn Device,
) -> Result<Vec<u64>, Refusal> {
    let Some(hull) = shape.hull else { return Ok(Vec::new()) };
    let words = (hull.volume() as u64 * elem).div_ceil(8) as usize;
    let mut found = vec![0u64; used(&shape.slots) * words];
    let mut dense = vec![elem as i64; hull.dims];
    for d in (1..hull.dims).rev() {
        dense[d - 1] = dense[d] * hull.extent(d);
    }
    let first = hull.span(&dense).0;
    for (slot, words) in found.chunks_mut(words.max(1)).enumerate() {
        if shape.slots[slot].hull.is_none() {
            continue;
        }
        let here = (words.as_mut_ptr() as u64).wrapping_sub(first as u64);
        let host = Side { origin: here, strides: &dense };
        let there = Side { origin: origins[slot], strides };
        device.download(&Rows::of(&hull, elem, host, there))?;
    }
    Ok(found)
}
