//! Jacobi's iteration in a loop without an end, which is left once little changes or there were steps enough.

mod corpus;

#[inline(never)]
fn jacobi(u: &mut Vec<f64>, v: &mut Vec<f64>, n: usize, m: usize, most: i32, tolerance: f64) -> i32 {
    let mut t = 0;
    loop {
        if t >= most {
            break t;
        }
        let mut change = 0.0f64;
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let p = i * m + j;
                v[p] = 0.25 * (u[p - m] + u[p + m] + u[p - 1] + u[p + 1]);
                change = change.max((v[p] - u[p]).abs());
            }
        }
        std::mem::swap(u, v);
        t += 1;
        if change < tolerance {
            break t;
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = corpus::varied::<f64>(n * m, 1);
        let mut v = corpus::varied::<f64>(n * m, 2);
        let taken = jacobi(&mut u, &mut v, n, m, case.steps, 0.02);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
        output.array("taken", 0, &[taken]);
    }
}
