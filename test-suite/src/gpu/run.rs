//! Runs the pack on a GPU machine: checks every program, times the benchmark programs, writes JSON lines.
//!
//! Checks run several at once, timings alone. With a budget, nothing is started once it is used up; what was left out is
//! neither passed nor failed.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::NamedTempFile;

use super::model;
use super::peers::{self, Peer};
use super::profile;
use super::rows::{self, Row};
use crate::bench::{self, Extent};
use crate::cases;
use crate::check::Pair;
use crate::dump::Equality;
use crate::report;
use crate::table::{GUARDED, PROGRAMS, Program};
use crate::workers;

/// What the user asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Parts of names, any of which a name must hold.
    pub only: Vec<String>,
    pub budget: Option<Duration>,
    pub check: bool,
    pub time: bool,
    pub profile: bool,
    pub model: bool,
    /// Rows are timed with what `HEXPASS_TUNE=full` found before.
    pub tuned: bool,
    /// `cuda`, `cuda:N`, `cpu` or `emulated`.
    pub device: String,
    /// The pack.
    pub folder: PathBuf,
    /// Where results go.
    pub out: PathBuf,
}

/// One thing to do.
#[derive(Clone, Debug)]
enum Task {
    /// Many small cases for all their steps, a few of many tiles.
    Corpus(&'static Program),
    /// A guard that fails.
    Guarded(&'static Program, &'static str),
    /// Every GPU variant that a benchmark program holds, on a small grid.
    Variants(Row),
    /// Two tiles of steps at full size.
    Check(Row),
    Time(Row),
    /// Hardware counters.
    Profile(Row),
    /// Predicted against measured, everything that the program holds.
    Model(Row),
}

impl Task {
    fn name(&self) -> String {
        match self {
            Task::Corpus(program) | Task::Guarded(program, _) => format!("corpus {}", program.name),
            Task::Variants(row) => format!("check variants of {}", row.kernel),
            Task::Check(row) => format!("check {row}"),
            Task::Time(row) => format!("time {row}"),
            Task::Profile(row) => format!("profile {row}"),
            Task::Model(row) => format!("model {row}"),
        }
    }

    /// As the manifest calls the program.
    fn program(&self) -> String {
        match self {
            Task::Corpus(program) | Task::Guarded(program, _) => format!("corpus/{}", program.name),
            Task::Variants(row)
            | Task::Check(row)
            | Task::Time(row)
            | Task::Profile(row)
            | Task::Model(row) => format!("bench/{}", row.kernel),
        }
    }
}

/// How a task ended.
#[derive(Clone, Debug)]
enum End {
    /// With what was found.
    Passed(Value),
    Failed,
    LeftOut,
}

/// How all ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub passed: usize,
    pub failed: usize,
}

/// Runs what the options ask for; the last line printed is `N passed, N failed`.
pub fn run(options: &Options) -> Result<Totals, String> {
    let session = Session::open(options)?;
    let totals = match session.probe() {
        Ok(device) => {
            println!("device: {device}");
            if let Some(only) = session.manifest["only"].as_str() {
                println!("the pack was made of `{only}` only");
            }
            session.all()?
        }
        Err(message) => {
            println!("this machine can't run the pack on {}: {message}", options.device);
            session.line(&json!({ "kind": "probe", "status": "failed", "message": message }));
            Totals { passed: 0, failed: 1 }
        }
    };
    println!("{} passed, {} failed", totals.passed, totals.failed);
    Ok(totals)
}

struct Session<'a> {
    options: &'a Options,
    manifest: Value,
    start: Instant,
    results: Mutex<File>,
}

