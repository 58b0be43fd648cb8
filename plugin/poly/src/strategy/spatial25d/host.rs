//! Slabs on the CPU ([`slabs`](crate::kernel::build::slabs)): which are worth counting, and what they do.

use crate::cost::nominal_extent;
use crate::device::Host;
use crate::kernel::build::is_thin;
use crate::problem::Problem;
use crate::schedule::{Overlapped, TileSizes};
use crate::stencil::{Statement, Write};
use crate::strategy::{Counts, Inapplicable};
use hexpass_abi::Access;
use std::collections::BTreeSet;

/// Largest width of a slab.
const WIDEST: i64 = 1 << 20;

/// Slabs worth counting.
pub fn candidates(problem: &Problem) -> Vec<TileSizes> {
    let widths: &[i64] = match problem.dims() {
        1 => &[8192, 65536],
        2 => &[16, 64],
        _ => &[2, 8],
    };
    widths.iter().map(|&w| TileSizes(vec![("w".to_owned(), w)])).collect()
}

/// The width of a slab.
pub fn width(sizes: &TileSizes) -> Result<i64, Inapplicable> {
    match sizes.get("w") {
        Some(w) if (1..=WIDEST).contains(&w) => Ok(w),
        Some(w) => Err(Inapplicable::new(format!("w = {w} must lie between 1 and {WIDEST}"))),
        None => Err(Inapplicable::new("the width w is missing")),
    }
}

/// What a block of every statement does, one after the other.
pub fn counts(problem: &Problem, schedule: &Overlapped, host: &Host) -> Counts {
    let program = &problem.stencil;
    let width = schedule.sizes.get("w").unwrap_or(1) as u64;
    let extent = nominal_extent(program.dims);
    let mut out = Counts {
        launches: 1,
        tiles_per_block: 1,
        blocks: extent.div_ceil(width),
        ..Counts::default()
    };
    let size = |array: u16| program.arrays[usize::from(array)].elem.size();
    for s in &program.statements {
        let axis = |d: usize| match (is_thin(s, d), d) {
            (true, _) => 1,
            (false, 0) => width,
            (false, _) => extent,
        };
        let instances: u64 = (0..program.dims).map(axis).product();
        let accesses = s.reads.iter().chain(s.writes.iter().map(|w| &w.access));
        out.instances += instances;
        out.rows += instances / axis(program.dims - 1);
        out.operations += instances * s.body.values.len() as u64;
        out.touched += instances * accesses.map(|a| size(a.array)).sum::<u64>();
        out.bytes += instances * memory_bytes(problem, s, host);
    }
    // A step begins with cold caches: what a statement leaves there, the next finds only in small grids.
    out.working_set = out.bytes;
    out.barriers = 1;
    out.issued = out.instances;
    out.threads = 1;
    out
}

/// Bytes between memory and the cache for an instance of a statement. What is written is fetched before; of what is read,
/// each plane comes anew where half the cache can't hold all that are needed at a time.
fn memory_bytes(problem: &Problem, s: &Statement, host: &Host) -> u64 {
    let program = &problem.stencil;
    let size = |array: u16| program.arrays[usize::from(array)].elem.size();
    let slot = |a: &Access| (a.array, a.rotation);
    let plane = |a: &Access| {
        let along = a.subscripts.iter().find(|s| s.dim == Some(0));
        along.and_then(|s| s.offset.as_constant()).unwrap_or(0)
    };
    let slots: BTreeSet<_> = s.reads.iter().map(slot).collect();
    let planes: BTreeSet<_> = s.reads.iter().map(|a| (slot(a), plane(a))).collect();
    let all_planes: u64 = planes.iter().map(|((array, _), _)| size(*array)).sum();
    let points = nominal_extent(program.dims).pow(program.dims as u32 - 1);
    let read = match all_planes.saturating_mul(points) <= host.cache_bytes / 2 {
        true => slots.iter().map(|(array, _)| size(*array)).sum(),
        false => all_planes,
    };
    let written = |w: &Write| {
        let fetched = slots.contains(&slot(&w.access));
        size(w.access.array) * if fetched { 1 } else { 2 }
    };
    read + s.writes.iter().map(written).sum::<u64>()
}
