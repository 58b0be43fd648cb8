//! Consumes a loop; says whether its sweeps are OpenMP's. clang and flang have moved the body of a parallel region to a
//! function of its own by now, which the region's threads call: the loop holds a call of OpenMP's runtime in its place.
//!
//! Such a loop keeps its threads and its meaning (a body may ask for its thread's number): it is refused, and what to do
//! is said.

use crate::llvm::{Analyses, Block, Function, LoopRef, Value};
use hexpass_poly::rejection::{Reason, Rejection};

/// The refusal of a loop with a call of OpenMP's runtime in it and no loop around that call inside.
pub fn region(a: &Analyses<'_>, l: LoopRef<'_>) -> Option<Rejection> {
    let call = l
        .blocks()
        .into_iter()
        .filter(|b| a.loop_of(*b) == Some(l))
        .flat_map(Block::instructions)
        .find(|i| is_openmp(*i))?;
    let words = "the sweep is a parallel region of OpenMP, which keeps its threads; compile this file without -fopenmp, and \
                 hexpass uses the cores (or a GPU)";
    Some(Rejection::new(Reason::OpenMp, words).at(call.location().map(|p| p.line)))
}

fn is_openmp(i: Value<'_>) -> bool {
    i.callee().map(Function::name).is_some_and(|name| name.starts_with("__kmpc_fork"))
}
