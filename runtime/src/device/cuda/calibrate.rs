//! Measures a GPU: the parameters of the time model ([`hexpass_abi::cost`]), by kernels that do nothing else.
//!
//! Consumes a [`Machine`] that was guessed from attributes; replaces in it what can be measured. Takes about a second.

use super::benchmarks::{self, BARRIER, CHAIN, CHASE, COPY, EMPTY, READ, REPEATED, Unit};
use super::driver::{self, Current, Direction, Event, Function, Launch, Module, Stream};
use super::staging;
use crate::error::Refusal;
use crate::footprint::MAX_DIMS;
use crate::transfer::{Repeat, Rows};
use hexpass_abi::Machine;
use std::time::Instant;

/// Of each measurement the best of so many counts.
const TURNS: usize = 3;
/// Bytes that are copied within memory: far more than any cache.
const LARGE: u64 = 1 << 30;
/// Bytes that are read from the second-level cache at most.
const CACHED: u64 = 16 << 20;
/// Bytes of a copy between host and device.
const STAGED: u64 = 256 << 20;

/// A measured machine.
pub fn measure(ordinal: i32, guess: Machine) -> Result<Machine, Refusal> {
    let _current = Current::enter(ordinal)?;
    // What must be freed is freed after the stream has been waited for.
    let large = Buffer::new(LARGE)?;
    let bench = Bench {
        stream: Stream::new()?,
        clock: [Event::new()?, Event::new()?],
        module: Module::load(&benchmarks::text())?,
        at: large.0,
    };
    let (units, mut m) = (u64::from(guess.units), guess);
    m.memory = bench.memory()?;
    m.cache = bench.cache(&m)?;
    let of = |unit: Unit| -> Result<f64, Refusal> { bench.unit(unit, units) };
    m.instructions = of(Unit::Float)?;
    m.doubles = of(Unit::Double)?;
    m.special = of(Unit::Special)?;
    m.shuffles = of(Unit::Shuffle)?;
    m.words = 32.0 * of(Unit::Shared)?;
    m.barrier = bench.barrier(units)?;
    m.latency = bench.latency()?;
    (m.launch, m.queue) = bench.launches(units)?;
    (m.up, m.down) = bench.staged(ordinal)?;
    Ok(m)
}

/// Device memory, freed when it goes.
struct Buffer(u64);

impl Buffer {
    fn new(bytes: u64) -> Result<Buffer, Refusal> {
        driver::alloc(bytes).map(Buffer)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        driver::free(self.0);
    }
}

struct Bench {
    stream: Stream,
    clock: [Event; 2],
    module: Module,
    at: u64,
}

impl Bench {
    fn function(&self, name: &str) -> Result<Function, Refusal> {
        self.module.function(name, 0)
    }

    fn launch(
        &self,
        function: Function,
        blocks: u64,
        threads: u32,
        counts: [u64; 2],
    ) -> Result<(), Refusal> {
        let params = [self.at, counts[0], counts[1]];
        let grid = [u32::try_from(blocks).unwrap_or(u32::MAX), 1, 1];
        self.stream.launch(&Launch::plain(function, grid, [threads, 1, 1]), &params)
    }

    /// Seconds on the device of what `queue` queues: the best of several, after one to warm up.
    fn seconds(&self, queue: impl Fn() -> Result<(), Refusal>) -> Result<f64, Refusal> {
        queue()?;
        let mut best = f64::INFINITY;
        for _ in 0..TURNS {
            self.clock[0].record(&self.stream)?;
            queue()?;
            self.clock[1].record(&self.stream)?;
            self.stream.finish("measuring the device")?;
            best = best.min(self.clock[1].seconds_since(&self.clock[0])?);
        }
        Ok(best.max(1e-9))
    }

    /// Bytes a second, reading and writing together.
    fn memory(&self) -> Result<f64, Refusal> {
        let copy = self.function(COPY)?;
        let groups = LARGE / 2 / 64;
        let seconds = self.seconds(|| self.launch(copy, groups / 256, 256, [groups, 0]))?;
        Ok(LARGE as f64 / seconds)
    }

    /// Bytes a second from the second-level cache.
    fn cache(&self, m: &Machine) -> Result<f64, Refusal> {
        let read = self.function(READ)?;
        let bytes = (CACHED.min(m.cache_bytes / 3).max(1 << 20) + 1).next_power_of_two() / 2;
        let (blocks, rounds) = (u64::from(m.units) * 8, 256);
        let seconds = self.seconds(|| self.launch(read, blocks, 256, [bytes, rounds]))?;
        Ok((blocks * 256 * rounds * 64) as f64 / seconds)
    }

