//! Barriers between each warp of a block and the two beside it.
//!
//! Consumes the number of the thread's warp; writes two barriers of 64 threads, of which first those of warps 0 and 1, 2 and 3, …
//! meet, then those of 1 and 2, 3 and 4, …, and of the last and the first. A warp that is late holds up its neighbours
//! only, and others as many barriers later as they are away from it.

use crate::emit::fault::Emitted;
use inkwell::IntPredicate;
use inkwell::builder::Builder;
use inkwell::values::{FunctionValue, IntValue};

/// Threads of two warps.
const THREADS: u64 = 64;

/// Both barriers of a warp; `warps` is even. Barrier 0 is that of the last and the first.
pub fn meet<'ctx>(
    b: &Builder<'ctx>,
    barrier: FunctionValue<'ctx>,
    warp: IntValue<'ctx>,
    warps: u32,
) -> Emitted<()> {
    let word = warp.get_type();
    let (one, zero) = (word.const_int(1, false), word.const_zero());
    let odd = b.build_or(warp, one, "")?;
    let next = b.build_and(b.build_int_add(warp, one, "")?, word.const_int(!1, true), "")?;
    let all = word.const_int(warps.into(), false);
    let is_last = b.build_int_compare(IntPredicate::EQ, next, all, "")?;
    let even = b.build_select(is_last, zero, next, "")?;
    let threads = word.const_int(THREADS, false);
    b.build_call(barrier, &[odd.into(), threads.into()], "")?;
    b.build_call(barrier, &[even.into(), threads.into()], "")?;
    Ok(())
}
