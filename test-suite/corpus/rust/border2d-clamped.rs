//! Neighbours beyond the border are the border itself: indices are clamped in the body.

mod corpus;

#[inline(never)]
fn smooth(u: &mut Vec<f64>, next: &mut Vec<f64>, n: usize, m: usize, steps: usize) {
    for _ in 0..steps {
        for i in 0..n {
            let (up, down) = (i.saturating_sub(1), (i + 1).min(n - 1));
            for j in 0..m {
                let (left, right) = (j.saturating_sub(1), (j + 1).min(m - 1));
                next[i * m + j] =
                    0.25 * (u[up * m + j] + u[down * m + j] + u[i * m + left] + u[i * m + right]);
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
        smooth(&mut u, &mut v, n, m, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
    }
}
