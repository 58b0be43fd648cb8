//! One program, compiled by the stock compiler and by ours, run on every device, compared.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use super::program::{Case, Program};
use super::setup::Setup;
use super::{make, sound, tongue};
use crate::dump::{self, Equality};
use crate::process;
use crate::report;
use crate::table::Language;
use crate::toolchain::{self, Compiler};

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The stock compiler, or its program, failed: a mistake of the generator's.
    Generator,
    /// Our compiler crashed, or refused what the stock compiler takes.
    Compiler,
    /// Our compiler took more than a minute of the CPU.
    SlowCompiler,
    /// A rejection that says that hexpass has a bug.
    Bug,
    /// Our program crashed.
    Crash,
    /// Our program did not end in time.
    Endless,
    /// Other memory, or other output.
    Wrong,
}

impl Kind {
    /// Known before the program runs.
    fn is_of_compiling(self) -> bool {
        matches!(self, Kind::Compiler | Kind::SlowCompiler | Kind::Bug)
    }
}

/// A failure, with all that is known of it.
#[derive(Clone, Debug)]
pub struct Fault {
    pub kind: Kind,
    pub message: String,
    /// Variables under which the program ran.
    pub env: Env,
}

/// Variables that our build runs under.
pub type Env = Vec<(&'static str, String)>;

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.kind, self.message)
    }
}

/// What became of the program's loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Taken {
    Left,
    /// Steps on their own.
    Apart,
    /// A time loop.
    Whole,
}

/// What a trial found out.
#[derive(Debug)]
pub struct Outcome {
    pub faults: Vec<Fault>,
    pub taken: Taken,
    /// Why loops were left.
    pub reasons: Vec<String>,
    /// How executions of nests went, and how many went so.
    pub executions: BTreeMap<String, usize>,
    /// What our compiler took of the CPU.
    pub compiling: Duration,
}

/// Of the clock on the wall: the machine may be busy.
const COMPILE_LIMIT: Duration = Duration::from_secs(900);
/// Runs a command whose processes are ended after a minute of the CPU; its last line is what they took.
const LIMITED: &str = "ulimit -c 0 -t 60; \"$@\"; ended=$?; times; exit $ended";
const RUN_LIMIT: Duration = Duration::from_secs(120);

/// Writes a program's file, and beside it what it includes.
pub fn write(program: &Program, folder: &Path, name: &str) -> std::io::Result<()> {
    let tongue = tongue::of(program.language);
    std::fs::create_dir_all(folder)?;
    if program.language == Language::Rust {
        std::fs::copy(toolchain::corpus().join(tongue.shared), folder.join("corpus.rs"))?;
    }
    std::fs::write(folder.join(name).with_extension(tongue.ending), (tongue.write)(program))
}

/// Compiles and runs a program in a folder, where everything stays.
pub fn run(program: &Program, setup: &Setup, folder: &Path) -> Outcome {
    run_under(program, setup, folder, None)
}

/// Whether a program fails in the way that another has.
pub fn fails_alike(program: &Program, setup: &Setup, fault: &Fault, folder: &Path) -> bool {
    let outcome = run_under(program, setup, folder, Some(fault));
    outcome.faults.iter().any(|f| f.kind == fault.kind && f.env == fault.env)
}

fn run_under(program: &Program, setup: &Setup, folder: &Path, only: Option<&Fault>) -> Outcome {
    let outcome = Outcome {
        faults: Vec::new(),
        taken: Taken::Left,
        reasons: Vec::new(),
        executions: BTreeMap::new(),
        compiling: Duration::ZERO,
    };
    let mut trial = Trial { setup, folder, only, outcome };
    if let Err(fault) = trial.all(program) {
        trial.outcome.faults.push(fault);
    }
    trial.outcome
}

struct Trial<'a> {
    setup: &'a Setup,
    folder: &'a Path,
    /// The only fault that is looked for.
    only: Option<&'a Fault>,
    outcome: Outcome,
}

/// What the stock compiler's program leaves and prints.
struct Expected {
    memory: Vec<dump::Memory>,
    printed: String,
}

fn fault(kind: Kind, message: impl fmt::Display) -> Fault {
    Fault { kind, message: message.to_string(), env: Env::new() }
}

