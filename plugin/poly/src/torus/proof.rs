//! Whether a program on a torus is the program that it is said to be. It takes nothing from the search for pieces.
//!
//! For all sizes with so many points as [`Torus::least`] says, of which there must be some, of each statement on the torus:
//!
//! - its pieces compute the same and store it as it does, and each of their points is one of its own: every point of its box lies in
//!   the box of just one piece;
//! - a piece reads where it reads, taken modulo the extents of the dimensions that go round; in others at the same place. What
//!   it reads beyond the grid is an image of that place: cells are filled before, in the same step or, of what [`Torus::later`]
//!   says, in the one before, and nobody stores to the slot in between;
//! - no piece reads what another one stores: what they store is read by the instance itself only;
//! - pieces follow one another in the program, and statements stand in its order; pieces of two may stand among each other
//!   where there are no images, neither reads what the other stores, and they store in different places;
//! - all other statements fill cells beyond the grid, which are of cells in the grid when that has been done
//!   [`Torus::rounds`] times.

use super::alike::alike;
use super::images::{slot, slot_after};
use super::{Torus, images};
use crate::isl::{ANALYSIS_BUDGET, Isl, UnionMap, UnionSet};
use crate::rejection::Rejection;
use crate::schedule::staging::aligned_offset;
use crate::scop::IslNames;
use crate::stencil::{Statement, StencilProgram};
use hexpass_abi::{Access, IntExpr, Subscript};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

/// True if it is.
///
/// # Errors
///
/// What isl can't answer within its budget.
pub fn check(program: &StencilProgram, torus: &Torus) -> Result<bool, Rejection> {
    let isl = Isl::new(ANALYSIS_BUDGET)?;
    let on_torus = &torus.problem.stencil;
    let same = StencilProgram { statements: on_torus.statements.clone(), ..program.clone() };
    if same != *on_torus || torus.round.len() != program.dims || !is_in_order(program, torus) {
        return Ok(false);
    }
    let question = Question { isl: &isl, program, torus, known: RefCell::default() };
    if !question.has_sizes()?
        || !question.lie_beyond()?
        || !question.mixed_are_apart()?
        || question.rounds()? != Some(torus.rounds)
    {
        return Ok(false);
    }
    for (at, (s, pieces)) in on_torus.statements.iter().zip(&torus.pieces).enumerate() {
        let pieces: Vec<&Statement> =
            pieces.iter().map(|&p| &program.statements[usize::from(p)]).collect();
        if !keeps_to_itself(program, s)
            || !lies_where_it_counts(torus, s)
            || !question.covers(s, &pieces)?
        {
            return Ok(false);
        }
        for piece in pieces {
            let Some(reads) = alike(s, piece) else { return Ok(false) };
            for (told, found) in s.reads.iter().zip(reads) {
                let Some(found) = found.map(|i| &piece.reads[usize::from(i)]) else { continue };
                let has_images =
                    program.writes(told.array) && !torus.seen(program, at, told).images.is_empty();
                let right = match has_images {
                    true => question.reads_images(at, piece, found, told)?,
                    false => question.reads(piece, found, told)?,
                };
                if !right {
                    return Ok(false);
                }
            }
        }
    }
    Ok(true)
}

/// How often the images must be made until all of them are of cells in the grid, whatever lay beyond it before; `None` if that
/// takes more than twice.
///
/// # Errors
///
/// As [`check`].
pub fn rounds(program: &StencilProgram, torus: &Torus) -> Result<Option<i64>, Rejection> {
    let isl = Isl::new(ANALYSIS_BUDGET)?;
    Question { isl: &isl, program, torus, known: RefCell::default() }.rounds()
}

