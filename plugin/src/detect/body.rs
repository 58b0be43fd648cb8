//! Consumes the value that a store writes; produces the body's graph and the loads it starts from.
//!
//! Rounding is decided here, once: `llvm.fmuladd` and multiply-adds that carry `contract` become [`Op::Fma`] where the
//! unit's target has fused multiply-adds, and separate operations where it has not.
//!
//! Refuses `operation`, `call`, `reduction`, `control-flow` and `element-type`.

use super::affine::{Extension, Found, too_large};
use super::context::{Context, Known, elem_type, single_incoming};
use super::guards::Guard;
use crate::llvm::{Block, FastMath, Opcode, TypeKind, Value, ValueKind};
use hexpass_abi::{ElemType, Poly};
use hexpass_poly::body::{
    BinaryOp, Body, Conversion, FpFlags, Op, Predicate, Ty, UnaryOp, ValueId,
};
use hexpass_poly::facts::AccessFact;
use hexpass_poly::rejection::{Reason, Rejection};
use inkwell::llvm_sys::{LLVMIntPredicate as I, LLVMRealPredicate as R};
use std::collections::HashMap;

/// A body in the making.
#[derive(Clone, Default)]
pub struct BodyBuilder<'a> {
    pub body: Body,
    /// Load instructions, by number; their accesses are read later. A store stands for what was at its address before.
    pub loads: Vec<Value<'a>>,
    /// For each of `loads`, whether the original may leave it out.
    pub maybe: Vec<bool>,
    /// Loads that see a store of the statement in the making: to use one starts another statement.
    pub late: Vec<Value<'a>>,
    /// One was used.
    pub used_late: bool,
    /// Conditions under which the second block is reached from the first.
    pub guards: HashMap<(Block<'a>, Block<'a>), Guard>,
    ids: HashMap<Value<'a>, ValueId>,
    /// Values whose operation carried `contract`, with the number of uses in the IR.
    contract: HashMap<ValueId, usize>,
    pub found: Vec<Found>,
    /// Under which conditions the original makes loads that it may leave out.
    pub under: HashMap<Value<'a>, ValueId>,
    /// Checks that are asked where a value is true, or always.
    pub asked: Vec<(Found, Option<ValueId>)>,
    /// A multiply-add was fused, or approximation allowed.
    pub fused: bool,
    pub fast: bool,
}

/// How this unit rounds multiply-adds.
#[derive(Clone, Copy, Debug)]
pub struct Rounding {
    /// The target has fused multiply-adds.
    pub fma: bool,
}

/// Operations one upon the other that are followed to what they are made of.
const MAX_OPERANDS: usize = 8;

/// It is made of what the nest loads from places that change in it.
fn is_made_of_elements<'a>(c: &Context<'a>, v: Value<'a>, depth: usize) -> bool {
    if depth == 0 || c.is_outside(v) || v.opcode() == Some(Opcode::LLVMPHI) {
        return false;
    }
    if v.opcode() == Some(Opcode::LLVMLoad) {
        let address = v.pointer().and_then(|p| c.a.scev(p));
        return address.is_some_and(|a| !c.a.is_invariant(a, c.time));
    }
    v.operands().into_iter().any(|o| is_made_of_elements(c, o, depth - 1))
}

impl<'a> BodyBuilder<'a> {
    pub fn push(&mut self, op: Op, ty: Ty, flags: FpFlags) -> Result<ValueId, Rejection> {
        let id = ValueId::try_from(self.body.values.len())
            .map_err(|_| Rejection::new(Reason::Operation, "a loop body is too long"))?;
        self.fast |= flags.arcp || flags.afn || flags.reassoc;
        self.body.values.push(hexpass_poly::body::Value { op, ty, flags });
        Ok(id)
    }

    /// What an instance stores there lies, in whatever step, in another plane than the `bytes` at that offset.
    pub fn in_other_plane(
        &mut self,
        c: &Context<'a>,
        stored: &AccessFact,
        offset: &Poly,
        bytes: u64,
    ) -> bool {
        let distance = offset.sub(&stored.offset).ok();
        let room = (stored.elem.size(), bytes);
        let checks = distance.and_then(|distance| c.apart_in_every_turn(&distance, room));
        let apart = checks.is_some();
        self.found.extend(checks.into_iter().flatten());
        apart
    }

