//! Arrays of which no stride is known (a Fortran dummy argument `u(:, :)`, whose descriptor holds all of them; a view that
//! holds its own), and those of which a statement knows them in one place and not in another (an allocatable array, by its
//! own shape and as the dummy argument of a function that it calls).
//!
//! A Fortran descriptor says which stride is that of the first dimension, along which neighbours lie. Elsewhere the innermost
//! loop is taken to run through neighbours. That stride, a parameter, becomes the element's size; what
//! another access of the array says of a loop's stride is taken to hold for all. So it is where nothing is known but that all
//! of such an array is copied. Checks say so to the runtime. Consumes and produces facts; refuses nothing.

use super::algebra::out_of_range;
use crate::facts::{AccessFact, Base, CheckFact, DescriptorFact, NestFacts};
use crate::rejection::Rejection;
use hexpass_abi::expr::OutOfRange;
use hexpass_abi::{CheckKind, IntExpr, Poly, Sym};

/// The facts with these strides known.
pub fn assume(facts: &NestFacts) -> Result<NestFacts, Rejection> {
    let mut out = facts.clone();
    for (stride, size) in unknown_strides(facts) {
        take(&mut out, stride, &Poly::constant(size)).map_err(out_of_range)?;
    }
    for (stride, size) in strides_said_elsewhere(&out) {
        take(&mut out, stride, &size).map_err(out_of_range)?;
    }
    Ok(out)
}

/// The stride is this size, and checked to be.
pub fn take(facts: &mut NestFacts, stride: Sym, size: &Poly) -> Result<(), OutOfRange> {
    replace(facts, stride, size)?;
    let stride = Poly::symbol(stride);
    for value in [stride.sub(size)?, size.sub(&stride)?] {
        facts.checks.push(CheckFact::once(value, CheckKind::Size));
    }
    Ok(())
}

/// Strides in bytes that are parameters where another access of the statement to the same array has a known size for the
/// same loop, the only one.
fn strides_said_elsewhere(facts: &NestFacts) -> Vec<(Sym, Poly)> {
    let mut out: Vec<(Sym, Poly)> = Vec::new();
    for s in &facts.statements {
        let all = || s.loads.iter().chain(s.stores.iter().map(|w| &w.access));
        for (access, &l) in all().flat_map(|a| s.loops.iter().map(move |l| (a, l))) {
            let Some(symbol) = factor(access, l).as_ref().and_then(in_bytes) else { continue };
            if access.elem.size() == 1 || out.iter().any(|(known, _)| *known == symbol) {
                continue;
            }
            let mut said: Vec<Poly> = Vec::new();
            for other in all().filter(|a| a.base.goes_with(&access.base)) {
                let Some(f) = factor(other, l).filter(|f| !f.is_zero()) else { continue };
                if in_bytes(&f).is_none() && !said.contains(&f) {
                    said.push(f);
                }
            }
            if let [size] = &said[..]
                && !size.mentions_any(|s| !matches!(s, Sym::Int(_)) || s == symbol)
                && !out.iter().any(|(s, p)| size.mentions(*s) || p.mentions(symbol))
            {
                out.push((symbol, size.clone()));
            }
        }
    }
    out
}

/// The parameter that a stride consists of.
fn in_bytes(stride: &Poly) -> Option<Sym> {
    match stride.terms() {
        [term] if term.coefficient == 1 => match term.symbols[..] {
            [symbol @ Sym::Int(_)] => Some(symbol),
            _ => None,
        },
        _ => None,
    }
}

