//! Values of other lanes of a warp.

use crate::emit::fault::{Emitted, Fault};
use inkwell::builder::Builder;
use inkwell::context::ContextRef;
use inkwell::intrinsics::Intrinsic;
use inkwell::module::Module;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{BasicValueEnum, IntValue};

/// Writes shuffles into one module.
pub struct Shuffler<'a, 'ctx> {
    pub ctx: ContextRef<'ctx>,
    pub module: &'a Module<'ctx>,
    pub b: &'a Builder<'ctx>,
}

impl<'ctx> Shuffler<'_, 'ctx> {
    /// What `value` is in the lane so many further; some value where that leaves the warp.
    pub fn shuffle(
        &self,
        value: BasicValueEnum<'ctx>,
        lanes: i32,
    ) -> Emitted<BasicValueEnum<'ctx>> {
        if lanes == 0 {
            return Ok(value);
        }
        let (b, i32) = (self.b, self.ctx.i32_type());
        match value.get_type() {
            BasicTypeEnum::FloatType(t) => {
                let bits = match t.get_bit_width() {
                    32 => i32,
                    _ => self.ctx.i64_type(),
                };
                let raw = b.build_bit_cast(value, bits, "")?;
                Ok(b.build_bit_cast(self.shuffle(raw, lanes)?, t, "")?)
            }
            BasicTypeEnum::IntType(t) if t.get_bit_width() == 64 => {
                let value = value.into_int_value();
                let half = t.const_int(32, false);
                let low = b.build_int_truncate(value, i32, "")?;
                let high = b.build_right_shift(value, half, false, "")?;
                let high = b.build_int_truncate(high, i32, "")?;
                let (low, high) = (self.word(low, lanes)?, self.word(high, lanes)?);
                let low = b.build_int_z_extend(low, t, "")?;
                let high = b.build_int_z_extend(high, t, "")?;
                let high = b.build_left_shift(high, half, "")?;
                Ok(b.build_or(low, high, "")?.into())
            }
            BasicTypeEnum::IntType(t) if t.get_bit_width() == 32 => {
                Ok(self.word(value.into_int_value(), lanes)?.into())
            }
            BasicTypeEnum::IntType(t) => {
                let word = b.build_int_z_extend(value.into_int_value(), i32, "")?;
                Ok(b.build_int_truncate(self.word(word, lanes)?, t, "")?.into())
            }
            other => Err(Fault::new(format!("no shuffle of {other}"))),
        }
    }

    fn word(&self, value: IntValue<'ctx>, lanes: i32) -> Emitted<IntValue<'ctx>> {
        // The last operand is the lane that sources stop at.
        let (name, limit) = match lanes > 0 {
            true => ("llvm.nvvm.shfl.sync.down.i32", 31),
            false => ("llvm.nvvm.shfl.sync.up.i32", 0),
        };
        let missing = || Fault::new(format!("{name} is not there"));
        let intrinsic = Intrinsic::find(name).ok_or_else(missing)?;
        let function = intrinsic.get_declaration(self.module, &[]).ok_or_else(missing)?;
        let i32 = self.ctx.i32_type();
        let (all, by) = (i32.const_all_ones(), i32.const_int(lanes.unsigned_abs().into(), false));
        let limit = i32.const_int(limit, false);
        let operands = [all.into(), value.into(), by.into(), limit.into()];
        let call = self.b.build_call(function, &operands, "")?;
        Ok(call.try_as_basic_value().basic().ok_or_else(missing)?.into_int_value())
    }
}

/// True if the condition holds in a lane of the warp, all of which have come here.
pub fn any<'ctx>(
    ctx: ContextRef<'ctx>,
    module: &Module<'ctx>,
    b: &Builder<'ctx>,
    condition: IntValue<'ctx>,
) -> Emitted<IntValue<'ctx>> {
    let missing = || Fault::new("the votes of warps are not there");
    let intrinsic = Intrinsic::find("llvm.nvvm.vote.any.sync").ok_or_else(missing)?;
    let function = intrinsic.get_declaration(module, &[]).ok_or_else(missing)?;
    let all = ctx.i32_type().const_all_ones();
    let call = b.build_call(function, &[all.into(), condition.into()], "")?;
    Ok(call.try_as_basic_value().basic().ok_or_else(missing)?.into_int_value())
}
