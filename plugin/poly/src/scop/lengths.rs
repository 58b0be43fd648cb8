//! Rows of one array whose length two names stand for: the extent in an allocatable's descriptor and the bounds of a dummy
//! argument (`u(0:n, 0:n)`), a leading dimension and the parameter of a callee (`double u[n][n]`); or a name and a number, where
//! these are constants.
//!
//! Nothing says that they are the same number; if they are not, the array is another, of more dimensions or none. Here they are
//! taken to be, and checks say so to the runtime. Consumes and produces facts; refuses nothing.

use super::algebra::{exact_ratio, out_of_range};
use super::contiguous::{accesses, factor, take};
use super::delinearize::MIN_ROW;
use crate::facts::{AccessFact, Base, NestFacts};
use crate::rejection::Rejection;
use hexpass_abi::expr::OutOfRange;
use hexpass_abi::{Poly, Sym};

/// More elements between neighbours than fields of a structure are the end of a row.
const MOST_FIELDS: i64 = 32;

/// The facts with one name for each length; none where there are no two.
pub fn equal(facts: &NestFacts) -> Result<Option<NestFacts>, Rejection> {
    equal_lengths(facts).map_err(out_of_range)
}

fn equal_lengths(facts: &NestFacts) -> Result<Option<NestFacts>, OutOfRange> {
    let mut out: Option<NestFacts> = None;
    // Each time there is a parameter less.
    while let Some((again, length)) = said_twice(out.as_ref().unwrap_or(facts))? {
        take(out.get_or_insert_with(|| facts.clone()), again, &length)?;
    }
    Ok(out)
}

/// A parameter that is a length of an array's rows or planes in one access, and what that length is in another that goes
/// through all of them.
fn said_twice(facts: &NestFacts) -> Result<Option<(Sym, Poly)>, OutOfRange> {
    for all in arrays(facts) {
        for whole in all.iter().filter(|s| s.is_whole()) {
            for other in all.iter().filter(|s| *s != whole) {
                if let Some(found) = other.same_as(whole)? {
                    return Ok(Some(found));
                }
            }
            if let Some(found) = whole.same_as_numbers(&all) {
                return Ok(Some(found));
            }
        }
    }
    Ok(None)
}

/// In which ways loops go through each array.
fn arrays(facts: &NestFacts) -> Vec<Vec<Strides>> {
    let mut out: Vec<(Base, Vec<Strides>)> = Vec::new();
    for (loops, access) in accesses(facts) {
        let Some(own) = Strides::of(loops, access) else { continue };
        match out.iter_mut().find(|(base, _)| base.goes_with(&access.base)) {
            Some((_, all)) if all.contains(&own) => {}
            Some((_, all)) => all.push(own),
            None => out.push((access.base, vec![own])),
        }
    }
    out.into_iter().map(|(_, all)| all).collect()
}

/// The strides in bytes of the loops around an access, and the size of what is accessed.
#[derive(Debug, PartialEq, Eq)]
struct Strides {
    elem: i64,
    all: Vec<Poly>,
}

impl Strides {
    /// None where there are no strides, or one is not made of parameters.
    fn of(loops: &[u16], access: &AccessFact) -> Option<Strides> {
        let mut all: Vec<Poly> = Vec::new();
        for &l in loops {
            let stride = factor(access, l)?;
            if !stride.is_zero() && !all.contains(&stride) {
                all.push(stride);
            }
        }
        let parameters = !all.iter().any(|s| s.mentions_any(|x| !matches!(x, Sym::Int(_))));
        (parameters && !all.is_empty()).then_some(Strides { elem: access.elem.size() as i64, all })
    }

    /// Loops go along rows and across them.
    fn is_whole(&self) -> bool {
        self.all.len() > 1 && self.along().is_some()
    }

    /// Bytes from one element of a row to the next, or from one structure.
    fn along(&self) -> Option<i64> {
        let least = self.constants().min()?;
        (least % self.elem == 0 && least <= MOST_FIELDS * self.elem).then_some(least)
    }

    fn constants(&self) -> impl Iterator<Item = i64> {
        self.all.iter().filter_map(|s| s.as_constant()).map(i64::abs)
    }

    fn mention(&self, symbol: Sym) -> bool {
        self.all.iter().any(|s| s.mentions(symbol))
    }

    /// The parameter that is the length of these rows, where other accesses have them constant. Of several numbers the
    /// smallest is a row's.
    fn same_as_numbers(&self, all: &[Strides]) -> Option<(Sym, Poly)> {
        let along = self.along()?;
        let others = || all.iter().filter(|s| s.elem == self.elem).flat_map(Strides::constants);
        for stride in &self.all {
            let [term] = stride.terms() else { continue };
            let (unit, &[symbol]) = (term.coefficient.abs(), &term.symbols[..]) else { continue };
            let is_row = |&c: &i64| c >= along * MIN_ROW && c % along == 0 && c % unit == 0;
            if let Some(row) = others().filter(is_row).min() {
                return Some((symbol, Poly::constant(row / unit)));
            }
        }
        None
    }

    /// A parameter of these strides alone, and what it is if one of them is one of the other's.
    fn same_as(&self, whole: &Strides) -> Result<Option<(Sym, Poly)>, OutOfRange> {
        for stride in self.all.iter().filter(|s| !whole.all.contains(s)) {
            let [term] = stride.terms() else { continue };
            for &symbol in term.symbols.iter().filter(|&&x| !whole.mention(x)) {
                let Some(rest) = exact_ratio(stride, &Poly::symbol(symbol))? else { continue };
                if rest.mentions(symbol) {
                    continue;
                }
                for theirs in &whole.all {
                    if let Some(length) = exact_ratio(theirs, &rest)?
                        && is_length(&length)
                        && !length.mentions_any(|x| self.mention(x))
                    {
                        return Ok(Some((symbol, length)));
                    }
                }
            }
        }
        Ok(None)
    }
}

/// A parameter, perhaps with something added: not the product of two.
fn is_length(p: &Poly) -> bool {
    p.as_constant().is_none() && p.terms().iter().all(|t| t.symbols.len() <= 1)
}
