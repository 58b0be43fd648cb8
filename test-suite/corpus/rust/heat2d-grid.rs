//! A grid with its sizes and a setter: each step makes one anew, border and all, which takes the old one's place.

mod corpus;

struct Grid {
    values: Vec<f64>,
    rows: usize,
    columns: usize,
}

impl Grid {
    fn new(rows: usize, columns: usize) -> Grid {
        Grid { values: vec![0.0; rows * columns], rows, columns }
    }

    fn get(&self, i: usize, j: usize) -> f64 {
        self.values[i * self.columns + j]
    }

    fn set(&mut self, i: usize, j: usize, value: f64) {
        self.values[i * self.columns + j] = value;
    }

    fn step(&self) -> Grid {
        let mut next = Grid::new(self.rows, self.columns);
        for i in 0..self.rows {
            for j in 0..self.columns {
                let border = i == 0 || j == 0 || i == self.rows - 1 || j == self.columns - 1;
                let around = |i, j| {
                    self.get(i - 1, j) + self.get(i + 1, j) + self.get(i, j - 1) + self.get(i, j + 1)
                };
                let value = if border {
                    self.get(i, j)
                } else {
                    0.6 * self.get(i, j) + 0.1 * around(i, j)
                };
                next.set(i, j, value);
            }
        }
        next
    }
}

#[inline(never)]
fn heat(grid: &mut Grid, steps: usize) {
    for _ in 0..steps {
        *grid = grid.step();
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (rows, columns) = (case.nx as usize, case.ny as usize);
        let mut grid = Grid { values: corpus::varied::<f64>(rows * columns, 1), rows, columns };
        heat(&mut grid, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &grid.values);
    }
}
