//! Everything a strategy may ask of a nest.

use crate::deps::{DependenceCone, Dependences};
use crate::facts::NestFacts;
use crate::rejection::Rejection;
use crate::stencil::StencilProgram;

/// A stencil program with its dependences: what strategies tile.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    pub stencil: StencilProgram,
    pub deps: Dependences,
}

impl Problem {
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
        let mut all: Vec<u16> = self
            .stencil
            .statements
            .iter()
            .flat_map(|s| s.writes.iter().map(|w| w.access.array))
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// The front half of the pipeline: from what detection saw to what strategies tile.
pub fn analyse(_facts: &NestFacts) -> Result<Problem, Rejection> {
    Err(Rejection::new(crate::rejection::Reason::Bug, "not written yet"))
}
