//! Running programs with a time limit.

use std::fs::File;
use std::io;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How a program ended.
#[derive(Debug)]
pub struct Ended {
    /// Exit status, `None` after a signal or the time limit.
    pub code: Option<i32>,
    pub timed_out: bool,
    /// Its standard output and standard error, as it wrote them.
    pub output: String,
}

impl Ended {
    /// The output, or what went wrong as an error that names the program.
    pub fn success(self, what: &str) -> Result<String, String> {
        let end = match self.code {
            Some(0) => return Ok(self.output),
            _ if self.timed_out => "ran past its time limit".to_owned(),
            Some(code) => format!("ended with status {code}"),
            None => "was killed by a signal".to_owned(),
        };
        Err(format!("{what} {end}\n{}", shorten(&self.output)))
    }
}

/// Runs a command to its end; both output streams go to one file first, so that no pipe can fill up.
pub fn run(command: &mut Command, limit: Duration) -> io::Result<Ended> {
    let output = tempfile::NamedTempFile::new()?;
    let stream = || File::options().append(true).open(output.path());
    let mut child = command.stdin(Stdio::null()).stdout(stream()?).stderr(stream()?).spawn()?;
    let start = Instant::now();
    let mut timed_out = false;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > limit {
            timed_out = true;
            child.kill()?;
            break child.wait()?;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let output = String::from_utf8_lossy(&std::fs::read(output.path())?).into_owned();
    Ok(Ended { code: status.code().filter(|_| !timed_out), timed_out, output })
}

/// The last lines of a long output.
fn shorten(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let from = lines.len().saturating_sub(25);
    lines[from..].join("\n")
}
