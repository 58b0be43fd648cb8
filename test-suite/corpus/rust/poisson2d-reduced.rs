//! Poisson's equation until the residual is a part of the first one; all of them are kept.

mod corpus;

#[inline(never)]
fn solve<'a>(mut u: &'a mut [f64], mut v: &'a mut [f64], f: &[f64], n: usize, m: usize, residuals: &mut [f64]) -> usize {
    let mut first = None;
    for step in 0..residuals.len() {
        let mut sum = 0.0;
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let k = i * m + j;
                let residual = u[k - m] + u[k + m] + u[k - 1] + u[k + 1] - 4.0 * u[k] - 0.1 * f[k];
                v[k] = u[k] + 0.25 * residual;
                sum += residual.abs();
            }
        }
        std::mem::swap(&mut u, &mut v);
        residuals[step] = sum;
        let first = *first.get_or_insert(sum);
        if sum <= 0.3 * first {
            return step + 1;
        }
    }
    residuals.len()
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = corpus::varied::<f64>(n * m, 1);
        let mut v = corpus::varied::<f64>(n * m, 2);
        let f = corpus::varied::<f64>(n * m, 3);
        let mut residuals = vec![0.0; case.steps.max(0) as usize];
        let taken = solve(&mut u, &mut v, &f, n, m, &mut residuals);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
        output.array("residuals", 0, &residuals);
        output.array("taken", 0, &[taken as f64]);
    }
}
