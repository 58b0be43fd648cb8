//! One term after the other, of several steps at a time: an addition waits for the one before it, but not for those of other
//! steps.

use super::real::{Numbers, Real, by_cpu};

by_cpu! {
    #[allow(clippy::needless_range_loop)] // one index for all steps
    /// Adds to each of these sums the terms of its step; all have as many, and all are multiplied or none.
    pub fn abreast<R: Real, const N: usize>(steps: [Numbers<R>; N], sums: [R; N]) -> [R; N] {
        let (mut sums, count) = (sums, steps[0].terms.len());
        let terms = steps.map(|s| &s.terms[..count]);
        match steps[0].factors {
            None => {
                for i in 0..count {
                    for k in 0..N {
                        sums[k] = sums[k].add(terms[k][i]);
                    }
                }
            }
            Some(_) => {
                let factors = steps.map(|s| &s.factors.unwrap_or(s.terms)[..count]);
                for i in 0..count {
                    for k in 0..N {
                        sums[k] = sums[k].add_product(terms[k][i], factors[k][i]);
                    }
                }
            }
        }
        sums
    }
}
