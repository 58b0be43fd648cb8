//! Fields that are smoothed one after the other by a function which works on a copy and changes places with it.

mod corpus;

macro_rules! at {
    ($x:expr, $y:expr, $m:expr) => {
        $x * $m + $y
    };
}

#[inline(never)]
fn smooth(x: &mut Vec<f64>, x0: &[f64], a: f64, rounds: usize, n: usize, m: usize) {
    let mut y = x.clone();
    for _ in 0..rounds {
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let around = x[at!(i + 1, j, m)] + x[at!(i - 1, j, m)] + x[at!(i, j + 1, m)] + x[at!(i, j - 1, m)];
                y[at!(i, j, m)] = (x0[at!(i, j, m)] + a * around) / (1.0 + 4.0 * a);
            }
        }
        for j in 1..m - 1 {
            y[at!(0, j, m)] = y[at!(1, j, m)];
        }
        std::mem::swap(x, &mut y);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let field = |seed| corpus::varied::<f64>(n * m, seed);
        let (mut u, mut v, density) = (field(1), field(2), field(3));
        smooth(&mut u, &density, 0.1, case.steps as usize, n, m);
        smooth(&mut v, &u, 0.2, case.steps as usize, n, m);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
    }
}
