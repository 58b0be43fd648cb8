//! PTX text → [`Unit`]. Consumes lexemes, resolves register names to numbers (scopes included), and
//! refuses directives and types it does not know. Opcodes stay words: [`decode`](super::decode)
//! judges them.

use std::collections::HashMap;

use super::error::PtxError;
use super::lexer::{Lexeme, Token, lex};
use super::syntax::*;

type Parsed<T> = Result<T, PtxError>;

/// Bytes of variables that one module may declare.
const MOST_BYTES: u64 = 64 << 20;

pub fn parse(text: &str) -> Parsed<Unit<'_>> {
    let lexemes = lex(text)?;
    let mut parser = Parser { lexemes: &lexemes, at: 0, declared: 0 };
    parser.unit()
}

struct Parser<'a, 't> {
    lexemes: &'t [Lexeme<'a>],
    at: usize,
    declared: u64,
}

/// Names of registers in one `{ … }`: single ones, and families such as `%r<34>`.
#[derive(Default)]
struct Scope<'a> {
    single: HashMap<&'a str, u32>,
    families: HashMap<&'a str, (u32, Ty)>,
}

#[derive(Default)]
struct Body<'a> {
    scopes: Vec<Scope<'a>>,
    registers: Vec<Ty>,
    variables: Vec<Variable<'a>>,
    statements: Vec<Statement<'a>>,
}

impl<'a> Body<'a> {
    /// The number of register `name`; a member of a family gets one when it is first used.
    fn register(&mut self, name: &'a str) -> Option<u32> {
        let family = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = &name[family.len()..];
        for scope in self.scopes.iter_mut().rev() {
            if let Some(&number) = scope.single.get(name) {
                return Some(number);
            }
            let Some(&(count, ty)) = scope.families.get(family) else { continue };
            let canonical = digits == "0" || !digits.starts_with('0');
            if canonical && digits.parse::<u32>().is_ok_and(|index| index < count) {
                let number = self.registers.len() as u32;
                self.registers.push(ty);
                scope.single.insert(name, number);
                return Some(number);
            }
        }
        None
    }
}

