//! A step asks its grids how many rows there are, and the first row how long it is; the loops read the vector's pointer
//! and length again for each row.

mod corpus;

fn relax(u: &Vec<Vec<f64>>, v: &mut Vec<Vec<f64>>) {
    let n = u.len();
    let m = u[0].len();
    for i in 1..n - 1 {
        for j in 1..m - 1 {
            v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let values = corpus::varied::<f64>(n * m, 1);
        let at = |i: usize, j: usize| values[i * m + j];
        let mut u: Vec<Vec<f64>> = (0..n).map(|i| (0..m).map(|j| at(i, j)).collect()).collect();
        let mut v = u.clone();
        for _ in 0..case.steps {
            relax(&u, &mut v);
            std::mem::swap(&mut u, &mut v);
        }
        output.case(&case);
        output.array("u", 0, &u.concat());
        output.array("v", 0, &v.concat());
    }
}
