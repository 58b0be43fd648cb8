//! Dimensions from flat offsets.
//!
//! The strides of an array are the coefficients of the counters over all its accesses, largest first; an offset is
//! divided by them one after the other. A small negative rest is the usual sign of a halo (`a[i*n + j - 1]`). Where no
//! counter can make up for it, it was the end of the row before: `a[i*n + n - 1]` is (i, n−1), not (i+1, −1) (as in
//! Polly's `foldAccessRelation`).

use super::algebra::{compare, div_rem, exact_ratio, magnitude, out_of_range, sign, symbolic_part};
use super::linear::non_affine;
use super::{Affine, Counter};
use crate::facts::DescriptorFact;
use crate::rejection::{Reason, Rejection};
use hexpass_abi::expr::OutOfRange;
use hexpass_abi::{Poly, Sym};
use std::cmp::Ordering;

/// Constant rests this close below a multiple of a stride count as negative, in elements of the next inner stride.
const HALO: i64 = 8;
/// Rows narrower than this are taken for a loop that steps over elements.
pub const MIN_ROW: i64 = 4;

/// Byte strides of an array from the coefficients of its accesses, outer loops' first; the last is the element size. Empty if there are
/// no coefficients. Which of two that only the run knows is larger, a descriptor suggests.
pub fn strides(
    coefficients: &[Poly],
    elem: i64,
    descriptors: &[DescriptorFact],
) -> Result<Vec<Poly>, Rejection> {
    let mut all: Vec<Poly> = Vec::new();
    for c in coefficients {
        let c = magnitude(c).map_err(out_of_range)?;
        if !all.contains(&c) {
            all.push(c);
        }
    }
    if all.is_empty() {
        return Ok(all);
    }
    sort_by_size(&mut all, descriptors).map_err(out_of_range)?;
    refuse_sums(&all)?;
    let step = || {
        Rejection::new(Reason::Stride, "a loop steps over elements instead of visiting neighbours")
    };
    let fields = match all.last().and_then(Poly::as_constant) {
        Some(s) if s == elem => false,
        Some(s) if s % elem != 0 => return Err(step()),
        Some(_) => true,
        None => false,
    };
    if all.last().and_then(Poly::as_constant) != Some(elem) {
        all.push(Poly::constant(elem));
    }
    // A structure may have any number of fields.
    let rows = if fields { &all[..all.len() - 1] } else { &all[..] };
    for pair in rows.windows(2) {
        let ratio = exact_ratio(&pair[0], &pair[1]).map_err(out_of_range)?;
        if ratio.and_then(|r| r.as_constant()).is_some_and(|r| r < MIN_ROW) {
            return Err(step());
        }
    }
    Ok(all)
}

fn sort_by_size(all: &mut [Poly], descriptors: &[DescriptorFact]) -> Result<(), OutOfRange> {
    // Few strides: insertion sort, since a comparison may fail.
    for i in 1..all.len() {
        let mut j = i;
        while j > 0 && by_size(&all[j - 1], &all[j], descriptors)? == Ordering::Less {
            all.swap(j - 1, j);
            j -= 1;
        }
    }
    Ok(())
}

/// Two parameters are as large as one another, and the outer loop's comes first, unless both are strides of one descriptor.
fn by_size(a: &Poly, b: &Poly, descriptors: &[DescriptorFact]) -> Result<Ordering, OutOfRange> {
    match (a.terms(), b.terms()) {
        ([x], [y]) if x.coefficient == y.coefficient => match (&x.symbols[..], &y.symbols[..]) {
            (&[Sym::Int(x)], &[Sym::Int(y)]) => Ok(by_dimension(x, y, descriptors)),
            ([_], [_]) => Ok(Ordering::Equal),
            _ => compare(a, b),
        },
        _ => compare(a, b),
    }
}

/// Fortran's first dimension has the smallest stride, as long as nobody has turned the array.
fn by_dimension(a: u16, b: u16, descriptors: &[DescriptorFact]) -> Ordering {
    let of = |stride: u16| descriptors.iter().filter(move |d| d.stride == stride);
    let both = of(a).flat_map(|x| of(b).map(move |y| (x, y))).find(|(x, y)| x.pointer == y.pointer);
    both.map_or(Ordering::Equal, |(x, y)| x.dimension.cmp(&y.dimension))
}

/// `a[i*n + i]`: the coefficient n+1 is the sum of two others.
fn refuse_sums(all: &[Poly]) -> Result<(), Rejection> {
    for (i, a) in all.iter().enumerate() {
        for b in &all[i + 1..] {
            if all.contains(&a.add(b).map_err(out_of_range)?) {
                return Err(non_affine("one loop counter runs through two dimensions at once"));
            }
        }
    }
    Ok(())
}

