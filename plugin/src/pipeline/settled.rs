//! Whether a function is better off without what its time loops hardly ever do.
//!
//! Consumes a function; produces the copy of it that the pipeline works on.

use super::waiting;
use crate::detect;
use crate::llvm::{Function, Session, WorkingCopy};
use crate::options::Options;
use hexpass_poly::problem::analyse_within;

/// A copy of the function: one whose time loops have lost what they hardly ever do, where all of those are nests then.
pub fn working_copy<'s, 'h>(
    session: &'s Session<'h>,
    function: Function<'h>,
    options: &Options,
) -> Option<WorkingCopy<'s, 'h>> {
    let copy = session.working_copy(function, true)?;
    if copy.is_separate() && !is_settled(&copy, function, options) {
        drop(copy);
        return session.working_copy(function, false);
    }
    Some(copy)
}

fn is_settled(copy: &WorkingCopy<'_, '_>, function: Function<'_>, options: &Options) -> bool {
    let analyses = copy.analyses();
    let found = detect::candidates(&analyses, function, &[]);
    let mut settled = found.into_iter().filter(|c| c.time_loop.is_settled()).peekable();
    let any = settled.peek().is_some();
    any && settled.all(|candidate| {
        let problem = match candidate.result {
            Ok((facts, _)) => analyse_within(&facts, options.budget).map(drop),
            Err(why) => {
                waiting::may_wait(copy, &analyses, (function, candidate.time_loop), why, options)
            }
        };
        if let Err(why) = &problem {
            options.show("attempts", || format!("without what it hardly ever does: {why:?}"));
        }
        problem.is_ok()
    })
}
