//! Masks that keep sweeps inside of their grids.

use crate::{ElemType, IntExpr, Poly};
use alloc::{string::String, vec::Vec};
use serde::{Deserialize, Serialize};

/// Elements of a mask, each of which holds a point back where the sweep would read beyond its grid
/// (`if (!solid[k]) v[k] = u[k - 1] + …`, for every k): the guard looks at them.
///
/// The element of counters `x` lies at `pointers[pointer] + offset + Σ x[k] · strides[k]`, `x[k]` being any number from
/// `ranges[k].0` to `ranges[k].1`. All expressions are over `Int`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fence {
    /// For messages.
    pub name: String,
    /// Index into `NestArgs::pointers`.
    pub pointer: u16,
    /// Bytes from there.
    pub offset: Poly,
    /// In bytes, one for each counter.
    pub strides: Vec<Poly>,
    /// Of the elements.
    pub elem: ElemType,
    /// The first and the last of each counter; none where the last is smaller.
    pub ranges: Vec<(IntExpr, IntExpr)>,
    /// Which elements hold their points back.
    pub held: Held,
}

/// A set of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Held {
    /// Those whose `bits` are a number from `first` to `last`; where not `within`, all others.
    Integers {
        /// -1: all, with the sign.
        bits: i64,
        /// Smallest.
        first: i64,
        /// Largest.
        last: i64,
        /// The set, or what is not in it.
        within: bool,
    },
    /// Those from `first` to `last`; where not `within`, all others, and NaN.
    Reals {
        /// Smallest.
        first: f64,
        /// Largest.
        last: f64,
        /// The set, or what is not in it.
        within: bool,
    },
}

impl Held {
    /// All other numbers.
    pub fn others(self) -> Held {
        match self {
            Held::Integers { bits, first, last, within } => {
                Held::Integers { bits, first, last, within: !within }
            }
            Held::Reals { first, last, within } => Held::Reals { first, last, within: !within },
        }
    }

    /// True if an element of integers is one of them.
    pub fn holds_integer(&self, x: i64) -> bool {
        match *self {
            Held::Integers { bits, first, last, within } => {
                (first..=last).contains(&(x & bits)) == within
            }
            Held::Reals { .. } => false,
        }
    }

    /// True if an element of floating-point numbers is one of them.
    pub fn holds_real(&self, x: f64) -> bool {
        match *self {
            Held::Reals { first, last, within } => (first <= x && x <= last) == within,
            Held::Integers { .. } => false,
        }
    }
}
