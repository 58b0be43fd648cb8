//! Pairs of instances that touch the same element, in isl's notation and aligned coordinates.

use crate::isl::{Isl, UnionMap, UnionSet};
use crate::rejection::Rejection;
use crate::scop::{IslNames, out_of_range};
use crate::stencil::{Statement, StencilProgram, kept_step};
use hexpass_abi::{Access, IntExpr, Poly, Subscript, Sym};
use std::fmt::Write;

/// One access of one statement.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    pub statement: usize,
    pub access: &'a Access,
}

/// `S<i>[time, s0, …]`, coordinates called by `letter`.
pub fn tuple(i: usize, dims: usize, letter: &str, time: &str) -> String {
    let mut out = format!("S{i}[{time}");
    for d in 0..dims {
        let _ = write!(out, ", {letter}{d}");
    }
    out.push(']');
    out
}

/// The program with its instances, `{ S<i>[t, s0, …] : 0 <= t < steps and lo0 <= s0 <= hi0 … }`.
pub struct Instances<'c, 'p> {
    pub isl: &'c Isl,
    pub program: &'p StencilProgram,
    domains: Vec<UnionSet<'c>>,
}

impl<'c, 'p> Instances<'c, 'p> {
    pub fn new(isl: &'c Isl, program: &'p StencilProgram) -> Result<Self, Rejection> {
        let domains = (0..program.statements.len())
            .map(|i| UnionSet::parse(isl, &domain(program, i)?))
            .collect::<Result<_, _>>()?;
        Ok(Instances { isl, program, domains })
    }
}

fn domain(p: &StencilProgram, i: usize) -> Result<String, Rejection> {
    let mut names = IslNames::new("s");
    let steps = names.expr(&p.steps);
    let mut out = format!("{} : 0 <= t < {steps}", tuple(i, p.dims, "s", "t"));
    for d in 0..p.dims {
        out += &inside(&p.statements[i], d, &format!("s{d}"), &mut names);
    }
    for condition in p.granted.conditions().map_err(out_of_range)? {
        let _ = write!(out, " and {} >= 0", names.poly(&condition));
    }
    Ok(names.wrap(&out))
}

/// ` and lo <= place and place <= hi`, a statement's bounds in dimension d. A maximum is two lower bounds: said as one
/// expression, isl takes the cases apart.
fn inside(s: &Statement, d: usize, place: &str, names: &mut IslNames) -> String {
    let mut out = String::new();
    for lo in bounds(&s.lo[d], Bound::Lower) {
        let _ = write!(out, " and {} <= {place}", names.expr(lo));
    }
    for hi in bounds(&s.hi[d], Bound::Upper) {
        let _ = write!(out, " and {place} <= {}", names.expr(hi));
    }
    out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    Lower,
    Upper,
}

/// The bounds that make up one: those of a maximum from below, those of a minimum from above.
fn bounds(e: &IntExpr, bound: Bound) -> Vec<&IntExpr> {
    match (e, bound) {
        (IntExpr::Max(a, b), Bound::Lower) | (IntExpr::Min(a, b), Bound::Upper) => {
            let mut all = bounds(a, bound);
            all.extend(bounds(b, bound));
            all
        }
        _ => vec![e],
    }
}

/// Logical time and place, `{ S<i>[t, s0, …] -> [k·t + i, s0, …] }`.
pub fn logical_space(p: &StencilProgram) -> String {
    let k = p.statements.len();
    let one = |i| {
        let mut out = format!("{} -> [{k} * t + {i}", tuple(i, p.dims, "s", "t"));
        for d in 0..p.dims {
            let _ = write!(out, ", s{d}");
        }
        out + "]"
    };
    let all: Vec<String> = (0..k).map(one).collect();
    format!("{{ {} }}", all.join("; "))
}

