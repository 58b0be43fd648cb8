//! What a launch leaves: of each carried slot, the elements that the nest may write in the box that the block owns.

use super::bounds::{Bounds, Interval, within};
use super::load::widest;
use super::{Builder, Turn, Where};
use crate::kernel::ir::{Cond, IExpr, Node};
use crate::strategy::streaming::shape::Shape;

impl Builder<'_> {
    /// Stores a version, just made, to every slot that it is left in.
    pub(super) fn store(&mut self, bounds: &Bounds, turn: &Turn, version: u16) -> Vec<Node> {
        let mut out = Vec::new();
        for (i, c) in self.carried.iter().enumerate() {
            if self.tile.left[i] == version {
                let buffers = [c.buffers[1], c.buffers[0]];
                out.extend(self.store_to(bounds, turn, version, c.array, buffers));
            }
        }
        out
    }

    fn store_to(
        &mut self,
        bounds: &Bounds,
        turn: &Turn,
        version: u16,
        array: u16,
        buffers: [u16; 2],
    ) -> Vec<Node> {
        let delay = self.tile.delay_of(version);
        let (z, s) = (turn.plane(delay), self.shape.sizes);
        let from = self.rings[usize::from(self.seen(version, turn.mode))].plane(turn.index - delay);
        let anchor = self.flow.anchor(array).unwrap_or_default();
        let aligned = anchor.last().is_none_or(|a| a % s.vector == 0);
        let count = if aligned { widest(self.elem(array), s.vector) } else { 1 };
        let mut out = Vec::new();
        for row in 0..s.rows {
            let coords = self.coordinates(bounds, &z, row, 0);
            let shape = self.shape;
            let mut copy = |count: i64| {
                let one = |column: i64| {
                    let coords = self.coordinates(bounds, &z, row, column);
                    let at = self.subscripts(array, &coords);
                    let to = self.buffer(array, buffers[0], buffers[1], at);
                    let from = from.at(row, column);
                    match count {
                        1 => Node::Copy { to, from },
                        _ => Node::Vector { to, from, count: count as u32 },
                    }
                };
                (0..s.vector).step_by(count as usize).map(one).collect::<Vec<Node>>()
            };
            let mut owned = self::owned(shape, bounds, &z, row);
            let stores = match turn.mode {
                Where::Inside => copy(count),
                Where::Border => {
                    let written = &bounds.written[&array];
                    let last = coords.len() - 1;
                    let outer = coords.iter().zip(written).take(last);
                    owned.extend(outer.flat_map(|(x, i)| within(x, i)));
                    let (lo, hi) = written[last].clone();
                    let x = |column: i64| coords[last].clone().plus(IExpr::Const(column));
                    let each = copy(1).into_iter().zip(0..).map(|(node, column)| Node::If {
                        cond: Cond::All(within(&x(column), &(lo.clone(), hi.clone())).into()),
                        then: vec![node],
                        otherwise: Vec::new(),
                    });
                    let each = each.collect();
                    let whole = Cond::All(vec![Cond::Le(lo, x(0)), Cond::Le(x(s.vector - 1), hi)]);
                    vec![Node::If { cond: whole, then: copy(count), otherwise: each }]
                }
            };
            out.push(Node::If { cond: Cond::All(owned), then: stores, otherwise: Vec::new() });
        }
        out
    }
}

/// The conditions that a thread's row in a plane is one that the block owns.
fn owned(shape: &Shape, bounds: &Bounds, plane: &IExpr, row: i64) -> Vec<Cond> {
    let constant = |(lo, hi): (i64, i64)| -> Interval { (IExpr::Const(lo), IExpr::Const(hi)) };
    let mut out = Vec::new();
    if let Some(stream) = &bounds.stream {
        out.extend(within(plane, &stream.owned));
    }
    if bounds.y.is_some() {
        let at = IExpr::Thread(1).times(shape.sizes.rows).plus(IExpr::Const(row));
        out.extend(within(&at, &constant(bounds.rows)));
    }
    out.extend(within(&IExpr::Thread(0), &constant(bounds.lanes)));
    out
}
