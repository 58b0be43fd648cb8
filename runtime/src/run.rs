//! One execution of a nest, from the program's arguments to its outcome.
//!
//! Read top to bottom: options, extent, gate, guard, device. Until a device is asked to write, every way out leaves
//! the program's memory as it was, and the original loop can run.

use crate::ahead::{self, Batch};
use crate::aside::{self, Aside};
use crate::borders;
use crate::choice::{self, Pick};
use crate::device::{Profile, cpu, cuda, emulated};
use crate::error::{Reason, Refusal};
use crate::fp::Environment;
use crate::gate::{self, Work};
use crate::gather::{self, Gathered};
use crate::guard::{self, Extent, Shape};
use crate::options::{DeviceChoice, Mode, Options};
use crate::paired::{Arrival, Expected, ORIGINAL_FOR_GOOD, WRONG, Way};
use crate::plan::{self, Counts, Job};
use crate::purse::PURSE;
use crate::record::Nest;
use crate::report::{self, Outcome, Ran, Trial};
use crate::resident::Resident;
use crate::trace::Range;
use crate::transfer::has_buffers;
use crate::tune::{self, Course, Tune};
use hexpass_abi::{FpMode, HOME_WRITES, HostKernel, Machine, VariantTarget};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Exit status of a program whose nest can't run under `HEXPASS_MODE=mandatory`.
pub const MANDATORY_STATUS: i32 = 86;

/// Where to try what, best first.
type Candidates = Vec<(Where, Vec<Pick>)>;

/// What generated code hands over.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// Integers, at least as many as the record needs.
    pub ints: &'a [i64],
    /// Addresses, likewise.
    pub pointers: &'a [u64],
    /// Scalars, likewise.
    pub scalars: &'a [u64],
    /// The header's host kernels.
    pub host_kernels: &'a [Option<HostKernel>],
}

/// A place to run on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Where {
    /// The threads of the pool.
    Cpu,
    /// PTX on the CPU.
    Emulated,
    /// The GPU of this number, or the first.
    Cuda(Option<u32>),
}

impl Where {
    fn target(self) -> VariantTarget {
        match self {
            Where::Cpu => VariantTarget::Host,
            Where::Emulated | Where::Cuda(_) => VariantTarget::Device,
        }
    }

    /// The word in reports.
    pub fn name(self) -> &'static str {
        match self {
            Where::Cpu => "cpu",
            Where::Emulated => "emulated",
            Where::Cuda(_) => "cuda",
        }
    }
}

/// Runs a nest, or tells the caller to run the original loop. True: the nest has run.
pub fn run(nest: &Nest, call: &Call, options: &Options, touched: &AtomicBool) -> bool {
    run_in(nest, call, options, touched, &mut Resident::default(), None)
}

/// The same where arrays may stay on a device; of steps that run ahead, as many as the batch says, or fewer, which it
/// then says. Where it has not run, arrays may still be on the device.
pub fn run_in(
    nest: &Nest,
    call: &Call,
    options: &Options,
    touched: &AtomicBool,
    resident: &mut Resident,
    batch: Option<&mut Batch>,
) -> bool {
    let range = Range::new(|| nest.place());
    let outcome = attempt(nest, call, options, touched, resident, batch);
    drop(range);
    conclude(Some(nest), &outcome, options);
    matches!(outcome, Outcome::Ran(_))
}

/// True if the nest passes its guard, or has nothing to do.
pub fn suits(nest: &Nest, call: &Call, options: &Options, resident: &mut Resident) -> bool {
    let guarded = |extent| check(nest, call, options, extent, resident).map(drop);
    Extent::of(nest, call.ints).and_then(|extent| extent.map_or(Ok(()), guarded)).is_ok()
}

/// True if the original loop runs because that is best, or wanted.
fn is_chosen(refusal: &Refusal) -> bool {
    matches!(refusal.reason, Reason::ModeOff | Reason::SmallProblem | Reason::CheckRare)
}

/// The program's own loop is next: what it touches comes home.
pub fn hand_over(nest: &Nest, call: &Call, options: &Options, resident: &mut Resident) {
    if resident.place().is_none() {
        return;
    }
    let shape = Extent::of(nest, call.ints).and_then(|extent| {
        extent.map(|extent| check(nest, call, options, extent, resident)).transpose()
    });
    match shape {
        Ok(Some(shape)) => resident.hand_over(nest, &shape, options),
        // It touches nothing.
        Ok(None) => {}
        Err(_) => resident.home(HOME_WRITES, options),
    }
}

