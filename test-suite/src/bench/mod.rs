//! The benchmark programs of `bench/`: what there is, how one is built, and what its runs say.
//!
//! A program holds its kernel twice, as the stock compiler and as ours made it, and runs both in one process on equal
//! memory: `bench/main.c` documents the command line and what it prints.

pub mod table;

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::process;
use crate::table::Language;
use crate::toolchain::{self, Compiler, Flags};

/// One of `bench/*.c`.
#[derive(Debug, PartialEq)]
pub struct Stencil {
    /// The source file's name.
    pub name: &'static str,
    /// Space dimensions.
    pub dims: usize,
    /// Arrays of one time level; 0: one array of two.
    fields: usize,
}

impl Stencil {
    const fn new(name: &'static str, dims: usize) -> Stencil {
        Stencil { name, dims, fields: 0 }
    }
}

/// All of them, in the order of the tables.
pub static STENCILS: &[Stencil] = &[
    Stencil::new("jacobi1d3", 1),
    Stencil::new("heat2d5", 2),
    Stencil::new("heat2d9", 2),
    Stencil::new("gradient2d", 2),
    Stencil { fields: 3, ..Stencil::new("fdtd2d", 2) },
    Stencil::new("heat3d7", 3),
    Stencil::new("heat3d27", 3),
    Stencil::new("gradient3d", 3),
];

/// The type of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Real {
    Float,
    Double,
}

impl Real {
    /// As the tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Real::Float => "f32",
            Real::Double => "f64",
        }
    }

    fn c_type(self) -> &'static str {
        match self {
            Real::Float => "float",
            Real::Double => "double",
        }
    }
}

/// A benchmark program: a stencil for one type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kernel {
    pub stencil: &'static Stencil,
    pub real: Real,
    /// With `-ffast-math`: results are compared within a tolerance.
    pub fast: bool,
}

/// As the program's file is called: `heat2d5-f32`, `gradient2d-f32-fast`.
impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fast = if self.fast { "-fast" } else { "" };
        write!(f, "{}-{}{fast}", self.stencil.name, self.real.name())
    }
}

/// Every stencil for both types.
pub fn kernels() -> Vec<Kernel> {
    let both =
        |stencil| [Real::Float, Real::Double].map(|real| Kernel { stencil, real, fast: false });
    STENCILS.iter().flat_map(both).collect()
}

/// Those that are also timed with `-ffast-math`, since others' figures for them are.
pub fn fast_kernels() -> Vec<Kernel> {
    let gradients = STENCILS.iter().filter(|stencil| stencil.name == "gradient2d");
    gradients.map(|stencil| Kernel { stencil, real: Real::Float, fast: true }).collect()
}

/// What is run: how large, how long.
#[derive(Clone, Debug, PartialEq)]
pub struct Extent {
    pub sizes: Vec<u32>,
    pub steps: u32,
}

impl Extent {
    /// These sizes and steps.
    pub fn new(sizes: &[u32], steps: u32) -> Extent {
        Extent { sizes: sizes.to_vec(), steps }
    }

    /// As on the program's command line.
    pub fn sizes_word(&self) -> String {
        self.sizes.iter().map(u32::to_string).collect::<Vec<_>>().join("x")
    }

    /// Grid points updated: those that the border leaves, in every step.
    pub fn updates(&self) -> f64 {
        let inner = |&n: &u32| f64::from(n.saturating_sub(2));
        self.sizes.iter().map(inner).product::<f64>() * f64::from(self.steps)
    }

    /// Billions of updates a second.
    pub fn rate(&self, seconds: f64) -> f64 {
        self.updates() / seconds.max(1e-12) / 1e9
    }
}

/// The flags that both compilers get.
pub fn flags(march: &str) -> Vec<String> {
    ["-O3", &format!("-march={march}"), "-fno-math-errno", "-gline-tables-only"]
        .map(str::to_owned)
        .to_vec()
}

const LIMIT: Duration = Duration::from_secs(300);

/// Compiles a program into `folder` under its name, and links it with more flags. Our compiler's report lies beside it,
/// with `.report` added.
pub fn build(kernel: Kernel, march: &str, link: &Flags, folder: &Path) -> Result<PathBuf, String> {
    let out = folder.join(kernel.to_string());
    let object = |part: &str| folder.join(format!("{kernel}.{part}.o"));
    let report = report_of(&out);
    let _ = std::fs::remove_file(&report);
    let compile = |compiler, part: &str, source: &str| {
        let mut command = toolchain::driver(Language::C, compiler)?;
        command.args(flags(march)).args(defines(kernel));
        command.args(kernel.fast.then_some("-ffast-math").filter(|_| part != "main"));
        command.env("HEXPASS_REPORT", &report);
        if part != "main" {
            command.arg(format!("-Dkernel=kernel_{part}"));
        }
        command.arg("-c").arg(sources().join(source)).arg("-o").arg(object(part));
        run(&mut command).map(drop)
    };
    let source = format!("{}.c", kernel.stencil.name);
    compile(Compiler::Stock, "main", "main.c")?;
    compile(Compiler::Stock, "stock", &source)?;
    compile(Compiler::Hexpass, "tiled", &source)?;
    let parts = ["main", "stock", "tiled"].map(object);
    let mut linker = toolchain::driver(Language::C, Compiler::Hexpass)?;
    linker.envs(link.env.iter().map(|(name, value)| (name, value)));
    run(linker.args(&parts).args(&link.words).arg("-o").arg(&out).arg("-lm"))?;
    parts.iter().for_each(|part| drop(std::fs::remove_file(part)));
    Ok(out)
}

