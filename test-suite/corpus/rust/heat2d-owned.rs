//! The function owns both vectors: where a bounds check fails, they are freed on the way out.

mod corpus;

#[inline(never)]
fn heat(given: &mut Vec<f64>, n: usize, m: usize, steps: usize) {
    let mut u = given.clone();
    let mut v = vec![0.5; n * m];
    for t in 0..steps {
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let p = i * m + j;
                v[p] = u[p] + 0.1 * (u[p - m] + u[p + m] + u[p - 1] + u[p + 1] - 4.0 * u[p]);
            }
        }
        std::mem::swap(&mut u, &mut v);
        if t % 100 == 99 {
            eprint!("");
        }
    }
    given.copy_from_slice(&u);
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = corpus::varied::<f64>(n * m, 1);
        heat(&mut u, n, m, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u);
    }
}
