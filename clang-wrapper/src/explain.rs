//! `hexcc --explain a.c`: the source, with what became of each time loop written under its line.
//!
//! Consumes the compiler's arguments, compiles each source on its own to nowhere, and reads what the plugin reports;
//! produces the listing on standard output. Colours only on a terminal. The status is 0 if every source compiled,
//! 1 if one didn't (the compiler says why), 2 if there was none.

use crate::argv::plugin_flag;
use crate::options::following_values;
use crate::pieces;
use crate::request::Mode;
use serde_json::Value;
use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Where the plugin writes its report.
const REPORT: &str = "HEXPASS_REPORT";

/// The sources among a compiler's arguments, and the options that say how to compile one of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    pub sources: Vec<OsString>,
    pub options: Vec<OsString>,
}

impl Request {
    /// Splits a command line; what only matters to a link or names an output is dropped.
    pub fn new(args: &[OsString]) -> Request {
        let mut request = Request::default();
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            let text = arg.to_string_lossy();
            let values: Vec<OsString> =
                rest.by_ref().take(following_values(&text)).cloned().collect();
            match &*text {
                "-o" | "-c" | "-S" | "-E" | "-l" | "-Xlinker" | "-MF" | "-MT" | "-MQ" => {}
                "-M" | "-MM" | "-MD" | "-MMD" | "-MP" | "-shared" | "-flto" | "--" => {}
                _ if text.starts_with("-Wl,") || text.starts_with("-flto=") => {}
                _ if text.starts_with("-l") || text.starts_with("-fuse-ld=") => {}
                _ if text.starts_with('-') && text.len() > 1 => {
                    request.options.push(arg.clone());
                    request.options.extend(values);
                }
                _ if is_source(arg) => request.sources.push(arg.clone()),
                _ => {}
            }
        }
        request
    }
}

fn is_source(arg: &OsStr) -> bool {
    let extension = Path::new(arg).extension().and_then(OsStr::to_str).unwrap_or_default();
    !matches!(extension, "" | "o" | "a" | "so" | "s" | "S" | "h" | "hpp" | "ld")
}

