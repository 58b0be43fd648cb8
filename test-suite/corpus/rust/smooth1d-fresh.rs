//! Each step makes a vector as long as the one that it takes the place of.

mod corpus;

#[inline(never)]
fn smooth(u: &mut Vec<f64>, steps: usize) {
    for _ in 0..steps {
        let n = u.len();
        let mut next = vec![0.0; n];
        next[0] = u[0];
        next[n - 1] = u[n - 1];
        for i in 1..n - 1 {
            next[i] = u[i] + 0.25 * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
        }
        *u = next;
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let mut u = corpus::varied::<f64>(case.nx as usize, 1);
        smooth(&mut u, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u);
    }
}
