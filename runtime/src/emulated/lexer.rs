//! Cuts PTX text into words. Consumes the text, produces [`Lexeme`]s that carry their line, refuses
//! characters that PTX does not have. Comments end here; nothing is interpreted yet.

use super::error::PtxError;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Token<'a> {
    /// Opcode, directive, register, label or symbol: dots and `::` belong to the word.
    Word(&'a str),
    /// Anything that begins with a digit.
    Number(&'a str),
    /// A quoted string without its quotes.
    Text(&'a str),
    Mark(char),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lexeme<'a> {
    pub token: Token<'a>,
    pub line: u32,
}

pub fn lex(text: &str) -> Result<Vec<Lexeme<'_>>, PtxError> {
    let mut lexer = Lexer { text, at: 0, line: 1 };
    let mut lexemes = Vec::with_capacity(text.len() / 4);
    while let Some(lexeme) = lexer.next()? {
        lexemes.push(lexeme);
    }
    Ok(lexemes)
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u32,
}

impl<'a> Lexer<'a> {
    fn peek(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    fn next(&mut self) -> Result<Option<Lexeme<'a>>, PtxError> {
        self.skip_blanks()?;
        let (start, line) = (self.at, self.line);
        if start >= self.text.len() {
            return Ok(None);
        }
        let token = match self.peek(0) {
            b'"' => self.quoted()?,
            b'0'..=b'9' => {
                self.advance_while(|c| c.is_ascii_alphanumeric() || c == b'.');
                Token::Number(&self.text[start..self.at])
            }
            c if begins_word(c) => {
                self.word();
                Token::Word(&self.text[start..self.at])
            }
            c if b",;:()[]{}<>=+-!|@*/&^~?".contains(&c) => {
                self.at += 1;
                Token::Mark(c as char)
            }
            _ => return Err(PtxError::new(line, "a character that PTX does not have")),
        };
        Ok(Some(Lexeme { token, line }))
    }

    fn skip_blanks(&mut self) -> Result<(), PtxError> {
        loop {
            match (self.peek(0), self.peek(1)) {
                (b'\n', _) => {
                    self.line += 1;
                    self.at += 1;
                }
                (b' ' | b'\t' | b'\r', _) => self.at += 1,
                (b'/', b'/') => self.advance_while(|c| c != b'\n'),
                (b'/', b'*') => self.skip_block_comment()?,
                _ => return Ok(()),
            }
        }
    }

    fn skip_block_comment(&mut self) -> Result<(), PtxError> {
        let Some(length) = self.text.as_bytes()[self.at + 2..].windows(2).position(|w| w == b"*/")
        else {
            return Err(PtxError::new(self.line, "a comment that does not end"));
        };
        let end = self.at + 2 + length + 2;
        self.line += count_lines(&self.text.as_bytes()[self.at..end]);
        self.at = end;
        Ok(())
    }

    fn quoted(&mut self) -> Result<Token<'a>, PtxError> {
        let start = self.at + 1;
        self.at = start;
        self.advance_while(|c| c != b'"' && c != b'\n');
        if self.peek(0) != b'"' {
            return Err(PtxError::new(self.line, "a string that does not end"));
        }
        self.at += 1;
        Ok(Token::Text(&self.text[start..self.at - 1]))
    }

    fn word(&mut self) {
        self.at += 1;
        loop {
            self.advance_while(continues_word);
            if self.peek(0) == b':' && self.peek(1) == b':' && continues_word(self.peek(2)) {
                self.at += 2;
            } else {
                return;
            }
        }
    }

    fn advance_while(&mut self, wanted: impl Fn(u8) -> bool) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().position(|&c| !wanted(c)).unwrap_or(rest.len());
    }
}

fn begins_word(c: u8) -> bool {
    c.is_ascii_alphabetic() || matches!(c, b'_' | b'$' | b'%' | b'.')
}

fn continues_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$' | b'.')
}

fn count_lines(bytes: &[u8]) -> u32 {
    bytes.iter().filter(|&&c| c == b'\n').count() as u32
}
