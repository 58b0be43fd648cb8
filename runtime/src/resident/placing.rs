//! Where a nest's arrays lie on the device.
//!
//! Consumes the shape of a nest; produces its [`Placement`]: entries that are there already, or new ones, and memory of
//! the nest's own. What is in the way goes home.
//!
//! Refuses what finds no room, and nests on arrays of which steps may be taken back.

use super::{Entry, Own, Place, Resident};
use crate::device::{Device, Lasting};
use crate::error::{Reason, Refusal};
use crate::footprint::{Cuboid, Region, difference};
use crate::guard::{ArrayShape, Shape, SlotShape};
use crate::layout::Layout;
use crate::plan::Job;
use crate::record::Nest;
use crate::transfer::{Placed, Placement, has_buffers, names, scratch_of};
use hexpass_abi::Variant;

/// Entries of one frame; where nests walk over the rows of a grid, each is one.
const MOST_ENTRIES: usize = 128;

impl Resident {
    /// A buffer; where there is no room, what the nest does without goes home.
    pub(super) fn alloc(
        &mut self,
        bytes: u64,
        wanted: &[Place],
        nest: usize,
        device: &mut dyn Device,
    ) -> Result<Lasting, Refusal> {
        let refusal = match device.alloc(bytes) {
            Err(refusal) if refusal.reason == Reason::OutOfMemory => refusal,
            other => return other,
        };
        let before = (self.entries.len(), self.own.len());
        self.retain(device, |e| wanted.contains(&e.place))?;
        self.own.retain(|own| own.of.0 == nest);
        if before == (self.entries.len(), self.own.len()) {
            return Err(refusal);
        }
        device.alloc(bytes)
    }

    /// Brings home and drops all entries but those to keep, and those that may be taken back.
    fn retain(
        &mut self,
        device: &mut dyn Device,
        keep: impl Fn(&Entry) -> bool,
    ) -> Result<(), Refusal> {
        let mut at = 0;
        while at < self.entries.len() {
            if keep(&self.entries[at]) || self.entries[at].is_open() {
                at += 1;
                continue;
            }
            self.moved += self.entries[at].bring_all_home(device)?;
            self.entries.remove(at);
        }
        Ok(())
    }

    /// Of entries that lie where the nest works, but not as it sees its arrays: what it touches goes home, and is not
    /// relied on where the nest writes it. Among them are entries of its other arrays, which may share rows with this one
    /// although no element; and its own whose elements have several subscripts. Those that it sees in the same way, but
    /// more or less of them, are in the way.
    fn part(
        &mut self,
        wanted: &[Place],
        own: &dyn Fn(usize, usize) -> Option<Place>,
        shape: &Shape,
        nest: &Nest,
        device: &mut dyn Device,
    ) -> Result<(), Refusal> {
        let mut replaced: Vec<Place> = Vec::new();
        for (a, array) in shape.arrays.iter().enumerate().filter(|(a, _)| !nest.record.is_own(*a)) {
            let elem = nest.record.arrays[a].elem.size();
            for (s, slot) in array.slots.iter().enumerate() {
                let own = own(a, s);
                let touched = slot.inputs.iter().map(|c| (c, false));
                let touched = touched.chain(slot.outputs.iter().map(|c| (c, true)));
                for (cuboid, writes) in touched {
                    for (i, part) in self.meeting(slot.origin, &array.strides, elem, cuboid) {
                        let entry = &mut self.entries[i];
                        if own.as_ref() == Some(&entry.place) && !entry.place.is_folded() {
                            continue;
                        }
                        if entry.is_open() {
                            let message = "a nest works on arrays of which steps may be taken back";
                            return Err(Refusal::new(Reason::Internal, message));
                        }
                        self.moved += entry.bring_home(&[part], device)?;
                        if writes {
                            entry.held = difference(&entry.held, &[part]);
                        }
                        let place = &entry.place;
                        if own.as_ref() != Some(place)
                            && place.origin == slot.origin
                            && place.strides == array.strides
                        {
                            replaced.push(place.clone());
                        }
                    }
                }
            }
        }
        let many = self.entries.len() > MOST_ENTRIES;
        self.retain(device, |e| wanted.contains(&e.place) || !(many || replaced.contains(&e.place)))
    }

    /// How an array lies on the device, and for which box: its own, or a larger one that nests before had; and whether in
    /// whole units. All slots lie alike.
    fn layout(
        &self,
        array: &hexpass_abi::Array,
        shape: &ArrayShape,
        aligned: bool,
    ) -> Result<(Option<Cuboid>, Layout, bool), Refusal> {
        let known = |e: &&Entry| {
            let place = &e.place;
            let ours = |s: &SlotShape| s.origin == place.origin && s.hull.is_some();
            place.elem == array.elem.size()
                && place.strides == shape.strides
                && shape.slots.iter().any(ours)
        };
        let group: Vec<&Entry> = self.entries.iter().filter(known).collect();
        let hull = shape.hull.map(|h| group.iter().fold(h, |h, e| h.hull(&e.place.hull)));
        // No larger than that each element has one subscript.
        let folded = |h: &Cuboid| h.overlong_rows(&shape.strides, array.elem.size()).is_some();
        let hull = hull.filter(|h| !folded(h)).or(shape.hull);
        let aligned = aligned || group.iter().any(|e| e.aligned);
        let layout = Layout::of(array, &ArrayShape { hull, ..shape.clone() }, aligned)?;
        Ok((hull, layout, aligned))
    }

