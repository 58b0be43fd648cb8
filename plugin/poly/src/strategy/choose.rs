//! Consumes a [`Problem`]; produces a [`Choice`]: strategy and sizes, the best by [`crate::cost`].
//!
//! Refuses (`tile-size`) what no strategy can tile, and wishes of the user that are not legal, saying which bound fails.

use super::{Counts, Inapplicable, Strategy, registry::STRATEGIES};
use crate::device::Device;
use crate::kernel::cost;
use crate::kernel::ir::KernelProgram;
use crate::problem::Problem;
use crate::rejection::{Reason, Rejection};
use crate::schedule::{Storage, TileSizes, TiledSchedule};
use hexpass_abi::{IntExpr, Reduces};

/// What the user wants; nothing by default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// A strategy's name.
    pub strategy: Option<String>,
    /// Some of the strategy's sizes.
    pub tile: Option<TileSizes>,
    /// Where values live, on a GPU.
    pub storage: Option<Storage>,
}

/// A strategy with sizes.
#[derive(Clone, Debug)]
pub struct Choice {
    pub strategy: &'static dyn Strategy,
    pub sizes: TileSizes,
    pub counts: Counts,
    /// Seconds per instance, on a nominal problem.
    pub estimate: f64,
    /// The next best, best first, each with its estimate.
    pub runners_up: Vec<(&'static str, TileSizes, f64)>,
    schedule: TiledSchedule,
}

impl Choice {
    /// The kernels of the chosen tiling.
    pub fn kernels(&self, problem: &Problem, device: &Device) -> Result<KernelProgram, Rejection> {
        let mut program = self.strategy.kernels(problem, &self.schedule, device)?;
        for kernel in &mut program.kernels {
            kernel.cost = cost::counted(&problem.stencil, kernel);
        }
        Ok(program)
    }

    /// The chosen tiling.
    pub fn schedule(&self) -> &TiledSchedule {
        &self.schedule
    }
}

/// How many runners-up are kept.
const RUNNERS_UP: usize = 3;

/// The best strategy and sizes for a device, within what the user wants.
pub fn choose(problem: &Problem, device: &Device, request: &Request) -> Result<Choice, Rejection> {
    let mut all = ranked(problem, device, request)?.into_iter();
    let missing = || Rejection::new(Reason::Bug, "a ranking without a first");
    let mut best = all.next().ok_or_else(missing)?;
    best.runners_up =
        all.take(RUNNERS_UP).map(|c| (c.strategy.name(), c.sizes, c.estimate)).collect();
    Ok(best)
}

/// The best choice, then others that may be better for the sizes that a program has when it runs: of each strategy its
/// best, and as many more as it asks for that are unlike those before. On the host the best alone, and the best for all
/// sizes: no model tells its kernels apart when they run. Where no more than one step is ever executed together, tiles of
/// one step.
pub fn shortlist(
    problem: &Problem,
    device: &Device,
    request: &Request,
) -> Result<Vec<Choice>, Rejection> {
    if let Device::Host(_) = device {
        let best = choose(problem, device, request)?;
        let asks_for_room =
            |c: &Choice| matches!(&c.schedule, TiledSchedule::Overlapped(s) if s.least.is_some());
        let other = match asks_for_room(&best) {
            true => ranked(problem, device, request)?.into_iter().find(|c| !asks_for_room(c)),
            false => None,
        };
        return Ok([best].into_iter().chain(other).collect());
    }
    let mut all = ranked(problem, device, request)?;
    let takes_one_step = |choice: &Choice| match &choice.schedule {
        TiledSchedule::Overlapped(s) => s.tiles.iter().all(|tile| tile.steps == 1),
        TiledSchedule::Phased(s) => s.phases.iter().all(|phase| phase.levels <= problem.k()),
    };
    let is_one = matches!(&problem.stencil.steps, IntExpr::Poly(p) if p.as_constant() == Some(1));
    if is_one && all.iter().any(takes_one_step) {
        all.retain(takes_one_step);
    }
    let others: Vec<_> =
        all.iter().map(|c| (c.strategy.name(), c.sizes.clone(), c.estimate)).collect();
    let mut out: Vec<Choice> = Vec::new();
    for mut choice in all {
        let mut same = out.iter().filter(|c| c.strategy.name() == choice.strategy.name());
        let full = same.clone().count() >= choice.strategy.variants();
        if full || same.any(|c| !choice.strategy.unlike(&c.sizes, &choice.sizes)) {
            continue;
        }
        let next = others
            .iter()
            .filter(|(name, sizes, _)| *name != choice.strategy.name() || *sizes != choice.sizes);
        choice.runners_up = next.take(RUNNERS_UP).cloned().collect();
        out.push(choice);
    }
    Ok(out)
}

/// All that can be had, best first; at least one.
fn ranked(problem: &Problem, device: &Device, request: &Request) -> Result<Vec<Choice>, Rejection> {
    let mut all = Vec::new();
    let mut refusals = Vec::new();
    for strategy in named(request.strategy.as_deref())? {
        match candidates(strategy, problem, device, request) {
            Ok(found) => all.extend(found),
            Err(why) => refusals.push(format!("{}: {why}", strategy.name())),
        }
    }
    all.sort_by(|a, b| a.estimate.total_cmp(&b.estimate));
    match all.is_empty() {
        true => Err(Rejection::new(Reason::TileSize, refusals.join("; "))),
        false => Ok(all),
    }
}

fn named(name: Option<&str>) -> Result<Vec<&'static dyn Strategy>, Rejection> {
    let Some(name) = name else { return Ok(STRATEGIES.to_vec()) };
    let found: Vec<_> = STRATEGIES.iter().copied().filter(|s| name == s.name()).collect();
    if found.is_empty() {
        let names: Vec<&str> = STRATEGIES.iter().map(|s| s.name()).collect();
        let detail =
            format!("there is no strategy {name}; the strategies are {}", names.join(", "));
        return Err(Rejection::new(Reason::TileSize, detail));
    }
    Ok(found)
}

/// Every size of a strategy that is legal and fits, with its estimate.
fn candidates(
    strategy: &'static dyn Strategy,
    problem: &Problem,
    device: &Device,
    request: &Request,
) -> Result<Vec<Choice>, Inapplicable> {
    if request.storage.is_some() && !strategy.places() {
        return Err(Inapplicable::new("where its blocks keep their values can't be chosen"));
    }
    let adds = problem.stencil.reductions.iter().any(|r| r.kind == Reduces::Sum);
    if adds && strategy.repeats(problem, device) {
        return Err(Inapplicable::new("its blocks compute some values twice, which are added up"));
    }
    strategy.admit(problem)?;
    let given = request.tile.as_ref().unwrap_or(TileSizes::NONE);
    let mut refusal = Inapplicable::new("no tile size fits");
    let mut out = Vec::new();
    for sizes in strategy.sizes(problem, device, given)? {
        match strategy.schedule(problem, &sizes, device, request.storage) {
            Ok(schedule) => {
                let counts = strategy.counts(problem, &schedule, device);
                let estimate = strategy.estimate(problem, &schedule, device);
                let sizes = schedule.sizes().clone();
                let runners_up = Vec::new();
                out.push(Choice { strategy, sizes, counts, estimate, runners_up, schedule });
            }
            Err(why) => refusal = why,
        }
    }
    if out.is_empty() { Err(refusal) } else { Ok(out) }
}
