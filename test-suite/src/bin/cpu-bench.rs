//! `cpu-bench FOLDER [PATTERN[|PATTERN]]`: builds the benchmark programs into a folder, runs them on the CPU and prints
//! the table; scripts/bench.sh says more.

use std::path::Path;
use std::process::ExitCode;

use hexpass_test_suite::bench::table;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let result = match args.as_slice() {
        [folder] => table::run(Path::new(folder), ""),
        [folder, only] => table::run(Path::new(folder), only),
        _ => Err("usage: cpu-bench FOLDER [PATTERN[|PATTERN]]".to_owned()),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("cpu-bench: {message}");
            ExitCode::from(2)
        }
    }
}
