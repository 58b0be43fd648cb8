//! From a module of kernels to PTX text.
//!
//! Consumes a [`DeviceModule`](super::DeviceModule)'s module; produces one text for each architecture. The optimiser
//! runs once; code is generated for the newest architecture, and for older ones that have not all of its instructions
//! ([`older`]), each from a copy. A module that doesn't verify is a fault.

use super::{carried, copies, older, overlap, registers, squares};
use crate::emit::fault::{Emitted, Fault};
use crate::llvm::device_code;
use hexpass_abi::PtxModule;
use inkwell::OptimizationLevel;
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{
    CodeModel, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple,
};

/// Registers become values.
const VALUES: &str = "function(mem2reg,early-cse<memssa>)";

/// What is computed twice is computed once.
const ONCE: &str = "function(early-cse<memssa>)";

/// Then simplification only. Nothing is moved out of loops: an address that is kept for a whole kernel costs a register in
/// every thread, one that is made where it is used costs an instruction (two to four times fewer registers on the
/// stencils of the papers). No unrolling either (a kernel is unrolled where its author said so) and no loop idioms.
const PASSES: &str = "function(early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,\
    early-cse<memssa>,dse,adce,simplifycfg)";

/// The device's triple.
pub fn triple() -> TargetTriple {
    TargetTriple::create("nvptx64-nvidia-cuda")
}

/// Code generator for `sm_<arch>`.
fn machine(arch: u32) -> Emitted<TargetMachine> {
    Target::initialize_nvptx(&InitializationConfig::default());
    let target = Target::from_triple(&triple())?;
    target
        .create_target_machine(
            &triple(),
            &format!("sm_{arch}"),
            "",
            OptimizationLevel::Aggressive,
            RelocMode::Default,
            CodeModel::Default,
        )
        .ok_or_else(|| Fault::new(format!("no code generator for sm_{arch}")))
}

/// The texts of `module`, one for each architecture.
pub fn texts(module: &Module<'_>, arches: &[u32]) -> Emitted<Vec<PtxModule>> {
    let Some(&first) = arches.iter().min() else {
        return Err(Fault::new("no architecture to generate code for"));
    };
    let generic = machine(first)?;
    module.set_data_layout(&generic.get_target_data().get_data_layout());
    verify(module)?;
    let builder = module.get_context().create_builder();
    module.get_functions().try_for_each(|f| registers::settle(f, &builder))?;
    module.run_passes(VALUES, &generic, PassBuilderOptions::create())?;
    module.get_functions().try_for_each(squares::order)?;
    module.run_passes(ONCE, &generic, PassBuilderOptions::create())?;
    module.get_functions().try_for_each(|f| carried::hand_on(f, &builder))?;
    module.run_passes(PASSES, &generic, PassBuilderOptions::create())?;
    verify(module)?;
    let newest = arches.iter().copied().max().unwrap_or(first);
    let code = text(&module.clone(), newest)?;
    arches.iter().map(|&arch| finished(arch, of_arch(module, &code, arch, newest)?)).collect()
}

/// The code for an architecture, given that for the newest.
fn of_arch(module: &Module<'_>, code: &str, arch: u32, newest: u32) -> Emitted<String> {
    if arch == newest {
        return Ok(code.to_owned());
    }
    let rewritten = match arch {
        older::FIRST.. => header(arch)?.and_then(|header| older::rewritten(code, &header)),
        _ => None,
    };
    rewritten.map_or_else(|| text(&module.clone(), arch), Ok)
}

/// What a text for this architecture begins with.
fn header(arch: u32) -> Emitted<Option<older::Header>> {
    let ctx = Context::create();
    let empty = ctx.create_module("empty");
    empty.set_triple(&triple());
    Ok(older::Header::of(&text(&empty, arch)?))
}

/// With what LLVM doesn't know of.
fn finished(arch: u32, text: String) -> Emitted<PtxModule> {
    let ptx = PtxModule { arch, text: Default::default(), code: Default::default() };
    let text = if arch < copies::FIRST { copies::plain(&text)? } else { text };
    let text = if ptx.waits() { overlap::waiting(&text)? } else { text };
    Ok(PtxModule { text: text.into(), ..ptx })
}

fn verify(module: &Module<'_>) -> Emitted<()> {
    module.verify().map_err(|e| Fault::new(format!("the device module is not well formed: {e}")))
}

fn text(module: &Module<'_>, arch: u32) -> Emitted<String> {
    let machine = machine(arch)?;
    machine.set_asm_verbosity(false);
    device_code(&machine, module).ok_or_else(|| Fault::new(format!("no PTX for sm_{arch}")))
}