/// Number of buffers that an access's array takes turns with.
pub fn slots(p: &StencilProgram, a: &Access) -> i64 {
    p.arrays[usize::from(a.array)].slots.len().max(1) as i64
}

/// Steps from one access to the next time that the other can touch the same slot, u increasing; `None` if that never
/// happens. Slots go round with the time step, and boxes are the same at each step, so this is the same for all
/// instances. In an array that keeps its history, there is one such step at most; and none where the nest runs fewer steps.
pub fn next_step(p: &StencilProgram, from: At, to: At) -> Option<i64> {
    let steps = if let IntExpr::Poly(steps) = &p.steps { steps.as_constant() } else { None };
    next_meeting(p, from, to).filter(|&dt| steps.is_none_or(|steps| dt < steps.max(1)))
}

fn next_meeting(p: &StencilProgram, from: At, to: At) -> Option<i64> {
    if let (Some(a), Some(b)) = (kept_step(from.access), kept_step(to.access)) {
        let later = a > b || (a == b && to.statement > from.statement);
        return later.then(|| a - b);
    }
    let slots = slots(p, from.access);
    let dt = (i64::from(from.access.rotation) - i64::from(to.access.rotation)).rem_euclid(slots);
    Some(if dt == 0 && to.statement <= from.statement { slots } else { dt })
}

/// True if both touch the same slot at the same step.
pub fn same_slot(p: &StencilProgram, a: At, b: At) -> bool {
    a.access.array == b.access.array
        && kept_step(a.access) == kept_step(b.access)
        && (i64::from(a.access.rotation) - i64::from(b.access.rotation))
            .rem_euclid(slots(p, a.access))
            == 0
}

/// True if the boxes that the two run through in some dimension of the array lie apart whatever the sizes are: nothing
/// that isl has to be asked, which the many pieces of a sweep with borders of its own would do very often.
pub fn never_meet(p: &StencilProgram, a: At, b: At) -> bool {
    let below = |hi: &[Poly], lo: &[Poly]| {
        let less = |(hi, lo): (&Poly, &Poly)| {
            lo.sub(hi).ok().and_then(|gap| gap.as_constant()).is_some_and(|gap| gap > 0)
        };
        hi.iter().any(|hi| lo.iter().any(|lo| less((hi, lo))))
    };
    (0..a.access.subscripts.len()).any(|i| match (range(p, a, i), range(p, b, i)) {
        (Some((lo, hi)), Some((other_lo, other_hi))) => {
            below(&hi, &other_lo) || below(&other_hi, &lo)
        }
        _ => false,
    })
}

/// What surely lies below and above all that an access runs through in dimension i of its array.
fn range(p: &StencilProgram, at: At, i: usize) -> Option<(Vec<Poly>, Vec<Poly>)> {
    let s = &at.access.subscripts[i];
    let Some(d) = s.dim.map(usize::from) else {
        let step = s.offset.mentions(Sym::Time);
        return (!step).then(|| (vec![s.offset.clone()], vec![s.offset.clone()]));
    };
    let statement = &p.statements[at.statement];
    let shifted = |e: &IntExpr, bound: Bound| {
        let shift = |e: &IntExpr| match e {
            IntExpr::Poly(bound) => bound.add(&s.offset).ok(),
            _ => None,
        };
        bounds(e, bound).into_iter().filter_map(shift).collect()
    };
    Some((shifted(&statement.lo[d], Bound::Lower), shifted(&statement.hi[d], Bound::Upper)))
}

/// Δs, if for each coordinate some subscript holds it on both sides.
pub fn fixed_distance(dims: usize, from: At, to: At) -> Option<Vec<i64>> {
    let subscripts = || from.access.subscripts.iter().zip(&to.access.subscripts);
    (0..dims)
        .map(|d| {
            let both = |s: &Subscript| s.dim.map(usize::from) == Some(d);
            let (a, b) = subscripts().find(|(a, b)| both(a) && both(b))?;
            a.offset.as_constant()?.checked_sub(b.offset.as_constant()?)
        })
        .collect()
}

