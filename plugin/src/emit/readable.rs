//! Whether a word may be read, asked of the runtime.
//!
//! Produces a function of the module, `i1 hexpass.readable(ptr header, ptr at, i64 key, i1 so_far)`: false where the answer is
//! of no use any more, or where there is no runtime; else what [`hexpass_abi::READABLE`] answers. The runtime knows of nests
//! that it leaves to the original loop time and again, and does not ask the system for them. It is told of an execution once, with the
//! first word; the others come without a header.

use super::fault::{Emitted, Fault};
use hexpass_abi::READABLE;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::context::ContextRef;
use inkwell::module::{Linkage, Module};
use inkwell::values::{BasicValue, FunctionValue};
use inkwell::{AddressSpace, IntPredicate};

/// What the function is called.
pub const NAME: &str = "hexpass.readable";
/// LLVM's encoding of `memory(inaccessiblemem: readwrite)`: what it answers may be another thing the next time. The header
/// belongs to the runtime.
const INACCESSIBLE: u64 = 3 << 2;

/// The function, made at its first use.
pub fn readable<'ctx>(
    ctx: ContextRef<'ctx>,
    module: &Module<'ctx>,
) -> Emitted<FunctionValue<'ctx>> {
    if let Some(known) = module.get_function(NAME) {
        return Ok(known);
    }
    let (pointer, i64) = (ctx.ptr_type(AddressSpace::default()), ctx.i64_type());
    let (i32, bool) = (ctx.i32_type(), ctx.bool_type());
    let asked = [pointer.into(), pointer.into(), i64.into()];
    let runtime = i32.fn_type(&asked, false);
    let declare = || module.add_function(READABLE, runtime, Some(Linkage::ExternalWeak));
    let runtime = module.get_function(READABLE).unwrap_or_else(declare);
    let ty = bool.fn_type(&[asked[0], asked[1], asked[2], bool.into()], false);
    let function = module.add_function(NAME, ty, Some(Linkage::Internal));
    for (name, value) in
        [("nounwind", 0), ("willreturn", 0), ("noinline", 0), ("memory", INACCESSIBLE)]
    {
        let kind = Attribute::get_named_enum_kind_id(name);
        function.add_attribute(AttributeLoc::Function, ctx.create_enum_attribute(kind, value));
    }
    let builder = ctx.create_builder();
    let [first, ask, never] = ["", "ask", "never"].map(|n| ctx.append_basic_block(function, n));
    let params = function.get_params();
    let [header, at, key, so_far] = params[..] else {
        return Err(Fault::new("a function without its parameters"));
    };
    builder.position_at_end(first);
    let linked = builder.build_is_not_null(runtime.as_global_value().as_pointer_value(), "")?;
    let useful = builder.build_and(linked, so_far.into_int_value(), "")?;
    builder.build_conditional_branch(useful, ask, never)?;
    builder.position_at_end(never);
    builder.build_return(Some(&bool.const_zero()))?;
    builder.position_at_end(ask);
    let call = builder.build_call(runtime, &[header.into(), at.into(), key.into()], "")?;
    let answer = call.try_as_basic_value().basic();
    let answer = answer.ok_or_else(|| Fault::new("no answer"))?.into_int_value();
    let may = builder.build_int_compare(IntPredicate::NE, answer, i32.const_zero(), "")?;
    builder.build_return(Some(&may as &dyn BasicValue<'ctx>))?;
    Ok(function)
}

/// Takes it out of the module if nobody calls it.
pub fn remove_unused(module: &Module<'_>) {
    for name in [NAME, READABLE] {
        if let Some(function) = module.get_function(name)
            && function.as_global_value().as_pointer_value().get_first_use().is_none()
        {
            // SAFETY: nobody calls it.
            unsafe { function.delete() }
        }
    }
}