/// Does on the device that the frame's arrays are on what the program is about to do itself ([`hexpass_abi::HOME_REPEATS`]), so that
/// they need not be copied there again. Where that can't be had, they are.
pub fn repeat(nest: &Nest, call: &Call, options: &Options, resident: &mut Resident) {
    let done = resident.place().and_then(|place| {
        let of = |place| match place {
            Where::Cpu => None,
            Where::Emulated => Some(DeviceChoice::Emulated),
            Where::Cuda(ordinal) => Some(DeviceChoice::Cuda(ordinal)),
        };
        // What a device rounds in another way is not what the program will have.
        let exact = nest.record.fp != FpMode::Fast;
        let device = of(place).filter(|_| exact && nest.record.reductions.is_empty())?;
        let options = Options { device, mode: Mode::Auto, ..options.clone() };
        let touched = AtomicBool::new(false);
        let run = |resident: &mut Resident| attempt(nest, call, &options, &touched, resident, None);
        let outcome = resident.repeat(run);
        let done = matches!(outcome, Outcome::Ran(_) | Outcome::Empty);
        if done && report::is_wanted(&options) {
            report::execution(Some(nest), &outcome, &options);
        }
        done.then_some(())
    });
    if done.is_none() {
        resident.home(HOME_WRITES, options);
    }
}

/// What follows from a refusal before there was an attempt: of a nest, if it is known so far.
pub fn refused(nest: Option<&Nest>, refusal: Refusal, options: &Options) {
    conclude(nest, &Outcome::Original(refusal), options);
}

/// Tells of an execution; under `mandatory`, a refusal ends the program then.
fn conclude(nest: Option<&Nest>, outcome: &Outcome, options: &Options) {
    if report::is_wanted(options) {
        report::execution(nest, outcome, options);
    }
    let Outcome::Original(refusal) = outcome else { return };
    if is_chosen(refusal) {
        return;
    }
    if options.mode == Mode::Mandatory {
        let place = report::place(nest);
        report::error_line(&format!("{place}: {refusal}, and HEXPASS_MODE=mandatory"));
        std::process::exit(MANDATORY_STATUS);
    }
    report::complain(nest, refusal);
}

fn attempt<'a>(
    nest: &'a Nest,
    call: &Call,
    options: &Options,
    touched: &AtomicBool,
    resident: &mut Resident,
    batch: Option<&mut Batch>,
) -> Outcome<'a> {
    match try_run(nest, call, options, touched, resident, batch) {
        Ok(Some(ran)) => Outcome::Ran(Box::new(ran)),
        Ok(None) => Outcome::Empty,
        Err(refusal) => Outcome::Original(refusal),
    }
}

/// `None` for an empty nest.
fn try_run<'a>(
    nest: &'a Nest,
    call: &Call,
    options: &Options,
    touched: &AtomicBool,
    resident: &mut Resident,
    mut batch: Option<&mut Batch>,
) -> Result<Option<Ran<'a>>, Refusal> {
    if !options.errors.is_empty() {
        return Err(Refusal::new(Reason::BadOption, "an option's value is not allowed"));
    }
    if options.mode == Mode::Off {
        return Err(Refusal { reason: Reason::ModeOff, message: String::new() });
    }
    let Some(mut extent) = Extent::of(nest, call.ints)? else { return Ok(None) };
    if let Some(batch) = &batch {
        let room = ahead::room_on_a_device(options, resident);
        batch.limit(nest, &mut extent, options.thread_count(), room);
    }
    if let Some(batch) = &mut batch {
        batch.forget_rows();
    }
    let has_memory = batch.as_ref().is_some_and(|b| b.has_memory());
    let candidates = candidates(nest, call, &extent, options, resident, has_memory)?;
    Environment::current().check()?;
    let ran = match check(nest, call, options, extent.clone(), resident) {
        Ok(shape) => run_on_one(nest, call, (shape, candidates), options, touched, resident, batch),
        Err(refusal) if may_gather(nest, &extent, &refusal, options, resident, &batch) => {
            run_gathered(nest, call, (extent, candidates), options, touched, resident, batch)
                .map_err(|of_copies| more_to_the_point(refusal, of_copies))
        }
        Err(refusal) => Err(refusal),
    };
    ran.map(Some)
}

