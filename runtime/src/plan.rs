//! Runs launch plans on any device.
//!
//! Consumes a guarded [`Shape`], a [`Course`] of variants and a [`Device`]; produces the nest's effect on the program's memory and
//! the [`Counts`] of what it took. A refusal leaves that memory as it was; what fails after the first byte has been
//! written back can't be undone and is reported through [`Job::touched`].

use crate::choice::Pick;
use crate::device::Device;
use crate::error::{Reason, Refusal};
use crate::guard::{Extent, Shape};
use crate::record::Nest;
use crate::resident::Resident;
use crate::trace::Range;
use crate::transfer::Placement;
use crate::tune::Course;
use hexpass_abi::{KernelParam, PlanExpr, PlanOp, Poly, Variant, expr::Sym, plan::PlanValues};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// One execution of a nest.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// Which nest.
    pub nest: &'a Nest,
    /// Where everything lies.
    pub shape: &'a Shape,
    /// [`hexpass_abi::NestArgs::ints`]
    pub ints: &'a [i64],
    /// [`hexpass_abi::NestArgs::pointers`]
    pub pointers: &'a [u64],
    /// [`hexpass_abi::NestArgs::scalars`]
    pub scalars: &'a [u64],
    /// Set before the program's memory changes, cleared when the nest is complete.
    pub touched: &'a AtomicBool,
    /// Arrays of which each thread of the CPU has its own, so many bytes from the last thread's.
    pub private: &'a [(u16, u64)],
    /// What the steps overwrite is kept: they may be taken back.
    pub saves: bool,
    /// What the steps reduce is wanted: what each reduction begins with.
    pub reduces: Option<&'a [u64]>,
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
    /// Seconds in which kernels were loaded.
    pub load_seconds: f64,
    /// Seconds in which buffers were allocated, inputs copied, and results copied back, as the host sees them: copies to a
    /// device may go on while it returns.
    pub alloc_seconds: f64,
    pub in_seconds: f64,
    pub out_seconds: f64,
    /// Index among the course's picks of the one that did the last steps.
    pub used: usize,
}

/// What the expressions of a variant's plan speak of.
#[derive(Clone, Copy)]
pub struct Values<'a> {
    /// Steps and space.
    pub extent: &'a Extent,
    /// A value for each of [`Variant::tunables`].
    pub tunables: &'a [i64],
}

impl PlanValues for Values<'_> {
    fn steps(&self) -> i64 {
        self.extent.steps
    }

    fn space(&self, dim: u8) -> (i64, i64) {
        let dim = usize::from(dim);
        (self.extent.space.lo[dim], self.extent.space.hi[dim])
    }

    fn tunable(&self, index: u8) -> i64 {
        self.tunables[usize::from(index)]
    }
}

/// One launch, as a plan asks for it.
pub struct Launch<'a> {
    /// Index into [`Variant::kernels`].
    pub kernel: usize,
    /// Number of blocks along each axis, all positive.
    pub blocks: [u64; 3],
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
    values: Values,
    visit: &mut dyn FnMut(Launch) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let mut vars = vec![0; usize::from(variant.plan.vars)];
    walk_ops(&variant.plan.ops, &values, &mut vars, visit)
}

fn walk_ops<B>(
    ops: &[PlanOp],
    values: &Values,
    vars: &mut Vec<i64>,
    visit: &mut dyn FnMut(Launch) -> ControlFlow<B>,
) -> ControlFlow<B> {
    for op in ops {
        match op {
            PlanOp::Loop { var, lo, hi, body } => {
                let (lo, hi) = (lo.eval(values, vars), hi.eval(values, vars));
                for value in lo..=hi {
                    vars[usize::from(*var)] = value;
                    walk_ops(body, values, vars, visit)?;
                }
            }
            PlanOp::Launch { kernel, blocks, time, args } => {
                let blocks =
                    [0, 1, 2].map(|axis: usize| blocks[axis].eval(values, vars).max(0) as u64);
                if !blocks.contains(&0) {
                    let (kernel, time) = (usize::from(*kernel), time.eval(values, vars));
                    visit(Launch { kernel, blocks, time, args, vars })?;
                }
            }
        }
    }
    ControlFlow::Continue(())
}

