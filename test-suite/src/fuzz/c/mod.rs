//! Writes a program in C, with `corpus/c/corpus.h` for its cases and for what it leaves in memory.

mod places;
mod setup;
mod sweeps;
mod time_loop;
mod values;

use crate::fuzz::program::*;
use crate::fuzz::writing::*;
use std::fmt::Write as _;

/// The whole file.
pub fn write(program: &Program) -> String {
    let least = crate::fuzz::sound::least(program).unwrap_or([0; 3]);
    let mut writer = Writer { p: program, helpers: String::new() };
    let run = writer.run();
    let main = writer.main(least, &run);
    let mut out = String::from("#include \"corpus.h\"\n#include <math.h>\n\n");
    out += &writer.prelude();
    out += &writer.helpers;
    out += &main;
    out
}

/// The way that C has beside those of all languages: arrays that each step makes lie on the stack.
const STACKED: usize = 0;

/// What an element is looked up in.
enum Grid {
    Direct(String),
    /// A plane of an array.
    Plane(String, String),
}

struct Writer<'a> {
    p: &'a Program,
    helpers: String,
}

impl Writer<'_> {
    fn element(&self) -> &'static str {
        self.p.element.in_c()
    }

    /// What arithmetic is done in.
    fn value(&self) -> &'static str {
        if self.p.element == Element::Byte { "int" } else { self.element() }
    }

    /// What grids are made of.
    fn item(&self) -> &'static str {
        if self.p.is_cells() { "struct cell" } else { self.element() }
    }

    fn counter(&self) -> &'static str {
        match self.p.style.counter {
            Counter::Int => "int",
            Counter::Long => "long",
            Counter::Size => "size_t",
            Counter::Unsigned => "unsigned",
        }
    }

    /// What precedes names of buffers.
    fn reach(&self) -> &'static str {
        if self.p.storage == Storage::Members { "g->" } else { "" }
    }
}
