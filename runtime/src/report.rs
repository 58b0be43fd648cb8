//! What the runtime says: `HEXPASS_INFO` lines, `HEXPASS_STATS` objects, and the few lines nobody asked for.

use crate::choice::{self, Launches};
use crate::error::{Reason, Refusal};
use crate::guard::Extent;
use crate::options::Options;
use crate::plan::Counts;
use crate::record::Nest;
use crate::resident::Name;
use hexpass_abi::Variant;
use serde_json::{Value, json};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, OnceLock};

/// How one execution of a nest ended.
#[derive(Debug)]
pub enum Outcome<'a> {
    /// The variant ran.
    Ran(Box<Ran<'a>>),
    /// The original loop runs.
    Original(Refusal),
    /// There was nothing to do.
    Empty,
}

/// An execution that ran.
#[derive(Debug)]
pub struct Ran<'a> {
    /// Which variant, in the end.
    pub variant: &'a Variant,
    /// Values of its tunables.
    pub tunables: Vec<i64>,
    /// `cpu`, `emulated` or `cuda`.
    pub device: &'static str,
    /// Such as `NVIDIA H200` or `2 threads`.
    pub device_name: String,
    /// How large it was.
    pub extent: Extent,
    /// Seconds in all.
    pub seconds: f64,
    /// Of these, seconds in which the device was opened and kernels were loaded.
    pub setup_seconds: f64,
    /// Seconds of the launches as the time model has predicted them.
    pub predicted: Option<f64>,
    /// What was tried on the way.
    pub trials: Vec<Trial<'a>>,
    /// What was copied and launched.
    pub counts: Counts,
}

/// A pick that was tried on some of the steps.
#[derive(Debug)]
pub struct Trial<'a> {
    /// Which variant.
    pub variant: &'a Variant,
    /// Values of its tunables.
    pub tunables: Vec<i64>,
    /// Number of steps.
    pub steps: i64,
    /// Seconds of the launches.
    pub seconds: f64,
    /// The same as predicted.
    pub predicted: Option<f64>,
    /// What was predicted from; only where everything was tried.
    pub launches: Vec<Launches>,
}

/// One line on stderr in a single write.
fn line(text: &str) {
    let _ = std::io::stderr().write_all(format!("hexpass: {text}\n").as_bytes());
}

/// An error of the user's or the system's making.
pub fn error_line(text: &str) {
    line(&format!("error: {text}"));
}

/// Something that may be of interest and asks for nothing.
pub fn note(text: &str) {
    line(&format!("note: {text}"));
}

/// True if anyone wants to hear of each execution.
pub fn is_wanted(options: &Options) -> bool {
    options.info || options.stats.is_some()
}

/// What messages call a nest.
pub fn place(nest: Option<&Nest>) -> String {
    nest.map_or_else(|| "a nest".to_string(), Nest::place)
}

/// Says, even when nobody asked, what should work and does not, once in a process for each reason; and what the user
/// asked for and can't have, once for each nest.
pub fn complain(nest: Option<&Nest>, refusal: &Refusal) {
    if refusal.reason.is_device_failure() {
        warn_once(&place(nest), refusal);
    }
    if refusal.reason == Reason::AbsentVariant
        && let Some(nest) = nest
        && !nest.told_absent.swap(true, Ordering::Relaxed)
    {
        error_line(&format!("{}: {refusal}; the original loop runs", nest.place()));
    }
}

fn warn_once(place: &str, refusal: &Refusal) {
    static SAID: Mutex<Vec<Reason>> = Mutex::new(Vec::new());
    let mut said = SAID.lock().unwrap_or_else(|e| e.into_inner());
    if !said.contains(&refusal.reason) {
        said.push(refusal.reason);
        line(&format!("warning: {place}: {refusal}; falling back (said once)"));
    }
}

/// Tells of one execution as the options ask for; the nest is unknown where its object can't be read.
pub fn execution(nest: Option<&Nest>, outcome: &Outcome, options: &Options) {
    if options.info {
        line(&info(nest, outcome));
    }
    if let Some(file) = stats_file(options) {
        let text = format!("{}\n", stats(nest, outcome));
        if let Err(e) = (&mut &*file).write_all(text.as_bytes()) {
            stats_failed(&e);
        }
    }
}

/// Tells that arrays which had stayed on a device have come home, as far as the program's were not up to date.
pub fn home(name: &Name, device: &str, copied: u64, seconds: f64, options: &Options) {
    if !is_wanted(options) {
        return;
    }
    let Name(function, file, at) = name;
    if options.info {
        let file = file.as_ref().map_or(String::new(), |f| format!("@{f}"));
        let at = at.map_or(String::new(), |l| format!(":{l}"));
        let copied = bytes(copied);
        line(&format!(
            "{function}{file}{at}: arrays come home from {device}, {seconds:.3} s, {copied} out"
        ));
    }
    if let Some(out) = stats_file(options) {
        let object = json!({
            "function": function, "file": file, "line": at, "status": "home", "device": device,
            "seconds": seconds, "bytes_in": 0, "bytes_out": copied,
        });
        if let Err(e) = (&mut &*out).write_all(format!("{object}\n").as_bytes()) {
            stats_failed(&e);
        }
    }
}

fn stats_file(options: &Options) -> Option<&'static File> {
    static FILE: OnceLock<Option<File>> = OnceLock::new();
    let path = options.stats.as_ref()?;
    let open = || OpenOptions::new().append(true).create(true).open(path);
    FILE.get_or_init(|| open().inspect_err(stats_failed).ok()).as_ref()
}

