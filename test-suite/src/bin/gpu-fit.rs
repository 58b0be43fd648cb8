//! Fits the time model's constants to a pack's results: `gpu-fit gpu-pack.jsonl calibration.json`.

use hexpass_abi::Fit;
use hexpass_test_suite::gpu::fit::Data;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [results, calibration] = args.as_slice() else {
        eprintln!("usage: gpu-fit gpu-pack.jsonl calibration.json");
        return ExitCode::FAILURE;
    };
    match Data::read(Path::new(results), Path::new(calibration)) {
        Ok(data) => {
            print(&data, "as it is", Fit::FITTED);
            print(&data, "fitted", data.fit(Fit::FITTED));
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("gpu-fit: {message}");
            ExitCode::FAILURE
        }
    }
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
