//! The body of a GPU kernel whose tiles lie in the registers of one warp, which is the block.
//!
//! Consumes a phase that cuts every dimension into blocks and stages boxes of 32·V columns, the same for all arrays.
//! Lane i holds columns i·V to i·V + V − 1 of a box, everything along the other dimensions in registers of its own:
//! those loops are written out, and neighbours along the innermost dimension come by shuffles.
//!
//! ```text
//! if the tile is full:  load what is read before it is written, in vectors
//!                       for each level, written out:  shuffles | instances | store what no later level writes
//! else:                 load what there is of the boxes
//!                       for each level that exists:   shuffles | instances, kept where they exist
//!                       store what the levels wrote
//! ```
//!
//! At a level, lanes outside its interval compute what nobody looks at; where an older value is still needed there,
//! the new one is selected by the lane. What is stored is, in each row of a box, the hull of all that its levels write,
//! in whole vectors: inside it, what was not computed is stored as it was loaded. Boxes of a launch don't meet along
//! the innermost dimension, so nobody else looks at those elements meanwhile.

use super::{Context, gpu, thin};
use crate::kernel::ir::{Cond, IExpr, Node, Place, RegisterBank};
use crate::rejection::Rejection;
use crate::schedule::staging;
use hexpass_abi::{Access, ElemType, KernelParam};
use std::collections::BTreeMap;

/// Lanes of a warp.
const LANES: i64 = 32;

/// Bytes of the widest access.
const VECTOR: i64 = 16;

/// An interval of columns, inclusive.
type Interval = (i64, i64);

/// A row of a staged box: everything at one position along the outer dimensions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct BoxRow {
    /// Which staged array.
    at: usize,
    slot: i64,
    /// Subscripts relative to the tile's origin, without the innermost.
    outer: Vec<i64>,
}

/// What one level does to rows.
struct Level {
    level: i64,
    statement: usize,
    /// Positions along the outer dimensions.
    points: Vec<Vec<i64>>,
    columns: Interval,
}

/// Banks of a kernel, and its body.
pub fn body(ctx: &mut Context) -> Result<(Vec<RegisterBank>, Vec<Node>), Rejection> {
    let Some(tile) = Tile::new(ctx) else {
        return Err(super::bug("registers can't hold this phase".into()));
    };
    let mut banks = Banks::new(ctx, &tile);
    let nodes = ctx.around_tiles(Vec::new(), &mut |ctx, origin| {
        let otherwise = Writer::new(ctx, &tile, &mut banks, origin, false).tile();
        match gpu::full_condition(ctx, origin) {
            Some(cond) => {
                let then = Writer::new(ctx, &tile, &mut banks, origin, true).tile();
                vec![Node::If { cond, then, otherwise }]
            }
            None => otherwise,
        }
    });
    Ok((banks.banks, nodes))
}

/// The shape of a phase's tiles.
struct Tile {
    /// Columns of a lane.
    columns: i64,
    /// Local column of lane 0's first.
    left: i64,
    levels: Vec<Level>,
}

impl Tile {
    fn new(ctx: &Context) -> Option<Tile> {
        let (phase, k) = (ctx.phase, ctx.k());
        let last = ctx.dims().checked_sub(1)?;
        let first = phase.staging.first()?;
        let (left, right) = (first.lo[last], first.hi[last]);
        let alike = |s: &staging::StagedArray| (s.lo[last], s.hi[last]) == (left, right);
        if phase.rows().count() != ctx.dims()
            || (right - left + 1) % LANES != 0
            || !phase.staging.iter().all(alike)
        {
            return None;
        }
        let level = |level: i64| {
            let outer: Option<Vec<Interval>> = (0..last).map(|d| phase.extent(level, d)).collect();
            Some(Level {
                level,
                statement: (level % k) as usize,
                points: product(&outer?),
                columns: phase.extent(level, last)?,
            })
        };
        let levels = (0..phase.levels).filter(|&l| phase.has_points(l)).map(level);
        Some(Tile {
            columns: (right - left + 1) / LANES,
            left,
            levels: levels.collect::<Option<_>>()?,
        })
    }

