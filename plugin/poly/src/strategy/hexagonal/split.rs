//! A further space dimension cut into trapezoids, so that its tiles run in parallel too.
//!
//! ```text
//!   level        B·pitch                              (B+1)·pitch
//!   0               ‖ i0 ┌───────── shrink B ─────────┐ i1 ‖ i0 ┌──
//!   1               ‖      ╲                          ╱    ‖      ╲        left edge moves δ0 a level, right edge δ1
//!   2               ‖       ╲                        ╱     ‖       ╲
//!   last            ‖ grow B ╲______________________╱  grow B + 1   ╲__
//! ```
//!
//! All shrinking trapezoids of a launch come first: their sources lie in themselves, for a source (u', s') of (u, s)
//! has s' ≥ s − δ0·(u − u') and s' ≤ s + δ1·(u − u'). Growing ones, around the multiples of the pitch, follow in a
//! launch of their own: their sources lie in themselves and in the shrinking ones beside them. Levels are those of the
//! hexagon, so a trapezoid never reaches beyond the hexagon's phase, and with two such dimensions the kinds of their
//! pairs run in lexicographic order: no dependence leads from a growing trapezoid back to a shrinking one.
//!
//! The insets i0 and i1 keep what a tile loads beside what its neighbours of the same launch write.

use crate::kernel::ir::IExpr;
use crate::schedule::{LEVEL, Ratio};

/// How a dimension is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// Distance from one tile of a kind to the next.
    pub pitch: i64,
    /// Insets of level 0 at the left and right ends of a shrinking tile.
    pub insets: (i64, i64),
    /// −δ1·Δu ≤ Δs ≤ δ0·Δu
    pub delta0: Ratio,
    pub delta1: Ratio,
}

/// Which trapezoid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Shrink,
    Grow,
}

impl Split {
    /// Smallest pitch for so many levels, if accesses reach `reach` to the left and right: growing tiles, with what
    /// they touch, stay apart.
    pub fn smallest_pitch(&self, levels: i64, reach: (i64, i64)) -> i64 {
        let moved = |d: Ratio| d.ceil_times(levels - 1);
        let (i0, i1) = self.insets;
        i0 + i1 + moved(self.delta0) + moved(self.delta1) + reach.0.max(reach.1)
    }

    /// First and last coordinate of level `l`, relative to the tile's multiple of the pitch.
    #[cfg(test)]
    pub fn interval(&self, kind: Kind, l: i64) -> (i64, i64) {
        let (left, right) =
            (self.insets.0 + self.delta0.ceil_times(l), self.insets.1 + self.delta1.ceil_times(l));
        match kind {
            Kind::Shrink => (left, self.pitch - 1 - right),
            Kind::Grow => (-right, left - 1),
        }
    }

    /// The same as expressions of the level.
    pub fn interval_exprs(&self, kind: Kind) -> (IExpr, IExpr) {
        let floor = |d: Ratio| IExpr::Var(LEVEL).times(-d.num).floor_div(d.den);
        let edge = |base: i64, d: Ratio| IExpr::Const(base).minus(floor(d));
        let (left, right) = (edge(self.insets.0, self.delta0), edge(self.insets.1, self.delta1));
        match kind {
            Kind::Shrink => (left, IExpr::Const(self.pitch - 1).minus(right)),
            Kind::Grow => (IExpr::Const(0).minus(right), left.plus(IExpr::Const(-1))),
        }
    }