impl Session<'_> {
    fn open(options: &Options) -> Result<Session<'_>, String> {
        let path = options.folder.join("manifest.json");
        let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let manifest =
            serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
        let results = options.out.join("gpu-pack.jsonl");
        let file = fs::create_dir_all(&options.out).and_then(|()| File::create(&results));
        let results = Mutex::new(file.map_err(|e| format!("{}: {e}", results.display()))?);
        Ok(Session { options, manifest, start: Instant::now(), results })
    }

    /// Appends a result, at once.
    fn line(&self, object: &Value) {
        let mut file = self.results.lock().unwrap_or_else(|e| e.into_inner());
        if let Err(e) = file.write_all(format!("{object}\n").as_bytes()) {
            eprintln!("gpu-driver: results can't be written: {e}");
        }
    }

    /// The device's name, as a benchmark program finds it; no more is asked of it than to run.
    fn probe(&self) -> Result<String, String> {
        let built = |row: &Row| self.problem(&format!("bench/{}", row.kernel)).is_none();
        let Some(row) = rows::tiny().into_iter().find(built) else {
            return Ok(format!(
                "{}, not tried: the pack has no benchmark program",
                self.options.device
            ));
        };
        let stats = self.stats_of(&row.kernel, "dump", &row.extent, &[])?.1;
        Ok(stats.first().map_or(String::new(), |s| word(s, "device_name").to_owned()))
    }

    fn entry(&self, program: &str) -> Option<&Value> {
        let entries = self.manifest["programs"].as_array()?;
        entries.iter().find(|entry| entry["name"] == program)
    }

    /// Why a program of the pack can't be used; `None` if it can.
    fn problem(&self, program: &str) -> Option<String> {
        match self.entry(program) {
            Some(entry) => {
                entry["problem"].as_str().map(|p| format!("when the pack was made: {p}"))
            }
            None => Some("the pack doesn't hold it".to_owned()),
        }
    }

    fn all(&self) -> Result<Totals, String> {
        self.line(&json!({
            "kind": "pack", "source": self.manifest["source"], "flags": self.manifest["flags"],
            "device": self.options.device,
        }));
        let tasks = self.tasks();
        if tasks.is_empty() {
            return Err(format!("nothing has {} in its name", self.options.only.join(" or ")));
        }
        let is_row = |task: &Task| matches!(task, Task::Check(_));
        let is_timing =
            |task: &Task| matches!(task, Task::Time(_) | Task::Profile(_) | Task::Model(_));
        let (timings, checks): (Vec<Task>, Vec<Task>) = tasks.into_iter().partition(is_timing);
        let (rows, corpus): (Vec<Task>, Vec<Task>) = checks.into_iter().partition(is_row);
        // An interpreter takes all cores by itself; a full-size row takes memory.
        let (corpus_jobs, row_jobs) = match self.options.device.starts_with("cuda") {
            true => (workers::cores().div_ceil(2).min(8), (memory_gib() / 14).clamp(1, 4)),
            false => (1, 1),
        };
        let mut done = workers::map(&corpus, corpus_jobs, |task| self.one(task));
        done.extend(workers::map(&rows, row_jobs, |task| self.one(task)));
        let timed: Vec<End> = timings.iter().map(|task| self.one(task)).collect();
        print_table(&timings, &timed, &rows, &done[corpus.len()..]);
        print_models(&timings, &timed);
        done.extend(timed);
        let names = corpus.iter().chain(&rows).chain(&timings).map(Task::name);
        Ok(summary(&names.collect::<Vec<_>>(), &done))
    }

    /// What the options leave of what the pack is for; of a pack made in part, what it holds.
    fn tasks(&self) -> Vec<Task> {
        let rows = match self.options.device.as_str() {
            "emulated" => rows::tiny(),
            _ => rows::full(),
        };
        let mut tasks = Vec::new();
        if self.options.check {
            tasks.extend(PROGRAMS.iter().map(Task::Corpus));
            tasks.extend(GUARDED.iter().map(|(program, reason)| Task::Guarded(program, reason)));
            tasks.extend(rows::tiny().into_iter().map(Task::Variants));
            tasks.extend(rows.iter().cloned().map(Task::Check));
        }
        if self.options.time {
            tasks.extend(rows.iter().cloned().map(Task::Time));
        }
        if self.options.profile {
            tasks.extend(rows.iter().cloned().map(Task::Profile));
        }
        if self.options.model {
            tasks.extend(rows.into_iter().map(Task::Model));
        }
        let only = &self.options.only;
        tasks.retain(|t| only.is_empty() || only.iter().any(|part| t.name().contains(part)));
        if self.manifest["only"].is_string() {
            tasks.retain(|task| self.entry(&task.program()).is_some());
        }
        tasks
    }

    fn one(&self, task: &Task) -> End {
        if self.options.budget.is_some_and(|budget| self.start.elapsed() > budget) {
            return End::LeftOut;
        }
        let start = Instant::now();
        let result = match self.problem(&task.program()) {
            Some(problem) => Err(problem),
            None => self.perform(task),
        };
        let seconds = start.elapsed().as_secs_f64();
        let name = task.name();
        let mut object = match &result {
            Ok(found) => json!({ "status": "passed", "found": found }),
            Err(message) => json!({ "status": "failed", "message": message }),
        };
        object["kind"] = json!(name.split(' ').next());
        object["name"] = json!(name);
        object["took"] = json!(seconds);
        self.line(&object);
        match result {
            Ok(found) => {
                println!("ok     {name} ({seconds:.1} s)");
                End::Passed(found)
            }
            Err(message) => {
                println!("FAILED {name} ({seconds:.1} s): {}", shorten(&message));
                End::Failed
            }
        }
    }

    fn perform(&self, task: &Task) -> Result<Value, String> {
        match task {
            Task::Corpus(program) => {
                let pair = Pair::built(program, &self.corpus_folder(program))?;
                let device = &self.options.device;
                let mut cases = cases::small(program);
                if device != "emulated" {
                    cases.extend(cases::large(program));
                }
                pair.compare(device, &cases, Equality::Bits)?;
                Ok(json!({ "cases": cases.len() }))
            }
            Task::Guarded(program, reason) => {
                let pair = Pair::built(program, &self.corpus_folder(program))?;
                pair.fall_back(&self.options.device, reason)?;
                Ok(json!({ "reason": reason }))
            }
            Task::Variants(row) => self.variants(row),
            Task::Check(row) => self.check(row),
            Task::Time(row) => self.time(row),
            Task::Model(row) => self.model(row),
            Task::Profile(row) => {
                profile::profile(&self.program(&row.kernel), row, &self.options.device)
            }
        }
    }

    fn program(&self, kernel: &bench::Kernel) -> PathBuf {
        self.options.folder.join("bench").join(kernel.to_string())
    }

    fn corpus_folder(&self, program: &Program) -> PathBuf {
        self.options.folder.join("corpus").join(program.name)
    }

    /// Each variant by itself, for steps that take its longest time tile twice and the one that is a step shorter.
    fn variants(&self, row: &Row) -> Result<Value, String> {
        let report = report::read(&bench::report_of(&self.program(&row.kernel)))?;
        let variants = report.iter().flat_map(|nest| nest["variants"].as_array()).flatten();
        let mut tried = 0;
        for variant in variants.filter(|v| word(v, "target") == "gpu") {
            let (strategy, tile) = (word(variant, "strategy"), tile_word(&variant["sizes"]));
            let extent = Extent { steps: all_tiles(variant), ..row.extent.clone() };
            let chosen = [
                ("HEXPASS_STRATEGY", OsStr::new(strategy)),
                ("HEXPASS_TILE", OsStr::new(&tile)),
                ("HEXPASS_TUNE", OsStr::new("off")),
            ];
            self.stats_with(&row.kernel, "check", &extent, &[], &chosen)
                .map_err(|why| format!("{strategy} {tile}, {} steps: {why}", extent.steps))?;
            tried += 1;
        }
        match tried {
            0 => Err("the report names no variant for a GPU".to_owned()),
            tried => Ok(json!({ "variants": tried })),
        }
    }

    /// Two tiles of steps; how many that is, a first run tells.
    fn check(&self, row: &Row) -> Result<Value, String> {
        let mut extent = Extent { steps: FIRST_STEPS, ..row.extent.clone() };
        loop {
            let (_, stats) = self.stats_of(&row.kernel, "check", &extent, &[])?;
            let ran = &stats[0];
            let wanted = two_tiles(ran);
            if wanted <= extent.steps {
                return Ok(json!({ "steps": extent.steps, "sizes": row.extent.sizes,
                    "strategy": ran["strategy"], "tile": ran["sizes"] }));
            }
            extent.steps = wanted;
        }
    }

    /// The best of several runs after a warm-up: kernels alone, and with the copies.
    fn time(&self, row: &Row) -> Result<Value, String> {
        let Row { kernel, extent } = row;
        let cache = NamedTempFile::new().map_err(|e| e.to_string())?;
        let remembered = ("HEXPASS_CACHE", cache.path().as_os_str());
        let mut variables = Vec::new();
        if self.options.tuned {
            self.stats_with(kernel, "tiled", extent, &TRIALS, &[full(), remembered])?;
            variables.push(remembered);
        }
        let (answer, stats) = self.stats_with(kernel, "tiled", extent, &RUNS, &variables)?;
        let timed = stats.get(1..).unwrap_or_default();
        let kernels: Vec<f64> = timed.iter().filter_map(|s| s["kernel_seconds"].as_f64()).collect();
        let whole = bench::numbers(&answer, "tiled");
        let rate = |seconds: Option<f64>| seconds.map(|s| extent.rate(s));
        let (best, best_whole) = (bench::least(&kernels), bench::least(&whole));
        let ran = timed.last().ok_or("no run was timed")?;
        Ok(json!({
            "stencil": kernel.stencil.name, "type": kernel.real.name(), "fast": kernel.fast,
            "peer": peers::of(row).and_then(|peer| peer.best), "goal": peers::of(row).map(Peer::wanted),
            "sizes": extent.sizes, "steps": extent.steps,
            "device": ran["device"], "device_name": ran["device_name"],
            "strategy": ran["strategy"], "tile": ran["sizes"], "launches": ran["launches"],
            "kernel_seconds": best, "kernel_gstencils": rate(best),
            "whole_seconds": best_whole, "whole_gstencils": rate(best_whole),
            "kernel_runs": kernels, "whole_runs": whole, "warm_up": answer["warm_up"],
            "bytes_in": ran["bytes_in"], "bytes_out": ran["bytes_out"],
        }))
    }

    /// Many runs, in which everything that the program holds is tried on some of the steps: of a row that is over before one
    /// trial is, of more steps.
    fn model(&self, row: &Row) -> Result<Value, String> {
        let tried = |times: u32| {
            let extent = Extent { steps: row.extent.steps * times, ..row.extent.clone() };
            let (_, stats) = self.stats_with(&row.kernel, "tiled", &extent, &TRIALS, &[full()])?;
            model::found(&stats)
        };
        tried(1).or_else(|_| tried(LONGER))
    }

    /// Runs a benchmark program; what it printed, and what the runtime said of each run. All have run tiled.
    fn stats_of(
        &self,
        kernel: &bench::Kernel,
        verb: &str,
        extent: &Extent,
        more: &[&str],
    ) -> Result<(Value, Vec<Value>), String> {
        self.stats_with(kernel, verb, extent, more, &[])
    }

    /// The same with more variables in the environment.
    fn stats_with(
        &self,
        kernel: &bench::Kernel,
        verb: &str,
        extent: &Extent,
        more: &[&str],
        variables: &[(&str, &OsStr)],
    ) -> Result<(Value, Vec<Value>), String> {
        let file = NamedTempFile::new().map_err(|e| e.to_string())?;
        let program = self.program(kernel);
        let mut env = vec![
            ("HEXPASS_MODE", OsStr::new("mandatory")),
            ("HEXPASS_DEVICE", OsStr::new(&self.options.device)),
            ("HEXPASS_STATS", file.path().as_os_str()),
        ];
        env.extend(variables);
        let answer =
            bench::measure(&program, verb, extent, more, &env).map_err(|why| why.to_string())?;
        let stats = report::read(file.path())?;
        match stats.iter().find(|object| word(object, "status") != "ran") {
            Some(other) => Err(format!("did not run tiled: {other}")),
            None if stats.is_empty() => Err("the runtime wrote no statistics".to_owned()),
            None => Ok((answer, stats)),
        }
    }
}

