//! What the assembler makes of device kernels: registers, spills, instructions by class, in all and in each loop.
//!
//! Consumes PTX texts, or objects and programs that hold some, and the tools `ptxas` and `nvdisasm` (no GPU); produces a
//! [`Kernel`] for each entry.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::process;

const LIMIT: Duration = Duration::from_secs(600);

/// Where the tools are.
pub struct Tools {
    pub ptxas: PathBuf,
    pub nvdisasm: PathBuf,
}

impl Tools {
    /// As `PTXAS` and `NVDISASM` say, or on the path.
    pub fn from_environment() -> Tools {
        let named = |variable: &str, name: &str| {
            std::env::var_os(variable).map_or_else(|| PathBuf::from(name), PathBuf::from)
        };
        Tools { ptxas: named("PTXAS", "ptxas"), nvdisasm: named("NVDISASM", "nvdisasm") }
    }
}

/// One kernel, assembled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kernel {
    pub name: String,
    /// Of a thread.
    pub registers: u32,
    /// Bytes of its stack.
    pub stack: u32,
    /// Bytes.
    pub spill_stores: u32,
    pub spill_loads: u32,
    pub all: Count,
    /// Innermost first where they nest, else in order.
    pub loops: Vec<Count>,
}

/// Instructions by class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count(pub BTreeMap<&'static str, u32>);

impl Count {
    /// Of all classes.
    pub fn total(&self) -> u32 {
        self.0.values().sum()
    }

    fn of(instructions: &[Instruction]) -> Count {
        let mut count = Count::default();
        for i in instructions {
            *count.0.entry(class(&i.name)).or_default() += 1;
        }
        count
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:6}:", self.total())?;
        self.0.iter().try_for_each(|(class, n)| write!(f, " {class} {n}"))
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.name)?;
        let Kernel { registers, stack, spill_stores, spill_loads, .. } = self;
        writeln!(
            f,
            "    {registers} registers, stack {stack}, spilled {spill_stores} stored {spill_loads} loaded"
        )?;
        writeln!(f, "    all  {}", self.all)?;
        self.loops.iter().try_for_each(|l| writeln!(f, "    loop {l}"))
    }
}

/// The PTX texts in a file for the newest architecture up to `arch` that it has code for.
pub fn texts(bytes: &[u8], arch: u32) -> Vec<String> {
    let all: Vec<(u32, String)> =
        found(bytes).into_iter().filter_map(|t| Some((target(&t)?, t))).collect();
    let best = all.iter().map(|(target, _)| *target).filter(|&t| t <= arch).max();
    all.into_iter().filter(|(target, _)| Some(*target) == best).map(|(_, text)| text).collect()
}

/// What begins with a version directive and goes on to the last closing brace before bytes that are no text.
fn found(bytes: &[u8]) -> Vec<String> {
    let mark: &[u8] = b"\n.version ";
    let starts: Vec<usize> = (0..bytes.len().saturating_sub(mark.len()))
        .filter(|&i| bytes[i..].starts_with(mark))
        .collect();
    let mut out = Vec::new();
    for (i, &start) in starts.iter().enumerate() {
        let limit = starts.get(i + 1).copied().unwrap_or(bytes.len());
        let is_text = |b: &u8| b.is_ascii_graphic() || b.is_ascii_whitespace();
        let text = bytes[start..limit].split(|b| !is_text(b)).next().unwrap_or_default();
        if let Some(end) = text.windows(2).rposition(|w| w == b"}\n") {
            out.push(String::from_utf8_lossy(&text[..end + 2]).into_owned());
        }
    }
    out
}

fn target(text: &str) -> Option<u32> {
    let rest = text.split(".target sm_").nth(1)?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// True if a tool can be run.
pub fn is_there(tool: &Path) -> bool {
    process::run(Command::new(tool).arg("--version"), LIMIT).is_ok_and(|e| e.code == Some(0))
}

/// Registers and spills of a text's kernels for `sm_<arch>`; instructions are not counted.
pub fn registers(tools: &Tools, text: &str, arch: u32) -> Result<Vec<Kernel>, String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    assembled(tools, text, arch, &folder.path().join("a.cubin"))
}

