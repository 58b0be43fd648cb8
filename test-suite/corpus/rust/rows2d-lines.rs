//! Three rows by reference, and one to write; the row says how long it is.

mod corpus;

#[inline(never)]
fn heat(u: &mut Vec<Vec<f64>>, next: &mut Vec<Vec<f64>>, steps: usize) {
    for _ in 0..steps {
        for i in 1..u.len() - 1 {
            let (above, here, below) = (&u[i - 1], &u[i], &u[i + 1]);
            let out = &mut next[i];
            for j in 1..here.len() - 1 {
                let across = here[j - 1] + here[j + 1];
                out[j] = here[j] + 0.1 * (above[j] + below[j] + across - 4.0 * here[j]);
            }
        }
        std::mem::swap(u, next);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let grid = |seed| -> Vec<Vec<f64>> {
            corpus::varied(n * m, seed).chunks(m).map(|row| row.to_vec()).collect()
        };
        let (mut u, mut next) = (grid(1), grid(2));
        heat(&mut u, &mut next, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u.concat());
        output.array("next", 0, &next.concat());
    }
}
