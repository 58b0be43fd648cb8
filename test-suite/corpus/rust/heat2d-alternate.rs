//! Even steps go from the first vector to the second, odd ones back: two calls, of which a flag chooses one.

mod corpus;

fn step(n: usize, m: usize, u: &[f64], v: &mut [f64]) {
    for i in 1..n - 1 {
        for j in 1..m - 1 {
            let p = i * m + j;
            v[p] = u[p] + 0.1 * (u[p - m] + u[p + m] + u[p - 1] + u[p + 1] - 4.0 * u[p]);
        }
    }
}

#[inline(never)]
fn heat(a: &mut [f64], b: &mut [f64], n: usize, m: usize, steps: usize) {
    let mut even = true;
    for _ in 0..steps {
        if even {
            step(n, m, a, b);
        } else {
            step(n, m, b, a);
        }
        even = !even;
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut a = corpus::varied::<f64>(n * m, 1);
        let mut b = corpus::varied::<f64>(n * m, 2);
        heat(&mut a, &mut b, n, m, case.steps as usize);
        output.case(&case);
        output.array("a", 0, &a);
        output.array("b", 0, &b);
    }
}
