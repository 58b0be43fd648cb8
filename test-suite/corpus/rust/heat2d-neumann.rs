//! An insulated plate: after each sweep the edge follows the points beside it, by rows and by columns.

mod corpus;

#[inline(never)]
fn heat(u: &mut [f64], v: &mut [f64], n: usize, m: usize, steps: usize) {
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let p = i * m + j;
                v[p] = u[p] + 0.2 * (u[p - m] + u[p + m] + u[p - 1] + u[p + 1] - 4.0 * u[p]);
            }
        }
        for i in 1..n - 1 {
            v[i * m] = v[i * m + 1];
            v[i * m + m - 1] = v[i * m + m - 2];
        }
        for j in 0..m {
            v[j] = v[m + j];
            v[(n - 1) * m + j] = v[(n - 2) * m + j];
        }
        u.copy_from_slice(v);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = corpus::varied::<f64>(n * m, 1);
        let mut v = corpus::varied::<f64>(n * m, 2);
        heat(&mut u, &mut v, n, m, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
    }
}
