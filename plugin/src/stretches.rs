//! Time loops with side code: which refusals are lifted where the sweeps wait, and what to say where they can't.
//!
//! The mechanism is in `plugin/cpp/stretches.h`: the time loop keeps its scalar code, counts the steps whose sweeps are
//! pending, and calls a function that executes them, the stretch, before anything that may look at what they touch.
//! The stretch is a time loop of its own, and goes the way of every nest.

use crate::detect::bindings::{Bindings, Operand};
use crate::llvm::{NotStretched, Reduced, Slow};
use crate::report::OneByOne;
use hexpass_abi::Reduction;
use hexpass_poly::rejection::{Reason, Rejection};
use hexpass_poly::stencil::StencilProgram;

/// True if a loop that was left for this reason may be a nest once its side code is out of the way.
pub fn may_help(reason: Reason) -> bool {
    match reason {
        Reason::Call
        | Reason::VolatileOrAtomic
        | Reason::MultiExit
        | Reason::TripCount
        | Reason::NonAffine
        | Reason::BasePointer
        | Reason::ElementType
        | Reason::Operation
        | Reason::Reduction
        | Reason::ControlFlow
        | Reason::Dependence
        | Reason::WriteShape
        | Reason::LiveOut => true,
        Reason::OpenMp
        | Reason::Stride
        | Reason::UnboundedDependence
        | Reason::Budget
        | Reason::TileSize
        | Reason::Bug => false,
    }
}

/// True if the sweeps of a loop that was left for this reason may be taken one by one.
pub fn may_stand_apart(reason: Reason) -> bool {
    may_help(reason)
        || matches!(reason, Reason::Budget | Reason::UnboundedDependence | Reason::Stride)
}

/// Why a nest is better off as sweeps that wait.
pub fn libm_once() -> Rejection {
    Rejection::new(Reason::Operation, "a function of libm is called once in each step")
}

/// What to tell: where no sweep was found that could wait, what stood in the way at first.
pub fn rejection(refused: NotStretched, at_first: &Rejection) -> Rejection {
    match refused {
        NotStretched::NoSweep => at_first.clone(),
        NotStretched::Broken => {
            Rejection::new(Reason::Bug, "what was made of its sweeps is no well-formed function")
        }
        NotStretched::Middle(line) => Rejection::new(
            Reason::Call,
            "code between two sweeps of one step may touch the arrays that they work on; move it to the start or the end of the step",
        )
        .at(line),
        NotStretched::Exit(line) => match at_first.reason {
            Reason::Call | Reason::TripCount | Reason::MultiExit | Reason::VolatileOrAtomic => {
                Rejection::new(
                    Reason::MultiExit,
                    "the time loop is left between two sweeps of one step; leave it at the start or the end of a step",
                )
                .at(line)
            }
            // A check that fails is a way out of Rust's: nobody can do without it.
            _ => at_first.clone(),
        },
        NotStretched::Value(line) => Rejection::new(
            Reason::LiveOut,
            "a value of the step connects its sweeps with code that is no sweep, and can't be kept for later",
        )
        .at(line),
        NotStretched::Pointer(line) => Rejection::new(
            Reason::BasePointer,
            "which array a sweep works on changes from step to step in a way that is not followed; swap pointers in each step, or copy",
        )
        .at(line),
        NotStretched::Reduction(line) => match at_first.reason {
            Reason::Call | Reason::TripCount | Reason::MultiExit | Reason::VolatileOrAtomic => {
                Rejection::new(
                    Reason::Reduction,
                    "a sweep computes a value of the whole grid that each time step looks at, and that is no largest value or sum that could be found from all points at once; compute it in a loop of its own after the sweeps, or look at it every few steps only; where its address is handed out, as to print it, hand out a copy's",
                )
                .at(line)
            }
            _ => at_first.clone(),
        },
    }
}

/// What to tell of sweeps that are taken, but of which no more than one step waits.
pub fn one_by_one(slow: Slow) -> OneByOne {
    let (why, line) = match slow {
        Slow::Look(line) => {
            ("each step is looked at: code beside the sweeps may read or write their arrays", line)
        }
        Slow::Value(line) => {
            ("each step's sweeps need a value that the step computes before them", line)
        }
        Slow::Moves(line) => ("what the sweeps touch moves on with the steps", line),
        Slow::Exchange(line) => {
            ("pointers or sizes change in memory in each step, in a way that is not followed", line)
        }
    };
    OneByOne { why, line }
}

/// A sweep follows indices that it reads.
pub fn gather(line: Option<u32>) -> Rejection {
    Rejection::new(
        Reason::NonAffine,
        "a sweep reads or writes an array at places that another array says (u[index[i]]); compute the index from counters and sizes",
    )
    .at(line)
}

/// Reductions with the pointers of the nest that are their arrays.
pub fn reductions(found: &[Reduced], bindings: &Bindings) -> Vec<(Option<u16>, Reduction)> {
    let of = |r: &Reduced| {
        let is_grid = |p: &Operand| *p == Operand::Value(r.grid);
        let pointer = bindings.pointers.iter().position(is_grid).map(|p| p as u16);
        let Reduced { kind, counts_nans, yields, sign_of_zero, strict, single, alarm, .. } = *r;
        let array = 0;
        let reduction =
            Reduction { array, kind, counts_nans, yields, sign_of_zero, strict, single, alarm };
        (pointer, reduction)
    };
    found.iter().map(of).collect()
}

/// The same by the arrays of the aligned nest. Refused unless each is one array of its own.
pub fn placed(
    reductions: &[(Option<u16>, Reduction)],
    stencil: &StencilProgram,
) -> Result<Vec<Reduction>, Rejection> {
    let place = |(pointer, reduction): &(Option<u16>, Reduction)| {
        let at = |s: &hexpass_abi::Slot| Some(s.pointer) == *pointer;
        let arrays: Vec<usize> =
            (0..stencil.arrays.len()).filter(|&a| stencil.arrays[a].slots.iter().any(at)).collect();
        match arrays[..] {
            [a] if stencil.arrays[a].slots.iter().all(at) => {
                Ok(Reduction { array: a as u16, ..reduction.clone() })
            }
            _ => Err(Rejection::new(
                Reason::Reduction,
                "what a step reduces has no shape of its own; compute it in a loop over the whole grid",
            )),
        }
    };
    reductions.iter().map(place).collect()
}
