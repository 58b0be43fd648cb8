//! Variables that each iteration of a sweep sets, and that nothing in the nest reads:
//!
//! ```text
//! for (i...) for (j...) { change = ...; v[i][j] = u[i][j] + change; }     change being global
//! ```
//!
//! Nobody sees but what the last iteration leaves there, so that the store becomes a statement of its own, which runs in
//! that one. So do stores along one of two loops (`row[i] = ...` for all j).
//! Consumes and produces facts; refuses nothing: what may be read in the nest, what is stored under a condition on data,
//! and loops of which it is not known which iteration is their last stay as they are.

use crate::facts::{AccessFact, NestFacts, StatementFact, StoreFact};
use hexpass_abi::expr::OutOfRange;
use hexpass_abi::{IntExpr, Poly, Sym};

/// The facts with such stores in the last iterations only; none where there are none.
pub fn leave_last(facts: &NestFacts) -> Result<Option<NestFacts>, OutOfRange> {
    let mut out: Option<NestFacts> = None;
    let mut before = 0;
    for (index, s) in facts.statements.iter().enumerate() {
        let mut lasting = Vec::new();
        for w in &s.stores {
            lasting.push(last_iterations(s, w, facts)?);
        }
        // Its checks speak of all iterations: something has to run there.
        if lasting.iter().all(Option::is_some) || lasting.iter().all(Option::is_none) {
            continue;
        }
        let out = out.get_or_insert_with(|| facts.clone());
        let home = index + before;
        let mut which = lasting.iter();
        out.statements[home].stores.retain(|_| which.next().is_none_or(Option::is_none));
        let alone = |(w, last): (&StoreFact, Option<Vec<Poly>>)| {
            let conditions = [s.conditions.clone(), last?].concat();
            Some(StatementFact { conditions, stores: vec![w.clone()], ..s.clone() })
        };
        // They see what was there before the iteration's other stores.
        let alone: Vec<_> = s.stores.iter().zip(lasting).filter_map(alone).collect();
        for check in &mut out.checks {
            check.statement = match check.statement {
                Some(at) if usize::from(at) >= home => {
                    u16::try_from(usize::from(at) + alone.len()).ok()
                }
                at => at,
            };
        }
        before += alone.len();
        out.statements.splice(home..home, alone);
    }
    Ok(out)
}

/// For a store that is nobody's but the last iteration's, what is not negative in that one only.
fn last_iterations(
    s: &StatementFact,
    w: &StoreFact,
    facts: &NestFacts,
) -> Result<Option<Vec<Poly>>, OutOfRange> {
    let around = || s.loops.iter().filter(|&&l| !w.access.offset.mentions(Sym::Iv(l)));
    let moves = w.access.offset.mentions_any(|s| matches!(s, Sym::Time | Sym::Mod(_)));
    if around().next().is_none() || w.access.maybe || moves {
        return Ok(None);
    }
    let others = facts.statements.iter().flat_map(StatementFact::accesses);
    let mut others = others.filter(|a| a.base == w.access.base && **a != w.access);
    let loaded = facts.statements.iter().flat_map(|s| &s.loads).any(|a| *a == w.access);
    if loaded || !others.all(|a| lies_apart(a, &w.access)) {
        return Ok(None);
    }
    let mut last = Vec::new();
    for &l in around() {
        let IntExpr::Poly(trip) = &facts.loops[usize::from(l)].trip else { return Ok(None) };
        let Some(most) = s.iterations(l, trip)? else { return Ok(None) };
        let at = most.sub(&Poly::constant(1))?;
        last.push(Poly::symbol(Sym::Iv(l)).sub(&at)?);
    }
    Ok(Some(last))
}

/// Two accesses through one pointer have no byte in common.
fn lies_apart(a: &AccessFact, b: &AccessFact) -> bool {
    let distance = b.offset.sub(&a.offset).ok().and_then(|d| d.as_constant());
    let size = |a: &AccessFact| a.elem.size() as i64;
    distance.is_some_and(|d| d >= size(a) || -d >= size(b))
}
