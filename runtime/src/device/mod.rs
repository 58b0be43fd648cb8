//! Where plans run: CPU threads, the emulated grid, CUDA.
//!
//! A [`Device`] is opened for one nest, or to bring something home, and used once; its memory ([`Lasting`]) may outlive
//! it. Only [`Device::download`] writes to the program's memory, or, where the device shares that memory,
//! [`Device::launch`].

pub mod cpu;
pub mod cuda;
pub mod emulated;
pub mod tools;

use crate::error::{Reason, Refusal};
use crate::run::Where;
use crate::transfer::Rows;
use hexpass_abi::Machine;
use std::sync::Arc;

/// What a plan needs of the place that it runs on.
pub trait Device {
    /// True if kernels work on the program's own memory: nothing is copied, and nothing allocated but [`Device::scratch`].
    fn shares_memory(&self) -> bool {
        false
    }

    /// Memory beside the program's own, for scratch buffers, while the device is open; where memory is shared.
    fn scratch(&mut self, _bytes: usize) -> Result<u64, Refusal> {
        Err(Refusal::new(
            Reason::Internal,
            "a device that does not share memory has its own buffers",
        ))
    }

    /// Bytes that what steps are reduced from may take, at most; the emulated grid's lie in the program's memory.
    fn room(&self) -> u64 {
        8_000_000_000
    }

    /// Makes the kernels of the variant of this index those that [`Device::launch`] means.
    fn load(&mut self, index: usize) -> Result<(), Refusal>;

    /// Which one it is.
    fn identity(&self) -> Where;

    /// A buffer on a multiple of [`crate::transfer::BUFFER_ALIGNMENT`], attached.
    fn alloc(&mut self, bytes: u64) -> Result<Lasting, Refusal>;

    /// Makes a buffer of the same device known that was allocated when it was open before.
    fn attach(&mut self, buffer: &Lasting) -> Result<(), Refusal>;

    /// Copies between buffers.
    fn duplicate(&mut self, to: u64, from: u64, bytes: u64) -> Result<(), Refusal>;

    /// Runs a kernel of [`tools`].
    fn tool(&mut self, kernel: &str, blocks: [u64; 3], params: &[u64]) -> Result<(), Refusal>;

    /// Copies from the program's memory.
    fn upload(&mut self, rows: &Rows) -> Result<(), Refusal>;

    /// Copies to the program's memory.
    fn download(&mut self, rows: &Rows) -> Result<(), Refusal>;

    /// Runs a grid of blocks of a kernel of the variant that was loaded last; sees the effects of all launches before.
    fn launch(&mut self, kernel: usize, blocks: [u64; 3], params: &[u64]) -> Result<(), Refusal>;

    /// Starts the clock of launches, behind all copies before.
    fn start(&mut self) -> Result<(), Refusal>;

    /// Waits until all copies and launches are complete and have succeeded; seconds since [`Device::start`].
    fn stop(&mut self) -> Result<f64, Refusal>;
}

/// Device memory that may outlive the [`Device`] that it was allocated by; freed when dropped.
#[derive(Debug)]
pub struct Lasting {
    /// Where it starts, on the device.
    pub address: u64,
    /// Its size.
    pub bytes: u64,
    owner: Owner,
}

#[derive(Debug)]
enum Owner {
    Emulated(Arc<emulated::Words>),
    /// The ordinal.
    Cuda(i32),
}

impl Drop for Lasting {
    fn drop(&mut self) {
        if let Owner::Cuda(ordinal) = self.owner {
            cuda::give_back(ordinal, self.address, self.bytes);
        }
    }
}

/// Opens a device without a nest. The CPU's threads are none that holds anything.
pub fn open(place: Where, threads: usize) -> Result<Box<dyn Device>, Refusal> {
    match place {
        Where::Cpu => Err(Refusal::new(Reason::Internal, "the CPU holds no arrays")),
        Where::Emulated => Ok(Box::new(emulated::Emulated::open(None, threads))),
        Where::Cuda(ordinal) => Ok(Box::new(cuda::Cuda::open(None, ordinal)?)),
    }
}

/// Numbers of blocks as devices take them.
fn grid(blocks: [u64; 3]) -> Result<[u32; 3], Refusal> {
    let [x, y, z] = blocks;
    if x >= 1 << 31 || y >= 1 << 16 || z >= 1 << 16 {
        let message = format!("a launch of {x} × {y} × {z} blocks");
        return Err(Refusal::new(Reason::LaunchFailed, message));
    }
    Ok([x as u32, y as u32, z as u32])
}

/// A device as the time model sees it.
#[derive(Clone, Debug)]
pub struct Profile {
    /// What the device calls itself.
    pub name: String,
    /// How fast it is.
    pub machine: Machine,
}

impl Profile {
    /// Of a device that is no GPU: kernels are chosen as for a large one.
    pub fn assumed(name: &str) -> Profile {
        Profile { name: name.to_string(), machine: Machine::h200() }
    }
}

/// What devices keep for a nest between its executions.
#[derive(Debug, Default)]
pub struct Modules {
    /// The PTX of variants by their index, parsed by the emulated grid.
    pub emulated: Vec<(usize, Result<emulated::Parsed, Refusal>)>,
    /// The PTX of variants, loaded on GPUs, by ordinal and index.
    pub cuda: Vec<((i32, usize), Result<cuda::Loaded, Refusal>)>,
}

/// What is kept under a key; the first time, it is made. A failure is kept too.
fn kept<K: PartialEq, T: Clone>(
    list: &mut Vec<(K, Result<T, Refusal>)>,
    key: K,
    make: impl FnOnce() -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    if let Some((_, known)) = list.iter().find(|(k, _)| *k == key) {
        return known.clone();
    }
    let made = make();
    list.push((key, made.clone()));
    made
}
