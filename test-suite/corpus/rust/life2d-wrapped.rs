//! A world whose neighbours are found by remainders; each generation makes its cells anew.

mod corpus;

struct World {
    width: usize,
    height: usize,
    cells: Vec<bool>,
}

impl World {
    fn neighbours(&self, x: usize, y: usize) -> usize {
        let mut count = 0;
        for dy in [self.height - 1, 0, 1] {
            for dx in [self.width - 1, 0, 1] {
                if dx == 0 && dy == 0 {
                    continue;
                }
                let (x, y) = ((x + dx) % self.width, (y + dy) % self.height);
                if self.cells[y * self.width + x] {
                    count += 1;
                }
            }
        }
        count
    }

    fn next(&mut self) {
        let mut next = self.cells.clone();
        for y in 0..self.height {
            for x in 0..self.width {
                let alive = self.cells[y * self.width + x];
                next[y * self.width + x] =
                    matches!((alive, self.neighbours(x, y)), (true, 2) | (_, 3));
            }
        }
        self.cells = next;
    }
}

#[inline(never)]
fn run(mut world: World, steps: i64) -> World {
    for _ in 0..steps {
        world.next();
    }
    world
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (height, width) = (case.nx as usize, case.ny as usize);
        let values = corpus::varied::<f64>(height * width, 1);
        let cells = values.iter().map(|v| *v > 0.0).collect();
        let world = run(World { width, height, cells }, case.steps as i64);
        let alive: Vec<f64> = world.cells.iter().map(|&c| f64::from(u8::from(c))).collect();
        output.case(&case);
        output.array("cells", 0, &alive);
    }
}
