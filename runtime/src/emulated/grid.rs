//! A launch: checks it, hands out blocks to threads, and runs the warps of a block from barrier to
//! barrier. Blocks are handed out in rising order and every block below a failing one is finished,
//! so that the error reported does not depend on the number of threads.

use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::code::*;
use super::decode::push_rows;
use super::error::{Fault, LaunchError};
use super::layout::{GLOBAL_WINDOW, MOST_SHARED};
use super::memory::{Map, Memory};
use super::transfer::View;
use super::warp::{Stop, Warp, run};
use super::{Kernel, Limits};

/// What shared memory holds before a block writes it, in every byte: as floating point a NaN.
const UNWRITTEN: u64 = u64::MAX;

/// Runs `kernel` over the grid; see [`launch_within`](super::launch_within).
pub fn launch(
    kernel: &Kernel,
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_shared: u32,
    params: &[u8],
    memory: &Memory,
    limits: Limits,
) -> Result<(), LaunchError> {
    let shape = Shape { grid, block, dynamic_shared };
    check(kernel, shape, params)?;
    let constants = constants(kernel, shape, params);
    let launch = Launch {
        kernel,
        shape,
        constants: &constants,
        memory,
        budget: limits.instructions.unwrap_or(u64::MAX),
        next: AtomicU64::new(0),
        failed_from: AtomicU64::new(u64::MAX),
        failure: Mutex::new(None),
    };
    let blocks: u64 = grid.iter().map(|&n| u64::from(n)).product();
    let workers = (limits.threads.max(1) as u64).min(blocks);
    if workers <= 1 {
        launch.work(blocks);
    } else {
        rayon::scope(|scope| {
            (0..workers).for_each(|_| scope.spawn(|_| launch.work(blocks)));
        });
    }
    let failure = launch.failure.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    failure.map_or(Ok(()), |(_, error)| Err(error))
}

#[derive(Clone, Copy)]
struct Shape {
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_shared: u32,
}

impl Shape {
    fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    fn warps(&self) -> u32 {
        self.threads().div_ceil(32)
    }

    /// The coordinates of thread `index` of a block.
    fn thread(&self, index: u32) -> [u32; 3] {
        let [x, y, _] = self.block;
        [index % x, index / x % y, index / x / y]
    }

    fn block(&self, index: u64) -> [u32; 3] {
        let [x, y, _] = self.grid.map(u64::from);
        [(index % x) as u32, (index / x % y) as u32, (index / x / y) as u32]
    }
}

fn check(kernel: &Kernel, shape: Shape, params: &[u8]) -> Result<(), LaunchError> {
    let refuse = |reason: String| {
        Err(LaunchError {
            kernel: kernel.name.clone(),
            block: [0; 3],
            thread: [0; 3],
            line: 0,
            fault: Fault::Refused(reason),
        })
    };
    let Shape { grid, block, dynamic_shared } = shape;
    if grid.contains(&0) || grid[0] > i32::MAX as u32 || grid[1] > 65535 || grid[2] > 65535 {
        return refuse(format!("a grid of {grid:?} blocks"));
    }
    let threads = block.iter().try_fold(1u32, |product, &n| product.checked_mul(n));
    if threads.is_none_or(|threads| threads == 0 || threads > 1024) || block[2] > 64 {
        return refuse(format!("a block of {block:?} threads"));
    }
    if let Some(required) = kernel.required_threads.filter(|required| *required != block) {
        return refuse(format!("a block of {block:?} threads where {required:?} are required"));
    }
    let most = kernel.max_threads.map(|most| most.iter().map(|&n| u64::from(n)).product::<u64>());
    if most.is_some_and(|most| u64::from(shape.threads()) > most) {
        return refuse(format!("a block of {block:?} threads, more than `.maxntid` allows"));
    }
    if u64::from(kernel.dynamic_base) + u64::from(dynamic_shared) > MOST_SHARED {
        return refuse(format!("{dynamic_shared} bytes of dynamic shared memory"));
    }
    let wanted = kernel.params.last().map_or(0, |last| last.offset + last.size);
    if params.len() < wanted as usize {
        return refuse(format!("{} bytes of parameters where {wanted} are needed", params.len()));
    }
    Ok(())
}

