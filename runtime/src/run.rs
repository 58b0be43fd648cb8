//! One execution of a nest, from the program's arguments to its outcome.
//!
//! Read top to bottom: options, extent, gate, guard, device. Until a device is asked to write, every way out leaves
//! the program's memory as it was, and the original loop can run.

use crate::device::{cpu, cuda, emulated};
use crate::error::{Reason, Refusal};
use crate::fp::Environment;
use crate::gate::{self, Work};
use crate::guard::{self, Extent};
use crate::options::{DeviceChoice, Mode, Options};
use crate::plan::{self, Counts, Job};
use crate::record::Nest;
use crate::report::{self, Outcome, Ran};
use hexpass_abi::{HostKernel, Variant, VariantTarget};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Exit status of a program whose nest can't run under `HEXPASS_MODE=mandatory`.
pub const MANDATORY_STATUS: i32 = 86;

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
enum Where {
    Cpu,
    Emulated,
    Cuda(Option<u32>),
}

impl Where {
    fn target(self) -> VariantTarget {
        match self {
            Where::Cpu => VariantTarget::Host,
            Where::Emulated | Where::Cuda(_) => VariantTarget::Device,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Where::Cpu => "cpu",
            Where::Emulated => "emulated",
            Where::Cuda(_) => "cuda",
        }
    }
}

/// Runs a nest, or tells the caller to run the original loop. True: the nest has run.
pub fn run(nest: &Nest, call: &Call, options: &Options, touched: &AtomicBool) -> bool {
    let outcome = attempt(nest, call, options, touched);
    conclude(Some(nest), &outcome, options);
    matches!(outcome, Outcome::Ran(_))
}

/// True if the original loop runs because that is best, or wanted.
fn is_chosen(refusal: &Refusal) -> bool {
    matches!(refusal.reason, Reason::ModeOff | Reason::SmallProblem)
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
) -> Outcome<'a> {
    match try_run(nest, call, options, touched) {
        Ok(Some(ran)) => Outcome::Ran(ran),
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
) -> Result<Option<Ran<'a>>, Refusal> {
    if !options.errors.is_empty() {
        return Err(Refusal::new(Reason::BadOption, "an option's value is not allowed"));
    }
    if options.mode == Mode::Off {
        return Err(Refusal { reason: Reason::ModeOff, message: String::new() });
    }
    let Some(extent) = Extent::of(nest, call.ints)? else { return Ok(None) };
    let candidates = candidates(nest, call.ints, &extent, options)?;
    let environment = Environment::current();
    environment.check()?;
    let shape = guard::check(nest, extent, call.ints, call.pointers)?;
    let mut last = None;
    let mut candidates = candidates.into_iter().peekable();
    while let Some((place, index)) = candidates.next() {
        let variant = &nest.record.variants[index];
        let (ints, scalars) = (call.ints, call.scalars);
        let tunables = plan::default_tunables(variant);
        let job = Job {
            nest,
            index,
            variant,
            tunables: &tunables,
            shape: &shape,
            ints,
            scalars,
            touched,
        };
        let start = Instant::now();
        match run_on(place, &job, call, options, environment) {
            Ok((device_name, counts)) => {
                let seconds = start.elapsed().as_secs_f64();
                let extent = shape.extent;
                let device = place.name();
                return Ok(Some(Ran { variant, device, device_name, extent, seconds, counts }));
            }
            Err(refusal) => {
                if touched.load(Ordering::Acquire) {
                    abandon(&format!("{}: {refusal}", nest.place()));
                }
                // Where the next one may run, what device kernels were not made for is no failure.
                let unfit = matches!(refusal.reason, Reason::FpEnvironment | Reason::Range);
                if !(unfit && candidates.peek().is_some()) {
                    if options.mode == Mode::Mandatory {
                        return Err(refusal);
                    }
                    report::complain(Some(nest), &refusal);
                }
                last = Some(refusal);
            }
        }
    }
    Err(last.unwrap_or_else(|| small_problem(options)))
}

/// The program's memory holds half a result: neither we nor the original loop can go on from there.
pub fn abandon(what: &str) -> ! {
    report::error_line(&format!(
        "{what}; the nest's arrays are incomplete, so the program ends here"
    ));
    std::process::abort();
}

fn small_problem(options: &Options) -> Refusal {
    let message = if report::is_wanted(options) {
        "the problem is too small for a device to be faster".to_string()
    } else {
        String::new()
    };
    Refusal { reason: Reason::SmallProblem, message }
}

