//! Functions that are called once: whether they are looked at by themselves, or in their caller.
//!
//! In the caller it is known what the arguments are: which arrays are apart, numbers that are constants there. But other
//! things may stand in the way there.
//!
//! Consumes the candidates; produces the order in which they are rewritten. A caller comes before its parts, which are inlined
//! there, where as many nests can be taken, all steps together, as by themselves.
//!
//! Refuses callers in which fewer can be, and those none of whose parts has a nest or might have one there.

use super::{Unit, settled, waiting};
use crate::detect::{self, Candidate};
use crate::llvm::{Function, LoopRef};
use hexpass_poly::rejection::Reason;
use hexpass_poly::versions::analyse_all;
use std::collections::HashMap;

/// Callers above one function; more are no programs.
const MOST_CALLERS: usize = 16;

/// What of a function can be taken, all steps together.
#[derive(Clone, Copy, Debug, Default)]
struct Nests {
    taken: usize,
    /// Others may be where more is known of what is called, and of where arrays are.
    perhaps: bool,
}

/// Functions that are called once, below one that is not, and what has been found out about them.
#[derive(Default)]
struct Parts<'h> {
    /// With the one that calls it.
    of: Vec<(Function<'h>, Function<'h>)>,
    /// Those that may hold a nest.
    candidates: Vec<Function<'h>>,
    /// Nests of a function with all that is below it.
    nests: HashMap<Function<'h>, Nests>,
    /// All of those that are below it are among them.
    has_all: HashMap<Function<'h>, bool>,
}

impl<'h> Unit<'_, 'h> {
    /// Looks at functions, callees before callers; true when one was changed. Those that have all nests of their parts
    /// come when the first of the parts does: functions behind it may call it by its address.
    pub(super) fn rewrite_all(&mut self, functions: Vec<Function<'h>>) -> bool {
        let with_callers: Vec<_> = functions.iter().map(|f| self.callers(*f)).collect();
        let mut changed = false;
        let mut done: Vec<Function<'h>> = Vec::new();
        for callers in &with_callers {
            let whole = callers[callers.len() - 1];
            if callers.len() > 1 && !done.contains(&whole) {
                done.push(whole);
                changed |= self.top_down(whole, &mut Parts::below(whole, &with_callers));
            }
            // Whoever calls it may be gone, and its call with it.
            if !callers.iter().any(|f| self.session.is_unused(*f)) {
                changed |= self.look_at(callers[0]);
            }
        }
        changed
    }

    /// A function that is called once, its caller, that one's if it is called once as well, and so on.
    fn callers(&self, function: Function<'h>) -> Vec<Function<'h>> {
        let callers = std::iter::successors(Some(function), |f| self.session.only_caller(*f));
        callers.take(MOST_CALLERS).collect()
    }

    /// Looks at the outermost functions that have all nests of their parts.
    fn top_down(&mut self, function: Function<'h>, parts: &mut Parts<'h>) -> bool {
        if self.has_all(function, parts) {
            return self.look_at(function);
        }
        let inner = parts.inside(function);
        inner.into_iter().fold(false, |changed, f| self.top_down(f, parts) | changed)
    }

    /// With its parts inlined, the function has all nests that it and they have.
    fn has_all(&self, function: Function<'h>, parts: &mut Parts<'h>) -> bool {
        if let Some(&known) = parts.has_all.get(&function) {
            return known;
        }
        let inner = parts.inside(function);
        let apart = self.most_nests(&inner, parts);
        let has_all = (apart.taken > 0 || apart.perhaps) && {
            let all = self.all_nests(function, parts).taken;
            all >= apart.taken.max(1) && {
                let own = self.session.without(&inner, || self.nests(function)).taken;
                all > own && all >= apart.taken + own
            }
        };
        parts.has_all.insert(function, has_all);
        has_all
    }

    /// Nests of functions, or of their parts.
    fn most_nests(&self, functions: &[Function<'h>], parts: &mut Parts<'h>) -> Nests {
        functions.iter().fold(Nests::default(), |sum, f| {
            let inner = self.most_nests(&parts.inside(*f), parts);
            let promising = inner.taken > 0 || inner.perhaps || parts.candidates.contains(f);
            let all = if promising { self.all_nests(*f, parts) } else { Nests::default() };
            Nests {
                taken: sum.taken + all.taken.max(inner.taken),
                perhaps: sum.perhaps || all.perhaps || inner.perhaps,
            }
        })
    }

    fn all_nests(&self, function: Function<'h>, parts: &mut Parts<'h>) -> Nests {
        *parts.nests.entry(function).or_insert_with(|| self.nests(function))
    }

    /// Of a function, with what it calls inlined. Nothing is done about them.
    fn nests(&self, function: Function<'h>) -> Nests {
        let Some((copy, _)) = settled::working_copy(self.session, function, self.options) else {
            return Nests::default();
        };
        let mut perhaps = false;
        let analyses = copy.analyses();
        let mut taken: Vec<LoopRef<'_>> = Vec::new();
        for Candidate { time_loop, result, .. } in detect::candidates(&analyses, function, &[]) {
            let within = |a: LoopRef<'_>, b: LoopRef<'_>| b.contains(a.header());
            if taken.iter().any(|t| within(*t, time_loop) || within(time_loop, *t)) {
                continue;
            }
            let nest =
                result.and_then(|(facts, _)| analyse_all(&facts, self.options.budget).map(drop));
            let nest = nest.or_else(|why| match why.reason {
                // Of the sweeps themselves.
                Reason::Dependence => Err(why),
                _ => {
                    let at = (function, time_loop);
                    waiting::may_wait(&copy, &analyses, at, why, self.options, true)
                }
            });
            match nest {
                Ok(()) => taken.push(time_loop),
                Err(why) => perhaps |= matches!(why.reason, Reason::Call | Reason::BasePointer),
            }
        }
        Nests { taken: taken.len(), perhaps }
    }
}

impl<'h> Parts<'h> {
    /// Those of one function; `with_callers`: functions, each with its callers.
    fn below(whole: Function<'h>, with_callers: &[Vec<Function<'h>>]) -> Parts<'h> {
        let mut parts = Parts::default();
        for callers in with_callers.iter().filter(|callers| callers.last() == Some(&whole)) {
            parts.candidates.push(callers[0]);
            for pair in callers.windows(2) {
                if !parts.of.contains(&(pair[0], pair[1])) {
                    parts.of.push((pair[0], pair[1]));
                }
            }
        }
        parts
    }

    fn inside(&self, function: Function<'h>) -> Vec<Function<'h>> {
        self.of.iter().filter(|(_, caller)| *caller == function).map(|(f, _)| *f).collect()
    }
}
