//! A few random programs against the stock compiler: what `--bin fuzz` does for as many as one likes.

use std::time::{Duration, Instant};

use hexpass_test_suite::fuzz::setup::Setup;
use hexpass_test_suite::fuzz::trial::{self, Taken};
use hexpass_test_suite::fuzz::{make, sound};
use hexpass_test_suite::workers;
use tempfile::TempDir;

/// Programs that compile quickly, most of which are tiled; one of them once came out wrong.
const SEEDS: &[u64] =
    &[1040, 1100, 1049, 1073, 1069, 1039, 1077, 1031, 1009, 1025, 1089, 1123, 1008, 1033];
/// Programs that are begun after this are not: a slow machine tries fewer.
const ENOUGH: Duration = Duration::from_secs(40);

#[test]
fn the_same_memory_as_the_stock_compilers() {
    let start = Instant::now();
    let outcomes = workers::map(SEEDS, workers::cores(), |seed| {
        if start.elapsed() > ENOUGH {
            return None;
        }
        let program = make::program(*seed);
        let folder = TempDir::new().unwrap();
        let outcome = trial::run(&program, &Setup::of(&program), folder.path());
        let again = format!("fuzz --seeds {seed}..{} --keep DIR", seed + 1);
        let faults = outcome.faults.iter().map(|fault| format!("{again}: {fault}"));
        Some((faults.collect::<Vec<_>>(), outcome.taken))
    });
    let tried: Vec<_> = outcomes.into_iter().flatten().collect();
    let faults: Vec<String> = tried.iter().flat_map(|(faults, _)| faults.clone()).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let taken = tried.iter().filter(|(_, taken)| *taken == Taken::Whole).count();
    let stock = std::env::var_os("HEXPASS_BUILD").is_some_and(|word| word == "stock");
    assert!(stock || 2 * taken >= tried.len(), "{taken} of {} programs are tiled", tried.len());
}

/// No generated program is undefined for a size that it is run on, and a seed always makes the same one.
#[test]
fn programs_are_well_defined() {
    for seed in 0..3000 {
        let program = make::program(seed);
        let least = sound::least(&program).unwrap();
        assert_eq!(program, make::program(seed));
        let (few, many) = make::cases(&program, least);
        assert!(few.iter().chain(&many).all(|case| case.steps < 100));
    }
}