fn stats_failed(e: &std::io::Error) {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| line(&format!("warning: HEXPASS_STATS can't be written: {e}")));
}

/// Billions of grid points updated in a second.
fn gstencils(ran: &Ran) -> f64 {
    ran.extent.points() / ran.seconds.max(1e-9) / 1e9
}

fn bytes(n: u64) -> String {
    match n {
        0..10_000 => format!("{n} B"),
        10_000..10_000_000 => format!("{:.1} kB", n as f64 / 1e3),
        10_000_000..10_000_000_000 => format!("{:.1} MB", n as f64 / 1e6),
        _ => format!("{:.1} GB", n as f64 / 1e9),
    }
}

/// The `HEXPASS_INFO` line.
fn info(nest: Option<&Nest>, outcome: &Outcome) -> String {
    let place = place(nest);
    match outcome {
        Outcome::Empty => format!("{place}: nothing to do"),
        Outcome::Original(refusal) => format!("{place}: original loop: {refusal}"),
        Outcome::Ran(ran) => {
            let sizes = choice::sizes_text(choice::sizes(ran.variant, &ran.tunables));
            let sizes = Some(sizes).filter(|s| !s.is_empty());
            let sizes = sizes.map_or(String::new(), |s| format!(" {s}"));
            let storage = match ran.variant.storage.as_str() {
                "" => String::new(),
                storage => format!(" ({storage})"),
            };
            let copied = match ran.counts {
                Counts { bytes_in: 0, bytes_out: 0, .. } => "nothing copied".to_string(),
                c => format!("{} in, {} out", bytes(c.bytes_in), bytes(c.bytes_out)),
            };
            let predicted = ran.predicted.map_or(String::new(), |predicted| {
                let measured = ran.counts.kernel_seconds;
                format!(" in {measured:.6} s, {predicted:.6} s predicted")
            });
            format!(
                "{place}: {} ({}), {}{sizes}{storage}, {} steps, {:.3} s, {:.3} GStencil/s, {copied}, {} launches{predicted}",
                ran.device,
                ran.device_name,
                ran.variant.strategy,
                ran.extent.steps,
                ran.seconds,
                gstencils(ran),
                ran.counts.launches,
            )
        }
    }
}

fn sizes_object(variant: &Variant, tunables: &[i64]) -> Value {
    choice::sizes(variant, tunables).map(|(name, n)| (name.to_string(), json!(n))).collect()
}

/// What the time model sees of a trial.
fn launches_of(trial: &Trial) -> Vec<Value> {
    let of = |l: &Launches| {
        let cost = &trial.variant.kernels[l.kernel].cost;
        json!({ "count": l.count, "registers": l.registers, "shape": l.shape, "cost": cost })
    };
    trial.launches.iter().map(of).collect()
}

/// The `HEXPASS_STATS` object.
fn stats(nest: Option<&Nest>, outcome: &Outcome) -> Value {
    let mut object = json!({
        "function": null, "file": null, "line": null, "fp": null,
        "status": "", "device": null, "device_name": null, "strategy": null, "sizes": {},
        "steps": null, "instances": null, "points": null, "seconds": null, "kernel_seconds": null,
        "storage": null, "predicted_seconds": null, "setup_seconds": null, "alloc_seconds": null, "in_seconds": null,
        "out_seconds": null, "trials": [],
        "gstencils": null,
        "bytes_in": 0, "bytes_out": 0, "launches": 0, "reason": null, "message": null,
    });
    let mut set = |key: &str, value: Value| object[key] = value;
    if let Some(Nest { record: r, .. }) = nest {
        set("function", json!(r.function));
        set("file", json!(r.file));
        set("line", json!(r.line));
        set("fp", json!(r.fp.name()));
    }
    match outcome {
        Outcome::Empty => set("status", json!("empty")),
        Outcome::Original(refusal) => {
            set("status", json!("original"));
            set("reason", json!(refusal.reason.word()));
            set("message", json!(refusal.message));
        }
        Outcome::Ran(ran) => {
            let trials = ran.trials.iter().map(|t| {
                json!({
                    "strategy": t.variant.strategy, "sizes": sizes_object(t.variant, &t.tunables),
                    "storage": t.variant.storage,
                    "steps": t.steps, "seconds": t.seconds, "predicted_seconds": t.predicted,
                    "launches": launches_of(t),
                })
            });
            set("trials", trials.collect());
            set("setup_seconds", json!(ran.setup_seconds));
            set("alloc_seconds", json!(ran.counts.alloc_seconds));
            set("in_seconds", json!(ran.counts.in_seconds));
            set("out_seconds", json!(ran.counts.out_seconds));
            set("status", json!("ran"));
            set("device", json!(ran.device));
            set("device_name", json!(ran.device_name));
            set("strategy", json!(ran.variant.strategy));
            set("sizes", sizes_object(ran.variant, &ran.tunables));
            set("storage", json!(ran.variant.storage));
            set("steps", json!(ran.extent.steps));
            set("instances", json!(ran.extent.instances()));
            set("points", json!(ran.extent.points()));
            set("seconds", json!(ran.seconds));
            set("kernel_seconds", json!(ran.counts.kernel_seconds));
            set("predicted_seconds", json!(ran.predicted));
            set("gstencils", json!(gstencils(ran)));
            set("bytes_in", json!(ran.counts.bytes_in));
            set("bytes_out", json!(ran.counts.bytes_out));
            set("launches", json!(ran.counts.launches));
        }
    }
    object
}