/// Runs on rows that are copied side by side before and back afterwards ([`crate::gather`]).
fn run_gathered<'a>(
    nest: &'a Nest,
    call: &Call,
    (extent, mut candidates): (Extent, Candidates),
    options: &Options,
    touched: &AtomicBool,
    resident: &mut Resident,
    mut batch: Option<&mut Batch>,
) -> Result<Ran<'a>, Refusal> {
    // Nobody else knows where the rows are meanwhile.
    resident.home(HOME_WRITES, options);
    let mut rows = Gathered::of(nest, &extent, call.ints, call.pointers)?;
    let mut shape = rows.check(nest, extent)?;
    if batch.is_some() {
        shape.check_plain(nest)?;
    }
    // Nothing but the arrays is where they run.
    let careful = shape.is_careful();
    shape.arrays.iter_mut().for_each(|a| a.careful = false);
    aside::shape(nest, &mut shape);
    // Steps that are taken back are so where the rows are.
    if let Some(batch) = &mut batch {
        batch.save_rows(rows.written(), options.thread_count());
    }
    let suits = |p: &Pick| rows.suits(nest.variant(p.index));
    candidates.iter_mut().for_each(|(_, picks)| picks.retain(suits));
    // SAFETY: the guard has seen the rows where they are, and where they will be.
    let fetched = unsafe { rows.fetch() };
    if careful {
        // SAFETY: likewise.
        unsafe { rows.beware() };
    }
    let moved = Call { ints: &rows.ints, pointers: &rows.pointers, ..*call };
    let own = &mut Resident::default();
    let ran = run_on_one(nest, &moved, (shape, candidates), options, touched, own, batch)?;
    touched.store(true, Ordering::Release);
    // SAFETY: as above, and the nest has run.
    let returned = unsafe { rows.put_back() };
    touched.store(false, Ordering::Release);
    if options.info {
        report::note(&format!(
            "{}: rows were copied side by side, {fetched} bytes in, {returned} bytes out",
            nest.place()
        ));
    }
    Ok(ran)
}

/// True if the nest may run on rows that have been copied together, for all that is known before they have been looked at.
fn may_gather(
    nest: &Nest,
    extent: &Extent,
    refusal: &Refusal,
    options: &Options,
    resident: &Resident,
    batch: &Option<&mut Batch>,
) -> bool {
    // Rows that lie anywhere may also look as if they were too short, or of unlike lengths.
    let of_rows = matches!(
        refusal.reason,
        Reason::CheckTable | Reason::CheckSize | Reason::CheckBounds | Reason::Strides
    );
    // A named device is wished for whatever it costs.
    let fewest = if batch.is_some() { gather::FEWEST_AHEAD } else { gather::FEWEST_STEPS };
    let pays = options.device != DeviceChoice::Auto || extent.steps >= fewest;
    of_rows && pays && resident.is_free() && gather::has_rows(nest)
}

/// Of why rows can't be taken where they lie and why they can't be copied together.
fn more_to_the_point(lie: Refusal, copied: Refusal) -> Refusal {
    match (lie.reason, copied.reason) {
        (Reason::CheckTable, Reason::CheckTable) => {
            Refusal::new(lie.reason, format!("{}, and {}", lie.message, copied.message))
        }
        (Reason::CheckTable, _) => copied,
        _ => lie,
    }
}

