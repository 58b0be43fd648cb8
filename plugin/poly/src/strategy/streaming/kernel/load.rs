//! Rows of memory: of carried slots, of what the nest never writes, and of arrays that are only read.
//!
//! Near the border a row is loaded as a whole from addresses that are sure to exist.

use super::bounds::Bounds;
use super::registers::Plane;
use super::{Builder, Turn, Where};
use crate::kernel::ir::{IExpr, Node, Place};
use crate::schedule::overlapped::plan;
use hexpass_abi::ElemType;

/// Bytes of the widest access.
const WIDEST: u64 = 16;

impl Builder<'_> {
    /// Coordinates of a point of the thread in a plane.
    pub(super) fn coordinates(
        &self,
        bounds: &Bounds,
        plane: &IExpr,
        row: i64,
        column: i64,
    ) -> Vec<IExpr> {
        let stream = bounds.stream.as_ref().map(|_| plane.clone());
        let y = bounds.y.clone().map(|y| y.plus(IExpr::Const(row)));
        let x = bounds.x.clone().plus(IExpr::Const(column));
        stream.into_iter().chain(y).chain([x]).collect()
    }

    /// A plane of a version that is there before the launch.
    pub(super) fn load(
        &mut self,
        bounds: &Bounds,
        turn: &Turn,
        version: u16,
        to: &Plane,
        plane: IExpr,
    ) -> Vec<Node> {
        let v = &self.tile.versions[usize::from(version)];
        let (array, rotation) = (v.array, v.rotation);
        let carried = self
            .carried
            .iter()
            .find(|c| c.array == array && self.same_slot(array, c.rotation, rotation));
        let mut out = Vec::new();
        for row in 0..to.rows() {
            let coords = self.coordinates(bounds, &plane, row, 0);
            let place = |b: &mut Self, at| match carried {
                Some(c) => b.buffer(array, c.buffers[0], c.buffers[1], at),
                None => b.draft.home(array, IExpr::Const(i64::from(rotation)), at),
            };
            let anchor = self.flow.anchor(array).map(<[i64]>::to_vec).unwrap_or_default();
            out.extend(self.row(turn.mode, bounds, array, &coords, &anchor, to, row, place));
        }
        out
    }

    /// A row of a plane from memory; near the border from the nearest elements that exist.
    #[expect(clippy::too_many_arguments, reason = "one row: what, where from, where to")]
    pub(super) fn row(
        &mut self,
        mode: Where,
        bounds: &Bounds,
        array: u16,
        coords: &[IExpr],
        anchor: &[i64],
        to: &Plane,
        row: i64,
        place: impl Fn(&mut Self, Vec<IExpr>) -> Place,
    ) -> Vec<Node> {
        let v = self.shape.sizes.vector;
        let last = coords.len() - 1;
        // Neighbours beyond the border of a torus need not lie side by side.
        let is_torn = mode.has_ends() && self.flow.goes_round(last);
        let count = match anchor[last].rem_euclid(v) {
            0 if !is_torn => widest(self.elem(array), v),
            _ => 1,
        };
        let mut out = Vec::new();
        for column in (0..v).step_by(count as usize) {
            let mut at = coords.to_vec();
            at[last] = at[last].clone().plus(IExpr::Const(column));
            if mode != Where::Inside {
                let dims = if mode.has_ends() { at.len() } else { 1 };
                for (dim, x) in at.iter_mut().take(dims).enumerate() {
                    *x = self.existing(bounds, array, dim, x, if dim == last { count } else { 1 });
                }
            }
            let at = at.into_iter().zip(anchor).map(|(x, &c)| x.plus(IExpr::Const(c))).collect();
            let (from, to) = (place(self, at), to.at(row, column));
            out.push(match count {
                1 => Node::Copy { to, from },
                _ => Node::Vector { to, from, count: count as u32 },
            });
        }
        out
    }

    /// The nearest coordinate that exists in an array, or the first of the nearest whole vector; bound before everything
    /// else if it is the same at every plane.
    fn existing(
        &mut self,
        bounds: &Bounds,
        array: u16,
        dim: usize,
        x: &IExpr,
        count: i64,
    ) -> IExpr {
        let (lo, hi) = bounds.touched[&array][dim].clone();
        let whole = |x: IExpr| if count > 1 { x.floor_div(count).times(count) } else { x };
        let nearest =
            |x: &IExpr| self.wrapped(bounds, dim, x.clone()).greater(whole(lo)).lesser(whole(hi));
        if dim == 0 && bounds.stream.is_some() {
            return nearest(x);
        }
        let key = (array, dim, x.clone());
        if let Some(known) = self.existing.get(&key) {
            return known.clone();
        }
        let found = nearest(x);
        let bound = self.bind(found);
        self.existing.insert(key, bound.clone());
        bound
    }

    /// A coordinate in the space, of a dimension that goes round: at most once round beyond it.
    pub(super) fn wrapped(&self, bounds: &Bounds, dim: usize, x: IExpr) -> IExpr {
        if !self.flow.goes_round(dim) {
            return x;
        }
        x.wrapped(bounds.space[dim].clone())
    }

    /// Subscripts of an array that the nest writes.
    pub(super) fn subscripts(&self, array: u16, coords: &[IExpr]) -> Vec<IExpr> {
        let anchor = self.flow.anchor(array).unwrap_or_default();
        coords.iter().zip(anchor).map(|(x, &c)| x.clone().plus(IExpr::Const(c))).collect()
    }

    /// A place in one of two buffers, by the parity of the launch; in place, in the array's own slot before the step or after.
    pub(super) fn buffer(
        &mut self,
        array: u16,
        even: u16,
        odd: u16,
        subscripts: Vec<IExpr>,
    ) -> Place {
        let carried = self.carried.iter().find(|c| self.tile.in_place && c.array == array);
        match carried {
            Some(c) => {
                let later = i64::from(even != c.buffers[0]);
                let rotation = IExpr::Const(i64::from(c.rotation) + later);
                self.draft.home(array, rotation, subscripts)
            }
            None => self.draft.buffer(array, [even, odd], plan::INDEX, subscripts),
        }
    }
}

/// Elements of the widest access that divides a thread's columns.
pub fn widest(elem: ElemType, columns: i64) -> i64 {
    let most = (WIDEST / elem.size()) as i64;
    (1..=most).rev().find(|n| columns % n == 0 && n.count_ones() == 1).unwrap_or(1)
}
