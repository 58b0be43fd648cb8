//! Consumes a [`Scop`](crate::scop::Scop); produces a [`StencilProgram`]: one time dimension, 1 to 3 space dimensions,
//! and statements whose coordinates are the subscripts of what they write.
//!
//! Refuses (`write-shape`, `stride`, `delinearize`, `base-pointer`) nests whose stores can't be aligned that way.
//!
//! Why written coordinates: statements of different depth (a boundary row), of different loop order and of different
//! starts line up by themselves, and the distance of a dependence is a difference of subscripts
//! (hybrid-hexagonal-tiling-cgo14, section 3.2, "manually aligned" there).

mod align;
mod folds;
mod join;
mod keep;
mod recognise;
mod records;
mod split;

use crate::body::{Body, ValueId};
use crate::rejection::{Reason, Rejection};
use crate::scop::Scop;
pub use align::{Aligned, Origin, thin_at};
use hexpass_abi::expr::OutOfRange;
use hexpass_abi::{
    Access, Array, Check, Entry, Fence, FpMode, IntExpr, Lookup, Poly, Reduction, Subscript, Sym,
    Table,
};

/// A stencil program in aligned coordinates.
///
/// Statement i of step t runs at logical time `u = k·t + i`, k being the number of statements.
#[derive(Clone, Debug, PartialEq)]
pub struct StencilProgram {
    pub function: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    /// Number of space dimensions, 1 to 3.
    pub dims: usize,
    /// Names of the integer parameters.
    pub ints: Vec<String>,
    /// Iterations of the time loop, over `Int`.
    pub steps: IntExpr,
    pub arrays: Vec<Array>,
    pub tables: Vec<Table>,
    pub lookups: Vec<Lookup>,
    pub fences: Vec<Fence>,
    pub statements: Vec<Statement>,
    /// For the runtime's guard, `Iv(d)` being space coordinate d of the check's statement.
    pub checks: Vec<Check>,
    pub disjoint_pointers: Vec<(u16, u16)>,
    /// Arrays in which instances keep the largest or smallest value of a step: where threads share none of it, the
    /// elements of all rows may be the same.
    pub reductions: Vec<Reduction>,
    /// Arrays that the original has not, in which statements keep what they store until all have read: the runtime makes
    /// them, and nobody sees them.
    pub aside: Vec<u16>,
    pub scalars: Vec<hexpass_abi::ElemType>,
    pub fp: FpMode,
    /// What is taken for granted of sizes and far reads; checks say so.
    pub granted: Granted,
}

/// What only the run knows, and what its guard makes sure of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Granted {
    /// Shifts (`u[i + s]`), each of them at most [`NEAR`] either way.
    pub shifts: Vec<Poly>,
    /// Expressions over `Int` none of which is negative: grids are no smaller than that.
    pub room: Vec<Poly>,
}

/// So many elements.
pub const NEAR: i64 = 4;

impl Granted {
    /// Expressions over `Int` none of which is negative.
    pub fn conditions(&self) -> Result<Vec<Poly>, OutOfRange> {
        let reach = Poly::constant(NEAR);
        let both = self.shifts.iter().flat_map(|shift| [reach.add(shift), reach.sub(shift)]);
        both.chain(self.room.iter().cloned().map(Ok)).collect()
    }
}

/// One statement: a box of instances, all loads of an instance before its stores.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// Smallest and largest (inclusive) coordinate of each dimension, over `Int`.
    pub lo: Vec<IntExpr>,
    pub hi: Vec<IntExpr>,
    pub reads: Vec<Access>,
    /// `Op::Load(i)` is `reads[i]`; `Op::Index` speaks of `Int`, `Time` and `Iv(space dimension)`.
    pub body: Body,
    pub writes: Vec<Write>,
    /// Those of `reads` that the original makes in some instances only: the runtime asks whether all of it may be read.
    pub unsure_reads: Vec<Access>,
    /// Those of `writes` that, where the original stores nothing, write back what was there.
    pub unsure_writes: Vec<Access>,
    /// Entries of tables through which it finds its rows.
    pub entries: Vec<Entry>,
    pub line: Option<u32>,
}

/// The step that an access to an array which keeps its history means, less the current one.
pub fn kept_step(a: &Access) -> Option<i64> {
    let steps = a.subscripts.iter().filter(|s| s.dim.is_none() && s.offset.mentions(Sym::Time));
    let distance = |s: &Subscript| s.offset.sub(&Poly::symbol(Sym::Time)).ok()?.as_constant();
    steps.map(distance).next()?
}

/// One store of a statement; its subscript in space dimension d is `s_d` plus a constant that all writes to the same array
/// share.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    pub access: Access,
    pub value: ValueId,
}

fn too_many_statements() -> Rejection {
    Rejection::new(Reason::Budget, "the loop has too many statements")
}

impl StencilProgram {
    /// True if some statement stores to the array.
    pub fn writes(&self, array: u16) -> bool {
        self.statements.iter().any(|s| s.writes.iter().any(|w| w.access.array == array))
    }

    /// A function of libm that the nest calls and that only the host has: the source wants the library's bits, or no
    /// device has the function.
    pub fn libm(&self) -> Option<&'static str> {
        self.statements.iter().find_map(|s| s.body.libm())
    }

    /// It calls some, and only of what is the same for all points of a step.
    pub fn libm_by_steps(&self) -> bool {
        self.libm().is_some() && self.statements.iter().all(|s| s.body.libm_by_steps())
    }

    /// Puts the statements in that order; for each, where it stands then.
    pub fn arrange(&mut self, order: &[usize]) -> Result<Vec<usize>, Rejection> {
        let mut places = vec![0; order.len()];
        for (at, &statement) in order.iter().enumerate() {
            places[statement] = at;
        }
        self.statements = order.iter().map(|&s| self.statements[s].clone()).collect();
        for check in &mut self.checks {
            let place = check.statement.map(|s| u16::try_from(places[usize::from(s)]));
            check.statement = place.transpose().map_err(|_| too_many_statements())?;
        }
        Ok(places)
    }

    /// Each of these statements becomes two: one that computes, into arrays of its own, and one that stores.
    pub fn keep_aside(&mut self, statements: &[usize]) -> Result<(), Rejection> {
        keep::keep_aside(self, statements)
    }

    /// Aligns the statements of a nest.
    pub fn recognise(scop: &Scop) -> Result<Aligned, Rejection> {
        Ok(recognise::recognise(scop)?.0)
    }

    /// The ways to align them: pieces of a sweep that do the same joined, if there are such, then each by itself.
    pub fn recognise_all(scop: &Scop) -> Result<Vec<Aligned>, Rejection> {
        let (first, joined) = recognise::recognise(scop)?;
        let apart = if joined { Some(recognise::recognise_apart(scop)?.0) } else { None };
        Ok([first].into_iter().chain(apart).collect())
    }
}
