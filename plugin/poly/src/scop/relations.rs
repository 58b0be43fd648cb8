//! Domains, access relations and the original schedule in isl's notation.
//!
//! Integer parameters stand as `p0`, `p1`, …; a product of parameters, which no affine function can hold, becomes a
//! parameter of its own: `p0_1` is p0·p1.

use super::{AccessRelation, Scop};
use hexpass_abi::expr::Term;
use hexpass_abi::{IntExpr, Poly, Sym};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Writes expressions in isl's notation and remembers which parameters they used.
#[derive(Clone, Debug, Default)]
pub struct IslNames {
    used: BTreeSet<String>,
    /// Name before the number of a counter.
    counter: &'static str,
}

impl IslNames {
    /// Counters are called `counter0`, `counter1`, ….
    pub fn new(counter: &'static str) -> IslNames {
        IslNames { used: BTreeSet::new(), counter }
    }

    /// A polynomial.
    pub fn poly(&mut self, p: &Poly) -> String {
        let mut out = String::new();
        // The constant has no symbols and is the first term.
        for t in p.terms().iter().rev() {
            let magnitude = t.coefficient.unsigned_abs();
            let factors = match (magnitude, self.symbols(t)) {
                (m, None) => m.to_string(),
                (1, Some(symbols)) => symbols,
                (m, Some(symbols)) => format!("{m} * {symbols}"),
            };
            out.push_str(match (out.is_empty(), t.coefficient < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            });
            out.push_str(&factors);
        }
        match p.terms().len() {
            0 => "0".to_owned(),
            1 if !out.starts_with('-') => out,
            _ => format!("({out})"),
        }
    }

    fn symbols(&mut self, t: &Term) -> Option<String> {
        let int = |s: &Sym| if let Sym::Int(i) = s { Some(i.to_string()) } else { None };
        let other = t.symbols.iter().find_map(|s| match s {
            Sym::Int(_) => None,
            Sym::Time => Some("t".to_owned()),
            Sym::Iv(i) => Some(format!("{}{i}", self.counter)),
            Sym::Mod(i) => Some(format!("m{i}")),
        });
        let ints: Vec<String> = t.symbols.iter().filter_map(int).collect();
        match other {
            None if ints.is_empty() => None,
            None => {
                let name = format!("p{}", ints.join("_"));
                self.used.insert(name.clone());
                Some(name)
            }
            other => other,
        }
    }

    /// An expression with minima and maxima.
    pub fn expr(&mut self, e: &IntExpr) -> String {
        match e {
            IntExpr::Poly(p) => self.poly(p),
            IntExpr::Max(a, b) => format!("max({}, {})", self.expr(a), self.expr(b)),
            IntExpr::Min(a, b) => format!("min({}, {})", self.expr(a), self.expr(b)),
            IntExpr::Add(a, b) => format!("({} + {})", self.expr(a), self.expr(b)),
        }
    }

    /// `[p0, p1] -> { body }` with all parameters used so far.
    pub fn wrap(&self, body: &str) -> String {
        let all: Vec<&str> = self.used.iter().map(String::as_str).collect();
        format!("[{}] -> {{ {body} }}", all.join(", "))
    }
}

impl Scop {
    /// `{ S<i>[t, l0, …] : … }`, the counters of each statement's loops outermost first.
    pub fn domains(&self) -> String {
        let mut names = IslNames::new("l");
        let steps = names.expr(&self.steps);
        let mut pieces = Vec::new();
        for (i, s) in self.statements.iter().enumerate() {
            let mut piece = format!("{} : 0 <= t < {steps}", instance(i, &s.loops));
            for l in &s.loops {
                let trip = names.expr(&self.loops[usize::from(*l)]);
                let _ = write!(piece, " and 0 <= l{l} < {trip}");
            }
            for condition in &s.conditions {
                let _ = write!(piece, " and {} >= 0", names.poly(condition));
            }
            pieces.push(piece);
        }
        names.wrap(&pieces.join("; "))
    }

    /// `{ S<i>[t, …] -> A<a>[slot, subscripts…] }` of all reads.
    pub fn reads(&self) -> String {
        self.relation(|s| self.statements[s].reads.iter().collect())
    }

    /// The same of all writes.
    pub fn writes(&self) -> String {
        self.relation(|s| self.statements[s].writes.iter().map(|w| &w.access).collect())
    }

    fn relation<'a>(&'a self, of: impl Fn(usize) -> Vec<&'a AccessRelation>) -> String {
        let mut names = IslNames::new("l");
        let mut pieces = Vec::new();
        for (i, s) in self.statements.iter().enumerate() {
            for a in of(i) {
                pieces.push(format!(
                    "{} -> {}",
                    instance(i, &s.loops),
                    self.element(a, &mut names)
                ));
            }
        }
        names.wrap(&pieces.join("; "))
    }

    fn element(&self, a: &AccessRelation, names: &mut IslNames) -> String {
        let slots = self.arrays[usize::from(a.array)].slots.len();
        let mut all = vec![match slots {
            1 => "0".to_owned(),
            _ => format!("(t + {}) mod {slots}", a.rotation),
        }];
        for s in &a.subscripts {
            let offset = names.poly(&s.offset);
            all.push(match s.counter {
                None => offset,
                Some(c) => {
                    let sign = if c.negative { "-" } else { "" };
                    let rest =
                        if s.offset.is_zero() { String::new() } else { format!(" + {offset}") };
                    format!("{sign}l{}{rest}", c.index)
                }
            });
        }
        format!("A{}[{}]", a.array, all.join(", "))
    }

    /// The original order, `{ S<i>[t, l0, l1] -> [t, β0, l0, β1, l1, β2] }`: at each depth the statement's place
    /// among what its loop holds, then the next counter; padded with zeros.
    pub fn schedule(&self) -> String {
        let depth = self.statements.iter().map(|s| s.loops.len()).max().unwrap_or(0);
        let mut pieces = Vec::new();
        for (i, s) in self.statements.iter().enumerate() {
            let mut all = vec!["t".to_owned()];
            for d in 0..depth {
                all.push(self.place(i, d).to_string());
                all.push(s.loops.get(d).map_or("0".to_owned(), |l| format!("l{l}")));
            }
            all.push(self.place(i, depth).to_string());
            pieces.push(format!("{} -> [{}]", instance(i, &s.loops), all.join(", ")));
        }
        format!("{{ {} }}", pieces.join("; "))
    }

    /// The first statement that shares loops 0 to d with statement i, which stands for the place of loop d; the
    /// statement itself where it has no such loop.
    fn place(&self, i: usize, d: usize) -> usize {
        let loops = &self.statements[i].loops;
        match loops.get(..=d) {
            None => i,
            Some(prefix) => {
                self.statements.iter().position(|s| s.loops.starts_with(prefix)).unwrap_or(i)
            }
        }
    }
}

fn instance(i: usize, loops: &[u16]) -> String {
    let mut all = vec!["t".to_owned()];
    all.extend(loops.iter().map(|l| format!("l{l}")));
    format!("S{i}[{}]", all.join(", "))
}
