//! Writes a program in C, with `corpus/c/corpus.h` for its cases and for what it leaves in memory.

mod places;
mod setup;
mod sweeps;
mod time_loop;
mod values;

use crate::fuzz::program::*;
use crate::fuzz::text::*;
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

/// From where grids are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum View {
    /// The time loop; in the turn numbered 1, buffers have changed places.
    Loop { turn: usize },
    /// A function that is handed a pointer for each buffer.
    Function,
}

/// What an element is looked up in.
enum Grid {
    Direct(String),
    /// A plane of an array.
    Plane(String, String),
}

/// A name that functions may be handed.
struct Name {
    name: String,
    declared: String,
    actual: String,
}

struct Writer<'a> {
    p: &'a Program,
    helpers: String,
}

impl Writer<'_> {
    fn element(&self) -> &'static str {
        match self.p.element {
            Element::Float => "float",
            Element::Double => "double",
            Element::Int => "int",
            Element::Byte => "unsigned char",
        }
    }

    /// What arithmetic is done in.
    fn value(&self) -> &'static str {
        match self.p.element {
            Element::Float => "float",
            Element::Double => "double",
            Element::Int | Element::Byte => "int",
        }
    }

    fn letter(&self) -> char {
        match self.p.element {
            Element::Float => 'f',
            Element::Double => 'd',
            Element::Int => 'i',
            Element::Byte => 'b',
        }
    }

    fn counter(&self) -> &'static str {
        match self.p.style.counter {
            Counter::Int => "int",
            Counter::Long => "long",
            Counter::Size => "size_t",
            Counter::Unsigned => "unsigned",
        }
    }
}

fn operator(op: Whole) -> &'static str {
    match op {
        Whole::Quotient => "/",
        Whole::Remainder => "%",
        Whole::And => "&",
        Whole::ShiftRight => ">>",
        Whole::Xor => "^",
    }
}
