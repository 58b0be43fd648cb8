//! From PTX to machine code, by NVIDIA's assembler where the user has named one (`HEXPASS_PTXAS`).
//!
//! Consumes the device variants of a record; puts machine code beside each of their texts, and the registers that the
//! assembler has counted in the place of those that were estimated. What it refuses (an architecture that it does not know,
//! say) stays PTX: the caller is told the first reason.

use hexpass_abi::{KernelCode, PtxModule, Variant};
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// Assembles all texts, several at once.
pub fn assemble(ptxas: &Path, variants: &mut [Variant]) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|e| format!("no folder for its files: {e}"))?;
    let texts = variants.iter_mut().enumerate();
    let texts =
        texts.flat_map(|(variant, v)| v.ptx.iter_mut().map(move |module| (variant, module)));
    let jobs = Mutex::new(texts.enumerate());
    let done: Mutex<Vec<(usize, u32, Counted)>> = Mutex::default();
    let failed: Mutex<Option<String>> = Mutex::default();
    let work = || {
        loop {
            let next = jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((number, (variant, module))) = next else { return };
            match assembled(ptxas, module, folder.path(), number) {
                Ok((code, counted)) => {
                    module.code = code.into();
                    let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                    done.push((variant, module.arch, counted));
                }
                Err(what) => {
                    failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(what);
                }
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    // The newest architecture has the last word.
    done.sort_by_key(|(_, arch, _)| *arch);
    for (variant, _, counted) in done {
        for kernel in &mut variants[variant].kernels {
            let KernelCode::Ptx(entry) = &kernel.code else { continue };
            if let Some((_, registers)) = counted.iter().find(|(name, _)| name == entry) {
                kernel.cost.registers = *registers;
            }
        }
    }
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// Registers of a thread of each kernel.
type Counted = Vec<(String, u16)>;

fn assembled(
    ptxas: &Path,
    module: &PtxModule,
    folder: &Path,
    number: usize,
) -> Result<(Vec<u8>, Counted), String> {
    let place = |ending: &str| folder.join(format!("{number}.{ending}"));
    let (from, to) = (place("ptx"), place("cubin"));
    let text = module.text.as_str().map_err(|e| e.to_string())?;
    std::fs::write(&from, text).map_err(|e| format!("{}: {e}", from.display()))?;
    let mut command = Command::new(ptxas);
    command.arg("-v").arg(format!("-arch=sm_{}", module.arch)).arg("--generate-line-info");
    let run = command.arg(&from).arg("-o").arg(&to).output();
    let run = run.map_err(|e| format!("it can't be run: {e}"))?;
    let said = String::from_utf8_lossy(&run.stderr);
    if !run.status.success() {
        let first = said.lines().find(|l| !l.trim().is_empty()).unwrap_or("it says nothing");
        return Err(format!("sm_{}: {}", module.arch, first.trim()));
    }
    let code = std::fs::read(&to).map_err(|e| format!("{}: {e}", to.display()))?;
    Ok((code, counted(&said)))
}

/// What `-v` says: `Compiling entry function 'f' for 'sm_90'`, and some lines later `Used 86 registers, …`.
fn counted(said: &str) -> Counted {
    let mut out = Counted::new();
    let mut entry = None;
    for line in said.lines() {
        if let Some((_, rest)) = line.split_once("entry function '") {
            entry = rest.split('\'').next();
        } else if let Some((_, rest)) = line.split_once("Used ")
            && let Some((Ok(registers), name)) =
                rest.split(' ').next().map(str::parse).zip(entry.take())
        {
            out.push((name.to_string(), registers));
        }
    }
    out
}