    /// True if a column of a lane's `v`-th lies in `wide` but not in `narrow`.
    fn sticks_out(&self, v: i64, wide: Interval, narrow: Interval) -> bool {
        (0..LANES)
            .map(|lane| self.left + lane * self.columns + v)
            .any(|x| (wide.0..=wide.1).contains(&x) && !(narrow.0..=narrow.1).contains(&x))
    }
}

/// All points of a box.
fn product(intervals: &[Interval]) -> Vec<Vec<i64>> {
    let mut out = vec![Vec::new()];
    for &(lo, hi) in intervals {
        let with = |p: &Vec<i64>, x: i64| [p.as_slice(), &[x]].concat();
        out = out.iter().flat_map(|p| (lo..=hi).map(move |x| with(p, x))).collect();
    }
    out
}

fn hull(a: Interval, b: Interval) -> Interval {
    (a.0.min(b.0), a.1.max(b.1))
}

fn inside(a: Interval, b: Interval) -> bool {
    b.0 <= a.0 && a.1 <= b.1
}

/// Register banks: one for each staged array's boxes, one for what shuffles bring of it, one for values on their way.
struct Banks {
    banks: Vec<RegisterBank>,
    staged: usize,
}

impl Banks {
    fn new(ctx: &Context, tile: &Tile) -> Banks {
        let bank = |prefix: &str, array: u16, len: i64| {
            let array = &ctx.program.arrays[usize::from(array)];
            RegisterBank {
                name: format!("{prefix}{}", array.name),
                elem: array.elem,
                len: len as u32,
            }
        };
        let staged = &ctx.phase.staging;
        let last = ctx.dims() - 1;
        let mut banks = Vec::new();
        for s in staged {
            let rows: i64 = s.extents()[..last].iter().product();
            banks.push(bank("", s.array, rows * ctx.slots(s.array) * tile.columns));
        }
        banks.extend(staged.iter().map(|s| bank("near_", s.array, 1)));
        banks.extend(staged.iter().map(|s| bank("new_", s.array, 1)));
        Banks { banks, staged: staged.len() }
    }

    /// Register `index` of a bank, which grows to hold it.
    fn grown(&mut self, bank: usize, index: u32) -> Place {
        let len = &mut self.banks[bank].len;
        *len = (*len).max(index + 1);
        Place::Register { bank: bank as u16, index }
    }
}

/// Writes one version of the tile.
struct Writer<'c, 'a, 't> {
    ctx: &'c mut Context<'a>,
    tile: &'t Tile,
    banks: &'c mut Banks,
    origin: Vec<IExpr>,
    full: bool,
    /// What shuffles have brought since the row was last written: by row, column of the lane, distance.
    near: BTreeMap<(BoxRow, i64, i64), u32>,
    shuffled: Vec<u32>,
}

