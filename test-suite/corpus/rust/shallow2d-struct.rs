//! Shallow water in a basin: height and two speeds are updated in place, and its walls reflect.

mod corpus;

struct Basin {
    n: usize,
    m: usize,
    h: Vec<f64>,
    u: Vec<f64>,
    v: Vec<f64>,
}

const GRAVITY: f64 = 9.81;
const DEPTH: f64 = 0.5;

impl Basin {
    fn speeds(&mut self, dt: f64) {
        let m = self.m;
        for i in 0..self.n - 1 {
            for j in 0..m - 1 {
                let p = i * m + j;
                self.u[p] -= GRAVITY * dt * (self.h[p + m] - self.h[p]);
                self.v[p] -= GRAVITY * dt * (self.h[p + 1] - self.h[p]);
            }
        }
    }

    fn walls(&mut self) {
        let (n, m) = (self.n, self.m);
        for j in 0..m {
            self.u[(n - 1) * m + j] = 0.0;
        }
        for i in 0..n {
            self.v[i * m + m - 1] = 0.0;
        }
    }

    fn heights(&mut self, dt: f64) {
        let m = self.m;
        for i in 1..self.n {
            for j in 1..m {
                let p = i * m + j;
                let out = self.u[p] - self.u[p - m] + self.v[p] - self.v[p - 1];
                self.h[p] -= DEPTH * dt * out;
            }
        }
    }

    #[inline(never)]
    fn run(&mut self, dt: f64, steps: usize) {
        for _ in 0..steps {
            self.speeds(dt);
            self.walls();
            self.heights(dt);
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let field = |seed| corpus::varied::<f64>(n * m, seed);
        let mut basin = Basin { n, m, h: field(1), u: field(2), v: field(3) };
        basin.run(0.05, case.steps as usize);
        output.case(&case);
        output.array("h", 0, &basin.h);
        output.array("u", 0, &basin.u);
        output.array("v", 0, &basin.v);
    }
}
