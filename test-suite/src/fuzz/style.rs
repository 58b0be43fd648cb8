//! How a generated program is written, and how its steps are counted.

/// How steps are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    Up,
    FromOne,
    Down,
    While,
    /// Time is a floating-point number.
    Real,
    DoWhile,
}

/// What loop counters and sizes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    Int,
    Long,
    Size,
    Unsigned,
}

/// How the time loop's function is seen by the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    Main,
    Static,
    External,
}

/// Ways to write what means the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    pub counter: Counter,
    pub clock: Clock,
    pub home: Home,
    /// Pointers of functions that sweep are `restrict`.
    pub restricted: bool,
    /// Of indexed buffers: pointers in an array, not planes of one.
    pub pointers: bool,
    /// Subscripts of flat grids through a macro.
    pub macros: bool,
    /// Constants of `float` grids without a suffix: arithmetic in double.
    pub wide: bool,
    /// Sizes are looked up in the structure that holds the pointers.
    pub far: bool,
    /// Points that a condition leaves out are left by `continue`.
    pub continues: bool,
    /// Least and greatest by conditional expressions, not by functions of libm; around the border likewise, not by
    /// remainders.
    pub ternary: bool,
    /// The whole step is a function.
    pub stepper: bool,
    /// The time loop is run so many times.
    pub rounds: i32,
    /// Steps are left after so many, by `break` at the loop's end.
    pub stop: Option<i32>,
    /// The time loop stands there twice, one after the other.
    pub twice: bool,
    /// A choice between two elements says where to look, not what is taken of both.
    pub places: bool,
    /// Grids that each step allocates begin with zeros, not as copies.
    pub cleared: bool,
}

/// Choices among the ways that only one language has: numbers below 100, which its writer reads as it likes. 0 is the
/// plainest way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ways(pub [u8; 12]);

impl Ways {
    /// True in `percent` of a hundred programs.
    pub fn often(self, way: usize, percent: u8) -> bool {
        self.0[way] >= 100 - percent
    }

    /// One of `0..count`.
    pub fn below(self, way: usize, count: usize) -> usize {
        usize::from(self.0[way]) * count / 100
    }
}
