//! What the writers of all languages share: names, and text that grows.

use super::program::{Idiom, Level, Program, Stmt, Storage};
use std::fmt::Write as _;

pub const FIELDS: [&str; 3] = ["u", "v", "w"];
pub const INPUTS: [&str; 3] = ["kappa", "sigma", "rho"];
pub const COUNTERS: [&str; 3] = ["i", "j", "k"];

impl Program {
    /// What the buffers of a field are called; all fields of an array of structures share them.
    pub fn stem(&self, field: usize) -> &'static str {
        if self.storage == Storage::Structures { "cell" } else { FIELDS[field] }
    }

    /// Grids that have buffers of their own.
    pub fn grids(&self) -> usize {
        if self.storage == Storage::Structures { 1 } else { self.fields.len() }
    }

    /// Buffers of the grid that a field lies in.
    pub fn buffers_of(&self, field: usize) -> usize {
        match self.storage {
            Storage::Structures => self.buffers(),
            _ => self.fields[field].buffers,
        }
    }

    pub fn buffer(&self, field: usize, level: Level) -> String {
        let stem = self.stem(field);
        match level {
            Level::Now => stem.to_owned(),
            Level::Next => format!("{stem}_new"),
            Level::Old => format!("{stem}_old"),
        }
    }

    /// Whether so many buffers are chosen by an index.
    pub fn is_indexed(&self, buffers: usize) -> bool {
        buffers > 1 && matches!(self.idiom, Idiom::Modulo | Idiom::Turn)
    }
}

/// Variables that statements collect into.
pub fn folds_of(body: &[Stmt]) -> Vec<usize> {
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
pub fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect()
}

pub fn signed(offset: i32) -> String {
    match offset {
        0 => String::new(),
        o if o > 0 => format!(" + {o}"),
        o => format!(" - {}", -o),
    }
}

/// In parentheses, unless it is a word.
pub fn wrapped(text: &str) -> String {
    let word = text.chars().all(|c| c.is_alphanumeric() || c == '_');
    if word { text.to_owned() } else { format!("({text})") }
}

/// Text that grows line by line.
#[derive(Debug)]
pub struct Lines {
    pub text: String,
    pub depth: usize,
}

impl Lines {
    pub fn at(depth: usize) -> Lines {
        Lines { text: String::new(), depth }
    }

    pub fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{}{line}", "    ".repeat(self.depth));
    }

    pub fn open(&mut self, line: &str) {
        self.line(line);
        self.deeper();
    }

    pub fn deeper(&mut self) {
        self.depth += 1;
    }

    pub fn shut(&mut self, line: &str) {
        self.depth -= 1;
        self.line(line);
    }
}

/// Buffers that statements store to, each once.
pub fn written(body: &[Stmt]) -> Vec<(usize, Level)> {
    let mut all = Vec::new();
    for stmt in body {
        match stmt {
            Stmt::Store { place, .. } => all.push((place.field, place.level)),
            Stmt::If { then, other, .. } => {
                all.extend(written(then));
                all.extend(written(other));
            }
            Stmt::Let(..) | Stmt::Fold(..) => {}
        }
    }
    all.dedup();
    all
}

/// One step further to the right.
pub fn indented(text: &str) -> String {
    text.lines()
        .map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") })
        .collect()
}
