//! Arrivals of a nest that need no look: the same sizes have been left to the original loop several times in a row, and
//! would be again.
//!
//! Consumes what the gate has found; says which of the next executions are left to the original loop unseen. A look at a
//! nest costs about a microsecond, which a sweep over a grid of a few thousand points would feel. Where the system is asked
//! first whether the arguments may be read ([`hexpass_abi::READABLE`]), which costs as much, rests are taken there: all that is
//! known of the sizes then is a key.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

/// Looks in a row with the same answer before the first rest, and arrivals in that rest.
const LOOKS: u32 = 8;
/// Each rest is twice as long as the one before, up to this.
const LONGEST: u32 = 64;

/// What a nest's last arrivals came to. Threads that arrive at once may miscount: that costs speed, not truth.
#[derive(Debug, Default)]
pub struct Rest {
    /// Stands for the sizes.
    key: AtomicU64,
    /// Looks in a row that found nothing.
    looks: AtomicU32,
    /// Arrivals that need no look.
    left: AtomicU32,
    /// Arrivals since the last look.
    unseen: AtomicU32,
    /// Arrivals are announced, with a key of their own.
    is_announced: AtomicBool,
    /// That of the last.
    announced: AtomicU64,
}

impl Rest {
    /// True if the execution that arrives now, of these sizes ([`crate::record::Nest::key`]), is left to the original loop
    /// unseen. An execution that has been announced has been asked about.
    pub fn holds(&self, key: u64) -> bool {
        !self.is_announced.load(Relaxed) && self.takes(key)
    }

    /// The same of an execution that is about to arrive, of which only this is known.
    pub fn holds_announced(&self, key: u64) -> bool {
        self.is_announced.store(true, Relaxed);
        self.announced.store(key, Relaxed);
        self.takes(key)
    }

    fn takes(&self, key: u64) -> bool {
        let left = self.left.load(Relaxed);
        if left == 0 {
            return false;
        }
        if self.key.load(Relaxed) != key {
            self.left.store(0, Relaxed);
            self.looks.store(0, Relaxed);
            return false;
        }
        self.left.store(left - 1, Relaxed);
        self.unseen.store(self.unseen.load(Relaxed).saturating_add(1), Relaxed);
        true
    }

    /// The gate has left an execution to the original loop, and has nothing to find out about the next of the same sizes.
    pub fn found_nothing(&self, key: u64) {
        let key = match self.is_announced.load(Relaxed) {
            true => self.announced.load(Relaxed),
            false => key,
        };
        let before = if self.key.swap(key, Relaxed) == key { self.looks.load(Relaxed) } else { 0 };
        let looks = before.saturating_add(1);
        self.looks.store(looks, Relaxed);
        if let Some(rests) = looks.checked_sub(LOOKS) {
            self.left.store((LOOKS << rests.min(8)).min(LONGEST), Relaxed);
        }
    }

    /// The gate has found something to run, or to find out.
    pub fn ends(&self) {
        self.looks.store(0, Relaxed);
        self.left.store(0, Relaxed);
    }

    /// Arrivals without a look since this was asked last.
    pub fn unseen(&self) -> u32 {
        self.unseen.swap(0, Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of so many arrivals of equal sizes are looked at, all in vain.
    fn looks(rest: &Rest, arrivals: usize, key: u64) -> Vec<usize> {
        let looked_at = |_: &usize| {
            let look = !rest.holds(key);
            if look {
                rest.found_nothing(key);
            }
            look
        };
        (0..arrivals).filter(looked_at).collect()
    }

    #[test]
    fn looks_in_vain_become_rare() {
        let rest = Rest::default();
        assert_eq!(looks(&rest, 200, 7), [0, 1, 2, 3, 4, 5, 6, 7, 16, 33, 66, 131, 196]);
        assert_eq!(rest.unseen(), 187);
        assert_eq!(rest.unseen(), 0);
    }

    #[test]
    fn announced_executions_rest_before_they_arrive() {
        let rest = Rest::default();
        // What arrives has been let through; its own key does not count.
        let arrives = |announced: u64, key: u64| {
            let comes = !rest.holds_announced(announced);
            if comes {
                assert!(!rest.holds(key));
                rest.found_nothing(key);
            }
            comes
        };
        let came = (0..100).filter(|&i| arrives(7, i));
        assert_eq!(came.collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6, 7, 16, 33, 66]);
        assert!(arrives(8, 0) && arrives(7, 0));
    }

    #[test]
    fn other_sizes_and_whatever_runs_end_a_rest() {
        let rest = Rest::default();
        looks(&rest, 10, 7);
        assert!(rest.holds(7));
        assert_eq!(looks(&rest, 3, 8), [0, 1, 2]);
        assert_eq!(looks(&rest, 10, 7).len(), 8);
        rest.ends();
        assert_eq!(looks(&rest, 3, 7), [0, 1, 2]);
    }
}
