//! Which sweeps can be said with sections, and which with `do concurrent`: from a sweep to yes or no. Refused are
//! locals, subscripts that make no array of the section's rank, and iterations that read what others set.

use super::*;

impl Writer<'_> {
    /// Whether a sweep can be said with sections.
    pub(super) fn sectionable(&self, sweep: &Sweep) -> bool {
        let still = sweep.moving.is_none();
        still && sweep.body.iter().all(|s| self.stmt_sections(s, &sweep.axes, true))
    }

    pub(super) fn stmt_sections(&self, stmt: &Stmt, axes: &[Axis], outer: bool) -> bool {
        match stmt {
            Stmt::Let(..) => false,
            Stmt::Store { place, value, .. } => near(&place.at) && self.rank(value, axes).is_some(),
            Stmt::If { when, then, other } => {
                outer
                    && is_looped(axes)
                    && self.cond_rank(when, axes) == Some(true)
                    && !then.is_empty()
                    && then
                        .iter()
                        .chain(other)
                        .all(|s| !matches!(s, Stmt::Fold(..)) && self.stmt_sections(s, axes, false))
            }
            Stmt::Fold(_, value) => self.rank(value, axes) == Some(true) || !is_looped(axes),
        }
    }

    /// Whether an expression is an array in a section's scope; `None` if it can't stand there.
    pub(super) fn rank(&self, expr: &Expr, axes: &[Axis]) -> Option<bool> {
        let both = |a: &Expr, b: &Expr| Some(self.rank(a, axes)? | self.rank(b, axes)?);
        match expr {
            Expr::Number(_) | Expr::Scalar(_) => Some(false),
            Expr::Load(place) => rank_of(&place.at, axes),
            Expr::Input(input, at) => match self.p.inputs[*input].axis {
                None => rank_of(at, axes),
                Some(_) => None,
            },
            Expr::Local(_) | Expr::Coordinate(_) => None,
            Expr::Unary(_, a) | Expr::Whole(_, a, _) => self.rank(a, axes),
            Expr::Binary(_, a, b) => both(a, b),
            Expr::Choose(when, a, b) => Some(self.cond_rank(when, axes)? | both(a, b)?),
        }
    }

    pub(super) fn cond_rank(&self, cond: &Cond, axes: &[Axis]) -> Option<bool> {
        match cond {
            Cond::Less(a, b) | Cond::Equal(a, b) => Some(self.rank(a, axes)? | self.rank(b, axes)?),
            Cond::Inside(_) | Cond::Before(_) | Cond::Even { .. } => None,
            Cond::Mask(input, at) => self.rank(&Expr::Input(*input, at.clone()), axes),
            Cond::Not(a) => self.cond_rank(a, axes),
            Cond::And(a, b) | Cond::Or(a, b) => {
                Some(self.cond_rank(a, axes)? | self.cond_rank(b, axes)?)
            }
        }
    }
}

/// Whether a place moves with the point along every dimension.
pub(super) fn near(at: &[Index]) -> bool {
    at.iter().all(|index| matches!(index, Index::Near(_)))
}

/// Whether these subscripts make an array in a section's scope; `None` if it would have another rank.
pub(super) fn rank_of(at: &[Index], axes: &[Axis]) -> Option<bool> {
    let spans = || at.iter().zip(axes).filter(|(_, axis)| matches!(axis, Axis::Span { .. }));
    let moving = spans().filter(|(index, _)| matches!(index, Index::Near(_))).count();
    let fixed = spans().filter(|(index, _)| matches!(index, Index::At(_))).count();
    let all = spans().count();
    let others = at.iter().any(|index| matches!(index, Index::Wrap(_) | Index::Clamp(_)));
    match (moving, fixed) {
        _ if others => None,
        (m, 0) if m == all => Some(all > 0),
        (0, f) if f == all => Some(false),
        _ => None,
    }
}

/// Whether a sweep reads or sets elements that stand still.
pub(super) fn is_fixed(sweep: &Sweep) -> bool {
    let mut found = sweep.axes.iter().any(|axis| matches!(axis, Axis::At(_)));
    for stmt in &sweep.body {
        stmt.each_expr(&mut |expr| {
            if let Expr::Load(place) = expr {
                found |= place.at.iter().any(|index| matches!(index, Index::At(_)));
            }
        });
    }
    found
}

/// Whether the iterations of a sweep may come in any order: each sets places of its own, and reads no others of these
/// grids.
pub(super) fn independent(sweep: &Sweep) -> bool {
    let written = written(&sweep.body);
    let own = |at: &[Index]| {
        at.iter().zip(&sweep.axes).all(|(index, axis)| match axis {
            Axis::Span { .. } => *index == Index::Near(0),
            Axis::At(_) => matches!(index, Index::Near(0)),
        })
    };
    let mut fine = sweep.body.iter().all(|s| stores_to(s, &own));
    for stmt in &sweep.body {
        stmt.each_expr(&mut |expr| {
            if let Expr::Load(place) = expr {
                fine &= !written.contains(&(place.field, place.level)) || own(&place.at);
            }
        });
    }
    fine
}

/// Whether a statement only stores, to places that are `fit`.
pub(super) fn stores_to(stmt: &Stmt, fit: &dyn Fn(&[Index]) -> bool) -> bool {
    match stmt {
        Stmt::Store { place, .. } => fit(&place.at),
        Stmt::If { then, other, .. } => then.iter().chain(other).all(|s| stores_to(s, fit)),
        Stmt::Let(..) | Stmt::Fold(..) => false,
    }
}
