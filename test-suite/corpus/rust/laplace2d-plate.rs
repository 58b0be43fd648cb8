//! A plate that relaxes: its own two vectors change places in each step, and it counts the steps and keeps the changes.

mod corpus;

struct Plate {
    n: usize,
    m: usize,
    now: Vec<f64>,
    next: Vec<f64>,
    steps: usize,
    changes: Vec<f64>,
}

impl Plate {
    fn at(&self, i: usize, j: usize) -> f64 {
        self.now[i * self.m + j]
    }

    fn sweep(&mut self) -> f64 {
        let mut change = 0.0f64;
        for i in 1..self.n - 1 {
            for j in 1..self.m - 1 {
                let new = 0.25
                    * (self.at(i - 1, j) + self.at(i + 1, j) + self.at(i, j - 1) + self.at(i, j + 1));
                change = change.max((new - self.at(i, j)).abs());
                self.next[i * self.m + j] = new;
            }
        }
        std::mem::swap(&mut self.now, &mut self.next);
        change
    }

    #[inline(never)]
    fn relax(&mut self, steps: usize, tolerance: f64) {
        while self.steps < steps {
            let change = self.sweep();
            self.changes[self.steps] = change;
            self.steps += 1;
            if change < tolerance {
                return;
            }
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let now = corpus::varied::<f64>(n * m, 1);
        let next = corpus::varied::<f64>(n * m, 2);
        let steps = case.steps.max(0) as usize;
        let mut plate = Plate { n, m, now, next, steps: 0, changes: vec![0.0; steps] };
        plate.relax(steps, 0.02);
        output.case(&case);
        output.array("now", 0, &plate.now);
        output.array("next", 0, &plate.next);
        output.array("changes", 0, &plate.changes);
        output.array("steps", 0, &[plate.steps as f64]);
    }
}
