//! One nest on its way through the stages: analysed, tiled, judged, written, replaced.
//!
//! Consumes [`NestFacts`]; produces kernels for host and device, and in the end the call of the runtime in the place of
//! the time loop.
//!
//! Refuses what one of the stages refuses; variants that a compiler would need too long for are left out.

use crate::detect::bindings::Bindings;
use crate::emit;
use crate::llvm::LoopRef;
use crate::options::Options;
use crate::stretches;
use hexpass_abi::{Reduction, VariantTarget};
use hexpass_poly::device::Device;
use hexpass_poly::facts::NestFacts;
use hexpass_poly::kernel::ir::KernelProgram;
use hexpass_poly::problem::{Problem, analyse_within};
use hexpass_poly::rejection::{Reason, Rejection};
use hexpass_poly::schedule::judge::Verdicts;
use hexpass_poly::strategy::{Choice, Request, choose, shortlist};
use inkwell::llvm_sys::prelude::{LLVMModuleRef, LLVMValueRef};

/// Beyond, a variant is not worth what compilers need for it, on the host and on the GPU's side: three times what the
/// longest kernels of common stencils are.
const MOST_NODES: usize = 12_000;

/// A nest on its way through the stages.
pub struct Nest {
    pub problem: Problem,
    pub choices: Vec<Choice>,
    pub programs: Vec<(VariantTarget, KernelProgram)>,
}

impl Nest {
    /// From facts to kernels; from here on legality is proved.
    ///
    /// Host and device are tiled apart: a nest that fits one of them only runs there only.
    pub fn compile(
        facts: &NestFacts,
        reductions: &[(Option<u16>, Reduction)],
        options: &Options,
        verdicts: &mut Verdicts,
    ) -> Result<Nest, Rejection> {
        options.show("facts", || facts.to_string());
        let mut problem = analyse_within(facts, options.budget)?;
        problem.stencil.reductions = stretches::placed(reductions, &problem.stencil)?;
        options.show("problem", || format!("{problem:#?}"));
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
            options.show("schedule", || format!("{:#?}", choice.schedule()));
            verdicts.check(&self.problem, choice.schedule())?;
            let program = choice.kernels(&self.problem, device)?;
            program.verify(&self.problem.stencil)?;
            if program.nodes() > MOST_NODES {
                let why = "its kernels would take a compiler too long";
                return Err(Rejection::new(Reason::TileSize, why));
            }
            options.show("kernels", || program.to_string());
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

    /// Only the variants of these numbers.
    fn keep(&mut self, numbers: &[usize]) {
        let mut number = 0..;
        self.choices.retain(|_| number.next().is_some_and(|n| numbers.contains(&n)));
        let mut number = 0..;
        self.programs.retain(|_| number.next().is_some_and(|n| numbers.contains(&n)));
    }

    /// Emits the kernels and puts the call of the runtime before the time loop, which is taken then. Variants whose
    /// kernels turn out too long when they are written are left out.
    pub fn replace(
        &mut self,
        (module, copy): (LLVMModuleRef, LLVMValueRef),
        time_loop: LoopRef<'_>,
        bindings: &Bindings,
        options: &Options,
    ) -> Result<(), Rejection> {
        let programs: Vec<emit::Program<'_>> = self
            .choices
            .iter()
            .zip(&self.programs)
            .enumerate()
            .map(|(number, (choice, (target, kernels)))| emit::Program {
                number,
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
        let taken = unsafe {
            emit::replace(
                module,
                copy,
                &self.problem.stencil,
                &programs,
                bindings,
                options.targets(),
            )
        }
        .inspect_err(|r| debug_assert!(matches!(r.reason, Reason::Bug | Reason::TileSize)))?;
        self.keep(&taken);
        time_loop.mark_taken();
        Ok(())
    }
}
