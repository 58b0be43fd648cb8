//! The door that generated code comes in by.
//!
//! Consumes a [`NestHeader`] and [`NestArgs`]; answers [`DONE`] or [`NOT_DONE`]. Panics stop here. One of the few
//! files with unsafe code: it turns raw pointers into slices, once, and relies on what [`hexpass_abi`] promises.

use crate::ahead;
use crate::error::{Reason, Refusal};
use crate::gather;
use crate::guard;
use crate::options::{Mode, Options};
use crate::probe;
use crate::record::Nest;
use crate::report;
use crate::resident::Held;
use crate::run::{self, Call};
use hexpass_abi::{
    Ahead, Bystander, DONE, EXACTLY, Frame, HOME_WRITES, HostKernel, MAGIC, NOT_DONE, NestArgs,
    NestHeader, VERSION,
};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// What `NestHeader::cache` points to.
enum Cached {
    Nest(Box<Nest>),
    Broken(Refusal),
}

/// Version of the contract that this runtime speaks.
#[unsafe(no_mangle)]
pub extern "C" fn hexrt_version() -> u32 {
    VERSION
}

/// Measures all GPUs for the file of `HEXPASS_CALIBRATION` and prints what it has found; 0, or 1 where that failed.
#[unsafe(no_mangle)]
pub extern "C" fn hexrt_calibrate() -> i32 {
    let measured = catch_unwind(|| crate::device::cuda::calibrate(Options::of_process()));
    match measured {
        Ok(Ok(said)) => {
            print!("{said}");
            0
        }
        Ok(Err(refusal)) => {
            crate::report::error_line(&refusal.to_string());
            1
        }
        Err(_) => 1,
    }
}

/// Runs a nest ([`hexpass_abi::ENTRY`]).
///
/// # Safety
/// `header` is a [`NestHeader`] that stays in place for the rest of the process, `args` a [`NestArgs`] whose
/// pointers live through the call; both as [`hexpass_abi`] says. Where a header's magic, version and size are not
/// this runtime's, nothing more of it is read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hexrt_run(header: *mut NestHeader, args: *const NestArgs) -> i32 {
    let touched = AtomicBool::new(false);
    // SAFETY: the caller's promise is handed on.
    let result = catch_unwind(AssertUnwindSafe(|| unsafe { enter(header, args, &touched) }));
    match result {
        Ok(true) => DONE,
        Ok(false) => NOT_DONE,
        Err(_) if touched.load(Ordering::Acquire) => run::abandon(BUG),
        Err(_) => {
            // SAFETY: what has failed read the frame; the original loop needs what it holds.
            let home = || unsafe { home_of(header, args) };
            if catch_unwind(AssertUnwindSafe(home)).is_err() {
                run::abandon(BUG);
            }
            let refusal = Refusal::new(Reason::Internal, BUG);
            run::refused(None, refusal, Options::of_process());
            NOT_DONE
        }
    }
}

const BUG: &str = "the runtime has failed (a bug)";

/// Everything comes home, for the original loop.
///
/// # Safety
/// As [`hexrt_run`].
unsafe fn home_of(header: *const NestHeader, args: *const NestArgs) {
    // SAFETY: the caller's promise; arguments of other versions have no frame, or one that is not ours.
    let frame = unsafe {
        if ((*header).magic, (*header).version) != (MAGIC, VERSION) {
            return;
        }
        (*args).frame.as_mut()
    };
    Held::of(frame).home(HOME_WRITES, Options::of_process());
}