/// The parameter that is the innermost stride of each array that has no other, and what it must be.
fn unknown_strides(facts: &NestFacts) -> Vec<(Sym, i64)> {
    let mut out: Vec<(Sym, i64)> = Vec::new();
    let mut seen: Vec<Base> = Vec::new();
    for (loops, access) in accesses(facts) {
        if seen.iter().any(|b| b.goes_with(&access.base)) {
            continue;
        }
        seen.push(access.base);
        if let Some(first) = first_of_descriptor(facts, &access.base) {
            if !out.contains(&first) {
                out.push(first);
            }
            continue;
        }
        let mine = || accesses(facts).filter(|(_, a)| a.base.goes_with(&access.base));
        // Where most of its loops are around an access.
        let all = |loops: &[u16], a: &AccessFact| {
            loops.iter().filter(|&&l| factor(a, l).is_some_and(|f| !f.is_zero())).count()
        };
        let most = mine().max_by_key(|(loops, a)| all(loops, a)).unwrap_or((loops, access));
        let inner = most.0.last().and_then(|&l| factor(most.1, l));
        let known = match knows_neighbours(most) {
            true => true,
            // All of it is copied, at once or row after row, and each row from neighbour to neighbour.
            false => {
                mine().any(|a| knows_neighbours(a) && !goes_from_first_on(a))
                    && !mine().any(|a| goes_through_rows_of(a, most))
            }
        };
        if let (false, Some(inner)) = (known, inner)
            && let [term] = inner.terms()
            && let [symbol @ Sym::Int(_)] = term.symbols.as_slice()
            && let Some(value) = neighbour(access.elem.size() as i64, term.coefficient)
            && !out.iter().any(|(s, _)| s == symbol)
            // Rows that a table of pointers leads to, of which more than the first element is touched, are no neighbours
            // (`f[i][j][k]`, the populations of lattice Boltzmann as rows of their own).
            && !(facts.level_of_pitch(*symbol).is_some()
                && mine().any(|(_, a)| a.offset.constant_part() != 0))
            && (term.coefficient == 1
                || match mine().all(|(l, a)| all(l, a) <= 1) {
                    true => !beside(mine(), *symbol),
                    false => !next_to(mine()),
                })
        {
            out.push((*symbol, value));
        }
    }
    out
}

/// The stride of the first dimension as the array's descriptor says it, and the size of an element, whatever loop runs through
/// neighbours; none where something may lie between elements, the fields of a structure.
fn first_of_descriptor(facts: &NestFacts, base: &Base) -> Option<(Sym, i64)> {
    let with_loops = || accesses(facts).filter(|(_, a)| a.base.goes_with(base));
    let mine = || with_loops().map(|(_, a)| a);
    let size = mine().next()?.elem.size();
    let next = Poly::constant(size as i64);
    let whole = with_loops().all(|(loops, a)| {
        a.offset.constant_part() == 0 || loops.iter().any(|&l| factor(a, l).as_ref() == Some(&next))
    });
    let like = |d: &&DescriptorFact| {
        d.dimension == 0
            && is_at(facts, base, d.pointer)
            && mine().any(|a| counts_bytes(a, Sym::Int(d.stride)))
    };
    let first = facts.descriptors.iter().find(like)?;
    let plain = whole && mine().all(|a| a.elem.size() == size);
    plain.then_some((Sym::Int(first.stride), size as i64))
}

/// Not elements, as views of other languages do.
fn counts_bytes(a: &AccessFact, stride: Sym) -> bool {
    let size = a.elem.size() as i64;
    a.offset.terms().iter().any(|t| t.symbols.contains(&stride) && t.coefficient % size != 0)
}

/// The array is at that base pointer, or one of its slots is.
fn is_at(facts: &NestFacts, base: &Base, pointer: u16) -> bool {
    match base {
        Base::Pointer(own) => *own == pointer,
        Base::Rotation { rotation, .. } => {
            let cycle = facts.rotations.get(usize::from(*rotation));
            cycle.is_some_and(|r| r.initial.iter().any(|(own, _)| *own == pointer))
        }
    }
}

/// A loop around the access runs at a constant stride.
fn knows_neighbours((loops, a): (&[u16], &AccessFact)) -> bool {
    loops.iter().any(|&l| factor(a, l).is_some_and(|f| f.as_constant().is_some_and(|c| c != 0)))
}

/// One loop goes through the array from its first element on, whatever its rows are.
fn goes_from_first_on((loops, a): (&[u16], &AccessFact)) -> bool {
    let [only] = loops else { return false };
    let next = Poly::constant(a.elem.size() as i64);
    a.offset.split(Sym::Iv(*only)).is_some_and(|(by, rest)| by == next && rest.is_zero())
}

