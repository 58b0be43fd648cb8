//! Where a block and a thread are, and the boxes of statements and arrays, as variables that are bound once.

use super::masks::{Mask, bit};
use super::{Builder, Where, chunk_argument, parts_argument, space_argument};
use crate::kernel::build::{is_thin, thin};
use crate::kernel::ir::{Cond, IExpr};
use crate::schedule::overlapped::Start;
use crate::stencil::Statement;
use hexpass_abi::{Access, KernelParam};
use std::collections::HashMap;

/// More points than a block has along any dimension, with its halo: so far beyond the space no block looks.
const BEYOND: i64 = 1 << 20;

/// An inclusive interval.
pub type Interval = (IExpr, IExpr);

/// Coordinates and boxes.
pub struct Bounds {
    /// The thread's first column.
    pub x: IExpr,
    /// Its first row, in three dimensions.
    pub y: Option<IExpr>,
    pub stream: Option<Stream>,
    /// What the whole block loads, in each dimension; of the streamed one, all planes that are computed.
    pub range: Vec<Interval>,
    /// The space, in each dimension.
    pub space: Vec<Interval>,
    /// Of each array that the nest writes, in coordinates: elements that statements may write.
    pub written: HashMap<u16, Vec<Interval>>,
    /// Of each array, in coordinates for those that the nest writes: elements that any access touches.
    pub touched: HashMap<u16, Vec<Interval>>,
    pub statements: Vec<Vec<Interval>>,
    /// Near the border, for each statement that has instances there, which points of the thread lie in its box, apart from the
    /// streamed dimension: bit `row · V + column`.
    boxes: Vec<Option<Mask>>,
    /// There, in two dimensions, for each statement that is thin along the other one: above 0 if the block has none of its
    /// columns.
    apart: Vec<Option<IExpr>>,
    /// The strip's first and last column, and the block's first and last row, that are owned.
    pub columns: (i64, i64),
    pub rows: (i64, i64),
}

/// An interval that must lie in another, both of coordinates of one dimension.
pub struct Demand {
    pub dim: usize,
    pub range: Interval,
    pub outer: Interval,
}

/// Where a block lies among strips of which the outermost have several for each part of the streamed dimension.
#[derive(Clone)]
pub struct Strip {
    /// The strip's number.
    index: IExpr,
    /// 1 in the first and the last strip, else 0.
    outermost: IExpr,
    /// Which of the outermost strip's blocks for the part, from 0; 0 in others.
    piece: IExpr,
}

/// The planes of a block.
#[derive(Clone)]
pub struct Stream {
    /// First plane that is loaded, and the last at which something is stored.
    pub first: IExpr,
    pub last: IExpr,
    /// First and last plane that is owned.
    pub owned: Interval,
}

impl Bounds {
    pub fn new(b: &mut Builder<'_>) -> Bounds {
        let dims = b.dims();
        let space: Vec<Interval> = (0..dims).map(|d| b.space(d)).collect();
        let (x, x_range) = b.columns(&space[dims - 1]);
        let mut range = vec![x_range];
        let mut y = None;
        let mut rows = (0, 0);
        if dims == 3 {
            let (first, y_range) = b.rows(&space[1]);
            y = Some(first);
            range.insert(0, y_range);
            rows = (b.shape.halo[1].0, b.shape.halo[1].0 + b.shape.own_rows() - 1);
        }
        let stream = (dims > 1).then(|| b.stream(&space[0]));
        if let Some(s) = &stream {
            range.insert(0, b.looked_at(s));
        }
        let before = b.shape.halo[dims - 1].0;
        let columns = (before, before + b.shape.own - 1);
        let statements =
            (0..b.program().statements.len()).map(|i| b.box_around(i, &space)).collect::<Vec<_>>();
        let mut out = Bounds {
            x,
            y,
            stream,
            range,
            space: space.clone(),
            written: HashMap::new(),
            touched: HashMap::new(),
            statements,
            boxes: vec![None; b.program().statements.len()],
            apart: vec![None; b.program().statements.len()],
            columns,
            rows,
        };
        // Of records nobody asks more than where a value belongs, of folds not even that.
        let flow = b.flow;
        let arrays = 0..b.program().arrays.len() as u16;
        for array in arrays.filter(|&array| !flow.is_record(array) && !flow.is_fold(array)) {
            let touched = b.touched(array);
            if b.flow.anchor(array).is_some() {
                out.written.insert(array, b.written(array, &out, &touched, &space));
            }
            out.touched.insert(array, touched);
        }
        out
    }

