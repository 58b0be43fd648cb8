//! Random programs against the stock compiler.
//!
//! A seed makes a program ([`make`]): a whole time loop as people write them, well-defined for every size and number of
//! steps that it is run on ([`sound`]). It is written in one of the languages ([`tongue`]), compiled by the stock compiler
//! and by ours with the same flags ([`setup`]), and run on every device; all memory and output must be the same
//! ([`trial`]). What fails is made smaller while it fails in the same way ([`shrink`]).
//!
//! ```text
//! cargo run --release -p hexpass-test-suite --bin fuzz -- --seeds 0..200 [--language rust] [--jobs 2] [--keep DIR]
//! ```

// What a program is, and whether it is well-defined.
pub mod program;
pub mod style;
mod visit;

pub mod sound;

// How one is chosen.
pub mod choice;
pub mod make;

// How it is written.
pub mod c;
pub mod cxx;
pub mod fortran;
pub mod rust;
pub mod tongue;
pub mod writing;

// How it is compiled, run and compared.
pub mod setup;
pub mod trial;

// How a failing one becomes small.
pub mod shrink;
