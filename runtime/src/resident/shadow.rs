//! What an array held when it was copied to a device.
//!
//! Of an array that is written under a condition, where not all that the condition may leave out is known to be the array's
//! ([`crate::guard::ArrayShape::careful`]), the program may write something else there while the array is on a device. So only
//! elements that the device has changed go home.
//!
//! Consumes rows as they go either way; produces stores of what differs. Refuses (`out-of-memory`) where there is not so much.

use super::Entry;
use crate::device::Device;
use crate::error::{Reason, Refusal};
use crate::fresh;
use crate::transfer::Rows;

/// Copies of what lies in the program's memory from its array's first element to its last.
#[derive(Debug)]
pub(super) struct Shadow {
    /// Address of the first.
    low: u64,
    /// Bytes of an element.
    elem: usize,
    /// As it went to the device, or came from there.
    before: Vec<u64>,
    /// Room for what comes from there.
    now: Vec<u64>,
}

impl Shadow {
    fn of(entry: &Entry) -> Result<Shadow, Refusal> {
        let (low, high) = entry.place.span(&entry.place.hull);
        let words = usize::try_from((high - low + 7) / 8).unwrap_or(usize::MAX);
        let room = || {
            fresh::zeros(words).ok_or_else(|| {
                let message =
                    "what an array held before it was copied to a device takes too much memory";
                Refusal::new(Reason::OutOfMemory, message)
            })
        };
        let elem = entry.place.elem as usize;
        Ok(Shadow { low: low as u64, elem, before: room()?, now: room()? })
    }

    /// Notes down what rows hold in the program's memory.
    pub(super) fn remember(&mut self, rows: &Rows) {
        let before = self.before.as_mut_ptr().cast::<u8>();
        for row in 0..rows.count() {
            let host = rows.host + rows.offsets(row).0;
            let at = (host - self.low) as usize;
            let bytes = rows.bytes as usize;
            // SAFETY: the guard has found the row in one of the program's arrays, which the copy is as long as.
            unsafe {
                let from = std::ptr::with_exposed_provenance::<u8>(host as usize);
                before.add(at).copy_from_nonoverlapping(from, bytes);
            }
        }
    }

    /// Stores elements of the rows that are others now.
    pub(super) fn bring_home(
        &mut self,
        rows: &Rows,
        device: &mut dyn Device,
    ) -> Result<(), Refusal> {
        let room = self.now.as_mut_ptr().expose_provenance() as u64;
        device.download(&Rows { host: rows.host - self.low + room, ..*rows })?;
        let (before, now) = (self.before.as_mut_ptr().cast::<u8>(), self.now.as_ptr().cast::<u8>());
        for row in 0..rows.count() {
            let host = rows.host + rows.offsets(row).0;
            let at = (host - self.low) as usize;
            for element in (0..rows.bytes as usize).step_by(self.elem) {
                // SAFETY: as in `remember`; the nest writes the array.
                unsafe {
                    let (old, new) = (before.add(at + element), now.add(at + element));
                    let bytes = |p: *const u8| std::slice::from_raw_parts(p, self.elem);
                    if bytes(old) == bytes(new) {
                        continue;
                    }
                    let to = (host as usize).wrapping_add(element);
                    let to = std::ptr::with_exposed_provenance_mut::<u8>(to);
                    to.copy_from_nonoverlapping(new, self.elem);
                    old.copy_from_nonoverlapping(new, self.elem);
                }
            }
        }
        Ok(())
    }
}

impl Entry {
    /// Only what changes goes home from here on; bytes that go before that.
    pub(super) fn beware(&mut self, device: &mut dyn Device) -> Result<u64, Refusal> {
        if self.shadow.is_some() {
            return Ok(0);
        }
        let moved = self.bring_all_home(device)?;
        let mut shadow = Shadow::of(self)?;
        for cuboid in &self.held {
            shadow.remember(&self.rows(cuboid));
        }
        self.shadow = Some(shadow);
        Ok(moved)
    }
}
