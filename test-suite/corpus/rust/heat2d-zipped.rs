//! Rows by zipped chunks of four parts of two vectors, which end in less than a row.

mod corpus;

#[inline(never)]
fn heat(u: &mut Vec<f64>, v: &mut Vec<f64>, rows: usize, m: usize, steps: usize) {
    for _ in 0..steps {
        let inner = v[m..(rows - 1) * m].chunks_exact_mut(m);
        let above = u.chunks_exact(m);
        let here = u[m..].chunks_exact(m);
        let below = u[2 * m..].chunks_exact(m);
        for ((out, above), (here, below)) in inner.zip(above).zip(here.zip(below)) {
            for j in 1..m - 1 {
                out[j] = here[j] + 0.1 * (above[j] + below[j] + here[j - 1] + here[j + 1] - 4.0 * here[j]);
            }
        }
        std::mem::swap(u, v);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = corpus::varied::<f64>(n * m + m / 2, 1);
        let mut v = corpus::varied::<f64>(n * m + m / 2, 2);
        heat(&mut u, &mut v, n, m, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
    }
}
