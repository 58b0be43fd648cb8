//! `fuzz --seeds 0..200 [--language c++] [--jobs N] [--keep DIR]`: random programs against the stock compiler.
//!
//! Each seed is a program; those that fail stay in DIR, made smaller, with the commands that show it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hexpass_test_suite::fuzz::program::Program;
use hexpass_test_suite::fuzz::setup::Setup;
use hexpass_test_suite::fuzz::tongue::{self, Tongue};
use hexpass_test_suite::fuzz::trial::{self, Fault, Kind, Outcome, Taken};
use hexpass_test_suite::fuzz::{make, shrink};
use hexpass_test_suite::workers;

const USAGE: &str = "usage: fuzz --seeds FROM..TO [--language c|c++|fortran|rust] [--jobs N] [--keep DIR] [--print]";

struct Options {
    seeds: Range<u64>,
    tongue: &'static Tongue,
    jobs: usize,
    keep: Option<PathBuf>,
    print: bool,
}

fn options() -> Option<Options> {
    let tongue = &tongue::TONGUES[0];
    let jobs = workers::cores();
    let mut options = Options { seeds: 0..0, tongue, jobs, keep: None, print: false };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--seeds" => {
                let value = words.next()?;
                let (from, to) = value.split_once("..")?;
                options.seeds = from.parse().ok()?..to.parse().ok()?;
            }
            "--language" => options.tongue = tongue::named(&words.next()?)?,
            "--jobs" => options.jobs = words.next()?.parse().ok()?,
            "--keep" => options.keep = Some(words.next()?.into()),
            "--print" => options.print = true,
            _ => return None,
        }
    }
    Some(options)
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    if options.print {
        let tongue = options.tongue;
        let program = |seed| make::program(tongue.language, seed);
        options.seeds.for_each(|seed| print!("{}", (tongue.write)(&program(seed))));
        return ExitCode::SUCCESS;
    }
    let seeds: Vec<u64> = options.seeds.clone().collect();
    let outcomes = workers::map(&seeds, options.jobs, |seed| {
        let program = make::program(options.tongue.language, *seed);
        one(&program, options.keep.as_deref())
    });
    summary(&outcomes);
    let failed = outcomes.iter().any(|o| !o.faults.is_empty());
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn one(program: &Program, keep: Option<&Path>) -> Outcome {
    let seed = program.seed;
    let setup = Setup::of(program);
    let folder = tempfile::TempDir::new().expect("a folder for temporary files");
    let outcome = trial::run(program, &setup, folder.path());
    tell(seed, &outcome);
    if let (Some(keep), Some(fault)) = (keep, outcome.faults.first()) {
        let place = keep.join(seed.to_string());
        let kept = write_down(&place, "original", program, &setup, &outcome.faults);
        if fault.kind == Kind::SlowCompiler {
            return outcome;
        }
        let (small, plain) = shrink::shrink(program, &setup, fault, folder.path());
        let again = trial::run(&small, &plain, folder.path());
        let kept = kept.and_then(|()| write_down(&place, "small", &small, &plain, &again.faults));
        if let Err(e) = kept {
            eprintln!("{}: {e}", place.display());
        }
    }
    outcome
}

fn tell(seed: u64, outcome: &Outcome) {
    let reasons = match &outcome.reasons[..] {
        [] => String::new(),
        reasons => format!(", left: {}", reasons.join(", ")),
    };
    let faults: String = outcome.faults.iter().map(|f| format!("\n  {f}")).collect();
    let seconds = outcome.compiling.as_secs_f64();
    println!("seed {seed}: {:?}, compiled in {seconds:.1} s{reasons}{faults}", outcome.taken);
}

/// Leaves a program, and what is wrong with it.
fn write_down(
    place: &Path,
    name: &str,
    program: &Program,
    setup: &Setup,
    faults: &[Fault],
) -> std::io::Result<()> {
    trial::write(program, place, name)?;
    let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
    let text = format!("{setup:?}\n{program:?}\n\n{}\n", faults.join("\n\n"));
    std::fs::write(place.join(format!("{name}.txt")), text)
}

fn summary(outcomes: &[Outcome]) {
    let share = |taken: Taken| outcomes.iter().filter(|o| o.taken == taken).count();
    println!(
        "{} programs: {} taken whole, {} in steps, {} left; {} with faults",
        outcomes.len(),
        share(Taken::Whole),
        share(Taken::Apart),
        share(Taken::Left),
        outcomes.iter().filter(|o| !o.faults.is_empty()).count(),
    );
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    let mut executions: BTreeMap<&str, usize> = BTreeMap::new();
    for outcome in outcomes {
        outcome.reasons.iter().for_each(|r| *reasons.entry(r).or_default() += 1);
        outcome.executions.iter().for_each(|(e, n)| *executions.entry(e).or_default() += n);
    }
    println!("left because of {reasons:?}\nexecutions {executions:?}");
}