/// How many times longer a row runs of which too few steps were left to try anything.
const LONGER: u32 = 4;

/// Runs, and seconds, at most of which the best is a row's figure: six may hold trials of other variants and sizes.
const RUNS: [&str; 2] = ["9", "5"];
/// Runs, and seconds, at most in which everything that a program holds is tried.
const TRIALS: [&str; 2] = ["16", "20"];

fn full() -> (&'static str, &'static OsStr) {
    ("HEXPASS_TUNE", OsStr::new("full"))
}

/// Steps of a first check: more than two tiles of the smaller heights.
const FIRST_STEPS: u32 = 17;

/// Steps that take all kernels of a variant.
fn all_tiles(variant: &Value) -> u32 {
    match variant["sizes"]["b"].as_u64().and_then(|b| u32::try_from(b).ok()) {
        Some(b) => 3 * b - 1,
        None => two_tiles(variant) + 3,
    }
}

/// Sizes as `HEXPASS_TILE` takes them.
fn tile_word(sizes: &Value) -> String {
    let one = |(name, value): (&String, &Value)| format!("{name}={value}");
    sizes.as_object().into_iter().flatten().map(one).collect::<Vec<_>>().join(",")
}

/// A tile of height h spans 2h + 2 steps.
fn two_tiles(ran: &Value) -> u32 {
    let height = ran["sizes"]["h"].as_u64().unwrap_or(0);
    u32::try_from(2 * (2 * height + 2)).unwrap_or(u32::MAX)
}

