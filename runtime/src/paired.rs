//! Whether kernels are worth it for a nest that comes again and again: tried, not estimated.
//!
//! Consumes the moments at which the nest arrives, and what the gate expects; says who takes each execution. From one
//! arrival to the next pass the execution and whatever else the program does in between. Where the original loop and the
//! kernels take turns, the shorter of the two ways round wins, with all that threads which fell asleep, caches that others
//! filled and an original that is faster than it looks do to it. Where kernels take several steps at a time and the original
//! loop one, it is the time of a step.
//!
//! Neither way may cost much before it is known to be the longer one. A nest that is soon over begins with the original, and
//! kernels are tried once the time that the program has run pays for their being as slow as they may be ([`Purse`]). One that
//! takes long may not come again: it begins with the kernels, in which the gate believes, and the original is tried once a
//! small part of the time that the kernels took pays for that, or as soon as they take longer than the original should. A
//! verdict for the kernels stands as long as they keep to it.

use crate::gate::KEYS;
use crate::gate::costs::ADVANTAGE;
use crate::purse::{Purse, SHARE};
use std::sync::{Mutex, TryLockError};
use std::time::{Duration, Instant};

/// Executions of each way that are timed; the shortest counts: what stands between executions may be long now and then.
const TURNS: u32 = 4;
/// Executions after which both are tried again.
const VALID: u32 = 4096;
/// Executions by the kernels, all of which must be longer than the original was for a verdict to fall.
const WATCHED: u32 = 3;
/// The kernels' way must be so much shorter.
const SHORTER: f64 = 0.97;
/// Where it is so much longer the first times, it is not tried again.
const LONGER: f64 = 1.25;
/// Kernels that were never timed may take so many times as long as is expected.
pub const WRONG: f64 = 3.0;

/// Who takes an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Original,
    Kernels,
}

/// Who takes an execution, and whether that is settled for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    pub way: Way,
    settled: bool,
}

/// The original loop has won, or is all that the program can afford for now.
pub const ORIGINAL_FOR_GOOD: Turn = Turn { way: Way::Original, settled: true };

/// An execution that arrives.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Stands for sizes and circumstances: others are another matter.
    pub key: u64,
    /// Steps that kernels would take, for one of the original loop.
    pub steps: u32,
    /// Arrivals before it that nobody looked at, all taken by the original loop.
    pub unseen: u32,
    /// What the gate thinks of it.
    pub expected: Expected,
    pub now: Instant,
}

/// Seconds of an execution, as estimated; of a step, where kernels take several at a time.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    pub original: f64,
    /// `None`: the gate looks later, and lets pass what is [`ADVANTAGE`] times faster than the original.
    pub kernels: Option<f64>,
    /// What the first by kernels takes besides: threads that have to be started.
    pub start: f64,
    /// It takes so long that it begins with the kernels.
    pub is_long: bool,
}

/// What a nest's arrivals have told: of each key, the latest in front.
#[derive(Debug, Default)]
pub struct Paired(Mutex<Vec<State>>);

#[derive(Debug, Default)]
struct State {
    key: u64,
    /// The last arrival, who took it, and how many steps that was.
    last: Option<(Instant, Way, u32)>,
    /// The one before it was the kernels'.
    is_behind: bool,
    /// Executions of each way that have been timed.
    original: Timed,
    kernels: Timed,
    /// Those by the original loop that came right behind one by the kernels, and found its data in other cores' caches.
    behind: Timed,
    /// What kernels took in seconds when there was a verdict for them.
    known: Option<f64>,
    /// Who takes the next ones.
    settled: Option<Settled>,
}

/// A verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Settled {
    way: Way,
    /// How many executions it is for.
    left: u32,
    /// The last few by the kernels.
    lately: Timed,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Timed {
    turns: u32,
    shortest: Option<Duration>,
    /// All of them together, each as far as it counts.
    total: Duration,
}

impl Timed {
    /// One more; `most` of it counts in all of them together.
    fn add(&mut self, time: Duration, most: Option<Duration>) {
        self.turns += 1;
        self.total += most.map_or(time, |most| time.min(most));
        self.shortest = Some(self.shortest.map_or(time, |s| s.min(time)));
    }

