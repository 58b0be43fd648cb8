//! Steps that run ahead on a device: what they overwrite is kept there, and their reductions are computed there.

use super::{PARTS, Place, Resident, Saved};
use crate::device::tools::sums::{self, Sums};
use crate::device::tools::{self, Fold, Folded};
use crate::device::{self, Device};
use crate::error::Refusal;
use crate::footprint::Cuboid;
use crate::guard::{ArrayShape, SlotShape};
use crate::options::Options;
use crate::plan::Job;
use crate::terms::device::Steps;
use crate::terms::{self, Form, Terms};
use crate::transfer::{Placed, Placement, Rows, Side, has_buffers};
use hexpass_abi::{ElemType, Reduces, Reduction, VariantTarget};

impl Resident {
    /// Keeps what the nest overwrites. One step writes again what it only writes; of several, the later ones may not run
    /// again.
    pub fn save(
        &mut self,
        job: &Job,
        device: &mut dyn Device,
        placement: &Placement,
    ) -> Result<(), Refusal> {
        self.forget();
        let nest = std::ptr::from_ref(job.nest).addr();
        for (shape, placed) in job.shape.arrays.iter().zip(&placement.arrays) {
            for (slot, entry) in shape.slots.iter().zip(&placed.entries) {
                let Some(at) = *entry else { continue };
                if slot.outputs.is_empty()
                    || (job.shape.extent.steps == 1 && slot.inputs.is_empty())
                {
                    continue;
                }
                let bytes = self.entries[at].buffer.bytes;
                let buffer = match self.entries[at].saved.take() {
                    Some(saved) => saved.buffer,
                    None => {
                        let all: Vec<Place> =
                            self.entries.iter().map(|e| e.place.clone()).collect();
                        self.alloc(bytes, &all, nest, device)?
                    }
                };
                let entry = &mut self.entries[at];
                device.duplicate(buffer.address, entry.buffer.address, bytes)?;
                let (held, newer) = (entry.held.clone(), entry.newer.clone());
                entry.saved = Some(Saved { buffer, held, newer, open: true });
            }
        }
        Ok(())
    }

    /// Back to what was saved.
    pub fn restore(&mut self, options: &Options) -> Result<(), Refusal> {
        let Some(on) = self.on else { return Ok(()) };
        let mut device = device::open(on, options.thread_count())?;
        for entry in self.entries.iter_mut().filter(|e| e.is_open()) {
            let Some(saved) = &mut entry.saved else { continue };
            device.attach(&entry.buffer)?;
            device.attach(&saved.buffer)?;
            device.duplicate(entry.buffer.address, saved.buffer.address, entry.buffer.bytes)?;
            (entry.held, entry.newer) = (saved.held.clone(), saved.newer.clone());
            saved.open = false;
        }
        device.start()?;
        device.stop().map(|_| ())
    }

    /// What has run ahead counts.
    pub fn forget(&mut self) {
        self.entries.iter_mut().filter_map(|e| e.saved.as_mut()).for_each(|s| s.open = false);
    }

    /// The memory of reductions, empty.
    pub fn fill(&mut self, job: &Job, device: &mut dyn Device) -> Result<(), Refusal> {
        for (i, reduction) in job.nest.record.reductions.iter().enumerate() {
            let Some((start, bytes)) = self.grid(job, i) else { continue };
            let array = usize::from(reduction.array);
            let slots = &job.shape.arrays[array].slots;
            let variants = job.nest.variants(VariantTarget::Device)?;
            let turns = variants.iter().any(|(_, v)| has_buffers(v, array));
            let used = if turns { slots.len() } else { used(slots) };
            let words = bytes / 8 / slots.len() as u64 * used as u64;
            let blocks = words.div_ceil(tools::THREADS * 8).clamp(1, 4 * tools::MOST_BLOCKS);
            let elem = job.nest.record.arrays[array].elem;
            let params = [start, words, crate::ahead::neutral(reduction.kind, elem)];
            device.tool(tools::FILL, [blocks, 1, 1], &params)?;
        }
        Ok(())
    }

    /// The buffer of a reduction, if no other before has it.
    fn grid(&self, job: &Job, reduction: usize) -> Option<(u64, u64)> {
        let all = &job.nest.record.reductions;
        let array = usize::from(all[reduction].array);
        let first = all.iter().position(|r| usize::from(r.array) == array) == Some(reduction);
        let nest = std::ptr::from_ref(job.nest).addr();
        let own = self.own.iter().find(|o| o.of == (nest, array, 0)).filter(|_| first)?;
        Some((own.buffer.address, own.buffer.bytes))
    }

