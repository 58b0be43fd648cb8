//! Whole operations on modules of our own: optimise one, and turn one into assembly text.
//!
//! Consumes: a module that is not the host's, a CPU. Produces: the module optimised in place, PTX as
//! text. Refuses what the verifier does not take, an unknown CPU, a pipeline that does not parse.
//! Each [`Machine`] belongs to one thread and one module at a time.

use super::Function;
use super::target::{self, verify_module};
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage};
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::target::*;
use inkwell::llvm_sys::target_machine::*;
use inkwell::llvm_sys::transforms::pass_builder::*;
use std::ffi::{CStr, CString, c_char};
use std::ptr;
use std::sync::Once;

/// The triple of every device module.
pub const NVPTX_TRIPLE: &str = "nvptx64-nvidia-cuda";

/// A CPU to compile for.
pub struct Machine {
    raw: LLVMTargetMachineRef,
    triple: CString,
}

impl Machine {
    /// An NVIDIA GPU (`sm_75`, `sm_90`). `features` may name a PTX version (`+ptx78`); empty is the
    /// CPU's oldest.
    pub fn nvptx(cpu: &str, features: &str) -> Result<Machine, String> {
        know_nvptx();
        Machine::new(NVPTX_TRIPLE, cpu, features)
    }

    /// What `function` of `module` is compiled for.
    pub fn of_function(module: LLVMModuleRef, function: Function<'_>) -> Result<Machine, String> {
        // SAFETY: the module is alive, and its triple a C string of its own.
        let triple = unsafe { CStr::from_ptr(LLVMGetTarget(module)) };
        let triple = triple.to_str().map_err(|_| "the module's triple is not text".to_owned())?;
        Machine::new(triple, &target::cpu(function), &target::features(function))
    }

    fn new(triple: &str, cpu: &str, features: &str) -> Result<Machine, String> {
        let [triple, cpu, features] = [c_text(triple)?, c_text(cpu)?, c_text(features)?];
        let mut target = ptr::null_mut();
        let mut message = ptr::null_mut();
        // SAFETY: C strings, and two places to write to.
        if unsafe { LLVMGetTargetFromTriple(triple.as_ptr(), &mut target, &mut message) } != 0 {
            // SAFETY: on failure LLVM wrote a message for us to free.
            return Err(unsafe { take_message(message) });
        }
        // SAFETY: a known target and C strings.
        let raw = unsafe {
            LLVMCreateTargetMachine(
                target,
                triple.as_ptr(),
                cpu.as_ptr(),
                features.as_ptr(),
                LLVMCodeGenOptLevel::LLVMCodeGenLevelAggressive,
                LLVMRelocMode::LLVMRelocPIC,
                LLVMCodeModel::LLVMCodeModelDefault,
            )
        };
        if raw.is_null() {
            return Err(format!("LLVM has no code generator for {}", triple.to_string_lossy()));
        }
        Ok(Machine { raw, triple })
    }

    /// Gives a fresh module this machine's triple and data layout.
    pub fn prepare(&self, module: LLVMModuleRef) {
        // SAFETY: machine and module are alive; the layout is freed after use.
        unsafe {
            LLVMSetTarget(module, self.triple.as_ptr());
            let layout = LLVMCreateTargetDataLayout(self.raw);
            LLVMSetModuleDataLayout(module, layout);
            LLVMDisposeTargetData(layout);
        }
    }

    /// Runs a pass pipeline (`default<O3>`, or as opt's `-passes=` takes it) over a module.
    pub fn optimise(&self, module: LLVMModuleRef, passes: &str) -> Result<(), String> {
        verify_module(module)?;
        let passes = c_text(passes)?;
        // SAFETY: module and machine are alive; the options are freed after use.
        unsafe {
            let options = LLVMCreatePassBuilderOptions();
            let error = LLVMRunPasses(module, passes.as_ptr(), self.raw, options);
            LLVMDisposePassBuilderOptions(options);
            take_error(error)
        }
    }

    /// The module as assembly text: PTX, for an NVIDIA GPU.
    pub fn assembly(&self, module: LLVMModuleRef) -> Result<String, String> {
        verify_module(module)?;
        let mut message = ptr::null_mut();
        let mut buffer = ptr::null_mut();
        // SAFETY: module and machine are alive, and two places to write to.
        let failed = unsafe {
            LLVMTargetMachineEmitToMemoryBuffer(
                self.raw,
                module,
                LLVMCodeGenFileType::LLVMAssemblyFile,
                &mut message,
                &mut buffer,
            )
        };
        if failed != 0 {
            // SAFETY: on failure LLVM wrote a message for us to free.
            return Err(unsafe { take_message(message) });
        }
        // SAFETY: on success LLVM wrote a buffer, which is freed after copying.
        unsafe {
            let bytes = std::slice::from_raw_parts(
                LLVMGetBufferStart(buffer).cast::<u8>(),
                LLVMGetBufferSize(buffer),
            );
            let text = String::from_utf8_lossy(bytes).into_owned();
            LLVMDisposeMemoryBuffer(buffer);
            Ok(text)
        }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // SAFETY: made by `new`, not used again.
        unsafe { LLVMDisposeTargetMachine(self.raw) }
    }
}

/// A module in a context of its own: nothing that happens to it reaches the host.
pub struct PrivateModule {
    context: LLVMContextRef,
    module: LLVMModuleRef,
}

impl PrivateModule {
    /// An empty module.
    pub fn new(name: &str) -> Result<PrivateModule, String> {
        let name = c_text(name)?;
        // SAFETY: a fresh context and a C string.
        unsafe {
            let context = LLVMContextCreate();
            let module = LLVMModuleCreateWithNameInContext(name.as_ptr(), context);
            Ok(PrivateModule { context, module })
        }
    }

    /// The module, for inkwell or the C API.
    pub fn raw(&self) -> LLVMModuleRef {
        self.module
    }

    /// Its context, for inkwell or the C API.
    pub fn context(&self) -> LLVMContextRef {
        self.context
    }

    /// The module as text.
    pub fn text(&self) -> String {
        // SAFETY: the module is alive; the text is ours to free.
        unsafe { take_message(LLVMPrintModuleToString(self.module)) }
    }

    /// The verifier's words, if the module is broken.
    pub fn verify(&self) -> Result<(), String> {
        verify_module(self.module)
    }
}

impl Drop for PrivateModule {
    fn drop(&mut self) {
        // SAFETY: both are ours; the module goes before its context.
        unsafe {
            LLVMDisposeModule(self.module);
            LLVMContextDispose(self.context);
        }
    }
}

/// Registers the NVPTX code generator, which our hosts have compiled in and most have registered;
/// doing it again writes the same values.
fn know_nvptx() {
    static ONCE: Once = Once::new();
    // SAFETY: plain registration functions of the host's LLVM.
    ONCE.call_once(|| unsafe {
        LLVMInitializeNVPTXTargetInfo();
        LLVMInitializeNVPTXTarget();
        LLVMInitializeNVPTXTargetMC();
        LLVMInitializeNVPTXAsmPrinter();
    });
}

fn c_text(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_| format!("{text:?} holds a NUL"))
}

/// # Safety
/// `message` is a C string that LLVM allocated for the caller, or null.
unsafe fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}

/// # Safety
/// `error` is null or an error that the caller owns.
unsafe fn take_error(error: LLVMErrorRef) -> Result<(), String> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: the caller's promise; getting the message consumes the error.
    unsafe {
        let message = LLVMGetErrorMessage(error);
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(message);
        Err(text)
    }
}
