//! `cargo hexpass build|run|test|…`: cargo with the plugin and the runtime for what is built, and for nothing else.
//!
//! Consumes cargo's arguments, produces those of the cargo that it runs, and its environment. With `--target`, cargo
//! keeps flags away from build scripts and procedural macros; it is added where the line has none.
//!
//! The plugin is an unstable option of rustc. So that no build script takes this rustc for a nightly one,
//! `RUSTC_BOOTSTRAP` is set by a wrapper around rustc (this program again), and only where cargo itself compiles with
//! the plugin. `--stable` goes through the linker instead and needs none of it.

use crate::request::Mode;
use crate::rust::{PLUGIN_OPTION, Way, flags};
use crate::{explain, pieces};
use std::env;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Set for our own cargo: we are its rustc wrapper. The value is the wrapper that the user had, or empty.
const INNER_WRAPPER: &str = "CARGO_HEXPASS_WRAPPER";
/// LLVM's major version that the plugin is built for.
const LLVM_MAJOR: u32 = 22;

const HELP: &str = "cargo hexpass: cargo with hexpass's plugin and runtime

Usage: cargo hexpass <build|run|test|bench|rustc|install|…> [--stable] [cargo's arguments]
       cargo hexpass explain [--stable] [arguments of cargo build]

  --stable   leave rustc alone and let the linker (clang-22 and its lld) load the plugin
  explain    build in target/hexpass-explain and print the sources, with what became of each time loop

Flags go to what is built for the target only; build scripts and procedural macros stay as they are. The target is the
host unless --target names one. The plugin does nothing without optimisation: use --release.";

/// What the command line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// cargo's arguments.
    pub cargo: Vec<OsString>,
    pub way: Way,
    pub explain: bool,
    /// A profile that optimises was named.
    pub optimised: bool,
}

/// Reads the arguments behind `cargo hexpass`; `host` is the target where the line names none, unless `targeted`.
/// `None` for a question about ourselves.
pub fn plan(args: &[OsString], host: &str, targeted: bool) -> Option<Plan> {
    let (own, theirs) =
        args.split_at(args.iter().position(|arg| arg == "--").unwrap_or(args.len()));
    let stable = |arg: &OsString| arg == "--stable";
    let way = if own.iter().any(stable) { Way::Linker } else { Way::Rustc };
    let own: Vec<OsString> = own.iter().filter(|arg| !stable(arg)).cloned().collect();
    let command = own.first()?.to_str()?.to_owned();
    if command == "help" || command.starts_with('-') {
        return None;
    }
    let explain = command == "explain";
    let names = |option: &str| {
        let joined = format!("{option}=");
        own.iter().any(|arg| arg == option || arg.to_string_lossy().starts_with(&joined))
    };
    let release = names("--release") || own.iter().any(|arg| arg == "-r") || names("--profile");
    let mut cargo = vec![if explain { "build".into() } else { OsString::from(&command) }];
    if !names("--target") && !targeted {
        cargo.extend(["--target".into(), host.into()]);
    }
    if explain && !release {
        cargo.push("--release".into());
    }
    cargo.extend(own.into_iter().skip(1));
    cargo.extend_from_slice(theirs);
    let optimised = release || explain || matches!(&*command, "bench" | "install");
    Some(Plan { cargo, way, explain, optimised })
}

/// The program. As `RUSTC_WRAPPER` it becomes rustc, else it becomes cargo.
pub fn main() -> ExitCode {
    let mut args = env::args_os();
    let called = args.next().unwrap_or_default();
    let args: Vec<OsString> = args.collect();
    let outcome = match env::var_os(INNER_WRAPPER) {
        Some(inner) if args.first().is_none_or(|arg| arg != "hexpass") => as_rustc(&inner, &args),
        _ => {
            let program = env::current_exe().unwrap_or_else(|_| PathBuf::from(&called));
            let skip = usize::from(args.first().is_some_and(|arg| arg == "hexpass"));
            as_cargo(&program, &args[skip..])
        }
    };
    outcome.unwrap_or_else(|message| {
        eprintln!("cargo-hexpass: error: {message}");
        ExitCode::FAILURE
    })
}

