//! One program, compiled both ways: the same memory afterwards, and the tiled code ran.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::cases::{self, Case};
use crate::dump::{self, Equality};
use crate::process;
use crate::report;
use crate::table::{Expect, Language, Program};
use crate::toolchain::{self, Compiler, Flags};

/// Strategies that programs of the corpus are tiled with.
const STRATEGIES: [&str; 4] = ["hexagonal", "streaming", "overlapped", "spatial25d"];
const RUN_LIMIT: Duration = Duration::from_secs(300);

/// The devices to run on: `CORPUS_DEVICES`, or those of every machine.
pub fn devices() -> Vec<String> {
    let words = std::env::var("CORPUS_DEVICES").unwrap_or_else(|_| "cpu,emulated".to_owned());
    words.split(',').map(str::to_owned).collect()
}

/// Checks a program as a user would compile it: small cases on every device, large ones on those that are fast.
pub fn program(name: &str) {
    let program = Program::named(name);
    Pair::build(program, Flags::usual(program.language))
        .and_then(|pair| {
            pair.compiled_as_expected()?;
            for device in devices() {
                if program.host_only && device != "cpu" {
                    pair.fall_back(&device, "no-kernel")?;
                    continue;
                }
                pair.compare(&device, &cases::small(program), Equality::Bits)?;
                if device != "emulated" {
                    pair.compare(&device, &cases::large(program), Equality::Bits)?;
                }
            }
            Ok(())
        })
        .unwrap_or_else(|message| panic!("{message}"));
}

