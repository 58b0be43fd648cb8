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
use std::collections::HashMap;
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
/// Most picks that are tried online, in all executions, and in full, in one.
const MOST_TRIED: [usize; 2] = [6, 64];
/// A trial is predicted to take this many seconds at least.
const TRIAL_SECONDS: f64 = 1e-3;
/// And has at least this many steps.
const TRIAL_STEPS: i64 = 32;
/// Or up to so many more.
const TRIAL_SLACK: i64 = 16;
/// Online trials take at most this part of all steps.
const TRIAL_SHARE: i64 = 2;

/// Predicted seconds of a pick for a number of steps.
pub type Predict<'a> = &'a (dyn Fn(&Pick, i64) -> Option<f64> + Sync);

/// Index of a pick, with the steps and seconds of its trial.
pub type Tried = (usize, (i64, f64));

/// One execution's picks and what has been found out of them.
pub struct Course<'a> {
    /// Best first by the model; one: nothing is tried.
    pub picks: &'a [Pick],
    trial: i64,
    predict: Predict<'a>,
    /// Steps and seconds of each pick's trial.
    tried: Vec<Option<(i64, f64)>>,
    /// Number of picks that are to be tried in this execution.
    pub candidates: usize,
    failed: Vec<bool>,
    /// One trial takes all steps.
    whole: bool,
    /// The bar of `HEXPASS_TUNE=full`, with the nest's place.
    bar: Option<String>,
}

impl<'a> Course<'a> {
    /// The first of `picks` does all steps.
    pub fn single(picks: &'a [Pick], predict: Predict<'a>) -> Course<'a> {
        let picks = &picks[..picks.len().min(1)];
        let (tried, failed) = (vec![None], vec![false]);
        Course { picks, trial: 0, predict, tried, candidates: 1, failed, whole: false, bar: None }
    }

    /// The first `candidates` of `picks` are tried, as far as `steps` allow; `known` is the fastest so far, if any have
    /// been tried before, with the steps and seconds of its trial. Online, where steps are too few for several trials but
    /// take long enough for one, all of them are one: the next execution compares.
    pub fn trials(
        picks: &'a [Pick],
        candidates: usize,
        known: Option<Tried>,
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
        let most = candidates.min(MOST_TRIED[usize::from(tune == Tune::Full)]);
        let count = most.min(usize::try_from(steps / share / trial).unwrap_or(0));
        let others = usize::from(known.is_some());
        let long = best.seconds.is_some_and(|s| s >= TRIAL_SECONDS);
        let whole = tune == Tune::Online && count + others < 2 && most + others >= 2 && long;
        let (count, trial) = if whole { (most.min(1), steps) } else { (count, trial) };
        match known {
            _ if tune == Tune::Off => return single,
            Some((at, _)) if count == 0 => return Course::single(&picks[at..], predict),
            None if count < 2 && !whole => return single,
            _ => (),
        }
        let len = known.map_or(count, |(at, _)| count.max(at + 1));
        let mut course = Course {
            picks: &picks[..len],
            trial,
            tried: vec![None; len],
            candidates: count,
            failed: vec![false; len],
            whole,
            ..single
        };
        if let Some((at, trial)) = known {
            course.tried[at] = Some(trial);
        }
        course
    }

    /// Shows how far it has come, on stderr.
    pub fn with_bar(mut self, place: String) -> Course<'a> {
        self.bar = (self.picks.len() > 1).then_some(place);
        self
    }

    /// Index of the pick that goes next, and for how many of the steps that are left; `None` when all have failed.
    pub fn next(&self, left: i64) -> Option<(usize, i64)> {
        let open = |&i: &usize| !self.failed[i] && self.tried[i].is_none();
        let untried: Vec<usize> = (0..self.candidates).filter(open).collect();
        let others = self.failed.iter().filter(|f| !**f).count() > 1;
        match untried.first() {
            Some(&i) if self.whole => Some((i, left)),
            Some(&i) if others && left > self.trial && self.trial > 0 => {
                Some((i, self.length(i).min(left)))
            }
            _ => Some((self.best(left)?, left)),
        }
    }

    /// Steps of a pick's trial: whole time tiles do more in their time than what is left of one.
    fn length(&self, pick: usize) -> i64 {
        let each =
            |n: i64| (self.predict)(&self.picks[pick], n).map_or(f64::INFINITY, |s| s / n as f64);
        let mut lengths = self.trial..=self.trial + TRIAL_SLACK;
        let least = lengths.clone().map(each).fold(f64::INFINITY, f64::min);
        lengths.find(|&n| each(n) <= least * (1.0 + 1e-9)).unwrap_or(self.trial)
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
            self.draw();
        }
    }

    /// Those that were tried in this execution, with steps, seconds, and predicted seconds.
    pub fn trials_made(&self) -> impl Iterator<Item = (&Pick, i64, f64, Option<f64>)> {
        let several = self.trial > 0;
        let made = self.picks.iter().zip(&self.tried).take(self.candidates);
        made.filter_map(move |(pick, tried)| {
            let (steps, seconds) = tried.filter(|_| several)?;
            Some((pick, steps, seconds, (self.predict)(pick, steps)))
        })
    }

    fn draw(&self) {
        let Some(place) = &self.bar else { return };
        let all = self.candidates;
        let done = self.tried[..all].iter().flatten().count();
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
    let Some((first, best)) = picks.first().map(|p| (p.index, p.seconds)) else { return 1 };
    let Some(best) = best.filter(|_| tune != Tune::Off) else {
        return if tune == Tune::Full { picks.len() } else { 1 };
    };
    let near = |p: &Pick| p.seconds.is_some_and(|s| s <= NEARLY * best);
    let worth = |p: &Pick| near(p) && (tune == Tune::Full || p.index == first || is_cheap(p.index));
    // Those worth trying stand in front: the best of each variant, then each one's second, and so on. Tunables of one variant
    // that are predicted alike mostly are alike; what the model is wrong about are variants.
    let mut seen: HashMap<usize, usize> = HashMap::new();
    let mut place = |p: &Pick| {
        let place = seen.entry(p.index).or_default();
        *place += 1;
        *place
    };
    picks.sort_by_cached_key(|p| if worth(p) { place(p) } else { usize::MAX });
    match tune {
        Tune::Full => picks.len(),
        _ => picks.iter().filter(|p| worth(p)).count().min(MOST_TRIED[0]),
    }
}

