//! `hexcc`, and `hexc++` when called by that name.

use hexpass_clang_wrapper::{pieces, program};
use std::process::ExitCode;

fn main() -> ExitCode {
    program::main(|called| pieces::mode_of_name(called))
}
