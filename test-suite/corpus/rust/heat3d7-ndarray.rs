//! Seven points of a block in ndarray's arrays, whose heads are so long that they are swapped in a loop.

mod corpus;

use ndarray::Array3;

#[inline(never)]
fn heat(u: &mut Array3<f32>, v: &mut Array3<f32>, steps: usize) {
    let (nx, ny, nz) = u.dim();
    for _ in 0..steps {
        for i in 1..nx - 1 {
            for j in 1..ny - 1 {
                for k in 1..nz - 1 {
                    let mut sum = u[[i - 1, j, k]] + u[[i + 1, j, k]];
                    sum += u[[i, j - 1, k]] + u[[i, j + 1, k]];
                    sum += u[[i, j, k - 1]] + u[[i, j, k + 1]];
                    v[[i, j, k]] = 0.7 * u[[i, j, k]] + 0.05 * sum;
                }
            }
        }
        std::mem::swap(u, v);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let shape = (case.nx as usize, case.ny as usize, case.nz as usize);
        let count = shape.0 * shape.1 * shape.2;
        let block = |seed| Array3::from_shape_vec(shape, corpus::varied(count, seed)).unwrap();
        let (mut u, mut v) = (block(1), block(2));
        heat(&mut u, &mut v, case.steps as usize);
        output.case(&case);
        output.array("u", 0, u.as_slice().unwrap());
        output.array("v", 0, v.as_slice().unwrap());
    }
}
