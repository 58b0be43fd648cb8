//! Which table belongs to which frame.
//!
//! Consumes the frame that generated code passes; produces its table for as long as one of the runtime's functions has it.

use super::Resident;
use hexpass_abi::Frame;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The table of a frame while one of the runtime's functions has it.
pub struct Held<'a> {
    frame: Option<&'a mut Frame>,
    table: Box<Resident>,
}

/// Tables of all frames, by the frame's address. A frame that is left in a way that generated code does not see (a
/// `longjmp`, an exception over memory that nobody else knows) leaves its table behind; a later frame at its place finds it.
static TABLES: Mutex<Vec<(usize, Table)>> = Mutex::new(Vec::new());

struct Table(*mut Resident);

// SAFETY: a table is reached by the thread that has its frame, or by the first that has another frame at that place.
unsafe impl Send for Table {}

fn tables() -> MutexGuard<'static, Vec<(usize, Table)>> {
    TABLES.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Held<'a> {
    /// The table of a frame, an empty one if it has none; without a frame, one that nothing stays in.
    pub fn of(frame: Option<&'a mut Frame>) -> Held<'a> {
        let Some(frame) = frame else {
            return Held { frame: None, table: Box::default() };
        };
        let mut tables = tables();
        let at = std::ptr::from_ref::<Frame>(frame).addr();
        let known = tables.iter().position(|(of, _)| *of == at);
        let known = known.map(|known| tables.swap_remove(known).1.0);
        drop(tables);
        // SAFETY: it comes from `Box::into_raw` in `drop`, and has just left the list.
        let known = known.map(|known| unsafe { Box::from_raw(known) });
        // What an earlier frame at this place has left behind is of no use to anybody.
        let state: *const Resident = frame.state.cast();
        let known = known.filter(|table| std::ptr::from_ref::<Resident>(table) == state);
        let table = known.unwrap_or_else(|| Box::new(Resident::staying()));
        frame.state = std::ptr::null_mut();
        Held { frame: Some(frame), table }
    }
}

impl Deref for Held<'_> {
    type Target = Resident;

    fn deref(&self) -> &Resident {
        &self.table
    }
}

impl DerefMut for Held<'_> {
    fn deref_mut(&mut self) -> &mut Resident {
        &mut self.table
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let Some(frame) = &mut self.frame else { return };
        if self.table.on.is_none() && self.table.spare.is_none() {
            return;
        }
        let table = Box::into_raw(std::mem::take(&mut self.table));
        frame.state = table.cast();
        tables().push((std::ptr::from_ref::<Frame>(frame).addr(), Table(table)));
    }
}
