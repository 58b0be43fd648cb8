//! Populations in vectors of vectors of vectors, all of whose loops run over inclusive ranges.

mod corpus;

#[inline(never)]
fn flow(f: &mut Vec<Vec<Vec<f64>>>, rho: &mut Vec<Vec<f64>>, n: usize, m: usize, steps: usize) {
    for _ in 0..steps {
        for i in 0..=n {
            for j in 0..=m {
                for k in 0..=8 {
                    f[k][i][j] = f[k][i][j] + (rho[i][j] / 9.0 - f[k][i][j]) / 0.6;
                }
            }
        }
        for i in 0..=n - 1 {
            for j in 0..=m {
                rho[i][j] = 0.5 * (f[0][i][j] + f[1][i + 1][j]);
            }
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let rows = |seed| -> Vec<Vec<f64>> {
            corpus::varied::<f64>(n * m, seed).chunks_exact(m).map(<[f64]>::to_vec).collect()
        };
        let mut f: Vec<Vec<Vec<f64>>> = (1..=9).map(rows).collect();
        let mut rho = rows(10);
        flow(&mut f, &mut rho, n - 1, m - 1, case.steps as usize);
        output.case(&case);
        output.array("f", 0, &f.concat().concat());
        output.array("rho", 0, &rho.concat());
    }
}