fn word<'a>(object: &'a Value, key: &str) -> &'a str {
    object[key].as_str().unwrap_or("")
}

/// Memory that programs may still use.
fn memory_gib() -> usize {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|l| l.split_whitespace().next()?.parse::<usize>().ok());
    kib.unwrap_or(0) >> 20
}

/// Three digits or more.
fn rate_word(rate: f64) -> String {
    match rate {
        100.0.. => format!("{rate:.0}"),
        1.0..100.0 => format!("{rate:.2}"),
        _ => format!("{rate:.4}"),
    }
}

/// Enough to see what it is about; the whole message is in the results' file.
fn shorten(message: &str) -> String {
    let short: String = message.chars().take(600).collect();
    if short.len() < message.len() { format!("{short} …") } else { short }
}

/// Counts, and names what did not pass.
fn summary(names: &[String], ends: &[End]) -> Totals {
    let of = |wanted: fn(&End) -> bool| -> Vec<&str> {
        let pairs = names.iter().zip(ends);
        pairs.filter(|(_, end)| wanted(end)).map(|(name, _)| name.as_str()).collect()
    };
    let failed = of(|end| matches!(end, End::Failed));
    let left_out = of(|end| matches!(end, End::LeftOut));
    if !failed.is_empty() {
        println!("\nfailed:\n  {}", failed.join("\n  "));
    }
    if !left_out.is_empty() {
        println!("\nleft out, the budget being used up:\n  {}", left_out.join("\n  "));
    }
    println!();
    Totals { passed: ends.len() - failed.len() - left_out.len(), failed: failed.len() }
}

