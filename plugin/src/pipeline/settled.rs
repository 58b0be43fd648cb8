//! Whether a function is better off without what its time loops hardly ever do.
//!
//! Consumes a function; produces the copy of it that the pipeline works on, and what stood in the way of a copy that is
//! not worked on.

use super::waiting;
use crate::detect::{self, bindings::Bindings};
use crate::llvm::{CopyAs, Function, Location, Session, WorkingCopy};
use crate::options::Options;
use hexpass_poly::facts::NestFacts;
use hexpass_poly::rejection::Rejection;
use hexpass_poly::versions::analyse_all;

/// The time loop that was not taken without what it hardly ever does, and why.
pub type Unsettled = Option<(Option<Location>, Rejection)>;

/// A copy of the function: one whose time loops have lost what they hardly ever do, or keep what their steps have from the
/// heap, where all of those are nests then.
pub fn working_copy<'s, 'h>(
    session: &'s Session<'h>,
    function: Function<'h>,
    options: &Options,
) -> Option<(WorkingCopy<'s, 'h>, Unsettled)> {
    let mut first = None;
    let mut next = Some(CopyAs::Turned);
    while let Some(how) = next {
        let copy = session.working_copy(function, how)?;
        let settled = match copy.is_separate() {
            true => settle(&copy, function, options),
            // There is nothing of the kind, and it is as it was written.
            false if how == CopyAs::Lent => Err(None),
            false => Ok(()),
        };
        match settled {
            Ok(()) => return Some((copy, first)),
            // What stands in the way is told of the loop as it was written.
            Err(_) if copy.is_turned() => {}
            Err(unsettled) => first = first.or(unsettled),
        }
        next = match how {
            _ if copy.is_turned() => Some(CopyAs::Separate),
            CopyAs::Turned | CopyAs::Separate if copy.may_be_lent() => Some(CopyAs::Lent),
            _ => None,
        };
    }
    Some((session.working_copy(function, CopyAs::Written)?, first))
}

fn settle(
    copy: &WorkingCopy<'_, '_>,
    function: Function<'_>,
    options: &Options,
) -> Result<(), Unsettled> {
    let analyses = copy.analyses();
    let found = detect::candidates(&analyses, function, &[]);
    let mut settled = found.into_iter().filter(|c| c.time_loop.is_settled()).peekable();
    if settled.peek().is_none() {
        return Err(None);
    }
    settled.try_for_each(|candidate| {
        let nest = |(facts, _): (NestFacts, Bindings)| {
            let analysed = analyse_all(&facts, options.budget).map(drop);
            analysed.inspect_err(|_| options.show("facts", || facts.to_string()))
        };
        let problem = candidate.result.and_then(nest).or_else(|why| {
            options.show("attempts", || format!("as it is, without that: {why:?}"));
            waiting::may_wait(copy, &analyses, (function, candidate.time_loop), why, options, false)
        });
        if let Err(why) = &problem {
            options.show("attempts", || format!("without what it hardly ever does: {why:?}"));
        }
        problem.map_err(|why| Some((candidate.time_loop.location(), why)))
    })
}
