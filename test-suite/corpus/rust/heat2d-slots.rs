//! Two grids in a vector of vectors, which change places there.

mod corpus;

fn step(u: &[f32], v: &mut [f32], n: usize, m: usize) {
    for i in 1..n - 1 {
        for j in 1..m - 1 {
            let p = i * m + j;
            v[p] = 0.2 * (u[p] + u[p - m] + u[p + m] + u[p - 1] + u[p + 1]);
        }
    }
}

#[inline(never)]
fn heat(grids: &mut Vec<Vec<f32>>, n: usize, m: usize, steps: i32) {
    for _ in 0..steps {
        let (now, next) = grids.split_at_mut(1);
        step(&now[0], &mut next[0], n, m);
        grids.swap(0, 1);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut grids = vec![corpus::varied::<f32>(n * m, 1), corpus::varied::<f32>(n * m, 2)];
        heat(&mut grids, n, m, case.steps);
        output.case(&case);
        output.array("now", 0, &grids[0]);
        output.array("next", 0, &grids[1]);
    }
}
