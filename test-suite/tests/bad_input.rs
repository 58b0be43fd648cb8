//! Input that kernels were not made for: another strategy runs, or the original loop, the statistics say which and why, and
//! the memory is the original's to the last bit. Files that the runtime keeps are in the runtime's own tests.

use hexpass_test_suite::cases::Case;
use hexpass_test_suite::check::{Outcome, Pair};

const STRATEGIES: [&str; 4] = ["hexagonal", "streaming", "overlapped", "spatial25d"];
/// Of one, two and three dimensions, with several arrays, with statements that depend on each other.
const PROGRAMS: [&str; 5] =
    ["jacobi1d3_swap", "jacobi2d5_vla_copyback", "fdtd2d_struct", "far2d_swap", "heat3d7_swap"];

fn pair(name: &str) -> Pair {
    Pair::usual(name).unwrap_or_else(|message| panic!("{message}"))
}

fn outcome(pair: &Pair, env: &[(&str, &str)], cases: &[Case]) -> Outcome {
    pair.outcome(env, cases).unwrap_or_else(|message| panic!("{message}"))
}

fn cases(list: &[[i32; 4]]) -> Vec<Case> {
    list.iter().map(|&[x, y, z, steps]| Case { sizes: [x, y, z], steps }).collect()
}

/// Every strategy that an object holds gets sizes that are smaller than its tiles, larger by one, and prime; one step, and
/// fewer than a tile of time has.
#[test]
fn sizes_that_fill_no_tile_and_steps_that_fill_no_tile_of_time() {
    let table = [
        ("no tile is filled", cases(&[[3, 3, 3, 7], [4, 5, 6, 3], [9, 8, 7, 40], [66, 65, 9, 2]])),
        ("one step", cases(&[[3, 3, 3, 1], [33, 65, 17, 1], [100, 90, 8, 1]])),
        ("prime", cases(&[[97, 89, 13, 13], [131, 67, 17, 31], [31, 37, 41, 7]])),
    ];
    for name in PROGRAMS {
        let pair = pair(name);
        for device in ["cpu", "emulated"] {
            let mut ran = Vec::new();
            for strategy in STRATEGIES {
                let env = [("HEXPASS_DEVICE", device), ("HEXPASS_STRATEGY", strategy)];
                for (clause, cases) in &table {
                    let o = outcome(&pair, &env, cases);
                    let here = format!("{device} {strategy}");
                    let absent = o.executions.iter().any(|e| e == "original absent-variant");
                    let fine = |e: &String| {
                        *e == here
                            || ["empty", "original borders", "original absent-variant"]
                                .contains(&e.as_str())
                    };
                    assert!(
                        o.code == Some(0) && o.executions.iter().all(fine),
                        "{name}, {clause}: {o:?}"
                    );
                    // It says what there is instead.
                    let told = o.said.iter().any(|l| l.contains("present are: "));
                    assert_eq!(absent, told, "{name}, {clause}: {o:?}");
                    ran.extend(o.executions.into_iter().filter(|e| *e == here));
                }
            }
            ran.sort();
            ran.dedup();
            let least = match (name, device) {
                // Whatever tiles time would have to be as wide as its arms are long.
                ("far2d_swap", _) | (_, "cpu") => 1,
                _ => 3,
            };
            assert!(ran.len() >= least, "{name} on {device}: only {ran:?}");
        }
    }
}

/// A grid with little memory: kernels that need no buffers of their own run, then none.
#[test]
fn more_arrays_than_memory() {
    // Three arrays of 92 kB; what works out of place needs them twice.
    let fdtd = pair("fdtd2d_struct");
    let one = cases(&[[143, 131, 1, 19]]);
    let under = |pair: &Pair, bytes: &str, mode: &str, cases: &[Case]| {
        let env = [
            ("HEXPASS_DEVICE", "emulated"),
            ("HEXPASS_EMULATED_MEMORY", bytes),
            ("HEXPASS_MODE", mode),
        ];
        outcome(pair, &env, cases)
    };
    let is = |o: &Outcome, what: &[&str]| o.executions.iter().all(|e| what.contains(&e.as_str()));
    for (bytes, what) in [
        ("10000000", &["emulated streaming", "emulated overlapped"][..]),
        ("300000", &["emulated hexagonal", "emulated spatial25d"]),
        ("200000", &["original out-of-memory"]),
        ("1", &["original out-of-memory"]),
    ] {
        let o = under(&fdtd, bytes, "auto", &one);
        assert!(o.code == Some(0) && o.executions.len() == 1 && is(&o, what), "{bytes}: {o:?}");
        // One line for what failed, one for the execution.
        let warnings = o.said.iter().filter(|l| l.contains("warning: ")).count();
        assert_eq!(warnings, usize::from(bytes != "10000000"), "{o:?}");
    }
    let o = under(&fdtd, "200000", "mandatory", &one);
    assert!(o.code == Some(86) && o.said.iter().any(|l| l.contains("out-of-memory")), "{o:?}");
    // Arrays that stay between sweeps, steps that are taken back, tables of rows: some find room, others don't.
    for name in ["heat2d_between", "laplace2d_error", "jacobi2d5_norm", "rows2d_swap"] {
        let pair = pair(name);
        for bytes in ["4000", "20000", "40000", "100000"] {
            let o = under(&pair, bytes, "auto", &cases(&[[33, 41, 1, 30], [60, 50, 1, 12]]));
            let fine = |e: &String| {
                e.starts_with("emulated ")
                    || ["original out-of-memory", "original small-problem"].contains(&e.as_str())
            };
            assert!(o.code == Some(0) && o.executions.iter().all(fine), "{name}, {bytes}: {o:?}");
        }
    }
}
