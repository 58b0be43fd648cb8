//! Integer expressions with names.

use super::lexer::{Line, TextError};
use hexpass_abi::expr::{Sym, Term};
use hexpass_abi::{IntExpr, Poly};

/// What the integer parameters are called in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    ints: Vec<String>,
}

impl Names {
    /// Names that can be written, all different.
    pub fn new(ints: &[String]) -> Names {
        let mut out: Vec<String> = Vec::with_capacity(ints.len());
        for (i, name) in ints.iter().enumerate() {
            let usable = is_word(name) && !is_reserved(name) && !out.contains(name);
            out.push(if usable { name.clone() } else { format!("p{i}") });
        }
        Names { ints: out }
    }

    /// A symbol's name.
    pub fn symbol(&self, s: Sym) -> String {
        match s {
            Sym::Int(i) => {
                self.ints.get(usize::from(i)).cloned().unwrap_or_else(|| format!("p{i}"))
            }
            Sym::Time => "t".to_owned(),
            Sym::Iv(i) => format!("i{i}"),
            Sym::Mod(i) => format!("m{i}"),
        }
    }

    /// A polynomial, the constant last.
    pub fn poly(&self, p: &Poly) -> String {
        let (constant, rest): (Vec<&Term>, Vec<&Term>) =
            p.terms().iter().partition(|t| t.symbols.is_empty());
        let mut out = String::new();
        for t in rest.into_iter().chain(constant) {
            let sign = if t.coefficient < 0 { "-" } else { "+" };
            match (out.is_empty(), sign) {
                (true, "-") => out.push('-'),
                (true, _) => {}
                (false, sign) => out.extend([" ", sign, " "]),
            }
            out.push_str(&self.magnitude(t));
        }
        if out.is_empty() { "0".to_owned() } else { out }
    }

    fn magnitude(&self, t: &Term) -> String {
        let mut factors: Vec<String> = t.symbols.iter().map(|&s| self.symbol(s)).collect();
        let c = t.coefficient.unsigned_abs();
        if c != 1 || factors.is_empty() {
            factors.insert(0, c.to_string());
        }
        factors.join("*")
    }

    /// An expression.
    pub fn expr(&self, e: &IntExpr) -> String {
        match e {
            IntExpr::Poly(p) => self.poly(p),
            IntExpr::Max(a, b) => format!("max({}, {})", self.expr(a), self.expr(b)),
            IntExpr::Min(a, b) => format!("min({}, {})", self.expr(a), self.expr(b)),
            IntExpr::Add(a, b) => format!("add({}, {})", self.expr(a), self.expr(b)),
        }
    }

    /// Reads an expression.
    pub fn parse_expr(&self, line: &mut Line) -> Result<IntExpr, TextError> {
        for (word, make) in [
            ("max", IntExpr::Max as fn(Box<IntExpr>, Box<IntExpr>) -> IntExpr),
            ("min", IntExpr::Min),
            ("add", IntExpr::Add),
        ] {
            if line.eat_word(word) {
                line.expect('(')?;
                let a = self.parse_expr(line)?;
                line.expect(',')?;
                let b = self.parse_expr(line)?;
                line.expect(')')?;
                return Ok(make(Box::new(a), Box::new(b)));
            }
        }
        Ok(IntExpr::Poly(self.parse_poly(line)?))
    }

    /// Reads a polynomial; products and parentheses are multiplied out.
    pub fn parse_poly(&self, line: &mut Line) -> Result<Poly, TextError> {
        let mut sum = Poly::zero();
        let mut negative = line.eat('-');
        loop {
            let mut product = self.parse_factor(line, negative)?;
            while line.eat('*') {
                let factor = self.parse_factor(line, false)?;
                product = product.mul(&factor).map_err(|_| too_large(line))?;
            }
            sum = sum.add(&product).map_err(|_| too_large(line))?;
            negative = match (line.eat('+'), line.eat('-')) {
                (false, false) => return Ok(sum),
                (_, negative) => negative,
            };
        }
    }

    fn parse_factor(&self, line: &mut Line, negative: bool) -> Result<Poly, TextError> {
        if let Some(n) = line.try_number() {
            let n = if negative { -n } else { n };
            return Ok(Poly::constant(i64::try_from(n).map_err(|_| too_large(line))?));
        }
        let factor = if line.eat('(') {
            let p = self.parse_poly(line)?;
            line.expect(')')?;
            p
        } else {
            let word = line.ident()?;
            let symbol = self.parse_symbol(&word);
            Poly::symbol(symbol.ok_or_else(|| line.error(format!("nothing is called `{word}`")))?)
        };
        factor.scale(if negative { -1 } else { 1 }).map_err(|_| too_large(line))
    }

    fn parse_symbol(&self, word: &str) -> Option<Sym> {
        if let Some(i) = self.ints.iter().position(|n| n == word) {
            return Some(Sym::Int(u16::try_from(i).ok()?));
        }
        let numbered = |prefix: &str| word.strip_prefix(prefix)?.parse::<u16>().ok();
        match word {
            "t" => Some(Sym::Time),
            _ => numbered("i").map(Sym::Iv).or_else(|| numbered("m").map(Sym::Mod)),
        }
    }
}

fn too_large(line: &Line) -> TextError {
    line.error("a number leaves 64 bits")
}

fn is_word(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Words that mean something else in an expression.
fn is_reserved(name: &str) -> bool {
    let numbered = |prefix| {
        name.strip_prefix(prefix)
            .is_some_and(|rest: &str| rest.bytes().all(|b| b.is_ascii_digit()) && !rest.is_empty())
    };
    matches!(name, "t" | "max" | "min" | "add" | "mod" | "line" | "statement")
        || ["i", "m", "p"].into_iter().any(numbered)
}
