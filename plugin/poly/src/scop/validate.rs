//! The facts must be consistent before anything is computed from them; simple loops are made simpler.

use crate::body::{Body, Op};
use crate::facts::{Base, CheckFact, NestFacts, StatementFact};
use crate::rejection::{Reason, Rejection};
use hexpass_abi::{IntExpr, Poly, Sym};
use std::convert::Infallible;

/// Facts whose ids are in range, whose expressions speak of what they may speak of, and whose loops run more than
/// once or not at all (a single iteration is no loop).
pub fn normalise(facts: &NestFacts) -> Result<NestFacts, Rejection> {
    check(facts)?;
    let mut out = facts.clone();
    out.steps = simple_trip(&facts.steps);
    for l in &mut out.loops {
        l.trip = simple_trip(&l.trip);
    }
    let mut asked = vec![false; out.loops.len()];
    for condition in out.statements.iter().flat_map(|s| &s.conditions) {
        for &s in condition.terms().iter().flat_map(|t| &t.symbols) {
            if let Sym::Iv(l) = s {
                asked[usize::from(l)] = true;
            }
        }
    }
    let single: Vec<bool> = (out.loops.iter().zip(asked))
        .map(|(l, asked)| !asked && l.trip == IntExpr::Poly(Poly::constant(1)))
        .collect();
    if single.contains(&true) {
        drop_loops(&mut out, &single);
    }
    Ok(out)
}

/// A trip count that is not positive means none, so `max(0, n)` is n.
fn simple_trip(e: &IntExpr) -> IntExpr {
    let constant = |e: &IntExpr| if let IntExpr::Poly(p) = e { p.as_constant() } else { None };
    match e {
        IntExpr::Max(a, b) => {
            let (a, b) = (simple_trip(a), simple_trip(b));
            match (constant(&a), constant(&b)) {
                (Some(c), _) if c <= 0 => b,
                (_, Some(c)) if c <= 0 => a,
                _ => IntExpr::Max(Box::new(a), Box::new(b)),
            }
        }
        other => other.clone(),
    }
}

/// Loops of one iteration, whose counters are zero, go.
fn drop_loops(facts: &mut NestFacts, single: &[bool]) {
    let gone = |s: Sym| matches!(s, Sym::Iv(l) if single[usize::from(l)]);
    let fix = |p: &mut Poly| -> Result<(), Infallible> {
        if p.mentions_any(gone) {
            *p = std::mem::take(p).without(gone);
        }
        Ok(())
    };
    for s in &mut facts.statements {
        s.loops.retain(|&l| !single[usize::from(l)]);
        let Ok(()) = s.change_polynomials(fix);
    }
    for c in &mut facts.checks {
        let Ok(()) = fix(&mut c.value);
    }
}

fn bug(what: &str) -> Rejection {
    Rejection::new(Reason::Bug, format!("the facts of this loop are inconsistent: {what}"))
}

fn ensure(holds: bool, what: &str) -> Result<(), Rejection> {
    if holds { Ok(()) } else { Err(bug(what)) }
}

fn check(facts: &NestFacts) -> Result<(), Rejection> {
    let int = |s: Sym| matches!(s, Sym::Int(i) if usize::from(i) < facts.ints.len());
    let only_ints = |p: &Poly| !p.mentions_any(|s| !int(s));
    ensure(expr_over(&facts.steps, &only_ints), "the number of steps")?;
    for l in &facts.loops {
        ensure(expr_over(&l.trip, &only_ints), "a trip count")?;
    }
    for m in &facts.mods {
        let fine = !m.inner.mentions_any(|s| !int(s) && s != Sym::Time);
        ensure(fine, "a modular term")?;
    }
    let pointers = facts.pointers.len();
    for r in &facts.rotations {
        let fine = |(p, offset): &(u16, Poly)| usize::from(*p) < pointers && only_ints(offset);
        let starts = r.initial.len() >= 2 && only_ints(&r.turned);
        ensure(starts && r.initial.iter().all(fine), "a rotation")?;
    }
    for l in &facts.lookups {
        let levels = facts.tables.get(usize::from(l.table)).map(|t| t.strides.len());
        let both = |(first, last)| expr_over(first, &only_ints) && expr_over(last, &only_ints);
        let fine = levels == Some(l.index.len()) && l.index.iter().map(|(a, b)| (a, b)).all(both);
        ensure(fine, "what is looked up in a table")?;
    }
    for &(a, b) in &facts.disjoint_pointers {
        ensure(usize::from(a.max(b)) < pointers, "a pair of pointers")?;
    }
    facts.statements.iter().try_for_each(|s| check_statement(facts, s))?;
    check_shared_loops(facts)?;
    facts.checks.iter().try_for_each(|c| check_check(facts, c))
}

fn expr_over(e: &IntExpr, fine: &dyn Fn(&Poly) -> bool) -> bool {
    match e {
        IntExpr::Poly(p) => fine(p),
        IntExpr::Max(a, b) | IntExpr::Min(a, b) | IntExpr::Add(a, b) => {
            expr_over(a, fine) && expr_over(b, fine)
        }
    }
}

