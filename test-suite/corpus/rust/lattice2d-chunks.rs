//! Five populations of each cell side by side: a collision goes through them in chunks, of which nobody says that they come out even.

mod corpus;

#[inline(never)]
fn run(f: &mut [f64], h: &mut [f64], n: usize, m: usize, steps: usize) {
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let c = i * m + j;
                h[5 * c] = f[5 * c];
                h[5 * c + 1] = f[5 * (c - m) + 1];
                h[5 * c + 2] = f[5 * (c - 1) + 2];
                h[5 * c + 3] = f[5 * (c + m) + 3];
                h[5 * c + 4] = f[5 * (c + 1) + 4];
            }
        }
        f.chunks_mut(5).zip(h.chunks(5)).zip(0..n * m).for_each(|((f, h), _)| {
            let rho = h[0] + h[1] + h[2] + h[3] + h[4];
            for q in 0..5 {
                f[q] = 0.4 * h[q] + 0.12 * rho;
            }
        });
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut f = corpus::varied::<f64>(5 * n * m, 1);
        let mut h = corpus::varied::<f64>(5 * n * m, 2);
        if n > 1 && m > 1 {
            run(&mut f, &mut h, n, m, case.steps as usize);
        }
        output.case(&case);
        output.array("f", 0, &f);
        output.array("h", 0, &h);
    }
}
