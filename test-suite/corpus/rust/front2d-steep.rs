//! A front that moves at a speed of its own: the level set grows by the length of its slope, a square root for each point.

mod corpus;

#[inline(never)]
fn advance(phi: &mut Vec<f64>, next: &mut Vec<f64>, n: usize, m: usize, dt: f64, steps: usize) {
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let k = i * m + j;
                let across = 0.5 * (phi[k + m] - phi[k - m]);
                let along = 0.5 * (phi[k + 1] - phi[k - 1]);
                next[k] = phi[k] - dt * (across * across + along * along).sqrt();
            }
        }
        std::mem::swap(phi, next);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut phi = corpus::varied::<f64>(n * m, 1);
        let mut next = corpus::varied::<f64>(n * m, 2);
        advance(&mut phi, &mut next, n, m, 0.1, case.steps as usize);
        output.case(&case);
        output.array("phi", 0, &phi);
        output.array("next", 0, &next);
    }
}
