//! The table that maps the ids of [`NestFacts`](hexpass_poly::facts::NestFacts) back to LLVM values.
//!
//! Produced by detection beside the facts; consumed by `emit::splice`, which computes these values before the time
//! loop and hands them to the runtime. All values belong to the working copy of the function.

use super::places::Divisor;
use hexpass_abi::{Exchanged, IntExpr};
use inkwell::llvm_sys::prelude::{LLVMBasicBlockRef, LLVMTypeRef, LLVMValueRef};

/// Where the nest stands in its function and what its ids mean.
#[derive(Clone, Debug)]
pub struct Bindings {
    /// Ends in an unconditional branch to `header`.
    pub preheader: LLVMBasicBlockRef,
    /// Header of the time loop.
    pub header: LLVMBasicBlockRef,
    /// The only block outside the time loop that it branches to, and the only blocks that branch to it are in the
    /// loop (dedicated exit).
    pub exit: LLVMBasicBlockRef,
    /// The only block in the loop that branches to `exit`.
    pub exiting: LLVMBasicBlockRef,
    /// Loads that the nest repeats and that can be done once before it, in order.
    pub loads: Vec<InvariantLoad>,
    /// `Sym::Int(i)`: an integer of any width up to 64, to be sign-extended to 64 bits.
    pub ints: Vec<Operand>,
    /// Base pointers.
    pub pointers: Vec<Operand>,
    /// Values used by bodies.
    pub scalars: Vec<Operand>,
    /// Phis of `exit` that take a value from the loop.
    pub live_outs: Vec<LiveOut>,
    /// Pointers that the time loop swaps in memory: what is stored there once the nest has run.
    pub final_stores: Vec<FinalStore>,
    /// The words themselves.
    pub exchanged: Vec<Exchanged>,
    /// `NestArgs::ahead`, where the nest has reductions.
    pub ahead: Option<Operand>,
    /// `NestArgs::frame`, where arrays may stay on a device after the nest.
    pub frame: Option<Operand>,
}

/// A pointer in memory that the time loop exchanges with others, each step.
#[derive(Clone, Debug)]
pub struct FinalStore {
    /// The load of `Bindings::loads` that read it before the nest; it is stored to the same address.
    pub load: u16,
    /// As in [`FinalValue::Rotated`].
    pub initial: Vec<Operand>,
    pub index: u16,
    /// It is no element of the cycle itself: where there was no step, it stays what it was.
    pub kept: bool,
}

/// A value known before the nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A value that dominates the preheader's end (constants and arguments included).
    Value(LLVMValueRef),
    /// `Bindings::loads[i]`.
    Load(u16),
    /// The address that one of them gave less that of another, an integer.
    Difference(u16, u16),
    /// The address that one of them gave, an integer.
    Address(u16),
    /// The address that one of them gave, so many bytes on.
    Moved(u16, LLVMValueRef),
    /// `Sym::Int(i)` divided and rounded down; by a parameter that is not positive, itself.
    Quotient(u16, Divisor),
    /// What is left then.
    Remainder(u16, Divisor),
}

/// A load from an address that does not change in the nest. The runtime's guard checks that nothing in the nest writes
/// there (it is also an array without dimensions in the facts).
#[derive(Clone, Debug)]
pub struct InvariantLoad {
    pub pointer: Operand,
    /// Constant bytes added to the pointer.
    pub offset: i64,
    pub ty: LLVMTypeRef,
    pub align: u32,
    /// The load happens in the original only if all of these are positive (trip counts of the loops around it, over
    /// ints that earlier loads make known); otherwise the original loop is taken.
    pub requires: Vec<IntExpr>,
    pub evidence: Evidence,
}

/// Why what a load reads may be read before the nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The original makes the load.
    Sure,
    /// It makes it under a condition on data; but one from so many bytes after the same pointer surely, and where both lie in
    /// one page, this one may be made too. Elsewhere it is as if the system had to be asked.
    Beside(i64),
    /// It makes it under a condition on data: the system is asked, and where the address may not be read, the original loop
    /// is taken.
    Asked,
}

impl InvariantLoad {
    /// Something is asked before it is made.
    pub fn is_conditional(&self) -> bool {
        !self.requires.is_empty() || self.evidence != Evidence::Sure
    }
}

/// What a phi of the exit block gets when the nest has been replaced.
#[derive(Clone, Debug)]
pub struct LiveOut {
    pub phi: LLVMValueRef,
    pub value: FinalValue,
}

/// A value after the last iteration.
#[derive(Clone, Debug)]
pub enum FinalValue {
    /// The same throughout.
    Value(LLVMValueRef),
    /// `start + step · steps` in the phi's integer type, wrapping; `steps` being the facts' (zero if negative).
    Counter { start: LLVMValueRef, step: i64 },
    /// `reached` if the time loop's body runs at least once, else `never`; both dominate the preheader's end.
    Reached { never: LLVMValueRef, reached: LLVMValueRef },
    /// `initial[(index + steps) mod len]` of a rotation; values that dominate the preheader's end.
    Rotated { initial: Vec<Operand>, index: u16 },
}