    /// Of the shortest; infinite where there is none.
    fn seconds(&self) -> f64 {
        self.shortest.map_or(f64::INFINITY, |d| d.as_secs_f64())
    }

    /// What the program does beside it now and then takes the rest, if an execution takes longer.
    fn much(&self) -> Option<Duration> {
        self.shortest.map(|s| s.mul_f64(WRONG))
    }

    /// What they have taken beyond so many seconds each; below zero, what they have saved.
    fn beyond(&self, seconds: f64) -> f64 {
        match self.turns {
            0 => 0.0,
            turns => self.total.as_secs_f64() - f64::from(turns) * seconds,
        }
    }
}

impl Paired {
    /// Who takes the execution that arrives now: so many steps by kernels, or one by the original loop.
    pub fn arrive(&self, purse: &Purse, a: &Arrival) -> Turn {
        let first = if a.expected.is_long { Way::Kernels } else { Way::Original };
        let open = |way| Turn { way, settled: false };
        // Whoever comes in the middle of another thread's arrival is no loop of one thread: its times tell nothing.
        let mut states = match self.0.try_lock() {
            Ok(states) => states,
            Err(TryLockError::Poisoned(p)) => p.into_inner(),
            Err(TryLockError::WouldBlock) => return open(first),
        };
        if states.first().is_some_and(|s| s.key != a.key) {
            // The execution before this one was of another size: its time is not known.
            states[0].last = None;
        }
        match states.iter().position(|s| s.key == a.key) {
            Some(at) => states[..=at].rotate_right(1),
            None => states.insert(0, State { key: a.key, ..State::default() }),
        }
        states.truncate(KEYS);
        let state = &mut states[0];
        if let Some(way) = state.go_on(purse, a) {
            return Turn { way, settled: true };
        }
        let id = std::ptr::from_ref(self).addr();
        if !purse.take(id, a.now) {
            state.last = None;
            return open(first);
        }
        let turn = state.next(purse, a);
        if turn.settled || state.settled.is_some() {
            purse.give_back();
        }
        turn
    }

    /// Kernels were to take the execution that arrived last, and it was left to the original loop after all: its time tells
    /// nothing of theirs.
    pub fn was_left(&self) {
        if let Ok(mut states) = self.0.try_lock()
            && let Some(state) = states.first_mut()
        {
            state.last = None;
        }
    }
}

impl State {
    /// Who takes it by a verdict that stands.
    fn go_on(&mut self, purse: &Purse, a: &Arrival) -> Option<Way> {
        let settled = self.settled.as_mut()?;
        settled.left = settled.left.saturating_sub(1 + a.unseen);
        let (way, left) = (settled.way, settled.left);
        if way == Way::Original && std::mem::take(&mut self.is_behind) {
            // The first behind a trial.
            if let Some((before, Way::Original, _)) = self.last.take() {
                let time = a.now.saturating_duration_since(before) / (1 + a.unseen);
                self.behind = Timed::default();
                self.behind.add(time, self.original.much());
                purse.saved(-self.behind.beyond(self.original.seconds()));
            }
        }
        if way == Way::Kernels {
            if let Some((before, Way::Kernels, steps)) = self.last.take() {
                let time = a.now.saturating_duration_since(before) / steps.max(1);
                settled.lately.add(time, self.original.much());
            }
            self.last = Some((a.now, way, a.steps));
            if settled.lately.turns >= WATCHED {
                let lately = std::mem::take(&mut settled.lately);
                let lost = lately.beyond(self.original.seconds()) * f64::from(a.steps);
                if lately.seconds() > self.original.seconds() || !purse.pays(lost, a.now) {
                    self.try_again(lately);
                    return None;
                }
                purse.saved(-lost);
            }
        }
        if left == 0 {
            self.try_again(Timed::default());
        }
        Some(way)
    }

    /// Forgets what the verdict was found by; kernels have been timed since.
    fn try_again(&mut self, kernels: Timed) {
        let known = kernels.shortest.or(self.kernels.shortest).map(|d| d.as_secs_f64());
        *self = State { key: self.key, kernels, known, ..State::default() };
    }

