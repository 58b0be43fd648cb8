//! Where elements lie: slots and subscripts.

use super::lines::{signed, wrapped};
use super::names::COUNTERS;
use crate::fuzz::program::{Axis, Idiom, Index, Level, Place, Program, Spot};

/// The index of a buffer; `modulo` says the remainder of the step that is so far ahead.
pub fn slot(program: &Program, level: Level, modulo: impl Fn(&str) -> String) -> String {
    match (program.idiom, level) {
        (Idiom::Turn, Level::Now) => "now".to_owned(),
        (Idiom::Turn, Level::Next) => "next".to_owned(),
        (Idiom::Turn, Level::Old) => "old".to_owned(),
        (_, Level::Now) => modulo("t"),
        (_, Level::Next) => modulo("t + 1"),
        (_, Level::Old) => modulo("t + 2"),
    }
}

/// The place of an element in a flat grid, row by row.
pub fn row_by_row(subscripts: &[String], size: impl Fn(usize) -> String) -> String {
    let all: Vec<String> = subscripts.iter().map(|s| wrapped(s)).collect();
    match &all[..] {
        [_] => subscripts[0].clone(),
        [i, j] => format!("{i} * {} + {j}", size(1)),
        [i, j, k] => format!("({i} * {} + {j}) * {} + {k}", size(1), size(2)),
        _ => unreachable!("one to three dimensions"),
    }
}

/// A fixed place, or one so far from it, where the first subscript is 0.
pub fn spot(spot: Spot, offset: i32, size: &str) -> String {
    match spot {
        Spot::Front(k) => (k + offset).to_string(),
        Spot::Back(k) => format!("{size}{}", signed(offset - 1 - k)),
        Spot::Middle => format!("{size} / 2{}", signed(offset)),
    }
}

/// How a language chooses: a condition, what holds under it, and what otherwise.
pub type Choose = fn(&str, &str, &str) -> String;

/// A subscript where the first is 0; around the border by a remainder, or by the conditional expression that `choose`
/// writes; `clamped` says one that stays inside the border, so far away.
pub fn subscript(
    dim: usize,
    index: Index,
    axis: Axis,
    size: &str,
    choose: Option<Choose>,
    clamped: impl FnOnce(i32) -> String,
) -> String {
    let x = COUNTERS[dim];
    let around = |o: i32| match (choose, o > 0) {
        (None, true) => format!("({x} + {o}) % {size}"),
        (None, false) => format!("({x} + {size} - {}) % {size}", -o),
        (Some(choose), true) => {
            let there = format!("{x} + {o}");
            choose(&format!("{there} < {size}"), &there, &format!("{there} - {size}"))
        }
        (Some(choose), false) => {
            let back = -o;
            let there = format!("{x} + {size} - {back}");
            choose(&format!("{x} < {back}"), &there, &format!("{x} - {back}"))
        }
    };
    match (index, axis) {
        (Index::At(place), _) => spot(place, 0, size),
        (Index::Near(o), Axis::At(place)) => spot(place, o, size),
        (Index::Near(o), Axis::Span { .. }) => format!("{x}{}", signed(o)),
        (Index::Wrap(0) | Index::Clamp(0), _) => x.to_owned(),
        (Index::Wrap(o), _) => around(o),
        (Index::Clamp(o), _) => clamped(o),
    }
}

/// The dimension along which alone two places of a grid lie apart, where a loop runs through it.
pub fn apart_along(one: &Place, other: &Place, axes: &[Axis]) -> Option<usize> {
    let near = |d: usize| match (one.at[d], other.at[d], axes[d]) {
        (Index::Near(a), Index::Near(b), Axis::Span { .. }) => a != b,
        _ => false,
    };
    let differs: Vec<usize> = (0..axes.len()).filter(|d| one.at[*d] != other.at[*d]).collect();
    let same = one.field == other.field && one.level == other.level;
    match differs[..] {
        [d] if same && near(d) => Some(d),
        _ => None,
    }
}

/// Axes of what happens once in a step.
pub fn nowhere(program: &Program) -> Vec<Axis> {
    vec![Axis::At(Spot::Front(0)); program.dims]
}
