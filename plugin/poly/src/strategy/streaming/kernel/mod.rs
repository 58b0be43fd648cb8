//! The kernel of a time tile whose blocks stream.
//!
//! Consumes a [`TimeTile`] and its [`Shape`]; produces a [`Kernel`] whose threads keep all versions in registers:
//!
//! ```text
//! if the block and all that it loads lie inside every statement's box:
//!     load the first planes ahead
//!     the first turns, without the levels that nobody needs yet ([`fill`])
//!     for z, `unroll` planes at a time:
//!         for each of them: take the planes loaded ahead, load the next ([`ahead`]); each level in order; store what is left
//!             | barrier
//! else: the same with loads clamped, values selected by the boxes, stores guarded, each time round one of two ways:
//!     the planes lie between those of the border, or some may not
//! ```
//! With statements along rows, blocks of two dimensions go these two ways for planes of their own each ([`beside`]). Where
//! registers allow it, blocks of three dimensions do both, inside and near the border, one after the other ([`rounds`]).
//!
//! What the nest never writes must be equal in all slots of an array, and in scratch buffers: then a carried slot's buffer
//! holds it whichever it is, and near the border it goes from level to level in the registers of what is computed.
//!
//! Rings of registers hold as many planes as the loop writes out, so that every register is a constant. Neighbours in x
//! are in the thread, or come by shuffles; neighbours in y are in the thread, or come through shared memory, where each
//! warp puts its edge rows when they are made and finds others' at least one plane, and so one barrier, later. Those are rows of the
//! warps beside it, so that long bodies wait for these two only.

mod ahead;
mod beside;
mod bounds;
mod constants;
mod cuts;
mod fetched;
mod fill;
mod folded;
mod level;
mod load;
mod masks;
mod neighbours;
pub mod order;
mod record;
mod registers;
mod rounds;
mod store;
mod versions;

use super::cut::cut;
use super::shape::{Shape, WARP};
use crate::kernel::build::{Draft, is_thin, thin};
use crate::kernel::ir::{Cond, IExpr, Kernel, LoopKind, Node, Place, Style};
use crate::kernel::pieces::Piece;
use crate::schedule::overlapped::flow::Flow;
use crate::schedule::overlapped::{Carried, TimeTile, plan};
use crate::stencil::{Statement, StencilProgram};
use bounds::{Bounds, Interval, Strip, narrowest};
use cuts::Cuts;
use folded::{Kept, Split};
use hexpass_abi::{ElemType, KernelCost, KernelParam};
use masks::Mask;
use neighbours::Neighbours;
use registers::{Registers, Rows};
use std::collections::HashMap;

/// Launch argument: smallest coordinate of a dimension; the largest follows.
pub fn space_argument(dim: usize) -> u8 {
    plan::FURTHER + 2 * dim as u8
}

/// Launch argument of three dimensions: planes of a chunk; [`order::arguments`] follow.
pub fn chunk_argument(dims: usize) -> u8 {
    space_argument(dims)
}

/// See [`chunk_argument`].
pub fn order_argument(dims: usize) -> u8 {
    chunk_argument(dims) + 1
}

/// Launch argument of two dimensions, where blocks near the border own less: with three more [`Short::planes`]; strips
/// follow.
///
/// [`Short::planes`]: crate::schedule::overlapped::short::Short::planes
pub fn parts_argument(dims: usize) -> u8 {
    space_argument(dims)
}

/// What is known of the planes that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Where {
    /// All instances exist (none of thin statements), all elements that are loaded are there.
    Inside,
    /// Blocks near the border, planes between those of the border: no instances of statements that are thin along the
    /// streamed dimension, of others all planes.
    Beside,
    /// Planes near the border's or near rows, columns between those of the border: no instances of statements that are
    /// thin along columns, of others all columns.
    Rows,
    Border,
}

impl Where {
    /// True if a block has columns of the border's.
    fn has_ends(self) -> bool {
        matches!(self, Where::Beside | Where::Border)
    }

    /// True if some planes may be the border's.
    fn has_end_planes(self) -> bool {
        matches!(self, Where::Rows | Where::Border)
    }

    /// True if a statement has no instances there.
    fn lacks(self, statement: &Statement) -> bool {
        match self {
            Where::Inside => thin(statement),
            Where::Beside => is_thin(statement, 0),
            Where::Rows => is_thin(statement, 1),
            Where::Border => false,
        }
    }
}