    /// What only a body near the border needs.
    pub fn approach(&mut self, b: &mut Builder<'_>, mode: Where) {
        let all = &b.program().statements;
        for (i, s) in all.iter().enumerate() {
            if mode.lacks(s) || self.boxes[i].is_some() {
                continue;
            }
            if !mode.has_ends() {
                self.boxes[i] = Some(Mask::All(Vec::new()));
                continue;
            }
            // Of all dimensions: where one is empty, the bounds of the others say nothing.
            let same = |t: &Statement| t.lo == s.lo && t.hi == s.hi;
            let known =
                (0..all.len()).filter(|&t| same(&all[t])).find_map(|t| self.boxes[t].clone());
            let mask = known.unwrap_or_else(|| {
                let bits =
                    b.points().map(|(r, c)| self.within(r, c, &self.statements[i])).collect();
                Mask::new(b, bits)
            });
            self.boxes[i] = Some(mask);
            if b.dims() == 2 && is_thin(s, 1) {
                let (columns, own) = (&self.statements[i][1], &self.range[1]);
                self.apart[i] = Some(b.bind(apart(columns, own)));
            }
        }
    }

    /// Forgets what [`Bounds::approach`] has bound.
    pub fn leave(&mut self) {
        self.boxes.fill(None);
        self.apart.fill(None);
    }

    /// The condition for [`Where::Rows`].
    pub fn columns_inside(&self, b: &Builder<'_>) -> Cond {
        let own = &self.range[1];
        let contained = |(first, last): &Interval| {
            [Cond::Le(first.clone(), own.0.clone()), Cond::Le(own.1.clone(), last.clone())]
        };
        let demands = self.demands(b).into_iter().filter(|demand| demand.dim == 1);
        let mut all: Vec<Cond> = demands.flat_map(|demand| contained(&demand.outer)).collect();
        for (i, s) in b.program().statements.iter().enumerate() {
            let columns = &self.statements[i][1];
            match Where::Rows.lacks(s) {
                true => all.push(Cond::Le(IExpr::Const(1), apart(own, columns))),
                false => all.extend(contained(columns)),
            }
        }
        Cond::All(narrowest(all))
    }

    /// Of a statement that is thin along columns and that [`Bounds::approach`] has seen: the condition that the block has some
    /// of its columns.
    pub fn columns_meet(&self, statement: u16) -> Option<Cond> {
        let apart = self.apart[usize::from(statement)].clone()?;
        Some(Cond::Le(apart, IExpr::Const(0)))
    }

    /// The mask of a statement that [`Bounds::approach`] has seen; else of no point.
    pub fn box_of(&self, statement: u16) -> Mask {
        self.boxes[usize::from(statement)].clone().unwrap_or(Mask::Words(Vec::new()))
    }

    /// 1 where a point of the thread lies in a box, apart from the streamed dimension.
    pub fn within(&self, row: i64, column: i64, outer: &[Interval]) -> IExpr {
        let last = outer.len() - 1;
        let across = bit(&self.x.clone().plus(IExpr::Const(column)), &outer[last]);
        match &self.y {
            Some(y) => bit(&y.clone().plus(IExpr::Const(row)), &outer[last - 1]).lesser(across),
            None => across,
        }
    }

    /// The condition for [`Where::Inside`], of block indices and parameters only.
    pub fn inside(&self, b: &Builder<'_>) -> Cond {
        let mut all: Vec<Cond> = self
            .demands(b)
            .into_iter()
            .flat_map(|d| {
                let ((lo, hi), (first, last)) = (d.range, d.outer);
                [Cond::Le(first, lo), Cond::Le(hi, last)]
            })
            .collect();
        for (i, s) in b.program().statements.iter().enumerate() {
            if thin(s) {
                all.push(Cond::Le(IExpr::Const(1), self.distance(i)));
            }
        }
        Cond::All(narrowest(all))
    }

