//! The hexagon: which (u, s0) belong to which tile.
//!
//! ```text
//!   a            ┌── pitch 2·w0 + 2 + f0 + f1 ──┐
//!   0            f1 ·· w0 + 1 points ··
//!               ╱                      ╲           widening: left edge moves δ1 a level, right edge δ0
//!   h          0 ······················ f0+w0+f1
//!   h+1        ╲                        ╱          narrowing: left edge moves δ0 a level, right edge δ1
//!               ╲                      ╱
//!   2h+1         f0 ·· w0 + 1 points ··            −δ1·Δu ≤ Δs0 ≤ δ0·Δu for each dependence (Δu, Δs0)
//! ```
//!
//! f0 = ⌊δ0·h⌋, f1 = ⌊δ1·h⌋. Level a and position b are the local coordinates in a box of 2h+2 levels and one pitch;
//! phase 0's boxes start h+1 levels and f0+w0+1 positions before phase 1's. Where the boxes of successive time tiles T
//! lie in s0 drifts by f1 − f0 (hybrid-hexagonal-tiling-cgo14, section 3.3; its equation 3 prints f1 for the offset f0).

use crate::kernel::ir::IExpr;
use crate::schedule::{LEVEL, Ratio};

/// A hexagonal tile shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hexagon {
    pub h: i64,
    pub w0: i64,
    /// Δs0 ≤ δ0·Δu
    pub delta0: Ratio,
    /// −δ1·Δu ≤ Δs0
    pub delta1: Ratio,
    /// ⌊δ0·h⌋
    pub f0: i64,
    /// ⌊δ1·h⌋
    pub f1: i64,
}

/// Where a point lies: time tile, phase, box, level, position.
#[cfg(test)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Local {
    pub time_tile: i64,
    pub phase: i64,
    pub block: i64,
    pub a: i64,
    pub b: i64,
}

/// Smallest legal w0 = max(δ0 + {δ0·h}, δ1 + {δ1·h}) − 1, rounded up and at least 0 (equation 1 of the paper).
pub fn smallest_w0(delta0: Ratio, delta1: Ratio, h: i64) -> i64 {
    let bound = |d: Ratio| d.ceil_times(h + 1) - 1 - d.floor_times(h);
    bound(delta0).max(bound(delta1)).max(0)
}

impl Hexagon {
    /// The shape of these sizes, without asking whether they are legal.
    pub fn new(delta0: Ratio, delta1: Ratio, h: i64, w0: i64) -> Hexagon {
        Hexagon { h, w0, delta0, delta1, f0: delta0.floor_times(h), f1: delta1.floor_times(h) }
    }

    /// Levels of a tile, 2h+2.
    pub fn height(&self) -> i64 {
        2 * self.h + 2
    }

    /// Distance from one tile of a phase to the next.
    pub fn pitch(&self) -> i64 {
        2 * self.w0 + 2 + self.f0 + self.f1
    }

    /// How far s0 drifts from one time tile to the next.
    pub fn drift(&self) -> i64 {
        self.f1 - self.f0
    }

    /// Added to u before division by the height.
    pub fn time_offset(&self, phase: i64) -> i64 {
        if phase == 0 { self.h + 1 } else { 0 }
    }

    /// Added to s0 before division by the pitch.
    pub fn space_offset(&self, phase: i64) -> i64 {
        if phase == 0 { self.f0 + self.w0 + 1 } else { 0 }
    }

    /// First and last position of a level as expressions of it: the four inequalities of the hexagon solved for b.
    ///
    /// `⌈x − (d−1)/d⌉` of an x with denominator d is `⌊x⌋`.
    pub fn row_exprs(&self) -> (IExpr, IExpr) {
        let level = || IExpr::Var(LEVEL);
        let times = |d: Ratio, x: IExpr| x.times(d.num).floor_div(d.den);
        let up = || IExpr::Const(self.h).minus(level());
        let down = || IExpr::Const(2 * self.h + 1).minus(level());
        let fixed = IExpr::Const;
        let low =
            fixed(self.f0).minus(times(self.delta0, down())).greater(times(self.delta1, up()));
        let high = fixed(self.f0 + self.w0)
            .plus(times(self.delta1, down()))
            .lesser(fixed(self.f0 + self.w0 + self.f1).minus(times(self.delta0, up())));
        (low, high)
    }
}

/// The table of phases, read from points to tiles.
#[cfg(test)]
impl Hexagon {
    /// First and last position of level `a`.
    pub fn row(&self, a: i64) -> (i64, i64) {
        let (up, down) = (self.h - a, 2 * self.h + 1 - a);
        let low = (self.f0 - self.delta0.floor_times(down)).max(self.delta1.floor_times(up));
        let high = (self.f0 + self.w0 + self.delta1.floor_times(down))
            .min(self.f0 + self.w0 + self.f1 - self.delta0.floor_times(up));
        (low, high)
    }

    /// Number of points of a tile.
    pub fn points(&self) -> i64 {
        (0..self.height()).map(|a| self.row(a)).map(|(lo, hi)| (hi - lo + 1).max(0)).sum()
    }