/// The first goes from element to element of rows that are as far apart as those of the second.
fn goes_through_rows_of(
    (loops, a): (&[u16], &AccessFact),
    (others, b): (&[u16], &AccessFact),
) -> bool {
    let (Some((&inner, rows)), Some((_, others))) = (loops.split_last(), others.split_last())
    else {
        return false;
    };
    let next = Poly::constant(a.elem.size() as i64);
    let strides = |loops: &[u16], a: &AccessFact| -> Option<Vec<Poly>> {
        loops.iter().map(|&l| factor(a, l)).collect()
    };
    !rows.is_empty() && factor(a, inner) == Some(next) && strides(rows, a) == strides(others, b)
}

/// Something between two multiples of the stride is accessed: a column of a grid, whose rows are that long, and the one
/// beside it.
fn beside<'a>(
    mut accesses: impl Iterator<Item = (&'a [u16], &'a AccessFact)>,
    stride: Sym,
) -> bool {
    accesses.any(|(_, a)| a.offset.terms().iter().any(|t| !t.symbols.contains(&stride)))
}

/// Elements at a constant distance, where the loops go through several dimensions: of a grid's last plane and of the one
/// before it, which lie inside the rows (`u[(i*m + j)*l + l - 1]`, `u[(i*m + j)*l + l - 2]`).
fn next_to<'a>(accesses: impl Iterator<Item = (&'a [u16], &'a AccessFact)>) -> bool {
    let mut constants = accesses.map(|(_, a)| a.offset.constant_part());
    constants.next().is_some_and(|first| constants.any(|c| c != first))
}

/// The stride that leads to the next element, counted in so many bytes: in single ones (a descriptor), or in elements (a
/// view).
fn neighbour(elem: i64, unit: i64) -> Option<i64> {
    (unit == 1 || unit == elem).then_some(elem / unit)
}

/// All accesses, with the loops around them.
pub fn accesses(facts: &NestFacts) -> impl Iterator<Item = (&[u16], &AccessFact)> {
    facts.statements.iter().flat_map(|s| {
        let all = s.loads.iter().chain(s.stores.iter().map(|w| &w.access));
        all.map(|a| (s.loops.as_slice(), a))
    })
}

/// The stride at which a loop goes through the array, in bytes.
pub fn factor(a: &AccessFact, counter: u16) -> Option<Poly> {
    a.offset.split(Sym::Iv(counter)).map(|(factor, _)| factor)
}

/// Every mention of a parameter replaced.
fn replace(facts: &mut NestFacts, symbol: Sym, by: &Poly) -> Result<(), OutOfRange> {
    let fix = |p: &mut Poly| -> Result<(), OutOfRange> {
        if p.mentions(symbol) {
            *p = p.substitute(symbol, by)?;
        }
        Ok(())
    };
    facts.statements.iter_mut().try_for_each(|s| s.change_polynomials(fix))?;
    facts.mods.iter_mut().try_for_each(|m| fix(&mut m.inner))?;
    facts.rotations.iter_mut().try_for_each(|r| {
        r.initial.iter_mut().try_for_each(|(_, p)| fix(p))?;
        fix(&mut r.turned)
    })?;
    facts.checks.iter_mut().try_for_each(|c| fix(&mut c.value))?;
    for (first, last) in facts.lookups.iter_mut().flat_map(|l| &mut l.index) {
        fix_all(first, &fix)?;
        fix_all(last, &fix)?;
    }
    fix_all(&mut facts.steps, &fix)?;
    facts.loops.iter_mut().try_for_each(|l| fix_all(&mut l.trip, &fix))
}

fn fix_all(
    e: &mut IntExpr,
    fix: &dyn Fn(&mut Poly) -> Result<(), OutOfRange>,
) -> Result<(), OutOfRange> {
    match e {
        IntExpr::Poly(p) => fix(p),
        IntExpr::Max(a, b) | IntExpr::Min(a, b) | IntExpr::Add(a, b) => {
            fix_all(a, fix)?;
            fix_all(b, fix)
        }
    }
}