/// The same, if it says all of what makes two instances touch one element: nothing is left but the two boxes.
fn translation(dims: usize, from: At, to: At) -> Option<Vec<i64>> {
    let ds = fixed_distance(dims, from, to)?;
    let says_all = |(a, b): (&Subscript, &Subscript)| match (a.dim, b.dim) {
        (None, None) => a.offset == b.offset || a.offset.mentions(Sym::Time),
        (Some(d), Some(e)) => {
            let difference = a.offset.sub(&b.offset).ok().and_then(|x| x.as_constant());
            d == e && difference == ds.get(usize::from(d)).copied()
        }
        _ => false,
    };
    from.access.subscripts.iter().zip(&to.access.subscripts).all(says_all).then_some(ds)
}

/// [`same_element`] of instances at a fixed distance, in one text.
fn translated<'c>(
    all: &Instances<'c, '_>,
    from: At,
    to: At,
    dt: i64,
    ds: &[i64],
) -> Result<UnionMap<'c>, Rejection> {
    let p = all.program;
    let mut names = IslNames::new("s");
    let steps = names.expr(&p.steps);
    let sink: String = ds.iter().enumerate().map(|(d, c)| format!(", s{d} + {c}")).collect();
    let mut out = format!(
        "{} -> S{}[t + {dt}{sink}] : 0 <= t and t + {dt} < {steps}",
        tuple(from.statement, p.dims, "s", "t"),
        to.statement,
    );
    for (d, c) in ds.iter().enumerate() {
        out += &inside(&p.statements[from.statement], d, &format!("s{d}"), &mut names);
        out += &inside(&p.statements[to.statement], d, &format!("s{d} + {c}"), &mut names);
    }
    UnionMap::parse(all.isl, &names.wrap(&out))
}

/// `{ S<i>[t, s…] -> S<j>[t + dt, r…] }`: instances that run and touch the same element, given the same slot; and
/// `condition` over `s0`, …, `r0`, …, if there is one.
pub fn same_element<'c>(
    all: &Instances<'c, '_>,
    from: At,
    to: At,
    dt: i64,
    condition: Option<&Condition>,
) -> Result<UnionMap<'c>, Rejection> {
    let p = all.program;
    if let (None, Some(ds)) = (condition, translation(p.dims, from, to)) {
        return translated(all, from, to, dt, &ds);
    }
    let mut names = condition.map_or_else(|| IslNames::new("s"), |c| c.names.clone());
    let place = |letter: &str, d: u8| format!("{letter}{d} + ");
    let mut conditions = vec!["true".to_owned()];
    for (a, b) in from.access.subscripts.iter().zip(&to.access.subscripts) {
        // The same slot, and the same of a history's steps.
        if a.dim.is_none() && a.offset.mentions(Sym::Time) {
            continue;
        }
        let left = a.dim.map_or(String::new(), |d| place("s", d)) + &names.poly(&a.offset);
        let right = b.dim.map_or(String::new(), |d| place("r", d)) + &names.poly(&b.offset);
        conditions.push(format!("{left} = {right}"));
    }
    conditions.extend(condition.map(|c| format!("({})", c.text)));
    let pairs = format!(
        "{} -> {} : {}",
        tuple(from.statement, p.dims, "s", "t"),
        tuple(to.statement, p.dims, "r", &format!("t + {dt}")),
        conditions.join(" and "),
    );
    let source = all.domains[from.statement].copy()?;
    let sink = all.domains[to.statement].copy()?;
    UnionMap::parse(all.isl, &names.wrap(&pairs))?.intersect_domain(source)?.intersect_range(sink)
}

/// A condition on pairs of instances, with the parameters that it speaks of.
#[derive(Clone, Debug)]
pub struct Condition {
    pub names: IslNames,
    pub text: String,
}
