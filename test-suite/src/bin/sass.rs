//! Prints what the assembler makes of the device kernels in PTX files, objects or programs; `scripts/sass.sh` brings the
//! assembler.

use hexpass_test_suite::sass::{Tools, assemble, texts};
use std::process::ExitCode;

const USAGE: &str = "usage: sass [--arch 90] FILE…   (PTX texts, objects, programs)";

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("sass: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(mut args: Vec<String>) -> Result<(), String> {
    let mut arch = 90;
    if args.first().is_some_and(|a| a == "--arch") {
        arch = args.get(1).and_then(|a| a.parse().ok()).ok_or(USAGE)?;
        args.drain(..2);
    }
    if args.is_empty() {
        return Err(USAGE.to_owned());
    }
    let tools = Tools::from_environment();
    for file in &args {
        let bytes = std::fs::read(file).map_err(|e| format!("{file}: {e}"))?;
        let texts = texts(&bytes, arch);
        if texts.is_empty() {
            return Err(format!("{file}: no PTX for sm_{arch}"));
        }
        for text in texts {
            for kernel in assemble(&tools, &text, arch).map_err(|e| format!("{file}: {e}"))? {
                print!("{kernel}");
            }
        }
    }
    Ok(())
}
