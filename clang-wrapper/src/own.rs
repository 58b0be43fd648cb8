//! The wrapper's own sub-commands. They are taken only when they are the one argument, `--explain` when it is the
//! first: everything else is the compiler's.

use crate::request::Mode;
use crate::rust::{self, Way};
use crate::{calibrate, doctor, explain, pieces};
use clap::{Arg, ArgAction, ArgGroup, Command};
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

const PRINT_PLUGIN: &str = "print-plugin";
const PRINT_RUNTIME: &str = "print-runtime";
const PRINT_RUSTFLAGS: &str = "print-rustflags";
const PRINT_STABLE: &str = "print-rustflags-stable";
const EXPLAIN: &str = "explain";
const DOCTOR: &str = "doctor";
const CALIBRATE: &str = "calibrate";
const HELP: &str = "help-hexpass";

const ABOUT: &str = "hexcc, hexc++ and hexflang: clang-22, clang++-22 and flang-22 with the hexpass plugin and runtime.

Every argument is the compiler's, passed as it is. The options below are taken only when they stand alone.";

const ENVIRONMENT: &str = "Environment:
  HEXPASS=off        run the compiler as if hexpass were not there
  HEXPASS_PLUGIN     path of libhexpass.so  (else beside this program, or in ../lib)
  HEXPASS_RUNTIME    path of libhexrt.a     (else beside this program, or in ../lib)
  HEXPASS_CLANG      compiler that hexcc runs     (else clang-22)
  HEXPASS_CLANGXX    compiler that hexc++ runs    (else clang++-22)
  HEXPASS_FLANG      compiler that hexflang runs  (else flang-22)

Rust: RUSTC_BOOTSTRAP=1 RUSTFLAGS=\"$(hexcc --print-rustflags)\" cargo build --release --target x86_64-unknown-linux-gnu
  -Zllvm-plugins needs a nightly rustc or RUSTC_BOOTSTRAP=1, and a rustc on LLVM 22 (1.95 and 1.96 are).
  With --target, build scripts and procedural macros are left alone. `cargo hexpass build --release` does all that.
  The flags of --print-rustflags-stable need no bootstrap: the linker loads the plugin.";

/// What `args` asks the wrapper itself to do; `None` when they are the compiler's.
pub fn run(mode: Mode, args: &[OsString], program: &Path) -> Option<ExitCode> {
    if let Some((first, rest)) = args.split_first()
        && first == "--explain"
    {
        return Some(explain::run(mode, rest, program));
    }
    let [only] = args else { return None };
    let ours =
        [PRINT_PLUGIN, PRINT_RUNTIME, PRINT_RUSTFLAGS, PRINT_STABLE, DOCTOR, CALIBRATE, HELP];
    let name = only.to_str()?.strip_prefix("--")?;
    ours.contains(&name).then(|| dispatch(mode, only, program))
}

fn command() -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).help(help).action(ArgAction::SetTrue)
    };
    let flags = [
        flag(PRINT_PLUGIN, "Print the path of libhexpass.so"),
        flag(PRINT_RUNTIME, "Print the path of libhexrt.a"),
        flag(PRINT_RUSTFLAGS, "Print the flags for RUSTFLAGS, with the runtime linked in"),
        flag(PRINT_STABLE, "The same for a stable rustc: the linker loads the plugin"),
        flag(
            EXPLAIN,
            "With the compiler's arguments behind it: print the sources with what became of each time loop",
        ),
        flag(DOCTOR, "Check the compiler, the plugin and the runtime"),
        flag(CALIBRATE, "Measure the GPUs of this machine, for the runtime's choice of kernels"),
        flag(HELP, "Print this"),
    ];
    Command::new("hexcc")
        .about(ABOUT)
        .after_help(ENVIRONMENT)
        .override_usage("hexcc [compiler's arguments]\n       hexcc <one of the options below>")
        .disable_help_flag(true)
        .args(flags)
        .group(ArgGroup::new("command").args([
            PRINT_PLUGIN,
            PRINT_RUNTIME,
            PRINT_RUSTFLAGS,
            PRINT_STABLE,
            EXPLAIN,
            DOCTOR,
            CALIBRATE,
            HELP,
        ]))
}

fn dispatch(mode: Mode, only: &OsString, program: &Path) -> ExitCode {
    let matches = match command().try_get_matches_from(["hexcc".into(), only.clone()]) {
        Ok(matches) => matches,
        Err(error) => error.exit(),
    };
    let answer = if matches.get_flag(PRINT_PLUGIN) {
        pieces::plugin(program).map(|path| path.display().to_string()).map_err(|e| e.to_string())
    } else if matches.get_flag(PRINT_RUNTIME) {
        pieces::runtime(program).map(|path| path.display().to_string()).map_err(|e| e.to_string())
    } else if matches.get_flag(PRINT_RUSTFLAGS) {
        rustflags(Way::Rustc, program)
    } else if matches.get_flag(PRINT_STABLE) {
        rustflags(Way::Linker, program)
    } else if matches.get_flag(DOCTOR) {
        return doctor::run(mode, program);
    } else if matches.get_flag(CALIBRATE) {
        calibrate::run(program)
    } else {
        Ok(command().render_help().to_string().trim_end().to_owned())
    };
    match answer {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("hexcc: error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The flags for RUSTFLAGS on one line.
fn rustflags(way: Way, program: &Path) -> Result<String, String> {
    let plugin = pieces::plugin(program).map_err(|e| e.to_string())?;
    let runtime = pieces::runtime(program).map_err(|e| e.to_string())?;
    let clang = pieces::compiler(Mode::C, program);
    let flags = rust::flags(way, &plugin, &runtime, &clang);
    match flags.iter().find(|flag| flag.contains(char::is_whitespace)) {
        Some(flag) => Err(format!("RUSTFLAGS can't hold a blank, but a path has one: '{flag}'")),
        None => Ok(flags.join(" ")),
    }
}
