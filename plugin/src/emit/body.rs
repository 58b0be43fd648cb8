//! Writes the arithmetic of one statement instance.
//!
//! Consumes a [`Body`] and the values of its loads; produces the LLVM value of each of its values. Host and device get
//! the same instructions, operation by operation: rounding was decided before the body existed, so nothing here is
//! contracted, and smallest and largest are written out as the comparison and choice that x86 makes of them.

use super::asked::Asked;
use super::fault::{Emitted, Fault};
use hexpass_abi::{ElemType, Poly};
use hexpass_poly::body::{
    BinaryOp, Body, Conversion, FpFlags, Op, Predicate, Ty, UnaryOp, Value, ValueId,
};
use hexpass_poly::{arms, rare};
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::Builder;
use inkwell::context::ContextRef;
use inkwell::intrinsics::Intrinsic;
use inkwell::module::Module;
use inkwell::types::{BasicType, BasicTypeEnum, FloatType, IntType};
use inkwell::values::{
    BasicValue, BasicValueEnum, CallSiteValue, FastMathFlags, FloatValue, InstructionValue,
    IntValue,
};
use inkwell::{FloatPredicate, IntPredicate};

/// What the leaves of a body are at one instance.
pub trait Leaves<'ctx> {
    /// Value of load `i` of the statement.
    fn load(&mut self, i: u16) -> Emitted<BasicValueEnum<'ctx>>;
    /// Scalar `i` of the nest, of this type.
    fn scalar(&mut self, i: u16, ty: ElemType) -> Emitted<BasicValueEnum<'ctx>>;
    /// An index expression, in 64 bits, wrapping.
    fn index(&mut self, p: &Poly) -> Emitted<IntValue<'ctx>>;
}

