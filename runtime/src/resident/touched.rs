//! What the program may look at, or does itself: what is newer of that comes home first.
//!
//! Consumes what generated code says of the code between nests ([`hexpass_abi::HOME`], [`hexpass_abi::LOOK`]), and the
//! shapes of nests that run without the device; produces copies from the device, and leaves in `held` what is still right.

use super::entry::{common, span};
use super::{Entry, Place, Resident, Stamp};
use crate::borders;
use crate::device::{self, Device};
use crate::error::Refusal;
use crate::footprint::{Cuboid, Region, difference};
use crate::guard::{self, Extent, Shape};
use crate::options::Options;
use crate::record::Nest;
use crate::report;
use crate::run::{self, Call};
use hexpass_abi::{HOME_LEAVES, HOME_READS, HOME_REPEATS};
use std::time::Instant;

impl Resident {
    /// Tables of rows are read before the guard has compared addresses: what other nests have written there comes home
    /// first.
    pub fn before_tables(&mut self, nest: &Nest, call: &Call, extent: &Extent, options: &Options) {
        let same = self.last.as_ref() == Some(&Stamp::of(nest, call.ints, call.pointers));
        if !self.is_ahead() || same {
            return;
        }
        // Whatever is stale lies where the first reads of stale words are: those before have led to the right places.
        match guard::looked_at(nest, extent, call.ints, call.pointers) {
            Ok(read) => {
                for range in read {
                    self.look(HOME_READS, range.start, range.end - range.start, options);
                }
            }
            Err(_) => self.home(HOME_READS, options),
        }
    }

    /// What the nest reads and never writes, of arrays whose slots change places, is compared in the program's memory:
    /// it must be there.
    pub fn before_borders(&mut self, nest: &Nest, shape: &Shape, options: &Options) {
        let mut parts = Vec::new();
        let compared = |(a, _): &(usize, _)| borders::is_compared(nest, *a);
        for (a, array) in shape.arrays.iter().enumerate().filter(compared) {
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
    pub(super) fn meeting(
        &self,
        origin: u64,
        strides: &[i64],
        elem: u64,
        cuboid: &Cuboid,
    ) -> Vec<(usize, Cuboid)> {
        let (low, high) = span(origin, strides, elem, cuboid);
        // The same subscripts, and each element has one.
        let alike = |place: &Place| {
            place.origin == origin
                && place.strides == strides
                && place.hull.hull(cuboid).overlong_rows(strides, place.elem).is_none()
        };
        let part = |e: &Entry| match alike(&e.place) {
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

    /// Everything can come home now, and need not stay: no steps may be taken back, and what runs is not repeated by the
    /// program, which would begin with what has come home.
    pub fn is_free(&self) -> bool {
        !self.repeats && !self.entries.iter().any(Entry::is_open)
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
            (self.on, self.last, self.spare) = (None, None, None);
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
            // What else agrees still does.
            let origins: Vec<u64> =
                parts.iter().map(|(i, _)| self.entries[*i].place.origin).collect();
            self.alike.retain_mut(|(epoch, a, b, _)| {
                let is_known = *epoch == self.epoch && !origins.contains(a) && !origins.contains(b);
                *epoch += 1;
                is_known
            });
            self.epoch += 1;
            for (i, part) in parts {
                self.entries[i].held = difference(&self.entries[i].held, &[part]);
            }
        }
    }
}
