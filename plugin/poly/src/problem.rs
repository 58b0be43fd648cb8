//! Everything a strategy may ask of a nest.

use crate::deps::{DependenceCone, Dependences};
use crate::facts::NestFacts;
use crate::isl::ANALYSIS_BUDGET;
use crate::rejection::{Reason, Rejection};
use crate::scop::{Scop, out_of_range};
use crate::stencil::{Granted, StencilProgram};
use crate::torus::Torus;
use hexpass_abi::{Check, CheckKind, Poly, Reduction};

/// A stencil program with its dependences: what strategies tile.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    pub stencil: StencilProgram,
    pub deps: Dependences,
    /// Whether rows of one array that two names give the length of are taken to be equally long.
    pub equal_rows: bool,
    /// The same program on a torus, if its sweeps go round.
    pub torus: Option<Box<Torus>>,
}

/// How far a step's accesses to an array reach from their own coordinate, in each of its dimensions: the smallest and
/// the largest constant offset (0, 0 where nothing moves with the coordinate).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Halo {
    pub array: u16,
    pub reach: Vec<(i64, i64)>,
}

impl Problem {
    /// A program whose statements stand in nests of their own, one after the other.
    pub fn new(stencil: StencilProgram) -> Result<Problem, Rejection> {
        let deps = Dependences::of(&stencil)?;
        Ok(Problem::with(stencil, deps))
    }

    /// A program and its dependences.
    pub fn with(stencil: StencilProgram, deps: Dependences) -> Problem {
        let torus = Torus::of(&stencil).map(Box::new);
        Problem { stencil, deps, equal_rows: false, torus }
    }

    /// Says which arrays are reductions, of the program and of the one on a torus.
    pub fn keep_reductions(&mut self, reductions: Vec<Reduction>) {
        if let Some(torus) = &mut self.torus {
            torus.problem.stencil.reductions.clone_from(&reductions);
        }
        self.stencil.reductions = reductions;
    }

    /// Number of statements in a time step.
    pub fn k(&self) -> i64 {
        self.stencil.statements.len() as i64
    }

    /// Number of space dimensions.
    pub fn dims(&self) -> usize {
        self.stencil.dims
    }

    pub fn cone(&self) -> &DependenceCone {
        &self.deps.cone
    }

    /// Arrays that some statement writes, in order.
    pub fn written_arrays(&self) -> Vec<u16> {
        let statements = self.stencil.statements.iter();
        let mut all: Vec<u16> =
            statements.flat_map(|s| s.writes.iter().map(|w| w.access.array)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// How far accesses to an array reach.
    pub fn halo(&self, array: u16) -> Halo {
        let dims = self.stencil.arrays[usize::from(array)].strides.len();
        let mut reach = vec![(0, 0); dims];
        for s in &self.stencil.statements {
            let writes = s.writes.iter().map(|w| &w.access);
            for a in s.reads.iter().chain(writes).filter(|a| a.array == array) {
                for (subscript, (lo, hi)) in a.subscripts.iter().zip(&mut reach) {
                    if let (Some(_), Some(c)) = (subscript.dim, subscript.offset.as_constant()) {
                        (*lo, *hi) = ((*lo).min(c), (*hi).max(c));
                    }
                }
            }
        }
        Halo { array, reach }
    }

    /// Bytes that a point of the grid takes: one element of each slot of each written array.
    pub fn bytes_per_point(&self) -> u64 {
        let bytes = |a: &u16| {
            let array = &self.stencil.arrays[usize::from(*a)];
            array.elem.size() * array.slots.len() as u64
        };
        self.written_arrays().iter().map(bytes).sum()
    }
}

/// The front half of the pipeline: from what detection saw to what strategies tile.
pub fn analyse(facts: &NestFacts) -> Result<Problem, Rejection> {
    analyse_within(facts, ANALYSIS_BUDGET)
}

/// The same, within so many operations of isl.
pub fn analyse_within(facts: &NestFacts, budget: u64) -> Result<Problem, Rejection> {
    solve(&Scop::build(facts)?, &Granted::default(), budget)
}

/// The problem of a model in which some things are taken for granted.
pub fn solve(scop: &Scop, granted: &Granted, budget: u64) -> Result<Problem, Rejection> {
    let check = |value: Poly| Check { value, statement: None, kind: CheckKind::Size };
    let conditions = granted.conditions().map_err(out_of_range)?;
    let mut why = None;
    for mut aligned in StencilProgram::recognise_all(scop)? {
        aligned.program.checks.extend(conditions.iter().cloned().map(check));
        aligned.program.granted = granted.clone();
        match Dependences::of_nest(scop, aligned, budget) {
            Ok((stencil, deps)) => return Ok(Problem::with(stencil, deps)),
            // What each statement by itself is refused for is what the source knows of.
            Err(e) => why = Some(e),
        }
    }
    Err(why.unwrap_or_else(|| Rejection::new(Reason::Bug, "no way to align a nest")))
}
