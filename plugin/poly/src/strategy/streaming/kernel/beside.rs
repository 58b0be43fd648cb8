//! Blocks near the border of two dimensions: most of their planes lie between those of the border, and apart from rows of
//! their own (walls, sources, receivers: statements that are thin along the streamed dimension). Levels of such rows, and the
//! boxes' ends in the streamed dimension, are looked at only where they are.
//!
//! ```text
//! if the block owns planes near a row or the border's: as if it owned these only, at the border, or, if its columns lie inside
//!     everything, as if there were rows only
//! twice:
//!     if it owns planes before them, the second time after them: as if it owned these only, beside them
//! ```
//! Each begins anew, and computes what lies around the planes that it owns: nothing is kept in registers from one to the next.
//! Their loops are written out for one plane only, behind which rings of registers hand on what they hold: few blocks go through
//! them, that wait for their code first of all.

use super::bounds::{Bounds, Interval, apart, flag};
use super::registers::Rows;
use super::rounds::{FAR, Round};
use super::{Builder, Where};
use crate::kernel::ir::{Cond, IExpr, Node};
use crate::stencil::Statement;

/// Owned planes near a row or the border's: the first, and the one after the last; both far beyond all if there are none.
struct Near {
    begin: IExpr,
    end: IExpr,
}

impl Builder<'_> {
    /// True where there are such rows.
    pub(super) fn goes_beside(&self) -> bool {
        let is_row = |s: &Statement| Where::Beside.lacks(s);
        self.shape.short.is_some() && self.program().statements.iter().any(is_row)
    }

    /// All that such a block does.
    pub(super) fn beside(&mut self, bounds: &mut Bounds, owned: &Interval) -> Vec<Node> {
        let near = self.planes_near(bounds, owned);
        let mut body = std::mem::take(&mut self.head);
        let last = near.end.clone().plus(IExpr::Const(-1)).lesser(owned.1.clone());
        let near_rows = |b: &mut Self, bounds: &mut Bounds| {
            let cond = bounds.columns_inside(b);
            let then = b.alone(bounds, Where::Rows);
            let otherwise = b.alone(bounds, Where::Border);
            vec![Node::If { cond, then, otherwise }]
        };
        body.push(self.part_of(bounds, (near.begin.clone(), last), near_rows));
        let round = Round(self.var());
        let planes = round.outside(owned, near.begin, near.end);
        let planes = (self.bind(planes.0), self.bind(planes.1));
        let mut each = std::mem::take(&mut self.head);
        each.push(self.part_of(bounds, planes, |b, bounds| b.alone(bounds, Where::Beside)));
        body.push(round.twice(each));
        body
    }

    /// All rings of planes.
    pub(super) fn all_rings(&self) -> Vec<Rows> {
        let handed = self.cuts.iter().flatten().flat_map(|cuts| cuts.handed.iter().flatten());
        let ahead = (0u16..).zip(&self.tile.versions).filter_map(|(v, _)| self.ahead.get(&v));
        let all = self.rings.iter().chain(self.neighbours.rings()).chain(handed).chain(ahead);
        all.copied().collect()
    }

    /// What a block that owns these planes does, if there are some.
    fn part_of(
        &mut self,
        bounds: &mut Bounds,
        owned: Interval,
        work: impl FnOnce(&mut Self, &mut Bounds) -> Vec<Node>,
    ) -> Node {
        let cond = Cond::Le(owned.0.clone(), owned.1.clone());
        let part = self.stream_of(owned);
        let whole = bounds.stream.replace(part);
        let mut then = std::mem::take(&mut self.head);
        then.extend(work(self, bounds));
        bounds.stream = whole;
        Node::If { cond, then, otherwise: Vec::new() }
    }

    /// One of the bodies. What that binds is bound there only.
    fn alone(&mut self, bounds: &mut Bounds, mode: Where) -> Vec<Node> {
        let known = (self.owned.clone(), self.recorded.clone());
        bounds.approach(self, mode);
        let body = self.body(bounds, mode);
        bounds.leave();
        self.existing.clear();
        self.stored.clear();
        (self.owned, self.recorded) = known;
        let mut out = std::mem::take(&mut self.head);
        out.extend(body);
        out
    }

    /// The hull of all owned planes of which some that a block looks at are not beside a row, or the end of a box.
    fn planes_near(&mut self, bounds: &Bounds, owned: &Interval) -> Near {
        let (before, after) = self.shape.looks_beyond(self.flow, self.tile);
        let at = |x: &IExpr, by: i64| x.clone().plus(IExpr::Const(by));
        let mut all: Vec<Interval> = Vec::new();
        let statements = self.program().statements.iter().zip(&bounds.statements);
        let (rows, others): (Vec<_>, Vec<_>) =
            statements.partition(|(s, _)| Where::Beside.lacks(s));
        let written = self.carried.iter().map(|c| &bounds.written[&c.array][0]);
        for (lo, hi) in others.iter().map(|(_, planes)| &planes[0]).chain(written) {
            all.push((IExpr::Const(-FAR), at(lo, before - 1)));
            all.push((at(hi, 1 - after), IExpr::Const(FAR)));
        }
        let columns = bounds.range[1].clone();
        all.extend(rows.iter().map(|(_, row)| {
            // Far below all planes if it has no column that the block looks at.
            let away = IExpr::Const(FAR).minus(flag(apart(&row[1], &columns)).times(2 * FAR));
            (at(&row[0].0, -after), at(&row[0].1, before).lesser(away))
        }));
        let (mut begin, mut end) = (IExpr::Const(FAR), IExpr::Const(-FAR));
        for (lo, hi) in widest(all) {
            let lo = self.bind(lo.greater(owned.0.clone()));
            let hi = self.bind(hi.lesser(owned.1.clone()));
            let away = self.bind(flag(lo.clone().minus(hi.clone())).times(2 * FAR));
            begin = begin.lesser(lo.plus(away.clone()));
            end = end.greater(hi.minus(away));
        }
        let (begin, end) = (self.bind(begin), self.bind(end));
        // A part of its own computes as many planes again: few others are gone through with those near rows.
        let few = |rest: IExpr| {
            let part = flag(IExpr::Const(before + after + 1).minus(rest.clone()));
            rest.product(part)
        };
        let rests = (begin.clone().minus(owned.0.clone()), owned.1.clone().minus(end.clone()));
        let rests = (self.bind(rests.0), self.bind(rests.1));
        let (begin, end) = (begin.minus(few(rests.0)), end.plus(few(rests.1)));
        let (begin, end) = (self.bind(begin), self.bind(end));
        // FAR where there are none.
        let away = flag(begin.clone().minus(end.clone())).times(2 * FAR);
        let end = end.greater(away.plus(IExpr::Const(-FAR))).plus(IExpr::Const(1));
        Near { begin, end: self.bind(end) }
    }
}

/// Of intervals whose ends differ by constants, hulls.
fn widest(all: Vec<Interval>) -> Vec<Interval> {
    let mut out: Vec<Interval> = Vec::new();
    let apart = |a: &IExpr, b: &IExpr| a.clone().minus(b.clone()).as_const();
    for (lo, hi) in all {
        let known = out.iter_mut().find_map(|known| {
            let (below, above) = (apart(&lo, &known.0)?, apart(&hi, &known.1)?);
            Some((known, below, above))
        });
        match known {
            Some((known, below, above)) => {
                if below < 0 {
                    known.0 = lo;
                }
                if above > 0 {
                    known.1 = hi;
                }
            }
            None => out.push((lo, hi)),
        }
    }
    out
}