/// What [`Task::Model`] found, if that was asked for.
fn print_models(tasks: &[Task], ends: &[End]) {
    let pairs = tasks.iter().zip(ends).filter_map(|(task, end)| match (task, end) {
        (Task::Model(row), End::Passed(found)) => Some((row.to_string(), found.clone())),
        _ => None,
    });
    let rows: Vec<(String, Value)> = pairs.collect();
    if !rows.is_empty() {
        model::print(&rows);
    }
}

/// The columns of the table of timings: their heads, and their widths, below 0 where they are flush left.
const COLUMNS: [(&str, i8); 12] = [
    ("program", -20),
    ("size", -12),
    ("steps", 5),
    ("kernels", 9),
    ("whole", 9),
    ("xnaive", 6),
    ("xpeer", 6),
    ("xgoal", 6),
    ("xbound", 6),
    ("equal", -5),
    ("strategy", -10),
    ("tile", -1),
];

/// Prints a line of the table of timings.
fn line(cells: [&str; COLUMNS.len()]) {
    let cells = cells.iter().zip(COLUMNS).map(|(cell, (_, width))| {
        let places = usize::from(width.unsigned_abs());
        if width < 0 { format!("{cell:<places$}") } else { format!("{cell:>places$}") }
    });
    println!("{}", cells.collect::<Vec<_>>().join(" "));
}

