//! One level at one plane: its instances, and near the border what they leave as it was.

use super::bounds::Bounds;
use super::cuts::Cuts;
use super::masks::{Mask, bit};
use super::registers::{Plane, Rows};
use super::{Builder, Turn, Where};
use crate::kernel::build::thin;
use crate::kernel::ir::{IExpr, Node, Place};
use crate::kernel::pieces::Source;
use crate::schedule::staging::aligned_offset;
use crate::strategy::streaming::cut::Part;
use std::collections::HashMap;

/// Rows of arrays that are only read, loaded by a level, and their edges.
#[derive(Default)]
struct Loaded {
    /// By read and row.
    rows: HashMap<(u16, i64, i64, i64), Plane>,
    edges: HashMap<(u16, i64, i64, i64, i64), Place>,
}

/// Instances of a level, or of a piece of it, for one plane.
struct Step {
    piece: Option<u16>,
    sources: Vec<Source>,
    /// Planes by which it is ahead of the level.
    lead: i64,
    /// What the piece before has handed on, and where this one writes.
    before: Vec<Plane>,
    to: Vec<Plane>,
}

impl Builder<'_> {
    pub(super) fn level(&mut self, bounds: &Bounds, turn: &Turn, level: usize) -> Vec<Node> {
        let s = self.statement(level);
        if turn.mode == Where::Inside && thin(s) {
            return Vec::new();
        }
        let plane = turn.plane(self.tile.levels[level].delay);
        let made = self.made(turn, level);
        let mut before = Vec::new();
        for step in self.steps(turn, level, &made) {
            self.instances(bounds, turn, level, &step, &mut before);
        }
        if turn.mode != Where::Inside {
            let statement = usize::from(self.tile.levels[level].statement);
            let inside = match (turn.mode, &bounds.stream) {
                (Where::Border, Some(_)) => {
                    let planes = bit(&plane, &bounds.statements[statement][0]);
                    bounds.boxes[statement].only(self, &mut before, &planes)
                }
                _ => bounds.boxes[statement].clone(),
            };
            for (computed, version) in made {
                before.extend(self.choose(&inside, turn, level, computed, version));
            }
        }
        before
    }

    /// What is computed for a level at a turn: all of it, or the last of its pieces first, for planes further and further
    /// ahead.
    fn steps(&self, turn: &Turn, level: usize, made: &[(Plane, u16)]) -> Vec<Step> {
        let last: Vec<Plane> = made.iter().map(|(to, _)| *to).collect();
        let reads = self.statement(level).reads.len() as u16;
        let Some(Cuts { cut, pieces, handed }) = &self.cuts[level] else {
            let sources = (0..reads).map(Source::Read).collect();
            return vec![Step { piece: None, sources, lead: 0, before: Vec::new(), to: last }];
        };
        let delay = self.tile.levels[level].delay;
        let step = |(i, part): (usize, &Part)| {
            let planes = |rings: &Vec<Rows>| {
                rings.iter().map(|r| r.plane(turn.index + part.lead - delay)).collect()
            };
            Step {
                piece: Some(pieces[i]),
                sources: part.sources.clone(),
                lead: part.lead,
                before: if i > 0 { planes(&handed[i - 1]) } else { Vec::new() },
                to: handed.get(i).map_or_else(|| last.clone(), planes),
            }
        };
        cut.parts.iter().enumerate().rev().map(step).collect()
    }

    /// The instances of one step, all points of the thread.
    fn instances(
        &mut self,
        bounds: &Bounds,
        turn: &Turn,
        level: usize,
        step: &Step,
        out: &mut Vec<Node>,
    ) {
        let (s, turn) = (self.statement(level), turn.later(step.lead));
        let l = &self.tile.levels[level];
        let (statement, plane, time) = (l.statement, turn.plane(l.delay), self.time(level));
        let mut instances = Vec::new();
        let mut loaded = Loaded::default();
        for (row, column) in self.points() {
            let coords = self.coordinates(bounds, &plane, row, column);
            let mut read = |b: &mut Self, i: u16| {
                let i = usize::from(i);
                match b.want(level, turn.mode, turn.index, i, row, column) {
                    Some(w) => b.fetch(out, w),
                    None => {
                        b.fetch_constant(out, &mut loaded, bounds, &turn, level, i, row, column)
                    }
                }
            };
            let mut reads = Vec::with_capacity(step.sources.len());
            for source in &step.sources {
                reads.push(match *source {
                    Source::Read(i) => read(self, i),
                    Source::Before(i) => step.before[usize::from(i)].at(row, column),
                });
            }
            self.draft.body(s, &time, &coords);
            let writes = step.to.iter().map(|to| vec![to.at(row, column)]).collect();
            let (piece, time) = (step.piece, time.clone());
            instances.push(Node::Instance { statement, piece, time, coords, reads, writes });
        }
        out.extend(instances);
    }

    /// Where each write of a level goes: to its version's registers, near the border first to others.
    fn made(&mut self, turn: &Turn, level: usize) -> Vec<(Plane, u16)> {
        let sizes = self.shape.sizes;
        let versions = self.tile.levels[level].writes.clone();
        versions
            .into_iter()
            .map(|v| {
                let elem = self.elem(self.tile.versions[usize::from(v)].array);
                let to: Rows = match turn.mode {
                    Where::Inside => self.rings[usize::from(v)],
                    Where::Beside | Where::Border => {
                        self.registers.rows(elem, 1, sizes.rows, sizes.vector)
                    }
                };
                (to.plane(turn.index - self.tile.levels[level].delay), v)
            })
            .collect()
    }

    /// What was computed where the instance exists, else what was there before.
    fn choose(
        &self,
        inside: &Mask,
        turn: &Turn,
        level: usize,
        computed: Plane,
        version: u16,
    ) -> Vec<Node> {
        let plane = turn.index - self.tile.levels[level].delay;
        let to = self.rings[usize::from(version)].plane(plane);
        let old = self.old(level, version).map(|v| self.rings[usize::from(v)].plane(plane));
        let one = |(row, column): (i64, i64)| {
            let (to, then) = (to.at(row, column), computed.at(row, column));
            match old {
                Some(old) => {
                    let cond = inside.has(row * self.shape.sizes.vector + column);
                    Node::Select { to, cond, then, otherwise: old.at(row, column) }
                }
                None => Node::Copy { to, from: then },
            }
        };
        self.points().map(one).collect()
    }

    /// A value of an array that is only read.
    #[expect(clippy::too_many_arguments, reason = "one read at one point")]
    fn fetch_constant(
        &mut self,
        out: &mut Vec<Node>,
        loaded: &mut Loaded,
        bounds: &Bounds,
        turn: &Turn,
        level: usize,
        read: usize,
        row: i64,
        column: i64,
    ) -> Place {
        let access = self.statement(level).reads[read].clone();
        let (array, elem) = (access.array, self.elem(access.array));
        let step = level as i64 / self.flow.problem.k();
        let rotation = IExpr::Const(step + i64::from(access.rotation));
        let plane = turn.plane(self.tile.levels[level].delay);
        if !self.is_stream(&access) {
            let (time, coords) = (self.time(level), self.coordinates(bounds, &plane, row, column));
            let mut at = Vec::new();
            for (s, (lo, hi)) in access.subscripts.iter().zip(&bounds.touched[&array]) {
                let offset = self.draft.polynomial(&s.offset, &time, &coords);
                let x = s.dim.map_or(IExpr::Const(0), |d| coords[usize::from(d)].clone());
                at.push(x.plus(offset).greater(lo.clone()).lesser(hi.clone()));
            }
            let from = self.draft.home(array, rotation, at);
            let to = self.registers.rows(elem, 1, 1, 1).plane(0).at(0, 0);
            out.push(Node::Copy { to: to.clone(), from });
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
