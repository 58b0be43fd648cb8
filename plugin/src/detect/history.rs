//! Arrays that keep all steps (`u[t + 1][i]` from `u[t][i]`).
//!
//! Consumes the statements of a nest; says whether what they store at the step's own place is read in a later step. If
//! not, the loop is no time loop: it runs through an array once, or from one part of it to another (two grids of one
//! structure, or COMMON block), or goes round in it (`ft[(i + 1) % n]` from `f[i]`). Traces, of which each step leaves one value behind
//! (`trace[t] = u[i][j]`), don't count beside sweeps over others.

use hexpass_abi::{IntExpr, Poly, Sym};
use hexpass_poly::facts::{AccessFact, Base, ModFact, StatementFact};

/// Steps that what is read may lie back, where their number is not known.
const FARTHEST: i64 = 32;

/// Each store to a place of the step's own, but for traces, goes to an array from which an earlier step's values are read; in
/// a loop that others surround, a sweep has at least two dimensions (else it is more likely the sweep itself).
pub fn is_read_back(
    statements: &[StatementFact],
    mods: &[ModFact],
    steps: &IntExpr,
    surrounded: bool,
) -> bool {
    let number = match steps {
        IntExpr::Poly(p) => p.as_constant(),
        _ => None,
    };
    let farthest = number.map_or(FARTHEST, |n| n - 1);
    let stores = || statements.iter().flat_map(|s| s.stores.iter().map(move |w| (s, &w.access)));
    let sweeps = |base: &Base| {
        statements.iter().any(|s| {
            let accesses = || s.loads.iter().chain(s.stores.iter().map(|w| &w.access));
            !s.loops.is_empty() && accesses().any(|a| a.base == *base)
        })
    };
    let again = stores().any(|(s, a)| !s.loops.is_empty() && !a.offset.mentions(Sym::Time));
    let kept = |s: &StatementFact, a: &AccessFact| {
        let trace = s.loops.is_empty() && again && !surrounded && !sweeps(&a.base);
        a.offset.mentions(Sym::Time) && !trace
    };
    let goes_round = |a: &AccessFact| {
        let mut mods = (0u16..).zip(mods);
        mods.any(|(i, m)| m.inner.mentions(Sym::Time) && a.offset.mentions(Sym::Mod(i)))
    };
    let loads = || statements.iter().flat_map(|s| &s.loads);
    let comes_back = |w: &AccessFact| loads().any(|l| l.base == w.base && goes_round(l));
    // Beside sweeps of another kind it is a copy of every few steps.
    if stores().any(|_| true) && stores().all(|(_, w)| goes_round(w) && !comes_back(w)) {
        return false;
    }
    if !stores().any(|(s, a)| kept(s, a)) || (!surrounded && goes_on(statements)) {
        return true;
    }
    let deep = stores().any(|(s, a)| kept(s, a) && s.loops.len() >= 2);
    let read = |a: &AccessFact| {
        let writes = || stores().filter(|(_, w)| w.base == a.base);
        let mut mine = loads().filter(|l| l.base == a.base);
        mine.any(|l| writes().any(|(_, w)| is_earlier(&l.offset, &w.offset, farthest)))
    };
    (deep || !surrounded) && stores().filter(|(s, a)| kept(s, a)).all(|(_, a)| read(a))
}

/// A sweep reads around the places that it, or a later one, stores to in every step, and no sweep before it does: grids are
/// carried from step to step, and what goes to places of the step's own is a record of them.
fn goes_on(statements: &[StatementFact]) -> bool {
    let fixed = |a: &AccessFact| !a.offset.mentions(Sym::Time);
    statements.iter().enumerate().any(|(at, sweep)| {
        let (before, later) = statements.split_at(at);
        let stored = |by: &[StatementFact], l: &AccessFact, around: bool| {
            let deep = by.iter().filter(|s| s.loops.len() >= sweep.loops.len());
            let mut all = deep.flat_map(|s| &s.stores).map(|w| &w.access);
            all.any(|w| w.base.goes_with(&l.base) && fixed(w) && (!around || w.offset != l.offset))
        };
        let carried =
            |l: &AccessFact| fixed(l) && stored(later, l, true) && !stored(before, l, false);
        !sweep.loops.is_empty() && sweep.loads.iter().any(carried)
    })
}

/// The load reads, in a later step, about where the store has written: it lies at least one step's distance lower, and at
/// most that of `farthest` steps.
fn is_earlier(load: &Poly, store: &Poly, farthest: i64) -> bool {
    let speed = |p: &Poly| p.split(Sym::Time).map(|(speed, _)| speed);
    let (Some(a), Some(b), Ok(distance)) = (speed(load), speed(store), store.sub(load)) else {
        return false;
    };
    let Some(lead) = a.terms().iter().max_by_key(|t| t.symbols.len()) else { return false };
    let same = distance.terms().iter().find(|t| t.symbols == lead.symbols);
    let c = same.map_or(0, |t| t.coefficient);
    // Neighbours lie less than half a step away.
    let slack = if lead.symbols.is_empty() { lead.coefficient.abs() / 2 } else { 0 };
    let near = c.abs() - slack <= lead.coefficient.abs().saturating_mul(farthest);
    a == b
        && near
        && c.abs() + slack >= lead.coefficient.abs()
        && (c >= 0) == (lead.coefficient >= 0)
}
