//! Where in an object a sweep may store at all: other members of a structure, or of a COMMON block, lie before or behind.
//!
//! Consumes two accesses from one base and the trip counts of the loops; says whether they are apart. Refuses
//! nothing.

use crate::detect::affine::too_large;
use hexpass_abi::{IntExpr, Poly, Sym};
use hexpass_poly::facts::AccessFact;
use hexpass_poly::rejection::Rejection;

/// The load's one element lies apart from all that the store touches in one step, whatever the sizes are.
pub fn are_apart(
    load: &AccessFact,
    store: &AccessFact,
    trips: &[IntExpr],
) -> Result<bool, Rejection> {
    if load.offset.mentions_any(|s| !matches!(s, Sym::Int(_))) {
        return Ok(false);
    }
    let Some((low, high)) = ends(&store.offset, trips)? else { return Ok(false) };
    let bytes = |a: &AccessFact| Poly::constant(i64::try_from(a.elem.size()).unwrap_or(8));
    let behind = load.offset.sub(&high).and_then(|p| p.sub(&bytes(store))).map_err(too_large)?;
    let ahead = low.sub(&load.offset).and_then(|p| p.sub(&bytes(load))).map_err(too_large)?;
    let holds = |p: &Poly| p.as_constant().is_some_and(|c| c >= 0);
    Ok(holds(&behind) || holds(&ahead))
}

/// The smallest and the largest value of an offset over all iterations, as far as its coefficients have signs.
fn ends(offset: &Poly, trips: &[IntExpr]) -> Result<Option<(Poly, Poly)>, Rejection> {
    let (mut low, mut high) = (offset.clone(), offset.clone());
    for (i, trip) in (0u16..).zip(trips) {
        let iv = Sym::Iv(i);
        if !offset.mentions(iv) {
            continue;
        }
        let (Some((by, _)), IntExpr::Poly(trip)) = (offset.split(iv), trip) else {
            return Ok(None);
        };
        let first = Poly::zero();
        let last = trip.sub(&Poly::constant(1)).map_err(too_large)?;
        let (at_low, at_high) = match by.as_constant() {
            Some(c) if c < 0 => (last, first),
            Some(_) => (first, last),
            None => return Ok(None),
        };
        low = low.substitute(iv, &at_low).map_err(too_large)?;
        high = high.substitute(iv, &at_high).map_err(too_large)?;
    }
    let known = |p: &Poly| !p.mentions_any(|s| !matches!(s, Sym::Int(_)));
    Ok((known(&low) && known(&high)).then_some((low, high)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexpass_abi::ElemType;
    use hexpass_poly::facts::Base;

    fn access(offset: Poly) -> AccessFact {
        AccessFact { base: Base::Pointer(0), offset, elem: ElemType::F64, maybe: false }
    }

    fn rows() -> Poly {
        Poly::from_terms([(320, vec![Sym::Iv(0)]), (8, vec![Sym::Iv(1)]), (640, vec![])]).unwrap()
    }

    #[test]
    fn members_before_and_behind_are_apart() {
        let sweep = access(rows());
        let trips = [IntExpr::Poly(Poly::constant(10)), IntExpr::Poly(Poly::constant(40))];
        // From 640 up to 640 + 9·320 + 39·8 + 8.
        for (at, is_apart) in [(0, true), (632, true), (636, false), (3832, false), (3840, true)] {
            let load = access(Poly::constant(at));
            assert_eq!(are_apart(&load, &sweep, &trips).unwrap(), is_apart, "{at}");
        }
    }

    #[test]
    fn sizes_say_nothing_of_what_lies_behind() {
        let trips = [IntExpr::Poly(Poly::symbol(Sym::Int(0))), IntExpr::Poly(Poly::constant(40))];
        let at = |c: i64| access(Poly::constant(c));
        assert!(!are_apart(&at(64000), &access(rows()), &trips).unwrap());
        assert!(are_apart(&at(632), &access(rows()), &trips).unwrap());
        let moves = access(Poly::symbol(Sym::Time));
        assert!(!are_apart(&at(0), &moves, &trips).unwrap());
        assert!(!are_apart(&moves, &access(rows()), &trips).unwrap());
    }
}
