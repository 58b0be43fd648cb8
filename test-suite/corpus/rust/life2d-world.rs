//! Life in a structure that each step makes anew, with sizes as `i32`, neighbours around the corner by `%`, and inclusive
//! ranges from -1 to 1.

mod corpus;

#[derive(Clone)]
struct World {
    width: i32,
    height: i32,
    cells: Vec<bool>,
}

impl World {
    fn alive(&self, x: i32, y: i32) -> bool {
        let x = (x + self.width) % self.width;
        let y = (y + self.height) % self.height;
        self.cells[(y * self.width + x) as usize]
    }

    fn neighbours(&self, x: i32, y: i32) -> usize {
        let mut n = 0;
        for dy in -1..=1 {
            for dx in -1..=1 {
                if (dx, dy) != (0, 0) && self.alive(x + dx, y + dy) {
                    n += 1;
                }
            }
        }
        n
    }

    fn step(&self) -> World {
        let mut next = self.clone();
        for y in 0..self.height {
            for x in 0..self.width {
                let n = self.neighbours(x, y);
                let i = (y * self.width + x) as usize;
                next.cells[i] = matches!((self.cells[i], n), (true, 2) | (_, 3));
            }
        }
        next
    }
}

#[inline(never)]
fn live(mut world: World, steps: i32) -> World {
    for _ in 0..steps {
        world = world.step();
    }
    world
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (width, height) = (case.ny, case.nx);
        let seeds: Vec<f64> = corpus::varied((width * height) as usize, 1);
        let world = World { width, height, cells: seeds.iter().map(|&x| x > 0.1).collect() };
        let world = live(world, case.steps);
        let shown: Vec<f64> = world.cells.iter().map(|&x| f64::from(x)).collect();
        output.case(&case);
        output.array("world", 0, &shown);
    }
}
