//! Each step clones the array that it overwrites: storage, and where in it the elements begin.

mod corpus;

use ndarray::Array2;

#[inline(never)]
fn jacobi(u: &mut Array2<f64>, steps: usize) {
    let (n, m) = u.dim();
    for _ in 0..steps {
        let old = u.clone();
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let around = old[[i - 1, j]] + old[[i + 1, j]] + old[[i, j - 1]] + old[[i, j + 1]];
                u[[i, j]] = 0.25 * around;
            }
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = Array2::from_shape_vec((n, m), corpus::varied(n * m, 1)).unwrap();
        jacobi(&mut u, case.steps as usize);
        output.case(&case);
        output.array("u", 0, u.as_slice().unwrap());
    }
}
