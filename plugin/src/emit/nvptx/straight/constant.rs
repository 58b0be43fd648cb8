//! Division by a constant c.
//!
//! With 1/c in two parts, x·c⁻¹ is one product and one fused multiply-add; for most c that is the rounded quotient for
//! every x (N. Brisebarre, J.-M. Muller, S. K. Raina, "Accelerating correctly rounded floating-point division when the
//! divisor is known in advance", 2004). Whether c is one of them is tried with every significand in single precision;
//! otherwise, and in double precision, the quotient is corrected twice.

use std::collections::BTreeMap;
use std::sync::Mutex;

/// What was found of a divisor's bits: trying all significands takes some milliseconds, and a kernel divides by the same
/// few constants in hundreds of places.
static KNOWN: Mutex<BTreeMap<u32, Divisor>> = Mutex::new(BTreeMap::new());

/// How to divide by it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Divisor {
    /// x·high + x·low, the second product first.
    TwoParts { high: f64, low: f64 },
    /// With 1/c rounded to nearest.
    Nearest(f64),
}

/// Largest magnitude of a divisor that the steps are for, and the inverse of the smallest.
const LARGEST: f64 = (1u64 << 40) as f64;

impl Divisor {
    /// `None` for divisors that the steps are not for.
    pub fn new(c: f64, single: bool) -> Option<Divisor> {
        let moderate = c.is_finite() && (1.0 / LARGEST..=LARGEST).contains(&c.abs());
        if !moderate {
            return None;
        }
        if !single {
            return Some(Divisor::Nearest(1.0 / c));
        }
        let c = c as f32;
        let mut known = KNOWN.lock().unwrap_or_else(|e| e.into_inner());
        Some(*known.entry(c.to_bits()).or_insert_with(|| Divisor::single(c)))
    }

    fn single(c: f32) -> Divisor {
        let (high, low) = two_parts(c);
        match (0..1 << 23).all(|i| is_right(f32::from_bits(0x3f80_0000 | i), c, high, low)) {
            true => Divisor::TwoParts { high: high.into(), low: low.into() },
            false => Divisor::Nearest((1.0 / c).into()),
        }
    }
}

/// 1/c cut off, so that the rest has its sign and zeros keep theirs; and the rest.
fn two_parts(c: f32) -> (f32, f32) {
    let exact = 1.0 / f64::from(c);
    let nearest = exact as f32;
    let high = match f64::from(nearest).abs() > exact.abs() {
        true => f32::from_bits(nearest.to_bits() - 1),
        false => nearest,
    };
    // 1 − c·high is a number of double precision: the product has 48 bits.
    let rest = (1.0 - f64::from(c) * f64::from(high)) / f64::from(c);
    (high, rest as f32)
}

fn is_right(x: f32, c: f32, high: f32, low: f32) -> bool {
    let small = x * low;
    // Exact but for one rounding that a double's bits absorb: 48 bits and a term 24 bits lower.
    let sum = x.mul_add(high, small);
    sum == x / c
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_need_one_part() {
        assert_eq!(Divisor::new(4.0, true), Some(Divisor::TwoParts { high: 0.25, low: 0.0 }));
    }

    #[test]
    fn every_found_divisor_divides_right() {
        let mut two = 0;
        for c in [3.0f32, 5.0, 6.0, 7.0, 9.0, 118.0, 0.1, 1.7, -3.0, 1e6] {
            if let Some(Divisor::TwoParts { high, low }) = Divisor::new(c.into(), true) {
                two += 1;
                for x in [0.0f32, -0.0, 1.0, 1e-10, -3.75, 1e10, 0.333] {
                    let ours = x.mul_add(high as f32, x * low as f32);
                    assert_eq!(ours.to_bits(), (x / c).to_bits(), "{x} / {c}");
                }
            }
        }
        assert!(two > 5, "{two} of 10");
    }

    #[test]
    fn some_are_out_of_range() {
        for c in [0.0, 1e-30, 1e30, f64::NAN, f64::INFINITY] {
            assert_eq!(Divisor::new(c, true), None);
            assert_eq!(Divisor::new(c, false), None);
        }
        assert_eq!(Divisor::new(3.0, false), Some(Divisor::Nearest(1.0 / 3.0)));
    }
}
