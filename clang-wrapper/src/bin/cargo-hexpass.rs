//! `cargo hexpass`.

use std::process::ExitCode;

fn main() -> ExitCode {
    hexpass_clang_wrapper::cargo::main()
}