/// The timings as a table; `checked` says whether the row's result was compared in this run.
fn print_table(timings: &[Task], ends: &[End], rows: &[Task], checks: &[End]) {
    if !timings.iter().any(|task| matches!(task, Task::Time(_))) {
        return;
    }
    println!("\nGStencil/s, best of several runs: kernels alone, and with all copies; kernels");
    println!(
        "as multiples of naive, of the best peer, of the goal, and of the smaller of the bounds"
    );
    println!("by arithmetic and by memory at so many steps a pass, on an H200\n");
    line(COLUMNS.map(|(name, _)| name));
    let mut ratios = Vec::new();
    for (task, end) in timings.iter().zip(ends) {
        let Task::Time(row) = task else { continue };
        let checked = rows
            .iter()
            .zip(checks)
            .find(|(task, _)| matches!(task, Task::Check(checked) if checked == row))
            .map_or("-", |(_, end)| match end {
                End::Passed(_) => "yes",
                End::Failed => "NO",
                End::LeftOut => "-",
            });
        let found = match end {
            End::Passed(found) => found.clone(),
            End::Failed => json!({ "strategy": "failed" }),
            End::LeftOut => json!({ "strategy": "left out" }),
        };
        let rate = |key: &str| found[key].as_f64().map_or("-".to_owned(), rate_word);
        let peer = peers::of(row).zip(found["kernel_gstencils"].as_f64());
        ratios.extend(peer.and_then(|(peer, rate)| Some(rate / peer.best?)));
        let times = |figure: &dyn Fn(&Peer) -> Option<f64>| {
            let ratio = peer.and_then(|(peer, rate)| Some(rate / figure(peer)?));
            ratio.map_or("-".to_owned(), |x| format!("{x:.2}"))
        };
        line([
            &row.kernel.to_string(),
            &row.extent.sizes_word(),
            &row.extent.steps.to_string(),
            &rate("kernel_gstencils"),
            &rate("whole_gstencils"),
            &times(&|peer| Some(peer.naive)),
            &times(&|peer| peer.best),
            &times(&|peer| Some(peer.wanted())),
            &times(&|peer| Some(peer.bound(steps_a_pass(&found["tile"])))),
            checked,
            word(&found, "strategy"),
            &report::tile_word(&found["tile"]),
        ]);
    }
    if let Some(mean) = peers::geometric_mean(&ratios) {
        println!("\ngeometric mean of xpeer over {} rows: {mean:.2}", ratios.len());
    }
}

/// Steps between two passes through memory: all of a launch that streams or overlaps, half of a hexagon's.
fn steps_a_pass(tile: &Value) -> f64 {
    let hexagon = || Some(tile["h"].as_f64()? + 1.0);
    tile["b"].as_f64().or_else(hexagon).unwrap_or(1.0)
}

