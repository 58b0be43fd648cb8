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

/// What is expected to take at most this many times as long as the best is tried.
const NEARLY: f64 = 1.1;
/// What is predicted to take at most this many times as long as the best may come into question: as far as the model has been
/// seen to be wrong of two variants that are compared.
const IN_QUESTION: f64 = 1.4;
/// Most picks that are tried online, in all executions, and in full, in one.
const MOST_TRIED: [usize; 2] = [6, 64];
/// A trial is predicted to take this many seconds at least.
const TRIAL_SECONDS: f64 = 1e-3;
/// And has at least this many steps.
const TRIAL_STEPS: i64 = 32;
/// Or up to so many more: steps of the longest time tile, and some.
const TRIAL_SLACK: i64 = 64;
/// As whole time tiles as makes a step at most so many times as long as in the best of these lengths.
const TRIAL_WHOLE: f64 = 1.01;
/// Online trials take at most this part of all steps.
const TRIAL_SHARE: i64 = 2;

/// Predicted seconds of a pick for a number of steps.
pub type Predict<'a> = &'a (dyn Fn(&Pick, i64) -> Option<f64> + Sync);

/// Steps and seconds of a trial.
pub type Tried = (i64, f64);

/// One execution's picks and what has been found out of them.
pub struct Course<'a> {
    /// Best first by the model; one: nothing is tried.
    pub picks: &'a [Pick],
    steps: i64,
    trial: i64,
    tune: Tune,
    predict: Predict<'a>,
    /// Of each pick, of earlier executions too.
    tried: Vec<Option<Tried>>,
    failed: Vec<bool>,
    /// Those that were tried in this execution.
    made: Vec<usize>,
    /// How many may be.
    most: usize,
    /// One trial takes all steps.
    whole: bool,
    /// Nothing more need be tried, now or later.
    is_settled: bool,
    /// The bar of `HEXPASS_TUNE=full`, with the nest's place.
    bar: Option<String>,
}

