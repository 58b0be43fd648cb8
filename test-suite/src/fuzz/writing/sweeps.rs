//! Sweeps: what their bodies touch, the loops around them, and what functions that hold them are handed.

use super::lines::{Lines, signed};
use crate::fuzz::program::{Axis, End, Level, Place, Program, Stmt, Sweep};

/// Variables that statements collect into.
pub fn folds_of(body: &[Stmt]) -> Vec<usize> {
    let mut all = Vec::new();
    for stmt in body {
        match stmt {
            Stmt::Fold(fold, _) => all.push(*fold),
            Stmt::If { then, other, .. } => {
                all.extend(folds_of(then));
                all.extend(folds_of(other));
            }
            Stmt::Let(..) | Stmt::Store { .. } => {}
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// Buffers that statements store to, each once where it comes again at once.
pub fn written(body: &[Stmt]) -> Vec<(usize, Level)> {
    let mut all = Vec::new();
    each_store(body, &mut |place| all.push((place.field, place.level)));
    all.dedup();
    all
}

/// Calls `look` for every place that is stored to.
pub fn each_store(body: &[Stmt], look: &mut dyn FnMut(&Place)) {
    for stmt in body {
        match stmt {
            Stmt::Store { place, .. } => look(place),
            Stmt::If { then, other, .. } => {
                each_store(then, look);
                each_store(other, look);
            }
            Stmt::Let(..) | Stmt::Fold(..) => {}
        }
    }
}

/// A condition, in a language of braces: `head` opens it.
pub fn branches(
    head: &str,
    (then, other): (&[Stmt], &[Stmt]),
    out: &mut Lines,
    mut write: impl FnMut(&Stmt, &mut Lines),
) {
    out.open(head);
    then.iter().for_each(|s| write(s, out));
    if !other.is_empty() {
        out.shut("} else {");
        out.deeper();
        other.iter().for_each(|s| write(s, out));
    }
    out.shut("}");
}

/// A loop of a sweep.
#[derive(Clone, Copy, Debug)]
pub struct Loop {
    pub dim: usize,
    pub lo: i32,
    pub hi: i32,
    pub down: bool,
    /// The end that moves inwards by the step's number.
    pub moving: Option<End>,
}

impl Loop {
    /// The first point, where the first subscript is `base`; `step` is the step's number.
    pub fn first(&self, base: i32, step: &str) -> String {
        let more =
            if self.moving == Some(End::Front) { format!(" + {step}") } else { String::new() };
        format!("{}{more}", self.lo + base)
    }

    /// So many points behind the last one.
    pub fn behind(&self, size: &str, by: i32, step: &str) -> String {
        let less =
            if self.moving == Some(End::Back) { format!(" - {step}") } else { String::new() };
        format!("{size}{}{less}", signed(by - 1 - self.hi))
    }
}

/// Whether a sweep has any loop.
pub fn is_looped(axes: &[Axis]) -> bool {
    axes.iter().any(|axis| matches!(axis, Axis::Span { .. }))
}

impl Sweep {
    /// Its loops, the outermost first.
    pub fn loops(&self) -> Vec<Loop> {
        let mut all: Vec<Loop> = (0..self.axes.len()).filter_map(|d| self.loop_along(d)).collect();
        if self.swapped {
            all.reverse();
        }
        all
    }

    pub fn loop_along(&self, dim: usize) -> Option<Loop> {
        match self.axes[dim] {
            Axis::Span { lo, hi, down } => {
                let moving = self.moving.and_then(|(d, end)| (d == dim).then_some(end));
                Some(Loop { dim, lo, hi, down, moving })
            }
            Axis::At(_) => None,
        }
    }
}

/// What functions that sweep may be handed.
#[derive(Clone, Copy, Debug)]
pub enum Handed {
    Size(usize),
    Grid(usize, Level),
    Input(usize),
    Series,
    /// One of the arithmetic's type.
    Scalar(&'static str),
    Step,
}

impl Program {
    /// All of that, in the order of parameters.
    pub fn handed(&self) -> Vec<Handed> {
        let mut all = Vec::new();
        if self.extents.is_none() {
            all.extend((0..self.dims).map(Handed::Size));
        }
        for field in 0..self.grids() {
            all.extend(self.levels(field).map(|level| Handed::Grid(field, level)));
        }
        all.extend((0..self.inputs.len()).map(Handed::Input));
        all.push(Handed::Series);
        all.extend(["alpha", "wave", "before"].map(Handed::Scalar));
        all.push(Handed::Step);
        all
    }
}
