//! Arrays of arrays of a fixed size on the heap; there and back in each step.

mod corpus;

const N: usize = 150;
type Grid = [[f64; N]; N];

fn sweep(from: &Grid, to: &mut Grid, n: usize, m: usize) {
    for i in 1..n - 1 {
        for j in 1..m - 1 {
            to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
        }
    }
}

#[inline(never)]
fn jacobi(a: &mut Grid, b: &mut Grid, n: usize, m: usize, steps: usize) {
    for _ in 0..steps {
        sweep(a, b, n, m);
        sweep(b, a, n, m);
    }
}

fn grid(seed: u64) -> Box<Grid> {
    let mut grid = Box::new([[0.0; N]; N]);
    let values = corpus::varied::<f64>(N * N, seed);
    for (row, values) in grid.iter_mut().zip(values.chunks(N)) {
        row.copy_from_slice(values);
    }
    grid
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let (mut a, mut b) = (grid(1), grid(2));
        jacobi(&mut a, &mut b, n, m, case.steps as usize);
        output.case(&case);
        output.array("a", 0, a.as_flattened());
        output.array("b", 0, b.as_flattened());
    }
}
