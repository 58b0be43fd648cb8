//! Heat in ndarray's arrays, indexed by pairs: two of them change places after each step.

mod corpus;

use ndarray::Array2;

#[inline(never)]
fn heat(u: &mut Array2<f64>, v: &mut Array2<f64>, steps: usize) {
    let (n, m) = u.dim();
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let around = u[[i - 1, j]] + u[[i + 1, j]] + u[[i, j - 1]] + u[[i, j + 1]];
                v[[i, j]] = u[[i, j]] + 0.1 * (around - 4.0 * u[[i, j]]);
            }
        }
        std::mem::swap(u, v);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let grid = |seed| Array2::from_shape_vec((n, m), corpus::varied(n * m, seed)).unwrap();
        let (mut u, mut v) = (grid(1), grid(2));
        heat(&mut u, &mut v, case.steps as usize);
        output.case(&case);
        output.array("u", 0, u.as_slice().unwrap());
        output.array("v", 0, v.as_slice().unwrap());
    }
}
