//! What it costs to find that a nest should run its original loop: `cargo run --release --example decision`.
//!
//! Prints nanoseconds a call through the door, as generated code makes it, for several sizes of a two-dimensional
//! five-point stencil, each too small for any device to be worth it. With `HEXPASS_DEVICE=cpu` it shows what running
//! them costs instead: a launch for each step, a block for each row.

#[path = "../tests/common/mod.rs"]
mod common;

use common::*;
use std::time::Instant;

fn main() {
    let mut object = Object::new(&jacobi2d());
    println!("{:>6} {:>6} {:>12} {:>10}", "n", "steps", "ns a call", "answer");
    for (n, steps) in [
        (2, 10),
        (10, 0),
        (10, 10),
        (30, 10),
        (60, 10),
        (100, 2),
        (10, 100),
        (10, 1000),
        (10, 10000),
    ] {
        let len = (n * n) as usize;
        let mut arrays = [noise(len, 1), noise(len, 2)];
        let pointers = [arrays[0].as_mut_ptr(), arrays[1].as_mut_ptr()];
        let mut best = f64::INFINITY;
        let mut answer = 0;
        for _ in 0..20 {
            let calls = 2000;
            let start = Instant::now();
            for _ in 0..calls {
                answer = object.run(&[n, n, steps, n], &pointers, &[0.2]);
            }
            best = best.min(start.elapsed().as_secs_f64() / f64::from(calls));
        }
        println!(
            "{n:>6} {steps:>6} {:>12.0} {:>10}",
            best * 1e9,
            if answer == 1 { "ran" } else { "original" }
        );
    }
}
