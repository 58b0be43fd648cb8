//! Lattice Boltzmann in cells of nine populations around an obstacle, in a structure of many members; the last column is a copy
//! of whole cells.

mod corpus;

const W: [f64; 9] =
    [4.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 36.0, 1.0 / 36.0, 1.0 / 36.0, 1.0 / 36.0];
const CX: [i32; 9] = [0, 1, 0, -1, 0, 1, -1, -1, 1];
const CY: [i32; 9] = [0, 0, 1, 0, -1, 1, 1, -1, -1];
const OPPOSITE: [usize; 9] = [0, 3, 4, 1, 2, 7, 8, 5, 6];

struct Flow {
    rows: usize,
    columns: usize,
    now: Vec<[f64; 9]>,
    next: Vec<[f64; 9]>,
    solid: Vec<bool>,
    omega: f64,
}

impl Flow {
    fn equilibrium(rho: f64, ux: f64, uy: f64) -> [f64; 9] {
        let mut e = [0.0; 9];
        let u2 = ux * ux + uy * uy;
        for q in 0..9 {
            let cu = CX[q] as f64 * ux + CY[q] as f64 * uy;
            e[q] = W[q] * rho * (1.0 + 3.0 * cu + 4.5 * cu * cu - 1.5 * u2);
        }
        e
    }

    fn step(&mut self) {
        for x in 1..self.rows - 1 {
            for y in 1..self.columns - 1 {
                let p = x * self.columns + y;
                if self.solid[p] {
                    continue;
                }
                let mut f = [0.0; 9];
                for q in 0..9 {
                    let sx = (x as i32 - CX[q]) as usize;
                    let sy = (y as i32 - CY[q]) as usize;
                    let s = sx * self.columns + sy;
                    f[q] = if self.solid[s] { self.now[p][OPPOSITE[q]] } else { self.now[s][q] };
                }
                let rho: f64 = f.iter().sum();
                let ux = f[1] + f[5] + f[8] - f[3] - f[6] - f[7];
                let uy = f[2] + f[5] + f[6] - f[4] - f[7] - f[8];
                let e = Self::equilibrium(rho, 0.1 * ux, 0.1 * uy);
                for q in 0..9 {
                    self.next[p][q] = f[q] + self.omega * (e[q] - f[q]);
                }
            }
        }
        for y in 0..self.columns {
            self.next[(self.rows - 1) * self.columns + y] = self.next[(self.rows - 2) * self.columns + y];
        }
        std::mem::swap(&mut self.now, &mut self.next);
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
        let cells = |seed| -> Vec<[f64; 9]> {
            let all: Vec<f64> = corpus::varied(rows * columns * 9, seed);
            all.chunks_exact(9).map(|c| std::array::from_fn(|q| c[q])).collect()
        };
        let solid = corpus::varied::<f64>(rows * columns, 3).iter().map(|&x| x > 0.8).collect();
        let mut flow = Flow { rows, columns, now: cells(1), next: cells(2), solid, omega: 1.2 };
        flow.run(case.steps as usize);
        output.case(&case);
        for (name, cells) in [("now", &flow.now), ("next", &flow.next)] {
            let all: Vec<f64> = cells.iter().flatten().copied().collect();
            output.array(name, 0, &all);
        }
    }
}