    /// What must lie in what for [`Where::Inside`], thin statements apart.
    pub fn demands(&self, b: &Builder<'_>) -> Vec<Demand> {
        let mut all = Vec::new();
        let mut within = |range: &[Interval], outer: &[Interval]| {
            for (dim, (range, outer)) in range.iter().zip(outer).enumerate() {
                all.push(Demand { dim, range: range.clone(), outer: outer.clone() });
            }
        };
        for c in b.carried {
            within(&self.range, &self.written[&c.array]);
        }
        for (i, s) in b.program().statements.iter().enumerate() {
            if !thin(s) {
                within(&self.range, &self.statements[i]);
            }
            for a in s.reads.iter().filter(|a| b.flow.is_stream(a)) {
                within(&self.reach(a), &self.touched[&a.array]);
            }
        }
        all
    }

    /// How far the block lies from a statement's box; positive if they have no point in common.
    fn distance(&self, statement: usize) -> IExpr {
        let all = self.range.iter().zip(&self.statements[statement]).map(|(a, b)| apart(a, b));
        all.reduce(IExpr::greater).unwrap_or(IExpr::Const(0))
    }

    /// What the block loads for reads of an array that is only read: the columns as they are, rows and planes shifted.
    fn reach(&self, access: &Access) -> Vec<Interval> {
        let last = self.range.len() - 1;
        let offset = |d: usize| match access.subscripts[d].offset.as_constant() {
            Some(c) if d < last => IExpr::Const(c),
            _ => IExpr::Const(0),
        };
        let moved = |(d, (lo, hi)): (usize, &Interval)| {
            (lo.clone().plus(offset(d)), hi.clone().plus(offset(d)))
        };
        self.range.iter().enumerate().map(moved).collect()
    }
}

