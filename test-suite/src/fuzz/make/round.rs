//! Grids that go round: from a program to one whose sweeps read around the borders, by remainders or comparisons, or from
//! cells beyond the ends that each step fills from the opposite side.

use super::extras::sweeps;
use super::*;

/// Every sweep covers the grid, and what lies beyond an end is what lies at the other.
pub(super) fn around(program: &mut Program, choice: &mut Choice) {
    program.parts.retain(|part| !is_face(part));
    if choice.chance(50) {
        program.parts.retain(|part| !matches!(part, Part::Point { .. }));
    }
    for sweep in sweeps(program) {
        sweep.moving = None;
        store_here(sweep);
        for axis in &mut sweep.axes {
            *axis = Axis::Span { lo: 0, hi: 0, down: false };
        }
        each_index(sweep, &mut |_, index| {
            if let Index::Near(offset) | Index::Clamp(offset) = *index
                && offset != 0
            {
                *index = Index::Wrap(offset);
            }
        });
    }
}

/// Every sweep keeps as far from the borders as any reads; before or behind the sweeps of a step, the cells between are
/// filled from the opposite side.
pub(super) fn refilled(program: &mut Program, choice: &mut Choice) {
    let reach = reach(program);
    // More than a few fills a dimension are not what people write.
    if reach.iter().any(|(lo, hi)| lo + hi > 3) {
        return;
    }
    program.parts.retain(|part| !is_face(part));
    for sweep in sweeps(program) {
        sweep.moving = None;
        store_here(sweep);
        for (axis, (lo, hi)) in sweep.axes.iter_mut().zip(&reach) {
            *axis = Axis::Span { lo: *lo, hi: *hi, down: false };
        }
        each_index(sweep, &mut |_, index| {
            if let Index::Wrap(offset) | Index::Clamp(offset) = *index {
                *index = Index::Near(offset);
            }
        });
    }
    let behind = choice.chance(50);
    let corners = choice.chance(60);
    let mut fills = Vec::new();
    for field in 0..program.fields.len() {
        let new = behind && program.fields[field].buffers > 1;
        let level = if new { Level::Next } else { Level::Now };
        for dim in 0..program.dims {
            fills.extend(faces(&reach, field, level, dim, corners));
        }
    }
    let at = if behind { program.parts.len() } else { 0 };
    program.parts.splice(at..at, fills);
}

/// The fills of a field's cells beyond both ends of a dimension; `corners`: those of other dimensions beyond theirs, too.
fn faces(reach: &[Reach], field: usize, level: Level, dim: usize, corners: bool) -> Vec<Part> {
    let (lo, hi) = reach[dim];
    let front = (0..lo).map(|k| (Spot::Front(k), Spot::Back(lo + hi - 1 - k)));
    let back = (0..hi).map(|k| (Spot::Back(hi - 1 - k), Spot::Front(lo + k)));
    let fill = |(to, from): (Spot, Spot)| {
        let span = |(d, (lo, hi)): (usize, &Reach)| match d == dim {
            true => Axis::At(to),
            false if corners => Axis::Span { lo: 0, hi: 0, down: false },
            false => Axis::Span { lo: *lo, hi: *hi, down: false },
        };
        let axes = reach.iter().enumerate().map(span).collect();
        let place = Place { field, level, at: vec![Index::Near(0); reach.len()] };
        let mut there = place.clone();
        there.at[dim] = Index::At(from);
        let body = vec![Stmt::Store { place, add: false, value: Expr::Load(there) }];
        Part::Sweep(Sweep { axes, body, apart: false, swapped: false, moving: None })
    };
    front.chain(back).map(fill).collect()
}

/// How far the sweeps read, along each dimension.
fn reach(program: &mut Program) -> Vec<Reach> {
    let mut reach = vec![(0, 0); program.dims];
    for sweep in sweeps(program) {
        each_index(sweep, &mut |d, index| {
            if let Index::Near(o) | Index::Wrap(o) | Index::Clamp(o) = *index {
                reach[d] = (reach[d].0.max(-o), reach[d].1.max(o));
            }
        });
    }
    reach
}

/// What a sweep stores, it stores at the point itself.
fn store_here(sweep: &mut Sweep) {
    for stmt in &mut sweep.body {
        stmt.each_store_mut(&mut |place| place.at.fill(Index::Near(0)));
    }
}

/// Calls `change` for each dimension's subscript of all that a sweep reads.
fn each_index(sweep: &mut Sweep, change: &mut dyn FnMut(usize, &mut Index)) {
    for stmt in &mut sweep.body {
        stmt.each_expr_mut(&mut |expr| {
            if let Expr::Load(Place { at, .. }) | Expr::Input(_, at) = expr {
                at.iter_mut().enumerate().for_each(|(d, index)| change(d, index));
            }
        });
    }
}

fn is_face(part: &Part) -> bool {
    match part {
        Part::Sweep(sweep) => sweep.axes.iter().any(|axis| matches!(axis, Axis::At(_))),
        _ => false,
    }
}
