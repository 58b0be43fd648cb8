//! The languages that programs are written in: one line each.

use super::program::Program;
use super::{c, cxx, fortran, rust};
use crate::table::Language;

/// A language, and who writes it.
#[derive(Debug)]
pub struct Tongue {
    pub language: Language,
    /// As on the command line.
    pub word: &'static str,
    /// Of files.
    pub ending: &'static str,
    /// The file of the corpus that a program shares with others, and that lies beside it or is told the compiler.
    pub shared: &'static str,
    pub write: fn(&Program) -> String,
}

pub const TONGUES: &[Tongue] = &[
    tongue(Language::C, "c", "c", "c/corpus.h", c::write),
    tongue(Language::Cxx, "c++", "cpp", "c/corpus.h", cxx::write),
    tongue(Language::Fortran, "fortran", "f90", "fortran/corpus.f90", fortran::write),
    tongue(Language::Rust, "rust", "rs", "rust/corpus.rs", rust::write),
];

const fn tongue(
    language: Language,
    word: &'static str,
    ending: &'static str,
    shared: &'static str,
    write: fn(&Program) -> String,
) -> Tongue {
    Tongue { language, word, ending, shared, write }
}

/// How this language is written.
pub fn of(language: Language) -> &'static Tongue {
    let found = TONGUES.iter().find(|tongue| tongue.language == language);
    found.expect("every language has a line")
}

/// The language of this word.
pub fn named(word: &str) -> Option<&'static Tongue> {
    TONGUES.iter().find(|tongue| tongue.word == word)
}
