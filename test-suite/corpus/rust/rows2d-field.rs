//! A field of a structure is renewed in each step by a grid made for that, whose sizes are fields too.

mod corpus;

struct Plate {
    rows: usize,
    columns: usize,
    heat: Vec<Vec<f64>>,
}

impl Plate {
    fn step(&mut self) {
        let mut next = vec![vec![0.5; self.columns]; self.rows];
        for i in 1..self.rows - 1 {
            for j in 1..self.columns - 1 {
                let beside = self.heat[i][j - 1] + self.heat[i][j + 1];
                next[i][j] = 0.2 * (self.heat[i][j] + beside + self.heat[i - 1][j] + self.heat[i + 1][j]);
            }
        }
        self.heat = next;
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
        let values = corpus::varied::<f64>(rows * columns, 1);
        let heat = values.chunks(columns).map(|row| row.to_vec()).collect();
        let mut plate = Plate { rows, columns, heat };
        plate.run(case.steps as usize);
        output.case(&case);
        output.array("u", 0, &plate.heat.concat());
    }
}