/// Runs what has passed the guard in the first of these places that can.
fn run_on_one<'a>(
    nest: &'a Nest,
    call: &Call,
    (shape, mut candidates): (Shape, Candidates),
    options: &Options,
    touched: &AtomicBool,
    resident: &mut Resident,
    mut batch: Option<&mut Batch>,
) -> Result<Ran<'a>, Refusal> {
    let environment = Environment::current();
    if batch.is_some() {
        shape.check_plain(nest)?;
    }
    without_careless(nest, &shape, &mut candidates)?;
    without_unlike(nest, call, &shape, &mut candidates, options, resident)?;
    let mut last = None;
    for (i, (place, picks)) in candidates.iter().enumerate() {
        let elsewhere = i + 1 < candidates.len();
        let on_cpu = *place == Where::Cpu;
        if on_cpu {
            // Threads work on the program's memory.
            resident.hand_over(nest, &shape, options);
        }
        let is_saved = batch.as_ref().is_some_and(|b| b.has_rows());
        let saves_here = on_cpu && !is_saved;
        let prepared = prepare(nest, &shape, *place, options, batch.as_deref_mut(), saves_here)?;
        let (shape, private) = (&prepared.shape, &prepared.private[..]);
        let steps_ahead = batch.is_some() && !on_cpu;
        let saves = steps_ahead && !is_saved;
        let initials = batch.as_deref().map_or(vec![], |b| b.initials.clone());
        let reduces = steps_ahead.then_some(&initials[..]);
        let Call { ints, pointers, scalars, .. } = *call;
        let job = Job { nest, shape, ints, pointers, scalars, touched, private, saves, reduces };
        // A pick that can't run here leaves the place to the next; tunables make no difference to what a variant needs.
        let mut unfit_variants: Vec<usize> = Vec::new();
        for first in 0..picks.len() {
            if unfit_variants.contains(&picks[first].index) {
                continue;
            }
            let start = Instant::now();
            let rest = picks[first..].to_vec();
            let refusal =
                match run_on((*place, nest), &job, rest, call, options, environment, resident) {
                    Ok(done) => {
                        if let Some(batch) = &mut batch {
                            batch.ran = Some((*place, picks[first..].to_vec()));
                            if !on_cpu {
                                batch.take(nest, resident);
                            }
                        }
                        let seconds = start.elapsed().as_secs_f64();
                        let extent = shape.extent.clone();
                        return Ok(done.ran(nest, *place, extent, seconds));
                    }
                    Err(refusal) => refusal,
                };
            if touched.load(Ordering::Acquire) {
                abandon(&format!("{}: {refusal}", nest.place()));
            }
            let (reason, others) = (refusal.reason, first + 1 < picks.len());
            let of_pick = matches!(
                reason,
                Reason::ModuleLoad | Reason::OutOfMemory | Reason::NoKernel | Reason::Range
            );
            // Where another may run, what device kernels were not made for is no failure.
            let unfit = matches!(reason, Reason::FpEnvironment | Reason::Range | Reason::NoKernel);
            let silent = unfit && (elsewhere || (of_pick && others));
            if !silent {
                if options.mode == Mode::Mandatory && !(of_pick && others) {
                    return Err(refusal);
                }
                report::complain(Some(nest), &refusal);
            }
            last = Some(refusal);
            if !of_pick {
                break;
            }
            if reason != Reason::Range {
                unfit_variants.push(picks[first].index);
            }
        }
    }
    Err(last.unwrap_or_else(|| small_problem(options)))
}

/// Leaves kernels of the CPU out that use the program's arrays for what is not theirs, where these must be stored with care.
fn without_careless(
    nest: &Nest,
    shape: &Shape,
    candidates: &mut Candidates,
) -> Result<(), Refusal> {
    if !shape.is_careful() {
        return Ok(());
    }
    let careful = |a: &usize| shape.arrays[*a].careful;
    for (_, picks) in candidates.iter_mut().filter(|(place, _)| *place == Where::Cpu) {
        picks.retain(|p| {
            let variant = nest.variant(p.index);
            !(0..shape.arrays.len()).filter(careful).any(|a| has_buffers(variant, a))
        });
    }
    candidates.retain(|(_, picks)| !picks.is_empty());
    if candidates.is_empty() { shape.check_plain(nest) } else { Ok(()) }
}

/// The guard, on memory that is what the program would find.
fn check(
    nest: &Nest,
    call: &Call,
    options: &Options,
    extent: Extent,
    resident: &mut Resident,
) -> Result<Shape, Refusal> {
    if !nest.record.tables.is_empty() || !nest.record.fences.is_empty() {
        resident.before_tables(nest, call, &extent, options);
    }
    let mut shape = guard::check(nest, extent, call.ints, call.pointers)?;
    aside::shape(nest, &mut shape);
    Ok(shape)
}

/// A nest's arrays as one place is to see them.
struct Prepared {
    shape: Shape,
    private: Vec<(u16, u64)>,
    _aside: Option<Aside>,
}

fn prepare(
    nest: &Nest,
    shape: &Shape,
    place: Where,
    options: &Options,
    batch: Option<&mut Batch>,
    saves: bool,
) -> Result<Prepared, Refusal> {
    let threads = options.thread_count();
    let (mut shape, private) = match batch {
        Some(batch) => {
            if saves {
                batch.save(nest, shape, threads);
            }
            batch.prepare(nest, shape, place, threads)?
        }
        None => (shape.clone(), Vec::new()),
    };
    let on_cpu = place == Where::Cpu;
    let _aside = if on_cpu { Some(aside::place(nest, &mut shape)?) } else { None };
    Ok(Prepared { shape, private, _aside })
}

