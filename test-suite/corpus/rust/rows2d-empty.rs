//! Grids of rows without rows, or of which one has fewer: the first access of the loops fails, and no row is there that
//! could be looked at before them.

mod corpus;

use std::panic::{AssertUnwindSafe, catch_unwind};

#[inline(never)]
fn relax(u: &mut Vec<Vec<f64>>, v: &mut Vec<Vec<f64>>, n: usize, steps: usize) {
    for _ in 0..steps {
        let m = v[0].len();
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
            }
        }
        std::mem::swap(u, v);
    }
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let rows = |count: usize, seed: u64| -> Vec<Vec<f64>> {
            corpus::varied::<f64>(n * m, seed)
                .chunks(m)
                .take(count)
                .map(|row| row.to_vec())
                .collect()
        };
        output.case(&case);
        for (there, other) in [(n, n), (0, n), (n, 0), (0, 0), (n, 1), (1, n)] {
            let (mut u, mut v) = (rows(there, 1), rows(other, 2));
            let run = || relax(&mut u, &mut v, n, case.steps as usize);
            let failed = catch_unwind(AssertUnwindSafe(run)).is_err();
            output.array("failed", 0, &[f64::from(u8::from(failed))]);
            output.array("u", 0, &u.concat());
            output.array("v", 0, &v.concat());
        }
    }
}
