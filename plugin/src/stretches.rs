//! Time loops with side code: which refusals are lifted where the sweeps wait, and what to say where they can't.
//!
//! The mechanism is in `plugin/cpp/stretches.h`: the time loop keeps its scalar code, counts the steps whose sweeps are
//! pending, and calls a function that executes them, the stretch, before anything that may look at what they touch.
//! The stretch is a time loop of its own, and goes the way of every nest.

use crate::llvm::NotStretched;
use hexpass_poly::rejection::{Reason, Rejection};

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

/// What to tell: where no sweep was found that could wait, what stood in the way at first.
pub fn rejection(refused: NotStretched, at_first: &Rejection) -> Rejection {
    match refused {
        NotStretched::NoSweep => at_first.clone(),
        NotStretched::Middle(line) => Rejection::new(
            Reason::Call,
            "code between two sweeps of one step may touch the arrays that they work on; move it to the start or the end of the step",
        )
        .at(line),
        NotStretched::Exit(line) => Rejection::new(
            Reason::MultiExit,
            "the time loop is left between two sweeps of one step; leave it at the start or the end of a step",
        )
        .at(line),
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
                    "a sweep computes a sum, a maximum or another value of the whole grid that the time loop uses; compute it in a loop of its own after the sweeps, every few steps",
                )
                .at(line)
            }
            _ => at_first.clone(),
        },
    }
}
