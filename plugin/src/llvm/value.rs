//! Instructions, arguments and constants: what they are, and what they are made of.
//!
//! Consumes: LLVM's C API. Nothing here changes the IR.

use super::Location;
use super::analyses::{Effects, effects_of, location_of, object_kind, underlying_object};
use super::handle::{Block, Function, Type, Value, owned};
use super::types::TypeKind;
use super::{ObjectKind, sys};
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::{LLVMFastMathFlags, LLVMValueKind};
pub use inkwell::llvm_sys::{LLVMIntPredicate, LLVMOpcode as Opcode, LLVMRealPredicate};
use std::fmt;
use std::marker::PhantomData;

/// What sort of value it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueKind {
    /// An instruction, with its opcode.
    Instruction(Opcode),
    /// The function's argument of this index.
    Argument(usize),
    /// An integer constant of at most 64 bits, sign-extended.
    Int(i64),
    /// A float or double constant. The bits of a double that equals it, unless it is a NaN.
    Float(f64),
    /// A null pointer, or an aggregate of zeros.
    Zero,
    /// Undef or poison.
    Undefined,
    /// A function's address.
    Function,
    /// A global variable's address.
    Global,
    /// A constant expression, with its opcode.
    Expression(Opcode),
    /// Anything else.
    Other,
}

/// Fast-math flags of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FastMath(pub LLVMFastMathFlags);

/// Bits of [`FastMath`], as LLVM's C API numbers them.
impl FastMath {
    /// Operands may be regrouped.
    pub const REASSOC: u32 = 1;
    /// No operand or result is a NaN.
    pub const NNAN: u32 = 2;
    /// No operand or result is infinite.
    pub const NINF: u32 = 4;
    /// The sign of a zero does not matter.
    pub const NSZ: u32 = 8;
    /// A division may become a multiplication by the reciprocal.
    pub const ARCP: u32 = 16;
    /// A multiplication and an addition may fuse.
    pub const CONTRACT: u32 = 32;
    /// Library functions may be approximated.
    pub const AFN: u32 = 64;

    /// All of these bits are set.
    pub fn has(self, bits: u32) -> bool {
        self.0 & bits == bits
    }
}

/// Intrinsics that only tell the optimiser something.
const MARKERS: [&str; 5] = [
    "llvm.assume",
    "llvm.donothing",
    "llvm.experimental.noalias.scope.decl",
    "llvm.pseudoprobe",
    "llvm.sideeffect",
];

impl<'f> Value<'f> {
    /// What sort of value it is.
    pub fn kind(self) -> ValueKind {
        // SAFETY: the value is alive; each query below is asked of the kind that it is for.
        unsafe {
            match LLVMGetValueKind(self.raw()) {
                LLVMValueKind::LLVMInstructionValueKind => {
                    ValueKind::Instruction(LLVMGetInstructionOpcode(self.raw()))
                }
                LLVMValueKind::LLVMArgumentValueKind => self.argument_kind(),
                LLVMValueKind::LLVMConstantIntValueKind => self.int_kind(),
                LLVMValueKind::LLVMConstantFPValueKind => self.float_kind(),
                LLVMValueKind::LLVMConstantPointerNullValueKind
                | LLVMValueKind::LLVMConstantAggregateZeroValueKind => ValueKind::Zero,
                LLVMValueKind::LLVMUndefValueValueKind | LLVMValueKind::LLVMPoisonValueKind => {
                    ValueKind::Undefined
                }
                LLVMValueKind::LLVMFunctionValueKind => ValueKind::Function,
                LLVMValueKind::LLVMGlobalVariableValueKind => ValueKind::Global,
                LLVMValueKind::LLVMConstantExprValueKind => {
                    ValueKind::Expression(LLVMGetConstOpcode(self.raw()))
                }
                _ => ValueKind::Other,
            }
        }
    }

