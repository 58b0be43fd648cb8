//! From PTX to machine code, by NVIDIA's assembler where the user has named one (`HEXPASS_PTXAS`).
//!
//! Consumes the device variants of a record; puts machine code beside each of their texts, and the registers that the
//! assembler has counted in the place of those that were estimated. What it refuses (an architecture that it does not know,
//! say) stays PTX: the caller is told the first reason.

use crate::emit::jobs::side_by_side;
use hexpass_abi::{KernelCode, PtxModule, Variant};
use std::path::Path;
use std::process::Command;

/// Assembles all texts, several at once.
pub fn assemble(ptxas: &Path, variants: &mut [Variant]) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|e| format!("no folder for its files: {e}"))?;
    let texts = variants.iter().enumerate();
    let texts: Vec<(usize, usize)> =
        texts.flat_map(|(v, variant)| (0..variant.ptx.len()).map(move |m| (v, m))).collect();
    let made = side_by_side(&texts, |&(v, m)| {
        assembled(ptxas, &variants[v].ptx[m], folder.path(), &format!("{v}.{m}"))
    });
    let mut failed = None;
    let mut done = Vec::new();
    for (&(v, m), made) in texts.iter().zip(made) {
        match made {
            Ok((code, counted)) => {
                let module = &mut variants[v].ptx[m];
                module.code = code.into();
                done.push((v, module.arch, counted));
            }
            Err(what) => {
                failed.get_or_insert(what);
            }
        }
    }
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
    failed.map_or(Ok(()), Err)
}

/// Registers of a thread of each kernel.
type Counted = Vec<(String, u16)>;

fn assembled(
    ptxas: &Path,
    module: &PtxModule,
    folder: &Path,
    name: &str,
) -> Result<(Vec<u8>, Counted), String> {
    let place = |ending: &str| folder.join(format!("{name}.{ending}"));
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
