//! Writes a program in C, with `corpus/c/corpus.h` for its cases and for what it leaves in memory.

mod places;
mod setup;
mod sweeps;
mod time_loop;
mod values;

use crate::fuzz::program::*;
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

const FIELDS: [&str; 3] = ["u", "v", "w"];
const INPUTS: [&str; 3] = ["kappa", "sigma", "rho"];
const COUNTERS: [&str; 3] = ["i", "j", "k"];

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

/// Variables that statements collect into.
fn folds_of(body: &[Stmt]) -> Vec<usize> {
    let mut all = Vec::new();
    for stmt in body {
        match stmt {
            Stmt::Fold(fold, _) => all.push(*fold),
            Stmt::If { then, other, .. } => {
                all.extend(folds_of(then));
                all.extend(folds_of(other));
            }
            Stmt::Let(..) | Stmt::Store { .. } => {}
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The identifiers of a text.
fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect()
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

fn signed(offset: i32) -> String {
    match offset {
        0 => String::new(),
        o if o > 0 => format!(" + {o}"),
        o => format!(" - {}", -o),
    }
}

/// In parentheses, unless it is a word.
fn wrapped(text: &str) -> String {
    let word = text.chars().all(|c| c.is_alphanumeric() || c == '_');
    if word { text.to_owned() } else { format!("({text})") }
}

/// Text that grows line by line.
struct Lines {
    text: String,
    depth: usize,
}

impl Lines {
    fn at(depth: usize) -> Lines {
        Lines { text: String::new(), depth }
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{}{line}", "    ".repeat(self.depth));
    }

    fn open(&mut self, line: &str) {
        self.line(line);
        self.deeper();
    }

    fn deeper(&mut self) {
        self.depth += 1;
    }

    fn shut(&mut self, line: &str) {
        self.depth -= 1;
        self.line(line);
    }
}
