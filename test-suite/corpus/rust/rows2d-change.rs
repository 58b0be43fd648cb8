//! Laplace's equation on rows that are vectors of their own, until no cell changes by more than a tolerance. Of the grid
//! that `vec!` has made, the last row lies before the others.

mod corpus;

#[inline(never)]
fn laplace(u: &mut Vec<Vec<f64>>, v: &mut Vec<Vec<f64>>, n: usize, m: usize, steps: usize) -> usize {
    let mut iter = 0;
    loop {
        let mut diff: f64 = 0.0;
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
                diff = diff.max((v[i][j] - u[i][j]).abs());
            }
        }
        std::mem::swap(u, v);
        iter += 1;
        if iter % 10 == 0 {
            println!("iter {iter}: diff = {diff:.6}");
        }
        if diff < 0.02 || iter >= steps {
            return iter;
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let values = corpus::varied::<f64>(n * m, 1);
        let mut u = vec![vec![0.0; m]; n];
        for i in 0..n {
            u[i].copy_from_slice(&values[i * m..(i + 1) * m]);
        }
        let mut v = u.clone();
        let taken = laplace(&mut u, &mut v, n, m, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u.concat());
        output.array("v", 0, &v.concat());
        output.array("taken", 0, &[taken as f64]);
    }
}
