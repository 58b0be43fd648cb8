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
use hexpass_poly::problem::Problem;
use hexpass_poly::rejection::{Reason, Rejection};
use hexpass_poly::schedule::judge::Verdicts;
use hexpass_poly::stencil::StencilProgram;
use hexpass_poly::strategy::{Choice, Request, choose, shortlist};
use hexpass_poly::versions::analyse_all;
use inkwell::llvm_sys::prelude::{LLVMModuleRef, LLVMValueRef};

/// Beyond, a variant is not worth what compilers need for it, on the host and on the GPU's side: three times what the
/// longest kernels of common stencils are.
const MOST_NODES: usize = 12_000;

/// Instructions of all variants of a nest together, about, that compilers are to be kept busy with; common stencils stay
/// within them.
const MOST_INSTRUCTIONS: usize = 210_000;
/// Those of one variant, where there is a better one of its strategy.
const MOST_FURTHER: usize = MOST_INSTRUCTIONS / 5;

/// A nest on its way through the stages: the versions of it that the runtime may choose among, in the order in which it
/// asks their guards.
pub struct Nest {
    pub first: Version,
    pub others: Vec<Version>,
}

/// A nest as one problem.
pub struct Version {
    pub problem: Problem,
    pub choices: Vec<Choice>,
    pub programs: Vec<(VariantTarget, KernelProgram)>,
}

impl Nest {
    /// From facts to kernels; from here on legality is proved.
    pub fn compile(
        facts: &NestFacts,
        reductions: &[(Option<u16>, Reduction)],
        options: &Options,
        verdicts: &mut Verdicts,
    ) -> Result<Nest, Rejection> {
        options.show("facts", || facts.to_string());
        let (mut made, mut refusal) = (Vec::new(), None);
        for problem in analyse_all(facts, options.budget)? {
            match Version::compile(problem, reductions, options, verdicts) {
                Ok(version) => made.push(version),
                Err(why) => refusal = refusal.or(Some(why)),
            }
        }
        let mut made = made.into_iter();
        match (made.next(), refusal) {
            (Some(first), _) => Ok(Nest { first, others: made.collect() }),
            (None, Some(why)) => Err(why),
            (None, None) => Err(Rejection::new(Reason::Bug, "the nest has no version")),
        }
    }

    /// All versions.
    pub fn versions(&self) -> impl DoubleEndedIterator<Item = &Version> {
        std::iter::once(&self.first).chain(&self.others)
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
        let versions: Vec<emit::Version<'_>> = self.versions().map(Version::emitted).collect();
        // SAFETY: the session's module holds the working copy, whose blocks and values the bindings name; this run of
        // the pass is the only one that touches it.
        let taken = unsafe { emit::replace(module, copy, &versions, bindings, options.targets()) }
            .inspect_err(|r| debug_assert!(matches!(r.reason, Reason::Bug | Reason::TileSize)))?;
        let versions = std::iter::once(&mut self.first).chain(&mut self.others);
        versions.zip(taken).for_each(|(version, numbers)| version.keep(&numbers));
        time_loop.mark_taken();
        Ok(())
    }
}

impl Version {
    /// Host and device are tiled apart: a nest that fits one of them only runs there only.
    fn compile(
        mut problem: Problem,
        reductions: &[(Option<u16>, Reduction)],
        options: &Options,
        verdicts: &mut Verdicts,
    ) -> Result<Version, Rejection> {
        problem.keep_reductions(stretches::placed(reductions, &problem.stencil)?);
        options.show("problem", || format!("{problem:#?}"));
        let mut version = Version { problem, choices: Vec::new(), programs: Vec::new() };
        let mut refusal = None;
        for (target, device) in [
            (VariantTarget::Device, Device::default_gpu()),
            (VariantTarget::Host, Device::default_host()),
        ] {
            // What libm gives, no device gives bit for bit; some sources allow other bits.
            if target == VariantTarget::Device && version.problem.stencil.libm().is_some() {
                continue;
            }
            for tile in &options.tiles {
                let request = Request {
                    strategy: options.strategy.clone(),
                    tile: tile.clone(),
                    storage: options.storage,
                };
                match version.tile(&request, &device, options, verdicts) {
                    Ok(made) => {
                        for (choice, program) in made {
                            version.choices.push(choice);
                            version.programs.push((target, program));
                        }
                    }
                    Err(why) if why.reason == Reason::TileSize => refusal = refusal.or(Some(why)),
                    Err(why) => return Err(why),
                }
            }
        }
        match refusal {
            Some(why) if version.programs.is_empty() => Err(why),
            _ => Ok(version),
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
            _ => Ok(within(made, &self.problem.stencil)),
        }
    }

    /// Only the variants of these numbers.
    fn keep(&mut self, numbers: &[usize]) {
        let mut number = 0..;
        self.choices.retain(|_| number.next().is_some_and(|n| numbers.contains(&n)));
        let mut number = 0..;
        self.programs.retain(|_| number.next().is_some_and(|n| numbers.contains(&n)));
    }

    /// What emission consumes.
    fn emitted(&self) -> emit::Version<'_> {
        let program = |i: usize| {
            let (choice, (target, kernels)) = (&self.choices[i], &self.programs[i]);
            emit::Program {
                number: i,
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
            }
        };
        let programs = (0..self.programs.len()).map(program).collect();
        emit::Version { stencil: &self.problem.stencil, programs }
    }
}

/// Those of these variants, best first, that a compiler has time for: the best of each strategy, and then the best of
/// the rest; if there is time for none, the shortest.
fn within(
    made: Vec<(Choice, KernelProgram)>,
    stencil: &StencilProgram,
) -> Vec<(Choice, KernelProgram)> {
    let name = |i: usize| made[i].0.strategy.name();
    let is_first = |i: &usize| (0..*i).all(|before| name(before) != name(*i));
    let (first, others): (Vec<usize>, Vec<usize>) = (0..made.len()).partition(is_first);
    let mut left = MOST_INSTRUCTIONS;
    let mut kept = vec![false; made.len()];
    let others = others.into_iter().map(|i| (i, MOST_FURTHER));
    let lengths: Vec<usize> = made.iter().map(|(_, program)| program.length(stencil)).collect();
    for (i, most) in first.into_iter().map(|i| (i, MOST_INSTRUCTIONS)).chain(others) {
        if lengths[i] <= left.min(most) {
            kept[i] = true;
            left -= lengths[i];
        }
    }
    if !kept.contains(&true)
        && let Some(shortest) = (0..made.len()).min_by_key(|&i| lengths[i])
    {
        kept[shortest] = true;
    }
    made.into_iter().zip(kept).filter_map(|(one, keep)| keep.then_some(one)).collect()
}