    /// Warp instructions a second of one multiprocessor.
    fn unit(&self, unit: Unit, units: u64) -> Result<f64, Refusal> {
        let function = self.function(unit.name())?;
        let (blocks, warps, rounds) = (2 * units, 16, 256);
        let seconds = self.seconds(|| self.launch(function, blocks, 32 * warps, [0, rounds]))?;
        let issued = blocks / units * u64::from(warps) * rounds * u64::from(REPEATED);
        Ok(issued as f64 / seconds)
    }

    /// Seconds of a barrier: a part for itself, and one for each warp.
    fn barrier(&self, units: u64) -> Result<[f64; 2], Refusal> {
        let function = self.function(BARRIER)?;
        let rounds = 20_000;
        let of = |threads: u32| -> Result<f64, Refusal> {
            let seconds = self.seconds(|| self.launch(function, units, threads, [0, rounds]))?;
            Ok(seconds / rounds as f64)
        };
        let (few, many) = (of(128)?, of(1024)?);
        let each = ((many - few) / 28.0).max(0.0);
        Ok([(few - 4.0 * each).max(0.0), each])
    }

    /// Seconds until a value from memory is there.
    fn latency(&self) -> Result<f64, Refusal> {
        let (chain, chase) = (self.function(CHAIN)?, self.function(CHASE)?);
        // Each link on a line of its own, and more of them than the cache has.
        let (bytes, stride, steps) = (LARGE / 2, (64 << 10) + 128, 4096);
        let links = bytes / stride + 1;
        self.launch(chain, links.div_ceil(256), 256, [bytes, stride])?;
        let evict = self.function(COPY)?;
        let groups = LARGE / 4 / 64;
        let mut best = f64::INFINITY;
        for _ in 0..TURNS {
            // Rewriting what lies there anew leaves the chain as it is, and the cache full of something else.
            let params = [self.at + LARGE / 2, groups, 0];
            let grid = [(groups / 256) as u32, 1, 1];
            self.stream.launch(&Launch::plain(evict, grid, [256, 1, 1]), &params)?;
            self.clock[0].record(&self.stream)?;
            self.launch(chase, 1, 1, [bytes, steps])?;
            self.clock[1].record(&self.stream)?;
            self.stream.finish("measuring the device")?;
            best = best.min(self.clock[1].seconds_since(&self.clock[0])?);
        }
        Ok(best / steps as f64)
    }

    /// Seconds from launch to launch on the device, and for the host to queue one.
    fn launches(&self, units: u64) -> Result<(f64, f64), Refusal> {
        let (empty, busy) = (self.function(EMPTY)?, self.function(Unit::Float.name())?);
        let count = 500;
        let mut queued = f64::INFINITY;
        let mut gap = f64::INFINITY;
        for _ in 0..TURNS {
            // Something long in front, so that all launches wait in the queue before the first of them starts.
            self.launch(busy, units, 512, [0, 40_000])?;
            self.clock[0].record(&self.stream)?;
            let start = Instant::now();
            for _ in 0..count {
                self.launch(empty, units, 128, [0, 0])?;
            }
            queued = queued.min(start.elapsed().as_secs_f64());
            self.clock[1].record(&self.stream)?;
            self.stream.finish("measuring the device")?;
            gap = gap.min(self.clock[1].seconds_since(&self.clock[0])?);
        }
        Ok((gap / f64::from(count), queued / f64::from(count)))
    }

    /// Bytes a second between ordinary memory and the device, up and down.
    fn staged(&self, ordinal: i32) -> Result<(f64, f64), Refusal> {
        let mut memory = vec![1u8; STAGED as usize];
        let rows = Rows {
            host: memory.as_mut_ptr() as u64,
            device: self.at,
            bytes: STAGED,
            repeat: [Repeat::default(); MAX_DIMS],
            levels: 0,
            loose: true,
        };
        let rate = |direction: Direction| -> Result<f64, Refusal> {
            let mut best = f64::INFINITY;
            for _ in 0..=TURNS {
                let start = Instant::now();
                staging::copy(&self.stream, ordinal, &rows, direction)?;
                self.stream.finish("measuring the device")?;
                best = best.min(start.elapsed().as_secs_f64());
            }
            Ok(STAGED as f64 / best)
        };
        Ok((rate(Direction::ToDevice)?, rate(Direction::ToHost)?))
    }
}
