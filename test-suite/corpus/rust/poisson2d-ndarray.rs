//! Jacobi's iteration in ndarray's arrays, of which a view holds the right-hand side, until little changes.

mod corpus;

use ndarray::{Array2, ArrayView2};

#[inline(never)]
fn solve(u: &mut Array2<f64>, v: &mut Array2<f64>, f: ArrayView2<f64>, most: usize) -> usize {
    let (rows, columns) = (u.nrows(), u.ncols());
    for step in 0..most {
        let mut change: f64 = 0.0;
        for i in 1..rows - 1 {
            for j in 1..columns - 1 {
                let around = u[(i - 1, j)] + u[(i + 1, j)] + u[(i, j - 1)] + u[(i, j + 1)];
                v[(i, j)] = 0.25 * (around - f[(i, j)]);
                change = change.max((v[(i, j)] - u[(i, j)]).abs());
            }
        }
        std::mem::swap(u, v);
        if change < 0.05 {
            return step + 1;
        }
    }
    most
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let shape = (case.nx as usize, case.ny as usize);
        let grid = |seed| Array2::from_shape_vec(shape, corpus::varied(shape.0 * shape.1, seed)).unwrap();
        let (mut u, mut v) = (grid(1), grid(2));
        let steps = solve(&mut u, &mut v, grid(3).view(), case.steps as usize);
        output.case(&case);
        output.array("u", 0, u.as_slice().unwrap());
        output.array("v", 0, v.as_slice().unwrap());
        output.array("steps", 0, &[steps as i32]);
    }
}
