//! CPU threads: the blocks of a launch over a pool, on the program's own memory.
//!
//! The pool starts with the first plan that needs it. Blocks are handed out as threads become free. Each thread
//! computes in the floating-point environment of the thread that reached the nest.

use super::{Device, Lasting};
use crate::error::{Reason, Refusal};
use crate::fp::Environment;
use crate::fresh;
use crate::record::Nest;
use crate::run::Where;
use crate::transfer::Rows;
use hexpass_abi::{HostKernel, KernelCode, KernelParam, KernelRecord};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// The pool's threads, for one nest.
pub struct Cpu<'a> {
    nest: &'a Nest,
    threads: usize,
    environment: Environment,
    host_kernels: &'a [Option<HostKernel>],
    kernels: Vec<HostKernel>,
    /// [`crate::plan::Job::private`]
    private: &'a [(u16, u64)],
    /// What does not change is not stored.
    careful: bool,
    /// For each kernel, the parameters that are addresses in those, with the distance between threads.
    addresses: Vec<Vec<(usize, u64)>>,
    /// See [`Device::scratch`].
    scratch: Vec<Vec<u64>>,
    start: Instant,
}

impl<'a> Cpu<'a> {
    /// The pool for a nest whose kernels are among `host_kernels`, as its header lists them.
    pub fn open(
        nest: &'a Nest,
        host_kernels: &'a [Option<HostKernel>],
        threads: usize,
        environment: Environment,
        (private, careful): (&'a [(u16, u64)], bool),
    ) -> Cpu<'a> {
        let (kernels, addresses, scratch) = (Vec::new(), Vec::new(), Vec::new());
        let start = Instant::now();
        Cpu {
            nest,
            threads,
            environment,
            host_kernels,
            kernels,
            private,
            careful,
            addresses,
            scratch,
            start,
        }
    }

    /// The parameters of a kernel that differ from thread to thread.
    fn addresses_of(&self, kernel: &KernelRecord) -> Vec<(usize, u64)> {
        let distance = |p: &KernelParam| match p {
            KernelParam::Slot { array, .. } | KernelParam::Buffer { array, .. } => {
                self.private.iter().find(|(a, _)| a == array).map(|(_, distance)| *distance)
            }
            _ => None,
        };
        let params = kernel.params.iter().enumerate();
        params.filter_map(|(i, p)| distance(p).map(|d| (i, d))).collect()
    }
}

impl Device for Cpu<'_> {
    fn shares_memory(&self) -> bool {
        true
    }

    fn scratch(&mut self, bytes: usize) -> Result<u64, Refusal> {
        let memory = fresh::zeros(bytes.div_ceil(8)).ok_or_else(|| {
            Refusal::new(Reason::OutOfMemory, format!("no {bytes} bytes for a scratch buffer"))
        })?;
        let address = memory.as_ptr() as u64;
        self.scratch.push(memory);
        Ok(address)
    }

    fn load(&mut self, index: usize) -> Result<(), Refusal> {
        let kernel = |k: &KernelRecord| match k.code {
            KernelCode::Host(i) => {
                let at = usize::from(i) + usize::from(self.careful);
                self.host_kernels.get(at).copied().flatten()
            }
            KernelCode::Ptx(_) => None,
        };
        let kernels = self.nest.variant(index).kernels.iter().map(kernel).collect();
        self.kernels = Option::ok_or_else(kernels, || {
            Refusal::new(Reason::BadRecord, "the object lacks a host kernel of its record")
        })?;
        let records = &self.nest.variant(index).kernels;
        self.addresses = records.iter().map(|k| self.addresses_of(k)).collect();
        Ok(())
    }

    fn identity(&self) -> Where {
        Where::Cpu
    }

    fn alloc(&mut self, _: u64) -> Result<Lasting, Refusal> {
        Err(no_buffers())
    }

    fn attach(&mut self, _: &Lasting) -> Result<(), Refusal> {
        Err(no_buffers())
    }

    fn duplicate(&mut self, _: u64, _: u64, _: u64) -> Result<(), Refusal> {
        Err(no_buffers())
    }

    fn tool(&mut self, _: &str, _: [u64; 3], _: &[u64]) -> Result<(), Refusal> {
        Err(no_buffers())
    }

    fn upload(&mut self, _: &Rows) -> Result<(), Refusal> {
        Ok(())
    }

    fn download(&mut self, _: &Rows) -> Result<(), Refusal> {
        Ok(())
    }

    fn launch(&mut self, kernel: usize, blocks: [u64; 3], params: &[u64]) -> Result<(), Refusal> {
        let (kernel, addresses) = (self.kernels[kernel], &self.addresses[kernel]);
        // A host kernel knows one axis; the record has been checked for that.
        let blocks = blocks[0];
        let next = AtomicU64::new(0);
        // A few portions for each thread even out blocks of unequal cost.
        let portion = (blocks / (self.threads as u64 * 16)).max(1);
        let workers = AtomicU64::new(0);
        let work = || {
            let worker = workers.fetch_add(1, Ordering::Relaxed);
            let mut own = Vec::new();
            let params = if addresses.is_empty() {
                params
            } else {
                own.extend_from_slice(params);
                for &(i, distance) in addresses {
                    own[i] = own[i].wrapping_add(worker * distance);
                }
                &own
            };
            self.environment.during(|| {
                loop {
                    let from = next.fetch_add(portion, Ordering::Relaxed);
                    if from >= blocks {
                        break;
                    }
                    for block in from..blocks.min(from + portion) {
                        run_block(kernel, params, block);
                    }
                }
            });
        };
        let helpers = (self.threads as u64).min(blocks) - 1;
        if helpers == 0 {
            work();
        } else {
            rayon::scope(|scope| {
                for _ in 0..helpers {
                    scope.spawn(|_| work());
                }
                work();
            });
        }
        Ok(())
    }

    fn start(&mut self) -> Result<(), Refusal> {
        self.start = Instant::now();
        Ok(())
    }

    fn stop(&mut self) -> Result<f64, Refusal> {
        Ok(self.start.elapsed().as_secs_f64())
    }
}