    /// Says that `v` is what value `id` is: a load that sees a store of the same statement.
    pub fn forward(&mut self, v: Value<'a>, id: ValueId) {
        self.ids.insert(v, id);
    }

    /// The graph of `v`.
    pub fn value(
        &mut self,
        c: &mut Context<'a>,
        v: Value<'a>,
        how: Rounding,
    ) -> Result<ValueId, Rejection> {
        if let Some(&id) = self.ids.get(&v) {
            return Ok(id);
        }
        let id = self
            .build(c, v, how)
            .map_err(|r| if r.line.is_none() { r.at(v.location().map(|l| l.line)) } else { r })?;
        self.ids.insert(v, id);
        Ok(id)
    }

    fn build(
        &mut self,
        c: &mut Context<'a>,
        v: Value<'a>,
        how: Rounding,
    ) -> Result<ValueId, Rejection> {
        let ty = type_of(v)?;
        match v.kind() {
            ValueKind::Int(k) => return self.push(Op::Integer(k), ty, FpFlags::default()),
            ValueKind::Float(x) => {
                let bits = match ty {
                    Ty::Elem(ElemType::F32) => u64::from((x as f32).to_bits()),
                    _ => x.to_bits(),
                };
                return self.push(Op::Float(bits), ty, FpFlags::default());
            }
            ValueKind::Undefined => return Err(operation("an undefined value")),
            _ => {}
        }
        if c.is_outside(v) && !(ty == Ty::Bool && is_computed(v)) {
            return self.scalar(c, Known::Value(v), ty);
        }
        let Some(opcode) = v.opcode() else {
            return Err(operation("a constant of a kind that is not handled"));
        };
        if opcode == Opcode::LLVMLoad {
            return self.load(c, v, ty);
        }
        // Integers made of counters, not of what arrays hold: of those, a size in a table would be made.
        if let Ty::Elem(ElemType::I32 | ElemType::I64 | ElemType::I16 | ElemType::I8) = ty
            && !is_made_of_elements(c, v, MAX_OPERANDS)
            && let Some(scev) = c.a.scev(v)
        {
            let mut found = Vec::new();
            if let Ok(p) = c.poly(scev, Extension::Signed, &mut found)
                && !p.mentions_any(|s| matches!(s, hexpass_abi::Sym::Mod(_)))
            {
                self.found.extend(found);
                return self.push(Op::Index(p), ty, FpFlags::default());
            }
            // As a value, it is computed where it stands.
            c.split = None;
        }
        let flags = flags_of(v.fast_math());
        match opcode {
            Opcode::LLVMPHI => match single_incoming(v) {
                Some(x) => self.value(c, x, how),
                None => self.joined(c, v, ty, how),
            },
            Opcode::LLVMFNeg => self.unary(c, v, UnaryOp::Neg, ty, flags, how),
            Opcode::LLVMFAdd => self.sum(c, v, false, ty, flags, how),
            Opcode::LLVMFSub => self.sum(c, v, true, ty, flags, how),
            Opcode::LLVMFMul => {
                let id = self.binary(c, v, BinaryOp::FMul, ty, flags, how)?;
                if v.fast_math().has(FastMath::CONTRACT) {
                    self.contract.insert(id, v.users().len());
                }
                Ok(id)
            }
            Opcode::LLVMFRem => self.binary(c, v, BinaryOp::Fmod, ty, flags, how),
            Opcode::LLVMFDiv => self.binary(c, v, BinaryOp::FDiv, ty, flags, how),
            Opcode::LLVMAdd => self.binary(c, v, BinaryOp::IAdd, ty, flags, how),
            Opcode::LLVMSub => self.binary(c, v, BinaryOp::ISub, ty, flags, how),
            Opcode::LLVMMul => self.binary(c, v, BinaryOp::IMul, ty, flags, how),
            Opcode::LLVMSDiv => self.binary(c, v, BinaryOp::SDiv, ty, flags, how),
            Opcode::LLVMUDiv => self.binary(c, v, BinaryOp::UDiv, ty, flags, how),
            Opcode::LLVMSRem => self.binary(c, v, BinaryOp::SRem, ty, flags, how),
            Opcode::LLVMURem => self.binary(c, v, BinaryOp::URem, ty, flags, how),
            Opcode::LLVMAnd => self.binary(c, v, BinaryOp::And, ty, flags, how),
            Opcode::LLVMOr => self.binary(c, v, BinaryOp::Or, ty, flags, how),
            Opcode::LLVMXor => self.binary(c, v, BinaryOp::Xor, ty, flags, how),
            Opcode::LLVMShl | Opcode::LLVMLShr | Opcode::LLVMAShr => {
                let op = match opcode {
                    Opcode::LLVMShl => BinaryOp::Shl,
                    Opcode::LLVMLShr => BinaryOp::LShr,
                    _ => BinaryOp::AShr,
                };
                self.binary(c, v, op, ty, flags, how)
            }
            Opcode::LLVMICmp | Opcode::LLVMFCmp => {
                let p = predicate(v)
                    .ok_or_else(|| operation("a comparison that is always true or false"))?;
                let (x, y) = self.two(c, v, how)?;
                self.push(Op::Compare(p, x, y), Ty::Bool, flags)
            }
            Opcode::LLVMSelect => {
                let x = self.operand(c, v, 0, how)?;
                let (t, f) = (self.operand(c, v, 1, how)?, self.operand(c, v, 2, how)?);
                self.push(Op::Select(x, t, f), ty, flags)
            }
            Opcode::LLVMFPExt => self.convert(c, v, Conversion::FpExtend, ty, how),
            Opcode::LLVMFPTrunc => self.convert(c, v, Conversion::FpTruncate, ty, how),
            Opcode::LLVMSIToFP => self.convert(c, v, Conversion::SignedToFp, ty, how),
            Opcode::LLVMUIToFP => self.convert(c, v, Conversion::UnsignedToFp, ty, how),
            Opcode::LLVMSExt => self.convert(c, v, Conversion::SignExtend, ty, how),
            Opcode::LLVMZExt => self.convert(c, v, Conversion::ZeroExtend, ty, how),
            Opcode::LLVMFPToSI => self.convert(c, v, Conversion::FpToSigned, ty, how),
            Opcode::LLVMFPToUI => self.convert(c, v, Conversion::FpToUnsigned, ty, how),
            Opcode::LLVMTrunc => self.convert(c, v, Conversion::Truncate, ty, how),
            Opcode::LLVMFreeze => self.operand(c, v, 0, how),
            Opcode::LLVMCall => self.call(c, v, ty, flags, how),
            other => Err(operation(&format!("the operation {}", opcode_words(other)))),
        }
    }

