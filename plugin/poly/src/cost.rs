//! One formula that ranks every strategy's counts: seconds for each statement instance, on a nominal problem.
//!
//! The shape is that of execution-time-model-hhc-ppopp17: a launch takes ⌈blocks ÷ (units · resident)⌉ rounds of the
//! tiles of one block, plus what a launch costs; a tile takes the larger of its transfer, its arithmetic and its chain
//! of barriers. Only the order of the results matters. The machine's figures are one data-centre GPU's and one server
//! core's, rounded; they are guesses about the machine that will run the program.

use crate::device::Device;
use crate::strategy::Counts;

/// The extent assumed for every space dimension of a nest of `dims` dimensions: sizes are known at run time only.
pub fn nominal_extent(dims: usize) -> u64 {
    match dims {
        1 => 1 << 24,
        2 => 1 << 13,
        _ => 384,
    }
}

/// Seconds per instance; smaller is better.
pub fn estimate(counts: &Counts, device: &Device) -> f64 {
    let useful = counts.instances.saturating_sub(counts.redundant).max(1) as f64;
    let launch_work = useful * (counts.tiles_per_block.max(1) * counts.blocks.max(1)) as f64;
    let seconds = match device {
        Device::Gpu(_) => gpu_launch(counts),
        Device::Host(host) => host_launch(counts, host.cache_bytes),
    };
    seconds * counts.launches.max(1) as f64 / launch_work
}

/// Multiprocessors, and what one of them does in a second.
mod gpu {
    pub const UNITS: f64 = 132.0;
    pub const SHARED: u64 = 227 << 10;
    pub const THREADS: u64 = 2048;
    pub const BLOCKS: u64 = 16;
    /// Bytes from memory.
    pub const BYTES: f64 = 4.2e12 / UNITS;
    /// Bytes into the second-level cache.
    pub const CACHE_BYTES: f64 = 4e12 / UNITS;
    /// Bytes through shared memory.
    pub const SHARED_BYTES: f64 = 32e12 / UNITS;
    /// Lane operations.
    pub const LANES: f64 = 32e12 / UNITS;
    /// Seconds for a level: the latency of loads, arithmetic, stores and the barrier in sequence.
    pub const LEVEL: f64 = 150e-9;
    pub const LAUNCH: f64 = 4e-6;
}

fn gpu_launch(c: &Counts) -> f64 {
    let resident = (gpu::SHARED / c.shared_bytes.max(1))
        .min(gpu::THREADS / c.threads.max(1))
        .clamp(1, gpu::BLOCKS) as f64;
    let idle = c.issued as f64 / c.instances.max(1) as f64;
    let transfer = resident
        * (c.bytes as f64 / gpu::BYTES).max((c.bytes / 2 + c.restored) as f64 / gpu::CACHE_BYTES);
    let shared = if c.shared_bytes > 0 {
        resident * c.touched as f64 * idle / gpu::SHARED_BYTES
    } else {
        0.0
    };
    // Addresses, loads and stores go with each operation.
    let arithmetic = resident * 2.0 * c.operations as f64 * idle / gpu::LANES;
    let chain = c.barriers as f64 * gpu::LEVEL;
    let tile =
        transfer.max(shared).max(arithmetic).max(chain) + 0.25 * (transfer + shared + arithmetic);
    let rounds = (c.blocks as f64 / (gpu::UNITS * resident)).ceil();
    rounds * c.tiles_per_block as f64 * tile + gpu::LAUNCH
}

/// Cores, and what one of them does in a second.
mod host {
    pub const CORES: f64 = 16.0;
    /// Bytes from memory, all cores busy.
    pub const BYTES: f64 = 8e9;
    /// Bytes between the cache that a tile fits and the vector units.
    pub const CACHE_BYTES: f64 = 60e9;
    /// Lane operations.
    pub const LANES: f64 = 30e9;
    /// Seconds to start a row.
    pub const ROW: f64 = 8e-9;
    pub const LAUNCH: f64 = 5e-6;
}

fn host_launch(c: &Counts, cache_bytes: u64) -> f64 {
    // Beyond the cache, every level moves its share of the tile through memory.
    let fill = c.working_set as f64 / cache_bytes as f64;
    let levels = c.barriers.max(1) as f64;
    let passes =
        if fill <= 1.0 { 1.0 } else { 1.0 + (fill - 1.0).min(1.0) * (levels / 2.0 - 1.0).max(0.0) };
    let transfer = passes * c.bytes as f64 / host::BYTES;
    let compute = c.touched as f64 / host::CACHE_BYTES
        + c.operations as f64 / host::LANES
        + c.rows as f64 * host::ROW;
    // Cores take blocks as they become free: the last one may start when all others end (Graham's bound).
    let rounds = c.blocks as f64 / host::CORES + 1.0;
    rounds * c.tiles_per_block as f64 * (transfer + compute) + host::LAUNCH
}