/// # Safety
/// As [`hexrt_run`].
unsafe fn enter(header: *mut NestHeader, args: *const NestArgs, touched: &AtomicBool) -> bool {
    let options = Options::of_process();
    // SAFETY: the caller's promise; magic and version lie at the same place in every version of the header.
    let (is_ours, magic, version) = unsafe { (ours(header), (*header).magic, (*header).version) };
    if !is_ours {
        run::refused(None, foreign(magic, version), options);
        return false;
    }
    if options.mode == Mode::Off && !report::is_wanted(options) {
        return false;
    }
    // SAFETY: it is a header of our version, with the caller's promises.
    let header = unsafe { suited(header, args, options) };
    // SAFETY: as above, also of the other versions.
    let (nest, host_kernels) = match unsafe { cached(header) } {
        (Cached::Nest(nest), kernels) => (nest, kernels),
        (Cached::Broken(refusal), _) => {
            run::refused(None, refusal.clone(), options);
            // SAFETY: the caller's promise.
            unsafe { home_of(header, args) };
            return false;
        }
    };
    // SAFETY: the caller's promise; the lists live through the call.
    let call = unsafe { call_of(args, host_kernels) };
    // SAFETY: as above; nobody else looks at it meanwhile.
    let ahead = unsafe { (*args).ahead.as_mut() };
    if let Err(refusal) = nest.needs.check(&call) {
        run::refused(Some(nest), refusal, options);
        // SAFETY: the caller's promise.
        unsafe { home_of(header, args) };
        return false;
    }
    // SAFETY: as above.
    let frame = unsafe { (*args).frame };
    // SAFETY: as above.
    let is_all_home = unsafe { frame.as_ref().is_none_or(|f| f.state.is_null()) };
    if is_all_home && !report::is_wanted(options) && nest.rest.holds(nest.key(call.ints, 0)) {
        if let Some(ahead) = ahead {
            ahead::leave(ahead);
        }
        return false;
    }
    // SAFETY: as above; the table is this call's until it returns.
    let mut resident = Held::of(unsafe { frame.as_mut() });
    let done = match ahead {
        Some(_) if frame.is_null() => {
            let message = "the object does not say where arrays may stay";
            run::refused(Some(nest), Refusal::new(Reason::BadRecord, message), options);
            false
        }
        Some(ahead) => ahead::run(nest, &call, options, touched, ahead, (frame, &mut resident)),
        None if resident.takes_repeat() => {
            run::repeat(nest, &call, options, &mut resident);
            true
        }
        None if nest.record.reductions.is_empty() => {
            let done = run::run_in(nest, &call, options, touched, &mut resident, None);
            if !done {
                run::hand_over(nest, &call, options, &mut resident);
            }
            return done;
        }
        None => {
            let message = "the object does not say where results go";
            run::refused(Some(nest), Refusal::new(Reason::BadRecord, message), options);
            false
        }
    };
    if !done {
        // The original loop works on the program's memory.
        resident.home(HOME_WRITES, options);
    }
    done
}

/// The first version of a nest that passes its guard; the first of all where none does, so that it says why.
///
/// # Safety
/// As [`hexrt_run`], of a header of this version.
unsafe fn suited(
    header: *mut NestHeader,
    args: *const NestArgs,
    options: &Options,
) -> *mut NestHeader {
    // SAFETY: the caller's promise; the other versions have the same.
    let next = |header: *mut NestHeader| unsafe { (*header).otherwise };
    if next(header).is_null() || options.mode == Mode::Off {
        return header;
    }
    let mut at = header;
    while !at.is_null() {
        // SAFETY: as above; nobody else has the frame meanwhile.
        let suits = unsafe {
            match cached(at) {
                (Cached::Nest(nest), kernels) => {
                    let (call, mut resident) =
                        (call_of(args, kernels), Held::of((*args).frame.as_mut()));
                    nest.needs.check(&call).is_ok()
                        && run::suits(nest, &call, options, &mut resident)
                }
                (Cached::Broken(_), _) => false,
            }
        };
        if suits {
            return at;
        }
        at = next(at);
    }
    header
}

/// Whether the next execution of a nest may read a word ([`hexpass_abi::READABLE`]).
///
/// # Safety
/// `header` as [`hexrt_run`] asks, or null; `at` is any address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hexrt_readable(
    header: *mut NestHeader,
    at: *const c_void,
    key: u64,
) -> i32 {
    let options = Options::of_process();
    let is_wanted = report::is_wanted(options);
    if options.mode == Mode::Off && !is_wanted {
        return 0;
    }
    // SAFETY: the caller's promise is handed on.
    let rests = || !is_wanted && !header.is_null() && unsafe { rests(header, key) };
    let may = catch_unwind(AssertUnwindSafe(|| !rests() && probe::is_readable(at)));
    i32::from(may.unwrap_or(false))
}

