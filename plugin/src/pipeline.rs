//! The whole compilation on one page.
//!
//! Consumes: a module. Produces: the module with the nests that were taken replaced.

use crate::detect::bindings::{Bindings, Operand};
use crate::llvm::{Analyses, Function, Location, LoopRef, Point, Session, Stretches, WorkingCopy};
use crate::options::Options;
use crate::report::{self, Place};
use crate::{detect, emit, stretches};
use hexpass_abi::{Reduction, VariantTarget};
use hexpass_poly::device::Device;
use hexpass_poly::facts::NestFacts;
use hexpass_poly::isl;
use hexpass_poly::kernel::ir::KernelProgram;
use hexpass_poly::problem::{Problem, analyse_within};
use hexpass_poly::rejection::{Reason, Rejection};
use hexpass_poly::schedule::judge::Verdicts;
use hexpass_poly::strategy::{Choice, Request, choose, shortlist};
use inkwell::llvm_sys::prelude::{LLVMBasicBlockRef, LLVMModuleRef, LLVMValueRef};

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
        options,
        verdicts: Verdicts::default(),
        told: Vec::new(),
        untaken: Vec::new(),
        replaced: Vec::new(),
    };
    let mut changed = false;
    for function in session.candidates() {
        changed |= unit.rewrite(function);
        // An explicit run leaves no mark, so that it prints exactly what it changed.
        if session.point() != Point::Explicit {
            session.mark_seen(function);
        }
    }
    changed
}

/// One run over one module.
struct Unit<'s, 'h> {
    session: &'s Session<'h>,
    options: Options,
    verdicts: Verdicts,
    /// Refusals already told: a function that is inlined elsewhere is met again there.
    told: Vec<(Option<Location>, Reason)>,
    /// Headers of sweeps that can't be taken apart either, in the function at hand.
    untaken: Vec<(LLVMBasicBlockRef, Rejection)>,
    /// Headers of nests there that were taken whole.
    replaced: Vec<LLVMBasicBlockRef>,
}