/// The command line, `--only PATTERN`, `--budget SECONDS`, `--check-only`, `--time-only`, `--tuned`, `--profile`, `--model`, and the
/// environment.
pub fn options(
    args: impl Iterator<Item = String>,
    var: impl Fn(&str) -> Option<String>,
    folder: &Path,
) -> Result<Options, String> {
    let device = [var("GPU_PACK_DEVICE"), var("HEXPASS_DEVICE")];
    let device = device.into_iter().flatten().find(|d| !d.is_empty() && d != "auto");
    let out = var("OUT").filter(|out| !out.is_empty()).unwrap_or_else(|| "results".to_owned());
    let mut options = Options {
        only: Vec::new(),
        budget: None,
        check: true,
        time: true,
        profile: false,
        model: false,
        tuned: false,
        device: device.unwrap_or_else(|| "cuda".to_owned()),
        folder: folder.to_owned(),
        out: PathBuf::from(out),
    };
    let mut args = args;
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} takes a value"));
        match arg.as_str() {
            "--only" => options.only.extend(value()?.split('|').map(str::to_owned)),
            "--budget" => {
                let seconds = value()?.parse::<u32>().map_err(|e| format!("--budget: {e}"))?;
                options.budget = Some(Duration::from_secs(seconds.into()));
            }
            "--check-only" => options.time = false,
            "--time-only" => options.check = false,
            "--tuned" => options.tuned = true,
            "--profile" => {
                (options.check, options.time, options.profile) = (false, false, true);
            }
            "--model" => (options.check, options.time, options.model) = (false, false, true),
            _ => return Err(format!("{arg}: not an option; {USAGE}")),
        }
    }
    match options.check || options.time || options.profile || options.model {
        true => Ok(options),
        false => Err(format!("neither checks nor timings are left; {USAGE}")),
    }
}

const USAGE: &str = "usage: run.sh [--only PATTERN[|PATTERN]] [--budget SECONDS] [--tuned] [--check-only | --time-only | --profile | --model]";

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn parse(words: &str, env: &[(&str, &str)]) -> Result<Options, String> {
        let var =
            |name: &str| env.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned());
        options(words.split_whitespace().map(str::to_owned), var, Path::new("/pack"))
    }

    #[test]
    fn the_command_line() {
        let o = parse("--only jacobi|heat --budget 60 --time-only --tuned", &[]).unwrap();
        assert_eq!(o.only, ["jacobi", "heat"]);
        assert_eq!(o.budget, Some(Duration::from_secs(60)));
        assert_eq!((o.check, o.time, o.tuned, o.device.as_str()), (false, true, true, "cuda"));
        for wrong in ["--only", "--budget", "--budget soon", "--fast", "--check-only --time-only"] {
            assert!(parse(wrong, &[]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_device_is_cuda_unless_the_environment_names_another() {
        let device = |env: &[(&str, &str)]| parse("", env).unwrap().device;
        assert_eq!(device(&[("HEXPASS_DEVICE", "auto")]), "cuda");
        assert_eq!(device(&[("HEXPASS_DEVICE", "emulated")]), "emulated");
        assert_eq!(device(&[("GPU_PACK_DEVICE", "cuda:1"), ("HEXPASS_DEVICE", "cpu")]), "cuda:1");
    }

    #[test]
    fn two_tiles_of_steps() {
        assert_eq!(two_tiles(&json!({ "sizes": { "h": 3, "w0": 7 } })), 16);
        assert_eq!(two_tiles(&json!({ "sizes": {} })), 4);
        assert_eq!(all_tiles(&json!({ "sizes": { "b": 6, "v": 4 } })), 17);
        assert_eq!(all_tiles(&json!({ "sizes": { "h": 3 } })), 19);
        assert_eq!(tile_word(&json!({ "b": 6, "v": 4 })), "b=6,v=4");
    }

    #[test]
    fn every_row_is_there_and_named_once() {
        let names: Vec<String> = rows::full().iter().map(Row::to_string).collect();
        let mut unique = names.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), names.len());
        assert!(names.contains(&"heat2d5-f32 16384x16384".to_owned()));
        assert_eq!(rows::tiny().len(), bench::kernels().len());
    }
}
