//! Inner rows, and inner elements of each, by iterators that leave out the first and the last.

mod corpus;

#[inline(never)]
fn heat(u: &mut Vec<f64>, next: &mut Vec<f64>, n: usize, m: usize, steps: usize) {
    for _ in 0..steps {
        for (i, row) in next.chunks_exact_mut(m).enumerate().skip(1).take(n - 2) {
            for (j, x) in row.iter_mut().enumerate().skip(1).take(m - 2) {
                let k = i * m + j;
                *x = u[k] + 0.1 * (u[k - m] + u[k + m] + u[k - 1] + u[k + 1] - 4.0 * u[k]);
            }
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
