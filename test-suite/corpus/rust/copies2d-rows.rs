//! Rows, and parts of them, are copied back from vectors of their own and from a flat one, whose loop counts down.

mod corpus;

#[inline(never)]
fn rows(u: &mut Vec<Vec<f64>>, v: &mut Vec<Vec<f64>>, n: usize, m: usize, steps: usize) {
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
            }
        }
        for i in 1..n - 1 {
            u[i].copy_from_slice(&v[i]);
        }
    }
}

#[inline(never)]
fn flat(u: &mut [f64], v: &mut [f64], n: usize, m: usize, steps: usize) {
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in (1..m - 1).rev() {
                let k = i * m + j;
                v[k] = 0.25 * (u[k - m] + u[k + m] + u[k - 1] + u[k + 1]);
            }
        }
        for i in 1..n - 1 {
            let inner = i * m + 1..i * m + m - 1;
            u[inner.clone()].copy_from_slice(&v[inner]);
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let (mut u, mut v) = (corpus::varied::<f64>(n * m, 1), corpus::varied::<f64>(n * m, 2));
        let apart =
            |all: &[f64]| -> Vec<Vec<f64>> { all.chunks(m).map(|row| row.to_vec()).collect() };
        let (mut s, mut t) = (apart(&u), apart(&v));
        rows(&mut s, &mut t, n, m, case.steps as usize);
        flat(&mut u, &mut v, n, m, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
        output.array("s", 0, &s.concat());
        output.array("t", 0, &t.concat());
    }
}
