//! What a step is reduced from (its largest value, its sum): each thread keeps what its owned points make of it in a register,
//! and stores that at the end to an element of the array that is its own. And what levels that make versions store in records
//! besides.
//!
//! ```text
//! for each such array and step:  kept ← the thread's element
//! at each plane of a level:      for each of its points: new ← kept and the instance; if it is owned: kept ← new
//! at the end:                    the thread's element ← kept
//! ```
//! The element lies in a column (and, in three dimensions, a row) that the thread owns, and in the first dimension in as many
//! rows as there are blocks one behind the other: the runtime makes these empty, and looks at no others
//! ([`hexpass_abi::Folds`]).

use super::bounds::{Bounds, within};
use super::masks::bit;
use super::registers::{Registers, Rows};
use super::store::when;
use super::{Builder, Turn};
use crate::body::{BinaryOp, Op, Ty, UnaryOp, Value};
use crate::kernel::ir::{Cond, IExpr, Node, Place};
use crate::kernel::pieces::{Piece, Pieces, Source};
use crate::schedule::overlapped::Level;
use crate::schedule::overlapped::flow::Flow;
use crate::schedule::staging::aligned_offset;
use crate::stencil::{Statement, Write};
use crate::strategy::streaming::shape::Shape;
use hexpass_abi::{Folds, KernelParam};
use std::collections::{BTreeMap, BTreeSet};

/// By array and step of the launch, what the thread has found.
pub type Kept = BTreeMap<(u16, i64), Place>;

/// How a statement's instances change what is kept, and what they leave in records besides.
pub struct Changes {
    /// For each fold, where it is kept, and where the next instance leaves it.
    places: BTreeMap<u16, (Place, Place)>,
    /// For each of the statement's writes to records, by its number, where an instance leaves what is stored.
    records: BTreeMap<usize, Place>,
}

/// A statement that divides, and keeps what its step is reduced from: divisions of several instances share the code for
/// rare operands if none of them waits for what another keeps.
#[derive(Clone)]
pub struct Split {
    /// All that does not need what is kept, and the rest.
    pub pieces: [u16; 2],
    pub sources: [Vec<Source>; 2],
    /// What the first hands on.
    pub handed: Vec<Rows>,
}

impl Split {
    /// Takes registers, and adds pieces that are new.
    pub fn of(
        flow: &Flow<'_>,
        level: &Level,
        shape: &Shape,
        (registers, all): (&mut Registers, &mut Vec<Piece>),
    ) -> Option<Split> {
        let s = &flow.problem.stencil.statements[usize::from(level.statement)];
        if level.folds.is_empty() || !divides(s) {
            return None;
        }
        let turns: Vec<Option<i64>> =
            s.reads.iter().map(|a| Some(i64::from(flow.is_fold(a.array)))).collect();
        let [(first, sources), (last, rest)] =
            Pieces::of(level.statement, s, &turns)?.pieces.try_into().ok()?;
        let mut handed = Vec::new();
        for &v in &first.writes {
            let Ty::Elem(elem) = first.body.values.get(usize::from(v))?.ty else { return None };
            handed.push(registers.rows(elem, 1, shape.sizes.rows, shape.sizes.vector));
        }
        let mut number = |piece: Piece| {
            let known = all.iter().position(|p| *p == piece);
            known.unwrap_or_else(|| {
                all.push(piece);
                all.len() - 1
            }) as u16
        };
        Some(Split { pieces: [number(first), number(last)], sources: [sources, rest], handed })
    }
}

/// True for a statement with divisions or roots whose rare operands have code of their own.
fn divides(s: &Statement) -> bool {
    let exact = |v: &Value| {
        let divides = matches!(v.op, Op::Binary(BinaryOp::FDiv, ..) | Op::Unary(UnaryOp::Sqrt, _));
        divides && !v.flags.afn && !v.flags.arcp
    };
    s.body.values.iter().any(exact)
}

impl Changes {
    /// Where an instance finds what is kept.
    pub fn before(&self, array: u16) -> Option<Place> {
        self.places.get(&array).map(|(kept, _)| kept.clone())
    }