    fn next(&mut self, purse: &Purse, a: &Arrival) -> Turn {
        if let Some((before, way, steps)) = self.last.take() {
            let time = a.now.saturating_duration_since(before);
            match way {
                Way::Original => {
                    let each = time / (1 + a.unseen);
                    self.original.add(each, None);
                    if std::mem::take(&mut self.is_behind) {
                        self.behind.add(each, self.original.much());
                    }
                }
                Way::Kernels => {
                    self.kernels.add(time / steps.max(1), self.original.much());
                    self.is_behind = true;
                }
            }
        }
        if let Some(mut way) = self.verdict(&a.expected) {
            let lost = self.lost(a.steps);
            if !a.expected.is_long && !purse.pays(lost, a.now) {
                // The shortest of them was no measure.
                way = Way::Original;
            }
            purse.saved(-lost);
            self.settled = Some(Settled { way, left: VALID, lately: Timed::default() });
            self.last = Some((a.now, way, a.steps));
            return Turn { way, settled: false };
        }
        let way = self.wanted(&a.expected);
        let is_open = way == Way::Original || a.expected.is_long || self.is_paid(purse, a);
        let way = if is_open { way } else { Way::Original };
        self.last = Some((a.now, way, if way == Way::Original { 1 } else { a.steps }));
        Turn { way, settled: !is_open }
    }

    fn verdict(&self, expected: &Expected) -> Option<Way> {
        let turns = self.original.turns.min(self.kernels.turns);
        let (kernels, original) = (self.kernels.seconds(), self.original.seconds());
        let enough = if expected.is_long { 1 } else { TURNS };
        let is_clear = turns >= TURNS / 2 && kernels > LONGER * original;
        let wins = kernels < SHORTER * original;
        (turns >= enough || is_clear).then_some(if wins { Way::Kernels } else { Way::Original })
    }

    /// Whose time would be good to know.
    fn wanted(&self, expected: &Expected) -> Way {
        let (original, kernels) = (self.original.turns, self.kernels.turns);
        if expected.is_long {
            let seconds = self.kernels.seconds();
            let pays = SHARE * f64::from(kernels) * seconds >= expected.original - seconds;
            let is_due = self.known.is_some() || (kernels > 0 && pays);
            return if original == 0 && is_due { Way::Original } else { Way::Kernels };
        }
        // Two of each in a row: the second finds the caches as its own kind has left them.
        let half = TURNS / 2;
        match (original, kernels) {
            (o, _) if o < half => Way::Original,
            (_, k) if k < half => Way::Kernels,
            (o, _) if o < TURNS => Way::Original,
            _ => Way::Kernels,
        }
    }

    /// Seconds that this trial has lost so far: all that kernels have taken beyond the original, the first of them with
    /// threads that start and memory that is new, and what they have cost the original behind them.
    fn lost(&self, steps: u32) -> f64 {
        let original = self.original.seconds();
        self.kernels.beyond(original) * f64::from(steps) + self.behind.beyond(original)
    }

