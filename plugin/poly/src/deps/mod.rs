//! Consumes a [`StencilProgram`]; produces its [`Dependences`]: flow, anti and output dependences, exact, and the cone
//! that holds their distances.
//!
//! Refuses nests whose sweeps depend on the order of their own iterations (`dependence`) and dependences without a
//! bound in space (`unbounded-dependence`).
//!
//! Instances are `S<i>[t, s0, …]` in aligned coordinates, at logical time `u = k·t + i`
//! (hybrid-hexagonal-tiling-cgo14, sections 3.2 and 3.3.1).

mod cone;
mod order;
mod relations;

use crate::isl::{self, Isl, UnionMap, UnionSet};
use crate::rejection::Rejection;
use crate::schedule::Ratio;
use crate::scop::Scop;
use crate::stencil::{Aligned, StencilProgram};
use order::ArrayAccesses;
use relations::Relation;

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

/// What [`Dependences::of`] and the check of the original order both need.
struct Model<'c> {
    isl: &'c Isl,
    accesses: Vec<ArrayAccesses<'c>>,
    /// `{ S<i>[t, s0, …] -> [u] }`
    time: UnionMap<'c>,
    /// `{ S<i>[t, s0, …] -> [u, s0, …] }`
    place: UnionMap<'c>,
}

impl<'c> Model<'c> {
    fn new(isl: &'c Isl, p: &StencilProgram) -> Result<Model<'c>, Rejection> {
        let domains = UnionSet::parse(isl, &relations::domains(p))?;
        let mut accesses = Vec::new();
        for array in 0..p.arrays.len() {
            let array = array as u16;
            let (mut reads, mut writes) = (Relation::new(p, array), Relation::new(p, array));
            for (i, s) in p.statements.iter().enumerate() {
                s.reads.iter().filter(|a| a.array == array).for_each(|a| reads.add(i, a));
                let stores = s.writes.iter().map(|w| &w.access);
                stores.filter(|a| a.array == array).for_each(|a| writes.add(i, a));
            }
            if !writes.is_empty() {
                let restricted = |r: &Relation| {
                    UnionMap::parse(isl, &r.text())?.intersect_domain(domains.copy()?)
                };
                let (reads, writes) = (restricted(&reads)?, restricted(&writes)?);
                accesses.push(ArrayAccesses { array, reads, writes });
            }
        }
        Ok(Model {
            isl,
            accesses,
            time: UnionMap::parse(isl, &relations::logical_time(p))?,
            place: UnionMap::parse(isl, &relations::logical_space(p))?,
        })
    }

    /// Dependences through one array, of each kind.
    fn kinds(
        &self,
        a: &ArrayAccesses<'c>,
    ) -> Result<[(DependenceKind, UnionMap<'c>); 3], Rejection> {
        let writes = || a.writes.copy().map(Some);
        let flow = isl::flow(a.reads.copy()?, writes()?, None, None, self.time.copy()?)?.must;
        let output = isl::flow(a.writes.copy()?, writes()?, None, None, self.time.copy()?)?.must;
        let reads = Some(a.reads.copy()?);
        let anti = isl::flow(a.writes.copy()?, None, reads, writes()?, self.time.copy()?)?.may;
        Ok([
            (DependenceKind::Flow, flow),
            (DependenceKind::Anti, anti),
            (DependenceKind::Output, output),
        ])
    }

    fn dependences(&self, p: &StencilProgram) -> Result<Dependences, Rejection> {
        let mut distances = Vec::new();
        let mut all: [Option<UnionMap<'c>>; 3] = [None, None, None];
        for a in &self.accesses {
            for (slot, (kind, relation)) in all.iter_mut().zip(self.kinds(a)?) {
                distances.push(cone::distances(kind, a.array, &relation, &self.place)?);
                *slot = Some(match slot.take() {
                    None => relation,
                    Some(others) => others.union(relation)?,
                });
            }
        }
        let (uniform_distances, uniform) = cone::uniform(&distances)?;
        let text = |m: &Option<UnionMap<'c>>| {
            m.as_ref().map_or(Ok("{  }".to_owned()), UnionMap::text)
        };
        Ok(Dependences {
            cone: cone::cone(p, &distances)?,
            distances: uniform_distances,
            uniform,
            flow: text(&all[0])?,
            anti: text(&all[1])?,
            output: text(&all[2])?,
        })
    }
}

impl Dependences {
    /// Dependences of a program whose statements stand in nests of their own, one after the other.
    pub fn of(p: &StencilProgram) -> Result<Dependences, Rejection> {
        let isl = Isl::new(isl::BUDGET)?;
        let model = Model::new(&isl, p)?;
        order::check_parallel(&isl, p, &model.accesses)?;
        model.dependences(p)
    }

    /// Dependences of an aligned nest; the original's own order decides what is a dependence.
    pub fn of_nest(scop: &Scop, aligned: &Aligned) -> Result<Dependences, Rejection> {
        let isl = Isl::new(isl::BUDGET)?;
        let model = Model::new(&isl, &aligned.program)?;
        order::check_parallel(&isl, &aligned.program, &model.accesses)?;
        order::check_interleaved(model.isl, scop, aligned, &model.accesses)?;
        model.dependences(&aligned.program)
    }
}
