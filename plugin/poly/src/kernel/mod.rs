//! One kernel form for host and device.
//!
//! [`build`] turns a schedule into kernels and a launch plan; [`cost`] counts what they do; [`text`] prints and parses them; [`interp`] runs them in
//! plain Rust for the tests; `verify` checks their own rules. Emission writes LLVM IR from the same form.

pub mod build;
pub mod cost;
pub mod fold;
pub mod interp;
pub mod ir;
pub mod pieces;
pub mod text;
pub mod verify;