/// The variant for a target that the options allow, by its index.
fn pick(nest: &Nest, target: VariantTarget, options: &Options) -> Result<usize, Refusal> {
    let find = |setting: &[(String, i64)]| -> Option<usize> {
        let named = |v: &Variant| options.strategy.as_ref().is_none_or(|s| *s == v.strategy);
        nest.variants(target).find(|(_, v)| named(v) && has_sizes(v, setting)).map(|(i, _)| i)
    };
    let picked = match options.tiles.as_slice() {
        [] => find(&[]),
        settings => settings.iter().find_map(|setting| find(setting)),
    };
    if let Some(index) = picked {
        return Ok(index);
    }
    let target_name = if target == VariantTarget::Host { "cpu" } else { "device" };
    let present: Vec<String> = nest.variants(target).map(|(_, v)| describe(v)).collect();
    if present.is_empty() {
        let message = format!("the object holds no {target_name} kernels for this nest");
        return Err(Refusal::new(Reason::NoKernel, message));
    }
    let message = format!(
        "no {target_name} variant is {}; present are: {}",
        asked_for(options),
        present.join("; ")
    );
    Err(Refusal::new(Reason::AbsentVariant, message))
}

/// True if a variant has the sizes of a setting. One that it does not record is 0: a dimension left whole.
fn has_sizes(v: &Variant, setting: &[(String, i64)]) -> bool {
    let recorded = |name: &str| v.sizes.iter().find(|(n, _)| n == name).map_or(0, |(_, n)| *n);
    setting.iter().all(|(name, n)| recorded(name) == *n)
}

fn describe(v: &Variant) -> String {
    format!("{} {}", v.strategy, sizes_text(&v.sizes)).trim_end().to_string()
}

fn sizes_text(sizes: &[(String, i64)]) -> String {
    sizes.iter().map(|(name, n)| format!("{name}={n}")).collect::<Vec<_>>().join(",")
}

fn asked_for(options: &Options) -> String {
    let strategy = options.strategy.as_ref().map(|s| format!("HEXPASS_STRATEGY={s}"));
    let settings: Vec<String> = options.tiles.iter().map(|s| sizes_text(s)).collect();
    let tile = (!settings.is_empty()).then(|| format!("HEXPASS_TILE={}", settings.join(";")));
    strategy.into_iter().chain(tile).collect::<Vec<_>>().join(" ")
}

/// Where to try, best first; never empty. The named device, or what the gate thinks faster than the original.
fn candidates(
    nest: &Nest,
    ints: &[i64],
    extent: &Extent,
    options: &Options,
) -> Result<Vec<(Where, usize)>, Refusal> {
    let place = match options.device {
        DeviceChoice::Auto => return gated(nest, ints, extent, options),
        DeviceChoice::Cpu => Where::Cpu,
        DeviceChoice::Emulated => Where::Emulated,
        DeviceChoice::Cuda(n) => Where::Cuda(n),
    };
    Ok(vec![(place, pick(nest, place.target(), options)?)])
}

fn gated(
    nest: &Nest,
    ints: &[i64],
    extent: &Extent,
    options: &Options,
) -> Result<Vec<(Where, usize)>, Refusal> {
    let work = Work::of(nest, extent);
    if work.is_trivial() {
        return Err(small_problem(options));
    }
    let threads = options.thread_count();
    let (running, started) = (cpu::is_running(threads), cuda::is_started());
    let key = gate::key(ints, u64::from(running) | u64::from(started) << 1);
    if nest.gate.is_small(key) {
        return Err(small_problem(options));
    }
    let host = pick(nest, VariantTarget::Host, options);
    let device = pick(nest, VariantTarget::Device, options);
    let variant = |index: usize| &nest.record.variants[index];
    let mut found: Vec<(Where, usize)> = Vec::new();
    // The quickest so far; whoever is quicker may still not be worth starting.
    let (mut most, mut could_save) = (gate::limit(&work), false);
    if let Ok(index) = host
        && let Some(seconds) = gate::on_cpu(variant(index), extent, &work, threads, most)
    {
        could_save = true;
        if nest.gate.pool.is_worth(most - seconds, gate::cpu_start(threads, running)) {
            most = seconds;
            found.push((Where::Cpu, index));
        }
    }
    // Looking for a driver costs time too: only when it would be used.
    if let Ok(index) = device
        && !cuda::is_known_absent()
        && let Some(seconds) = gate::on_cuda(variant(index), extent, &work, most)
    {
        could_save = true;
        let price = gate::cuda_start(started, cuda::is_loaded(nest, index));
        if nest.gate.cuda.is_worth(most - seconds, price) && cuda::is_present() {
            found.insert(0, (Where::Cuda(None), index));
        }
    }
    if found.is_empty() {
        // A refused choice of variant is worth more words than a small problem.
        return Err(match (host, device) {
            (Err(r), _) if r.reason == Reason::AbsentVariant => r,
            (Err(h), Err(d)) if h.reason == Reason::NoKernel => d,
            _ => {
                if !could_save {
                    nest.gate.set_small(key);
                }
                small_problem(options)
            }
        });
    }
    Ok(found)
}

