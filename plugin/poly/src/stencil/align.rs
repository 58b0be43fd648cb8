//! Coordinates: the subscripts of what a statement writes.

use super::join::{Piece, Source};
use super::{Statement, StencilProgram, Write};
use crate::body::Op;
use crate::facts::CheckFact;
use crate::rejection::{Reason, Rejection, spoken};
use crate::scop::{self, AccessRelation, Affine, Counter, Scop, negate, out_of_range};
use hexpass_abi::{Access, Check, IntExpr, Poly, Subscript, Sym};
use std::collections::HashMap;

/// Statements of one source statement, and how its loops' counters follow from the coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// The source statements: several where it joins pieces of them. All run under the same loops.
    pub sources: Vec<Source>,
    /// Which of their parts, if they were split.
    pub part: u16,
    /// `(loop, counter over Int and Iv(space dimension))`, outermost first.
    pub counters: Vec<(u16, Poly)>,
}

impl Origin {
    /// Index into `Scop::statements` of the first of the source statements.
    pub fn statement(&self) -> u16 {
        self.sources[0].statement
    }

    /// True if both come from the same source statement, in some iterations at least.
    pub fn shares_source(&self, other: &Origin) -> bool {
        self.sources.iter().any(|a| other.sources.iter().any(|b| a.statement == b.statement))
    }
}

/// A stencil program that still knows where its statements come from.
#[derive(Clone, Debug, PartialEq)]
pub struct Aligned {
    pub program: StencilProgram,
    /// One for each statement.
    pub origins: Vec<Origin>,
}

fn write_shape(detail: impl Into<String>) -> Rejection {
    Rejection::new(Reason::WriteShape, detail)
}

/// Where each dimension's coordinate comes from: `s_d = ±counter + offset`, or `s_d = offset`.
struct Coordinates {
    dims: Vec<Affine>,
}

/// What [`align`] knows of the arrays: through which of their dimensions counters run, and the anchors so far. The fields
/// of a structure have anchors of their own, as if they were arrays.
pub struct Arrays {
    pub along_space: Vec<Vec<bool>>,
    pub anchors: HashMap<Part, Vec<i64>>,
}

/// An array, with its subscripts in dimensions that no counter runs through.
type Part = (u16, Vec<Poly>);

impl Arrays {
    pub fn of(scop: &Scop) -> Arrays {
        let all = 0..scop.arrays.len() as u16;
        Arrays { along_space: all.map(|a| scop.along_space(a)).collect(), anchors: HashMap::new() }
    }

    /// The subscripts along space, and the others.
    fn split<'a>(&self, a: &'a AccessRelation) -> (Vec<&'a Affine>, Part) {
        let along = &self.along_space[usize::from(a.array)];
        let (space, others): (Vec<_>, Vec<_>) =
            a.subscripts.iter().zip(along).partition(|(_, along)| **along);
        let others = others.into_iter().map(|(s, _)| s.offset.clone()).collect();
        (space.into_iter().map(|(s, _)| s).collect(), (a.array, others))
    }
}

/// Coordinates, statement and origin of one (part of a) statement.
pub fn align(
    scop: &Scop,
    piece: &Piece,
    dims: usize,
    arrays: &mut Arrays,
) -> Result<(Statement, Origin), Rejection> {
    let s = &piece.statement;
    let coordinates = Coordinates::of(s, dims, arrays)?;
    let counters = coordinates.inverse(s)?;
    let trip = |l: u16| &scop.loops[usize::from(l)];
    let (mut lo, mut hi) = (Vec::new(), Vec::new());
    for c in &coordinates.dims {
        let (l, h) = interval(c, &trip, &s.conditions).map_err(out_of_range)?;
        lo.push(l);
        hi.push(h);
    }
    let access = |a: &AccessRelation| {
        let along = &arrays.along_space[usize::from(a.array)];
        Ok::<_, Rejection>(with_coordinates(coordinates.access(scop, a)?, along, (&lo, &hi)))
    };
    let reads = s.reads.iter().map(access).collect::<Result<Vec<_>, _>>()?;
    let writes = s
        .writes
        .iter()
        .map(|w| Ok(Write { access: access(&w.access)?, value: w.value }))
        .collect::<Result<Vec<_>, Rejection>>()?;
    let mut body = s.body.clone();
    for v in &mut body.values {
        if let Op::Index(p) = &mut v.op {
            *p = substitute(p, &counters)?;
        }
    }
    let origin =
        Origin { sources: piece.sources.clone(), part: piece.part, counters: counters.clone() };
    let sure: Vec<&Access> =
        s.reads.iter().zip(&reads).filter(|(a, _)| !a.maybe).map(|(_, a)| a).collect();
    let all = s.reads.iter().zip(&reads);
    let unsure_reads =
        all.filter(|(a, at)| a.maybe && !sure.contains(at)).map(|(_, a)| a.clone()).collect();
    let all = s.writes.iter().zip(&writes);
    let unsure_writes =
        all.filter(|(w, _)| w.access.maybe).map(|(_, w)| w.access.clone()).collect();
    let entries = s
        .entries
        .iter()
        .map(|e| {
            let index =
                e.index.iter().map(|p| substitute(p, &counters)).collect::<Result<_, _>>()?;
            Ok(hexpass_abi::Entry { index, ..e.clone() })
        })
        .collect::<Result<Vec<_>, Rejection>>()?;
    let statement = Statement {
        lo,
        hi,
        reads,
        body,
        writes,
        unsure_reads,
        unsure_writes,
        entries,
        line: s.line,
    };
    Ok((statement, origin))
}

