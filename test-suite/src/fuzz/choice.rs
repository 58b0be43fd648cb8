//! Random choices. The same seed makes the same choices on every machine.

/// Where choices come from.
#[derive(Debug)]
pub struct Choice(fastrand::Rng);

impl Choice {
    pub fn seeded(seed: u64) -> Choice {
        Choice(fastrand::Rng::with_seed(seed))
    }

    /// A number of `from..=to`.
    pub fn between(&mut self, from: i32, to: i32) -> i32 {
        self.0.i32(from..=to)
    }

    /// An index of `0..n`.
    pub fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.0.u32(0..u32::try_from(n).expect("few"))).expect("small")
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.0.u32(0..100) < percent
    }

    /// One of these.
    pub fn of<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    /// One of these, as often as its weight says.
    pub fn weighted<T: Clone>(&mut self, items: &[(u32, T)]) -> T {
        let total = items.iter().map(|(weight, _)| weight).sum();
        let mut left = self.0.u32(0..total);
        for (weight, item) in items {
            match left.checked_sub(*weight) {
                Some(rest) => left = rest,
                None => return item.clone(),
            }
        }
        unreachable!("weights add up to more than a number below their sum")
    }
}