    fn operand(
        &mut self,
        c: &mut Context<'a>,
        v: Value<'a>,
        i: u32,
        how: Rounding,
    ) -> Result<ValueId, Rejection> {
        let x = v.operand(i).ok_or_else(|| operation("an operation without operands"))?;
        self.value(c, x, how)
    }

    fn two(
        &mut self,
        c: &mut Context<'a>,
        v: Value<'a>,
        how: Rounding,
    ) -> Result<(ValueId, ValueId), Rejection> {
        Ok((self.operand(c, v, 0, how)?, self.operand(c, v, 1, how)?))
    }

    fn unary(
        &mut self,
        c: &mut Context<'a>,
        v: Value<'a>,
        op: UnaryOp,
        ty: Ty,
        flags: FpFlags,
        how: Rounding,
    ) -> Result<ValueId, Rejection> {
        let x = self.operand(c, v, 0, how)?;
        self.push(Op::Unary(op, x), ty, flags)
    }

    fn binary(
        &mut self,
        c: &mut Context<'a>,
        v: Value<'a>,
        op: BinaryOp,
        ty: Ty,
        flags: FpFlags,
        how: Rounding,
    ) -> Result<ValueId, Rejection> {
        let (x, y) = self.two(c, v, how)?;
        self.push(Op::Binary(op, x, y), ty, flags)
    }

    fn convert(
        &mut self,
        c: &mut Context<'a>,
        v: Value<'a>,
        kind: Conversion,
        ty: Ty,
        how: Rounding,
    ) -> Result<ValueId, Rejection> {
        let x = self.operand(c, v, 0, how)?;
        self.push(Op::Convert(kind, x), ty, FpFlags::default())
    }

