//! Whether a program on a torus is the program that it is said to be. It takes nothing from the search for pieces.
//!
//! For all sizes with so many points as [`Torus::least`] says, of each statement on the torus:
//!
//! - its pieces have its body and write as it does, and each of their points is one of its own: every point of its box lies in
//!   the box of just one piece;
//! - a piece reads where it reads, taken modulo the extents of the dimensions that go round; in others at the same place;
//! - no piece reads what another one stores: what they store is read by the instance itself only;
//! - pieces follow one another in the program, and statements stand in its order.

use super::Torus;
use crate::isl::{ANALYSIS_BUDGET, Isl, UnionSet};
use crate::rejection::Rejection;
use crate::schedule::staging::aligned_offset;
use crate::scop::IslNames;
use crate::stencil::{Statement, StencilProgram};
use hexpass_abi::Access;

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
    for (s, pieces) in on_torus.statements.iter().zip(&torus.pieces) {
        let pieces: Vec<&Statement> =
            pieces.iter().map(|&p| &program.statements[usize::from(p)]).collect();
        let question = Question { isl: &isl, torus, dims: program.dims };
        if !pieces.iter().all(|p| is_made_alike(s, p))
            || !keeps_to_itself(program, s)
            || !lies_where_it_counts(torus, s)
            || !question.covers(s, &pieces)?
        {
            return Ok(false);
        }
        for piece in pieces {
            for (at, told) in piece.reads.iter().zip(&s.reads) {
                if !question.reads(piece, at, told)? {
                    return Ok(false);
                }
            }
        }
    }
    Ok(true)
}

/// Every statement of the program is a piece of one, those of one follow another, and so do these.
fn is_in_order(program: &StencilProgram, torus: &Torus) -> bool {
    let mut next = 0;
    torus.pieces.len() == torus.problem.stencil.statements.len()
        && torus.pieces.iter().all(|pieces| {
            let mut all = pieces.clone();
            all.sort_unstable();
            let follows = all.iter().all(|&p| {
                next += 1;
                p + 1 == next
            });
            follows && !pieces.is_empty()
        })
        && usize::from(next) == program.statements.len()
}

fn is_made_alike(s: &Statement, piece: &Statement) -> bool {
    let same = |(a, b): (&Access, &Access)| {
        a.array == b.array && a.rotation == b.rotation && a.subscripts.len() == b.subscripts.len()
    };
    s.body == piece.body
        && s.writes == piece.writes
        && s.entries == piece.entries
        && s.reads.len() == piece.reads.len()
        && s.reads.iter().zip(&piece.reads).all(same)
}

/// What it stores it reads where it stores it, if at all.
fn keeps_to_itself(program: &StencilProgram, s: &Statement) -> bool {
    let slot = |a: &Access| {
        let slots = program.arrays[usize::from(a.array)].slots.len().max(1);
        (a.array, a.rotation.rem_euclid(slots as i32))
    };
    s.reads.iter().all(|a| {
        let mut stored = s.writes.iter().map(|w| &w.access);
        stored.all(|w| slot(w) != slot(a) || w.subscripts == a.subscripts)
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
    torus: &'a Torus,
    dims: usize,
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
        let bounds = (0..self.dims)
            .map(|d| format!("{} <= s{d} <= {}", names.expr(&s.lo[d]), names.expr(&s.hi[d])));
        let all = bounds.collect::<Vec<_>>().join(" and ");
        format!("{all} and {}", self.context(names))
    }

    fn set(&self, text: impl Fn(&mut IslNames) -> String) -> Result<UnionSet<'a>, Rejection> {
        let space: Vec<String> = (0..self.dims).map(|d| format!("s{d}")).collect();
        let mut names = IslNames::new("s");
        let text = text(&mut names);
        UnionSet::parse(self.isl, &names.wrap(&format!("[{}] : {text}", space.join(", "))))
    }

    /// Each point of a statement lies in one of its pieces and in no other.
    fn covers(&self, s: &Statement, pieces: &[&Statement]) -> Result<bool, Rejection> {
        let mut rest = self.set(|names| self.points(names, s))?;
        for piece in pieces {
            let points = self.set(|names| self.points(names, piece))?;
            if !points.is_subset(&rest)? {
                return Ok(false);
            }
            rest = rest.subtract(points)?;
        }
        rest.is_empty()
    }

    /// A piece reads, at all of its points, where it is told to.
    fn reads(&self, piece: &Statement, at: &Access, told: &Access) -> Result<bool, Rejection> {
        for d in 0..at.subscripts.len() {
            let moves = told.subscripts[d].dim.map(usize::from);
            let ends = moves.and_then(|m| self.torus.round.get(m)?.as_ref());
            let Some((lo, hi)) = ends else {
                if at.subscripts[d] == told.subscripts[d] {
                    continue;
                }
                return Ok(false);
            };
            // The subscript of the array where the dimension begins is that of the coordinate, for what it goes round in.
            if aligned_offset(told, d).is_none() {
                return Ok(false);
            }
            let wrong = self.set(|names| {
                let subscript = |names: &mut IslNames, a: &Access| {
                    let s = &a.subscripts[d];
                    let offset = names.poly(&s.offset);
                    s.dim.map_or(offset.clone(), |dim| format!("s{dim} + {offset}"))
                };
                let (found, wanted) = (subscript(names, at), subscript(names, told));
                let (lo, hi) = (names.poly(lo), names.poly(hi));
                let extent = format!("({hi} - {lo} + 1)");
                let points = self.points(names, piece);
                format!(
                    "{points} and not ({lo} <= {found} <= {hi} and ({found} = {wanted} \
                     or {found} = {wanted} + {extent} or {found} = {wanted} - {extent}))"
                )
            })?;
            if !wrong.is_empty()? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
