//! Heat on a plate until a time that is counted in floating point, with a line of progress every few steps.

mod corpus;

#[inline(never)]
fn heat(u: &mut Vec<f64>, v: &mut Vec<f64>, n: usize, m: usize, end: f64) -> f64 {
    let (dt, mut time, mut step) = (0.1, 0.0, 0);
    while time < end {
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                v[i * m + j] = u[i * m + j]
                    + dt * (u[(i - 1) * m + j]
                        + u[(i + 1) * m + j]
                        + u[i * m + j - 1]
                        + u[i * m + j + 1]
                        - 4.0 * u[i * m + j]);
            }
        }
        std::mem::swap(u, v);
        step += 1;
        time += dt;
        if step % 7 == 0 {
            println!("step {step}, time {time}");
        }
    }
    time
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = corpus::varied::<f64>(n * m, 1);
        let mut v = corpus::varied::<f64>(n * m, 2);
        heat(&mut u, &mut v, n, m, 0.1 * case.steps as f64);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
    }
}
