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

mod copies;
mod entry;
mod frames;
mod placing;
mod reduced;
mod shadow;
mod steps;
mod sums;
mod touched;

pub use frames::Held;

use entry::meet;
use shadow::Shadow;

use crate::ahead::Batch;
use crate::device::tools;
use crate::device::{Device, Lasting};
use crate::error::{Reason, Refusal};
use crate::footprint::{Cuboid, Region};
use crate::guard::Shape;
use crate::layout::Layout;
use crate::options::Options;
use crate::record::Nest;
use crate::run::Where;
use hexpass_abi::HOME_LEAVES;

/// Parts of a fold that the host puts together, for each slot.
pub const PARTS: usize = tools::THREADS as usize;

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
    /// For each, by slot the sum of its terms, if it is one.
    pub sums: Vec<Vec<u64>>,
    /// Of which arrays they lie in few rows, while the nest runs.
    few: reduced::AllFew,
    /// Bytes that went home while arrays were placed, until [`Resident::locate`] has told of them.
    moved: u64,
    /// Memory of steps that ran ahead, for those to come.
    pub spare: Option<Batch>,
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
    /// Only what the device has changed may go home.
    shadow: Option<Shadow>,
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

/// One nest with all that its shape depends on; slots of an array may have turned.
#[derive(Clone, Debug, PartialEq)]
struct Stamp {
    nest: usize,
    ints: Vec<i64>,
    /// Those of each array's slots, in any order, then all others. Arrays that have changed places are other ones.
    pointers: Vec<u64>,
}

impl Stamp {
    fn of(nest: &Nest, ints: &[i64], pointers: &[u64]) -> Stamp {
        let mut all = Vec::with_capacity(pointers.len());
        let mut rest = vec![true; pointers.len()];
        for array in &nest.record.arrays {
            let first = all.len();
            for slot in array.slots.iter().map(|s| usize::from(s.pointer)) {
                all.push(pointers[slot]);
                rest[slot] = false;
            }
            all[first..].sort_unstable();
        }
        all.extend(pointers.iter().zip(rest).filter(|(_, rest)| *rest).map(|(p, _)| p));
        Stamp { nest: std::ptr::from_ref(nest).addr(), ints: ints.to_vec(), pointers: all }
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
}
