//! Single elements at flat places that the program names (`u[source] += f` beside `u[i*n + j]`).
//!
//! Consumes the statements of a nest. Where the place is a parameter of which nothing says where its row begins, and the
//! array's rows have a length that is another parameter or a number, it becomes row · length + column: row and column are
//! parameters of their own, which are computed before the nest. Refuses nothing.

use super::affine::{push_check, too_large};
use super::context::{Context, Known};
use super::nest::any_poly;
use hexpass_abi::{CheckKind, Poly, Sym};
use hexpass_poly::facts::{AccessFact, Base, StatementFact};
use hexpass_poly::rejection::Rejection;

/// What a place is divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Divisor {
    /// An integer parameter.
    Int(u16),
    Constant(i64),
}

impl Divisor {
    /// The divisor that says as much, if there is one.
    pub fn of(p: &Poly) -> Option<Divisor> {
        match p.terms() {
            [t] => match (t.symbols.as_slice(), t.coefficient) {
                ([], c) if c > 1 => Some(Divisor::Constant(c)),
                ([Sym::Int(i)], 1) => Some(Divisor::Int(*i)),
                _ => None,
            },
            _ => None,
        }
    }

    fn poly(self) -> Poly {
        match self {
            Divisor::Int(i) => Poly::symbol(Sym::Int(i)),
            Divisor::Constant(c) => Poly::constant(c),
        }
    }
}

/// A parameter that says an element of an array, and the lengths of the array's rows, innermost first.
struct Place {
    int: u16,
    lengths: Vec<Divisor>,
}

/// Divides flat places into rows and columns; strides that were found to be so many elements are that everywhere.
pub fn divide(c: &mut Context<'_>, statements: &mut [StatementFact]) -> Result<(), Rejection> {
    for (stride, size) in std::mem::take(&mut c.whole_strides) {
        let by = Divisor::Constant(size);
        let elements = Poly::symbol(Sym::Int(c.parameter(Known::Quotient(stride, by))?));
        replace(statements, stride, &elements.mul(&by.poly()).map_err(too_large)?)?;
        let left = Poly::symbol(Sym::Int(c.parameter(Known::Remainder(stride, by))?));
        push_check(&mut c.checks, left.scale(-1).map_err(too_large)?, CheckKind::Size);
    }
    // A size, as it stands: a corner of the grid.
    let is_size = |int: u16| {
        let mentions = |p: &Poly| p.mentions(Sym::Int(int));
        c.trips.iter().chain(&c.extra_trips).any(|trip| any_poly(trip, &mentions))
    };
    let mut found = places(statements);
    found.retain(|place| !is_size(place.int));
    for place in found {
        let (mut sum, mut unit) = (Poly::zero(), Poly::constant(1));
        let mut left = place.int;
        for by in place.lengths {
            let column = c.parameter(Known::Remainder(left, by))?;
            sum = plus(&sum, &Poly::symbol(Sym::Int(column)), &unit)?;
            left = c.parameter(Known::Quotient(left, by))?;
            unit = unit.mul(&by.poly()).map_err(too_large)?;
        }
        sum = plus(&sum, &Poly::symbol(Sym::Int(left)), &unit)?;
        replace(statements, place.int, &sum)?;
    }
    Ok(())
}

fn replace(statements: &mut [StatementFact], int: u16, by: &Poly) -> Result<(), Rejection> {
    for s in statements {
        let stores = s.stores.iter_mut().map(|store| &mut store.access);
        for access in s.loads.iter_mut().chain(stores) {
            let offset = access.offset.substitute(Sym::Int(int), by);
            access.offset = offset.map_err(too_large)?;
        }
    }
    Ok(())
}

fn plus(sum: &Poly, value: &Poly, unit: &Poly) -> Result<Poly, Rejection> {
    value.mul(unit).and_then(|more| sum.add(&more)).map_err(too_large)
}

fn places(statements: &[StatementFact]) -> Vec<Place> {
    let all: Vec<&AccessFact> = statements
        .iter()
        .flat_map(|s| s.loads.iter().chain(s.stores.iter().map(|store| &store.access)))
        .collect();
    let mut out: Vec<Place> = Vec::new();
    for access in &all {
        let Some((int, size)) = flat_place(&access.offset) else { continue };
        let known = out.iter().any(|p| p.int == int);
        // Elsewhere it may be a length, or shift all that a sweep touches.
        let alone = all.iter().all(|other| {
            !other.offset.mentions(Sym::Int(int)) || flat_place(&other.offset) == Some((int, size))
        });
        if !known && alone {
            let lengths = row_lengths(&all, &access.base, size);
            if !lengths.is_empty() {
                out.push(Place { int, lengths });
            }
        }
    }
    out
}

/// The parameter and the size of its elements, where the offset is the place of one element, at most some rows away.
fn flat_place(offset: &Poly) -> Option<(u16, i64)> {
    if offset.mentions_any(|s| matches!(s, Sym::Iv(_))) {
        return None;
    }
    let mut found = offset.terms().iter().filter_map(|t| match t.symbols.as_slice() {
        [Sym::Int(i)] => Some((*i, t.coefficient)),
        _ => None,
    });
    let place = found.next()?;
    let sole = found.next().is_none()
        && offset.terms().iter().all(|t| t.symbols.is_empty() || t.symbols.len() == 1);
    (sole && place.1 > 0).then_some(place)
}

/// The lengths of rows, and of planes in rows, that counters step over in the array; none if they don't divide one
/// another.
fn row_lengths(accesses: &[&AccessFact], base: &Base, size: i64) -> Vec<Divisor> {
    let same = |other: &Base| match (base, other) {
        (Base::Rotation { rotation: a, .. }, Base::Rotation { rotation: b, .. }) => a == b,
        _ => base == other,
    };
    let mut strides: Vec<Poly> = Vec::new();
    for access in accesses.iter().filter(|a| same(&a.base)) {
        for t in access.offset.terms() {
            for s in t.symbols.iter().filter(|s| matches!(s, Sym::Iv(_))) {
                let stride = access.offset.split(*s).map(|(factor, _)| factor);
                if let Some(stride) = stride
                    && stride.terms().len() == 1
                    && stride.as_constant() != Some(size)
                    && !strides.contains(&stride)
                {
                    strides.push(stride);
                }
            }
        }
    }
    strides.sort_by_key(|s| s.terms().first().map(|t| (t.symbols.len(), t.coefficient)));
    let mut unit = Poly::constant(size);
    let mut out = Vec::new();
    for stride in strides {
        match stride.exact_div(&unit).as_ref().and_then(Divisor::of) {
            Some(length) => out.push(length),
            None => return Vec::new(),
        }
        unit = stride;
    }
    out
}
