//! What a block does, counted: for the time model, and for ranking.

use super::cut::cut;
use super::fill;
use super::shape::{Shape, WARP, short_parts};
use crate::cost::nominal_extent;
use crate::kernel::build::{direct, thin};
use crate::kernel::cost::chain;
use crate::schedule::Overlapped;
use crate::schedule::overlapped::flow::Flow;
use crate::schedule::overlapped::{Carried, TimeTile, Version};
use crate::strategy::Counts;
use hexpass_abi::cost::{LaunchShape, Machine};
use hexpass_abi::{BlockWork, BorderCost, KernelCost, PlanExpr};
use std::collections::{BTreeMap, BTreeSet};

/// Registers that a thread can have.
pub const MOST_REGISTERS: u16 = 255;
/// Registers that the assembler's order of instructions takes beyond the estimate.
const SPARE_REGISTERS: u16 = 26;
/// Those that the steps of roots and divisions in double precision take beyond that.
const STEPS_REGISTERS: u16 = 8;
/// Registers for what is prefetched: addresses and a condition.
const PREFETCH_REGISTERS: i64 = 8;
/// Registers for addresses, bounds and the loop.
const OTHER_REGISTERS: i64 = 18;
/// Of a store by a lane that owns a part of its vector, with its condition.
const PART_INSTRUCTIONS: u64 = 4;
/// Of a store of one value to a record, with its condition and its address.
const RECORD_INSTRUCTIONS: u64 = 4;
/// Lanes store single elements that leave gaps between them: as if so many times as many bytes went to memory as there are
/// columns, up to this (1.2 of 4 TB/s with four columns of floats or doubles, 1.9 with two, H200).
const MOST_GAPS: u64 = 3;
/// Of keeping a row of what a step is reduced from, with its condition.
const FOLD_INSTRUCTIONS: u64 = 4;
/// Instructions of a turn besides the levels': addresses, the loop, the conditions of stores.
const OTHER_INSTRUCTIONS: u64 = 8;
/// Cycles until the result of a shuffle is there.
const SHUFFLE_LATENCY: u64 = 24;

/// How the values of a version are used inside.
#[derive(Clone, Debug, Default)]
struct Use {
    /// Planes since it was made, at the last use.
    last: i64,
    /// For each edge of each row (row, lanes, column) first and last use.
    edges: BTreeMap<(i64, i64, i64), (i64, i64)>,
    /// Rows of other warps that are read, with each plane since.
    rows: BTreeSet<(i64, i64)>,
    /// Columns beside the thread's own of those.
    beside: BTreeSet<(i64, i64, i64)>,
}

/// Uses of each version, what thin statements do left out.
fn uses(flow: &Flow<'_>, tile: &TimeTile, shape: &Shape) -> Vec<Use> {
    let mut out = vec![Use::default(); tile.versions.len()];
    let s = shape.sizes;
    let statements = &flow.problem.stencil.statements;
    let is_thin = |l: u16| thin(&statements[usize::from(tile.levels[usize::from(l)].statement)]);
    let seen = |mut version: u16| loop {
        let v = &tile.versions[usize::from(version)];
        match (v.level, v.before) {
            (Some(l), Some(before)) if is_thin(l) => version = before,
            _ => return version,
        }
    };
    for (at, level) in tile.levels.iter().enumerate() {
        let statement = &statements[usize::from(level.statement)];
        if thin(statement) {
            continue;
        }
        let cut = cut(flow, tile, at);
        for (read, (access, version)) in statement.reads.iter().zip(&level.reads).enumerate() {
            let (Some(version), Some(distance)) = (version, flow.distance(access)) else {
                continue;
            };
            let version = seen(*version);
            let along = tile.streamed.map_or(0, |d| distance[d]);
            let lead = cut.as_ref().map_or(0, |c| c.leads[read]);
            let age = level.delay - lead - along - tile.delay_of(version);
            let found = &mut out[usize::from(version)];
            found.last = found.last.max(age);
            let across = if shape.dims == 3 { distance[1] } else { 0 };
            for row in (0..s.rows).map(|r| r + across) {
                for column in (0..s.vector).map(|c| c + distance[shape.dims - 1]) {
                    let (lanes, rest) = (column.div_euclid(s.vector), column.rem_euclid(s.vector));
                    if !(0..s.rows).contains(&row) {
                        found.rows.insert((row, age));
                        if lanes != 0 {
                            found.beside.insert((row, age, column));
                        }
                    } else if lanes != 0 {
                        let edge = found.edges.entry((row, lanes, rest)).or_insert((age, age));
                        *edge = (edge.0.min(age), edge.1.max(age));
                    }
                }
            }
        }
    }
    out
}

