//! A generated program: a whole time loop, before it is written in any language.
//!
//! Everything that decides what the program computes stands here, and in `style` what decides how it is written:
//! `make` chooses it, `sound` says that it is well-defined, `tongue` names who writes it, `shrink` makes it smaller.

pub use super::style::*;
use crate::table::Language;

/// What the grids hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    Float,
    Double,
    Int,
    Byte,
}

impl Element {
    pub fn is_real(self) -> bool {
        matches!(self, Element::Float | Element::Double)
    }
}

/// Where the grids lie, and how they are reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// A pointer to each, `u[i * m + j]`.
    Flat,
    /// The same, all in one allocation.
    OneBlock,
    /// Pointers to rows of a length that is known when the program runs, `u[i][j]`.
    Vla,
    /// Global arrays of constant size.
    Static,
    /// Tables of pointers to rows.
    Rows(Rows),
    /// Pointers in a structure, `g->u[i * g->m + j]`.
    Members,
    /// An array of structures, `cell[i * m + j].u`.
    Structures,
}

/// Where the rows behind a table lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    Dense,
    Padded,
    Shuffled,
}

/// How one step's values become the next one's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idiom {
    /// Pointers (or rows' pointers, or members) change places.
    Swap,
    /// The step's number modulo the number of buffers.
    Modulo,
    /// Indices that change places.
    Turn,
    /// A loop copies back.
    CopyLoop,
    /// `memcpy` copies back.
    CopyMemory,
    /// From a to b and back in one step.
    ThereAndBack,
    /// The step's parity decides between a to b and b to a.
    Alternate,
    /// The new grid is allocated in each step, and copied back.
    Fresh,
}

/// An evolving grid: how many buffers it has. Where the idiom is one of copies, each is a grid of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    pub buffers: usize,
}

/// A grid that is only read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    /// `None` has all dimensions; else it is a row of values along one.
    pub axis: Option<usize>,
    /// Integers that conditions look at, whatever the grids hold.
    pub mask: bool,
}

/// Which buffer of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Now,
    Next,
    Old,
}

/// A fixed place along one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    Front(i32),
    Back(i32),
    Middle,
}

/// What a sweep does along one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// `lo .. n - hi`, or the other way round.
    Span {
        lo: i32,
        hi: i32,
        down: bool,
    },
    At(Spot),
}

/// A subscript along one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index {
    /// So far from the point at hand.
    Near(i32),
    At(Spot),
    /// The same, around the border.
    Wrap(i32),
    /// The same, but not beyond the border.
    Clamp(i32),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub field: usize,
    pub level: Level,
    pub at: Vec<Index>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// A parameter that never changes.
    Alpha,
    /// The step's number.
    Step,
    /// A value that each step computes from the one before.
    Wave,
    /// An element of a series, one for each step.
    Series,
    /// What the step before has collected.
    Collected,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    Negate,
    Absolute,
    Root,
    Floor,
    Sine,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    /// By one plus the magnitude of the second.
    Divide,
    Least,
    Most,
}

/// What integers are divided by, or shifted by, or masked with: a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    Quotient,
    Remainder,
    And,
    ShiftRight,
    Xor,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// Hundredths; whole numbers where grids hold integers.
    Number(i32),
    Load(Place),
    Input(usize, Vec<Index>),
    Local(usize),
    Scalar(Scalar),
    /// The point's coordinate.
    Coordinate(usize),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Whole(Whole, Box<Expr>, i32),
    Choose(Box<Cond>, Box<Expr>, Box<Expr>),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Cond {
    Less(Expr, Expr),
    Equal(Expr, Expr),
    /// So far from the borders.
    Inside(Vec<(i32, i32)>),
    /// The coordinate lies before the middle.
    Before(usize),
    /// The sum of the coordinates, and of the step's number if so said, is even.
    Even {
        step: bool,
    },
    Mask(usize, Vec<Index>),
    Not(Box<Cond>),
    And(Box<Cond>, Box<Cond>),
    Or(Box<Cond>, Box<Cond>),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// A local variable; each is set once.
    Let(usize, Expr),
    Store {
        place: Place,
        add: bool,
        value: Expr,
    },
    If {
        when: Cond,
        then: Vec<Stmt>,
        other: Vec<Stmt>,
    },
    /// Into a variable that outlives the sweep.
    Fold(usize, Expr),
}

/// What a variable collects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collects {
    Most,
    Least,
    Sum,
    /// 1 once a value was above a hundredth.
    Flag,
    Count,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    pub collects: Collects,
    /// Begun anew in each step; else once, before the time loop.
    pub renewed: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    pub axes: Vec<Axis>,
    pub body: Vec<Stmt>,
    /// In a function of its own.
    pub apart: bool,
    /// Loops the other way round: the last dimension is the outermost.
    pub swapped: bool,
    /// A bound that moves inwards by the step's number: each step has fewer points than the one before, or more.
    pub moving: Option<(usize, End)>,
}

/// An end of a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Front,
    Back,
}

/// What a step consists of.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    Sweep(Sweep),
    /// A buffer is cleared, by `memset`.
    Clear {
        field: usize,
        level: Level,
    },
    /// A point that the step sets, or adds to.
    Point {
        place: Place,
        add: bool,
        value: Expr,
    },
    /// Every so many steps an element is printed.
    Print {
        every: i32,
        place: Place,
    },
    /// An element is written down in each step.
    Trace(Place),
    /// The loop is left when the variable is below hundredths.
    Settled {
        fold: usize,
        below: i32,
    },
    /// Every so many steps the variable is printed.
    Report {
        every: i32,
        fold: usize,
    },
    /// The loop is left when the variable is more than one and a half times what it was in the step before.
    Stalled {
        fold: usize,
    },
    /// Every so many steps a function that the compiler can't look into reads an element.
    Look {
        every: i32,
        place: Place,
    },
    /// The same, and it sets the element.
    Touch {
        every: i32,
        place: Place,
    },
}

impl Part {
    /// Whether the loop may be left there.
    pub fn leaves(&self) -> bool {
        matches!(self, Part::Settled { .. } | Part::Stalled { .. })
    }
}

/// Where the memory of a field's new values lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// Apart from all other memory.
    None,
    /// It is the memory of the old ones.
    Same,
    /// So many elements further on in that memory.
    Shifted(i32),
}

/// One call of the program: sizes and steps.
pub type Case = crate::cases::Case;

#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub seed: u64,
    pub language: Language,
    pub dims: usize,
    pub element: Element,
    /// Constant sizes; else the program is told.
    pub extents: Option<[i32; 3]>,
    pub storage: Storage,
    pub idiom: Idiom,
    pub overlap: Overlap,
    pub fields: Vec<Field>,
    pub inputs: Vec<Input>,
    pub folds: Vec<Fold>,
    pub parts: Vec<Part>,
    pub style: Style,
    pub ways: Ways,
}

impl Program {
    /// Buffers of the field that wants most.
    pub fn buffers(&self) -> usize {
        self.fields.iter().map(|field| field.buffers).max().unwrap_or(1)
    }

    /// Whether an expression of the program uses this.
    pub fn uses(&self, scalar: Scalar) -> bool {
        let mut found = false;
        self.each_expr(&mut |expr| found |= *expr == Expr::Scalar(scalar));
        found
    }
}
