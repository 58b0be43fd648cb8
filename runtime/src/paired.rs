//! Whether kernels are worth it for a nest that is soon over and comes again and again: tried, not estimated.
//!
//! Consumes the moments at which the nest arrives; says who takes each execution. From one arrival to the next pass the
//! execution and whatever else the program does in between. Where the original loop and the kernels take turns, the
//! shorter of the two ways round wins, with all that threads which fell asleep, caches that others filled and an original
//! that is faster than it looks do to it. Where kernels take several steps at a time and the original loop one, it is the
//! time of a step.

use crate::gate::KEYS;
use std::sync::{Mutex, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// Executions of each way that are timed; the shortest counts: what stands between executions may be long now and then.
const TURNS: u32 = 4;
/// Executions after which both are tried again.
const VALID: u32 = 4096;
/// The kernels' way must be so much shorter.
const SHORTER: f64 = 0.97;
/// Where it is so much longer the first times, it is not tried again.
const LONGER: f64 = 1.25;
/// After so long without an arrival, another nest may try.
const IDLE: Duration = Duration::from_millis(100);

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

/// The original loop has won.
pub const ORIGINAL_FOR_GOOD: Turn = Turn { way: Way::Original, settled: true };

/// What a nest's arrivals have told: of each key, the latest in front.
#[derive(Debug, Default)]
pub struct Paired(Mutex<Vec<State>>);

#[derive(Debug, Default)]
struct State {
    /// Stands for sizes and circumstances: others are another matter.
    key: u64,
    /// The last arrival while both are tried, who took it, and how many steps that was.
    last: Option<(Instant, Way, u32)>,
    /// Executions of each way that have been timed, and the shortest.
    original: Timed,
    kernels: Timed,
    /// Who takes the next ones, and how many.
    settled: Option<(Way, u32)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Timed {
    turns: u32,
    shortest: Option<Duration>,
}

impl Timed {
    fn add(&mut self, time: Duration) {
        self.turns += 1;
        self.shortest = Some(self.shortest.map_or(time, |s| s.min(time)));
    }
}

/// The nest that is trying, by address, and when it last arrived: if two tried at once, each would time the other.
static TRYING: Mutex<Option<(usize, Instant)>> = Mutex::new(None);

impl Paired {
    /// Who takes the execution that arrives now: so many steps by kernels, or one by the original loop. Before it came so
    /// many that nobody looked at.
    pub fn arrive(&self, key: u64, steps: u32, unseen: u32, now: Instant) -> Turn {
        let open = |way| Turn { way, settled: false };
        // Whoever comes in the middle of another thread's arrival is no loop of one thread: its times tell nothing.
        let mut states = match self.0.try_lock() {
            Ok(states) => states,
            Err(TryLockError::Poisoned(p)) => p.into_inner(),
            Err(TryLockError::WouldBlock) => return open(Way::Original),
        };
        if states.first().is_some_and(|s| s.key != key) {
            // The execution before this one was of another size: its time is not known.
            states[0].last = None;
        }
        match states.iter().position(|s| s.key == key) {
            Some(at) => states[..=at].rotate_right(1),
            None => states.insert(0, State { key, ..State::default() }),
        }
        states.truncate(KEYS);
        let state = &mut states[0];
        if let Some((way, left)) = &mut state.settled {
            *left = left.saturating_sub(1 + unseen);
            let way = *way;
            if *left == 0 {
                *state = State { key, ..State::default() };
            }
            return Turn { way, settled: true };
        }
        let id = std::ptr::from_ref(self).addr();
        if !may_try(id, now) {
            state.last = None;
            return open(Way::Original);
        }
        let way = state.next(steps, now);
        if state.settled.is_some() {
            *TRYING.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
        open(way)
    }
}

impl State {
    fn next(&mut self, steps: u32, now: Instant) -> Way {
        if let Some((before, way, steps)) = self.last.take() {
            let timed = match way {
                Way::Original => &mut self.original,
                Way::Kernels => &mut self.kernels,
            };
            timed.add(now.saturating_duration_since(before) / steps.max(1));
        }
        let turns = self.original.turns.min(self.kernels.turns);
        let seconds = |t: Timed| t.shortest.map_or(f64::INFINITY, |d| d.as_secs_f64());
        let (kernels, original) = (seconds(self.kernels), seconds(self.original));
        if turns >= TURNS || (turns >= TURNS / 2 && kernels > LONGER * original) {
            let wins = kernels < SHORTER * original;
            let way = if wins { Way::Kernels } else { Way::Original };
            self.settled = Some((way, VALID));
            return way;
        }
        // Two of each in a row: the second finds the caches as its own kind has left them.
        let turn = self.original.turns + self.kernels.turns;
        let way = if turn % 4 < 2 { Way::Original } else { Way::Kernels };
        self.last = Some((now, way, if way == Way::Original { 1 } else { steps }));
        way
    }
}

/// True if no other nest is trying; this one is then.
fn may_try(id: usize, now: Instant) -> bool {
    let mut trying = TRYING.lock().unwrap_or_else(PoisonError::into_inner);
    let free = trying.is_none_or(|(who, last)| who == id || now.duration_since(last) > IDLE);
    if free {
        *trying = Some((id, now));
    }
    free
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Arrivals of a nest whose executions take so long each way; who took them.
    fn arrivals(state: &mut State, n: usize, steps: u32, original: u64, kernels: u64) -> Vec<Way> {
        let mut now = Instant::now();
        let mut ways = Vec::new();
        for _ in 0..n {
            let way = state.next(steps, now);
            ways.push(way);
            now += Duration::from_micros(if way == Way::Original { original } else { kernels });
        }
        ways
    }

    #[test]
    fn the_shorter_way_wins() {
        for (steps, original, kernels, wins) in [
            (1, 100, 50, Way::Kernels),
            (1, 100, 98, Way::Original),
            (1, 100, 300, Way::Original),
            (1, 10, 5, Way::Kernels),
            (16, 100, 1500, Way::Kernels),
            (16, 100, 1600, Way::Original),
        ] {
            let mut state = State::default();
            let ways = arrivals(&mut state, 9, steps, original, kernels);
            let tried = if kernels > 2 * u64::from(steps) * original { 2 } else { 4 };
            assert_eq!(ways[..8].iter().filter(|w| **w == Way::Kernels).count(), tried);
            assert_eq!(state.settled, Some((wins, VALID)), "{steps} {original} {kernels}");
        }
    }

    #[test]
    fn other_sizes_are_tried_anew_and_a_verdict_ends() {
        let paired = Paired::default();
        let now = Instant::now();
        let way = |paired: &Paired, key| paired.arrive(key, 1, 0, now).way;
        let settled = |paired: &Paired| paired.0.lock().unwrap()[0].settled;
        let verdict = State { key: 1, settled: Some((Way::Kernels, 3)), ..State::default() };
        paired.0.lock().unwrap().push(verdict);
        assert_eq!(way(&paired, 1), Way::Kernels);
        assert_eq!(way(&paired, 2), Way::Original);
        assert_eq!(settled(&paired), None);
        // Back to the size before.
        assert_eq!(way(&paired, 1), Way::Kernels);
        assert_eq!(settled(&paired), Some((Way::Kernels, 1)));
        assert_eq!(way(&paired, 1), Way::Kernels);
        assert_eq!(settled(&paired), None);
        for key in 3..20 {
            way(&paired, key);
        }
        assert_eq!(paired.0.lock().unwrap().len(), KEYS);
    }
}
