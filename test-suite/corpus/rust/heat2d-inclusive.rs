//! Heat on the inner points `1..=n` of a plate with a rim: a grid has two rows and two columns more.

mod corpus;

#[inline(never)]
fn heat(u: &mut Vec<f64>, v: &mut Vec<f64>, n: usize, m: usize, steps: usize) {
    let width = m + 2;
    for _ in 1..=steps {
        for i in 1..=n {
            for j in 1..=m {
                let k = i * width + j;
                let around = u[k - 1] + u[k + 1] + u[k - width] + u[k + width];
                v[k] = u[k] + 0.1 * (around - 4.0 * u[k]);
            }
        }
        std::mem::swap(u, v);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize - 2, case.ny as usize - 2);
        let mut u = corpus::varied::<f64>((n + 2) * (m + 2), 1);
        let mut v = corpus::varied::<f64>((n + 2) * (m + 2), 2);
        heat(&mut u, &mut v, n, m, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
    }
}
