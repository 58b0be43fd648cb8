//! Two grids that `vec!` makes of one row each: the row itself becomes the last one, though it lies before its copies.

mod corpus;

#[inline(never)]
fn relax(u: &mut Vec<Vec<f64>>, v: &mut Vec<Vec<f64>>, steps: usize) {
    let (n, m) = (u.len(), u[0].len());
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
            }
        }
        std::mem::swap(u, v);
    }
}

fn grid(n: usize, m: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut grid = vec![vec![0.0; m]; n];
    for (row, values) in grid.iter_mut().zip(corpus::varied::<f64>(n * m, seed).chunks(m)) {
        row.copy_from_slice(values);
    }
    grid
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let (mut u, mut v) = (grid(n, m, 1), grid(n, m, 2));
        relax(&mut u, &mut v, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u.concat());
        output.array("v", 0, &v.concat());
    }
}
