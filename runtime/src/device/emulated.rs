//! The emulated grid as a device: the embedded PTX, interpreted on CPU threads.
//!
//! Memory is kept apart from the program's and copied as for a GPU, at addresses that are no addresses of this
//! process; fresh buffers hold a pattern that reads as NaN, so that whatever a plan forgets to copy shows.

use super::{Device, Lasting, Owner, cpu, kept, tools};
use crate::emulated::{Memory, Module, launch};
use crate::error::{Reason, Refusal};
use crate::options::Options;
use crate::record::{self, Nest};
use crate::run::Where;
use crate::transfer::{BUFFER_ALIGNMENT, Rows};
use hexpass_abi::{KernelCode, KernelRecord};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// A nest's PTX, parsed.
#[derive(Clone)]
pub struct Parsed(Arc<Module>);

impl std::fmt::Debug for Parsed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Parsed")
    }
}

/// Where the next buffer of any of these devices lies; programs have nothing there.
static NEXT_ADDRESS: AtomicU64 = AtomicU64::new(0x0100_0000_0000);
/// Addresses between buffers that belong to none.
const GAP: u64 = 1 << 20;
/// Bytes of all buffers of all of them.
static IN_USE: AtomicU64 = AtomicU64::new(0);
/// Fills fresh buffers: NaN as `float` and as `double`.
const POISON: u64 = u64::MAX;

/// The grid, for one nest or none.
pub struct Emulated<'a> {
    nest: Option<&'a Nest>,
    /// Of the variant that was loaded last.
    module: Option<Arc<Module>>,
    kernels: &'a [KernelRecord],
    threads: usize,
    start: Instant,
    // Before the buffers that it maps.
    memory: Memory,
    buffers: Vec<Buffer>,
}

/// Words that the grid and the copies reach through one raw pointer.
#[derive(Debug)]
pub struct Words(*mut [u64]);

// SAFETY: the words belong to one frame at a time, and are reached through the device that it has open.
unsafe impl Send for Words {}
// SAFETY: as above.
unsafe impl Sync for Words {}

impl Words {
    /// Fresh ones, unless the grid has no room for them.
    fn new(bytes: u64) -> Result<Words, Refusal> {
        let full =
            |what: String| Refusal::new(Reason::OutOfMemory, format!("the emulated grid: {what}"));
        let count = bytes.div_ceil(8);
        let mut words = Vec::new();
        words.try_reserve_exact(count as usize).map_err(|e| full(e.to_string()))?;
        let before = IN_USE.fetch_add(8 * count, Ordering::Relaxed);
        let most = Options::of_process().emulated_memory.unwrap_or(u64::MAX);
        if before.saturating_add(bytes) > most {
            IN_USE.fetch_sub(8 * count, Ordering::Relaxed);
            return Err(full(format!("{bytes} bytes asked for, {before} of {most} in use")));
        }
        words.resize(count as usize, POISON);
        Ok(Words(Box::into_raw(words.into_boxed_slice())))
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        IN_USE.fetch_sub(8 * self.0.len() as u64, Ordering::Relaxed);
        // SAFETY: comes from `Box::into_raw` in `new`, and is not used again.
        drop(unsafe { Box::from_raw(self.0) });
    }
}

struct Buffer {
    address: u64,
    bytes: u64,
    words: Arc<Words>,
}

impl<'a> Emulated<'a> {
    /// The grid for a nest, or to copy only.
    pub fn open(nest: Option<&'a Nest>, threads: usize) -> Emulated<'a> {
        Emulated {
            nest,
            module: None,
            kernels: &[],
            threads,
            start: Instant::now(),
            memory: Memory::new(),
            buffers: Vec::new(),
        }
    }

    /// Where `len` bytes at a device address lie in this process.
    fn locate(&self, address: u64, len: u64) -> Result<*mut u8, Refusal> {
        let inside = |b: &&Buffer| b.address <= address && address + len <= b.address + b.bytes;
        let Some(buffer) = self.buffers.iter().find(inside) else {
            return Err(Refusal::new(Reason::Internal, "a copy outside of every device buffer"));
        };
        Ok(buffer.words.0.cast::<u8>().wrapping_add((address - buffer.address) as usize))
    }

    fn each_row(&self, rows: &Rows, copy: impl Fn(*mut u8, *mut u8, usize)) -> Result<(), Refusal> {
        for row in 0..rows.count() {
            let row = rows.row(row);
            let device = self.locate(row.device, row.bytes)?;
            copy(row.host as *mut u8, device, row.bytes as usize);
        }
        Ok(())
    }
}

impl Emulated<'_> {
    fn start_grid(
        &self,
        code: &crate::emulated::Kernel,
        blocks: [u64; 3],
        block: [u32; 3],
        shared: u32,
        params: &[u64],
    ) -> Result<(), Refusal> {
        let grid = super::grid(blocks)?;
        let bytes: Vec<u8> = params.iter().flat_map(|p| p.to_le_bytes()).collect();
        let (memory, threads) = (&self.memory, self.threads);
        // The grid spreads its blocks over the pool that it is called in.
        cpu::within(threads, || launch(code, grid, block, shared, &bytes, memory, threads))?
            .map_err(|e| Refusal::new(Reason::LaunchFailed, format!("the emulated grid: {e}")))
    }
}

