//! A torus in rows that are vectors of their own; which row comes next is chosen by the position and by how many there are.

mod corpus;

fn spread(u: &Vec<Vec<f64>>, v: &mut Vec<Vec<f64>>) {
    let (n, m) = (u.len(), u[0].len());
    for i in 0..n {
        let up = if i == 0 { n - 1 } else { i - 1 };
        let down = if i == n - 1 { 0 } else { i + 1 };
        for j in 0..m {
            let left = if j == 0 { m - 1 } else { j - 1 };
            let right = if j == m - 1 { 0 } else { j + 1 };
            v[i][j] = 0.25 * (u[up][j] + u[down][j] + u[i][left] + u[i][right]);
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let rows = |seed| -> Vec<Vec<f64>> {
            corpus::varied::<f64>(n * m, seed).chunks(m).map(|row| row.to_vec()).collect()
        };
        let (mut u, mut v) = (rows(1), rows(2));
        for _ in 0..case.steps {
            spread(&u, &mut v);
            std::mem::swap(&mut u, &mut v);
        }
        output.case(&case);
        output.array("u", 0, &u.concat());
        output.array("v", 0, &v.concat());
    }
}