fn no_buffers() -> Refusal {
    Refusal::new(Reason::Internal, "host kernels have their buffers beside the program's memory")
}

fn run_block(kernel: HostKernel, params: &[u64], block: u64) {
    // SAFETY: the kernel was emitted together with the record whose guard has just held: with parameters packed as
    // `KernelRecord::params` says it touches nothing but the footprints that the guard found apart from each
    // other, and blocks of one launch touch no element that another block writes.
    unsafe { kernel(params.as_ptr(), block as i64) }
}

/// A pool belongs to the process that made it: its threads are gone after a fork.
struct Pool {
    process: u32,
    threads: usize,
    pool: &'static rayon::ThreadPool,
}

impl Pool {
    /// True if this process can use it. The process is asked for last: that costs a system call.
    fn serves(&self, threads: usize) -> bool {
        self.threads == threads && self.process == std::process::id()
    }
}

static POOL: Mutex<Option<Pool>> = Mutex::new(None);

/// True once a pool of this many threads is running.
pub fn is_running(threads: usize) -> bool {
    threads == 1 || POOL.lock().is_ok_and(|p| p.as_ref().is_some_and(|p| p.serves(threads)))
}

/// Runs `f` where [`Cpu::launch`] finds a pool of `threads` threads.
pub fn within<R: Send>(threads: usize, f: impl FnOnce() -> R + Send) -> Result<R, Refusal> {
    if threads == 1 {
        return Ok(f());
    }
    Ok(pool(threads)?.install(f))
}

/// Runs `f` in this thread, with a scope whose tasks a pool of `threads` threads runs meanwhile.
pub fn beside<'s, R>(threads: usize, f: impl FnOnce(&rayon::Scope<'s>) -> R) -> Result<R, Refusal> {
    Ok(pool(threads)?.in_place_scope(f))
}

fn pool(threads: usize) -> Result<&'static rayon::ThreadPool, Refusal> {
    let mut current = POOL.lock().unwrap_or_else(|e| e.into_inner());
    if let Some(p) = &*current
        && p.serves(threads)
    {
        return Ok(p.pool);
    }
    let built = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        // As much as a program's own thread has: kernels may keep tiles there.
        .stack_size(8 << 20)
        .thread_name(|i| format!("hexrt-{i}"))
        .build()
        .map_err(|e| {
            Refusal::new(Reason::NoDevice, format!("can't start {threads} threads: {e}"))
        })?;
    // Never torn down: nests may run until the very end of the program.
    let pool: &'static rayon::ThreadPool = Box::leak(Box::new(built));
    *current = Some(Pool { process: std::process::id(), threads, pool });
    Ok(pool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_serves_its_own_process_and_number_of_threads() {
        let built = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let pool: &'static rayon::ThreadPool = Box::leak(Box::new(built));
        let process = std::process::id();
        let ours = Pool { process, threads: 2, pool };
        assert!(ours.serves(2) && !ours.serves(3));
        // What a child finds after a fork.
        let parents = Pool { process: process + 1, threads: 2, pool };
        assert!(!parents.serves(2));
    }
}
