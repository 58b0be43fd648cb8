//! What a strategy may know of where a variant will run.

/// A kind of machine, with the limits that tile sizes must respect.
#[derive(Clone, Debug, PartialEq)]
pub enum Device {
    /// A GPU (or the emulated grid): blocks with shared memory.
    Gpu(Gpu),
    /// CPU cores with private caches.
    Host(Host),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Gpu {
    /// Shared memory a block may use, bytes.
    pub shared_bytes: u64,
    /// Threads of a block at most.
    pub max_threads: u32,
    /// Threads of a warp.
    pub warp: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Host {
    /// Cache that a tile should fit, bytes.
    pub cache_bytes: u64,
}

impl Device {
    /// The least that every GPU since sm_75 has: 48 KiB of shared memory without opting in.
    pub fn default_gpu() -> Device {
        Device::Gpu(Gpu { shared_bytes: 48 << 10, max_threads: 1024, warp: 32 })
    }

    /// A core with 2 MiB of second-level cache.
    pub fn default_host() -> Device {
        Device::Host(Host { cache_bytes: 2 << 20 })
    }
}
