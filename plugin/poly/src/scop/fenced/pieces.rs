//! A statement's border and what is inside, in the place of it.
//!
//! Consumes facts; produces facts in which the pieces stand, with its checks and what the guard looks at. Refuses nothing.

use crate::facts::{CheckFact, NestFacts, StatementFact};
use hexpass_abi::expr::OutOfRange;
use hexpass_abi::{Fence, IntExpr, Lookup, Poly, Sym};

/// What stands for one statement.
pub struct Pieces {
    /// The last is what is inside.
    pub statements: Vec<StatementFact>,
    pub fences: Vec<Fence>,
    /// Of numbers of `statements`.
    pub checks: Vec<CheckFact>,
    pub lookups: Vec<Lookup>,
}

impl Pieces {
    /// A check of the statement, which the border's iterations ask too unless the mask holds them back before; false where that
    /// can't be said.
    pub fn ask(
        &mut self,
        check: &CheckFact,
        everywhere: bool,
        s: &StatementFact,
        facts: &NestFacts,
    ) -> Result<bool, OutOfRange> {
        let inside = self.statements.len() - 1;
        let first = if everywhere { 0 } else { inside };
        self.checks.extend((first..=inside).map(|piece| CheckFact {
            statement: Some(piece as u16),
            under: None,
            ..check.clone()
        }));
        if !everywhere || inside > 0 {
            return Ok(true);
        }
        // Nothing is left of the border: at all corners instead.
        let mut corners = vec![check.value.clone()];
        for &l in &s.loops {
            let counter = Sym::Iv(l);
            let IntExpr::Poly(trip) = &facts.loops[usize::from(l)].trip else { return Ok(false) };
            let last = trip.sub(&Poly::constant(1))?;
            let is_linear =
                |p: &Poly| p.split(counter).is_some_and(|(factor, _)| !factor.mentions(counter));
            if !corners.iter().all(is_linear) {
                return Ok(false);
            }
            if corners.iter().any(|p| p.mentions(counter)) {
                let ends = corners.iter().flat_map(|p| {
                    [p.substitute(counter, &Poly::zero()), p.substitute(counter, &last)]
                });
                corners = ends.collect::<Result<_, _>>()?;
            }
        }
        self.checks.extend(corners.into_iter().map(|value| CheckFact::once(value, check.kind)));
        Ok(true)
    }

    /// Puts them in the place of a statement; how many there are.
    pub fn put(self, (facts, fences): (&mut NestFacts, &mut Vec<Fence>), at: usize) -> usize {
        let count = self.statements.len();
        facts.statements.splice(at..=at, self.statements);
        facts.checks.retain(|c| c.statement.map(usize::from) != Some(at));
        for check in &mut facts.checks {
            if let Some(of) = check.statement.filter(|&of| usize::from(of) > at) {
                check.statement = Some(of + count as u16 - 1);
            }
        }
        for mut check in self.checks {
            check.statement = check.statement.map(|piece| piece + at as u16);
            if !facts.checks.contains(&check) {
                facts.checks.push(check);
            }
        }
        for lookup in self.lookups {
            if !facts.lookups.contains(&lookup) {
                facts.lookups.push(lookup);
            }
        }
        for fence in self.fences {
            if !fences.contains(&fence) {
                fences.push(fence);
            }
        }
        count
    }
}
