//! What a function is compiled for, and whether it is well formed.
//!
//! Consumes: functions and modules. Produces: facts about CPU, FMA and denormals; the verifier's
//! words.

use super::Function;
use super::sys;
use inkwell::llvm_sys::prelude::*;

/// Whether something is so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is not.
    No,
    /// It is.
    Yes,
    /// This target is not known to us.
    Unknown,
}

/// What becomes of denormal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denormal {
    /// They are kept.
    Ieee,
    /// They become a zero of their sign.
    PreserveSign,
    /// They become +0.
    PositiveZero,
    /// Decided at run time.
    Dynamic,
}

/// Denormals of results and of operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DenormalMode {
    /// Of results.
    pub output: Denormal,
    /// Of operands.
    pub input: Denormal,
}

/// Whether the CPU that `function` is compiled for has fused multiply-add instructions.
pub fn has_fma(function: Function<'_>) -> Answer {
    // SAFETY: the function is alive.
    match unsafe { sys::shim_has_fma(function.raw()) } {
        sys::ShimYes => Answer::Yes,
        sys::ShimNo => Answer::No,
        _ => Answer::Unknown,
    }
}

/// The CPU's name in `function`'s attributes; empty for the target's plainest.
pub fn cpu(function: Function<'_>) -> String {
    // SAFETY: the function is alive.
    sys::text(|sink, state| unsafe { sys::shim_target_cpu(function.raw(), sink, state) })
}

/// The CPU's features in `function`'s attributes (`+fma,-avx512f`).
pub fn features(function: Function<'_>) -> String {
    // SAFETY: the function is alive.
    sys::text(|sink, state| unsafe { sys::shim_target_features(function.raw(), sink, state) })
}

/// What `function` makes of denormal floats.
pub fn float_denormals(function: Function<'_>) -> DenormalMode {
    denormals(function, 32)
}

/// What `function` makes of denormal doubles.
pub fn double_denormals(function: Function<'_>) -> DenormalMode {
    denormals(function, 64)
}

fn denormals(function: Function<'_>, bits: u32) -> DenormalMode {
    let kind = |raw: sys::ShimDenormal| match raw {
        sys::ShimDenormalIEEE => Denormal::Ieee,
        sys::ShimDenormalPreserveSign => Denormal::PreserveSign,
        sys::ShimDenormalPositiveZero => Denormal::PositiveZero,
        _ => Denormal::Dynamic,
    };
    // SAFETY: the function is alive.
    let raw = unsafe { sys::shim_denormal_mode(function.raw(), bits) };
    DenormalMode { output: kind(raw.output), input: kind(raw.input) }
}

/// Whether the module of `function` asks for floating-point exceptions, or sets how is rounded, in ways that the compiler
/// does not take for accesses to all that others know.
pub fn watches_fp(function: Function<'_>) -> bool {
    // SAFETY: the function is alive.
    unsafe { sys::shim_watches_fp(function.raw()) }
}

/// The verifier's words, if the function is broken.
pub(crate) fn verify_function(function: LLVMValueRef) -> Result<(), String> {
    let mut sound = false;
    // SAFETY: called with live handles only.
    let words = sys::text(|sink, state| unsafe {
        sound = sys::shim_verify_function(function, sink, state);
    });
    if sound { Ok(()) } else { Err(words) }
}

pub(super) fn verify_module(module: LLVMModuleRef) -> Result<(), String> {
    let mut sound = false;
    // SAFETY: called with live handles only.
    let words = sys::text(|sink, state| unsafe {
        sound = sys::shim_verify_module(module, sink, state);
    });
    if sound { Ok(()) } else { Err(words) }
}