/// Every statement of the program is an image or a piece of one on the torus, and these begin in its order.
fn is_in_order(program: &StencilProgram, torus: &Torus) -> bool {
    let mut others: Vec<u16> = (0..program.statements.len() as u16).collect();
    others.retain(|s| !torus.images.contains(s));
    let mut told = torus.pieces.concat();
    told.sort_unstable();
    let begins: Vec<u16> = (0..torus.pieces.len()).map(|s| torus.begin(s)).collect();
    let known = torus.images.iter().all(|&i| usize::from(i) < program.statements.len())
        && torus.images.windows(2).all(|two| two[0] < two[1]);
    torus.pieces.len() == torus.problem.stencil.statements.len()
        && torus.pieces.iter().all(|pieces| !pieces.is_empty())
        && begins.is_sorted()
        && known
        && told == others
}

/// Pieces of the first stand behind some of the second, which begins later.
fn stand_among(torus: &Torus, first: usize, second: usize) -> bool {
    torus.pieces[first].iter().any(|&piece| piece > torus.begin(second))
}

/// Neither reads what the other stores.
fn are_strangers(program: &StencilProgram, s: &Statement, t: &Statement) -> bool {
    let stores = |s: &Statement, a: &Access| {
        s.writes.iter().any(|w| slot(program, &w.access) == slot(program, a))
    };
    !s.reads.iter().any(|a| stores(t, a)) && !t.reads.iter().any(|a| stores(s, a))
}

/// What it stores it reads where it stores it, if at all.
fn keeps_to_itself(program: &StencilProgram, s: &Statement) -> bool {
    s.reads.iter().all(|a| {
        let mut stored = s.writes.iter().map(|w| &w.access);
        stored.all(|w| slot(program, w) != slot(program, a) || w.subscripts == a.subscripts)
    })
}

/// It stores where its coordinates say, in the dimensions that go round.
fn lies_where_it_counts(torus: &Torus, s: &Statement) -> bool {
    let round = |d: usize| torus.goes_round(d);
    s.writes.iter().all(|w| {
        (0..torus.round.len()).all(|d| !round(d) || aligned_offset(&w.access, d) == Some(0))
    })
}

struct Question<'a> {
    isl: &'a Isl,
    program: &'a StencilProgram,
    torus: &'a Torus,
    /// Sets that isl has been asked about, and whether they are empty.
    known: RefCell<HashMap<String, bool>>,
}

impl<'a> Question<'a> {
    /// The extents are as large as they are said to be.
    fn context(&self, names: &mut IslNames) -> String {
        let ends = self.torus.round.iter().flatten();
        let large = ends.map(|(lo, hi)| {
            format!("{} - {} >= {}", names.poly(hi), names.poly(lo), self.torus.least - 1)
        });
        large.chain(["0 = 0".to_owned()]).collect::<Vec<_>>().join(" and ")
    }

    fn points(&self, names: &mut IslNames, s: &Statement) -> String {
        let bounds = (0..self.program.dims)
            .map(|d| format!("{} <= s{d} <= {}", names.expr(&s.lo[d]), names.expr(&s.hi[d])));
        let all = bounds.collect::<Vec<_>>().join(" and ");
        format!("{all} and {}", self.context(names))
    }

