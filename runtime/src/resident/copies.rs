//! Copies between the program's memory and the device's around a nest's launches.
//!
//! Consumes a [`Placement`]; produces uploads of what the device lacks, and says afterwards what is newer there.

use super::entry::{common, union};
use super::{Entry, Own, Resident};
use crate::borders;
use crate::device::Device;
use crate::error::Refusal;
use crate::footprint::{Region, difference};
use crate::guard::Extent;
use crate::plan::{self, Job, Values};
use crate::record::Nest;
use crate::transfer::{Placement, Rows, Side, has_buffers};
use hexpass_abi::{Access, ElemType, Variant, expr::Sym};
use std::ops::ControlFlow;

impl Resident {
    /// Copies to the device what it lacks, and to every buffer what kernels of [`Variant::alike`] expect there; the number
    /// of bytes.
    pub fn copy_in(
        &mut self,
        job: &Job,
        variants: &[&Variant],
        device: &mut dyn Device,
        placement: &Placement,
    ) -> Result<u64, Refusal> {
        let mut total = 0;
        for (a, (shape, placed)) in job.shape.arrays.iter().zip(&placement.arrays).enumerate() {
            let word = shape.strides.is_empty() && job.nest.record.arrays[a].elem == ElemType::I64;
            let noted = follows_time(job.nest, a);
            for (slot, entry) in shape.slots.iter().zip(&placed.entries) {
                let Some(entry) = entry.map(|e| &mut self.entries[e]) else { continue };
                if word || noted {
                    // Generated code may have exchanged pointers in memory, and notes down what each step needs.
                    entry.held = entry.newer.clone();
                }
                if shape.careful {
                    total += entry.beware(device)?;
                }
                let wanted = match &entry.shadow {
                    Some(_) => union(&slot.inputs, &slot.outputs),
                    None => slot.inputs.clone(),
                };
                let missing = difference(&wanted, &entry.held);
                let fresh = entry.held.is_empty();
                let mut rows: Vec<Rows> = missing.iter().map(|c| entry.rows(c)).collect();
                // The first copy into a buffer may spoil what lies between its rows: the others come after it.
                rows.sort_by_key(|rows| std::cmp::Reverse(rows.total()));
                for (i, rows) in rows.iter_mut().enumerate() {
                    rows.loose = fresh && i == 0;
                    total += rows.total();
                    device.upload(rows)?;
                    if let Some(shadow) = &mut entry.shadow {
                        shadow.remember(rows);
                    }
                }
                entry.held = union(&entry.held, &missing);
            }
        }
        self.stamp(job.nest, job.ints, job.pointers);
        if variants.iter().any(|v| v.alike) {
            total += self.copy_borders(job, device, placement)?;
        }
        Ok(total)
    }

    /// What buffers lack of elements that the nest never writes.
    fn copy_borders(
        &mut self,
        job: &Job,
        device: &mut dyn Device,
        placement: &Placement,
    ) -> Result<u64, Refusal> {
        let mut total = 0;
        let nest = std::ptr::from_ref(job.nest).addr();
        for (a, (shape, placed)) in job.shape.arrays.iter().zip(&placement.arrays).enumerate() {
            if job.nest.record.is_own(a) {
                continue;
            }
            let elem = job.nest.record.arrays[a].elem.size();
            let own = |of: &Own, buffer: usize| of.of == (nest, a, 1 + buffer);
            let epoch = self.epoch;
            let done: Vec<bool> = (0..placed.origins.len())
                .map(|b| self.own.iter().any(|o| own(o, b) && o.epoch == Some(epoch)))
                .collect();
            for (buffer, slot, cuboid) in borders::lacking(job.nest, a, shape, placed.origins.len())
            {
                let origin = placed.origins[buffer];
                if origin == 0 || done[buffer] {
                    continue;
                }
                let source = placed.entries.get(slot).copied().flatten();
                if let Some(source) = source.map(|e| &mut self.entries[e]) {
                    total += source.bring_home(&[cuboid], device)?;
                }
                if let Some(to) = placed.entries[buffer].map(|e| &mut self.entries[e]) {
                    let there = difference(&[cuboid], &to.held).is_empty()
                        && common(&to.newer, &[cuboid]).is_empty();
                    let pair =
                        (epoch, shape.slots[slot].origin, shape.slots[buffer].origin, cuboid);
                    // SAFETY: what a device holds has been read in the program, which has not changed it.
                    let same = || unsafe { borders::equal(elem, shape, (slot, buffer), &cuboid) };
                    if there && (self.alike.contains(&pair) || same()) {
                        self.alike.retain(|known| known.0 == epoch && *known != pair);
                        self.alike.push(pair);
                        continue;
                    }
                    // The program's own element there may be another.
                    total += to.bring_home(&[cuboid], device)?;
                    to.held = difference(&to.held, &[cuboid]);
                }
                let host = Side { origin: shape.slots[slot].origin, strides: &shape.strides };
                let there = Side { origin, strides: &placed.strides };
                let rows = Rows::of(&cuboid, elem, host, there);
                total += rows.total();
                device.upload(&rows)?;
                if let Some(own) = self.own.iter_mut().find(|o| own(o, buffer)) {
                    own.epoch = Some(epoch);
                }
            }
        }
        Ok(total)
    }

