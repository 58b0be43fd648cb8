//! Two vectors in an array, told apart by the step's parity.

mod corpus;

#[inline(never)]
fn heat(grids: &mut [Vec<f64>; 2], n: usize, m: usize, steps: usize) {
    for t in 0..steps {
        let [even, odd] = grids;
        let (now, next) = if t % 2 == 0 { (even, odd) } else { (odd, even) };
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let p = i * m + j;
                next[p] = now[p] + 0.1 * (now[p - m] + now[p + m] + now[p - 1] + now[p + 1] - 4.0 * now[p]);
            }
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut grids = [corpus::varied::<f64>(n * m, 1), corpus::varied::<f64>(n * m, 2)];
        heat(&mut grids, n, m, case.steps as usize);
        output.case(&case);
        output.array("even", 0, &grids[0]);
        output.array("odd", 0, &grids[1]);
    }
}
