//! Two species in cells that are structures, on a torus; every few steps their sum is printed, with the number of the step,
//! which nothing else needs.

mod corpus;

#[derive(Clone, Copy)]
struct Cell {
    u: f64,
    v: f64,
}

struct Reaction {
    width: usize,
    height: usize,
    cells: Vec<Cell>,
    next: Vec<Cell>,
}

impl Reaction {
    fn at(&self, x: usize, y: usize) -> Cell {
        self.cells[y * self.width + x]
    }

    fn step(&mut self) {
        for y in 0..self.height {
            for x in 0..self.width {
                let left = if x == 0 { self.width - 1 } else { x - 1 };
                let right = if x == self.width - 1 { 0 } else { x + 1 };
                let up = if y == 0 { self.height - 1 } else { y - 1 };
                let down = if y == self.height - 1 { 0 } else { y + 1 };
                let c = self.at(x, y);
                let u = self.at(left, y).u + self.at(right, y).u + self.at(x, up).u + self.at(x, down).u;
                let v = self.at(left, y).v + self.at(right, y).v + self.at(x, up).v + self.at(x, down).v;
                let reacts = 0.01 * c.u * c.v;
                self.next[y * self.width + x] = Cell {
                    u: c.u + 0.16 * (u - 4.0 * c.u) - reacts,
                    v: c.v + 0.08 * (v - 4.0 * c.v) + reacts,
                };
            }
        }
        std::mem::swap(&mut self.cells, &mut self.next);
    }

    fn total(&self) -> f64 {
        self.cells.iter().map(|c| c.v).sum()
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (width, height) = (case.ny as usize, case.nx as usize);
        let cells = |seed: u64| -> Vec<Cell> {
            let (u, v) = (corpus::varied(width * height, seed), corpus::varied(width * height, seed + 1));
            u.iter().zip(&v).map(|(&u, &v)| Cell { u, v }).collect()
        };
        let mut r = Reaction { width, height, cells: cells(1), next: cells(3) };
        for s in 0..case.steps {
            if s % 20 == 0 {
                println!("{:6} {:.9}", s, r.total());
            }
            r.step();
        }
        output.case(&case);
        for (name, cells) in [("cells", &r.cells), ("next", &r.next)] {
            let all: Vec<f64> = cells.iter().flat_map(|c| [c.u, c.v]).collect();
            output.array(name, 0, &all);
        }
    }
}