/// rustc's arguments, and whether it may take unstable ones: those of cargo's own compilations. A build script that
/// tries rustc out gets the rustc that it would have had.
pub fn rustc_args(args: &[OsString]) -> (Vec<OsString>, bool) {
    let ours = |arg: &OsString| arg.to_string_lossy().starts_with(PLUGIN_OPTION);
    let follows = |first: &str, second: &str| {
        args.windows(2)
            .any(|pair| pair[0] == first && pair[1].to_string_lossy().starts_with(second))
    };
    let cargos = follows("-C", "metadata=") || follows("--crate-name", "___");
    if cargos {
        return (args.to_vec(), args.iter().any(ours));
    }
    (args.iter().filter(|arg| !ours(arg)).cloned().collect(), false)
}

fn as_rustc(inner: &OsString, args: &[OsString]) -> Result<ExitCode, String> {
    let (mut args, unstable) = rustc_args(args);
    if !inner.is_empty() {
        args.insert(0, inner.clone());
    }
    let (program, args) = args.split_first().ok_or("no rustc to run")?;
    let mut command = Command::new(program);
    command.args(args);
    if unstable {
        command.env("RUSTC_BOOTSTRAP", "1");
    }
    Err(format!("cannot run '{}': {}", program.to_string_lossy(), command.exec()))
}

fn as_cargo(program: &Path, args: &[OsString]) -> Result<ExitCode, String> {
    let rustc = Rustc::ask()?;
    let targeted = env::var_os("CARGO_BUILD_TARGET").is_some();
    let Some(plan) = plan(args, &rustc.host, targeted) else {
        println!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    };
    rustc.fits()?;
    let plugin = pieces::plugin(program).map_err(|e| e.to_string())?;
    let runtime = pieces::runtime(program).map_err(|e| e.to_string())?;
    let clang = pieces::compiler(Mode::C, program);
    let mut all = flags(plan.way, &plugin, &runtime, &clang);
    if plan.optimised {
        all.push("-Cdebuginfo=line-tables-only".to_owned());
    } else {
        eprintln!("cargo-hexpass: note: without optimisation (--release) no loop is looked at");
    }
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(&cargo);
    command.args(&plan.cargo).env("CARGO_ENCODED_RUSTFLAGS", encoded(&all));
    if plan.way == Way::Rustc {
        let inner = env::var_os("RUSTC_WRAPPER").unwrap_or_default();
        command.env(INNER_WRAPPER, inner).env("RUSTC_WRAPPER", program);
    }
    if plan.explain {
        return explain::cargo(command);
    }
    Err(format!("cannot run '{}': {}", cargo.to_string_lossy(), command.exec()))
}

/// The user's flags and ours, as cargo splits them.
fn encoded(ours: &[String]) -> OsString {
    let mut all: Vec<OsString> = Vec::new();
    if let Some(theirs) = env::var_os("CARGO_ENCODED_RUSTFLAGS") {
        all.push(theirs);
    } else if let Ok(theirs) = env::var("RUSTFLAGS") {
        all.extend(theirs.split_whitespace().map(OsString::from));
    }
    all.extend(ours.iter().map(OsString::from));
    all.retain(|flag| !flag.is_empty());
    all.join(std::ffi::OsStr::new("\u{1f}"))
}

/// What `rustc -vV` says.
struct Rustc {
    host: String,
    version: String,
    llvm: u32,
}

impl Rustc {
    fn ask() -> Result<Rustc, String> {
        let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let output = Command::new(&rustc)
            .arg("-vV")
            .output()
            .map_err(|e| format!("cannot run '{}': {e}", rustc.to_string_lossy()))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let after = |key: &str| {
            text.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default().trim()
        };
        let llvm = after("LLVM version:").split('.').next().and_then(|n| n.parse().ok());
        Ok(Rustc {
            host: after("host:").to_owned(),
            version: text.lines().next().unwrap_or_default().to_owned(),
            llvm: llvm.unwrap_or(0),
        })
    }

    fn fits(&self) -> Result<(), String> {
        if self.llvm == LLVM_MAJOR {
            return Ok(());
        }
        let Rustc { version, llvm, .. } = self;
        Err(format!(
            "{version} is built on LLVM {llvm}, the plugin on LLVM {LLVM_MAJOR}; rustc 1.95 and 1.96 fit \
             (rustup toolchain install 1.95.0; cargo +1.95.0 hexpass …)"
        ))
    }
}