    /// True if the purse pays for what kernels may lose, in this trial so far and now.
    fn is_paid(&self, purse: &Purse, a: &Arrival) -> bool {
        let expected = || a.expected.kernels.unwrap_or(self.original.seconds() / ADVANTAGE);
        let guess = || self.known.unwrap_or_else(|| WRONG * expected());
        let kernels = self.kernels.shortest.map_or_else(guess, |d| d.as_secs_f64());
        let start = if self.kernels.turns == 0 { a.expected.start } else { 0.0 };
        let next = (kernels - self.original.seconds()) * f64::from(a.steps) + start;
        purse.pays(self.lost(a.steps) + next.max(0.0), a.now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rest::Rest;

    /// A program whose nest comes so many times; seconds of each way at each arrival.
    struct Program<'a> {
        arrivals: usize,
        original: &'a dyn Fn(usize) -> f64,
        kernels: &'a dyn Fn(usize) -> f64,
        expected: Expected,
        /// Of any execution; never less than it would take.
        noise: f64,
    }

    /// What a program takes with the gate, by its original loop, and how many executions kernels take.
    struct Took {
        gated: f64,
        original: f64,
        kernels: usize,
    }

    impl Took {
        /// What the gate has lost, of the original's time; below zero, what it has won.
        fn lost(&self) -> f64 {
            self.gated / self.original - 1.0
        }
    }

    impl Program<'_> {
        fn run(&self) -> Took {
            let (paired, purse, rest) = (Paired::default(), Purse::new(), Rest::default());
            let (start, key) = (Instant::now(), 7);
            let mut took = Took { gated: 0.0, original: 0.0, kernels: 0 };
            let mut state = 1u64;
            for i in 0..self.arrivals {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let slower = 1.0 + self.noise * (state >> 40) as f64 / 16777216.0;
                let original = (self.original)(i) * slower;
                took.original += original;
                let now = start + Duration::from_secs_f64(took.gated);
                let way = if rest.holds(key) {
                    Way::Original
                } else {
                    let unseen = rest.unseen();
                    let expected = self.expected;
                    let turn =
                        paired.arrive(&purse, &Arrival { key, steps: 1, unseen, expected, now });
                    match turn {
                        ORIGINAL_FOR_GOOD => rest.found_nothing(key),
                        _ => rest.ends(),
                    }
                    turn.way
                };
                if way == Way::Kernels {
                    took.kernels += 1;
                    took.gated += (self.kernels)(i) * slower;
                } else {
                    took.gated += original;
                }
            }
            took
        }
    }

    const SHORT: Expected =
        Expected { original: 1e-3, kernels: Some(0.5e-3), start: 0.0, is_long: false };
    const LONG: Expected =
        Expected { original: 1.0, kernels: Some(0.5), start: 0.0, is_long: true };

    #[test]
    fn what_is_lost_on_short_nests_stays_below_a_twentieth() {
        // What is expected is wrong by so much, one way or the other.
        for original in [0.33e-3, 1e-3, 3e-3] {
            for wrong in [0.33, 1.0, 2.0, 2.2, 3.0] {
                for noise in [0.0, 0.3] {
                    for arrivals in [1, 2, 3, 8, 20, 50, 100, 200, 1000, 20_000] {
                        let kernels = wrong * 0.5e-3;
                        let (original, kernels) = (&|_| original, &|_| kernels);
                        let expected = SHORT;
                        let took = Program { arrivals, original, kernels, expected, noise }.run();
                        let words = format!("{} {} {noise} {arrivals}", original(0), kernels(0));
                        assert!(took.lost() < 0.05, "{words}: {}", took.lost());
                    }
                }
            }
        }
    }

    #[test]
    fn all_that_trials_take_is_paid_for() {
        // The first execution by kernels, of so many milliseconds, starts threads; the others vary, and the shortest says
        // little of what they take together.
        for first in [1.0, 2.0] {
            for others in [[0.95, 2.0], [1.1, 1.5], [1.0, 1.2]] {
                for arrivals in [32, 100, 1000, 20_000] {
                    let turn = std::cell::Cell::new(0);
                    let kernels = |_| {
                        let n = turn.replace(turn.get() + 1);
                        1e-3 * if n == 0 { first + others[1] } else { others[n % 2] }
                    };
                    let (original, kernels, expected) = (&|_| 1e-3, &kernels, SHORT);
                    let took = Program { arrivals, original, kernels, expected, noise: 0.0 }.run();
                    // What nobody could know is what the first takes.
                    let lost = took.gated - took.original - 1e-3 * (first + others[1] - 1.0);
                    let all = took.original;
                    assert!(lost < 0.05 * all, "{first} {others:?} {arrivals}: {}", lost / all);
                }
            }
        }
    }

    #[test]
    fn threads_that_have_to_be_started_are_paid_for_before() {
        let tried_after = |start: f64| {
            let (paired, purse, began) = (Paired::default(), Purse::new(), Instant::now());
            let expected = Expected { kernels: Some(0.3e-3), start, ..SHORT };
            let mut arrivals = (0..1000).map(|i| {
                let now = began + Duration::from_millis(i);
                paired.arrive(&purse, &Arrival { key: 1, steps: 1, unseen: 0, expected, now }).way
            });
            arrivals.position(|way| way == Way::Kernels).unwrap()
        };
        // Kernels may take 0.9 of the original's millisecond; three more are there after so much time.
        assert_eq!(tried_after(0.0), 2);
        assert!((72..76).contains(&tried_after(3e-3)), "{}", tried_after(3e-3));
    }

