//! A membrane from rest: the first step knows of no step before.

mod corpus;

fn laplace(u: &[f64], p: usize, m: usize) -> f64 {
    u[p - m] + u[p + m] + u[p - 1] + u[p + 1] - 4.0 * u[p]
}

#[inline(never)]
fn vibrate(past: &mut Vec<f64>, now: &mut Vec<f64>, next: &mut Vec<f64>, n: usize, m: usize, steps: usize) {
    let c2 = 0.2;
    for t in 0..steps {
        if t == 0 {
            for i in 1..n - 1 {
                for j in 1..m - 1 {
                    let p = i * m + j;
                    next[p] = now[p] + 0.5 * c2 * laplace(now, p, m);
                }
            }
        } else {
            for i in 1..n - 1 {
                for j in 1..m - 1 {
                    let p = i * m + j;
                    next[p] = 2.0 * now[p] - past[p] + c2 * laplace(now, p, m);
                }
            }
        }
        std::mem::swap(past, now);
        std::mem::swap(now, next);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut past = corpus::varied::<f64>(n * m, 1);
        let mut now = corpus::varied::<f64>(n * m, 2);
        let mut next = corpus::varied::<f64>(n * m, 3);
        vibrate(&mut past, &mut now, &mut next, n, m, case.steps as usize);
        output.case(&case);
        output.array("past", 0, &past);
        output.array("now", 0, &now);
        output.array("next", 0, &next);
    }
}
