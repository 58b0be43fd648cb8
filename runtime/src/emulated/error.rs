//! What can go wrong: [`PtxError`] when a module is loaded, [`LaunchError`] when a kernel runs.

use std::fmt;

/// A PTX text that this interpreter does not run; found when the module is loaded, never later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PtxError {
    /// Line of the PTX text, counted from 1.
    pub line: u32,
    /// That line, trimmed and shortened.
    pub text: String,
    /// What is unknown, unsupported or malformed in it.
    pub reason: String,
}

impl PtxError {
    pub(super) fn new(line: u32, reason: impl Into<String>) -> PtxError {
        PtxError { line, text: String::new(), reason: reason.into() }
    }

    /// Quotes the offending line of `source`.
    pub(super) fn quoting(mut self, source: &str) -> PtxError {
        let index = (self.line as usize).saturating_sub(1);
        let line = source.lines().nth(index).unwrap_or("");
        self.text = line.trim().chars().take(120).collect();
        self
    }
}

impl fmt::Display for PtxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PTX line {}: {} in `{}`", self.line, self.reason, self.text)
    }
}

impl std::error::Error for PtxError {}

/// A launch that stopped: which kernel, where, and why. Of several failing blocks the one of the
/// lowest index is reported, whatever the number of threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchError {
    pub kernel: String,
    /// `%ctaid` of the block that stopped.
    pub block: [u32; 3],
    /// `%tid` of the thread that stopped, or of one of them.
    pub thread: [u32; 3],
    /// Line of the PTX text; 0 where the launch itself was refused.
    pub line: u32,
    pub fault: Fault,
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (b, t) = (self.block, self.thread);
        write!(f, "kernel {}, block ({}, {}, {}), ", self.kernel, b[0], b[1], b[2])?;
        write!(f, "thread ({}, {}, {}), PTX line {}: {}", t[0], t[1], t[2], self.line, self.fault)
    }
}

impl std::error::Error for LaunchError {}

/// Why a launch stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The launch was refused before any thread ran.
    Refused(String),
    /// An access outside every region of the space that it names.
    OutOfBounds { space: Space, address: u64, bytes: u32, write: bool },
    /// An address that is no multiple of the access's size.
    Misaligned { space: Space, address: u64, bytes: u32, write: bool },
    /// Threads wait at a barrier that the others of the block will never reach.
    BarrierDeadlock { barrier: u32 },
    /// Some threads meet at a barrier as all of the block, or as so many, and others at the same one as another number.
    BarrierSizes { barrier: u32 },
    /// A barrier whose number no block has.
    NoBarrier { barrier: u32 },
    /// Lanes of one warp wait at different barriers, which an aligned barrier forbids.
    BarrierDivergence { barrier: u32 },
    /// A `.sync` operation names lanes that will never arrive.
    WarpDeadlock { members: u32, arrived: u32 },
    /// A lane executes a `.sync` operation whose member mask leaves it out.
    NotAMember { members: u32 },
    /// `brx.idx` with an index past its list.
    BranchIndex(u32),
    /// The kernel executed `trap`.
    Trap,
    /// The block used up the number of warp instructions it was granted.
    Budget(u64),
}

/// The address spaces that a fault may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    Global,
    Shared,
    Local,
    Generic,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = |write: &bool| if *write { "store" } else { "load" };
        match self {
            Fault::Refused(why) => write!(f, "launch refused: {why}"),
            Fault::OutOfBounds { space, address, bytes, write } => {
                write!(f, "{:?} {} of {bytes} bytes ", space, verb(write))?;
                write!(f, "out of bounds at address {address:#x}")
            }
            Fault::Misaligned { space, address, bytes, write } => {
                write!(f, "misaligned {:?} {} of {bytes} bytes ", space, verb(write))?;
                write!(f, "at address {address:#x}")
            }
            Fault::BarrierSizes { barrier } => {
                write!(f, "barrier {barrier} is used for different numbers of threads at a time")
            }
            Fault::NoBarrier { barrier } => write!(f, "there is no barrier {barrier}"),
            Fault::BarrierDeadlock { barrier } => {
                write!(f, "deadlock: the rest of the block never reaches barrier {barrier}")
            }
            Fault::BarrierDivergence { barrier } => {
                write!(f, "lanes of one warp reach aligned barrier {barrier} at different places")
            }
            Fault::WarpDeadlock { members, arrived } => {
                write!(f, "deadlock: lanes {members:#010x} are to meet, ")?;
                write!(f, "only {arrived:#010x} arrive")
            }
            Fault::NotAMember { members } => {
                write!(f, "a lane outside the member mask {members:#010x} executes the operation")
            }
            Fault::BranchIndex(index) => write!(f, "branch index {index} is past the list"),
            Fault::Trap => write!(f, "trap"),
            Fault::Budget(budget) => {
                write!(f, "more than {budget} warp instructions in one block")
            }
        }
    }
}
