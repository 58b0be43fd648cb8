//! Kernels as LLVM IR: every problem of the kernel builder's tests, run as PTX on the emulated grid and as host code,
//! leaves the same bytes as the reference; and the call of the runtime in a function leaves what its loop leaves.
//!
//! Links LLVM, which the plugin itself takes from the compiler that loads it (see `build.rs`).

#[path = "../../poly/tests/support/mod.rs"]
mod support;

mod machine;

mod affine;
mod assemble;
mod body;
mod carried;
mod device;
mod fast;
mod host;
mod registers;
mod splice;
mod squares;
mod threads;
