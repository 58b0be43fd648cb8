//! Over-relaxation of a rod by colours: every other point of a vector, then those between them.

mod corpus;

fn relax(u: &mut [f64], source: &[f64], first: usize, omega: f64) {
    for i in (first..u.len() - 1).step_by(2) {
        u[i] += omega * (0.5 * (u[i - 1] + u[i + 1] + source[i]) - u[i]);
    }
}

#[inline(never)]
fn solve(u: &mut [f64], source: &[f64], steps: usize) {
    for _ in 0..steps {
        relax(u, source, 1, 1.25);
        relax(u, source, 2, 1.25);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let n = case.nx as usize;
        let mut u = corpus::varied::<f64>(n, 1);
        let source = corpus::varied::<f64>(n, 2);
        solve(&mut u, &source, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u);
    }
}
