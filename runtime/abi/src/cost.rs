//! What a kernel's blocks do, counted; one formula over it ranks kernels at compile time and predicts times at run time.

use crate::PlanExpr;
use serde::{Deserialize, Serialize};

/// A block of a GPU kernel: a start, then `turns` equal turns of a sequential loop. Blocks at the ends of the grid may do
/// more than those inside.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct KernelCost {
    /// Registers of a thread, as the assembler allots them or estimated; 0: unknown. Kernels whose threads run every node
    /// get no more.
    pub registers: u16,
    /// Once in a block.
    pub start: BlockWork,
    /// In each turn.
    pub turn: BlockWork,
    /// Number of turns; none: only the start.
    pub turns: Option<PlanExpr>,
    /// Instructions of the loop that the turns go through, or of everything where there is none, as they are written; 0:
    /// unknown.
    pub code: u32,
    /// What blocks at the ends of the grid do instead; none: the same.
    pub border: Option<BorderCost>,
}

/// Blocks near the ends of some of the grid's axes.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BorderCost {
    /// How many blocks of each axis lie near its ends; 0: its ends are like the rest.
    pub ends: [u8; 3],
    /// Number of turns; none: as [`KernelCost::turns`].
    pub turns: Option<PlanExpr>,
    /// As [`KernelCost::start`].
    pub start: BlockWork,
    /// As [`KernelCost::turn`].
    pub turn: BlockWork,
    /// As [`KernelCost::code`].
    pub code: u32,
    /// How many layers of the grid's second axis have rows of their own, all their blocks alike.
    pub rows: u8,
    /// What blocks in them do in each of [`BorderCost::row_turns`], after [`BorderCost::start`].
    pub row: BlockWork,
    /// Turns of it.
    pub row_turns: u16,
}

impl KernelCost {
    /// Numbers of turns of blocks inside, and of those at the border.
    pub fn turns_of(&self, eval: impl Fn(&PlanExpr) -> i64) -> [i64; 2] {
        let inside = self.turns.as_ref().map_or(0, &eval);
        let border = self.border.as_ref().and_then(|b| b.turns.as_ref());
        [inside, border.map_or(inside, &eval)]
    }

    /// How many blocks of a grid are border ones.
    pub fn border_blocks(&self, grid: [u64; 3]) -> u64 {
        let Some(border) = &self.border else { return 0 };
        let inside = |axis: usize| grid[axis].saturating_sub(u64::from(border.ends[axis]));
        grid.iter().product::<u64>() - inside(0) * inside(1) * inside(2)
    }

    /// How many blocks of a grid lie in layers that have rows of their own.
    pub fn row_blocks(&self, grid: [u64; 3]) -> u64 {
        let rows = self.border.as_ref().map_or(0, |border| u64::from(border.rows));
        grid[0] * grid[2] * rows.min(grid[1])
    }
}

/// Work of all warps of a block together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BlockWork {
    /// Statement instances, redundant ones included.
    pub instances: u64,
    /// Instances that another block computes too.
    pub redundant: u64,
    /// Instructions issued, each for a warp.
    pub instructions: u64,
    /// Those of them for the double-precision units.
    pub doubles: u64,
    /// Those of them for the special-function units (rsqrt, rcp), each for a warp.
    pub special: u64,
    /// Warp shuffles.
    pub shuffles: u64,
    /// Bytes from and to memory.
    pub bytes: u64,
    /// Bytes through the second-level cache, those of `bytes` included.
    pub cached: u64,
    /// Four-byte words from and to shared memory.
    pub words: u64,
    /// Barriers of the block.
    pub barriers: u64,
    /// Those of them at which a warp waits for the two beside it only.
    pub beside: u64,
    /// Longest chain of operations that wait for each other, in cycles.
    pub chain: u64,
}

/// [`BlockWork`] of a whole block: what it asks of a multiprocessor, and how long it waits for itself.
struct Demands {
    instructions: f64,
    doubles: f64,
    special: f64,
    shuffles: f64,
    bytes: f64,
    cached: f64,
    words: f64,
    barriers: f64,
    chain: f64,
    code: f64,
}

