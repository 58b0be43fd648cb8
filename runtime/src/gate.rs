//! Estimates whether a device would finish a nest sooner than the original loop.
//!
//! Consumes an [`Extent`], the record's operation counts and the plans of the variants; produces seconds. Every
//! estimate is built from the work at hand (operations, bytes, launches, blocks) and the one table of costs below;
//! what has been measured in this process takes the table's place.

use crate::choice::Pick;
use crate::footprint::Cuboid;
use crate::guard::Extent;
use crate::paired::Paired;
use crate::pause::Pause;
use crate::plan;
use crate::record::Nest;
use crate::terms;
use hexpass_abi::{Machine, Reduces, Variant, VariantTarget};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// What things cost: seconds, and bytes per second. Rough on purpose: a decision between neighbours that differ by
/// little matters little. Sources: a two-core x86-64 server of 2023 and an H200.
pub mod costs {
    /// One arithmetic operation or load of the original loop, vectorised and in cache.
    pub const OPERATION: f64 = 0.05e-9;
    /// The same where each step ends in a reduction, which keeps compilers from using vectors.
    pub const REDUCED_OPERATION: f64 = 0.1e-9;
    /// An original loop that takes less is tried against the CPU's kernels by turns, if it comes again.
    pub const SHORT: f64 = 10e-3;
    /// What one core draws from memory.
    pub const CORE_BANDWIDTH: f64 = 10e9;
    /// What all cores draw together, at most this many times as much.
    pub const BANDWIDTH_CORES: f64 = 8.0;
    /// Starting one thread of the pool.
    pub const THREAD_START: f64 = 50e-6;
    /// Handing a nest to the pool and getting back from there.
    pub const POOL_ENTRY: f64 = 15e-6;
    /// More of it for a nest of one step: it comes again and again, the pool's threads fall asleep in between, and a short
    /// sweep is over before the last of them is awake.
    pub const POOL_WAKE: f64 = 100e-6;
    /// More of it where sweeps run ahead of a loop that looks at each step's result. Grids in cache, which the original goes through at full speed, don't win that back.
    pub const AHEAD: f64 = 1e-3;
    /// Bytes a second at which threads keep the results of a row, for each step: memory that nobody has touched before.
    pub const CELL_BANDWIDTH: f64 = 2e9;
    /// The same of each of several threads, of terms that are to be added up in order, in memory that they have been kept in
    /// before.
    pub const TERM_BANDWIDTH: f64 = 6e9;
    /// Seconds from one addition of the original loop to the next, which waits for it, at least.
    pub const SERIAL_TERM: f64 = 0.8e-9;
    /// Seconds in which a thread adds a term of several steps to each of their sums, and of one step, and in which it goes
    /// through a term of a chunk.
    pub const TERM: f64 = 0.4e-9;
    pub const LONE_TERM: f64 = 1.3e-9;
    pub const CHUNK_TERM: f64 = 0.7e-9;
    /// Seconds in which threads begin and end a group of chunks.
    pub const CHUNKS: f64 = 15e-6;
    /// Bytes a second at which terms come home from a GPU.
    pub const TERMS_HOME: f64 = 1e10;
    /// Seconds in which a sum is guessed on a GPU and followed, and for each of its terms.
    pub const CUDA_SUM: f64 = 150e-6;
    pub const CUDA_TERM: f64 = 0.04e-9;
    /// Bytes a second at which each of several threads keeps what steps overwrite.
    pub const SAVE_BANDWIDTH: f64 = 3e9;
    /// The same the first time, in memory that nobody has touched before, and for how many threads.
    pub const FRESH_BANDWIDTH: f64 = 1e9;
    pub const FRESH_CORES: f64 = 4.0;
    /// Each launch on the pool: waking threads, and waiting for the last.
    pub const POOL_LAUNCH: f64 = 5e-6;
    /// The same for each thread beyond the first.
    pub const POOL_LAUNCH_THREAD: f64 = 0.5e-6;
    /// A launch that runs in the calling thread.
    pub const INLINE_LAUNCH: f64 = 0.1e-6;
    /// Guard, parameters and bookkeeping of a nest that runs.
    pub const NEST: f64 = 5e-6;
    /// Initialising the driver and creating a context.
    pub const CUDA_START: f64 = 0.3;
    /// Loading a nest's kernels where the driver need not compile them, or has them in its cache.
    pub const CUDA_MODULE: f64 = 0.01;
    /// Compiling a byte of PTX.
    pub const CUDA_COMPILE: f64 = 2.4e-6;
    /// How often that has to be done, of all runs of a program.
    pub const CUDA_UNCACHED: f64 = 0.5;
    /// Allocation, synchronisation and the like for one nest on a GPU.
    pub const CUDA_NEST: f64 = 100e-6;
    /// One launch on a GPU.
    pub const CUDA_LAUNCH: f64 = 5e-6;
    /// Part of the kernels' time that trying others saves.
    pub const TUNING: f64 = 0.05;
    /// One operation or load on a GPU, all of it busy.
    pub const CUDA_OPERATION: f64 = 0.5e-12;
    /// What a GPU draws from its memory.
    pub const CUDA_BANDWIDTH: f64 = 1e12;
    /// A device must be this much faster than the original to be worth it.
    pub const ADVANTAGE: f64 = 1.25;
}

