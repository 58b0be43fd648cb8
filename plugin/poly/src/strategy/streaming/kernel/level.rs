//! One level at one plane: its instances, and near the border what they leave as it was.

use super::bounds::{Bounds, within};
use super::constants::Loaded;
use super::cuts::Cuts;
use super::folded::Split;
use super::masks::{Mask, bit};
use super::registers::{Plane, Rows};
use super::store::when;
use super::{Builder, Turn, Where};
use crate::kernel::build::{is_thin, thin};
use crate::kernel::ir::{Cond, IExpr, Node, Place};
use crate::kernel::pieces::Source;
use crate::strategy::streaming::cut::Part;

/// One read of a level, at one point of the thread.
#[derive(Clone, Copy, Debug)]
pub struct ReadAt {
    pub level: usize,
    pub read: usize,
    pub row: i64,
    pub column: i64,
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
    kept: Kept,
    /// It leaves what the statement does.
    last: bool,
}

/// What registers hold where no instance exists.
enum Kept {
    /// Anything.
    Nothing,
    /// For each write what was there before, if anybody reads it.
    Old(Vec<Option<Plane>>),
    /// What the piece before has left there.
    Before,
}

impl Builder<'_> {
    pub(super) fn level(&mut self, bounds: &Bounds, turn: &Turn, level: usize) -> Vec<Node> {
        if turn.mode.lacks(self.statement(level)) {
            return Vec::new();
        }
        let mut out = Vec::new();
        for step in self.steps(turn, level) {
            self.step(bounds, turn, level, &step, &mut out);
        }
        out
    }

    /// What is computed for a level at a turn: all of it, or the last of its pieces first, for planes further and further
    /// ahead.
    fn steps(&self, turn: &Turn, level: usize) -> Vec<Step> {
        let near = turn.mode != Where::Inside && !self.flow.has_no_border();
        let l = &self.tile.levels[level];
        let ring = |v: u16| self.rings[usize::from(v)];
        let plane = |lead: i64| move |r: Rows| r.plane(turn.index + lead - l.delay);
        let made = || l.writes.iter().map(|&v| plane(0)(ring(v))).collect::<Vec<Plane>>();
        let old = |lead| {
            let of = |&v: &u16| self.old(level, v, turn.mode).map(ring).map(plane(lead));
            Kept::Old(l.writes.iter().map(of).collect())
        };
        let kept = |near: bool| if near { old(0) } else { Kept::Nothing };
        if let Some(Split { pieces, sources, handed }) = self.splits[level].clone() {
            let handed: Vec<Plane> = handed.iter().map(|r| r.plane(0)).collect();
            let [first, last] = sources;
            let step = |piece, sources| Step {
                piece: Some(piece),
                sources,
                lead: 0,
                before: Vec::new(),
                to: Vec::new(),
                kept: Kept::Nothing,
                last: false,
            };
            return vec![
                Step { to: handed.clone(), ..step(pieces[0], first) },
                Step {
                    before: handed,
                    to: made(),
                    kept: kept(near),
                    last: true,
                    ..step(pieces[1], last)
                },
            ];
        }
        let Some(Cuts { cut, pieces, handed }) = &self.cuts[level] else {
            let reads = self.statement(level).reads.len() as u16;
            return vec![Step {
                piece: None,
                sources: (0..reads).map(Source::Read).collect(),
                lead: 0,
                before: Vec::new(),
                to: made(),
                kept: kept(near),
                last: true,
            }];
        };
        let from = self.keeps_from(turn.mode, level);
        let step = |(i, part): (usize, &Part)| {
            let planes = |rings: &Vec<Rows>| rings.iter().copied().map(plane(part.lead)).collect();
            Step {
                piece: Some(pieces[i]),
                sources: part.sources.clone(),
                lead: part.lead,
                before: if i > 0 { planes(&handed[i - 1]) } else { Vec::new() },
                last: i + 1 == cut.parts.len(),
                to: handed.get(i).map_or_else(made, planes),
                kept: match i.cmp(&from) {
                    _ if !near => Kept::Nothing,
                    std::cmp::Ordering::Less => Kept::Nothing,
                    std::cmp::Ordering::Equal => old(part.lead),
                    std::cmp::Ordering::Greater => Kept::Before,
                },
            }
        };
        cut.parts.iter().enumerate().rev().map(step).collect()
    }

    /// The piece of a level from which on registers hold, where no instance exists, what was there before: the latest
    /// for which that need not be kept longer than instances read it. The last one at least.
    fn keeps_from(&self, mode: Where, level: usize) -> usize {
        let Some(Cuts { cut, .. }) = &self.cuts[level] else { return 0 };
        let (l, last) = (&self.tile.levels[level], cut.parts.len() - 1);
        let [made] = l.writes[..] else { return last };
        let Some(old) = self.old(level, made, mode) else { return last };
        let ages = self.wanted(level, mode, 0).into_iter().filter(|w| w.version == old);
        let Some(oldest) = ages.map(|w| w.age).max() else { return last };
        let elem = self.elem(self.tile.versions[usize::from(made)].array);
        let fits = |i: &usize| {
            let age = l.delay - cut.parts[*i].lead - self.tile.delay_of(old);
            let after = &cut.parts[*i..last];
            (0..=oldest).contains(&age) && after.iter().all(|p| p.writes_one(elem))
        };
        (0..last).rev().find(fits).unwrap_or(last)
    }

    /// The most planes by which something is computed ahead of a level that near the border keeps what was there.
    pub(super) fn keeping_lead(&self, level: usize) -> i64 {
        let from = self.keeps_from(Where::Border, level);
        self.cuts[level].as_ref().map_or(0, |c| c.cut.parts[from].lead)
    }

    /// The instances of one step, all points of the thread, and what is chosen in place of those that don't exist.
    fn step(
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
        let to: Vec<Plane> = match step.kept {
            Kept::Nothing => step.to.clone(),
            _ => step.to.iter().map(|to| self.registers.like(to)).collect(),
        };
        let mut instances = Vec::new();
        let mut loaded = Loaded::default();
        let changes = self.changes(level);
        let counted = match l.keeps() && step.last {
            true => self.counted(out, bounds, &turn, level),
            false => Vec::new(),
        };
        for ((row, column), point) in self.points().zip(0..) {
            let coords = self.coordinates(bounds, &plane, row, column);
            let mut read = |b: &mut Self, i: u16| {
                if let Some(kept) = changes.before(s.reads[usize::from(i)].array) {
                    return kept;
                }
                let at = ReadAt { level, read: usize::from(i), row, column };
                b.read(out, &mut loaded, bounds, &turn, at)
            };
            let mut reads = Vec::with_capacity(step.sources.len());
            for source in &step.sources {
                reads.push(match *source {
                    Source::Read(i) => read(self, i),
                    Source::Before(i) => step.before[usize::from(i)].at(row, column),
                });
            }
            self.draft.body(s, &time, &coords);
            let mut made = to.iter().map(|to| to.at(row, column));
            let writes = match step.last {
                false => made.map(|to| vec![to]).collect(),
                true => {
                    let all = s.writes.iter().enumerate();
                    let all = all.map(|(i, w)| changes.after(i, w.access.array));
                    all.filter_map(|kept| kept.or_else(|| made.next())).map(|to| vec![to]).collect()
                }
            };
            let keep = match counted.get(point) {
                Some(cond) => self.keep(&changes, cond, level, (&time, &coords)),
                None => Vec::new(),
            };
            let (piece, time) = (step.piece, time.clone());
            instances.push(Node::Instance { statement, piece, time, coords, reads, writes });
            instances.extend(keep);
        }
        let old = match &step.kept {
            Kept::Nothing => return out.extend(instances),
            Kept::Old(old) => old.clone(),
            Kept::Before => step.before.iter().copied().map(Some).collect(),
        };
        let planes = &bounds.statements[usize::from(statement)][0];
        if let Some(cond) = self.rarely(bounds, &turn, statement, &plane) {
            for (old, to) in old.iter().zip(&step.to) {
                out.extend(old.iter().flat_map(|old| to.copy_from(old)));
            }
            let inside = bounds.box_of(statement);
            for ((computed, old), to) in to.iter().zip(old).zip(&step.to) {
                instances.extend(self.choose(&inside, computed, old, to));
            }
            return out.push(when(cond, instances));
        }
        out.extend(instances);
        let inside = match &bounds.stream {
            Some(_) if turn.mode.has_end_planes() => {
                let planes = bit(&plane, planes);
                bounds.box_of(statement).only(self, out, &planes)
            }
            _ => bounds.box_of(statement),
        };
        for ((computed, old), to) in to.iter().zip(old).zip(&step.to) {
            out.extend(self.choose(&inside, computed, old, to));
        }
    }

    /// Where [`beside`](super::beside) tells planes apart: the condition under which a block has instances of a thin statement at
    /// a plane, which is passed over elsewhere.
    fn rarely(&self, bounds: &Bounds, turn: &Turn, statement: u16, plane: &IExpr) -> Option<Cond> {
        let s = &self.program().statements[usize::from(statement)];
        if !self.goes_beside() || !thin(s) {
            return None;
        }
        let mut all = Vec::new();
        if turn.mode.has_end_planes() {
            all.extend(within(plane, &bounds.statements[usize::from(statement)][0]));
        }
        all.extend(bounds.columns_meet(statement).filter(|_| is_thin(s, 1)));
        Some(Cond::All(all))
    }

    /// What a read of a level finds at a point of the thread.
    pub(super) fn read(
        &mut self,
        out: &mut Vec<Node>,
        loaded: &mut Loaded,
        bounds: &Bounds,
        turn: &Turn,
        at: ReadAt,
    ) -> Place {
        match self.want(at.level, turn.mode, turn.index, at.read, at.row, at.column) {
            Some(w) => self.obtain(out, w),
            None => self.fetch_constant(out, loaded, bounds, turn, at),
        }
    }

    /// What was computed where the instance exists, else what was there before.
    fn choose(&self, inside: &Mask, computed: &Plane, old: Option<Plane>, to: &Plane) -> Vec<Node> {
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
}
