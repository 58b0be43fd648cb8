//! Statements that do nothing but fill cells beyond the grid's ends with what lies at its other ends (`u[0] = u[n]`), before a
//! sweep of the same step reads them, or the next step.

use super::Torus;
use crate::body::Op;
use crate::stencil::{Statement, StencilProgram, Write};
use hexpass_abi::{Access, IntExpr, Poly};

/// True if all that a statement stores are elements of the same slots.
pub fn is_image(s: &Statement) -> bool {
    copies(s).is_some()
}

/// What a statement copies, if it does nothing else: where to, and where from.
pub fn copies(s: &Statement) -> Option<Vec<(&Access, &Access)>> {
    let copy = |w: &Write| match s.body.values.get(usize::from(w.value))?.op {
        Op::Load(i) => Some(&s.reads[usize::from(i)]),
        _ => None,
    };
    let all: Option<Vec<_>> = s.writes.iter().map(|w| Some((&w.access, copy(w)?))).collect();
    let elsewhere = |(to, from): &(&Access, &Access)| {
        to.array == from.array && to.rotation == from.rotation && to.subscripts != from.subscripts
    };
    all.filter(|all| !all.is_empty() && s.entries.is_empty() && all.iter().all(elsewhere))
}

/// Images of a slot, in order, and how many steps ago they were made.
pub struct Seen {
    pub steps: i32,
    pub images: Vec<u16>,
}

/// True if some image lies beyond the ends of a dimension.
pub fn goes_round(program: &StencilProgram, images: &[u16], dim: usize) -> bool {
    let mut all = images.iter().filter_map(|&i| copies(&program.statements[usize::from(i)]));
    all.any(|copies| {
        copies.iter().any(|(to, from)| to.subscripts.get(dim) != from.subscripts.get(dim))
    })
}

/// An array's slot, relative to the step.
pub fn slot(program: &StencilProgram, a: &Access) -> (u16, i32) {
    slot_after(program, a, 0)
}

/// The same relative to so many steps later.
pub fn slot_after(program: &StencilProgram, a: &Access, steps: i32) -> (u16, i32) {
    let slots = program.arrays[usize::from(a.array)].slots.len().max(1);
    (a.array, (a.rotation - steps).rem_euclid(slots as i32))
}

impl Torus {
    /// The statement of the original that begins one on the torus.
    pub fn begin(&self, statement: usize) -> u16 {
        self.pieces[statement].iter().copied().min().unwrap_or(0)
    }

    /// Images that a statement on the torus sees of an array that it reads: those made before it in its step, or else those of
    /// the step before.
    pub fn seen(&self, program: &StencilProgram, statement: usize, read: &Access) -> Seen {
        let begin = self.begin(statement);
        let of = |steps: i32| {
            let fills = move |&i: &u16| {
                let writes = &program.statements[usize::from(i)].writes;
                let now = slot(program, read);
                writes.iter().any(|w| slot_after(program, &w.access, steps) == now)
            };
            self.images.iter().copied().filter(fills)
        };
        let now: Vec<u16> = of(0).filter(|&i| i < begin).collect();
        match now.is_empty() {
            true => Seen { steps: 1, images: of(1).collect() },
            false => Seen { steps: 0, images: now },
        }
    }

    /// See [`Torus::later`].
    pub(super) fn read_later(&self, program: &StencilProgram) -> Vec<u16> {
        let mut out = Vec::new();
        for (at, s) in self.problem.stencil.statements.iter().enumerate() {
            let written = s.reads.iter().filter(|a| program.writes(a.array));
            let seen = written.map(|a| self.seen(program, at, a)).filter(|seen| seen.steps > 0);
            out.extend(seen.flat_map(|seen| seen.images));
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    /// Steps of a run that direct launches must take before a time tile, and images that must be made once more between the
    /// last time tile and a direct launch: time tiles make none.
    pub fn around(&self) -> (i64, &[u16]) {
        (i64::from(!self.later.is_empty()), &self.later)
    }

    /// Cells beyond the ends of a dimension that images fill, below and above; `None` where only the run knows how many.
    pub fn beyond(&self, program: &StencilProgram, dim: usize) -> Option<(i64, i64)> {
        let Some((lo, hi)) = &self.round[dim] else { return Some((0, 0)) };
        let distance = |a: &Poly, b: &Poly| a.sub(b).ok()?.as_constant();
        let mut out = (0, 0);
        for &i in &self.images {
            let s = &program.statements[usize::from(i)];
            let (IntExpr::Poly(first), IntExpr::Poly(last)) = (&s.lo[dim], &s.hi[dim]) else {
                return None;
            };
            // One below the grid, one above it, or both ends of a line.
            let (below, above) = match (distance(lo, first), distance(last, hi)) {
                (Some(below), Some(above)) => (below, above),
                (Some(below), None) => (below, 0),
                (None, Some(above)) => (0, above),
                (None, None) => return None,
            };
            out = (out.0.max(below), out.1.max(above));
        }
        Some(out)
    }

    /// The fewest steps at the end of a run after which all images are what the program leaves: each slot's are made in one
    /// of as many steps as there are slots, some more than once.
    pub fn finish(&self) -> i64 {
        let program = &self.problem.stencil;
        let slots = self.imaged.iter().map(|&a| program.arrays[usize::from(a)].slots.len() as i64);
        self.rounds * slots.max().unwrap_or(0)
    }
}