/// Leaves out variants that rely on equal borders where they aren't; refuses where none is left.
fn without_unlike(
    nest: &Nest,
    call: &Call,
    shape: &Shape,
    candidates: &mut Candidates,
    options: &Options,
    resident: &mut Resident,
) -> Result<(), Refusal> {
    let relies = |p: &Pick| nest.variant(p.index).alike;
    if !candidates.iter().any(|(_, picks)| picks.iter().any(relies)) {
        return Ok(());
    }
    let Call { ints, pointers, .. } = *call;
    if resident.knows_borders(nest, ints, pointers) {
        return Ok(());
    }
    resident.before_borders(nest, shape, options);
    // SAFETY: the guard has found the nest's inputs to be what the original reads.
    let Err(refusal) = (unsafe { borders::check(nest, shape) }) else {
        resident.found_alike(nest, ints, pointers, shape);
        return Ok(());
    };
    candidates.iter_mut().for_each(|(_, picks)| picks.retain(|p| !relies(p)));
    candidates.retain(|(_, picks)| !picks.is_empty());
    if candidates.is_empty() {
        return Err(refusal);
    }
    if options.info {
        report::note(&format!(
            "{}: {refusal}; variants that rely on equal borders are left out",
            nest.place()
        ));
    }
    Ok(())
}

/// Runs the first steps of a batch once more, where it has run before.
pub fn again(
    nest: &Nest,
    call: &Call,
    options: &Options,
    (place, picks): (Where, Vec<Pick>),
    (batch, saves): (&mut Batch, bool),
    resident: &mut Resident,
) -> Result<(), Refusal> {
    let Some(mut extent) = Extent::of(nest, call.ints)? else { return Ok(()) };
    // No fewer than have run.
    batch.limit(nest, &mut extent, options.thread_count(), Some(f64::INFINITY));
    let run = |call: &Call, shape: &Shape, batch: &mut Batch, resident: &mut Resident| {
        let prepared = prepare(nest, shape, place, options, Some(batch), false)?;
        let touched = &AtomicBool::new(false);
        let (shape, private) = (&prepared.shape, &prepared.private[..]);
        let Call { ints, pointers, scalars, .. } = *call;
        let reduces = None;
        let job = Job { nest, shape, ints, pointers, scalars, touched, private, saves, reduces };
        run_on((place, nest), &job, picks, call, options, Environment::current(), resident)
            .map(|_| ())
    };
    if !batch.has_rows() {
        let shape = check(nest, call, options, extent, resident)?;
        return run(call, &shape, batch, resident);
    }
    let mut rows = Gathered::of(nest, &extent, call.ints, call.pointers)?;
    let mut shape = rows.check(nest, extent)?;
    aside::shape(nest, &mut shape);
    // SAFETY: as in `run_gathered`, and the program's memory is as it was then.
    unsafe { rows.fetch() };
    let moved = Call { ints: &rows.ints, pointers: &rows.pointers, ..*call };
    run(&moved, &shape, batch, &mut Resident::default())?;
    // SAFETY: as above, and the nest has run.
    unsafe { rows.put_back() };
    Ok(())
}

/// The program's memory holds half a result: neither we nor the original loop can go on from there.
pub fn abandon(what: &str) -> ! {
    report::error_line(&format!(
        "{what}; the nest's arrays are incomplete, so the program ends here"
    ));
    std::process::abort();
}

pub fn small_problem(options: &Options) -> Refusal {
    let message = if report::is_wanted(options) {
        "the problem is too small for a device to be faster".to_string()
    } else {
        String::new()
    };
    Refusal { reason: Reason::SmallProblem, message }
}

