//! Distances and the cone that holds them (hybrid-hexagonal-tiling-cgo14, sections 3.3.1 and 3.3.2).
//!
//! For each space dimension the distances are projected onto (Δu, Δs). The smallest δ0 with Δs ≤ δ0·Δu for all of
//! them is a linear program over the constraints that hold for the projection (Farkas' lemma), and so is δ1.

use super::{DependenceCone, DependenceKind, Distance};
use crate::isl::{Set, UnionMap};
use crate::rejection::{Reason, Rejection};
use crate::schedule::Ratio;
use crate::stencil::StencilProgram;

/// Distances of one kind of dependence through one array.
pub struct Distances<'c> {
    pub kind: DependenceKind,
    pub array: u16,
    /// `{ [Δu, Δs0, …] }` for each pair of statements, without parameters.
    pub pairs: Vec<(u16, u16, Set<'c>)>,
}

/// Splits a dependence relation by source and sink; its differences after `place`.
pub fn distances<'c>(
    kind: DependenceKind,
    array: u16,
    relation: &UnionMap<'c>,
    place: &UnionMap<'c>,
) -> Result<Distances<'c>, Rejection> {
    let mut pairs = Vec::new();
    for (source, sink, map) in relation.by_statements()? {
        let moved = map.apply_domain(place.copy()?)?.apply_range(place.copy()?)?;
        let all = moved.deltas()?.project_out_all_params()?.coalesce()?;
        for set in all.sets()? {
            pairs.push((source, sink, set));
        }
    }
    Ok(Distances { kind, array, pairs })
}

/// The distances that are single vectors, and whether that is all of them.
pub fn uniform(all: &[Distances]) -> Result<(Vec<Distance>, bool), Rejection> {
    let (mut out, mut complete) = (Vec::new(), true);
    for d in all {
        for (source, sink, set) in &d.pairs {
            for piece in set.pieces()? {
                match piece.points()? {
                    Some(points) => out.extend(points.into_iter().map(|p| Distance {
                        kind: d.kind,
                        array: d.array,
                        source: *source,
                        sink: *sink,
                        du: p[0],
                        ds: p[1..].to_vec(),
                    })),
                    None => complete = false,
                }
            }
        }
    }
    out.sort();
    out.dedup();
    Ok((out, complete))
}

/// The smallest cone, in which all distances lie.
pub fn cone(p: &StencilProgram, all: &[Distances]) -> Result<DependenceCone, Rejection> {
    let zero = (Ratio::whole(0), Ratio::whole(0));
    let mut delta = vec![zero; p.dims];
    for d in all {
        for (source, sink, set) in &d.pairs {
            for (dim, (delta0, delta1)) in delta.iter_mut().enumerate() {
                let plane = set.copy()?.project_onto(&[0, dim + 1])?;
                let refuse = || unbounded(p, d, *source, *sink, dim);
                *delta0 = slope(&plane, 1)?.ok_or_else(refuse)?.max(*delta0);
                *delta1 = slope(&plane, -1)?.ok_or_else(refuse)?.max(*delta1);
            }
        }
    }
    Ok(DependenceCone { delta })
}

fn slope(plane: &Set, sign: i32) -> Result<Option<Ratio>, Rejection> {
    Ok(plane.slope(sign)?.and_then(|(num, den)| Ratio::new(num, den)))
}

fn unbounded(
    p: &StencilProgram,
    d: &Distances,
    source: u16,
    sink: u16,
    dim: usize,
) -> Rejection {
    let name = &p.arrays[usize::from(d.array)].name;
    let line = |s: u16| p.statements[usize::from(s)].line;
    let what = match d.kind {
        DependenceKind::Flow => "is read arbitrarily far from where it was written",
        DependenceKind::Anti => "is overwritten arbitrarily far from where it was read",
        DependenceKind::Output => "is overwritten arbitrarily far from where it was written",
    };
    let place = match (line(source), line(sink)) {
        (Some(a), Some(b)) if a != b => format!(" (lines {a} and {b})"),
        _ => String::new(),
    };
    Rejection::new(
        Reason::UnboundedDependence,
        format!("`{name}` {what}, along dimension {}{place}", dim + 1),
    )
    .at(line(sink))
}
