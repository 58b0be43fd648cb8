//! All strategies, one line each.

use super::{Strategy, hexagonal::Hexagonal};

/// In the order of preference among equals.
pub const STRATEGIES: &[&dyn Strategy] = &[
    &Hexagonal, // hybrid hexagonal/classical tiling
];
