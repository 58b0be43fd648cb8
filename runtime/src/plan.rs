//! Runs a launch plan on any device.
//!
//! Consumes a guarded [`Shape`], a variant and a [`Device`]; produces the nest's effect on the program's memory and
//! the [`Counts`] of what it took. A refusal leaves that memory as it was; what fails after the first byte has been
//! written back can't be undone and is reported through [`Job::touched`].

use crate::device::Device;
use crate::error::Refusal;
use crate::guard::{Extent, Shape};
use crate::record::Nest;
use crate::transfer::{self, Placement};
use hexpass_abi::{KernelParam, PlanExpr, PlanOp, Poly, Variant, expr::Sym, plan::PlanValues};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// One execution of a nest.
pub struct Job<'a> {
    /// Which nest.
    pub nest: &'a Nest,
    /// Which of its variants.
    pub variant: &'a Variant,
    /// Where everything lies.
    pub shape: &'a Shape,
    /// [`hexpass_abi::NestArgs::ints`]
    pub ints: &'a [i64],
    /// [`hexpass_abi::NestArgs::scalars`]
    pub scalars: &'a [u64],
    /// Set before the program's memory changes, cleared when the nest is complete.
    pub touched: &'a AtomicBool,
}

/// What an execution took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// Bytes copied to the device.
    pub bytes_in: u64,
    /// Bytes copied back.
    pub bytes_out: u64,
    /// Launches of at least one block.
    pub launches: u64,
    /// Seconds from the first launch to the end of the last.
    pub kernel_seconds: f64,
}

impl PlanValues for Extent {
    fn steps(&self) -> i64 {
        self.steps
    }

    fn space(&self, dim: u8) -> (i64, i64) {
        (self.space.lo[usize::from(dim)], self.space.hi[usize::from(dim)])
    }

    fn tunable(&self, _: u8) -> i64 {
        1
    }
}

/// One launch, as a plan asks for it.
pub struct Launch<'a> {
    /// Index into [`Variant::kernels`].
    pub kernel: usize,
    /// Number of blocks, positive.
    pub blocks: u64,
    /// [`PlanOp::Launch::time`]
    pub time: i64,
    /// [`PlanOp::Launch::args`], still to be evaluated with `vars`.
    pub args: &'a [PlanExpr],
    /// Loop variables at this launch.
    pub vars: &'a [i64],
}

/// Visits every launch of a plan that has blocks, in order, until `visit` breaks.
pub fn walk<B>(
    variant: &Variant,
    extent: &Extent,
    visit: &mut dyn FnMut(Launch) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let mut vars = vec![0; usize::from(variant.plan.vars)];
    walk_ops(&variant.plan.ops, extent, &mut vars, visit)
}

fn walk_ops<B>(
    ops: &[PlanOp],
    extent: &Extent,
    vars: &mut Vec<i64>,
    visit: &mut dyn FnMut(Launch) -> ControlFlow<B>,
) -> ControlFlow<B> {
    for op in ops {
        match op {
            PlanOp::Loop { var, lo, hi, body } => {
                let (lo, hi) = (lo.eval(extent, vars), hi.eval(extent, vars));
                for value in lo..=hi {
                    vars[usize::from(*var)] = value;
                    walk_ops(body, extent, vars, visit)?;
                }
            }
            PlanOp::Launch { kernel, blocks, time, args } => {
                let blocks: i64 = blocks.iter().map(|b| b.eval(extent, vars).max(0)).product();
                if blocks > 0 {
                    let time = time.eval(extent, vars);
                    let kernel = usize::from(*kernel);
                    visit(Launch { kernel, blocks: blocks as u64, time, args, vars })?;
                }
            }
        }
    }
    ControlFlow::Continue(())
}

