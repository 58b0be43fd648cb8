//! Rows that are vectors of their own, and their elements, by mutable iterators that count; the border stays.

mod corpus;

#[inline(never)]
fn relax(u: &mut Vec<Vec<f64>>, v: &mut Vec<Vec<f64>>, steps: usize) {
    let (n, m) = (u.len(), u[0].len());
    for _ in 0..steps {
        for (i, row) in v.iter_mut().enumerate() {
            for (j, value) in row.iter_mut().enumerate() {
                if i > 0 && i < n - 1 && j > 0 && j < m - 1 {
                    *value = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
                }
            }
        }
        std::mem::swap(u, v);
    }
}

fn rows(all: &[f64], m: usize) -> Vec<Vec<f64>> {
    all.chunks(m).map(<[f64]>::to_vec).collect()
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = rows(&corpus::varied::<f64>(n * m, 1), m);
        let mut v = rows(&corpus::varied::<f64>(n * m, 2), m);
        relax(&mut u, &mut v, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u.concat());
        output.array("v", 0, &v.concat());
    }
}
