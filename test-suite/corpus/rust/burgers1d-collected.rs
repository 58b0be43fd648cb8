//! Godunov's method: fluxes are collected into a vector of each step's own, whose length the checks ask for, and the new values
//! are a copy that is changed.

mod corpus;

fn flux(u: f64) -> f64 {
    0.5 * u * u
}

fn godunov<F: Fn(f64) -> f64>(u: &[f64], k: f64, f: F) -> Vec<f64> {
    let n = u.len();
    let faces: Vec<f64> = (0..n - 1)
        .map(|i| {
            let (a, b) = (u[i], u[i + 1]);
            if a > b {
                f(a).max(f(b))
            } else if a > 0.0 {
                f(a)
            } else if b < 0.0 {
                f(b)
            } else {
                0.0
            }
        })
        .collect();
    let mut next = u.to_vec();
    for i in 1..n - 1 {
        next[i] = u[i] - k * (faces[i] - faces[i - 1]);
    }
    next
}

#[inline(never)]
fn flow(mut u: Vec<f64>, steps: usize) -> Vec<f64> {
    for _ in 0..steps {
        u = godunov(&u, 0.25, flux);
    }
    u
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let u = corpus::varied(case.nx as usize, 1);
        let u = flow(u, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u);
    }
}