impl Builder<'_> {
    fn launch(&mut self, argument: u8) -> IExpr {
        self.param(KernelParam::Launch(argument))
    }

    /// Along a dimension that goes round the grid, without cells beyond its ends.
    fn space(&mut self, dim: usize) -> Interval {
        if let Some(ends) = self.flow.ends(dim) {
            return self.draft.interval(ends);
        }
        let argument = space_argument(dim);
        (self.launch(argument), self.launch(argument + 1))
    }

    /// The thread's first column, and the columns of the block.
    fn columns(&mut self, space: &Interval) -> (IExpr, Interval) {
        let shape = self.shape;
        let v = shape.sizes.vector;
        let Start { align, before } = shape.strips();
        let origin = space.0.clone().plus(IExpr::Const(before)).floor_div(align).times(align);
        let strip = match (shape.dims, self.strip()) {
            (3, _) => self.tile_of_block()[0].clone(),
            (_, Some(strip)) => strip.index,
            (_, None) => IExpr::Block(0),
        };
        let first = origin.plus(strip.times(shape.own_columns()));
        let first = self.bind(first.plus(IExpr::Const(-before - shape.halo[shape.dims - 1].0)));
        let strips = if shape.dims == 3 { 0 } else { shape.sizes.warps - 1 };
        let last = first.clone().plus(IExpr::Const(strips * shape.own + 32 * v - 1));
        let mut x = first.clone().plus(IExpr::Thread(0).times(v));
        if strips > 0 {
            x = x.plus(IExpr::Thread(1).times(shape.own));
        }
        (self.bind(x), (first, last))
    }

    /// The thread's first row, and the rows of the block.
    fn rows(&mut self, space: &Interval) -> (IExpr, Interval) {
        let shape = self.shape;
        let first = space.0.clone().plus(self.tile_of_block()[1].clone().times(shape.own_rows()));
        let first = self.bind(first.plus(IExpr::Const(-shape.halo[1].0)));
        let tall = shape.sizes.warps * shape.sizes.rows;
        let last = first.clone().plus(IExpr::Const(tall - 1));
        let y = first.clone().plus(IExpr::Thread(1).times(shape.sizes.rows));
        (self.bind(y), (first, last))
    }

    fn stream(&mut self, space: &Interval) -> Stream {
        let (lo, hi) = match self.strip() {
            Some(strip) => self.part(space, &strip),
            None => {
                let chunk = self.launch(chunk_argument(self.dims()));
                let part = self.tile_of_block()[2].clone();
                let lo = space.0.clone().plus(part.product(chunk.clone()));
                let hi = lo.clone().plus(chunk).plus(IExpr::Const(-1));
                (self.bind(lo), self.bind(hi.lesser(space.1.clone())))
            }
        };
        self.stream_of((lo, hi))
    }

    /// The planes of a block that owns these.
    pub(super) fn stream_of(&mut self, owned: Interval) -> Stream {
        let (lo, hi) = owned.clone();
        let first = self.bind(lo.plus(IExpr::Const(-self.shape.halo[0].0)));
        let last = self.bind(hi.plus(IExpr::Const(self.tile.latest())));
        Stream { first, last, owned }
    }

    /// Which piece of its part a block has.
    pub(super) fn piece(&mut self) -> IExpr {
        self.strip().map_or(IExpr::Const(0), |strip| strip.piece)
    }

    /// The strip of a block, where those near the border own less.
    fn strip(&mut self) -> Option<Strip> {
        let more = self.shape.short?.pieces - 1;
        if let Some(known) = &self.strip {
            return Some(known.clone());
        }
        let strips = self.launch(parts_argument(self.dims()) + 4);
        let one = || IExpr::Const(1);
        let last = strips.clone().minus(one());
        // How many of the blocks after the strips' first ones there are before this one, itself included.
        let after = self.bind(IExpr::Block(0).minus(last.clone()).greater(IExpr::Const(0)));
        let of_last = self.bind(flag(after.clone().plus(IExpr::Const(-more))));
        let of_first = flag(after.clone()).minus(of_last.clone());
        let index = IExpr::Block(0).lesser(last.clone()).minus(of_first.product(last.clone()));
        let index = self.bind(index);
        let inside = flag(index.clone().lesser(last.minus(index.clone())));
        let outermost = self.bind(one().minus(inside));
        let piece = self.bind(after.minus(of_last.times(more)));
        let strip = Strip { index, outermost, piece };
        self.strip = Some(strip.clone());
        Some(strip)
    }

    /// What a block owns of the streamed dimension where those near the border own less: a part, or a piece of one.
    fn part(&mut self, space: &Interval, strip: &Strip) -> Interval {
        let pieces = self.shape.short.map_or(1, |short| short.pieces);
        let argument = parts_argument(self.dims());
        let [ends, each, more, between] = [0, 1, 2, 3].map(|a| self.launch(argument + a));
        let begin = |part: IExpr| {
            let past = part.clone().plus(IExpr::Const(-1)).greater(IExpr::Const(0));
            let before = past.clone().lesser(between.clone());
            // The first part, and behind the last one that, too.
            let outer = part.lesser(IExpr::Const(1)).plus(past.minus(before.clone()));
            let planes = outer.product(ends.clone()).plus(before.clone().product(each.clone()));
            space.0.clone().plus(planes).plus(before.lesser(more.clone()))
        };
        // Blocks 0 and 1 have the parts at the ends.
        let one = || IExpr::Const(1);
        let before = flag(IExpr::Block(1)).minus(flag(IExpr::Block(1).minus(one())));
        let moved = before.product(between.clone().plus(one()));
        let number = IExpr::Block(1).minus(flag(IExpr::Block(1))).plus(moved);
        let number = self.bind(number);
        let lo = self.bind(begin(number.clone()));
        let next = begin(number.plus(one()));
        let next = self.bind(next.lesser(space.1.clone().plus(one())));
        let points = next.clone().minus(lo.clone());
        let each = self.bind(points.plus(IExpr::Const(pieces - 1)).floor_div(pieces));
        let first = lo.plus(strip.piece.clone().product(each.clone()));
        let first = self.bind(first.lesser(next.clone()));
        // All the rest where there is one piece only.
        let rest = next.minus(first.clone());
        let less = rest.clone().minus(each).greater(IExpr::Const(0));
        let owned = rest.minus(strip.outermost.clone().product(less));
        let hi = first.clone().plus(owned).plus(IExpr::Const(-1));
        (first, self.bind(hi))
    }

    /// The planes that a block looks at.
    pub(super) fn looked_at(&mut self, s: &Stream) -> Interval {
        let (before, after) = self.shape.looks_beyond(self.flow, self.tile);
        let (lo, hi) = s.owned.clone();
        (lo.plus(IExpr::Const(-before)), hi.plus(IExpr::Const(after)))
    }

    /// Beyond the space in dimensions that go round.
    fn box_around(&mut self, statement: usize, space: &[Interval]) -> Vec<Interval> {
        let (statement, dims) = (statement as u16, self.dims() as u8);
        let one = |dim| {
            if self.flow.goes_round(usize::from(dim)) {
                let (lo, hi) = space[usize::from(dim)].clone();
                return (lo.plus(IExpr::Const(-BEYOND)), hi.plus(IExpr::Const(BEYOND)));
            }
            let lo = self.param(KernelParam::StatementLo { statement, dim });
            (lo, self.param(KernelParam::StatementHi { statement, dim }))
        };
        (0..dims).map(one).collect()
    }

    fn touched(&mut self, array: u16) -> Vec<Interval> {
        let dims = self.program().arrays[usize::from(array)].strides.len();
        let anchor = self.flow.anchor(array).map(<[i64]>::to_vec);
        let one = |d: usize| {
            let dim = d as u8;
            let by = IExpr::Const(-anchor.as_ref().map_or(0, |a| a[d]));
            let lo = self.param(KernelParam::ArrayLo { array, dim }).plus(by.clone());
            (lo, self.param(KernelParam::ArrayHi { array, dim }).plus(by))
        };
        (0..dims).map(one).collect()
    }

    /// The hull of the boxes of all statements that write an array, of which empty ones may lie anywhere.
    fn written(
        &mut self,
        array: u16,
        bounds: &Bounds,
        touched: &[Interval],
        space: &[Interval],
    ) -> Vec<Interval> {
        let writers: Vec<usize> = self.flow.writers(array).collect();
        let one = |d: usize| {
            let boxes = writers.iter().map(|&i| bounds.statements[i][d].clone());
            let hull = |a: Interval, b: Interval| (a.0.lesser(b.0), a.1.greater(b.1));
            let (lo, hi) = boxes.reduce(hull).unwrap_or((IExpr::Const(0), IExpr::Const(-1)));
            let lo = lo.greater(touched[d].0.clone()).greater(space[d].0.clone());
            let hi = hi.lesser(touched[d].1.clone()).lesser(space[d].1.clone());
            (self.bind(lo), self.bind(hi))
        };
        (0..touched.len()).map(one).collect()
    }

    /// Rows and columns of a thread, row by row.
    pub(super) fn points(&self) -> impl Iterator<Item = (i64, i64)> + use<> {
        let s = self.shape.sizes;
        (0..s.rows).flat_map(move |r| (0..s.vector).map(move |c| (r, c)))
    }
}

