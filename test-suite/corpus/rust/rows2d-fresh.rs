//! Each step makes a grid of one row, and returns it in the place of the one that it looked at.

mod corpus;

type Grid = Vec<Vec<f32>>;

fn step(u: &Grid) -> Grid {
    let (n, m) = (u.len(), u[0].len());
    let mut next = vec![vec![0.25; m]; n];
    for i in 1..n - 1 {
        for j in 1..m - 1 {
            next[i][j] = 0.2 * (u[i][j] + u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
        }
    }
    next
}

#[inline(never)]
fn run(mut u: Grid, steps: usize) -> Grid {
    for _ in 0..steps {
        u = step(&u);
    }
    u
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let u = corpus::varied::<f32>(n * m, 1).chunks(m).map(|row| row.to_vec()).collect();
        let u = run(u, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u.concat());
    }
}
