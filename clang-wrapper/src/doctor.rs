//! `hexcc --doctor`: is everything there, and does it fit together?
//!
//! Prints one line for each check, `ok`, `note` or `FAIL`, and fails if one of them did. A note is nothing to mend.

use crate::argv::plugin_flag;
use crate::pieces;
use crate::request::Mode;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// A plugin that doesn't fit its host must not hang the doctor.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a check found; the text is one line.
enum Finding {
    Ok(String),
    Note(String),
    Fail(String),
}
use Finding::{Fail, Note, Ok as Fine};

/// Runs all checks for the compiler of `mode`.
pub fn run(mode: Mode, program: &Path) -> ExitCode {
    let findings = [
        ("compiler", compiler(mode, program)),
        ("plugin", plugin(program)),
        ("loads", loads(mode, program)),
        ("runtime", runtime(program)),
        ("gpu driver", driver()),
    ];
    let mut healthy = true;
    for (what, finding) in findings {
        let (verdict, text) = match finding {
            Fine(text) => ("ok", text),
            Note(text) => ("note", text),
            Fail(text) => {
                healthy = false;
                ("FAIL", text)
            }
        };
        println!("{verdict:<5}{what:<11}{text}");
    }
    if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn compiler(mode: Mode, program: &Path) -> Finding {
    let path = pieces::compiler(mode, program);
    let (variable, name) = pieces::compiler_names(mode);
    let output = match Command::new(&path).arg("--version").output() {
        Ok(output) => output,
        Err(error) => {
            return Fail(format!("{}: {error}; install {name} or set {variable}", path.display()));
        }
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let first = text.lines().next().unwrap_or_default();
    if major_version(first) == Some(22) {
        Fine(format!("{} ({first})", path.display()))
    } else {
        Fail(format!("{} is not LLVM 22: '{first}'; set {variable} to {name}", path.display()))
    }
}

/// The major number behind the word `version`.
fn major_version(line: &str) -> Option<u32> {
    let (_, after) = line.split_once("version ")?;
    after.split('.').next()?.parse().ok()
}

fn plugin(program: &Path) -> Finding {
    match pieces::plugin(program) {
        Ok(path) => Fine(path.display().to_string()),
        Err(missing) => Fail(missing.to_string()),
    }
}

/// Compiles one line with the plugin: LLVM itself says whether the two fit.
fn loads(mode: Mode, program: &Path) -> Finding {
    let Ok(plugin) = pieces::plugin(program) else {
        return Fail("not tried without a plugin".to_owned());
    };
    let (language, source) = match mode {
        Mode::C => ("c", "int hexpass_doctor(int x) { return x + 1; }\n"),
        Mode::Cxx => ("c++", "int hexpass_doctor(int x) { return x + 1; }\n"),
        Mode::Fortran => ("f95", "subroutine hexpass_doctor\nend subroutine\n"),
    };
    let spawned = Command::new(pieces::compiler(mode, program))
        .arg(plugin_flag(&plugin))
        .args(["-O2", "-S", "-o", "-", "-x", language, "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    match spawned.and_then(|child| finish(child, source)) {
        Ok(Some((true, _))) => Fine("the compiler takes the plugin".to_owned()),
        Ok(Some((false, said))) => {
            let said = said.lines().find(|line| !line.is_empty()).unwrap_or("no message");
            Fail(format!(
                "the compiler does not take the plugin (is it built for LLVM 22?): {said}"
            ))
        }
        Ok(None) => Fail(format!("the compiler hangs with the plugin ({} s)", PATIENCE.as_secs())),
        Err(error) => Fail(format!("not tried: {error}")),
    }
}

/// Feeds `source` to a compiler and waits: whether it succeeded and what it said, or `None` when it ran out of time.
fn finish(mut child: Child, source: &str) -> io::Result<Option<(bool, String)>> {
    if let Some(mut stdin) = child.stdin.take() {
        // A compiler that refuses the plugin may be gone already.
        stdin.write_all(source.as_bytes()).or_else(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => Ok(()),
            _ => Err(error),
        })?;
    }
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if started.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let mut said = Vec::new();
    if let Some(mut stderr) = child.stderr.take() {
        stderr.read_to_end(&mut said)?;
    }
    Ok(Some((status.success(), String::from_utf8_lossy(&said).into_owned())))
}

fn runtime(program: &Path) -> Finding {
    let path = match pieces::runtime(program) {
        Ok(path) => path,
        Err(missing) => return Fail(missing.to_string()),
    };
    let mut magic = [0; 8];
    match std::fs::File::open(&path).and_then(|mut file| file.read_exact(&mut magic)) {
        Ok(()) if &magic == b"!<arch>\n" => Fine(path.display().to_string()),
        Ok(()) => Fail(format!("{} is not an archive", path.display())),
        Err(error) => Fail(format!("{}: {error}", path.display())),
    }
}

/// Asks the loader's cache and search path; loading the driver is the runtime's business.
fn driver() -> Finding {
    const DRIVER: &str = "libcuda.so.1";
    let cached = std::fs::read("/etc/ld.so.cache")
        .is_ok_and(|cache| cache.windows(DRIVER.len()).any(|bytes| bytes == DRIVER.as_bytes()));
    let search = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let named = std::env::split_paths(&search).any(|folder| folder.join(DRIVER).is_file());
    if cached || named {
        Fine(format!("{DRIVER} found"))
    } else {
        Note(format!("{DRIVER} not found: programs run on the CPU's cores"))
    }
}
