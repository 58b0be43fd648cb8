//! Jacobi's iteration whose residual is asked for every few steps only: it is printed, and ends the loop.

mod corpus;

struct Poisson {
    u: Vec<f64>,
    next: Vec<f64>,
    source: Vec<f64>,
    rows: usize,
    columns: usize,
}

impl Poisson {
    fn sweep(&mut self) {
        let m = self.columns;
        for i in 1..self.rows - 1 {
            for j in 1..m - 1 {
                let p = i * m + j;
                let around = self.u[p - m] + self.u[p + m] + self.u[p - 1] + self.u[p + 1];
                self.next[p] = 0.25 * (around - self.source[p]);
            }
        }
        std::mem::swap(&mut self.u, &mut self.next);
    }

    fn residual(&self) -> f64 {
        let (m, u) = (self.columns, &self.u);
        let mut sum = 0.0;
        for i in 1..self.rows - 1 {
            for j in 1..m - 1 {
                let p = i * m + j;
                let r = u[p - m] + u[p + m] + u[p - 1] + u[p + 1] - 4.0 * u[p] - self.source[p];
                sum += r * r;
            }
        }
        (sum / (self.rows * m) as f64).sqrt()
    }

    #[inline(never)]
    fn solve(&mut self, most: i32, every: i32, tolerance: f64) -> i32 {
        for t in 1..=most {
            self.sweep();
            if t % every == 0 {
                let residual = self.residual();
                println!("step {t}: residual {residual:.9}");
                if residual < tolerance {
                    return t;
                }
            }
        }
        most
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (rows, columns) = (case.nx as usize, case.ny as usize);
        let field = |seed| corpus::varied::<f64>(rows * columns, seed);
        let (u, next, source) = (field(1), field(2), field(3));
        let mut poisson = Poisson { u, next, source, rows, columns };
        let taken = poisson.solve(case.steps, 10, 0.25);
        output.case(&case);
        output.array("u", 0, &poisson.u);
        output.array("next", 0, &poisson.next);
        output.array("taken", 0, &[taken]);
    }
}
