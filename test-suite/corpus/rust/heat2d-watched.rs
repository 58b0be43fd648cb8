//! Two vectors of one function change places in each step; every few steps their sum is printed, which may fail.

mod corpus;

fn step(u: &[f64], v: &mut [f64], n: usize, m: usize) {
    for i in 1..n - 1 {
        for j in 1..m - 1 {
            let p = i * m + j;
            v[p] = u[p] + 0.1 * (u[p - m] + u[p + m] + u[p - 1] + u[p + 1] - 4.0 * u[p]);
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = corpus::varied::<f64>(n * m, 1);
        let mut v = corpus::varied::<f64>(n * m, 2);
        for t in 0..case.steps {
            step(&u, &mut v, n, m);
            std::mem::swap(&mut u, &mut v);
            if t % 7 == 3 {
                println!("step {t}: {:e} in all, {:e} at first", u.iter().sum::<f64>(), u[0]);
            }
        }
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
    }
}
