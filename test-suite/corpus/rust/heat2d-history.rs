//! Every time level is kept, in one vector: each step splits it where the next level begins.

mod corpus;

#[inline(never)]
fn heat(u: &mut [f64], n: usize, m: usize, steps: usize) {
    let plane = n * m;
    for t in 0..steps {
        let (past, future) = u.split_at_mut((t + 1) * plane);
        let now = &past[t * plane..];
        let next = &mut future[..plane];
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let p = i * m + j;
                next[p] =
                    now[p] + 0.1 * (now[p - m] + now[p + m] + now[p - 1] + now[p + 1] - 4.0 * now[p]);
            }
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = corpus::varied::<f64>(n * m * (case.steps as usize + 1), 1);
        heat(&mut u, n, m, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u);
    }
}
