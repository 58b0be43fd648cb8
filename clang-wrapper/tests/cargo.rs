//! `cargo hexpass`: what cargo and rustc are called with.

use hexpass_clang_wrapper::cargo::{plan, rustc_args};
use hexpass_clang_wrapper::rust::Way;
use pretty_assertions::assert_eq;
use std::ffi::OsString;

fn words(line: &str) -> Vec<OsString> {
    line.split_whitespace().map(OsString::from).collect()
}

/// The arguments behind `cargo hexpass`, cargo's arguments, the way, and whether the profile optimises.
const PLANS: &[(&str, &str, Way, bool)] = &[
    ("build", "build --target H", Way::Rustc, false),
    ("build --release", "build --target H --release", Way::Rustc, true),
    ("build -r --stable", "build --target H -r", Way::Linker, true),
    ("build --profile=dist", "build --target H --profile=dist", Way::Rustc, true),
    ("build --target T", "build --target T", Way::Rustc, false),
    ("build --target=T", "build --target=T", Way::Rustc, false),
    ("run -r -- --stable --target", "run --target H -r -- --stable --target", Way::Rustc, true),
    ("bench", "bench --target H", Way::Rustc, true),
    ("explain", "build --target H --release", Way::Rustc, true),
    ("explain -p x -r", "build --target H -p x -r", Way::Rustc, true),
];

#[test]
fn flags_are_for_the_target_only() {
    for (given, cargo, way, optimised) in PLANS {
        let plan = plan(&words(given), "H", false).expect(given);
        assert_eq!(plan.cargo, words(cargo), "{given}");
        assert_eq!((plan.way, plan.optimised), (*way, *optimised), "{given}");
        assert_eq!(plan.explain, given.starts_with("explain"), "{given}");
    }
    let plan = plan(&words("build"), "H", true).expect("a plan");
    assert_eq!(plan.cargo, words("build"), "the environment names a target");
}

#[test]
fn questions_are_answered_here() {
    for line in ["", "--help", "-h", "help", "--version"] {
        assert_eq!(plan(&words(line), "H", false), None, "{line}");
    }
}

/// rustc's arguments, those it gets, and whether unstable ones are allowed.
const RUSTC: &[(&str, &str, bool)] = &[
    // cargo compiles for the target, and asks what it is like.
    (
        "rustc --crate-name x -C metadata=1 -Zllvm-plugins=p.so",
        "rustc --crate-name x -C metadata=1 -Zllvm-plugins=p.so",
        true,
    ),
    (
        "rustc - --crate-name ___ --print=cfg -Zllvm-plugins=p.so",
        "rustc - --crate-name ___ --print=cfg -Zllvm-plugins=p.so",
        true,
    ),
    // Build scripts and procedural macros.
    ("rustc --crate-name m -C metadata=1", "rustc --crate-name m -C metadata=1", false),
    ("rustc -vV", "rustc -vV", false),
    // A build script tries rustc out, with the target's flags.
    ("rustc probe.rs -Zllvm-plugins=p.so -Cx", "rustc probe.rs -Cx", false),
];

#[test]
fn only_cargos_own_compilations_are_unstable() {
    for (given, expected, unstable) in RUSTC {
        assert_eq!(rustc_args(&words(given)), (words(expected), *unstable), "{given}");
    }
}
