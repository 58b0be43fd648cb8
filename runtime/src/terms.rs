//! Sums that are added up as the loop would: one term after the other.
//!
//! Consumes the terms of several steps, in the loop's order; produces the sums, to the last bit. An addition waits for the
//! one before it, but not for those of other steps: a thread goes through several steps at a time, and threads share them.
//!
//! One of the few doors to unsafe code: instructions that not every CPU has.

use crate::device::cpu;
use crate::fp::Environment;
use crate::run;

/// Steps that a thread adds up at a time.
const ABREAST: usize = 8;
/// Terms that are worth a second thread.
const MANY: usize = 1 << 15;

/// What a step adds up. Of `f32`, each word holds two.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'a> {
    pub words: &'a [u64],
    /// Products with these are not rounded before they are added.
    pub factors: Option<&'a [u64]>,
}

/// How many terms a step has, of which type, and what the loop begins with.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    pub count: usize,
    pub wide: bool,
    pub initial: u64,
}

/// The sum of each step, as the loop writes it.
pub fn add_up(steps: &[Terms], form: Form, threads: usize) -> Vec<u64> {
    let mut sums = vec![form.initial; steps.len()];
    let environment = Environment::current();
    let is_much = steps.len() > 1 && steps.len() * form.count >= MANY;
    if threads == 1 || !is_much || !cpu::is_running(threads) {
        some(steps, form, &mut sums);
        return sums;
    }
    let share = steps.len().div_ceil(threads);
    let shared = cpu::within(threads, || {
        rayon::scope(|scope| {
            for (steps, sums) in steps.chunks(share).zip(sums.chunks_mut(share)) {
                scope.spawn(move |_| environment.during(|| some(steps, form, sums)));
            }
        });
    });
    if shared.is_err() {
        run::abandon("the threads of the pool are gone");
    }
    sums
}

fn some(mut steps: &[Terms], form: Form, mut sums: &mut [u64]) {
    let mut together = ABREAST;
    while !steps.is_empty() {
        while together > steps.len() {
            together /= 2;
        }
        let (now, later) = steps.split_at(together);
        let (to, others) = sums.split_at_mut(together);
        match together {
            8 => abreast::<8>(now, form, to),
            4 => abreast::<4>(now, form, to),
            2 => abreast::<2>(now, form, to),
            _ => abreast::<1>(now, form, to),
        }
        (steps, sums) = (later, others);
    }
}

fn abreast<const N: usize>(steps: &[Terms], form: Form, to: &mut [u64]) {
    let words = if form.wide { form.count } else { form.count.div_ceil(2) };
    let terms: [&[u64]; N] = std::array::from_fn(|k| &steps[k].words[..words]);
    let fused = steps[0].factors.is_some();
    let factors: [&[u64]; N] =
        std::array::from_fn(|k| &steps[k].factors.unwrap_or(steps[k].words)[..words]);
    if form.wide {
        let mut sums = [f64::from_bits(form.initial); N];
        match fused {
            true => wide_products(terms, factors, &mut sums),
            false => wide(terms, &mut sums),
        }
        to.iter_mut().zip(sums).for_each(|(to, sum)| *to = sum.to_bits());
    } else {
        let mut sums = [f32::from_bits(form.initial as u32); N];
        let even = form.count.is_multiple_of(2);
        match fused {
            true => narrow_products(terms, factors, even, &mut sums),
            false => narrow(terms, even, &mut sums),
        }
        to.iter_mut().zip(sums).for_each(|(to, sum)| *to = u64::from(sum.to_bits()));
    }
}

#[allow(clippy::needless_range_loop)] // one index for all steps
fn wide<const N: usize>(terms: [&[u64]; N], sums: &mut [f64; N]) {
    let count = terms[0].len();
    let terms = terms.map(|t| &t[..count]);
    for i in 0..count {
        for k in 0..N {
            sums[k] += f64::from_bits(terms[k][i]);
        }
    }
}

/// The two that a word holds, the first in front.
fn halves(word: u64) -> [f32; 2] {
    [f32::from_bits(word as u32), f32::from_bits((word >> 32) as u32)]
}

#[allow(clippy::needless_range_loop)] // one index for all steps
fn narrow<const N: usize>(terms: [&[u64]; N], even: bool, sums: &mut [f32; N]) {
    let count = terms[0].len();
    let terms = terms.map(|t| &t[..count]);
    for i in 0..count {
        for k in 0..N {
            let [first, second] = halves(terms[k][i]);
            sums[k] += first;
            if even || i + 1 < count {
                sums[k] += second;
            }
        }
    }
}

