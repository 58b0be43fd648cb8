//! Reads at distances that only the run knows, whatever these are: near, far, none, backwards, beyond the grid.

use hexpass_test_suite::cases::Case;
use hexpass_test_suite::check::{Outcome, Pair};

fn outcome(pair: &Pair, device: &str, sizes: [i32; 3]) -> Outcome {
    let env = [("HEXPASS_DEVICE", device)];
    pair.outcome(&env, &[Case { sizes, steps: 19 }]).unwrap_or_else(|message| panic!("{message}"))
}

fn pair(name: &str) -> Pair {
    Pair::usual(name).unwrap_or_else(|message| panic!("{message}"))
}

/// Time is tiled where the shifts are small, and where what is read lies apart; else one step is taken at a time.
#[test]
fn whatever_the_shifts_are_the_nest_runs() {
    let pair = pair("shift1d_any");
    let shifts = [-500, -41, -5, -4, -1, 0, 1, 3, 4, 5, 40, 499];
    for device in ["cpu", "emulated"] {
        for ahead in shifts {
            for behind in [-4, 0, 2, 5, 600] {
                let o = outcome(&pair, device, [500, ahead, behind]);
                let ran = |e: &String| e.starts_with(device);
                assert!(
                    o.code == Some(0) && o.executions.iter().all(ran),
                    "{ahead} {behind}: {o:?}"
                );
                let small = |s: i32| s.abs() <= 4;
                if device == "cpu" && small(ahead) && small(behind) {
                    assert_eq!(o.executions, ["cpu hexagonal"], "{ahead} {behind}");
                }
                if !small(ahead) && ahead.abs() < 499 {
                    let one_step = format!("{device} spatial25d");
                    assert_eq!(o.executions, [one_step], "{ahead} {behind}");
                }
            }
        }
    }
}

/// In place, what a point finds depends on the order: the nest runs only where it finds nothing that the nest writes.
#[test]
fn in_place_the_original_runs_unless_nothing_overlaps() {
    let pair = pair("shift1d_in_place");
    for device in ["cpu", "emulated"] {
        for ahead in [-301, -300, -299, -1, 0, 1, 7, 299, 300, 301] {
            let o = outcome(&pair, device, [300, ahead, 1]);
            let fallen_back = o.executions == ["original overlap"];
            assert!(o.code == Some(0) && fallen_back == (ahead.abs() < 300), "{ahead}: {o:?}");
        }
    }
}

/// Arms of constant length that are longer than rows of one array are looked for.
#[test]
fn long_arms_are_no_arrays() {
    let pair = pair("far2d_beyond");
    for device in ["cpu", "emulated"] {
        let o = outcome(&pair, device, [97, 101, 1]);
        let ran = |e: &String| e.starts_with(device);
        assert!(o.code == Some(0) && o.executions.iter().all(ran), "{o:?}");
    }
}
