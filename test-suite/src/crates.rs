//! Crates that Rust's programs of the corpus use. They are dependencies of this package, so that Cargo.lock pins them,
//! and are compiled as any dependency is: the plugin meets what a program takes of them in the program itself.

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::Value;

use crate::process;

/// The arguments with which rustc finds the crate `ndarray`.
pub fn ndarray() -> Result<Vec<String>, String> {
    static MADE: OnceLock<Result<Vec<String>, String>> = OnceLock::new();
    MADE.get_or_init(|| made("ndarray")).clone()
}

fn made(name: &str) -> Result<Vec<String>, String> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(["build", "--locked", "--release", "--message-format=json", "--package", name]);
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    let what = format!("the build of {name}");
    let ended = process::run(&mut cargo, LIMIT).map_err(|e| format!("{what}: {e}"))?;
    let library = library(name, &ended.success(&what)?).ok_or(format!("{what} made no library"))?;
    let dependencies = Path::new(&library).parent().expect("a folder").join("deps");
    Ok(vec![
        "--extern".to_owned(),
        format!("{name}={library}"),
        "-L".to_owned(),
        format!("dependency={}", dependencies.display()),
    ])
}

const LIMIT: Duration = Duration::from_secs(600);

/// The file that cargo says it has made of the crate.
fn library(name: &str, messages: &str) -> Option<String> {
    messages.lines().find_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        let of = message["target"]["name"].as_str()?;
        let files = message["filenames"].as_array().filter(|_| of == name)?;
        files.iter().filter_map(Value::as_str).find(|f| f.ends_with(".rlib")).map(str::to_owned)
    })
}
