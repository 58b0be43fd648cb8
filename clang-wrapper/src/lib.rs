//! `hexcc`, `hexc++`, `hexflang` and `cargo hexpass`: the stock compilers with the hexpass plugin and runtime.
//!
//! Consumes a compiler's argument list, the environment and the place of the pieces on disk; produces the argument
//! list for `clang-22`, `clang++-22` or `flang-22`, which then replaces this process. Refuses only what it could not
//! do honestly: to compile without its plugin, or to link without its runtime.
//!
//! The rules are a pure function, [`argv::compiler_argv`]. Everything the compiler prints, returns and writes stays
//! the compiler's own.
#![forbid(unsafe_code)]

// What the wrapper knows about a compiler's arguments.
pub mod options;
pub mod response;

// Arguments → what the compiler was asked to do.
pub mod request;

// Where compiler, plugin and runtime are.
pub mod pieces;

// Request and pieces → the compiler's arguments.
pub mod argv;

// What rustc and cargo are told.
pub mod cargo;
pub mod rust;

// The wrapper's own sub-commands, and the program itself.
pub mod calibrate;
pub mod doctor;
pub mod explain;
pub mod own;
pub mod program;
