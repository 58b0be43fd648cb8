//! What lies on a device between nests: the table of one activation of a function.
//!
//! Consumes the shapes of nests that run one after the other, and what generated code says of the code between them;
//! produces where everything lies ([`Placement`]), and copies only what one side lacks.
//!
//! The contract. An [`Entry`] is one slot of an array in a device's memory. Of each element it says whether the device's
//! value is right (`held`) and whether the program's is not (`newer`, a part of `held`). A nest brings to the device what
//! it reads and the device does not hold; what it writes is newer there. Everything goes home
//!
//! - before the program may look (`hexrt_home`, and `hexrt_look` for single words), where it may write also out of
//!   `held`;
//! - before the original loop, or the CPU's threads, do what a nest does: what it touches, or all where that is not known;
//! - before another device runs a nest of the frame;
//! - where memory of the program is touched by a nest as another array (a row of a grid, say): that part, each time. A
//!   nest that touches more of an array than those before it has it copied anew, once: layouts are made for all that has
//!   been touched;
//! - where the device's memory is full, as far as the nest at hand does without;
//! - where the time loop is left.
//!
//! Values that a time loop notes down for each step of a stretch are copied for each run: generated code writes them
//! without a word.
//!
//! A nest that runs in no frame has a table of its own, which goes home at its end: there is one way for both.
//!
//! Steps that run ahead ([`crate::ahead`]) may be taken back: what they overwrite is copied aside on the device
//! ([`Resident::save`]), and their reductions are computed there. Entries that may be taken back go nowhere until it is
//! decided: code that may look at them settles first.

mod entry;
mod frames;
mod steps;

pub use frames::Held;

use entry::{common, meet, span, union};

use crate::borders;
use crate::device::tools;
use crate::device::{self, Device, Lasting};
use crate::error::{Reason, Refusal};
use crate::footprint::{Cuboid, Region, difference};
use crate::guard::{self, ArrayShape, Extent, Shape, SlotShape};
use crate::layout::Layout;
use crate::options::Options;
use crate::plan::{self, Job, Values};
use crate::record::Nest;
use crate::report;
use crate::run::{self, Call, Where};
use crate::transfer::{Placed, Placement, Rows, Side, has_buffers, names};
use hexpass_abi::{Access, ElemType, HOME_LEAVES, HOME_READS, HOME_REPEATS, Variant, expr::Sym};
use std::ops::ControlFlow;
use std::time::Instant;

/// Parts of a fold that the host puts together, for each slot.
pub const PARTS: usize = tools::THREADS as usize;
/// Entries of one frame; where nests walk over the rows of a grid, each is one.
const MOST_ENTRIES: usize = 128;

/// The table.
#[derive(Debug, Default)]
pub struct Resident {
    /// Arrays stay when a nest is done.
    stays: bool,
    /// Where all of it is.
    on: Option<Where>,
    entries: Vec<Entry>,
    own: Vec<Own>,
    /// Of the last nest, and how often there was another, or the program may have written.
    last: Option<Stamp>,
    epoch: u64,
    /// When borders were compared in the program's memory, of all slots; and pairs of slots that agree in a box.
    compared: Option<u64>,
    alike: Vec<(u64, u64, u64, Cuboid)>,
    /// For each reduction of the nest that ran last, by slot what is left to be reduced; empty where one before it has
    /// the array.
    pub parts: Vec<Vec<u64>>,
    /// Bytes that went home while arrays were placed, until [`Resident::locate`] has told of them.
    moved: u64,
    /// What the last nest is called.
    name: Name,
    /// The program does itself what the next nest, or the one that runs, does.
    repeats: bool,
}

/// What reports call a nest: function, file and line.
#[derive(Clone, Debug, Default)]
pub struct Name(pub String, pub Option<String>, pub Option<u32>);

/// One slot of an array on the device.
#[derive(Debug)]
struct Entry {
    place: Place,
    /// A variant has asked for rows in whole units.
    aligned: bool,
    buffer: Lasting,
    held: Region,
    newer: Region,
    saved: Option<Saved>,
}

