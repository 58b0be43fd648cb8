//! A grid of rows, in a structure, is cloned in each step; the clone takes its place.

mod corpus;

struct Plate {
    rows: Vec<Vec<f64>>,
    rate: f64,
}

impl Plate {
    fn step(&mut self) {
        let mut next = self.rows.clone();
        for i in 1..self.rows.len() - 1 {
            for j in 1..self.rows[0].len() - 1 {
                let around = self.rows[i - 1][j] + self.rows[i + 1][j] + self.rows[i][j - 1] + self.rows[i][j + 1];
                next[i][j] = self.rows[i][j] + self.rate * (around - 4.0 * self.rows[i][j]);
            }
        }
        self.rows = next;
    }
}

#[inline(never)]
fn run(rows: Vec<Vec<f64>>, steps: usize) -> Vec<Vec<f64>> {
    let mut plate = Plate { rows, rate: 0.1 };
    for _ in 0..steps {
        plate.step();
    }
    plate.rows
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let rows = corpus::varied::<f64>(n * m, 1).chunks(m).map(|row| row.to_vec()).collect();
        let rows = run(rows, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &rows.concat());
    }
}
