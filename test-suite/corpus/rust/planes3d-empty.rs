//! Planes of rows, of which one has no rows: the first access that meets it fails.

mod corpus;

use std::panic::{AssertUnwindSafe, catch_unwind};

type Planes = Vec<Vec<Vec<f64>>>;

#[inline(never)]
fn relax(u: &mut Planes, v: &mut Planes, n: [usize; 3], steps: usize) {
    for _ in 0..steps {
        for i in 1..n[0] - 1 {
            for j in 1..n[1] - 1 {
                for k in 1..n[2] - 1 {
                    v[i][j][k] = 0.125
                        * (u[i - 1][j][k]
                            + u[i + 1][j][k]
                            + u[i][j - 1][k]
                            + u[i][j + 1][k]
                            + u[i][j][k - 1]
                            + u[i][j][k + 1]);
                }
            }
        }
        std::mem::swap(u, v);
    }
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let n = [case.nx as usize, case.ny as usize, case.nz as usize];
        let planes = |seed: u64| -> Planes {
            let rows = |plane: &[f64]| plane.chunks(n[2]).map(|row| row.to_vec()).collect();
            let values = corpus::varied::<f64>(n[0] * n[1] * n[2], seed);
            values.chunks(n[1] * n[2]).map(rows).collect()
        };
        output.case(&case);
        for empty in [None, Some(1), Some(0)] {
            let (mut u, mut v) = (planes(1), planes(2));
            if let Some(plane) = empty {
                u[plane] = Vec::new();
            }
            let run = || relax(&mut u, &mut v, n, case.steps as usize);
            let failed = catch_unwind(AssertUnwindSafe(run)).is_err();
            output.array("failed", 0, &[f64::from(u8::from(failed))]);
            output.array("u", 0, &u.concat().concat());
            output.array("v", 0, &v.concat().concat());
        }
    }
}