/// Which counter runs through each dimension.
pub fn counters(
    coefficients: &[(u16, Poly)],
    strides: &[Poly],
) -> Result<Vec<Option<Counter>>, Rejection> {
    let mut out = vec![None; strides.len()];
    for (index, coefficient) in coefficients {
        let size = magnitude(coefficient).map_err(out_of_range)?;
        let place =
            strides.iter().position(|s| *s == size).and_then(|d| out.get_mut(d)).ok_or_else(
                || non_affine("a subscript is not an affine function of the counters"),
            )?;
        if place.is_some() {
            return Err(non_affine("two loop counters are added in one subscript"));
        }
        *place = Some(Counter { index: *index, negative: sign(coefficient) < 0 });
    }
    Ok(out)
}

/// Offsets in each dimension, and the bytes that no stride divides.
pub fn divide(rest: &Poly, strides: &[Poly]) -> Result<(Vec<Poly>, Poly), OutOfRange> {
    let mut rest = rest.clone();
    let mut quotients = Vec::with_capacity(strides.len());
    for (d, stride) in strides.iter().enumerate() {
        let (mut quotient, mut left) = match stride.as_constant() {
            Some(_) => div_rem(&symbolic_part(&rest)?, stride)?,
            None => div_rem(&rest, stride)?,
        };
        if let Some(s) = stride.as_constant() {
            let inner = strides.get(d + 1).and_then(Poly::as_constant);
            let (q, r) = divide_constant(rest.constant_part(), s, inner)?;
            quotient = quotient.add(&Poly::constant(q))?;
            left = left.add(&Poly::constant(r))?;
        }
        quotients.push(quotient);
        rest = left;
    }
    Ok((quotients, rest))
}

fn divide_constant(c: i64, stride: i64, inner: Option<i64>) -> Result<(i64, i64), OutOfRange> {
    let (q, r) = (c.div_euclid(stride), c.rem_euclid(stride));
    let below = stride - r;
    let halo = inner.map_or(0, |i| i.saturating_mul(HALO).min(stride / 2));
    if r != 0 && below <= halo {
        return Ok((q.checked_add(1).ok_or(OutOfRange)?, -below));
    }
    Ok((q, r))
}

/// True if the subscript's values are all negative, as far as its constant tells.
///
/// `halo`: the smallest offset that a rising counter starts with in this dimension, over all accesses of the array;
/// `first`: the first value of the subscript's own counter.
fn below_zero(s: &Affine, halo: Option<i64>, first: i64) -> bool {
    let Some(c) = s.offset.as_constant() else { return false };
    match s.counter {
        None => c < 0 && halo.is_none_or(|h| c < h),
        Some(Counter { negative: true, .. }) => c < first,
        Some(Counter { negative: false, .. }) => false,
    }
}

/// Brings subscripts that are negative throughout back into their row; `first` is the first value of a counter.
pub fn fold(
    subscripts: &mut [Affine],
    strides: &[Poly],
    halo: &[Option<i64>],
    first: impl Fn(Counter) -> i64,
) -> Result<(), OutOfRange> {
    for d in (1..subscripts.len()).rev() {
        let own = subscripts[d].counter.map_or(0, &first);
        if below_zero(&subscripts[d], halo[d], own) {
            fold_dimension(subscripts, strides, d)?;
        }
    }
    Ok(())
}

/// Adds a row's length to subscript d and takes one from the next outer.
pub fn fold_dimension(
    subscripts: &mut [Affine],
    strides: &[Poly],
    d: usize,
) -> Result<(), OutOfRange> {
    let Some(ratio) = exact_ratio(&strides[d - 1], &strides[d])? else { return Ok(()) };
    subscripts[d].offset = subscripts[d].offset.add(&ratio)?;
    subscripts[d - 1].offset = subscripts[d - 1].offset.sub(&Poly::constant(1))?;
    Ok(())
}

/// Takes a row's length from subscript d and adds one to the next outer.
pub fn unfold_dimension(
    subscripts: &mut [Affine],
    strides: &[Poly],
    d: usize,
) -> Result<(), OutOfRange> {
    let Some(ratio) = exact_ratio(&strides[d - 1], &strides[d])? else { return Ok(()) };
    subscripts[d].offset = subscripts[d].offset.sub(&ratio)?;
    subscripts[d - 1].offset = subscripts[d - 1].offset.add(&Poly::constant(1))?;
    Ok(())
}

/// True if the time step occurs.
pub fn mentions_time(p: &Poly) -> bool {
    p.mentions(Sym::Time)
}