/// What a pick is called where it is remembered.
fn name(nest: &Nest, pick: &Pick) -> String {
    let variant = nest.variant(pick.index);
    let sizes = choice::sizes_text(choice::sizes(variant, &pick.tunables));
    format!("{} {sizes}", variant.strategy)
}

/// What has been tried of a nest, by [`key`].
#[derive(Debug, Default)]
pub struct Memory(Mutex<Vec<(String, Known)>>);

/// What has been tried for one size: names of picks, steps and seconds of their trials.
#[derive(Clone, Debug, Default)]
struct Known {
    tried: Vec<(String, (i64, f64))>,
    /// The name of the fastest, once there is nothing more to try.
    fastest: Option<String>,
}

impl Memory {
    /// What is known for a key.
    fn get(&self, key: &str) -> Known {
        let all = self.0.lock().unwrap_or_else(|e| e.into_inner());
        all.iter().find(|(k, _)| k == key).map(|(_, known)| known.clone()).unwrap_or_default()
    }

    fn set(&self, key: &str, known: Known) {
        let mut all = self.0.lock().unwrap_or_else(|e| e.into_inner());
        all.retain(|(k, _)| k != key);
        all.push((key.to_string(), known));
    }
}

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
    let known = nest.tuned.get(key);
    if let Some(fastest) = known.fastest {
        return position(&fastest);
    }
    if !known.tried.is_empty() {
        // This process is still at it; what the cache holds is its own best so far.
        return None;
    }
    let mut cache = cache(options)?.lock().unwrap_or_else(|e| e.into_inner());
    let found = cache.get(key)?.get("pick").and_then(Value::as_str).and_then(position);
    if found.is_none() {
        cache.discard(key, "names no variant that may run");
    }
    found
}

