//! Writes a program in C++, with `corpus/c/corpus.h` for its cases: containers, classes with accessors, references,
//! templates, lambdas, exceptions around the time loop.
//!
//! All memory comes from the corpus; what containers hold is copied there and back. Storage is read as C++ has it: a
//! block is seen through views, rows are vectors of vectors, members and sweeps are those of a class.

mod buffers;
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
    let mut writer = Writer { p: program, helpers: String::new(), lambdas: String::new() };
    let run = writer.run();
    writer.file(least, &run)
}

/// The ways that C++ has beside those of all languages, each a number of the program's.
const CONTAINER: usize = 0;
const SWAP: usize = 1;
const FUNCTION: usize = 2;
const REFERENCES: usize = 3;
const RANGES: usize = 4;
const THROWS: usize = 5;
const OWNED: usize = 6;
const CHECKED: usize = 7;
const VECTORS: usize = 8;
const COPIES: usize = 9;
const ARRAYS: usize = 10;
const HANDED: usize = 11;

/// What a buffer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Pointer,
    Vector,
    Unique,
    /// A class with `operator()` that owns its elements.
    Class,
    /// The same, over a block.
    View,
    Nested,
    Static,
}

struct Writer<'a> {
    p: &'a Program,
    helpers: String,
    lambdas: String,
}

impl Writer<'_> {
    fn way(&self, way: usize, count: usize) -> usize {
        self.p.ways.below(way, count)
    }

    fn kind(&self) -> Kind {
        match self.p.storage {
            Storage::Flat => {
                [Kind::Vector, Kind::Pointer, Kind::Unique, Kind::Class][self.way(CONTAINER, 4)]
            }
            Storage::OneBlock => Kind::View,
            Storage::Vla => Kind::Class,
            Storage::Static => Kind::Static,
            Storage::Rows(_) => Kind::Nested,
            Storage::Members | Storage::Structures => {
                [Kind::Vector, Kind::Class, Kind::Unique][self.way(CONTAINER, 3)]
            }
        }
    }

    fn members(&self) -> bool {
        self.p.storage == Storage::Members
    }

    fn counter(&self) -> &'static str {
        match self.p.style.counter {
            Counter::Int => "int",
            Counter::Long => "std::ptrdiff_t",
            Counter::Size => "std::size_t",
            Counter::Unsigned => "unsigned",
        }
    }

    /// What grids are made of.
    fn item(&self) -> &'static str {
        if self.p.is_cells() { "Cell" } else { "Element" }
    }

    fn ranges(&self) -> bool {
        self.p.ways.often(RANGES, 15)
    }

    /// Whether the class with the buffers tells their sizes.
    fn far(&self) -> bool {
        matches!(self.kind(), Kind::Class | Kind::View)
            && self.p.style.far
            && self.p.extents.is_none()
    }

    /// Whether pointers to buffers are swapped, not what they hold.
    fn by_address(&self) -> bool {
        self.p.idiom == Idiom::Swap && self.way(SWAP, 4) == 3
    }

    /// Whether functions that sweep are members which know all grids.
    fn whole(&self) -> bool {
        self.members()
            && self.p.style.far
            && !self.by_address()
            && !self.p.goes_back()
            && !self.p.is_indexed(self.p.buffers())
    }
}
