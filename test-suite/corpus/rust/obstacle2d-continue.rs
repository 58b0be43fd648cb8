//! Cells of other materials are left out with `continue`; what is stored there stays.

mod corpus;

#[inline(never)]
fn relax(u: &mut Vec<f64>, v: &mut Vec<f64>, solid: &[bool], n: usize, m: usize, steps: usize) {
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let p = i * m + j;
                if solid[p] {
                    continue;
                }
                v[p] = 0.25 * (u[p - m] + u[p + m] + u[p - 1] + u[p + 1]);
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
        let solid: Vec<bool> = corpus::varied::<f64>(n * m, 3).iter().map(|&x| x > 0.7).collect();
        relax(&mut u, &mut v, &solid, n, m, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
    }
}