    /// Slots that kernels may use for what is not theirs, beyond what the steps write there: what is newer in them goes
    /// home, and isn't relied on afterwards. Bytes.
    pub fn lend(
        &mut self,
        job: &Job,
        picks: &[crate::choice::Pick],
        device: &mut dyn Device,
        placement: &Placement,
    ) -> Result<u64, Refusal> {
        let mut total = 0;
        for (a, (shape, placed)) in job.shape.arrays.iter().zip(&placement.arrays).enumerate() {
            let written: Region = shape.slots.iter().flat_map(|s| s.outputs.clone()).collect();
            let rest: Vec<Region> =
                shape.slots.iter().map(|s| difference(&written, &s.outputs)).collect();
            if rest.iter().all(Region::is_empty) || !picks.iter().any(|p| turns(job, p, a)) {
                continue;
            }
            for (entry, rest) in placed.entries.iter().zip(&rest) {
                if let Some(entry) = entry.map(|e| &mut self.entries[e]) {
                    total += entry.bring_home(rest, device)?;
                    entry.held = difference(&entry.held, rest);
                }
            }
        }
        Ok(total)
    }

    /// Whether the nest overwrites what the program's memory has not.
    pub fn is_only_copy(&self, placement: &Placement) -> bool {
        let mut entries = placement.arrays.iter().flat_map(|a| a.entries.iter().flatten());
        entries.any(|&e| !self.entries[e].newer.is_empty())
    }

    /// The launches are done.
    pub fn wrote(&mut self, job: &Job, placement: &Placement) {
        let repeats = self.repeats;
        self.each_slot(job, placement, |entry, outputs| {
            entry.held = union(&entry.held, outputs);
            if !repeats {
                entry.newer = union(&entry.newer, outputs);
            }
        });
    }

    /// The launches have failed: nothing is known of what they have written. The program's memory has it all.
    pub fn spoil(&mut self, placement: &Placement) {
        for &entry in placement.arrays.iter().flat_map(|a| a.entries.iter().flatten()) {
            self.entries[entry].held.clear();
        }
    }

    fn each_slot(
        &mut self,
        job: &Job,
        placement: &Placement,
        mut act: impl FnMut(&mut Entry, &Region),
    ) {
        for (shape, placed) in job.shape.arrays.iter().zip(&placement.arrays) {
            for (slot, entry) in shape.slots.iter().zip(&placed.entries) {
                if let Some(entry) = entry {
                    act(&mut self.entries[*entry], &slot.outputs);
                }
            }
        }
    }
}

/// The nest reads an element of the array for each step, and writes none: values of steps, that a time loop may note down.
fn follows_time(nest: &Nest, array: usize) -> bool {
    let ours = |a: &&Access| usize::from(a.array) == array;
    let statements = || nest.record.statements.iter();
    let timed = |a: &Access| a.subscripts.iter().any(|s| s.offset.mentions(Sym::Time));
    statements().flat_map(|s| &s.reads).filter(ours).any(timed)
        && !statements().flat_map(|s| &s.writes).any(|a| ours(&a))
}

/// A launch of the pick, for all of the steps or a part of them, may take one slot of the array for another.
fn turns(job: &Job, pick: &crate::choice::Pick, array: usize) -> bool {
    let variant = job.nest.variant(pick.index);
    if !has_buffers(variant, array) {
        return false;
    }
    let slots = job.shape.arrays[array].slots.len() as i64;
    let takes = |kernel: usize| {
        let mut params = variant.kernels[kernel].params.iter();
        params.any(|p| matches!(p, hexpass_abi::KernelParam::Buffer { array: a, .. } if usize::from(*a) == array))
    };
    (1..=job.shape.extent.steps.min(slots)).any(|steps| {
        let extent = Extent { steps, ..job.shape.extent.clone() };
        let values = Values { extent: &extent, tunables: &pick.tunables };
        let flow = plan::walk(variant, values, &mut |launch| match takes(launch.kernel) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        });
        flow.is_break()
    }) || job.shape.extent.steps > slots
}
