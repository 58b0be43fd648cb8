//! Sums over atoms.

use hexpass::emit::affine::{Affine, AtomId, Range};

fn affine(terms: &[(AtomId, i64)], constant: i64) -> Affine {
    Affine { terms: terms.to_vec(), constant }
}

#[test]
fn origins_cancel() {
    let global = affine(&[(0, 64), (1, 1)], 3);
    let origin = affine(&[(0, 64)], 0);
    assert_eq!(global.add_scaled(&origin, -1), Some(affine(&[(1, 1)], 3)));
}

#[test]
fn multiples_leave_the_quotient() {
    let (q, r) = affine(&[(0, 6), (1, 1)], -1).split_multiples(3);
    assert_eq!(q, affine(&[(0, 2)], -1));
    assert_eq!(r, affine(&[(1, 1)], 2));
}

#[test]
fn ranges_follow_coefficients() {
    let of = |a: AtomId| if a == 0 { Range::new(0, 31) } else { Range::UNKNOWN };
    assert_eq!(affine(&[(0, -2)], 1).range(&of), Range::new(-61, 1));
    assert!(affine(&[(0, 4)], 7).fits_narrow(&of));
    assert!(!affine(&[(0, 4), (1, 1)], 7).fits_narrow(&of));
}

#[test]
fn overflow_is_refused() {
    assert_eq!(affine(&[(0, i64::MAX)], 0).scale(2), None);
}
