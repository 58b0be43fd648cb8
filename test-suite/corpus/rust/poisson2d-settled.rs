//! A flag says whether any point has changed much.

mod corpus;

#[inline(never)]
fn poisson<'a>(mut u: &'a mut [f64], mut v: &'a mut [f64], n: usize, m: usize, most: usize) -> usize {
    let mut steps = 0;
    loop {
        if steps == most {
            return steps;
        }
        let mut settled = true;
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let p = i * m + j;
                v[p] = 0.25 * (u[p - m] + u[p + m] + u[p - 1] + u[p + 1]);
                if (v[p] - u[p]).abs() > 1e-2 {
                    settled = false;
                }
            }
        }
        std::mem::swap(&mut u, &mut v);
        steps += 1;
        if settled {
            return steps;
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = corpus::varied::<f64>(n * m, 1);
        let mut v = corpus::varied::<f64>(n * m, 2);
        let steps = poisson(&mut u, &mut v, n, m, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
        output.array("steps", 0, &[steps as f64]);
    }
}
