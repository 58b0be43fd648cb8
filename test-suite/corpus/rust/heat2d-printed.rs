//! A grid with its sizes, swapped whole by the function that owns it, which prints an element every few steps.

mod corpus;

struct Grid {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

impl Grid {
    fn at(&self, i: usize, j: usize) -> f64 {
        self.values[i * self.columns + j]
    }
}

fn step(u: &Grid, v: &mut Grid) {
    for i in 1..u.rows - 1 {
        for j in 1..u.columns - 1 {
            let around = u.at(i - 1, j) + u.at(i + 1, j) + u.at(i, j - 1) + u.at(i, j + 1);
            v.values[i * v.columns + j] = u.at(i, j) + 0.1 * (around - 4.0 * u.at(i, j));
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (rows, columns) = (case.nx as usize, case.ny as usize);
        let mut u = Grid { rows, columns, values: corpus::varied(rows * columns, 1) };
        let mut v = Grid { rows, columns, values: corpus::varied(rows * columns, 2) };
        for t in 0..case.steps {
            step(&u, &mut v);
            std::mem::swap(&mut u, &mut v);
            if t % 10 == 0 {
                println!("step {t}: {:.6} in the middle", u.at(rows / 2, columns / 2));
            }
        }
        output.case(&case);
        output.array("u", 0, &u.values);
        output.array("v", 0, &v.values);
    }
}