/// How far intervals lie from each other; positive if they have nothing in common.
pub fn apart(a: &Interval, b: &Interval) -> IExpr {
    b.0.clone().minus(a.1.clone()).greater(a.0.clone().minus(b.1.clone()))
}

/// 1 for a number above 0, else 0.
pub fn flag(e: IExpr) -> IExpr {
    e.greater(IExpr::Const(0)).lesser(IExpr::Const(1))
}

/// The conditions that a value lies in an interval.
pub fn within(value: &IExpr, (lo, hi): &Interval) -> [Cond; 2] {
    [Cond::Le(lo.clone(), value.clone()), Cond::Le(value.clone(), hi.clone())]
}

/// Conditions of which none follows from another: of those that differ by a constant the hardest.
pub fn narrowest(all: Vec<Cond>) -> Vec<Cond> {
    let mut out: Vec<Cond> = Vec::new();
    let slack = |c: &Cond| match c {
        Cond::Le(a, b) => Some(b.clone().minus(a.clone())),
        Cond::All(_) => None,
    };
    for c in all {
        let against = |d: &Cond| slack(&c)?.minus(slack(d)?).as_const();
        match out.iter_mut().find_map(|d| against(d).map(|by| (d, by))) {
            Some((d, by)) if by < 0 => *d = c,
            Some(_) => (),
            None => out.push(c),
        }
    }
    out
}