/// How many launches of how many blocks a plan has, in any order, until `visit` breaks: equal turns of a loop at once. A look
/// at a small nest has no time to go through all of them.
pub fn tally<B>(
    variant: &Variant,
    values: Values,
    visit: &mut dyn FnMut([u64; 3], f64) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let mut vars = vec![0; usize::from(variant.plan.vars)];
    tally_ops(&variant.plan.ops, &values, &mut vars, 1.0, visit)
}

fn tally_ops<B>(
    ops: &[PlanOp],
    values: &Values,
    vars: &mut Vec<i64>,
    times: f64,
    visit: &mut dyn FnMut([u64; 3], f64) -> ControlFlow<B>,
) -> ControlFlow<B> {
    for op in ops {
        match op {
            PlanOp::Loop { var, lo, hi, body } => {
                let (lo, hi) = (lo.eval(values, vars), hi.eval(values, vars));
                let turns = (hi - lo + 1).max(0);
                let (last, each) = match decides_blocks(body, *var) {
                    true => (hi, 1.0),
                    false => (hi.min(lo), turns as f64),
                };
                for value in lo..=last {
                    vars[usize::from(*var)] = value;
                    tally_ops(body, values, vars, times * each, visit)?;
                }
            }
            PlanOp::Launch { blocks, .. } => {
                let blocks = blocks.each_ref().map(|e| e.eval(values, vars).max(0) as u64);
                if !blocks.contains(&0) {
                    visit(blocks, times)?;
                }
            }
        }
    }
    ControlFlow::Continue(())
}

/// In how many rows of an array's first dimension, at most, kernels of a variant keep one element for each thread
/// ([`hexpass_abi::Folds`]); `None` if none does.
pub fn rows_kept(variant: &Variant, values: Values, array: u16) -> Option<i64> {
    let vars = vec![0; usize::from(variant.plan.vars)];
    rows_kept_by(&variant.plan.ops, variant, &values, &vars, array)
}

fn rows_kept_by(
    ops: &[PlanOp],
    variant: &Variant,
    values: &Values,
    vars: &[i64],
    array: u16,
) -> Option<i64> {
    let of = |op: &PlanOp| match op {
        PlanOp::Loop { body, .. } => rows_kept_by(body, variant, values, vars, array),
        PlanOp::Launch { kernel, blocks, .. } => {
            let folds = variant.kernels[usize::from(*kernel)].folds.as_ref()?;
            let (axis, each) = folds.rows.filter(|_| folds.arrays.contains(&array))?;
            Some(blocks[usize::from(axis)].eval(values, vars).max(0) * i64::from(each))
        }
    };
    ops.iter().filter_map(of).max()
}

/// True if a loop's counter decides how many blocks are launched in its body.
fn decides_blocks(ops: &[PlanOp], var: u8) -> bool {
    ops.iter().any(|op| match op {
        PlanOp::Loop { lo, hi, body, .. } => {
            lo.mentions(var) || hi.mentions(var) || decides_blocks(body, var)
        }
        PlanOp::Launch { blocks, .. } => blocks.iter().any(|e| e.mentions(var)),
    })
}

/// Copies to the device what it lacks, launches, and copies out, unless arrays stay there.
///
/// The picks of the course take turns over stretches of steps: each is a nest of its own, over fewer steps, that finds
/// its slots turned.
pub fn execute(
    job: &Job,
    course: &mut Course,
    device: &mut dyn Device,
    resident: &mut Resident,
) -> Result<Counts, Refusal> {
    // Nothing is copied for kernels that can't be loaded.
    let start = Instant::now();
    if let Some(first) = course.picks.first() {
        device.load(first.index)?;
    }
    let load_seconds = start.elapsed().as_secs_f64();
    let variants: Vec<&Variant> = course.picks.iter().map(|p| job.nest.variant(p.index)).collect();
    let mut clock = Instant::now();
    let mut lap = || std::mem::replace(&mut clock, Instant::now()).elapsed().as_secs_f64();
    resident.expect_few(job, course.picks);
    let (placement, moved) = Placement::of(job, &variants, device, resident)?;
    let alloc_seconds = lap();
    let mut counts = Counts { load_seconds, alloc_seconds, ..Counts::default() };
    if device.shares_memory() {
        job.touched.store(true, Ordering::Release);
        launch_all(job, course, device, resident, &placement, &mut counts)?;
        job.touched.store(false, Ordering::Release);
        return Ok(counts);
    }
    counts.bytes_out = moved + resident.lend(job, course.picks, device, &placement)?;
    counts.bytes_in = resident.copy_in(job, &variants, device, &placement)?;
    if job.saves {
        resident.save(job, device, &placement)?;
    }
    resident.fill(job, device)?;
    counts.in_seconds = lap();
    // Of what lies on the device alone, there is no way back.
    job.touched.store(resident.is_only_copy(&placement), Ordering::Release);
    launch_all(job, course, device, resident, &placement, &mut counts)
        .inspect_err(|_| resident.spoil(&placement))?;
    job.touched.store(true, Ordering::Release);
    resident.wrote(job, &placement);
    lap();
    if let Some(initials) = job.reduces {
        counts.bytes_out += resident.reduce((job, initials), device, &placement)?;
    }
    if !resident.stays() {
        counts.bytes_out += resident.bring_home(device)?;
    }
    counts.out_seconds = lap();
    job.touched.store(false, Ordering::Release);
    Ok(counts)
}