impl<'c, 'a, 't> Writer<'c, 'a, 't> {
    fn new(
        ctx: &'c mut Context<'a>,
        tile: &'t Tile,
        banks: &'c mut Banks,
        origin: &[IExpr],
        full: bool,
    ) -> Writer<'c, 'a, 't> {
        let shuffled = vec![0; banks.staged];
        Writer { ctx, tile, banks, origin: origin.to_vec(), full, near: BTreeMap::new(), shuffled }
    }

    fn tile(&mut self) -> Vec<Node> {
        let touched = self.touched();
        let loaded: Vec<&BoxRow> = touched.keys().filter(|row| self.is_loaded(row)).collect();
        let mut out: Vec<Node> = loaded.into_iter().flat_map(|row| self.load(row)).collect();
        let tile = self.tile;
        for (at, level) in tile.levels.iter().enumerate() {
            if self.full && thin(&self.ctx.program.statements[level.statement]) {
                continue;
            }
            let nodes = self.level(at);
            match self.exists(level) {
                Some(cond) => out.push(Node::If { cond, then: nodes, otherwise: Vec::new() }),
                None => out.extend(nodes),
            }
            if self.full {
                let done = touched.iter().filter(|(_, last)| **last == Some(at));
                out.extend(done.flat_map(|(row, _)| self.store(row)));
            }
        }
        if !self.full {
            let written = touched.iter().filter(|(_, last)| last.is_some());
            out.extend(written.flat_map(|(row, _)| self.store(row)));
        }
        out
    }

    /// Rows that are read or written, with the last level that writes them.
    fn touched(&self) -> BTreeMap<BoxRow, Option<usize>> {
        let mut out = BTreeMap::new();
        for (at, level) in self.tile.levels.iter().enumerate() {
            for (access, write) in self.accesses(level) {
                for point in &level.points {
                    let Some((row, _)) = self.row(&access, level, point) else { continue };
                    let last = out.entry(row).or_insert(None);
                    if write {
                        *last = Some(at);
                    }
                }
            }
        }
        out
    }

    /// Accesses of a level; of a full tile, thin statements have none.
    fn accesses(&self, level: &Level) -> Vec<(Access, bool)> {
        let s = &self.ctx.program.statements[level.statement];
        if self.full && thin(s) {
            return Vec::new();
        }
        let reads = s.reads.iter().map(|a| (a.clone(), false));
        reads.chain(s.writes.iter().map(|w| (w.access.clone(), true))).collect()
    }

    /// The row that an access of a point touches, and how many columns aside; `None` for arrays that are not staged.
    fn row(&self, access: &Access, level: &Level, point: &[i64]) -> Option<(BoxRow, i64)> {
        let at = self.ctx.phase.staging.iter().position(|s| s.array == access.array)?;
        let slots = self.ctx.slots(access.array);
        let step = level.level / self.ctx.k() + i64::from(access.rotation);
        let offset = |d: usize| staging::aligned_offset(access, d);
        let outer: Option<Vec<i64>> =
            point.iter().enumerate().map(|(d, x)| Some(x + offset(d)?)).collect();
        Some((BoxRow { at, slot: step.rem_euclid(slots), outer: outer? }, offset(point.len())?))
    }

    /// Columns of a row that an access of a level touches; `None` if it doesn't touch that row.
    fn columns(&self, access: &Access, level: &Level, row: &BoxRow) -> Option<Interval> {
        let touches = |point: &Vec<i64>| {
            let (found, aside) = self.row(access, level, point)?;
            (found == *row).then_some(aside)
        };
        let aside = level.points.iter().find_map(touches)?;
        Some((level.columns.0 + aside, level.columns.1 + aside))
    }

    /// Hull of the columns of a row that levels from `from` on read or write.
    fn touched_columns(&self, row: &BoxRow, from: usize, writes: bool) -> Option<Interval> {
        let levels = self.tile.levels.iter().skip(from);
        levels
            .flat_map(|level| {
                let of = move |(_, write): &(Access, bool)| *write == writes;
                let all = self.accesses(level).into_iter().filter(of);
                all.filter_map(|(access, _)| self.columns(&access, level, row)).collect::<Vec<_>>()
            })
            .reduce(hull)
    }

    /// Columns of a row that are stored: all that are written, in whole vectors.
    fn stored(&self, row: &BoxRow) -> Option<Interval> {
        let (lo, hi) = self.touched_columns(row, 0, true)?;
        let (left, v) = (self.tile.left, self.tile.columns);
        let whole = |x: i64| left + (x - left).div_euclid(v) * v;
        Some((whole(lo), whole(hi) + v - 1))
    }

    /// Whether the tile needs what a row holds before it: always, where levels or points may be missing.
    fn is_loaded(&self, row: &BoxRow) -> bool {
        if !self.full {
            return true;
        }
        let mut written: Option<Interval> = None;
        for level in &self.tile.levels {
            let accesses = self.accesses(level);
            let mut touching = accesses
                .iter()
                .filter_map(|(a, write)| Some((self.columns(a, level, row)?, *write)))
                .collect::<Vec<_>>();
            touching.sort_by_key(|&(_, write)| write);
            for (columns, write) in touching {
                match (write, written) {
                    (true, w) => written = Some(w.map_or(columns, |w| hull(w, columns))),
                    (false, Some(w)) if inside(columns, w) => (),
                    (false, _) => return true,
                }
            }
        }
        match (self.stored(row), written) {
            (Some(stored), Some(w)) => !inside(stored, w),
            _ => false,
        }
    }

    fn register(&self, row: &BoxRow, v: i64) -> Place {
        let s = &self.ctx.phase.staging[row.at];
        let extents = s.extents();
        let position =
            row.outer.iter().enumerate().fold(row.slot, |n, (d, x)| n * extents[d] + x - s.lo[d]);
        Place::Register { bank: row.at as u16, index: (position * self.tile.columns + v) as u32 }
    }

    /// Columns in one access.
    fn vector(&self, row: &BoxRow) -> i64 {
        let size = self.elem(row).size() as i64;
        self.tile.columns.min(VECTOR / size).max(1)
    }

    fn elem(&self, row: &BoxRow) -> ElemType {
        self.banks.banks[row.at].elem
    }

    /// Local column of the lane's `v`-th.
    fn local(&self, v: i64) -> IExpr {
        IExpr::Thread(0).times(self.tile.columns).plus(IExpr::Const(self.tile.left + v))
    }

    /// Coordinates, or subscripts, of a position and the lane's `v`-th column.
    fn coords(&self, outer: &[i64], v: i64) -> Vec<IExpr> {
        let at = |(o, x): (&IExpr, &i64)| o.clone().plus(IExpr::Const(*x));
        let mut out: Vec<IExpr> = self.origin.iter().zip(outer).map(at).collect();
        out.push(self.origin[outer.len()].clone().plus(self.local(v)));
        out
    }

    /// Loads a row; where the array may end inside the tile, the vectors that hold any of it.
    fn load(&mut self, row: &BoxRow) -> Vec<Node> {
        let count = self.vector(row);
        let array = self.ctx.phase.staging[row.at].array;
        let mut out = Vec::new();
        for v in (0..self.tile.columns).step_by(count as usize) {
            let subscripts = self.coords(&row.outer, v);
            let from = self.ctx.home(array, IExpr::Const(row.slot), subscripts.clone());
            let load = access(self.register(row, v), from, count);
            out.push(match self.full {
                true => load,
                false => {
                    let cond = self.in_array(array, subscripts, count);
                    Node::If { cond, then: vec![load], otherwise: Vec::new() }
                }
            });
        }
        out
    }

    /// Some of `count` elements side by side lie in the array.
    fn in_array(&mut self, array: u16, subscripts: Vec<IExpr>, count: i64) -> Cond {
        let last = subscripts.len() - 1;
        let mut all = Vec::new();
        for (d, x) in subscripts.into_iter().enumerate() {
            let dim = d as u8;
            let more = if d == last { count - 1 } else { 0 };
            let lo = self.ctx.param(KernelParam::ArrayLo { array, dim });
            let hi = self.ctx.param(KernelParam::ArrayHi { array, dim });
            all.push(Cond::Le(lo, x.clone().plus(IExpr::Const(more))));
            all.push(Cond::Le(x, hi));
        }
        Cond::All(all)
    }

    /// A subscript inside the array.
    fn clamped(&mut self, x: IExpr, array: u16, dim: usize) -> IExpr {
        let lo = self.ctx.param(KernelParam::ArrayLo { array, dim: dim as u8 });
        let hi = self.ctx.param(KernelParam::ArrayHi { array, dim: dim as u8 });
        x.greater(lo).lesser(hi)
    }

    fn store(&mut self, row: &BoxRow) -> Vec<Node> {
        let Some((lo, hi)) = self.stored(row) else { return Vec::new() };
        let array = self.ctx.phase.staging[row.at].array;
        let count = if self.full { self.vector(row) } else { 1 };
        let mut out = Vec::new();
        for v in (0..self.tile.columns).step_by(count as usize) {
            let subscripts = self.coords(&row.outer, v);
            let mut cond = within(self.local(v), IExpr::Const(lo), IExpr::Const(hi)).to_vec();
            if !self.full {
                cond.extend(self.in_hull(array, &subscripts));
                cond.push(self.in_array(array, subscripts.clone(), 1));
            }
            let to = self.ctx.home(array, IExpr::Const(row.slot), subscripts);
            let then = vec![access(to, self.register(row, v), count)];
            out.push(Node::If { cond: Cond::All(cond), then, otherwise: Vec::new() });
        }
        out
    }

    /// The element lies in the hull of all that is ever written to the array.
    fn in_hull(&mut self, array: u16, subscripts: &[IExpr]) -> Vec<Cond> {
        let program = self.ctx.program;
        let mut out = Vec::new();
        for (d, x) in subscripts.iter().enumerate() {
            let mut bounds: Option<(IExpr, IExpr)> = None;
            for (i, s) in program.statements.iter().enumerate() {
                for w in s.writes.iter().filter(|w| w.access.array == array) {
                    let c = IExpr::Const(staging::aligned_offset(&w.access, d).unwrap_or(0));
                    let lo = self.ctx.statement_lo(i, d).plus(c.clone());
                    let hi = self.ctx.statement_hi(i, d).plus(c);
                    bounds = Some(match bounds {
                        Some((l, h)) => (l.lesser(lo), h.greater(hi)),
                        None => (lo, hi),
                    });
                }
            }
            if let Some((lo, hi)) = bounds {
                out.extend(within(x.clone(), lo, hi));
            }
        }
        out
    }

    /// In a tile that is not full: the level's step exists, and the statement has any points.
    fn exists(&mut self, level: &Level) -> Option<Cond> {
        if self.full {
            return None;
        }
        let step = self.time(level);
        let last = self.ctx.param(KernelParam::Steps).plus(IExpr::Const(-1));
        let mut all = within(step, IExpr::Const(0), last).to_vec();
        for d in 0..self.ctx.dims() {
            let lo = self.ctx.statement_lo(level.statement, d);
            all.push(Cond::Le(lo, self.ctx.statement_hi(level.statement, d)));
        }
        Some(Cond::All(all))
    }

    fn time(&mut self, level: &Level) -> IExpr {
        let group = IExpr::Const(level.level / self.ctx.k());
        self.ctx.time().plus(group)
    }

    fn level(&mut self, at: usize) -> Vec<Node> {
        let tile = self.tile;
        let level = &tile.levels[at];
        self.near.clear();
        self.shuffled.fill(0);
        let mut out = Vec::new();
        for point in &level.points {
            for v in 0..tile.columns {
                self.point(at, point, v, &mut out);
            }
        }
        out
    }

    fn point(&mut self, at: usize, point: &[i64], v: i64, out: &mut Vec<Node>) {
        let tile = self.tile;
        let level = &tile.levels[at];
        let program = self.ctx.program;
        let s = &program.statements[level.statement];
        let (time, coords) = (self.time(level), self.coords(point, v));
        let mut reads = Vec::new();
        for a in &s.reads {
            reads.push(match self.row(a, level, point) {
                Some((row, aside)) => self.near(&row, v + aside, out),
                None => self.far(a, level, &time, &coords),
            });
        }
        self.ctx.body(s, &time, &coords);
        let mut writes = Vec::new();
        let mut selects = Vec::new();
        for (w, write) in s.writes.iter().enumerate() {
            let Some((row, _)) = self.row(&write.access, level, point) else {
                writes.push(Vec::new());
                continue;
            };
            let to = self.register(&row, v);
            match self.kept(at, &row, v, &coords) {
                None => writes.push(vec![to]),
                Some(cond) => {
                    let new = self.banks.grown(2 * self.banks.staged + row.at, w as u32);
                    writes.push(vec![new.clone()]);
                    selects.push(Node::Select { otherwise: to.clone(), to, cond, then: new });
                }
            }
        }
        let statement = level.statement as u16;
        out.push(Node::Instance { statement, piece: None, time, coords, reads, writes });
        out.extend(selects);
    }

    /// The value in column `v` of a row, counted from the lane's first.
    fn near(&mut self, row: &BoxRow, v: i64, out: &mut Vec<Node>) -> Place {
        let columns = self.tile.columns;
        let (lanes, v) = (v.div_euclid(columns), v.rem_euclid(columns));
        let from = self.register(row, v);
        if lanes == 0 {
            return from;
        }
        let bank = self.banks.staged + row.at;
        let key = (row.clone(), v, lanes);
        if let Some(&index) = self.near.get(&key) {
            return Place::Register { bank: bank as u16, index };
        }
        let index = self.shuffled[row.at];
        self.shuffled[row.at] += 1;
        self.near.insert(key, index);
        let to = self.banks.grown(bank, index);
        out.push(Node::Shuffle { to: to.clone(), from, lanes: lanes as i32 });
        to
    }

    /// An element of an array that is not staged: lanes that have no business there read another one.
    fn far(&mut self, a: &Access, level: &Level, time: &IExpr, coords: &[IExpr]) -> Place {
        let mut subscripts = self.ctx.subscripts(a, time, coords);
        for (d, x) in subscripts.iter_mut().enumerate() {
            if !self.full || a.subscripts[d].dim.map(usize::from) == Some(coords.len() - 1) {
                *x = self.clamped(x.clone(), a.array, d);
            }
        }
        let step = level.level / self.ctx.k() + i64::from(a.rotation);
        self.ctx.home(a.array, IExpr::Const(step), subscripts)
    }

    /// The condition under which a point's new value takes the place of the old one, if it must be asked.
    fn kept(&mut self, at: usize, row: &BoxRow, v: i64, coords: &[IExpr]) -> Option<Cond> {
        let tile = self.tile;
        let level = &tile.levels[at];
        let (lo, hi) = level.columns;
        let inside = within(self.local(v), IExpr::Const(lo), IExpr::Const(hi));
        if !self.full {
            let mut all = inside.to_vec();
            for (d, x) in coords.iter().enumerate() {
                let lo = self.ctx.statement_lo(level.statement, d);
                let hi = self.ctx.statement_hi(level.statement, d);
                all.extend(within(x.clone(), lo, hi));
            }
            return Some(Cond::All(all));
        }
        let needed = [self.stored(row), self.touched_columns(row, at + 1, false)];
        let needed = needed.into_iter().flatten().reduce(hull)?;
        let asked = tile.sticks_out(v, needed, level.columns) && !self.is_fresh(at, row);
        asked.then(|| Cond::All(inside.to_vec()))
    }

    /// Nothing is in a full tile's row yet when a level writes it.
    fn is_fresh(&self, at: usize, row: &BoxRow) -> bool {
        let writes = |level: &Level| {
            let mut all = self.accesses(level).into_iter().filter(|(_, write)| *write);
            all.any(|(access, _)| self.columns(&access, level, row).is_some())
        };
        !self.is_loaded(row) && !self.tile.levels[..at].iter().any(writes)
    }
}

/// `lo <= x <= hi`
fn within(x: IExpr, lo: IExpr, hi: IExpr) -> [Cond; 2] {
    [Cond::Le(lo, x.clone()), Cond::Le(x, hi)]
}

fn access(to: Place, from: Place, count: i64) -> Node {
    match count {
        1 => Node::Copy { to, from },
        _ => Node::Vector { to, from, count: count as u32 },
    }
}
