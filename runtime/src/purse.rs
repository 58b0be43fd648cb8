//! What trials may cost: a small part of the time that the process has taken, and what kernels have saved so far.
//!
//! One nest at a time has it in hand, the one that is trying: if two tried at once, each would time the other.
//!
//! Consumes what executions by kernels have saved or lost against the original loop, and what the next one may lose;
//! produces whether it may be risked. A loss that is taken is one that was there to be spent, so that all losses together
//! stay below that part, however wrong the estimates are; what may exceed it is the first execution that turns out longer
//! than it was thought to be.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The part of the time.
pub const SHARE: f64 = 0.04;

/// One for all nests: each second is there to be spent once.
pub static PURSE: Purse = Purse::new();

/// After so long without an arrival, another nest may take it.
const IDLE: Duration = Duration::from_millis(100);

/// Time that may be lost.
#[derive(Debug)]
pub struct Purse {
    account: Mutex<Account>,
    /// Who has it in hand, by address, and when it last arrived.
    holder: Mutex<Option<(usize, Instant)>>,
}

#[derive(Debug)]
struct Account {
    /// When it was asked first, and how long the process had worked then.
    began: Option<(Instant, Duration)>,
    /// Seconds that have been saved, less those that have been lost.
    saved: f64,
}

impl Purse {
    /// With nothing in it but what the process has worked so far.
    pub const fn new() -> Purse {
        let account = Account { began: None, saved: 0.0 };
        Purse { account: Mutex::new(account), holder: Mutex::new(None) }
    }

    /// True if no other nest has it in hand; this one has it then.
    pub fn take(&self, id: usize, now: Instant) -> bool {
        let mut holder = self.holder.lock().unwrap_or_else(PoisonError::into_inner);
        let free = holder
            .is_none_or(|(who, last)| who == id || now.saturating_duration_since(last) > IDLE);
        if free {
            *holder = Some((id, now));
        }
        free
    }

    /// Another may have it.
    pub fn give_back(&self) {
        *self.holder.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// True if so many seconds may be lost.
    pub fn pays(&self, loss: f64, now: Instant) -> bool {
        if loss <= 0.0 {
            return true;
        }
        let mut account = self.account.lock().unwrap_or_else(PoisonError::into_inner);
        let (began, before) = *account.began.get_or_insert_with(|| (now, worked()));
        let time = before + now.saturating_duration_since(began);
        account.saved + SHARE * time.as_secs_f64() >= loss
    }

    /// So many seconds have been saved; or lost, below zero.
    pub fn saved(&self, seconds: f64) {
        self.account.lock().unwrap_or_else(PoisonError::into_inner).saved += seconds;
    }
}

/// How long the process has kept cores busy.
fn worked() -> Duration {
    if cfg!(test) {
        return Duration::ZERO;
    }
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call fills what it is given, or leaves it.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_nest_has_it_in_hand() {
        let (purse, start) = (Purse::new(), Instant::now());
        assert!(purse.take(1, start) && purse.take(1, start) && !purse.take(2, start));
        assert!(purse.take(2, start + 2 * IDLE) && !purse.take(1, start + 2 * IDLE));
        purse.give_back();
        assert!(purse.take(1, start + 2 * IDLE));
    }

    #[test]
    fn time_and_savings_pay() {
        let (purse, start) = (Purse::new(), Instant::now());
        let after = |seconds| start + Duration::from_secs(seconds);
        assert!(purse.pays(0.0, start) && !purse.pays(0.4, start));
        assert!(!purse.pays(0.4, after(9)) && purse.pays(0.4, after(11)));
        purse.saved(-0.4);
        assert!(!purse.pays(0.4, after(19)) && purse.pays(0.4, after(21)));
        purse.saved(2.0);
        assert!(purse.pays(2.0, after(11)));
    }
}
