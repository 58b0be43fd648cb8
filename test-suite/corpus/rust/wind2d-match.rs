//! Differences against the wind, whose direction is an enumeration.

mod corpus;

#[derive(Clone, Copy)]
enum Wind {
    West,
    East,
    Calm,
}

struct Field {
    u: Vec<f64>,
    next: Vec<f64>,
    speed: Vec<f64>,
    rows: usize,
    columns: usize,
}

impl Field {
    fn wind(&self, at: usize) -> Wind {
        match self.speed[at] {
            s if s > 0.6 => Wind::West,
            s if s < 0.4 => Wind::East,
            _ => Wind::Calm,
        }
    }

    fn step(&mut self) {
        let m = self.columns;
        for i in 1..self.rows - 1 {
            for j in 1..m - 1 {
                let at = i * m + j;
                let from = match self.wind(at) {
                    Wind::West => self.u[at - 1],
                    Wind::East => self.u[at + 1],
                    Wind::Calm => self.u[at],
                };
                self.next[at] = 0.8 * self.u[at] + 0.2 * from;
            }
        }
        std::mem::swap(&mut self.u, &mut self.next);
    }

    #[inline(never)]
    fn run(&mut self, steps: usize) {
        for _ in 0..steps {
            self.step();
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (rows, columns) = (case.nx as usize, case.ny as usize);
        let [u, next, speed] = [1, 2, 3].map(|seed| corpus::varied::<f64>(rows * columns, seed));
        let mut field = Field { u, next, speed, rows, columns };
        field.run(case.steps as usize);
        output.case(&case);
        output.array("u", 0, &field.u);
        output.array("next", 0, &field.next);
    }
}
