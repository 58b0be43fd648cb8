//! libhexpass.so: an LLVM pass plugin that time-tiles stencil loops.
//!
//! The modules follow a compilation: the host calls `entry`, which runs `pipeline` over each module.

// The host's C++ calls in.
pub mod entry;

// What happens to a module, on one page.
pub mod pipeline;

// The only unsafe door to LLVM besides `entry`.
pub mod llvm;
