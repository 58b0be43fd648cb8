//! Each sweep is timed by `Instant`, and the time loop as a whole.

mod corpus;

use std::time::{Duration, Instant};

struct Timers {
    sweeps: Duration,
    all: Duration,
}

#[inline(never)]
fn heat(u: &mut Vec<f64>, v: &mut Vec<f64>, n: usize, m: usize, steps: usize) -> Timers {
    let begin = Instant::now();
    let mut sweeps = Duration::ZERO;
    for _ in 0..steps {
        let start = Instant::now();
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let p = i * m + j;
                v[p] = 0.25 * (u[p - m] + u[p + m] + u[p - 1] + u[p + 1]);
            }
        }
        std::mem::swap(u, v);
        sweeps += start.elapsed();
    }
    Timers { sweeps, all: begin.elapsed() }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = corpus::varied::<f64>(n * m, 1);
        let mut v = corpus::varied::<f64>(n * m, 2);
        let timers = heat(&mut u, &mut v, n, m, case.steps as usize);
        if timers.sweeps > timers.all {
            println!("the sweeps took longer than all of them together");
        }
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
    }
}