/// Another way to write divisions and roots that must be rounded to nearest (`None`: as the code generator does), and to
/// leave out what is hardly ever computed.
pub trait Rounding<'ctx> {
    /// The square root of value `id`, as value `at` of the body.
    fn sqrt(
        &self,
        body: &Body,
        at: ValueId,
        id: ValueId,
        x: FloatValue<'ctx>,
    ) -> Emitted<Option<FloatValue<'ctx>>>;

    /// A quotient of two values.
    fn divide(
        &self,
        body: &Body,
        dividend: (ValueId, FloatValue<'ctx>),
        divisor: (ValueId, FloatValue<'ctx>),
    ) -> Emitted<Option<FloatValue<'ctx>>>;

    /// A rare choice is taken as usual; where the condition holds, that may be wrong.
    fn unless(&self, condition: IntValue<'ctx>) -> Emitted<()>;
}

/// Other ways to write operations whose flags allow results that are not the nearest, and no infinities; `None`: as the
/// code generator does.
pub trait Approximation<'ctx> {
    /// A square root.
    fn sqrt(&self, x: Radicand<'_, 'ctx>) -> Emitted<Option<FloatValue<'ctx>>>;

    /// A quotient; without a dividend, the divisor's inverse. With a radicand, the divisor is its root.
    fn divide(
        &self,
        dividend: Option<FloatValue<'ctx>>,
        divisor: FloatValue<'ctx>,
        radicand: Option<Radicand<'_, 'ctx>>,
    ) -> Emitted<Option<FloatValue<'ctx>>>;

    /// A function of libm.
    fn unary(&self, op: UnaryOp, x: FloatValue<'ctx>) -> Emitted<Option<FloatValue<'ctx>>>;

    /// A function of libm of two operands.
    fn binary(
        &self,
        op: BinaryOp,
        x: FloatValue<'ctx>,
        y: FloatValue<'ctx>,
    ) -> Emitted<Option<FloatValue<'ctx>>>;
}

/// What a root is taken of.
#[derive(Clone, Copy)]
pub struct Radicand<'a, 'ctx> {
    pub body: &'a Body,
    pub id: ValueId,
    pub value: FloatValue<'ctx>,
}

/// Writes bodies into one module.
pub struct BodyWriter<'a, 'ctx> {
    pub ctx: ContextRef<'ctx>,
    pub module: &'a Module<'ctx>,
    pub builder: &'a Builder<'ctx>,
    pub rounding: Option<&'a dyn Rounding<'ctx>>,
    /// Where there is one, products and sums whose flags allow it are fused, too.
    pub approximation: Option<&'a dyn Approximation<'ctx>>,
}

/// The LLVM type of an element.
pub fn elem_type(ctx: ContextRef<'_>, e: ElemType) -> BasicTypeEnum<'_> {
    match e {
        ElemType::F32 => ctx.f32_type().into(),
        ElemType::F64 => ctx.f64_type().into(),
        ElemType::I8 => ctx.i8_type().into(),
        ElemType::I16 => ctx.i16_type().into(),
        ElemType::I32 => ctx.i32_type().into(),
        ElemType::I64 => ctx.i64_type().into(),
    }
}

impl<'ctx> BodyWriter<'_, 'ctx> {
    /// Writes all values of `body`, in order, of which `writes` are stored. What the host's libm is called for only in one
    /// arm of a choice is computed only where that is taken.
    pub fn write(
        &self,
        body: &Body,
        writes: &[ValueId],
        leaves: &mut dyn Leaves<'ctx>,
    ) -> Emitted<Vec<BasicValueEnum<'ctx>>> {
        let calls = self.approximation.is_none() && body.values.iter().any(|v| v.libm().is_some());
        let conditions = if calls { arms::conditions(body, writes) } else { Vec::new() };
        let choices = if self.rounding.is_some() { rare::usual(body) } else { Vec::new() };
        let mut done = vec![None; body.values.len()];
        for id in arms::conditions_first(body, &conditions) {
            let at = usize::from(id);
            let value = &body.values[at];
            let written = match (self.rounding, choices.get(at)) {
                (Some(rounding), Some(Some(usual))) => self.usual(rounding, usual, &done),
                _ => match conditions.get(at).filter(|_| value.libm().is_some()) {
                    Some(conditions) => self.asked(conditions, body, (id, value), &done, leaves),
                    None => self.value(body, (id, value), &done, leaves),
                },
            };
            let written = written.map_err(|e| Fault::new(format!("value {at} of a body: {e}")))?;
            done[at] = Some(written);
        }
        let there = |v: Option<_>| v.ok_or_else(|| Fault::new("a value that is not made"));
        done.into_iter().map(there).collect()
    }

    /// A call of libm, where these conditions hold.
    fn asked(
        &self,
        conditions: &[arms::Holds],
        body: &Body,
        call: (ValueId, &Value),
        done: &[Option<BasicValueEnum<'ctx>>],
        leaves: &mut dyn Leaves<'ctx>,
    ) -> Emitted<BasicValueEnum<'ctx>> {
        let one = |&(v, holds): &arms::Holds| Ok((as_int(made(done, v)?)?, holds));
        let all = conditions.iter().map(one).collect::<Emitted<Vec<_>>>()?;
        let asked = Asked::begin(self.ctx, self.builder, &all)?;
        let written = self.value(body, call, done, leaves)?;
        let Some(asked) = asked else { return Ok(written) };
        self.stays_alone(written);
        asked.end(self.builder, written)
    }

    /// The loop vectoriser takes functions that it knows to be free of effects out of branches.
    fn stays_alone(&self, call: BasicValueEnum<'ctx>) {
        let call = call.as_instruction_value().and_then(|i| CallSiteValue::try_from(i).ok());
        if let Some(call) = call {
            self.note(call, "nobuiltin");
        }
    }

    /// What a rare choice usually comes to.
    fn usual(
        &self,
        rounding: &dyn Rounding<'ctx>,
        usual: &rare::Usual,
        done: &[Option<BasicValueEnum<'ctx>>],
    ) -> Emitted<BasicValueEnum<'ctx>> {
        let get = |v: ValueId| made(done, v);
        for &(condition, holds) in &usual.unless {
            let condition = as_int(get(condition)?)?;
            rounding.unless(match holds {
                true => condition,
                false => self.builder.build_not(condition, "")?,
            })?;
        }
        get(usual.value)
    }

    fn value(
        &self,
        body: &Body,
        (at, value): (ValueId, &Value),
        done: &[Option<BasicValueEnum<'ctx>>],
        leaves: &mut dyn Leaves<'ctx>,
    ) -> Emitted<BasicValueEnum<'ctx>> {
        let b = self.builder;
        let get = |v: ValueId| made(done, v);
        let float = |v: ValueId| as_float(get(v)?);
        let int = |v: ValueId| as_int(get(v)?);
        if let Some(rounding) = self.rounding.filter(|_| value.flags == FpFlags::default()) {
            let found = match value.op {
                Op::Unary(UnaryOp::Sqrt, x) => rounding.sqrt(body, at, x, float(x)?)?,
                Op::Binary(BinaryOp::FDiv, x, y) => {
                    rounding.divide(body, (x, float(x)?), (y, float(y)?))?
                }
                _ => None,
            };
            if let Some(found) = found {
                return Ok(found.into());
            }
        }
        if let Some(how) = self.approximation
            && let Some(found) = approximated(how, body, value, &float)?
        {
            return Ok(found.into());
        }
        Ok(match &value.op {
            Op::Load(i) => leaves.load(*i)?,
            Op::Float(bits) => self.float_constant(value.ty, *bits)?,
            Op::Integer(c) => self.int_type(value.ty)?.const_int(*c as u64, true).into(),
            Op::Scalar(i) => leaves.scalar(*i, elem(value.ty)?)?,
            Op::Index(p) => {
                let (v, ty) = (leaves.index(p)?, self.int_type(value.ty)?);
                if ty.get_bit_width() < 64 {
                    b.build_int_truncate(v, ty, "")?.into()
                } else {
                    v.into()
                }
            }
            Op::Unary(op, x) => match op {
                UnaryOp::Neg => self.flagged(b.build_float_neg(float(*x)?, "")?, value.flags)?,
                UnaryOp::Abs => self.call("llvm.fabs", &[float(*x)?], value.flags)?.into(),
                UnaryOp::Sqrt => self.call("llvm.sqrt", &[float(*x)?], value.flags)?.into(),
                UnaryOp::Not => b.build_not(int(*x)?, "")?.into(),
                UnaryOp::Floor => self.call("llvm.floor", &[float(*x)?], value.flags)?.into(),
                UnaryOp::Ceil => self.call("llvm.ceil", &[float(*x)?], value.flags)?.into(),
                UnaryOp::Trunc => self.call("llvm.trunc", &[float(*x)?], value.flags)?.into(),
                UnaryOp::RoundEven => self.call("llvm.rint", &[float(*x)?], value.flags)?.into(),
                UnaryOp::Round => self.call("llvm.round", &[float(*x)?], value.flags)?.into(),
                other => {
                    let name = other.libm().ok_or_else(|| Fault::new("an unknown operation"))?;
                    self.libm(name, &[float(*x)?], value.flags)?.into()
                }
            },
            Op::Binary(op, x, y) => match op {
                BinaryOp::FMinNum | BinaryOp::FMaxNum => {
                    self.extremum(body, *op, (*x, float(*x)?), (*y, float(*y)?), value.flags)?
                }
                _ if op.libm().is_some() => {
                    let operands = [float(*x)?, float(*y)?];
                    self.libm(op.libm().unwrap_or_default(), &operands, value.flags)?.into()
                }
                _ if is_float_op(*op) => {
                    self.float_binary(*op, float(*x)?, float(*y)?, value.flags)?
                }
                _ => self.int_binary(*op, int(*x)?, int(*y)?)?.into(),
            },
            Op::Fma(x, y, z) => {
                self.call("llvm.fma", &[float(*x)?, float(*y)?, float(*z)?], value.flags)?.into()
            }
            Op::Compare(p, x, y) => match predicate(*p) {
                Either::Float(p) => self.flagged_int(
                    b.build_float_compare(p, float(*x)?, float(*y)?, "")?,
                    value.flags,
                )?,
                Either::Int(p) => b.build_int_compare(p, int(*x)?, int(*y)?, "")?.into(),
            },
            Op::Select(c, x, y) => {
                let chosen = b.build_select(int(*c)?, get(*x)?, get(*y)?, "")?;
                if let BasicValueEnum::FloatValue(v) = chosen {
                    self.flagged(v, value.flags)?
                } else {
                    chosen
                }
            }
            Op::Convert(how, x) => self.convert(*how, get(*x)?, value.ty)?,
        })
    }

    fn float_constant(&self, ty: Ty, bits: u64) -> Emitted<BasicValueEnum<'ctx>> {
        let as_bits: IntValue<'ctx> = match elem(ty)? {
            ElemType::F32 => self.ctx.i32_type().const_int(bits & 0xffff_ffff, false),
            ElemType::F64 => self.ctx.i64_type().const_int(bits, false),
            other => return Err(Fault::new(format!("a floating constant of type {other:?}"))),
        };
        Ok(self.builder.build_bit_cast(as_bits, elem_type(self.ctx, elem(ty)?), "")?)
    }

    fn int_type(&self, ty: Ty) -> Emitted<IntType<'ctx>> {
        match ty {
            Ty::Bool => Ok(self.ctx.bool_type()),
            Ty::Elem(e) => match elem_type(self.ctx, e) {
                BasicTypeEnum::IntType(t) => Ok(t),
                _ => Err(Fault::new(format!("{e:?} is no integer type"))),
            },
        }
    }

    fn float_type(&self, ty: Ty) -> Emitted<FloatType<'ctx>> {
        match elem_type(self.ctx, elem(ty)?) {
            BasicTypeEnum::FloatType(t) => Ok(t),
            _ => Err(Fault::new(format!("{ty:?} is no floating type"))),
        }
    }

    fn float_binary(
        &self,
        op: BinaryOp,
        x: FloatValue<'ctx>,
        y: FloatValue<'ctx>,
        flags: FpFlags,
    ) -> Emitted<BasicValueEnum<'ctx>> {
        let b = self.builder;
        let v = match op {
            BinaryOp::FAdd => b.build_float_add(x, y, "")?,
            BinaryOp::FSub => b.build_float_sub(x, y, "")?,
            BinaryOp::FMul => b.build_float_mul(x, y, "")?,
            BinaryOp::FDiv => b.build_float_div(x, y, "")?,
            BinaryOp::CopySign => return Ok(self.call("llvm.copysign", &[x, y], flags)?.into()),
            other => return Err(Fault::new(format!("{other:?} is no floating operation"))),
        };
        self.flagged(v, flags)
    }

    fn int_binary(
        &self,
        op: BinaryOp,
        x: IntValue<'ctx>,
        y: IntValue<'ctx>,
    ) -> Emitted<IntValue<'ctx>> {
        let b = self.builder;
        let pick = |p: IntPredicate| -> Emitted<IntValue<'ctx>> {
            let first = b.build_int_compare(p, x, y, "")?;
            Ok(b.build_select(first, x, y, "")?.into_int_value())
        };
        Ok(match op {
            BinaryOp::IAdd => b.build_int_add(x, y, "")?,
            BinaryOp::ISub => b.build_int_sub(x, y, "")?,
            BinaryOp::IMul => b.build_int_mul(x, y, "")?,
            BinaryOp::SDiv => b.build_int_signed_div(x, self.signed_divisor(x, y)?, "")?,
            BinaryOp::SRem => b.build_int_signed_rem(x, self.signed_divisor(x, y)?, "")?,
            BinaryOp::UDiv => b.build_int_unsigned_div(x, self.divisor(y)?, "")?,
            BinaryOp::URem => b.build_int_unsigned_rem(x, self.divisor(y)?, "")?,
            BinaryOp::And => b.build_and(x, y, "")?,
            BinaryOp::Or => b.build_or(x, y, "")?,
            BinaryOp::Xor => b.build_xor(x, y, "")?,
            BinaryOp::Shl => b.build_left_shift(x, y, "")?,
            BinaryOp::AShr => b.build_right_shift(x, y, true, "")?,
            BinaryOp::LShr => b.build_right_shift(x, y, false, "")?,
            BinaryOp::SMin => pick(IntPredicate::SLT)?,
            BinaryOp::SMax => pick(IntPredicate::SGT)?,
            BinaryOp::UMin => pick(IntPredicate::ULT)?,
            BinaryOp::UMax => pick(IntPredicate::UGT)?,
            other => return Err(Fault::new(format!("{other:?} is no integer operation"))),
        })
    }

    /// A divisor that never traps: one in place of zero. A value that the original does not compute may be computed
    /// here, to be left out by a choice.
    fn divisor(&self, y: IntValue<'ctx>) -> Emitted<IntValue<'ctx>> {
        if y.get_zero_extended_constant().is_some_and(|c| c != 0) {
            return Ok(y);
        }
        let (b, ty) = (self.builder, y.get_type());
        let zero = b.build_int_compare(IntPredicate::EQ, y, ty.const_zero(), "")?;
        Ok(b.build_select(zero, ty.const_int(1, false), y, "")?.into_int_value())
    }

    /// The same for a signed division, where the least number by minus one traps too.
    fn signed_divisor(&self, x: IntValue<'ctx>, y: IntValue<'ctx>) -> Emitted<IntValue<'ctx>> {
        if y.get_sign_extended_constant().is_some_and(|c| c != 0 && c != -1) {
            return Ok(y);
        }
        let (b, ty) = (self.builder, y.get_type());
        let least = ty.const_int(1 << (ty.get_bit_width() - 1), false);
        let lowest = b.build_int_compare(IntPredicate::EQ, x, least, "")?;
        let minus = b.build_int_compare(IntPredicate::EQ, y, ty.const_all_ones(), "")?;
        let overflows = b.build_and(lowest, minus, "")?;
        let zero = b.build_int_compare(IntPredicate::EQ, y, ty.const_zero(), "")?;
        let traps = b.build_or(overflows, zero, "")?;
        Ok(b.build_select(traps, ty.const_int(1, false), y, "")?.into_int_value())
    }

    /// llvm.minnum and llvm.maxnum with the result that x86 gives, signed zeros included.
    ///
    /// x86's `min(p, q)` is `p < q ? p : q`. Where one operand is known to be a number its compiler takes one
    /// instruction with that operand second; otherwise `min(y, x)`, and `y` where `x` is a NaN.
    fn extremum(
        &self,
        body: &Body,
        op: BinaryOp,
        (x_id, x): (ValueId, FloatValue<'ctx>),
        (y_id, y): (ValueId, FloatValue<'ctx>),
        flags: FpFlags,
    ) -> Emitted<BasicValueEnum<'ctx>> {
        let b = self.builder;
        let before =
            if op == BinaryOp::FMinNum { FloatPredicate::OLT } else { FloatPredicate::OGT };
        let instruction = |p: FloatValue<'ctx>, q: FloatValue<'ctx>| -> Emitted<FloatValue<'ctx>> {
            let first = b.build_float_compare(before, p, q, "")?;
            Ok(b.build_select(first, p, q, "")?.into_float_value())
        };
        if flags.nnan || is_number(body, y_id) {
            return Ok(instruction(x, y)?.into());
        }
        let swapped = instruction(y, x)?;
        if is_number(body, x_id) {
            return Ok(swapped.into());
        }
        let nan = b.build_float_compare(FloatPredicate::UNO, x, x, "")?;
        Ok(b.build_select(nan, y, swapped, "")?)
    }

    fn convert(
        &self,
        how: Conversion,
        x: BasicValueEnum<'ctx>,
        ty: Ty,
    ) -> Emitted<BasicValueEnum<'ctx>> {
        let b = self.builder;
        Ok(match how {
            Conversion::FpExtend => {
                b.build_float_ext(as_float(x)?, self.float_type(ty)?, "")?.into()
            }
            Conversion::FpTruncate => {
                b.build_float_trunc(as_float(x)?, self.float_type(ty)?, "")?.into()
            }
            Conversion::SignedToFp => {
                b.build_signed_int_to_float(as_int(x)?, self.float_type(ty)?, "")?.into()
            }
            Conversion::UnsignedToFp => {
                b.build_unsigned_int_to_float(as_int(x)?, self.float_type(ty)?, "")?.into()
            }
            Conversion::FpToSigned => {
                self.to_integer(as_float(x)?, self.int_type(ty)?, true)?.into()
            }
            Conversion::FpToUnsigned => {
                self.to_integer(as_float(x)?, self.int_type(ty)?, false)?.into()
            }
            Conversion::FpToSignedSaturating => {
                self.saturated("llvm.fptosi.sat", as_float(x)?, self.int_type(ty)?)?.into()
            }
            Conversion::FpToUnsignedSaturating => {
                self.saturated("llvm.fptoui.sat", as_float(x)?, self.int_type(ty)?)?.into()
            }
            Conversion::SignExtend => {
                b.build_int_s_extend(as_int(x)?, self.int_type(ty)?, "")?.into()
            }
            Conversion::ZeroExtend => {
                b.build_int_z_extend(as_int(x)?, self.int_type(ty)?, "")?.into()
            }
            Conversion::Truncate => {
                b.build_int_truncate(as_int(x)?, self.int_type(ty)?, "")?.into()
            }
        })
    }

    /// Through a type that holds every result, as x86 converts: what does not fit gets the same low bits.
    fn to_integer(
        &self,
        x: FloatValue<'ctx>,
        ty: IntType<'ctx>,
        signed: bool,
    ) -> Emitted<IntValue<'ctx>> {
        let b = self.builder;
        let wide = match (ty.get_bit_width(), signed) {
            (64, false) => return Ok(b.build_float_to_unsigned_int(x, ty, "")?),
            (32, false) => self.ctx.i64_type(),
            (8 | 16, _) => self.ctx.i32_type(),
            _ => return Ok(b.build_float_to_signed_int(x, ty, "")?),
        };
        Ok(b.build_int_truncate(b.build_float_to_signed_int(x, wide, "")?, ty, "")?)
    }

    fn saturated(
        &self,
        name: &str,
        x: FloatValue<'ctx>,
        ty: IntType<'ctx>,
    ) -> Emitted<IntValue<'ctx>> {
        let missing = || Fault::new(format!("{name} is not there"));
        let intrinsic = Intrinsic::find(name).ok_or_else(missing)?;
        let types = [ty.as_basic_type_enum(), x.get_type().as_basic_type_enum()];
        let function = intrinsic.get_declaration(self.module, &types).ok_or_else(missing)?;
        let call = self.builder.build_call(function, &[x.into()], "")?;
        Ok(call.try_as_basic_value().basic().ok_or_else(missing)?.into_int_value())
    }

    fn call(
        &self,
        name: &str,
        operands: &[FloatValue<'ctx>],
        flags: FpFlags,
    ) -> Emitted<FloatValue<'ctx>> {
        let ty = operands[0].get_type().as_basic_type_enum();
        let missing = || Fault::new(format!("{name} is not there"));
        let intrinsic = Intrinsic::find(name).ok_or_else(missing)?;
        let function = intrinsic.get_declaration(self.module, &[ty]).ok_or_else(missing)?;
        let operands: Vec<_> = operands.iter().map(|&v| v.into()).collect();
        let call = self.builder.build_call(function, &operands, "")?;
        let value = call.try_as_basic_value().basic().ok_or_else(missing)?.into_float_value();
        self.flagged(value, flags)?;
        Ok(value)
    }

    /// A call of the host's libm, which reads and writes no memory that anyone looks at.
    fn libm(
        &self,
        name: &str,
        operands: &[FloatValue<'ctx>],
        flags: FpFlags,
    ) -> Emitted<FloatValue<'ctx>> {
        let ty = operands[0].get_type();
        let name = if ty == self.ctx.f32_type() { format!("{name}f") } else { name.to_owned() };
        let parameters = vec![ty.into(); operands.len()];
        let function = match self.module.get_function(&name) {
            Some(f) => f,
            None => self.module.add_function(&name, ty.fn_type(&parameters, false), None),
        };
        let operands: Vec<_> = operands.iter().map(|&v| v.into()).collect();
        let call = self.builder.build_call(function, &operands, "")?;
        for kind in ["nounwind", "willreturn", "nocallback", "nofree", "nosync", "memory"] {
            self.note(call, kind);
        }
        let missing = || Fault::new(format!("{name} gives nothing"));
        let value = call.try_as_basic_value().basic().ok_or_else(missing)?.into_float_value();
        self.flagged(value, flags)?;
        Ok(value)
    }

    /// An attribute of a call.
    fn note(&self, call: CallSiteValue<'ctx>, kind: &str) {
        let kind = Attribute::get_named_enum_kind_id(kind);
        let attribute = self.ctx.create_enum_attribute(kind, 0);
        call.add_attribute(AttributeLoc::Function, attribute);
    }

    fn flagged(&self, v: FloatValue<'ctx>, flags: FpFlags) -> Emitted<BasicValueEnum<'ctx>> {
        if let Some(i) = v.as_instruction() {
            self.set_flags(i, flags)?;
        }
        Ok(v.into())
    }

    fn flagged_int(&self, v: IntValue<'ctx>, flags: FpFlags) -> Emitted<BasicValueEnum<'ctx>> {
        if let Some(i) = v.as_instruction() {
            self.set_flags(i, flags)?;
        }
        Ok(v.into())
    }

    fn set_flags(&self, i: InstructionValue<'ctx>, flags: FpFlags) -> Emitted<()> {
        let mut bits = FastMathFlags::empty();
        for (on, flag) in [
            (flags.nnan, FastMathFlags::NoNaNs),
            (flags.ninf, FastMathFlags::NoInfs),
            (flags.nsz, FastMathFlags::NoSignedZeros),
            (flags.arcp, FastMathFlags::AllowReciprocal),
            (flags.afn, FastMathFlags::ApproxFunc),
            (flags.reassoc, FastMathFlags::AllowReassoc),
            (flags.contract && self.approximation.is_some(), FastMathFlags::AllowContract),
        ] {
            if on {
                bits |= flag;
            }
        }
        if !bits.is_empty() && i.can_use_fast_math_flags() {
            i.set_fast_math_flags(bits)?;
        }
        Ok(())
    }
}

/// A root, a quotient or a function of libm whose flags allow an approximation.
fn approximated<'ctx>(
    how: &dyn Approximation<'ctx>,
    body: &Body,
    value: &Value,
    float: &dyn Fn(ValueId) -> Emitted<FloatValue<'ctx>>,
) -> Emitted<Option<FloatValue<'ctx>>> {
    let loose = FpFlags::allow_approximation;
    let of = |id: ValueId| body.values.get(usize::from(id));
    let radicand = |id: ValueId| Ok::<_, Fault>(Radicand { body, id, value: float(id)? });
    if !loose(&value.flags) {
        return Ok(None);
    }
    match value.op {
        Op::Unary(UnaryOp::Sqrt, x) => how.sqrt(radicand(x)?),
        // By a constant, the optimiser multiplies.
        Op::Binary(BinaryOp::FDiv, x, y)
            if value.flags.arcp && !of(y).is_some_and(|v| matches!(v.op, Op::Float(_))) =>
        {
            let radicand = match of(y) {
                Some(Value { op: Op::Unary(UnaryOp::Sqrt, r), flags, .. }) if loose(flags) => {
                    Some(radicand(*r)?)
                }
                _ => None,
            };
            let dividend = if is_one(of(x)) { None } else { Some(float(x)?) };
            how.divide(dividend, float(y)?, radicand)
        }
        Op::Unary(op, x) if op.libm().is_some() => how.unary(op, float(x)?),
        Op::Binary(op, x, y) if op.libm().is_some() => how.binary(op, float(x)?, float(y)?),
        _ => Ok(None),
    }
}