/// The kernel of a time tile.
pub fn kernel(
    name: String,
    flow: &Flow<'_>,
    carried: &[Carried],
    tile: &TimeTile,
    shape: &Shape,
    cost: KernelCost,
) -> Kernel {
    let mut builder = Builder::new(flow, carried, tile, shape);
    builder.share();
    builder.share_fetched();
    let mut bounds = Bounds::new(&mut builder);
    let (first, last) = builder.keep_folds(&bounds);
    let begin = std::mem::take(&mut builder.head);
    let rounds = bounds.stream.clone().filter(|_| builder.has_rounds());
    let general = rounds.is_none();
    let body = match rounds {
        Some(stream) => builder.rounds(&mut bounds, &stream),
        None => builder.either(&mut bounds),
    };
    let body = [begin, first, body, last].concat();
    let folds = builder.folds();
    let (params, vars) = builder.draft.finish();
    let s = shape.sizes;
    Kernel {
        name,
        threads: [WARP as u32, s.warps as u32, 1],
        style: Style::Thread,
        shared: builder.neighbours.shared,
        registers: builder.registers.banks,
        params,
        pieces: builder.pieces,
        vars,
        body,
        general,
        round: (0..flow.problem.dims() as u8)
            .filter(|&d| flow.goes_round(usize::from(d)))
            .collect(),
        folds,
        cost,
    }
}

/// What is shared while a kernel is built.
struct Builder<'a> {
    flow: &'a Flow<'a>,
    carried: &'a [Carried],
    tile: &'a TimeTile,
    shape: &'a Shape,
    draft: Draft<'a>,
    registers: Registers,
    /// For each version, its ring of planes.
    rings: Vec<Rows>,
    /// For each version that is loaded, planes on their way.
    ahead: HashMap<u16, Rows>,
    /// The same for the next time round the loop, where all of its planes are loaded together.
    next: HashMap<u16, Rows>,
    /// For each version that is fetched, its buffer in shared memory.
    fetched: HashMap<u16, u16>,
    neighbours: Neighbours,
    /// Where the block lies, once it has been asked for.
    strip: Option<Strip>,
    /// The same in three dimensions: column, row and layer of its tile.
    tile_at: Option<[IExpr; 3]>,
    /// By level, how those are computed that are in pieces; and all pieces.
    cuts: Vec<Option<Cuts>>,
    /// By level, how those are computed that divide and are reduced.
    splits: Vec<Option<Split>>,
    pieces: Vec<Piece>,
    /// Near the border, by array, dimension and coordinate, the nearest coordinates that exist.
    existing: HashMap<(u16, usize, IExpr), IExpr>,
    /// Near the border, for each array, what the thread stores of it.
    stored: HashMap<u16, Mask>,
    /// Near the border by statement, inside once, which points the thread stores in a record.
    recorded: HashMap<Option<u16>, Mask>,
    /// Which rows the thread owns.
    owned: Option<Mask>,
    /// What the thread has found of what steps are reduced from.
    kept: Kept,
    /// Slots whose values before a step matter.
    live: Vec<(u16, i32)>,
    /// Near the border, by level and read, registers of values that are the same at every plane; and what loads them, before
    /// the loop.
    same: HashMap<(usize, usize), Place>,
    loads: Vec<Node>,
    /// What is computed once, before everything else; while the border's body is written, before that.
    head: Vec<Node>,
}

/// A plane of the loop that is written out.
#[derive(Clone, Debug)]
struct Turn {
    mode: Where,
    /// Which of them, from 0.
    index: i64,
    /// Plane of coordinate zero of the streamed dimension at index 0.
    z: IExpr,
    /// Among a block's first turns, the one that ends the stage ([`fill`]).
    stage: Option<i64>,
}

impl Turn {
    /// The plane that lags so many behind.
    fn plane(&self, delay: i64) -> IExpr {
        self.z.clone().plus(IExpr::Const(self.index - delay))
    }

    /// The turn so many planes later.
    fn later(&self, planes: i64) -> Turn {
        Turn { index: self.index + planes, ..self.clone() }
    }
}

