//! Complex numbers as a structure with operators of its own, in vectors that are swapped.

mod corpus;

use std::ops::{Add, Mul, Sub};

#[derive(Clone, Copy)]
struct Complex {
    re: f64,
    im: f64,
}

impl Add for Complex {
    type Output = Complex;
    fn add(self, other: Complex) -> Complex {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Complex {
    type Output = Complex;
    fn sub(self, other: Complex) -> Complex {
        Complex { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Mul for Complex {
    type Output = Complex;
    fn mul(self, other: Complex) -> Complex {
        Complex {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }
}

#[inline(never)]
fn evolve(p: &mut Vec<Complex>, q: &mut Vec<Complex>, steps: usize) {
    let (spread, two) = (Complex { re: 0.001, im: 0.01 }, Complex { re: 2.0, im: 0.0 });
    for _ in 0..steps {
        for i in 1..p.len() - 1 {
            q[i] = p[i] + spread * (p[i - 1] - two * p[i] + p[i + 1]);
        }
        std::mem::swap(p, q);
    }
}

fn complex(parts: &[f64]) -> Vec<Complex> {
    parts.chunks(2).map(|c| Complex { re: c[0], im: c[1] }).collect()
}

fn parts(numbers: &[Complex]) -> Vec<f64> {
    numbers.iter().flat_map(|c| [c.re, c.im]).collect()
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let n = 2 * case.nx as usize;
        let mut p = complex(&corpus::varied::<f64>(n, 1));
        let mut q = complex(&corpus::varied::<f64>(n, 2));
        evolve(&mut p, &mut q, case.steps as usize);
        output.case(&case);
        output.array("p", 0, &parts(&p));
        output.array("q", 0, &parts(&q));
    }
}
