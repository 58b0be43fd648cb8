//! A grid type of its own, indexed by pairs and checked; rows by slices that are cut in two.

mod corpus;

use std::ops::{Index, IndexMut};

struct Array2 {
    data: Vec<f64>,
    rows: usize,
    columns: usize,
}

impl Index<(usize, usize)> for Array2 {
    type Output = f64;
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        assert!(i < self.rows && j < self.columns);
        &self.data[i * self.columns + j]
    }
}

impl IndexMut<(usize, usize)> for Array2 {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        assert!(i < self.rows && j < self.columns);
        &mut self.data[i * self.columns + j]
    }
}

#[inline(never)]
fn heat(u: &mut Array2, v: &mut Array2, steps: usize) {
    for _ in 0..steps {
        for i in 1..u.rows - 1 {
            for j in 1..u.columns - 1 {
                v[(i, j)] = 0.5 * u[(i, j)]
                    + 0.125 * (u[(i - 1, j)] + u[(i + 1, j)] + u[(i, j - 1)] + u[(i, j + 1)]);
            }
        }
        std::mem::swap(u, v);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (rows, columns) = (case.nx as usize, case.ny as usize);
        let grid = |seed| Array2 { data: corpus::varied::<f64>(rows * columns, seed), rows, columns };
        let (mut u, mut v) = (grid(1), grid(2));
        heat(&mut u, &mut v, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u.data);
        output.array("v", 0, &v.data);
    }
}
