//! What grids, sizes and counters are called, and which buffers a grid has.

use crate::fuzz::program::{Element, Idiom, Level, Part, Program, Storage};

pub const FIELDS: [&str; 3] = ["u", "v", "w"];
pub const INPUTS: [&str; 3] = ["kappa", "sigma", "rho"];
pub const COUNTERS: [&str; 3] = ["i", "j", "k"];
/// Constant ones are written in capitals.
pub const SIZES: [&str; 3] = ["n", "m", "l"];
pub const LEVELS: [Level; 3] = [Level::Now, Level::Next, Level::Old];

/// From where grids are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// The time loop; in the turn numbered 1, buffers have changed places.
    Loop { turn: usize },
    /// A function that is handed each buffer.
    Function,
}

impl View {
    /// Which of so many buffers is meant.
    pub fn level(self, level: Level, buffers: usize) -> Level {
        match (self, level) {
            (View::Loop { turn: 1 }, Level::Now) if buffers > 1 => Level::Next,
            (View::Loop { turn: 1 }, Level::Next) => Level::Now,
            (_, level) => level,
        }
    }
}

/// A name that functions may be handed.
#[derive(Debug)]
pub struct Name {
    pub name: String,
    pub declared: String,
    pub actual: String,
}

impl Program {
    /// What the buffers of a field are called; all fields of an array of structures share them.
    pub fn stem(&self, field: usize) -> &'static str {
        if self.is_cells() { "cell" } else { FIELDS[field] }
    }

    /// Whether an element is a structure of all fields.
    pub fn is_cells(&self) -> bool {
        self.storage == Storage::Structures
    }

    /// Grids that have buffers of their own.
    pub fn grids(&self) -> usize {
        if self.is_cells() { 1 } else { self.fields.len() }
    }

    /// Buffers of the grid that a field lies in.
    pub fn buffers_of(&self, field: usize) -> usize {
        if self.is_cells() { self.buffers() } else { self.fields[field].buffers }
    }

    /// The levels that a field's grid has.
    pub fn levels(&self, field: usize) -> impl Iterator<Item = Level> + use<> {
        LEVELS.into_iter().take(self.buffers_of(field))
    }

    pub fn buffer(&self, field: usize, level: Level) -> String {
        let stem = self.stem(field);
        match level {
            Level::Now => stem.to_owned(),
            Level::Next => format!("{stem}_new"),
            Level::Old => format!("{stem}_old"),
        }
    }

    /// Names of all buffers that there may be.
    pub fn buffer_names(&self) -> Vec<String> {
        (0..self.grids()).flat_map(|f| LEVELS.map(|level| self.buffer(f, level))).collect()
    }

    /// Whether so many buffers are chosen by an index.
    pub fn is_indexed(&self, buffers: usize) -> bool {
        buffers > 1 && matches!(self.idiom, Idiom::Modulo | Idiom::Turn)
    }

    /// Grids with more than one buffer.
    pub fn renewed(&self) -> Vec<usize> {
        (0..self.grids()).filter(|f| self.buffers_of(*f) > 1).collect()
    }

    /// Grids whose buffers are chosen by an index.
    pub fn indexed(&self) -> Vec<usize> {
        (0..self.grids()).filter(|f| self.is_indexed(self.buffers_of(*f))).collect()
    }

    /// Whether indices change places in the time loop.
    pub fn turns(&self) -> bool {
        self.idiom == Idiom::Turn && self.buffers() > 1
    }

    /// Whether buffers are meant the other way round in the same step, or in every other one.
    pub fn goes_back(&self) -> bool {
        matches!(self.idiom, Idiom::ThereAndBack | Idiom::Alternate)
    }

    /// Buffers of a grid that live as long as the time loop.
    pub fn held(&self, field: usize) -> usize {
        if self.idiom == Idiom::Fresh { 1 } else { self.buffers_of(field) }
    }

    /// Names of the arrays that hold a grid's buffers, and how many slots each has: none if it is one buffer.
    pub fn arrays_of(&self, field: usize) -> Vec<(String, usize)> {
        let buffers = self.buffers_of(field);
        if self.is_indexed(buffers) {
            return vec![(self.stem(field).to_owned(), buffers)];
        }
        let held = LEVELS.iter().take(self.held(field));
        held.map(|level| (self.buffer(field, *level), 0)).collect()
    }

    /// The same of all grids.
    pub fn arrays(&self) -> Vec<(String, usize)> {
        (0..self.grids()).flat_map(|f| self.arrays_of(f)).collect()
    }

    /// Whether a function of the program's reads or sets elements without being looked into.
    pub fn has_opaque_calls(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Look { .. } | Part::Touch { .. }))
    }

    /// Variables of which the step before is remembered.
    pub fn remembered(&self) -> Vec<usize> {
        let all = self.parts.iter().filter_map(|part| match part {
            Part::Stalled { fold } => Some(*fold),
            _ => None,
        });
        all.take(1).collect()
    }

    /// Names of what is only read.
    pub fn input_names(&self) -> &'static [&'static str] {
        &INPUTS[..self.inputs.len()]
    }

    /// Values of an element.
    pub fn width(&self) -> usize {
        if self.is_cells() { self.fields.len() } else { 1 }
    }

    /// Names of sizes, as everybody knows them who is told.
    pub fn sizes(&self) -> Vec<String> {
        let shown = |n: &&str| match self.extents {
            Some(_) => n.to_uppercase(),
            None => (*n).to_owned(),
        };
        SIZES[..self.dims].iter().map(shown).collect()
    }

    pub fn is_real(&self) -> bool {
        self.element.is_real()
    }
}

impl Element {
    /// As C and C++ call it.
    pub fn in_c(self) -> &'static str {
        match self {
            Element::Float => "float",
            Element::Double => "double",
            Element::Int => "int",
            Element::Byte => "unsigned char",
        }
    }

    /// As `corpus.h` calls it.
    pub fn letter(self) -> char {
        match self {
            Element::Float => 'f',
            Element::Double => 'd',
            Element::Int => 'i',
            Element::Byte => 'b',
        }
    }
}
