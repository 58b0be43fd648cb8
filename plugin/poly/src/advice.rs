//! What to change in the source so that a loop is taken: one sentence for each reason of the closed list, for reports
//! and for the wrappers' `--explain`. `docs/reasons.md` shows each with an example that is left and one that is taken.

use crate::rejection::Reason;

/// What to change, in plain words.
pub fn advice(reason: Reason) -> &'static str {
    match reason {
        Reason::Call => {
            "move it to the start or the end of the step, or let the compiler see its body (same file, a header, or -flto)"
        }
        Reason::OpenMp => {
            "compile the file without -fopenmp: the pragmas are set aside, and hexpass uses the cores or a GPU"
        }
        Reason::VolatileOrAtomic => {
            "read it into a variable once a step, or drop the qualifier where nobody else looks"
        }
        Reason::MultiExit => {
            "let the sweep run to its end, and test at the start or the end of a step"
        }
        Reason::TripCount => {
            "count points in an integer, and keep inner bounds independent of outer counters"
        }
        Reason::NonAffine => {
            "index with sums of counters and sizes; neighbours may be chosen among a few, by the position or by data, not looked up"
        }
        Reason::BasePointer => {
            "allocate each grid in one piece, swap whole grids, and copy sizes and pointers to local variables"
        }
        Reason::Stride => {
            "let the compiler pad structures, or keep an array for each field; rows have at least four elements"
        }
        Reason::ElementType => "use float, double, or integers of 8 to 64 bits",
        Reason::Operation => {
            "compute it in floating point with the operations that are handled, or outside the time loop"
        }
        Reason::Reduction => {
            "keep the values in an array, or compute it in a loop of its own after the sweeps"
        }
        Reason::ControlFlow => {
            "put the condition inside the innermost loop, where it is a choice between values"
        }
        Reason::Dependence => {
            "store the new values in a second array, and give statements on the same elements loops of their own"
        }
        Reason::UnboundedDependence => {
            "read the array in the direction in which it is written, at distances that are constants"
        }
        Reason::WriteShape => {
            "let all arrays that the loop writes have the same number of dimensions, at most three"
        }
        Reason::Budget => "split the nest, make sizes constants, or raise HEXPASS_BUDGET",
        Reason::TileSize => {
            "leave the sizes to the compiler, or ask for sizes within the bound that the message names"
        }
        Reason::LiveOut => "compute the value again after the loop, from the arrays",
        Reason::Bug => "nothing: please report it with the source",
    }
}