    fn set(&self, text: impl Fn(&mut IslNames) -> String) -> Result<UnionSet<'a>, Rejection> {
        let space: Vec<String> = (0..self.program.dims).map(|d| format!("s{d}")).collect();
        let mut names = IslNames::new("s");
        let text = text(&mut names);
        UnionSet::parse(self.isl, &names.wrap(&format!("[{}] : {text}", space.join(", "))))
    }

    /// There are sizes of which something is said.
    fn has_sizes(&self) -> Result<bool, Rejection> {
        let any = self.set(|names| self.context(names))?;
        Ok(!any.is_empty()?)
    }

    /// See the head of this file: pieces that stand among those of another statement.
    fn mixed_are_apart(&self) -> Result<bool, Rejection> {
        let all = &self.torus.problem.stencil.statements;
        let dims = 0..self.program.dims;
        let plain = |s: &Statement| {
            let mut writes = s.writes.iter().map(|w| &w.access);
            writes.all(|w| dims.clone().all(|d| aligned_offset(w, d) == Some(0)))
        };
        for (i, s) in all.iter().enumerate() {
            for (j, t) in all.iter().enumerate().skip(i + 1) {
                if !stand_among(self.torus, i, j) {
                    continue;
                }
                let free = self.torus.images.is_empty() && are_strangers(self.program, s, t);
                let both = self.set(|names| {
                    format!("{} and {}", self.points(names, s), self.points(names, t))
                });
                if !free || !plain(s) || !plain(t) || !both?.is_empty()? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Each point of a statement lies in one of its pieces and in no other: along each dimension their intervals lie side by
    /// side, and there is a piece for each choice of one in each dimension.
    fn covers(&self, s: &Statement, pieces: &[&Statement]) -> Result<bool, Rejection> {
        let mut places: Vec<Vec<usize>> = vec![Vec::new(); pieces.len()];
        let mut choices = 1;
        for d in 0..self.program.dims {
            let mut found: Vec<(&IntExpr, &IntExpr)> = Vec::new();
            for (piece, place) in pieces.iter().zip(&mut places) {
                let interval = (&piece.lo[d], &piece.hi[d]);
                let at = found.iter().position(|f| *f == interval).unwrap_or_else(|| {
                    found.push(interval);
                    found.len() - 1
                });
                place.push(at);
            }
            choices *= found.len();
            let whole = (&s.lo[d], &s.hi[d]);
            if found != [whole] && !self.lie_side_by_side(whole, &found)? {
                return Ok(false);
            }
        }
        places.sort_unstable();
        places.dedup();
        Ok(places.len() == pieces.len() && places.len() == choices)
    }

    /// Each point of the interval lies in just one of the others, and all of theirs in it.
    fn lie_side_by_side(
        &self,
        whole: (&IntExpr, &IntExpr),
        parts: &[(&IntExpr, &IntExpr)],
    ) -> Result<bool, Rejection> {
        let interval = |names: &mut IslNames, (lo, hi): (&IntExpr, &IntExpr)| {
            format!("{} <= x <= {} and {}", names.expr(lo), names.expr(hi), self.context(names))
        };
        let set = |of| {
            let mut names = IslNames::new("s");
            let text = interval(&mut names, of);
            UnionSet::parse(self.isl, &names.wrap(&format!("[x] : {text}")))
        };
        let mut rest = set(whole)?;
        for part in parts {
            let points = set(*part)?;
            if !points.is_subset(&rest)? {
                return Ok(false);
            }
            rest = rest.subtract(points)?;
        }
        rest.is_empty()
    }

    /// Images store beyond the grid only, in each of their points, and where their coordinates say.
    fn lie_beyond(&self) -> Result<bool, Rejection> {
        for &image in &self.torus.images {
            let s = &self.program.statements[usize::from(image)];
            let Some(copies) = images::copies(s) else { return Ok(false) };
            let there = |(to, _): &(&Access, &Access)| {
                to.subscripts.len() == self.program.dims
                    && (0..self.program.dims).all(|d| aligned_offset(to, d) == Some(0))
            };
            let inside = self.set(|names| {
                format!("{} and {}", self.points(names, s), self.in_grid(names, "s"))
            })?;
            if !copies.iter().all(there) || !inside.is_empty()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A coordinate lies in the grid, along the dimensions that go round.
    fn in_grid(&self, names: &mut IslNames, coordinate: &str) -> String {
        let mut all = vec!["0 = 0".to_owned()];
        for (d, ends) in self.torus.round.iter().enumerate() {
            if let Some((lo, hi)) = ends {
                all.push(format!("{} <= {coordinate}{d} <= {}", names.poly(lo), names.poly(hi)));
            }
        }
        all.join(" and ")
    }

    fn map(
        &self,
        from: &str,
        to: &[String],
        text: impl Fn(&mut IslNames) -> String,
    ) -> Result<UnionMap<'a>, Rejection> {
        let space: Vec<String> = (0..self.program.dims).map(|d| format!("{from}{d}")).collect();
        let mut names = IslNames::new("s");
        let text = text(&mut names);
        let map = format!("[{}] -> [{}] : {text}", space.join(", "), to.join(", "));
        UnionMap::parse(self.isl, &names.wrap(&map))
    }

    /// Of a slot, each place in the grid holds itself.
    fn grid(&self) -> Result<UnionMap<'a>, Rejection> {
        let same: Vec<String> = (0..self.program.dims).map(|d| format!("s{d}")).collect();
        self.map("s", &same, |names| {
            format!("{} and {}", self.in_grid(names, "s"), self.context(names))
        })
    }

    /// What cells hold after an image of some of them has been made; and whether all of it is of places in the grid.
    fn fill(
        &self,
        held: UnionMap<'a>,
        image: &Statement,
        from: &Access,
    ) -> Result<(UnionMap<'a>, bool), Rejection> {
        let mut names = IslNames::new("s");
        let places = self.places(&mut names, from);
        let copy = self.map("s", &places, |names| self.points(names, image))?;
        let filled = self.set(|names| self.points(names, image))?;
        let copied = copy.apply_range(held.copy()?)?;
        let all = filled.is_subset(&copied.copy()?.domain()?)?;
        Ok((held.subtract_domain(filled)?.union(copied)?, all))
    }

    /// See [`rounds`].
    fn rounds(&self) -> Result<Option<i64>, Rejection> {
        let statement = |&i: &u16| &self.program.statements[usize::from(i)];
        let copies = |i: &u16| images::copies(statement(i)).unwrap_or_default();
        let to =
            |i| copies(i).into_iter().map(|(to, _)| slot(self.program, to)).collect::<Vec<_>>();
        let slots: BTreeSet<(u16, i32)> = self.torus.images.iter().flat_map(to).collect();
        let mut most = 1;
        for of in slots {
            let mut held = self.grid()?;
            let mut found = None;
            for round in 1..=2 {
                let mut all = true;
                for image in &self.torus.images {
                    for (to, from) in copies(image) {
                        if slot(self.program, to) == of {
                            let (now, whole) = self.fill(held, statement(image), from)?;
                            (held, all) = (now, all && whole);
                        }
                    }
                }
                if all {
                    found = Some(round);
                    break;
                }
            }
            let Some(round) = found else { return Ok(None) };
            most = most.max(round);
        }
        Ok(Some(most))
    }

    /// Of a slot, the places in the grid that cells hold when a statement on the torus begins: their own, or those whose images
    /// they are; `None` if the slot is stored to after images of it were made.
    fn held(&self, at: usize, a: &Access) -> Result<Option<UnionMap<'a>>, Rejection> {
        let program = self.program;
        let mut held = self.grid()?;
        let seen = self.torus.seen(program, at, a);
        if seen.steps > 0 && !seen.images.iter().all(|i| self.torus.later.contains(i)) {
            return Ok(None);
        }
        for &image in &seen.images {
            let s = &program.statements[usize::from(image)];
            for (to, from) in images::copies(s).into_iter().flatten() {
                if slot_after(program, to, seen.steps) != slot(program, a) {
                    continue;
                }
                (held, _) = self.fill(held, s, from)?;
            }
        }
        let stores = |s: u16, steps: i32| {
            let mut writes = program.statements[usize::from(s)].writes.iter();
            !self.torus.images.contains(&s)
                && writes.any(|w| slot_after(program, &w.access, steps) == slot(program, a))
        };
        let (begin, end) = (self.torus.begin(at), program.statements.len() as u16);
        let between = match (seen.images.first(), seen.steps) {
            (None, _) => false,
            (Some(&first), 0) => (first..begin).any(|s| stores(s, 0)),
            (Some(&first), steps) => {
                (first..end).any(|s| stores(s, steps)) || (0..begin).any(|s| stores(s, 0))
            }
        };
        Ok(if between { None } else { Some(held) })
    }

    /// Subscripts of an access.
    fn places(&self, names: &mut IslNames, a: &Access) -> Vec<String> {
        let place = |s: &Subscript| {
            let offset = names.poly(&s.offset);
            s.dim.map_or(offset.clone(), |dim| format!("s{dim} + {offset}"))
        };
        a.subscripts.iter().map(place).collect()
    }

    /// A piece reads, at all of its points, what it is told to, or images of it.
    fn reads_images(
        &self,
        at: usize,
        piece: &Statement,
        found: &Access,
        told: &Access,
    ) -> Result<bool, Rejection> {
        let dims = self.program.dims;
        let offsets: Option<Vec<i64>> = (0..dims).map(|d| aligned_offset(told, d)).collect();
        let (Some(offsets), true) = (offsets, found.subscripts.len() == dims) else {
            return Ok(false);
        };
        let Some(held) = self.held(at, told)? else { return Ok(false) };
        let mut names = IslNames::new("s");
        let places = self.places(&mut names, found);
        let found = self.map("s", &places, |names| self.points(names, piece))?.apply_range(held)?;
        let wanted: Vec<String> = (0..dims).map(|d| format!("w{d}")).collect();
        let wanted = self.map("s", &wanted, |names| {
            let mut all = vec![self.points(names, piece), self.in_grid(names, "w")];
            for (d, ends) in self.torus.round.iter().enumerate() {
                let place = format!("s{d} + {}", offsets[d]);
                all.push(match ends {
                    Some((lo, hi)) => {
                        let extent = format!("({} - {} + 1)", names.poly(hi), names.poly(lo));
                        format!(
                            "(w{d} = {place} or w{d} = {place} + {extent} or w{d} = {place} - {extent})"
                        )
                    }
                    None => format!("w{d} = {place}"),
                });
            }
            all.join(" and ")
        })?;
        // Each cell holds one place, and each point wants one at least.
        let all = self.set(|names| self.points(names, piece))?;
        Ok(wanted.is_subset(&found)? && all.is_subset(&wanted.domain()?)?)
    }

    /// A piece reads, at all of its points, where it is told to.
    fn reads(&self, piece: &Statement, found: &Access, told: &Access) -> Result<bool, Rejection> {
        for (d, (found, told)) in found.subscripts.iter().zip(&told.subscripts).enumerate() {
            let dim = dim_of(told);
            let Some((lo, hi)) = dim.and_then(|dim| self.torus.round.get(dim)?.as_ref()) else {
                if found == told {
                    continue;
                }
                return Ok(false);
            };
            let moves_along = |s: &Subscript| s.dim.is_none() || dim_of(s) == dim;
            if told.offset.as_constant().is_none() || !moves_along(found) {
                return Ok(false);
            }
            let along = dim.unwrap_or(d);
            let mut names = IslNames::new("s");
            let place = |names: &mut IslNames, s: &Subscript| {
                let offset = names.poly(&s.offset);
                s.dim.map_or(offset.clone(), |_| format!("x + {offset}"))
            };
            let (found, wanted) = (place(&mut names, found), place(&mut names, told));
            let (lo, hi) = (names.poly(lo), names.poly(hi));
            let (first, last) = (names.expr(&piece.lo[along]), names.expr(&piece.hi[along]));
            let context = self.context(&mut names);
            let wrong = names.wrap(&format!(
                "[x] : {first} <= x <= {last} and {context} and not ({lo} <= {found} <= {hi} and \
                 ({found} = {wanted} or {found} = {wanted} + ({hi} - {lo} + 1) \
                 or {found} = {wanted} - ({hi} - {lo} + 1)))"
            ));
            if !self.is_empty(wrong)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn is_empty(&self, set: String) -> Result<bool, Rejection> {
        if let Some(&known) = self.known.borrow().get(&set) {
            return Ok(known);
        }
        let answer = UnionSet::parse(self.isl, &set)?.is_empty()?;
        self.known.borrow_mut().insert(set, answer);
        Ok(answer)
    }
}

fn dim_of(s: &Subscript) -> Option<usize> {
    s.dim.map(usize::from)
}