    /// Where everything lies for one execution, whatever of these variants runs; and bytes that went home for that.
    pub fn locate(
        &mut self,
        job: &Job,
        variants: &[&Variant],
        device: &mut dyn Device,
    ) -> Result<(Placement, u64), Refusal> {
        let placed = self.place_all(job, variants, device);
        if placed.is_err() {
            // What these variants wanted for themselves, others may do without.
            self.own.clear();
        }
        placed
    }

    fn place_all(
        &mut self,
        job: &Job,
        variants: &[&Variant],
        device: &mut dyn Device,
    ) -> Result<(Placement, u64), Refusal> {
        self.enter(device)?;
        let (nest, shape) = (job.nest, job.shape);
        let aligned = variants.iter().any(|v| v.aligned);
        let layouts: Vec<(Option<Cuboid>, Layout, bool)> = (shape.arrays.iter().enumerate())
            .map(|(a, array)| self.layout(&nest.record.arrays[a], array, aligned))
            .collect::<Result<_, _>>()?;
        let named: Vec<bool> =
            (0..shape.arrays.len()).map(|a| variants.iter().any(|v| names(v, a))).collect();
        let place = |a: usize, slot: usize| {
            let array = &shape.arrays[a];
            let resident = named[a] && !nest.record.is_own(a) && array.slots[slot].hull.is_some();
            let of = || Place::of(&nest.record.arrays[a], array, slot, &layouts[a]);
            resident.then(of).flatten()
        };
        let wanted: Vec<Place> = (0..shape.arrays.len())
            .flat_map(|a| (0..shape.arrays[a].slots.len()).map(move |s| (a, s)))
            .filter_map(|(a, s)| place(a, s))
            .collect();
        self.part(&wanted, &place, shape, nest, device)?;
        let mut arrays = Vec::with_capacity(shape.arrays.len());
        for (a, array) in shape.arrays.iter().enumerate() {
            let (_, layout, aligned) = &layouts[a];
            // Kernels may store what they have loaded, in slots that these steps don't reach too.
            let written = array.slots.iter().any(|s| !s.outputs.is_empty());
            let apart = written || variants.iter().any(|v| has_buffers(v, a));
            let scratch = variants.iter().map(|v| scratch_of(v, a)).max().unwrap_or(0);
            let (mut origins, mut entries) = (Vec::new(), Vec::new());
            let reduced = nest.record.reductions.iter().any(|r| usize::from(r.array) == a);
            let of_slots = if reduced && named[a] && array.hull.is_some() {
                // One buffer, which is filled and folded as one.
                let bytes = self.slot_bytes(a, layout) * array.slots.len() as u64;
                if bytes > device.room() {
                    let message = "the values that a step is reduced from take too much memory";
                    return Err(Refusal::new(Reason::OutOfMemory, message));
                }
                Some(self.own_buffer((job, a, 0), bytes, &wanted, device)?)
            } else {
                None
            };
            for slot in 0..array.slots.len() + scratch {
                let entry = match array.slots.get(slot) {
                    Some(_) => match place(a, slot) {
                        Some(place) => {
                            let entry = self.entry(place, &wanted, job, device)?;
                            self.entries[entry].aligned |= *aligned;
                            Some(entry)
                        }
                        None => None,
                    },
                    None => None,
                };
                let touched = array.slots.get(slot).is_none_or(|s| apart || s.hull.is_some());
                origins.push(match (entry, of_slots) {
                    (Some(entry), _) => self.entries[entry].origin(),
                    (None, Some(start)) if slot < array.slots.len() => {
                        let bytes = self.slot_bytes(a, layout);
                        (start + slot as u64 * bytes).wrapping_sub(layout.start as u64)
                    }
                    _ if named[a] && touched && array.hull.is_some() => {
                        let at =
                            self.own_buffer((job, a, 1 + slot), layout.bytes, &wanted, device)?;
                        at.wrapping_sub(layout.start as u64)
                    }
                    _ => 0,
                });
                entries.push(entry);
            }
            // Of what is only read, staging may load what no instance looks at, in slots that these steps don't reach.
            let some = origins.iter().copied().find(|&o| o != 0).unwrap_or(0);
            origins.iter_mut().filter(|o| **o == 0).for_each(|o| *o = some);
            arrays.push(Placed { strides: layout.strides.clone(), origins, entries });
        }
        Ok((Placement { arrays }, std::mem::take(&mut self.moved)))
    }

    fn entry(
        &mut self,
        place: Place,
        wanted: &[Place],
        job: &Job,
        device: &mut dyn Device,
    ) -> Result<usize, Refusal> {
        if let Some(known) = self.entries.iter().position(|e| e.place == place) {
            return Ok(known);
        }
        let nest = std::ptr::from_ref(job.nest).addr();
        let buffer = self.alloc(place.layout.bytes, wanted, nest, device)?;
        let (held, newer) = (Region::new(), Region::new());
        let (saved, shadow) = (None, None);
        self.entries.push(Entry { place, aligned: false, buffer, held, newer, saved, shadow });
        Ok(self.entries.len() - 1)
    }

    /// Memory that the program has not; its address.
    pub(super) fn own_buffer(
        &mut self,
        (job, array, which): (&Job, usize, usize),
        bytes: u64,
        wanted: &[Place],
        device: &mut dyn Device,
    ) -> Result<u64, Refusal> {
        let of = (std::ptr::from_ref(job.nest).addr(), array, which);
        if let Some(known) = self.own.iter().position(|o| o.of == of) {
            if self.own[known].buffer.bytes == bytes {
                return Ok(self.own[known].buffer.address);
            }
            self.own.remove(known);
        }
        let buffer = self.alloc(bytes, wanted, of.0, device)?;
        let address = buffer.address;
        self.own.push(Own { of, buffer, epoch: None });
        Ok(address)
    }
}
