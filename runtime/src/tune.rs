//! Trying picks on the first steps of a nest, each of which is useful work, and remembering the fastest.
//!
//! Consumes ranked [`Pick`]s; a [`Course`] says which of them runs which steps next, and learns how long that took. What
//! the time model predicts for a trial and for the rest makes trials comparable (execution-time-model-hhc-ppopp17,
//! section 6: those within 10 % of the predicted best hold the true best).

use crate::choice::{self, Pick};
use crate::options::Options;
use crate::record::Nest;
use crate::report;
use crate::store::Store;
use serde_json::{Value, json};
use std::io::{IsTerminal, Write};
use std::sync::{Mutex, OnceLock};

/// How much is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tune {
    /// Nothing: the predicted best runs.
    Off,
    /// What is predicted to be nearly as good as the best.
    Online,
    /// Everything that the options allow.
    Full,
}

/// What is predicted to take at most this many times as long as the best is tried.
const NEARLY: f64 = 1.1;
/// Most picks that are tried online, and in full.
const MOST_TRIED: [usize; 2] = [6, 64];
/// A trial is predicted to take this many seconds at least.
const TRIAL_SECONDS: f64 = 1e-3;
/// And has at least this many steps.
const TRIAL_STEPS: i64 = 32;
/// Online trials take at most this part of all steps.
const TRIAL_SHARE: i64 = 2;

/// Predicted seconds of a pick for a number of steps.
pub type Predict<'a> = &'a (dyn Fn(&Pick, i64) -> Option<f64> + Sync);

/// One execution's picks and what has been found out of them.
pub struct Course<'a> {
    /// Best first by the model; one: nothing is tried.
    pub picks: &'a [Pick],
    trial: i64,
    predict: Predict<'a>,
    /// Steps and seconds of each pick's trial.
    tried: Vec<Option<(i64, f64)>>,
    failed: Vec<bool>,
    /// The bar of `HEXPASS_TUNE=full`, with the nest's place.
    bar: Option<String>,
}

impl<'a> Course<'a> {
    /// The first of `picks` does all steps.
    pub fn single(picks: &'a [Pick], predict: Predict<'a>) -> Course<'a> {
        let picks = &picks[..picks.len().min(1)];
        Course { picks, trial: 0, predict, tried: vec![None], failed: vec![false], bar: None }
    }

    /// The first `candidates` of `picks` are tried, as far as `steps` allow.
    pub fn trials(
        picks: &'a [Pick],
        candidates: usize,
        steps: i64,
        tune: Tune,
        predict: Predict<'a>,
    ) -> Course<'a> {
        let single = Course::single(picks, predict);
        let Some(best) = picks.first() else { return single };
        let each = best.seconds.map_or(0.0, |s| s / steps as f64);
        let trial = if each > 0.0 { (TRIAL_SECONDS / each).ceil() as i64 } else { 0 };
        let trial = trial.max(TRIAL_STEPS);
        let share = if tune == Tune::Full { 1 } else { TRIAL_SHARE };
        let most = MOST_TRIED[usize::from(tune == Tune::Full)];
        let count = candidates.min(most).min(usize::try_from(steps / share / trial).unwrap_or(0));
        if tune == Tune::Off || count < 2 {
            return single;
        }
        let picks = &picks[..count];
        Course { picks, trial, tried: vec![None; count], failed: vec![false; count], ..single }
    }

    /// Shows how far it has come, on stderr.
    pub fn with_bar(mut self, place: String) -> Course<'a> {
        self.bar = (self.picks.len() > 1).then_some(place);
        self
    }

    /// Index of the pick that goes next, and for how many of the steps that are left; `None` when all have failed.
    pub fn next(&self, left: i64) -> Option<(usize, i64)> {
        let open = |&i: &usize| !self.failed[i] && self.tried[i].is_none();
        let untried: Vec<usize> = (0..self.picks.len()).filter(open).collect();
        let others = self.failed.iter().filter(|f| !**f).count() > 1;
        match untried.first() {
            Some(&i) if others && left > self.trial && self.trial > 0 => Some((i, self.trial)),
            _ => Some((self.best(left)?, left)),
        }
    }

    /// The fastest of those that were tried; if there is none, the first that has not failed.
    fn best(&self, left: i64) -> Option<usize> {
        let of = |i: usize| -> Option<(f64, usize)> {
            let (steps, seconds) = self.tried[i]?;
            let predicted = |n| (self.predict)(&self.picks[i], n).filter(|&s| s > 0.0);
            let scale = match (predicted(steps), predicted(left)) {
                (Some(trial), Some(rest)) => rest / trial,
                _ => left as f64 / steps as f64,
            };
            Some((seconds * scale, i))
        };
        let tried = (0..self.picks.len()).filter(|&i| !self.failed[i]).filter_map(of);
        let fastest = tried.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, i)| i);
        fastest.or_else(|| self.failed.iter().position(|f| !f))
    }

    /// A pick can't be loaded.
    pub fn fail(&mut self, pick: usize) {
        self.failed[pick] = true;
    }

    /// A pick has done so many steps.
    pub fn record(&mut self, pick: usize, steps: i64, seconds: f64) {
        if self.tried[pick].is_none() {
            self.tried[pick] = Some((steps, seconds));
        }
        self.draw();
    }

    /// The winner, if several were tried.
    pub fn winner(&self) -> Option<&Pick> {
        let tried = self.tried.iter().flatten().count();
        if tried < 2 { None } else { Some(&self.picks[self.best(1)?]) }
    }

    fn draw(&self) {
        let Some(place) = &self.bar else { return };
        let (done, all) = (self.tried.iter().flatten().count(), self.picks.len());
        let mut stderr = std::io::stderr();
        if stderr.is_terminal() {
            let bar: String = (0..all).map(|i| if i < done { '#' } else { '.' }).collect();
            let end = if done == all { "\n" } else { "" };
            let _ = write!(stderr, "\rhexpass: {place}: tuning [{bar}] {done}/{all}{end}");
        } else if done == all {
            let _ = stderr.write_all(format!("hexpass: {place}: {all} tried\n").as_bytes());
        }
    }
}

