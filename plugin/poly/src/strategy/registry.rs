//! All strategies, one line each.

use super::{Strategy, hexagonal::Hexagonal, streaming::Streaming};

/// In the order of preference among equals.
pub const STRATEGIES: &[&dyn Strategy] = &[
    &Hexagonal, // hybrid hexagonal/classical tiling
];

/// Those that are used where they are asked for by name only.
pub const ON_REQUEST: &[&dyn Strategy] = &[
    &Streaming, // overlapped time tiles, streamed through registers
];