impl<'a> Course<'a> {
    /// The first of `picks` does all steps.
    pub fn single(picks: &'a [Pick], predict: Predict<'a>) -> Course<'a> {
        Course {
            picks: &picks[..picks.len().min(1)],
            steps: 0,
            trial: 0,
            tune: Tune::Off,
            predict,
            tried: vec![None],
            failed: vec![false],
            made: Vec::new(),
            most: 0,
            whole: false,
            is_settled: true,
            bar: None,
        }
    }

    /// What is worth it of `picks` is tried, as far as `steps` allow; `tried` is what earlier executions found out of each.
    /// Online, where steps are too few for several trials but take long enough for one, all of them are one: the next
    /// execution compares.
    pub fn trials(
        picks: &'a [Pick],
        tried: Vec<Option<Tried>>,
        steps: i64,
        tune: Tune,
        predict: Predict<'a>,
    ) -> Course<'a> {
        let single = Course::single(picks, predict);
        let Some(best) = picks.first().filter(|_| tune != Tune::Off) else { return single };
        let each = best.seconds.map_or(0.0, |s| s / steps as f64);
        let trial = if each > 0.0 { (TRIAL_SECONDS / each).ceil() as i64 } else { 0 };
        let trial = trial.max(TRIAL_STEPS);
        let share = if tune == Tune::Full { 1 } else { TRIAL_SHARE };
        let known = tried.iter().flatten().count();
        let failed = vec![false; picks.len()];
        let course =
            Course { picks, steps, trial, tune, tried, failed, is_settled: false, ..single };
        let open = course.left_to_try();
        let most = open.min(usize::try_from(steps / share / trial).unwrap_or(0));
        let long = best.seconds.is_some_and(|s| s >= TRIAL_SECONDS);
        let whole = tune == Tune::Online
            && most + known.min(1) < 2
            && open.min(2) + known >= 2
            && long
            && course.promising().is_some();
        if whole {
            return Course { trial: steps, most: open.min(1), whole, ..course };
        }
        // Alone, the first would be compared with nothing.
        if most == 0 || course.promising().is_none() || (known == 0 && most < 2) {
            let is_settled = course.is_complete();
            let first = course.best(steps).unwrap_or(0);
            return Course { is_settled, ..Course::single(&picks[first..], predict) };
        }
        Course { most, ..course }
    }

    /// Shows how far it has come, on stderr.
    pub fn with_bar(mut self, place: String) -> Course<'a> {
        self.bar = (self.picks.len() > 1).then_some(place);
        self
    }

    /// Index of the pick that goes next, and for how many of the steps that are left; `None` when all have failed.
    pub fn next(&self, left: i64) -> Option<(usize, i64)> {
        let more = if self.made.len() < self.most { self.promising() } else { None };
        let others = self.failed.iter().filter(|f| !**f).count() > 1;
        match more {
            Some(i) if self.whole => Some((i, left)),
            Some(i) if others && left > self.trial => Some((i, self.length(i).min(left))),
            _ => Some((self.best(left)?, left)),
        }
    }

    /// Steps of a pick's trial: whole time tiles do more in their time than what is left of one.
    fn length(&self, pick: usize) -> i64 {
        let each =
            |n: i64| (self.predict)(&self.picks[pick], n).map_or(f64::INFINITY, |s| s / n as f64);
        let mut lengths = self.trial..=self.trial + TRIAL_SLACK;
        let least = lengths.clone().map(each).fold(f64::INFINITY, f64::min);
        lengths.find(|&n| each(n) <= least * TRIAL_WHOLE).unwrap_or(self.trial)
    }

    /// What most deserves a trial, if anything does: it is expected to be nearly as good as the best so far.
    ///
    /// What the model is wrong about are variants; tunables of one variant that are predicted alike mostly are alike. So a
    /// variant's trials correct what is expected of the rest of it, those of which nothing is known are as good as predicted,
    /// and the best of each comes before any second one.
    fn promising(&self) -> Option<usize> {
        let open = |&i: &usize| self.tried[i].is_none() && !self.failed[i];
        let of_variant = |i: usize| {
            let same = move |j: &usize| self.picks[*j].index == self.picks[i].index;
            (0..self.picks.len()).filter(same)
        };
        // How many times longer than predicted each took that was tried.
        let wrong: Vec<Option<f64>> = (0..self.picks.len())
            .map(|i| Some(self.scaled(i, self.steps)? / self.picks[i].seconds?))
            .collect();
        let expected = |i: usize| {
            let known: Vec<f64> = of_variant(i).filter_map(|j| wrong[j]).collect();
            let mean = known.iter().sum::<f64>() / known.len() as f64;
            let correction = if known.is_empty() { 1.0 } else { mean };
            self.picks[i].seconds.map_or(f64::INFINITY, |s| s * correction)
        };
        let before = |i: usize| of_variant(i).filter(|&j| self.tried[j].is_some()).count();
        let best = self.best(self.steps).and_then(|i| self.scaled(i, self.steps));
        let is_near = |i: usize| best.is_none_or(|b| expected(i) <= NEARLY * b);
        let rank = |&i: &usize| (!is_near(i), before(i), expected(i));
        let worth =
            (0..self.picks.len()).filter(open).filter(|&i| self.tune == Tune::Full || is_near(i));
        worth.min_by(|a, b| {
            let ((far, n, s), (other_far, m, t)) = (rank(a), rank(b));
            far.cmp(&other_far).then(n.cmp(&m)).then(s.total_cmp(&t))
        })
    }

    /// Seconds that a pick that was tried takes for a number of steps.
    fn scaled(&self, pick: usize, steps: i64) -> Option<f64> {
        let (of_trial, seconds) = self.tried[pick]?;
        let predicted = |n| (self.predict)(&self.picks[pick], n).filter(|&s| s > 0.0);
        let scale = match (predicted(of_trial), predicted(steps)) {
            (Some(trial), Some(all)) => all / trial,
            _ => steps as f64 / of_trial as f64,
        };
        Some(seconds * scale)
    }

    /// The fastest of those that were tried; if there is none, the first that has not failed.
    fn best(&self, left: i64) -> Option<usize> {
        let of = |i: usize| self.scaled(i, left).map(|seconds| (seconds, i));
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
            self.made.push(pick);
            self.draw();
        }
    }

    /// How many more may be tried, now or later.
    fn left_to_try(&self) -> usize {
        let known = self.tried.iter().flatten().count();
        match self.tune {
            Tune::Full => (self.picks.len() - known).min(MOST_TRIED[1]),
            _ => self.picks.len().min(MOST_TRIED[0]).saturating_sub(known),
        }
    }

    /// True if later executions need not try more.
    pub fn is_complete(&self) -> bool {
        self.is_settled || self.left_to_try() == 0 || self.promising().is_none()
    }

    /// Those that were tried in this execution, with steps, seconds, and predicted seconds.
    pub fn trials_made(&self) -> impl Iterator<Item = (&Pick, i64, f64, Option<f64>)> {
        let made = self.made.iter().filter(|_| self.trial > 0);
        made.filter_map(|&i| {
            let ((steps, seconds), pick) = (self.tried[i]?, &self.picks[i]);
            Some((pick, steps, seconds, (self.predict)(pick, steps)))
        })
    }

    fn draw(&self) {
        let Some(place) = &self.bar else { return };
        let (done, all) = (self.made.len(), self.most);
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

/// How many of the ranked picks may be tried, which then stand in front. `is_cheap` says of a variant's index that its kernels
/// are loaded, or loading them will pay.
pub fn shortlist(picks: &mut [Pick], tune: Tune, is_cheap: impl Fn(usize) -> bool) -> usize {
    let Some((first, best)) = picks.first().map(|p| (p.index, p.seconds)) else { return 1 };
    let best = match (tune, best) {
        (Tune::Full, _) => return picks.len(),
        (Tune::Online, Some(best)) => best,
        _ => return 1,
    };
    let near = |p: &Pick| p.seconds.is_some_and(|s| s <= IN_QUESTION * best);
    let worth = |p: &Pick| near(p) && (p.index == first || is_cheap(p.index));
    picks.sort_by_cached_key(|p| !worth(p));
    picks.iter().filter(|p| worth(p)).count()
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
    tried: Vec<(String, Tried)>,
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

/// What earlier executions have found out of each of these picks.
pub fn resume(nest: &Nest, key: &str, picks: &[Pick]) -> Vec<Option<Tried>> {
    let known = nest.tuned.get(key);
    let trial = |of: String| known.tried.iter().find(|(n, _)| *n == of).map(|(_, trial)| *trial);
    picks.iter().map(|p| trial(name(nest, p))).collect()
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

    fn trials<'a>(
        picks: &'a [Pick],
        tried: &[(usize, Tried)],
        steps: i64,
        tune: Tune,
        predict: Predict<'a>,
    ) -> Course<'a> {
        let of = |i| tried.iter().find(|(at, _)| *at == i).map(|(_, trial)| *trial);
        let tried = (0..picks.len()).map(of).collect();
        Course::trials(picks, tried, steps, tune, predict)
    }

    /// Runs a course to its end where a pick takes so many seconds for a step; the picks, in the order of their turns.
    fn course_of(mut course: Course, seconds: impl Fn(&Pick) -> f64, steps: i64) -> Vec<usize> {
        let (mut left, mut order) = (steps, Vec::new());
        while left > 0 {
            let (pick, stretch) = course.next(left).unwrap();
            course.record(pick, stretch, stretch as f64 * seconds(&course.picks[pick]));
            left -= stretch;
            order.push(pick);
        }
        order
    }

    #[test]
    fn what_may_be_the_best_comes_into_question_if_loading_it_pays() {
        let all = picks(&[1.0, 1.05, 1.39, 1.5]);
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

    /// Variants and predicted seconds of a thousand steps.
    fn ranked(of: &[(usize, f64)]) -> Vec<Pick> {
        of.iter().map(|&(index, s)| Pick { index, tunables: vec![], seconds: Some(s) }).collect()
    }

    #[test]
    fn the_best_of_each_variant_is_tried_first() {
        let all = ranked(&[(3, 1.0), (3, 1.01), (3, 1.02), (1, 1.05), (1, 1.06), (2, 1.2)]);
        let as_predicted = |p: &Pick| p.seconds.unwrap() / 1000.0;
        let course = trials(&all, &[], 1000, Tune::Online, &linear);
        assert_eq!(course_of(course, as_predicted, 1000), [0, 3, 1, 4, 2, 0]);
        let many = ranked(&[(0, 1.0); 50]);
        let course = trials(&many, &[], 1000, Tune::Online, &linear);
        assert_eq!(course_of(course, as_predicted, 1000).len(), MOST_TRIED[0] + 1);
    }

    #[test]
    fn what_trials_say_of_a_variant_holds_for_the_rest_of_it() {
        let all = ranked(&[(0, 1.0), (0, 1.01), (1, 1.05), (2, 1.25), (1, 1.3), (2, 1.35)]);
        // The first two variants take 1.3 times as long as predicted, the third does not.
        let seconds = |p: &Pick| p.seconds.unwrap() / 1000.0 * [1.3, 1.3, 1.0][p.index];
        let course = trials(&all, &[], 1000, Tune::Online, &linear);
        assert_eq!(course_of(course, seconds, 1000), [0, 2, 3, 1, 5, 3]);
        // As predicted, the third is too slow.
        let course = trials(&all, &[], 1000, Tune::Online, &linear);
        let as_predicted = |p: &Pick| p.seconds.unwrap() / 1000.0;
        assert_eq!(course_of(course, as_predicted, 1000), [0, 2, 1, 0]);
        // A variant that is much slower than predicted is not tried again.
        let course = trials(&all, &[], 1000, Tune::Online, &linear);
        let first_is_slow = |p: &Pick| p.seconds.unwrap() / 1000.0 * [1.3, 1.0, 1.0][p.index];
        assert_eq!(course_of(course, first_is_slow, 1000), [0, 2, 2]);
    }

    #[test]
    fn all_of_a_few_steps_are_one_trial_and_the_next_execution_compares() {
        let all = picks(&[1.0, 1.05, 1.09]);
        let of_forty = |p: &Pick, steps: i64| p.seconds.map(|s| s * steps as f64 / 40.0);
        let trials = |known: &[(usize, Tried)]| trials(&all, known, 40, Tune::Online, &of_forty);
        let mut first = trials(&[]);
        assert_eq!(first.next(40), Some((0, 40)));
        first.record(0, 40, 1.0);
        assert_eq!((first.trials_made().count(), first.is_complete()), (1, false));
        let second = trials(&[(0, (40, 1.0))]);
        assert_eq!(second.next(40), Some((1, 40)));
        let mut failing = trials(&[(0, (40, 1.0))]);
        failing.fail(1);
        assert_eq!(failing.next(40), Some((2, 40)));
        // Nothing left: the fastest of all.
        let last = trials(&[(0, (40, 1.2)), (1, (40, 1.1)), (2, (40, 1.3))]);
        assert_eq!((last.next(40), last.picks[0].seconds), (Some((0, 40)), Some(1.05)));
        assert_eq!((last.trials_made().count(), last.is_complete()), (0, true));
        // What is over in less time says nothing.
        let short = picks(&[1e-4, 1.05e-4]);
        let course = Course::trials(&short, vec![None; 2], 40, Tune::Online, &linear);
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
        let mut course = trials(&all, &[], 1000, Tune::Full, &tiled);
        course.record(0, 40, 4.0);
        course.record(1, 40, 8.0);
        assert_eq!((course.best(1000), course.best(1)), (Some(0), Some(1)));
    }

    #[test]
    fn trials_share_the_steps_and_the_fastest_does_the_rest() {
        let all = picks(&[1.0, 1.05, 1.09]);
        let mut course = trials(&all, &[], 1000, Tune::Online, &linear);
        let mut left = 1000;
        let mut done = Vec::new();
        for seconds in [0.033, 0.032, 0.034, 1.0] {
            let (pick, steps) = course.next(left).unwrap();
            course.record(pick, steps, seconds);
            left -= steps;
            done.push((pick, steps));
        }
        assert_eq!(left, 0);
        assert_eq!(done, [(0, 32), (1, 32), (2, 32), (1, 1000 - 96)]);
        assert_eq!((course.best(1), course.trials_made().count()), (Some(1), 3));
        assert!(course.is_complete());
    }

    #[test]
    fn what_was_tried_before_is_not_tried_again_and_may_win() {
        let all = picks(&[1.0, 1.05, 1.09]);
        let known = [(2, (32, 0.01))];
        let mut course = trials(&all, &known, 1000, Tune::Full, &linear);
        for (left, pick) in [(1000, 0), (968, 1), (936, 2)] {
            let (next, steps) = course.next(left).unwrap();
            assert_eq!((next, steps), (pick, if pick < 2 { 32 } else { 936 }));
            course.record(next, steps, 0.03);
        }
        assert_eq!(course.trials_made().count(), 2);
        // Online, nothing else may come near it.
        let course = trials(&all, &known, 1000, Tune::Online, &linear);
        assert_eq!((course.picks.len(), course.picks[0].index), (1, 2));
        assert!(course.is_complete());
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
            least: Vec::new(),
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
        let course = trials(&all, &[], 1000, Tune::Online, &tiled);
        assert_eq!(course.next(1000), Some((0, 35)));
        assert_eq!(course.next(33), Some((0, 33)));
        assert_eq!(course.next(32), Some((0, 32)));
        // Steps that fill no tile of 32 are made one by one, as in 1-D; a trial of 96 is the least.
        let slow_ends = |_: &Pick, steps: i64| Some((steps / 32 + 3 * (steps % 32)) as f64);
        let slow = picks(&[0.013, 0.013]);
        let course = trials(&slow, &[], 1000, Tune::Online, &slow_ends);
        assert_eq!((course.trial, course.next(1000)), (77, Some((0, 96))));
    }

    #[test]
    fn few_steps_are_not_spent_on_trials() {
        let all = picks(&[1.0, 1.05, 1.09]);
        for (steps, tune, count) in [
            (127, Tune::Online, 1),
            (128, Tune::Online, 2),
            (63, Tune::Full, 0),
            (64, Tune::Full, 2),
            (1000, Tune::Off, 0),
        ] {
            let course = trials(&all, &[], steps, tune, &linear);
            assert_eq!(course.most, count, "{steps} {tune:?}");
        }
        let course = trials(&all[..1], &[], 1000, Tune::Full, &linear);
        assert_eq!(course.next(1000), Some((0, 1000)));
        assert_eq!(course.trials_made().count(), 0);
    }

    #[test]
    fn what_can_not_be_loaded_is_left_out() {
        let all = picks(&[1.0, 1.05]);
        let mut course = trials(&all, &[], 1000, Tune::Online, &linear);
        course.fail(0);
        assert_eq!(course.next(1000), Some((1, 1000)));
        course.fail(1);
        assert_eq!(course.next(1000), None);
    }
}
