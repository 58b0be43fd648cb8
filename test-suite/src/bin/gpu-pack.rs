//! `gpu-pack FOLDER [ONLY]`: builds the pack's programs into a folder; scripts/gpu-pack.sh does the rest.

use std::path::Path;
use std::process::ExitCode;

use hexpass_test_suite::gpu::make;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let result = match args.as_slice() {
        [folder] => make::pack(Path::new(folder), None),
        [folder, only] => make::pack(Path::new(folder), Some(only)),
        _ => Err("usage: gpu-pack FOLDER [ONLY]".to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("gpu-pack: {message}");
            ExitCode::FAILURE
        }
    }
}
