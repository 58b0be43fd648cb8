//! Blocks whose rows and columns lie inside everything, but not all of their planes: these go through planes of the border
//! first, then through those between as blocks inside do, then through planes of the border again.
//!
//! ```text
//! load the first planes ahead
//! twice:
//!     what only planes of the border need
//!     for z, the first time the planes up to those between, the second time those after: as near the border
//!     if there may be planes between:
//!         for z, the first time those planes: as inside
//! ```
//! Both loops stand there once: code is no longer than that of blocks that are either inside or not.

use super::bounds::{Bounds, Demand, Interval, Stream};
use super::masks::bit;
use super::{Builder, Where};
use crate::kernel::build::thin;
use crate::kernel::ir::{Cond, IExpr, LoopKind, Node};

/// Beyond all coordinates; twice that is still within what kernels for threads may compute with.
pub const FAR: i64 = 1 << 29;

/// Those before the planes between, and those after.
const ROUNDS: i64 = 2;

/// The loop over the planes between.
struct Between {
    /// 1 if there may be some, else 0.
    exist: IExpr,
    /// Where it begins, the last plane at which it may take another turn, and where it has ended.
    begin: IExpr,
    last: IExpr,
    end: IExpr,
}

/// The variable of a loop that goes through planes twice: 0 and 1.
#[derive(Clone, Copy)]
pub struct Round(pub u16);

impl Round {
    /// From far below all planes to far above.
    fn far(self) -> IExpr {
        IExpr::Var(self.0).times(2 * FAR).plus(IExpr::Const(-FAR))
    }

    /// The first time the planes before `begin`, the second time those from `end` on.
    pub fn outside(self, (first, last): &Interval, begin: IExpr, end: IExpr) -> Interval {
        let far = self.far();
        let lo = first.clone().greater(end.lesser(far.clone()));
        (lo, last.clone().lesser(begin.plus(IExpr::Const(-1)).greater(far)))
    }

    /// The loop.
    pub fn twice(self, body: Vec<Node>) -> Node {
        let (lo, hi) = (IExpr::Const(0), IExpr::Const(ROUNDS - 1));
        Node::For { var: self.0, lo, hi, step: 1, kind: LoopKind::Sequential, body }
    }
}

impl Builder<'_> {
    /// True if the shape wants it, and both ways through a plane leave the same values in registers.
    pub(super) fn has_rounds(&self) -> bool {
        self.shape.rounds
            && !self.program().statements.iter().any(thin)
            && self.loaded(Where::Inside) == self.loaded(Where::Border)
            && (0..self.tile.levels.len()).all(|l| {
                let places = |mode| {
                    let all = self.wanted(l, mode, 0).into_iter();
                    all.map(|w| (w.version, w.age, w.row, w.column)).collect::<Vec<_>>()
                };
                places(Where::Inside) == places(Where::Border)
            })
    }

    /// All that a block does.
    pub(super) fn rounds(&mut self, bounds: &mut Bounds, stream: &Stream) -> Vec<Node> {
        let between = self.planes_between(bounds, stream);
        let first = self.load_first(bounds, Where::Border, &stream.first);
        let mut body = std::mem::take(&mut self.head);
        body.extend(first);
        // What was bound for the first planes is bound again, so that nothing of it is kept through the loops.
        self.existing.clear();
        let round = Round(self.var());
        let far = round.far();
        let last = between.last.lesser(far.times(-1));
        let inside = self.planes(bounds, Where::Inside, between.begin.clone(), last);
        bounds.approach(self, Where::Border);
        let all = (stream.first.clone(), stream.last.clone());
        let (lo, hi) = round.outside(&all, between.begin, between.end);
        let border = self.planes(bounds, Where::Border, lo, hi);
        let mut each = std::mem::take(&mut self.head);
        let cond = Cond::Le(IExpr::Const(1), between.exist);
        each.extend([border, Node::If { cond, then: vec![inside], otherwise: Vec::new() }]);
        body.push(round.twice(each));
        body
    }

    /// Of a block that lies between the border's rows and columns the planes that do too, in steps of the loop; of others
    /// none, far away.
    fn planes_between(&mut self, bounds: &Bounds, stream: &Stream) -> Between {
        // How far before the plane at which the loop stands, and how far after it, something is looked at.
        let levels = 0..self.tile.levels.len();
        let latest = self.tile.levels.iter().map(|l| l.delay).max().unwrap_or(0);
        let lead = levels.map(|l| self.keeping_lead(l)).max().unwrap_or(0);
        let unroll = self.shape.unroll;
        let ahead = unroll - 1 + self.shape.ahead.max(lead);
        let (mut lo, mut hi) = (stream.first.clone(), stream.last.clone());
        let mut exist = IExpr::Const(1);
        for Demand { dim, range, outer } in bounds.demands(self) {
            if dim == 0 {
                let whole = &bounds.range[0];
                let below = range.0.minus(whole.0.clone()).plus(IExpr::Const(-latest));
                let above = range.1.minus(whole.1.clone()).plus(IExpr::Const(ahead));
                (lo, hi) = (lo.greater(outer.0.minus(below)), hi.lesser(outer.1.minus(above)));
            } else {
                exist = exist.lesser(bit(&range.0, &outer)).lesser(bit(&range.1, &outer));
            }
        }
        let exist = self.bind(exist);
        let away = IExpr::Const(1).minus(exist.clone()).times(FAR);
        let whole = |planes: IExpr| planes.floor_div(unroll).times(unroll);
        let from = lo.minus(stream.first.clone()).plus(IExpr::Const(unroll - 1));
        let begin = self.bind(stream.first.clone().plus(whole(from)));
        let last = self.bind(hi);
        let planes = last.clone().minus(begin.clone()).plus(IExpr::Const(unroll));
        let end = begin.clone().plus(whole(planes).greater(IExpr::Const(0)));
        let (begin, end) = (self.bind(begin.plus(away.clone())), self.bind(end.plus(away)));
        Between { exist, begin, last, end }
    }
}
