//! Transport to the right, in place: from the last cell down to the first, so that each reads its neighbour as it was.

mod corpus;

#[inline(never)]
fn transport(u: &mut [f64], courant: f64, n: usize, steps: usize) {
    for _ in 0..steps {
        for i in (1..=n).rev() {
            u[i] -= courant * (u[i] - u[i - 1]);
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let n = case.nx as usize - 1;
        let mut u = corpus::varied::<f64>(n + 1, 1);
        transport(&mut u, 0.4, n, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u);
    }
}
