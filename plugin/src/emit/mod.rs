//! Consumes a nest's [`StencilProgram`] and the [`KernelProgram`](hexpass_poly::kernel::ir::KernelProgram)s chosen for
//! it; produces the device module (PTX), the host kernels, the embedded record and the call of the runtime in the
//! working copy.
//!
//! Leaves out variants whose kernels turn out too long. Refuses nothing else by itself: a fault is a bug of ours and
//! leaves the original loop in place.
//!
//! Why it sits last: everything is built aside and verified first, so that the splice, which is the last step, has
//! nothing left to fail on.
//!
//! One writer ([`writer`], `instances`, `rows`, `blocks`, `threads`, [`index`], [`places`], [`body`]) serves host and device; [`nvptx`] and [`host`] add what they
//! do differently.

// What both sides share: sums over atoms, instructions for them, addresses, bodies, loops.
pub mod affine;
mod asked;
mod blocks;
pub mod body;
pub mod fault;
pub mod index;
mod instances;
pub mod places;
mod rows;
mod threads;
pub mod writer;

// The two sides.
pub mod host;
pub mod nvptx;

// What the runtime reads, and where it is called.
pub mod embed;
pub mod exprs;
mod jobs;
pub mod plan;
mod readable;
pub mod splice;

use crate::detect::bindings::Bindings;
use fault::{Emitted, Fault};
use hexpass_abi::{PtxModule, VariantTarget};
use hexpass_poly::rejection::Rejection;
use hexpass_poly::stencil::StencilProgram;
use inkwell::attributes::AttributeLoc;
use inkwell::context::Context;
use inkwell::llvm_sys::prelude::{LLVMModuleRef, LLVMValueRef};
use inkwell::module::Module;
use inkwell::values::{BasicValue, FunctionValue, GlobalValue};
use std::mem::ManuallyDrop;
use std::path::Path;

pub use plan::Program;
pub use readable::NAME as READABLE_CALL;

/// Architectures whose PTX is embedded unless the user says otherwise.
pub const DEFAULT_ARCHES: [u32; 2] = [75, 90];

/// What device code is made for.
#[derive(Clone, Copy, Debug)]
pub struct Targets<'a> {
    /// Architectures.
    pub arches: &'a [u32],
    /// Who makes machine code of their PTX.
    pub ptxas: Option<&'a Path>,
}

/// What is emitted of one version of a nest.
#[derive(Clone, Debug)]
pub struct Version<'a> {
    pub stencil: &'a StencilProgram,
    pub programs: Vec<Program<'a>>,
}

/// Replaces the nest that `bindings` describes in `copy`, a working copy in `module`: kernels, record and header are
/// added to the module, and the call of the runtime is put before the time loop. The runtime may choose among the versions,
/// of which there is at least one, and asks them in this order. Gives the numbers of each version's programs that were
/// taken, at least one.
///
/// On `Err` the module's globals and functions are as they were; the copy must be discarded.
///
/// # Safety
/// `module` is alive and holds `copy`, a function with a body; the bindings' handles belong to it; nobody else touches
/// either meanwhile.
pub unsafe fn replace(
    module: LLVMModuleRef,
    copy: LLVMValueRef,
    versions: &[Version<'_>],
    bindings: &Bindings,
    targets: Targets<'_>,
) -> Result<Vec<Vec<usize>>, Rejection> {
    // SAFETY: the caller's promise; the module is not ours to dispose of.
    let module = ManuallyDrop::new(unsafe { Module::new(module) });
    // SAFETY: the caller's promise.
    let function = unsafe { FunctionValue::new(copy) };
    let function = function.ok_or_else(|| Fault::new("no function to replace a nest in"))?;
    replace_in(&module, function, versions, bindings, targets).map_err(Rejection::from)
}

fn replace_in<'ctx>(
    module: &Module<'ctx>,
    function: FunctionValue<'ctx>,
    versions: &[Version<'_>],
    bindings: &Bindings,
    targets: Targets<'_>,
) -> Emitted<Vec<Vec<usize>>> {
    let first = versions.first().ok_or_else(|| Fault::new("a nest of no version"))?;
    let mut added: Vec<Added<'ctx>> = Vec::new();
    // The last one first: each says who is asked after it.
    for version in versions.iter().rev() {
        let otherwise = added.last().map(|a| a.embedded.header);
        match add(module, function, version, bindings, otherwise, targets) {
            Ok(one) => added.push(one),
            Err(e) => {
                remove(added);
                return Err(e);
            }
        }
    }
    let header = added[added.len() - 1].embedded.header;
    splice::splice(module, function, first.stencil, bindings, header).inspect_err(|_| {
        if header.as_pointer_value().get_first_use().is_none() {
            remove(std::mem::take(&mut added));
        }
    })?;
    Ok(added.into_iter().rev().map(|version| version.taken).collect())
}

/// What one version has added to the module.
struct Added<'ctx> {
    embedded: embed::Embedded<'ctx>,
    kernels: Vec<FunctionValue<'ctx>>,
    /// The numbers of the programs that are in it.
    taken: Vec<usize>,
}

/// Takes it out again, the last one first: headers refer to those that were added before.
fn remove(added: Vec<Added<'_>>) {
    for Added { embedded, kernels, .. } in added.into_iter().rev() {
        embedded.remove();
        delete(kernels);
    }
}

