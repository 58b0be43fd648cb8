//! All strategies, one line each.

use super::{
    Strategy, hexagonal::Hexagonal, overlapped::Overlapped, spatial25d::Spatial25d,
    streaming::Streaming,
};

/// In the order of preference among equals.
pub const STRATEGIES: &[&dyn Strategy] = &[
    &Hexagonal,  // hybrid hexagonal/classical tiling
    &Streaming,  // overlapped time tiles, streamed through registers
    &Overlapped, // overlapped time tiles in shared memory
    &Spatial25d, // one step a launch
];
