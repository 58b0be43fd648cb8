//! Arrays stay on a device while a time loop runs: what is copied, by the runtime's own count.

use hexpass_test_suite::cases::Case;
use hexpass_test_suite::check::statistics;
use serde_json::Value;

/// Bytes of both grids.
const GRIDS: u64 = 2 * 33 * 41 * 8;
const CASE: Case = Case { sizes: [33, 41, 1], steps: 60 };

struct Copied {
    runs: usize,
    /// To the device, in all.
    to: u64,
    /// Bytes of each return.
    home: Vec<u64>,
}

fn copied(name: &str) -> Copied {
    let stats = statistics(name, "emulated", CASE).unwrap_or_else(|message| panic!("{message}"));
    let bytes = |object: &Value, key: &str| object[key].as_u64().unwrap_or(0);
    let came_home = |object: &&Value| object["status"] == "home";
    Copied {
        runs: stats.iter().filter(|object| object["status"] == "ran").count(),
        to: stats.iter().map(|object| bytes(object, "bytes_in")).sum(),
        home: stats.iter().filter(came_home).map(|object| bytes(object, "bytes_out")).collect(),
    }
}

#[test]
fn the_grids_of_a_convergence_loop_go_once_each_way() {
    let Copied { runs, to, home } = copied("laplace2d_error");
    assert!(runs >= 4, "{runs} runs");
    assert!(to <= GRIDS, "{to} bytes to the device");
    assert!(home.len() == 1 && home[0] <= GRIDS, "{home:?} bytes home");
}

#[test]
fn who_only_reads_costs_one_way() {
    // A cell is printed every few steps.
    let Copied { runs, to, home } = copied("jacobi2d5_largest");
    assert!(runs >= 4 && to <= GRIDS, "{runs} runs, {to} bytes to the device");
    let (last, looks) = home.split_last().unwrap();
    assert!(*last <= GRIDS && !looks.is_empty(), "{home:?} bytes home");
    // A row of one grid, not both.
    assert!(looks.iter().all(|&bytes| bytes <= 41 * 8), "{home:?} bytes home");
}

#[test]
fn what_somebody_else_writes_is_not_the_grids() {
    // A cell is looked at between two sweeps of each step, a row is written now and then.
    let Copied { runs, to, home } = copied("heat2d_between");
    let each = to as f64 / runs as f64;
    assert!(each < GRIDS as f64 / 4.0, "{each} bytes to the device for each sweep");
    assert!(home.len() > 2, "{home:?}");
}

#[test]
fn the_grids_of_rounds_of_time_loops_stay_between_rounds() {
    // Twelve rounds of two time loops each. In all but three a cell is looked at and a row is written, at most; those three
    // copy grids on the host. The work array is the host's in each round.
    let Copied { runs, to, home } = copied("heat2d_rounds");
    assert!(runs >= 18, "{runs} runs");
    let each = to as f64 / runs as f64;
    assert!(each < GRIDS as f64 / 2.0, "{each} bytes to the device for each time loop");
    let small = home.iter().filter(|&&bytes| bytes <= 41 * 8).count();
    assert!(small >= 9, "{home:?} bytes home");
}

#[test]
fn the_grids_of_samples_stay_between_samples() {
    // Nine samples of seven steps each, in two stretches; two samples are written by somebody unknown.
    let Copied { runs, to, home } = copied("heat2d_sampled");
    assert!(runs >= 18 && to <= 4 * GRIDS, "{runs} runs, {to} bytes to the device");
    let large = home.iter().filter(|&&bytes| bytes > 41 * 8).count();
    assert!(large <= 3, "{home:?} bytes home");
}

#[test]
fn a_sum_of_the_last_step_costs_one_way() {
    let Copied { runs, to, home } = copied("heat2d_norms");
    assert!(runs >= 4 && home.len() >= 4, "{runs} runs, {home:?} bytes home");
    // Of the grids, their border now and then.
    assert!(to <= 3 * GRIDS, "{to} bytes to the device");
}

#[test]
fn a_sweep_over_one_row_moves_that_row() {
    // A large sweep, one over a row and one over a column, with somebody between them who looks at a cell.
    let Copied { runs, to, home } = copied("cavity2d_long");
    assert!(runs >= 120, "{runs} runs");
    let each = to as f64 / 60.0;
    assert!(each < GRIDS as f64 / 4.0, "{each} bytes to the device for each step");
    let all = home.iter().sum::<u64>() as f64 / 60.0;
    assert!(all < GRIDS as f64 / 4.0, "{all} bytes home for each step");
}
