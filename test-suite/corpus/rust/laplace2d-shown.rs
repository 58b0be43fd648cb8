//! Laplace's equation until no cell changes by more than a tolerance. The change itself is printed every few steps, and at
//! the end.

mod corpus;

#[inline(never)]
fn laplace(u: &mut Vec<f64>, v: &mut Vec<f64>, n: usize, m: usize, steps: i64) -> (i64, f64) {
    let mut error = f64::MAX;
    let mut iter = 0;
    while error > 0.02 && iter < steps {
        error = 0.0;
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let k = i * m + j;
                v[k] = 0.25 * (u[k - 1] + u[k + 1] + u[k - m] + u[k + m]);
                error = f64::max(error, (v[k] - u[k]).abs());
            }
        }
        std::mem::swap(u, v);
        if iter % 10 == 0 {
            println!("{iter:5}, {error:0.6}");
        }
        iter += 1;
    }
    println!("{iter} steps, the last changed {error:e}");
    (iter, error)
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = corpus::varied::<f64>(n * m, 1);
        let mut v = corpus::varied::<f64>(n * m, 2);
        let (taken, error) = laplace(&mut u, &mut v, n, m, case.steps as i64);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
        output.array("taken", 0, &[taken as f64, error]);
    }
}