/// True if `s` means something in a statement under `loops`.
fn speaks_of(facts: &NestFacts, loops: &[u16], s: Sym) -> bool {
    match s {
        Sym::Int(i) => usize::from(i) < facts.ints.len(),
        Sym::Time => true,
        Sym::Iv(i) => loops.contains(&i),
        Sym::Mod(i) => usize::from(i) < facts.mods.len(),
    }
}

fn check_statement(facts: &NestFacts, s: &StatementFact) -> Result<(), Rejection> {
    let known = s.loops.iter().all(|&l| usize::from(l) < facts.loops.len());
    let mut sorted = s.loops.clone();
    sorted.sort_unstable();
    sorted.dedup();
    ensure(known && sorted.len() == s.loops.len(), "the loops of a statement")?;
    let accesses = s.loads.iter().chain(s.stores.iter().map(|w| &w.access));
    for a in accesses {
        let base = match a.base {
            Base::Pointer(p) => usize::from(p) < facts.pointers.len(),
            Base::Rotation { rotation, index } => facts
                .rotations
                .get(usize::from(rotation))
                .is_some_and(|r| usize::from(index) < r.initial.len()),
        };
        let offset = !a.offset.mentions_any(|x| !speaks_of(facts, &s.loops, x));
        ensure(base && offset, "an access")?;
    }
    let condition = |p: &Poly| {
        let counter = |l: u16| {
            let factor = p.split(Sym::Iv(l)).and_then(|(factor, _)| factor.as_constant());
            factor.is_some_and(|f| f.abs() == 1)
        };
        let counters = p.terms().iter().flat_map(|t| &t.symbols);
        counters.filter(|s| matches!(s, Sym::Iv(_))).count() == 1
            && s.loops.iter().any(|&l| counter(l))
            && !p.mentions_any(|s| matches!(s, Sym::Time | Sym::Mod(_)))
    };
    ensure(s.conditions.iter().all(condition), "a condition")?;
    let entry = |e: &hexpass_abi::Entry| {
        let levels = facts.tables.get(usize::from(e.table)).map(|t| t.strides.len());
        levels == Some(e.index.len())
            && !e.index.iter().any(|p| p.mentions_any(|x| !speaks_of(facts, &s.loops, x)))
    };
    ensure(s.entries.iter().all(entry), "an entry of a table")?;
    ensure(!s.stores.is_empty(), "a statement stores nothing")?;
    ensure(body_in_range(facts, s), "the body of a statement")
}

fn body_in_range(facts: &NestFacts, s: &StatementFact) -> bool {
    let Body { values } = &s.body;
    let fits = |i: usize, op: &Op| {
        let earlier = |v: u16| usize::from(v) < i;
        match op {
            Op::Load(l) => usize::from(*l) < s.loads.len(),
            Op::Float(_) | Op::Integer(_) => true,
            Op::Scalar(x) => usize::from(*x) < facts.scalars.len(),
            Op::Index(p) => {
                !p.mentions_any(|x| matches!(x, Sym::Mod(_)) || !speaks_of(facts, &s.loops, x))
            }
            Op::Unary(_, a) | Op::Convert(_, a) => earlier(*a),
            Op::Binary(_, a, b) | Op::Compare(_, a, b) => earlier(*a) && earlier(*b),
            Op::Fma(a, b, c) | Op::Select(a, b, c) => earlier(*a) && earlier(*b) && earlier(*c),
        }
    };
    values.iter().enumerate().all(|(i, v)| fits(i, &v.op))
        && s.stores.iter().all(|w| usize::from(w.value) < values.len())
}

/// Statements that share a loop stand next to each other and share all loops around it.
fn check_shared_loops(facts: &NestFacts) -> Result<(), Rejection> {
    // Of each loop, the loops around it, and the last statement in it so far.
    let mut seen: Vec<Option<(&[u16], usize)>> = vec![None; facts.loops.len()];
    for (i, s) in facts.statements.iter().enumerate() {
        for (depth, &l) in s.loops.iter().enumerate() {
            let around = &s.loops[..depth];
            if let Some((known, last)) = seen[usize::from(l)] {
                ensure(known == around, "statements share an inner loop only")?;
                ensure(last + 1 == i, "statements of one loop stand apart")?;
            }
            seen[usize::from(l)] = Some((around, i));
        }
    }
    Ok(())
}

fn check_check(facts: &NestFacts, c: &CheckFact) -> Result<(), Rejection> {
    let loops = match c.statement {
        None => &[][..],
        Some(s) => &facts.statements.get(usize::from(s)).ok_or_else(|| bug("a check"))?.loops,
    };
    let fine = |s: Sym| !matches!(s, Sym::Mod(_)) && speaks_of(facts, loops, s);
    let under = match (c.under, c.statement) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(v), Some(s)) => usize::from(v) < facts.statements[usize::from(s)].body.values.len(),
    };
    ensure(under && !c.value.mentions_any(|s| !fine(s)), "a check")
}