fn launch_all(
    job: &Job,
    course: &mut Course,
    device: &mut dyn Device,
    resident: &mut Resident,
    placement: &Placement,
    counts: &mut Counts,
) -> Result<(), Refusal> {
    let mut shape = job.shape.clone();
    let steps = shape.extent.steps;
    let mut done = 0;
    let mut last = None;
    while done < steps {
        let Some((index, stretch)) = course.next(steps - done) else {
            let gone = || Refusal::new(Reason::Internal, "no kernels are left to go on with");
            return Err(last.unwrap_or_else(gone));
        };
        let pick = &course.picks[index];
        let start = Instant::now();
        if let Err(refusal) = device.load(pick.index) {
            course.fail(index);
            last = Some(refusal);
            continue;
        }
        counts.load_seconds += start.elapsed().as_secs_f64();
        shape.extent.steps = stretch;
        for (array, whole) in shape.arrays.iter_mut().zip(&job.shape.arrays) {
            array.rotation = (whole.rotation + done).rem_euclid(whole.slots.len() as i64);
        }
        let stretch_job = Job { shape: &shape, ..*job };
        if !device.shares_memory() {
            let pick = (job.nest.variant(pick.index), &pick.tunables[..]);
            resident.fill_few(&stretch_job, pick, device, placement)?;
        }
        device.start()?;
        counts.launches += launch_stretch(&stretch_job, pick, device, placement)?;
        let seconds = device.stop()?;
        counts.kernel_seconds += seconds;
        course.record(index, stretch, seconds);
        counts.used = index;
        done += stretch;
    }
    Ok(())
}

