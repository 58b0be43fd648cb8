//! Pieces of work that don't depend on each other, several at once.
//!
//! Consumes a list; produces what is made of each of its items, in their order. Code for devices is generated so: each
//! program has an LLVM context of its own, and takes longer than all that goes before.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Stack of a thread: what a compiler's main thread usually has.
const STACK: usize = 8 << 20;

/// What `work` makes of each item. As many threads as there are cores; fewer where they can't be had. A panic goes on in the
/// caller.
pub fn side_by_side<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::default();
    let take = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return };
            let made = work(item);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((at, made));
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 1..cores.min(items.len()) {
            let thread = std::thread::Builder::new().stack_size(STACK);
            if thread.spawn_scoped(scope, take).is_err() {
                break;
            }
        }
        take();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, made)| made).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..100).collect();
        let squares = side_by_side(&items, |n| n * n);
        assert_eq!(squares, items.iter().map(|n| n * n).collect::<Vec<_>>());
        assert!(side_by_side(&[] as &[u64], |n| *n).is_empty());
    }
}
