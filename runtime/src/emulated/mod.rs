//! The emulated grid: runs the PTX that LLVM writes for us, on the CPU.
//!
//! Consumes PTX text ([`Module::parse`]), device memory that the host lends ([`Memory`]) and a
//! launch; produces what the kernel writes. Refuses, at load, every directive, opcode and form it
//! does not know, by line; stops, at run time, at the first access out of bounds or misaligned, at
//! barriers that never open, at traps, and where a granted number of instructions is used up.
//!
//! ```text
//!  text ─lexer→ words ─parse→ Unit ─decode→ blocks ─flow→ ordered ─allocate→ Kernel
//!  Kernel + Memory ─grid→ blocks over threads ─warp→ 32 lanes at a time ─alu, transfer→ rows
//! ```
//!
//! What it promises: the bits of IEEE arithmetic with PTX's NaNs ([`float`] says where `.approx` is
//! better than the device), no fusing of multiplications and additions that the text keeps apart, the
//! same result for any number of threads as long as blocks do not race, and never a panic or
//! undefined behaviour through a module's text. Memory is sequentially consistent within a block;
//! blocks run in any order and at the same time.

// From text to syntax.
mod lexer;
mod parse;
mod syntax;

// From syntax to code.
mod layout;

mod decode;
mod opcodes;
mod opcodes_memory;

mod flow;

mod allocate;

// The code and what it means.
mod alu;
mod code;
mod convert;
pub mod float;
mod integer;
mod lanes;

// At work.
mod copies;
mod grid;
mod memory;
mod transfer;
mod warp;

mod error;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use code::{Block, Fill, Row, Slot};
pub use error::{Fault, LaunchError, PtxError, Space};
pub use memory::{Memory, RegionError};
pub use warp::ABSENT_LANE;

/// A PTX module: its kernels, and the variables that they share.
pub struct Module {
    kernels: Vec<Kernel>,
}

/// Where a parameter lies in the bytes handed to a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamLayout {
    pub offset: u32,
    pub size: u32,
}

/// One `.entry`, decoded.
pub struct Kernel {
    name: String,
    params: Vec<ParamLayout>,
    max_threads: Option<[u32; 3]>,
    required_threads: Option<[u32; 3]>,
    static_shared: u32,
    dynamic_base: u32,
    local_bytes: u32,
    blocks: Vec<Block>,
    register_rows: u32,
    zeroed_rows: Vec<u32>,
    predicates: u32,
    constants: Vec<Row>,
    fills: Vec<(Fill, Slot, u32)>,
    globals: Arc<memory::Storage>,
}

impl Module {
    /// Reads a PTX text whole: what this accepts, a launch can run.
    pub fn parse(ptx: &str) -> Result<Module, PtxError> {
        Module::build(ptx).map_err(|error| error.quoting(ptx))
    }

    fn build(ptx: &str) -> Result<Module, PtxError> {
        let unit = parse::parse(ptx)?;
        let variables = layout::Globals::new(&unit)?;
        let globals = Arc::new(memory::Storage::new(&variables.image));
        let mut kernels = Vec::with_capacity(unit.entries.len());
        for entry in &unit.entries {
            let layout = layout::Layout::new(&unit, entry, &variables)?;
            kernels.push(Kernel::build(entry, &layout, globals.clone())?);
        }
        Ok(Module { kernels })
    }

    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }

    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }
}

impl Kernel {
    fn build(
        entry: &syntax::Entry<'_>,
        layout: &layout::Layout<'_>,
        globals: Arc<memory::Storage>,
    ) -> Result<Kernel, PtxError> {
        let program = decode::decode(entry, layout)?;
        let mut blocks = flow::order(program.blocks);
        // From here on a register slot names rows.
        let rows = allocate::allocate(&mut blocks, &program.register_rows);
        let params = entry.params.iter();
        Ok(Kernel {
            name: entry.name.to_string(),
            params: params.map(|p| ParamLayout { offset: p.offset, size: p.size }).collect(),
            max_threads: entry.max_threads,
            required_threads: entry.required_threads,
            static_shared: layout.shared,
            dynamic_base: layout.dynamic,
            local_bytes: layout.local,
            blocks,
            register_rows: rows.count,
            zeroed_rows: rows.zeroed,
            predicates: program.predicates,
            constants: program.constants,
            fills: program.fills,
            globals,
        })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn params(&self) -> &[ParamLayout] {
        &self.params
    }

    /// Bytes of shared memory that the kernel's own variables take.
    pub fn static_shared_bytes(&self) -> u32 {
        self.static_shared
    }
}

/// How much a launch may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Threads that run blocks at the same time, at most those of the current rayon pool.
    pub threads: usize,
    /// Warp instructions granted to each block; unlimited where none.
    pub instructions: Option<u64>,
}

/// Runs `kernel` on `threads` threads over `grid` blocks of `block` threads each, with
/// `dynamic_shared` bytes for `.extern .shared`, and waits for it. Memory is written up to a failure.
pub fn launch(
    kernel: &Kernel,
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_shared: u32,
    params: &[u8],
    memory: &Memory,
    threads: usize,
) -> Result<(), LaunchError> {
    let limits = Limits { threads, instructions: None };
    launch_within(kernel, grid, block, dynamic_shared, params, memory, limits)
}

/// [`launch`] with a budget.
pub fn launch_within(
    kernel: &Kernel,
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_shared: u32,
    params: &[u8],
    memory: &Memory,
    limits: Limits,
) -> Result<(), LaunchError> {
    grid::launch(kernel, grid, block, dynamic_shared, params, memory, limits)
}
