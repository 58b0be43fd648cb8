//! Hybrid hexagonal/classical tiling: hexagons along time and the outermost space dimension, parallelograms along the
//! others (hybrid-hexagonal-tiling-cgo14, section 3), or trapezoids, which run in parallel ([`split`]).
//!
//! Sizes: `h`, `w0` shape the hexagon ([`geometry`]); `w1`, `w2` are the widths of the classical tiles, `p1`, `p2` the
//! pitches of trapezoids; both absent, a dimension is left whole.

mod counts;
mod estimate;
mod geometry;
mod registers;
mod sizes;
mod split;
mod tiling;

use super::{Counts, Inapplicable, Strategy, phased};
use crate::device::Device;
use crate::kernel::ir::KernelProgram;
use crate::problem::Problem;
use crate::rejection::Rejection;
use crate::schedule::{Ratio, Storage, TileSizes, TiledSchedule};

/// The strategy.
#[derive(Debug)]
pub struct Hexagonal;

/// Largest numerator, denominator, height and width: beyond them, nothing useful and arithmetic to worry about.
const LARGEST: i64 = 1 << 16;

impl Strategy for Hexagonal {
    fn name(&self) -> &'static str {
        "hexagonal"
    }

    fn admit(&self, problem: &Problem) -> Result<(), Inapplicable> {
        let dims = problem.stencil.dims;
        if let Some(why) = &problem.deps.unbounded {
            return Err(Inapplicable::new(why.detail.clone()));
        }
        if !(1..=3).contains(&dims) || problem.cone().delta.len() != dims {
            return Err(Inapplicable::new(format!("{dims} space dimensions, 1 to 3 can be tiled")));
        }
        if problem.stencil.statements.is_empty() {
            return Err(Inapplicable::new("the nest has no statement"));
        }
        let fits = |r: Ratio| (0..=LARGEST).contains(&r.num) && (1..=LARGEST).contains(&r.den);
        match problem.cone().delta.iter().find(|(a, b)| !fits(*a) || !fits(*b)) {
            Some((a, b)) => {
                Err(Inapplicable::new(format!("the cone's slopes {a} and {b} are out of range")))
            }
            None => Ok(()),
        }
    }

    fn sizes(
        &self,
        problem: &Problem,
        device: &Device,
        given: &TileSizes,
    ) -> Result<Vec<TileSizes>, Inapplicable> {
        sizes::candidates(problem, device, given)
    }

    fn places(&self) -> bool {
        true
    }

    fn counts(&self, problem: &Problem, schedule: &TiledSchedule, device: &Device) -> Counts {
        match schedule {
            TiledSchedule::Phased(schedule) => counts::count(problem, schedule, device),
            TiledSchedule::Overlapped(_) => Counts::default(),
        }
    }

    fn estimate(&self, problem: &Problem, schedule: &TiledSchedule, device: &Device) -> f64 {
        match (schedule, device) {
            (TiledSchedule::Phased(schedule), Device::Gpu(gpu)) => {
                estimate::seconds(problem, schedule, gpu)
            }
            _ => crate::cost::estimate(&self.counts(problem, schedule, device), device),
        }
    }

    fn schedule(
        &self,
        problem: &Problem,
        sizes: &TileSizes,
        device: &Device,
        storage: Option<Storage>,
    ) -> Result<TiledSchedule, Inapplicable> {
        if matches!(device, Device::Host(_)) && sizes::splits(sizes) {
            return Err(Inapplicable::new(
                "p1 and p2 lay blocks along several axes of a grid, and the CPU's blocks stand in one row",
            ));
        }
        let checked = sizes::check(problem, sizes)?;
        tiling::schedule(problem, sizes, &checked, device, storage).map(TiledSchedule::Phased)
    }

    fn kernels(
        &self,
        problem: &Problem,
        schedule: &TiledSchedule,
        device: &Device,
    ) -> Result<KernelProgram, Rejection> {
        KernelProgram::build(problem, phased(schedule)?, device)
    }
}
