//! Rows of memory: of carried slots, of what the nest never writes, and of arrays that are only read.
//!
//! A carried slot's buffer holds the elements that the nest may write; the others are in the slot's home. Near the border
//! a row is loaded as a whole from addresses that are sure to exist, then what the nest never writes is put in its place.

use super::bounds::{Bounds, Interval, within};
use super::registers::Plane;
use super::{Builder, Turn, Where};
use crate::kernel::ir::{Cond, IExpr, Node, Place};
use crate::schedule::overlapped::plan;
use hexpass_abi::{ElemType, KernelParam};

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
            if let Some(c) = carried {
                let place = |b: &mut Self, at| b.buffer(array, c.buffers[0], c.buffers[1], at);
                let anchor = self.flow.anchor(array).map(<[i64]>::to_vec).unwrap_or_default();
                out.extend(self.row(turn.mode, bounds, array, &coords, &anchor, to, row, place));
            }
            if turn.mode == Where::Border {
                out.push(self.never_written(bounds, array, rotation, &plane, to, row));
            }
        }
        out
    }

    /// Elements of a row that the nest never writes, from the slot's home; where all may be written, nothing.
    fn never_written(
        &mut self,
        bounds: &Bounds,
        array: u16,
        rotation: i32,
        plane: &IExpr,
        to: &Plane,
        row: i64,
    ) -> Node {
        let last = self.dims() - 1;
        let inside = |coords: &[IExpr], all: &[Interval]| {
            Cond::All(coords.iter().zip(all).flat_map(|(x, i)| within(x, i)).collect())
        };
        let mut copies = Vec::new();
        for column in 0..to.columns() {
            let coords = self.coordinates(bounds, plane, row, column);
            let at = self.subscripts(array, &coords);
            let from = self.draft.home(array, IExpr::Const(i64::from(rotation)), at);
            let home = vec![Node::Copy { to: to.at(row, column), from }];
            let written = inside(&coords, &bounds.written[&array]);
            let fixed = Node::If { cond: written, then: Vec::new(), otherwise: home };
            let cond = inside(&coords, &bounds.touched[&array]);
            copies.push(Node::If { cond, then: vec![fixed], otherwise: Vec::new() });
        }
        let coords = self.coordinates(bounds, plane, row, 0);
        let mut whole = bounds.written[&array].clone();
        let end = &mut whole[last].1;
        *end = end.clone().plus(IExpr::Const(1 - to.columns()));
        Node::If { cond: inside(&coords, &whole), then: Vec::new(), otherwise: copies }
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
        let count = match anchor[last].rem_euclid(v) {
            0 => widest(self.elem(array), v),
            _ => 1,
        };
        let clamp =
            |x: &IExpr, (lo, hi): &Interval| x.clone().greater(lo.clone()).lesser(hi.clone());
        let touched = &bounds.touched[&array];
        let mut out = Vec::new();
        for column in (0..v).step_by(count as usize) {
            let mut at = coords.to_vec();
            at[last] = at[last].clone().plus(IExpr::Const(column));
            if mode == Where::Border {
                let ends = if count > 1 { &bounds.vectors[&array] } else { &touched[last] };
                at[last] = clamp(&at[last], ends);
                for d in 0..last {
                    at[d] = clamp(&at[d], &touched[d]);
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

    /// Subscripts of an array that the nest writes.
    pub(super) fn subscripts(&self, array: u16, coords: &[IExpr]) -> Vec<IExpr> {
        let anchor = self.flow.anchor(array).unwrap_or_default();
        coords.iter().zip(anchor).map(|(x, &c)| x.clone().plus(IExpr::Const(c))).collect()
    }

    /// A place in one of two buffers, by the parity of the launch.
    pub(super) fn buffer(
        &mut self,
        array: u16,
        even: u16,
        odd: u16,
        subscripts: Vec<IExpr>,
    ) -> Place {
        let param = self.draft.param(KernelParam::Buffer { array, even, odd, arg: plan::INDEX });
        self.strides(array, subscripts.len());
        let IExpr::Param(param) = param else { unreachable!("a parameter's index is one") };
        Place::Buffer { param, subscripts }
    }

    fn strides(&mut self, array: u16, dims: usize) {
        for dim in 0..dims.saturating_sub(1) {
            self.draft.param(KernelParam::Stride { array, dim: dim as u8 });
        }
    }
}

/// Elements of the widest access that divides a thread's columns.
pub fn widest(elem: ElemType, columns: i64) -> i64 {
    let most = (WIDEST / elem.size()) as i64;
    (1..=most).rev().find(|n| columns % n == 0 && n.count_ones() == 1).unwrap_or(1)
}
