//! Neighbours by a table of offsets in 32 bits, of which each is asked whether it lies in the grid.

mod corpus;

const AROUND: [(i32, i32); 8] = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)];

struct Life {
    rows: i32,
    columns: i32,
    cells: Vec<u8>,
    next: Vec<u8>,
}

impl Life {
    fn alive(&self, i: i32, j: i32) -> u8 {
        let mut alive = 0;
        for (di, dj) in AROUND.iter() {
            let (a, b) = (i + di, j + dj);
            if a >= 0 && b >= 0 && a < self.rows && b < self.columns {
                alive += self.cells[(a * self.columns + b) as usize];
            }
        }
        alive
    }

    fn step(&mut self) {
        for i in 0..self.rows {
            for j in 0..self.columns {
                let (p, alive) = ((i * self.columns + j) as usize, self.alive(i, j));
                self.next[p] = (alive == 3 || (alive == 2 && self.cells[p] == 1)) as u8;
            }
        }
        std::mem::swap(&mut self.cells, &mut self.next);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (rows, columns) = (case.nx, case.ny);
        let of = |seed| corpus::varied::<u8>((rows * columns) as usize, seed).iter().map(|x| x & 1).collect();
        let mut life = Life { rows, columns, cells: of(1), next: of(2) };
        for _ in 0..case.steps {
            life.step();
        }
        output.case(&case);
        output.array("cells", 0, &life.cells);
        output.array("next", 0, &life.next);
    }
}
