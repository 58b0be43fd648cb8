//! The corpus, and how it is built, run and compared.
//!
//! A program of the corpus is compiled twice, by the stock compiler and by ours, and run on the same cases; everything
//! that it leaves in memory must be the same, and the statistics must show that the tiled code ran.
//!
//! ```text
//! cargo test -p hexpass-test-suite --test corpus -- jacobi2d5_swap     one program
//! HEXPASS_BUILD=dir       where libhexpass.so and hexcc lie (default: target/release)
//! HEXPASS_BUILD=stock     no plugin at all: checks the harness; only the statistics are missing
//! CORPUS_DEVICES=cpu,cuda the devices to run on (default: cpu,emulated)
//! ```
#![forbid(unsafe_code)]

// What there is: programs, and the cases they run.
pub mod cases;
pub mod table;

// How one of them is built and run.
pub mod crates;
pub mod process;
pub mod toolchain;
pub mod workers;

// What comes out of it.
pub mod dump;
pub mod report;

// The comparison itself.
pub mod check;

// Programs that nobody wrote.
pub mod fuzz;

// How fast it is: benchmark programs on the CPU, the pack for a GPU machine, and what GPU kernels
// become without one.
pub mod bench;
pub mod gpu;
pub mod sass;
