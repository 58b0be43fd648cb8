//! Elements and their numbers by an iterator; the border is zero.

mod corpus;

#[inline(never)]
fn smooth(u: &mut Vec<f64>, next: &mut Vec<f64>, steps: usize) {
    let n = u.len();
    for _ in 0..steps {
        for (i, x) in next.iter_mut().enumerate() {
            let left = if i > 0 { u[i - 1] } else { 0.0 };
            let right = if i + 1 < n { u[i + 1] } else { 0.0 };
            *x = 0.25 * left + 0.5 * u[i] + 0.25 * right;
        }
        std::mem::swap(u, next);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let mut u = corpus::varied::<f64>(case.nx as usize, 1);
        let mut v = corpus::varied::<f64>(case.nx as usize, 2);
        smooth(&mut u, &mut v, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
    }
}
