//! Builds the pack's programs.
//!
//! A program that can't be built, or whose loops were not transformed as the table says, stays out of no list: the
//! manifest holds what went wrong, and running the pack counts it as failed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::bench::{self, Kernel};
use crate::check::Pair;
use crate::report;
use crate::table::{GUARDED, Language, PROGRAMS, Program};
use crate::toolchain::{self, Flags};
use crate::workers;

/// What the host code is made for: any x86-64 server of the last ten years; it has FMA.
pub const MARCH: &str = "x86-64-v3";

/// One program to build.
enum Part {
    Corpus(&'static Program),
    Bench(Kernel),
}

impl Part {
    fn name(&self) -> String {
        match self {
            Part::Corpus(program) => format!("corpus/{}", program.name),
            Part::Bench(kernel) => format!("bench/{kernel}"),
        }
    }
}

/// Fills `folder`: programs, runtime, manifest. Only programs with `only` in their names, `corpus/…` or `bench/…`.
pub fn pack(folder: &Path, only: Option<&str>) -> Result<(), String> {
    let guarded = GUARDED.iter().map(|(program, _)| program);
    let corpus = PROGRAMS.iter().chain(guarded).filter(|p| !p.host_only).map(Part::Corpus);
    let benches = bench::kernels().into_iter().chain(bench::fast_kernels()).map(Part::Bench);
    let parts: Vec<Part> = benches.chain(corpus).collect();
    let parts: Vec<Part> =
        parts.into_iter().filter(|p| only.is_none_or(|only| p.name().contains(only))).collect();
    let runtime = Runtime::place(folder)?;
    let programs = workers::map(&parts, workers::cores(), |part| {
        let problem = build(part, folder, &runtime).err();
        println!("{} {}", if problem.is_some() { "FAILED" } else { "built " }, part.name());
        json!({ "name": part.name(), "problem": problem })
    });
    let manifest = json!({
        "source": source_version(),
        "only": only,
        "march": MARCH,
        "flags": bench::flags(MARCH).join(" "),
        "programs": programs,
    });
    let text = serde_json::to_string_pretty(&manifest).map_err(|e| e.to_string())?;
    write(&folder.join("manifest.json"), &text)
}

fn build(part: &Part, folder: &Path, runtime: &Runtime) -> Result<(), String> {
    match part {
        Part::Corpus(program) => {
            let folder = folder.join("corpus").join(program.name);
            make_folder(&folder)?;
            let pair = Pair::build_into(program, runtime.flags(program.language), &folder)?;
            pair.compiled_as_expected()
        }
        Part::Bench(kernel) => {
            let folder = folder.join("bench");
            make_folder(&folder)?;
            let program = bench::build(*kernel, MARCH, &runtime.link(), &folder)?;
            let report = report::read(&bench::report_of(&program))?;
            match report::transformed_loops(&report) {
                1 => Ok(()),
                n => Err(format!("{n} loops transformed: {}", Value::Array(report))),
            }
        }
    }
}

/// The shared runtime in the pack: one copy for all programs of the corpus, or they would weigh 2 MB each.
struct Runtime {
    /// `lib/` of the pack.
    lib: PathBuf,
    /// What our compilers take for the archive: a linker script that names the shared library.
    script: PathBuf,
}

impl Runtime {
    fn place(folder: &Path) -> Result<Runtime, String> {
        let build = toolchain::hexpass_build()?.ok_or("a pack needs a plugin")?;
        let lib = folder.join("lib");
        make_folder(&lib)?;
        let lib = lib.canonicalize().map_err(|e| e.to_string())?;
        let from = build.join("libhexrt.so");
        fs::copy(&from, lib.join("libhexrt.so"))
            .map_err(|e| format!("{}: {e}: run `make build` first", from.display()))?;
        let script = lib.join("libhexrt.ld");
        write(&script, "INPUT(-lhexrt)\n")?;
        Ok(Runtime { lib, script })
    }

    /// To link with it. Generated code refers to the runtime weakly, which is no need in the linker's eyes.
    fn link(&self) -> Flags {
        let folder = format!("-L{}", self.lib.display());
        let found = "-Wl,-rpath,$ORIGIN/../lib:$ORIGIN/../../lib,--no-as-needed";
        Flags::of(&[&folder, found]).env("HEXPASS_RUNTIME", &self.script.to_string_lossy())
    }

    /// For a program of the corpus. Rust's programs hold the runtime themselves.
    fn flags(&self, language: Language) -> Flags {
        let mut flags = Flags::usual(language);
        match language {
            Language::C | Language::Cxx | Language::Fortran => {
                let link = self.link();
                flags.words[0] = "-O3".to_owned();
                flags.words.push(format!("-march={MARCH}"));
                flags.words.extend(link.words);
                flags.env = link.env;
                // With it any of several results would be right.
                if language == Language::Fortran {
                    flags.words.push("-ffp-contract=off".to_owned());
                }
            }
            Language::Rust => flags.words.push(format!("-Ctarget-cpu={MARCH}")),
        }
        flags
    }
}

/// The commit, and whether the working copy differs from it.
fn source_version() -> Option<String> {
    let mut git = Command::new("git");
    git.args(["describe", "--always", "--dirty", "--abbrev=12"]);
    let output = git.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn make_folder(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}