    fn argument_kind(self) -> ValueKind {
        // SAFETY: the caller has seen an argument; its parent is a live function.
        let function = Function::from_raw(unsafe { LLVMGetParamParent(self.raw()) });
        let arguments = function.map(Function::arguments).unwrap_or_default();
        arguments
            .iter()
            .position(|&argument| argument == self)
            .map_or(ValueKind::Other, ValueKind::Argument)
    }

    fn int_kind(self) -> ValueKind {
        let TypeKind::Int(1..=64) = self.ty().kind() else { return ValueKind::Other };
        // SAFETY: an integer constant of at most 64 bits.
        ValueKind::Int(unsafe { LLVMConstIntGetSExtValue(self.raw()) })
    }

    fn float_kind(self) -> ValueKind {
        if !matches!(self.ty().kind(), TypeKind::Float | TypeKind::Double) {
            return ValueKind::Other;
        }
        let mut loses = 0;
        // SAFETY: a floating-point constant.
        ValueKind::Float(unsafe { LLVMConstRealGetDouble(self.raw(), &mut loses) })
    }

    /// The opcode, of an instruction.
    pub fn opcode(self) -> Option<Opcode> {
        match self.kind() {
            ValueKind::Instruction(opcode) => Some(opcode),
            _ => None,
        }
    }

    /// An integer constant of at most 64 bits.
    pub fn as_int(self) -> Option<i64> {
        match self.kind() {
            ValueKind::Int(value) => Some(value),
            _ => None,
        }
    }

    /// Of an argument of sweeps that wait, which was read from memory: the number of the object that holds it, and the bytes
    /// from that one's beginning.
    pub fn held_at(self) -> Option<(u32, i64)> {
        let (mut object, mut offset) = (0, 0);
        // SAFETY: the value is alive, and the shim looks at its kind.
        unsafe { sys::shim_held_at(self.raw(), &mut object, &mut offset) }
            .then_some((object, offset))
    }

    /// What a stretch's argument, the start of something that goes on from step to step, was when the time loop began, if
    /// that is a constant; or what a variable that is loaded begins with. A guess: it may have changed.
    pub fn first_value(self) -> Option<i64> {
        let mut value = 0;
        // SAFETY: the value is alive, and the shim looks at its kind.
        unsafe { sys::shim_first_value(self.raw(), &mut value) }.then_some(value)
    }

