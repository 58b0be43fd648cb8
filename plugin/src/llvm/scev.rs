//! Scalar evolution: values as formulas over loops.
//!
//! Consumes: values of an analysed function. Produces: [`ScevRef`], a formula that lives as long as
//! its [`Analyses`], and code for one ([`Analyses::expand`]). Refuses to expand what might trap or
//! is not available at the place.

use super::analyses::{Analyses, LoopRef};
use super::handle::{Block, Type, Value};
use super::sys;
use super::value::LLVMIntPredicate;
use std::fmt;
use std::marker::PhantomData;

/// A predicate between two integers.
pub type Predicate = LLVMIntPredicate;

/// A formula. Equal formulas are the same handle.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ScevRef<'a> {
    raw: sys::ShimScevRef,
    of: PhantomData<&'a ()>,
}

/// What a formula is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScevKind {
    /// A number: [`ScevRef::constant`].
    Constant,
    /// The run-time factor of scalable vectors.
    VScale,
    /// The low bits of the operand.
    Truncate,
    /// The operand, widened with zeros.
    ZeroExtend,
    /// The operand, widened with its sign.
    SignExtend,
    /// A sum.
    Add,
    /// A product.
    Mul,
    /// An unsigned division.
    UDiv,
    /// `{start, +, step, …}` over [`ScevRef::add_rec_loop`].
    AddRec,
    /// Unsigned maximum.
    UMax,
    /// Signed maximum.
    SMax,
    /// Unsigned minimum.
    UMin,
    /// Signed minimum.
    SMin,
    /// Unsigned minimum that stops at the first zero, where later operands may be poison.
    SequentialUMin,
    /// A pointer as a number.
    PtrToInt,
    /// A value that has no formula: [`ScevRef::value`].
    Unknown,
    /// No formula at all.
    CouldNotCompute,
}

/// Bounds of a formula; `None` where they need more than 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Lowest and highest as a signed number.
    pub signed: Option<(i64, i64)>,
    /// Lowest and highest as an unsigned number.
    pub unsigned: Option<(u64, u64)>,
}

impl<'a> ScevRef<'a> {
    pub(super) fn from_raw(raw: sys::ShimScevRef) -> Option<Self> {
        (!raw.is_null()).then_some(ScevRef { raw, of: PhantomData })
    }

    /// What the formula is made of.
    pub fn kind(self) -> ScevKind {
        // SAFETY: the formula is alive.
        match unsafe { sys::shim_scev_kind(self.raw) } {
            sys::ShimScevConstant => ScevKind::Constant,
            sys::ShimScevVScale => ScevKind::VScale,
            sys::ShimScevTruncate => ScevKind::Truncate,
            sys::ShimScevZeroExtend => ScevKind::ZeroExtend,
            sys::ShimScevSignExtend => ScevKind::SignExtend,
            sys::ShimScevAdd => ScevKind::Add,
            sys::ShimScevMul => ScevKind::Mul,
            sys::ShimScevUDiv => ScevKind::UDiv,
            sys::ShimScevAddRec => ScevKind::AddRec,
            sys::ShimScevUMax => ScevKind::UMax,
            sys::ShimScevSMax => ScevKind::SMax,
            sys::ShimScevUMin => ScevKind::UMin,
            sys::ShimScevSMin => ScevKind::SMin,
            sys::ShimScevSequentialUMin => ScevKind::SequentialUMin,
            sys::ShimScevPtrToInt => ScevKind::PtrToInt,
            sys::ShimScevUnknown => ScevKind::Unknown,
            _ => ScevKind::CouldNotCompute,
        }
    }

