//! What the guard looks up in tables besides what statements read.
//!
//! Bounds checks and trip counts rest on sizes that stand in tables, one for each row, and are taken to be the same
//! ([`super::tables`]). They are met at other iterations than those at which a statement stores something: the guard looks
//! at all entries that a box of iterations speaks of, whether a statement has instances there or not.
//!
//! Consumes the entries that an expression has mentioned, and the region where it stands; produces their first and last
//! numbers. Refuses (`control-flow`) what is no line of one counter.

use super::affine::too_large;
use super::branches::Region;
use super::context::Context;
use hexpass_abi::{Entry, IntExpr, Lookup, Poly, Sym, TableEntries};
use hexpass_poly::rejection::{Reason, Rejection};

impl Context<'_> {
    /// Has the guard look at all entries that have been mentioned, at the iterations of the region.
    pub fn look_up(&mut self, region: &Region) -> Result<(), Rejection> {
        for entry in std::mem::take(&mut self.entries) {
            self.look_up_one(&entry, region)?;
        }
        Ok(())
    }

    /// The same for sizes; what is left are entries that lead to rows or are numbers, which matter only where a statement
    /// reads them.
    pub fn look_up_sizes(&mut self, region: &Region) -> Result<Vec<Entry>, Rejection> {
        let (rows, sizes) = std::mem::take(&mut self.entries).into_iter().partition(|e: &Entry| {
            let table = &self.table_facts[usize::from(e.table)];
            matches!(table.entries, TableEntries::Rows(_) | TableEntries::Numbers { .. })
        });
        self.entries = sizes;
        self.look_up(region)?;
        Ok(rows)
    }

    /// Has the guard look at numbers that have been mentioned where no statement came of it: they have said so.
    pub fn look_up_numbers(
        &mut self,
        entries: Vec<Entry>,
        region: &Region,
    ) -> Result<(), Rejection> {
        for entry in entries {
            let table = &self.table_facts[usize::from(entry.table)];
            if matches!(table.entries, TableEntries::Numbers { .. }) {
                self.look_up_one(&entry, region)?;
            }
        }
        Ok(())
    }

    fn look_up_one(&mut self, entry: &Entry, region: &Region) -> Result<(), Rejection> {
        let ends = |p: &Poly| self.ends(p, region);
        let index = entry.index.iter().map(ends).collect::<Result<_, _>>()?;
        let lookup = Lookup { table: entry.table, rotation: entry.rotation, index };
        if !self.lookups.contains(&lookup) {
            self.lookups.push(lookup);
        }
        Ok(())
    }

    /// The smallest and the largest value in the region.
    fn ends(&self, p: &Poly, region: &Region) -> Result<(IntExpr, IntExpr), Rejection> {
        let mut counters = p.terms().iter().flat_map(|t| &t.symbols);
        let Some(&counter) = counters.find(|s| !matches!(s, Sym::Int(_))) else {
            return Ok((IntExpr::Poly(p.clone()), IntExpr::Poly(p.clone())));
        };
        let refuse = || {
            let why = "a size that a check rests on is looked up at places that are not followed";
            Rejection::new(Reason::ControlFlow, why)
        };
        let (Sym::Iv(i), Some((factor, rest))) = (counter, p.split(counter)) else {
            return Err(refuse());
        };
        let factor = factor.as_constant().filter(|_| !rest.mentions_any(|s| !is_size(s)));
        let factor = factor.ok_or_else(refuse)?;
        let (first, last) = self.iterations(i, region)?.ok_or_else(refuse)?;
        let at = |e: &IntExpr| on_line(e, factor, &rest);
        let (a, b) = (at(&first)?, at(&last)?);
        Ok(if factor < 0 { (b, a) } else { (a, b) })
    }

    /// The first and the last iteration of a loop in the region.
    fn iterations(
        &self,
        counter: u16,
        region: &Region,
    ) -> Result<Option<(IntExpr, IntExpr)>, Rejection> {
        let Some(trip) = self.trips.get(usize::from(counter)) else { return Ok(None) };
        let last = on_line(trip, 1, &Poly::constant(-1))?;
        let mut ends = [None, None];
        for condition in &region.conditions {
            if let Some((end, upper)) =
                super::branches::end_of(condition, counter).map_err(too_large)?
            {
                let join = if upper { IntExpr::Min } else { IntExpr::Max };
                let end = IntExpr::Poly(end);
                let known = &mut ends[usize::from(upper)];
                *known = Some(match known.take() {
                    Some(other) => join(Box::new(other), Box::new(end)),
                    None => end,
                });
            }
        }
        let [begin, end] = ends;
        Ok(Some((begin.unwrap_or(IntExpr::Poly(Poly::zero())), end.unwrap_or(last))))
    }
}

fn is_size(s: Sym) -> bool {
    matches!(s, Sym::Int(_))
}

/// `factor * e + rest`.
fn on_line(e: &IntExpr, factor: i64, rest: &Poly) -> Result<IntExpr, Rejection> {
    let both = |a: &IntExpr, b: &IntExpr| {
        Ok::<_, Rejection>((
            Box::new(on_line(a, factor, rest)?),
            Box::new(on_line(b, factor, rest)?),
        ))
    };
    Ok(match e {
        IntExpr::Poly(p) => {
            IntExpr::Poly(p.scale(factor).and_then(|p| p.add(rest)).map_err(too_large)?)
        }
        IntExpr::Max(a, b) | IntExpr::Min(a, b) => {
            let (a, b) = both(a, b)?;
            match matches!(e, IntExpr::Max(..)) == (factor >= 0) {
                true => IntExpr::Max(a, b),
                false => IntExpr::Min(a, b),
            }
        }
        IntExpr::Add(a, b) => {
            let b = on_line(b, factor, &Poly::zero())?;
            IntExpr::Add(Box::new(on_line(a, factor, rest)?), Box::new(b))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_falling_line_turns_largest_and_smallest_round() {
        let (n, m) = (Poly::symbol(Sym::Int(0)), Poly::symbol(Sym::Int(1)));
        let least = IntExpr::Min(Box::new(n.clone().into()), Box::new(m.clone().into()));
        let at = |e: &IntExpr, n: i64, m: i64| {
            e.eval(&|s| Some(if s == Sym::Int(0) { n } else { m })).expect("small numbers")
        };
        for factor in [-3, 1] {
            let line = on_line(&least, factor, &Poly::constant(7)).expect("small numbers");
            for (n, m) in [(2, 5), (5, 2), (4, 4)] {
                assert_eq!(at(&line, n, m), factor * n.min(m) + 7, "{factor} {n} {m}");
            }
        }
    }
}
