//! Lines of tokens.

use std::fmt;

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    pub line: usize,
    pub message: String,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for TextError {}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Ident(String),
    Number(i128),
    Text(String),
    Mark(char),
}

/// The tokens of one line, read from the left.
#[derive(Clone, Debug)]
pub struct Line {
    number: usize,
    tokens: Vec<Token>,
    at: usize,
}

/// All lines that hold tokens.
pub fn lines(text: &str) -> Result<Vec<Line>, TextError> {
    let mut out = Vec::new();
    for (index, source) in text.lines().enumerate() {
        let number = index + 1;
        let tokens = tokens(source).map_err(|message| TextError { line: number, message })?;
        if !tokens.is_empty() {
            out.push(Line { number, tokens, at: 0 });
        }
    }
    Ok(out)
}

/// `text` between quotation marks.
pub fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

fn tokens(source: &str) -> Result<Vec<Token>, String> {
    let mut out = Vec::new();
    let mut chars = source.chars().peekable();
    while let Some(&c) = chars.peek() {
        if c == '#' {
            break;
        } else if c.is_whitespace() {
            chars.next();
        } else if c == '"' {
            chars.next();
            out.push(Token::Text(quoted(&mut chars)?));
        } else if c.is_alphanumeric() || c == '_' {
            let mut word = String::new();
            while let Some(&c) = chars.peek().filter(|c| c.is_alphanumeric() || **c == '_') {
                word.push(c);
                chars.next();
            }
            out.push(word_token(word)?);
        } else {
            chars.next();
            out.push(Token::Mark(c));
        }
    }
    Ok(out)
}

fn quoted(chars: &mut impl Iterator<Item = char>) -> Result<String, String> {
    let mut text = String::new();
    while let Some(c) = chars.next() {
        match c {
            '"' => return Ok(text),
            '\\' => match chars.next() {
                Some('n') => text.push('\n'),
                Some('r') => text.push('\r'),
                Some(c) => text.push(c),
                None => break,
            },
            c => text.push(c),
        }
    }
    Err("a quotation mark is missing".to_owned())
}

fn word_token(word: String) -> Result<Token, String> {
    if !word.starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(Token::Ident(word));
    }
    let value = match word.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16).ok(),
        None => word.parse().ok(),
    };
    value.map(Token::Number).ok_or_else(|| format!("`{word}` is not a number"))
}

impl Line {
    /// An error at this line.
    pub fn error(&self, message: impl Into<String>) -> TextError {
        TextError { line: self.number, message: message.into() }
    }

    /// True if nothing is left.
    pub fn at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// Fails if something is left.
    pub fn end(&self) -> Result<(), TextError> {
        if self.at_end() { Ok(()) } else { Err(self.error("something stands after the end")) }
    }

    /// The next word.
    pub fn ident(&mut self) -> Result<String, TextError> {
        match self.tokens.get(self.at) {
            Some(Token::Ident(word)) => {
                self.at += 1;
                Ok(word.clone())
            }
            other => Err(self.error(format!("a word was expected, not {other:?}"))),
        }
    }

    /// The next word, if it is this one.
    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some(Token::Ident(w)) if w == word);
        self.at += usize::from(found);
        found
    }

    /// The next mark, if it is this one.
    pub fn eat(&mut self, mark: char) -> bool {
        let found = matches!(self.tokens.get(self.at), Some(Token::Mark(m)) if *m == mark);
        self.at += usize::from(found);
        found
    }

    /// The next token must be this mark.
    pub fn expect(&mut self, mark: char) -> Result<(), TextError> {
        if self.eat(mark) { Ok(()) } else { Err(self.error(format!("`{mark}` was expected"))) }
    }

    /// The next token must be this word.
    pub fn expect_word(&mut self, word: &str) -> Result<(), TextError> {
        if self.eat_word(word) { Ok(()) } else { Err(self.error(format!("`{word}` was expected"))) }
    }

    /// The next token, if it is a number.
    pub fn try_number(&mut self) -> Option<i128> {
        match self.tokens.get(self.at) {
            Some(Token::Number(n)) => {
                self.at += 1;
                Some(*n)
            }
            _ => None,
        }
    }

    /// The next token as a number, perhaps after a minus.
    pub fn number<T: TryFrom<i128>>(&mut self) -> Result<T, TextError> {
        let negative = self.eat('-');
        let value = self.try_number().ok_or_else(|| self.error("a number was expected"))?;
        let value = if negative { -value } else { value };
        T::try_from(value).map_err(|_| self.error(format!("{value} is out of range")))
    }

    /// The next token, if it is a quoted text.
    pub fn try_text(&mut self) -> Option<String> {
        match self.tokens.get(self.at) {
            Some(Token::Text(text)) => {
                self.at += 1;
                Some(text.clone())
            }
            _ => None,
        }
    }

    /// The next token as a quoted text.
    pub fn text(&mut self) -> Result<String, TextError> {
        self.try_text().ok_or_else(|| self.error("a quoted text was expected"))
    }

    /// A word that is `prefix` and a number, such as `v12`.
    pub fn numbered(&mut self, prefix: &str) -> Result<u16, TextError> {
        let word = self.ident()?;
        word.strip_prefix(prefix)
            .and_then(|n| n.parse().ok())
            .ok_or_else(|| self.error(format!("`{word}` is not `{prefix}` and a number")))
    }
}
