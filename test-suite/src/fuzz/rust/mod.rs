//! Writes a program in Rust, with `corpus/rust/corpus.rs` for its cases: slices, vectors, vectors of vectors, arrays, a
//! grid with `Index`, a structure with a method; loops over ranges, windows, chunks, zipped iterators.
//!
//! No program panics: subscripts are in bounds, integers don't overflow, and slices don't end before they begin.

mod buffers;
mod iterators;
mod places;
mod setup;
mod sweeps;
mod time_loop;
mod values;

use iterators::Streams;

use crate::fuzz::program::*;
use crate::fuzz::writing::*;
use std::fmt::Write as _;

/// The whole file.
pub fn write(program: &Program) -> String {
    let least = crate::fuzz::sound::least(program).unwrap_or([1; 3]);
    let mut writer = Writer { p: program, functions: String::new() };
    let run = writer.run();
    writer.file(least, &run)
}

/// The ways that Rust has beside those of all languages, each a number of the program's.
const CONTAINER: usize = 0;
const ITERATORS: usize = 1;
const SWAP: usize = 2;
const DISJOINT: usize = 3;
const WRAPPING: usize = 4;
const CLOCK: usize = 5;
const ASSERTS: usize = 6;
const COPIES: usize = 7;
const VECTORS: usize = 8;
const FOLDS: usize = 9;

/// What a buffer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Vec,
    Slice,
    /// A structure with `Index`.
    Grid,
    Nested,
    Array,
}

#[derive(Clone, Copy)]
struct Scope<'a> {
    axes: &'a [Axis],
    view: View,
    streams: Option<&'a Streams>,
}

struct Writer<'a> {
    p: &'a Program,
    functions: String,
}

impl Writer<'_> {
    fn way(&self, way: usize, count: usize) -> usize {
        self.p.ways.below(way, count)
    }

    fn kind(&self) -> Kind {
        match self.p.storage {
            Storage::Flat | Storage::Structures => {
                [Kind::Vec, Kind::Slice, Kind::Grid][self.way(CONTAINER, 3)]
            }
            Storage::OneBlock => Kind::Slice,
            Storage::Vla => Kind::Grid,
            Storage::Static => Kind::Array,
            Storage::Rows(_) => Kind::Nested,
            Storage::Members => [Kind::Vec, Kind::Grid][self.way(CONTAINER, 2)],
        }
    }

    fn members(&self) -> bool {
        self.p.storage == Storage::Members
    }

    fn element(&self) -> &'static str {
        match self.p.element {
            Element::Float => "f32",
            Element::Double => "f64",
            Element::Int => "i32",
            Element::Byte => "u8",
        }
    }

    /// What arithmetic is done in.
    fn value(&self) -> &'static str {
        if self.p.element == Element::Byte { "i32" } else { self.element() }
    }

    /// What grids are made of.
    fn item(&self) -> &'static str {
        if self.p.is_cells() { "Cell" } else { self.element() }
    }

    fn counter(&self) -> &'static str {
        match self.p.style.counter {
            Counter::Int => "i32",
            Counter::Long => "isize",
            Counter::Size => "usize",
            Counter::Unsigned => "u32",
        }
    }

    /// The type of the step's number.
    fn clock(&self) -> &'static str {
        if self.p.ways.often(CLOCK, 50) { "usize" } else { "i32" }
    }

    /// The step's number as this type.
    fn step_as(&self, t: &str) -> String {
        if self.clock() == t { "t".to_owned() } else { format!("t as {t}") }
    }

    /// What precedes names of buffers.
    fn reach(&self) -> &'static str {
        if self.members() { "self." } else { "" }
    }

    /// Whether the slots of a step are borrowed one by one.
    fn disjoint(&self) -> bool {
        self.p.ways.often(DISJOINT, 60)
    }

    /// Whether the slots of a step are looked up wherever they are meant.
    fn direct(&self) -> bool {
        self.p.is_indexed(self.p.buffers()) && !self.disjoint()
    }

    /// Whether functions that sweep are methods which know all grids.
    fn whole(&self) -> bool {
        self.members()
            && self.p.style.far
            && !self.p.goes_back()
            && self.p.idiom != Idiom::Fresh
            && !self.p.is_indexed(self.p.buffers())
    }
}
