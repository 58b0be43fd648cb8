//! Allen-Cahn with two stages a step: sweeps of a trait's method, `powi`, and sums of three vectors whose lengths `zip` compares.

mod corpus;

trait Equation {
    fn rate(&self, u: &[f64], out: &mut [f64], n: usize, m: usize);
}

struct AllenCahn {
    width: f64,
}

impl Equation for AllenCahn {
    fn rate(&self, u: &[f64], out: &mut [f64], n: usize, m: usize) {
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let k = i * m + j;
                let laplacian = u[k - 1] + u[k + 1] + u[k - m] + u[k + m] - 4.0 * u[k];
                out[k] = self.width * laplacian + 0.01 * (u[k] - u[k].powi(3));
            }
        }
    }
}

struct Stages<E: Equation> {
    equation: E,
    u: Vec<f64>,
    first: Vec<f64>,
    second: Vec<f64>,
    between: Vec<f64>,
    n: usize,
    m: usize,
}

impl<E: Equation> Stages<E> {
    fn step(&mut self, dt: f64) {
        self.equation.rate(&self.u, &mut self.first, self.n, self.m);
        for ((b, u), k) in self.between.iter_mut().zip(&self.u).zip(&self.first) {
            *b = u + dt * k;
        }
        self.equation.rate(&self.between, &mut self.second, self.n, self.m);
        for ((u, a), b) in self.u.iter_mut().zip(&self.first).zip(&self.second) {
            *u += 0.5 * dt * (a + b);
        }
    }

    #[inline(never)]
    fn run(&mut self, steps: usize) {
        for _ in 0..steps {
            self.step(0.05);
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let field = |seed| corpus::varied::<f64>(n * m, seed);
        let equation = AllenCahn { width: 0.2 };
        let mut s =
            Stages { equation, u: field(1), first: field(2), second: field(3), between: field(4), n, m };
        s.run(case.steps as usize);
        output.case(&case);
        for (name, field) in [("u", &s.u), ("first", &s.first), ("second", &s.second), ("between", &s.between)] {
            output.array(name, 0, field);
        }
    }
}