/// Subscripts this far from a coordinate are neighbours of it.
const NEAR: u64 = 8;

/// The access with coordinates where it names a place and the box is one place thick, so that what a border reads and
/// writes lies at distances that are seen: at s0 = 0, element 1 is the neighbour s0 + 1.
fn with_coordinates(mut a: Access, along: &[bool], (lo, hi): (&[IntExpr], &[IntExpr])) -> Access {
    if along.iter().filter(|&&along| along).count() != lo.len() {
        return a;
    }
    let space = a.subscripts.iter_mut().zip(along).filter(|(_, along)| **along);
    for (d, (s, _)) in space.enumerate() {
        let distance = |place: Poly| s.offset.sub(&place).ok()?.as_constant();
        let near = thin_at(&lo[d], &hi[d]).and_then(distance).filter(|c| c.unsigned_abs() <= NEAR);
        if let (None, Some(c)) = (s.dim, near) {
            *s = Subscript { dim: Some(d as u8), offset: Poly::constant(c) };
        }
    }
    a
}

/// The one place from `lo` to `hi`, if it is plain that there is one at most.
pub fn thin_at(lo: &IntExpr, hi: &IntExpr) -> Option<Poly> {
    match (lo, hi) {
        (IntExpr::Poly(lo), IntExpr::Poly(hi)) => (lo == hi).then(|| lo.clone()),
        (IntExpr::Max(a, b), hi) => thin_at(a, hi).or_else(|| thin_at(b, hi)),
        (lo, IntExpr::Min(a, b)) => thin_at(lo, a).or_else(|| thin_at(lo, b)),
        _ => None,
    }
}

/// The checks of a model, in coordinates.
pub fn checks(scop: &Scop, origins: &[Origin]) -> Result<Vec<Check>, Rejection> {
    let mut out: Vec<Check> = Vec::new();
    for c in &scop.checks {
        let all = match c.statement {
            None => vec![Check { value: c.value.clone(), statement: None, kind: c.kind }],
            Some(statement) => match of_statement(c, statement, origins)? {
                Some(check) => vec![check],
                None => at_corners(c, statement, scop)?,
            },
        };
        for check in all {
            if !out.contains(&check) {
                out.push(check);
            }
        }
    }
    Ok(out)
}

/// A check of a source statement; of joined pieces, with one that runs through no other values of the counters that it
/// speaks of.
fn of_statement(
    c: &CheckFact,
    statement: u16,
    origins: &[Origin],
) -> Result<Option<Check>, Rejection> {
    let is_home = |s: &Source| {
        s.statement == statement && !s.widened.iter().any(|&l| c.value.mentions(Sym::Iv(l)))
    };
    let Some(at) = origins.iter().position(|o| o.sources.iter().any(is_home)) else {
        return Ok(None);
    };
    let value = substitute(&c.value, &origins[at].counters)?;
    Ok(Some(Check { value, statement: Some(at as u16), kind: c.kind }))
}