/// How many of the ranked picks are worth a trial. `is_cheap` says of a variant's index that its kernels are loaded, or
/// loading them will pay.
pub fn shortlist(picks: &mut [Pick], tune: Tune, is_cheap: impl Fn(usize) -> bool) -> usize {
    match (tune, picks.first().map(|p| (p.index, p.seconds))) {
        (Tune::Off, _) | (_, None) => 1,
        (Tune::Full, _) => picks.len(),
        (Tune::Online, Some((_, None))) => 1,
        (Tune::Online, Some((first, Some(best)))) => {
            let near = |p: &Pick| p.seconds.is_some_and(|s| s <= NEARLY * best);
            let worth = |p: &Pick| near(p) && (p.index == first || is_cheap(p.index));
            // Those worth trying stand in front, both parts in their order.
            picks.sort_by_key(|p| !worth(p));
            picks.iter().filter(|p| worth(p)).count()
        }
    }
}

/// What a pick is called where it is remembered.
fn name(nest: &Nest, pick: &Pick) -> String {
    let variant = &nest.record.variants[pick.index];
    let sizes = choice::sizes_text(choice::sizes(variant, &pick.tunables));
    format!("{} {sizes}", variant.strategy)
}

/// The fastest picks of nests, by [`key`].
#[derive(Debug, Default)]
pub struct Memory(Mutex<Vec<(String, String)>>);

/// What a choice was made for.
pub fn key(nest: &Nest, device: &str, extent: &crate::guard::Extent) -> String {
    let space: Vec<String> =
        (0..extent.space.dims).map(|d| extent.space.extent(d).to_string()).collect();
    format!("{} on {device}: {} steps of {}", nest.place(), extent.steps, space.join("x"))
}

/// The file of `HEXPASS_CACHE`, opened once.
fn cache(options: &Options) -> Option<&'static Mutex<Store>> {
    static CACHE: OnceLock<Mutex<Store>> = OnceLock::new();
    let path = options.cache.as_ref()?;
    Some(CACHE.get_or_init(|| Mutex::new(Store::open(path))))
}