    /// The parts: summands, factors, start and step, the operand of a cast.
    pub fn operands(self) -> Vec<ScevRef<'a>> {
        // SAFETY: the formula is alive, and the index below its count.
        unsafe {
            (0..sys::shim_scev_operand_count(self.raw))
                .filter_map(|index| ScevRef::from_raw(sys::shim_scev_operand(self.raw, index)))
                .collect()
        }
    }

    /// The number that a constant is, sign-extended, if 64 bits hold it.
    pub fn constant(self) -> Option<i64> {
        let mut value = 0;
        // SAFETY: the formula is alive.
        unsafe { sys::shim_scev_constant(self.raw, &mut value) }.then_some(value)
    }

    /// The type of its value.
    pub fn ty(self) -> Option<Type<'a>> {
        // SAFETY: the formula is alive.
        Type::from_raw(unsafe { sys::shim_scev_type(self.raw) })
    }

    /// Its value is a pointer.
    pub fn is_pointer(self) -> bool {
        // SAFETY: the formula is alive.
        unsafe { sys::shim_scev_is_pointer(self.raw) }
    }

    /// Known not to wrap as an unsigned number.
    pub fn is_nuw(self) -> bool {
        // SAFETY: the formula is alive.
        unsafe { sys::shim_scev_nuw(self.raw) }
    }

    /// Known not to wrap as a signed number.
    pub fn is_nsw(self) -> bool {
        // SAFETY: the formula is alive.
        unsafe { sys::shim_scev_nsw(self.raw) }
    }

    /// The loop of an [`ScevKind::AddRec`].
    pub fn add_rec_loop(self) -> Option<LoopRef<'a>> {
        // SAFETY: the formula is alive.
        LoopRef::from_raw(unsafe { sys::shim_scev_loop(self.raw) })
    }

    /// The value of an [`ScevKind::Unknown`].
    pub fn value(self) -> Option<Value<'a>> {
        // SAFETY: the formula is alive.
        Value::from_raw(unsafe { sys::shim_scev_value(self.raw) })
    }
}

impl fmt::Display for ScevRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: the formula is alive.
        f.write_str(&sys::text(|sink, state| unsafe {
            sys::shim_scev_print(self.raw, sink, state);
        }))
    }
}

impl fmt::Debug for ScevRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<'f> Analyses<'f> {
    /// The formula of an integer or pointer value.
    pub fn scev(&self, value: Value<'_>) -> Option<ScevRef<'_>> {
        // SAFETY: the analyses and the value are alive.
        self.computed(unsafe { sys::shim_scev(self.raw, value.raw()) })
    }

    /// The formula as seen from inside `scope` (from outside all loops if `None`): recurrences of
    /// loops that have ended by then are replaced by their last value.
    pub fn at_scope(&self, scev: ScevRef<'_>, scope: Option<LoopRef<'_>>) -> Option<ScevRef<'_>> {
        let scope = scope.map_or(std::ptr::null(), LoopRef::raw);
        // SAFETY: the analyses, the formula and the loop are alive.
        self.computed(unsafe { sys::shim_scev_at_scope(self.raw, scev.raw, scope) })
    }

    /// Width in bits of the formula's value.
    pub fn bits(&self, scev: ScevRef<'_>) -> u32 {
        // SAFETY: the analyses and the formula are alive.
        unsafe { sys::shim_scev_bits(self.raw, scev.raw) }
    }

    /// The part of a pointer's formula that is itself a pointer.
    pub fn pointer_base(&self, scev: ScevRef<'_>) -> Option<ScevRef<'_>> {
        // SAFETY: the analyses and the formula are alive.
        self.computed(unsafe { sys::shim_scev_pointer_base(self.raw, scev.raw) })
    }

    /// `left - right`; of pointers only where they have one base.
    pub fn minus(&self, left: ScevRef<'_>, right: ScevRef<'_>) -> Option<ScevRef<'_>> {
        // SAFETY: the analyses and the formulas are alive.
        self.computed(unsafe { sys::shim_scev_minus(self.raw, left.raw, right.raw) })
    }

