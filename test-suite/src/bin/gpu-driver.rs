//! The pack's driver: see `run.sh`, and `hexpass_test_suite::gpu`.

use std::path::PathBuf;
use std::process::ExitCode;

use hexpass_test_suite::gpu::run;

fn main() -> ExitCode {
    let totals = pack_folder().and_then(|folder| {
        let var = |name: &str| std::env::var(name).ok();
        run::run(&run::options(std::env::args().skip(1), var, &folder)?)
    });
    match totals {
        Ok(totals) if totals.failed == 0 => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("gpu-driver: {message}");
            ExitCode::from(2)
        }
    }
}

/// The driver lies in `bin/` of the pack.
fn pack_folder() -> Result<PathBuf, String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let folder = program.parent().and_then(|bin| bin.parent());
    folder.map(PathBuf::from).ok_or_else(|| format!("{}: no pack around it", program.display()))
}
