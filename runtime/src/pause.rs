//! What goes badly is tried less and less.

use std::sync::atomic::{AtomicU64, Ordering};

/// Times that it is not tried, at most.
const MOST: u64 = 1024;

/// Times that something is not tried after one that went badly: twice as many each time.
#[derive(Debug, Default)]
pub struct Pause {
    times: AtomicU64,
    left: AtomicU64,
}

impl Pause {
    /// The next time is one of them.
    pub fn is_on(&self) -> bool {
        self.left.load(Ordering::Relaxed) > 0
    }

    /// One of them has come.
    pub fn holds(&self) -> bool {
        let left = self.left.load(Ordering::Relaxed);
        self.left.store(left.saturating_sub(1), Ordering::Relaxed);
        left > 0
    }

    /// How it went when it was tried.
    pub fn after(&self, well: bool) {
        let times = self.times.load(Ordering::Relaxed);
        let next = if well { 0 } else { (2 * times).clamp(1, MOST) };
        self.times.store(next, Ordering::Relaxed);
        self.left.store(next, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_badly_is_tried_less_and_less() {
        let pause = Pause::default();
        let mut tried = Vec::new();
        for time in 0..40 {
            if !pause.holds() {
                tried.push(time);
                pause.after(time == 31);
            }
        }
        assert_eq!(tried, [0, 2, 5, 10, 19, 36]);
        pause.after(true);
        assert!(!pause.holds());
    }
}
