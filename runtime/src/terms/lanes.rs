//! Sums that go through a chunk side by side, each through terms of its own.
//!
//! One of the few doors to unsafe code: instructions that not every CPU has, and loads of vectors. (Of loops over lanes
//! LLVM makes vectors of the additions, but not of the comparisons.)

use super::chunks::{Layout, Passage};
use super::real::{Numbers, Real};

/// Most lanes of any type.
const MOST: usize = 16;

/// What every `N`th term does to a sum, for the first `N` terms as the first of them; nothing for the lanes behind.
pub type Lanes = [Passage; MOST];

/// Sums from an even mantissa and from an odd one, and how far the former have been.
struct Pairs<R, const N: usize> {
    even: [R; N],
    odd: [R; N],
    least: [R; N],
    most: [R; N],
}

impl<R: Real, const N: usize> Pairs<R, N> {
    fn from(start: u64) -> Pairs<R, N> {
        let even = [R::from_bits(start); N];
        Pairs { even, odd: [R::from_bits(start | 1); N], least: even, most: even }
    }

    #[inline(always)]
    fn take(&mut self, k: usize, add: impl Fn(R) -> R) {
        let (even, odd) = (add(self.even[k]), add(self.odd[k]));
        (self.even[k], self.odd[k]) = (even, odd);
        self.least[k] = if even < self.least[k] { even } else { self.least[k] };
        self.most[k] = if even > self.most[k] { even } else { self.most[k] };
    }

    /// All of these terms, the first in the first lane.
    fn go_through(&mut self, terms: Numbers<R>) {
        match terms.factors {
            None => {
                for (i, &x) in terms.terms.iter().enumerate() {
                    self.take(i % N, |sum| sum.add(x));
                }
            }
            Some(factors) => {
                for (i, (&x, &y)) in terms.terms.iter().zip(factors).enumerate() {
                    self.take(i % N, |sum| sum.add_product(x, y));
                }
            }
        }
    }

    fn passages(&self, start: u64) -> Lanes {
        let layout = Layout::of(R::WIDE);
        let mut lanes = [Passage::default(); MOST];
        for (k, lane) in lanes[..N].iter_mut().enumerate() {
            let moved = |to: R, from| layout.moved(from, to.to_bits());
            let (even, odd) = (moved(self.even[k], start), moved(self.odd[k], start | 1));
            let ways = [moved(self.least[k], start), moved(self.most[k], start)];
            *lane = Passage::along(even, odd, ways);
        }
        lanes
    }
}

/// Runs of terms that are gone through at a time.
const RUNS: usize = 8;

/// All terms, in their order: a run of them in each lane.
pub fn in_order<R: Real>(terms: Numbers<R>, start: u64) -> Passage {
    let run = terms.terms.len() / RUNS;
    let mut sums = Pairs::<R, RUNS>::from(start);
    for i in 0..run {
        for k in 0..RUNS {
            let x = terms.terms[k * run + i];
            match terms.factors {
                None => sums.take(k, |sum| sum.add(x)),
                Some(factors) => sums.take(k, |sum| sum.add_product(x, factors[k * run + i])),
            }
        }
    }
    let mut rest = Pairs::<R, 1>::from(start);
    rest.go_through(terms.part(RUNS * run..terms.terms.len()));
    let runs = sums.passages(start)[..RUNS].iter().fold(Passage::default(), |p, &r| p.then(r));
    runs.then(rest.passages(start)[0])
}

/// As many lanes as two of the CPU's vectors have.
macro_rules! lanes {
    ($name:ident, $real:ident, $lanes:literal, $load:ident, $store:ident, $splat:ident, $add:ident, $fma:ident, $min:ident,
     $max:ident) => {
        pub fn $name(terms: Numbers<$real>, start: u64) -> Lanes {
            const HALF: usize = $lanes / 2;
            let mut sums = Pairs::<$real, $lanes>::from(start);
            let whole = terms.terms.len() / $lanes * $lanes;
            #[cfg(target_arch = "x86_64")]
            {
                use std::arch::x86_64::*;

                #[target_feature(enable = "avx2,fma")]
                fn in_vectors(terms: Numbers<$real>, sums: &mut Pairs<$real, $lanes>) {
                    // SAFETY: a vector is loaded from as many numbers as it has, wherever they lie.
                    let at = |numbers: &[$real; $lanes]| unsafe {
                        [$load(numbers.as_ptr()), $load(numbers[HALF..].as_ptr())]
                    };
                    let [mut even, mut least, mut most] = [$splat(sums.even[0]); 3].map(|s| [s; 2]);
                    let mut odd = [$splat(sums.odd[0]); 2];
                    let (terms, factors) = (terms.terms, terms.factors);
                    let fused = factors.is_some();
                    let factors = factors.unwrap_or(terms).as_chunks::<$lanes>().0;
                    for (x, y) in terms.as_chunks::<$lanes>().0.iter().zip(factors) {
                        let (x, y) = (at(x), at(y));
                        for h in 0..2 {
                            (even[h], odd[h]) = if fused {
                                ($fma(x[h], y[h], even[h]), $fma(x[h], y[h], odd[h]))
                            } else {
                                ($add(even[h], x[h]), $add(odd[h], x[h]))
                            };
                            // The second where the first is a NaN: that stays one to the end.
                            least[h] = $min(even[h], least[h]);
                            most[h] = $max(even[h], most[h]);
                        }
                    }
                    let into = |to: &mut [$real; $lanes], from: [_; 2]| {
                        let (first, second) = to.split_at_mut(HALF);
                        // SAFETY: a vector is stored to as many numbers as it has, wherever they lie.
                        unsafe {
                            $store(first.as_mut_ptr(), from[0]);
                            $store(second.as_mut_ptr(), from[1]);
                        }
                    };
                    into(&mut sums.even, even);
                    into(&mut sums.odd, odd);
                    into(&mut sums.least, least);
                    into(&mut sums.most, most);
                }

                if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                    // SAFETY: the CPU has both.
                    unsafe { in_vectors(terms.part(0..whole), &mut sums) };
                    sums.go_through(terms.part(whole..terms.terms.len()));
                    return sums.passages(start);
                }
            }
            sums.go_through(terms);
            sums.passages(start)
        }
    };
}

lanes!(
    wide,
    f64,
    8,
    _mm256_loadu_pd,
    _mm256_storeu_pd,
    _mm256_set1_pd,
    _mm256_add_pd,
    _mm256_fmadd_pd,
    _mm256_min_pd,
    _mm256_max_pd
);
lanes!(
    narrow,
    f32,
    16,
    _mm256_loadu_ps,
    _mm256_storeu_ps,
    _mm256_set1_ps,
    _mm256_add_ps,
    _mm256_fmadd_ps,
    _mm256_min_ps,
    _mm256_max_ps
);
