//! Sweeps that are taken one by one, where the loop around them can't be taken as a whole.
//!
//! Consumes a time loop and what stood in its way; produces calls of functions, each with some sweeps of one step.
//!
//! Refuses a loop none of whose sweeps can be taken, and says why.

use super::waiting::Steps;
use super::{Unit, too_long};
use crate::llvm::{Analyses, WorkingCopy};
use crate::report::{Falls, Place};
use crate::stretches;
use hexpass_poly::rejection::{Reason, Rejection};
use inkwell::llvm_sys::prelude::LLVMBasicBlockRef;

impl<'h> Unit<'_, 'h> {
    /// Takes the first sweeps of a step that stand together, where a loop can't be taken as a whole; or says why the loop
    /// is left: for the first of its sweeps that can't be taken either, where others have been (`again`) or a call was
    /// all that stood in the way of the whole.
    pub(super) fn apart(
        &mut self,
        copy: &WorkingCopy<'_, 'h>,
        analyses: &Analyses<'_>,
        place: &Place<'_>,
        (why, again): (&Rejection, bool),
    ) -> Result<(), Rejection> {
        if !stretches::may_stand_apart(why.reason) {
            return Err(why.clone());
        }
        let mut most = usize::MAX;
        let mut with_stores = true;
        loop {
            let left: Vec<_> = self.untaken.iter().map(|(header, _)| *header).collect();
            let Some(cut) = copy.sweeps_apart(
                analyses,
                place.time_loop,
                (most, with_stores),
                &left,
                &mut self.work,
            ) else {
                break;
            };
            let sweeps = cut.sweeps();
            match self.take(&cut, place, why, (Steps::One, false)) {
                Ok(nest) => {
                    self.tell(place, &nest, Falls { whole: Some(why), one_by_one: None });
                    cut.commit();
                    return Ok(());
                }
                // Together they are too much, or with what is stored beside them, or one of them is.
                Err(_) if sweeps.len() > 1 => most = sweeps.len() / 2,
                Err(_) if cut.stores() => with_stores = false,
                Err(refusal) => {
                    with_stores = true;
                    self.options.show("attempts", || format!("a sweep apart: {refusal:?}"));
                    self.untaken.push((sweeps[0], refusal));
                    most = usize::MAX;
                }
            }
        }
        if self.work == 0 {
            return Err(too_long(why));
        }
        let own = |(header, _): &&(LLVMBasicBlockRef, Rejection)| {
            place.time_loop.blocks().iter().any(|b| b.raw() == *header)
        };
        // Side code does not matter to those.
        let untaken = self.untaken.iter().find(own).map(|(_, refusal)| refusal);
        match untaken.filter(|refusal| refusal.reason != Reason::Call) {
            Some(refusal) if again || matches!(why.reason, Reason::Call | Reason::Reduction) => {
                Err(refusal.clone())
            }
            // What other sweeps leave behind is not what stands in the way of those.
            None if why.reason == Reason::Reduction => {
                match copy.gather(analyses, place.time_loop) {
                    Some(line) => Err(stretches::gather(line)),
                    None => Err(why.clone()),
                }
            }
            _ => Err(why.clone()),
        }
    }
}
