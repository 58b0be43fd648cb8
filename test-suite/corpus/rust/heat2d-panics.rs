//! Vectors change places beside a call that panics in some step: what is behind them then is seen by who frees them.

mod corpus;

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Leaves its values to another one when it is dropped.
struct Left<'a> {
    values: Vec<f64>,
    to: &'a mut Vec<f64>,
}

impl Drop for Left<'_> {
    fn drop(&mut self) {
        self.to.copy_from_slice(&self.values);
    }
}

#[inline(never)]
fn look(t: i32, last: i32) {
    if t == last {
        panic!("step {t}");
    }
}

fn heat(from: &[f64], left: &mut Vec<f64>, other: &mut Vec<f64>, (n, m): (usize, usize), steps: i32) {
    let mut u = Left { values: from.to_vec(), to: left };
    let mut v = Left { values: other.clone(), to: other };
    for t in 0..steps {
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let p = i * m + j;
                let x = &u.values;
                v.values[p] = x[p] + 0.1 * (x[p - m] + x[p + m] + x[p - 1] + x[p + 1] - 4.0 * x[p]);
            }
        }
        std::mem::swap(&mut u.values, &mut v.values);
        if t % 3 == 1 {
            look(t, steps - 2);
        }
    }
}

fn main() {
    std::panic::set_hook(Box::new(|_| ()));
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let from = corpus::varied::<f64>(n * m, 1);
        let mut left = corpus::varied::<f64>(n * m, 2);
        let mut other = corpus::varied::<f64>(n * m, 3);
        let ended = catch_unwind(AssertUnwindSafe(|| heat(&from, &mut left, &mut other, (n, m), case.steps)));
        output.case(&case);
        output.array("ended", 0, &[ended.is_ok() as u8]);
        output.array("left", 0, &left);
        output.array("other", 0, &other);
    }
}
