//! A wave with a source that there may be, whose place is checked; somebody unknown looks at it every few steps. Its settings
//! lie in a structure that it has by reference.

mod corpus;

trait Observer {
    fn observe(&mut self, step: usize, field: &[f64]);
}

struct Largest {
    values: Vec<f64>,
}

impl Observer for Largest {
    fn observe(&mut self, _step: usize, field: &[f64]) {
        self.values.push(field.iter().cloned().fold(f64::MIN, f64::max));
    }
}

struct Settings {
    rows: usize,
    columns: usize,
    steps: usize,
    every: usize,
    speed: f64,
    source: Option<(usize, usize)>,
}

struct Wave<'a> {
    settings: &'a Settings,
    now: Vec<f64>,
    old: Vec<f64>,
    new: Vec<f64>,
}

impl Wave<'_> {
    fn advance(&mut self, step: usize) {
        let m = self.settings.columns;
        let c2 = self.settings.speed * self.settings.speed;
        for i in 1..self.settings.rows - 1 {
            for j in 1..m - 1 {
                let k = i * m + j;
                let around = self.now[k - m] + self.now[k + m] + self.now[k - 1] + self.now[k + 1];
                self.new[k] = 2.0 * self.now[k] - self.old[k] + c2 * (around - 4.0 * self.now[k]);
            }
        }
        if let Some((i, j)) = self.settings.source {
            self.new[i * m + j] += 0.01 * step as f64;
        }
        std::mem::swap(&mut self.old, &mut self.now);
        std::mem::swap(&mut self.now, &mut self.new);
    }

    #[inline(never)]
    fn run(&mut self, observers: &mut [Box<dyn Observer>]) {
        for step in 0..self.settings.steps {
            self.advance(step);
            if (step + 1) % self.settings.every == 0 {
                for o in observers.iter_mut() {
                    o.observe(step, &self.now);
                }
            }
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (rows, columns) = (case.nx as usize, case.ny as usize);
        let source = (case.steps != 5).then_some((rows / 3, columns / 2));
        let settings = Settings { rows, columns, steps: case.steps as usize, every: 20, speed: 0.5, source };
        let field = |seed| corpus::varied::<f64>(rows * columns, seed);
        let mut wave = Wave { settings: &settings, now: field(1), old: field(2), new: field(3) };
        let mut observers: Vec<Box<dyn Observer>> = vec![Box::new(Largest { values: vec![] })];
        wave.run(&mut observers);
        output.case(&case);
        output.array("now", 0, &wave.now);
        output.array("old", 0, &wave.old);
        output.array("new", 0, &wave.new);
    }
}
