//! Every third step sweeps in another way; indices are checked in both, in a function that has vectors to drop.

mod corpus;

fn spread(n: usize, m: usize, u: &[f64], v: &mut [f64]) {
    for i in 1..n - 1 {
        for j in 1..m - 1 {
            v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
        }
    }
}

fn smooth(n: usize, m: usize, u: &[f64], v: &mut [f64]) {
    for i in 1..n - 1 {
        for j in 1..m - 1 {
            v[i * m + j] = 0.5 * u[i * m + j] + 0.25 * (u[i * m + j - 1] + u[i * m + j + 1]);
        }
    }
}

#[inline(never)]
fn heat(first: &[f64], n: usize, m: usize, steps: usize) -> Vec<f64> {
    let mut u = first.to_vec();
    let mut v = first.to_vec();
    for t in 0..steps {
        if t % 3 == 0 {
            spread(n, m, &u, &mut v);
        } else {
            smooth(n, m, &v, &mut u);
            u[0] += 1.0;
        }
    }
    u.extend(v);
    u
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let first = corpus::varied::<f64>(n * m, 1);
        let last = heat(&first, n, m, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &last);
    }
}