/// Where to try what, best first; never empty. The named device, or what the gate thinks faster than the original.
fn candidates(
    nest: &Nest,
    call: &Call,
    extent: &Extent,
    options: &Options,
    resident: &Resident,
    has_memory: bool,
) -> Result<Candidates, Refusal> {
    let place = match options.device {
        DeviceChoice::Auto => return gated(nest, call, extent, options, resident, has_memory),
        DeviceChoice::Cpu => Where::Cpu,
        DeviceChoice::Emulated => Where::Emulated,
        DeviceChoice::Cuda(n) => Where::Cuda(n),
    };
    let ranked = || {
        let mut picks = choice::allowed(nest, extent, place.target(), options)?;
        let machine = match place {
            Where::Cuda(n) => cuda::profile(n, options)?.machine,
            Where::Cpu | Where::Emulated => Machine::h200(),
        };
        choice::rank(nest, extent, &machine, &mut picks);
        if place == Where::Cpu {
            choice::spread(nest, extent, options.thread_count(), &mut picks);
        }
        choice::thin(&mut picks, options);
        Ok(picks)
    };
    let picks = match nest.record.reductions.is_empty() {
        true => ranked()?,
        // What each step waits for is ranked once for equal sizes, and again when more is known of its kernels.
        false => {
            let known = nest.registers.lock().map_or(0, |r| r.len()) as u64;
            let key = nest.key(call.ints, known << 32 | extent.steps as u64);
            nest.gate.ranked(place.target(), key, ranked)?
        }
    };
    Ok(vec![(place, picks)])
}

fn gated(
    nest: &Nest,
    call: &Call,
    extent: &Extent,
    options: &Options,
    resident: &Resident,
    has_memory: bool,
) -> Result<Candidates, Refusal> {
    let work = Work::of(nest, extent, has_memory);
    let nothing = || {
        nest.rest.found_nothing(nest.key(call.ints, 0));
        Err(small_problem(options))
    };
    if work.is_trivial() {
        return nothing();
    }
    // Who wishes for a variant hears whether it is there.
    let host_asks = options.names_variants() || !nest.has(VariantTarget::Host);
    let host_could_win = |threads| {
        let best = gate::on_cpu_at_best(nest, extent, &work, threads);
        host_asks || best < gate::limit(&work)
    };
    let cuda_could_win = cuda::is_started() || !gate::is_too_short_for_cuda(gate::limit(&work));
    if !cuda_could_win && !host_could_win(options.most_threads()) {
        return nothing();
    }
    let threads = options.thread_count();
    let (running, started) = (cpu::is_running(threads), cuda::is_started());
    let (stays, warm) = (resident.stays(), resident.is_warm(nest, call.pointers));
    let circumstances = [running, started, stays, warm, has_memory];
    let circumstances = circumstances.iter().fold(0, |bits, &b| bits << 1 | u64::from(b));
    let key = nest.key(call.ints, circumstances | (extent.steps as u64) << 5);
    if nest.gate.is_small(key) {
        return nothing();
    }
    // A driver that has not been started is not asked what it has.
    let profile = if started { cuda::profile(None, options).ok() } else { None };
    let machine = profile.map_or_else(Machine::h200, |p| p.machine);
    let ranked = |target| {
        nest.gate.ranked(target, key, || {
            let mut picks = choice::allowed(nest, extent, target, options)?;
            choice::rank(nest, extent, &machine, &mut picks);
            if target == VariantTarget::Host {
                choice::spread(nest, extent, threads, &mut picks);
            }
            choice::thin(&mut picks, options);
            Ok(picks)
        })
    };
    // Records of variants that can't win are not read.
    let host: Result<Vec<Pick>, Refusal> = match host_could_win(threads) {
        true => ranked(VariantTarget::Host),
        false => Ok(Vec::new()),
    };
    let mut found: Candidates = Vec::new();
    // The quickest so far; whoever is quicker may still not be worth starting.
    let (mut most, mut could_save) = (gate::limit(&work), false);
    if let Ok(picks) = &host
        && let Some(first) = picks.first()
        && let Some(seconds) = gate::on_cpu(nest, first, extent, &work, threads, most)
    {
        could_save = true;
        if nest.gate.pool.is_worth(most - seconds, gate::cpu_start(threads, running)) {
            most = seconds;
            found.push((Where::Cpu, picks.clone()));
        }
    }
    // Where arrays are on a GPU already, going elsewhere costs the copies.
    let copies = gate::copies(&work, &machine);
    let (more, bound) = match (stays, warm) {
        (false, _) => (copies, most),
        (true, false) => (0.0, most),
        (true, true) => (0.0, most + copies),
    };
    // Ranking the variants for a GPU takes longer than a small nest: not where none could win, only once what the best
    // that there could be would have saved pays for starting the driver, and once for equal sizes.
    let too_short = cuda::is_known_absent() || gate::is_too_short_for_cuda(bound);
    let too_early = !too_short && !nest.gate.cuda.may_be_worth(bound, gate::cuda_start(started));
    could_save |= too_early;
    let without_cuda = too_short || too_early;
    let device = match without_cuda {
        // Nobody asks.
        true if host.is_ok() => Ok(Vec::new()),
        true => choice::allowed(nest, extent, VariantTarget::Device, options),
        false => ranked(VariantTarget::Device),
    };
    // Looking for a driver costs time too: only when it would be used.
    if let Ok(picks) = &device
        && !without_cuda
        && let Some(seconds) = gate::on_cuda(nest, &picks[0], extent, &work, bound - more)
    {
        could_save = true;
        let load = match picks[0].index {
            index if cuda::is_loaded(nest, index) => 0.0,
            index => gate::cuda_load(cuda::uncompiled(nest, index)),
        };
        let price = gate::cuda_start(started) + load;
        let saving = nest.gate.cuda.with_guessed(most - seconds - more, bound);
        if nest.gate.cuda.is_worth(saving, price)
            && cuda::is_present()
            && (!stays || nest.gate.copies.pay(most - seconds, copies, warm))
        {
            let device = resident.place().unwrap_or(Where::Cuda(None));
            found.insert(0, (device, picks.clone()));
        }
    }
    if let [(Where::Cpu, _)] = found[..]
        && nest.record.reductions.is_empty()
    {
        let is_long = extent.steps > 1 && !gate::is_soon_over(&work);
        let start = gate::cpu_start(threads, running);
        let expected = Expected { original: work.original, kernels: Some(most), start, is_long };
        let (steps, unseen, now) = (1, nest.rest.unseen(), Instant::now());
        let arrival = Arrival { key, steps, unseen, expected, now };
        let turn = nest.gate.turns.arrive(&PURSE, &arrival);
        if turn == ORIGINAL_FOR_GOOD {
            return nothing();
        }
        if turn.way == Way::Original {
            nest.rest.ends();
            return Err(small_problem(options));
        }
    }
    if let [(Where::Cpu, _)] = found[..]
        && !nest.record.reductions.is_empty()
        && !has_memory
        && !PURSE.pays(WRONG * most - work.original, Instant::now())
    {
        // Steps ahead of a loop that have only been estimated.
        nest.rest.ends();
        return Err(small_problem(options));
    }
    if found.is_empty() && !could_save {
        nest.gate.set_small(key);
        nest.rest.found_nothing(nest.key(call.ints, 0));
    } else {
        nest.rest.ends();
    }
    if found.is_empty() {
        // A refused choice of variant is worth more words than a small problem.
        return Err(match (host, device) {
            (Err(r), _) if r.reason == Reason::AbsentVariant => r,
            (Err(h), Err(d)) if h.reason == Reason::NoKernel => d,
            _ => small_problem(options),
        });
    }
    Ok(found)
}

