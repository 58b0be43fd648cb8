//! The whole compilation on one page.
//!
//! Consumes: a module. Produces: the module with the nests that were taken replaced.

use crate::detect::bindings::Bindings;
use crate::llvm::{Function, Point, Session};
use crate::options::Options;
use crate::report::{self, Place};
use crate::{detect, emit};
use hexpass_abi::VariantTarget;
use hexpass_poly::device::Device;
use hexpass_poly::facts::NestFacts;
use hexpass_poly::kernel::ir::KernelProgram;
use hexpass_poly::problem::{Problem, analyse};
use hexpass_poly::rejection::{Reason, Rejection};
use hexpass_poly::schedule::judge;
use hexpass_poly::strategy::{Choice, Request, choose};
use inkwell::llvm_sys::prelude::{LLVMBasicBlockRef, LLVMModuleRef, LLVMValueRef};

/// Looks at every candidate function; true when one of them was changed.
pub fn run(session: &Session<'_>) -> bool {
    let options = match Options::from_env() {
        Ok(options) => options,
        Err(words) => {
            eprintln!("hexpass: {words}; no loop is looked at");
            return false;
        }
    };
    let mut changed = false;
    for function in session.candidates() {
        changed |= rewrite(session, function, &options);
        // An explicit run leaves no mark, so that it prints exactly what it changed.
        if session.point() != Point::Explicit {
            session.mark_seen(function);
        }
    }
    changed
}

/// Looks at the nests of one function, in a copy that takes the function's place if one of them was taken.
fn rewrite<'h>(session: &Session<'h>, function: Function<'h>, options: &Options) -> bool {
    let Some(copy) = session.working_copy(function) else { return false };
    let mut done: Vec<LLVMBasicBlockRef> = Vec::new();
    let mut taken = 0;
    // Each splice makes the analyses stale: look again until nothing new is found.
    loop {
        let analyses = copy.analyses();
        let mut spliced = false;
        for candidate in detect::candidates(&analyses, function, &done) {
            let place = Place { function, time_loop: candidate.time_loop };
            done.push(candidate.time_loop.header().raw());
            let result = candidate.result.and_then(|(facts, bindings)| {
                let nest = Nest::compile(&facts, options)?;
                nest.replace(session.module(), copy.function().raw(), &bindings, options)?;
                Ok(nest)
            });
            match result {
                Ok(nest) => {
                    report::taken(
                        session,
                        &place,
                        options.report.as_deref(),
                        &nest.problem,
                        &nest.choices,
                    );
                    spliced = true;
                    break;
                }
                Err(why) => report::left(session, &place, options.report.as_deref(), &why),
            }
        }
        if !spliced {
            break;
        }
        taken += 1;
        analyses.invalidate();
    }
    if taken == 0 {
        return false;
    }
    if let Err(words) = copy.function().verify() {
        eprintln!(
            "hexpass: {}: the new code is not well formed and is dropped: {words}",
            function.name()
        );
        return false;
    }
    copy.commit();
    session.add_anchor();
    true
}

/// A nest on its way through the stages.
struct Nest {
    problem: Problem,
    choices: Vec<Choice>,
    programs: Vec<(VariantTarget, KernelProgram)>,
}

impl Nest {
    /// From facts to kernels; from here on legality is proved.
    fn compile(facts: &NestFacts, options: &Options) -> Result<Nest, Rejection> {
        show(options, "facts", || format!("{facts:#?}"));
        let problem = analyse(facts)?;
        show(options, "problem", || format!("{problem:#?}"));
        let mut nest = Nest { problem, choices: Vec::new(), programs: Vec::new() };
        for (target, device) in [
            (VariantTarget::Device, Device::default_gpu()),
            (VariantTarget::Host, Device::default_host()),
        ] {
            for tile in &options.tiles {
                let request = Request {
                    strategy: options.strategy.clone(),
                    tile: tile.clone(),
                    storage: options.storage,
                };
                let choice = choose(&nest.problem, &device, &request)?;
                show(options, "schedule", || format!("{:#?}", choice.schedule()));
                judge::check(&nest.problem, choice.schedule())?;
                let program = KernelProgram::build(&nest.problem, choice.schedule(), &device)?;
                show(options, "kernels", || format!("{program:#?}"));
                nest.choices.push(choice);
                nest.programs.push((target, program));
            }
        }
        Ok(nest)
    }

    /// Emits the kernels and puts the call of the runtime before the time loop.
    fn replace(
        &self,
        module: LLVMModuleRef,
        copy: LLVMValueRef,
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
                target: *target,
                kernels,
            })
            .collect();
        // SAFETY: the session's module holds the working copy, whose blocks and values the bindings name; this run of
        // the pass is the only one that touches it.
        unsafe {
            emit::replace(module, copy, &self.problem.stencil, &programs, bindings, &options.arches)
        }
        .map_err(|r| Rejection { reason: Reason::Bug, ..r })
    }
}

fn show(options: &Options, stage: &str, text: impl FnOnce() -> String) {
    if options.prints(stage) {
        eprintln!("{stage}: {}", text());
    }
}
