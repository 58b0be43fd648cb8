//! The whole compilation on one page.
//!
//! Consumes: a module. Produces: the module with the nests that were taken replaced.

// Stages of one nest.
pub mod nest;

// Other ways to take a loop: several of its steps at a time, or its sweeps one by one.
mod apart;
mod callers;
mod waiting;

// Which copy of a function all of that works on.
mod settled;

use crate::detect::Done;
use crate::detect::bindings::Operand;
use crate::llvm::{Function, Location, Point, Session};
use crate::options::Options;
use crate::report::{self, Falls, Place};
use crate::{detect, stretches};
use hexpass_poly::isl;
use hexpass_poly::rejection::{Reason, Rejection};
use hexpass_poly::schedule::judge::Verdicts;
use inkwell::llvm_sys::prelude::LLVMBasicBlockRef;
use nest::Nest;

/// Looks at every candidate function; true when one of them was changed.
pub fn run(session: &Session<'_>) -> bool {
    if let Err(words) = isl::check_version() {
        eprintln!("hexpass: error: {words}; no loop is looked at");
        return false;
    }
    let options = match Options::from_env() {
        Ok(options) => options,
        Err(words) => {
            // Hosts run the pass at several points; saying it once is enough.
            if session.point() != Point::OptimizerEarly {
                eprintln!("hexpass: {words}; no loop is looked at");
            }
            return false;
        }
    };
    let mut unit = Unit {
        session,
        options: &options,
        verdicts: Verdicts::default(),
        told: Vec::new(),
        untaken: Vec::new(),
        work: 0,
        replaced: Vec::new(),
    };
    unit.rewrite_all(session.candidates())
}

/// One run over one module.
struct Unit<'s, 'h> {
    session: &'s Session<'h>,
    options: &'s Options,
    verdicts: Verdicts,
    /// Refusals already told: a function that is inlined elsewhere is met again there.
    told: Vec<(Option<Location>, Reason)>,
    /// Headers of sweeps that can't be taken apart either, in the function at hand.
    untaken: Vec<(LLVMBasicBlockRef, Rejection)>,
    /// Instructions that may still be gone through there to find sweeps that stand apart.
    work: usize,
    /// Headers of nests there that were taken whole.
    replaced: Vec<LLVMBasicBlockRef>,
}

/// Instructions that are gone through for the parts of one function, and parts that any function may have.
const PARTS: (usize, usize) = (200_000, 4);

/// Instructions that are gone through to find them: each of very many sweeps is tried with others, and alone.
const WORK: usize = 20_000_000;

/// How often sweeps may be taken out of a function: for each of them all of it is gone through again.
fn parts_allowed(function: Function<'_>) -> usize {
    let length: usize = function.blocks().into_iter().map(|b| b.instructions().len()).sum();
    (PARTS.0 / length.max(1)).max(PARTS.1)
}

/// What is said of loops in a function from which no more is taken.
fn too_long(why: &Rejection) -> Rejection {
    let words = "the function is so long, with what it calls, that no more sweeps are taken out of it; call the parts of a step by functions that are not inlined";
    let more = Rejection::new(Reason::Budget, words);
    if why.line.is_none() { more } else { more.at(why.line) }
}

