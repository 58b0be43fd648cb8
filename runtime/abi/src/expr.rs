//! Integer expressions over run-time values, evaluated without overflow.

use alloc::{boxed::Box, vec::Vec};
use serde::{Deserialize, Serialize};

/// What an integer expression may speak of.
///
/// After detection, bounds and offsets speak of `Int` only; checks and addresses also of the counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Sym {
    /// `NestArgs::ints[i]`.
    Int(u16),
    /// Counter of the time loop, from 0.
    Time,
    /// In facts: counter of loop `i` of the nest, from 0. In records: space coordinate `i` of the statement at hand.
    Iv(u16),
    /// In facts only: value of the modular term `i` (such as `t % 2`).
    Mod(u16),
}

/// A polynomial: Σ coefficient · Π symbols. Terms are sorted by symbols, symbols sorted within a term, no zero
/// coefficient, no two terms of equal symbols. The constant is the term without symbols. Zero has no terms.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Poly {
    terms: Vec<Term>,
}

/// One term of a [`Poly`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Term {
    /// Sorted; a repeated symbol is a power.
    pub symbols: Vec<Sym>,
    /// Never zero.
    pub coefficient: i64,
}

/// An arithmetic result left `i64`, or a symbol has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange;

impl Poly {
    /// The polynomial of these terms, in normal form; fails if a coefficient leaves `i64`.
    pub fn from_terms(
        terms: impl IntoIterator<Item = (i64, Vec<Sym>)>,
    ) -> Result<Poly, OutOfRange> {
        let mut all: Vec<Term> = terms
            .into_iter()
            .map(|(coefficient, mut symbols)| {
                symbols.sort_unstable();
                Term { symbols, coefficient }
            })
            .collect();
        all.sort_by(|a, b| a.symbols.cmp(&b.symbols));
        let mut out: Vec<Term> = Vec::with_capacity(all.len());
        for term in all {
            match out.last_mut() {
                Some(last) if last.symbols == term.symbols => {
                    last.coefficient =
                        last.coefficient.checked_add(term.coefficient).ok_or(OutOfRange)?;
                }
                _ => out.push(term),
            }
        }
        out.retain(|t| t.coefficient != 0);
        Ok(Poly { terms: out })
    }

    /// 0.
    pub fn zero() -> Poly {
        Poly::default()
    }

    /// A constant.
    pub fn constant(c: i64) -> Poly {
        let terms = if c == 0 {
            Vec::new()
        } else {
            alloc::vec![Term { symbols: Vec::new(), coefficient: c }]
        };
        Poly { terms }
    }

    /// A single symbol.
    pub fn symbol(s: Sym) -> Poly {
        Poly { terms: alloc::vec![Term { symbols: alloc::vec![s], coefficient: 1 }] }
    }

    /// The terms in normal form.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// True for the polynomial without terms.
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// The value if no symbol occurs.
    pub fn as_constant(&self) -> Option<i64> {
        match self.terms.as_slice() {
            [] => Some(0),
            [t] if t.symbols.is_empty() => Some(t.coefficient),
            _ => None,
        }
    }

    /// The coefficient of the term without symbols.
    pub fn constant_part(&self) -> i64 {
        self.coefficient(&[])
    }

    /// The coefficient of the term with exactly these symbols (sorted), 0 if there is none.
    pub fn coefficient(&self, symbols: &[Sym]) -> i64 {
        self.terms.iter().find(|t| t.symbols == symbols).map_or(0, |t| t.coefficient)
    }

    /// True if `s` occurs in any term.
    pub fn mentions(&self, s: Sym) -> bool {
        self.terms.iter().any(|t| t.symbols.contains(&s))
    }

    /// True if any symbol satisfies `f`.
    pub fn mentions_any(&self, f: impl Fn(Sym) -> bool) -> bool {
        self.terms.iter().any(|t| t.symbols.iter().any(|&s| f(s)))
    }

    /// What is left where all symbols that satisfy `f` are zero.
    pub fn without(mut self, f: impl Fn(Sym) -> bool) -> Poly {
        self.terms.retain(|t| !t.symbols.iter().any(|&s| f(s)));
        self
    }

    /// Sum.
    pub fn add(&self, o: &Poly) -> Result<Poly, OutOfRange> {
        Poly::from_terms(
            self.terms.iter().chain(&o.terms).map(|t| (t.coefficient, t.symbols.clone())),
        )
    }

    /// Difference.
    pub fn sub(&self, o: &Poly) -> Result<Poly, OutOfRange> {
        self.add(&o.scale(-1)?)
    }

    /// Product with a constant.
    pub fn scale(&self, c: i64) -> Result<Poly, OutOfRange> {
        let mut terms = Vec::with_capacity(self.terms.len());
        for t in &self.terms {
            terms.push((t.coefficient.checked_mul(c).ok_or(OutOfRange)?, t.symbols.clone()));
        }
        Poly::from_terms(terms)
    }

