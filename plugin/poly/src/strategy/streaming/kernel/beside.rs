//! Blocks near the border of two dimensions: most of their planes lie between those of the border, and apart from rows of
//! their own (walls, sources, receivers: statements that are thin along the streamed dimension). Levels of such rows, and the
//! boxes' ends in the streamed dimension, are looked at only where they are.
//!
//! ```text
//! if the block owns planes near a row or the border's: as if it owned these only, at the border
//! twice:
//!     if it owns planes before them, the second time after them: as if it owned these only, beside them
//! ```
//! Each begins anew, and computes what lies around the planes that it owns: nothing is kept in registers from one to the next.

use super::bounds::{Bounds, Interval, flag};
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
        body.push(self.part_of(bounds, Where::Border, (near.begin.clone(), last)));
        let round = Round(self.var());
        let planes = round.outside(owned, near.begin, near.end);
        let planes = (self.bind(planes.0), self.bind(planes.1));
        let mut each = std::mem::take(&mut self.head);
        each.push(self.part_of(bounds, Where::Beside, planes));
        body.push(round.twice(each));
        body
    }

    /// What a block that owns these planes does, if there are some.
    fn part_of(&mut self, bounds: &mut Bounds, mode: Where, owned: Interval) -> Node {
        let cond = Cond::Le(owned.0.clone(), owned.1.clone());
        let whole = bounds.stream.replace(self.stream_of(owned));
        bounds.approach(self, mode);
        let body = self.body(bounds, mode);
        let mut then = std::mem::take(&mut self.head);
        then.extend(body);
        // What has been bound is bound for this part only.
        bounds.stream = whole;
        bounds.leave();
        self.existing.clear();
        self.stored.clear();
        self.recorded.retain(|near, _| near.is_none());
        Node::If { cond, then, otherwise: Vec::new() }
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
            let (first, last) = row[1].clone();
            let apart = first.minus(columns.1.clone()).greater(columns.0.clone().minus(last));
            let away = IExpr::Const(FAR).minus(flag(apart).times(2 * FAR));
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