    /// An addition or subtraction, fused with a product where both carry `contract` and the target fuses.
    ///
    /// Which of two products: the first whose only use is this one, as x86's selection does (LLVM's
    /// `DAGCombiner::visitFADDForFMACombine`).
    fn sum(
        &mut self,
        c: &mut Context<'a>,
        v: Value<'a>,
        minus: bool,
        ty: Ty,
        flags: FpFlags,
        how: Rounding,
    ) -> Result<ValueId, Rejection> {
        let (x, y) = self.two(c, v, how)?;
        let contracts = how.fma && v.fast_math().has(FastMath::CONTRACT);
        let product = |b: &Self, id: ValueId| match b.body.values[usize::from(id)].op {
            Op::Binary(BinaryOp::FMul, p, q) if contracts && b.contract.get(&id) == Some(&1) => {
                Some((p, q))
            }
            _ => None,
        };
        if let Some((p, q)) = product(self, x) {
            self.fused = true;
            let addend = if minus {
                self.push(Op::Unary(UnaryOp::Neg, y), ty, FpFlags::default())?
            } else {
                y
            };
            return self.push(Op::Fma(p, q, addend), ty, flags);
        }
        if let Some((p, q)) = product(self, y) {
            self.fused = true;
            let p = if minus {
                self.push(Op::Unary(UnaryOp::Neg, p), ty, FpFlags::default())?
            } else {
                p
            };
            return self.push(Op::Fma(p, q, x), ty, flags);
        }
        self.push(Op::Binary(if minus { BinaryOp::FSub } else { BinaryOp::FAdd }, x, y), ty, flags)
    }

    fn scalar(
        &mut self,
        c: &mut Context<'a>,
        known: Known<'a>,
        ty: Ty,
    ) -> Result<ValueId, Rejection> {
        let Ty::Elem(elem) = ty else {
            return Err(operation("a condition computed before the loops"));
        };
        let id = c.scalar(known, elem)?;
        self.push(Op::Scalar(id), ty, FpFlags::default())
    }

    /// A load: of one value for the whole nest, or an array element.
    fn load(&mut self, c: &mut Context<'a>, v: Value<'a>, ty: Ty) -> Result<ValueId, Rejection> {
        let address = v.pointer().ok_or_else(|| operation("a load without an address"))?;
        if let Ok(Some((Known::Value(base), _))) = c.constant_address(address)
            && !c.stored_objects.contains(&base.underlying_object())
            && let Ok(known) = c.invariant_load(v)
        {
            return self.scalar(c, known, ty);
        }
        self.used_late |= self.late.contains(&v);
        let around = v.block().and_then(|b| Some((c.a.loop_of(b)?, b)));
        let maybe = match around {
            Some((l, block)) => !c.covers(l, &[block])?,
            None => false,
        };
        self.read(v, maybe, ty)
    }

    /// What lies at the address of a load or store before the statement.
    pub fn read(&mut self, v: Value<'a>, maybe: bool, ty: Ty) -> Result<ValueId, Rejection> {
        let i = u16::try_from(self.loads.len()).map_err(too_large)?;
        self.loads.push(v);
        self.maybe.push(maybe);
        self.push(Op::Load(i), ty, FpFlags::default())
    }

