//! Values that are computed only where something comes of them.
//!
//! Consumes conditions that must all hold for a value to matter ([`hexpass_poly::arms`]); produces a branch around what is
//! written between [`Asked::begin`] and [`Asked::end`], and zero where it is left out.

use super::fault::{Emitted, Fault};
use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::context::ContextRef;
use inkwell::llvm_sys::core::LLVMBuildFreeze;
use inkwell::values::{AsValueRef, BasicValueEnum, IntValue};

/// A branch that is still open.
pub struct Asked<'ctx> {
    from: BasicBlock<'ctx>,
    after: BasicBlock<'ctx>,
}

impl<'ctx> Asked<'ctx> {
    /// What is written from here on is computed only where all of `conditions` come to what stands beside them. `None` where
    /// there are none.
    pub fn begin(
        ctx: ContextRef<'ctx>,
        b: &Builder<'ctx>,
        conditions: &[(IntValue<'ctx>, bool)],
    ) -> Emitted<Option<Asked<'ctx>>> {
        let mut all: Option<IntValue<'ctx>> = None;
        for &(condition, holds) in conditions {
            let condition = frozen(b, condition);
            let condition = if holds { condition } else { b.build_not(condition, "")? };
            all = Some(match all {
                Some(all) => b.build_and(all, condition, "")?,
                None => condition,
            });
        }
        let Some(all) = all else { return Ok(None) };
        let nowhere = || Fault::new("the writer stands nowhere");
        let from = b.get_insert_block().ok_or_else(nowhere)?;
        let function = from.get_parent().ok_or_else(nowhere)?;
        let within = ctx.append_basic_block(function, "matters");
        let after = ctx.append_basic_block(function, "asked");
        b.build_conditional_branch(all, within, after)?;
        b.position_at_end(within);
        Ok(Some(Asked { from, after }))
    }

    /// The value that was written since.
    pub fn end(
        self,
        b: &Builder<'ctx>,
        value: BasicValueEnum<'ctx>,
    ) -> Emitted<BasicValueEnum<'ctx>> {
        let last = b.get_insert_block().ok_or_else(|| Fault::new("the writer stands nowhere"))?;
        b.build_unconditional_branch(self.after)?;
        b.position_at_end(self.after);
        let phi = b.build_phi(value.get_type(), "")?;
        let none = value.get_type().const_zero();
        phi.add_incoming(&[(&value, last), (&none, self.from)]);
        Ok(phi.as_basic_value())
    }
}

/// The same, where a value that the original does not compute may be poison: a choice passes over it, a branch may not ask.
fn frozen<'ctx>(b: &Builder<'ctx>, condition: IntValue<'ctx>) -> IntValue<'ctx> {
    // SAFETY: the builder stands at the end of a block of the function that computes the condition, and what is built is of
    // the condition's type.
    unsafe {
        IntValue::new(LLVMBuildFreeze(b.as_mut_ptr(), condition.as_value_ref(), c"".as_ptr()))
    }
}