impl Demands {
    /// Of work, each part so many times.
    fn of(all: &[(&BlockWork, f64)], code: u32) -> Demands {
        let sum = |f: fn(&BlockWork) -> u64| all.iter().map(|(w, times)| f(w) as f64 * times).sum();
        Demands {
            instructions: sum(|w| w.instructions),
            doubles: sum(|w| w.doubles),
            special: sum(|w| w.special),
            shuffles: sum(|w| w.shuffles),
            bytes: sum(|w| w.bytes),
            cached: sum(|w| w.cached),
            words: sum(|w| w.words),
            barriers: sum(|w| w.barriers),
            chain: sum(|w| w.chain),
            code: f64::from(code),
        }
    }
}

/// What it asks for in seconds of a multiprocessor that it has for itself, and how long it takes if nothing else runs.
#[derive(Clone, Copy)]
struct Block {
    compute: f64,
    moved: f64,
    waiting: f64,
    /// How long all of a multiprocessor waits where barriers keep its warps together.
    together: f64,
}

impl Block {
    /// Seconds at work, where the busiest scheduler has `uneven` times its share to do.
    fn busy(&self, fit: &Fit, uneven: f64) -> f64 {
        let compute = uneven * self.compute;
        compute.max(self.moved) + fit.overlap * compute.min(self.moved)
    }
}

/// A GPU: what fits one of its multiprocessors, and how fast everything is.
///
/// The parameters of execution-time-model-hhc-ppopp17, section 4: `latency` is its L, `barrier` its τ_sync, `launch` its
/// T_sync; its C_iter is made from the instructions of a body and the rates here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Multiprocessors.
    pub units: u32,
    /// Threads that a multiprocessor holds.
    pub threads: u32,
    /// Blocks that a multiprocessor holds.
    pub blocks: u32,
    /// 32-bit registers of a multiprocessor.
    pub registers: u32,
    /// Bytes of shared memory of a multiprocessor.
    pub shared_bytes: u32,
    /// Bytes of shared memory that a block may ask for.
    pub block_shared_bytes: u32,
    /// Bytes of the second-level cache.
    pub cache_bytes: u64,
    /// Seconds of a clock cycle.
    pub cycle: f64,
    /// Bytes a second between memory and the whole GPU, reading and writing together.
    pub memory: f64,
    /// Bytes a second between the second-level cache and the whole GPU.
    pub cache: f64,
    /// Warp instructions a second of one multiprocessor.
    pub instructions: f64,
    /// Those of double precision.
    pub doubles: f64,
    /// Those of the special-function units.
    pub special: f64,
    /// Shuffles of four bytes a lane.
    pub shuffles: f64,
    /// Four-byte words a second between one multiprocessor and its shared memory.
    pub words: f64,
    /// Seconds of a barrier: for itself, and for each warp of the block.
    pub barrier: [f64; 2],
    /// Seconds until a value from memory is there.
    pub latency: f64,
    /// Seconds between the end of a launch and the start of the next, when both are queued.
    pub launch: f64,
    /// Launches start before the one before has ended, which hides the gap between them.
    pub early: bool,
    /// Seconds that the host takes to queue a launch.
    pub queue: f64,
    /// Bytes a second from the program's ordinary memory to the GPU.
    pub up: f64,
    /// The same back.
    pub down: f64,
}

/// Shared memory that a multiprocessor takes for each block besides what the block asks for.
const RESERVED_SHARED: u32 = 1024;
/// Registers of a thread where nothing is known.
const USUAL_REGISTERS: u32 = 64;
/// Schedulers of a multiprocessor; a warp belongs to one of them.
pub const SCHEDULERS: u64 = 4;
/// Warps of a scheduler that keep it busy although all wait at the same barriers.
const ENOUGH_WARPS: f64 = 4.0;
/// How much longer a block takes than [`Fit::pace`] says whose code is not in the nearest cache, or spills: ten cycles an
/// instruction of two programs on an H200.
const ALONE: f64 = 2.7;
/// The same where no loop goes through it, as many warps at a time: twenty cycles an instruction.
const ONCE: f64 = 5.0;

