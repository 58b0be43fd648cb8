//! The two types of sums, as the functions that add them up see them.

use super::Terms;
use super::lanes::{self, Lanes};

/// `f32` or `f64`.
pub trait Real: Copy + PartialOrd + Send + Sync + 'static {
    const WIDE: bool;
    fn from_bits(bits: u64) -> Self;
    fn to_bits(self) -> u64;
    fn add(self, term: Self) -> Self;
    /// Rounded once.
    fn add_product(self, x: Self, y: Self) -> Self;
    fn widened(self) -> f64;
    /// Numbers side by side in words.
    fn of(words: &[u64]) -> &[Self];
    /// [`lanes::Lanes`]
    fn lanes(terms: Numbers<Self>, start: u64) -> Lanes;
}

impl Real for f64 {
    const WIDE: bool = true;

    fn from_bits(bits: u64) -> f64 {
        f64::from_bits(bits)
    }

    fn to_bits(self) -> u64 {
        f64::to_bits(self)
    }

    #[inline(always)]
    fn add(self, term: f64) -> f64 {
        self + term
    }

    #[inline(always)]
    fn add_product(self, x: f64, y: f64) -> f64 {
        x.mul_add(y, self)
    }

    #[inline(always)]
    fn widened(self) -> f64 {
        self
    }

    fn of(words: &[u64]) -> &[f64] {
        // SAFETY: words of the same size and alignment, of which every value is a number or a NaN.
        unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), words.len()) }
    }

    fn lanes(terms: Numbers<f64>, start: u64) -> Lanes {
        lanes::wide(terms, start)
    }
}

impl Real for f32 {
    const WIDE: bool = false;

    fn from_bits(bits: u64) -> f32 {
        f32::from_bits(bits as u32)
    }

    fn to_bits(self) -> u64 {
        u64::from(f32::to_bits(self))
    }

    #[inline(always)]
    fn add(self, term: f32) -> f32 {
        self + term
    }

    #[inline(always)]
    fn add_product(self, x: f32, y: f32) -> f32 {
        x.mul_add(y, self)
    }

    #[inline(always)]
    fn widened(self) -> f64 {
        f64::from(self)
    }

    fn of(words: &[u64]) -> &[f32] {
        // SAFETY: two halves a word, of less alignment, of which every value is a number or a NaN.
        unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), 2 * words.len()) }
    }

    fn lanes(terms: Numbers<f32>, start: u64) -> Lanes {
        lanes::narrow(terms, start)
    }
}

/// The terms of a step as numbers, and what they are multiplied with.
#[derive(Clone, Copy, Debug)]
pub struct Numbers<'a, R> {
    pub terms: &'a [R],
    pub factors: Option<&'a [R]>,
}

impl<'a, R: Real> Numbers<'a, R> {
    pub fn of(terms: Terms<'a>, count: usize) -> Numbers<'a, R> {
        let first = |words: &'a [u64]| &R::of(words)[..count];
        Numbers { terms: first(terms.words), factors: terms.factors.map(first) }
    }

    /// Some of them.
    pub fn part(self, range: std::ops::Range<usize>) -> Numbers<'a, R> {
        let part = |all: &'a [R]| &all[range.clone()];
        Numbers { terms: part(self.terms), factors: self.factors.map(part) }
    }
}

/// Functions of which the CPU chooses a version: with wider registers and a fused multiply-add where it has them; where it
/// has not, a library multiplies and adds.
macro_rules! by_cpu {
    ($(#[$doc:meta])* pub fn $name:ident<R: Real, const N: usize>($($arg:ident: $ty:ty),*) -> $to:ty $body:block) => {
        $(#[$doc])*
        pub fn $name<R: Real, const N: usize>($($arg: $ty),*) -> $to {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma")]
                fn with_fma<R: Real, const N: usize>($($arg: $ty),*) -> $to $body
                if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
                    // SAFETY: the CPU has both.
                    return unsafe { with_fma::<R, N>($($arg),*) };
                }
            }
            $body
        }
    };
}

pub(crate) use by_cpu;
