//! Two grids in boxes, which change places by their boxes.

mod corpus;

struct Grid {
    values: Vec<f64>,
    n: usize,
    m: usize,
}

struct Simulation {
    now: Box<Grid>,
    next: Box<Grid>,
}

impl Simulation {
    fn step(&mut self) {
        let (n, m) = (self.now.n, self.now.m);
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let u = &self.now.values;
                self.next.values[i * m + j] =
                    0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
            }
        }
        std::mem::swap(&mut self.now, &mut self.next);
    }
}

#[inline(never)]
fn run(simulation: &mut Simulation, steps: usize) {
    for _ in 0..steps {
        simulation.step();
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let grid = |seed| Box::new(Grid { values: corpus::varied::<f64>(n * m, seed), n, m });
        let mut simulation = Simulation { now: grid(1), next: grid(2) };
        run(&mut simulation, case.steps as usize);
        output.case(&case);
        output.array("now", 0, &simulation.now.values);
        output.array("next", 0, &simulation.next.values);
    }
}