/// A check of a statement whose own iterations no piece has, for its first and its last ones: between them, what grows or
/// falls with each counter is no smaller. It asks for more where there are none, or where they have several bounds.
fn at_corners(c: &CheckFact, statement: u16, scop: &Scop) -> Result<Vec<Check>, Rejection> {
    let refuse = || write_shape("a check speaks of iterations that no statement runs in");
    let s = &scop.statements[usize::from(statement)];
    let mut values = vec![c.value.clone()];
    for &l in s.loops.iter().filter(|&&l| c.value.mentions(Sym::Iv(l))) {
        let counter = Counter { index: l, negative: false };
        let own = Affine { counter: Some(counter), offset: Poly::zero() };
        let trip = |l: u16| &scop.loops[usize::from(l)];
        let bounds = interval(&own, &trip, &s.conditions).map_err(out_of_range)?;
        let (Some(first), Some(last)) = (one_bound(bounds.0), one_bound(bounds.1)) else {
            return Err(refuse());
        };
        let mut corners = Vec::with_capacity(2 * values.len());
        for value in &values {
            let is_linear = value.split(Sym::Iv(l)).is_some_and(|(f, _)| !f.mentions(Sym::Iv(l)));
            if !is_linear {
                return Err(refuse());
            }
            for at in [&first, &last] {
                corners.push(value.substitute(Sym::Iv(l), at).map_err(out_of_range)?);
            }
        }
        values = corners;
    }
    values.retain(|v| v.as_constant().is_none_or(|v| v < 0));
    Ok(values.into_iter().map(|value| Check { value, statement: None, kind: c.kind }).collect())
}

/// One of the bounds that a maximum or minimum is of, a condition's rather than the loop's.
fn one_bound(e: IntExpr) -> Option<Poly> {
    match e {
        IntExpr::Poly(p) => Some(p),
        IntExpr::Max(_, own) | IntExpr::Min(_, own) => one_bound(*own),
        IntExpr::Add(..) => None,
    }
}

/// Loop counters replaced; first by place holders, since old and new counters share their names.
fn substitute(p: &Poly, counters: &[(u16, Poly)]) -> Result<Poly, Rejection> {
    let mut out = p.clone();
    for (l, _) in counters {
        out = out.substitute(Sym::Iv(*l), &Poly::symbol(Sym::Mod(*l))).map_err(out_of_range)?;
    }
    for (l, by) in counters {
        out = out.substitute(Sym::Mod(*l), by).map_err(out_of_range)?;
    }
    Ok(out)
}

/// Smallest and largest value of `±counter + offset`, where none of `conditions` is negative.
fn interval<'a>(
    c: &Affine,
    trip: &dyn Fn(u16) -> &'a IntExpr,
    conditions: &[Poly],
) -> Result<(IntExpr, IntExpr), hexpass_abi::expr::OutOfRange> {
    let start = IntExpr::Poly(c.offset.clone());
    let Some(counter) = c.counter else { return Ok((start.clone(), start)) };
    let mut first = IntExpr::Poly(Poly::zero());
    let mut last = plus(trip(counter.index), &Poly::constant(-1))?;
    for p in conditions {
        let Some((factor, rest)) = p.split(Sym::Iv(counter.index)) else { continue };
        match factor.as_constant() {
            Some(1) => first = IntExpr::Max(Box::new(first), Box::new(rest.scale(-1)?.into())),
            Some(-1) => last = IntExpr::Min(Box::new(last), Box::new(rest.into())),
            _ => {}
        }
    }
    let (first, last) = (simple(first), simple(last));
    if counter.negative {
        Ok((plus(&negate(&last)?, &c.offset)?, plus(&negate(&first)?, &c.offset)?))
    } else {
        Ok((plus(&first, &c.offset)?, plus(&last, &c.offset)?))
    }
}

/// Without sides of maxima and minima that a constant distance decides.
fn simple(e: IntExpr) -> IntExpr {
    let distance = |a: &IntExpr, b: &IntExpr| match (a, b) {
        (IntExpr::Poly(a), IntExpr::Poly(b)) => a.sub(b).ok().and_then(|d| d.as_constant()),
        _ => None,
    };
    match e {
        IntExpr::Max(a, b) => {
            let (a, b) = (simple(*a), simple(*b));
            match distance(&a, &b) {
                Some(d) if d >= 0 => a,
                Some(_) => b,
                None => IntExpr::Max(Box::new(a), Box::new(b)),
            }
        }
        IntExpr::Min(a, b) => {
            let (a, b) = (simple(*a), simple(*b));
            match distance(&a, &b) {
                Some(d) if d <= 0 => a,
                Some(_) => b,
                None => IntExpr::Min(Box::new(a), Box::new(b)),
            }
        }
        other => other,
    }
}