/// Checks programs under other flags, small cases only; all of them, even if one fails.
pub fn variants(names: &[&str], flags: &Flags, equality: Equality) {
    let failures: Vec<String> = names
        .iter()
        .filter_map(|name| variant(Program::named(name), flags.clone(), equality).err())
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

fn variant(program: &'static Program, flags: Flags, equality: Equality) -> Result<(), String> {
    let pair = Pair::build(program, flags)?;
    pair.compiled_as_expected()?;
    devices().iter().try_for_each(|device| pair.compare(device, &cases::small(program), equality))
}

/// Checks a program whose guard fails: the original loop runs and leaves what it always left; under `mandatory` the
/// program ends with status 86 instead.
pub fn falls_back(program: &'static Program, reason: &str) {
    Pair::build(program, Flags::usual(program.language))
        .and_then(|pair| {
            pair.compiled_as_expected()?;
            devices().iter().try_for_each(|device| pair.fall_back(device, reason))
        })
        .unwrap_or_else(|message| panic!("{message}"));
}

/// What the runtime says of a program's run on a device, whose memory is right afterwards.
pub fn statistics(name: &str, device: &str, case: Case) -> Result<Vec<Value>, String> {
    let program = Program::named(name);
    let pair = Pair::build(program, Flags::usual(program.language))?;
    pair.compare(device, &[case], Equality::Bits)?;
    report::read(&pair.path("stats"))
}

/// What a run said of itself.
#[derive(Debug)]
pub struct Outcome {
    /// Of each execution `DEVICE STRATEGY`, `original REASON` or `empty`.
    pub executions: Vec<String>,
    /// Lines of the runtime's.
    pub said: Vec<String>,
    /// Exit status.
    pub code: Option<i32>,
}

/// A program in both builds.
pub struct Pair {
    program: &'static Program,
    description: String,
    /// Where `stock` and `hexpass` lie, and our compiler's `report`.
    builds: PathBuf,
    /// What runs leave: `expected`, `got` and `stats`.
    scratch: TempDir,
}

impl Pair {
    /// As a user would compile it.
    pub fn usual(name: &str) -> Result<Pair, String> {
        let program = Program::named(name);
        Pair::build(program, Flags::usual(program.language))
    }

    fn build(program: &'static Program, flags: Flags) -> Result<Pair, String> {
        let scratch = TempDir::new().map_err(|e| e.to_string())?;
        Pair::build_in(program, flags, scratch.path().to_owned(), scratch)
    }

    /// Compiles both builds into a folder, where they stay.
    pub fn build_into(
        program: &'static Program,
        flags: Flags,
        folder: &Path,
    ) -> Result<Pair, String> {
        let scratch = TempDir::new().map_err(|e| e.to_string())?;
        Pair::build_in(program, flags, folder.to_owned(), scratch)
    }

    /// Builds that [`Pair::build_into`] left in a folder.
    pub fn built(program: &'static Program, folder: &Path) -> Result<Pair, String> {
        let scratch = TempDir::new().map_err(|e| e.to_string())?;
        let description = program.name.to_owned();
        Ok(Pair { program, description, builds: folder.to_owned(), scratch })
    }

    fn build_in(
        program: &'static Program,
        flags: Flags,
        builds: PathBuf,
        scratch: TempDir,
    ) -> Result<Pair, String> {
        let description = format!("{} ({} {:?})", program.name, flags.words.join(" "), flags.env);
        toolchain::build(program, Compiler::Stock, &flags, &builds.join("stock"))?;
        let flags = flags.env("HEXPASS_REPORT", &builds.join("report").to_string_lossy());
        toolchain::build(program, Compiler::Hexpass, &flags, &builds.join("hexpass"))?;
        Ok(Pair { program, description, builds, scratch })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    /// The compiler's report agrees with the table.
    pub fn compiled_as_expected(&self) -> Result<(), String> {
        if std::env::var_os("HEXPASS_BUILD").is_some_and(|word| word == "stock") {
            return Ok(());
        }
        let report = report::read(&self.builds.join("report"))?;
        let transformed = report::transformed_loops(&report);
        let rejections = report::rejections(&report);
        let strategies: Vec<&str> = report::strategies(&report).into_iter().collect();
        let fine = match self.program.expect {
            Expect::Transformed(loops) => {
                transformed == loops && strategies.iter().all(|s| STRATEGIES.contains(s))
            }
            Expect::Rejected(reason) => transformed == 0 && rejections.contains(&reason),
        };
        if fine {
            return Ok(());
        }
        let lines: Vec<String> = report.iter().map(|object| object.to_string()).collect();
        Err(format!(
            "{}: expected {:?} with one of {STRATEGIES:?}, the report says\n{}",
            self.description,
            self.program.expect,
            lines.join("\n")
        ))
    }

    /// Runs both builds on the same cases and compares what they leave.
    pub fn compare(&self, device: &str, cases: &[Case], equality: Equality) -> Result<(), String> {
        if cases.is_empty() {
            return Ok(());
        }
        let what = self.on(device);
        let (expected, printed) = self.run_stock(cases)?;
        let output = self
            .run_ours(device, "mandatory", cases)
            .map_err(|e| format!("{what}: {e}"))?
            .success(&what)?;
        if output != printed {
            return Err(format!("{what}: prints\n{output}\ninstead of\n{printed}"));
        }
        self.same(&what, &expected, equality)?;
        self.ran_tiled(&what, device, cases, &report::read(&self.path("stats"))?)
    }

    /// The guard fails for this reason, and the original loop leaves what it always left.
    pub fn fall_back(&self, device: &str, reason: &str) -> Result<(), String> {
        let busy = |c: &Case| c.steps > 1 && c.sizes[..self.program.dims].iter().all(|&n| n > 8);
        let cases: Vec<Case> = cases::small(self.program).into_iter().filter(busy).collect();
        let what = format!("{} in mode auto", self.on(device));
        let (expected, _) = self.run_stock(&cases)?;
        self.run_ours(device, "auto", &cases)
            .map_err(|e| format!("{what}: {e}"))?
            .success(&what)?;
        self.same(&what, &expected, Equality::Bits)?;
        let stats = report::read(&self.path("stats"))?;
        let fallback = report::fallback(&stats).filter(|object| object["reason"] == reason);
        if fallback.is_none() || report::executions(&stats, device, &STRATEGIES) > 0 {
            return Err(format!(
                "{what}: the original loop should run because of {reason}: {stats:?}"
            ));
        }

        let what = format!("{} in mode mandatory", self.on(device));
        let ended =
            self.run_ours(device, "mandatory", &cases).map_err(|e| format!("{what}: {e}"))?;
        match ended.code {
            Some(86) => Ok(()),
            _ => Err(format!("{what}: should end with status 86, but {ended:?}")),
        }
    }

    /// Runs our build under these variables; a program that ends well has left the original's memory.
    pub fn outcome(&self, env: &[(&str, &str)], cases: &[Case]) -> Result<Outcome, String> {
        let what = format!("{} under {env:?}", self.description);
        let (expected, _) = self.run_stock(cases)?;
        let stats = self.path("stats");
        let _ = std::fs::remove_file(&stats);
        let mut command = self.command("hexpass", cases, &self.path("got"));
        command.env("HEXPASS_INFO", "1").env("HEXPASS_STATS", &stats).envs(env.iter().copied());
        let ended = process::run(&mut command, RUN_LIMIT).map_err(|e| format!("{what}: {e}"))?;
        let ours = |line: &&str| line.starts_with("hexpass: ");
        let said = ended.output.lines().filter(ours).map(str::to_owned).collect();
        // That arrays come home which had stayed is none.
        let ran = |object: &&Value| object["status"] != "home";
        let executions = report::read(&stats)?.iter().filter(ran).map(report::in_words).collect();
        if ended.code == Some(0) {
            self.same(&what, &expected, Equality::Bits)?;
        }
        Ok(Outcome { executions, said, code: ended.code })
    }

    fn on(&self, device: &str) -> String {
        format!("{} on {device}", self.description)
    }

    /// What the stock compiler's build leaves in memory, and what it prints.
    fn run_stock(&self, cases: &[Case]) -> Result<(Vec<dump::Memory>, String), String> {
        let what = format!("{} by the stock compiler", self.description);
        let file = self.path("expected");
        let printed = process::run(&mut self.command("stock", cases, &file), RUN_LIMIT)
            .map_err(|e| format!("{what}: {e}"))?
            .success(&what)?;
        Ok((dump::read(&file)?, printed))
    }

    /// Leaves the files `got` and `stats`.
    fn run_ours(
        &self,
        device: &str,
        mode: &str,
        cases: &[Case],
    ) -> std::io::Result<process::Ended> {
        let stats = self.path("stats");
        let _ = std::fs::remove_file(&stats);
        let mut command = self.command("hexpass", cases, &self.path("got"));
        command.env("HEXPASS_MODE", mode).env("HEXPASS_DEVICE", device).env("HEXPASS_STATS", stats);
        process::run(&mut command, RUN_LIMIT)
    }

    fn same(
        &self,
        what: &str,
        expected: &[dump::Memory],
        equality: Equality,
    ) -> Result<(), String> {
        let got = dump::read(&self.path("got"))?;
        match dump::compare(expected, &got, equality) {
            Ok(None) => Ok(()),
            Ok(Some(difference)) => Err(format!("{what}: {difference}")),
            Err(message) => Err(format!("{what}: {message}")),
        }
    }

    fn command(&self, build: &str, cases: &[Case], dump: &Path) -> Command {
        let mut command = Command::new(self.builds.join(build));
        command.args(cases.iter().map(Case::to_string)).env("CORPUS_OUT", dump);
        command
    }

    /// At least one tiled execution of each transformed loop for each case that certainly has work.
    fn ran_tiled(
        &self,
        what: &str,
        device: &str,
        cases: &[Case],
        stats: &[Value],
    ) -> Result<(), String> {
        let Expect::Transformed(loops) = self.program.expect else { return Ok(()) };
        let dims = self.program.dims;
        // The first step of such a program allocates memory.
        let first = i32::from(stats.iter().any(report::is_rare));
        let busy = |c: &&Case| c.steps > first && c.sizes[..dims].iter().all(|&n| n >= 8);
        let least = loops * cases.iter().filter(busy).count();
        let ran = report::executions(stats, device, &STRATEGIES);
        match report::fallback(stats) {
            None if ran >= least => Ok(()),
            None => Err(format!(
                "{what}: all bits equal, but HEXPASS_STATS shows {ran} tiled executions, \
                 should be {least} or more"
            )),
            Some(object) => {
                Err(format!("{what}: all bits equal, but by the original loop: {object}"))
            }
        }
    }
}

/// Checks the program itself: no warnings, no undefined behaviour, the same memory with and without optimisation.
pub fn hygiene(name: &str) {
    let program = Program::named(name);
    let folder = TempDir::new().unwrap();
    let memory = |words: &[&str]| run_stock(program, words, folder.path());
    let checked: &[&str] = match program.language {
        Language::C | Language::Cxx => SANITIZED,
        Language::Fortran => &["-O1"],
        Language::Rust => &["-Copt-level=1", "-Cdebug-assertions", "-Dwarnings", "--edition=2024"],
    };
    let usual = Flags::usual(program.language).words;
    let result = memory(checked).and_then(|_| {
        let plain = match program.language {
            Language::Rust => "-Copt-level=0",
            Language::C | Language::Cxx | Language::Fortran => "-O0",
        };
        let optimised = memory(&usual.iter().map(String::as_str).collect::<Vec<_>>())?;
        let mut words: Vec<&str> = usual.iter().map(String::as_str).collect();
        words[0] = plain;
        dump::compare(&memory(&words)?, &optimised, Equality::Bits)
    });
    match result {
        Ok(None) => {}
        Ok(Some(difference)) => panic!("{name}: optimisation changes its result: {difference}"),
        Err(message) => panic!("{message}"),
    }
}

const SANITIZED: &[&str] = &[
    "-O1",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-sign-compare",
    "-fno-math-errno",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
];

fn run_stock(
    program: &Program,
    words: &[&str],
    folder: &Path,
) -> Result<Vec<dump::Memory>, String> {
    let (binary, file) = (folder.join("program"), folder.join("dump"));
    toolchain::build(program, Compiler::Stock, &Flags::of(words), &binary)?;
    let mut command = Command::new(&binary);
    command.args(cases::small(program).iter().map(Case::to_string)).env("CORPUS_OUT", &file);
    let what = format!("{} ({})", program.name, words.join(" "));
    process::run(&mut command, RUN_LIMIT).map_err(|e| format!("{what}: {e}"))?.success(&what)?;
    dump::read(&file)
}
