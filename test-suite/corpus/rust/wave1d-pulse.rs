//! An electric and a magnetic field, and a pulse at one point that comes from `exp` in each step.

mod corpus;

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let n = case.nx as usize;
        let mut e = corpus::varied::<f64>(n, 1);
        let mut h = corpus::varied::<f64>(n, 2);
        for t in 0..case.steps {
            for i in 0..n - 1 {
                h[i] += 0.5 * (e[i + 1] - e[i]);
            }
            for i in 1..n {
                e[i] += 0.5 * (h[i] - h[i - 1]);
            }
            e[0] += (-((t as f64 - 30.0) / 10.0).powi(2)).exp();
        }
        output.case(&case);
        output.array("e", 0, &e);
        output.array("h", 0, &h);
    }
}
