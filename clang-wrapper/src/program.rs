//! The program on one page: own sub-commands, else find the pieces, write the compiler's arguments, become it.

use crate::argv::{self, Parts};
use crate::request::Mode;
use crate::{own, pieces};
use std::env;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Runs the wrapper; returns only when the compiler was not started.
///
/// `mode_of` tells the mode from the name that the program was called by.
pub fn main(mode_of: impl Fn(&OsString) -> Mode) -> ExitCode {
    let mut args = env::args_os();
    let called = args.next().unwrap_or_default();
    let args: Vec<OsString> = args.collect();
    let mode = mode_of(&called);
    let program = env::current_exe().unwrap_or_else(|_| PathBuf::from(&called));
    if let Some(code) = own::run(mode, &args, &program) {
        return code;
    }
    let compiler = pieces::compiler(mode, &program);
    let parts = Parts {
        plugin: pieces::plugin(&program),
        runtime: pieces::runtime(&program),
        lld: pieces::has_lld(&compiler),
    };
    let off = env::var_os("HEXPASS").is_some_and(|value| value == "off");
    let name = Path::new(&called).file_name().unwrap_or_default().to_string_lossy();
    match argv::compiler_argv(mode, &args, off, &parts, &|path| std::fs::read(path).ok()) {
        Ok(argv) => {
            let error = Command::new(&compiler).args(argv).exec();
            eprintln!("{name}: error: cannot run '{}': {error}", compiler.display());
        }
        Err(missing) => eprintln!("{name}: error: {missing}"),
    }
    ExitCode::FAILURE
}
