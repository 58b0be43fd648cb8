//! A solver whose time is a field beside its vectors; it is asked for one step after the other.

mod corpus;

struct Solver {
    u: Vec<f64>,
    v: Vec<f64>,
    n: usize,
    m: usize,
    time: f64,
    dt: f64,
}

impl Solver {
    fn step(&mut self) {
        let m = self.m;
        for i in 1..self.n - 1 {
            for j in 1..m - 1 {
                let p = i * m + j;
                let u = &self.u;
                self.v[p] = u[p] + 0.1 * (u[p - m] + u[p + m] + u[p - 1] + u[p + 1] - 4.0 * u[p]);
            }
        }
        std::mem::swap(&mut self.u, &mut self.v);
        self.time += self.dt;
    }

    #[inline(never)]
    fn run(&mut self, end: f64) {
        while self.time < end {
            self.step();
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let (u, v) = (corpus::varied::<f64>(n * m, 1), corpus::varied::<f64>(n * m, 2));
        let mut solver = Solver { u, v, n, m, time: 0.0, dt: 0.125 };
        solver.run(0.125 * case.steps as f64);
        output.case(&case);
        output.array("u", 0, &solver.u);
        output.array("v", 0, &solver.v);
    }
}
