//! Distances and the cone that holds them (hybrid-hexagonal-tiling-cgo14, sections 3.3.1 and 3.3.2).
//!
//! For each space dimension the distances are projected onto (Δu, Δs). The smallest δ0 with Δs ≤ δ0·Δu for all of
//! them is a linear program over the constraints that hold for the projection (Farkas' lemma), and so is δ1.

use super::nearest::Piece;
use super::{DependenceCone, DependenceKind, Distance};
use crate::isl::{Isl, Set, UnionMap};
use crate::rejection::{Reason, Rejection};
use crate::schedule::Ratio;
use crate::stencil::StencilProgram;

/// Distances of one kind of dependence through one array from one statement to another.
pub struct Distances<'c> {
    kind: DependenceKind,
    array: u16,
    source: usize,
    sink: usize,
    shape: Shape<'c>,
}

enum Shape<'c> {
    /// One vector [Δu, Δs0, …].
    Point(Vec<i64>),
    /// Convex sets of such vectors, without parameters.
    Sets(Vec<Set<'c>>),
}

/// Differences of a dependence relation after `place`, `{ S<i>[t, s…] -> [u, s…] }`.
pub fn distances<'c>(piece: &Piece<'c>, place: &UnionMap<'c>) -> Result<Distances<'c>, Rejection> {
    let shape = match &piece.distance {
        Some((du, ds)) => Shape::Point(std::iter::once(*du).chain(ds.iter().copied()).collect()),
        None => Shape::Sets(differences(&piece.relation, place)?),
    };
    let Piece { kind, array, source, sink, .. } = *piece;
    Ok(Distances { kind, array, source, sink, shape })
}

fn differences<'c>(
    relation: &UnionMap<'c>,
    place: &UnionMap<'c>,
) -> Result<Vec<Set<'c>>, Rejection> {
    let moved = relation.copy()?.apply_domain(place.copy()?)?.apply_range(place.copy()?)?;
    let mut sets = Vec::new();
    for set in moved.deltas()?.project_out_all_params()?.coalesce()?.sets()? {
        sets.extend(set.pieces()?);
    }
    Ok(sets)
}

/// The distances that can be listed, and whether that is all of them.
pub fn listed(all: &[Distances]) -> Result<(Vec<Distance>, bool), Rejection> {
    let (mut out, mut complete) = (Vec::new(), true);
    for d in all {
        let distance = |p: &[i64]| Distance {
            kind: d.kind,
            array: d.array,
            source: d.source as u16,
            sink: d.sink as u16,
            du: p[0],
            ds: p[1..].to_vec(),
        };
        let sets = match &d.shape {
            Shape::Point(p) => {
                out.push(distance(p));
                continue;
            }
            Shape::Sets(sets) => sets,
        };
        for set in sets {
            match set.points()? {
                Some(points) => out.extend(points.iter().map(|p| distance(p))),
                None => complete = false,
            }
        }
    }
    out.sort();
    out.dedup();
    Ok((out, complete))
}

/// The smallest cone in which all distances lie.
pub fn cone(isl: &Isl, p: &StencilProgram, all: &[Distances]) -> Result<DependenceCone, Rejection> {
    let mut delta = vec![(Ratio::whole(0), Ratio::whole(0)); p.dims];
    for (dim, (delta0, delta1)) in delta.iter_mut().enumerate() {
        let mut widen = |plane: &Set, refuse: &dyn Fn() -> Rejection| {
            *delta0 = slope(plane, 1)?.ok_or_else(refuse)?.max(*delta0);
            *delta1 = slope(plane, -1)?.ok_or_else(refuse)?.max(*delta1);
            Ok(())
        };
        if let Some(points) = points(isl, all, dim)? {
            widen(&points, &|| Rejection::new(Reason::Bug, "a distance of no time"))?;
        }
        for d in all {
            let Shape::Sets(sets) = &d.shape else { continue };
            for set in sets {
                let plane = set.copy()?.project_onto(&[0, dim + 1])?;
                widen(&plane, &|| unbounded(p, d, dim))?;
            }
        }
    }
    Ok(DependenceCone { delta })
}

/// `[Δu, Δs_dim]` of all distances that are points.
fn points<'c>(isl: &'c Isl, all: &[Distances], dim: usize) -> Result<Option<Set<'c>>, Rejection> {
    let point = |d: &Distances| match &d.shape {
        Shape::Point(p) => Some((p[0], p[dim + 1])),
        Shape::Sets(_) => None,
    };
    let mut points: Vec<(i64, i64)> = all.iter().filter_map(point).collect();
    points.sort_unstable();
    points.dedup();
    if points.is_empty() {
        return Ok(None);
    }
    let text: Vec<String> = points.iter().map(|(u, s)| format!("[{u}, {s}]")).collect();
    Set::parse(isl, &format!("{{ {} }}", text.join("; "))).map(Some)
}

fn slope(plane: &Set, sign: i32) -> Result<Option<Ratio>, Rejection> {
    Ok(plane.slope(sign)?.and_then(|(num, den)| Ratio::new(num, den)))
}

fn unbounded(p: &StencilProgram, d: &Distances, dim: usize) -> Rejection {
    let name = &p.arrays[usize::from(d.array)].name;
    let line = |s: usize| p.statements[s].line;
    let what = match d.kind {
        DependenceKind::Flow => "is read arbitrarily far from where it was written",
        DependenceKind::Anti => "is overwritten arbitrarily far from where it was read",
        DependenceKind::Output => "is overwritten arbitrarily far from where it was written",
    };
    let place = match (line(d.source), line(d.sink)) {
        (Some(a), Some(b)) if a != b => format!(" (lines {a} and {b})"),
        _ => String::new(),
    };
    Rejection::new(
        Reason::UnboundedDependence,
        format!("`{name}` {what}, along dimension {}{place}", dim + 1),
    )
    .at(line(d.sink))
}
