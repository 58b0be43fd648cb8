//! `gpu-plot RESULTS FOLDER`: draws what a pack's `gpu-pack.jsonl` holds.

use std::path::Path;
use std::process::ExitCode;

use hexpass_test_suite::gpu::plot;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [results, folder] = args.as_slice() else {
        eprintln!("usage: gpu-plot RESULTS FOLDER");
        return ExitCode::from(2);
    };
    match plot::draw(Path::new(results), Path::new(folder)) {
        Ok(written) => {
            written.iter().for_each(|file| println!("{folder}/{file}"));
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("gpu-plot: {message}");
            ExitCode::FAILURE
        }
    }
}
