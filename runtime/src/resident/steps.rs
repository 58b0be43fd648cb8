//! Steps that run ahead on a device: what they overwrite is kept there, and taken back.

use super::{Place, Resident, Saved};
use crate::device::{self, Device};
use crate::error::Refusal;
use crate::options::Options;
use crate::plan::Job;
use crate::transfer::Placement;

impl Resident {
    /// Keeps what the nest overwrites. One step writes again what it only writes, unless an alarm ends it; of several, the
    /// later ones may not run again.
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
                    || (job.shape.extent.steps == 1
                        && slot.inputs.is_empty()
                        && !job.nest.may_alarm())
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
}
