//! Heat in a box: a grid type that owns both of its vectors.

mod corpus;

struct Grid {
    nx: usize,
    ny: usize,
    nz: usize,
    now: Vec<f32>,
    next: Vec<f32>,
}

impl Grid {
    #[inline(never)]
    fn evolve(&mut self, alpha: f32, steps: usize) {
        let (sx, sy) = (self.ny * self.nz, self.nz);
        for _ in 0..steps {
            let now = &self.now;
            let next = &mut self.next;
            for x in 1..self.nx - 1 {
                for y in 1..self.ny - 1 {
                    for z in 1..self.nz - 1 {
                        let p = x * sx + y * sy + z;
                        let around = now[p - sx]
                            + now[p + sx]
                            + now[p - sy]
                            + now[p + sy]
                            + now[p - 1]
                            + now[p + 1];
                        next[p] = now[p] + alpha * (around - 6.0 * now[p]);
                    }
                }
            }
            std::mem::swap(&mut self.now, &mut self.next);
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (nx, ny, nz) = (case.nx as usize, case.ny as usize, case.nz as usize);
        let points = nx * ny * nz;
        let mut grid =
            Grid { nx, ny, nz, now: corpus::varied(points, 1), next: corpus::varied(points, 2) };
        grid.evolve(0.1, case.steps as usize);
        output.case(&case);
        output.array("now", 0, &grid.now);
        output.array("next", 0, &grid.next);
    }
}
