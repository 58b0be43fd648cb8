//! Several pieces of work at once.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Calls `work` for every item, on up to `jobs` threads, and gives the results in the items' order.
pub fn map<I: Sync, O: Send>(items: &[I], jobs: usize, work: impl Fn(&I) -> O + Sync) -> Vec<O> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        while let Some((i, item)) = take(&next, items) {
            done.push((i, work(item)));
        }
        done
    };
    let mut all: Vec<(usize, O)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(worker)).collect();
        threads.into_iter().flat_map(|t| t.join().expect("a worker panicked")).collect()
    });
    all.sort_by_key(|(i, _)| *i);
    all.into_iter().map(|(_, result)| result).collect()
}

fn take<'a, I>(next: &AtomicUsize, items: &'a [I]) -> Option<(usize, &'a I)> {
    let i = next.fetch_add(1, Ordering::Relaxed);
    items.get(i).map(|item| (i, item))
}

/// Threads that this machine runs at once.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_keep_the_items_order() {
        let items: Vec<usize> = (0..100).collect();
        assert_eq!(super::map(&items, 3, |i| i * 2), (0..200).step_by(2).collect::<Vec<_>>());
    }
}