/// Two versions of a function, of which the CPU chooses: where it has no fused multiply-add, a library has.
macro_rules! with_fma {
    ($name:ident, ($($arg:ident: $ty:ty),*), $body:block) => {
        fn $name<const N: usize>($($arg: $ty),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "fma")]
                fn by_instruction<const N: usize>($($arg: $ty),*) $body
                if std::arch::is_x86_feature_detected!("fma") {
                    // SAFETY: the CPU has it.
                    return unsafe { by_instruction::<N>($($arg),*) };
                }
            }
            $body
        }
    };
}

with_fma!(wide_products, (terms: [&[u64]; N], factors: [&[u64]; N], sums: &mut [f64; N]), {
    let count = terms[0].len();
    let (terms, factors) = (terms.map(|t| &t[..count]), factors.map(|f| &f[..count]));
    for i in 0..count {
        for k in 0..N {
            let (x, y) = (f64::from_bits(terms[k][i]), f64::from_bits(factors[k][i]));
            sums[k] = x.mul_add(y, sums[k]);
        }
    }
});

with_fma!(narrow_products, (terms: [&[u64]; N], factors: [&[u64]; N], even: bool, sums: &mut [f32; N]), {
    let count = terms[0].len();
    let (terms, factors) = (terms.map(|t| &t[..count]), factors.map(|f| &f[..count]));
    for i in 0..count {
        for k in 0..N {
            let (x, y) = (halves(terms[k][i]), halves(factors[k][i]));
            sums[k] = x[0].mul_add(y[0], sums[k]);
            if even || i + 1 < count {
                sums[k] = x[1].mul_add(y[1], sums[k]);
            }
        }
    }
});

#[cfg(test)]
mod tests {
    use super::*;

    fn term(step: usize, i: usize) -> f64 {
        ((i * 7919 + step * 31) % 1009) as f64 * 1e-3 - 0.4
    }

    #[test]
    fn doubles_are_added_in_order() {
        for (count, steps) in [(0, 3), (1, 1), (17, 16), (4000, 13), (4001, 7)] {
            let lists: Vec<Vec<u64>> =
                (0..steps).map(|s| (0..count).map(|i| term(s, i).to_bits()).collect()).collect();
            let form = Form { count, wide: true, initial: 0.1f64.to_bits() };
            for fused in [false, true] {
                let terms: Vec<Terms> = lists
                    .iter()
                    .map(|words| Terms { words, factors: fused.then_some(&words[..]) })
                    .collect();
                for (s, sum) in add_up(&terms, form, 2).into_iter().enumerate() {
                    let expected = (0..count).fold(0.1f64, |sum, i| {
                        let x = term(s, i);
                        if fused { x.mul_add(x, sum) } else { sum + x }
                    });
                    assert_eq!(sum, expected.to_bits(), "{count} terms of step {s}, {fused}");
                }
            }
        }
    }

    #[test]
    fn floats_are_added_in_order() {
        for (count, steps) in [(0, 1), (1, 2), (2, 3), (1001, 16)] {
            let pair = |s: usize, i: usize| {
                let half = |i: usize| u64::from((term(s, i) as f32).to_bits());
                half(2 * i) | half(2 * i + 1) << 32
            };
            let lists: Vec<Vec<u64>> = (0..steps)
                .map(|s| (0..usize::div_ceil(count, 2)).map(|i| pair(s, i)).collect())
                .collect();
            let form = Form { count, wide: false, initial: u64::from(0.1f32.to_bits()) };
            for fused in [false, true] {
                let terms: Vec<Terms> = lists
                    .iter()
                    .map(|words| Terms { words, factors: fused.then_some(&words[..]) })
                    .collect();
                for (s, sum) in add_up(&terms, form, 1).into_iter().enumerate() {
                    let expected = (0..count).fold(0.1f32, |sum, i| {
                        let x = term(s, i) as f32;
                        if fused { x.mul_add(x, sum) } else { sum + x }
                    });
                    assert_eq!(sum, u64::from(expected.to_bits()), "{count} of step {s}, {fused}");
                }
            }
        }
    }

    #[test]
    fn what_adds_nothing_leaves_the_sign_of_a_zero() {
        for initial in [0.0f64, -0.0] {
            let words = [(-0.0f64).to_bits(); 3];
            let ones = [1.0f64.to_bits(); 3];
            let form = Form { count: 3, wide: true, initial: initial.to_bits() };
            for factors in [None, Some(&ones[..])] {
                let steps = [Terms { words: &words, factors }];
                assert_eq!(add_up(&steps, form, 1), [initial.to_bits()]);
            }
        }
    }
}