/// Adds kernels, record and header of one version; on a fault nothing of it is left.
fn add<'ctx>(
    module: &Module<'ctx>,
    function: FunctionValue<'ctx>,
    Version { stencil, programs }: &Version<'_>,
    bindings: &Bindings,
    otherwise: Option<GlobalValue<'ctx>>,
    targets: Targets<'_>,
) -> Emitted<Added<'ctx>> {
    let texts = device_texts(function, stencil, programs, targets.arches)?;
    let (programs, ptx, kernels) = host_kernels(module, function, stencil, texts)?;
    let mut record = plan::record(stencil, &programs, ptx, bindings.exchanged.clone());
    if let Some(ptxas) = targets.ptxas
        && let Err(what) = nvptx::assemble::assemble(ptxas, &mut record.variants)
    {
        eprintln!("hexpass: HEXPASS_PTXAS={}: {what}; PTX is embedded instead", ptxas.display());
    }
    let name = stencil.function.as_str();
    match embed::embed(module, name, &record, &kernels, otherwise) {
        Ok(embedded) => {
            let taken = programs.iter().map(|program| program.number).collect();
            Ok(Added { embedded, kernels, taken })
        }
        Err(e) => {
            delete(kernels);
            Err(e)
        }
    }
}

fn delete(functions: Vec<FunctionValue<'_>>) {
    for function in functions {
        // SAFETY: made by `host_kernels`; the only table that referred to it is gone.
        unsafe { function.delete() }
    }
}

/// A program with the texts of its kernels; none for the host's.
type Written<'p> = (Program<'p>, Vec<PtxModule>);

/// The programs whose kernels are not too long for the device, each with its PTX for each architecture.
fn device_texts<'p>(
    function: FunctionValue<'_>,
    stencil: &StencilProgram,
    programs: &[Program<'p>],
    arches: &[u32],
) -> Emitted<Vec<Written<'p>>> {
    let attributes: Vec<(String, String)> = nvptx::DENORMALS
        .iter()
        .filter_map(|key| {
            let value = function.get_string_attribute(AttributeLoc::Function, key)?;
            Some(((*key).to_owned(), value.get_string_value().to_string_lossy().into_owned()))
        })
        .collect();
    let all = jobs::side_by_side(programs, |program| match program.target {
        VariantTarget::Host => Ok(Vec::new()),
        VariantTarget::Device => device_ptx(stencil, program, attributes.clone(), arches),
    });
    let mut done = Vec::new();
    let mut fault = None;
    for (program, texts) in programs.iter().zip(all) {
        match texts {
            Ok(texts) => done.push((*program, texts)),
            Err(e) if e.is_too_long() => fault = Some(e),
            Err(e) => return Err(e),
        }
    }
    match fault {
        Some(e) if done.is_empty() => Err(e),
        _ => Ok(done),
    }
}

/// The texts of one program, for kernels whose functions carry `attributes`.
pub fn device_ptx(
    stencil: &StencilProgram,
    program: &Program<'_>,
    attributes: Vec<(String, String)>,
    arches: &[u32],
) -> Emitted<Vec<PtxModule>> {
    let ctx = Context::create();
    let kernels = &program.kernels.kernels;
    let name = |k| plan::entry_name(stencil, program.strategy, program.number, k);
    let names = kernels.iter().map(name);
    let device = nvptx::DeviceModule::new(&ctx, stencil, names.collect(), attributes)?;
    for (i, kernel) in kernels.iter().enumerate() {
        device.add(i, stencil, kernel)?;
    }
    nvptx::ptx::texts(&device.module, arches)
}

/// The programs that are left when those of the host whose kernels are too long are left out, their texts, and the host
/// kernels, in order; on a fault none is left.
#[allow(clippy::type_complexity)] // three lists that belong together for a moment
fn host_kernels<'ctx, 'p>(
    module: &Module<'ctx>,
    original: FunctionValue<'ctx>,
    stencil: &StencilProgram,
    texts: Vec<Written<'p>>,
) -> Emitted<(Vec<Program<'p>>, Vec<Vec<PtxModule>>, Vec<FunctionValue<'ctx>>)> {
    let (mut programs, mut ptx, mut functions) = (Vec::new(), Vec::new(), Vec::new());
    let mut fault = None;
    for (program, texts) in texts {
        match program_kernels(module, original, stencil, &program) {
            Ok(made) => {
                programs.push(program);
                ptx.push(texts);
                functions.extend(made);
            }
            Err(e) if e.is_too_long() => fault = Some(e),
            Err(e) => {
                delete(functions);
                return Err(e);
            }
        }
    }
    match fault {
        Some(e) if programs.is_empty() => Err(e),
        _ => Ok((programs, ptx, functions)),
    }
}

/// The host kernels of one program, none if it is the device's, each followed by the one that stores what changes alone where
/// the runtime may want that; on a fault none is left.
fn program_kernels<'ctx>(
    module: &Module<'ctx>,
    original: FunctionValue<'ctx>,
    stencil: &StencilProgram,
    program: &Program<'_>,
) -> Emitted<Vec<FunctionValue<'ctx>>> {
    let mut done = Vec::new();
    if program.target != VariantTarget::Host {
        return Ok(done);
    }
    for kernel in &program.kernels.kernels {
        let number = program.number;
        let name = format!("hexpass.host.{}.v{number}.{}", stencil.function, kernel.name);
        let both =
            [false, true].into_iter().take(1 + usize::from(plan::has_careful_kernels(stencil)));
        for careful in both {
            let name = if careful { format!("{name}.careful") } else { name.clone() };
            match host::add(module, original, &name, stencil, kernel, careful) {
                Ok(function) => done.push(function),
                Err(e) => {
                    delete(done);
                    return Err(e);
                }
            }
        }
    }
    Ok(done)
}
