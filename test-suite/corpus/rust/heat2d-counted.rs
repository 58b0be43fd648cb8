//! Heat on a grid whose size is how often a loop has gone round before.

mod corpus;

fn heat(first: &[f64], last: &[f64], n: usize, m: usize, steps: usize) -> Vec<f64> {
    let (mut a, mut b) = (first.to_vec(), last.to_vec());
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                b[i * m + j] = a[i * m + j]
                    + 0.2 * (a[i * m + j - 1] + a[i * m + j + 1] + a[(i - 1) * m + j] + a[(i + 1) * m + j]
                        - 4.0 * a[i * m + j]);
            }
        }
        std::mem::swap(&mut a, &mut b);
    }
    a.extend(b);
    a
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        // As of the arguments of a program.
        let names: Vec<String> = (0..case.ny as usize).map(|k| k.to_string()).collect();
        let m = names.iter().filter(|name| name.len() < 12).count();
        let n = case.nx as usize;
        let first = corpus::varied::<f64>(n * m, 1);
        let last = corpus::varied::<f64>(n * m, 2);
        let both = if n * m > 0 { heat(&first, &last, n, m, case.steps as usize) } else { Vec::new() };
        output.case(&case);
        output.array("u", 0, &both);
    }
}