/// What must agree for an entry to serve a nest.
#[derive(Clone, Debug, PartialEq)]
struct Place {
    /// Of subscript zero in the program's memory.
    origin: u64,
    elem: u64,
    strides: Vec<i64>,
    hull: Cuboid,
    layout: Layout,
}

/// An entry as it was before steps ran ahead.
#[derive(Debug)]
struct Saved {
    buffer: Lasting,
    held: Region,
    newer: Region,
    /// The steps may still be taken back.
    open: bool,
}

/// Memory of a nest that the program has not.
#[derive(Debug)]
struct Own {
    /// Address of the nest, array, and which buffer of it.
    of: (usize, usize, usize),
    buffer: Lasting,
    /// When it was given borders.
    epoch: Option<u64>,
}

/// One nest with all that its shape depends on; slots may have turned.
#[derive(Clone, Debug, PartialEq)]
struct Stamp {
    nest: usize,
    ints: Vec<i64>,
    pointers: Vec<u64>,
}

impl Stamp {
    fn of(nest: &Nest, ints: &[i64], pointers: &[u64]) -> Stamp {
        let mut pointers = pointers.to_vec();
        pointers.sort_unstable();
        Stamp { nest: std::ptr::from_ref(nest).addr(), ints: ints.to_vec(), pointers }
    }
}

impl Resident {
    /// A table for a frame.
    pub fn staying() -> Resident {
        Resident { stays: true, ..Resident::default() }
    }

    /// Arrays stay when a nest is done.
    pub fn stays(&self) -> bool {
        self.stays
    }

    /// Where it is, if anything is.
    pub fn place(&self) -> Option<Where> {
        self.on.filter(|_| !self.entries.is_empty())
    }

    /// A device holds arrays of the nest, given its base pointers.
    pub fn is_warm(&self, nest: &Nest, pointers: &[u64]) -> bool {
        let same = self.last.as_ref().is_some_and(|l| l.nest == std::ptr::from_ref(nest).addr());
        let ours = |e: &Entry| {
            pointers.iter().any(|&p| {
                let at = i128::from(p as i64);
                p == e.place.origin || meet((at, at + 1), e.place.span(&e.place.hull))
            })
        };
        self.entries.iter().any(|e| !e.held.is_empty() && (same || ours(e)))
    }

    /// Some of the program's memory is not up to date.
    fn is_ahead(&self) -> bool {
        self.entries.iter().any(|e| !e.newer.is_empty())
    }

    /// Tables of rows are read before the guard has compared addresses: what other nests have written there comes home
    /// first.
    pub fn before_tables(&mut self, nest: &Nest, call: &Call, extent: &Extent, options: &Options) {
        let same = self.last.as_ref() == Some(&Stamp::of(nest, call.ints, call.pointers));
        if !self.is_ahead() || same {
            return;
        }
        // Whatever is stale lies where the first reads of stale words are: those before have led to the right places.
        match guard::tables(nest, extent, call.ints, call.pointers) {
            Ok(read) => {
                for range in read {
                    self.look(HOME_READS, range.start, range.end - range.start, options);
                }
            }
            Err(_) => self.home(HOME_READS, options),
        }
    }

    /// Borders of the same nest have been compared, and nobody has written there since.
    pub fn knows_borders(&self, nest: &Nest, ints: &[i64], pointers: &[u64]) -> bool {
        self.compared == Some(self.epoch)
            && self.last.as_ref() == Some(&Stamp::of(nest, ints, pointers))
    }

    /// They are alike in all slots that so many steps reach.
    pub fn found_alike(&mut self, nest: &Nest, ints: &[i64], pointers: &[u64], shape: &Shape) {
        let own = |a: &usize| nest.record.is_own(*a);
        let slots = |a: usize| shape.arrays[a].slots.len() as i64;
        let most = (0..shape.arrays.len()).filter(|a| !own(a)).map(slots).max().unwrap_or(1);
        if self.stays && shape.extent.steps >= most {
            self.stamp(nest, ints, pointers);
            self.compared = Some(self.epoch);
        }
    }

