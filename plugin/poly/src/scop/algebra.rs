//! Polynomials as sizes: which is larger, what divides what.
//!
//! Terms are ordered by degree, then by symbols (a graded monomial order); the leading term decides sign and size, as
//! it does once the parameters are large.

use crate::rejection::{Reason, Rejection};
use hexpass_abi::expr::{OutOfRange, Term};
use hexpass_abi::{IntExpr, Poly};
use std::cmp::Ordering;

/// Arithmetic on subscripts or bounds left 64 bits.
pub(crate) fn out_of_range(_: OutOfRange) -> Rejection {
    Rejection::new(Reason::NonAffine, "a subscript or bound is too large to analyse")
}

fn term_order(a: &Term, b: &Term) -> Ordering {
    a.symbols.len().cmp(&b.symbols.len()).then_with(|| b.symbols.cmp(&a.symbols))
}

/// The term that decides for large parameters.
pub fn leading(p: &Poly) -> Option<&Term> {
    p.terms().iter().max_by(|a, b| term_order(a, b))
}

/// −1, 0 or 1.
pub fn sign(p: &Poly) -> i64 {
    leading(p).map_or(0, |t| t.coefficient.signum())
}

/// Without its sign.
pub fn magnitude(p: &Poly) -> Result<Poly, OutOfRange> {
    if sign(p) < 0 { p.scale(-1) } else { Ok(p.clone()) }
}

/// By size.
pub fn compare(a: &Poly, b: &Poly) -> Result<Ordering, OutOfRange> {
    Ok(sign(&a.sub(b)?).cmp(&0))
}

/// `p = q·d + r`, where no term of r can be divided by the leading term of d. Coefficients are divided towards zero,
/// so that small offsets either way stay in r.
pub fn div_rem(p: &Poly, d: &Poly) -> Result<(Poly, Poly), OutOfRange> {
    let Some(lead) = leading(d).cloned() else { return Ok((Poly::zero(), p.clone())) };
    let (mut quotient, mut rest, mut remainder) = (Poly::zero(), p.clone(), Poly::zero());
    while let Some(term) = leading(&rest).cloned() {
        let own = single(term.coefficient, &term)?;
        match divided(&term, &lead) {
            Some((coefficient, symbols)) => {
                let q = Poly::from_terms([(coefficient, symbols)])?;
                quotient = quotient.add(&q)?;
                rest = rest.sub(&q.mul(d)?)?;
                // What is left of the leading term can't be divided any more.
                let left = rest.coefficient(&term.symbols);
                let left = single(left, &term)?;
                rest = rest.sub(&left)?;
                remainder = remainder.add(&left)?;
            }
            None => {
                rest = rest.sub(&own)?;
                remainder = remainder.add(&own)?;
            }
        }
    }
    Ok((quotient, remainder))
}

fn single(coefficient: i64, like: &Term) -> Result<Poly, OutOfRange> {
    Poly::from_terms([(coefficient, like.symbols.clone())])
}

fn divided(term: &Term, by: &Term) -> Option<(i64, Vec<hexpass_abi::Sym>)> {
    let mut symbols = term.symbols.clone();
    for s in &by.symbols {
        symbols.remove(symbols.iter().position(|x| x == s)?);
    }
    let coefficient = term.coefficient.checked_div(by.coefficient)?;
    (coefficient != 0).then_some((coefficient, symbols))
}

/// `a / b` if nothing remains.
pub fn exact_ratio(a: &Poly, b: &Poly) -> Result<Option<Poly>, OutOfRange> {
    let (q, r) = div_rem(a, b)?;
    Ok(r.is_zero().then_some(q))
}

/// The terms with symbols.
pub fn symbolic_part(p: &Poly) -> Result<Poly, OutOfRange> {
    p.sub(&Poly::constant(p.constant_part()))
}

/// `-e`
pub(crate) fn negate(e: &IntExpr) -> Result<IntExpr, OutOfRange> {
    let both = |a: &IntExpr, b: &IntExpr| Ok((Box::new(negate(a)?), Box::new(negate(b)?)));
    Ok(match e {
        IntExpr::Poly(p) => IntExpr::Poly(p.scale(-1)?),
        IntExpr::Max(a, b) => {
            let (a, b) = both(a, b)?;
            IntExpr::Min(a, b)
        }
        IntExpr::Min(a, b) => {
            let (a, b) = both(a, b)?;
            IntExpr::Max(a, b)
        }
        IntExpr::Add(a, b) => {
            let (a, b) = both(a, b)?;
            IntExpr::Add(a, b)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Names, lines};

    fn poly(text: &str) -> Poly {
        let names = Names::new(&["n".to_owned(), "m".to_owned()]);
        names.parse_poly(&mut lines(text).unwrap().remove(0)).unwrap()
    }

    #[test]
    fn division_keeps_small_offsets() {
        let (q, r) = div_rem(&poly("-8*n + 8"), &poly("8*n")).unwrap();
        assert_eq!((q, r), (poly("0 - 1"), poly("8")));
        let (q, r) = div_rem(&poly("16*n + 16"), &poly("8*n + 16")).unwrap();
        assert_eq!((q, r), (poly("2"), poly("0 - 16")));
        let (q, r) = div_rem(&poly("8*n*m - 8*m"), &poly("8*m")).unwrap();
        assert_eq!((q, r), (poly("n - 1"), poly("0")));
        let (q, r) = div_rem(&poly("12*n"), &poly("8*n")).unwrap();
        assert_eq!((q, r), (poly("1"), poly("4*n")));
    }
}