/// All launches of one pick for the steps of the job's shape; their number.
fn launch_stretch(
    job: &Job,
    pick: &Pick,
    device: &mut dyn Device,
    placement: &Placement,
) -> Result<u64, Refusal> {
    let variant = job.nest.variant(pick.index);
    let _range = Range::new(|| format!("{}.{}", job.nest.place(), variant.strategy));
    let kernels: Vec<Vec<Source>> = variant
        .kernels
        .iter()
        .map(|k| k.params.iter().map(|p| Source::of(p, job, placement)).collect())
        .collect();
    let values = Values { extent: &job.shape.extent, tunables: &pick.tunables };
    let (mut launches, mut params) = (0, Vec::new());
    let flow = walk(variant, values, &mut |launch| {
        params.clear();
        let arg = |i: usize| launch.args[i].eval(&values, launch.vars);
        params.extend(kernels[launch.kernel].iter().map(|s| s.value(&launch, &arg)));
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
enum Source<'a> {
    Value(u64),
    /// Of these addresses the one that the launch's time and this rotation lead to.
    Slot {
        origins: &'a [u64],
        rotation: i64,
    },
    Launch(usize),
    /// The first address where the argument is even, else the second.
    Buffer {
        even: u64,
        odd: u64,
        arg: usize,
    },
}

impl<'a> Source<'a> {
    fn of(param: &KernelParam, job: &Job, placement: &'a Placement) -> Source<'a> {
        let shape = job.shape;
        let extent = &shape.extent;
        let hull = |array: u16, dim: u8| {
            let hull = shape.arrays[usize::from(array)].hull;
            hull.map_or((0, -1), |h| (h.lo[usize::from(dim)], h.hi[usize::from(dim)]))
        };
        let array_of = |array: u16| {
            let array = usize::from(array);
            let (shape, placed) = (&shape.arrays[array], &placement.arrays[array]);
            (shape.rotation, placed.origins.split_at(shape.slots.len()))
        };
        let value = match *param {
            KernelParam::Slot { array, rotation } => {
                let (turned, (origins, _)) = array_of(array);
                return Source::Slot { origins, rotation: i64::from(rotation) + turned };
            }
            KernelParam::Launch(i) => return Source::Launch(usize::from(i)),
            KernelParam::Buffer { array, even, odd, arg } => {
                let (turned, (slots, scratch)) = array_of(array);
                let buffer = |i: u16| match usize::from(i).checked_sub(slots.len()) {
                    None => slots[(i64::from(i) + turned).rem_euclid(slots.len() as i64) as usize],
                    Some(further) => scratch[further],
                };
                return Source::Buffer {
                    even: buffer(even),
                    odd: buffer(odd),
                    arg: usize::from(arg),
                };
            }
            KernelParam::Stride { array, dim } => {
                let elem = job.nest.record.arrays[usize::from(array)].elem.size() as i64;
                placement.arrays[usize::from(array)].strides[usize::from(dim)] / elem
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

    fn value(&self, launch: &Launch, arg: &dyn Fn(usize) -> i64) -> u64 {
        match *self {
            Source::Value(v) => v,
            Source::Launch(i) => arg(i) as u64,
            Source::Buffer { even, odd, arg: i } => {
                if arg(i) % 2 == 0 {
                    even
                } else {
                    odd
                }
            }
            Source::Slot { origins, rotation } => {
                let turned = launch.time.wrapping_add(rotation);
                origins[turned.rem_euclid(origins.len() as i64) as usize]
            }
        }
    }
}

/// The value of an integer that a body uses; like the program's own arithmetic it may wrap.
pub fn wrapping_value(p: &Poly, ints: &[i64]) -> i64 {
    let symbol = |s: &Sym| match s {
        Sym::Int(i) => ints[usize::from(*i)],
        _ => 0,
    };
    p.terms()
        .iter()
        .map(|t| t.symbols.iter().map(symbol).fold(t.coefficient, i64::wrapping_mul))
        .fold(0, i64::wrapping_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::footprint::Cuboid;
    use hexpass_abi::{LaunchPlan, VariantTarget, plan::in_a_row};

    #[test]
    fn a_tally_counts_what_a_walk_visits() {
        let (var, constant) = (PlanExpr::Var, PlanExpr::Const);
        let launch = |blocks| PlanOp::Launch {
            kernel: 0,
            blocks: in_a_row(blocks),
            time: PlanExpr::Var(0),
            args: vec![],
        };
        let each = |var, hi, body| PlanOp::Loop { var, lo: PlanExpr::Const(0), hi, body };
        let same = launch(constant(3));
        let inner = vec![launch(var(0) + constant(-2)), launch(var(1)), same.clone()];
        let ops = vec![
            each(0, PlanExpr::Steps, vec![same.clone(), launch(constant(0))]),
            each(0, PlanExpr::Steps, vec![each(1, var(0), vec![same.clone()])]),
            each(0, constant(6), vec![each(1, constant(4), inner)]),
            each(0, constant(-1), vec![same]),
        ];
        let variant = Variant {
            strategy: String::new(),
            sizes: vec![],
            storage: String::new(),
            target: VariantTarget::Host,
            ptx: vec![],
            aligned: false,
            kernels: vec![],
            plan: LaunchPlan { ops, vars: 2 },
            tunables: vec![],
            scratch: vec![],
            alike: false,
            least: Vec::new(),
        };
        let space = Cuboid::new(&[(0, 9)]).unwrap();
        let extent = Extent { steps: 5, statements: vec![], space };
        let values = Values { extent: &extent, tunables: &[] };
        let (mut walked, mut tallied, mut visits) = ((0.0, 0.0), (0.0, 0.0), 0);
        let _ = walk::<()>(&variant, values, &mut |l| {
            walked = (walked.0 + 1.0, walked.1 + l.blocks[0] as f64);
            ControlFlow::Continue(())
        });
        let _ = tally::<()>(&variant, values, &mut |blocks, times| {
            tallied = (tallied.0 + times, tallied.1 + times * blocks[0] as f64);
            visits += 1;
            ControlFlow::Continue(())
        });
        assert_eq!(walked, tallied);
        assert!(visits < walked.0 as u32, "{visits} {walked:?}");
        let first = tally(&variant, values, &mut |_, times| ControlFlow::Break(times));
        assert_eq!(first, ControlFlow::Break(6.0));
    }
}
