//! Consumes a nest's [`StencilProgram`] and the [`KernelProgram`](hexpass_poly::kernel::ir::KernelProgram)s chosen for
//! it; produces the device module (PTX), the host kernels, the embedded record and the call of the runtime in the
//! working copy.
//!
//! Refuses nothing by itself: a fault is a bug of ours and leaves the original loop in place.
//!
//! Why it sits last: everything is built aside and verified first, so that the splice, which is the last step, has
//! nothing left to fail on.
//!
//! One writer ([`writer`], `instances`, `rows`, `blocks`, `threads`, [`index`], [`places`], [`body`]) serves host and device; [`nvptx`] and [`host`] add what they
//! do differently.

// What both sides share: sums over atoms, instructions for them, addresses, bodies, loops.
pub mod affine;
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
pub mod plan;
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
/// of which there is at least one, and asks them in this order.
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
) -> Result<(), Rejection> {
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
) -> Emitted<()> {
    let first = versions.first().ok_or_else(|| Fault::new("a nest of no version"))?;
    let mut added: Vec<Added<'ctx>> = Vec::new();
    // The last one first: each says who is asked after it.
    for version in versions.iter().rev() {
        let otherwise = added.last().map(|a| a.embedded.header);
        match add(module, function, version, otherwise, targets) {
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
            remove(added);
        }
    })
}

/// What one version has added to the module.
struct Added<'ctx> {
    embedded: embed::Embedded<'ctx>,
    kernels: Vec<FunctionValue<'ctx>>,
}

/// Takes it out again, the last one first: headers refer to those that were added before.
fn remove(added: Vec<Added<'_>>) {
    for Added { embedded, kernels } in added.into_iter().rev() {
        embedded.remove();
        delete(kernels);
    }
}

/// Adds kernels, record and header of one version; on a fault nothing of it is left.
fn add<'ctx>(
    module: &Module<'ctx>,
    function: FunctionValue<'ctx>,
    Version { stencil, programs }: &Version<'_>,
    otherwise: Option<GlobalValue<'ctx>>,
    targets: Targets<'_>,
) -> Emitted<Added<'ctx>> {
    let ptx = device_texts(function, stencil, programs, targets.arches)?;
    let mut record = plan::record(stencil, programs, ptx);
    if let Some(ptxas) = targets.ptxas
        && let Err(what) = nvptx::assemble::assemble(ptxas, &mut record.variants)
    {
        eprintln!("hexpass: HEXPASS_PTXAS={}: {what}; PTX is embedded instead", ptxas.display());
    }
    let name = stencil.function.as_str();
    let kernels = host_kernels(module, function, stencil, programs)?;
    match embed::embed(module, name, &record, &kernels, otherwise) {
        Ok(embedded) => Ok(Added { embedded, kernels }),
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

/// Of each program the PTX of its kernels, for each architecture; none for the host's.
fn device_texts(
    function: FunctionValue<'_>,
    stencil: &StencilProgram,
    programs: &[Program<'_>],
    arches: &[u32],
) -> Emitted<Vec<Vec<PtxModule>>> {
    let attributes: Vec<(String, String)> = nvptx::DENORMALS
        .iter()
        .filter_map(|key| {
            let value = function.get_string_attribute(AttributeLoc::Function, key)?;
            Some(((*key).to_owned(), value.get_string_value().to_string_lossy().into_owned()))
        })
        .collect();
    let texts = programs.iter().enumerate().map(|(i, program)| match program.target {
        VariantTarget::Host => Ok(Vec::new()),
        VariantTarget::Device => device_ptx(stencil, i, program, attributes.clone(), arches),
    });
    texts.collect()
}

/// The texts of one program, the one of this index, for kernels whose functions carry `attributes`.
pub fn device_ptx(
    stencil: &StencilProgram,
    index: usize,
    program: &Program<'_>,
    attributes: Vec<(String, String)>,
    arches: &[u32],
) -> Emitted<Vec<PtxModule>> {
    let ctx = Context::create();
    let kernels = &program.kernels.kernels;
    let names = kernels.iter().map(|k| plan::entry_name(stencil, program.strategy, index, k));
    let device = nvptx::DeviceModule::new(&ctx, stencil, names.collect(), attributes)?;
    for (i, kernel) in kernels.iter().enumerate() {
        device.add(i, stencil, kernel)?;
    }
    nvptx::ptx::texts(&device.module, arches)
}

/// Host kernels of all host variants, in order; on a fault none is left.
fn host_kernels<'ctx>(
    module: &Module<'ctx>,
    original: FunctionValue<'ctx>,
    stencil: &StencilProgram,
    programs: &[Program<'_>],
) -> Emitted<Vec<FunctionValue<'ctx>>> {
    let mut done = Vec::new();
    for (i, program) in programs.iter().enumerate() {
        if program.target != VariantTarget::Host {
            continue;
        }
        for kernel in &program.kernels.kernels {
            let name = format!("hexpass.host.{}.v{i}.{}", stencil.function, kernel.name);
            match host::add(module, original, &name, stencil, kernel) {
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
