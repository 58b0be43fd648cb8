//! `corpus-table > corpus.toml`: the corpus as a table of programs for test-suite/coverage, at sizes where time can be taken.
//!
//! Each has a run on a large grid, and one on a small grid that is computed again and again. How many steps make a fair
//! time is found by who runs them (`$STEPS`).

use hexpass_test_suite::table::{Language, PROGRAMS, Program};
use hexpass_test_suite::toolchain;

fn main() {
    println!("# Written by corpus-table from test-suite/src/table.rs.");
    for program in PROGRAMS {
        print!("{}", entry(program));
    }
}

/// Times that programs with a limited number of steps compute a grid, at least.
const LIMITED: usize = 5;

/// A grid of `points` along each dimension, computed `times` times in one process.
fn run(program: &Program, points: [i32; 3], times: usize) -> String {
    let points = points[program.dims - 1].min(program.most).to_string();
    let (steps, times) = match program.most_steps {
        i32::MAX => ("$STEPS".to_string(), times),
        most => (format!("$(($STEPS<{most}?$STEPS:{most}))"), times.max(LIMITED)),
    };
    let case = format!("{}:{steps}", vec![points; program.dims].join("x"));
    format!("./a.out {}", vec![case; times].join(" "))
}

fn entry(program: &Program) -> String {
    let file = program.file();
    let (folder, file) = file.split_once('/').expect("a folder for each language");
    let (language, build) = match program.language {
        Language::C => ("C", format!("$CC -O3 -fno-math-errno {file} -o a.out -lm")),
        Language::Cxx => ("C++", format!("$CXX -O3 -fno-math-errno {file} -o a.out -lm")),
        Language::Fortran => ("Fortran", format!("$FC -O3 corpus.f90 {file} -o a.out")),
        Language::Rust => ("Rust", rustc(file)),
    };
    let large = run(program, [400_000, 700, 90], 1);
    let small = run(program, [10_000, 100, 22], 20);
    format!(
        "\n[[program]]\nname = {:?}\nlanguage = {language:?}\nsource = {:?}\nfolder = {folder:?}\nbuild = {build:?}\n\
         run = {large:?}\nsmall = {small:?}\n",
        program.name,
        toolchain::corpus().display().to_string(),
    )
}

fn rustc(file: &str) -> String {
    let flags = "-Copt-level=3 --edition=2024 -Ccodegen-units=1";
    let ours = "$([ -n \"$CARGO_HEXPASS\" ] && hexcc --print-rustflags)";
    format!("RUSTC_BOOTSTRAP=1 rustc {flags} {ours} {file} -o a.out")
}
