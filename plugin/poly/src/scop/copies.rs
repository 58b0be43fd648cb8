//! Statements several times, one copy of all of them behind the other: pieces of a loop, or its components.
//!
//! Consumes facts and what becomes of the counters in each copy; produces facts in which checks of these statements stand
//! for each copy too. Refuses nothing.

use crate::facts::{NestFacts, StatementFact};
use hexpass_abi::expr::OutOfRange;
use hexpass_abi::{Poly, Sym};
use std::ops::Range;

/// One copy.
pub struct Copy {
    /// What stands for counters.
    pub counters: Vec<(u16, Poly)>,
    /// What stands for loops; others stay.
    pub loops: Vec<(u16, Vec<u16>)>,
}

impl Copy {
    fn change(&self, p: &mut Poly) -> Result<(), OutOfRange> {
        for (index, value) in &self.counters {
            if p.mentions(Sym::Iv(*index)) {
                *p = p.substitute(Sym::Iv(*index), value)?;
            }
        }
        Ok(())
    }

    fn statement(&self, s: &StatementFact) -> Result<StatementFact, OutOfRange> {
        let mut s = s.clone();
        let loops = |l: u16| match self.loops.iter().find(|(known, _)| *known == l) {
            Some((_, loops)) => loops.clone(),
            None => vec![l],
        };
        s.loops = s.loops.iter().flat_map(|&l| loops(l)).collect();
        s.change_polynomials(|p| self.change(p))?;
        Ok(s)
    }
}

/// Puts copies in the place of some statements of `facts`.
pub fn put(
    facts: &mut NestFacts,
    statements: &Range<usize>,
    copies: &[Copy],
) -> Result<(), OutOfRange> {
    let mine = facts.statements[statements.clone()].to_vec();
    let mut all = Vec::with_capacity(mine.len() * copies.len());
    for copy in copies {
        for s in &mine {
            all.push(copy.statement(s)?);
        }
    }
    facts.statements.splice(statements.clone(), all);
    let added = mine.len() * copies.len() - mine.len();
    for mut c in std::mem::take(&mut facts.checks) {
        match c.statement.map(usize::from) {
            Some(at) if statements.contains(&at) => {
                for (number, copy) in copies.iter().enumerate() {
                    let mut c = c.clone();
                    c.statement = Some((at + number * mine.len()) as u16);
                    copy.change(&mut c.value)?;
                    facts.checks.push(c);
                }
                continue;
            }
            Some(at) if at >= statements.end => c.statement = Some((at + added) as u16),
            _ => (),
        }
        facts.checks.push(c);
    }
    Ok(())
}
