//! Which sizes make sense, and which are worth counting.

use super::counts::{is_double, is_long};
use super::shape::Sizes;
use crate::problem::Problem;
use crate::schedule::TileSizes;
use crate::schedule::overlapped::flow::Flow;
use crate::strategy::Inapplicable;

/// Most time steps of a launch, columns of a thread, rows of a thread, and warps of a block.
const MOST: [i64; 4] = [64, 32, 16, 32];

const NAMES: [&str; 4] = ["b", "v", "r", "w"];

/// 1 where strips share vectors; 0, where it is not said.
const SHARES: &str = "s";

fn names(dims: usize) -> Vec<&'static str> {
    NAMES.into_iter().chain([SHARES]).filter(|&n| n != "r" || dims == 3).collect()
}

/// Sizes by name.
pub fn named(s: Sizes, dims: usize) -> TileSizes {
    let value = |n: &str| match n {
        "b" => s.steps,
        "v" => s.vector,
        "r" => s.rows,
        "w" => s.warps,
        _ => i64::from(s.shares),
    };
    let is_said = |n: &&str| *n != SHARES || s.shares;
    let all = names(dims).into_iter().filter(is_said);
    TileSizes(all.map(|n| (n.to_owned(), value(n))).collect())
}

/// Values of the tunable `chunk`, the default first: fine steps, so that some value fills the last wave of blocks.
pub fn chunks(dims: usize) -> Vec<i64> {
    let (default, most, fine) = if dims == 2 { (128, 768, 2) } else { (64, 256, 4) };
    let all = (16..64).step_by(fine).chain((64..=256).step_by(4)).chain((272..=most).step_by(16));
    [default].into_iter().chain(all.filter(|&n| n != default)).collect()
}

/// All sizes are there, and in range.
pub fn check(problem: &Problem, sizes: &TileSizes) -> Result<Sizes, Inapplicable> {
    let dims = problem.dims();
    check_names(dims, sizes)?;
    let get = |at: usize| {
        let name = NAMES[at];
        let value = match sizes.get(name) {
            None if name == "r" && dims < 3 => 1,
            None => return Err(Inapplicable::new(format!("the size {name} is missing"))),
            Some(value) => value,
        };
        match (1..=MOST[at]).contains(&value) {
            true => Ok(value),
            false => Err(Inapplicable::new(format!(
                "{name} = {value} must lie between 1 and {}",
                MOST[at]
            ))),
        }
    };
    let shares = match sizes.get(SHARES).unwrap_or(0) {
        said @ 0..=1 => said == 1,
        other => return Err(Inapplicable::new(format!("{SHARES} = {other} must be 0 or 1"))),
    };
    Ok(Sizes { steps: get(0)?, vector: get(1)?, rows: get(2)?, warps: get(3)?, shares })
}

fn check_names(dims: usize, sizes: &TileSizes) -> Result<(), Inapplicable> {
    match sizes.0.iter().find(|(n, _)| !names(dims).contains(&n.as_str())) {
        Some((name, _)) => Err(Inapplicable::new(format!(
            "there is no tile size {name}; the sizes here are {}",
            names(dims).join(", ")
        ))),
        None => Ok(()),
    }
}

/// All combinations worth counting that agree with what is given.
pub fn candidates(problem: &Problem, given: &TileSizes) -> Result<Vec<TileSizes>, Inapplicable> {
    let dims = problem.dims();
    check_names(dims, given)?;
    let flow = Flow::streamed(problem).map_err(Inapplicable::new)?;
    let proposed = |name: &str| match given.get(name) {
        Some(value) => vec![value],
        None => worth(&flow, name),
    };
    let mut all = vec![Vec::new()];
    for name in names(dims) {
        let values = proposed(name);
        let with = |partial: &Vec<(String, i64)>| {
            let one = |&v: &i64| partial.iter().cloned().chain([(name.to_owned(), v)]).collect();
            values.iter().map(one).collect::<Vec<Vec<_>>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    let all = all.into_iter().map(TileSizes);
    all.map(|sizes| check(problem, &sizes).map(|_| sizes)).collect()
}

/// Values of one size.
fn worth(flow: &Flow<'_>, name: &str) -> Vec<i64> {
    let dims = flow.problem.dims();
    let double = is_double(flow);
    // Others would spill what four columns hold.
    let is_slim = flow.versioned().count() == 1 && !is_long(flow);
    let values: &[i64] = match (name, dims) {
        ("b", 1) => &[4, 8, 16, 24, 32, 48],
        ("b", 2) => &[1, 2, 3, 4, 6, 7, 8, 12],
        ("b", _) => &[1, 2, 3, 4],
        ("v", 1) => &[8, 16],
        ("v", 2) if double && is_slim => &[2, 4],
        ("v", 2) if double => &[2],
        ("v", 2) => &[4],
        ("v", _) => &[2],
        ("r", _) => &[2, 3, 4],
        ("w", 3) => &[8, 12, 16],
        ("w", 2) => &[1],
        (SHARES, 1) => &[0],
        (SHARES, _) => &[0, 1],
        _ => &[4],
    };
    values.to_vec()
}
