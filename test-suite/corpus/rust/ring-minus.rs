//! Remainders by −1, which are all zero: the division is checked before the loop, where the smallest number could not be
//! divided.

mod corpus;

#[inline(never)]
fn ring(u: &mut Vec<f64>, v: &mut Vec<f64>, n: usize, by: i64, steps: usize) {
    for _ in 0..steps {
        for i in 0..n {
            let next = (i as i64 + 1).rem_euclid(by) as usize;
            v[i] = 0.5 * u[i] + 0.25 * u[next];
        }
        std::mem::swap(u, v);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let n = case.nx as usize;
        let mut u = corpus::varied::<f64>(n, 1);
        let mut v = corpus::varied::<f64>(n, 2);
        ring(&mut u, &mut v, n, std::hint::black_box(-1), case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
    }
}