/// Rows in shared memory of a version of which others read rows.
#[derive(Clone, Debug)]
pub struct EdgeRows {
    /// Which rows of a thread.
    pub of_thread: Vec<i64>,
    /// Rows that nobody writes, before those of the first warp and after those of the last: what the outermost warps read
    /// where they have no neighbour. None where these read rows of their own.
    pub before: i64,
    pub after: i64,
    /// How many warps away the rows are made that others read, at most.
    pub away: i64,
}

impl EdgeRows {
    /// For `wanted` rows, outside of a thread's `tall` own ones.
    pub fn of(wanted: &BTreeSet<i64>, tall: i64, long: bool) -> EdgeRows {
        let rows: BTreeSet<i64> = wanted.iter().map(|r| r.rem_euclid(tall)).collect();
        let away = wanted.iter().map(|r| r.div_euclid(tall).abs()).max().unwrap_or(0);
        let mut all = EdgeRows { of_thread: Vec::from_iter(rows), before: 0, after: 0, away };
        for &row in wanted.iter().filter(|_| !long) {
            let at = all.row(row, tall);
            all.before = all.before.max(-at);
            all.after = all.after.max(at + 1 - all.of_thread.len() as i64);
        }
        all
    }

    /// Where a row lies, from the first one of the thread's warp on.
    pub fn row(&self, row: i64, tall: i64) -> i64 {
        let at = self.of_thread.iter().position(|&r| r == row.rem_euclid(tall)).unwrap_or(0);
        row.div_euclid(tall) * self.of_thread.len() as i64 + at as i64
    }

    /// Rows of a plane of so many warps.
    pub fn height(&self, warps: i64) -> i64 {
        self.before + warps * self.of_thread.len() as i64 + self.after
    }
}

/// Registers of sums on their way, of each point.
fn handed_on(flow: &Flow<'_>, tile: &TimeTile) -> i64 {
    let of = |level: usize| {
        let parts = cut(flow, tile, level).map_or(Vec::new(), |c| c.parts);
        let between = parts.windows(2).map(|two| {
            let values = &two[0].piece.body.values;
            let words = |&v: &u16| values[usize::from(v)].ty.words();
            (two[0].lead - two[1].lead) * two[0].piece.writes.iter().map(words).sum::<i64>()
        });
        between.sum::<i64>()
    };
    (0..tile.levels.len()).map(of).sum()
}

/// True for bodies with divisions or roots, whose many steps hold values that no estimate knows of.
pub fn is_long(flow: &Flow<'_>) -> bool {
    flow.problem.stencil.statements.iter().any(|s| direct::special(s) > 0)
}

/// True if values of two words are written.
pub fn is_double(flow: &Flow<'_>) -> bool {
    let arrays = &flow.problem.stencil.arrays;
    flow.versioned().any(|a| arrays[usize::from(a)].elem.size() > 4)
}

/// Registers of a thread, estimated: what lives from plane to plane, what is on its way, and what one level needs.
pub fn registers(flow: &Flow<'_>, tile: &TimeTile, shape: &Shape) -> u16 {
    let s = shape.sizes;
    let points = s.rows * s.vector;
    let words = |version: usize| {
        let array = tile.versions[version].array;
        (flow.problem.stencil.arrays[usize::from(array)].elem.size() / 4).max(1) as i64
    };
    let (mut kept, mut widest) = (points * handed_on(flow, tile), 1);
    for (version, used) in uses(flow, tile, shape).iter().enumerate() {
        let edges: i64 = used.edges.values().map(|(first, last)| last - first).sum();
        kept += (used.last * points + edges) * words(version);
        if tile.versions[version].level.is_none() && tile.streamed.is_some() && used.last > 0 {
            kept += shape.held() * points * words(version);
        }
        widest = widest.max(words(version));
    }
    if tile.streamed.is_none() {
        kept = 2 * points * widest * tile.left.len().max(1) as i64;
    }
    // What is kept of each step, by all levels together, and what the instance at hand makes of it.
    let folds = tile.levels.iter().enumerate();
    let folds = folds.flat_map(|(l, level)| {
        level.folds.iter().map(move |&array| (array, l as i64 / flow.problem.k()))
    });
    let folds: BTreeSet<(u16, i64)> = folds.collect();
    let size = |array: u16| flow.problem.stencil.arrays[usize::from(array)].elem.size() as i64;
    kept += folds.iter().map(|&(array, _)| size(array) / 4).sum::<i64>()
        + 2 * i64::from(!folds.is_empty());
    // In pieces, a plane's neighbours are used by all pieces at once.
    let is_cut = (0..tile.levels.len()).any(|level| cut(flow, tile, level).is_some());
    let around = if is_cut { 2 * (s.rows + s.vector + 2) * widest } else { 0 };
    (kept + around + 2 * points * widest + OTHER_REGISTERS).clamp(1, i64::from(u16::MAX)) as u16
}

