//! Differences of which only the square, or the magnitude, is wanted: a − b and b − a are the same then.
//!
//! Consumes a function whose registers are values; gives the operands of every such difference one order, so that
//! common-subexpression elimination finds a gradient's difference between two points once, not at each of the two. The
//! results stay what they were: a difference and its opposite differ in the sign alone, also where they are zero,
//! infinite or not a number.

use crate::emit::fault::{Emitted, Fault};
use inkwell::values::{
    AnyValueEnum, AsValueRef, BasicValueEnum, CallSiteValue, FunctionValue, InstructionOpcode,
    InstructionValue,
};
use std::collections::HashMap;

/// Orders the operands of the function's differences: what is made first stands first.
pub fn order(function: FunctionValue<'_>) -> Emitted<()> {
    let mut place = HashMap::new();
    let blocks = || function.get_basic_blocks().into_iter().flat_map(|b| b.get_instructions());
    for instruction in blocks() {
        let next = place.len();
        place.insert(instruction.as_value_ref(), next);
    }
    for difference in blocks().filter(|i| i.get_opcode() == InstructionOpcode::FSub) {
        let (Some(a), Some(b)) = (operand(difference, 0), operand(difference, 1)) else { continue };
        let (Some(first), Some(second)) =
            (place.get(&a.as_value_ref()), place.get(&b.as_value_ref()))
        else {
            continue;
        };
        if first > second && loses_its_sign(difference) {
            let done = difference.set_operand(0, b) && difference.set_operand(1, a);
            if !done {
                return Err(Fault::new("the operands of a difference can't be changed"));
            }
        }
    }
    Ok(())
}

/// The value that an instruction uses there.
pub fn operand<'ctx>(i: InstructionValue<'ctx>, at: u32) -> Option<BasicValueEnum<'ctx>> {
    i.get_operand(at)?.value()
}

/// True if a value is used, and only as both factors of a product or for its magnitude.
pub fn loses_its_sign(value: InstructionValue<'_>) -> bool {
    let mut next = value.get_first_use();
    let used = next.is_some();
    while let Some(used) = next {
        if !is_square(used.get_user(), value) {
            return false;
        }
        next = used.get_next_use();
    }
    used
}

fn is_square(user: AnyValueEnum<'_>, value: InstructionValue<'_>) -> bool {
    let AnyValueEnum::FloatValue(user) = user else { return false };
    let Some(user) = user.as_instruction() else { return false };
    let is = |at| operand(user, at).is_some_and(|v| v.as_value_ref() == value.as_value_ref());
    match user.get_opcode() {
        InstructionOpcode::FMul => is(0) && is(1),
        InstructionOpcode::Call => match called(user) {
            Some(name) if name.starts_with("llvm.fma.") => is(0) && is(1) && !is(2),
            Some(name) => name.starts_with("llvm.fabs."),
            None => false,
        },
        _ => false,
    }
}

fn called(call: InstructionValue<'_>) -> Option<String> {
    let function = CallSiteValue::try_from(call).ok()?.get_called_fn_value()?;
    function.get_name().to_str().ok().map(str::to_string)
}
