//! A wave that one point is asked about in each step.

mod corpus;

#[inline(never)]
fn wave<'a>(mut p: &'a mut [f64], mut u: &'a mut [f64], trace: &mut [f64], n: usize, m: usize, steps: usize) {
    for t in 0..steps {
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let k = i * m + j;
                p[k] = 2.0 * u[k] - p[k] + 0.2 * (u[k - m] + u[k + m] + u[k - 1] + u[k + 1] - 4.0 * u[k]);
            }
        }
        trace[t] = p[n / 2 * m + m / 3];
        std::mem::swap(&mut p, &mut u);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m, steps) = (case.nx as usize, case.ny as usize, case.steps as usize);
        let mut p = corpus::varied::<f64>(n * m, 1);
        let mut u = corpus::varied::<f64>(n * m, 2);
        let mut trace = corpus::varied::<f64>(steps, 3);
        wave(&mut p, &mut u, &mut trace, n, m, steps);
        output.case(&case);
        output.array("p", 0, &p);
        output.array("u", 0, &u);
        output.array("trace", 0, &trace);
    }
}
