//! A function returns the differences of each step, which are added to the grid as far as both go.

mod corpus;

fn laplacian(u: &[f64], n: usize, m: usize) -> Vec<f64> {
    let mut out = vec![0.0; n * m];
    for i in 1..n - 1 {
        for j in 1..m - 1 {
            let p = i * m + j;
            out[p] = u[p - m] + u[p + m] + u[p - 1] + u[p + 1] - 4.0 * u[p];
        }
    }
    out
}

#[inline(never)]
fn heat(u: &mut Vec<f64>, n: usize, m: usize, steps: usize) {
    for _ in 0..steps {
        let change = laplacian(u, n, m);
        for (x, d) in u.iter_mut().zip(&change) {
            *x += 0.1 * d;
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = corpus::varied::<f64>(n * m, 1);
        heat(&mut u, n, m, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u);
    }
}
