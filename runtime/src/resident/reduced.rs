//! What steps are reduced from, on a device: its memory is made empty before, and folded behind.
//!
//! Consumes the arrays of a nest's reductions; produces, for each slot, [`PARTS`] parts or a sum. Where all kernels that may
//! run keep one element for each thread ([`hexpass_abi::Folds`]), only the rows that these lie in are made empty and looked
//! at.

use super::{PARTS, Resident};
use crate::ahead::slots_of_steps;
use crate::choice::Pick;
use crate::device::Device;
use crate::device::tools::{self, Fold, Folded};
use crate::error::Refusal;
use crate::footprint::Cuboid;
use crate::guard::SlotShape;
use crate::layout::Layout;
use crate::plan::{self, Job, Values};
use crate::transfer::{Placement, Rows, Side, has_buffers};
use hexpass_abi::{
    ALIGNMENT, KernelParam, KernelRecord, Reduces, Reduction, Variant, VariantTarget,
};
use std::collections::HashMap;
use std::ops::ControlFlow;

/// Arrays of which all variants that may run have kernels that keep few elements.
pub type AllFew = HashMap<usize, Few>;

/// How little of an array is needed.
#[derive(Debug, Default)]
pub struct Few {
    /// Rows of the first dimension of each slot, if no kernel ever needs more.
    pub room: Option<i64>,
    /// By slot, those that hold what its step is reduced from; all of them where a slot is not named.
    rows: HashMap<usize, i64>,
}

/// Slots side by side of which as many rows count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Group {
    first: usize,
    count: usize,
    rows: Option<i64>,
}

/// The memory of a reduction.
#[derive(Clone, Copy)]
struct Grid {
    start: u64,
    /// Bytes from slot to slot.
    distance: u64,
}

impl Resident {
    /// Finds out of which arrays these picks need little.
    pub fn expect_few(&mut self, job: &Job, picks: &[Pick]) {
        self.few.clear();
        for reduction in &job.nest.record.reductions {
            let of = |pick: &Pick| {
                let variant = job.nest.variant(pick.index);
                let values = Values { extent: &job.shape.extent, tunables: &pick.tunables };
                let rows = plan::rows_kept(variant, values, reduction.array)?;
                let always = variant.kernels.iter().all(|k| keeps_few(k, reduction.array));
                Some((rows, always))
            };
            let Some(all) = picks.iter().map(of).collect::<Option<Vec<_>>>() else { continue };
            let always = all.iter().all(|(_, always)| *always);
            let room = all.iter().map(|(rows, _)| *rows).max().filter(|_| always);
            self.few.insert(usize::from(reduction.array), Few { room, ..Few::default() });
        }
    }

    /// Bytes of a slot of an array of reductions.
    pub(super) fn slot_bytes(&self, array: usize, layout: &Layout) -> u64 {
        let bytes = match self.few.get(&array).and_then(|few| few.room) {
            Some(rows) => room(rows, layout.strides[0]).min(layout.bytes),
            None => layout.bytes,
        };
        bytes.next_multiple_of(tools::THREADS)
    }

    /// The memory of reductions, empty, but that of which little is needed ([`Resident::fill_few`]). What folds it finds its
    /// own memory later.
    pub fn fill(&mut self, job: &Job, device: &mut dyn Device) -> Result<(), Refusal> {
        for i in 0..job.nest.record.reductions.len() {
            let Some(grid) = self.grid(job, i) else { continue };
            let reduction = &job.nest.record.reductions[i];
            let array = usize::from(reduction.array);
            if job.reduces.is_some() && !reduction.kind.is_ordered() {
                self.parts_buffer(job, array, device)?;
            }
            if self.few.contains_key(&array) {
                continue;
            }
            let slots = &job.shape.arrays[array].slots;
            let all = job.nest.variants(VariantTarget::Device)?;
            let turns = all.iter().any(|(_, v)| has_buffers(v, array));
            let count = if turns { slots.len() } else { used(slots) };
            empty((job, i), grid, (Group { first: 0, count, rows: None }, 0), device)?;
        }
        Ok(())
    }

