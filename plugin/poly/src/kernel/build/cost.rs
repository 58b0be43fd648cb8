//! What a block of a phased schedule does, counted for the time model: full tiles, the partial ones at the borders being
//! few.

use super::direct::special;
use super::threads_of;
use crate::device::Gpu;
use crate::kernel::cost::instructions;
use crate::problem::Problem;
use crate::schedule::{Cut, Phase, Reuse, Storage, staging};
use crate::stencil::Statement;
use hexpass_abi::{Access, BlockWork, ElemType, KernelCost, PlanExpr};
use std::collections::{HashMap, HashSet};

/// Lanes of a warp.
const LANES: u64 = 32;
/// Cycles until a shared word is there, and until a result of the arithmetic units is.
const SHARED_LATENCY: u64 = 30;
const LATENCY: u64 = 4;
/// Cycles of a round trip through the second-level cache.
const CACHE_LATENCY: u64 = 300;
/// What each row of a box that memory hands over or takes costs besides, in bytes: of short rows, which lie far apart, an H200
/// moves 2.1 TB/s in 128 bytes each, 3.1 in 256 and 3.6 in 512.
const BESIDE: u64 = 128;

/// The cost of a phase's kernel. Registers are estimated.
pub fn cost(problem: &Problem, storage: Storage, phase: &Phase, gpu: &Gpu) -> KernelCost {
    let (registers, tile) = match storage {
        Storage::Registers => {
            let (registers, tile) = in_registers(problem, phase);
            (registers.min(255) as u16, tile)
        }
        _ => (0, in_memory(problem, storage, phase, gpu)),
    };
    match tiles_of_block(phase) {
        None => KernelCost { registers, start: tile, ..KernelCost::default() },
        turns => KernelCost { registers, turn: tile, turns, ..KernelCost::default() },
    }
}

/// Number of classical tiles that a block walks; `None` where there are none.
fn tiles_of_block(phase: &Phase) -> Option<PlanExpr> {
    let ranges = phase.cuts.iter().enumerate().filter_map(|(d, cut)| match cut {
        Cut::Tiles(c) => {
            let [lo, hi] = super::plan::tile_range(c, d as u8, phase.levels);
            Some(hi + lo * -1 + PlanExpr::Const(1))
        }
        Cut::Blocks(_) => None,
    });
    ranges.reduce(|a, b| PlanExpr::Product(Box::new(a), Box::new(b)))
}

/// A level that has points.
struct Level<'p> {
    number: i64,
    statement: &'p Statement,
    /// Instructions of the operations of an instance; bodies may be long.
    arithmetic: u64,
    /// Points along each dimension.
    extents: Vec<u64>,
}

fn levels<'p>(problem: &'p Problem, phase: &'p Phase) -> impl Iterator<Item = Level<'p>> {
    let whole = crate::cost::nominal_extent(problem.dims());
    let arithmetic: Vec<u64> = problem.stencil.statements.iter().map(instructions).collect();
    (0..phase.levels).filter(|&l| phase.has_points(l)).map(move |number| {
        let of = (number % problem.k()) as usize;
        let along = |d| phase.extent(number, d).map_or(whole, |(lo, hi)| (hi - lo + 1) as u64);
        Level {
            number,
            statement: &problem.stencil.statements[of],
            arithmetic: arithmetic[of],
            extents: (0..problem.dims()).map(along).collect(),
        }
    })
}

fn size(problem: &Problem, array: u16) -> u64 {
    problem.stencil.arrays[usize::from(array)].elem.size()
}

fn slots(problem: &Problem, array: u16) -> u64 {
    problem.stencil.arrays[usize::from(array)].slots.len().max(1) as u64
}

fn is_double(problem: &Problem, s: &Statement) -> bool {
    let elem = |a: &Access| problem.stencil.arrays[usize::from(a.array)].elem;
    s.writes.iter().any(|w| elem(&w.access) == ElemType::F64)
}

