//! `hexcc --calibrate`: the runtime measures this machine's GPUs.
//!
//! Consumes the compiler and the runtime's archive; makes a program that does nothing else, and runs it. What it
//! measures goes to the file that `HEXPASS_CALIBRATION` names, else to the user's cache folder.

use crate::argv::{SYSTEM_LIBRARIES, TAKE_RUNTIME};
use crate::pieces;
use crate::request::Mode;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const VARIABLE: &str = "HEXPASS_CALIBRATION";
const SOURCE: &str = "int hexrt_calibrate(void);\nint main(void) { return hexrt_calibrate(); }\n";

/// Measures; what was found and where it is, or why it is not.
pub fn run(program: &Path) -> Result<String, String> {
    let runtime = pieces::runtime(program).map_err(|e| e.to_string())?;
    let file = file(|name| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from));
    let file = file.ok_or_else(|| format!("set {VARIABLE} to the path of a file"))?;
    if let Some(folder) = file.parent().filter(|f| !f.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    let work = env::temp_dir().join(format!("hexpass-calibrate-{}", std::process::id()));
    fs::create_dir(&work).map_err(|e| format!("{}: {e}", work.display()))?;
    let measured = measure(&pieces::compiler(Mode::C, program), &runtime, &file, &work);
    let _ = fs::remove_dir_all(&work);
    let said = measured?;
    Ok(format!("{}\nexport {VARIABLE}={}", said.trim_end(), file.display()))
}

/// Where the measurements go.
fn file(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let cache = || {
        let home = || variable("HOME").map(|home| home.join(".cache"));
        variable("XDG_CACHE_HOME").or_else(home).map(|c| c.join("hexpass/calibration.json"))
    };
    variable(VARIABLE).or_else(cache)
}

fn measure(compiler: &Path, runtime: &Path, file: &Path, work: &Path) -> Result<String, String> {
    let (source, binary) = (work.join("calibrate.c"), work.join("calibrate"));
    fs::write(&source, SOURCE).map_err(|e| format!("{}: {e}", source.display()))?;
    let mut compile = Command::new(compiler);
    compile
        .arg(&source)
        .arg("-o")
        .arg(&binary)
        .arg(TAKE_RUNTIME)
        .arg(runtime)
        .args(SYSTEM_LIBRARIES);
    output(compile.env("HEXPASS", "off"))?;
    output(Command::new(&binary).env(VARIABLE, file))
}

/// What a program prints; its errors, if it fails.
fn output(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let ended = command.output().map_err(|e| format!("{name}: {e}"))?;
    if ended.status.success() {
        return Ok(String::from_utf8_lossy(&ended.stdout).into_owned());
    }
    Err(String::from_utf8_lossy(&ended.stderr).trim_end().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measurements_go_where_the_environment_says() {
        let with = |pairs: &[(&str, &str)]| {
            let get = |name: &str| pairs.iter().find(|(n, _)| *n == name).map(|(_, v)| v.into());
            file(get).map(|f| f.display().to_string())
        };
        let (ours, cache, home) =
            ((VARIABLE, "gpu.json"), ("XDG_CACHE_HOME", "/c"), ("HOME", "/h"));
        assert_eq!(with(&[ours, cache, home]).as_deref(), Some("gpu.json"));
        assert_eq!(with(&[cache, home]).as_deref(), Some("/c/hexpass/calibration.json"));
        assert_eq!(with(&[home]).as_deref(), Some("/h/.cache/hexpass/calibration.json"));
        assert_eq!(with(&[]), None);
    }
}
