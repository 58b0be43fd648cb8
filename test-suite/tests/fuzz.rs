//! A few random programs against the stock compiler: what `--bin fuzz` does for as many as one likes.

use std::time::{Duration, Instant};

use hexpass_test_suite::fuzz::setup::Setup;
use hexpass_test_suite::fuzz::tongue::{self, TONGUES};
use hexpass_test_suite::fuzz::trial::{self, Taken};
use hexpass_test_suite::fuzz::{make, sound};
use hexpass_test_suite::table::Language;
use hexpass_test_suite::workers;
use tempfile::TempDir;

/// Programs that compile quickly, most of which are tiled; some of them once came out wrong.
const SEEDS: &[(Language, &[u64])] = &[
    (
        Language::C,
        &[
            1040, 1100, 82, 1049, 1073, 1069, 1039, 1077, 1031, 102, 1009, 1025, 1089, 1123, 1008,
            1033,
        ],
    ),
    (Language::Cxx, &[11, 31, 102, 37, 39, 127, 43, 48, 55]),
    (Language::Fortran, &[89, 7, 102, 13, 20, 71, 74, 104]),
    (Language::Rust, &[94, 11, 82, 31, 37, 40, 55, 87]),
];
/// Programs that are begun after this are not: a slow machine tries fewer.
const ENOUGH: Duration = Duration::from_secs(90);

#[test]
fn the_same_memory_as_the_stock_compilers() {
    let start = Instant::now();
    let all: Vec<(Language, u64)> = in_turn();
    let outcomes = workers::map(&all, workers::cores(), |(language, seed)| {
        if start.elapsed() > ENOUGH {
            return None;
        }
        let program = make::program(*language, *seed);
        let folder = TempDir::new().unwrap();
        let outcome = trial::run(&program, &Setup::of(&program), folder.path());
        let word = tongue::of(*language).word;
        let again = format!("fuzz --language {word} --seeds {seed}..{} --keep DIR", seed + 1);
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

/// The first of each language, the second of each, and so on.
fn in_turn() -> Vec<(Language, u64)> {
    let most = SEEDS.iter().map(|(_, seeds)| seeds.len()).max().unwrap_or(0);
    let turn = |k: usize| SEEDS.iter().filter_map(move |(l, seeds)| Some((*l, *seeds.get(k)?)));
    (0..most).flat_map(turn).collect()
}

/// No generated program is undefined for a size that it is run on, and a seed always makes the same one.
#[test]
fn programs_are_well_defined() {
    for tongue in TONGUES {
        for seed in 0..3000 {
            let program = make::program(tongue.language, seed);
            let least = sound::least(&program).unwrap();
            assert_eq!(program, make::program(tongue.language, seed));
            let (few, many) = make::cases(&program, least);
            assert!(few.iter().chain(&many).all(|case| case.steps < 100));
            assert!(!(tongue.write)(&program).is_empty());
        }
    }
}
