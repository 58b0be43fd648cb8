//! Rows by chunks, points by zipped iterators.

mod corpus;

#[inline(never)]
fn heat(u: &mut Vec<f64>, next: &mut Vec<f64>, m: usize, steps: usize) {
    for _ in 0..steps {
        let above = u.chunks_exact(m);
        let here = u.chunks_exact(m).skip(1);
        let below = u.chunks_exact(m).skip(2);
        for (((above, here), below), out) in above.zip(here).zip(below).zip(next.chunks_exact_mut(m).skip(1)) {
            for j in 1..m - 1 {
                out[j] = here[j] + 0.1 * (above[j] + below[j] + here[j - 1] + here[j + 1] - 4.0 * here[j]);
            }
        }
        std::mem::swap(u, next);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = corpus::varied::<f64>(n * m, 1);
        let mut v = corpus::varied::<f64>(n * m, 2);
        heat(&mut u, &mut v, m, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
    }
}