/// Assembles a text for `sm_<arch>`.
pub fn assemble(tools: &Tools, text: &str, arch: u32) -> Result<Vec<Kernel>, String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let cubin = folder.path().join("a.cubin");
    let mut kernels = assembled(tools, text, arch, &cubin)?;
    for (name, code) in disassemble(tools, &cubin)? {
        if let Some(kernel) = kernels.iter_mut().find(|k| k.name == name) {
            kernel.all = Count::of(&code);
            kernel.loops = loops(&code);
        }
    }
    Ok(kernels)
}

/// Writes a text's machine code beside its PTX.
fn assembled(tools: &Tools, text: &str, arch: u32, cubin: &Path) -> Result<Vec<Kernel>, String> {
    let ptx = cubin.with_extension("ptx");
    fs::write(&ptx, text).map_err(|e| e.to_string())?;
    let mut ptxas = Command::new(&tools.ptxas);
    ptxas.arg("-v").arg(format!("-arch=sm_{arch}")).arg(&ptx).arg("-o").arg(cubin);
    let ended = process::run(&mut ptxas, LIMIT).map_err(|e| format!("ptxas: {e}"))?;
    Ok(sizes(&ended.success("ptxas")?))
}

/// What `ptxas -v` says of each entry.
fn sizes(said: &str) -> Vec<Kernel> {
    let mut kernels: Vec<Kernel> = Vec::new();
    for line in said.lines() {
        if let Some(name) = line.split("Compiling entry function '").nth(1) {
            let name = name.split('\'').next().unwrap_or_default().to_owned();
            kernels.push(Kernel { name, ..Kernel::default() });
        }
        let Some(kernel) = kernels.last_mut() else { continue };
        let number = |after: &str| {
            let before = line.split(after).next().filter(|b| b.len() < line.len())?;
            before.rsplit([' ', ',']).find(|w| !w.is_empty())?.parse::<u32>().ok()
        };
        for (what, place) in [
            (" bytes stack frame", &mut kernel.stack),
            (" bytes spill stores", &mut kernel.spill_stores),
            (" bytes spill loads", &mut kernel.spill_loads),
            (" registers", &mut kernel.registers),
        ] {
            if let Some(n) = number(what) {
                *place = n;
            }
        }
    }
    kernels
}

/// One line of a disassembly.
struct Instruction {
    /// With its modifiers: `FFMA.FTZ`.
    name: String,
    /// The label it jumps to.
    jump: Option<String>,
    /// Labels that stand before it.
    labels: Vec<String>,
}

fn disassemble(tools: &Tools, cubin: &Path) -> Result<Vec<(String, Vec<Instruction>)>, String> {
    let mut command = Command::new(&tools.nvdisasm);
    command.arg("-c").arg(cubin);
    let ended = process::run(&mut command, LIMIT).map_err(|e| format!("nvdisasm: {e}"))?;
    Ok(parse(&ended.success("nvdisasm")?))
}

fn parse(text: &str) -> Vec<(String, Vec<Instruction>)> {
    let mut out: Vec<(String, Vec<Instruction>)> = Vec::new();
    let mut labels = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(label) = line.strip_suffix(':') {
            match label.strip_prefix(".text.") {
                Some(name) => out.push((name.to_owned(), Vec::new())),
                None => labels.push(label.to_owned()),
            }
            continue;
        }
        let Some((_, code)) = line.strip_prefix("/*").and_then(|l| l.split_once("*/")) else {
            continue;
        };
        let mut words = code.split_whitespace().filter(|w| !w.starts_with('@') && *w != "{");
        let Some(name) = words.next() else { continue };
        let jump = code.split("`(").nth(1).and_then(|l| l.split(')').next()).map(str::to_owned);
        let jump = jump.filter(|_| name.starts_with("BRA"));
        let name = name.trim_end_matches(';').to_owned();
        if let Some((_, code)) = out.last_mut() {
            code.push(Instruction { name, jump, labels: std::mem::take(&mut labels) });
        }
    }
    for (_, code) in &mut out {
        // What follows the last jump to itself is filling.
        let end = code.iter().rposition(|i| i.name != "NOP").map_or(0, |i| i + 1);
        code.truncate(end);
    }
    out
}