    /// Where it leaves the next, or what is stored, of the statement's write of this number.
    pub fn after(&self, write: usize, array: u16) -> Option<Place> {
        let next = self.places.get(&array).map(|(_, next)| next);
        next.or(self.records.get(&write)).cloned()
    }
}

impl Builder<'_> {
    /// Writes of all levels to folds, by array and step.
    fn folded(&self) -> BTreeMap<(u16, i64), Write> {
        let k = self.flow.problem.k();
        let levels = self.tile.levels.iter().enumerate();
        let all = levels.flat_map(|(l, level)| {
            let writes = self.flow.folded(level.statement);
            writes.map(move |w| ((w.access.array, l as i64 / k), w.clone()))
        });
        all.collect()
    }

    /// Registers for what is kept; what fills them, before everything else, and what stores them, behind it.
    pub(super) fn keep_folds(&mut self, bounds: &Bounds) -> (Vec<Node>, Vec<Node>) {
        let (mut first, mut last) = (Vec::new(), Vec::new());
        let all = self.folded();
        let mut known = BTreeMap::new();
        for ((array, step), write) in all {
            let elem = self.elem(array);
            let kept = self.registers.rows(elem, 1, 1, 1).plane(0).at(0, 0);
            let own = known.entry(array).or_insert_with(|| self.own_element(bounds, &write));
            let (cond, subscripts) = own.clone();
            let rotation = IExpr::Const(step + i64::from(write.access.rotation));
            let at = self.draft.home(array, rotation, subscripts);
            let copy = |to: &Place, from: &Place| {
                let copy = Node::Copy { to: to.clone(), from: from.clone() };
                Node::If { cond: cond.clone(), then: vec![copy], otherwise: Vec::new() }
            };
            first.push(copy(&kept, &at));
            last.push(copy(&at, &kept));
            self.kept.insert((array, step), kept);
        }
        (first, last)
    }

    /// The element of the array that is the thread's, and the condition that it has one.
    fn own_element(&mut self, bounds: &Bounds, write: &Write) -> (Cond, Vec<IExpr>) {
        let (access, shape, dims) = (&write.access, self.shape, self.dims());
        let array = access.array;
        let mut subscripts = Vec::new();
        let mut conds = Vec::new();
        if dims > 1 {
            let lo = self.param(KernelParam::ArrayLo { array, dim: 0 });
            let row = self.own_row();
            subscripts.push(lo.plus(row));
        }
        // Of each other dimension, the first of the thread's points, how many it has, and which of the block's are owned,
        // from that point's number in the block on.
        let (rows, columns) = (shape.sizes.rows, shape.sizes.vector);
        let y = bounds.y.clone().map(|y| (y, IExpr::Thread(1).times(rows), rows, bounds.rows));
        let x = (bounds.x.clone(), IExpr::Thread(0).times(columns), columns, bounds.columns);
        for (at, number, count, (from, to)) in y.into_iter().chain([x]) {
            let dim = subscripts.len();
            let offset = IExpr::Const(aligned_offset(access, dim).unwrap_or(0));
            let start = at.clone().minus(number);
            let mut end = |p: KernelParam| self.param(p).minus(offset.clone());
            let hull = (
                end(KernelParam::ArrayLo { array, dim: dim as u8 }),
                end(KernelParam::ArrayHi { array, dim: dim as u8 }),
            );
            let first = at.clone().greater(start.clone().plus(IExpr::Const(from))).greater(hull.0);
            let last = at.plus(IExpr::Const(count - 1));
            let last = last.lesser(start.plus(IExpr::Const(to))).lesser(hull.1);
            let first = self.bind(first);
            conds.push(Cond::Le(first.clone(), last));
            subscripts.push(first.plus(offset));
        }
        (Cond::All(conds), subscripts)
    }

    /// Which of the array's rows is the block's.
    fn own_row(&mut self) -> IExpr {
        let row = match (self.dims(), self.shape.short) {
            (3, _) => self.tile_of_block()[2].clone(),
            (_, Some(short)) => {
                let piece = self.piece();
                IExpr::Block(1).times(short.pieces).plus(piece)
            }
            (_, None) => self.tile_of_block()[2].clone(),
        };
        self.bind(row)
    }

    /// Those rows, for the runtime.
    pub(super) fn folds(&self) -> Option<Folds> {
        let all = self.folded();
        let arrays: BTreeSet<u16> = all.keys().map(|(array, _)| *array).collect();
        if arrays.is_empty() {
            return None;
        }
        let rows = match (self.dims(), self.shape.short) {
            (1, _) => None,
            (2, short) => Some((1, short.map_or(1, |short| short.pieces as u32))),
            _ => Some((2, 1)),
        };
        Some(Folds { arrays: arrays.into_iter().collect(), steps: self.tile.steps as u32, rows })
    }

    /// What instances of a level change; nothing if they keep nothing.
    pub(super) fn changes(&mut self, level: usize) -> Changes {
        let step = level as i64 / self.flow.problem.k();
        let l = &self.tile.levels[level];
        let mut register = |array: u16| {
            let elem = self.flow.problem.stencil.arrays[usize::from(array)].elem;
            self.registers.rows(elem, 1, 1, 1).plane(0).at(0, 0)
        };
        let mut places = BTreeMap::new();
        for &array in &l.folds {
            if let Some(kept) = self.kept.get(&(array, step)) {
                places.insert(array, (kept.clone(), register(array)));
            }
        }
        let writes = self.flow.problem.stencil.statements[usize::from(l.statement)].writes.iter();
        let records = writes.enumerate().filter(|(_, w)| self.flow.is_record(w.access.array));
        let records = records.map(|(write, w)| (write, register(w.access.array))).collect();
        Changes { places, records }
    }

    /// The conditions under which what an instance leaves counts, by points: row · V + column; bound here.
    pub(super) fn counted(
        &mut self,
        out: &mut Vec<Node>,
        bounds: &Bounds,
        turn: &Turn,
        level: usize,
    ) -> Vec<Cond> {
        let l = &self.tile.levels[level];
        let (statement, plane) = (l.statement, turn.plane(l.delay));
        let mask = self.recorded(bounds, turn.mode, statement);
        let points = self.points().count() as i64;
        let Some(stream) = &bounds.stream else {
            return (0..points).map(|point| mask.has(point)).collect();
        };
        let mut planes = vec![stream.owned.clone()];
        if turn.mode.has_end_planes() {
            planes.push(bounds.statements[usize::from(statement)][0].clone());
        }
        if turn.mode.has_ends() {
            let bits = planes.iter().map(|planes| bit(&plane, planes));
            let bit = bits.reduce(IExpr::lesser).unwrap_or(IExpr::Const(1));
            let mask = mask.only(self, out, &bit);
            return (0..points).map(|point| mask.has(point)).collect();
        }
        // Threads own all of a row or nothing, mostly.
        let (columns, shared) = (self.shape.sizes.vector, self.shape.shared_columns() > 0);
        let counts = |point: i64| {
            let number = if shared { point } else { point / columns * columns };
            let here = planes.iter().flat_map(|planes| within(&plane, planes));
            Cond::All(here.chain([mask.has(number)]).collect())
        };
        (0..points).map(counts).collect()
    }

    /// What an instance of a level leaves, where it counts.
    pub(super) fn keep(
        &mut self,
        changes: &Changes,
        cond: &Cond,
        level: usize,
        (time, coords): (&IExpr, &[IExpr]),
    ) -> Vec<Node> {
        let one = |(kept, next): &(Place, Place)| Node::Select {
            to: kept.clone(),
            cond: cond.clone(),
            then: next.clone(),
            otherwise: kept.clone(),
        };
        let mut out: Vec<Node> = changes.places.values().map(one).collect();
        let step = level as i64 / self.flow.problem.k();
        for (write, from) in &changes.records {
            let access = &self.statement(level).writes[*write].access;
            let to = self.draft.access(access, step, time, coords);
            let copy = Node::Copy { to, from: from.clone() };
            out.push(when(cond.clone(), vec![copy]));
        }
        out
    }
}
