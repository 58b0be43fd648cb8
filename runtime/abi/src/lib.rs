//! The contract between the plugin and the runtime, written once.
//!
//! A transformed object holds, for each nest, one [`NestHeader`] (fixed layout, asserted below) that points to one
//! [`NestRecord`] (postcard bytes: arrays, guard, variants, PTX). Generated code fills a [`NestArgs`] and calls
//! [`ENTRY`]; it gets [`DONE`] when the nest has been run and [`NOT_DONE`] when nothing was written and the original
//! loop must run.
//!
//! Everything here is data: no LLVM, no CUDA, no `std`.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod cost;
pub mod expr;
pub mod fence;
pub mod plan;
pub mod record;

use core::mem::{offset_of, size_of};

pub use cost::{BlockWork, BorderCost, Fit, KernelCost, LaunchShape, Machine};
pub use expr::{IntExpr, Poly, Sym};
pub use fence::{Fence, Held};
pub use plan::{LaunchPlan, PlanExpr, PlanOp};
pub use record::*;

/// Version of everything in this crate; plugin and runtime refuse each other when it differs.
pub const VERSION: u32 = 29;

/// First eight bytes of every [`NestHeader`].
pub const MAGIC: u64 = u64::from_le_bytes(*b"hexpass\x01");

/// What the names of all functions of the runtime begin with.
pub const PREFIX: &str = "hexrt_";

/// `int32_t hexrt_run(NestHeader *, const NestArgs *, ...)`, referred to weakly by generated code. What follows are those
/// pointers of the arguments once more which the runtime does not keep (it keeps those of arrays and of tables of rows where
/// there is a [`NestArgs::frame`] or a [`NestArgs::ahead`]): the compiler of the program knows by them what may be read and
/// written. The runtime does not look at them.
pub const ENTRY: &str = "hexrt_run";

/// `void hexrt_settle(Ahead *)`, called where [`Ahead::state`] is not null: memory is then as [`Ahead::taken`] steps have
/// left it, nothing is ahead, and nothing is held.
pub const SETTLE: &str = "hexrt_settle";

/// `int32_t hexrt_meets(const Ahead *, const void *, uint64_t)`, called where [`Ahead::state`] is not null, before the program
/// reads or writes so many bytes ([`ONLY_READ`]): 1 if they may be among what the steps ahead touch, so that [`SETTLE`] comes
/// first; else 0.
pub const MEETS: &str = "hexrt_meets";

/// `void hexrt_home(Frame *, uint32_t)`, called where [`Frame::state`] is not null, with one of [`HOME_READS`],
/// [`HOME_WRITES`], [`HOME_LEAVES`] and [`HOME_REPEATS`]: the program's memory is complete afterwards.
pub const HOME: &str = "hexrt_home";
/// The program may read what the nests touch: what devices hold stays right.
pub const HOME_READS: u32 = 0;
/// It may write there: what devices hold is stale from here on.
pub const HOME_WRITES: u32 = 1;
/// Nothing comes of this frame any more: devices hold nothing, and [`Frame::state`] is null.
pub const HOME_LEAVES: u32 = 2;
/// The next call of [`ENTRY`] in the frame is for something that the program then does itself too, looking at what is in
/// its memory now: the nest is executed on the device that has its arrays, or not at all, and answers [`DONE`].
pub const HOME_REPEATS: u32 = 3;

/// `void hexrt_look(Frame *, uint32_t, const void *, uint64_t)`: the same, of so many bytes of the program's memory; with
/// [`HOME_READS`] or [`HOME_WRITES`].
pub const LOOK: &str = "hexrt_look";

/// `int32_t hexrt_apart(NestHeader *, const NestArgs *, const Bystander *, uint64_t count, uint64_t steps)`: whether none of
/// these variables shares a byte with what the nest touches in as many steps, or in fewer; 1 if that is so, 0 if not, or not
/// known. Nothing runs.
pub const APART: &str = "hexrt_apart";

/// `int32_t hexrt_readable(NestHeader *, const void *, uint64_t key)`, called before [`ENTRY`] where an argument lies in memory
/// that the original may not read: 1 if a word may be read there and the nest has use for it, so that [`ENTRY`] may be called;
/// else 0. `key` stands for the sizes that are known so far. The header comes with the first word of an execution only, and is null
/// for the others.
pub const READABLE: &str = "hexrt_readable";

/// A hidden common byte in every module with transformed code. The runtime's archive defines it: that, and not the weak
/// reference to [`ENTRY`], makes a linker take the archive (`scripts/pack-runtime.sh` adds the definition).
pub const ANCHOR: &str = "hexrt_anchor";

/// Bytes to which a device aligns the rows of arrays for variants that are [`Variant::aligned`]: subscript zero of every
/// slot and scratch buffer, and every stride but the last, is a multiple of it; a row's storage begins and ends at a
/// multiple of it.
pub const ALIGNMENT: u64 = 128;

/// Most dimensions that an array may have.
pub const MAX_DIMS: usize = 6;

/// The nest ran; memory is what the original would have left.
pub const DONE: i32 = 1;
/// Nothing was written; the original loop must run.
pub const NOT_DONE: i32 = 0;

