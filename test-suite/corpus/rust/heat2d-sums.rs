//! Heat equation whose sums, one of them under a condition, are those of the last step.

mod corpus;

#[inline(never)]
fn heat<'a>(mut u: &'a mut [f64], mut v: &'a mut [f64], n: usize, m: usize, steps: i64) -> (f64, i64) {
    let mut last = (-1.0, -1);
    for _ in 0..steps {
        let (mut sum, mut warm) = (0.0, 0);
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let around = u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1];
                v[i * m + j] = u[i * m + j] + 0.2 * (around - 4.0 * u[i * m + j]);
                if v[i * m + j] > 0.5 {
                    sum += v[i * m + j];
                    warm += 1;
                }
            }
        }
        std::mem::swap(&mut u, &mut v);
        last = (sum, warm);
    }
    last
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = corpus::varied::<f64>(n * m, 1);
        let mut v = corpus::varied::<f64>(n * m, 2);
        let (sum, warm) = heat(&mut u, &mut v, n, m, case.steps as i64);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
        output.array("results", 0, &[sum, warm as f64]);
    }
}
