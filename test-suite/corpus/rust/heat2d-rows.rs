//! Rows to write and their numbers by an iterator; above the first and below the last one lies the row itself.

mod corpus;

#[inline(never)]
fn heat(u: &mut Vec<f64>, next: &mut Vec<f64>, m: usize, steps: usize) {
    let n = u.len() / m;
    for _ in 0..steps {
        for (i, row) in next.chunks_exact_mut(m).enumerate() {
            let (above, here, below) = (i.saturating_sub(1) * m, i * m, (i + 1).min(n - 1) * m);
            for j in 1..m - 1 {
                let across = u[here + j - 1] + u[here + j + 1];
                row[j] = u[here + j] + 0.1 * (u[above + j] + u[below + j] + across - 4.0 * u[here + j]);
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
        heat(&mut u, &mut v, m, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
    }
}