    #[test]
    fn an_original_that_kernels_have_slowed_is_paid_for() {
        let (paired, purse) = (Paired::default(), Purse::new());
        let (start, mut seconds, mut executions) = (Instant::now(), 0.0, 0);
        let (mut before, mut tried) = (Way::Original, 0);
        while executions < 200 {
            let now = start + Duration::from_secs_f64(seconds);
            let arrival = Arrival { key: 1, steps: 1, unseen: 0, expected: SHORT, now };
            let way = paired.arrive(&purse, &arrival).way;
            // Kernels seem to be as fast, and the loop behind them finds its caches empty.
            seconds += if before == Way::Kernels && way == Way::Original { 3e-3 } else { 1e-3 };
            (before, executions) = (way, executions + 1);
            tried += u32::from(way == Way::Kernels);
        }
        let (now, earned) = (start + Duration::from_secs_f64(seconds), SHARE * seconds);
        assert!(tried > 0 && !purse.pays(earned - 1.9e-3, now), "{tried}");
        assert!(seconds < 1.05 * 1e-3 * f64::from(executions), "{seconds}");
    }

    #[test]
    fn what_changes_midway_is_found_out() {
        // What kernels take of the original before and after, and how much earlier gains may hide.
        for (before, after) in [(0.5, 3.0), (0.9, 3.0), (0.9, 1.3), (3.0, 0.3)] {
            for noise in [0.0, 0.3] {
                for arrivals in [200, 2000, 20_000] {
                    let half = |i| if i < arrivals / 2 { before } else { after } * 1e-3;
                    let program = Program {
                        arrivals,
                        original: &|_| 1e-3,
                        kernels: &half,
                        expected: SHORT,
                        noise,
                    };
                    let lost = program.run().lost();
                    assert!(lost < 0.05, "{before} {after} {noise} {arrivals}: {lost}");
                }
            }
        }
        // Faster than before, too, if not at once.
        let kernels = |i| if i < 200 { 3e-3 } else { 0.3e-3 };
        let (original, expected) = (&|_| 1e-3, SHORT);
        let program =
            Program { arrivals: 20_000, original, kernels: &kernels, expected, noise: 0.3 };
        assert!(program.run().lost() < -0.4);
        // Everything gets slower: nothing follows from that.
        let slow = |i| if i < 1000 { 1.0 } else { 2.0 };
        let (original, kernels) = (&|i| 1e-3 * slow(i), &|i| 0.5e-3 * slow(i));
        let program = Program { arrivals: 2000, original, kernels, expected: SHORT, noise: 0.3 };
        assert!(program.run().lost() < -0.45);
    }

    #[test]
    fn what_is_won_on_short_nests_stays() {
        for (kernels, arrivals, wins) in
            [(0.5, 50, 0.25), (0.5, 1000, 0.48), (0.2, 50, 0.7), (0.8, 1000, 0.18)]
        {
            // The better kernels are, the sooner they may be tried.
            let expected = Expected { kernels: Some(kernels * 1e-3), ..SHORT };
            let (original, kernels) = (&|_| 1e-3, &|_| kernels * 1e-3);
            let took = Program { arrivals, original, kernels, expected, noise: 0.0 }.run();
            assert!(-took.lost() > wins, "{} {arrivals}: {}", kernels(0), took.lost());
        }
    }

    #[test]
    fn long_nests_trust_the_estimate_until_it_is_refuted() {
        let run = |original: f64, kernels: f64, arrivals| {
            let (original, kernels) = (&|_: usize| original, &|_: usize| kernels);
            Program { arrivals, original, kernels, expected: LONG, noise: 0.3 }.run()
        };
        // As expected: the original is tried once, when that is a small part of all.
        assert_eq!([1, 2, 10].map(|n| run(1.0, 0.5, n).kernels), [1, 2, 10]);
        assert_eq!(run(1.0, 0.5, 1000).kernels, 999);
        // Slower than the original should be: it is next.
        for arrivals in [2, 10, 1000] {
            assert_eq!(run(1.0, 1.5, arrivals).kernels, 1);
        }
        // The original is faster than it should be: found out when a look costs little.
        assert!(run(0.3, 0.5, 1000).kernels < 40);
        assert!(run(0.3, 0.5, 1000).lost() < 0.05);
        // Kernels that get slow midway.
        let kernels = |i| if i < 500 { 0.5 } else { 2.0 };
        let program = Program {
            arrivals: 1000,
            original: &|_| 1.0,
            kernels: &kernels,
            expected: LONG,
            noise: 0.3,
        };
        assert!((500..510).contains(&program.run().kernels));
    }

