//! Laplace's equation until no cell changes by more than a tolerance, with a line of progress every few steps.

mod corpus;

#[inline(never)]
fn laplace(u: &mut Vec<f64>, v: &mut Vec<f64>, n: usize, m: usize, steps: i64, tolerance: f64) -> i64 {
    let (mut change, mut step) = (2.0 * tolerance, 0);
    while change > tolerance && step < steps {
        change = 0.0f64;
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                v[i * m + j] = 0.25
                    * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
                change = change.max((v[i * m + j] - u[i * m + j]).abs());
            }
        }
        std::mem::swap(u, v);
        step += 1;
        if step % 7 == 0 {
            let shown = change;
            println!("step {step}, change {shown}");
        }
    }
    step
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = corpus::varied::<f64>(n * m, 1);
        let mut v = corpus::varied::<f64>(n * m, 2);
        let taken = laplace(&mut u, &mut v, n, m, case.steps as i64, 0.02);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
        output.array("taken", 0, &[taken as f64]);
    }
}
