//! Walls keep a sweep over all cells inside: bounds are checked behind the question for a wall.

mod corpus;

#[inline(never)]
fn heat(u: &mut Vec<f64>, v: &mut Vec<f64>, wall: &[bool], n: usize, m: usize, steps: usize) {
    for _ in 0..steps {
        for i in 0..n {
            for j in 0..m {
                let k = i * m + j;
                if wall[k] {
                    continue;
                }
                v[k] = u[k] + 0.125 * (u[k - 1] + u[k + 1] + u[k - m] + u[k + m] - 4.0 * u[k]);
            }
        }
        std::mem::swap(u, v);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = corpus::varied::<f64>(n * m, 1);
        let mut v = corpus::varied::<f64>(n * m, 2);
        let at_wall = |k: usize| {
            let (i, j) = (k / m, k % m);
            i == 0 || j == 0 || i == n - 1 || j == m - 1 || (7 * i + 3 * j) % 11 == 0
        };
        let wall: Vec<bool> = (0..n * m).map(at_wall).collect();
        heat(&mut u, &mut v, &wall, n, m, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
    }
}
