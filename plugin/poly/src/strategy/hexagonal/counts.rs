//! Counting what a full tile does (hybrid-hexagonal-tiling-cgo14, section 3.7), exactly, from its schedule.

use super::tiling::shared_bytes;
use crate::cost::nominal_extent;
use crate::device::Device;
use crate::kernel::build::threads_of;
use crate::problem::Problem;
use crate::schedule::{Classical, Cut, Phase, Phased, Storage, staging};
use crate::strategy::Counts;
use hexpass_abi::{Access, IntExpr};

/// Counts of a full tile, the mean of all phases; where nothing is split, they have the same shape.
pub fn count(problem: &Problem, schedule: &Phased, device: &Device) -> Counts {
    let all: Vec<Counts> =
        schedule.phases.iter().map(|phase| of_phase(problem, schedule, phase, device)).collect();
    let mean = |of: fn(&Counts) -> u64| {
        let sum: u64 = all.iter().map(of).fold(0, u64::saturating_add);
        sum.div_ceil(all.len().max(1) as u64)
    };
    let most = |of: fn(&Counts) -> u64| all.iter().map(of).max().unwrap_or(0);
    Counts {
        instances: mean(|c| c.instances),
        redundant: mean(|c| c.redundant),
        bytes: mean(|c| c.bytes),
        restored: mean(|c| c.restored),
        touched: mean(|c| c.touched),
        barriers: mean(|c| c.barriers),
        launches: 1,
        shared_bytes: most(|c| c.shared_bytes),
        working_set: most(|c| c.working_set),
        issued: mean(|c| c.issued),
        rows: mean(|c| c.rows),
        threads: most(|c| c.threads),
        operations: mean(|c| c.operations),
        tiles_per_block: mean(|c| c.tiles_per_block),
        blocks: mean(|c| c.blocks),
    }
}

/// Counts of a full tile of a phase.
fn of_phase(problem: &Problem, schedule: &Phased, phase: &Phase, device: &Device) -> Counts {
    let program = &problem.stencil;
    let hulls = phase.hulls(program.statements.len());
    let tile = Tile { problem, schedule, phase, hulls };
    let mut counts = Counts { launches: 1, ..Counts::default() };
    let threads = match device {
        Device::Gpu(gpu) => threads_of(phase, gpu),
        Device::Host(_) => [1, 1, 1],
    };
    for level in (0..phase.levels).filter(|&l| phase.has_points(l)) {
        let statement = &program.statements[(level % problem.k()) as usize];
        let extents: Vec<i64> = (0..program.dims).map(|d| tile.extent(level, d)).collect();
        let instances = extents.iter().product::<i64>() as u64;
        let accesses = statement.reads.iter().chain(statement.writes.iter().map(|w| &w.access));
        counts.instances += instances;
        counts.rows += (instances / extents[program.dims - 1].max(1) as u64).max(1);
        counts.touched += instances * accesses.map(|a| tile.element(a)).sum::<u64>();
        counts.operations += instances * statement.body.values.len() as u64;
        counts.issued += issued(&extents, threads);
        counts.barriers += 1;
    }
    counts.threads = threads.iter().map(|&t| u64::from(t)).product();
    counts.working_set = tile.working_set();
    counts.shared_bytes = shared_bytes(problem, &phase.staging);
    counts.bytes = tile.traffic(device, counts.touched);
    if matches!(schedule.storage, Storage::Shared { interleave: true, .. }) {
        counts.restored = tile.stored();
    }
    counts.barriers += u64::from(schedule.storage != Storage::Global);
    let extent = nominal_extent(program.dims);
    (counts.tiles_per_block, counts.blocks) = (1, 1);
    for cut in &phase.cuts {
        match cut {
            Cut::Blocks(row) => counts.blocks *= (extent / row.pitch as u64).max(1),
            Cut::Tiles(Classical { width: Some(w), .. }) => {
                counts.tiles_per_block *= extent / *w as u64 + 1;
            }
            Cut::Tiles(Classical { width: None, .. }) => (),
        }
    }
    counts
}

/// Iterations that a block issues for a level, with those of idle threads.
fn issued(extents: &[i64], threads: [u32; 3]) -> u64 {
    let rounded = extents
        .iter()
        .rev()
        .zip(threads)
        .map(|(&extent, t)| (extent.max(0) as u64).next_multiple_of(u64::from(t)));
    rounded.product()
}