use costs::*;

/// Launches of a plan that are looked at, and how many times wider a grid is made, to tell whole blocks from others.
const LOOKED_AT: u32 = 4;
const WIDER: i64 = 8;

/// The work of one execution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    /// Operations and loads over all steps.
    pub operations: f64,
    /// Bytes of all arrays that a step goes through.
    pub footprint: f64,
    /// Bytes of those that are kept before steps that run ahead overwrite them.
    pub kept: f64,
    /// Steps have run ahead on threads: what they keep has memory.
    pub has_memory: bool,
    /// Seconds of the original loop.
    pub original: f64,
    /// Of one operation or load.
    operation: f64,
    steps: f64,
}

impl Work {
    /// The work of an execution.
    pub fn of(nest: &Nest, extent: &Extent, has_memory: bool) -> Work {
        let per_step: f64 = extent
            .statements
            .iter()
            .zip(&nest.weights)
            .map(|(b, w)| b.as_ref().map_or(0.0, |b| b.volume() * w))
            .sum();
        let steps = extent.steps as f64;
        let operations = per_step * steps;
        let (mut footprint, mut kept) = (0.0, 0.0);
        for (index, bytes) in arrays(nest, extent) {
            footprint += bytes;
            let mut writes = nest.record.statements.iter().flat_map(|s| &s.writes);
            let mut reads = nest.record.statements.iter().flat_map(|s| &s.reads);
            // One step writes again what it only writes.
            let in_place = nest.record.arrays[index].slots.len() == 1
                && reads.any(|r| usize::from(r.array) == index);
            if (steps > 1.0 || in_place) && writes.any(|w| usize::from(w.array) == index) {
                kept += bytes;
            }
        }
        let traffic = if leaves_cache(footprint) { footprint * steps } else { 0.0 };
        let reduces = !nest.record.reductions.is_empty();
        let operation = if reduces { REDUCED_OPERATION } else { OPERATION };
        let serial = match nest.record.reductions.iter().any(|r| r.kind.is_a_sum()) {
            true => SERIAL_TERM * extent.space.volume() * steps,
            false => 0.0,
        };
        let original = (operations * operation).max(traffic / CORE_BANDWIDTH).max(serial);
        Work { operations, footprint, kept, has_memory, original, operation, steps }
    }

    /// True if no device could win, whatever its plan.
    pub fn is_trivial(&self) -> bool {
        self.original < ADVANTAGE * (NEST + INLINE_LAUNCH)
    }
}

/// The program's arrays, with the bytes of all their slots.
fn arrays(nest: &Nest, extent: &Extent) -> impl Iterator<Item = (usize, f64)> {
    let all = nest.record.arrays.iter().enumerate();
    all.filter(|(index, _)| !nest.record.is_own(*index)).map(|(index, array)| {
        let dims = extent.space.dims.saturating_sub(array.strides.len())..extent.space.dims;
        let elements: f64 = dims.map(|d| extent.space.extent(d) as f64).product();
        (index, elements * (array.elem.size() * array.slots.len() as u64) as f64)
    })
}

