//! A vector too short for the grid: the loop writes until the bounds check fails, then unwinds.

mod corpus;

#[inline(never)]
fn heat(u: &mut Vec<f64>, v: &mut Vec<f64>, n: usize, m: usize, steps: usize) {
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                v[i * m + j] = 0.25
                    * (u[(i - 1) * m + j]
                        + u[(i + 1) * m + j]
                        + u[i * m + j - 1]
                        + u[i * m + j + 1]);
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
        let mut u = corpus::varied::<f64>(n * m - 2 * m, 1);
        let mut v = corpus::varied::<f64>(n * m, 2);
        let run = || heat(&mut u, &mut v, n, m, case.steps as usize);
        let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err();
        assert!(failed);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
    }
}
