//! One row is shorter than the others: the loop writes until its bounds check fails, then unwinds.

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

fn main() {
    std::panic::set_hook(Box::new(|_| ()));
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let grid = |seed| -> Vec<Vec<f64>> {
            corpus::varied(n * m, seed).chunks(m).map(|row| row.to_vec()).collect()
        };
        let (mut u, mut v) = (grid(1), grid(2));
        u[n / 2].truncate(m - 3);
        let run = || relax(&mut u, &mut v, case.steps as usize);
        let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err();
        assert!(failed);
        output.case(&case);
        output.array("u", 0, &u.concat());
        output.array("v", 0, &v.concat());
    }
}