    /// Local coordinates of (u, s0) in the boxes of a phase.
    pub fn local(&self, phase: i64, u: i64, s0: i64) -> Local {
        let v = u + self.time_offset(phase);
        let time_tile = v.div_euclid(self.height());
        let n = s0 + self.space_offset(phase) + time_tile * self.drift();
        Local {
            time_tile,
            phase,
            block: n.div_euclid(self.pitch()),
            a: v.rem_euclid(self.height()),
            b: n.rem_euclid(self.pitch()),
        }
    }

    /// All tiles that hold (u, s0): one, for a legal shape.
    pub fn tiles_of(&self, u: i64, s0: i64) -> Vec<Local> {
        (0..2)
            .map(|phase| self.local(phase, u, s0))
            .filter(|l| {
                let (lo, hi) = self.row(l.a);
                lo <= l.b && l.b <= hi
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cones() -> Vec<(Ratio, Ratio)> {
        let parts: Vec<Ratio> =
            [(0, 1), (1, 3), (1, 2), (2, 3), (1, 1), (3, 2), (5, 3), (2, 1), (7, 4), (3, 1)]
                .into_iter()
                .filter_map(|(n, d)| Ratio::new(n, d))
                .collect();
        parts.iter().flat_map(|&a| parts.iter().map(move |&b| (a, b))).collect()
    }

    /// Every point lies in exactly one tile, at the local coordinates' row.
    #[test]
    fn partition() {
        for (d0, d1) in cones() {
            for h in 0..6 {
                let least = smallest_w0(d0, d1, h);
                for w0 in [least, least + 1, least + 4] {
                    let hex = Hexagon::new(d0, d1, h, w0);
                    for u in 0..2 * hex.height() + 3 {
                        for s in -hex.pitch()..2 * hex.pitch() {
                            let tiles = hex.tiles_of(u, s);
                            assert_eq!(tiles.len(), 1, "{hex:?} ({u}, {s}): {tiles:?}");
                        }
                    }
                }
            }
        }
    }

    /// A dependence inside the cone never leads to an earlier launch, another block of its launch or an equal level.
    #[test]
    fn dependences_are_legal() {
        for (d0, d1) in cones() {
            for h in 0..5 {
                let hex = Hexagon::new(d0, d1, h, smallest_w0(d0, d1, h));
                assert_eq!(illegal_dependence(&hex), None, "{hex:?}");
            }
        }
    }

    fn illegal_dependence(hex: &Hexagon) -> Option<(i64, i64, i64, i64)> {
        for u in 0..hex.height() {
            for s in 0..hex.pitch() {
                for du in 1..=hex.height() + 1 {
                    for ds in -hex.delta1.floor_times(du)..=hex.delta0.floor_times(du) {
                        for x in hex.tiles_of(u, s) {
                            for y in hex.tiles_of(u + du, s + ds) {
                                let launch = (x.time_tile, x.phase).cmp(&(y.time_tile, y.phase));
                                let fine = match launch {
                                    std::cmp::Ordering::Less => true,
                                    std::cmp::Ordering::Equal => x.block == y.block && x.a < y.a,
                                    std::cmp::Ordering::Greater => false,
                                };
                                if !fine {
                                    return Some((u, s, du, ds));
                                }
                            }
                        }
                    }
                }
            }
        }
        None
    }

    /// One below the bound, the shape fails for some cones: the bound is not slack everywhere.
    #[test]
    fn the_bound_on_w0_is_needed() {
        let broken = cones().into_iter().filter(|&(d0, d1)| {
            let least = smallest_w0(d0, d1, 2);
            least > 0 && {
                let hex = Hexagon::new(d0, d1, 2, least - 1);
                illegal_dependence(&hex).is_some()
                    || (0..hex.height())
                        .any(|u| (0..hex.pitch()).any(|s| hex.tiles_of(u, s).len() != 1))
            }
        });
        assert!(broken.count() > 0);
    }

    #[test]
    fn rows_as_expressions() {
        for (d0, d1) in cones() {
            for h in 0..5 {
                let hex = Hexagon::new(d0, d1, h, smallest_w0(d0, d1, h) + 1);
                let (lo, hi) = hex.row_exprs();
                for a in 0..hex.height() {
                    assert_eq!(
                        (lo.at_level(a), hi.at_level(a)),
                        (Some(hex.row(a).0), Some(hex.row(a).1))
                    );
                }
            }
        }
    }

    /// The paper's count for δ0 = δ1 = 1: 2(1 + 2h + h² + w0(h + 1)).
    #[test]
    fn points_as_in_the_paper() {
        for (h, w0) in [(1, 0), (2, 3), (3, 7), (6, 10)] {
            let hex = Hexagon::new(Ratio::whole(1), Ratio::whole(1), h, w0);
            assert_eq!(hex.points(), 2 * (1 + 2 * h + h * h + w0 * (h + 1)));
        }
    }
}
