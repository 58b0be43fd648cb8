//! Ranges for profilers: a nest is `function@file:line`, what one of its variants does `function@file:line.strategy`.
//!
//! Speaks version 3 of NVTX's protocol: the profiler names a library in the environment, which is given a table of
//! places where it may put functions. Without a profiler nothing is loaded, and a range costs next to nothing.

use crate::dynamic::Library;
use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Where profilers name their library.
const INJECTION: &str = "NVTX_INJECTION64_PATH";
/// The version of NVTX that this is.
const VERSION: u32 = 3;
/// `NVTX_ETID_CALLBACKS` and `NVTX_ETID_VERSIONINFO`.
const CALLBACKS: u32 = 1;
const VERSION_INFO: u32 = 3;

/// `NVTX_CBID_CORE_…`: which function goes where.
const RANGE_PUSH: usize = 9;
const RANGE_POP: usize = 11;
const FUNCTIONS: usize = 16;

type Initialise = unsafe extern "C" fn(extern "C" fn(u32) -> *const c_void) -> c_int;
type Push = unsafe extern "C" fn(*const c_char) -> c_int;
type Pop = unsafe extern "C" fn() -> c_int;

/// Where the profiler puts its functions.
static SLOTS: [AtomicPtr<c_void>; FUNCTIONS] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; FUNCTIONS];

/// The places of [`SLOTS`], ended by a null.
struct Places([*const AtomicPtr<c_void>; FUNCTIONS + 1]);
// SAFETY: the pointers are to atomics that live for good.
unsafe impl Sync for Places {}

static PLACES: Places = {
    let mut places = [std::ptr::null(); FUNCTIONS + 1];
    let mut i = 1;
    while i < FUNCTIONS {
        places[i] = &raw const SLOTS[i];
        i += 1;
    }
    Places(places)
};

/// `NvtxExportTableCallbacks`
#[repr(C)]
struct Callbacks {
    size: usize,
    table: extern "C" fn(c_int, *mut *const *const AtomicPtr<c_void>, *mut c_uint) -> c_int,
}

/// `NvtxExportTableVersionInfo`
#[repr(C)]
struct VersionInfo {
    size: usize,
    version: u32,
    reserved: u32,
    set: extern "C" fn(u32),
}

static CALLBACK_TABLE: Callbacks = Callbacks { size: size_of::<Callbacks>(), table: functions };
static VERSION_TABLE: VersionInfo =
    VersionInfo { size: size_of::<VersionInfo>(), version: VERSION, reserved: 0, set: ignore };

extern "C" fn ignore(_: u32) {}

/// The table of a module; there is one, the core.
extern "C" fn functions(
    module: c_int,
    table: *mut *const *const AtomicPtr<c_void>,
    size: *mut c_uint,
) -> c_int {
    const CORE: c_int = 1;
    if module != CORE {
        return 0;
    }
    // SAFETY: the profiler passes places for both results, or null.
    unsafe {
        if !table.is_null() {
            *table = PLACES.0.as_ptr();
        }
        if !size.is_null() {
            *size = FUNCTIONS as c_uint;
        }
    }
    1
}

extern "C" fn export(table: u32) -> *const c_void {
    match table {
        CALLBACKS => (&raw const CALLBACK_TABLE).cast(),
        VERSION_INFO => (&raw const VERSION_TABLE).cast(),
        _ => std::ptr::null(),
    }
}

/// True if a profiler listens; the first call looks for it.
fn is_heard() -> bool {
    static HEARD: OnceLock<bool> = OnceLock::new();
    *HEARD.get_or_init(|| {
        let Some(path) = std::env::var_os(INJECTION) else { return false };
        let Ok(path) = CString::new(path.into_encoded_bytes()) else { return false };
        let symbol = Library::open(&path).and_then(|l| l.symbol(c"InitializeInjectionNvtx2"));
        // SAFETY: a library that exports this name is an injection, whose function has this signature.
        symbol.is_some_and(|s| unsafe {
            std::mem::transmute::<*const c_void, Initialise>(s)(export) != 0
        })
    })
}

/// What happens while this lives belongs to a range of the profiler's.
pub struct Range(bool);

impl Range {
    /// Opens a range of this name, if anyone listens.
    pub fn new(name: impl FnOnce() -> String) -> Range {
        if !is_heard() {
            return Range(false);
        }
        Range(push(&name()))
    }
}

fn push(name: &str) -> bool {
    let (function, name) = (SLOTS[RANGE_PUSH].load(Ordering::Relaxed), CString::new(name));
    let (false, Ok(name)) = (function.is_null(), name) else { return false };
    // SAFETY: the profiler has put a function of this signature there.
    unsafe { std::mem::transmute::<*mut c_void, Push>(function)(name.as_ptr()) };
    true
}

impl Drop for Range {
    fn drop(&mut self) {
        let function = SLOTS[RANGE_POP].load(Ordering::Relaxed);
        if self.0 && !function.is_null() {
            // SAFETY: the profiler has put a function of this signature there.
            unsafe { std::mem::transmute::<*mut c_void, Pop>(function)() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;
    use std::sync::Mutex;

    static HEARD: Mutex<Vec<String>> = Mutex::new(Vec::new());

    unsafe extern "C" fn heard_push(name: *const c_char) -> c_int {
        // SAFETY: a string that ends with a zero, as NVTX promises.
        let name = unsafe { CStr::from_ptr(name) };
        HEARD.lock().unwrap().push(name.to_str().unwrap().to_string());
        0
    }

    unsafe extern "C" fn heard_pop() -> c_int {
        HEARD.lock().unwrap().push("end".to_string());
        0
    }

    /// What a profiler's library does when it is given the tables.
    fn inject(export: extern "C" fn(u32) -> *const c_void) {
        assert!(export(2).is_null());
        // SAFETY: the tables are as the protocol says; slots take functions.
        unsafe {
            assert_eq!((*export(VERSION_INFO).cast::<VersionInfo>()).version, 3);
            let callbacks = &*export(CALLBACKS).cast::<Callbacks>();
            assert_eq!(callbacks.size, 16);
            let (mut table, mut size) = (std::ptr::null(), 0);
            assert_eq!((callbacks.table)(2, &mut table, &mut size), 0);
            assert_eq!((callbacks.table)(1, &mut table, &mut size), 1);
            let table = std::slice::from_raw_parts(table, size as usize + 1);
            assert!(size == 16 && table[0].is_null() && table[16].is_null());
            (*table[9]).store(heard_push as *mut c_void, Ordering::Relaxed);
            (*table[11]).store(heard_pop as *mut c_void, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_profiler_that_injects_itself_hears_ranges() {
        // Nobody has asked for one in this process.
        drop(Range::new(|| panic!("no name is needed")));
        inject(export);
        let outer = Range(push("f@a.c:7"));
        drop(Range(push("f@a.c:7.streaming")));
        drop(outer);
        let heard = HEARD.lock().unwrap();
        assert_eq!(*heard, ["f@a.c:7", "f@a.c:7.streaming", "end", "end"]);
    }
}