/// The constant bank of this launch.
fn constants(kernel: &Kernel, shape: Shape, params: &[u8]) -> Vec<Row> {
    let mut rows = kernel.constants.clone();
    for &(fill, slot, bytes) in &kernel.fills {
        let value = match fill {
            Fill::Param { offset, bytes, signed } => param(params, offset, bytes, signed),
            Fill::BlockDim(axis) => shape.block[usize::from(axis)].into(),
            Fill::GridDim(axis) => shape.grid[usize::from(axis)].into(),
            Fill::Warps => shape.warps().into(),
            Fill::DynamicShared => shape.dynamic_shared.into(),
            Fill::TotalShared => u64::from(kernel.dynamic_base + shape.dynamic_shared),
        };
        let mut filled = Vec::with_capacity(2);
        push_rows(&mut filled, value, bytes);
        rows[slot.row()..slot.row() + filled.len()].copy_from_slice(&filled);
    }
    rows
}

fn param(params: &[u8], offset: u32, bytes: u8, signed: bool) -> u64 {
    let mut raw = [0; 8];
    let (from, to) = (offset as usize, offset as usize + usize::from(bytes));
    raw[..usize::from(bytes)].copy_from_slice(&params[from..to]);
    let spare = 64 - 8 * u32::from(bytes);
    let top = u64::from_le_bytes(raw) << spare;
    if signed { ((top as i64) >> spare) as u64 } else { top >> spare }
}

struct Launch<'l> {
    kernel: &'l Kernel,
    shape: Shape,
    constants: &'l [Row],
    memory: &'l Memory,
    budget: u64,
    next: AtomicU64,
    /// No block from here on has to run.
    failed_from: AtomicU64,
    failure: Mutex<Option<(u64, LaunchError)>>,
}

impl Launch<'_> {
    /// Runs blocks until none is left: what one thread does.
    fn work(&self, blocks: u64) {
        let _rounding = float_environment::Default::enter();
        let mut worker = Worker::new(self);
        loop {
            let block = self.next.fetch_add(1, Ordering::Relaxed);
            if block >= blocks || block >= self.failed_from.load(Ordering::Relaxed) {
                break;
            }
            if let Err((warp, stop)) = worker.run_block(self, block) {
                self.fail(block, warp, stop);
            }
        }
        worker.scratch.keep();
    }

    fn fail(&self, block: u64, warp: u32, stop: Stop) {
        self.failed_from.fetch_min(block, Ordering::Relaxed);
        let fault = match stop.fault {
            Fault::Budget(_) => Fault::Budget(self.budget),
            fault => fault,
        };
        let error = LaunchError {
            kernel: self.kernel.name.clone(),
            block: self.shape.block(block),
            thread: self.shape.thread(32 * warp + stop.lane),
            line: stop.line,
            fault,
        };
        let mut failure = self.failure.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if failure.as_ref().is_none_or(|(first, _)| block < *first) {
            *failure = Some((block, error));
        }
    }
}

/// The memory of one block at a time, kept by its thread from launch to launch.
#[derive(Default)]
struct Scratch {
    /// Every warp's registers, one after the other.
    registers: Vec<Row>,
    /// Every warp's thread bank.
    threads: Vec<Row>,
    shared: Vec<u128>,
    local: Vec<u128>,
    warps: Vec<Warp>,
}

