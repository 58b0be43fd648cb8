//! What a kernel's blocks do, counted; one formula over it ranks kernels at compile time and predicts times at run time.

use crate::PlanExpr;
use serde::{Deserialize, Serialize};

/// A block of a GPU kernel: a start, then `turns` equal turns of a sequential loop.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct KernelCost {
    /// Registers of a thread, as the assembler allots them or estimated; 0: unknown.
    pub registers: u16,
    /// Once in a block.
    pub start: BlockWork,
    /// In each turn.
    pub turn: BlockWork,
    /// Number of turns; none: only the start.
    pub turns: Option<PlanExpr>,
}

/// Work of all warps of a block together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BlockWork {
    /// Statement instances, redundant ones included.
    pub instances: u64,
    /// Instances that another block computes too.
    pub redundant: u64,
    /// Instructions issued, each for a warp.
    pub instructions: u64,
    /// Those of them for the double-precision units.
    pub doubles: u64,
    /// Those of them for the special-function units (rsqrt, rcp), each for a warp.
    pub special: u64,
    /// Warp shuffles.
    pub shuffles: u64,
    /// Bytes from and to memory.
    pub bytes: u64,
    /// Bytes through the second-level cache, those of `bytes` included.
    pub cached: u64,
    /// Four-byte words from and to shared memory.
    pub words: u64,
    /// Barriers of the block.
    pub barriers: u64,
    /// Longest chain of operations that wait for each other, in cycles.
    pub chain: u64,
}