struct Tile<'a> {
    problem: &'a Problem,
    schedule: &'a Phased,
    phase: &'a Phase,
    /// By statement and dimension.
    hulls: Vec<Vec<Option<(i64, i64)>>>,
}

impl Tile<'_> {
    fn extent(&self, level: i64, dim: usize) -> i64 {
        let tiled = match self.phase.extent(level, dim) {
            Some((lo, hi)) => (hi - lo + 1).max(0),
            None => nominal_extent(self.problem.dims()) as i64,
        };
        let statement = (level % self.problem.k()) as usize;
        self.known_extent(statement, dim).map_or(tiled, |known| tiled.min(known))
    }

    /// The extent of a statement's domain, where it is the same for all sizes: one at borders and at single points.
    fn known_extent(&self, statement: usize, dim: usize) -> Option<i64> {
        let s = &self.problem.stencil.statements[statement];
        let (IntExpr::Poly(lo), IntExpr::Poly(hi)) = (&s.lo[dim], &s.hi[dim]) else { return None };
        Some(hi.sub(lo).ok()?.as_constant()?.saturating_add(1).max(0))
    }

    fn element(&self, access: &Access) -> u64 {
        self.problem.stencil.arrays[usize::from(access.array)].elem.size()
    }

    /// Elements of the hull of all accesses to an array, one slot; the rows of a reduction are one.
    fn hull(&self, array: u16) -> u64 {
        let program = &self.problem.stencil;
        let dims = program.arrays[usize::from(array)].strides.len();
        let interval = |d: usize| {
            let parts = staging::accesses(program, array).filter_map(|(i, access, _)| {
                let along = usize::from(access.subscripts.get(d)?.dim?);
                let offset = access.subscripts[d].offset.as_constant()?;
                let whole = (0, nominal_extent(program.dims) as i64 - 1);
                let (lo, hi) = self.hulls[i][along].unwrap_or(whole);
                let known = self.known_extent(i, along).map_or(hi, |known| hi.min(lo + known - 1));
                Some((lo + offset, known + offset))
            });
            parts.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).map_or(1, |(lo, hi)| hi - lo + 1)
        };
        let reduced = program.reductions.iter().any(|r| r.array == array && !r.kind.is_ordered());
        let rows = if reduced { dims - 1 } else { 0 };
        (rows..dims).map(|d| interval(d) as u64).product()
    }

    fn working_set(&self) -> u64 {
        let program = &self.problem.stencil;
        let bytes = |(i, a): (usize, &hexpass_abi::Array)| {
            self.hull(i as u16) * a.slots.len() as u64 * a.elem.size()
        };
        program.arrays.iter().enumerate().map(bytes).sum()
    }

    /// Bytes between global memory and the tile.
    fn traffic(&self, device: &Device, touched: u64) -> u64 {
        let program = &self.problem.stencil;
        let written = self.problem.written_arrays();
        if let (Device::Gpu(_), Storage::Global) = (device, self.schedule.storage) {
            return touched;
        }
        let stores: u64 =
            written.iter().map(|&a| self.hull(a) * self.size(a) * self.slots(a)).sum();
        let loads: u64 = (0..program.arrays.len() as u16)
            .map(|a| match self.phase.staging.iter().find(|s| s.array == a) {
                Some(staged) => staged.renewed().0 as u64 * self.size(a) * self.slots(a),
                None => self.hull(a) * self.size(a) * self.slots(a),
            })
            .sum();
        loads + stores
    }

    fn size(&self, array: u16) -> u64 {
        self.problem.stencil.arrays[usize::from(array)].elem.size()
    }

    fn slots(&self, array: u16) -> u64 {
        self.problem.stencil.arrays[usize::from(array)].slots.len() as u64
    }

    /// Bytes of all stores, each instance's counted.
    fn stored(&self) -> u64 {
        let program = &self.problem.stencil;
        (0..self.phase.levels)
            .map(|level| {
                let statement = &program.statements[(level % self.problem.k()) as usize];
                let instances: i64 = (0..program.dims).map(|d| self.extent(level, d)).product();
                instances as u64
                    * statement.writes.iter().map(|w| self.element(&w.access)).sum::<u64>()
            })
            .sum()
    }
}
