//! Cells that hold whether they are walls, in two grids that change places.

mod corpus;

#[derive(Clone, Copy)]
struct Cell {
    heat: f64,
    wall: bool,
}

fn step(now: &[Cell], next: &mut [Cell], n: usize, m: usize) {
    for i in 0..n {
        for j in 0..m {
            let k = i * m + j;
            if !now[k].wall {
                let around = now[k - m].heat + now[k + m].heat + now[k - 1].heat + now[k + 1].heat;
                next[k].heat = now[k].heat + 0.125 * (around - 4.0 * now[k].heat);
            }
        }
    }
}

#[inline(never)]
fn run(mut now: Vec<Cell>, n: usize, m: usize, steps: usize) -> Vec<Cell> {
    let mut next = now.clone();
    for _ in 0..steps {
        step(&now, &mut next, n, m);
        std::mem::swap(&mut now, &mut next);
    }
    now
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let at_wall = |k: usize| {
            let (i, j) = (k / m, k % m);
            i == 0 || j == 0 || i == n - 1 || j == m - 1 || (7 * i + 3 * j) % 11 == 0
        };
        let first = corpus::varied::<f64>(n * m, 1);
        let cell = |(k, &heat)| Cell { heat, wall: at_wall(k) };
        let cells = run(first.iter().enumerate().map(cell).collect(), n, m, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &cells.iter().map(|c| c.heat).collect::<Vec<_>>());
    }
}
