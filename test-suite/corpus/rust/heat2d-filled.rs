//! Each step makes a work array that is filled with ones, not zeros: a loop writes all of them but the last, and where it has
//! ended the last one.

mod corpus;

fn step(u: &mut [f64], old: &mut [f64], n: usize, m: usize) {
    let mut change = vec![1.0; n * m];
    for i in 1..n - 1 {
        for j in 1..m - 1 {
            let p = i * m + j;
            change[p] = u[p - m] + u[p + m] + u[p - 1] + u[p + 1] - 4.0 * u[p];
        }
    }
    for p in 0..n * m {
        let before = u[p];
        u[p] = 0.75 * u[p] + 0.25 * old[p] + 0.0625 * change[p];
        old[p] = before;
    }
}

#[inline(never)]
fn heat(u: &mut [f64], old: &mut [f64], n: usize, m: usize, steps: usize) {
    for _ in 0..steps {
        step(u, old, n, m);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = corpus::varied::<f64>(n * m, 1);
        let mut old = corpus::varied::<f64>(n * m, 2);
        heat(&mut u, &mut old, n, m, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("old", 0, &old);
    }
}