/// Registers that a thread is given: all with which as many blocks are at work at once as with what it needs. What the
/// border's body needs more it spills.
fn allotted(flow: &Flow<'_>, estimated: u16, shape: &Shape) -> u16 {
    let steps = if is_long(flow) && is_double(flow) { STEPS_REGISTERS } else { 0 };
    let needed = estimated.saturating_add(SPARE_REGISTERS + steps).min(MOST_REGISTERS);
    registers_of(resident(needed, shape.sizes.warps).max(1), shape.sizes.warps)
}

/// The most registers of a thread with which a multiprocessor holds so many blocks of so many warps.
fn registers_of(blocks: u32, warps: i64) -> u16 {
    let all = (8..=MOST_REGISTERS + 1).step_by(8).map(|n| n.min(MOST_REGISTERS));
    all.filter(|&n| resident(n, warps) >= blocks).max().unwrap_or(MOST_REGISTERS)
}

/// Blocks of so many warps that a multiprocessor holds at once, as far as registers decide.
fn resident(registers: u16, warps: i64) -> u32 {
    Machine::h200().resident(registers, (WARP * warps) as u32, 0)
}

/// True if planes on their way lie in shared memory: in three dimensions, values of two words of which no boxes are added up.
/// Threads have no registers for them; words of shared memory, of which boxes and single precision take most of what there is,
/// are left.
pub fn fetches(flow: &Flow<'_>, tile: &TimeTile, shape: &Shape) -> bool {
    let is_cut = (0..tile.levels.len()).any(|level| cut(flow, tile, level).is_some());
    let arrays = &flow.problem.stencil.arrays;
    let size = |array: u16| arrays[usize::from(array)].elem.size();
    let in_words = tile.versions.iter().all(|v| size(v.array) >= 4);
    shape.dims == 3 && shape.ahead > 1 && !is_cut && is_double(flow) && in_words
}

/// True if the planes of a whole time round the loop can be loaded together: in two dimensions, where threads have
/// registers for them that others wouldn't use.
///
/// In three, a barrier stands in every plane, and threads have no registers to spare. Steps of several statements hold
/// more than is estimated, and long bodies don't wait for memory.
pub fn prefetches(flow: &Flow<'_>, tile: &TimeTile, shape: &Shape) -> bool {
    let apart = shape.dims == 2 && tile.streamed.is_some() && shape.ahead == shape.unroll;
    if !apart || flow.problem.k() != 1 || is_long(flow) {
        return false;
    }
    let arrays = &flow.problem.stencil.arrays;
    let words = |array: u16| (arrays[usize::from(array)].elem.size() / 4).max(1) as i64;
    let loaded = tile.versions.iter().filter(|v| v.level.is_none());
    let plane: i64 = loaded.map(|v| shape.sizes.vector * words(v.array)).sum();
    let estimated = registers(flow, tile, shape);
    let more = (shape.unroll - 1) * plane + PREFETCH_REGISTERS;
    i64::from(estimated) + more <= i64::from(allotted(flow, estimated, shape))
}

