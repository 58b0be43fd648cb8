//! Laplace's equation until the norm of the change is small; the norm that was reached is the caller's.

mod corpus;

#[inline(never)]
fn laplace<'a>(mut u: &'a mut [f64], mut v: &'a mut [f64], n: usize, m: usize, steps: i64, tolerance: f64) -> (i64, f64) {
    let (mut norm, mut step) = (2.0 * tolerance, 0);
    while norm > tolerance && step < steps {
        let mut sum = 0.0;
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                v[i * m + j] = 0.25
                    * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
                sum += (v[i * m + j] - u[i * m + j]).powi(2);
            }
        }
        std::mem::swap(&mut u, &mut v);
        norm = f64::sqrt(sum);
        step += 1;
    }
    (step, norm)
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = corpus::varied::<f64>(n * m, 1);
        let mut v = corpus::varied::<f64>(n * m, 2);
        let (taken, norm) = laplace(&mut u, &mut v, n, m, case.steps as i64, 0.4);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
        output.array("results", 0, &[taken as f64, norm]);
    }
}
