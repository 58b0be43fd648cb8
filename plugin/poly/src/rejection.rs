//! Why a loop nest is left alone: the closed list that remarks, reports and the documentation share.

use std::fmt;

/// One refusal. `detail` is a sentence for the scientist: what was seen and what to change, without LLVM's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    pub reason: Reason,
    pub detail: String,
    /// Source line of what stands in the way, if it is not the time loop.
    pub line: Option<u32>,
}

macro_rules! reasons {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal,)+) => {
        /// The closed list of reasons.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Reason { $($(#[doc = $doc])+ $variant,)+ }

        impl Reason {
            /// All of them, in the order of the documentation.
            pub const ALL: &'static [Reason] = &[$(Reason::$variant,)+];

            /// The word in reports.
            pub fn name(self) -> &'static str {
                match self { $(Reason::$variant => $name,)+ }
            }

            /// What it means.
            pub fn doc(self) -> &'static str {
                match self { $(Reason::$variant => concat!($($doc,)+),)+ }
            }
        }
    };
}

reasons! {
    /// A call in a sweep whose effects are not known, or code between two sweeps of a step that may touch their arrays.
    Call = "call",
    /// The sweep is an OpenMP parallel region, which the program's own threads run.
    OpenMp = "openmp",
    /// A volatile or atomic access in a sweep.
    VolatileOrAtomic = "volatile-or-atomic",
    /// A sweep that is left in more than one way (break, goto, return), or a time loop left between two sweeps of a step.
    MultiExit = "irreducible-or-multi-exit",
    /// The number of iterations of a sweep is not known before it starts.
    TripCount = "trip-count",
    /// A subscript is not an affine function of the loop counters.
    NonAffine = "non-affine",
    /// The address of an array changes in the nest in a way that is not followed.
    BasePointer = "base-pointer",
    /// The numbers of an array don't lie a whole number of their size apart, or its rows are too narrow.
    Stride = "stride",
    /// An array has elements of a type that is not handled.
    ElementType = "element-type",
    /// An operation in the body is not handled.
    Operation = "operation",
    /// A scalar is carried from one iteration to the next (a running sum, the place of the largest value).
    Reduction = "reduction",
    /// A branch in the body that depends on data or on the position.
    ControlFlow = "control-flow",
    /// A dependence is not carried by the time loop (Gauss-Seidel, a sum in place).
    Dependence = "dependence",
    /// An array is read at a distance from where it is written that counters change, or that only the run knows.
    UnboundedDependence = "unbounded-dependence",
    /// The stores of the nest don't write the same dimensions in the same way.
    WriteShape = "write-shape",
    /// The polyhedral analysis ran out of its operation budget.
    Budget = "budget",
    /// No legal tile fits the device's memory.
    TileSize = "tile-size",
    /// A value computed in the nest is used after it in a way that can't be rebuilt.
    LiveOut = "live-out",
    /// The compiler's own check failed; please report it. The original loop stays.
    Bug = "bug",
}

impl Rejection {
    /// A refusal at the time loop's line.
    pub fn new(reason: Reason, detail: impl Into<String>) -> Rejection {
        Rejection { reason, detail: detail.into(), line: None }
    }

    /// The same, at a line of its own.
    pub fn at(mut self, line: Option<u32>) -> Rejection {
        self.line = line.or(self.line);
        self
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]", self.detail, self.reason.name())
    }
}

/// An array in a message: by its name, unless nobody has given it one (`detect` describes it then).
pub fn spoken(name: &str) -> String {
    if name.contains(' ') { "an array".to_owned() } else { format!("`{name}`") }
}
