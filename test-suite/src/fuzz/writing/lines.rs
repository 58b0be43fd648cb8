//! Text that grows, and what is asked of text.

use std::fmt::Write as _;

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

    /// The lines since `start` once more.
    pub fn again(&mut self, start: usize) {
        self.text.extend_from_within(start..);
    }

    pub fn shut(&mut self, line: &str) {
        self.depth -= 1;
        self.line(line);
    }
}

/// One step further to the right.
pub fn indented(text: &str) -> String {
    text.lines()
        .map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") })
        .collect()
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
