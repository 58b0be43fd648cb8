//! Lattice Boltzmann: cells of nine populations, loops over them, solid cells; vectors of cells are swapped.

mod corpus;

const Q: usize = 9;
const CX: [isize; Q] = [0, 1, 0, -1, 0, 1, -1, -1, 1];
const CY: [isize; Q] = [0, 0, 1, 0, -1, 1, 1, -1, -1];
const OPPOSITE: [usize; Q] = [0, 3, 4, 1, 2, 7, 8, 5, 6];
const WEIGHT: [f64; Q] =
    [4.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 36.0, 1.0 / 36.0, 1.0 / 36.0, 1.0 / 36.0];

type Cell = [f64; Q];

#[inline(never)]
fn flow(now: &mut Vec<Cell>, next: &mut Vec<Cell>, solid: &[bool], n: usize, m: usize, steps: usize) {
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let mut f = [0.0; Q];
                let (mut density, mut ux, mut uy) = (0.0, 0.0, 0.0);
                for q in 0..Q {
                    let from = (i as isize - CX[q]) as usize * m + (j as isize - CY[q]) as usize;
                    f[q] = now[from][q];
                    density += f[q];
                    ux += CX[q] as f64 * f[q];
                    uy += CY[q] as f64 * f[q];
                }
                let cell = &mut next[i * m + j];
                if solid[i * m + j] {
                    for q in 0..Q {
                        cell[q] = f[OPPOSITE[q]];
                    }
                } else {
                    for q in 0..Q {
                        let along = 3.0 * (CX[q] as f64 * ux + CY[q] as f64 * uy);
                        let rest = WEIGHT[q] * (density + along + 0.5 * along * along - 1.5 * (ux * ux + uy * uy));
                        cell[q] = f[q] + 0.6 * (rest - f[q]);
                    }
                }
            }
        }
        std::mem::swap(now, next);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let cells = |seed| -> Vec<Cell> {
            let values = corpus::varied::<f64>(n * m * Q, seed);
            values.chunks_exact(Q).map(|f| std::array::from_fn(|q| WEIGHT[q] + 0.001 * f[q])).collect()
        };
        let (mut now, mut next) = (cells(1), cells(2));
        let solid: Vec<bool> = corpus::varied::<f64>(n * m, 3).iter().map(|&x| x > 0.7).collect();
        flow(&mut now, &mut next, &solid, n, m, case.steps as usize);
        output.case(&case);
        output.array("now", 0, now.as_flattened());
        output.array("next", 0, next.as_flattened());
    }
}
