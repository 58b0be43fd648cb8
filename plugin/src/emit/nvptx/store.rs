//! Stores, and what is asked for ahead of loads, under a condition without a branch: one instruction with a predicate,
//! which LLVM's IR can't say.
//!
//! In a branch, the optimiser would put the arithmetic of what is stored, and the assembler could no longer mix it with
//! that of the next row.

use crate::emit::fault::Emitted;
use hexpass_abi::ElemType;
use inkwell::builder::Builder;
use inkwell::context::ContextRef;
use inkwell::types::BasicMetadataTypeEnum;
use inkwell::values::{BasicMetadataValueEnum, BasicValue, BasicValueEnum, IntValue, PointerValue};

/// The type in the instruction's name, and the constraint of its operands.
fn words(elem: ElemType) -> Option<(&'static str, &'static str)> {
    match elem {
        ElemType::F32 => Some(("f32", "f")),
        ElemType::F64 => Some(("f64", "d")),
        ElemType::I32 => Some(("b32", "r")),
        ElemType::I64 => Some(("b64", "l")),
        ElemType::I16 => Some(("b16", "h")),
        ElemType::I8 => None,
    }
}

/// True if there is an instruction for so many elements.
pub fn is_possible(elem: ElemType, count: u32) -> bool {
    words(elem).is_some() && matches!(count, 1 | 2 | 4)
}

/// Stores elements side by side where the condition holds.
pub fn write<'ctx>(
    ctx: ContextRef<'ctx>,
    b: &Builder<'ctx>,
    condition: IntValue<'ctx>,
    pointer: PointerValue<'ctx>,
    elements: &[BasicValueEnum<'ctx>],
    elem: ElemType,
) -> Emitted<()> {
    let (ty, constraint) = words(elem).unwrap_or_default();
    let names: Vec<String> = (2..2 + elements.len()).map(|i| format!("${i}")).collect();
    let (vector, value) = match names.len() {
        1 => (String::new(), names.concat()),
        n => (format!(".v{n}"), format!("{{{}}}", names.join(", "))),
    };
    let text = format!("@$0 st.global{vector}.{ty} [$1], {value};");
    let constraints = format!("b,l{},~{{memory}}", format!(",{constraint}").repeat(names.len()));
    let address = b.build_ptr_to_int(pointer, ctx.i64_type(), "")?;
    let mut types: Vec<BasicMetadataTypeEnum<'ctx>> =
        vec![condition.get_type().into(), address.get_type().into()];
    types.extend(elements.iter().map(|e| BasicMetadataTypeEnum::from(e.get_type())));
    let function = ctx.void_type().fn_type(&types, false);
    let asm = ctx.create_inline_asm(function, text, constraints, true, false, None, false);
    let mut operands: Vec<BasicMetadataValueEnum<'ctx>> = vec![condition.into(), address.into()];
    operands.extend(elements.iter().map(|e| BasicMetadataValueEnum::from(e.as_basic_value_enum())));
    b.build_indirect_call(function, asm, &operands, "")?;
    Ok(())
}

/// Brings the line of the second-level cache that holds an address, where the condition holds.
pub fn prefetch<'ctx>(
    ctx: ContextRef<'ctx>,
    b: &Builder<'ctx>,
    condition: IntValue<'ctx>,
    pointer: PointerValue<'ctx>,
) -> Emitted<()> {
    let address = b.build_ptr_to_int(pointer, ctx.i64_type(), "")?;
    let types = [condition.get_type().into(), address.get_type().into()];
    let function = ctx.void_type().fn_type(&types, false);
    let text = "@$0 prefetch.global.L2 [$1];".to_owned();
    let asm = ctx.create_inline_asm(function, text, "b,l".to_owned(), true, false, None, false);
    b.build_indirect_call(function, asm, &[condition.into(), address.into()], "")?;
    Ok(())
}
