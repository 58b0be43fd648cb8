//! Windows of each row beside the rows above and below it.

mod corpus;

#[inline(never)]
fn heat(u: &mut Vec<f32>, next: &mut Vec<f32>, n: usize, m: usize, steps: usize) {
    for _ in 0..steps {
        for i in 1..n - 1 {
            let above = &u[(i - 1) * m + 1..i * m - 1];
            let row = &u[i * m..(i + 1) * m];
            let below = &u[(i + 1) * m + 1..(i + 2) * m - 1];
            let out = &mut next[i * m + 1..(i + 1) * m - 1];
            for (x, ((w, a), b)) in out.iter_mut().zip(row.windows(3).zip(above).zip(below)) {
                *x = w[1] + 0.1 * (w[0] + w[2] + a + b - 4.0 * w[1]);
            }
        }
        std::mem::swap(u, next);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = corpus::varied::<f32>(n * m, 1);
        let mut v = corpus::varied::<f32>(n * m, 2);
        heat(&mut u, &mut v, n, m, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
    }
}
