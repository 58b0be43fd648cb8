//! Consumes a [`StencilProgram`]; produces its [`Dependences`]: flow, anti and output dependences, exact, and the cone
//! that holds their distances.
//!
//! Refuses nests whose sweeps depend on the order of their own iterations (`dependence`) and dependences without a
//! bound in space (`unbounded-dependence`).
//!
//! Instances are `S<i>[t, s0, …]` in aligned coordinates, at logical time `u = k·t + i`
//! (hybrid-hexagonal-tiling-cgo14, sections 3.2 and 3.3.1).

use crate::schedule::Ratio;

/// All dependences of a stencil program.
#[derive(Clone, Debug, PartialEq)]
pub struct Dependences {
    pub cone: DependenceCone,
    /// The distances that are the same for all instances; sorted, no duplicates.
    pub distances: Vec<Distance>,
    /// True if `distances` holds every dependence.
    pub uniform: bool,
    /// Write to the reads of its value, as an isl union map `{ S<i>[t, s0, …] -> S<j>[t, s0, …] }`.
    pub flow: String,
    /// Read to the next write of the same location.
    pub anti: String,
    /// Write to the next write of the same location.
    pub output: String,
}

/// The distances (Δu, Δs) of all dependences satisfy −δ1·Δu ≤ Δs_d ≤ δ0·Δu in each space dimension d, with the
/// smallest such δ0, δ1 ≥ 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DependenceCone {
    /// (δ0, δ1) for each space dimension.
    pub delta: Vec<(Ratio, Ratio)>,
}

/// One dependence distance, from source to sink.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Distance {
    pub kind: DependenceKind,
    /// Index into `StencilProgram::arrays`.
    pub array: u16,
    /// Statement of the source.
    pub source: u16,
    /// Statement of the sink.
    pub sink: u16,
    /// Δu, in logical time; at least 1.
    pub du: i64,
    /// Δs of each space dimension.
    pub ds: Vec<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DependenceKind {
    /// A write, then a read of its value.
    Flow,
    /// A read, then the next write.
    Anti,
    /// A write, then the next write.
    Output,
}
