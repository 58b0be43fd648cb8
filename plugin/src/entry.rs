//! The door between the host's C++ and us.
//!
//! Consumes: the host's calls. Produces: the plugin's description and, for each module, one run of
//! [`pipeline::run`](crate::pipeline::run). Refuses a host of another LLVM major before anything
//! else of LLVM is touched. No panic leaves here: a module on which we panic is compiled as if we
//! were not there.

use crate::llvm::{self, Point, Session, ShimContext};
use crate::{describe, pipeline};
use inkwell::llvm_sys::core::LLVMGetVersion;
use inkwell::llvm_sys::prelude::*;
use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// LLVM's major version that this library is built for.
const LLVM_MAJOR: u32 = 22;
/// `LLVM_PLUGIN_API_VERSION` of that version; `cpp/entry.cpp` asserts it.
const PLUGIN_API: u32 = 2;
/// What a host of another version is told, so that it refuses us in its own words as well.
const NO_API: u32 = 0;

/// `llvm::PassPluginLibraryInfo` as plugin API 2 lays it out.
#[repr(C)]
pub struct PassPluginLibraryInfo {
    api: u32,
    name: *const c_char,
    version: *const c_char,
    register: Option<unsafe extern "C" fn(*mut c_void)>,
    /// New in API 2: a host of API 1 has no room for it.
    before_codegen: *const c_void,
}

/// What LLVM looks up in a plugin. In C++ it returns the record; on x86-64 that means a hidden first
/// argument to write it through, spelled out here because an older host's record is shorter.
///
/// # Safety
/// Called by LLVM with room for its own version's record.
#[cfg(target_arch = "x86_64")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn llvmGetPassPluginInfo(
    out: *mut PassPluginLibraryInfo,
) -> *mut PassPluginLibraryInfo {
    let fits = host_fits();
    // SAFETY: `out` has room for the fields that the host's version knows; the last one is written
    // only for a host of ours.
    unsafe {
        (&raw mut (*out).api).write(if fits { PLUGIN_API } else { NO_API });
        (&raw mut (*out).name).write(NAME.as_ptr());
        (&raw mut (*out).version).write(VERSION.as_ptr());
        (&raw mut (*out).register).write(fits.then_some(register as _));
        if fits {
            (&raw mut (*out).before_codegen).write(std::ptr::null());
        }
    }
    out
}

/// What LLVM looks up in a plugin.
#[cfg(not(target_arch = "x86_64"))]
#[unsafe(no_mangle)]
pub extern "C" fn llvmGetPassPluginInfo() -> PassPluginLibraryInfo {
    let fits = host_fits();
    PassPluginLibraryInfo {
        api: if fits { PLUGIN_API } else { NO_API },
        name: NAME.as_ptr(),
        version: VERSION.as_ptr(),
        register: fits.then_some(register as _),
        before_codegen: std::ptr::null(),
    }
}

const NAME: &std::ffi::CStr = c"hexpass";
const VERSION: &std::ffi::CStr = match std::ffi::CStr::from_bytes_with_nul(
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes(),
) {
    Ok(version) => version,
    Err(_) => panic!("a version has no NUL inside"),
};

/// Compares the host's LLVM with ours, through the one C function that every version has kept.
fn host_fits() -> bool {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: three places to write to.
    unsafe { LLVMGetVersion(&mut major, &mut minor, &mut patch) };
    if major == LLVM_MAJOR {
        return true;
    }
    eprintln!(
        "hexpass: error: this plugin is built for LLVM {LLVM_MAJOR}, but the compiler that loads it \
         has LLVM {major}.{minor}.{patch}; use clang-{LLVM_MAJOR}, or build hexpass for LLVM {major}"
    );
    false
}

unsafe extern "C" fn register(builder: *mut c_void) {
    // SAFETY: LLVM passes its pass builder.
    unsafe { llvm::register(builder) }
}

/// One run over one module; true when it changed anything that an analysis might know.
///
/// # Safety
/// Called by `cpp/entry.cpp` with the host's live module and the context of this run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hexpass_run_on_module(
    module: LLVMModuleRef,
    context: *mut ShimContext,
) -> bool {
    // SAFETY: the caller's promise; the session ends with this call.
    let session = unsafe { Session::new(module, context) };
    // A panic unwinds through an open working copy, which erases itself: the module is whole.
    catch_unwind(AssertUnwindSafe(|| run_at(&session))).unwrap_or_else(|_| {
        eprintln!(
            "hexpass: warning: internal error; this file's remaining loops are left as they are"
        );
        true
    })
}

fn run_at(session: &Session<'_>) -> bool {
    match session.point() {
        Point::Canonicalise => describe::commit_all(session),
        Point::Describe => {
            describe::print_all(session);
            false
        }
        _ => pipeline::run(session),
    }
}