    /// The function that this value is the address of.
    pub fn as_function(self) -> Option<Function<'f>> {
        (self.kind() == ValueKind::Function).then_some(Function { raw: self.raw, of: PhantomData })
    }

    /// Its type.
    pub fn ty(self) -> Type<'f> {
        // SAFETY: the value is alive, and every value has a type.
        Type::from_raw(unsafe { LLVMTypeOf(self.raw()) }).expect("a value has a type")
    }

    /// Its name in the IR; empty for most values.
    pub fn name(self) -> String {
        let mut length = 0;
        // SAFETY: the value is alive, and so is its name.
        unsafe { owned(LLVMGetValueName2(self.raw(), &mut length), length) }
    }

    /// The operands of an instruction or constant expression, without blocks and metadata. A call's
    /// last one is the callee: see [`Value::call_arguments`].
    pub fn operands(self) -> Vec<Value<'f>> {
        // SAFETY: the value is alive; only users have operands, others answer with -1 or 0.
        let count = unsafe { LLVMGetNumOperands(self.raw()) };
        (0..count.max(0) as u32).filter_map(|index| self.operand(index)).collect()
    }

    /// The operand of this index, unless it is a block or metadata.
    pub fn operand(self, index: u32) -> Option<Value<'f>> {
        // SAFETY: the value is alive; the index is checked against the count first.
        unsafe {
            if LLVMGetNumOperands(self.raw()) <= index as i32 {
                return None;
            }
            let operand = LLVMGetOperand(self.raw(), index);
            if operand.is_null()
                || LLVMValueIsBasicBlock(operand) != 0
                || LLVMGetValueKind(operand) == LLVMValueKind::LLVMMetadataAsValueValueKind
            {
                return None;
            }
            Value::from_raw(operand)
        }
    }

    /// The instructions that use this value, each once.
    pub fn users(self) -> Vec<Value<'f>> {
        // SAFETY: the value is alive. Constants' users go beyond the function: left out.
        unsafe {
            match LLVMGetValueKind(self.raw()) {
                LLVMValueKind::LLVMInstructionValueKind
                | LLVMValueKind::LLVMArgumentValueKind
                | LLVMValueKind::LLVMGlobalVariableValueKind => users_of(self.raw()),
                _ => Vec::new(),
            }
        }
    }

    /// The block that an instruction stands in.
    pub fn block(self) -> Option<Block<'f>> {
        self.opcode()?;
        // SAFETY: a live instruction.
        Block::from_raw(unsafe { LLVMGetInstructionParent(self.raw()) })
    }

    /// A phi's values with the blocks that they come from.
    pub fn incoming(self) -> Vec<(Value<'f>, Block<'f>)> {
        if self.opcode() != Some(Opcode::LLVMPHI) {
            return Vec::new();
        }
        // SAFETY: a live phi, and an index below its count.
        unsafe {
            (0..LLVMCountIncoming(self.raw()))
                .filter_map(|index| {
                    let value = Value::from_raw(LLVMGetIncomingValue(self.raw(), index))?;
                    Some((value, Block::from_raw(LLVMGetIncomingBlock(self.raw(), index))?))
                })
                .collect()
        }
    }

    /// The value that a phi takes when control comes from `block`.
    pub fn incoming_from(self, block: Block<'f>) -> Option<Value<'f>> {
        self.incoming().into_iter().find(|&(_, from)| from == block).map(|(value, _)| value)
    }

    /// A conditional branch's condition.
    pub fn condition(self) -> Option<Value<'f>> {
        // SAFETY: a live branch.
        unsafe {
            if self.opcode()? != Opcode::LLVMBr || LLVMIsConditional(self.raw()) == 0 {
                return None;
            }
            Value::from_raw(LLVMGetCondition(self.raw()))
        }
    }

    /// An integer comparison's predicate.
    pub fn int_predicate(self) -> Option<LLVMIntPredicate> {
        (self.opcode()? == Opcode::LLVMICmp)
            // SAFETY: a live icmp.
            .then(|| unsafe { LLVMGetICmpPredicate(self.raw()) })
    }

    /// A floating-point comparison's predicate.
    pub fn real_predicate(self) -> Option<LLVMRealPredicate> {
        (self.opcode()? == Opcode::LLVMFCmp)
            // SAFETY: a live fcmp.
            .then(|| unsafe { LLVMGetFCmpPredicate(self.raw()) })
    }

    /// The function that a call or invoke names.
    pub fn callee(self) -> Option<Function<'f>> {
        self.is_call().then_some(())?;
        // SAFETY: a live call.
        Value::from_raw(unsafe { LLVMGetCalledValue(self.raw()) })?.as_function()
    }

    /// The functions that a call names: one, or those among which it chooses where it stands, as the call of the runtime
    /// does (`emit/splice`).
    pub fn callees(self) -> Vec<Function<'f>> {
        if !self.is_call() {
            return Vec::new();
        }
        // SAFETY: a live call.
        let Some(called) = Value::from_raw(unsafe { LLVMGetCalledValue(self.raw()) }) else {
            return Vec::new();
        };
        match called.opcode() {
            Some(Opcode::LLVMSelect) => {
                called.operands().into_iter().filter_map(Value::as_function).collect()
            }
            _ => called.as_function().into_iter().collect(),
        }
    }

    /// A call, invoke or callbr.
    pub fn is_call(self) -> bool {
        matches!(self.opcode(), Some(Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr))
    }

    /// A call's arguments.
    pub fn call_arguments(self) -> Vec<Value<'f>> {
        if !self.is_call() {
            return Vec::new();
        }
        // SAFETY: a live call.
        let count = unsafe { LLVMGetNumArgOperands(self.raw()) };
        (0..count).filter_map(|index| self.operand(index)).collect()
    }

    /// A call that only tells the optimiser something: neither a computation nor an access.
    pub fn is_marker(self) -> bool {
        self.intrinsic().is_some_and(|name| MARKERS.contains(&name.as_str()))
    }

    /// The name of the intrinsic that a call calls, without its type suffix.
    pub fn intrinsic(self) -> Option<String> {
        self.callee()?.intrinsic()
    }

    /// The address of a load, store or GEP.
    pub fn pointer(self) -> Option<Value<'f>> {
        match self.opcode()? {
            Opcode::LLVMLoad | Opcode::LLVMGetElementPtr => self.operand(0),
            Opcode::LLVMStore => self.operand(1),
            _ => None,
        }
    }

    /// The value that a store writes.
    pub fn stored(self) -> Option<Value<'f>> {
        (self.opcode()? == Opcode::LLVMStore).then(|| self.operand(0))?
    }

    /// The alignment of a load, store or alloca in bytes.
    pub fn alignment(self) -> Option<u32> {
        match self.opcode()? {
            Opcode::LLVMLoad | Opcode::LLVMStore | Opcode::LLVMAlloca => {
                // SAFETY: one of the instructions that have an alignment.
                Some(unsafe { LLVMGetAlignment(self.raw()) })
            }
            _ => None,
        }
    }

    /// The operation promises not to wrap as a signed number.
    pub fn is_nsw(self) -> bool {
        self.may_wrap_flags()
            // SAFETY: an instruction that has the flag.
            && unsafe { LLVMGetNSW(self.raw()) != 0 }
    }

    /// The operation promises not to wrap as an unsigned number.
    pub fn is_nuw(self) -> bool {
        self.may_wrap_flags()
            // SAFETY: an instruction that has the flag.
            && unsafe { LLVMGetNUW(self.raw()) != 0 }
    }

    fn may_wrap_flags(self) -> bool {
        matches!(
            self.opcode(),
            Some(Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMMul | Opcode::LLVMShl)
        )
    }

    /// Fast-math flags; none for what cannot carry them.
    pub fn fast_math(self) -> FastMath {
        // SAFETY: a live instruction that can carry the flags.
        unsafe {
            if self.opcode().is_none() || LLVMCanValueUseFastMathFlags(self.raw()) == 0 {
                return FastMath::default();
            }
            FastMath(LLVMGetFastMathFlags(self.raw()))
        }
    }

    /// Where an instruction stands in the source.
    pub fn location(self) -> Option<Location> {
        location_of(self.raw())
    }

    /// What executing the instruction may do besides computing its value.
    pub fn effects(self) -> Effects {
        effects_of(self.raw())
    }

    /// The pointer that this pointer was computed from, through GEPs and casts.
    pub fn underlying_object(self) -> Value<'f> {
        Value::from_raw(underlying_object(self.raw())).unwrap_or(self)
    }

    /// What the root of a pointer is known to be.
    pub fn object_kind(self) -> ObjectKind {
        object_kind(self.raw())
    }
}

/// The instructions that use a value or block.
///
/// # Safety
/// `value` is alive.
pub(super) unsafe fn users_of<'f>(value: LLVMValueRef) -> Vec<Value<'f>> {
    let mut users = Vec::new();
    // SAFETY: the caller's promise; uses and users of a live value are alive.
    unsafe {
        let mut next = LLVMGetFirstUse(value);
        while !next.is_null() {
            users.extend(Value::from_raw(LLVMGetUser(next)));
            next = LLVMGetNextUse(next);
        }
    }
    users.sort();
    users.dedup();
    users.retain(|user| user.opcode().is_some());
    users
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: the value is alive.
        f.write_str(&sys::text(|sink, state| unsafe {
            sys::shim_print_value(self.raw(), sink, state);
        }))
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