/// A variant's module from the text for the newest architecture, parsed at most once.
fn parse(nest: &Nest, index: usize) -> Result<Parsed, Refusal> {
    let mut modules = nest.modules.lock().unwrap_or_else(|e| e.into_inner());
    kept(&mut modules.emulated, index, || {
        let newest = nest.variant(index).ptx.iter().max_by_key(|p| p.arch);
        let newest =
            newest.ok_or_else(|| Refusal::new(Reason::ModuleLoad, "the object holds no PTX"))?;
        match Module::parse(record::text(newest)?) {
            Ok(module) => Ok(Parsed(Arc::new(module))),
            Err(e) => Err(Refusal::new(Reason::ModuleLoad, format!("the emulated grid: {e}"))),
        }
    })
}

fn entry<'a>(
    module: &'a Module,
    kernel: &KernelRecord,
) -> Result<&'a crate::emulated::Kernel, Refusal> {
    let KernelCode::Ptx(name) = &kernel.code else {
        return Err(Refusal::new(Reason::BadRecord, "a host kernel in a device variant"));
    };
    module.kernel(name).ok_or_else(|| {
        Refusal::new(
            Reason::ModuleLoad,
            format!("the emulated grid: there is no kernel {name} in the PTX"),
        )
    })
}

impl Device for Emulated<'_> {
    fn load(&mut self, index: usize) -> Result<(), Refusal> {
        let nothing = || Refusal::new(Reason::Internal, "kernels of no nest");
        let nest = self.nest.ok_or_else(nothing)?;
        let module = parse(nest, index)?.0;
        let kernels = &nest.variant(index).kernels;
        for kernel in kernels {
            entry(&module, kernel)?;
        }
        (self.module, self.kernels) = (Some(module), kernels);
        Ok(())
    }

    fn identity(&self) -> Where {
        Where::Emulated
    }

    fn alloc(&mut self, bytes: u64) -> Result<Lasting, Refusal> {
        let words = Arc::new(Words::new(bytes)?);
        let room = (bytes + GAP).next_multiple_of(BUFFER_ALIGNMENT);
        let address = NEXT_ADDRESS.fetch_add(room, Ordering::Relaxed);
        let buffer = Lasting { address, bytes, owner: Owner::Emulated(words) };
        self.attach(&buffer)?;
        Ok(buffer)
    }

    fn attach(&mut self, buffer: &Lasting) -> Result<(), Refusal> {
        let Lasting { address, bytes, owner: Owner::Emulated(words) } = buffer else {
            return Err(Refusal::new(Reason::Internal, "a buffer of another device"));
        };
        let (address, bytes, words) = (*address, *bytes, words.clone());
        // SAFETY: the words live until `buffers` is dropped, which is after `memory`; they are reached through this
        // pointer only, and copies don't run while a launch does.
        let added = unsafe { self.memory.add_region(address, words.0.cast(), bytes as usize) };
        self.buffers.push(Buffer { address, bytes, words });
        added.map_err(|e| Refusal::new(Reason::OutOfMemory, format!("the emulated grid: {e}")))
    }

    fn duplicate(&mut self, to: u64, from: u64, bytes: u64) -> Result<(), Refusal> {
        let (to, from) = (self.locate(to, bytes)?, self.locate(from, bytes)?);
        // SAFETY: `locate` has found both in our buffers.
        unsafe { to.copy_from(from, bytes as usize) };
        Ok(())
    }

    fn tool(&mut self, kernel: &str, blocks: [u64; 3], params: &[u64]) -> Result<(), Refusal> {
        static TOOLS: [OnceLock<Result<Module, String>>; tools::MODULES] =
            [const { OnceLock::new() }; tools::MODULES];
        let number = tools::module_of(kernel);
        let parsed = || Module::parse(&tools::text(number)).map_err(|e| e.to_string());
        let broken = |e: &str| Refusal::new(Reason::Internal, format!("the emulated grid: {e}"));
        let module = TOOLS[number].get_or_init(parsed).as_ref().map_err(|e| broken(e))?;
        let code = module.kernel(kernel).ok_or_else(|| broken("an unknown kernel"))?;
        self.start_grid(code, blocks, [tools::THREADS as u32, 1, 1], 0, params)
    }

    fn upload(&mut self, rows: &Rows) -> Result<(), Refusal> {
        if rows.loose && rows.count() > 1 {
            let span = rows.device_span(0, rows.count() - 1);
            let first = self.locate(rows.device, span)?;
            // SAFETY: `locate` has found all of it in one of our buffers.
            unsafe { first.write_bytes(POISON as u8, span as usize) };
        }
        // SAFETY: the guard has found the row in one of the program's arrays, `locate` in one of our buffers.
        self.each_row(rows, |host, device, len| unsafe {
            device.copy_from_nonoverlapping(host, len)
        })
    }

    fn download(&mut self, rows: &Rows) -> Result<(), Refusal> {
        // SAFETY: as in `upload`; the array is one that the nest writes.
        self.each_row(rows, |host, device, len| unsafe {
            host.copy_from_nonoverlapping(device, len)
        })
    }

    fn launch(&mut self, kernel: usize, blocks: [u64; 3], params: &[u64]) -> Result<(), Refusal> {
        let nothing = || Refusal::new(Reason::Internal, "a launch before kernels were loaded");
        let module = self.module.as_ref().ok_or_else(nothing)?;
        let record = &self.kernels[kernel];
        let code = entry(module, record)?;
        self.start_grid(code, blocks, record.threads, record.shared_bytes, params)
    }

    fn start(&mut self) -> Result<(), Refusal> {
        self.start = Instant::now();
        Ok(())
    }

    fn stop(&mut self) -> Result<f64, Refusal> {
        Ok(self.start.elapsed().as_secs_f64())
    }
}