/// Bytes of all of them.
pub fn footprint(nest: &Nest, extent: &Extent) -> f64 {
    arrays(nest, extent).map(|(_, bytes)| bytes).sum()
}

/// Bytes of what a step adds up in order.
pub fn bytes_of_terms(nest: &Nest, extent: &Extent) -> f64 {
    let mut kept: Vec<u16> =
        nest.record.reductions.iter().filter(|r| r.kind.is_ordered()).map(|r| r.array).collect();
    kept.dedup();
    let size = |array: u16| nest.record.arrays[usize::from(array)].elem.size() as f64;
    kept.iter().map(|&array| instances(nest, extent, array) * size(array)).sum()
}

/// How many instances of a step write to an array that it is reduced from, each to an element of its own.
pub fn instances(nest: &Nest, extent: &Extent, array: u16) -> f64 {
    let all = nest.record.statements.iter().zip(&extent.statements);
    let writing = all.filter(|(s, _)| s.writes.iter().any(|w| w.array == array));
    writing.filter_map(|(_, space)| space.as_ref().map(Cuboid::volume)).sum()
}

/// The original loop is so short that running it a few times more than need be does not matter.
pub fn is_soon_over(work: &Work) -> bool {
    work.original < SHORT
}

/// No last-level cache is smaller: what fits into so much needs no look at how large it is, which reads files.
const SMALLEST_CACHE: f64 = 1048576.0;

/// True if it takes more room than the last-level cache has.
fn leaves_cache(footprint: f64) -> bool {
    footprint > SMALLEST_CACHE && footprint > cache_bytes()
}

/// Size of the last-level cache.
fn cache_bytes() -> f64 {
    static BYTES: OnceLock<f64> = OnceLock::new();
    *BYTES.get_or_init(|| {
        let path = |i| format!("/sys/devices/system/cpu/cpu0/cache/index{i}/size");
        let last = (0..6).rev().find_map(|i| std::fs::read_to_string(path(i)).ok());
        let kilobytes = last.and_then(|s| s.trim().strip_suffix('K')?.parse::<f64>().ok());
        kilobytes.unwrap_or(16384.0) * 1024.0
    })
}

/// Launches of a plan, and the seconds that starting them takes.
struct Launches {
    count: f64,
    seconds: f64,
}

