//! Hardware counters of a row's kernels, by Nsight Compute.
//!
//! Consumes a program of the pack and `ncu` (on the PATH, or named by `NCU`); produces one JSON object for each kernel
//! entry that the profiled launches ran: time, occupancy, how busy memory, shared memory and the schedulers were, and
//! arithmetic and bytes for the roofline.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use super::rows::Row;
use crate::process;

/// Launches left alone first, and then looked at.
const SKIP: &str = "2";
const COUNT: &str = "4";

const LIMIT: Duration = Duration::from_secs(240);

/// A counter: its name in a result, and Nsight Compute's.
struct Counter(&'static str, &'static str);

const COUNTERS: &[Counter] = &[
    Counter("nanoseconds", "gpu__time_duration.sum"),
    Counter("occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"),
    Counter("dram", "dram__throughput.avg.pct_of_peak_sustained_elapsed"),
    Counter("dram_bytes", "dram__bytes.sum"),
    Counter("l2", "lts__t_sectors.avg.pct_of_peak_sustained_elapsed"),
    Counter(
        "shared",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed",
    ),
    Counter("issue", "sm__inst_issued.avg.pct_of_peak_sustained_active"),
    Counter("fp64", "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active"),
    Counter("registers", "launch__registers_per_thread"),
    Counter("fadd", "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"),
    Counter("fmul", "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum"),
    Counter("ffma", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"),
    Counter("dadd", "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum"),
    Counter("dmul", "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum"),
    Counter("dfma", "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum"),
];

/// Profiles a few launches of a row; steps are cut down, since each launch is run again for every group of counters.
pub fn profile(program: &Path, row: &Row, device: &str) -> Result<Value, String> {
    let ncu = std::env::var("NCU").unwrap_or_else(|_| "ncu".to_owned());
    let names: Vec<&str> = COUNTERS.iter().map(|c| c.1).collect();
    let mut command = Command::new(&ncu);
    // Units as counted, no scaling to M or K; the clocks stay as they are.
    command.args(["--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none"]);
    command.args(["--launch-skip", SKIP, "--launch-count", COUNT, "--metrics", &names.join(",")]);
    command.arg(program).args(["tiled", &row.extent.sizes_word(), "64", "1"]);
    command.envs([("HEXPASS_MODE", "mandatory"), ("HEXPASS_DEVICE", device)]);
    let what = format!("{ncu} {row}");
    let ended = process::run(&mut command, LIMIT).map_err(|e| format!("{what}: {e}"))?;
    let output = ended.output.clone();
    ended.success(&what)?;
    let kernels = read(&output)?;
    match kernels.is_empty() {
        true => Err(format!("{what} looked at no kernel: {output}")),
        false => Ok(json!({
            "stencil": row.kernel.stencil.name, "type": row.kernel.real.name(),
            "fast": row.kernel.fast, "sizes": row.extent.sizes, "kernels": kernels,
        })),
    }
}

/// What Nsight Compute printed: words of its own and of the program, then a table whose second line holds units. Launches
/// of one entry are averaged.
fn read(output: &str) -> Result<Vec<Value>, String> {
    let Some(start) = output.find("\"ID\"") else { return Ok(Vec::new()) };
    let table: String =
        output[start..].lines().filter(|l| l.starts_with('"')).map(|l| format!("{l}\n")).collect();
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(table.as_bytes());
    let header = reader.headers().map_err(|e| e.to_string())?.clone();
    let column = |name: &str| header.iter().position(|h| h == name);
    let entry = column("Kernel Name").ok_or("no column is called `Kernel Name`")?;
    let mut sums: BTreeMap<String, (f64, Vec<f64>)> = BTreeMap::new();
    for record in reader.records() {
        let record = record.map_err(|e| e.to_string())?;
        let name = record.get(entry).unwrap_or_default();
        // The line of units has no kernel.
        if name.is_empty() {
            continue;
        }
        let sum = sums.entry(name.to_owned()).or_insert_with(|| (0.0, vec![0.0; COUNTERS.len()]));
        sum.0 += 1.0;
        for (counter, total) in COUNTERS.iter().zip(&mut sum.1) {
            let cell = column(counter.1).and_then(|c| record.get(c)).unwrap_or_default();
            *total += cell.replace(',', "").parse::<f64>().unwrap_or(0.0);
        }
    }
    let object = |(name, (launches, totals)): (String, (f64, Vec<f64>))| {
        let mut object = json!({ "kernel": name, "launches": launches });
        for (counter, total) in COUNTERS.iter().zip(totals) {
            object[counter.0] = json!(total / launches);
        }
        object
    };
    Ok(sums.into_iter().map(object).collect())
}

/// Floating-point operations of a launch; a multiply-add is two.
pub fn operations(kernel: &Value) -> f64 {
    let of = |key: &str| kernel[key].as_f64().unwrap_or(0.0);
    ["fadd", "fmul", "dadd", "dmul"].map(of).iter().sum::<f64>() + 2.0 * (of("ffma") + of("dfma"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_among_other_words() {
        let output = "==PROF== Profiling \"k\" - 0: 0%....100%\n{\"warm_up\":1}\n\
            \"ID\",\"Kernel Name\",\"gpu__time_duration.sum\",\"dram__bytes.sum\"\n\
            \"\",\"\",\"nsecond\",\"byte\"\n\
            \"0\",\"k\",\"1,000\",\"64\"\n\"1\",\"k\",\"3000\",\"32\"\n";
        let kernels = read(output).unwrap();
        assert_eq!(kernels.len(), 1);
        assert_eq!(kernels[0]["nanoseconds"], 2000.0);
        assert_eq!(kernels[0]["dram_bytes"], 48.0);
        assert_eq!(kernels[0]["launches"], 2.0);
        assert_eq!(read("nothing").unwrap(), Vec::<Value>::new());
    }

    #[test]
    fn a_multiply_add_is_two_operations() {
        assert_eq!(operations(&json!({ "ffma": 3.0, "fadd": 1.0, "dmul": 2.0 })), 9.0);
    }
}
