//! Arrays that the nest only reads: loaded by the levels that want them.

use super::bounds::Bounds;
use super::level::ReadAt;
use super::registers::Plane;
use super::{Builder, Turn, Where};
use crate::kernel::ir::{IExpr, Node, Place};
use crate::schedule::staging::aligned_offset;
use hexpass_abi::{Access, Sym};
use std::collections::HashMap;

/// Rows of arrays that are only read, loaded by a level, and their edges.
#[derive(Default)]
pub struct Loaded {
    /// By read and row.
    rows: HashMap<(u16, i64, i64, i64), Plane>,
    edges: HashMap<(u16, i64, i64, i64, i64), Place>,
}

impl Builder<'_> {
    /// A value of an array that is only read.
    pub(super) fn fetch_constant(
        &mut self,
        out: &mut Vec<Node>,
        loaded: &mut Loaded,
        bounds: &Bounds,
        turn: &Turn,
        ReadAt { level, read, row, column }: ReadAt,
    ) -> Place {
        let access = self.statement(level).reads[read].clone();
        let (array, elem) = (access.array, self.elem(access.array));
        let step = level as i64 / self.flow.problem.k();
        let rotation = IExpr::Const(step + i64::from(access.rotation));
        let plane = turn.plane(self.tile.levels[level].delay);
        if !self.flow.is_stream(&access) {
            // In a body of its own ([`super::beside`]) only: rounds of two bodies would keep it in both.
            let is_same = turn.mode != Where::Inside && self.goes_beside() && is_same(&access);
            if let Some(known) = self.same.get(&(level, read)).filter(|_| is_same) {
                return known.clone();
            }
            let (time, coords) = (self.time(level), self.coordinates(bounds, &plane, row, column));
            let mut at = Vec::new();
            for (s, (lo, hi)) in access.subscripts.iter().zip(&bounds.touched[&array]) {
                let offset = self.draft.polynomial(&s.offset, &time, &coords);
                let x = match s.dim.map(usize::from) {
                    Some(d) => self.wrapped(bounds, d, coords[d].clone().plus(offset)),
                    None => offset,
                };
                at.push(x.greater(lo.clone()).lesser(hi.clone()));
            }
            let from = self.draft.home(array, rotation, at);
            let to = self.registers.rows(elem, 1, 1, 1).plane(0).at(0, 0);
            let load = Node::Copy { to: to.clone(), from };
            match is_same {
                true => {
                    self.loads.push(load);
                    self.same.insert((level, read), to.clone());
                }
                false => out.push(load),
            }
            return to;
        }
        let offset = |d: usize| aligned_offset(&access, d).unwrap_or(0);
        let (dims, v) = (self.dims(), self.shape.sizes.vector);
        let along = if dims > 1 { offset(0) } else { 0 };
        let across = row + if dims > 2 { offset(1) } else { 0 };
        let at = column + offset(dims - 1);
        let key = (array, rotation.as_const().unwrap_or(0), along, across);
        let rows = match loaded.rows.get(&key) {
            Some(rows) => *rows,
            None => {
                let rows = self.registers.rows(elem, 1, 1, v).plane(0);
                let plane = plane.plus(IExpr::Const(along));
                let coords = self.coordinates(bounds, &plane, across, 0);
                let place = |b: &mut Self, at| b.draft.home(array, rotation.clone(), at);
                let none = vec![0; dims];
                out.extend(self.row(turn.mode, bounds, array, &coords, &none, &rows, 0, place));
                loaded.rows.insert(key, rows);
                rows
            }
        };
        let (lanes, from) = (at.div_euclid(v), rows.at(0, at.rem_euclid(v)));
        if lanes == 0 {
            return from;
        }
        let key = (array, key.1, along, across, at);
        if let Some(edge) = loaded.edges.get(&key) {
            return edge.clone();
        }
        let to = self.registers.rows(elem, 1, 1, 1).plane(0).at(0, 0);
        out.push(Node::Shuffle { to: to.clone(), from, lanes: lanes as i32 });
        loaded.edges.insert(key, to.clone());
        to
    }
}

/// True if an access names the same element in all of space.
fn is_same(access: &Access) -> bool {
    let is_space = |s: Sym| matches!(s, Sym::Iv(_));
    access.subscripts.iter().all(|s| s.dim.is_none() && !s.offset.mentions_any(is_space))
}
