//! Two grids in boxes, which a vector holds and exchanges.

mod corpus;

struct Grid {
    values: Vec<f64>,
}

#[inline(never)]
fn diffuse(grids: &mut Vec<Box<Grid>>, n: usize, m: usize, steps: usize) {
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let p = i * m + j;
                let u = &grids[0].values;
                let value = u[p] + 0.1 * (u[p - m] + u[p + m] + u[p - 1] + u[p + 1] - 4.0 * u[p]);
                grids[1].values[p] = value;
            }
        }
        grids.swap(0, 1);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut grids = [1, 2].map(|seed| Box::new(Grid { values: corpus::varied::<f64>(n * m, seed) })).into();
        diffuse(&mut grids, n, m, case.steps as usize);
        output.case(&case);
        output.array("now", 0, &grids[0].values);
        output.array("next", 0, &grids[1].values);
    }
}