/// A tile that a block works on in shared or global memory.
fn in_memory(problem: &Problem, storage: Storage, phase: &Phase, gpu: &Gpu) -> BlockWork {
    let threads = threads_of(phase, gpu);
    let is_staged = |array: u16| phase.staging.iter().any(|s| s.array == array);
    // Rows of a thread share what their subscripts are in a buffer in which coordinates go round.
    let goes_round = 4 * u64::from(storage.reuse() == Some(Reuse::Static));
    let mut work = BlockWork::default();
    let mut stored = 0;
    for Level { statement: s, arithmetic, extents, .. } in levels(problem, phase) {
        let points: u64 = extents.iter().product();
        let issued: u64 = extents
            .iter()
            .rev()
            .zip(threads)
            .map(|(n, t)| n.next_multiple_of(u64::from(t)))
            .product();
        let warps = issued / LANES;
        let accesses = s.reads.iter().chain(s.writes.iter().map(|w| &w.access));
        let (mut words, mut cached, mut count) = (0, 0, 0);
        for a in accesses {
            count += 1;
            match is_staged(a.array) {
                true => words += size(problem, a.array).div_ceil(4),
                false => cached += size(problem, a.array),
            }
        }
        let stores: u64 = s.writes.iter().map(|w| size(problem, w.access.array)).sum();
        work.instances += points;
        work.instructions += warps * (arithmetic + 2 * count + goes_round + 6);
        work.doubles += if is_double(problem, s) { warps * arithmetic } else { 0 };
        work.special += warps * special(s);
        work.words += warps * LANES * words;
        work.cached += warps * LANES * cached;
        work.barriers += 1;
        let turns = issued / threads.iter().map(|&t| u64::from(t)).product::<u64>().max(1);
        let latency = if phase.staging.is_empty() { CACHE_LATENCY } else { 2 * SHARED_LATENCY };
        work.chain += latency + LATENCY * arithmetic + 2 * turns * count;
        stored += points * stores;
    }
    let [traffic, beside] = traffic(problem, phase);
    work.bytes = traffic + beside;
    if storage != Storage::Global {
        work.barriers += 1;
        work.chain += staged_in_turns(problem, phase, threads) * 2 * CACHE_LATENCY;
        let moved = moved(problem, phase);
        if let (1.., Some((_, by))) = (moved, phase.walk()) {
            let most = phase.staging.iter().filter_map(|s| s.kept).map(|kept| kept.count).max();
            let parts = (most.unwrap_or(0).max(0) as u64).div_ceil(by.max(1) as u64);
            let threads: u64 = threads.iter().map(|&t| u64::from(t)).product();
            let turns = (moved / 4).div_ceil(threads.max(1));
            work.barriers += parts;
            work.words += 2 * moved / 4;
            work.instructions += 8 * moved / 4 / LANES;
            work.chain += 2 * SHARED_LATENCY * parts + 8 * turns;
        }
        let again = matches!(storage, Storage::Shared { interleave: true, .. });
        work.cached += traffic + if again { stored / 2 } else { 0 };
    }
    work
}

/// Elements that a thread copies one after the other when a tile is staged: each waits for the one before.
fn staged_in_turns(problem: &Problem, phase: &Phase, threads: [u32; 3]) -> u64 {
    let turns = |staged: &staging::StagedArray| -> u64 {
        let mut extents = staged.extents();
        if let Some(kept) = staged.kept {
            extents[kept.dim] -= kept.count;
        }
        let along = extents.iter().rev().zip(threads).map(|(&n, t)| (n as u64).div_ceil(t.into()));
        slots(problem, staged.array) * along.product::<u64>()
    };
    phase.staging.iter().map(turns).sum()
}

/// Bytes of shared memory that a tile moves within it.
fn moved(problem: &Problem, phase: &Phase) -> u64 {
    let of = |s: &staging::StagedArray| {
        s.renewed().1 as u64 * slots(problem, s.array) * size(problem, s.array)
    };
    phase.staging.iter().map(of).sum()
}

/// Bytes between memory and a tile: what it loads, or the hulls of what it touches, and the hulls of what it writes; and
/// what its rows cost besides.
fn traffic(problem: &Problem, phase: &Phase) -> [u64; 2] {
    let program = &problem.stencil;
    let whole = crate::cost::nominal_extent(problem.dims()) as i64;
    let (mut bytes, mut beside) = (0, 0);
    let hulls = phase.hulls(program.statements.len());
    for (array, a) in program.arrays.iter().enumerate() {
        let array = array as u16;
        // Elements, and rows of them.
        let hull = |writes: bool| -> [u64; 2] {
            let extent = |d: usize| {
                let parts = staging::accesses(program, array)
                    .filter(|&(_, _, write)| write || !writes)
                    .filter_map(|(i, access, _)| {
                        let along = usize::from(access.subscripts.get(d)?.dim?);
                        let c = access.subscripts[d].offset.as_constant()?;
                        let (lo, hi) = hulls[i][along].unwrap_or((0, whole - 1));
                        Some((lo + c, hi + c))
                    });
                parts
                    .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
                    .map_or(1, |(lo, hi)| (hi - lo + 1) as u64)
            };
            let extents: Vec<u64> = (0..a.strides.len()).map(extent).collect();
            let rows = extents.split_last().map_or(1, |(_, outer)| outer.iter().product());
            [extents.iter().product(), rows]
        };
        let loaded = match phase.staging.iter().find(|s| s.array == array) {
            Some(staged) => {
                let (elements, row) = (staged.renewed().0 as u64, staged.extents().last().copied());
                [elements, elements / row.map_or(1, |row| row.max(1) as u64)]
            }
            None => hull(false),
        };
        let writes = staging::accesses(program, array).any(|(_, _, write)| write);
        let stored = if writes { hull(true) } else { [0, 0] };
        let [elements, rows] = [0, 1].map(|i| (loaded[i] + stored[i]) * slots(problem, array));
        bytes += elements * size(problem, array);
        beside += rows * BESIDE;
    }
    [bytes, beside]
}

