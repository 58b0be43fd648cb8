//! Steps that run ahead on a device: what they overwrite is kept there, and their reductions are computed there.

use super::{PARTS, Place, Resident, Saved};
use crate::device::tools::{self, Fold, Folded};
use crate::device::{self, Device};
use crate::error::Refusal;
use crate::footprint::Cuboid;
use crate::guard::SlotShape;
use crate::options::Options;
use crate::plan::Job;
use crate::transfer::{Placement, Rows, Side, has_buffers};
use hexpass_abi::{Reduces, Reduction, VariantTarget};

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

/// Slots up to the last that the steps reach.
pub(super) fn used(slots: &[SlotShape]) -> usize {
    slots.iter().rposition(|s| s.hull.is_some()).map_or(0, |last| last + 1)
}