    /// The same as inequalities in isl's notation, multiplied by their denominators: `s` is the coordinate, `x` the
    /// tile, `l` the level.
    pub fn inequalities(&self, kind: Kind, s: &str, x: &str) -> String {
        let (n0, d0, n1, d1) = (self.delta0.num, self.delta0.den, self.delta1.num, self.delta1.den);
        let (i0, i1) = self.insets;
        let b = format!("({s} - {} {x})", self.pitch);
        match kind {
            Kind::Shrink => format!(
                "{d0} * ({b} - {i0}) >= {n0} l and {d1} * ({} - {b}) >= {n1} l",
                self.pitch - 1 - i1
            ),
            Kind::Grow => format!(
                "{d1} * ({b} + {i1}) >= - {n1} l - {} and {d0} * ({b} - {}) <= {n0} l + {}",
                d1 - 1,
                i0 - 1,
                d0 - 1
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cmp::Ordering;

    fn splits() -> Vec<(Split, i64)> {
        let parts: Vec<Ratio> = [(0, 1), (1, 3), (1, 2), (1, 1), (3, 2), (2, 1)]
            .into_iter()
            .filter_map(|(n, d)| Ratio::new(n, d))
            .collect();
        let mut out = Vec::new();
        for &delta0 in &parts {
            for &delta1 in &parts {
                for (insets, levels, more) in
                    [((0, 0), 1, 1), ((0, 0), 4, 0), ((1, 0), 6, 0), ((2, 3), 5, 4)]
                {
                    let mut split = Split { pitch: 0, insets, delta0, delta1 };
                    split.pitch = split.smallest_pitch(levels, (0, 0)).max(1) + more;
                    out.push((split, levels));
                }
            }
        }
        out
    }

    /// Kind and tile of every trapezoid that holds (l, s).
    fn tiles_of(split: &Split, l: i64, s: i64) -> Vec<(Kind, i64)> {
        let around = s.div_euclid(split.pitch);
        let all = [(Kind::Shrink, around), (Kind::Grow, around), (Kind::Grow, around + 1)];
        all.into_iter()
            .filter(|&(kind, x)| {
                let (lo, hi) = split.interval(kind, l);
                (lo..=hi).contains(&(s - x * split.pitch))
            })
            .collect()
    }

    #[test]
    fn partition() {
        for (split, levels) in splits() {
            for l in 0..levels {
                for s in -2 * split.pitch..2 * split.pitch {
                    assert_eq!(tiles_of(&split, l, s).len(), 1, "{split:?} ({l}, {s})");
                }
            }
        }
    }

    #[test]
    fn dependences_are_legal() {
        for (split, levels) in splits() {
            for l in 0..levels {
                for s in 0..split.pitch {
                    for du in 1..levels - l {
                        for ds in -split.delta1.floor_times(du)..=split.delta0.floor_times(du) {
                            let (from, to) =
                                (tiles_of(&split, l, s)[0], tiles_of(&split, l + du, s + ds)[0]);
                            let order = (from.0 == Kind::Grow).cmp(&(to.0 == Kind::Grow));
                            let fine = match order {
                                Ordering::Less => true,
                                Ordering::Equal => from == to,
                                Ordering::Greater => false,
                            };
                            assert!(fine, "{split:?} ({l}, {s}) -> ({du}, {ds})");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn expressions_and_inequalities() {
        let isl = crate::isl::Isl::new(crate::isl::BUDGET).unwrap();
        for (split, levels) in splits() {
            for kind in [Kind::Shrink, Kind::Grow] {
                let (lo, hi) = split.interval_exprs(kind);
                let mut points = String::new();
                for l in 0..levels {
                    let interval = split.interval(kind, l);
                    assert_eq!(
                        (lo.at_level(l), hi.at_level(l)),
                        (Some(interval.0), Some(interval.1))
                    );
                    let at = 3 * split.pitch;
                    points +=
                        &format!("[{l}, s] : {} <= s <= {}; ", interval.0 + at, interval.1 + at);
                }
                let text = split.inequalities(kind, "s", "x");
                let said =
                    format!("{{ [l, s] : exists (x : x = 3 and 0 <= l < {levels} and {text}) }}");
                let set = |text: &str| crate::isl::UnionSet::parse(&isl, text).unwrap();
                let (a, b) = (set(&said), set(&format!("{{ {points} }}")));
                assert!(a.is_subset(&b).unwrap() && b.is_subset(&a).unwrap(), "{split:?} {text}");
            }
        }
    }
}
