//! libhexpass.so: an LLVM pass plugin that time-tiles stencil loops.
//!
//! The modules follow a compilation: the host calls `entry`, which runs `pipeline` over each module.

// The host's C++ calls in.
pub mod entry;

// What happens to a module, on one page; what the user asked for, and is told.
pub mod options;
pub mod pipeline;
pub mod report;

// What the analyses know, as text for tests and for people.
pub mod describe;

// Time loops with side code: their sweeps, several steps at a time.
pub mod stretches;

// Loops become facts, or a reason why not.
pub mod detect;

// Kernels become device and host code; the loop is replaced.
pub mod emit;

// The only unsafe door to LLVM besides `entry`.
pub mod llvm;
