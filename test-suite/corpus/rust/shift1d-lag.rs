//! A difference between points whose distance only the run knows.

mod corpus;

struct Line {
    u: Vec<f64>,
    next: Vec<f64>,
    lag: usize,
}

impl Line {
    #[inline(never)]
    fn run(&mut self, steps: usize) {
        let n = self.u.len();
        for _ in 0..steps {
            for i in self.lag..n - self.lag {
                let (left, right) = (self.u[i - self.lag], self.u[i + self.lag]);
                self.next[i] = 0.5 * self.u[i] + 0.25 * (left + right);
            }
            std::mem::swap(&mut self.u, &mut self.next);
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let u = corpus::varied::<f64>(case.nx as usize, 1);
        let next = corpus::varied::<f64>(case.nx as usize, 2);
        let mut line = Line { u, next, lag: 1 + case.nx as usize % 3 };
        line.run(case.steps as usize);
        output.case(&case);
        output.array("u", 0, &line.u);
        output.array("next", 0, &line.next);
    }
}