impl<'h> Unit<'_, 'h> {
    /// Looks at the nests of one function; true when it was changed.
    fn look_at(&mut self, function: Function<'h>) -> bool {
        let changed = self.rewrite(function);
        // An explicit run leaves no mark, so that it prints exactly what it changed.
        if self.session.point() != Point::Explicit {
            self.session.mark_seen(function);
        }
        changed
    }

    /// Looks at the nests of one function, in a copy that takes the function's place if one of them was taken.
    fn rewrite(&mut self, function: Function<'h>) -> bool {
        let Some((copy, unsettled)) = settled::working_copy(self.session, function, self.options)
        else {
            return false;
        };
        let mut done: Vec<Done> = Vec::new();
        // Headers of time loops some of whose sweeps were taken apart, and why they could not be taken whole.
        let mut divided: Vec<(LLVMBasicBlockRef, Rejection)> = Vec::new();
        let mut taken = false;
        // Nothing was done to the copy but that time loops were taken as they are.
        let mut whole = true;
        self.untaken.clear();
        self.work = WORK;
        self.replaced.clear();
        let mut left = parts_allowed(copy.function());
        // Each splice makes the analyses stale: look again until nothing new is found.
        loop {
            let analyses = copy.analyses();
            let mut spliced = false;
            for candidate in detect::candidates(&analyses, function, &done) {
                let place = Place { function, time_loop: candidate.time_loop };
                let header = candidate.time_loop.header().raw();
                done.push(Done { header, holds_others: candidate.inside });
                // Where the arrays of each step could be had otherwise, it is not they that stand in the way.
                let found = candidate.result.map_err(|why| match &unsettled {
                    Some((at, first))
                        if why.detail == detect::ON_STACK
                            && *at == candidate.time_loop.location() =>
                    {
                        first.clone()
                    }
                    _ => why,
                });
                let compiled = found.and_then(|(facts, bindings)| {
                    let nest = Nest::compile(&facts, &[], self.options, &mut self.verdicts)?;
                    Ok((nest, bindings))
                });
                // What libm says once a step the host may write down: then devices can do the rest.
                if let Ok((nest, _)) = &compiled
                    && left > 0
                    && nest.first.problem.stencil.libm_by_steps()
                    && self.stretch(&copy, &analyses, &place, stretches::libm_once(), true).is_ok()
                {
                    (spliced, whole) = (true, false);
                    break;
                }
                let result = compiled.and_then(|(mut nest, mut bindings)| {
                    let frame = copy.frame_around(&analyses, candidate.time_loop);
                    bindings.frame = frame.map(Operand::Value);
                    detect::add_live_outs(&mut bindings, candidate.time_loop);
                    let place = (self.session.module(), copy.function().raw());
                    nest.replace(place, candidate.time_loop, &bindings, self.options)
                        .inspect_err(|_| copy.drop_frame())?;
                    Ok(nest)
                });
                match result {
                    Ok(nest) => {
                        self.tell(&place, &nest, Falls::default());
                        self.replaced.push(header);
                        spliced = true;
                        break;
                    }
                    // The callee may be in another unit, whose body the link will have: more sweeps of the same step.
                    Err(why)
                        if self.session.links_later()
                            && (why.reason == Reason::Call
                                || copy.calls_away(&analyses, candidate.time_loop)) =>
                    {
                        self.session.defer(function);
                    }
                    Err(why) if left == 0 && stretches::may_stand_apart(why.reason) => {
                        self.leave(&place, &too_long(&why));
                    }
                    Err(why)
                        if stretches::may_stand_apart(why.reason)
                            && copy.needs_extreme(&analyses, candidate.time_loop)
                            && self.apart(&copy, &analyses, &place, (&why, false)).is_ok() =>
                    {
                        divided.push((header, why));
                        done.pop();
                        (spliced, whole) = (true, false);
                        break;
                    }
                    Err(why) => match self.stretch(&copy, &analyses, &place, why, false) {
                        Ok(()) => {
                            // What is left of the loop is beside its sweeps.
                            if let Some(this) = done.last_mut() {
                                this.holds_others = false;
                            }
                            (spliced, whole) = (true, false);
                            break;
                        }
                        Err(why) => {
                            // What stood in the way before parts of it were calls of ours.
                            let at_first = divided.iter().find(|(h, _)| *h == header);
                            let again = at_first.is_some();
                            let why = at_first.map_or(why, |(_, first)| first.clone());
                            match self.apart(&copy, &analyses, &place, (&why, again)) {
                                Ok(()) => {
                                    // There may be more of them.
                                    divided.push((header, why));
                                    done.pop();
                                    (spliced, whole) = (true, false);
                                    break;
                                }
                                Err(_) if candidate.inside => {}
                                // All that there is to say is said of what has been taken in it.
                                Err(why) if why.detail == detect::TAKEN => {}
                                Err(why) => self.leave(&place, &why),
                            }
                        }
                    },
                }
            }
            if !spliced {
                break;
            }
            // Each part is looked for in all of the function.
            left = left.saturating_sub(1);
            taken = true;
            analyses.invalidate();
            if let Err(words) = copy.function().verify() {
                let line = function.location().map_or(0, |l| l.line);
                eprintln!(
                    "hexpass: warning: {} (line {line}): the function without its sweeps is not well formed ({words}); the original stays. Please report it",
                    function.name()
                );
                return false;
            }
        }
        if !taken || !copy.stay(&self.replaced) {
            return false;
        }
        copy.commit(if whole { &self.replaced } else { &[] });
        self.session.add_anchor();
        true
    }

    /// Says that a loop was taken, or sweeps of it.
    fn tell(&self, place: &Place<'_>, nest: &Nest, falls: Falls<'_>) {
        let report = self.options.report.as_deref();
        report::taken(self.session, place, report, nest, falls);
    }

    fn leave(&mut self, place: &Place<'_>, why: &Rejection) {
        let key = (place.time_loop.location(), why.reason);
        if key.0.is_some() && self.told.contains(&key) {
            return;
        }
        self.told.push(key);
        report::left(self.session, place, self.options.report.as_deref(), why);
    }
}
