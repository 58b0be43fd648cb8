//! Two vectors in an array take turns by an index.

mod corpus;

#[inline(never)]
fn heat(grids: &mut [Vec<f64>; 2], n: usize, m: usize, steps: usize) -> usize {
    let mut present = 0;
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let p = i * m + j;
                let u = &grids[present];
                let next = u[p] + 0.1 * (u[p - m] + u[p + m] + u[p - 1] + u[p + 1] - 4.0 * u[p]);
                grids[1 - present][p] = next;
            }
        }
        present = 1 - present;
    }
    present
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut grids = [corpus::varied::<f64>(n * m, 1), corpus::varied::<f64>(n * m, 2)];
        let present = heat(&mut grids, n, m, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &grids[present]);
        output.array("v", 0, &grids[1 - present]);
    }
}