    /// Of arrays of which a variant keeps few elements, those that it needs for the steps of the job, empty.
    pub fn fill_few(
        &mut self,
        job: &Job,
        (variant, tunables): (&Variant, &[i64]),
        device: &mut dyn Device,
        placement: &Placement,
    ) -> Result<(), Refusal> {
        for (i, reduction) in job.nest.record.reductions.iter().enumerate() {
            let array = usize::from(reduction.array);
            let Some(grid) = self.grid(job, i).filter(|_| self.few.contains_key(&array)) else {
                continue;
            };
            let shape = &job.shape.arrays[array];
            let steps = job.shape.extent.steps;
            let values = Values { extent: &job.shape.extent, tunables };
            let by_step = rows_of_steps(variant, values, array);
            let slots = slots_of_steps(job.nest, reduction, shape, steps);
            let few = self.few.entry(array).or_default();
            let mut now = vec![false; shape.slots.len()];
            for (step, slot) in (0..steps).zip(slots) {
                now[slot] = true;
                match by_step.get(&step) {
                    Some(&rows) => few.rows.insert(slot, rows),
                    None => few.rows.remove(&slot),
                };
            }
            for group in groups(&self.few, array, shape.slots.len(), |slot| now[slot]) {
                let row = placement.arrays[array].strides[0];
                empty((job, i), grid, (group, row), device)?;
            }
        }
        Ok(())
    }

