//! Where plans run: CPU threads, the emulated grid, CUDA.
//!
//! A [`Device`] is opened for one variant of one nest and used once. Only [`Device::download`] writes to the
//! program's memory, or, where the device shares that memory, [`Device::launch`].

pub mod cpu;
pub mod cuda;
pub mod emulated;

use crate::error::Refusal;
use crate::transfer::Rows;

/// What a plan needs of the place that it runs on.
pub trait Device {
    /// True if kernels work on the program's own memory: nothing is allocated or copied.
    fn shares_memory(&self) -> bool {
        false
    }

    /// A buffer on a multiple of [`crate::transfer::ALIGNMENT`], freed with the device.
    fn alloc(&mut self, bytes: u64) -> Result<u64, Refusal>;

    /// Copies from the program's memory.
    fn upload(&mut self, rows: &Rows) -> Result<(), Refusal>;

    /// Copies to the program's memory.
    fn download(&mut self, rows: &Rows) -> Result<(), Refusal>;

    /// Runs `blocks` blocks of a kernel of the variant; sees the effects of all launches before.
    fn launch(&mut self, kernel: usize, blocks: u64, params: &[u64]) -> Result<(), Refusal>;

    /// Waits until all copies and launches are complete and have succeeded.
    fn finish(&mut self) -> Result<(), Refusal>;
}

/// What devices keep for a nest between its executions.
#[derive(Debug, Default)]
pub struct Modules {
    /// The PTX, parsed by the emulated grid.
    pub emulated: Option<Result<emulated::Parsed, Refusal>>,
    /// The PTX, loaded on GPUs, by ordinal.
    pub cuda: Vec<(i32, Result<cuda::Loaded, Refusal>)>,
}