/// `e + p`, the addition pushed into minima and maxima.
fn plus(e: &IntExpr, p: &Poly) -> Result<IntExpr, hexpass_abi::expr::OutOfRange> {
    let both = |a: &IntExpr, b: &IntExpr| Ok((Box::new(plus(a, p)?), Box::new(plus(b, p)?)));
    Ok(match e {
        IntExpr::Poly(q) => IntExpr::Poly(q.add(p)?),
        IntExpr::Max(a, b) => {
            let (a, b) = both(a, b)?;
            IntExpr::Max(a, b)
        }
        IntExpr::Min(a, b) => {
            let (a, b) = both(a, b)?;
            IntExpr::Min(a, b)
        }
        IntExpr::Add(a, b) => IntExpr::Add(Box::new(plus(a, p)?), b.clone()),
    })
}

impl Coordinates {
    fn of(s: &scop::Statement, dims: usize, arrays: &mut Arrays) -> Result<Self, Rejection> {
        let writes: Vec<_> = s.writes.iter().map(|w| arrays.split(&w.access)).collect();
        if writes.iter().any(|(space, _)| space.len() != dims) {
            return Err(write_shape(
                "the arrays that the loop writes have different numbers of dimensions",
            ));
        }
        let anchored = writes.iter().find(|(_, part)| arrays.anchors.contains_key(part));
        let first = anchored.or(writes.first()).ok_or_else(|| write_shape("no store"))?;
        let shift = arrays.anchors.get(&first.1).cloned().unwrap_or_else(|| vec![0; dims]);
        let dims = first
            .0
            .iter()
            .zip(&shift)
            .map(|(a, &c)| {
                let offset = a.offset.sub(&Poly::constant(c)).map_err(out_of_range)?;
                Ok(Affine { counter: a.counter, offset })
            })
            .collect::<Result<Vec<_>, Rejection>>()?;
        let out = Coordinates { dims };
        for (space, part) in writes {
            let constants = out.written(&space)?;
            match arrays.anchors.get(&part) {
                Some(known) if *known != constants => {
                    return Err(write_shape(
                        "the stores of one statement write different places of an array",
                    ));
                }
                _ => arrays.anchors.insert(part, constants),
            };
        }
        Ok(out)
    }

    /// The constants by which a store's subscripts exceed the coordinates.
    fn written(&self, space: &[&Affine]) -> Result<Vec<i64>, Rejection> {
        space
            .iter()
            .zip(&self.dims)
            .map(|(a, s)| {
                let difference = a.offset.sub(&s.offset).map_err(out_of_range)?.as_constant();
                difference.filter(|_| a.counter == s.counter).ok_or_else(|| {
                    write_shape("the stores of one statement run through their arrays differently")
                })
            })
            .collect()
    }

    /// Counters from coordinates: `±(s_d − offset)`.
    fn inverse(&self, s: &scop::Statement) -> Result<Vec<(u16, Poly)>, Rejection> {
        s.loops
            .iter()
            .map(|&l| {
                let (d, c) = self.dimension_of(l).ok_or_else(|| {
                    write_shape("a loop's iterations all write the same elements").at(s.line)
                })?;
                let coordinate = Poly::symbol(Sym::Iv(d as u16));
                let value = coordinate.sub(&self.dims[d].offset).map_err(out_of_range)?;
                let value = if c.negative { value.scale(-1) } else { Ok(value) };
                Ok((l, value.map_err(out_of_range)?))
            })
            .collect()
    }

    fn dimension_of(&self, l: u16) -> Option<(usize, Counter)> {
        let found = |(d, a): (usize, &Affine)| Some((d, a.counter.filter(|c| c.index == l)?));
        self.dims.iter().enumerate().find_map(found)
    }

    /// An access with coordinates for counters.
    fn access(&self, scop: &Scop, a: &AccessRelation) -> Result<Access, Rejection> {
        let subscripts = a
            .subscripts
            .iter()
            .map(|x| self.subscript(scop, a.array, x))
            .collect::<Result<_, _>>()?;
        Ok(Access { array: a.array, rotation: a.rotation, subscripts })
    }

    fn subscript(&self, scop: &Scop, array: u16, a: &Affine) -> Result<Subscript, Rejection> {
        let Some(counter) = a.counter else {
            return Ok(Subscript { dim: None, offset: a.offset.clone() });
        };
        let name = spoken(&scop.arrays[usize::from(array)].name);
        let (d, own) = self
            .dimension_of(counter.index)
            .ok_or_else(|| write_shape("a loop's iterations all write the same elements"))?;
        if own.negative != counter.negative {
            return Err(Rejection::new(
                Reason::UnboundedDependence,
                format!("{name} is read from one end while results are stored from the other"),
            ));
        }
        let offset = a.offset.sub(&self.dims[d].offset).map_err(out_of_range)?;
        Ok(Subscript { dim: Some(d as u8), offset })
    }
}
