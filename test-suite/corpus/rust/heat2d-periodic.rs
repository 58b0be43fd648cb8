//! Heat on a torus: a halo is filled from the opposite sides before each sweep.

mod corpus;

fn fill_halo(u: &mut [f64], n: usize, m: usize) {
    let w = m + 2;
    for j in 1..=m {
        u[j] = u[n * w + j];
        u[(n + 1) * w + j] = u[w + j];
    }
    for i in 1..=n {
        u[i * w] = u[i * w + m];
        u[i * w + m + 1] = u[i * w + 1];
    }
}

fn sweep(u: &[f64], v: &mut [f64], n: usize, m: usize) {
    let w = m + 2;
    for i in 1..=n {
        for j in 1..=m {
            let p = i * w + j;
            v[p] = u[p] + 0.1 * (u[p - w] + u[p + w] + u[p - 1] + u[p + 1] - 4.0 * u[p]);
        }
    }
}

#[inline(never)]
fn heat(u: &mut Vec<f64>, v: &mut Vec<f64>, n: usize, m: usize, steps: usize) {
    for _ in 0..steps {
        fill_halo(u, n, m);
        sweep(u, v, n, m);
        std::mem::swap(u, v);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = corpus::varied::<f64>((n + 2) * (m + 2), 1);
        let mut v = corpus::varied::<f64>((n + 2) * (m + 2), 2);
        heat(&mut u, &mut v, n, m, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
    }
}