    fn call(
        &mut self,
        c: &mut Context<'a>,
        v: Value<'a>,
        ty: Ty,
        flags: FpFlags,
        how: Rounding,
    ) -> Result<ValueId, Rejection> {
        let name = v.intrinsic().unwrap_or_default();
        let arg = |b: &mut Self, c: &mut Context<'a>, i: usize| {
            let x = v
                .call_arguments()
                .get(i)
                .copied()
                .ok_or_else(|| operation("a call without arguments"))?;
            b.value(c, x, how)
        };
        let unary = |b: &mut Self, c: &mut Context<'a>, op| {
            let x = arg(b, c, 0)?;
            b.push(Op::Unary(op, x), ty, flags)
        };
        let binary = |b: &mut Self, c: &mut Context<'a>, op| {
            let (x, y) = (arg(b, c, 0)?, arg(b, c, 1)?);
            b.push(Op::Binary(op, x, y), ty, flags)
        };
        match name.as_str() {
            "llvm.fmuladd" => {
                let (x, y, z) = (arg(self, c, 0)?, arg(self, c, 1)?, arg(self, c, 2)?);
                if how.fma {
                    self.fused = true;
                    return self.push(Op::Fma(x, y, z), ty, flags);
                }
                let product = self.push(Op::Binary(BinaryOp::FMul, x, y), ty, flags)?;
                self.push(Op::Binary(BinaryOp::FAdd, product, z), ty, flags)
            }
            "llvm.fma" => {
                let (x, y, z) = (arg(self, c, 0)?, arg(self, c, 1)?, arg(self, c, 2)?);
                self.push(Op::Fma(x, y, z), ty, flags)
            }
            "llvm.fabs" => unary(self, c, UnaryOp::Abs),
            "llvm.sqrt" => unary(self, c, UnaryOp::Sqrt),
            "llvm.minnum" => binary(self, c, BinaryOp::FMinNum),
            "llvm.maxnum" => binary(self, c, BinaryOp::FMaxNum),
            "llvm.copysign" => binary(self, c, BinaryOp::CopySign),
            "llvm.smin" => binary(self, c, BinaryOp::SMin),
            "llvm.smax" => binary(self, c, BinaryOp::SMax),
            "llvm.floor" => unary(self, c, UnaryOp::Floor),
            "llvm.ceil" => unary(self, c, UnaryOp::Ceil),
            "llvm.trunc" => unary(self, c, UnaryOp::Trunc),
            "llvm.rint" | "llvm.nearbyint" | "llvm.roundeven" => unary(self, c, UnaryOp::RoundEven),
            "llvm.round" => unary(self, c, UnaryOp::Round),
            "llvm.fptosi.sat" | "llvm.fptoui.sat" => {
                let how = if name == "llvm.fptosi.sat" {
                    Conversion::FpToSignedSaturating
                } else {
                    Conversion::FpToUnsignedSaturating
                };
                let x = arg(self, c, 0)?;
                self.push(Op::Convert(how, x), ty, FpFlags::default())
            }
            "llvm.abs" => {
                let x = arg(self, c, 0)?;
                let zero = self.push(Op::Integer(0), ty, flags)?;
                let opposite = self.push(Op::Binary(BinaryOp::ISub, zero, x), ty, flags)?;
                self.push(Op::Binary(BinaryOp::SMax, x, opposite), ty, flags)
            }
            "llvm.usub.sat" => {
                let (x, y) = (arg(self, c, 0)?, arg(self, c, 1)?);
                let most = self.push(Op::Binary(BinaryOp::UMax, x, y), ty, flags)?;
                self.push(Op::Binary(BinaryOp::ISub, most, y), ty, flags)
            }
            "llvm.umin" => binary(self, c, BinaryOp::UMin),
            "llvm.umax" => binary(self, c, BinaryOp::UMax),
            _ => {
                let Some(name) = libm_function(c, v) else {
                    return Err(super::call_refusal(c, v));
                };
                match name.as_str() {
                    "sqrt" => unary(self, c, UnaryOp::Sqrt),
                    "fabs" => unary(self, c, UnaryOp::Abs),
                    "floor" => unary(self, c, UnaryOp::Floor),
                    "ceil" => unary(self, c, UnaryOp::Ceil),
                    "trunc" => unary(self, c, UnaryOp::Trunc),
                    "rint" | "nearbyint" => unary(self, c, UnaryOp::RoundEven),
                    "round" => unary(self, c, UnaryOp::Round),
                    "copysign" => binary(self, c, BinaryOp::CopySign),
                    name => match (UnaryOp::of_libm(name), BinaryOp::of_libm(name)) {
                        (Some(op), _) => unary(self, c, op),
                        (_, Some(op)) => binary(self, c, op),
                        _ => Err(super::call_refusal(c, v)),
                    },
                }
            }
        }
    }
}

/// The function of libm, without the `f` of its single version, that a call or intrinsic calls; where it may set errno,
/// only in a unit that never looks at errno.
pub fn libm_function(c: &Context<'_>, call: Value<'_>) -> Option<String> {
    let ty = call.ty().kind();
    if !matches!(ty, TypeKind::Float | TypeKind::Double) {
        return None;
    }
    if let Some(name) = call.intrinsic() {
        return name.strip_prefix("llvm.").map(str::to_owned);
    }
    let effects = call.effects();
    if effects.writes && c.a.uses_errno() {
        return None;
    }
    let name = c.a.library_function(call)?;
    let name = if ty == TypeKind::Float { name.strip_suffix('f')?.to_owned() } else { name };
    let exact =
        ["sqrt", "fabs", "floor", "ceil", "trunc", "rint", "nearbyint", "round", "copysign"];
    let known = exact.contains(&name.as_str())
        || UnaryOp::of_libm(&name).is_some()
        || BinaryOp::of_libm(&name).is_some();
    known.then_some(name)
}

