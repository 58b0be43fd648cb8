//! A vector too short for the grid, in a function that owns both: the loop writes until the bounds check fails, then what
//! is owned is freed, once.

mod corpus;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Says when it goes.
struct Grid<'a>(Vec<f64>, &'a Cell<f64>);

impl Drop for Grid<'_> {
    fn drop(&mut self) {
        self.1.set(self.1.get() * 3.0 + self.0[0]);
    }
}

#[inline(never)]
fn heat(given: &[f64], gone: &Cell<f64>, n: usize, m: usize, steps: usize) {
    let mut u = Grid(given.to_vec(), gone);
    let mut v = Grid(vec![1.0; n * m], gone);
    v.0.truncate(n * m - m / 2);
    for t in 0..steps {
        let (from, to) = (&u.0, &mut v.0);
        for i in 1..n {
            for j in 1..m - 1 {
                to[i * m + j] = 0.25 * (from[(i - 1) * m + j] + from[i * m + j] + from[i * m + j - 1] + from[i * m + j + 1]);
            }
        }
        std::mem::swap(&mut u.0, &mut v.0);
        if t % 10 == 9 {
            gone.set(gone.get() + u.0[0]);
        }
    }
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let u = corpus::varied::<f64>(n * m, 1);
        let gone = Cell::new(0.0);
        let failed = catch_unwind(AssertUnwindSafe(|| heat(&u, &gone, n, m, case.steps as usize))).is_err();
        output.case(&case);
        output.array("gone", 0, &[gone.get(), if failed { 1.0 } else { 0.0 }]);
    }
}