/// A value that was written before.
fn made<'ctx>(done: &[Option<BasicValueEnum<'ctx>>], v: ValueId) -> Emitted<BasicValueEnum<'ctx>> {
    let found = done.get(usize::from(v)).copied().flatten();
    found.ok_or_else(|| Fault::new(format!("value {v} is used before it is made")))
}

fn is_one(value: Option<&Value>) -> bool {
    value.is_some_and(|v| match (&v.op, v.ty) {
        (Op::Float(bits), Ty::Elem(ElemType::F32)) => *bits == u64::from(1f32.to_bits()),
        (Op::Float(bits), Ty::Elem(ElemType::F64)) => *bits == 1f64.to_bits(),
        _ => false,
    })
}

/// True if the value is never a NaN, as x86's instruction selection would see it.
fn is_number(body: &Body, id: ValueId) -> bool {
    let Some(value) = body.values.get(usize::from(id)) else { return false };
    if value.flags.nnan {
        return true;
    }
    match &value.op {
        Op::Float(bits) => match value.ty {
            Ty::Elem(ElemType::F32) => !f32::from_bits(*bits as u32).is_nan(),
            _ => !f64::from_bits(*bits).is_nan(),
        },
        Op::Convert(Conversion::SignedToFp | Conversion::UnsignedToFp, _) => true,
        Op::Convert(Conversion::FpExtend | Conversion::FpTruncate, x)
        | Op::Unary(UnaryOp::Neg | UnaryOp::Abs, x)
        | Op::Binary(BinaryOp::CopySign, x, _) => is_number(body, *x),
        Op::Binary(BinaryOp::FMinNum | BinaryOp::FMaxNum, x, y) => {
            is_number(body, *x) || is_number(body, *y)
        }
        Op::Select(_, x, y) => is_number(body, *x) && is_number(body, *y),
        _ => false,
    }
}

