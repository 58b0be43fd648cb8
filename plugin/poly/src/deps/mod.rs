//! Consumes a [`StencilProgram`]; produces its [`Dependences`]: flow, anti and output dependences, exact, and the cone
//! that holds their distances.
//!
//! Refuses nests whose sweeps depend on the order of their own iterations (`dependence`). Dependences without a bound in
//! space leave no cone; strategies that tile time refuse them.
//!
//! Instances are `S<i>[t, s0, …]` in aligned coordinates, at logical time `u = k·t + i`
//! (hybrid-hexagonal-tiling-cgo14, sections 3.2 and 3.3.1).

mod cone;
mod nearest;
mod order;
mod relations;

use crate::isl::{ANALYSIS_BUDGET, Isl, UnionMap};
use crate::rejection::{Reason, Rejection, spoken};
use crate::schedule::Ratio;
use crate::scop::Scop;
use crate::stencil::{Aligned, StencilProgram};
use hexpass_abi::{Access, Subscript};
use relations::Instances;
use std::collections::BTreeMap;

/// All dependences of a stencil program.
#[derive(Clone, Debug, PartialEq)]
pub struct Dependences {
    pub cone: DependenceCone,
    /// Why there is no cone: the dependence that reaches arbitrarily far in space. Then time can't be tiled.
    pub unbounded: Option<Rejection>,
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
/// smallest such δ0, δ1 ≥ 0. Without a bound there are no slopes at all.
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

/// Refuses (`dependence`) a program in which different instances of one statement at one step touch the same element
/// and one of them writes it.
pub fn check_parallel(p: &StencilProgram) -> Result<(), Rejection> {
    let isl = Isl::new(ANALYSIS_BUDGET)?;
    order::check_parallel(&Instances::new(&isl, p)?)
}

/// An array of which an instance writes an element that one of so many steps before has written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overwritten {
    pub array: u16,
    pub steps: i64,
}

/// All output dependences, by what they are of and how many steps they are long.
pub fn overwritten(p: &StencilProgram) -> Result<Vec<Overwritten>, Rejection> {
    let isl = Isl::new(ANALYSIS_BUDGET)?;
    let all = Instances::new(&isl, p)?;
    order::check_parallel(&all)?;
    nearest::overwritten(&all)
}

/// True if it is plain that two accesses, each of a statement of this index, never touch the same element of their array.
pub fn never_meet(p: &StencilProgram, a: (usize, &Access), b: (usize, &Access)) -> bool {
    let at = |(statement, access)| relations::At { statement, access };
    relations::never_meet(p, at(a), at(b))
}

impl Dependences {
    /// Dependences of a program whose statements stand in nests of their own, one after the other.
    pub fn of(p: &StencilProgram) -> Result<Dependences, Rejection> {
        let isl = Isl::new(ANALYSIS_BUDGET)?;
        let all = Instances::new(&isl, p)?;
        order::check_parallel(&all)?;
        Dependences::compute(&all)
    }

    /// Dependences of an aligned nest, within so many operations of isl; and its program, of which logical time agrees with
    /// the original's order: statements that the original interleaves come in an order of their own, and those that
    /// overwrite what they read keep it aside.
    pub fn of_nest(
        scop: &Scop,
        aligned: Aligned,
        budget: u64,
    ) -> Result<(StencilProgram, Dependences), Rejection> {
        let isl = Isl::new(budget)?;
        let (mut overwriting, order) = {
            let all = Instances::new(&isl, &aligned.program)?;
            let overwriting = order::overwriting(&all, scop, &aligned)?;
            let order = order::arrangement(&all, scop, &aligned)?;
            if overwriting.is_empty() && order.is_none() {
                let deps = Dependences::compute(&all)?;
                return Ok((aligned.program, deps));
            }
            (overwriting, order)
        };
        let mut program = aligned.program;
        if let Some(order) = order {
            let places = program.arrange(&order)?;
            overwriting = overwriting.into_iter().map(|s| places[s]).collect();
            overwriting.sort_unstable();
        }
        program.keep_aside(&overwriting)?;
        let all = Instances::new(&isl, &program)?;
        order::check_parallel(&all)?;
        let deps = Dependences::compute(&all)?;
        Ok((program, deps))
    }

    fn compute(instances: &Instances) -> Result<Dependences, Rejection> {
        let (isl, p) = (instances.isl, instances.program);
        let place = UnionMap::parse(isl, &relations::logical_space(p))?;
        let mut distances = Vec::new();
        let mut all: BTreeMap<DependenceKind, UnionMap> = BTreeMap::new();
        for piece in nearest::dependences(instances)? {
            distances.push(cone::distances(&piece, &place)?);
            let others = all.remove(&piece.kind);
            let sum = others.map_or(Ok(piece.relation.copy()?), |o| o.union(piece.relation))?;
            all.insert(piece.kind, sum);
        }
        let text = |kind| all.get(&kind).map_or(Ok("{  }".to_owned()), UnionMap::text);
        let bounded = far_read(p).map_or(Ok(()), Err);
        let (cone, unbounded) = match bounded.and_then(|()| cone::cone(isl, p, &distances)) {
            Ok(cone) => (cone, None),
            Err(why) if why.reason == Reason::UnboundedDependence => {
                (DependenceCone { delta: Vec::new() }, Some(why))
            }
            Err(why) => return Err(why),
        };
        let (listed, uniform) = cone::listed(&distances)?;
        Ok(Dependences {
            cone,
            unbounded,
            distances: listed,
            uniform,
            flow: text(DependenceKind::Flow)?,
            anti: text(DependenceKind::Anti)?,
            output: text(DependenceKind::Output)?,
        })
    }
}

/// A read of a written array that a size shifts against what its statement writes, such as the face before the last: a tile
/// of several steps holds no such neighbours, unless the shift is known to be small.
fn far_read(p: &StencilProgram) -> Option<Rejection> {
    let far = |s: &Subscript| s.is_far() && !p.granted.shifts.contains(&s.offset);
    p.statements.iter().find_map(|s| {
        let a = s.reads.iter().find(|a| p.writes(a.array) && a.subscripts.iter().any(far))?;
        let name = spoken(&p.arrays[usize::from(a.array)].name);
        let what = format!("{name} is read at a distance that is only known at run time");
        Some(Rejection::new(Reason::UnboundedDependence, what).at(s.line))
    })
}