/// Puts what earlier executions have tried behind what they have not; how many have not been tried, and the fastest of
/// the others with its trial.
pub fn resume(
    nest: &Nest,
    key: &str,
    picks: &mut [Pick],
    candidates: usize,
    predict: Predict,
) -> (usize, Option<Tried>) {
    let known = nest.tuned.get(key);
    let trial = |pick: &Pick| {
        let of = name(nest, pick);
        known.tried.iter().find(|(n, _)| *n == of).map(|(_, trial)| *trial)
    };
    let listed = &mut picks[..candidates];
    listed.sort_by_key(|p| trial(p).is_some());
    let open = listed.iter().filter(|p| trial(p).is_none()).count();
    // In units of what was predicted, as trials may differ in steps.
    let score = |pick: &Pick, (steps, seconds): (i64, f64)| {
        let whole = pick.seconds.zip(predict(pick, steps)).filter(|(_, p)| *p > 0.0);
        whole.map_or(seconds / steps as f64, |(whole, part)| seconds * whole / part)
    };
    let done = (open..candidates).filter_map(|i| Some((i, trial(&listed[i])?)));
    let by_score =
        |a: &Tried, b: &Tried| score(&listed[a.0], a.1).total_cmp(&score(&listed[b.0], b.1));
    (open, done.min_by(by_score))
}