impl<'h> Unit<'_, 'h> {
    /// Looks at the nests of one function, in a copy that takes the function's place if one of them was taken.
    fn rewrite(&mut self, function: Function<'h>) -> bool {
        let Some(copy) = settled_copy(self.session, function, &self.options) else {
            return false;
        };
        let mut done: Vec<LLVMBasicBlockRef> = Vec::new();
        // Headers of time loops some of whose sweeps were taken apart, and why they could not be taken whole.
        let mut divided: Vec<(LLVMBasicBlockRef, Rejection)> = Vec::new();
        let mut taken = false;
        // Nothing was done to the copy but that time loops were taken as they are.
        let mut whole = true;
        self.untaken.clear();
        self.replaced.clear();
        // Each splice makes the analyses stale: look again until nothing new is found.
        loop {
            let analyses = copy.analyses();
            let mut spliced = false;
            for candidate in detect::candidates(&analyses, function, &done) {
                let place = Place { function, time_loop: candidate.time_loop };
                done.push(candidate.time_loop.header().raw());
                let compiled = candidate.result.and_then(|(facts, bindings)| {
                    let nest = Nest::compile(&facts, &[], &self.options, &mut self.verdicts)?;
                    Ok((nest, bindings))
                });
                // What libm says once a step the host may write down: then devices can do the rest.
                if let Ok((nest, _)) = &compiled
                    && nest.problem.stencil.libm_by_steps()
                    && self.stretch(&copy, &analyses, &place, libm_once(), true).is_ok()
                {
                    (spliced, whole) = (true, false);
                    break;
                }
                let result = compiled.and_then(|(nest, mut bindings)| {
                    let frame = copy.frame_around(&analyses, candidate.time_loop);
                    bindings.frame = frame.map(Operand::Value);
                    let place = (self.session.module(), copy.function().raw());
                    nest.replace(place, candidate.time_loop, &bindings, &self.options)
                        .inspect_err(|_| copy.drop_frame())?;
                    Ok(nest)
                });
                match result {
                    Ok(nest) => {
                        report::taken(
                            self.session,
                            &place,
                            self.options.report.as_deref(),
                            &nest.problem,
                            &nest.choices,
                            &nest.programs.iter().map(|(target, _)| *target).collect::<Vec<_>>(),
                            None,
                        );
                        self.replaced.push(candidate.time_loop.header().raw());
                        spliced = true;
                        break;
                    }
                    // The callee may be in another unit, whose body the link will have.
                    Err(why) if why.reason == Reason::Call && self.session.links_later() => {
                        self.session.defer(function);
                    }
                    Err(why) => match self.stretch(&copy, &analyses, &place, why, false) {
                        Ok(()) => {
                            (spliced, whole) = (true, false);
                            break;
                        }
                        Err(why) => {
                            let header = candidate.time_loop.header().raw();
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

    /// Takes a loop that is no nest as it stands, but whose sweeps can be executed several steps at a time; or says why
    /// not, `why` being what stood in the way of the loop as it is. Only if devices can do that, where `anywhere` says
    /// so.
    fn stretch(
        &mut self,
        copy: &WorkingCopy<'_, 'h>,
        analyses: &Analyses<'_>,
        place: &Place<'_>,
        why: Rejection,
        anywhere: bool,
    ) -> Result<(), Rejection> {
        if !stretches::may_help(why.reason) {
            return Err(why);
        }
        let mut refusal = None;
        let mut reduces = true;
        for (with_stores, with_reductions, keeps) in WAYS_TO_WAIT {
            if !keeps && !with_reductions && !reduces {
                continue;
            }
            let mut found = with_reductions;
            let cut = copy.stretch(analyses, place.time_loop, with_stores, keeps, &mut found);
            if with_reductions {
                reduces = found;
            }
            let result = match cut {
                Ok(cut) => self.take(&cut, place, &why, anywhere).map(|nest| (cut, nest)),
                Err(refused) => Err(stretches::rejection(refused, &why)),
            };
            if let Err(why) = &result {
                let ways = [
                    (with_stores, "stores"),
                    (with_reductions, "reductions"),
                    (keeps, "kept values"),
                ];
                let with: Vec<&str> =
                    ways.iter().filter(|(on, _)| *on).map(|(_, name)| *name).collect();
                show(&self.options, "attempts", || {
                    format!("sweeps that wait, with {}: {why:?}", with.join(", "))
                });
            }
            match result {
                Ok((cut, nest)) => {
                    let report = self.options.report.as_deref();
                    let targets: Vec<_> = nest.programs.iter().map(|(target, _)| *target).collect();
                    report::taken(
                        self.session,
                        place,
                        report,
                        &nest.problem,
                        &nest.choices,
                        &targets,
                        None,
                    );
                    cut.commit();
                    return Ok(());
                }
                Err(_) if keeps => {}
                Err(why) => refusal = refusal.or(Some(why)),
            }
        }
        Err(refusal.unwrap_or(why))
    }

    /// Takes the first sweeps of a step that stand together, where a loop can't be taken as a whole; or says why the loop
    /// is left: for the first of its sweeps that can't be taken either, where others have been (`again`) or a call was
    /// all that stood in the way of the whole.
    fn apart(
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
            let Some(cut) =
                copy.sweeps_apart(analyses, place.time_loop, (most, with_stores), &left)
            else {
                break;
            };
            let sweeps = cut.sweeps();
            match self.take(&cut, place, why, false) {
                Ok(nest) => {
                    let report = self.options.report.as_deref();
                    let targets: Vec<_> = nest.programs.iter().map(|(target, _)| *target).collect();
                    let (problem, choices) = (&nest.problem, &nest.choices);
                    report::taken(
                        self.session,
                        place,
                        report,
                        problem,
                        choices,
                        &targets,
                        Some(why),
                    );
                    cut.commit();
                    return Ok(());
                }
                // Together they are too much, or with what is stored beside them, or one of them is.
                Err(_) if sweeps.len() > 1 => most = sweeps.len() / 2,
                Err(_) if cut.stores() => with_stores = false,
                Err(refusal) => {
                    with_stores = true;
                    show(&self.options, "attempts", || format!("a sweep apart: {refusal:?}"));
                    self.untaken.push((sweeps[0], refusal));
                    most = usize::MAX;
                }
            }
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

    /// The function of the sweeps as a nest, replaced.
    fn take(
        &mut self,
        cut: &Stretches<'_>,
        place: &Place<'_>,
        why: &Rejection,
        anywhere: bool,
    ) -> Result<Nest, Rejection> {
        let analyses = cut.analyses();
        let mut found = detect::candidates(&analyses, place.function, &[]).into_iter();
        let candidate = found.find(|c| c.time_loop.depth() == 1).ok_or_else(|| why.clone())?;
        let (facts, mut bindings) = candidate.result?;
        bindings.ahead = cut.ahead().map(Operand::Value);
        bindings.frame = Some(Operand::Value(cut.frame()));
        let reductions = stretches::reductions(&cut.reductions(), &bindings);
        let nest = Nest::compile(&facts, &reductions, &self.options, &mut self.verdicts)?;
        if anywhere && nest.problem.stencil.libm().is_some() {
            return Err(why.clone());
        }
        let place = (self.session.module(), cut.stretch().raw());
        nest.replace(place, candidate.time_loop, &bindings, &self.options)?;
        analyses.invalidate();
        Ok(nest)
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

/// A copy of the function: one whose time loops have lost what they hardly ever do, where all of those are nests then.
fn settled_copy<'s, 'h>(
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
            Err(why) => may_wait(copy, &analyses, (function, candidate.time_loop), why, options),
        };
        if let Err(why) = &problem {
            show(options, "attempts", || format!("without what it hardly ever does: {why:?}"));
        }
        problem.is_ok()
    })
}

/// The sweeps of a loop that is no nest can be executed several steps at a time; nothing is done about it.
fn may_wait(
    copy: &WorkingCopy<'_, '_>,
    analyses: &Analyses<'_>,
    (function, time_loop): (Function<'_>, LoopRef<'_>),
    why: Rejection,
    options: &Options,
) -> Result<(), Rejection> {
    if !stretches::may_help(why.reason) {
        return Err(why);
    }
    let waits = |(with_stores, mut reductions, keeps)| {
        let cut = copy
            .stretch(analyses, time_loop, with_stores, keeps, &mut reductions)
            .map_err(|refused| stretches::rejection(refused, &why))?;
        let analyses = cut.analyses();
        let mut found = detect::candidates(&analyses, function, &[]).into_iter();
        let candidate = found.find(|c| c.time_loop.depth() == 1).ok_or_else(|| why.clone())?;
        analyse_within(&candidate.result?.0, options.budget).map(drop)
    };
    let mut refusal = None;
    for way in WAYS_TO_WAIT {
        match waits(way) {
            Ok(()) => return Ok(()),
            Err(why) => {
                show(options, "attempts", || {
                    format!("sweeps that wait, without what they hardly ever do: {why:?}")
                });
                refusal = refusal.or(Some(why));
            }
        }
    }
    Err(refusal.unwrap_or(why))
}

/// With what is stored beside the sweeps; with reductions; with values that are kept for later. The first that can be
/// done is taken.
const WAYS_TO_WAIT: [(bool, bool, bool); 6] = [
    (true, false, true),
    (false, false, true),
    (true, true, false),
    (true, false, false),
    (false, true, false),
    (false, false, false),
];

fn libm_once() -> Rejection {
    Rejection::new(Reason::Operation, "a function of libm is called once in each step")
}

/// Beyond, a variant is not worth what compilers need for it, on the host and on the GPU's side: three times what the
/// longest kernels of common stencils are.
const MOST_NODES: usize = 12_000;

/// A nest on its way through the stages.
struct Nest {
    problem: Problem,
    choices: Vec<Choice>,
    programs: Vec<(VariantTarget, KernelProgram)>,
}

impl Nest {
    /// From facts to kernels; from here on legality is proved.
    ///
    /// Host and device are tiled apart: a nest that fits one of them only runs there only.
    fn compile(
        facts: &NestFacts,
        reductions: &[(Option<u16>, Reduction)],
        options: &Options,
        verdicts: &mut Verdicts,
    ) -> Result<Nest, Rejection> {
        show(options, "facts", || facts.to_string());
        let mut problem = analyse_within(facts, options.budget)?;
        problem.stencil.reductions = stretches::placed(reductions, &problem.stencil)?;
        show(options, "problem", || format!("{problem:#?}"));
        let mut nest = Nest { problem, choices: Vec::new(), programs: Vec::new() };
        let mut refusal = None;
        for (target, device) in [
            (VariantTarget::Device, Device::default_gpu()),
            (VariantTarget::Host, Device::default_host()),
        ] {
            // What libm gives, no device gives bit for bit.
            if target == VariantTarget::Device && nest.problem.stencil.libm().is_some() {
                continue;
            }
            for tile in &options.tiles {
                let request = Request {
                    strategy: options.strategy.clone(),
                    tile: tile.clone(),
                    storage: options.storage,
                };
                match nest.tile(&request, &device, options, verdicts) {
                    Ok(made) => {
                        for (choice, program) in made {
                            nest.choices.push(choice);
                            nest.programs.push((target, program));
                        }
                    }
                    Err(why) if why.reason == Reason::TileSize => refusal = refusal.or(Some(why)),
                    Err(why) => return Err(why),
                }
            }
        }
        match refusal {
            Some(why) if nest.programs.is_empty() => Err(why),
            _ => Ok(nest),
        }
    }

    /// The variants worth carrying: strategies and sizes, judged, as kernels. Where the user names sizes, the best.
    fn tile(
        &self,
        request: &Request,
        device: &Device,
        options: &Options,
        verdicts: &mut Verdicts,
    ) -> Result<Vec<(Choice, KernelProgram)>, Rejection> {
        let choices = match request.tile {
            Some(_) => vec![choose(&self.problem, device, request)?],
            None => shortlist(&self.problem, device, request)?,
        };
        let mut variant = |choice: Choice| {
            show(options, "schedule", || format!("{:#?}", choice.schedule()));
            verdicts.check(&self.problem, choice.schedule())?;
            let program = choice.kernels(&self.problem, device)?;
            program.verify(&self.problem.stencil)?;
            if program.nodes() > MOST_NODES {
                let why = "its kernels would take a compiler too long";
                return Err(Rejection::new(Reason::TileSize, why));
            }
            show(options, "kernels", || program.to_string());
            Ok::<_, Rejection>((choice, program))
        };
        let (mut made, mut refusal) = (Vec::new(), None);
        for choice in choices {
            match variant(choice) {
                Ok(one) => made.push(one),
                // What can't be had is left out, as long as something can.
                Err(why) if matches!(why.reason, Reason::Budget | Reason::TileSize) => {
                    refusal = Some(why);
                }
                Err(why) => return Err(why),
            }
        }
        match refusal {
            Some(why) if made.is_empty() => Err(why),
            _ => Ok(made),
        }
    }

    /// Emits the kernels and puts the call of the runtime before the time loop, which is taken then.
    fn replace(
        &self,
        (module, copy): (LLVMModuleRef, LLVMValueRef),
        time_loop: LoopRef<'_>,
        bindings: &Bindings,
        options: &Options,
    ) -> Result<(), Rejection> {
        let programs: Vec<emit::Program<'_>> = self
            .choices
            .iter()
            .zip(&self.programs)
            .map(|(choice, (target, kernels))| emit::Program {
                strategy: choice.strategy.name(),
                sizes: &choice.sizes,
                storage: match target {
                    VariantTarget::Device if choice.strategy.places() => {
                        choice.schedule().storage()
                    }
                    _ => "",
                },
                target: *target,
                kernels,
            })
            .collect();
        // SAFETY: the session's module holds the working copy, whose blocks and values the bindings name; this run of
        // the pass is the only one that touches it.
        unsafe {
            emit::replace(
                module,
                copy,
                &self.problem.stencil,
                &programs,
                bindings,
                options.targets(),
            )
        }
        .map_err(|r| Rejection { reason: Reason::Bug, ..r })?;
        time_loop.mark_taken();
        Ok(())
    }
}

fn show(options: &Options, stage: &str, text: impl FnOnce() -> String) {
    if options.prints(stage) {
        eprintln!("{stage}: {}", text());
    }
}