/// Whether the next execution of a nest is left to the original loop unseen. What another version of the runtime is meant
/// for never is: [`hexrt_run`] says so.
///
/// # Safety
/// As [`hexrt_run`].
unsafe fn rests(header: *mut NestHeader, key: u64) -> bool {
    // SAFETY: the caller's promise.
    if !unsafe { ours(header) } {
        return false;
    }
    let (mut at, mut holds) = (header, false);
    while !at.is_null() {
        // SAFETY: as above; the other versions of the nest have the same promise.
        unsafe {
            if let (Cached::Nest(nest), _) = cached(at) {
                holds |= nest.rest.holds_announced(key);
            }
            at = (*at).otherwise;
        }
    }
    holds
}

/// Arrays come home ([`hexpass_abi::HOME`]).
///
/// # Safety
/// `frame` is one that the thread passed to [`hexrt_run`] before, with what that has left in it, or an empty one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hexrt_home(frame: *mut Frame, how: u32) {
    // SAFETY: the caller's promise.
    let table = || Held::of(unsafe { frame.as_mut() });
    let come = || table().home(how, Options::of_process());
    if catch_unwind(AssertUnwindSafe(come)).is_err() {
        run::abandon(BUG);
    }
}

/// So many bytes from an address on are complete afterwards ([`hexpass_abi::LOOK`]).
///
/// # Safety
/// As [`hexrt_home`]. The address is only compared.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hexrt_look(frame: *mut Frame, how: u32, at: *const c_void, bytes: u64) {
    // SAFETY: the caller's promise.
    let is_empty = unsafe { frame.as_ref().is_none_or(|f| f.state.is_null()) };
    if is_empty {
        return;
    }
    // SAFETY: as above.
    let table = || Held::of(unsafe { frame.as_mut() });
    let come = || table().look(how, at as u64, bytes, Options::of_process());
    if catch_unwind(AssertUnwindSafe(come)).is_err() {
        run::abandon(BUG);
    }
}

/// Whether variables lie apart from what a nest touches ([`hexpass_abi::APART`]).
///
/// # Safety
/// `header` and `args` as for [`hexrt_run`]; `variables` points to `count` of them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hexrt_apart(
    header: *mut NestHeader,
    args: *const NestArgs,
    variables: *const Bystander,
    count: u64,
    steps: u64,
) -> i32 {
    let asked = || {
        if Options::of_process().mode == Mode::Off {
            return None;
        }
        let exactly = steps & EXACTLY != 0;
        let steps = i64::try_from(steps & !EXACTLY).ok()?;
        // SAFETY: the caller's promise; all versions touch the same.
        let mut at = if unsafe { ours(header) } { header } else { std::ptr::null_mut() };
        while !at.is_null() {
            // SAFETY: as above; the lists live through the call.
            unsafe {
                if let (Cached::Nest(nest), kernels) = cached(at) {
                    let (call, variables) =
                        (call_of(args, kernels), slice(variables, count as usize));
                    nest.needs.check(&call).ok()?;
                    let at = (call.ints, call.pointers);
                    let in_any =
                        if exactly { guard::apart::are_apart_in } else { guard::apart::are_apart };
                    let are_apart = [in_any, gather::are_apart];
                    if are_apart.iter().any(|ask| ask(nest, at, variables, steps)) {
                        return Some(true);
                    }
                }
                at = (*at).otherwise;
            }
        }
        Some(false)
    };
    i32::from(matches!(catch_unwind(AssertUnwindSafe(asked)), Ok(Some(true))))
}

