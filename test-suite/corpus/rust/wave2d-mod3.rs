//! The wave equation on three vectors in an array, told apart by the step modulo three.

mod corpus;

#[inline(never)]
fn wave(u: &mut [Vec<f64>; 3], n: usize, m: usize, steps: usize) {
    for t in 0..steps {
        let (old, now, new) = (t % 3, (t + 1) % 3, (t + 2) % 3);
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let p = i * m + j;
                let around = u[now][p - m] + u[now][p + m] + u[now][p - 1] + u[now][p + 1];
                u[new][p] = 2.0 * u[now][p] - u[old][p] + 0.2 * (around - 4.0 * u[now][p]);
            }
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = [1, 2, 3].map(|seed| corpus::varied::<f64>(n * m, seed));
        wave(&mut u, n, m, case.steps as usize);
        output.case(&case);
        for (name, level) in ["a", "b", "c"].iter().zip(&u) {
            output.array(name, 0, level);
        }
    }
}