/// `hexcc --explain`, with the arguments behind it.
pub fn run(mode: Mode, args: &[OsString], program: &Path) -> ExitCode {
    let request = Request::new(args);
    if request.sources.is_empty() {
        eprintln!("hexcc: error: --explain needs a source: hexcc --explain -O3 a.c");
        return ExitCode::from(2);
    }
    match compile_all(mode, &request, program) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("hexcc: error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Compiles and prints one source after the other; true if all compiled.
fn compile_all(mode: Mode, request: &Request, program: &Path) -> Result<bool, String> {
    let plugin = pieces::plugin(program).map_err(|e| e.to_string())?;
    let compiler = pieces::compiler(mode, program);
    let scratch = Scratch::new()?;
    let mut all = true;
    for (number, source) in request.sources.iter().enumerate() {
        let report = scratch.0.join(format!("{number}.jsonl"));
        let mut command = Command::new(&compiler);
        command.arg(plugin_flag(&plugin)).args(["-O2", "-gline-tables-only"]);
        command.args(&request.options).arg("-c").arg(source);
        command.arg("-o").arg(scratch.0.join("out.o")).env(REPORT, &report);
        let status =
            command.status().map_err(|e| format!("cannot run '{}': {e}", compiler.display()))?;
        all &= status.success();
        if status.success() {
            print(&Notes::read(&report), Some(Path::new(source)));
        }
    }
    Ok(all)
}

/// `cargo hexpass explain`: `build` is the build, which is made anew in a folder of its own.
pub fn cargo(mut build: Command) -> Result<ExitCode, String> {
    let scratch = Scratch::new()?;
    let report = scratch.0.join("report.jsonl");
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    let folder = target.join("hexpass-explain");
    // What is fresh is not compiled, and then nothing is said of it.
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    let status = build
        .env(REPORT, &report)
        .env("CARGO_TARGET_DIR", &folder)
        .status()
        .map_err(|e| format!("cannot run cargo: {e}"))?;
    if !status.success() {
        return Ok(ExitCode::FAILURE);
    }
    print(&Notes::read(&report), None);
    Ok(ExitCode::SUCCESS)
}

/// A folder of our own that goes when we go.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Scratch, String> {
        let folder = env::temp_dir().join(format!("hexpass-explain-{}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        Ok(Scratch(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder that stays behind does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Colour for a terminal, nothing elsewhere.
fn colours() -> bool {
    std::io::stdout().is_terminal() && env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

/// Prints every file that notes speak of; `whole`: that one in any case.
fn print(notes: &Notes, whole: Option<&Path>) {
    let mut files: Vec<&str> = notes.0.keys().map(String::as_str).collect();
    let source = whole.map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
    files.retain(|file| *file != source && Path::new(file).is_file());
    if whole.is_some() {
        files.insert(0, &source);
    }
    for file in files {
        match std::fs::read_to_string(file) {
            Ok(text) => print!("{}", listing(file, &text, notes, colours())),
            Err(error) => eprintln!("hexcc: note: {file}: {error}"),
        }
    }
    if whole.is_none() && notes.0.is_empty() {
        println!("no loop looks like a time loop");
    }
}

/// What is to be said, by file and line.
#[derive(Clone, Debug, Default)]
pub struct Notes(BTreeMap<String, BTreeMap<u64, Vec<Note>>>);

/// One nest.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Note {
    taken: bool,
    lines: Vec<String>,
}

impl Notes {
    fn read(report: &Path) -> Notes {
        std::fs::read_to_string(report).map(|text| Notes::of(&text)).unwrap_or_default()
    }

    /// From the text of a report. What was said twice of one line, for another copy of the function, is said once.
    pub fn of(report: &str) -> Notes {
        let mut notes = Notes::default();
        for object in report.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            let Some(file) = object["file"].as_str() else { continue };
            let line = object["line"].as_u64().unwrap_or(0);
            let note = Note::of(&object);
            let here = notes.0.entry(file.to_owned()).or_default().entry(line).or_default();
            if !here.contains(&note) {
                here.push(note);
            }
        }
        notes
    }
}

impl Note {
    fn of(object: &Value) -> Note {
        let text = |key: &str| object[key].as_str().unwrap_or_default().to_owned();
        if text("status") == "transformed" {
            let mut lines = vec![format!("tiled: {}", text("message"))];
            lines.extend(object["variants"].as_array().into_iter().flatten().map(variant));
            let of = |key: &str| object["whole"][key].as_str().unwrap_or_default();
            if object["whole"].is_object() {
                lines.push(format!("the whole loop not: {} [{}]", of("message"), of("reason")));
                lines.push(format!("change: {}", of("change")));
            }
            return Note { taken: true, lines };
        }
        let mut lines = vec![format!("left: {} [{}]", text("message"), text("reason"))];
        lines.extend([("why", "why: "), ("change", "change: ")].into_iter().filter_map(
            |(key, label)| {
                let words = text(key);
                (!words.is_empty()).then(|| format!("{label}{words}"))
            },
        ));
        Note { taken: false, lines }
    }
}

/// One variant in a line.
fn variant(object: &Value) -> String {
    let text = |key: &str| object[key].as_str().unwrap_or("?");
    let number = |key: &str| object[key].as_f64().unwrap_or(f64::NAN);
    let sizes: Vec<String> = object["sizes"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    format!(
        "{}: {} {}, values in {}; {:.2} bytes of memory traffic a point and step, {:.1} times less than untiled",
        text("target"),
        text("strategy"),
        sizes.join(" "),
        place(text("storage")),
        number("bytes"),
        number("gain"),
    )
}

/// Where a storage keeps values, in words.
fn place(storage: &str) -> String {
    match storage {
        "cache" | "registers" => storage.to_owned(),
        "global" => "global memory".to_owned(),
        "shared" => "shared memory".to_owned(),
        step => format!("shared memory ({step})"),
    }
}

/// The file with its lines numbered and the notes under them.
pub fn listing(file: &str, text: &str, notes: &Notes, coloured: bool) -> String {
    let none = BTreeMap::new();
    let here = notes.0.get(file).unwrap_or(&none);
    let (good, bad, dim, end) = if coloured {
        ("\u{1b}[32m", "\u{1b}[33m", "\u{1b}[2m", "\u{1b}[0m")
    } else {
        ("", "", "", "")
    };
    let mut out = String::new();
    let mut put = |line: std::fmt::Arguments<'_>| {
        // Writing to a string can't fail.
        let _ = writeln!(out, "{line}");
    };
    put(format_args!("{file}:"));
    for (number, line) in (1u64..).zip(text.lines()) {
        put(format_args!("{dim}{number:>6} |{end} {line}"));
        let indent = " ".repeat(line.len() - line.trim_start().len());
        for note in here.get(&number).into_iter().flatten() {
            let colour = if note.taken { good } else { bad };
            for (i, words) in note.lines.iter().enumerate() {
                let mark = if i == 0 { "^" } else { " " };
                put(format_args!("{dim}       |{end} {indent}{colour}{mark} {words}{end}"));
            }
        }
    }
    if here.is_empty() {
        put(format_args!("{dim}       |{end} no loop here looks like a time loop"));
    }
    out
}
