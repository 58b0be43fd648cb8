//! The record that the runtime reads: what the nest is, what must hold, and how it can be run.
//!
//! Consumes the [`StencilProgram`], the programs of all variants and the PTX; produces a [`NestRecord`]. Names of the
//! kernels in the PTX are made here, so that a profiler shows where each came from.

use hexpass_abi::{
    Exchanged, KernelCode, KernelRecord, NestRecord, PtxModule, StatementRecord, Sym, Variant,
    VariantTarget,
};
use hexpass_poly::body::{Body, Op};
use hexpass_poly::kernel::ir::{Kernel, KernelProgram, Style};
use hexpass_poly::schedule::TileSizes;
use hexpass_poly::stencil::{Statement, StencilProgram};

/// One way to run the nest, to be emitted.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// What its kernels' names tell it by.
    pub number: usize,
    pub strategy: &'a str,
    pub sizes: &'a TileSizes,
    /// As [`Variant::storage`].
    pub storage: &'a str,
    pub target: VariantTarget,
    pub kernels: &'a KernelProgram,
}

/// The entry name of a kernel in the PTX: `function@file:line.strategy.variant.kernel`, in what PTX allows in a name:
/// letters, digits and `_` stand for themselves, `@` is `$at$`, `.` and `:` are `$`, other characters `$x` and two
/// hexadecimal digits for each byte.
pub fn entry_name(
    stencil: &StencilProgram,
    strategy: &str,
    variant: usize,
    kernel: &Kernel,
) -> String {
    let mut name = stencil.function.clone();
    if let Some(file) = stencil.file.as_deref() {
        name.push('@');
        name.push_str(file.rsplit('/').next().unwrap_or(file));
    }
    if let Some(line) = stencil.line {
        name.push_str(&format!(":{line}"));
    }
    name.push_str(&format!(".{strategy}.v{variant}.{}", kernel.name));
    let mut out = String::new();
    for byte in name.bytes() {
        match byte {
            b'@' => out.push_str("$at$"),
            b'.' | b':' => out.push('$'),
            b if b.is_ascii_alphanumeric() || b == b'_' => out.push(char::from(b)),
            b => out.push_str(&format!("$x{b:02x}")),
        }
    }
    // A name begins with a letter; after `_` and `$` something must follow, which the strategy sees to.
    if out.starts_with(|c: char| c.is_ascii_digit()) { format!("_{out}") } else { out }
}

/// The record of a nest; host kernels are numbered in the order of `programs`, each of which has its texts in `ptx`.
pub fn record(
    stencil: &StencilProgram,
    programs: &[Program<'_>],
    ptx: Vec<Vec<PtxModule>>,
    exchanged: Vec<Exchanged>,
) -> NestRecord {
    let mut host_kernels = 0;
    let variants = programs
        .iter()
        .zip(ptx)
        .map(|(p, ptx)| variant(stencil, p, ptx, &mut host_kernels))
        .collect();
    NestRecord {
        function: stencil.function.clone(),
        file: stencil.file.clone(),
        line: stencil.line,
        fp: stencil.fp,
        steps: stencil.steps.clone(),
        dims: stencil.dims as u8,
        timeless: !stencil.statements.iter().any(speaks_of_time),
        arrays: stencil.arrays.clone(),
        tables: stencil.tables.clone(),
        lookups: stencil.lookups.clone(),
        fences: stencil.fences.clone(),
        statements: stencil.statements.iter().map(statement).collect(),
        checks: stencil.checks.clone(),
        disjoint_pointers: stencil.disjoint_pointers.clone(),
        reductions: stencil.reductions.clone(),
        aside: stencil.aside.clone(),
        exchanged,
        variants,
    }
}

fn variant(
    stencil: &StencilProgram,
    program: &Program<'_>,
    ptx: Vec<PtxModule>,
    host_kernels: &mut u16,
) -> Variant {
    let kernels = program.kernels.kernels.iter().map(|kernel| {
        let code = match program.target {
            VariantTarget::Device => {
                KernelCode::Ptx(entry_name(stencil, program.strategy, program.number, kernel))
            }
            VariantTarget::Host => {
                let first = *host_kernels;
                *host_kernels += if has_careful_kernels(stencil) { 2 } else { 1 };
                KernelCode::Host(first)
            }
        };
        KernelRecord {
            code,
            threads: match program.target {
                VariantTarget::Device => kernel.threads,
                VariantTarget::Host => [1, 1, 1],
            },
            shared_bytes: u32::try_from(kernel.shared_bytes()).unwrap_or(u32::MAX),
            params: kernel.params.clone(),
            folds: kernel.folds.clone(),
            cost: kernel.cost.clone(),
        }
    });
    Variant {
        strategy: program.strategy.to_owned(),
        sizes: program.sizes.0.clone(),
        storage: program.storage.to_owned(),
        target: program.target,
        ptx,
        aligned: program.kernels.kernels.iter().any(|k| k.style == Style::Thread),
        kernels: kernels.collect(),
        plan: program.kernels.plan.clone(),
        tunables: program.kernels.tunables.clone(),
        scratch: program.kernels.scratch.clone(),
        alike: program.kernels.alike,
        least: program.kernels.least.clone(),
    }
}

/// As [`NestRecord::has_careful_kernels`].
pub fn has_careful_kernels(stencil: &StencilProgram) -> bool {
    stencil.statements.iter().any(|s| !s.unsure_writes.is_empty())
}

fn statement(s: &Statement) -> StatementRecord {
    StatementRecord {
        lo: s.lo.clone(),
        hi: s.hi.clone(),
        reads: s.reads.clone(),
        writes: s.writes.iter().map(|w| w.access.clone()).collect(),
        unsure_reads: s.unsure_reads.clone(),
        unsure_writes: s.unsure_writes.clone(),
        entries: s.entries.clone(),
        operations: operations(&s.body),
    }
}

/// True if what an instance does depends on its time step, other than by the slots that it reads and writes.
fn speaks_of_time(s: &Statement) -> bool {
    let accesses = s.reads.iter().chain(s.writes.iter().map(|w| &w.access));
    let mut subscripts = accesses.flat_map(|a| &a.subscripts);
    let in_body = |op: &Op| matches!(op, Op::Index(p) if p.mentions(Sym::Time));
    subscripts.any(|x| x.offset.mentions(Sym::Time)) || s.body.values.iter().any(|v| in_body(&v.op))
}

/// Arithmetic operations of one instance; a fused multiply-add counts as two.
fn operations(body: &Body) -> u32 {
    body.values
        .iter()
        .map(|v| match v.op {
            Op::Load(_) | Op::Float(_) | Op::Integer(_) | Op::Scalar(_) | Op::Index(_) => 0,
            Op::Fma(..) => 2,
            Op::Unary(..) | Op::Binary(..) | Op::Compare(..) | Op::Select(..) | Op::Convert(..) => {
                1
            }
        })
        .sum()
}