    /// `left + right`, both of one width.
    pub fn plus(&self, left: ScevRef<'_>, right: ScevRef<'_>) -> Option<ScevRef<'_>> {
        // SAFETY: the analyses and the formulas are alive.
        self.computed(unsafe { sys::shim_scev_add(self.raw, left.raw, right.raw) })
    }

    /// `left * right`, both of one width.
    pub fn times(&self, left: ScevRef<'_>, right: ScevRef<'_>) -> Option<ScevRef<'_>> {
        // SAFETY: the analyses and the formulas are alive.
        self.computed(unsafe { sys::shim_scev_mul(self.raw, left.raw, right.raw) })
    }

    /// What `left / right` leaves, both unsigned and of one width.
    pub fn remainder(&self, left: ScevRef<'_>, right: ScevRef<'_>) -> Option<ScevRef<'_>> {
        // SAFETY: the analyses and the formulas are alive.
        self.computed(unsafe { sys::shim_scev_urem(self.raw, left.raw, right.raw) })
    }

    /// A constant as wide as `like`.
    pub fn constant(&self, value: i64, like: ScevRef<'_>) -> Option<ScevRef<'_>> {
        // SAFETY: the analyses and the formula are alive.
        self.computed(unsafe { sys::shim_scev_of_i64(self.raw, value, like.raw) })
    }

    /// The formula in `bits` bits, cut off, or widened with its sign or with zeros.
    pub fn cast(&self, scev: ScevRef<'_>, bits: u32, signed: bool) -> Option<ScevRef<'_>> {
        // SAFETY: the analyses and the formula are alive.
        self.computed(unsafe { sys::shim_scev_cast(self.raw, scev.raw, bits, signed) })
    }

    /// The formula has one value for a whole run of the loop.
    pub fn is_invariant(&self, scev: ScevRef<'_>, within: LoopRef<'_>) -> bool {
        // SAFETY: the analyses, the formula and the loop are alive.
        unsafe { sys::shim_scev_is_invariant(self.raw, scev.raw, within.raw()) }
    }

    /// The formula, simplified by the conditions that hold when `inside` is entered.
    pub fn under_guards(&self, scev: ScevRef<'_>, inside: LoopRef<'_>) -> Option<ScevRef<'_>> {
        // SAFETY: the analyses, the formula and the loop are alive.
        self.computed(unsafe { sys::shim_scev_apply_guards(self.raw, scev.raw, inside.raw()) })
    }

    /// Bounds of the formula's value.
    pub fn range(&self, scev: ScevRef<'_>) -> Range {
        // SAFETY: the analyses and the formula are alive.
        let raw = unsafe { sys::shim_scev_range(self.raw, scev.raw) };
        Range {
            signed: raw.signed_fits.then_some((raw.signed_min, raw.signed_max)),
            unsigned: raw.unsigned_fits.then_some((raw.unsigned_min, raw.unsigned_max)),
        }
    }

    /// Known to hold always.
    pub fn is_known(&self, left: ScevRef<'_>, is: Predicate, right: ScevRef<'_>) -> bool {
        // SAFETY: the analyses and the formulas are alive.
        unsafe { sys::shim_scev_known(self.raw, is as i32, left.raw, right.raw) }
    }

    /// Known to hold whenever the loop is entered.
    pub fn is_known_on_entry(
        &self,
        of: LoopRef<'_>,
        left: ScevRef<'_>,
        is: Predicate,
        right: ScevRef<'_>,
    ) -> bool {
        // SAFETY: the analyses, the loop and the formulas are alive.
        unsafe { sys::shim_scev_known_on_entry(self.raw, of.raw(), is as i32, left.raw, right.raw) }
    }

    /// Writes code for the formula, as a value of `ty` (of the same width), before an instruction;
    /// `None` where that is not safe.
    pub fn expand(&self, scev: ScevRef<'_>, ty: Type<'_>, before: Value<'f>) -> Option<Value<'f>> {
        // SAFETY: the analyses, the formula, the type and the value are alive. New instructions
        // leave the analyses right.
        Value::from_raw(unsafe {
            sys::shim_expand_scev(self.raw, scev.raw, ty.raw(), before.raw())
        })
    }

    /// The only block through which a loop leaves when it counts to its end.
    pub fn counted_exit(&self, of: LoopRef<'_>) -> Option<Block<'_>> {
        let exiting = of.exiting_blocks();
        let mut counted = exiting.into_iter().filter(|&block| self.exit_count(of, block).is_some());
        let first = counted.next()?;
        counted.next().is_none().then(|| Block::from_raw(first.raw()))?
    }
}