fn is_float_op(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::CopySign
    )
}

fn elem(ty: Ty) -> Emitted<ElemType> {
    match ty {
        Ty::Elem(e) => Ok(e),
        Ty::Bool => Err(Fault::new("a truth value where a number belongs")),
    }
}

fn as_float(v: BasicValueEnum<'_>) -> Emitted<FloatValue<'_>> {
    match v {
        BasicValueEnum::FloatValue(v) => Ok(v),
        _ => Err(Fault::new("an operand is no floating value")),
    }
}

fn as_int(v: BasicValueEnum<'_>) -> Emitted<IntValue<'_>> {
    match v {
        BasicValueEnum::IntValue(v) => Ok(v),
        _ => Err(Fault::new("an operand is no integer")),
    }
}

enum Either {
    Float(FloatPredicate),
    Int(IntPredicate),
}

fn predicate(p: Predicate) -> Either {
    use Either::{Float, Int};
    match p {
        Predicate::FOeq => Float(FloatPredicate::OEQ),
        Predicate::FOgt => Float(FloatPredicate::OGT),
        Predicate::FOge => Float(FloatPredicate::OGE),
        Predicate::FOlt => Float(FloatPredicate::OLT),
        Predicate::FOle => Float(FloatPredicate::OLE),
        Predicate::FOne => Float(FloatPredicate::ONE),
        Predicate::FOrd => Float(FloatPredicate::ORD),
        Predicate::FUno => Float(FloatPredicate::UNO),
        Predicate::FUeq => Float(FloatPredicate::UEQ),
        Predicate::FUgt => Float(FloatPredicate::UGT),
        Predicate::FUge => Float(FloatPredicate::UGE),
        Predicate::FUlt => Float(FloatPredicate::ULT),
        Predicate::FUle => Float(FloatPredicate::ULE),
        Predicate::FUne => Float(FloatPredicate::UNE),
        Predicate::IEq => Int(IntPredicate::EQ),
        Predicate::INe => Int(IntPredicate::NE),
        Predicate::ISgt => Int(IntPredicate::SGT),
        Predicate::ISge => Int(IntPredicate::SGE),
        Predicate::ISlt => Int(IntPredicate::SLT),
        Predicate::ISle => Int(IntPredicate::SLE),
        Predicate::IUgt => Int(IntPredicate::UGT),
        Predicate::IUge => Int(IntPredicate::UGE),
        Predicate::IUlt => Int(IntPredicate::ULT),
        Predicate::IUle => Int(IntPredicate::ULE),
    }
}
