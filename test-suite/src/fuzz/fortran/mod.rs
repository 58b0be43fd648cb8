//! Writes a program in Fortran, with `corpus/fortran/corpus.f90` for its cases: explicit and assumed shapes, allocatables,
//! pointers, derived types and variables of modules; loops, sections, `where`, `do concurrent`, reductions.
//!
//! Storage is read as Fortran has it: a block is planes of one array, rows are allocatables of a module, members are those
//! of a derived type. A sweep that is written as a section means something else than the loop where it reads what it
//! sets; both compilers get the same text. Grids of bytes hold seven bits, since integers have a sign.

mod places;
mod sections;
mod setup;
mod sweeps;
mod time_loop;
mod values;

use sections::{independent, is_fixed};

use crate::fuzz::program::*;
use crate::fuzz::writing::*;
use std::fmt::Write as _;

/// The whole file.
pub fn write(program: &Program) -> String {
    let least = crate::fuzz::sound::least(program).unwrap_or([0; 3]);
    let mut writer = Writer { p: program, procedures: String::new() };
    let run = writer.run();
    writer.file(least, &run)
}

/// The ways that Fortran has beside those of all languages, each a number of the program's.
const HOLDER: usize = 0;
const ORDER: usize = 1;
const BASE: usize = 2;
const SECTIONS: usize = 3;
const CONCURRENT: usize = 4;
const SHAPES: usize = 5;
const MEMBERS: usize = 6;
const COPIES: usize = 7;
const ASSOCIATE: usize = 8;
const MOVES: usize = 9;
const PRINTS: usize = 10;
const STACKED: usize = 11;

/// How the time loop gets at its grids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Explicit,
    Assumed,
    /// Pointers of the time loop's own to grids that it is handed.
    Pointer,
    Allocatable,
    Members,
    Module,
    ModuleAllocatable,
}

/// An element, or a section.
#[derive(Clone, Copy)]
struct Scope<'a> {
    axes: &'a [Axis],
    view: View,
    section: bool,
}

struct Writer<'a> {
    p: &'a Program,
    procedures: String,
}

impl Writer<'_> {
    fn way(&self, way: usize, count: usize) -> usize {
        self.p.ways.below(way, count)
    }

    fn kind(&self) -> Kind {
        let swap = self.p.idiom == Idiom::Swap;
        let moved = if swap { [Kind::Pointer; 2] } else { [Kind::Explicit, Kind::Assumed] };
        match self.p.storage {
            Storage::Flat | Storage::Structures => {
                [moved[0], Kind::Allocatable, moved[1]][self.way(HOLDER, 3)]
            }
            Storage::OneBlock => moved[0],
            Storage::Vla => moved[1],
            Storage::Static => Kind::Module,
            Storage::Rows(_) => Kind::ModuleAllocatable,
            Storage::Members => Kind::Members,
        }
    }

    fn block(&self) -> bool {
        self.p.storage == Storage::OneBlock
    }

    fn long(&self) -> bool {
        matches!(self.p.style.counter, Counter::Long | Counter::Size)
    }

    fn counter(&self) -> &'static str {
        if self.long() { "integer(int64)" } else { "integer" }
    }

    /// A whole number of the counters' kind.
    fn literal(&self, n: i32) -> String {
        if self.long() { format!("{n}_int64") } else { n.to_string() }
    }

    /// The first subscript.
    fn base(&self) -> i32 {
        i32::from(!self.p.ways.often(BASE, 25))
    }

    fn element(&self) -> &'static str {
        match self.p.element {
            Element::Float | Element::Double => "real(wp)",
            Element::Int => "integer",
            Element::Byte => "integer(int8)",
        }
    }

    /// What is behind a whole number of the element's kind.
    fn suffix(&self) -> &'static str {
        match self.p.element {
            Element::Float | Element::Double => "._wp",
            Element::Int => "",
            Element::Byte => "_int8",
        }
    }

    /// What grids are made of.
    fn item(&self) -> &'static str {
        if self.p.is_cells() { "type(cell_of_grid)" } else { self.element() }
    }

    fn value(&self) -> &'static str {
        if self.p.is_real() { "real(wp)" } else { "integer" }
    }

    /// Whether procedures are called. Where grids are handed in another order in the same step, or the next, flang takes
    /// what it has been told of two dummy arguments for true of all calls that it has inlined: a fixed element that one
    /// of them reads stays as it was before something else has set it, another call or the time loop itself.
    fn calls(&self) -> bool {
        let still = |part: &Part| match part {
            Part::Sweep(sweep) => is_fixed(sweep),
            Part::Point { .. } | Part::Touch { .. } => true,
            _ => false,
        };
        !self.p.goes_back() || !self.p.parts.iter().any(still)
    }

    /// Whether they are handed the structure with all grids, or find these in a module.
    fn whole(&self) -> bool {
        let kind = matches!(self.kind(), Kind::Members | Kind::Module | Kind::ModuleAllocatable);
        kind && self.p.style.far && !self.p.goes_back() && !self.p.is_indexed(self.p.buffers())
    }

    /// Whether buffers are pointers, not allocatables.
    fn points(&self) -> bool {
        match self.kind() {
            Kind::Pointer => true,
            Kind::Members => self.p.ways.often(MEMBERS, 50),
            _ => false,
        }
    }

    /// Whether the time loop stands in the main program.
    fn in_main(&self) -> bool {
        let own = [Kind::Allocatable, Kind::Members, Kind::Module, Kind::ModuleAllocatable];
        self.p.style.home == Home::Main && own.contains(&self.kind())
    }
}