fn operation(what: &str) -> Rejection {
    Rejection::new(Reason::Operation, format!("the loop body uses {what}, which is not handled"))
}

fn opcode_words(o: Opcode) -> String {
    format!("{o:?}").trim_start_matches("LLVM").to_lowercase()
}

/// A phi that is neither a counter nor a swapped pointer.
pub fn phi_refusal(c: &Context<'_>, v: Value<'_>) -> Rejection {
    let is_header =
        v.block().and_then(|b| c.a.loop_of(b)).is_some_and(|l| Some(l.header()) == v.block());
    if is_header {
        Rejection::new(
            Reason::Reduction,
            "a value is carried from one iteration to the next in a variable; keep it in an array, or compute it outside the time loop",
        )
    } else {
        Rejection::new(
            Reason::ControlFlow,
            "the value stored depends on a branch in the loop body; write it as a conditional expression of values already loaded",
        )
    }
}

/// A truth value that is made of numbers: it is computed again where it is used.
fn is_computed(v: Value<'_>) -> bool {
    use Opcode::*;
    matches!(
        v.opcode(),
        Some(
            LLVMICmp | LLVMFCmp | LLVMAnd | LLVMOr | LLVMXor | LLVMSelect | LLVMTrunc | LLVMFreeze
        )
    )
}

pub fn type_of(v: Value<'_>) -> Result<Ty, Rejection> {
    match v.ty().kind() {
        TypeKind::Int(1) => Ok(Ty::Bool),
        k => elem_type(k).map(Ty::Elem).ok_or_else(|| {
            Rejection::new(Reason::ElementType, "the loop body computes with a type that is not float, double or an integer of 8 to 64 bits")
        }),
    }
}

/// The flags that a value of the body keeps: what is not approximation is dropped, so that results stay exact.
fn flags_of(f: FastMath) -> FpFlags {
    if !(f.has(FastMath::REASSOC) || f.has(FastMath::ARCP) || f.has(FastMath::AFN)) {
        return FpFlags::default();
    }
    FpFlags {
        nnan: f.has(FastMath::NNAN),
        ninf: f.has(FastMath::NINF),
        nsz: f.has(FastMath::NSZ),
        arcp: f.has(FastMath::ARCP),
        afn: f.has(FastMath::AFN),
        reassoc: f.has(FastMath::REASSOC),
        contract: f.has(FastMath::CONTRACT),
    }
}

fn predicate(v: Value<'_>) -> Option<Predicate> {
    use Predicate as P;
    if let Some(p) = v.int_predicate() {
        return Some(match p {
            I::LLVMIntEQ => P::IEq,
            I::LLVMIntNE => P::INe,
            I::LLVMIntSGT => P::ISgt,
            I::LLVMIntSGE => P::ISge,
            I::LLVMIntSLT => P::ISlt,
            I::LLVMIntSLE => P::ISle,
            I::LLVMIntUGT => P::IUgt,
            I::LLVMIntUGE => P::IUge,
            I::LLVMIntULT => P::IUlt,
            I::LLVMIntULE => P::IUle,
        });
    }
    Some(match v.real_predicate()? {
        R::LLVMRealOEQ => P::FOeq,
        R::LLVMRealOGT => P::FOgt,
        R::LLVMRealOGE => P::FOge,
        R::LLVMRealOLT => P::FOlt,
        R::LLVMRealOLE => P::FOle,
        R::LLVMRealONE => P::FOne,
        R::LLVMRealORD => P::FOrd,
        R::LLVMRealUNO => P::FUno,
        R::LLVMRealUEQ => P::FUeq,
        R::LLVMRealUGT => P::FUgt,
        R::LLVMRealUGE => P::FUge,
        R::LLVMRealULT => P::FUlt,
        R::LLVMRealULE => P::FUle,
        R::LLVMRealUNE => P::FUne,
        _ => return None,
    })
}
