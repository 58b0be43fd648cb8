//! Consumes [`NestFacts`]; produces a [`Scop`]: arrays with dimensions, and statements whose accesses are affine
//! functions of the loop counters.
//!
//! Refuses (`non-affine`, `stride`, `delinearize`, `base-pointer`) accesses that no such array explains. What can't be
//! proved here is left to the runtime's guard: that subscripts mean different elements, that arrays don't overlap.
//!
//! A byte offset is a polynomial; that it was `a[i][j]` once is recovered from the coefficients of the counters, its
//! strides (as in Grosser, Ramanujam, Pouchet, Sadayappan, Pop: Optimistic Delinearization of Parametrically Sized
//! Arrays, ICS'15).

mod algebra;
mod arrays;
mod borders;
mod build;
mod components;
mod contiguous;
mod copies;
mod delinearize;
mod fenced;
mod flat;
mod interleaved;
mod lasting;
mod lengths;
mod linear;
mod outside;
mod pinned;
mod pitch;
mod planes;
mod relations;
mod rows;
mod text;
mod traces;
mod validate;

use crate::body::{Body, ValueId};
use crate::facts::{CheckFact, NestFacts, ScalarFact};
use crate::rejection::Rejection;
use hexpass_abi::{Array, Entry, Fence, FpMode, IntExpr, Lookup, Poly, Sym, Table};

pub(crate) use algebra::{negate, out_of_range};
pub use flat::LARGER_THAN_ANY_SIZE;
pub use linear::{Linear, Phase};
pub(crate) use pinned::only_iteration;
pub use relations::IslNames;

/// What reads are that are far from, or at an unknown distance from, what is written through the same pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// Of another array, which the guard holds against the written one.
    Apart,
    /// Of the written array.
    Joined,
}

/// A loop nest as the polyhedral model sees it, in the loops' own coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Scop {
    pub function: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    /// Names of the integer parameters.
    pub ints: Vec<String>,
    /// Names of the base pointers.
    pub pointers: Vec<String>,
    pub disjoint_pointers: Vec<(u16, u16)>,
    pub scalars: Vec<ScalarFact>,
    pub tables: Vec<Table>,
    pub lookups: Vec<Lookup>,
    /// Masks that keep its sweeps inside.
    pub fences: Vec<Fence>,
    /// Iterations of the time loop.
    pub steps: IntExpr,
    /// Iterations of each space loop, over `Int`.
    pub loops: Vec<IntExpr>,
    /// As in the facts.
    pub blocked: bool,
    pub arrays: Vec<Array>,
    /// Those of them that lie along a line of a grid, in ascending order: they have its dimensions.
    pub lines: Vec<u16>,
    /// In the order of one time step; statements that share loops interleave.
    pub statements: Vec<Statement>,
    /// `Iv(l)` is the counter of loop l.
    pub checks: Vec<CheckFact>,
    pub fp: FpMode,
}

/// One statement: all loads of an instance before its stores.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// Indices into `Scop::loops`, outermost first; none with a single iteration.
    pub loops: Vec<u16>,
    /// As in [`StatementFact`](crate::facts::StatementFact): the statement runs where none is negative.
    pub conditions: Vec<Poly>,
    /// `Op::Load(i)` is `reads[i]`.
    pub reads: Vec<AccessRelation>,
    /// As in the facts.
    pub entries: Vec<Entry>,
    pub body: Body,
    pub writes: Vec<WriteRelation>,
    pub line: Option<u32>,
}

/// What a store writes.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteRelation {
    pub access: AccessRelation,
    pub value: ValueId,
}

/// Which element an instance touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessRelation {
    /// Index into `Scop::arrays`.
    pub array: u16,
    /// Slot relative to the time step; 0 for arrays of one slot.
    pub rotation: i32,
    /// One for each dimension of the array.
    pub subscripts: Vec<Affine>,
    /// As in [`AccessFact`](crate::facts::AccessFact).
    pub maybe: bool,
}

/// A counter, its opposite, or nothing, plus an offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Affine {
    pub counter: Option<Counter>,
    /// Over `Int`; also `Time` where there is no counter, in arrays that are only read or keep all steps (`u[t + 1]`: there
    /// it is the step plus a constant).
    pub offset: Poly,
}

/// `Iv(index)` or `-Iv(index)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    pub index: u16,
    pub negative: bool,
}

impl Scop {
    /// For each dimension of an array, whether a counter runs through it: the others hold the fields of a structure, or
    /// the steps of a history. Of what lies along a line of a grid, or at a point of it, all but the steps.
    pub fn along_space(&self, array: u16) -> Vec<bool> {
        let lies_in_grid = self.lines.contains(&array);
        let writes =
            |s: &'_ Statement| s.writes.iter().map(|w| w.access.clone()).collect::<Vec<_>>();
        let all = self.statements.iter().flat_map(|s| s.reads.iter().cloned().chain(writes(s)));
        let mut out = vec![false; self.arrays[usize::from(array)].strides.len()];
        for a in all.filter(|a| a.array == array) {
            for (along, s) in out.iter_mut().zip(&a.subscripts) {
                *along |= s.counter.is_some() || (lies_in_grid && !s.offset.mentions(Sym::Time));
            }
        }
        out
    }

    /// Models a nest.
    pub fn build(facts: &NestFacts) -> Result<Scop, Rejection> {
        build::build(facts, Reads::Apart).map(|(scop, _)| scop)
    }

    /// The same where reads at an unknown distance from what is written (`u[i + s]`) are reads of the same array, and not
    /// of another that lies apart; none where there are no such reads.
    pub fn build_joined(facts: &NestFacts) -> Result<Option<Scop>, Rejection> {
        let (scop, joined) = build::build(facts, Reads::Joined)?;
        Ok(joined.then_some(scop))
    }

    /// The facts of the same nest where rows of one array that two names give the length of are equally long; none where
    /// there are no such rows.
    pub fn with_equal_rows(facts: &NestFacts) -> Result<Option<NestFacts>, Rejection> {
        let facts = contiguous::assume(&validate::normalise(facts)?)?;
        let equal = lengths::equal(&facts)?;
        // A copy of a whole array says how long the rows of both are once it is cut into them.
        let Ok(Some(cut)) = flat::cut(equal.as_ref().unwrap_or(&facts)) else { return Ok(equal) };
        Ok(lengths::equal(&validate::normalise(&cut)?)?.or(equal))
    }
}
