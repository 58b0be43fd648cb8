//! Between which numbers a sum lies that a loop would compute, where it has been computed in another order.
//!
//! Consumes a sum of the same values in double precision, the sum of their magnitudes, and how many there are; produces
//! two numbers of the loop's type. Refuses where nothing is known: too many values for the precision, overflow, NaNs.
//!
//! Adding n values in any order is off by at most γ(n) = n·u / (1 − n·u) times the sum of their magnitudes, where u is
//! half the distance from one to the next number (Higham, Accuracy and Stability of Numerical Algorithms, section 4.2);
//! a product rounded before is one operation more, and may besides lose the smallest number there is; where the program
//! flushes to zero, each operation may lose the smallest normal one. Both sums are off: the loop's, and the one at hand.

/// What is known of a sum.
#[derive(Clone, Copy, Debug)]
pub struct Sum {
    /// Of all values but the first, in some order.
    pub sum: f64,
    /// The same of their magnitudes.
    pub magnitudes: f64,
    /// What the loop begins with.
    pub initial: f64,
    /// How many values there are, at most.
    pub terms: f64,
    /// The loop computes with `f32`.
    pub single: bool,
    /// Values may be negative.
    pub signed: bool,
}

/// Operations beside the additions of all values: a product, the first value, and rounding in this function.
const OTHERS: f64 = 8.0;
/// More than what this function's own arithmetic is off by, as a factor.
const SLACK: f64 = 1.0 + 1e-6;

/// Numbers between which the loop's sum lies, never equal. `None` where there are none.
pub fn of(s: Sum) -> Option<(f64, f64)> {
    let (unit, smallest, largest) = match s.single {
        true => (f64::from(f32::EPSILON) / 2.0, f64::from(f32::MIN_POSITIVE), f64::from(f32::MAX)),
        false => (f64::EPSILON / 2.0, f64::MIN_POSITIVE, f64::MAX),
    };
    let sum = s.sum + s.initial;
    let magnitudes = s.magnitudes.abs() + s.initial.abs();
    // Not with NaNs either.
    if !(magnitudes < largest / 8.0 && sum.abs() < largest / 8.0) {
        return None;
    }
    // Merging the parts of all threads takes no more additions than there are values.
    let (own, here) =
        (gamma(s.terms + OTHERS, unit)?, gamma(2.0 * s.terms + OTHERS, f64::EPSILON / 2.0)?);
    let off =
        (own + here) * (magnitudes / (1.0 - here)) * SLACK + 4.0 * (s.terms + OTHERS) * smallest;
    let (mut low, high) = (lower(sum - off, s.single), upper(sum + off, s.single));
    // Each addition of what is not negative leaves at least as much.
    if !s.signed && s.initial >= 0.0 {
        low = low.max(s.initial);
    }
    (low < high).then_some((low, high))
}

fn gamma(n: f64, unit: f64) -> Option<f64> {
    let part = n * unit;
    (part < 0.25).then(|| part / (1.0 - part))
}

/// A number of the loop's type that is not larger.
fn lower(x: f64, single: bool) -> f64 {
    let x = x.next_down();
    if !single {
        return x;
    }
    let near = x as f32;
    f64::from(if f64::from(near) > x { near.next_down() } else { near })
}

fn upper(x: f64, single: bool) -> f64 {
    -lower(-x, single)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values between -1 and 1 that differ much in size.
    fn values(seed: u64, n: usize, signed: bool) -> Vec<f64> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let size = |x: f64, y: f64| (x - if signed { 0.5 } else { 0.0 }) * (-20.0 * y).exp2();
        (0..n).map(|_| size(next(), next())).collect()
    }

    /// In four interleaved parts, as threads do.
    fn parts(of: impl Iterator<Item = f64>) -> f64 {
        let mut parts = [0.0; 4];
        of.enumerate().for_each(|(i, x)| parts[i % 4] += x);
        parts.iter().sum()
    }

    #[test]
    fn a_serial_sum_lies_between() {
        for (seed, n) in [(1, 0), (2, 1), (3, 2), (4, 17), (5, 1000), (6, 100_000)] {
            for signed in [false, true] {
                for initial in [0.0, -0.0, 3.0, -1e-3] {
                    let values = values(seed, n, signed);
                    let known = Sum {
                        sum: parts(values.iter().copied()),
                        magnitudes: parts(values.iter().map(|x| x.abs())),
                        initial,
                        terms: n as f64,
                        single: false,
                        signed,
                    };
                    let (low, high) = of(known).unwrap();
                    let serial = values.iter().fold(initial, |s, x| s + x);
                    assert!(low <= serial && serial <= high, "{known:?}: {serial}");
                    assert!(low < high);
                    let single: Vec<f32> = values.iter().map(|&x| x as f32).collect();
                    let known = Sum {
                        sum: parts(single.iter().map(|&x| f64::from(x))),
                        magnitudes: parts(single.iter().map(|&x| f64::from(x.abs()))),
                        initial: f64::from(initial as f32),
                        single: true,
                        ..known
                    };
                    let serial = f64::from(single.iter().fold(initial as f32, |s, x| s + x));
                    let (low, high) = of(known).unwrap();
                    assert!(low <= serial && serial <= high, "{known:?}: {serial}");
                    assert_eq!((low, high), (f64::from(low as f32), f64::from(high as f32)));
                }
            }
        }
    }

    #[test]
    fn squares_that_are_rounded_or_not_lie_between() {
        let xs: Vec<f32> = values(9, 5000, true).iter().map(|&x| x as f32).collect();
        let squares = || xs.iter().map(|&x| f64::from(x) * f64::from(x));
        let sum = parts(squares());
        let known =
            Sum { sum, magnitudes: sum, initial: 0.0, terms: 5000.0, single: true, signed: false };
        let (low, high) = of(known).unwrap();
        for serial in [
            xs.iter().fold(0.0f32, |s, x| s + x * x),
            xs.iter().fold(0.0f32, |s, x| x.mul_add(*x, s)),
        ] {
            assert!(low <= f64::from(serial) && f64::from(serial) <= high);
        }
        // Products too small for the type.
        let tiny = 1e-23f32;
        let sum = 5000.0 * f64::from(tiny) * f64::from(tiny);
        let known = Sum { sum, magnitudes: sum, ..known };
        let serial = (0..5000).fold(0.0f32, |s, _| s + tiny * tiny);
        let (low, high) = of(known).unwrap();
        assert!(low <= f64::from(serial) && f64::from(serial) <= high && low >= 0.0);
        // Of a program that flushes them.
        assert!(low == 0.0 && high > sum);
    }

    #[test]
    fn nothing_is_said_of_what_is_not_known() {
        let known = Sum {
            sum: 1.0,
            magnitudes: 1.0,
            initial: 0.0,
            terms: 10.0,
            single: true,
            signed: true,
        };
        assert!(of(known).is_some());
        for bad in [
            Sum { sum: f64::NAN, magnitudes: f64::NAN, ..known },
            Sum { magnitudes: f64::NAN, ..known },
            Sum { magnitudes: f64::INFINITY, ..known },
            Sum { initial: f64::NAN, ..known },
            Sum { initial: f64::NEG_INFINITY, ..known },
            Sum { magnitudes: 3e38, ..known },
            Sum { terms: 1e7, ..known },
        ] {
            assert!(of(bad).is_none(), "{bad:?}");
        }
        assert!(of(Sum { terms: 1e7, single: false, ..known }).is_some());
    }
}
