//! Grids of one allocation at equal distances, each of which accesses mean by its number: `f[9][n][m]`, the components of
//! `q(n, m, 3)`.
//!
//! Consumes the rows that accesses reach, and how far apart statements reach through the same loops; produces the grid that
//! each access means, and the rows from one grid to the next.
//!
//! Rows that some access runs over belong together where they meet. What is then apart is never the same element, whatever
//! the source calls it; rows from one grid to the next are a number such that each part lies in one grid, and takes more
//! than half of it (border rows that nobody looks at are no grid). Where only the run knows that number, some statement must
//! reach so far, as lower bounds look no different. No answer where rows are not known.

use super::algebra::{compare, div_rem, leading, magnitude, symbolic_part};
use super::rows::{Rows, around};
use hexpass_abi::Poly;
use hexpass_abi::expr::OutOfRange;
use std::cmp::{Ordering, Reverse};
use std::collections::HashSet;

/// Parts that are looked at: a lattice of many velocities has some dozens.
const MOST_PARTS: usize = 96;

/// Grids at equal distances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pitch {
    /// Rows from one to the next.
    pub rows: Poly,
    /// By access, the number of its grid.
    pub grids: Vec<i64>,
}

/// The rows of an access, and whether a loop runs over several.
pub type Reached = (Rows, bool);

/// How grids follow one another, `told` being the rows that lie between what a statement touches; `None` if there is one grid
/// only, or none can be told from another.
pub fn pitch(accesses: &[Reached], told: &[Poly]) -> Result<Option<Pitch>, OutOfRange> {
    let parts = parts(accesses)?;
    if !(2..=MOST_PARTS).contains(&parts.len()) {
        return Ok(None);
    }
    // Lower bounds that only the run knows stand in all rows.
    let origin = symbolic_part(&parts[0].0)?;
    // The plainest, and of equals the one that fits best.
    let mut best: Option<((Reverse<usize>, usize), Pitch)> = None;
    for rows in distances(&parts, told)? {
        let Some(fit) = fit(&parts, &origin, &rows)? else { continue };
        let fit = (Reverse(rows.terms().len()), fit);
        if best.as_ref().is_some_and(|(known, _)| *known >= fit) {
            continue;
        }
        if let Some(grids) = grids(accesses, &parts, &origin, &rows)? {
            best = Some((fit, Pitch { rows, grids }));
        }
    }
    Ok(best.map(|(_, pitch)| pitch))
}

/// The rows that loops run over, those that meet together, in order.
fn parts(accesses: &[Reached]) -> Result<Vec<Rows>, OutOfRange> {
    let mut parts: Vec<Rows> = Vec::new();
    for (rows, _) in accesses.iter().filter(|(_, runs)| *runs) {
        let mut all = rows.clone();
        let mut apart = Vec::with_capacity(parts.len() + 1);
        for part in parts {
            match meet(&part, &all)? {
                true => all = around(Some(&part), &all)?,
                false => apart.push(part),
            }
        }
        let mut at = apart.len();
        while at > 0 && compare(&all.0, &apart[at - 1].0)? == Ordering::Less {
            at -= 1;
        }
        apart.insert(at, all);
        parts = apart;
    }
    Ok(parts)
}

fn meet(a: &Rows, b: &Rows) -> Result<bool, OutOfRange> {
    Ok(compare(&a.1, &b.0)? != Ordering::Less && compare(&b.1, &a.0)? != Ordering::Less)
}

/// Distances of parts from one another and the length of the first, if they are constant; and those that are told. Each
/// once: of many parts, most distances are the same.
fn distances(parts: &[Rows], told: &[Poly]) -> Result<Vec<Poly>, OutOfRange> {
    let mut out = Vec::new();
    for distance in told {
        out.push(magnitude(distance)?);
    }
    let mut found = vec![length(&parts[0])?];
    for (i, b) in parts.iter().enumerate() {
        for a in &parts[..i] {
            found.extend([b.0.sub(&a.0)?, b.1.sub(&a.1)?]);
        }
    }
    out.extend(found.into_iter().filter(|distance| distance.as_constant().is_some()));
    let mut seen = HashSet::new();
    out.retain(|distance| seen.insert(distance.clone()));
    Ok(out)
}