    /// The buffer of a reduction, if no other before has it.
    fn grid(&self, job: &Job, reduction: usize) -> Option<Grid> {
        let all = &job.nest.record.reductions;
        let array = usize::from(all[reduction].array);
        let first = all.iter().position(|r| usize::from(r.array) == array) == Some(reduction);
        let nest = std::ptr::from_ref(job.nest).addr();
        let own = self.own.iter().find(|o| o.of == (nest, array, 0)).filter(|_| first)?;
        let slots = job.shape.arrays[array].slots.len() as u64;
        Some(Grid { start: own.buffer.address, distance: own.buffer.bytes / slots })
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

    /// Where threads leave their parts of an array's slots, and behind these what becomes of them. The address of none if nothing
    /// touches the array.
    fn parts_buffer(
        &mut self,
        job: &Job,
        array: usize,
        device: &mut dyn Device,
    ) -> Result<u64, Refusal> {
        let shape = &job.shape.arrays[array];
        let Some(hull) = shape.hull else { return Ok(0) };
        let elements = shape.slots.len() as u64 * (most_threads(&hull) + tools::THREADS);
        let bytes = elements * job.nest.record.arrays[array].elem.size();
        self.own_buffer((job, array, usize::MAX), bytes, &[], device)
    }

    fn fold(
        &mut self,
        (job, reduction): (&Job, &Reduction),
        grid: Grid,
        device: &mut dyn Device,
        placement: &Placement,
    ) -> Result<Vec<u64>, Refusal> {
        let array = usize::from(reduction.array);
        let (shape, placed) = (&job.shape.arrays[array], &placement.arrays[array]);
        let elem = job.nest.record.arrays[array].elem;
        let Some(hull) = shape.hull else { return Ok(Vec::new()) };
        let slots = used(&shape.slots) as u64;
        let first = placed.origins[0].wrapping_add(hull.span(&placed.strides).0 as u64);
        let len = hull.dims.checked_sub(1).map_or(1, |last| hull.extent(last) as u64);
        // All rows lie at equal distances: this array has no shape of the program's.
        let stride = if hull.dims > 1 { placed.strides[hull.dims - 2] as u64 } else { 0 };
        let whole = hull.volume() as u64;
        let most = most_threads(&hull);
        let size = elem.size();
        let fold = match reduction.kind {
            Reduces::Largest => Fold::Largest,
            Reduces::Smallest => Fold::Smallest,
            _ => Fold::Sum,
        };
        let out = self.parts_buffer(job, array, device)?;
        let behind = out + slots * most * size;
        debug_assert!(grid.start <= first);
        for group in groups(&self.few, array, slots as usize, |_| true) {
            let total = match group.rows {
                Some(rows) => whole / hull.extent(0).max(1) as u64 * rows as u64,
                None => whole,
            };
            let (blocks, from, count) = (blocks_for(total), group.first as u64, group.count as u64);
            let threads = blocks * tools::THREADS;
            let elements = Folded {
                at: first + from * grid.distance,
                distance: grid.distance,
                stride,
                len,
                total,
                out: out + from * most * size,
                out_distance: most * size,
            };
            let parts = Folded {
                at: elements.out,
                distance: most * size,
                stride: 0,
                len: threads,
                total: threads,
                out: behind + from * tools::THREADS * size,
                out_distance: tools::THREADS * size,
            };
            device.tool(&fold.kernel(elem), [blocks, count, 1], &elements.params(blocks))?;
            device.tool(&fold.kernel(elem), [1, count, 1], &parts.params(1))?;
        }
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

/// Threads that fold an array, at most.
fn most_threads(hull: &Cuboid) -> u64 {
    blocks_for(hull.volume() as u64) * tools::THREADS
}

/// Blocks that fold so many elements.
fn blocks_for(elements: u64) -> u64 {
    elements.div_ceil(tools::THREADS * 16).clamp(1, tools::MOST_BLOCKS)
}

/// Makes slots of a reduction's memory empty, of whose first dimension a row has so many bytes.
fn empty(
    (job, reduction): (&Job, usize),
    grid: Grid,
    (group, row): (Group, i64),
    device: &mut dyn Device,
) -> Result<(), Refusal> {
    let reduction = &job.nest.record.reductions[reduction];
    let elem = job.nest.record.arrays[usize::from(reduction.array)].elem;
    let bytes = match group.rows {
        Some(rows) => room(rows, row).min(grid.distance),
        None => grid.distance,
    };
    let words = bytes.div_ceil(8);
    let blocks = words.div_ceil(tools::THREADS * 8).clamp(1, 4 * tools::MOST_BLOCKS);
    let neutral = crate::ahead::neutral(reduction.kind, elem);
    let params = [grid.start + group.first as u64 * grid.distance, words, neutral, grid.distance];
    device.tool(tools::FILL, [blocks, group.count as u64, 1], &params)
}

/// Bytes of so many rows of the first dimension, of so many bytes each; before the first element there may be some of a unit.
fn room(rows: i64, row: i64) -> u64 {
    (rows * row) as u64 + ALIGNMENT
}

/// True for a kernel that keeps few elements of an array, or does not know where it lies.
fn keeps_few(kernel: &KernelRecord, array: u16) -> bool {
    let folds = kernel.folds.as_ref().filter(|f| f.rows.is_some());
    let knows = |p: &KernelParam| match p {
        KernelParam::Slot { array: of, .. } | KernelParam::Buffer { array: of, .. } => *of == array,
        _ => false,
    };
    folds.is_some_and(|f| f.arrays.contains(&array)) || !kernel.params.iter().any(knows)
}

/// By step, in how many rows kernels keep what they find, where these are few.
fn rows_of_steps(variant: &Variant, values: Values, array: usize) -> HashMap<i64, i64> {
    let mut found = HashMap::new();
    let _ = plan::walk::<()>(variant, values, &mut |launch| {
        if let Some(folds) = &variant.kernels[launch.kernel].folds
            && let Some((axis, each)) = folds.rows
            && folds.arrays.iter().any(|&a| usize::from(a) == array)
        {
            let rows = launch.blocks[usize::from(axis)] as i64 * i64::from(each);
            let steps = launch.time..launch.time + i64::from(folds.steps);
            found.extend(steps.map(|step| (step, rows)));
        }
        ControlFlow::Continue(())
    });
    found
}

/// Slots of an array, those wanted among so many, by how many rows count.
fn groups(few: &AllFew, array: usize, slots: usize, wanted: impl Fn(usize) -> bool) -> Vec<Group> {
    let rows = |slot: usize| few.get(&array).and_then(|few| few.rows.get(&slot)).copied();
    let mut out: Vec<Group> = Vec::new();
    for slot in (0..slots).filter(|&slot| wanted(slot)) {
        match out.last_mut() {
            Some(last) if last.first + last.count == slot && last.rows == rows(slot) => {
                last.count += 1;
            }
            _ => out.push(Group { first: slot, count: 1, rows: rows(slot) }),
        }
    }
    out
}

/// Slots up to the last that the steps reach.
pub(super) fn used(slots: &[SlotShape]) -> usize {
    slots.iter().rposition(|s| s.hull.is_some()).map_or(0, |last| last + 1)
}
