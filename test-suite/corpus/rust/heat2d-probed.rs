//! A line on the standard output about one point in each step, of vectors that are collected and change places.

mod corpus;

#[inline(never)]
fn heat(start: &[f64], n: usize, m: usize, steps: usize) -> (Vec<f64>, f64) {
    let mut now: Vec<f64> = start.iter().map(|x| 0.5 * x).collect();
    let mut next = now.clone();
    let mut peak = 0.0f64;
    for t in 0..steps {
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let k = i * m + j;
                next[k] = now[k] + 0.1 * (now[k - m] + now[k + m] + now[k - 1] + now[k + 1] - 4.0 * now[k]);
            }
        }
        std::mem::swap(&mut now, &mut next);
        peak = peak.max(now[n / 3 * m + m / 3].abs());
        println!("{t}: {:e}", now[n / 2 * m + m / 2]);
    }
    (now, peak)
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let (end, peak) = heat(&corpus::varied::<f64>(n * m, 1), n, m, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &end);
        output.array("peak", 0, &[peak]);
    }
}