thread_local! {
    static KEPT: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

/// A thread keeps scratch memory of at most this many bytes.
const KEPT_BYTES: usize = 32 << 20;

impl Scratch {
    fn take() -> Box<Scratch> {
        KEPT.take().unwrap_or_default()
    }

    fn keep(self: Box<Self>) {
        let rows = self.registers.capacity() + self.threads.capacity();
        let words = self.shared.capacity() + self.local.capacity();
        if rows * size_of::<Row>() + words * 16 <= KEPT_BYTES {
            KEPT.set(Some(self));
        }
    }
}

struct Worker {
    scratch: Box<Scratch>,
    map: Map,
    shared_bytes: u64,
    /// Rows of one warp.
    rows: usize,
    /// Sixteen-byte words of one warp's local memory.
    local_words: usize,
    /// How many threads meet at each barrier that warps have come to since all have met, if one says it; all, where it
    /// says nothing.
    meetings: [Option<Option<u32>>; LAST_BARRIER as usize + 1],
}

impl Worker {
    fn new(launch: &Launch<'_>) -> Worker {
        let (kernel, shape) = (launch.kernel, launch.shape);
        let mut scratch = Scratch::take();
        let warps = shape.warps() as usize;
        let rows = kernel.register_rows as usize;
        let shared_bytes = match shape.dynamic_shared {
            0 => kernel.static_shared.into(),
            dynamic => u64::from(kernel.dynamic_base) + u64::from(dynamic),
        };
        let local_words = kernel.local_bytes.div_ceil(16) as usize * 32;
        let zero = Row([0; 32]);
        grow(&mut scratch.registers, (warps * rows).max(1), zero);
        grow(&mut scratch.shared, (shared_bytes as usize).div_ceil(16), 0);
        grow(&mut scratch.local, warps * local_words, 0);
        scratch.threads.clear();
        scratch.threads.resize(warps * thread_row::COUNT, zero);
        for (warp, rows) in scratch.threads.chunks_mut(thread_row::COUNT).enumerate() {
            thread_bank(shape, warp as u32, rows);
        }
        scratch.warps.resize_with(warps.max(scratch.warps.len()), Warp::default);
        for warp in &mut scratch.warps[..warps] {
            warp.predicates.clear();
            warp.predicates.resize(kernel.predicates as usize, 0);
        }
        let storage = &kernel.globals;
        // SAFETY: Memory's regions are valid by the promise of `add_region`; the module's storage
        // is a vector of atomics, which the kernel keeps alive; both outlive the launch.
        let map =
            unsafe { Map::new(launch.memory, GLOBAL_WINDOW, storage.pointer(), storage.bytes()) };
        let meetings = Default::default();
        Worker { scratch, map, shared_bytes, rows, local_words, meetings }
    }

    /// Runs one block to its end; a failure comes with its warp.
    fn run_block(&mut self, launch: &Launch<'_>, index: u64) -> Result<(), (u32, Stop)> {
        let shape = launch.shape;
        let block = shape.block(index).map(|n| Row([n; 32]));
        let shared_words = (self.shared_bytes as usize).div_ceil(8);
        let pattern = (u128::from(UNWRITTEN) << 64) | u128::from(UNWRITTEN);
        self.scratch.shared[..shared_words.div_ceil(2)].fill(pattern);
        if self.local_words > 0 {
            self.scratch.local.fill(0);
        }
        let warps = shape.warps();
        for warp in 0..warps {
            let lanes = (shape.threads() - 32 * warp).min(32);
            self.scratch.warps[warp as usize].start(u32::MAX >> (32 - lanes));
            for &row in &launch.kernel.zeroed_rows {
                self.scratch.registers[warp as usize * self.rows + row as usize] = Row([0; 32]);
            }
        }
        let mut budget = launch.budget;
        self.meetings = Default::default();
        loop {
            for warp in 0..warps {
                // Where some warps meet apart from the others, they go on at once, as far ahead of these as they can.
                while self.scratch.warps[warp as usize].can_run() {
                    self.run_warp(launch, &block, warp, &mut budget).map_err(|s| (warp, s))?;
                    self.arrive(launch, warp)?;
                    self.release_group(warp, warps);
                }
            }
            let can_run = self.scratch.warps[..warps as usize].iter().any(Warp::can_run);
            if !can_run && !self.release(launch, warps)? {
                return Ok(());
            }
        }
    }

    fn run_warp(
        &mut self,
        launch: &Launch<'_>,
        block: &[Row; BLOCK_ROWS],
        warp: u32,
        budget: &mut u64,
    ) -> Result<(), Stop> {
        let Worker { scratch, map, shared_bytes, rows, local_words, .. } = self;
        let warp = warp as usize;
        let Scratch { registers, threads, shared, local, warps } = &mut **scratch;
        // Constant, thread and block banks are only read; see the promise in `lanes`.
        let banks = [
            registers.as_mut_ptr().wrapping_add(warp * *rows),
            launch.constants.as_ptr().cast_mut(),
            threads.as_mut_ptr().wrapping_add(warp * thread_row::COUNT),
            block.as_ptr().cast_mut(),
        ];
        let mut copies = std::mem::take(&mut warps[warp].copies);
        let mut view = View {
            copies: &mut copies,
            map,
            shared: shared.as_mut_ptr().cast(),
            shared_bytes: *shared_bytes,
            local: local.as_mut_ptr().wrapping_add(warp * *local_words).cast(),
            local_bytes: launch.kernel.local_bytes.into(),
        };
        let ran = run(&launch.kernel.blocks, &mut warps[warp], banks, &mut view, budget);
        warps[warp].copies = copies;
        ran
    }

    /// A barrier is of all threads, or of so many, until all threads of the block have met: others may still come to the
    /// one while these come to the other, and the device then stops.
    fn arrive(&mut self, launch: &Launch<'_>, warp: u32) -> Result<(), (u32, Stop)> {
        let Some(barrier) = self.scratch.warps[warp as usize].barrier() else { return Ok(()) };
        let Some(before) = self.meetings.get_mut(barrier.number as usize) else { return Ok(()) };
        if *before.get_or_insert(barrier.threads) == barrier.threads {
            return Ok(());
        }
        let fault = Fault::BarrierSizes { barrier: barrier.number };
        Err((warp, self.stopped(launch, warp as usize, fault)))
    }

    /// Opens the barrier of a given number of threads at which a warp waits, if as many have arrived.
    fn release_group(&mut self, warp: u32, warps: u32) {
        let warps = &mut self.scratch.warps[..warps as usize];
        let Some(Barrier { number, threads: Some(threads), .. }) = warps[warp as usize].barrier()
        else {
            return;
        };
        let is_here = |warp: &Warp| warp.barrier().is_some_and(|b| b.number == number);
        if 32 * warps.iter().filter(|w| is_here(w)).count() as u32 >= threads {
            warps.iter_mut().filter(|w| is_here(w)).for_each(Warp::release);
        }
    }

    /// Opens every barrier at which all have arrived; false where no warp is left.
    fn release(&mut self, launch: &Launch<'_>, warps: u32) -> Result<bool, (u32, Stop)> {
        let warps = &mut self.scratch.warps[..warps as usize];
        let waiting: Vec<(usize, Barrier)> = warps
            .iter()
            .enumerate()
            .filter_map(|(index, warp)| Some((index, warp.barrier()?)))
            .collect();
        let Some(&(first, barrier)) = waiting.first() else { return Ok(false) };
        if waiting.iter().all(|(_, b)| b.number == barrier.number) {
            self.meetings = Default::default();
        }
        let mut released = false;
        for &(index, barrier) in &waiting {
            let here = waiting.iter().filter(|(_, other)| other.number == barrier.number);
            let arrived = here.count() as u32;
            let open = match barrier.threads {
                Some(threads) => 32 * arrived >= threads,
                None => arrived as usize == waiting.len(),
            };
            if open {
                warps[index].release();
                released = true;
            }
        }
        if released {
            return Ok(true);
        }
        let fault = Fault::BarrierDeadlock { barrier: barrier.number };
        Err((first as u32, self.stopped(launch, first, fault)))
    }

    /// A warp stops where it waits.
    fn stopped(&self, launch: &Launch<'_>, warp: usize, fault: Fault) -> Stop {
        let fragment = self.scratch.warps[warp].fragments.first();
        let lines = fragment.map(|f| &launch.kernel.blocks[f.from as usize].lines);
        let line = lines.and_then(|lines| lines.last().copied()).unwrap_or(0);
        let lane = fragment.map_or(0, |fragment| fragment.mask.trailing_zeros() & 31);
        Stop { lane, line, fault }
    }
}

fn grow<T: Copy>(vector: &mut Vec<T>, length: usize, value: T) {
    if vector.len() < length {
        vector.resize(length, value);
    }
}

fn thread_bank(shape: Shape, warp: u32, rows: &mut [Row]) {
    for lane in 0..32u32 {
        let place = lane as usize;
        let thread = shape.thread(32 * warp + lane);
        for (axis, coordinate) in thread.into_iter().enumerate() {
            rows[thread_row::TID as usize + axis].0[place] = coordinate;
        }
        rows[thread_row::LANE as usize].0[place] = lane;
        rows[thread_row::WARP as usize].0[place] = warp;
        let bit = 1u32 << lane;
        let masks = [bit, bit | (bit - 1), bit - 1, !(bit - 1), !(bit | (bit - 1))];
        for (index, mask) in masks.into_iter().enumerate() {
            rows[thread_row::MASKS as usize + index].0[place] = mask;
        }
    }
}

/// Rust's arithmetic presumes rounding to nearest and denormals kept; a program compiled with
/// `-ffast-math` may have set its threads otherwise.
mod float_environment {
    #[cfg(target_arch = "x86_64")]
    pub struct Default {
        found: u32,
    }

    #[cfg(target_arch = "x86_64")]
    impl Default {
        const MXCSR: u32 = 0x1f80;

        pub fn enter() -> Default {
            let mut found = 0u32;
            // SAFETY: stores the control word into `found`.
            unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut found, options(nostack)) };
            Self::set(Self::MXCSR);
            Default { found }
        }

        fn set(word: u32) {
            // SAFETY: a valid control word with all exceptions masked, or the one found.
            unsafe {
                std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const word, options(nostack, readonly));
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    impl Drop for Default {
        fn drop(&mut self) {
            Self::set(self.found);
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub struct Default;

    #[cfg(not(target_arch = "x86_64"))]
    impl Default {
        pub fn enter() -> Default {
            Default
        }
    }
}
