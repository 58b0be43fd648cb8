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
        for t in p.terms() {
            let sign = if t.coefficient < 0 { "-" } else { "+" };
            let _ = write!(out, " {sign} {}{}", t.coefficient.unsigned_abs(), self.symbols(t));
        }
        if out.is_empty() { "0".to_owned() } else { format!("(0{out})") }
    }

    fn symbols(&mut self, t: &Term) -> String {
        let ints: Vec<String> = t
            .symbols
            .iter()
            .filter_map(|s| if let Sym::Int(i) = s { Some(i.to_string()) } else { None })
            .collect();
        let mut others = t.symbols.iter().filter_map(|s| match s {
            Sym::Int(_) => None,
            Sym::Time => Some("t".to_owned()),
            Sym::Iv(i) => Some(format!("{}{i}", self.counter)),
            Sym::Mod(i) => Some(format!("m{i}")),
        });
        let mut out = String::new();
        if let Some(counter) = others.next() {
            let _ = write!(out, " * {counter}");
        } else if !ints.is_empty() {
            let name = format!("p{}", ints.join("_"));
            let _ = write!(out, " * {name}");
            self.used.insert(name);
        }
        out
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
        let mut all = vec![format!("(t + {}) mod {slots}", a.rotation)];
        for s in &a.subscripts {
            let counter = s.counter.map_or(String::new(), |c| {
                format!("{} l{} + ", if c.negative { "-" } else { "" }, c.index)
            });
            all.push(format!("{counter}{}", names.poly(&s.offset)));
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
            Some(prefix) => self
                .statements
                .iter()
                .position(|s| s.loops.starts_with(prefix))
                .unwrap_or(i),
        }
    }
}

fn instance(i: usize, loops: &[u16]) -> String {
    let mut all = vec!["t".to_owned()];
    all.extend(loops.iter().map(|l| format!("l{l}")));
    format!("S{i}[{}]", all.join(", "))
}
