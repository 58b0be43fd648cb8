//! LLVM metadata that its C interface makes only by detours, and function passes without a target machine.

use crate::emit::fault::{Emitted, Fault};
use inkwell::context::ContextRef;
use inkwell::llvm_sys::core::{
    LLVMConstInt, LLVMContextSetDiscardValueNames, LLVMContextShouldDiscardValueNames,
    LLVMInt1TypeInContext, LLVMMDNodeInContext2, LLVMMDStringInContext2, LLVMMetadataAsValue,
    LLVMValueAsMetadata,
};
use inkwell::llvm_sys::debuginfo::{LLVMMetadataReplaceAllUsesWith, LLVMTemporaryMDNode};
use inkwell::llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use inkwell::llvm_sys::prelude::{LLVMContextRef, LLVMMetadataRef};
use inkwell::llvm_sys::transforms::pass_builder::{
    LLVMCreatePassBuilderOptions, LLVMDisposePassBuilderOptions, LLVMRunPassesOnFunction,
};
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::values::{AsValueRef, FunctionValue, MetadataValue};
use std::ffi::CStr;
use std::ptr::null_mut;

/// What a host kernel goes through before the unit's own pipeline sees it: loads, invariants and empty branches are
/// cleaned up wherever in that pipeline the kernel is added.
const PASSES: &CStr = c"mem2reg,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,\
    loop-mssa(licm<allowspeculation>),gvn,instcombine<no-verify-fixpoint>,simplifycfg,\
    loop-simplify,lcssa,loop-mssa(licm<allowspeculation>)";

/// A new access group: a distinct node without operands. Only the IR parser makes one.
pub fn access_group(ctx: ContextRef<'_>) -> Emitted<MetadataValue<'_>> {
    // The parser wants a context that keeps names; release compilers drop them.
    // SAFETY: the context is alive.
    let discards = unsafe { LLVMContextShouldDiscardValueNames(ctx.raw()) };
    // SAFETY: the context is alive; its setting is put back below.
    unsafe { LLVMContextSetDiscardValueNames(ctx.raw(), 0) };
    let text = b"!g = !{!0}\n!0 = distinct !{}\n\0";
    let buffer = MemoryBuffer::create_from_memory_range_copy(text, "group");
    let parsed = ctx.create_module_from_ir(buffer);
    // SAFETY: as above.
    unsafe { LLVMContextSetDiscardValueNames(ctx.raw(), discards) };
    let module = parsed?;
    let node = module.get_global_metadata("g").into_iter().next();
    node.ok_or_else(|| Fault::new("no access group"))
}

/// The properties of a loop whose iterations, as far as `group` goes, don't depend on each other: vectorise it, if wanted.
pub fn parallel_loop<'ctx>(
    ctx: ContextRef<'ctx>,
    group: MetadataValue<'ctx>,
    vectorize: bool,
) -> MetadataValue<'ctx> {
    let raw = ctx.raw();
    // SAFETY: all nodes belong to the living context `raw`. The temporary node is replaced by the node that holds it,
    // which makes that node distinct and refer to itself, as loop properties must, and frees the temporary.
    unsafe {
        let group = LLVMValueAsMetadata(group.as_value_ref());
        let accesses = node(raw, &mut [string(raw, "llvm.loop.parallel_accesses"), group]);
        let own = LLVMTemporaryMDNode(raw, null_mut(), 0);
        let mut all = vec![own, accesses];
        if vectorize {
            let yes = LLVMValueAsMetadata(LLVMConstInt(LLVMInt1TypeInContext(raw), 1, 0));
            all.push(node(raw, &mut [string(raw, "llvm.loop.vectorize.enable"), yes]));
        }
        let properties = node(raw, &mut all);
        LLVMMetadataReplaceAllUsesWith(own, properties);
        MetadataValue::new(LLVMMetadataAsValue(raw, properties))
    }
}

/// # Safety
/// `operands` belong to the living context `ctx`.
unsafe fn node(ctx: LLVMContextRef, operands: &mut [LLVMMetadataRef]) -> LLVMMetadataRef {
    // SAFETY: as this function's.
    unsafe { LLVMMDNodeInContext2(ctx, operands.as_mut_ptr(), operands.len()) }
}

/// # Safety
/// `ctx` is alive.
unsafe fn string(ctx: LLVMContextRef, text: &str) -> LLVMMetadataRef {
    // SAFETY: the text is copied, by its length.
    unsafe { LLVMMDStringInContext2(ctx, text.as_ptr().cast(), text.len()) }
}

/// Runs the clean-up passes on a function that verifies.
pub fn simplify(function: FunctionValue<'_>) -> Emitted<()> {
    // SAFETY: the function is well formed and has a body; LLVM allows a null target machine (its cost model is then the
    // target-independent one). Options and message are freed once.
    unsafe {
        let options = LLVMCreatePassBuilderOptions();
        let error =
            LLVMRunPassesOnFunction(function.as_value_ref(), PASSES.as_ptr(), null_mut(), options);
        LLVMDisposePassBuilderOptions(options);
        if error.is_null() {
            return Ok(());
        }
        let text = LLVMGetErrorMessage(error);
        let message = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(text);
        Err(Fault::new(message))
    }
}
