//! The wave equation: three vectors that are rotated, a speed for each point, and a source in each step.

mod corpus;

#[inline(never)]
fn wave(past: &mut Vec<f64>, now: &mut Vec<f64>, next: &mut Vec<f64>, speed: &[f64], n: usize, m: usize, steps: usize) {
    for t in 0..steps {
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let p = i * m + j;
                next[p] = 2.0 * now[p] - past[p]
                    + 0.1 * speed[p] * (now[p - m] + now[p + m] + now[p - 1] + now[p + 1] - 4.0 * now[p]);
            }
        }
        next[n / 2 * m + m / 2] += 1.0 / (1.0 + t as f64);
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
        let speed = corpus::varied::<f64>(n * m, 4);
        wave(&mut past, &mut now, &mut next, &speed, n, m, case.steps as usize);
        output.case(&case);
        output.array("past", 0, &past);
        output.array("now", 0, &now);
        output.array("next", 0, &next);
    }
}
