//! The wave equation with a source, and a line of receivers of which a structure keeps a row for each step.

mod corpus;

struct Gather {
    width: usize,
    traces: Vec<f64>,
}

impl Gather {
    fn record(&mut self, t: usize, u: &[f64], depth: usize) {
        let m = self.width;
        self.traces[t * m..(t + 1) * m].copy_from_slice(&u[depth * m..(depth + 1) * m]);
    }
}

#[inline(never)]
fn wave(p: &mut Vec<f64>, u: &mut Vec<f64>, next: &mut Vec<f64>, gather: &mut Gather, n: usize, steps: usize) {
    let m = gather.width;
    for t in 0..steps {
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let k = i * m + j;
                next[k] = 2.0 * u[k] - p[k] + 0.2 * (u[k - m] + u[k + m] + u[k - 1] + u[k + 1] - 4.0 * u[k]);
            }
        }
        next[n / 2 * m + m / 2] += 0.125 * ((t % 7) as f64 - 3.0);
        gather.record(t, next, 1);
        std::mem::swap(p, u);
        std::mem::swap(u, next);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m, steps) = (case.nx as usize, case.ny as usize, case.steps.max(0) as usize);
        let mut p = corpus::varied(n * m, 1);
        let mut u = corpus::varied(n * m, 2);
        let mut next = corpus::varied(n * m, 3);
        let mut gather = Gather { width: m, traces: vec![0.0; steps * m] };
        if n >= 2 && m >= 2 {
            wave(&mut p, &mut u, &mut next, &mut gather, n, steps);
        }
        output.case(&case);
        output.array("u", 0, &u);
        output.array("gather", 0, &gather.traces);
    }
}
