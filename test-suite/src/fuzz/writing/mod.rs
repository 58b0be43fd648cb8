//! What the writers of all languages share, in files of the names that theirs have.
//!
//! A writer consumes a program and produces its text; it refuses nothing, since `sound` was asked before. What the
//! languages say alike stands here, as functions over the program and a small description of how a language says the
//! rest ([`values::Arithmetic`]). What only one says stands in its folder.

// What a writer needs for each line.
pub mod lines;
pub mod names;

// What it writes, from the inside out.
pub mod places;
pub mod values;

pub mod sweeps;

pub mod time_loop;

pub use lines::*;
pub use names::*;
pub use places::*;
pub use sweeps::*;
pub use time_loop::*;
pub use values::*;