impl<'a> Parser<'a, '_> {
    fn line(&self) -> u32 {
        let lexeme = self.lexemes.get(self.at).or(self.lexemes.last());
        lexeme.map_or(1, |lexeme| lexeme.line)
    }

    fn fail<T>(&self, reason: impl Into<String>) -> Parsed<T> {
        Err(PtxError::new(self.line(), reason))
    }

    fn peek(&self) -> Option<Token<'a>> {
        self.lexemes.get(self.at).map(|lexeme| lexeme.token)
    }

    fn take(&mut self) -> Parsed<Token<'a>> {
        let Some(token) = self.peek() else { return self.fail("the text ends too early") };
        self.at += 1;
        Ok(token)
    }

    fn accept(&mut self, mark: char) -> bool {
        let found = self.peek() == Some(Token::Mark(mark));
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, mark: char) -> Parsed<()> {
        if self.accept(mark) { Ok(()) } else { self.fail(format!("expected `{mark}`")) }
    }

    fn word(&mut self) -> Parsed<&'a str> {
        match self.peek() {
            Some(Token::Word(word)) => {
                self.at += 1;
                Ok(word)
            }
            _ => self.fail("expected a name"),
        }
    }

    fn accept_word(&mut self, wanted: &str) -> bool {
        let found = self.peek() == Some(Token::Word(wanted));
        self.at += usize::from(found);
        found
    }

    fn integer(&mut self) -> Parsed<u64> {
        match self.immediate()? {
            Immediate::Integer(value) => Ok(value),
            _ => self.fail("expected an integer"),
        }
    }

    fn small(&mut self) -> Parsed<u32> {
        let value = self.integer()?;
        u32::try_from(value).or_else(|_| self.fail("a number too large"))
    }

    fn immediate(&mut self) -> Parsed<Immediate> {
        let negative = self.accept('-');
        let Token::Number(text) = self.take()? else {
            self.at -= 1;
            return self.fail("expected a number");
        };
        let Some(value) = number(text) else {
            self.at -= 1;
            return self.fail("a malformed number");
        };
        Ok(match value {
            Immediate::Integer(value) if negative => Immediate::Integer(value.wrapping_neg()),
            Immediate::Single(bits) if negative => Immediate::Single(bits ^ (1 << 31)),
            Immediate::Double(bits) if negative => Immediate::Double(bits ^ (1 << 63)),
            value => value,
        })
    }

    fn skip_line(&mut self) {
        let line = self.lexemes.get(self.at.saturating_sub(1)).map(|lexeme| lexeme.line);
        while self.lexemes.get(self.at).map(|lexeme| lexeme.line) == line && line.is_some() {
            self.at += 1;
        }
    }

    fn skip_braces(&mut self) -> Parsed<()> {
        while !self.accept('{') {
            self.take()?;
        }
        let mut depth = 1u32;
        while depth > 0 {
            match self.take()? {
                Token::Mark('{') => depth += 1,
                Token::Mark('}') => depth -= 1,
                _ => (),
            }
        }
        Ok(())
    }

    fn unit(&mut self) -> Parsed<Unit<'a>> {
        let mut unit = Unit::default();
        while self.peek().is_some() {
            let directive = self.word().or_else(|_| self.fail("expected a directive"))?;
            match directive {
                ".version" => self.version()?,
                ".target" => self.target()?,
                ".address_size" if self.integer()? == 64 => (),
                ".address_size" => return self.before("only 64-bit addresses are supported"),
                ".file" => self.skip_line(),
                ".section" => self.skip_braces()?,
                ".pragma" => self.pragma()?,
                ".visible" | ".weak" | ".extern" | ".common" => (),
                ".entry" => {
                    let entry = self.entry()?;
                    unit.entries.push(entry);
                }
                ".global" | ".const" | ".shared" => {
                    self.at -= 1;
                    self.variables(&mut unit.variables)?;
                }
                ".func" => return self.before("functions other than kernels are not supported"),
                _ => return self.before(format!("unknown directive `{directive}`")),
            }
        }
        Ok(unit)
    }

    /// An error about the lexeme just taken.
    fn before<T>(&mut self, reason: impl Into<String>) -> Parsed<T> {
        self.at = self.at.saturating_sub(1);
        self.fail(reason)
    }

    fn version(&mut self) -> Parsed<()> {
        match self.take()? {
            Token::Number(_) => Ok(()),
            _ => self.before("expected a version"),
        }
    }

    fn target(&mut self) -> Parsed<()> {
        loop {
            let name = self.word()?;
            if !name.starts_with("sm_") && !matches!(name, "debug" | "texmode_independent") {
                return self.before(format!("unknown target `{name}`"));
            }
            if !self.accept(',') {
                return Ok(());
            }
        }
    }

    fn pragma(&mut self) -> Parsed<()> {
        while !self.accept(';') {
            self.take()?;
        }
        Ok(())
    }

    /// `.shared .align 4 .b8 x[64], y[32];` and its like.
    fn variables(&mut self, into: &mut Vec<Variable<'a>>) -> Parsed<()> {
        let area = match self.word()? {
            ".global" => Area::Global,
            ".const" => Area::Const,
            ".shared" => Area::Shared,
            ".local" => Area::Local,
            other => return self.before(format!("unknown directive `{other}`")),
        };
        let align = self.alignment()?;
        let ty = self.data_type()?;
        loop {
            let variable = self.variable(area, align.unwrap_or(ty.bytes().into()), ty)?;
            into.push(variable);
            if !self.accept(',') {
                return self.expect(';');
            }
        }
    }

    fn alignment(&mut self) -> Parsed<Option<u64>> {
        if !self.accept_word(".align") {
            return Ok(None);
        }
        let align = self.integer()?;
        if !align.is_power_of_two() || align > 4096 {
            return self.before("an impossible alignment");
        }
        Ok(Some(align))
    }

    /// A type of at least one byte.
    fn data_type(&mut self) -> Parsed<Ty> {
        let word = self.word()?;
        match word.strip_prefix('.').and_then(Ty::named) {
            Some(ty) if ty != Ty::Pred => Ok(ty),
            _ => self.before(format!("unknown type or directive `{word}`")),
        }
    }

    fn variable(&mut self, area: Area, align: u64, ty: Ty) -> Parsed<Variable<'a>> {
        let line = self.line();
        let name = self.word()?;
        let size = self.extent(ty)?;
        self.declared = self.declared.saturating_add(size.unwrap_or(0));
        if self.declared > MOST_BYTES {
            return self.fail("variables too large");
        }
        let mut bytes = Vec::new();
        if self.accept('=') {
            self.initialiser(ty, &mut bytes)?;
        }
        let fits = size.is_some_and(|size| bytes.len() as u64 <= size);
        let may_have_one = matches!(area, Area::Global | Area::Const);
        if !(bytes.is_empty() || fits && may_have_one) {
            return self.fail("an initialiser that does not belong here");
        }
        Ok(Variable { name, area, align, size, bytes, line })
    }

    /// Bytes of `name`, `name[4]`, `name[2][3]`; `None` for `name[]`.
    fn extent(&mut self, ty: Ty) -> Parsed<Option<u64>> {
        let mut size = Some(u64::from(ty.bytes()));
        while self.accept('[') {
            if self.accept(']') {
                size = None;
                continue;
            }
            let count = self.integer()?;
            self.expect(']')?;
            size = size.map(|size| size.saturating_mul(count));
        }
        Ok(size)
    }

    fn initialiser(&mut self, ty: Ty, bytes: &mut Vec<u8>) -> Parsed<()> {
        let list = self.accept('{');
        loop {
            let bits = self.immediate()?.bits(ty);
            bytes.extend_from_slice(&bits.to_le_bytes()[..ty.bytes() as usize]);
            if !list {
                return Ok(());
            }
            if !self.accept(',') {
                return self.expect('}');
            }
        }
    }

    fn entry(&mut self) -> Parsed<Entry<'a>> {
        let name = self.word()?;
        let params = if self.accept('(') { self.params()? } else { Vec::new() };
        let (max_threads, required_threads) = self.performance_directives()?;
        self.expect('{')?;
        let mut body = Body::default();
        body.scopes.push(Scope::default());
        while !body.scopes.is_empty() {
            self.statement(&mut body)?;
        }
        let Body { registers, variables, statements, .. } = body;
        let entry =
            Entry { name, params, max_threads, required_threads, registers, variables, statements };
        Ok(entry)
    }

    fn params(&mut self) -> Parsed<Vec<Param<'a>>> {
        let mut params = Vec::new();
        let mut end = 0u64;
        if self.accept(')') {
            return Ok(params);
        }
        loop {
            let param = self.param(&mut end)?;
            params.push(param);
            if !self.accept(',') {
                self.expect(')')?;
                return Ok(params);
            }
        }
    }

    /// `.param .u64 .ptr .global .align 4 name` or `.param .align 8 .b8 name[24]`.
    fn param(&mut self, end: &mut u64) -> Parsed<Param<'a>> {
        if !self.accept_word(".param") {
            return self.fail("expected `.param`");
        }
        let align = self.alignment()?;
        let ty = self.data_type()?;
        if self.accept_word(".ptr") {
            let _space = [".global", ".shared", ".const", ".local"].map(|s| self.accept_word(s));
            self.alignment()?;
        }
        let name = self.word()?;
        let Some(size) = self.extent(ty)? else { return self.fail("a parameter without size") };
        let align = align.unwrap_or(ty.bytes().into());
        let offset = end.next_multiple_of(align);
        if size > 32764 || offset + size > 32764 {
            return self.fail("parameters too large");
        }
        *end = offset + size;
        Ok(Param { name, offset: offset as u32, size: size as u32 })
    }

    #[expect(clippy::type_complexity, reason = "the two limits, read together")]
    fn performance_directives(&mut self) -> Parsed<(Option<[u32; 3]>, Option<[u32; 3]>)> {
        let (mut most, mut required) = (None, None);
        loop {
            let Some(Token::Word(word)) = self.peek() else { return Ok((most, required)) };
            self.at += 1;
            match word {
                ".maxntid" => most = Some(self.triple()?),
                ".reqntid" => required = Some(self.triple()?),
                ".minnctapersm" | ".maxnreg" => drop(self.small()?),
                ".pragma" => self.pragma()?,
                ".noreturn" => (),
                _ => return self.before(format!("unknown directive `{word}`")),
            }
        }
    }

    fn triple(&mut self) -> Parsed<[u32; 3]> {
        let mut triple = [self.small()?, 1, 1];
        for slot in &mut triple[1..] {
            if !self.accept(',') {
                break;
            }
            *slot = self.small()?;
        }
        Ok(triple)
    }

    fn statement(&mut self, body: &mut Body<'a>) -> Parsed<()> {
        if self.accept('{') {
            body.scopes.push(Scope::default());
            return Ok(());
        }
        if self.accept('}') {
            body.scopes.pop();
            return Ok(());
        }
        if self.accept(';') {
            return Ok(());
        }
        let line = self.line();
        if let Some(Token::Word(word)) = self.peek() {
            if self.lexemes.get(self.at + 1).map(|lexeme| lexeme.token) == Some(Token::Mark(':')) {
                self.at += 2;
                body.statements.push(Statement::Label(word, line));
                return Ok(());
            }
            if word.starts_with('.') {
                return self.body_directive(word, body);
            }
        }
        let instruction = self.instruction(body, line)?;
        body.statements.push(Statement::Instruction(instruction));
        Ok(())
    }

    fn body_directive(&mut self, word: &'a str, body: &mut Body<'a>) -> Parsed<()> {
        self.at += 1;
        match word {
            ".reg" => self.registers(body),
            ".local" | ".shared" | ".const" | ".global" => {
                self.at -= 1;
                self.variables(&mut body.variables)
            }
            ".pragma" => self.pragma(),
            ".loc" | ".file" => {
                self.skip_line();
                Ok(())
            }
            ".branchtargets" => {
                let mut targets = vec![self.word()?];
                while self.accept(',') {
                    targets.push(self.word()?);
                }
                body.statements.push(Statement::Targets(targets));
                self.expect(';')
            }
            _ => self.before(format!("unknown directive `{word}`")),
        }
    }

    fn registers(&mut self, body: &mut Body<'a>) -> Parsed<()> {
        let word = self.word()?;
        let ty = match word.strip_prefix('.').and_then(Ty::named) {
            Some(ty) if ty.bytes() != 1 => ty,
            _ => return self.before(format!("unsupported register type `{word}`")),
        };
        loop {
            let name = self.word()?;
            let Some(scope) = body.scopes.last_mut() else { return self.fail("no scope") };
            if self.accept('<') {
                let count = self.small()?;
                scope.families.insert(name, (count, ty));
                self.expect('>')?;
            } else {
                scope.single.insert(name, body.registers.len() as u32);
                body.registers.push(ty);
            }
            if !self.accept(',') {
                return self.expect(';');
            }
        }
    }

    fn instruction(&mut self, body: &mut Body<'a>, line: u32) -> Parsed<Instruction<'a>> {
        let guard = if self.accept('@') {
            let negated = self.accept('!');
            let name = self.word()?;
            let Some(register) = body.register(name) else {
                return self.before(format!("unknown register `{name}`"));
            };
            Some((register, negated))
        } else {
            None
        };
        let opcode = self.word().or_else(|_| self.fail("expected an instruction"))?;
        let mut operands = Vec::new();
        if !self.accept(';') {
            loop {
                let operand = self.operand(body)?;
                operands.push(operand);
                if !self.accept(',') {
                    break;
                }
            }
            self.expect(';')?;
        }
        Ok(Instruction { guard, opcode, operands, line })
    }

    fn operand(&mut self, body: &mut Body<'a>) -> Parsed<Operand<'a>> {
        if self.accept('[') {
            return self.address(body);
        }
        if !self.accept('{') {
            return self.simple_operand(body);
        }
        let mut parts = vec![self.simple_operand(body)?];
        while self.accept(',') {
            parts.push(self.simple_operand(body)?);
        }
        self.expect('}')?;
        Ok(Operand::Tuple(parts))
    }

    fn simple_operand(&mut self, body: &mut Body<'a>) -> Parsed<Operand<'a>> {
        let first = self.single_operand(body)?;
        if !self.accept('|') {
            return Ok(first);
        }
        let second = self.single_operand(body)?;
        Ok(Operand::Pair(Box::new(first), Box::new(second)))
    }

    fn single_operand(&mut self, body: &mut Body<'a>) -> Parsed<Operand<'a>> {
        if self.accept('!') {
            let name = self.word()?;
            return match body.register(name) {
                Some(register) => Ok(Operand::Not(register)),
                None => self.before(format!("unknown register `{name}`")),
            };
        }
        let name = match self.peek() {
            Some(Token::Word(name)) => name,
            Some(Token::Number(_) | Token::Mark('-')) => {
                return Ok(Operand::Immediate(self.immediate()?));
            }
            _ => return self.fail("expected an operand or `;`"),
        };
        self.at += 1;
        if name == "_" {
            return Ok(Operand::Sink);
        }
        if let Some(register) = body.register(name) {
            return Ok(Operand::Register(register));
        }
        if name.starts_with('%') {
            return Ok(Operand::Special(name));
        }
        let offset = self.offset()?;
        Ok(Operand::Symbol(name, offset))
    }

    /// Nothing, `+4`, `-4` or `+-4`.
    fn offset(&mut self) -> Parsed<i64> {
        if self.accept('+') || self.peek() == Some(Token::Mark('-')) {
            return Ok(self.integer()? as i64);
        }
        Ok(0)
    }

    fn address(&mut self, body: &mut Body<'a>) -> Parsed<Operand<'a>> {
        let operand = match self.peek() {
            Some(Token::Word(name)) => {
                self.at += 1;
                let base = match body.register(name) {
                    Some(register) => Base::Register(register),
                    None if name.starts_with('%') => {
                        return self.before(format!("unknown register `{name}`"));
                    }
                    None => Base::Symbol(name),
                };
                Operand::Address(base, self.offset()?)
            }
            _ => Operand::Address(Base::Absolute, self.integer()? as i64),
        };
        self.expect(']')?;
        Ok(operand)
    }
}

/// `12`, `0x1F`, `017`, `0b11`, `7U`, `0f3F800000`, `0d3FF0000000000000`, `1.5`.
fn number(text: &str) -> Option<Immediate> {
    let radix = |digits: &str, radix| u64::from_str_radix(digits, radix).ok();
    let prefix = text.get(..2).unwrap_or("");
    let rest = text.get(2..).unwrap_or("");
    match prefix {
        "0f" | "0F" if rest.len() == 8 => {
            return u32::from_str_radix(rest, 16).ok().map(Immediate::Single);
        }
        "0d" | "0D" if rest.len() == 16 => return radix(rest, 16).map(Immediate::Double),
        _ => (),
    }
    let unsigned = text.strip_suffix('U').unwrap_or(text);
    let rest = unsigned.get(2..).unwrap_or("");
    let integer = match prefix {
        "0x" | "0X" => radix(rest, 16),
        "0b" | "0B" => radix(rest, 2),
        _ if text.contains('.') => {
            return text.parse().ok().map(|v: f64| Immediate::Double(v.to_bits()));
        }
        _ if unsigned.len() > 1 && unsigned.starts_with('0') => radix(&unsigned[1..], 8),
        _ => radix(unsigned, 10),
    };
    integer.map(Immediate::Integer)
}
