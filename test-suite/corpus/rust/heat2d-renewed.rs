//! Each step returns a new vector, which takes the place of the one that it was made of.

mod corpus;

fn step(u: &Vec<f64>, n: usize, m: usize) -> Vec<f64> {
    let mut v = u.clone();
    for i in 1..n - 1 {
        for j in 1..m - 1 {
            let p = i * m + j;
            v[p] = u[p] + 0.1 * (u[p - m] + u[p + m] + u[p - 1] + u[p + 1] - 4.0 * u[p]);
        }
    }
    v
}

#[inline(never)]
fn run(first: &mut [f64], n: usize, m: usize, steps: i64) {
    let mut u = first.to_vec();
    for _ in 0..steps {
        u = step(&u, n, m);
    }
    first.copy_from_slice(&u);
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = corpus::varied::<f64>(n * m, 1);
        run(&mut u, n, m, case.steps as i64);
        output.case(&case);
        output.array("u", 0, &u);
    }
}
