//! One loop over the whole grid: row and column by division, the border left out.

mod corpus;

#[inline(never)]
fn heat(u: &mut Vec<f64>, next: &mut Vec<f64>, n: usize, m: usize, steps: usize) {
    for _ in 0..steps {
        for k in 0..n * m {
            let (i, j) = (k / m, k % m);
            if i == 0 || i == n - 1 || j == 0 || j == m - 1 {
                continue;
            }
            next[k] = u[k] + 0.1 * (u[k - 1] + u[k + 1] + u[k - m] + u[k + m] - 4.0 * u[k]);
        }
        std::mem::swap(u, next);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = corpus::varied::<f64>(n * m, 1);
        let mut v = corpus::varied::<f64>(n * m, 2);
        heat(&mut u, &mut v, n, m, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
    }
}
