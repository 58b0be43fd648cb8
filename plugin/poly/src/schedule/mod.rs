//! A tiling of a problem, in a form that says nothing of which strategy made it.
//!
//! There are two families. [`Phased`] tiles partition the instances: every one runs once, in place. [`Overlapped`] time
//! tiles compute near their borders what neighbours compute too, and go from one set of buffers to another.

use std::{cmp::Ordering, fmt};

pub mod judge;
pub mod overlapped;
pub mod phased;
pub mod staging;

pub use overlapped::Overlapped;
pub use phased::{Classical, Cut, LEVEL, Phase, Phased, Reuse, Row, Storage};
pub use staging::{Kept, StagedArray};

/// Exact rational, denominator positive, lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ratio {
    pub num: i64,
    pub den: i64,
}

impl Ratio {
    /// `num / den` in lowest terms; `None` if `den` is zero or a part leaves `i64`.
    pub fn new(num: i64, den: i64) -> Option<Ratio> {
        let divisor = i64::try_from(gcd(num.unsigned_abs(), den.unsigned_abs())).ok()?;
        if den == 0 {
            return None;
        }
        let sign = den.signum();
        Some(Ratio {
            num: (num / divisor).checked_mul(sign)?,
            den: (den / divisor).checked_mul(sign)?,
        })
    }

    /// A whole number.
    pub const fn whole(num: i64) -> Ratio {
        Ratio { num, den: 1 }
    }

    /// ⌊self · x⌋
    pub fn floor_times(self, x: i64) -> i64 {
        (self.num * x).div_euclid(self.den)
    }

    /// ⌈self · x⌉
    pub fn ceil_times(self, x: i64) -> i64 {
        -(-self.num * x).div_euclid(self.den)
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, o: &Ratio) -> Option<Ordering> {
        Some(self.cmp(o))
    }
}

impl Ord for Ratio {
    fn cmp(&self, o: &Ratio) -> Ordering {
        (i128::from(self.num) * i128::from(o.den)).cmp(&(i128::from(o.num) * i128::from(self.den)))
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.den {
            1 => write!(f, "{}", self.num),
            den => write!(f, "{}/{den}", self.num),
        }
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}

/// Named tile sizes in the strategy's order: `h`, `w0`, `w1`, …
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileSizes(pub Vec<(String, i64)>);

impl TileSizes {
    /// Without any size.
    pub const NONE: &'static TileSizes = &TileSizes(Vec::new());

    /// The size of that name.
    pub fn get(&self, name: &str) -> Option<i64> {
        self.0.iter().find(|(n, _)| n == name).map(|&(_, v)| v)
    }
}

/// A tiling of one of the families.
#[derive(Clone, Debug, PartialEq)]
pub enum TiledSchedule {
    Phased(Phased),
    Overlapped(Overlapped),
}

impl TiledSchedule {
    /// The strategy that made it.
    pub fn strategy(&self) -> &'static str {
        match self {
            TiledSchedule::Phased(s) => s.strategy,
            TiledSchedule::Overlapped(s) => s.strategy,
        }
    }

    /// Sizes by name.
    pub fn sizes(&self) -> &TileSizes {
        match self {
            TiledSchedule::Phased(s) => &s.sizes,
            TiledSchedule::Overlapped(s) => &s.sizes,
        }
    }

    /// Where blocks on a GPU keep their values, in a word.
    pub fn storage(&self) -> &'static str {
        match self {
            TiledSchedule::Phased(s) => s.storage.name(),
            TiledSchedule::Overlapped(_) => Storage::Registers.name(),
        }
    }
}