/// How many parts begin with their grid, and end with it; `None` unless each lies in one and takes more than half of it, and
/// there are several grids.
fn fit(parts: &[Rows], origin: &Poly, rows: &Poly) -> Result<Option<usize>, OutOfRange> {
    let (mut fit, mut seen) = (0, Vec::new());
    for part in parts {
        let Some((grid, first)) = grid_of(part, origin, rows)? else { return Ok(None) };
        let long = length(part)?;
        let can_say = leading(&long).map(|t| &t.symbols) == leading(rows).map(|t| &t.symbols);
        if can_say && compare(&long.scale(2)?, rows)? != Ordering::Greater {
            return Ok(None);
        }
        fit += usize::from(first.is_zero()) + usize::from(first.add(&long)? == *rows);
        seen.push(grid);
    }
    seen.dedup();
    Ok((seen.len() == parts.len()).then_some(fit))
}

fn length((first, last): &Rows) -> Result<Poly, OutOfRange> {
    last.sub(first)?.add(&Poly::constant(1))
}

/// The grid of each access, single rows included; `None` if one lies in none that loops run over.
fn grids(
    accesses: &[Reached],
    parts: &[Rows],
    origin: &Poly,
    rows: &Poly,
) -> Result<Option<Vec<i64>>, OutOfRange> {
    let mut known = Vec::with_capacity(parts.len());
    for part in parts {
        known.extend(grid_of(part, origin, rows)?.map(|(grid, _)| grid));
    }
    let mut out = Vec::with_capacity(accesses.len());
    for (reached, _) in accesses {
        match grid_of(reached, origin, rows)? {
            Some((grid, _)) if known.contains(&grid) => out.push(grid),
            _ => return Ok(None),
        }
    }
    Ok(Some(out))
}

/// The grid that rows lie in, and the first of them in it.
fn grid_of(
    (first, last): &Rows,
    origin: &Poly,
    rows: &Poly,
) -> Result<Option<(i64, Poly)>, OutOfRange> {
    let (quotient, mut rest) = div_rem(&first.sub(origin)?, rows)?;
    let Some(mut grid) = quotient.as_constant() else { return Ok(None) };
    if compare(&rest, &Poly::zero())? == Ordering::Less {
        grid -= 1;
        rest = rest.add(rows)?;
    }
    let end = rest.add(&last.sub(first)?)?;
    let inside = grid >= 0 && compare(&end, rows)? == Ordering::Less;
    Ok(inside.then_some((grid, rest)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Names, lines};

    fn poly(text: &str) -> Poly {
        let names = Names::new(&["n".to_owned(), "m".to_owned()]);
        names.parse_poly(&mut lines(text).unwrap().remove(0)).unwrap()
    }

    fn over(first: &str, last: &str) -> Reached {
        ((poly(first), poly(last)), true)
    }

    fn row(at: &str) -> Reached {
        ((poly(at), poly(at)), false)
    }

    fn found(accesses: &[Reached]) -> Option<(Poly, Vec<i64>)> {
        told(accesses, &[])
    }

    fn told(accesses: &[Reached], told: &[&str]) -> Option<(Poly, Vec<i64>)> {
        let told: Vec<Poly> = told.iter().map(|text| poly(text)).collect();
        pitch(accesses, &told).unwrap().map(|p| (p.rows, p.grids))
    }

    #[test]
    fn whole_grids_and_parts_of_them() {
        let all = [
            over("200", "399"),
            over("1", "198"),
            over("0", "199"),
            row("399"),
            over("601", "798"),
            row("0"),
        ];
        assert_eq!(found(&all), Some((poly("200"), vec![1, 0, 0, 1, 3, 0])));
        // Loops over fewer rows than grids have, above a lower bound.
        let all =
            [over("m + n + 1", "m + n + 90"), over("m + 3*n + 1", "m + 3*n + 91"), row("m + n")];
        assert_eq!(told(&all, &["2*n"]), Some((poly("2*n"), vec![0, 1, 0])));
        let all = [over("0", "n - 1"), over("2*n + 1", "3*n - 2"), over("n", "2*n - 1"), row("n")];
        assert_eq!(told(&all, &["0 - n", "2*n"]), Some((poly("n"), vec![0, 2, 1, 1])));
        assert_eq!(found(&all), None);
    }

    #[test]
    fn one_grid_is_none() {
        assert_eq!(found(&[over("0", "199"), over("1", "198")]), None);
        // Halves that never meet, and rows of the border that nobody looks at.
        assert_eq!(found(&[over("1", "98"), row("99"), row("0")]), None);
        assert_eq!(found(&[over("0", "0"), over("1", "98"), over("99", "99")]), None);
    }

    #[test]
    fn unequal_grids_are_left_to_others() {
        let all = [over("0", "99"), over("100", "200"), over("201", "300")];
        assert_eq!(found(&all), None);
        // A row of a grid that no loop runs over.
        assert_eq!(found(&[over("0", "99"), over("100", "199"), row("200")]), None);
    }
}