/// What the formula leaves open: fitted to times that were measured, on one H200.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// Of a multiprocessor's draw from memory, how much more than its share it gets while others are idle.
    pub alone: f64,
    /// How much of the shorter of computing and moving data shows: both at once go slower than either alone.
    pub overlap: f64,
    /// The same for waiting in sequence against the sum of those.
    pub waiting: f64,
    /// Where a barrier stands in every turn, how much of the chain of operations in it shows: all warps begin it, and wait,
    /// at the same time.
    pub together: f64,
    /// There, how much slower a scheduler with two warps issues than one with four.
    pub few: f64,
    /// Cycles from one instruction of a warp to the next, where nothing else runs on its scheduler.
    pub pace: f64,
    /// Instructions that the caches of a multiprocessor hold.
    pub code: f64,
    /// How much slower code of twice as many runs.
    pub fetching: f64,
    /// How many instructions the assembler makes of one that was counted.
    pub written: f64,
    /// What counts of a chain of operations: the assembler moves some of it out of the way.
    pub chain: f64,
}

impl Fit {
    /// What is used.
    pub const FITTED: Fit = Fit {
        alone: 1.91,
        overlap: 0.356,
        waiting: 0.074,
        together: 1.21,
        few: 0.767,
        pace: 3.72,
        code: 5243.0,
        fetching: 0.737,
        written: 0.762,
        chain: 1.72,
    };

    /// The values by name.
    pub fn values(&mut self) -> [(&'static str, &mut f64); 10] {
        [
            ("alone", &mut self.alone),
            ("overlap", &mut self.overlap),
            ("waiting", &mut self.waiting),
            ("together", &mut self.together),
            ("few", &mut self.few),
            ("pace", &mut self.pace),
            ("code", &mut self.code),
            ("fetching", &mut self.fetching),
            ("written", &mut self.written),
            ("chain", &mut self.chain),
        ]
    }
}

/// One launch, as the formula sees it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaunchShape {
    /// Threads of a block.
    pub threads: u32,
    /// Shared memory of a block in bytes.
    pub shared_bytes: u32,
    /// Number of blocks.
    pub blocks: u64,
    /// Those of them that do what [`KernelCost::border`] says.
    pub border: u64,
    /// Those of them in its [`BorderCost::rows`].
    pub rows: u64,
    /// Value of [`KernelCost::turns`], 0 if there is none.
    pub turns: i64,
    /// The same of those at the border.
    pub border_turns: i64,
    /// The arrays that kernels go through fit the second-level cache.
    pub in_cache: bool,
}

impl Machine {
    /// One H200, measured (141 GB, 132 multiprocessors); a guess at any large GPU.
    pub fn h200() -> Machine {
        Machine {
            units: 132,
            threads: 2048,
            blocks: 32,
            registers: 65536,
            shared_bytes: 233_472,
            block_shared_bytes: 232_448,
            cache_bytes: 50 << 20,
            cycle: 1.0 / 1.98e9,
            memory: 4.28e12,
            cache: 7e12,
            instructions: 7.6e9,
            doubles: 3.9e9,
            special: 0.96e9,
            shuffles: 2.0e9,
            words: 60e9,
            barrier: [7.4e-9, 1.0e-9],
            latency: 0.6e-6,
            launch: 1.2e-6,
            early: true,
            queue: 2.5e-6,
            up: 40e9,
            down: 40e9,
        }
    }

    /// Blocks that a multiprocessor holds at once; 0: a block doesn't fit.
    pub fn resident(&self, registers: u16, threads: u32, shared_bytes: u32) -> u32 {
        let warps = threads.div_ceil(32).max(1);
        let registers = match registers {
            0 => USUAL_REGISTERS,
            n => u32::from(n).next_multiple_of(8),
        };
        if shared_bytes > self.block_shared_bytes {
            return 0;
        }
        let by_shared = self.shared_bytes / (shared_bytes + RESERVED_SHARED);
        // Each scheduler has its part of the registers, and whole warps of it.
        let schedulers = SCHEDULERS as u32;
        let by_registers = self.registers / schedulers / (registers * 32) * schedulers / warps;
        self.blocks.min(self.threads / (warps * 32)).min(by_shared).min(by_registers)
    }

