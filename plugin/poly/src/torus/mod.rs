//! Sweeps that go round: neighbours beyond one end of the grid are those at its other end (`u[(i + 1) % n]`).
//!
//! Consumes a [`StencilProgram`], in which such a sweep is a statement for its inside and others for the lines along its
//! borders, each with neighbours far away; produces a [`Torus`]: the same program with one statement for each sweep, all of
//! whose neighbours lie at constant distances, coordinates being taken modulo the grid's extents. Nothing comes of it where the
//! pieces of a sweep are not that (`None`).
//!
//! Overlapped time tiling has no borders to mind there: a block computes what lies around its own box as if the grid were
//! repeated without end, and only its loads and stores know that it isn't.

mod pieces;
pub mod proof;

use crate::body::Op;
use crate::deps::Dependences;
use crate::problem::Problem;
use crate::schedule::overlapped::TimeTile;
use crate::stencil::{Statement, StencilProgram};
use hexpass_abi::{IntExpr, Poly, Sym};
use pieces::Run;

/// A program on a torus.
#[derive(Clone, Debug, PartialEq)]
pub struct Torus {
    /// Once round each dimension that goes round is the box of all its statements there.
    pub problem: Problem,
    /// The dimensions that go round, by the smallest and the largest coordinate.
    pub round: Vec<Option<(Poly, Poly)>>,
    /// For each of its statements those of the original that it is made of. It has the body and the accesses of the first.
    pub pieces: Vec<Vec<u16>>,
    /// Points that each of these dimensions has at least.
    pub least: i64,
}

impl Torus {
    /// Of a program, if its sweeps go round.
    pub fn of(program: &StencilProgram) -> Option<Torus> {
        let runs = pieces::runs(program);
        if runs.iter().all(|r| r.statements.len() == 1) {
            return None;
        }
        let round = round(program, &runs)?;
        let statements: Option<Vec<Statement>> =
            runs.iter().map(|r| whole(&program.statements[r.inside], &round)).collect();
        let stencil = StencilProgram { statements: statements?, ..program.clone() };
        let least = runs.iter().map(|r| r.widest(program)).max()?;
        let of = |r: Run| {
            let others = r.statements.clone().filter(|&s| s != r.inside);
            [r.inside].into_iter().chain(others).map(|s| s as u16).collect()
        };
        let pieces = runs.into_iter().map(of).collect();
        let problem = Problem {
            deps: Dependences::of(&stencil).ok()?,
            stencil,
            equal_rows: false,
            torus: None,
        };
        let torus = Torus { problem, round, pieces, least };
        matches!(proof::check(program, &torus), Ok(true)).then_some(torus)
    }

    /// The fewest points of each dimension with which time tiles look round it once at most.
    pub fn room(&self, tiles: &[TimeTile]) -> Vec<i64> {
        let looks = |d: usize| {
            let margins = tiles.iter().flat_map(|t| &t.versions).map(|v| v.margin[d]);
            margins.map(|(lo, hi)| lo.max(hi)).chain([self.least]).max().unwrap_or(0)
        };
        (0..self.round.len()).map(|d| if self.goes_round(d) { looks(d) } else { 0 }).collect()
    }

    /// True for the dimensions that go round.
    pub fn goes_round(&self, dim: usize) -> bool {
        self.round.get(dim).is_some_and(Option::is_some)
    }
}

/// The ends of each dimension that goes round: where neighbours of all points of a sweep's inside just are inside the grid.
fn round(program: &StencilProgram, runs: &[Run]) -> Option<Vec<Option<(Poly, Poly)>>> {
    let one = |d: usize| {
        let cut = runs.iter().filter(|r| r.is_cut(program, d));
        let mut ends = cut.map(|r| r.ends(program, d));
        let Some(first) = ends.next() else { return Some(None) };
        let first = first?;
        ends.all(|other| other.as_ref() == Some(&first)).then_some(Some(first))
    };
    let round: Option<Vec<_>> = (0..program.dims).map(one).collect();
    let round = round?;
    // What a body makes of a coordinate, it would make of one beyond the grid.
    let speaks = |op: &Op| match op {
        Op::Index(p) => p.mentions_any(|s| match s {
            Sym::Iv(d) => round.get(usize::from(d)).is_some_and(Option::is_some),
            _ => false,
        }),
        _ => false,
    };
    let mut values = program.statements.iter().flat_map(|s| &s.body.values);
    (!values.any(|v| speaks(&v.op))).then_some(round)
}

/// The statement on all of the grid.
fn whole(inside: &Statement, round: &[Option<(Poly, Poly)>]) -> Option<Statement> {
    let mut out = inside.clone();
    for (d, ends) in round.iter().enumerate() {
        if let Some((lo, hi)) = ends {
            out.lo[d] = IntExpr::Poly(lo.clone());
            out.hi[d] = IntExpr::Poly(hi.clone());
        }
    }
    Some(out)
}