/// Takes back what has run ahead ([`hexpass_abi::SETTLE`]).
///
/// # Safety
/// `ahead` is what the thread passed to [`hexrt_run`] before, with what that has left in it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hexrt_settle(ahead: *mut Ahead) {
    // SAFETY: the caller's promise.
    let settled = catch_unwind(AssertUnwindSafe(|| unsafe { ahead::settle(&mut *ahead) }));
    if settled.is_err() {
        run::abandon(BUG);
    }
}

/// Whether bytes of the program's may be among what has run ahead ([`hexpass_abi::MEETS`]).
///
/// # Safety
/// As [`hexrt_settle`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hexrt_meets(ahead: *const Ahead, at: *const c_void, bytes: u64) -> i32 {
    // SAFETY: the caller's promise.
    let meets = || unsafe { ahead::meets(&*ahead, Bystander { at: at as u64, bytes }) };
    i32::from(catch_unwind(AssertUnwindSafe(meets)).unwrap_or(true))
}

fn foreign(magic: u64, version: u32) -> Refusal {
    let message = if magic == MAGIC {
        format!(
            "the object was compiled by a plugin that speaks version {version}, the runtime speaks version {VERSION}: \
             compile it again"
        )
    } else {
        "the object's nest header is not one of hexpass".to_string()
    };
    Refusal::new(Reason::VersionMismatch, message)
}

/// It is a header of this version.
///
/// # Safety
/// As [`hexrt_run`].
unsafe fn ours(header: *const NestHeader) -> bool {
    // SAFETY: magic, version and size lie at the same place in every version of the header.
    let (magic, version, size) = unsafe { ((*header).magic, (*header).version, (*header).size) };
    (magic, version, size) == (MAGIC, VERSION, size_of::<NestHeader>() as u32)
}

/// The lists of a call.
///
/// # Safety
/// As [`hexrt_run`]; they live for `'a`.
unsafe fn call_of<'a>(args: *const NestArgs, host_kernels: &'a [Option<HostKernel>]) -> Call<'a> {
    // SAFETY: the caller's promise.
    unsafe {
        let a = &*args;
        Call {
            ints: slice(a.ints, a.int_count as usize),
            pointers: slice(a.pointers.cast::<u64>(), a.pointer_count as usize),
            scalars: slice(a.scalars, a.scalar_count as usize),
            host_kernels,
        }
    }
}

/// The decoded record and the host kernels.
///
/// # Safety
/// `header` is a header of this version, as [`hexrt_run`] asks.
unsafe fn cached(header: *mut NestHeader) -> (&'static Cached, &'static [Option<HostKernel>]) {
    // SAFETY: the header stays in place for good; `cache` is written by this function alone, atomically, and what
    // it points to is never freed. A host kernel is a function pointer, null or not, so `Option` fits.
    unsafe {
        let kernels = slice(
            (*header).host_kernels.cast::<Option<HostKernel>>(),
            (*header).host_kernel_count as usize,
        );
        let cache = AtomicPtr::from_ptr(&raw mut (*header).cache);
        let known = cache.load(Ordering::Acquire);
        if !known.is_null() {
            return (&*known.cast::<Cached>(), kernels);
        }
        let bytes = slice((*header).record, (*header).record_len as usize);
        let fresh = match Nest::decode(bytes) {
            Ok(nest) => Cached::Nest(Box::new(nest)),
            Err(refusal) => Cached::Broken(refusal),
        };
        let fresh: *mut c_void = Box::into_raw(Box::new(fresh)).cast();
        // A thread that comes second drops its own copy.
        match cache.compare_exchange(
            std::ptr::null_mut(),
            fresh,
            Ordering::AcqRel,
            Ordering::Acquire,
        ) {
            Ok(_) => (&*fresh.cast::<Cached>(), kernels),
            Err(first) => {
                drop(Box::from_raw(fresh.cast::<Cached>()));
                (&*first.cast::<Cached>(), kernels)
            }
        }
    }
}

/// A list that may be null when it is empty.
///
/// # Safety
/// `data` points to `len` values that live and stay unchanged for `'a`, or `len` is 0.
unsafe fn slice<'a, T>(data: *const T, len: usize) -> &'a [T] {
    if len == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(data, len) }
}
