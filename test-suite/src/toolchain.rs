//! Compiling a program of the corpus, with the stock compiler and with ours.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::table::{Language, Program};
use crate::{crates, process};

/// Who compiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiler {
    /// clang-22, flang-22 or rustc as they are.
    Stock,
    /// The same with plugin and runtime, through the wrappers.
    Hexpass,
}

/// How to compile, the same for both compilers.
#[derive(Clone, Debug)]
pub struct Flags {
    pub words: Vec<String>,
    /// Environment at compile time; only ours looks at it.
    pub env: Vec<(&'static str, String)>,
}

impl Flags {
    /// What most scientists write; gradients need sqrt without errno.
    pub fn usual(language: Language) -> Flags {
        Flags::of(match language {
            Language::C | Language::Cxx => &["-O2", "-fno-math-errno", "-gline-tables-only"],
            Language::Fortran => &["-O2"],
            // One codegen unit: what a function calls is then where the plugin can see it.
            Language::Rust => &["-O", "--edition=2024", "-Ccodegen-units=1"],
        })
    }

    /// These words.
    pub fn of(words: &[&str]) -> Flags {
        Flags { words: words.iter().map(|w| w.to_string()).collect(), env: Vec::new() }
    }

    /// With one more variable in the compiler's environment.
    pub fn env(mut self, name: &'static str, value: &str) -> Flags {
        self.env.push((name, value.to_owned()));
        self
    }
}

/// The folder of the corpus.
pub fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

/// The folder that holds libhexpass.so, the runtime and the wrappers; `None` for `HEXPASS_BUILD=stock`.
pub fn hexpass_build() -> Result<Option<PathBuf>, String> {
    let folder = match std::env::var_os("HEXPASS_BUILD") {
        Some(word) if word == "stock" => return Ok(None),
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release"),
    };
    match ["hexcc", "libhexpass.so"].iter().find(|file| !folder.join(file).exists()) {
        None => Ok(Some(folder)),
        Some(file) => Err(format!("{} holds no {file}: run `make build` first", folder.display())),
    }
}

/// Compiles a program into `out`.
pub fn build(
    program: &Program,
    compiler: Compiler,
    flags: &Flags,
    out: &Path,
) -> Result<(), String> {
    let mut command = driver(program.language, compiler)?;
    command.args(&flags.words).args(sources(program)).arg("-o").arg(out);
    command.envs(flags.env.iter().map(|(name, value)| (name, value)));
    match program.language {
        Language::C | Language::Cxx => drop(command.arg("-lm")),
        // Modules lie beside the program, not in the current folder.
        Language::Fortran => drop(command.arg("-J").arg(out.parent().expect("a folder"))),
        Language::Rust => drop(command.args(["-C", "debuginfo=line-tables-only"])),
    }
    if let Some(standard) = program.standard {
        command.arg(format!("-std={standard}"));
    }
    if program.ndarray {
        command.args(crates::ndarray()?);
    }
    let what = format!("{:?} build of {}: {command:?}", compiler, program.name);
    let ended = process::run(&mut command, COMPILE_LIMIT).map_err(|e| format!("{what}: {e}"))?;
    ended.success(&what).map(drop)
}

const COMPILE_LIMIT: Duration = Duration::from_secs(120);

fn sources(program: &Program) -> Vec<PathBuf> {
    let file = corpus().join(program.file());
    match program.language {
        Language::Fortran => vec![corpus().join("fortran/corpus.f90"), file],
        Language::C | Language::Cxx | Language::Rust => vec![file],
    }
}

/// The compiler's command, without arguments of the program's.
pub fn driver(language: Language, compiler: Compiler) -> Result<Command, String> {
    let build = match compiler {
        Compiler::Stock => None,
        Compiler::Hexpass => hexpass_build()?,
    };
    Ok(match (language, build) {
        (Language::C, None) => Command::new("clang-22"),
        (Language::C, Some(folder)) => Command::new(folder.join("hexcc")),
        (Language::Cxx, None) => Command::new("clang++-22"),
        (Language::Cxx, Some(folder)) => Command::new(folder.join("hexc++")),
        (Language::Fortran, None) => Command::new("flang-22"),
        (Language::Fortran, Some(folder)) => Command::new(folder.join("hexflang")),
        (Language::Rust, None) => Command::new("rustc"),
        (Language::Rust, Some(folder)) => {
            let mut rustc = Command::new("rustc");
            rustc.env("RUSTC_BOOTSTRAP", "1").args(rustflags(&folder)?);
            rustc
        }
    })
}

fn rustflags(folder: &Path) -> Result<Vec<String>, String> {
    let mut command = Command::new(folder.join("hexcc"));
    command.arg("--print-rustflags");
    let ended = process::run(&mut command, COMPILE_LIMIT).map_err(|e| e.to_string())?;
    let words = ended.success("hexcc --print-rustflags")?;
    Ok(words.split_whitespace().map(str::to_owned).collect())
}
