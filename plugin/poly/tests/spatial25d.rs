//! One step a launch: every placement and block leaves the same bytes as the reference.

mod support;

use hexpass_abi::{Access, ElemType, Poly, Subscript};
use hexpass_poly::device::{Device, Gpu};
use hexpass_poly::kernel::interp::{self, reference};
use hexpass_poly::problem::Problem;
use hexpass_poly::schedule::{TileSizes, TiledSchedule, judge};
use hexpass_poly::strategy::spatial25d::Spatial25d;
use hexpass_poly::strategy::{Request, Strategy, choose};
use support::{Bound, Program, memory, problems, sizes};

fn gpu() -> Device {
    Device::Gpu(Gpu { shared_bytes: 48 << 10, max_threads: 1024, warp: 32 })
}

fn tile(sizes: &[(&str, i64)]) -> TileSizes {
    TileSizes(sizes.iter().map(|&(n, v)| (n.to_owned(), v)).collect())
}

/// Runs with these sizes; false if they are refused.
fn check(name: &str, problem: &Problem, device: &Device, tile: &TileSizes, chunk: i64) -> bool {
    let schedule = match Spatial25d.schedule(problem, tile, device, None) {
        Ok(schedule) => schedule,
        Err(why) => {
            println!("{name} {tile:?}: {why}");
            return false;
        }
    };
    assert_eq!(judge::check(problem, &schedule), Ok(()), "{name} {tile:?}");
    let program = Spatial25d.kernels(problem, &schedule, device).unwrap();
    assert_eq!(program.verify(&problem.stencil), Ok(()), "{name} {tile:?}");
    assert_eq!(program.to_string().parse().as_ref(), Ok(&program), "{name} {tile:?}");
    let runs: &[&[i64]] = match problem.dims() {
        1 => &[&[3, 5], &[4, 300]],
        2 => &[&[3, 3, 3], &[2, 30, 5], &[3, 11, 90]],
        _ => &[&[2, 3, 3, 3], &[2, 10, 7, 40]],
    };
    for ints in runs {
        let label = format!("{name} {tile:?} {ints:?} chunk {chunk}");
        let mut sizes = sizes(&problem.stencil, ints);
        sizes.tunables = vec![chunk];
        let TiledSchedule::Overlapped(overlapped) = &schedule else { panic!("{label}") };
        assert_eq!(judge::overlapped::enumerate::check(problem, overlapped, &sizes), Ok(()));
        let mut expected = memory(&problem.stencil, ints);
        let mut found = expected.clone();
        reference::run(&problem.stencil, &sizes, &mut expected).unwrap();
        interp::run(&program, &problem.stencil, &sizes, &mut found, 7)
            .unwrap_or_else(|e| panic!("{label}: {e}"));
        assert!(found == expected, "{label}: memory differs");
    }
    true
}

/// All placements with blocks of one and more warps, chunks shorter and longer than the rings.
#[test]
fn every_placement() {
    let mut taken = [0; 4];
    for (name, problem) in problems::all() {
        for p in 0..4 {
            for (x, y, chunk) in [(32, 1, 7), (64, 3, 2)] {
                let sizes = match problem.dims() {
                    3 => tile(&[("p", p), ("x", x), ("y", y)]),
                    _ => tile(&[("p", p), ("x", x)]),
                };
                taken[p as usize] += u32::from(check(name, &problem, &gpu(), &sizes, chunk));
            }
        }
    }
    assert!(taken.iter().all(|&n| n > 10), "{taken:?}");
}

#[test]
fn slabs_of_the_host() {
    for (name, problem) in problems::all() {
        for w in [1, 5] {
            assert!(check(name, &problem, &Device::default_host(), &tile(&[("w", w)]), 1));
        }
    }
}

/// Where time can be tiled it is: planes that a core's cache can't hold at a time come from memory anew in each step.
#[test]
fn slabs_are_for_loops_whose_time_stays_whole() {
    for problem in [problems::star2d_f64(), problems::star3d_f64()] {
        let choice = choose(&problem, &Device::default_host(), &Request::default()).unwrap();
        assert_eq!(choice.strategy.name(), "hexagonal");
    }
}

/// Every point reads the first one of its row.
fn coupled() -> Problem {
    let mut p = Program::new(2, ElemType::F64);
    let a = p.array(2);
    let reads = [(a, 0, [0, 0].as_slice()), (a, 0, &[-1, 0]), (a, 0, &[1, 0]), (a, 0, &[0, 1])];
    p.statement(&[Bound::Inside(1, 2), Bound::Inside(1, 2)], &reads, &[(a, 1, &[0, 0])]);
    let first = Access {
        array: a,
        rotation: 0,
        subscripts: vec![
            Subscript { dim: Some(0), offset: Poly::zero() },
            Subscript { dim: None, offset: Poly::constant(1) },
        ],
    };
    p.statements_mut()[0].reads[3] = first;
    Problem::new(p.stencil()).unwrap()
}

#[test]
fn dependences_without_a_bound() {
    let problem = coupled();
    assert!(problem.deps.unbounded.is_some());
    for p in 0..4 {
        assert!(check("coupled", &problem, &gpu(), &tile(&[("p", p), ("x", 32)]), 4));
    }
    for device in [gpu(), Device::default_host()] {
        let choice = choose(&problem, &device, &Request::default()).unwrap();
        assert_eq!(choice.strategy.name(), "spatial25d");
    }
    let only = Request { strategy: Some("hexagonal".into()), ..Request::default() };
    let why = choose(&problem, &gpu(), &only).map(|c| c.sizes).unwrap_err();
    assert!(why.detail.contains("read arbitrarily far from where it was written"), "{why}");
}

#[test]
fn sizes_that_are_not_legal_say_why() {
    let problem = problems::jacobi3d();
    let refusal = |sizes: &[(&str, i64)]| {
        let request = Request {
            strategy: Some("spatial25d".into()),
            tile: Some(tile(sizes)),
            ..Request::default()
        };
        choose(&problem, &gpu(), &request).map(|c| c.sizes).unwrap_err().detail
    };
    assert!(refusal(&[("p", 4)]).contains("p = 4 must lie between 0 and 3"));
    assert!(refusal(&[("x", 40)]).contains("x = 40 must be a multiple of 32"));
    assert!(refusal(&[("x", 1024), ("y", 2)]).contains("1024 threads at most"));
    assert!(refusal(&[("h", 3)]).contains("there is no tile size h; the sizes here are p, x, y"));
}
