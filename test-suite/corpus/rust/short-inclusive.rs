//! A range that goes to the vector's length itself: the loop writes until the bounds check fails, then unwinds.

mod corpus;

#[inline(never)]
fn smooth(u: &mut Vec<f64>, v: &mut Vec<f64>, n: usize, steps: usize) {
    for _ in 0..steps {
        for i in 1..=n {
            v[i] = 0.5 * (u[i - 1] + u[i]);
        }
        std::mem::swap(u, v);
    }
}

fn main() {
    std::panic::set_hook(Box::new(|_| ()));
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let n = case.nx as usize;
        let mut u = corpus::varied::<f64>(n, 1);
        let mut v = corpus::varied::<f64>(n, 2);
        let run = || smooth(&mut u, &mut v, n, case.steps as usize);
        let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err();
        assert!(failed);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
    }
}
