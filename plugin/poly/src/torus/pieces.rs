//! Statements that may be the pieces of one sweep: neighbours in the program that compute the same, and differ in where they
//! read.

use super::alike::alike;
use crate::schedule::staging::aligned_offset;
use crate::stencil::{Statement, StencilProgram};
use hexpass_abi::{Access, IntExpr, Poly};

/// Statements side by side.
pub struct Run {
    pub statements: Vec<u16>,
    /// The one all of whose neighbours lie at constant distances.
    pub inside: usize,
}

/// These statements, in runs as long as may be; those without an inside one by one. With a dimension that `stays`, only what
/// has the same interval there is one run: a sweep that goes round in others, and is clamped there.
pub fn runs(program: &StencilProgram, all: &[u16], stays: Option<usize>) -> Vec<Run> {
    let statement = |&s: &u16| &program.statements[usize::from(s)];
    let mut out = Vec::new();
    let mut rest = all;
    while let Some(first) = rest.first() {
        let like = |s: &&u16| alike(statement(first), statement(s)).is_some();
        let (run, others) = rest.split_at(rest.iter().take_while(like).count());
        let mut left = run.to_vec();
        while let Some(first) = left.first().map(statement) {
            let goes_along = |s: &u16| {
                let own = statement(s);
                stays.is_none_or(|d| own.lo[d] == first.lo[d] && own.hi[d] == first.hi[d])
            };
            let (part, rest) = left.into_iter().partition(goes_along);
            run_of(program, part, &mut out);
            left = rest;
        }
        rest = others;
    }
    out
}

/// One run, or one for each statement.
fn run_of(program: &StencilProgram, statements: Vec<u16>, out: &mut Vec<Run>) {
    let statement = |&s: &u16| &program.statements[usize::from(s)];
    // A line along a border where neighbours are clamped reads less.
    let lines = |s: &Statement| s.lo.iter().zip(&s.hi).filter(|(lo, hi)| lo == hi).count();
    let inside = statements.iter().filter(|s| is_inside(program, statement(s)));
    match inside.min_by_key(|s| (lines(statement(s)), statement(s).reads.len())).copied() {
        Some(inside) => out.push(Run { statements, inside: usize::from(inside) }),
        None => {
            let alone = |s| Run { statements: vec![s], inside: usize::from(s) };
            out.extend(statements.into_iter().map(alone));
        }
    }
}

/// True if what is read of each array that the program writes lies at a constant distance.
fn is_inside(program: &StencilProgram, s: &Statement) -> bool {
    let at_distance = |a: &Access| {
        a.subscripts.len() == program.dims
            && (0..program.dims).all(|d| aligned_offset(a, d).is_some())
    };
    s.reads.iter().all(|a| !program.writes(a.array) || at_distance(a))
}

impl Run {
    /// True if its pieces lie one behind the other along a dimension.
    pub fn is_cut(&self, program: &StencilProgram, dim: usize) -> bool {
        let first = &program.statements[self.inside];
        let mut all = self.statements.iter().map(|&s| &program.statements[usize::from(s)]);
        all.any(|s| s.lo[dim] != first.lo[dim] || s.hi[dim] != first.hi[dim])
    }

    /// Where the grid begins and ends along a dimension, if it goes round there: by pieces, or by images of what lies at its
    /// ends.
    pub fn ends(&self, program: &StencilProgram, dim: usize, images: bool) -> Option<(Poly, Poly)> {
        let inside = &program.statements[self.inside];
        let (before, after) = if images { (0, 0) } else { reach(inside, dim) };
        let (IntExpr::Poly(lo), IntExpr::Poly(hi)) = (&inside.lo[dim], &inside.hi[dim]) else {
            return None;
        };
        Some((lo.sub(&Poly::constant(before)).ok()?, hi.add(&Poly::constant(after)).ok()?))
    }

    /// Points from the first to the last that an instance looks at along a dimension, of all the one with most.
    pub fn widest(&self, program: &StencilProgram) -> i64 {
        let inside = &program.statements[self.inside];
        let points = |d| {
            let (before, after) = reach(inside, d);
            before + after + 1
        };
        (0..program.dims).map(points).max().unwrap_or(1)
    }
}

/// How far an instance looks back and ahead along a dimension.
fn reach(s: &Statement, dim: usize) -> (i64, i64) {
    let own = s.writes.first().and_then(|w| aligned_offset(&w.access, dim)).unwrap_or(0);
    let offsets = s.reads.iter().filter_map(|a| Some(aligned_offset(a, dim)? - own));
    offsets.fold((0, 0), |(before, after), o| (before.max(-o), after.max(o)))
}
