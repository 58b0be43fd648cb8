//! Each step collects the next grid from its points, by row and column.

mod corpus;

#[inline(never)]
fn heat(u: &mut Vec<f64>, n: usize, m: usize, steps: usize) {
    for _ in 0..steps {
        let next = (0..n * m)
            .map(|p| {
                let (i, j) = (p / m, p % m);
                if i == 0 || j == 0 || i == n - 1 || j == m - 1 {
                    u[p]
                } else {
                    u[p] + 0.1 * (u[p - m] + u[p + m] + u[p - 1] + u[p + 1] - 4.0 * u[p])
                }
            })
            .collect();
        *u = next;
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