    /// A loop of so many steps of a millisecond each, of which kernels take sixteen together: its seconds, and whether they
    /// were its last.
    fn ahead(steps: usize, kernels: f64) -> (f64, bool) {
        let (paired, purse) = (Paired::default(), Purse::new());
        let (start, expected) = (Instant::now(), AHEAD);
        let (mut done, mut seconds, mut way) = (0, 0.0, Way::Original);
        while done < steps {
            let now = start + Duration::from_secs_f64(seconds);
            way =
                paired.arrive(&purse, &Arrival { key: 1, steps: 16, unseen: 0, expected, now }).way;
            (done, seconds) = match way {
                Way::Kernels => (done + 16, seconds + kernels),
                Way::Original => (done + 1, seconds + 1e-3),
            };
        }
        (seconds, way == Way::Kernels)
    }

    const AHEAD: Expected = Expected { original: 0.0, kernels: None, start: 0.0, is_long: false };

    #[test]
    fn steps_that_kernels_take_together_are_one_turn() {
        for (kernels, wins) in [(15e-3, true), (16e-3, false), (50e-3, false)] {
            assert_eq!(ahead(4000, kernels).1, wins, "{kernels}");
        }
    }

    #[test]
    fn steps_that_were_left_after_all_count_for_nobody() {
        let (paired, purse) = (Paired::default(), Purse::new());
        let start = Instant::now();
        for i in 0..4000 {
            let now = start + Duration::from_millis(i);
            let a = Arrival { key: 1, steps: 16, unseen: 0, expected: AHEAD, now };
            if paired.arrive(&purse, &a).way == Way::Kernels {
                paired.was_left();
            }
        }
        assert_eq!(paired.0.lock().unwrap()[0].kernels, Timed::default());
    }

    #[test]
    fn what_is_lost_on_steps_ahead_stays_below_a_twentieth() {
        for steps in [8, 16, 100, 500, 2000, 10_000] {
            for kernels in [8e-3, 15e-3, 25e-3, 38e-3] {
                let (seconds, _) = ahead(steps, kernels);
                // The last of them may reach beyond the loop's end.
                let all = 1e-3 * (steps + 16) as f64;
                assert!(seconds < 1.05 * all, "{steps} {kernels}: {seconds}");
            }
        }
    }

    #[test]
    fn other_sizes_are_tried_anew_and_a_verdict_ends() {
        let (paired, purse) = (Paired::default(), Purse::new());
        let now = Instant::now();
        let way = |paired: &Paired, key| {
            let a = Arrival { key, steps: 1, unseen: 0, expected: SHORT, now };
            paired.arrive(&purse, &a).way
        };
        let left = |paired: &Paired| paired.0.lock().unwrap()[0].settled.map(|s| s.left);
        let verdict = Settled { way: Way::Kernels, left: 3, lately: Timed::default() };
        let verdict = State { key: 1, settled: Some(verdict), ..State::default() };
        paired.0.lock().unwrap().push(verdict);
        assert_eq!(way(&paired, 1), Way::Kernels);
        assert_eq!(way(&paired, 2), Way::Original);
        assert_eq!(left(&paired), None);
        // Back to the size before.
        assert_eq!(way(&paired, 1), Way::Kernels);
        assert_eq!(left(&paired), Some(1));
        assert_eq!(way(&paired, 1), Way::Kernels);
        assert_eq!(left(&paired), None);
        for key in 3..20 {
            way(&paired, key);
        }
        assert_eq!(paired.0.lock().unwrap().len(), KEYS);
    }
}