/// Compiles a program's kernel with our compiler, and with more variables in its environment; the object. The report is
/// that of the program of its name in `folder`.
pub fn compile_tiled(
    kernel: Kernel,
    march: &str,
    env: &[(&str, &str)],
    folder: &Path,
) -> Result<PathBuf, String> {
    let object = folder.join(format!("{kernel}.o"));
    let mut command = toolchain::driver(Language::C, Compiler::Hexpass)?;
    command.args(flags(march)).args(defines(kernel)).args(kernel.fast.then_some("-ffast-math"));
    command.env("HEXPASS_REPORT", report_of(&folder.join(kernel.to_string())));
    command.envs(env.iter().copied()).arg("-Dkernel=kernel_tiled");
    command.arg("-c").arg(sources().join(format!("{}.c", kernel.stencil.name)));
    run(command.arg("-o").arg(&object))?;
    Ok(object)
}

/// Where the report on a program lies.
pub fn report_of(program: &Path) -> PathBuf {
    program.with_extension("report")
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("bench")
}

fn defines(kernel: Kernel) -> [String; 5] {
    let Kernel { stencil, real, fast } = kernel;
    [
        format!("-DREAL={}", real.c_type()),
        format!("-DREAL_IS_DOUBLE={}", u8::from(real == Real::Double)),
        format!("-DDIMS={}", stencil.dims),
        format!("-DFIELDS={}", stencil.fields),
        format!("-DFAST={}", u8::from(fast)),
    ]
}

fn run(command: &mut Command) -> Result<String, String> {
    let what = format!("{command:?}");
    process::run(command, LIMIT).map_err(|e| format!("{what}: {e}"))?.success(&what)
}

/// Why a run gave no figures.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// Our kernel left other memory than the stock compiler's.
    Differs(String),
    /// The program did not run to its end, or there was none to run.
    Failed(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Differs(message) | Failure::Failed(message) => f.write_str(message),
        }
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure::Failed(message)
    }
}

/// Runs a program's verb; what it printed.
pub fn measure(
    program: &Path,
    verb: &str,
    extent: &Extent,
    more: &[&str],
    env: &[(&str, &OsStr)],
) -> Result<Value, Failure> {
    let mut command = Command::new(program);
    command.arg(verb).arg(extent.sizes_word()).arg(extent.steps.to_string()).args(more);
    command.envs(env.iter().copied());
    let what = format!("{} {verb} {}", name_of(program), extent.sizes_word());
    let ended = process::run(&mut command, LIMIT).map_err(|e| format!("{what}: {e}"))?;
    let answer = ended.output.lines().find_map(|line| serde_json::from_str::<Value>(line).ok());
    match answer {
        Some(answer) if ended.code == Some(0) => Ok(answer),
        Some(answer) if answer["difference"].is_string() => {
            Err(Failure::Differs(answer["difference"].as_str().unwrap_or_default().to_owned()))
        }
        _ => match ended.success(&what) {
            Err(message) => Err(Failure::Failed(message)),
            Ok(_) => Err(Failure::Failed(format!("{what} printed no result"))),
        },
    }
}

fn name_of(program: &Path) -> String {
    program.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A list of numbers in what a program printed.
pub fn numbers(answer: &Value, key: &str) -> Vec<f64> {
    answer[key].as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}

/// The middle one; of an even number, the lower of the two.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len().checked_sub(1)? / 2).copied()
}

/// The smallest.
pub fn least(values: &[f64]) -> Option<f64> {
    values.iter().copied().min_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn every_stencil_has_a_source() {
        for stencil in STENCILS {
            let source = sources().join(format!("{}.c", stencil.name));
            assert!(source.is_file(), "{}", source.display());
        }
    }

    #[test]
    fn borders_are_not_updated() {
        let extent = Extent::new(&[12, 102], 3);
        assert_eq!(extent.updates(), 3000.0);
        assert_eq!(extent.sizes_word(), "12x102");
    }

    #[test]
    fn the_median_is_a_measured_value() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0]), Some(1.0));
        assert_eq!(median(&[]), None);
    }
}