/// What a block does.
pub fn cost(flow: &Flow<'_>, tile: &TimeTile, carried: &[Carried], shape: &Shape) -> KernelCost {
    let program = &flow.problem.stencil;
    let s = shape.sizes;
    let (warps, points) = (s.warps as u64, (s.rows * s.vector) as u64);
    let size = |array: u16| program.arrays[usize::from(array)].elem.size();
    let own_rows = if shape.dims == 3 { shape.own_rows() } else { 1 };
    let own = (shape.own_columns() * own_rows) as u64;
    let mut turn = BlockWork {
        barriers: u64::from(shape.dims == 3),
        beside: u64::from(shape.beside),
        ..BlockWork::default()
    };
    let mut instructions = OTHER_INSTRUCTIONS;
    for level in &tile.levels {
        let statement = &program.statements[usize::from(level.statement)];
        if thin(statement) {
            continue;
        }
        let operations = direct::operations(statement);
        turn.instances += warps * points * WARP as u64;
        turn.redundant += warps * points * WARP as u64 - own;
        turn.special += warps * points * direct::special(statement);
        let double = statement.writes.iter().any(|w| size(w.access.array) > 4);
        let arithmetic = points * operations;
        instructions += arithmetic;
        turn.doubles += if double { warps * arithmetic } else { 0 };
        turn.chain += chain(statement);
        for access in statement.reads.iter().filter(|a| flow.is_only_read(a.array)) {
            let full = access.subscripts.len() == shape.dims;
            instructions += if full { points * size(access.array) / 16 } else { points };
            turn.cached += warps * WARP as u64 * points * size(access.array);
            turn.bytes += if full { own * size(access.array) / tile.steps as u64 } else { 0 };
        }
        instructions += FOLD_INSTRUCTIONS * s.rows as u64 * level.folds.len() as u64;
        for w in flow.stored(level.statement) {
            instructions += RECORD_INSTRUCTIONS * points;
            turn.cached += own * size(w.access.array);
            turn.bytes += own * size(w.access.array) * (s.vector as u64).min(MOST_GAPS);
        }
    }
    for (version, used) in uses(flow, tile, shape).iter().enumerate() {
        let words = (size(tile.versions[version].array) / 4).max(1);
        let edges = used.edges.len() as u64 * words;
        turn.shuffles += warps * edges;
        instructions += edges;
        let near = used.edges.values().any(|e| e.0 == 0);
        turn.chain += if near { SHUFFLE_LATENCY } else { 0 };
        let rows: BTreeSet<i64> = used.rows.iter().map(|(r, _)| r.rem_euclid(s.rows)).collect();
        let exchanged = (rows.len() + used.rows.len()) as u64 * s.vector as u64;
        turn.words += warps * WARP as u64 * (exchanged + used.beside.len() as u64) * words;
        instructions += (exchanged * words).div_ceil(2) + used.beside.len() as u64 * words;
    }
    let live = flow.live();
    for c in carried {
        let all = warps * WARP as u64 * points;
        instructions += 2 * (points * size(c.array)).div_ceil(16);
        let part = shape.part_at_once(s.vector.min(16 / size(c.array).max(1) as i64));
        let parts = if part == 0 { 0 } else { points / part as u64 };
        instructions += PART_INSTRUCTIONS * parts;
        let is_loaded = live.contains(&(c.array, c.rotation));
        let loaded = if is_loaded { (all, own) } else { (0, 0) };
        turn.cached += (loaded.0 + own) * size(c.array);
        turn.bytes += (loaded.1 + own) * size(c.array);
    }
    turn.instructions = warps * instructions;
    let start = BlockWork { instructions: warps * 100, chain: 600, ..BlockWork::default() };
    let registers = allotted(flow, registers(flow, tile, shape), shape);
    match tile.streamed {
        None => {
            turn.instructions += start.instructions;
            turn.chain += start.chain;
            KernelCost { registers, start: turn, ..KernelCost::default() }
        }
        Some(_) => {
            let more = shape.halo[0].0 + tile.latest();
            let planes = match shape.short {
                Some(short) => short.most(0, &PlanExpr::Tunable(0)),
                None => PlanExpr::Tunable(0),
            };
            let turns = Some(planes.clone() + PlanExpr::Const(more - shape.fill.turns()));
            let all: i64 = tile.levels.iter().map(|l| fill::operations(flow, l.statement)).sum();
            let computed = all * shape.fill.turns() - shape.fill.left_out(flow, tile);
            let filled = (turn.instructions * computed as u64).div_ceil(all.max(1) as u64);
            let start = BlockWork { instructions: start.instructions + filled, ..start };
            let code = u32::try_from(instructions * shape.unroll as u64).unwrap_or(u32::MAX);
            let rows = shape.short.map_or(0, |short| short_parts(flow, short));
            // As many planes as the first and the last part have, and those around them.
            let row_turns = match shape.short {
                Some(short) if rows > 0 => u16::try_from(short.ends + more).unwrap_or(u16::MAX),
                _ => 0,
            };
            let border = shape.short.map(|short| BorderCost {
                ends: [2 * short.pieces as u8, 2, 0],
                turns: Some(short.piece(planes) + PlanExpr::Const(more)),
                rows,
                row_turns,
                ..BorderCost::default()
            });
            KernelCost { registers, start, turn, turns, code, border }
        }
    }
}