/// Copies in, launches, copies out.
pub fn execute(job: &Job, device: &mut dyn Device) -> Result<Counts, Refusal> {
    let placement = Placement::of(job, device)?;
    let mut counts =
        Counts { bytes_in: transfer::copy_in(job, device, &placement)?, ..Counts::default() };
    if device.shares_memory() {
        job.touched.store(true, Ordering::Release);
    }
    // Copies to the device may still be under way: they are no part of the kernels' time.
    device.finish()?;
    let start = Instant::now();
    counts.launches = launch_all(job, device, &placement)?;
    device.finish()?;
    counts.kernel_seconds = start.elapsed().as_secs_f64();
    job.touched.store(true, Ordering::Release);
    counts.bytes_out = transfer::copy_out(job, device, &placement)?;
    job.touched.store(false, Ordering::Release);
    Ok(counts)
}

fn launch_all(job: &Job, device: &mut dyn Device, placement: &Placement) -> Result<u64, Refusal> {
    let kernels: Vec<Vec<Source>> = job
        .variant
        .kernels
        .iter()
        .map(|k| k.params.iter().map(|p| Source::of(p, job)).collect())
        .collect();
    let (mut launches, mut params) = (0, Vec::new());
    let flow = walk(job.variant, &job.shape.extent, &mut |launch| {
        params.clear();
        params.extend(kernels[launch.kernel].iter().map(|s| s.value(job, placement, &launch)));
        launches += 1;
        match device.launch(launch.kernel, launch.blocks, &params) {
            Ok(()) => ControlFlow::Continue(()),
            Err(refusal) => ControlFlow::Break(refusal),
        }
    });
    match flow {
        ControlFlow::Continue(()) => Ok(launches),
        ControlFlow::Break(refusal) => Err(refusal),
    }
}

/// A kernel parameter with everything settled that no launch changes.
enum Source {
    Value(u64),
    Slot { array: usize, rotation: i64 },
    Launch(usize),
}

impl Source {
    fn of(param: &KernelParam, job: &Job) -> Source {
        let shape = job.shape;
        let extent = &shape.extent;
        let hull = |array: u16, dim: u8| {
            let hull = shape.arrays[usize::from(array)].hull;
            hull.map_or((0, -1), |h| (h.lo[usize::from(dim)], h.hi[usize::from(dim)]))
        };
        let value = match *param {
            KernelParam::Slot { array, rotation } => {
                return Source::Slot { array: usize::from(array), rotation: i64::from(rotation) };
            }
            KernelParam::Launch(i) => return Source::Launch(usize::from(i)),
            KernelParam::Buffer { .. } => return Source::Value(0),
            KernelParam::Stride { array, dim } => {
                let elem = job.nest.record.arrays[usize::from(array)].elem.size() as i64;
                shape.arrays[usize::from(array)].strides[usize::from(dim)] / elem
            }
            KernelParam::ArrayLo { array, dim } => hull(array, dim).0,
            KernelParam::ArrayHi { array, dim } => hull(array, dim).1,
            KernelParam::StatementLo { statement, dim } => {
                extent.bounds(usize::from(statement), usize::from(dim)).0
            }
            KernelParam::StatementHi { statement, dim } => {
                extent.bounds(usize::from(statement), usize::from(dim)).1
            }
            KernelParam::Int(ref p) => wrapping_value(p, job.ints),
            KernelParam::Scalar(i) => job.scalars[usize::from(i)] as i64,
            KernelParam::Steps => extent.steps,
        };
        Source::Value(value as u64)
    }

    fn value(&self, job: &Job, placement: &Placement, launch: &Launch) -> u64 {
        match *self {
            Source::Value(v) => v,
            Source::Launch(i) => launch.args[i].eval(&job.shape.extent, launch.vars) as u64,
            Source::Slot { array, rotation } => {
                let shape = &job.shape.arrays[array];
                let turned = launch.time.wrapping_add(rotation).wrapping_add(shape.rotation);
                let slot = turned.rem_euclid(shape.slots.len() as i64);
                placement.origins[array][slot as usize]
            }
        }
    }
}

/// The value of an integer that a body uses; like the program's own arithmetic it may wrap.
fn wrapping_value(p: &Poly, ints: &[i64]) -> i64 {
    let symbol = |s: &Sym| match s {
        Sym::Int(i) => ints[usize::from(*i)],
        _ => 0,
    };
    p.terms()
        .iter()
        .map(|t| t.symbols.iter().map(symbol).fold(t.coefficient, i64::wrapping_mul))
        .fold(0, i64::wrapping_add)
}
