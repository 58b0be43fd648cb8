//! Sweeps that wait: time loops with side code, several of whose steps can be executed at a time.
//!
//! Consumes a time loop that is no nest as it stands; produces one whose sweeps are counted and executed later, by a
//! function that is a nest ([`crate::stretches`]).
//!
//! Refuses what none of the [`WAYS`] helps; the first refusal is told.

use super::Unit;
use super::nest::Nest;
use crate::detect::bindings::Operand;
use crate::llvm::{Analyses, Function, LoopRef, Stretches, WorkingCopy};
use crate::options::Options;
use crate::report::{Falls, Place};
use crate::{detect, stretches};
use hexpass_abi::{IntExpr, Poly};
use hexpass_poly::rejection::Rejection;
use hexpass_poly::versions::analyse_all;

/// How many steps the function of the sweeps is called for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Steps {
    One,
    Several,
}

/// What waits with the sweeps.
#[derive(Clone, Copy)]
struct Way {
    /// What is stored beside them.
    stores: bool,
    reductions: bool,
    /// Values are kept for later.
    keeps: bool,
    /// Elements are recorded at places that are looked up.
    records: bool,
}

/// The first that can be done is taken.
const WAYS: [Way; 7] = [
    Way { stores: true, reductions: false, keeps: false, records: true },
    Way { stores: true, reductions: false, keeps: true, records: false },
    Way { stores: false, reductions: false, keeps: true, records: false },
    Way { stores: true, reductions: true, keeps: false, records: false },
    Way { stores: true, reductions: false, keeps: false, records: false },
    Way { stores: false, reductions: true, keeps: false, records: false },
    Way { stores: false, reductions: false, keeps: false, records: false },
];

/// What comes of the first way in which `take` takes the sweeps of a loop; `why`: what stood in the way of the loop as
/// it is.
fn first_way<'c, T>(
    copy: &'c WorkingCopy<'_, '_>,
    analyses: &Analyses<'_>,
    time_loop: LoopRef<'_>,
    (why, options): (Rejection, &Options),
    mut take: impl FnMut(Stretches<'c>) -> Result<T, Rejection>,
) -> Result<T, Rejection> {
    if !stretches::may_help(why.reason) {
        return Err(why);
    }
    let mut refusal = None;
    let mut reduces = true;
    for Way { stores, reductions, keeps, records } in WAYS {
        if !keeps && !records && !reductions && !reduces {
            continue;
        }
        let mut found = reductions;
        let cut = copy.stretch(analyses, time_loop, (stores, keeps, records), &mut found);
        if reductions {
            reduces = found;
        }
        let way = || {
            let ways = [
                (stores, "stores"),
                (reductions, "reductions"),
                (keeps, "kept values"),
                (records, "receivers"),
            ];
            let with: Vec<&str> =
                ways.iter().filter(|(on, _)| *on).map(|(_, name)| *name).collect();
            format!("sweeps that wait, with {}", with.join(", "))
        };
        let cut = cut.map_err(|refused| {
            options.show("attempts", || format!("{}: {refused:?}", way()));
            stretches::rejection(refused, &why)
        });
        match cut.and_then(&mut take) {
            Ok(taken) => return Ok(taken),
            Err(why) => {
                options.show("attempts", || format!("{}: {why:?}", way()));
                if !keeps && !records {
                    refusal = refusal.or(Some(why));
                }
            }
        }
    }
    Err(refusal.unwrap_or(why))
}

/// The sweeps of a loop that is no nest can wait; `several`: and more than one step is executed at a time. Nothing is done
/// about it.
pub fn may_wait(
    copy: &WorkingCopy<'_, '_>,
    analyses: &Analyses<'_>,
    (function, time_loop): (Function<'_>, LoopRef<'_>),
    why: Rejection,
    options: &Options,
    several: bool,
) -> Result<(), Rejection> {
    first_way(copy, analyses, time_loop, (why.clone(), options), |cut| {
        if several && cut.slow().is_some() {
            return Err(why.clone());
        }
        let analyses = cut.analyses();
        let mut found = detect::candidates(&analyses, function, &[]).into_iter();
        let candidate = found.find(|c| c.time_loop.depth() == 1).ok_or_else(|| why.clone())?;
        analyse_all(&candidate.result?.0, options.budget).map(drop)
    })
}

impl<'h> Unit<'_, 'h> {
    /// Takes a loop that is no nest as it stands, but whose sweeps can be executed several steps at a time; or says why
    /// not, `why` being what stood in the way of the loop as it is. Only if devices can do that, where `anywhere` says
    /// so.
    pub(super) fn stretch(
        &mut self,
        copy: &WorkingCopy<'_, 'h>,
        analyses: &Analyses<'_>,
        place: &Place<'_>,
        why: Rejection,
        anywhere: bool,
    ) -> Result<(), Rejection> {
        let options = self.options;
        let at_first = why.clone();
        let (cut, nest) = first_way(copy, analyses, place.time_loop, (why, options), |cut| {
            // What is no better than a step at a time does not help a loop that can be taken as it is.
            if anywhere && cut.slow().is_some() {
                return Err(at_first.clone());
            }
            self.take(&cut, place, &at_first, (Steps::Several, anywhere)).map(|nest| (cut, nest))
        })?;
        let one_by_one = cut.slow().map(stretches::one_by_one);
        self.tell(place, &nest, Falls { whole: None, one_by_one });
        cut.commit();
        Ok(())
    }

    /// The function of the sweeps as a nest, replaced.
    pub(super) fn take(
        &mut self,
        cut: &Stretches<'_>,
        place: &Place<'_>,
        why: &Rejection,
        (steps, anywhere): (Steps, bool),
    ) -> Result<Nest, Rejection> {
        let analyses = cut.analyses();
        let mut found = detect::candidates(&analyses, place.function, &[]).into_iter();
        let candidate = found.find(|c| c.time_loop.depth() == 1).ok_or_else(|| why.clone())?;
        let (mut facts, mut bindings) = candidate.result?;
        if steps == Steps::One {
            facts.steps = IntExpr::Poly(Poly::constant(1));
        }
        bindings.ahead = cut.ahead().map(Operand::Value);
        bindings.frame = Some(Operand::Value(cut.frame()));
        if cut.leaves_words() {
            bindings.final_stores.clear();
        }
        let reductions = stretches::reductions(&cut.reductions(), &bindings);
        let mut nest = Nest::compile(&facts, &reductions, self.options, &mut self.verdicts)?;
        if anywhere && nest.first.problem.stencil.libm().is_some() {
            return Err(why.clone());
        }
        let place = (self.session.module(), cut.stretch().raw());
        nest.replace(place, candidate.time_loop, &bindings, self.options)?;
        analyses.invalidate();
        Ok(nest)
    }
}