/// From where a jump backwards leads to the jump. The endless loop that ends every kernel is none.
fn loops(code: &[Instruction]) -> Vec<Count> {
    let mut out: Vec<(usize, usize)> = Vec::new();
    for (end, i) in code.iter().enumerate() {
        let Some(label) = &i.jump else { continue };
        let start = code[..=end].iter().position(|i| i.labels.contains(label));
        if let Some(start) = start.filter(|&s| s < end) {
            out.push((start, end));
        }
    }
    out.iter().map(|&(start, end)| Count::of(&code[start..=end])).collect()
}

/// The class of an instruction, by the first letters of its name; what is not named is integer arithmetic.
fn class(name: &str) -> &'static str {
    let stem = name.split('.').next().unwrap_or(name);
    match stem {
        "FFMA" | "FADD" | "FMUL" | "FFMA2" | "FADD2" | "FMUL2" => "f32",
        "FSEL" | "FMNMX" | "FSETP" | "FSET" | "FCHK" | "FSWZADD" => "f32-other",
        "DFMA" | "DADD" | "DMUL" => "f64",
        "DSETP" | "DMNMX" => "f64-other",
        "MUFU" => "special",
        "F2F" | "F2I" | "I2F" | "I2FP" | "F2FP" | "FRND" => "convert",
        "SHFL" => "shuffle",
        "LDG" => "global-load",
        "STG" => "global-store",
        "LDS" | "LDSM" => "shared-load",
        "STS" => "shared-store",
        "LDL" | "STL" => "local",
        "LDC" | "ULDC" | "LDCU" => "constant-load",
        "BAR" => "barrier",
        "BSSY" | "BSYNC" | "WARPSYNC" | "BMOV" | "BREAK" => "converge",
        "BRA" | "BRX" | "JMP" | "CALL" | "RET" | "EXIT" => "branch",
        "MOV" | "SEL" | "CS2R" | "S2R" | "S2UR" | "R2UR" | "PRMT" | "UMOV" | "USEL" => "move",
        "NOP" => "nop",
        _ if stem.starts_with('U') => "uniform",
        _ => "integer",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_in_binaries() {
        let one = "//\n\n.version 7.8\n.target sm_75\n.entry a\n{\n}\n";
        let two = "//\n\n.version 7.8\n.target sm_90\n.entry b\n{\n}\n";
        let bytes =
            [b"\x7fELF\0", one.as_bytes(), b"Z\xc8\x01", two.as_bytes(), b"\x02\0x"].concat();
        let expected = two.split_once('\n').unwrap().1;
        assert_eq!(texts(&bytes, 90), [expected]);
        assert!(texts(&bytes, 80)[0].contains("sm_75"));
        assert!(texts(&bytes, 70).is_empty());
    }

    #[test]
    fn sizes_are_read() {
        let said = "ptxas info    : 0 bytes gmem\nptxas info    : Compiling entry function 'k' for 'sm_90'\n\
            ptxas info    : Function properties for k\n    \
            16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n\
            ptxas info    : Used 88 registers, used 1 barriers, 400 bytes cmem[0]\n";
        let k = &sizes(said)[0];
        assert_eq!((k.name.as_str(), k.registers, k.stack), ("k", 88, 16));
        assert_eq!((k.spill_stores, k.spill_loads), (8, 12));
    }

    #[test]
    fn loops_are_jumps_backwards() {
        let text = "\t.text.k:\n.L_x_1:\n        /*0000*/                   FFMA R1, R2, R3, R4 ;\n\
            .L_x_0:\n        /*0010*/              @P0  SHFL.UP PT, R1, R2, 0x1, RZ ;\n\
            /*0020*/              @!P0  BRA `(.L_x_0) ;\n  /*0030*/  EXIT ;\n.L_x_2:\n\
            /*0040*/                   BRA `(.L_x_2);\n    /*0050*/                   NOP;\n";
        let (name, code) = &parse(text)[0];
        assert_eq!(name, "k");
        assert_eq!(Count::of(code).to_string(), "     5: branch 3 f32 1 shuffle 1");
        let loops: Vec<String> = loops(code).iter().map(Count::to_string).collect();
        assert_eq!(loops, ["     2: branch 1 shuffle 1"]);
    }
}