/// Remembers what was tried, and the fastest for so many steps: for this process once `complete`, and in the cache as soon
/// as several have been tried.
pub fn remember(
    nest: &Nest,
    key: &str,
    course: &Course,
    steps: i64,
    complete: bool,
    options: &Options,
) {
    let mut known = nest.tuned.get(key);
    // Nothing is left to try: what was tried before decides.
    let decided = complete && !known.tried.is_empty() && known.fastest.is_none();
    if course.trials_made().next().is_none() && !decided {
        return;
    }
    known.tried.extend(course.trials_made().map(|(p, steps, s, _)| (name(nest, p), (steps, s))));
    let Some(fastest) = course.best(steps).map(|i| name(nest, &course.picks[i])) else { return };
    known.fastest = complete.then(|| fastest.clone());
    let tried = known.tried.len();
    nest.tuned.set(key, known);
    if tried < 2 {
        return;
    }
    if options.info && complete {
        report::note(&format!("{key}: {fastest} is the fastest of {tried} tried"));
    }
    if let Some(cache) = cache(options) {
        let mut cache = cache.lock().unwrap_or_else(|e| e.into_inner());
        cache.put(key, json!({ "pick": fastest }));
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
    fn the_best_of_each_variant_is_tried_first() {
        let of = |(index, seconds)| Pick { index, tunables: vec![], seconds: Some(seconds) };
        let mut picks: Vec<Pick> =
            [(3, 1.0), (3, 1.01), (3, 1.02), (1, 1.05), (2, 1.2), (1, 1.06)].map(of).to_vec();
        assert_eq!(shortlist(&mut picks, Tune::Online, |_| true), 5);
        let order: Vec<(usize, Option<f64>)> = picks.iter().map(|p| (p.index, p.seconds)).collect();
        let expected = [(3, 1.0), (1, 1.05), (3, 1.01), (1, 1.06), (3, 1.02), (2, 1.2)];
        assert_eq!(order, expected.map(|(i, s)| (i, Some(s))));
        let mut many = vec![of((0, 1.0)); 50];
        assert_eq!(shortlist(&mut many, Tune::Online, |_| true), MOST_TRIED[0]);
    }

    #[test]
    fn all_of_a_few_steps_are_one_trial_and_the_next_execution_compares() {
        let all = picks(&[1.0, 1.05, 1.09]);
        let trials = |open, known| Course::trials(&all, open, known, 40, Tune::Online, &linear);
        let mut first = trials(3, None);
        assert_eq!(first.next(40), Some((0, 40)));
        first.record(0, 40, 0.05);
        assert_eq!((first.trials_made().count(), first.candidates), (1, 1));
        // The second, with the first behind those not tried yet.
        let second = trials(2, Some((2, (40, 0.05))));
        assert_eq!(second.next(40), Some((0, 40)));
        let mut failing = trials(2, Some((2, (40, 0.05))));
        failing.fail(0);
        assert_eq!(failing.next(40), Some((2, 40)));
        // Nothing left: the fastest of all.
        let last = trials(0, Some((1, (40, 0.04))));
        assert_eq!((last.next(40), last.picks[0].seconds), (Some((0, 40)), Some(1.05)));
        assert_eq!(last.trials_made().count(), 0);
        // What is over in less time says nothing.
        let short = picks(&[1e-4, 1.05e-4]);
        let course = Course::trials(&short, 2, None, 40, Tune::Online, &linear);
        assert_eq!((course.next(40), course.whole), (Some((0, 40)), false));
    }

    #[test]
    fn the_fastest_is_that_for_the_steps_that_are_asked_for() {
        let all = picks(&[1.0, 1.0]);
        // A step alone takes as long as ten in a tile, with the first.
        let tiled = |p: &Pick, n: i64| match p.index {
            0 => Some((n / 10 + n % 10) as f64),
            _ => Some(n as f64 * 0.2),
        };
        let mut course = Course::trials(&all, 2, None, 1000, Tune::Full, &tiled);
        course.record(0, 40, 4.0);
        course.record(1, 40, 8.0);
        assert_eq!((course.best(1000), course.best(1)), (Some(0), Some(1)));
    }

    #[test]
    fn trials_share_the_steps_and_the_fastest_does_the_rest() {
        let all = picks(&[1.0, 1.05, 1.09]);
        let mut course = Course::trials(&all, 3, None, 1000, Tune::Online, &linear);
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
        assert_eq!((course.best(1), course.trials_made().count()), (Some(1), 3));
    }

    #[test]
    fn what_was_tried_before_is_not_tried_again_and_may_win() {
        let all = picks(&[1.0, 1.05, 1.09]);
        let known = Some((2, (32, 0.01)));
        let mut course = Course::trials(&all, 2, known, 1000, Tune::Full, &linear);
        for (left, pick) in [(1000, 0), (968, 1), (936, 2)] {
            let (next, steps) = course.next(left).unwrap();
            assert_eq!((next, steps), (pick, if pick < 2 { 32 } else { 936 }));
            course.record(next, steps, 0.03);
        }
        assert_eq!(course.trials_made().count(), 2);
    }

    #[test]
    fn a_process_that_is_still_trying_does_not_take_the_cache_s_word() {
        let variant = hexpass_abi::Variant {
            strategy: "streaming".to_string(),
            sizes: vec![("b".to_string(), 4)],
            storage: String::new(),
            target: hexpass_abi::VariantTarget::Device,
            ptx: vec![],
            aligned: false,
            kernels: vec![],
            plan: hexpass_abi::LaunchPlan { ops: vec![], vars: 0 },
            tunables: vec![],
            scratch: vec![],
            alike: false,
        };
        let (folder, all) = (tempfile::tempdir().unwrap(), picks(&[1.0]));
        let options =
            Options { cache: Some(folder.path().join("cache.json")), ..Options::default() };
        let fresh = crate::record::small_nest(vec![variant.clone()]);
        let best = name(&fresh, &all[0]);
        cache(&options).unwrap().lock().unwrap().put("key", json!({ "pick": best }));
        assert_eq!(recall(&fresh, "key", &all, &options), Some(0));
        let trying = crate::record::small_nest(vec![variant]);
        let known = Known { tried: vec![(best.clone(), (32, 1.0))], fastest: None };
        trying.tuned.set("key", known.clone());
        assert_eq!(recall(&trying, "key", &all, &options), None);
        trying.tuned.set("key", Known { fastest: Some(best), ..known });
        assert_eq!(recall(&trying, "key", &all, &options), Some(0));
    }

    #[test]
    fn trials_are_whole_time_tiles() {
        let all = picks(&[1.0, 1.05]);
        // Tiles of seven steps; what is left takes as long as a tile.
        let tiled = |_: &Pick, steps: i64| Some((steps + 6).div_euclid(7) as f64);
        let course = Course::trials(&all, 2, None, 1000, Tune::Online, &tiled);
        assert_eq!(course.next(1000), Some((0, 35)));
        assert_eq!(course.next(33), Some((0, 33)));
        assert_eq!(course.next(32), Some((0, 32)));
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
            let course = Course::trials(&all, 3, None, steps, tune, &linear);
            assert_eq!(course.picks.len(), count, "{steps} {tune:?}");
        }
        let course = Course::trials(&all[..1], 1, None, 1000, Tune::Full, &linear);
        assert_eq!(course.next(1000), Some((0, 1000)));
        assert_eq!(course.trials_made().count(), 0);
    }

    #[test]
    fn what_can_not_be_loaded_is_left_out() {
        let all = picks(&[1.0, 1.05]);
        let mut course = Course::trials(&all, 2, None, 1000, Tune::Online, &linear);
        course.fail(0);
        assert_eq!(course.next(1000), Some((1, 1000)));
        course.fail(1);
        assert_eq!(course.next(1000), None);
    }
}