    /// This nest is the one that runs.
    fn stamp(&mut self, nest: &Nest, ints: &[i64], pointers: &[u64]) {
        let stamp = Stamp::of(nest, ints, pointers);
        if self.last.as_ref() != Some(&stamp) {
            self.last = Some(stamp);
            self.epoch += 1;
            let record = &nest.record;
            self.name = Name(record.function.clone(), record.file.clone(), record.line);
        }
    }

    /// What the nest reads and never writes is compared in the program's memory: it must be there.
    pub fn before_borders(&mut self, nest: &Nest, shape: &Shape, options: &Options) {
        let mut parts = Vec::new();
        for (a, array) in shape.arrays.iter().enumerate() {
            let elem = nest.record.arrays[a].elem.size();
            let written: Region = array.slots.iter().flat_map(|s| s.outputs.clone()).collect();
            for slot in &array.slots {
                for cuboid in difference(&slot.inputs, &written) {
                    parts.extend(self.meeting(slot.origin, &array.strides, elem, &cuboid));
                }
            }
        }
        self.bring_parts(&parts, options);
    }

    /// Entries that the box of an array meets in the program's memory, with what is there of them.
    fn meeting(
        &self,
        origin: u64,
        strides: &[i64],
        elem: u64,
        cuboid: &Cuboid,
    ) -> Vec<(usize, Cuboid)> {
        let (low, high) = span(origin, strides, elem, cuboid);
        let part = |e: &Entry| match e.place.origin == origin && e.place.strides == strides {
            true => Some(*cuboid),
            false => e.place.slab(low, high - low),
        };
        self.entries.iter().enumerate().filter_map(|(i, e)| Some((i, part(e)?))).collect()
    }

    /// What is newer of these parts comes home.
    fn bring_parts(&mut self, parts: &[(usize, Cuboid)], options: &Options) {
        let newer = |(i, part): &&(usize, Cuboid)| {
            let entry = &self.entries[*i];
            !entry.is_open() && !common(&entry.newer, &[*part]).is_empty()
        };
        let stale: Vec<(usize, Cuboid)> = parts.iter().filter(newer).copied().collect();
        if !stale.is_empty() {
            self.at_home(options, |entries, device| {
                stale.iter().map(|(i, part)| entries[*i].bring_home(&[*part], device)).sum()
            });
        }
    }

    /// The program does itself, or by the CPU's threads, what the nest would do: what that touches comes home, and is not
    /// relied on afterwards where it is written.
    pub fn hand_over(&mut self, nest: &Nest, shape: &Shape, options: &Options) {
        let (mut touched, mut written) = (Vec::new(), Vec::new());
        for (a, array) in shape.arrays.iter().enumerate().filter(|(a, _)| !nest.record.is_own(*a)) {
            let elem = nest.record.arrays[a].elem.size();
            for slot in &array.slots {
                let meeting = |c: &Cuboid| self.meeting(slot.origin, &array.strides, elem, c);
                touched.extend(slot.inputs.iter().flat_map(meeting));
                written.extend(slot.outputs.iter().flat_map(meeting));
            }
        }
        touched.extend(&written);
        self.bring_parts(&touched, options);
        written.retain(|(i, _)| !self.entries[*i].is_open());
        self.epoch += 1;
        for (i, part) in written {
            self.entries[i].held = difference(&self.entries[i].held, &[part]);
        }
    }

    /// Makes `device` the one that everything is on.
    fn enter(&mut self, device: &mut dyn Device) -> Result<(), Refusal> {
        let here = device.identity();
        if self.on != Some(here) {
            self.leave_device(Options::of_process())?;
            self.on = Some(here);
        }
        for entry in &self.entries {
            device.attach(&entry.buffer)?;
            if let Some(saved) = &entry.saved {
                device.attach(&saved.buffer)?;
            }
        }
        self.own.iter().try_for_each(|own| device.attach(&own.buffer))
    }

