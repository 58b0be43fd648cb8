//! Life on an enumeration of cells, in rows that are vectors of their own; the edge of the world stays as it is.

mod corpus;

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Cell {
    Dead = 0,
    Alive = 1,
}

struct World {
    now: Vec<Cell>,
    next: Vec<Cell>,
    width: usize,
    height: usize,
}

impl World {
    fn around(&self, x: usize, y: usize) -> u8 {
        let mut count = 0;
        for row in [y - 1, y, y + 1] {
            for column in [x - 1, x, x + 1] {
                if (row, column) != (y, x) {
                    count += self.now[row * self.width + column] as u8;
                }
            }
        }
        count
    }

    fn tick(&mut self) {
        for y in 1..self.height - 1 {
            for x in 1..self.width - 1 {
                let cell = self.now[y * self.width + x];
                self.next[y * self.width + x] = match (cell, self.around(x, y)) {
                    (Cell::Alive, 2 | 3) | (Cell::Dead, 3) => Cell::Alive,
                    _ => Cell::Dead,
                };
            }
        }
        std::mem::swap(&mut self.now, &mut self.next);
    }

    #[inline(never)]
    fn run(&mut self, ticks: usize) {
        for _ in 0..ticks {
            self.tick();
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (height, width) = (case.nx as usize, case.ny as usize);
        let cells = |seed| -> Vec<Cell> {
            let values = corpus::varied::<f64>(height * width, seed);
            values.iter().map(|&x| if x > 0.0 { Cell::Alive } else { Cell::Dead }).collect()
        };
        let mut world = World { now: cells(1), next: cells(2), width, height };
        world.run(case.steps as usize);
        let bytes = |cells: &[Cell]| cells.iter().map(|&c| c as u8).collect::<Vec<u8>>();
        output.case(&case);
        output.array("now", 0, &bytes(&world.now));
        output.array("next", 0, &bytes(&world.next));
    }
}
