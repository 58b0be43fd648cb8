//! The only unsafe door to LLVM besides `entry`.
//!
//! Consumes: the module and context that the host passes in. Produces: safe handles to read it
//! ([`Session`], [`Function`], [`Value`], [`Analyses`]) and a few whole operations that change it
//! ([`WorkingCopy::commit`], [`Analyses::expand`]).
//!
//! **The promise behind the handles.** A handle is a pointer into LLVM's own data and lives as long
//! as its lifetime says: a function or value of the module as long as the session, one of a working
//! copy as long as the copy, a loop or expression as long as its [`Analyses`]. LLVM cannot tell us
//! when an instruction is erased, so whoever erases IR (the emit stage, through inkwell or the C
//! API, both of them unsafe or lifetime-free) must not use handles to it afterwards, and drops its
//! `Analyses` with [`Analyses::invalidate`].

mod sys;

mod session;
pub use session::{
    CopyAs, NotStretched, Point, Reduced, RemarkKind, Session, Slow, Stretches, Where, WorkingCopy,
};

mod handle;
pub use handle::{Block, Function, Type, Value};

mod function;

mod value;
pub use value::{FastMath, Opcode, ValueKind};

mod types;
pub use types::TypeKind;

mod location;
pub use location::Location;

mod analyses;
pub use analyses::{Alias, Analyses, Effects, LoopRef, ObjectKind};

mod scev;
pub use scev::{Predicate, Range, ScevKind, ScevRef};

pub mod target;

mod code;
pub use code::device_code;

pub(crate) use session::register;
pub(crate) use sys::ShimContext;