/// What has run on one device.
struct Done<'a> {
    device_name: String,
    /// Seconds that opening the device took.
    setup_seconds: f64,
    trials: Vec<Trial<'a>>,
    counts: Counts,
    /// The pick that did the last steps.
    pick: Pick,
    /// Predicted seconds of the launches.
    predicted: Option<f64>,
}

impl<'a> Done<'a> {
    fn ran(self, nest: &'a Nest, place: Where, extent: Extent, seconds: f64) -> Ran<'a> {
        Ran {
            variant: nest.variant(self.pick.index),
            tunables: self.pick.tunables,
            device: place.name(),
            device_name: self.device_name,
            extent,
            seconds,
            setup_seconds: self.setup_seconds + self.counts.load_seconds,
            predicted: self.predicted,
            trials: self.trials,
            counts: self.counts,
        }
    }
}

/// Runs on one device with the first of these picks, or with several of them in turn.
fn run_on<'a>(
    (place, nest): (Where, &'a Nest),
    job: &Job,
    mut picks: Vec<Pick>,
    call: &Call,
    options: &Options,
    environment: Environment,
    resident: &mut Resident,
) -> Result<Done<'a>, Refusal> {
    picks.iter().try_for_each(|p| nest.check_arguments(p.index, call))?;
    let start = Instant::now();
    let mut setup_seconds = 0.0;
    let (extent, threads) = (&job.shape.extent, options.thread_count());
    if place.target() == VariantTarget::Device {
        environment.check_for_devices(nest.record.fp)?;
    }
    let profile = match place {
        Where::Cuda(ordinal) => cuda::profile(ordinal, options)?,
        Where::Cpu | Where::Emulated => Profile::assumed(place.name()),
    };
    let on_gpu = matches!(place, Where::Cuda(_));
    let usual = if on_gpu { Tune::Online } else { Tune::Off };
    let tune = if nest.record.timeless { options.tune.unwrap_or(usual) } else { Tune::Off };
    let key = tune::key(nest, &profile.name, extent);
    let known = if tune == Tune::Off { None } else { tune::recall(nest, &key, &picks, options) };
    let (candidates, pays) = match known {
        Some(known) => {
            picks.swap(0, known);
            (1, false)
        }
        None => {
            // Loading more kernels takes time, which what is found must win back, now or later.
            let gain = picks[0].seconds.map_or(0.0, gate::tuning_gain);
            let longest = picks.iter().map(|p| cuda::uncompiled(nest, p.index)).max().unwrap_or(0);
            let pays = !on_gpu
                || longest == 0
                || nest.gate.tuning.is_worth(gain, gate::cuda_load(longest));
            let is_cheap = |index| pays || cuda::uncompiled(nest, index) == 0;
            (tune::shortlist(&mut picks, tune, is_cheap), pays)
        }
    };
    let predict = |pick: &Pick, steps: i64| {
        let stretch = Extent { steps, ..extent.clone() };
        choice::predict(nest, &stretch, &profile.machine, pick)
    };
    let picks = &picks[..candidates];
    let mut course = match known {
        Some(_) => Course::single(picks, &predict),
        None => {
            let tried = tune::resume(nest, &key, picks);
            Course::trials(picks, tried, extent.steps, tune, &predict)
        }
    };
    if tune == Tune::Full {
        course = course.with_bar(nest.place());
    }
    let (device_name, counts) = match place {
        Where::Cpu => {
            let how = (job.private, job.shape.is_careful());
            let mut device = cpu::Cpu::open(nest, call.host_kernels, threads, environment, how);
            let run = || plan::execute(job, &mut course, &mut device, resident);
            let counts = cpu::within(threads, run)??;
            let plural = if threads == 1 { "" } else { "s" };
            (format!("{threads} thread{plural}"), counts)
        }
        Where::Emulated => {
            let mut device = emulated::Emulated::open(Some(nest), threads);
            let counts = plan::execute(job, &mut course, &mut device, resident)?;
            ("emulated grid".to_string(), counts)
        }
        Where::Cuda(ordinal) => {
            let mut device = cuda::Cuda::open(Some(nest), ordinal)?;
            setup_seconds = start.elapsed().as_secs_f64();
            let counts = plan::execute(job, &mut course, &mut device, resident)?;
            (device.name(), counts)
        }
    };
    let complete = course.is_complete() && (pays || tune == Tune::Full);
    tune::remember(nest, &key, &course, extent.steps, complete, options);
    let trials = course.trials_made().map(|(pick, steps, seconds, predicted)| Trial {
        variant: nest.variant(pick.index),
        tunables: pick.tunables.clone(),
        steps,
        seconds,
        predicted,
        launches: match tune {
            Tune::Full => {
                let stretch = Extent { steps, ..extent.clone() };
                choice::launches(nest, &stretch, &profile.machine, pick)
            }
            _ => Vec::new(),
        },
    });
    let trials = trials.collect();
    let pick = course.picks[counts.used].clone();
    let predicted = pick.seconds.filter(|_| on_gpu);
    Ok(Done { device_name, counts, pick, predicted, setup_seconds, trials })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::small_nest;

    #[test]
    fn a_small_problem_says_why_where_its_own_options_ask() {
        let nest = small_nest(vec![]);
        let call = Call { ints: &[], pointers: &[], scalars: &[], host_kernels: &[] };
        let message = |info| {
            let options = Options { info, ..Options::default() };
            let mut none = Resident::default();
            match attempt(&nest, &call, &options, &AtomicBool::new(false), &mut none, None) {
                Outcome::Original(Refusal { reason: Reason::SmallProblem, message }) => message,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(message(false), "");
        assert_eq!(message(true), "the problem is too small for a device to be faster");
    }
}