impl Trial<'_> {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn all(&mut self, program: &Program) -> Result<(), Fault> {
        let wrong = |e: String| fault(Kind::Generator, e);
        let least = sound::least(program).map_err(wrong)?;
        write(program, self.folder, "program").map_err(|e| wrong(e.to_string()))?;
        let compiling = self.only.is_some_and(|fault| fault.kind.is_of_compiling());
        if !compiling {
            self.compile(program, Compiler::Stock, "stock").map_err(wrong)?;
        }
        let _ = std::fs::remove_file(self.path("report"));
        let compiled = self.compile(program, Compiler::Hexpass, "hexpass");
        self.outcome.compiling = compiled.map_err(|e| {
            let slow = e.contains("CPU time limit exceeded");
            fault(if slow { Kind::SlowCompiler } else { Kind::Compiler }, e)
        })?;
        let strategies = self.read_report()?;
        if compiling {
            return Ok(());
        }
        let (few, many) = make::cases(program, least);
        let both: Vec<Case> = few.iter().chain(&many).copied().collect();
        let expected_few = self.expected(&few)?;
        let expected_both = self.expected(&both)?;
        for env in self.environments(&strategies) {
            let fast = !env.iter().any(|(_, value)| value == "emulated");
            let (cases, expected) =
                if fast { (&both, &expected_both) } else { (&few, &expected_few) };
            if let Err(fault) = self.compare(&env, cases, expected) {
                self.outcome.faults.push(Fault { env, ..fault });
            }
        }
        Ok(())
    }

    fn compile(
        &self,
        program: &Program,
        compiler: Compiler,
        name: &str,
    ) -> Result<Duration, String> {
        let driver = toolchain::driver(program.language, compiler)?;
        let mut command = Command::new("bash");
        command
            .args(["-c", LIMITED, "limited"])
            .arg(driver.get_program())
            .args(driver.get_args())
            .envs(driver.get_envs().filter_map(|(name, value)| Some((name, value?))))
            .args(&self.setup.flags);
        let tongue = tongue::of(program.language);
        let shared = toolchain::corpus().join(tongue.shared);
        match program.language {
            Language::C | Language::Cxx => {
                command.arg("-I").arg(toolchain::corpus().join("c"));
            }
            Language::Fortran => {
                command.arg("-J").arg(self.folder).arg(shared);
            }
            Language::Rust => {
                command.args(["--edition=2024", "-Cdebuginfo=line-tables-only"]);
            }
        }
        command.arg(self.path("program").with_extension(tongue.ending));
        command.arg("-o").arg(self.path(name));
        if matches!(program.language, Language::C | Language::Cxx) {
            command.arg("-lm");
        }
        without_our_variables(&mut command);
        if compiler == Compiler::Hexpass {
            command.env("HEXPASS_REPORT", self.path("report"));
            command.envs(self.setup.compile.iter().copied());
        }
        let ended = process::run(&mut command, COMPILE_LIMIT).map_err(|e| e.to_string())?;
        ended.success(&format!("{command:?}")).map(|printed| cpu_time(&printed))
    }

    /// Takes note of what was taken; gives the strategies of the GPU's kernels.
    fn read_report(&mut self) -> Result<Vec<String>, Fault> {
        let report = report::read(&self.path("report")).map_err(|e| fault(Kind::Compiler, e))?;
        let mut strategies = Vec::new();
        for object in &report {
            if object["status"] == "transformed" {
                let apart = object["apart"] == true;
                let taken = if apart { Taken::Apart } else { Taken::Whole };
                self.outcome.taken = self.outcome.taken.max(taken);
                strategies.extend(gpu_strategies(object));
            } else {
                let reason = object["reason"].as_str().unwrap_or("").to_owned();
                if reason == "bug" {
                    self.outcome.faults.push(fault(Kind::Bug, object));
                }
                self.outcome.reasons.push(reason);
            }
        }
        strategies.sort();
        strategies.dedup();
        Ok(strategies)
    }

    /// The ways to run our build.
    fn environments(&self, strategies: &[String]) -> Vec<Env> {
        if let Some(only) = self.only {
            return vec![only.env.clone()];
        }
        let word = |name, value: &str| (name, value.to_owned());
        let mut all = vec![Vec::new()];
        if self.outcome.taken == Taken::Left {
            return all;
        }
        all.push(vec![word("HEXPASS_DEVICE", "cpu"), word("HEXPASS_THREADS", "1")]);
        all.push(vec![word("HEXPASS_DEVICE", "cpu"), word("HEXPASS_THREADS", self.setup.threads)]);
        all.push(vec![word("HEXPASS_DEVICE", "emulated")]);
        if strategies.len() > 1 {
            let strategy = &strategies[self.setup.strategy % strategies.len()];
            all.push(vec![word("HEXPASS_DEVICE", "emulated"), word("HEXPASS_STRATEGY", strategy)]);
        }
        all
    }

    fn command(&self, build: &str, cases: &[Case], dump: &str) -> Command {
        let mut command = Command::new(self.path(build));
        without_our_variables(&mut command);
        command.args(cases.iter().map(Case::to_string)).env("CORPUS_OUT", self.path(dump));
        command
    }

    fn expected(&self, cases: &[Case]) -> Result<Expected, Fault> {
        let wrong = |e: String| fault(Kind::Generator, e);
        let mut command = self.command("stock", cases, "expected");
        let ended = process::run(&mut command, RUN_LIMIT).map_err(|e| wrong(e.to_string()))?;
        let printed = ended.success(&format!("{command:?}")).map_err(wrong)?;
        let memory = dump::read(&self.path("expected")).map_err(wrong)?;
        Ok(Expected { memory, printed })
    }

    fn compare(&mut self, env: &Env, cases: &[Case], expected: &Expected) -> Result<(), Fault> {
        let stats = self.path("stats");
        let _ = std::fs::remove_file(&stats);
        let _ = std::fs::remove_file(self.path("got"));
        let mut command = self.command("hexpass", cases, "got");
        command.envs(env.iter().map(|(name, value)| (name, value)));
        command.env("HEXPASS_STATS", &stats);
        let what = format!("{command:?}");
        let ended = process::run(&mut command, RUN_LIMIT).map_err(|e| fault(Kind::Generator, e))?;
        let kind = if ended.timed_out { Kind::Endless } else { Kind::Crash };
        let printed = ended.success(&what).map_err(|e| fault(kind, e))?;
        self.count(&report::read(&stats).map_err(|e| fault(Kind::Crash, e))?);
        let got = dump::read(&self.path("got")).map_err(|e| fault(Kind::Crash, e))?;
        match dump::compare(&expected.memory, &got, Equality::Bits) {
            Ok(None) => {}
            Ok(Some(difference)) => {
                return Err(fault(Kind::Wrong, format!("{what}: {difference}")));
            }
            Err(e) => return Err(fault(Kind::Wrong, format!("{what}: {e}"))),
        }
        let printed = theirs(&printed);
        if printed != theirs(&expected.printed) {
            let message = format!("{what}: prints\n{printed}\ninstead of\n{}", expected.printed);
            return Err(fault(Kind::Wrong, message));
        }
        Ok(())
    }

    fn count(&mut self, stats: &[Value]) {
        for object in stats {
            *self.outcome.executions.entry(report::in_words(object)).or_default() += 1;
        }
    }
}

/// What a shell's `times` says of its children: `0m5.161s 0m0.266s`.
fn cpu_time(printed: &str) -> Duration {
    let last = printed.lines().last().unwrap_or("");
    let one = |word: &str| {
        let (minutes, seconds) = word.strip_suffix('s')?.split_once('m')?;
        Some(60.0 * minutes.parse::<f64>().ok()? + seconds.parse::<f64>().ok()?)
    };
    Duration::from_secs_f64(last.split_whitespace().filter_map(one).sum())
}

/// The program's own lines.
fn theirs(printed: &str) -> String {
    printed
        .lines()
        .filter(|line| !line.starts_with("hexpass: "))
        .fold(String::new(), |text, line| text + line + "\n")
}

fn gpu_strategies(object: &Value) -> Vec<String> {
    let variants = object["variants"].as_array().cloned().unwrap_or_default();
    variants
        .iter()
        .filter(|variant| variant["target"] == "gpu")
        .filter_map(|variant| variant["strategy"].as_str().map(str::to_owned))
        .collect()
}

/// What the caller's environment says to hexpass is not for the trials.
fn without_our_variables(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("HEXPASS") {
            command.env_remove(name);
        }
    }
}
