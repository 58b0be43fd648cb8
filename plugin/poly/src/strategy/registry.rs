//! All strategies, one line each.

use super::{Strategy, hexagonal::Hexagonal, streaming::Streaming};

/// In the order of preference among equals.
pub const STRATEGIES: &[&dyn Strategy] = &[
    &Hexagonal, // hybrid hexagonal/classical tiling
];

/// Those that join a shortlist of variants, from which the run time chooses, and are taken alone where they are asked for
/// by name only.
pub const FURTHER: &[&dyn Strategy] = &[
    &Streaming, // overlapped time tiles, streamed through registers
];