/// How a tile uses a row of a box.
#[derive(Clone, Copy, Default)]
struct Use {
    loaded: bool,
    written: bool,
}

/// How many registers of a thread a tile in a warp's registers is expected to take.
pub fn registers(problem: &Problem, phase: &Phase) -> u64 {
    in_registers(problem, phase).0
}

/// A tile in a warp's registers, and how many of them it takes.
fn in_registers(problem: &Problem, phase: &Phase) -> (u64, BlockWork) {
    let last = problem.dims() - 1;
    let Some(columns) = phase.staging.first().map(|b| (b.hi[last] - b.lo[last] + 1) as u64 / LANES)
    else {
        return (0, BlockWork::default());
    };
    let mut work = BlockWork::default();
    let mut rows: HashMap<Row, Use> = HashMap::new();
    for Level { number: level, statement: s, arithmetic, extents } in levels(problem, phase) {
        let points: u64 = extents[..last].iter().product();
        let instances = points * columns;
        work.instances += points * extents[last];
        // One of three values is selected, and one of ten instructions moves something.
        work.instructions += instances * (arithmetic * 11 / 10 + 1);
        work.doubles += if is_double(problem, s) { instances * arithmetic } else { 0 };
        work.special += instances * special(s);
        work.chain += LATENCY * arithmetic + SHARED_LATENCY;
        let mut shuffled: HashSet<(Row, i64)> = HashSet::new();
        let step = level / problem.k();
        let accesses = s.reads.iter().map(|a| (a, false));
        for (access, write) in accesses.chain(s.writes.iter().map(|w| (&w.access, true))) {
            let Some(at) = phase.staging.iter().position(|b| b.array == access.array) else {
                work.cached += instances * LANES * size(problem, access.array);
                work.instructions += 2 * instances;
                continue;
            };
            let slot =
                (step + i64::from(access.rotation)).rem_euclid(slots(problem, access.array) as i64);
            let offset = |d: usize| staging::aligned_offset(access, d).unwrap_or(0);
            let aside = offset(last);
            for outer in positions(phase, level, last, &offset) {
                let row = (at, slot, outer);
                if aside != 0 {
                    shuffled.insert((row, aside));
                }
                let used = rows.entry(row).or_default();
                used.loaded |= !write && !used.written;
                used.written |= write;
            }
        }
        for (_, aside) in &shuffled {
            work.shuffles += columns.min(aside.unsigned_abs());
        }
    }
    work.instructions += work.shuffles;
    // The columns of a row, and about one more of each: its address, and what is on its way.
    let (mut words, mut moved) = (0, 0);
    for ((at, _, _), used) in &rows {
        let elem = size(problem, phase.staging[*at].array);
        let accesses = u64::from(used.loaded) + u64::from(used.written);
        moved += accesses * columns * LANES * elem;
        work.bytes += accesses * (columns * LANES * elem + BESIDE);
        work.instructions += accesses * ((columns * elem).div_ceil(16) + 1);
        words += (columns + 1) * elem.div_ceil(4);
    }
    work.cached += moved;
    work.chain += 2 * CACHE_LATENCY;
    let others = 16 + 24 * (problem.dims() as u64 - 1);
    (words + others, work)
}

/// A row of a box: of which box, of which slot, and its subscripts without the innermost.
type Row = (usize, i64, [i64; 2]);

/// Subscripts, without the innermost, of an access at all points of a level; 0 beyond the second.
fn positions(
    phase: &Phase,
    level: i64,
    last: usize,
    offset: &dyn Fn(usize) -> i64,
) -> Vec<[i64; 2]> {
    let mut ranges = [(0, 0); 2];
    for (d, range) in ranges.iter_mut().enumerate().take(last) {
        let Some((lo, hi)) = phase.extent(level, d) else { return Vec::new() };
        *range = (lo + offset(d), hi + offset(d));
    }
    let [outer, inner] = ranges.map(|(lo, hi)| lo..=hi);
    outer.flat_map(|x| inner.clone().map(move |y| [x, y])).collect()
}
