//! Overlapped tiling in shared memory: the same bytes as the reference.

mod support;

use hexpass_poly::device::{Device, Gpu};
use hexpass_poly::kernel::interp::{self, reference};
use hexpass_poly::problem::Problem;
use hexpass_poly::schedule::{TileSizes, judge};
use hexpass_poly::strategy::Strategy;
use hexpass_poly::strategy::overlapped::Overlapped;
use support::{memory, problems, sizes};

fn check(name: &str, problem: &Problem, tile: &[(&str, i64)], runs: &[&[i64]]) {
    let device = Device::Gpu(Gpu { shared_bytes: 96 << 10, max_threads: 1024, warp: 32 });
    let tile = TileSizes(tile.iter().map(|&(n, v)| (n.to_owned(), v)).collect());
    Overlapped.admit(problem).unwrap_or_else(|why| panic!("{name}: {why}"));
    let schedule = Overlapped
        .schedule(problem, &tile, &device, None)
        .unwrap_or_else(|why| panic!("{name} {tile:?}: {why}"));
    assert_eq!(judge::check(problem, &schedule), Ok(()), "{name} {tile:?}");
    let program = Overlapped.kernels(problem, &schedule, &device).unwrap();
    assert_eq!(program.verify(&problem.stencil), Ok(()), "{name} {tile:?}");
    assert_eq!(program.to_string().parse().as_ref(), Ok(&program), "{name} {tile:?}");
    for ints in runs {
        let label = format!("{name} {tile:?} {ints:?}");
        let sizes = sizes(&problem.stencil, ints);
        let mut expected = memory(&problem.stencil, ints);
        let mut found = expected.clone();
        reference::run(&problem.stencil, &sizes, &mut expected).unwrap();
        interp::run(&program, &problem.stencil, &sizes, &mut found, 11)
            .unwrap_or_else(|e| panic!("{label}: {e}"));
        assert!(found == expected, "{label}: memory differs");
    }
}

#[test]
fn every_problem() {
    for (name, problem) in problems::all() {
        for b in [1, 3] {
            match problem.dims() {
                1 => {
                    let runs: &[&[i64]] = &[&[1, 6], &[11, 7], &[10, 230]];
                    check(name, &problem, &[("b", b), ("w0", 40)], runs);
                }
                2 => {
                    let runs: &[&[i64]] = &[&[7, 3, 5], &[11, 37, 45], &[1, 9, 9]];
                    check(name, &problem, &[("b", b), ("w0", 7), ("w1", 13)], runs);
                }
                _ => {
                    let runs: &[&[i64]] = &[&[7, 11, 13, 35], &[2, 3, 3, 3]];
                    check(name, &problem, &[("b", b), ("w0", 3), ("w1", 4), ("w2", 9)], runs);
                }
            }
        }
    }
}
