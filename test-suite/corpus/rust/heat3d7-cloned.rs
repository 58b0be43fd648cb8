//! Each step looks at a copy of its grid of planes of rows.

mod corpus;

#[inline(never)]
fn run(u: &mut Vec<Vec<Vec<f64>>>, steps: usize) {
    let (n, m, l) = (u.len(), u[0].len(), u[0][0].len());
    for _ in 0..steps {
        let old = u.clone();
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                for k in 1..l - 1 {
                    u[i][j][k] = 0.15
                        * (old[i - 1][j][k] + old[i + 1][j][k] + old[i][j - 1][k] + old[i][j + 1][k]
                            + old[i][j][k - 1]
                            + old[i][j][k + 1]);
                }
            }
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m, l) = (case.nx as usize, case.ny as usize, case.nz as usize);
        let values = corpus::varied::<f64>(n * m * l, 1);
        let mut u: Vec<Vec<Vec<f64>>> =
            values.chunks(m * l).map(|plane| plane.chunks(l).map(|row| row.to_vec()).collect()).collect();
        run(&mut u, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u.concat().concat());
    }
}
