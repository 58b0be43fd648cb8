//! Five points on slices that change places after each step.

mod corpus;

#[inline(never)]
fn smooth<'a>(mut u: &'a mut [f32], mut v: &'a mut [f32], steps: i32) {
    for _ in 0..steps {
        for i in 2..u.len().saturating_sub(2) {
            v[i] = 0.0625 * (u[i - 2] + u[i + 2]) + 0.25 * (u[i - 1] + u[i + 1]) + 0.375 * u[i];
        }
        std::mem::swap(&mut u, &mut v);
    }
}

fn main() {
    const GUARD: usize = 61;
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let n = case.nx.max(0) as usize;
        let mut u = corpus::varied::<f32>(n + 2 * GUARD, 1);
        let mut v = corpus::varied::<f32>(n + 2 * GUARD, 2);
        smooth(&mut u[GUARD..GUARD + n], &mut v[GUARD..GUARD + n], case.steps);
        output.case(&case);
        output.array("u", GUARD, &u);
        output.array("v", GUARD, &v);
    }
}
