//! Heat on a torus whose neighbours' numbers stand in vectors, collected from ranges or set one by one.

mod corpus;

#[inline(never)]
fn heat(u: &mut Vec<f64>, v: &mut Vec<f64>, n: usize, m: usize, steps: usize) {
    let next: Vec<usize> = (0..n).map(|i| (i + 1) % n).collect();
    let previous: Vec<usize> = (0..n).map(|i| (i + n - 1) % n).collect();
    let mut right = vec![0usize; m];
    let mut left = vec![0usize; m];
    for j in 0..m {
        right[j] = if j + 1 == m { 0 } else { j + 1 };
        left[j] = if j == 0 { m - 1 } else { j - 1 };
    }
    for _ in 0..steps {
        for i in 0..n {
            for j in 0..m {
                let c = u[i * m + j];
                let around = u[next[i] * m + j]
                    + u[previous[i] * m + j]
                    + u[i * m + right[j]]
                    + u[i * m + left[j]];
                v[i * m + j] = c + 0.2 * (around - 4.0 * c);
            }
        }
        std::mem::swap(u, v);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = corpus::varied::<f64>(n * m, 1);
        let mut v = corpus::varied::<f64>(n * m, 2);
        heat(&mut u, &mut v, n, m, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 1, &v);
    }
}
