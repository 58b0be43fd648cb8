//! Registers and spills of every GPU kernel that the benchmark programs carry, against `gpu/registers.txt`.
//!
//! Needs `ptxas` (`PTXAS`, or on the path); says that it was skipped where there is none. `HEXPASS_BLESS=1` writes the file
//! anew.

use std::fs;
use std::path::{Path, PathBuf};

use hexpass_test_suite::bench::{self, Kernel};
use hexpass_test_suite::sass::{self, Tools};
use hexpass_test_suite::{report, workers};

/// The architecture that the table is of, and the host that multiply-adds are fused for.
const ARCH: u32 = 90;
const MARCH: &str = "x86-64-v3";

#[test]
fn registers_and_spills_are_as_listed() {
    let tools = Tools::from_environment();
    if !sass::is_there(&tools.ptxas) {
        println!("skipped: there is no ptxas (set PTXAS)");
        return;
    }
    let kernels: Vec<Kernel> = bench::kernels().into_iter().chain(bench::fast_kernels()).collect();
    let found = workers::map(&kernels, workers::cores(), |kernel| {
        lines(&tools, *kernel).unwrap_or_else(|e| panic!("{kernel}: {e}"))
    });
    let found = format!("{HEAD}{}", found.concat());
    let file = golden();
    if std::env::var_os("HEXPASS_BLESS").is_some() {
        return fs::write(&file, found).unwrap();
    }
    let expected = fs::read_to_string(&file).unwrap();
    let differing: Vec<String> = found
        .lines()
        .filter(|line| !expected.lines().any(|e| e == *line))
        .map(|line| format!("+ {line}"))
        .chain(
            expected
                .lines()
                .filter(|e| !found.lines().any(|line| line == *e))
                .map(|e| format!("- {e}")),
        )
        .collect();
    assert!(
        differing.is_empty(),
        "{} differs; look at it, then write it anew with HEXPASS_BLESS=1:\n{}",
        file.display(),
        differing.join("\n")
    );
}

const HEAD: &str = "# Registers of a thread and bytes spilled, of every GPU kernel that the benchmark programs carry, by ptxas for sm_90.\n\
    # Written by HEXPASS_BLESS=1 cargo test -p hexpass-test-suite --test registers.\n";

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("gpu/registers.txt")
}

/// A line for each variant, and one for each of its kernels.
fn lines(tools: &Tools, kernel: Kernel) -> Result<String, String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let object = bench::compile_tiled(kernel, MARCH, &[("HEXPASS_ARCH", "90")], folder.path())?;
    let bytes = fs::read(&object).map_err(|e| e.to_string())?;
    let report = report::read(&bench::report_of(&folder.path().join(kernel.to_string())))?;
    let variants = report.iter().flat_map(|r| r["variants"].as_array().into_iter().flatten());
    let variants = variants.filter(|v| v["target"] == "gpu");
    let texts = sass::texts(&bytes, ARCH);
    let mut out = String::new();
    for (i, (variant, text)) in variants.zip(&texts).enumerate() {
        let (strategy, sizes) =
            (variant["strategy"].as_str(), report::tile_word(&variant["sizes"]));
        let strategy = strategy.unwrap_or_default();
        out.push_str(&format!("{kernel} {strategy} {sizes}\n"));
        for k in sass::registers(tools, text, ARCH)? {
            let mark = format!("{strategy}$v{i}$");
            let name = k.name.split(&mark).nth(1).ok_or(format!("{} is not {mark}", k.name))?;
            let spilled = match k.spill_stores + k.spill_loads {
                0 => String::new(),
                _ => format!(", spilled {} stored {} loaded", k.spill_stores, k.spill_loads),
            };
            out.push_str(&format!("    {name} {}{spilled}\n", k.registers));
        }
    }
    Ok(out)
}
