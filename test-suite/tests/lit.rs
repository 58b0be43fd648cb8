//! Remarks and IR: the files of `lit/`, checked by LLVM's lit and FileCheck. One file:
//! `HEXPASS_BUILD=target/release /usr/lib/llvm-22/bin/lit -v test-suite/lit/taken.c`.

use std::path::Path;
use std::process::Command;

#[test]
fn remarks_and_ir() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("lit");
    let output = tempfile::TempDir::new().unwrap();
    let status = Command::new("/usr/lib/llvm-22/bin/lit")
        .arg("-v")
        .arg(folder)
        .env("HEXPASS_LIT_OUTPUT", output.path())
        .status()
        .expect("lit, of the package llvm-22-tools, runs");
    assert!(status.success(), "lit: {status}");
}
