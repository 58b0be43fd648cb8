//! Whether a word may be read, asked of the system.
//!
//! Produces a function of the module, `i1 hexpass.readable(ptr)`. `rt_sigprocmask` reads a signal set of eight bytes before it
//! looks at what to do with it. Told to do what there is not, it answers EFAULT where the address may not be read, EINVAL where
//! it may, and nothing is amiss at no address at all; it changes nothing anywhere. The question is cheap, and allowed wherever
//! programs run, since libc itself asks it. It goes through libc's `syscall`, and errno is put back: flang can't assemble
//! instructions that are written down. Elsewhere than on Linux on x86-64 nothing is asked, and no word may be read.

use super::fault::{Emitted, Fault};
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::context::ContextRef;
use inkwell::module::{Linkage, Module};
use inkwell::types::FunctionType;
use inkwell::values::{BasicValue, FunctionValue};
use inkwell::{AddressSpace, IntPredicate};

const NAME: &str = "hexpass.readable";
/// `rt_sigprocmask` of x86-64.
const CALL: u64 = 14;
/// No way to change a mask: the ways are 0, 1 and 2.
const NO_WAY: u64 = 3;
/// Bytes of a signal set.
const SET: u64 = 8;
const EINVAL: u64 = 22;
/// LLVM's encoding of `memory(inaccessiblemem: readwrite)`: what it answers may be another thing the next time.
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
    let ty = ctx.bool_type().fn_type(&[pointer.into()], false);
    let function = module.add_function(NAME, ty, Some(Linkage::Internal));
    for (name, value) in
        [("nounwind", 0), ("willreturn", 0), ("noinline", 0), ("memory", INACCESSIBLE)]
    {
        let kind = Attribute::get_named_enum_kind_id(name);
        function.add_attribute(AttributeLoc::Function, ctx.create_enum_attribute(kind, value));
    }
    let builder = ctx.create_builder();
    builder.position_at_end(ctx.append_basic_block(function, ""));
    if !has_the_call(module) {
        builder.build_return(Some(&ctx.bool_type().const_zero()))?;
        return Ok(function);
    }
    let place = declared(module, "__errno_location", pointer.fn_type(&[], false))?;
    let syscall = declared(module, "syscall", i64.fn_type(&[i64.into()], true))?;
    let address = function.get_nth_param(0).ok_or_else(|| Fault::new("no parameter"))?;
    let address = builder.build_ptr_to_int(address.into_pointer_value(), i64, "")?;
    let errno = builder.build_call(place, &[], "")?.try_as_basic_value().basic();
    let errno = errno.ok_or_else(|| Fault::new("no errno"))?.into_pointer_value();
    let before = builder.build_load(ctx.i32_type(), errno, "")?;
    builder.build_store(errno, ctx.i32_type().const_zero())?;
    let number = |n: u64| i64.const_int(n, false);
    let args = [
        number(CALL).into(),
        number(NO_WAY).into(),
        address.into(),
        number(0).into(),
        number(SET).into(),
    ];
    builder.build_call(syscall, &args, "")?;
    let answer = builder.build_load(ctx.i32_type(), errno, "")?.into_int_value();
    builder.build_store(errno, before)?;
    let read = ctx.i32_type().const_int(EINVAL, false);
    let fine = builder.build_int_compare(IntPredicate::EQ, answer, read, "")?;
    builder.build_return(Some(&fine))?;
    Ok(function)
}

/// The call's number is that of Linux on x86-64.
fn has_the_call(module: &Module<'_>) -> bool {
    let triple = module.get_triple();
    let triple = triple.as_str().to_string_lossy();
    triple.starts_with("x86_64") && triple.contains("linux") && !triple.ends_with("x32")
}

fn declared<'ctx>(
    module: &Module<'ctx>,
    name: &str,
    ty: FunctionType<'ctx>,
) -> Emitted<FunctionValue<'ctx>> {
    match module.get_function(name) {
        Some(known) if known.get_type() == ty => Ok(known),
        Some(_) => Err(Fault::new("a function of libc has another type here")),
        None => Ok(module.add_function(name, ty, None)),
    }
}

/// Takes it out of the module if nobody calls it.
pub fn remove_unused(module: &Module<'_>) {
    if let Some(function) = module.get_function(NAME)
        && function.as_global_value().as_pointer_value().get_first_use().is_none()
    {
        // SAFETY: nobody calls it.
        unsafe { function.delete() }
    }
}
