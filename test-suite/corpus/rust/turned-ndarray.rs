//! Columns of ndarray's arrays for rows: their elements lie apart, which only the run knows.

mod corpus;

use ndarray::{Array2, ArrayView2, ArrayViewMut2};

fn step(u: ArrayView2<f64>, mut v: ArrayViewMut2<f64>) {
    let (n, m) = u.dim();
    for i in 1..n - 1 {
        for j in 1..m - 1 {
            let around = u[[i - 1, j]] + u[[i + 1, j]] + u[[i, j - 1]] + u[[i, j + 1]];
            v[[i, j]] = 0.6 * u[[i, j]] + 0.1 * around;
        }
    }
}

#[inline(never)]
fn heat(u: &mut Array2<f64>, v: &mut Array2<f64>, steps: usize) {
    for _ in 0..steps {
        step(u.view(), v.view_mut());
        std::mem::swap(u, v);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let grid = |seed| Array2::from_shape_vec((n, m), corpus::varied(n * m, seed)).unwrap();
        let (mut u, mut v) = (grid(1).reversed_axes(), grid(2).reversed_axes());
        heat(&mut u, &mut v, case.steps as usize);
        output.case(&case);
        output.array("u", 0, u.t().as_slice().unwrap());
        output.array("v", 0, v.t().as_slice().unwrap());
    }
}