    /// The most shared memory with which a multiprocessor holds so many blocks, in bytes of a block.
    pub fn shared_of(&self, blocks: u32) -> u32 {
        (self.shared_bytes / blocks.max(1)).saturating_sub(RESERVED_SHARED) / 128 * 128
    }

    /// Seconds of a launch, the gap to the next included; `None` where nothing is known of the kernel or a block
    /// doesn't fit.
    ///
    /// ⌊blocks ÷ (units · resident)⌋ full waves and one for the rest; in a wave a multiprocessor computes, moves data
    /// and waits for its resident blocks, all at once as far as they overlap.
    pub fn launch_seconds(&self, cost: &KernelCost, shape: &LaunchShape) -> Option<f64> {
        self.launch_seconds_at(cost, cost.registers, shape)
    }

    /// The same for a kernel with so many registers a thread, as the driver has counted them.
    pub fn launch_seconds_at(
        &self,
        cost: &KernelCost,
        registers: u16,
        shape: &LaunchShape,
    ) -> Option<f64> {
        self.launch_seconds_with(&Fit::FITTED, cost, registers, shape)
    }

    /// The same with other constants.
    pub fn launch_seconds_with(
        &self,
        fit: &Fit,
        cost: &KernelCost,
        registers: u16,
        shape: &LaunchShape,
    ) -> Option<f64> {
        if *cost == KernelCost::default() {
            return None;
        }
        let resident = self.resident(registers, shape.threads, shape.shared_bytes);
        if resident == 0 {
            return None;
        }
        let [turns, border_turns] =
            [shape.turns, shape.border_turns].map(|turns| turns.max(0) as f64);
        let demands = |[start, turn]: [&BlockWork; 2], turns: f64, code: u32| {
            Demands::of(&[(start, 1.0), (turn, turns)], code)
        };
        let inside = || demands([&cost.start, &cost.turn], turns, cost.code);
        let (border, rows) = match &cost.border {
            Some(b) => (
                demands([&b.start, &b.turn], border_turns, b.code),
                demands([&b.start, &b.row], f64::from(b.row_turns), b.code),
            ),
            None => (inside(), inside()),
        };
        let inside = inside();
        let border_blocks = shape.border.min(shape.blocks);
        let row_blocks = shape.rows.min(shape.blocks - border_blocks);
        let [part, in_rows] =
            [border_blocks, row_blocks].map(|n| n as f64 / shape.blocks.max(1) as f64);
        let at_rest = 1.0 - part - in_rows;
        let units = u64::from(self.units.max(1));
        let warps = u64::from(shape.threads.div_ceil(32).max(1));
        let wave = units * u64::from(resident);
        let (full, rest) = (shape.blocks / wave, shape.blocks % wave);
        let each = (warps * u64::from(resident)) as f64 / SCHEDULERS as f64;
        // Warps that wait for those beside them only drift apart, and are not idle all at once.
        let meet = cost.turn.barriers > cost.turn.beside;
        let alone = if meet { (ENOUGH_WARPS / each - 1.0).max(0.0) } else { 0.0 };
        let slower = 1.0 + fit.few * alone;
        // In a wave of many blocks both kinds take turns; the last to end, and the scheduler that has most warps, decide
        // how long the last wave is.
        let seconds = |blocks: u64, units: u64, is_last: bool| {
            let [inside, border, rows] =
                [&inside, &border, &rows].map(|d| self.block(fit, d, shape, units as f64, slower));
            let all = (blocks * warps).max(1);
            let uneven = match is_last {
                true => all.next_multiple_of(SCHEDULERS) as f64 / all as f64,
                false => 1.0,
            };
            let [at_work, at_border, at_rows] =
                [&inside, &border, &rows].map(|b| b.busy(fit, uneven));
            let busy = at_work * at_rest + at_border * part + at_rows * in_rows;
            let busy = blocks as f64 * busy;
            let waiting = match is_last {
                true if border_blocks > 0 => border.waiting.max(inside.waiting),
                true => inside.waiting,
                false => inside.waiting * at_rest + border.waiting * part + rows.waiting * in_rows,
            };
            if cost.turn.barriers > 0 {
                let rest = inside.together * at_rest + border.together * part;
                return busy + rest + rows.together * in_rows;
            }
            busy.max(waiting) + fit.waiting * busy.min(waiting)
        };
        let mut sum = if self.early { 0.0 } else { self.launch };
        if full > 0 {
            sum += full as f64 * seconds(u64::from(resident), units, rest == 0 && full == 1);
        }
        if rest > 0 {
            sum += seconds(rest.div_ceil(units), rest.min(units), true);
        }
        // Wherever they are, the launch does not end before these.
        let alone = |d: &Demands| ALONE * self.block(fit, d, shape, units as f64, 1.0).waiting;
        if row_blocks > 0 {
            // The first layer and the last are short; what else others own they go through besides, as at the border.
            let besides = match &cost.border {
                Some(b) if b.rows > 2 => {
                    alone(&demands([&BlockWork::default(), &b.turn], turns, b.code))
                }
                _ => 0.0,
            };
            sum = sum.max(alone(&rows) + besides);
        }
        if border_blocks > 0 && border.code > fit.code && cost.turns.is_none() {
            let waiting = self.block(fit, &border, shape, units as f64, 1.0).waiting;
            sum = sum.max(ONCE * waiting);
        }
        Some(sum)
    }

