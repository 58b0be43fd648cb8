//! The CPU table: each benchmark program by the stock compiler, serial, against ours on all cores.
//!
//! Both run in turns in one process, and a ratio is taken within a turn: what else the machine does, and how warm it is,
//! hits both. After each turn all memory is compared.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::NamedTempFile;

use super::{Extent, Failure, Kernel, build, kernels, measure, median, numbers};
use crate::report;
use crate::toolchain::Flags;
use crate::workers;

const TURNS: &str = "3";

/// Well past the last level cache, and no power of two wide.
fn large(dims: usize) -> Extent {
    match dims {
        1 => Extent::new(&[16_000_000], 64),
        2 => Extent::new(&[4000, 4000], 64),
        _ => Extent::new(&[250, 256, 250], 64),
    }
}

/// Well within a core's own caches.
fn small(dims: usize) -> Extent {
    match dims {
        1 => Extent::new(&[8_000], 8000),
        2 => Extent::new(&[40, 400], 4000),
        _ => Extent::new(&[10, 20, 160], 2000),
    }
}

/// Builds the programs into a folder and prints the table; results go to `bench.jsonl` beside the folder. True if all
/// memory was equal and everything ran tiled.
pub fn run(folder: &Path, only: &str) -> Result<bool, String> {
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let wanted = |kernel: &Kernel| only.split('|').any(|part| kernel.to_string().contains(part));
    let kernels: Vec<Kernel> = kernels().into_iter().filter(wanted).collect();
    println!("compiling {} programs: {}", kernels.len(), super::flags("native").join(" "));
    let programs = workers::map(&kernels, workers::cores(), |kernel| {
        build(*kernel, "native", &Flags::of(&[]), folder)
    });
    let results = folder.with_file_name("bench.jsonl");
    let mut file = File::create(&results).map_err(|e| format!("{}: {e}", results.display()))?;

    println!("\nGStencil/s, medians of {TURNS} turns; clang: one thread, hexcc: {}", threads());
    println!("in cache: clang on one core, the whole grid in its caches");
    println!("limit: threads x in cache / clang\n");
    print_line([
        "stencil", "type", "size", "clang", "hexcc", "ratio", "in cache", "limit", "equal", "tiles",
    ]);
    let mut fine = true;
    for (kernel, program) in kernels.iter().zip(programs) {
        let result = program.map_err(Failure::from).and_then(|program| row(*kernel, &program));
        let mut object = result.unwrap_or_else(|why| json!({ "message": why.to_string() }));
        object["stencil"] = json!(kernel.stencil.name);
        object["type"] = json!(kernel.real.name());
        print_row(*kernel, &object);
        fine &= object["identical"] == true && object["message"].is_null();
        writeln!(file, "{object}").map_err(|e| format!("{}: {e}", results.display()))?;
    }
    println!("\n{}", results.display());
    Ok(fine)
}

/// Threads that the runtime takes.
fn threads() -> usize {
    let set = std::env::var("HEXPASS_THREADS").ok().and_then(|text| text.parse().ok());
    set.unwrap_or_else(workers::cores)
}

/// One row's figures. That memory differs is one of them; that the tiled code did not run is a `message`.
fn row(kernel: Kernel, program: &Path) -> Result<Value, Failure> {
    let (large, small) = (large(kernel.stencil.dims), small(kernel.stencil.dims));
    let in_cache = measure(program, "stock", &small, &[TURNS], &[])?;
    let stats = NamedTempFile::new().map_err(|e| e.to_string())?;
    let env = [
        ("HEXPASS_MODE", OsStr::new("mandatory")),
        ("HEXPASS_DEVICE", OsStr::new("cpu")),
        ("HEXPASS_STATS", stats.path().as_os_str()),
    ];
    let mut object = json!({
        "sizes": large.sizes, "steps": large.steps, "threads": threads(), "identical": true,
    });
    let pair = match measure(program, "pair", &large, &[TURNS], &env) {
        Ok(pair) => pair,
        Err(Failure::Differs(message)) => {
            object["identical"] = json!(false);
            object["message"] = json!(message);
            return Ok(object);
        }
        Err(failed) => return Err(failed),
    };
    let (stock, tiled) = (numbers(&pair, "stock"), numbers(&pair, "tiled"));
    let ratios: Vec<f64> = stock.iter().zip(&tiled).map(|(s, t)| s / t).collect();
    let rate = |extent: &Extent, seconds: &[f64]| median(seconds).map(|s| extent.rate(s));
    object["clang_gstencils"] = json!(rate(&large, &stock));
    object["hexcc_gstencils"] = json!(rate(&large, &tiled));
    object["ratio"] = json!(median(&ratios));
    let in_cache = rate(&small, &numbers(&in_cache, "stock"));
    object["in_cache_gstencils"] = json!(in_cache);
    let limit = |(in_cache, memory): (f64, f64)| threads() as f64 * in_cache / memory;
    object["limit"] = json!(in_cache.zip(rate(&large, &stock)).map(limit));
    object["clang_seconds"] = json!(stock);
    object["hexcc_seconds"] = json!(tiled);
    match report::read(stats.path())?.iter().find(|ran| ran["status"] == "ran") {
        Some(ran) => {
            object["strategy"] = ran["strategy"].clone();
            object["tile"] = ran["sizes"].clone();
        }
        None => object["message"] = json!("the original loop ran"),
    }
    Ok(object)
}

fn print_row(kernel: Kernel, object: &Value) {
    let number = |key: &str| object[key].as_f64().map_or("-".to_owned(), |x| format!("{x:.2}"));
    let strategy = object["strategy"].as_str().unwrap_or("-");
    let tiles = match object["message"].as_str() {
        Some(message) => message.to_owned(),
        None => format!("{strategy} {}", report::tile_word(&object["tile"])),
    };
    print_line([
        kernel.stencil.name,
        kernel.real.name(),
        &large(kernel.stencil.dims).sizes_word(),
        &number("clang_gstencils"),
        &number("hexcc_gstencils"),
        &number("ratio"),
        &number("in_cache_gstencils"),
        &number("limit"),
        match object["identical"].as_bool() {
            Some(true) => "yes",
            Some(false) => "NO",
            None => "-",
        },
        &tiles,
    ]);
}

fn print_line(
    [stencil, real, size, clang, hexcc, ratio, in_cache, limit, equal, tiles]: [&str; 10],
) {
    println!(
        "{stencil:<11} {real:<4} {size:<12} {clang:>6} {hexcc:>6} {ratio:>6} {in_cache:>8} {limit:>6}  \
         {equal:<5}  {tiles}"
    );
}