/// Counts launches, each costing what `cost` says of its blocks; `None` as soon as that is more than `most`.
fn launches(
    variant: &Variant,
    pick: &Pick,
    extent: &Extent,
    most: f64,
    cost: impl Fn(u64) -> f64,
) -> Option<Launches> {
    let mut l = Launches { count: 0.0, seconds: 0.0 };
    let values = plan::Values { extent, tunables: &pick.tunables };
    let flow = plan::tally(variant, values, &mut |blocks, times| {
        l.count += times;
        l.seconds += times * cost(blocks.iter().product());
        if l.seconds > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    flow.is_continue().then_some(l)
}

/// How many blocks of a launch have the work of a whole one: those at a grid's ends have less. Found by what a grid that
/// is wider has more of them.
fn whole_blocks(variant: &Variant, pick: &Pick, extent: &Extent) -> f64 {
    let blocks = |extent: &Extent| {
        let (mut blocks, mut launches) = (0.0, 0);
        let values = plan::Values { extent, tunables: &pick.tunables };
        let _ = plan::walk(variant, values, &mut |launch| {
            blocks += launch.blocks.iter().product::<u64>() as f64;
            launches += 1;
            if launches < LOOKED_AT { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        blocks / f64::from(launches.max(1))
    };
    let here = blocks(extent);
    let mut whole = here;
    for (d, (lo, hi)) in extent.space.bounds().enumerate() {
        let mut wider = extent.clone();
        wider.space.hi[d] = hi + WIDER * (hi - lo + 1);
        let more = blocks(&wider) - here;
        if more > 0.0 {
            whole *= (more / WIDER as f64 / here).min(1.0);
        }
    }
    whole
}

/// How many times as fast threads are as one, with so many blocks to share: a launch takes as long as one block at least,
/// and half a block longer than the average thread works.
fn at_once(threads: usize, blocks: f64) -> f64 {
    let threads = threads as f64;
    let longest = (blocks / threads + 0.5 * (1.0 - 1.0 / threads)).max(1.0);
    (blocks / longest).max(1.0)
}

/// Seconds on the CPU's threads once these run; `None` if not below `most`.
pub fn on_cpu(
    nest: &Nest,
    pick: &Pick,
    extent: &Extent,
    work: &Work,
    threads: usize,
    most: f64,
) -> Option<f64> {
    let entry = entry(nest, extent, work, threads, threads);
    let variant = nest.variant(pick.index);
    let parallel = match threads {
        1 => 1.0,
        _ => at_once(threads, whole_blocks(variant, pick, extent)),
    };
    // Sizes that give threads too little to share need no count of launches.
    let working = work.operations * work.operation / parallel;
    let most = most - entry;
    if working >= most {
        return None;
    }
    let pooled = POOL_LAUNCH + POOL_LAUNCH_THREAD * (threads as f64 - 1.0);
    let cost = |blocks| if threads == 1 || blocks == 1 { INLINE_LAUNCH } else { pooled };
    let l = launches(variant, pick, extent, most, cost)?;
    // Each launch goes through memory once, however many steps it takes.
    let passes = l.count.min(work.steps);
    let traffic = if leaves_cache(work.footprint) { work.footprint * passes } else { 0.0 };
    let busy = working.max(traffic / (CORE_BANDWIDTH * parallel.min(BANDWIDTH_CORES)));
    Some(l.seconds + busy).filter(|&s| s < most).map(|s| entry + s)
}

/// Seconds that so many threads of the CPU take beside their launches, with results of rows for `keeping` of them.
fn entry(nest: &Nest, extent: &Extent, work: &Work, threads: usize, keeping: usize) -> f64 {
    let wake = if work.steps > 1.0 { 0.0 } else { POOL_WAKE };
    let all = &nest.record.reductions;
    let ahead = if all.is_empty() {
        0.0
    } else {
        let cores = (threads as f64).min(BANDWIDTH_CORES);
        let save = match work.has_memory {
            true => SAVE_BANDWIDTH * cores,
            false => FRESH_BANDWIDTH * cores.min(FRESH_CORES),
        };
        let rows = all.iter().filter(|r| !r.kind.is_ordered()).count();
        let kept = cells(rows, extent, keeping) / CELL_BANDWIDTH;
        let terms = bytes_of_terms(nest, extent) * work.steps / (TERM_BANDWIDTH * cores);
        let adding = add_up(nest, extent, work, threads);
        AHEAD + kept + terms + adding + work.kept / save
    };
    ahead + if threads == 1 { NEST } else { NEST + POOL_ENTRY + wake }
}

/// Seconds that [`on_cpu`] never falls below, whatever the variant, on one thread or at most so many: all blocks are equal,
/// and a single launch goes through memory once.
pub fn on_cpu_at_best(nest: &Nest, extent: &Extent, work: &Work, threads: usize) -> f64 {
    let traffic = if leaves_cache(work.footprint) { work.footprint } else { 0.0 };
    let busy = |threads: f64| {
        let bandwidth = CORE_BANDWIDTH * threads.min(BANDWIDTH_CORES);
        (work.operations * work.operation / threads).max(traffic / bandwidth)
    };
    let alone = entry(nest, extent, work, 1, 1) + busy(1.0);
    let together = entry(nest, extent, work, threads.max(2), 2) + busy(threads as f64);
    INLINE_LAUNCH + if threads == 1 { alone } else { alone.min(together) }
}

/// Bytes in which threads keep what the rows of each step are reduced to.
fn cells(reductions: usize, extent: &Extent, threads: usize) -> f64 {
    let row = extent.space.extent(extent.space.dims.saturating_sub(1)) as f64;
    8.0 * row * extent.steps as f64 * reductions as f64 * threads as f64
}

/// The terms of each sum in the loop's order.
fn ordered(nest: &Nest, extent: &Extent) -> Vec<f64> {
    let sums = nest.record.reductions.iter().filter(|r| r.kind == Reduces::Terms);
    sums.map(|r| instances(nest, extent, r.array)).collect()
}

/// Seconds in which terms are added up as the loop would.
fn add_up(nest: &Nest, extent: &Extent, work: &Work, threads: usize) -> f64 {
    let one = |terms: f64| match work.steps <= terms::ALONE as f64 * threads as f64 {
        true if !nest.hard_sums.iter().any(Pause::is_on) => {
            let groups = (terms / (terms::group(threads) as f64)).ceil();
            let each = CHUNK_TERM / (threads as f64).min(BANDWIDTH_CORES);
            work.steps * (groups * CHUNKS + terms * each)
        }
        _ => in_order(terms, work, threads),
    };
    ordered(nest, extent).into_iter().map(one).sum()
}

/// The same for a sum of so many terms, one after the other.
fn in_order(terms: f64, work: &Work, threads: usize) -> f64 {
    let each = if work.steps > 1.0 { TERM / (threads as f64).min(work.steps) } else { LONE_TERM };
    terms * work.steps * each
}

/// Seconds that starting the pool takes.
pub fn cpu_start(threads: usize, running: bool) -> f64 {
    if running { 0.0 } else { THREAD_START * threads as f64 }
}

/// Seconds on a GPU once it has been started, the kernels loaded and the arrays there; `None` if not below `most`. Where
/// the time model knows nothing of the kernels, operations and bytes have to do.
pub fn on_cuda(nest: &Nest, pick: &Pick, extent: &Extent, work: &Work, most: f64) -> Option<f64> {
    let fixed = CUDA_NEST;
    if fixed >= most {
        return None;
    }
    let kernels = match pick.seconds {
        Some(seconds) => seconds,
        None => {
            let variant = nest.variant(pick.index);
            let l = launches(variant, pick, extent, most - fixed, |_| CUDA_LAUNCH)?;
            let traffic = work.footprint * l.count.min(work.steps) / CUDA_BANDWIDTH;
            l.seconds + traffic.max(work.operations * CUDA_OPERATION)
        }
    };
    Some(fixed + kernels + ahead(nest, extent, work)).filter(|&s| s < most)
}

/// Seconds on a GPU that keeping what steps overwrite, and finding what they are reduced to, takes.
fn ahead(nest: &Nest, extent: &Extent, work: &Work) -> f64 {
    let mut grids: Vec<u16> = nest.record.reductions.iter().map(|r| r.array).collect();
    grids.dedup();
    if grids.is_empty() {
        return 0.0;
    }
    // Each value is written once to be empty, and read once.
    let kept: f64 = grids.iter().map(|&grid| instances(nest, extent, grid)).sum();
    let folded = 16.0 * kept * work.steps;
    let ordered = ordered(nest, extent).into_iter();
    let sums: f64 = match nest.hard_sums.iter().any(Pause::is_on) {
        true => {
            let home = bytes_of_terms(nest, extent) * work.steps / TERMS_HOME;
            home + ordered.map(|terms| in_order(terms, work, 1)).sum::<f64>()
        }
        false => ordered.map(|terms| CUDA_SUM + CUDA_TERM * terms * work.steps).sum(),
    };
    (folded + 2.0 * work.kept) / CUDA_BANDWIDTH + sums
}

/// Seconds that bringing a nest's arrays to a GPU and back takes.
pub fn copies(work: &Work, machine: &Machine) -> f64 {
    work.footprint / machine.up + work.footprint / machine.down
}

/// Seconds that trying neighbours of the predicted best is expected to save, of so many.
pub fn tuning_gain(seconds: f64) -> f64 {
    TUNING * seconds
}

/// Seconds that creating a context takes.
pub fn cuda_start(started: bool) -> f64 {
    if started { 0.0 } else { CUDA_START }
}

/// Seconds that loading kernels takes of which so many bytes of PTX have to be compiled.
pub fn cuda_load(uncompiled: usize) -> f64 {
    CUDA_MODULE + CUDA_UNCACHED * CUDA_COMPILE * uncompiled as f64
}

/// Sizes and circumstances that are remembered of a nest: the levels of a hierarchy of grids, or runs of several lengths.
pub const KEYS: usize = 8;

/// The [`key`] of an execution, and variants as they were ranked for it.
type Ranked = (u64, Vec<Pick>);

/// What the gate remembers of a nest.
#[derive(Debug, Default)]
pub struct Memory {
    /// [`key`]s of the last executions that no device would have been faster at, 0 for none, and how many there were.
    small: [AtomicU64; KEYS],
    smalls: AtomicU64,
    /// Seconds that running pool threads would have saved so far.
    pub pool: Forgone,
    /// The same for a GPU.
    pub cuda: Forgone,
    /// Whether copies to a GPU are made up for while arrays stay there.
    pub copies: Copies,
    /// The same for loading kernels that might be faster.
    pub tuning: Forgone,
    /// Executions that come again and again.
    pub turns: Paired,
    /// Runs of several steps ahead of the loop.
    pub ahead: Paired,
    /// The variants for the CPU and for a GPU, best first, of the last few [`key`]s, the latest in front.
    ranked: [Mutex<Vec<Ranked>>; 2],
}

impl Memory {
    /// True if the same decision has just been made.
    pub fn is_small(&self, key: u64) -> bool {
        self.small.iter().any(|small| small.load(Ordering::Relaxed) == key)
    }

    /// Variants for a target as they were ranked for the same, or ranked now.
    pub fn ranked<E>(
        &self,
        target: VariantTarget,
        key: u64,
        rank: impl FnOnce() -> Result<Vec<Pick>, E>,
    ) -> Result<Vec<Pick>, E> {
        let of_target = &self.ranked[usize::from(target == VariantTarget::Device)];
        let mut known = of_target.lock().unwrap_or_else(PoisonError::into_inner);
        match known.iter().position(|(of, _)| *of == key) {
            Some(at) => known[..=at].rotate_right(1),
            None => {
                let picks = rank()?;
                known.insert(0, (key, picks));
                known.truncate(KEYS);
            }
        }
        Ok(known[0].1.clone())
    }

    /// Remembers a decision.
    pub fn set_small(&self, key: u64) {
        let at = self.smalls.fetch_add(1, Ordering::Relaxed) as usize % KEYS;
        self.small[at].store(key, Ordering::Relaxed);
    }
}

/// Savings that were let pass because something would have had to be started first, in nanoseconds.
///
/// It is started when they reach its price: many small executions bring it about as one large one does, and at worst
/// twice the price is paid.
#[derive(Debug, Default)]
pub struct Forgone {
    saved: AtomicU64,
    /// At most so much more: of executions for which nothing was worked out.
    guessed: AtomicU64,
}

impl Forgone {
    /// False while not even savings of `most`, this time and each time before, would pay for it: not worth working out.
    pub fn may_be_worth(&self, most: f64, price: f64) -> bool {
        let nanoseconds = (most * 1e9) as u64;
        let before = self.guessed.load(Ordering::Relaxed);
        let all =
            before.saturating_add(nanoseconds).saturating_add(self.saved.load(Ordering::Relaxed));
        let may = all as f64 >= price * 1e9;
        if !may {
            self.guessed.store(before.saturating_add(nanoseconds), Ordering::Relaxed);
        }
        may
    }

    /// A saving, and those that were guessed at before: in proportion, what is `saving` now having been guessed to be
    /// `most`.
    pub fn with_guessed(&self, saving: f64, most: f64) -> f64 {
        let guessed = self.guessed.swap(0, Ordering::Relaxed) as f64 * 1e-9;
        saving + guessed * (saving / most).clamp(0.0, 1.0)
    }

    /// Counts one more saving; true if starting is worth it now.
    pub fn is_worth(&self, saving: f64, price: f64) -> bool {
        let nanoseconds = (saving * 1e9) as u64;
        let before = self.saved.fetch_add(nanoseconds, Ordering::Relaxed);
        before.saturating_add(nanoseconds) as f64 >= price * 1e9
    }
}

/// Copies of arrays that stay on a GPU: paid once, made up for by each nest that finds them there.
///
/// What nests would save, were their arrays there, is added up until it reaches the price; then they are copied. Where
/// they did not stay until the price was made up for, the next time more is asked for.
#[derive(Debug, Default)]
pub struct Copies(Mutex<Ledger>);

#[derive(Debug, Default)]
struct Ledger {
    /// Seconds that could have been saved since the last copies.
    forgone: f64,
    /// Seconds that have been saved since then.
    saved: f64,
    /// How often in a row that was less than their price.
    losses: u32,
}

/// The price is doubled this many times at most.
const MOST_LOSSES: u32 = 6;

impl Copies {
    /// Whether a nest that saves so many seconds runs on the GPU, where copies take so many. `warm`: its arrays are there.
    pub fn pay(&self, saving: f64, price: f64, warm: bool) -> bool {
        let mut ledger = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if warm {
            ledger.saved += saving;
            return true;
        }
        ledger.forgone += saving;
        let losses = match ledger.saved {
            0.0 => ledger.losses,
            saved if saved < price => (ledger.losses + 1).min(MOST_LOSSES),
            _ => 0,
        };
        let pays = saving > price || ledger.forgone >= price * f64::from(1u32 << losses);
        if pays {
            *ledger = Ledger { forgone: 0.0, saved: saving, losses };
        }
        pays
    }
}

/// Stands for one decision: the same sizes under the same circumstances. Two that collide cost speed, not truth.
pub fn key(ints: impl IntoIterator<Item = i64>, circumstances: u64) -> u64 {
    let mix = |h: u64, v: u64| (h ^ v).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    // Never 0, which stands for none.
    ints.into_iter().fold(mix(0x243f_6a88_85a3_08d3, circumstances), |h, v| mix(h, v as u64)).max(1)
}

/// True if what a nest costs a GPU besides its kernels leaves too little to look further.
pub fn is_too_short_for_cuda(most: f64) -> bool {
    most < 2.0 * CUDA_NEST
}

/// What a device must stay below.
pub fn limit(work: &Work) -> f64 {
    work.original / ADVANTAGE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_savings_add_up_to_a_start() {
        let forgone = Forgone::default();
        let started: Vec<bool> = (0..4).map(|_| forgone.is_worth(0.3, 1.0)).collect();
        assert_eq!(started, [false, false, false, true]);
        assert!(Forgone::default().is_worth(1.5, 1.0));
        assert!(Forgone::default().is_worth(1e-6, 0.0));
    }

    #[test]
    fn few_blocks_keep_few_threads_busy() {
        let close = |a: f64, b: f64| (a - b).abs() < 0.01;
        for (threads, blocks, times) in
            [(2, 0.4, 1.0), (2, 1.14, 1.14), (2, 2.6, 1.68), (2, 200.0, 2.0), (16, 20.0, 11.64)]
        {
            assert!(close(at_once(threads, blocks), times), "{threads} {blocks}");
        }
    }

    #[test]
    fn copies_are_paid_by_what_they_save() {
        let copies = Copies::default();
        assert!(copies.pay(1.1, 1.0, false));
        assert_eq!([0.5; 2].map(|s| copies.pay(s, 1.0, false)), [false, true]);
        assert!((0..9).all(|_| copies.pay(0.5, 1.0, true)));
        // They have stayed long enough: the price is the same again.
        assert_eq!([0.5; 2].map(|s| copies.pay(s, 1.0, false)), [false, true]);
        // They haven't: each time it takes twice as long.
        let next = || 1 + (0..).take_while(|_| !copies.pay(0.5, 1.0, false)).count();
        assert_eq!([next(), next(), next()], [4, 8, 16]);
    }

    #[test]
    fn nothing_is_worked_out_before_it_could_matter() {
        let forgone = Forgone::default();
        let may: Vec<bool> = (0..4).map(|_| forgone.may_be_worth(0.3, 1.0)).collect();
        assert_eq!(may, [false, false, false, true]);
        // Half of what was guessed, three times before and now.
        assert!((forgone.with_guessed(0.15, 0.3) - 0.6).abs() < 1e-6);
        assert!((forgone.with_guessed(0.15, 0.3) - 0.15).abs() < 1e-6);
        assert!(Forgone::default().may_be_worth(1e-9, 0.0));
        assert!(Forgone::default().may_be_worth(2.0, 1.0));
    }

    #[test]
    fn keys_tell_sizes_and_circumstances_apart() {
        let keys =
            [key([], 0), key([1], 0), key([1], 1), key([2], 0), key([1, 2], 0), key([2, 1], 0)];
        for (i, a) in keys.iter().enumerate() {
            assert!(*a != 0 && keys[i + 1..].iter().all(|b| a != b));
        }
    }
}