    /// A block on one of `units` multiprocessors that are at work, whose instructions are issued so much more slowly.
    fn block(&self, fit: &Fit, d: &Demands, shape: &LaunchShape, units: f64, slower: f64) -> Block {
        let fetched = 1.0 + fit.fetching * (d.code - fit.code).max(0.0) / fit.code;
        let compute = (d.instructions * fit.written * fetched * slower / self.instructions)
            .max(d.doubles / self.doubles)
            .max(d.special / self.special)
            .max(d.shuffles / self.shuffles);
        let share =
            |whole: f64| (whole / units).min(fit.alone * whole / f64::from(self.units.max(1)));
        let memory = if shape.in_cache { 0.0 } else { d.bytes / share(self.memory) };
        let moved = memory.max(d.cached.max(d.bytes) / share(self.cache)).max(d.words / self.words);
        let warps = f64::from(shape.threads.div_ceil(32).max(1));
        let barriers = self.latency + d.barriers * (self.barrier[0] + self.barrier[1] * warps);
        let sequence = (d.chain * fit.chain).max(d.instructions / warps * fit.pace);
        let waiting = barriers + sequence * self.cycle;
        let together = barriers + fit.together * d.chain * self.cycle;
        Block { compute, moved, waiting, together }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block of two warps that adds: a thousand instructions a turn.
    fn adding() -> KernelCost {
        let turn = BlockWork { instructions: 2000, chain: 4000, ..BlockWork::default() };
        KernelCost { registers: 32, turn, ..KernelCost::default() }
    }

    fn shape(blocks: u64, turns: i64) -> LaunchShape {
        LaunchShape {
            threads: 64,
            shared_bytes: 0,
            blocks,
            border: 0,
            rows: 0,
            turns,
            border_turns: turns,
            in_cache: false,
        }
    }

    #[test]
    fn residency_is_what_the_scarcest_resource_allows() {
        let m = Machine::h200();
        for ((registers, threads, shared), resident) in [
            ((32, 64, 0), 32),
            ((32, 256, 0), 8),
            ((128, 256, 0), 2),
            ((129, 256, 0), 1),
            ((255, 1024, 0), 0),
            ((0, 256, 48 << 10), 4),
            ((32, 512, 100 << 10), 2),
            ((32, 512, 227 << 10), 1),
            ((32, 512, 228 << 10), 0),
            ((136, 32, 0), 12),
            ((168, 384, 0), 1),
            ((144, 448, 0), 0),
        ] {
            assert_eq!(m.resident(registers, threads, shared), resident, "{registers} {threads}");
        }
    }

    #[test]
    fn what_is_unknown_or_does_not_fit_has_no_time() {
        let m = Machine::h200();
        assert_eq!(m.launch_seconds(&KernelCost::default(), &shape(10, 1)), None);
        let large = LaunchShape { shared_bytes: 1 << 20, ..shape(10, 1) };
        assert_eq!(m.launch_seconds(&adding(), &large), None);
    }

    #[test]
    fn registers_that_were_counted_take_the_place_of_estimated_ones() {
        let m = Machine::h200();
        let at = |n| m.launch_seconds_at(&adding(), n, &shape(4224, 10));
        let seconds = |n| at(n).unwrap_or(f64::NAN);
        assert_eq!(m.launch_seconds(&adding(), &shape(4224, 10)), at(32));
        // A block at a time instead of many leaves nothing to hide waiting behind.
        assert!(seconds(255) > 1.2 * seconds(32));
    }

    #[test]
    fn time_grows_with_waves_turns_and_demands_and_never_falls() {
        let m = Machine::h200();
        let seconds = |cost: &KernelCost, blocks, turns| {
            m.launch_seconds(cost, &shape(blocks, turns)).unwrap_or(f64::NAN)
        };
        let mut last = 0.0;
        for blocks in [1, 100, 132, 133, 4000, 4224, 4225, 10_000, 100_000] {
            let now = seconds(&adding(), blocks, 10);
            assert!(now >= last, "{blocks}");
            last = now;
        }
        let (one, ten) = (seconds(&adding(), 42_240, 10), seconds(&adding(), 42_240, 100));
        assert!(ten > 9.0 * one && ten < 10.0 * one);
        let more: [fn(&mut BlockWork); 8] = [
            |w| w.instructions *= 100,
            |w| w.doubles = 100_000,
            |w| w.special = 100_000,
            |w| w.shuffles = 100_000,
            |w| w.bytes = 10_000_000,
            |w| w.cached = 10_000_000,
            |w| w.words = 10_000_000,
            |w| w.barriers = 10_000,
        ];
        for (i, more) in more.iter().enumerate() {
            let mut cost = adding();
            more(&mut cost.turn);
            assert!(seconds(&cost, 42_240, 10) > 2.0 * one, "{i}");
        }
    }

    #[test]
    fn few_warps_that_meet_all_at_once_are_slow() {
        let m = Machine::h200();
        let waits = |barriers: u64, beside: u64, registers: u16| {
            let turn = BlockWork { barriers, beside, ..adding().turn };
            let cost = KernelCost { registers, turn, ..KernelCost::default() };
            m.launch_seconds(&cost, &LaunchShape { threads: 256, ..shape(132, 100) })
                .unwrap_or(f64::NAN)
        };
        // Eight warps a multiprocessor.
        assert!(waits(1, 0, 255) > 1.05 * waits(1, 1, 255));
        // Sixteen, if there were as many blocks.
        assert_eq!(waits(1, 0, 128), waits(1, 1, 128));
    }

    /// The prototypes' figures on one H200: what strips in registers reached, within a quarter.
    #[test]
    fn streaming_kernels_that_were_measured() {
        let m = Machine::h200();
        // Levels, instructions a point (doubles cost two), bytes an element, halo, registers, GStencil/s at 16384².
        for (levels, operations, bytes, halo, registers, chunk, measured) in [
            (12, 5, 4, 12, 144, 384, 2730.0),
            (6, 9, 4, 8, 128, 256, 1874.0),
            (8, 5, 8, 8, 168, 384, 1516.0),
        ] {
            let owned = 128 - 2 * halo;
            let is_double = bytes == 8;
            let turn = BlockWork {
                instructions: levels * (4 * operations + bytes / 2) + 10,
                doubles: if is_double { levels * 4 * operations } else { 0 },
                shuffles: levels * bytes / 2,
                bytes: (128 + owned) * bytes,
                cached: (128 + owned) * bytes,
                chain: levels * (4 * operations + 25),
                ..BlockWork::default()
            };
            let cost = KernelCost { registers, turn, ..KernelCost::default() };
            let turns = (chunk + 2 * levels) as i64;
            let blocks = 16384 / owned * (16384 / chunk);
            let shape = LaunchShape {
                threads: 32,
                shared_bytes: 0,
                blocks,
                border: 0,
                rows: 0,
                turns,
                border_turns: turns,
                in_cache: false,
            };
            let seconds = m.launch_seconds(&cost, &shape).unwrap_or(f64::NAN);
            let rate = (levels * 16384 * 16384) as f64 / seconds / 1e9;
            assert!((0.75..1.25).contains(&(rate / measured)), "{rate} for {measured}");
        }
    }
}