    /// Folds what the steps have left of each reduction into [`PARTS`] parts a slot, or adds it up from what it begins with
    /// where its order matters; bytes that come back.
    pub fn reduce(
        &mut self,
        (job, initials): (&Job, &[u64]),
        device: &mut dyn Device,
        placement: &Placement,
    ) -> Result<u64, Refusal> {
        let mut total = 0;
        self.parts = vec![Vec::new(); job.nest.record.reductions.len()];
        self.sums = self.parts.clone();
        for (i, reduction) in job.nest.record.reductions.iter().enumerate() {
            if reduction.kind.is_ordered() {
                if reduction.kind == Reduces::Terms {
                    total += self.add_up(job, (i, initials[i]), device, placement)?;
                }
            } else if let Some(grid) = self.grid(job, i) {
                let parts = self.fold((job, reduction), grid, device, placement)?;
                total += 8 * parts.len() as u64;
                self.parts[i] = parts;
            }
        }
        Ok(total)
    }

    fn fold(
        &mut self,
        (job, reduction): (&Job, &Reduction),
        (start, bytes): (u64, u64),
        device: &mut dyn Device,
        placement: &Placement,
    ) -> Result<Vec<u64>, Refusal> {
        let array = usize::from(reduction.array);
        let (shape, placed) = (&job.shape.arrays[array], &placement.arrays[array]);
        let elem = job.nest.record.arrays[array].elem;
        let Some(hull) = shape.hull else { return Ok(Vec::new()) };
        let (all, slots) = (shape.slots.len() as u64, used(&shape.slots) as u64);
        let first = placed.origins[0].wrapping_add(hull.span(&placed.strides).0 as u64);
        let len = hull.dims.checked_sub(1).map_or(1, |last| hull.extent(last) as u64);
        let total = hull.volume() as u64;
        // All rows lie at equal distances: this array has no shape of the program's.
        let stride = if hull.dims > 1 { placed.strides[hull.dims - 2] as u64 } else { 0 };
        let blocks = total.div_ceil(tools::THREADS * 16).clamp(1, tools::MOST_BLOCKS);
        let (threads, size) = (blocks * tools::THREADS, elem.size());
        let fold = match reduction.kind {
            Reduces::Largest => Fold::Largest,
            Reduces::Smallest => Fold::Smallest,
            _ => Fold::Sum,
        };
        let left = (threads + tools::THREADS) * size;
        let out = self.own_buffer((job, array, usize::MAX), all * left, &[], device)?;
        let behind = out + slots * threads * size;
        let whole = Folded {
            at: first,
            distance: bytes / all,
            stride,
            len,
            total,
            out,
            out_distance: threads * size,
        };
        let parts = Folded {
            at: out,
            distance: threads * size,
            stride: 0,
            len: threads,
            total: threads,
            out: behind,
            out_distance: tools::THREADS * size,
        };
        debug_assert!(start <= first);
        device.tool(&fold.kernel(elem), [blocks, slots, 1], &whole.params(blocks))?;
        device.tool(&fold.kernel(elem), [1, slots, 1], &parts.params(1))?;
        let mut found = vec![0u64; (slots as usize * PARTS * size as usize) / 8];
        let origin = found.as_mut_ptr() as u64;
        let all = Cuboid::new(&[(0, found.len() as i64 - 1)]);
        if let Some(all) = all {
            let side = |origin| Side { origin, strides: &[8] };
            device.download(&Rows::of(&all, 8, side(origin), side(behind)))?;
        }
        Ok(found)
    }
}

impl Resident {
    /// The sums of a reduction's terms, in their order.
    fn add_up(
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
        let which = usize::MAX - 1 - at;
        let array = usize::from(all[at].array);
        let room = self.own_buffer((job, array, which), steps.room(), &[], device)?;
        let hard = &job.nest.hard_sums[at];
        let mut bytes = 0;
        if !hard.holds() {
            let (found, home) = steps.add_up(device, initial, room)?;
            hard.after(found.is_some());
            bytes += home;
            if let Some(sums) = found {
                self.sums[at] = sums;
                return Ok(bytes);
            }
        }
        let here = terms.all(device)?;
        let by = factors.map(|f| f.all(device)).transpose()?;
        let words = here.len() / steps.arrays as usize;
        let of = |words_of: usize| {
            let part = |all: &'_ [u64]| all[words_of * words..][..words].to_vec();
            (part(&here), by.as_deref().map(part))
        };
        let lists: Vec<_> = (0..steps.arrays as usize).map(of).collect();
        let lists: Vec<Terms> = lists
            .iter()
            .map(|(words, factors)| Terms { words, factors: factors.as_deref() })
            .collect();
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

/// Slots up to the last that the steps reach.
fn used(slots: &[SlotShape]) -> usize {
    slots.iter().rposition(|s| s.hull.is_some()).map_or(0, |last| last + 1)
}
