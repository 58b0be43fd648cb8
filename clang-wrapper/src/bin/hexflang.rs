//! `hexflang`.

use hexpass_clang_wrapper::{program, request::Mode};
use std::process::ExitCode;

fn main() -> ExitCode {
    program::main(|_| Mode::Fortran)
}
