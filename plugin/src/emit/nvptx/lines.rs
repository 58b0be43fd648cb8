//! Which source line an instruction comes from, for profilers: `.loc` in the PTX, as nvcc's `-lineinfo`.
//!
//! Consumes the file and line of a nest that was compiled with debug information; produces a module whose kernels have
//! scopes. LLVM's C interface can't ask for lines without other debug information, which would make the assembler keep
//! its hands off the code; LLVM's text can, so the scopes come from a parsed module.

use crate::emit::fault::{Emitted, Fault};
use hexpass_poly::stencil::StencilProgram;
use inkwell::builder::Builder;
use inkwell::context::{AsContextRef, Context, ContextRef};
use inkwell::llvm_sys::core::{
    LLVMGetNamedMetadataNumOperands, LLVMGetNamedMetadataOperands, LLVMSetCurrentDebugLocation2,
    LLVMValueAsMetadata,
};
use inkwell::llvm_sys::debuginfo::{LLVMDIBuilderCreateDebugLocation, LLVMSetSubprogram};
use inkwell::llvm_sys::prelude::LLVMMetadataRef;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use inkwell::values::{AsValueRef, FunctionValue};
use std::ptr::null_mut;

/// Named metadata that lists the scopes.
const SCOPES: &std::ffi::CStr = c"hexpass.scopes";

/// The scope of one kernel, and the line of its nest.
#[derive(Clone, Copy)]
pub struct Lines {
    scope: LLVMMetadataRef,
    nest: u32,
}

/// A module with a scope for each kernel, in order; one without any where the source has no lines.
pub fn module<'ctx>(
    ctx: &'ctx Context,
    stencil: &StencilProgram,
    kernels: &[String],
) -> Emitted<(Module<'ctx>, Vec<Lines>)> {
    let name = "hexpass.device";
    let (Some(file), Some(line)) = (&stencil.file, stencil.line) else {
        return Ok((ctx.create_module(name), Vec::new()));
    };
    let text = text(&stencil.function, file, line, kernels);
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), name);
    let module = ctx.create_module_from_ir(buffer)?;
    let scopes = scopes(&module);
    if scopes.len() != kernels.len() {
        return Err(Fault::new("a kernel lacks its scope"));
    }
    Ok((module, scopes.into_iter().map(|scope| Lines { scope, nest: line }).collect()))
}

fn text(function: &str, file: &str, line: u32, kernels: &[String]) -> String {
    // The assembler knows no escapes in a name.
    let file = file.replace(['"', '\\'], "_");
    let (folder, file) = file.rsplit_once('/').unwrap_or((".", &file));
    let [function, folder, file] = [function, folder, file].map(quoted);
    let names = |f: &dyn Fn(usize) -> String| (0..kernels.len()).map(f).collect::<Vec<_>>();
    let list = names(&|i| format!("!{}", i + 5)).join(", ");
    let scope = |i: usize| {
        format!(
            "!{} = distinct !DISubprogram(name: {function}, linkageName: {}, scope: !1, file: !1, line: {line}, \
             type: !2, unit: !0, spFlags: DISPFlagDefinition | DISPFlagOptimized)\n",
            i + 5,
            quoted(&kernels[i]),
        )
    };
    format!(
        "!llvm.dbg.cu = !{{!0}}\n!llvm.module.flags = !{{!4}}\n!hexpass.scopes = !{{{list}}}\n\
         !0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: \"hexpass\", isOptimized: true, \
         runtimeVersion: 0, emissionKind: DebugDirectivesOnly)\n\
         !1 = !DIFile(filename: {file}, directory: {folder})\n!2 = !DISubroutineType(types: !3)\n!3 = !{{null}}\n\
         !4 = !{{i32 2, !\"Debug Info Version\", i32 3}}\n{}",
        names(&scope).concat()
    )
}

/// As a string of LLVM's text.
fn quoted(s: &str) -> String {
    let byte = |b: u8| match b {
        b'"' | b'\\' => format!("\\{b:02X}"),
        b if b.is_ascii_graphic() || b == b' ' => char::from(b).to_string(),
        b => format!("\\{b:02X}"),
    };
    format!("\"{}\"", s.bytes().map(byte).collect::<String>())
}

fn scopes(module: &Module<'_>) -> Vec<LLVMMetadataRef> {
    let raw = module.as_mut_ptr();
    // SAFETY: the module is alive; the list has room for as many operands as it is said to have.
    unsafe {
        let count = LLVMGetNamedMetadataNumOperands(raw, SCOPES.as_ptr()) as usize;
        let mut values = vec![null_mut(); count];
        LLVMGetNamedMetadataOperands(raw, SCOPES.as_ptr(), values.as_mut_ptr());
        values.into_iter().map(|v| LLVMValueAsMetadata(v)).collect()
    }
}

impl Lines {
    /// Gives a kernel its scope.
    pub fn attach(self, function: FunctionValue<'_>) {
        // SAFETY: both belong to one module, which is alive.
        unsafe { LLVMSetSubprogram(function.as_value_ref(), self.scope) }
    }

    /// What `b` writes from here on comes from this line, or from the nest's.
    pub fn set(self, ctx: ContextRef<'_>, b: &Builder<'_>, line: Option<u32>) {
        let line = line.unwrap_or(self.nest);
        // SAFETY: context, builder and scope belong together and are alive; a null location is none.
        unsafe {
            let at =
                LLVMDIBuilderCreateDebugLocation(ctx.as_ctx_ref(), line, 0, self.scope, null_mut());
            LLVMSetCurrentDebugLocation2(b.as_mut_ptr(), at);
        }
    }
}
