//! Fits the time model's constants to a pack's results: `gpu-fit [--hold NAME,NAME…] gpu-pack.jsonl calibration.json`.

use hexpass_abi::Fit;
use hexpass_test_suite::gpu::fit::Data;
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: gpu-fit [--hold NAME,NAME…] gpu-pack.jsonl calibration.json";

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("gpu-fit: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(mut args: Vec<String>) -> Result<(), String> {
    let mut held = Vec::new();
    if args.first().is_some_and(|a| a == "--hold") {
        held = args.get(1).ok_or(USAGE)?.split(',').map(str::to_owned).collect();
        args.drain(..2);
    }
    let names = Fit::FITTED.clone().values().map(|(name, _)| name);
    if let Some(name) = held.iter().find(|h| !names.contains(&h.as_str())) {
        return Err(format!("there is no constant {name}; they are {}", names.join(", ")));
    }
    let [results, calibration] = args.as_slice() else { return Err(USAGE.to_owned()) };
    let data = Data::read(Path::new(results), Path::new(calibration))?;
    print(&data, "as it is", Fit::FITTED);
    print(&data, "fitted", data.fit(Fit::FITTED, &held));
    Ok(())
}

fn print(data: &Data, what: &str, mut fit: Fit) {
    let (rows, all) = data.scores(&fit);
    println!("\n{what}: {:?}", fit.values().map(|(name, value)| format!("{name} {value:.4}")));
    println!("{:<40} {:>5} {:>8} {:>8}", "row", "near", "rms", "pick");
    for (name, s) in rows {
        println!("{name:<40} {:>5} {:>6.1} % {:>8.3}", s.near, 100.0 * s.rms, s.worst);
    }
    println!(
        "{} near the best: rms {:.1} %; worst pick {:.3}, mean {:.3}",
        all.near,
        100.0 * all.rms,
        all.worst,
        all.mean
    );
}