    fn leave_device(&mut self, options: &Options) -> Result<(), Refusal> {
        if self.entries.iter().any(Entry::is_open) {
            let message = "another device, while steps may be taken back on the one before";
            return Err(Refusal::new(Reason::Internal, message));
        }
        self.home(HOME_LEAVES, options);
        Ok(())
    }

    /// A buffer; where there is no room, what the nest does without goes home.
    fn alloc(
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
    /// relied on where the nest writes it. Those that it sees in the same way, but more or less of them, are in the way.
    fn part(
        &mut self,
        wanted: &[Place],
        shape: &Shape,
        nest: &Nest,
        device: &mut dyn Device,
    ) -> Result<(), Refusal> {
        let mut replaced: Vec<Place> = Vec::new();
        for (a, array) in shape.arrays.iter().enumerate().filter(|(a, _)| !nest.record.is_own(*a)) {
            let elem = nest.record.arrays[a].elem.size();
            for slot in &array.slots {
                let touched = slot.inputs.iter().map(|c| (c, false));
                let touched = touched.chain(slot.outputs.iter().map(|c| (c, true)));
                for (cuboid, writes) in touched {
                    for (i, part) in self.meeting(slot.origin, &array.strides, elem, cuboid) {
                        let entry = &mut self.entries[i];
                        if wanted.contains(&entry.place) {
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
                        if place.origin == slot.origin && place.strides == array.strides {
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
        self.part(&wanted, shape, nest, device)?;
        let mut arrays = Vec::with_capacity(shape.arrays.len());
        for (a, array) in shape.arrays.iter().enumerate() {
            let (_, layout, aligned) = &layouts[a];
            let turns = variants.iter().any(|v| has_buffers(v, a));
            let scratch = variants.iter().map(|v| scratch_of(v, a)).max().unwrap_or(0);
            let (mut origins, mut entries) = (Vec::new(), Vec::new());
            let reduced = nest.record.reductions.iter().any(|r| usize::from(r.array) == a);
            let of_slots = if reduced && named[a] && array.hull.is_some() {
                // One buffer, which is filled and folded as one.
                let bytes = layout.bytes.next_multiple_of(tools::THREADS);
                Some(self.own_buffer(
                    (job, a, 0),
                    bytes * array.slots.len() as u64,
                    &wanted,
                    device,
                )?)
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
                let touched = array.slots.get(slot).is_none_or(|s| turns || s.hull.is_some());
                origins.push(match (entry, of_slots) {
                    (Some(entry), _) => self.entries[entry].origin(),
                    (None, Some(start)) if slot < array.slots.len() => {
                        let bytes = layout.bytes.next_multiple_of(tools::THREADS);
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
            // Staging may load what no instance looks at, in slots that these steps don't reach.
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
        self.entries.push(Entry { place, aligned: false, buffer, held, newer, saved: None });
        Ok(self.entries.len() - 1)
    }

    /// Memory that the program has not; its address.
    fn own_buffer(
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
                let missing = difference(&slot.inputs, &entry.held);
                let fresh = entry.held.is_empty();
                let mut rows: Vec<Rows> = missing.iter().map(|c| entry.rows(c)).collect();
                // The first copy into a buffer may spoil what lies between its rows: the others come after it.
                rows.sort_by_key(|rows| std::cmp::Reverse(rows.total()));
                for (i, rows) in rows.iter_mut().enumerate() {
                    rows.loose = fresh && i == 0;
                    total += rows.total();
                    device.upload(rows)?;
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

    /// The program itself does what the next nest does ([`HOME_REPEATS`]); asked once.
    pub fn takes_repeat(&mut self) -> bool {
        std::mem::take(&mut self.repeats)
    }

    /// Runs what the program itself does as well: its results are those of the program's memory, once that is done.
    pub fn repeat<T>(&mut self, run: impl FnOnce(&mut Resident) -> T) -> T {
        self.repeats = true;
        let result = run(self);
        self.repeats = false;
        result
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

    /// Everything that is newer; bytes.
    pub fn bring_home(&mut self, device: &mut dyn Device) -> Result<u64, Refusal> {
        let open = |e: &&mut Entry| !e.is_open();
        self.entries.iter_mut().filter(open).map(|e| e.bring_all_home(device)).sum()
    }

    /// Copies outside of a nest, and tells of them.
    fn at_home(
        &mut self,
        options: &Options,
        copy: impl FnOnce(&mut Vec<Entry>, &mut dyn Device) -> Result<u64, Refusal>,
    ) {
        let Some(on) = self.on else { return };
        let start = Instant::now();
        let bytes = device::open(on, options.thread_count()).and_then(|mut device| {
            self.entries.iter().try_for_each(|e| device.attach(&e.buffer))?;
            copy(&mut self.entries, &mut *device)
        });
        match bytes {
            Ok(bytes) => {
                let seconds = start.elapsed().as_secs_f64();
                report::home(&self.name, on.name(), bytes, seconds, options);
            }
            Err(refusal) => run::abandon(&format!("what lies on the device is lost: {refusal}")),
        }
    }

    /// What [`hexpass_abi::HOME`] says. What can't be brought home is lost, and the program ends.
    pub fn home(&mut self, how: u32, options: &Options) {
        if self.entries.iter().any(|e| !e.newer.is_empty() && !e.is_open()) {
            self.at_home(options, |entries, device| {
                let open = |e: &&mut Entry| !e.is_open();
                entries.iter_mut().filter(open).map(|e| e.bring_all_home(device)).sum()
            });
        }
        self.repeats |= how == HOME_REPEATS;
        if matches!(how, HOME_READS | HOME_REPEATS) {
            return;
        }
        self.epoch += 1;
        if how != HOME_LEAVES {
            self.entries.iter_mut().filter(|e| !e.is_open()).for_each(|e| e.held.clear());
            return;
        }
        // Another loop of the function may run ahead.
        self.entries.retain(Entry::is_open);
        if self.entries.is_empty() {
            self.own.clear();
            (self.on, self.last) = (None, None);
        }
    }

    /// What [`hexpass_abi::LOOK`] says.
    pub fn look(&mut self, how: u32, at: u64, bytes: u64, options: &Options) {
        if i64::try_from(bytes).is_err() {
            // A loop's bounds that make no sense.
            return self.home(how, options);
        }
        let at = i128::from(at as i64);
        let parts: Vec<(usize, Cuboid)> = (self.entries.iter().enumerate())
            .filter_map(|(i, e)| Some((i, e.place.slab(at, i128::from(bytes))?)))
            .collect();
        let stale: Vec<(usize, Cuboid)> = (parts.iter().copied())
            .filter(|(i, part)| !common(&self.entries[*i].newer, &[*part]).is_empty())
            .collect();
        // Whoever may look where steps run ahead has come to all of them.
        if parts.iter().any(|(i, _)| self.entries[*i].is_open()) {
            self.forget();
        }
        if !stale.is_empty() {
            self.at_home(options, |entries, device| {
                stale.iter().map(|(i, part)| entries[*i].bring_home(&[*part], device)).sum()
            });
        }
        if how != HOME_READS && !parts.is_empty() {
            self.epoch += 1;
            for (i, part) in parts {
                self.entries[i].held = difference(&self.entries[i].held, &[part]);
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

/// Slots up to the last that the steps reach.
fn used(slots: &[SlotShape]) -> usize {
    slots.iter().rposition(|s| s.hull.is_some()).map_or(0, |last| last + 1)
}

/// Scratch buffers of a variant that are like this array's slots.
fn scratch_of(variant: &Variant, array: usize) -> usize {
    variant.scratch.iter().filter(|&&a| usize::from(a) == array).count()
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