impl<'a> Builder<'a> {
    fn new(
        flow: &'a Flow<'a>,
        carried: &'a [Carried],
        tile: &'a TimeTile,
        shape: &'a Shape,
    ) -> Builder<'a> {
        let mut registers = Registers::default();
        let s = shape.sizes;
        let elem = |v: &crate::schedule::overlapped::Version| {
            flow.problem.stencil.arrays[usize::from(v.array)].elem
        };
        let rings: Vec<Rows> = tile
            .versions
            .iter()
            .map(|v| registers.rows(elem(v), shape.unroll, s.rows, s.vector))
            .collect();
        let (mut ahead, mut next) = (HashMap::new(), HashMap::new());
        for (i, v) in (0u16..).zip(&tile.versions) {
            if v.level.is_none() && tile.streamed.is_some() {
                ahead.insert(i, registers.rows(elem(v), shape.held(), s.rows, s.vector));
                if shape.prefetches {
                    next.insert(i, registers.rows(elem(v), shape.ahead, s.rows, s.vector));
                }
            }
        }
        let mut pieces = Vec::new();
        let cuts = (0..tile.levels.len())
            .map(|l| Cuts::of(cut(flow, tile, l)?, shape, &mut registers, &mut pieces))
            .collect();
        let levels = tile.levels.iter();
        let splits =
            levels.map(|l| Split::of(flow, l, shape, (&mut registers, &mut pieces))).collect();
        Builder {
            flow,
            carried,
            tile,
            shape,
            draft: Draft::new(&flow.problem.stencil),
            registers,
            rings,
            ahead,
            fetched: HashMap::new(),
            next,
            neighbours: Neighbours::default(),
            strip: None,
            tile_at: None,
            cuts,
            splits,
            pieces,
            existing: HashMap::new(),
            stored: HashMap::new(),
            recorded: HashMap::new(),
            owned: None,
            kept: Kept::new(),
            live: flow.live(),
            same: HashMap::new(),
            loads: Vec::new(),
            head: Vec::new(),
        }
    }

    fn program(&self) -> &'a StencilProgram {
        &self.flow.problem.stencil
    }

    fn dims(&self) -> usize {
        self.shape.dims
    }

    fn statement(&self, level: usize) -> &'a Statement {
        &self.program().statements[usize::from(self.tile.levels[level].statement)]
    }

    fn elem(&self, array: u16) -> ElemType {
        self.program().arrays[usize::from(array)].elem
    }

    fn param(&mut self, p: KernelParam) -> IExpr {
        self.draft.param(p)
    }

    /// A variable bound before everything else.
    fn bind(&mut self, value: IExpr) -> IExpr {
        if matches!(value, IExpr::Const(_) | IExpr::Var(_) | IExpr::Param(_)) {
            return value;
        }
        let var = self.var();
        self.head.push(Node::Let { var, value });
        IExpr::Var(var)
    }

    fn var(&mut self) -> u16 {
        self.draft.var()
    }

    /// Time of a level.
    fn time(&mut self, level: usize) -> IExpr {
        let step = level as i64 / self.flow.problem.k();
        self.param(KernelParam::Launch(plan::TIME)).plus(IExpr::Const(step))
    }

    /// Blocks that lie inside everything, and all others.
    fn either(&mut self, bounds: &mut Bounds) -> Vec<Node> {
        let inside = self.body(bounds, Where::Inside);
        let head = std::mem::take(&mut self.head);
        let near = match bounds.stream.clone().filter(|_| self.goes_beside()) {
            Some(stream) => self.beside(bounds, &stream.owned),
            None => {
                bounds.approach(self, Where::Border);
                let border = self.body(bounds, Where::Border);
                [std::mem::take(&mut self.head), border].concat()
            }
        };
        self.head = head;
        let cond = bounds.inside(self);
        let mut body = std::mem::take(&mut self.head);
        body.push(Node::If { cond, then: inside, otherwise: near });
        body
    }

    /// One of the two bodies.
    fn body(&mut self, bounds: &Bounds, mode: Where) -> Vec<Node> {
        let Some(stream) = bounds.stream.clone() else {
            self.neighbours.begin();
            self.find_neighbours(mode);
            let turn = Turn { mode, index: 0, z: IExpr::Const(0), stage: None };
            return self.turn(bounds, &turn);
        };
        let mut out = self.load_first(bounds, mode, &stream.first);
        let mut first = stream.first;
        if mode == Where::Inside {
            out.extend(self.fill(bounds, &first));
            first = first.plus(IExpr::Const(self.shape.fill.turns()));
        }
        let planes = self.planes(bounds, mode, first, stream.last);
        out.append(&mut self.loads);
        out.push(planes);
        self.same.clear();
        out
    }

    /// The loop over planes.
    fn planes(&mut self, bounds: &Bounds, mode: Where, lo: IExpr, hi: IExpr) -> Node {
        self.neighbours.begin();
        self.find_neighbours(mode);
        let var = self.var();
        let kind = LoopKind::Sequential;
        let turn = |mode| Turn { mode, index: 0, z: IExpr::Var(var), stage: None };
        if mode != Where::Inside && self.goes_beside() {
            let mut body = self.turn(bounds, &turn(mode));
            let rings = self.all_rings();
            body.extend(self.registers.pass_on(&body, &rings));
            return Node::For { var, lo, hi, step: 1, kind, body };
        }
        let mut body = self.turns(bounds, &turn(mode));
        let split = mode == Where::Border && self.shape.split;
        if let Some(cond) = self.between(bounds, &IExpr::Var(var)).filter(|_| split) {
            let then = self.turns(bounds, &turn(Where::Beside));
            body = vec![Node::If { cond, then, otherwise: body }];
        }
        Node::For { var, lo, hi, step: self.shape.unroll, kind, body }
    }

    /// All turns of a time round the loop, from the first on.
    fn turns(&mut self, bounds: &Bounds, first: &Turn) -> Vec<Node> {
        let mut all = self.load_next(bounds, first);
        all.extend((0..self.shape.unroll).flat_map(|i| self.turn(bounds, &first.later(i))));
        all.extend(self.take_next(first.mode));
        all
    }

    /// The condition that, all the way round from plane z, no level and no store meets the ends of a box in the streamed
    /// dimension; `None` if there are boxes of one plane.
    fn between(&self, bounds: &Bounds, z: &IExpr) -> Option<Cond> {
        let last = self.shape.unroll - 1;
        let mut all = Vec::new();
        let mut planes = |delay: i64, lead: i64, (lo, hi): &Interval| {
            all.push(Cond::Le(lo.clone(), z.clone().plus(IExpr::Const(-delay))));
            all.push(Cond::Le(z.clone().plus(IExpr::Const(last + lead - delay)), hi.clone()));
        };
        for (at, level) in self.tile.levels.iter().enumerate() {
            let statement = usize::from(level.statement);
            let s = &self.program().statements[statement];
            if Where::Beside.lacks(s) {
                return None;
            }
            planes(level.delay, self.keeping_lead(at), &bounds.statements[statement][0]);
        }
        for (c, &left) in self.carried.iter().zip(&self.tile.left) {
            planes(self.tile.delay_of(left), 0, &bounds.written[&c.array][0]);
        }
        Some(Cond::All(narrowest(all)))
    }

    /// All that happens at one plane.
    fn turn(&mut self, bounds: &Bounds, turn: &Turn) -> Vec<Node> {
        let mut out = self.await_fetched(turn.mode, self.shape.ahead - 2);
        for version in self.loaded(turn.mode) {
            out.extend(self.take(bounds, turn, version));
            out.extend(self.publish(turn, version));
            out.extend(self.store(bounds, turn, version));
        }
        out.extend(self.fetch_plane(bounds, turn, self.shape.ahead));
        for level in 0..self.tile.levels.len() {
            if self.is_left_out(turn, level) {
                out.extend(self.edges_of(turn, level));
                continue;
            }
            if let Some(writes) = self.flow.recorded(self.tile.levels[level].statement) {
                out.extend(self.record(bounds, turn, level, writes));
                continue;
            }
            out.extend(self.level(bounds, turn, level));
            for version in self.tile.levels[level].writes.clone() {
                if self.seen(version, turn.mode) == version {
                    out.extend(self.publish(turn, version));
                }
                out.extend(self.store(bounds, turn, version));
            }
        }
        if self.neighbours.exchanges() {
            let beside = self.shape.beside && self.neighbours.are_beside();
            out.push(if beside { Node::BarrierBeside } else { Node::Barrier });
        }
        self.neighbours.next_turn();
        out
    }
}