/// Index among `picks` of what was fastest before, in this process or in one that wrote the cache.
pub fn recall(nest: &Nest, key: &str, picks: &[Pick], options: &Options) -> Option<usize> {
    let position = |known: &str| picks.iter().position(|p| name(nest, p) == known);
    let memory = nest.tuned.0.lock().unwrap_or_else(|e| e.into_inner());
    if let Some((_, known)) = memory.iter().find(|(k, _)| k == key) {
        return position(known);
    }
    drop(memory);
    let mut cache = cache(options)?.lock().unwrap_or_else(|e| e.into_inner());
    let found = cache.get(key)?.get("pick").and_then(Value::as_str).and_then(position);
    if found.is_none() {
        cache.discard(key, "names no variant that may run");
    }
    found
}

/// Remembers the fastest.
pub fn remember(nest: &Nest, key: &str, course: &Course, options: &Options) {
    let Some(pick) = course.winner() else { return };
    let name = name(nest, pick);
    let mut memory = nest.tuned.0.lock().unwrap_or_else(|e| e.into_inner());
    memory.retain(|(k, _)| k != key);
    memory.push((key.to_string(), name.clone()));
    drop(memory);
    if options.info {
        let tried = course.tried.iter().flatten().count();
        report::note(&format!("{key}: {name} is the fastest of {tried} tried"));
    }
    if let Some(cache) = cache(options) {
        let mut cache = cache.lock().unwrap_or_else(|e| e.into_inner());
        cache.put(key, json!({ "pick": name }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picks(seconds: &[f64]) -> Vec<Pick> {
        let pick = |(index, &s)| Pick { index, tunables: vec![], seconds: Some(s) };
        seconds.iter().enumerate().map(pick).collect()
    }

    fn linear(pick: &Pick, steps: i64) -> Option<f64> {
        pick.seconds.map(|s| s * steps as f64 / 1000.0)
    }

    #[test]
    fn those_near_the_best_are_worth_a_trial_if_loading_them_pays() {
        let all = picks(&[1.0, 1.05, 1.09, 1.2]);
        for (tune, cheap, count, second) in [
            (Tune::Off, true, 1, 1),
            (Tune::Online, true, 3, 1),
            (Tune::Online, false, 1, 1),
            (Tune::Full, false, 4, 1),
        ] {
            let mut picks = all.clone();
            assert_eq!(shortlist(&mut picks, tune, |_| cheap), count, "{tune:?}");
            assert_eq!(picks[1].index, second);
        }
        let mut some = all.clone();
        assert_eq!(shortlist(&mut some, Tune::Online, |i| i == 2), 2);
        assert_eq!(some.iter().map(|p| p.index).collect::<Vec<_>>(), [0, 2, 1, 3]);
    }

    #[test]
    fn trials_share_the_steps_and_the_fastest_does_the_rest() {
        let all = picks(&[1.0, 1.05, 1.09]);
        let mut course = Course::trials(&all, 3, 1000, Tune::Online, &linear);
        let mut left = 1000;
        let mut done = Vec::new();
        for seconds in [0.04, 0.02, 0.03, 1.0] {
            let (pick, steps) = course.next(left).unwrap();
            course.record(pick, steps, seconds);
            left -= steps;
            done.push((pick, steps));
        }
        assert_eq!(left, 0);
        assert_eq!(done, [(0, 32), (1, 32), (2, 32), (1, 1000 - 96)]);
        assert_eq!(course.winner().map(|p| p.index), Some(1));
    }

    #[test]
    fn few_steps_are_not_spent_on_trials() {
        let all = picks(&[1.0, 1.05, 1.09]);
        for (steps, tune, count) in [
            (127, Tune::Online, 1),
            (128, Tune::Online, 2),
            (63, Tune::Full, 1),
            (64, Tune::Full, 2),
            (1000, Tune::Off, 1),
        ] {
            let course = Course::trials(&all, 3, steps, tune, &linear);
            assert_eq!(course.picks.len(), count, "{steps} {tune:?}");
        }
        let course = Course::trials(&all[..1], 1, 1000, Tune::Full, &linear);
        assert_eq!(course.next(1000), Some((0, 1000)));
        assert!(course.winner().is_none());
    }

    #[test]
    fn what_can_not_be_loaded_is_left_out() {
        let all = picks(&[1.0, 1.05]);
        let mut course = Course::trials(&all, 2, 1000, Tune::Online, &linear);
        course.fail(0);
        assert_eq!(course.next(1000), Some((1, 1000)));
        course.fail(1);
        assert_eq!(course.next(1000), None);
    }
}
