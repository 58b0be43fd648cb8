//! Each step swaps the grid with one that it has made, which then goes.

mod corpus;

#[inline(never)]
fn heat(u: &mut Vec<f64>, n: usize, m: usize, steps: usize) {
    for _ in 0..steps {
        let mut next = vec![0.0; n * m];
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let p = i * m + j;
                next[p] = u[p] + 0.1 * (u[p - m] + u[p + m] + u[p - 1] + u[p + 1] - 4.0 * u[p]);
            }
        }
        std::mem::swap(u, &mut next);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = corpus::varied::<f64>(n * m, 1);
        heat(&mut u, n, m, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u);
    }
}
