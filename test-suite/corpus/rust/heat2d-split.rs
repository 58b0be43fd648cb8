//! The inner rows split off from what lies before and behind them, and gone through by chunks.

mod corpus;

#[inline(never)]
fn heat(u: &mut Vec<f64>, v: &mut Vec<f64>, n: usize, m: usize, steps: usize) {
    for _ in 0..steps {
        let (_, below) = v.split_at_mut(m);
        let (inner, _) = below.split_at_mut((n - 2) * m);
        for (i, row) in inner.chunks_exact_mut(m).enumerate() {
            let at = |i, j| u[i * m + j];
            for j in 1..m - 1 {
                let around = at(i, j) + at(i + 2, j) + at(i + 1, j - 1) + at(i + 1, j + 1);
                row[j] = 0.6 * at(i + 1, j) + 0.1 * around;
            }
        }
        std::mem::swap(u, v);
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