/// What generated code holds for one nest. Lives in writable data because of `cache`.
#[repr(C)]
#[derive(Debug)]
pub struct NestHeader {
    /// [`MAGIC`].
    pub magic: u64,
    /// [`VERSION`].
    pub version: u32,
    /// `size_of::<NestHeader>()`.
    pub size: u32,
    /// [`NestRecord::to_bytes`].
    pub record: *const u8,
    /// Length of `record` in bytes.
    pub record_len: u64,
    /// Host kernels, indexed by [`KernelCode::Host`]; each is a [`HostKernel`].
    pub host_kernels: *const *const core::ffi::c_void,
    /// Length of `host_kernels`.
    pub host_kernel_count: u64,
    /// Owned by the runtime: null at start, then the decoded record.
    pub cache: *mut core::ffi::c_void,
    /// The same nest under other assumptions, for the same arguments: it runs where this one's guard fails. Null: the
    /// original loop does.
    pub otherwise: *mut NestHeader,
}

/// What generated code passes at each execution of a nest; all pointers live through the call.
#[repr(C)]
#[derive(Debug)]
pub struct NestArgs {
    /// Integer parameters ([`IntExpr`] symbols), sign-extended to 64 bits.
    pub ints: *const i64,
    /// Base pointers, as the program holds them before the nest.
    pub pointers: *const *mut u8,
    /// Floating and integer values the bodies use, each in the low bytes of eight.
    pub scalars: *const u64,
    /// Length of `ints`.
    pub int_count: u32,
    /// Length of `pointers`.
    pub pointer_count: u32,
    /// Length of `scalars`.
    pub scalar_count: u32,
    /// Must be zero.
    pub reserved: u32,
    /// For nests with [`NestRecord::reductions`], else null.
    pub ahead: *mut Ahead,
    /// Where arrays may stay on a device after the nest; null: they come back at once.
    pub frame: *mut Frame,
}

/// A variable of the program's ([`APART`]).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bystander {
    /// Its address.
    pub at: u64,
    /// Its size; with [`ONLY_READ`], the program does not write it meanwhile.
    pub bytes: u64,
}

/// Of a number of bytes, that the program only reads them: what a nest reads too does no harm there.
pub const ONLY_READ: u64 = 1 << 63;

/// Of a number of steps that [`APART`] is asked for: there are exactly so many.
pub const EXACTLY: u64 = 1 << 63;

/// What one activation of a function keeps on a device between nests: runs of the sweeps of a time loop.
///
/// It lies on the activation's stack. Generated code calls [`HOME`] before anything that may read or write what the
/// nests of the frame touch, and where the time loop is left in whatever way, and [`LOOK`] before it loads what a nest
/// needs to know. Where [`ENTRY`] answers [`NOT_DONE`], everything has come home and what devices hold is stale.
#[repr(C)]
#[derive(Debug)]
pub struct Frame {
    /// The runtime's; null at start.
    pub state: *mut core::ffi::c_void,
}

/// What a time loop and the runtime tell each other of sweeps that run ahead of the loop.
///
/// The loop calls [`ENTRY`] when `credit` is 0. The runtime then runs between 1 and `most` steps, sets `credit` to their
/// number and `taken` to 0, and writes their results; at each step the loop takes one. Before it looks at what the
/// sweeps touch, it calls [`SETTLE`].
#[repr(C)]
#[derive(Debug)]
pub struct Ahead {
    /// Steps that have been run and that the loop has not come to.
    pub credit: u64,
    /// Steps of the last run that it has come to.
    pub taken: u64,
    /// The runtime's; null at start.
    pub state: *mut core::ffi::c_void,
    /// Steps of one run, at most; as many as each of the nest's reductions has slots.
    pub most: u32,
    /// Number of reductions.
    pub reductions: u32,
    /// What each of them begins with in every step, in the low bytes of eight.
    pub initials: *const u64,
    /// `results[step · reductions + reduction]`, likewise.
    pub results: *mut u64,
}

/// A host kernel runs one block of a launch: `params` as [`KernelRecord::params`] lists them, eight bytes each.
pub type HostKernel = unsafe extern "C" fn(params: *const u64, block: i64);

const _: () = {
    assert!(size_of::<NestHeader>() == 64);
    assert!(offset_of!(NestHeader, record) == 16);
    assert!(offset_of!(NestHeader, record_len) == 24);
    assert!(offset_of!(NestHeader, host_kernels) == 32);
    assert!(offset_of!(NestHeader, host_kernel_count) == 40);
    assert!(offset_of!(NestHeader, cache) == 48);
    assert!(offset_of!(NestHeader, otherwise) == 56);
    assert!(size_of::<NestArgs>() == 56);
    assert!(offset_of!(NestArgs, ahead) == 40);
    assert!(offset_of!(NestArgs, frame) == 48);
    assert!(size_of::<Frame>() == 8);
    assert!(size_of::<Bystander>() == 16);
    assert!(size_of::<Ahead>() == 48);
    assert!(offset_of!(Ahead, state) == 16);
    assert!(offset_of!(Ahead, initials) == 32);
    assert!(offset_of!(NestArgs, pointers) == 8);
    assert!(offset_of!(NestArgs, scalars) == 16);
    assert!(offset_of!(NestArgs, int_count) == 24);
};
