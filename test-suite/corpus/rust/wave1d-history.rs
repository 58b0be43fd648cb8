//! A string of which every step is kept, one behind the other in a vector; the next one follows from the last two.

mod corpus;

#[inline(never)]
fn wave(u: &mut [f64], n: usize, steps: usize) {
    for t in 1..steps {
        for i in 1..n - 1 {
            let bend = u[t * n + i - 1] - 2.0 * u[t * n + i] + u[t * n + i + 1];
            u[(t + 1) * n + i] = 2.0 * u[t * n + i] - u[(t - 1) * n + i] + 0.25 * bend;
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, steps) = (case.nx as usize, case.steps as usize);
        let mut u = corpus::varied::<f64>(n * (steps.max(1) + 1), 1);
        wave(&mut u, n, steps);
        output.case(&case);
        output.array("u", 0, &u);
    }
}