    /// Product.
    pub fn mul(&self, o: &Poly) -> Result<Poly, OutOfRange> {
        let mut terms = Vec::with_capacity(self.terms.len() * o.terms.len());
        for a in &self.terms {
            for b in &o.terms {
                let mut symbols = a.symbols.clone();
                symbols.extend_from_slice(&b.symbols);
                terms.push((a.coefficient.checked_mul(b.coefficient).ok_or(OutOfRange)?, symbols));
            }
        }
        Poly::from_terms(terms)
    }

    /// The factor of `s` in the terms that hold it exactly once, and the rest; `None` if `s` occurs squared.
    pub fn split(&self, s: Sym) -> Option<(Poly, Poly)> {
        let (mut with, mut without) = (Vec::new(), Vec::new());
        for t in &self.terms {
            match t.symbols.iter().filter(|&&x| x == s).count() {
                0 => without.push((t.coefficient, t.symbols.clone())),
                1 => with
                    .push((t.coefficient, t.symbols.iter().copied().filter(|&x| x != s).collect())),
                _ => return None,
            }
        }
        Some((Poly::from_terms(with).ok()?, Poly::from_terms(without).ok()?))
    }

    /// `self` with every `s` replaced by `by`.
    pub fn substitute(&self, s: Sym, by: &Poly) -> Result<Poly, OutOfRange> {
        let mut out = Poly::zero();
        for t in &self.terms {
            let mut p = Poly::constant(t.coefficient);
            for &x in &t.symbols {
                p = if x == s { p.mul(by)? } else { p.mul(&Poly::symbol(x))? };
            }
            out = out.add(&p)?;
        }
        Ok(out)
    }

    /// `self / d` if the division leaves no remainder, for `d` of one term.
    pub fn exact_div(&self, d: &Poly) -> Option<Poly> {
        let [divisor] = d.terms.as_slice() else { return None };
        let mut out = Vec::with_capacity(self.terms.len());
        for t in &self.terms {
            if t.coefficient % divisor.coefficient != 0 {
                return None;
            }
            let mut symbols = t.symbols.clone();
            for s in &divisor.symbols {
                let at = symbols.iter().position(|x| x == s)?;
                symbols.remove(at);
            }
            out.push((t.coefficient / divisor.coefficient, symbols));
        }
        Poly::from_terms(out).ok()
    }

    /// The value, with symbols from `value`.
    pub fn eval(&self, value: &dyn Fn(Sym) -> Option<i64>) -> Result<i64, OutOfRange> {
        let mut sum: i64 = 0;
        for t in &self.terms {
            let mut product = t.coefficient;
            for &s in &t.symbols {
                product = product.checked_mul(value(s).ok_or(OutOfRange)?).ok_or(OutOfRange)?;
            }
            sum = sum.checked_add(product).ok_or(OutOfRange)?;
        }
        Ok(sum)
    }

    /// Smallest and largest value when each symbol ranges over an inclusive interval (`lo <= hi`).
    ///
    /// Interval arithmetic per term: exact where every symbol occurs in one term only, otherwise conservative.
    pub fn range(
        &self,
        value: &dyn Fn(Sym) -> Option<(i64, i64)>,
    ) -> Result<(i64, i64), OutOfRange> {
        let (mut low, mut high) = (0i64, 0i64);
        for t in &self.terms {
            let mut interval = (t.coefficient, t.coefficient);
            for &s in &t.symbols {
                let (a, b) = value(s).ok_or(OutOfRange)?;
                let mut corners = [0i64; 4];
                for (i, (x, y)) in
                    [(interval.0, a), (interval.0, b), (interval.1, a), (interval.1, b)]
                        .iter()
                        .enumerate()
                {
                    corners[i] = x.checked_mul(*y).ok_or(OutOfRange)?;
                }
                interval = (
                    corners.iter().copied().fold(i64::MAX, i64::min),
                    corners.iter().copied().fold(i64::MIN, i64::max),
                );
            }
            low = low.checked_add(interval.0).ok_or(OutOfRange)?;
            high = high.checked_add(interval.1).ok_or(OutOfRange)?;
        }
        Ok((low, high))
    }
}

/// A polynomial, or the largest or smallest of several expressions (never empty).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum IntExpr {
    /// A polynomial.
    Poly(Poly),
    /// Largest.
    Max(Box<IntExpr>, Box<IntExpr>),
    /// Smallest.
    Min(Box<IntExpr>, Box<IntExpr>),
    /// Sum.
    Add(Box<IntExpr>, Box<IntExpr>),
}

impl IntExpr {
    /// The value, with symbols from `value`.
    pub fn eval(&self, value: &dyn Fn(Sym) -> Option<i64>) -> Result<i64, OutOfRange> {
        match self {
            IntExpr::Poly(p) => p.eval(value),
            IntExpr::Max(a, b) => Ok(a.eval(value)?.max(b.eval(value)?)),
            IntExpr::Min(a, b) => Ok(a.eval(value)?.min(b.eval(value)?)),
            IntExpr::Add(a, b) => a.eval(value)?.checked_add(b.eval(value)?).ok_or(OutOfRange),
        }
    }
}

impl From<Poly> for IntExpr {
    fn from(p: Poly) -> IntExpr {
        IntExpr::Poly(p)
    }
}