/// Runs on one device: its name, and what it took.
fn run_on(
    place: Where,
    job: &Job,
    call: &Call,
    options: &Options,
    environment: Environment,
) -> Result<(String, Counts), Refusal> {
    let threads = options.thread_count();
    if place.target() == VariantTarget::Device {
        environment.check_for_devices(job.nest.record.fp)?;
    }
    match place {
        Where::Cpu => {
            let mut device = cpu::Cpu::open(job.variant, call.host_kernels, threads, environment)?;
            let counts = cpu::within(threads, || plan::execute(job, &mut device))??;
            let plural = if threads == 1 { "" } else { "s" };
            Ok((format!("{threads} thread{plural}"), counts))
        }
        Where::Emulated => {
            let mut device = emulated::Emulated::open(job.nest, job.index, threads)?;
            Ok(("emulated grid".to_string(), plan::execute(job, &mut device)?))
        }
        Where::Cuda(ordinal) => {
            let mut device = cuda::Cuda::open(job.nest, job.index, ordinal)?;
            let counts = plan::execute(job, &mut device)?;
            Ok((device.name(), counts))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexpass_abi::{FpMode, LaunchPlan, NestRecord, Poly, StatementRecord};

    fn variant(sizes: &[(&str, i64)]) -> Variant {
        Variant {
            strategy: "hexagonal".to_string(),
            sizes: sizes.iter().map(|(name, n)| ((*name).to_string(), *n)).collect(),
            target: VariantTarget::Host,
            ptx: vec![],
            aligned: false,
            kernels: vec![],
            plan: LaunchPlan { ops: vec![], vars: 0 },
            tunables: vec![],
            scratch: vec![],
        }
    }

    fn nest(variants: Vec<Variant>) -> Nest {
        let (zero, seven) = (Poly::constant(0), Poly::constant(7));
        let statement = StatementRecord {
            lo: vec![zero.clone().into()],
            hi: vec![seven.clone().into()],
            reads: vec![],
            writes: vec![],
            operations: 1,
        };
        Nest::new(NestRecord {
            function: "f".to_string(),
            file: None,
            line: None,
            fp: FpMode::Exact,
            steps: seven.into(),
            dims: 1,
            arrays: vec![],
            statements: vec![statement],
            checks: vec![],
            disjoint_pointers: vec![],
            variants,
        })
        .unwrap()
    }

    fn with_tile(tile: &str) -> Options {
        let options = Options::parse(|name| (name == "HEXPASS_TILE").then(|| tile.to_string()));
        assert_eq!(options.errors, Vec::<String>::new());
        options
    }

    #[test]
    fn the_first_setting_that_a_variant_has_picks_it() {
        let nest = nest(vec![
            variant(&[("h", 3), ("w0", 7), ("w1", 32)]),
            variant(&[("h", 7), ("w0", 15)]),
            variant(&[("h", 7), ("w0", 31), ("w1", 64)]),
        ]);
        for (tile, picked) in [
            ("", 0),
            ("h=3", 0),
            ("h=7", 1),
            ("h=7;h=3", 1),
            ("h=3;h=7", 0),
            ("h=5;h=7,w0=31", 2),
            ("h=7,w0=3;h=9;w0=31", 2),
            // What is recorded nowhere is 0, and 0 is recorded nowhere.
            ("w1=0", 1),
            ("h=7,w0=15,w1=0", 1),
            ("h=3,w1=0;h=7,w1=64", 2),
            ("h=3,w2=0", 0),
        ] {
            let found = pick(&nest, VariantTarget::Host, &with_tile(tile)).unwrap();
            assert_eq!(found, picked, "{tile}");
        }
        for tile in ["h=5", "h=3,w1=0", "h=0", "h=5;w0=8,w1=0"] {
            let refusal = pick(&nest, VariantTarget::Host, &with_tile(tile)).unwrap_err();
            let said = format!(
                "no cpu variant is HEXPASS_TILE={tile}; present are: hexagonal h=3,w0=7,w1=32; \
                 hexagonal h=7,w0=15; hexagonal h=7,w0=31,w1=64"
            );
            assert_eq!((refusal.reason, refusal.message), (Reason::AbsentVariant, said));
        }
    }

    #[test]
    fn a_small_problem_says_why_where_its_own_options_ask() {
        let nest = nest(vec![variant(&[])]);
        let call = Call { ints: &[], pointers: &[], scalars: &[], host_kernels: &[] };
        let message = |info| {
            let options = Options { info, ..Options::default() };
            match attempt(&nest, &call, &options, &AtomicBool::new(false)) {
                Outcome::Original(Refusal { reason: Reason::SmallProblem, message }) => message,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(message(false), "");
        assert_eq!(message(true), "the problem is too small for a device to be faster");
    }
}
