//! Sweeps that go round: neighbours beyond one end of the grid are those at its other end (`u[(i + 1) % n]`), or cells there
//! that are filled with them before each sweep (`u[0] = u[n]`).
//!
//! Consumes a [`StencilProgram`], in which such a sweep is a statement for its inside and others for the lines along its
//! borders, each with neighbours far away, or the filling of cells a statement for each line; produces a [`Torus`]: the same program
//! with one statement for each sweep, all of whose neighbours lie at constant distances, coordinates being taken modulo the
//! grid's extents. Nothing comes of it where statements are not that (`None`).
//!
//! Overlapped time tiling has no borders to mind there: a block computes what lies around its own box as if the grid were
//! repeated without end, and only its loads and stores know that it isn't.

mod alike;
mod images;
mod pieces;
pub mod proof;

use crate::body::Op;
use crate::deps::Dependences;
use crate::problem::Problem;
use crate::stencil::{Statement, StencilProgram};
use hexpass_abi::{Access, IntExpr, Poly, Sym};
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
    /// Statements of the original that fill cells beyond the ends, and the arrays that these are of.
    pub images: Vec<u16>,
    pub imaged: Vec<u16>,
    /// Those of them whose cells are read in the step after only: then the first step reads what was there before.
    pub later: Vec<u16>,
    /// How often images must be made until all of them are of cells in the grid: once, or twice where some are made of cells
    /// that others fill behind them.
    pub rounds: i64,
    /// Points that each of these dimensions has at least, between cells that are filled.
    pub least: i64,
}

impl Torus {
    /// Of a program, if its sweeps go round.
    pub fn of(program: &StencilProgram) -> Option<Torus> {
        if !reads_ends(program) {
            return None;
        }
        let stays = (0..program.dims).filter(|_| program.dims > 1).map(Some);
        [None].into_iter().chain(stays).find_map(|stays| Torus::with(program, stays))
    }

    /// The same where sweeps are in pieces along a dimension in which they don't go round.
    fn with(program: &StencilProgram, stays: Option<usize>) -> Option<Torus> {
        let (images, others): (Vec<u16>, Vec<u16>) = (0..program.statements.len() as u16)
            .partition(|&s| images::is_image(&program.statements[usize::from(s)]));
        let runs = pieces::runs(program, &others, stays);
        if images.is_empty() && runs.iter().all(|r| r.statements.len() == 1) {
            return None;
        }
        let round = round(program, &runs, &images)?;
        let statements = runs.iter().map(|r| whole(&program.statements[r.inside], &round));
        let stencil = StencilProgram { statements: statements.collect(), ..program.clone() };
        let least = runs.iter().map(|r| r.widest(program)).max()?;
        let of = |r: Run| {
            let others = r.statements.iter().copied().filter(|&s| usize::from(s) != r.inside);
            [r.inside as u16].into_iter().chain(others).collect()
        };
        let pieces = runs.into_iter().map(of).collect();
        let deps = Dependences::of(&stencil).ok()?;
        let problem = Problem { deps, stencil, equal_rows: false, torus: None };
        let filled = images.iter().flat_map(|&i| &program.statements[usize::from(i)].writes);
        let mut imaged: Vec<u16> = filled.map(|w| w.access.array).collect();
        imaged.sort_unstable();
        imaged.dedup();
        let (later, rounds) = (Vec::new(), 1);
        let mut torus = Torus { problem, round, pieces, images, imaged, later, rounds, least };
        torus.later = torus.read_later(program);
        torus.rounds = proof::rounds(program, &torus).ok()??;
        (0..program.dims).try_for_each(|d| torus.beyond(program, d).map(drop))?;
        matches!(proof::check(program, &torus), Ok(true)).then_some(torus)
    }

    /// True for the dimensions that go round.
    pub fn goes_round(&self, dim: usize) -> bool {
        self.round.get(dim).is_some_and(Option::is_some)
    }
}

/// True if something is read at an end of an array that is written, wherever an instance lies.
fn reads_ends(program: &StencilProgram) -> bool {
    let at_end = |a: &Access| {
        let mut fixed = a.subscripts.iter().filter(|s| s.dim.is_none());
        program.writes(a.array) && fixed.any(|s| !s.offset.mentions(Sym::Time))
    };
    program.statements.iter().any(|s| s.reads.iter().any(at_end))
}

/// The ends of each dimension that goes round: where neighbours of all points of a sweep's inside just are inside the grid, or
/// in cells that are filled.
fn round(
    program: &StencilProgram,
    runs: &[Run],
    images: &[u16],
) -> Option<Vec<Option<(Poly, Poly)>>> {
    let one = |d: usize| {
        let has_images = images::goes_round(program, images, d);
        let cut = runs.iter().filter(|r| has_images || r.is_cut(program, d));
        let mut ends = cut.map(|r| r.ends(program, d, has_images));
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
fn whole(inside: &Statement, round: &[Option<(Poly, Poly)>]) -> Statement {
    let mut out = inside.clone();
    for (d, ends) in round.iter().enumerate() {
        if let Some((lo, hi)) = ends {
            out.lo[d] = IntExpr::Poly(lo.clone());
            out.hi[d] = IntExpr::Poly(hi.clone());
        }
    }
    out
}