/// What a block does in all its turns, in the words of [`Counts`].
pub fn counts(flow: &Flow<'_>, schedule: &Overlapped) -> Counts {
    let Some((_, cost, shape)) = nominal(flow, schedule) else { return Counts::default() };
    let turns = turns(&cost, default_chunk(schedule)).max(1) as u64;
    let work = if cost.turns.is_some() { &cost.turn } else { &cost.start };
    Counts {
        instances: work.instances * turns,
        redundant: work.redundant * turns,
        bytes: work.bytes * turns,
        barriers: work.barriers * turns,
        launches: 1,
        issued: work.instances * turns,
        threads: (WARP * shape.sizes.warps) as u64,
        operations: work.instructions * WARP as u64 * turns,
        tiles_per_block: 1,
        blocks: blocks(flow, &shape, default_chunk(schedule)),
        ..Counts::default()
    }
}

/// Seconds for an instance of a statement, on the nominal problem, with the best of the tunable chunks.
pub fn estimate(flow: &Flow<'_>, schedule: &Overlapped) -> f64 {
    let Some((tile, cost, shape)) = nominal(flow, schedule) else { return f64::INFINITY };
    let machine = Machine::h200();
    let chunks = match schedule.tunables.first() {
        Some(t) => t.values.clone(),
        None => vec![1],
    };
    let dims = flow.problem.dims();
    let points = nominal_extent(dims).pow(dims as u32) as f64;
    let instances = points * (tile.steps * flow.problem.k()) as f64;
    let one = |chunk: &i64| {
        let launch = LaunchShape {
            threads: (WARP * shape.sizes.warps) as u32,
            shared_bytes: shared_bytes(flow, tile, &shape) as u32,
            blocks: blocks(flow, &shape, *chunk),
            border: 0,
            rows: 0,
            turns: turns(&cost, *chunk),
            border_turns: turns(&cost, *chunk),
            in_cache: false,
        };
        machine.launch_seconds(&cost, &launch).map_or(f64::INFINITY, |s| s / instances)
    };
    chunks.iter().map(one).fold(f64::INFINITY, f64::min)
}

/// Bytes of shared memory: as the kernel has them.
fn shared_bytes(flow: &Flow<'_>, tile: &TimeTile, shape: &Shape) -> u64 {
    let s = shape.sizes;
    let size = |v: &Version| flow.problem.stencil.arrays[usize::from(v.array)].elem.size();
    let uses = uses(flow, tile, shape);
    let is_loaded = |(v, used): &(&Version, &Use)| v.level.is_none() && used.last > 0;
    let loaded = tile.versions.iter().zip(&uses).filter(|v| shape.fetches && is_loaded(v));
    let points = (shape.ahead * s.rows * s.warps * WARP * s.vector) as u64;
    let fetched: u64 = loaded.map(|(v, _)| points * size(v)).sum();
    let each = tile.versions.iter().zip(&uses).map(|(v, used)| {
        let wanted = used.rows.iter().map(|&(row, _)| row).collect();
        let height = EdgeRows::of(&wanted, s.rows, is_long(flow)).height(s.warps);
        let columns = WARP * s.vector + 2 * s.vector;
        (shape.unroll * height * columns) as u64 * size(v)
    });
    fetched + each.sum::<u64>()
}

fn nominal<'s>(
    flow: &Flow<'_>,
    schedule: &'s Overlapped,
) -> Option<(&'s TimeTile, KernelCost, Shape)> {
    let tile = schedule.tiles.first()?;
    let sizes = super::sizes::check(flow.problem, &schedule.sizes).ok()?;
    let shape = super::shape_of(flow, tile, sizes).ok()?;
    let cost = cost(flow, tile, &schedule.carried, &shape);
    Some((tile, cost, shape))
}

fn default_chunk(schedule: &Overlapped) -> i64 {
    schedule.tunables.first().and_then(|t| t.values.first()).copied().unwrap_or(1)
}

fn turns(cost: &KernelCost, chunk: i64) -> i64 {
    match &cost.turns {
        Some(PlanExpr::Add(_, more)) => match **more {
            PlanExpr::Const(more) => chunk + more,
            _ => chunk,
        },
        _ => 1,
    }
}

fn blocks(flow: &Flow<'_>, shape: &Shape, chunk: i64) -> u64 {
    let dims = flow.problem.dims();
    let extent = nominal_extent(dims);
    let columns = extent.div_ceil(shape.own_columns() as u64);
    let rows = if dims == 3 { extent.div_ceil(shape.own_rows() as u64) } else { 1 };
    let chunks = if dims > 1 { extent.div_ceil(chunk.max(1) as u64) } else { 1 };
    columns * rows * chunks
}
