//! The kernel of one statement on a GPU: threads along the inner dimensions walk the planes of a chunk.
//!
//! ```text
//! fill the rings up to the plane before the first one's newest
//! for z over the chunk, written out once for each plane of a ring:
//!     the newest plane of each tile | barrier | the newest of each column, the instance
//! ```
//! All indices into rings are constants, since the loop is written out. Nothing is loaded that no instance reads, but for
//! corners of tiles inside the arrays.

use super::Sizes;
use super::reuse::{Reuse, Source, Tile};
use crate::kernel::build::{Draft, direct};
use crate::kernel::ir::{
    Cond, IExpr, Kernel, LoopKind, Node, Place, RegisterBank, SharedBuffer, Style,
};
use crate::problem::Problem;
use crate::schedule::overlapped::Start;
use crate::schedule::overlapped::plan::{self, Launch, blocks_over};
use crate::stencil::Statement;
use hexpass_abi::{BlockWork, ElemType, KernelCost, KernelParam, PlanExpr};
use std::collections::BTreeSet;

/// Columns of a block start at multiples of so many elements: a warp's 128 bytes.
const ALIGN: i64 = 32;
/// The launch argument that holds the planes of a chunk.
const CHUNK: u8 = plan::TIME + 1;
/// Blocks of a grid along y and z at most.
const MOST_BLOCKS: i64 = 65535;

/// Blocks and arguments of a statement's kernel.
pub fn launch(dims: usize, sizes: Sizes, kernel: u16) -> Launch {
    let [x, y] = sizes.threads.map(i64::from);
    let columns = blocks_over(dims as u8 - 1, PlanExpr::Const(x), Start::aligned(ALIGN));
    let rows = blocks_over(1, PlanExpr::Const(y), Start::ANY);
    let chunks = blocks_over(0, chunk(), Start::ANY);
    let blocks = match dims {
        2 => [columns, chunks, PlanExpr::Const(1)],
        _ => [columns, rows, chunks],
    };
    Launch { kernel, blocks, args: vec![chunk()] }
}

/// Planes of a chunk: as many as wanted, or as the largest grid leaves.
fn chunk() -> PlanExpr {
    let needed = blocks_over(0, PlanExpr::Const(MOST_BLOCKS), Start::ANY);
    PlanExpr::Max(Box::new(PlanExpr::Tunable(0)), Box::new(needed))
}

/// The kernel of a statement of two or three dimensions.
pub fn kernel(
    problem: &Problem,
    statement: usize,
    sizes: Sizes,
    reuse: &Reuse,
    name: String,
) -> Kernel {
    let program = &problem.stencil;
    let dims = program.dims;
    let mut draft = Draft::new(program);
    let vars: Vec<u16> = (0..dims).map(|_| draft.var()).collect();
    let threads =
        if dims == 2 { [sizes.threads[0], 1, 1] } else { [sizes.threads[0], sizes.threads[1], 1] };
    let builder = Builder {
        statement: &program.statements[statement],
        index: statement,
        reuse,
        threads,
        coords: vars.iter().map(|&v| IExpr::Var(v)).collect(),
        first: vars[0],
        draft,
    };
    let elem = |array: u16| program.arrays[usize::from(array)].elem;
    let bank = |c: &super::reuse::Column| RegisterBank {
        name: program.arrays[usize::from(c.array)].name.clone(),
        elem: elem(c.array),
        len: reuse.ring as u32,
    };
    let buffer = |t: &Tile| SharedBuffer {
        name: program.arrays[usize::from(t.array)].name.clone(),
        elem: elem(t.array),
        extents: std::iter::once(reuse.ring).chain(extents(t, threads)).collect(),
    };
    let (body, params, vars) = builder.build();
    Kernel {
        name,
        threads,
        style: Style::Thread,
        shared: reuse.tiles.iter().map(buffer).collect(),
        registers: reuse.columns.iter().map(bank).collect(),
        params,
        pieces: Vec::new(),
        vars,
        body,
        general: false,
        round: Vec::new(),
        folds: None,
        cost: cost(problem, statement, threads, reuse),
    }
}

/// Rows and columns of a tile, outermost first.
fn extents(t: &Tile, threads: [u32; 3]) -> Vec<i64> {
    let inner = t.beside.len();
    let one = |(d, r): (usize, &(i64, i64))| i64::from(threads[inner - 1 - d]) + r.1 - r.0;
    t.beside.iter().enumerate().map(one).collect()
}

struct Builder<'a> {
    draft: Draft<'a>,
    statement: &'a Statement,
    index: usize,
    reuse: &'a Reuse,
    threads: [u32; 3],
    /// The thread's point; the first coordinate is bound anew for each plane.
    coords: Vec<IExpr>,
    /// The variable of the first coordinate at the start of the chunk.
    first: u16,
}

impl Builder<'_> {
    fn build(mut self) -> (Vec<Node>, Vec<KernelParam>, u16) {
        let dims = self.coords.len();
        let mut body = Vec::new();
        let mut inside = Vec::new();
        for d in 1..dims {
            let value = self.corner(d).plus(self.thread(d));
            let IExpr::Var(var) = self.coords[d] else { continue };
            body.push(Node::Let { var, value });
            let (lo, hi) = self.bounds(d);
            inside.extend([
                Cond::Le(lo, self.coords[d].clone()),
                Cond::Le(self.coords[d].clone(), hi),
            ]);
        }
        let (lo, hi) = self.bounds(0);
        let chunk = self.draft.param(KernelParam::Launch(CHUNK));
        let start = lo.plus(IExpr::Block(dims as u8 - 1).product(chunk.clone()));
        body.push(Node::Let { var: self.first, value: start });
        let last = self.draft.var();
        let end = IExpr::Var(self.first).plus(chunk).plus(IExpr::Const(-1)).lesser(hi);
        body.push(Node::Let { var: last, value: end });
        let inside = Cond::All(inside);
        let some = Cond::Le(IExpr::Var(self.first), IExpr::Var(last));
        let then = self.warm_up(&inside);
        if !then.is_empty() {
            body.push(Node::If { cond: some, then, otherwise: Vec::new() });
        }
        let turn = self.draft.var();
        let planes = (0..self.reuse.ring).map(|u| self.plane(turn, u, last, &inside)).collect();
        body.push(Node::For {
            var: turn,
            lo: IExpr::Var(self.first),
            hi: IExpr::Var(last),
            step: self.reuse.ring,
            kind: LoopKind::Sequential,
            body: planes,
        });
        let (params, vars) = self.draft.finish();
        (body, params, vars)
    }

    fn bounds(&mut self, d: usize) -> (IExpr, IExpr) {
        (self.draft.statement_lo(self.index, d), self.draft.statement_hi(self.index, d))
    }

    /// Axis of threads and blocks for a dimension after the first.
    fn axis(&self, d: usize) -> usize {
        self.coords.len() - 1 - d
    }

    fn thread(&self, d: usize) -> IExpr {
        match self.threads[self.axis(d)] {
            1 => IExpr::Const(0),
            _ => IExpr::Thread(self.axis(d) as u8),
        }
    }

    /// The block's smallest coordinate.
    fn corner(&mut self, d: usize) -> IExpr {
        let (lo, axis) = (self.bounds(d).0, self.axis(d));
        let lo = if axis == 0 { lo.floor_div(ALIGN).times(ALIGN) } else { lo };
        lo.plus(IExpr::Block(axis as u8).times(i64::from(self.threads[axis])))
    }

    /// All planes of the rings but the newest, for the first plane of the chunk.
    fn warm_up(&mut self, inside: &Cond) -> Vec<Node> {
        let start = IExpr::Var(self.first);
        let mut out = Vec::new();
        for t in 0..self.reuse.tiles.len() {
            let (lo, hi) = self.reuse.tiles[t].planes;
            for o in lo..hi {
                out.extend(self.fill(t, start.clone().plus(IExpr::Const(o)), o));
            }
        }
        let mut columns = Vec::new();
        for c in 0..self.reuse.columns.len() {
            let (lo, hi) = self.reuse.columns[c].planes;
            for o in lo..hi {
                columns.push(self.load(c, start.clone().plus(IExpr::Const(o)), o));
            }
        }
        if !columns.is_empty() {
            let (cond, otherwise) = (inside.clone(), Vec::new());
            out.push(Node::If { cond, then: columns, otherwise });
        }
        out
    }

    /// One plane, the `u`-th of those written out.
    fn plane(&mut self, turn: u16, u: i64, last: u16, inside: &Cond) -> Node {
        let z = self.draft.var();
        let at = IExpr::Var(z);
        let mut then = vec![Node::Let { var: z, value: IExpr::Var(turn).plus(IExpr::Const(u)) }];
        for t in 0..self.reuse.tiles.len() {
            let newest = self.reuse.tiles[t].planes.1;
            then.extend(self.fill(t, at.clone().plus(IExpr::Const(newest)), u + newest));
        }
        if !self.reuse.tiles.is_empty() {
            then.push(Node::Barrier);
        }
        let mut work = Vec::new();
        for c in 0..self.reuse.columns.len() {
            let newest = self.reuse.columns[c].planes.1;
            work.push(self.load(c, at.clone().plus(IExpr::Const(newest)), u + newest));
        }
        work.push(self.instance(at, u));
        then.push(Node::If { cond: inside.clone(), then: work, otherwise: Vec::new() });
        let cond = Cond::Le(IExpr::Var(turn).plus(IExpr::Const(u)), IExpr::Var(last));
        Node::If { cond, then, otherwise: Vec::new() }
    }

    fn ring(&self, plane: i64) -> i64 {
        plane.rem_euclid(self.reuse.ring)
    }

    /// A column's register for a plane, relative to the chunk's first.
    fn load(&mut self, c: usize, plane: IExpr, at: i64) -> Node {
        let reuse = self.reuse;
        let column = &reuse.columns[c];
        let mut subscripts = vec![plane];
        for (x, o) in self.coords[1..].iter().zip(&column.beside) {
            subscripts.push(x.clone().plus(IExpr::Const(*o)));
        }
        let rotation = IExpr::Const(i64::from(column.rotation));
        let from = self.draft.home(column.array, rotation, subscripts);
        let to = Place::Register { bank: c as u16, index: self.ring(at) as u32 };
        Node::Copy { to, from }
    }

    /// A plane of a tile, shared out over the threads; only what lies in the array.
    fn fill(&mut self, t: usize, plane: IExpr, at: i64) -> Vec<Node> {
        let reuse = self.reuse;
        let tile = &reuse.tiles[t];
        let extents = extents(tile, self.threads);
        let mut out = vec![(Vec::new(), vec![plane], vec![IExpr::Const(self.ring(at))])];
        for (i, &extent) in extents.iter().enumerate() {
            let d = i + 1;
            let threads = i64::from(self.threads[self.axis(d)]);
            let (array, dim) = (tile.array, d as u8);
            let first = self.draft.param(KernelParam::ArrayLo { array, dim });
            let last = self.draft.param(KernelParam::ArrayHi { array, dim });
            let corner = self.corner(d).plus(IExpr::Const(tile.beside[i].0));
            let mut longer = Vec::new();
            for (conditions, global, near) in &out {
                for turn in 0..(extent + threads - 1) / threads {
                    let place = self.thread(d).plus(IExpr::Const(turn * threads));
                    let x = corner.clone().plus(place.clone());
                    let mut conditions: Vec<Cond> = Clone::clone(conditions);
                    if (turn + 1) * threads > extent {
                        conditions.push(Cond::Le(place.clone(), IExpr::Const(extent - 1)));
                    }
                    conditions.extend([
                        Cond::Le(first.clone(), x.clone()),
                        Cond::Le(x.clone(), last.clone()),
                    ]);
                    let place = place.lesser(IExpr::Const(extent - 1));
                    longer.push((
                        conditions,
                        [global.as_slice(), &[x]].concat(),
                        [near.as_slice(), &[place]].concat(),
                    ));
                }
            }
            out = longer;
        }
        let rotation = IExpr::Const(i64::from(tile.rotation));
        let mut nodes = Vec::new();
        for (conditions, global, subscripts) in out {
            let from = self.draft.home(tile.array, rotation.clone(), global);
            let to = Place::Shared { buffer: t as u16, subscripts };
            let then = vec![Node::Copy { to, from }];
            nodes.push(Node::If { cond: Cond::All(conditions), then, otherwise: Vec::new() });
        }
        nodes
    }

    fn instance(&mut self, z: IExpr, u: i64) -> Node {
        let time = self.draft.param(KernelParam::Launch(plan::TIME));
        let coords: Vec<IExpr> =
            std::iter::once(z).chain(self.coords[1..].iter().cloned()).collect();
        let mut reads = Vec::new();
        for (access, source) in self.statement.reads.iter().zip(&self.reuse.sources) {
            let offset = |d: usize| access.subscripts[d].offset.as_constant().unwrap_or(0);
            reads.push(match *source {
                Source::Global => self.home(access, &time, &coords),
                Source::Column(c) => {
                    Place::Register { bank: c as u16, index: self.ring(u + offset(0)) as u32 }
                }
                Source::Tile(t) => {
                    let mut subscripts = vec![IExpr::Const(self.ring(u + offset(0)))];
                    for (i, beside) in self.reuse.tiles[t].beside.iter().enumerate() {
                        let place = IExpr::Const(offset(i + 1) - beside.0);
                        subscripts.push(self.thread(i + 1).plus(place));
                    }
                    Place::Shared { buffer: t as u16, subscripts }
                }
            });
        }
        let statement = self.statement;
        let writes =
            statement.writes.iter().map(|w| vec![self.home(&w.access, &time, &coords)]).collect();
        self.draft.body(statement, &time, &coords);
        Node::Instance { statement: self.index as u16, piece: None, time, coords, reads, writes }
    }

    fn home(&mut self, access: &hexpass_abi::Access, time: &IExpr, coords: &[IExpr]) -> Place {
        let subscripts = self.draft.subscripts(access, time, coords);
        self.draft.home(access.array, IExpr::Const(i64::from(access.rotation)), subscripts)
    }
}

/// A turn is one plane.
fn cost(problem: &Problem, statement: usize, threads: [u32; 3], reuse: &Reuse) -> KernelCost {
    let program = &problem.stencil;
    let s = &program.statements[statement];
    let size = |array: u16| program.arrays[usize::from(array)].elem.size();
    let points = u64::from(threads[0]) * u64::from(threads[1]);
    let warps = points.div_ceil(32);
    let operations = direct::operations(s);
    let count =
        |source: fn(&Source) -> bool| reuse.sources.iter().filter(|s| source(s)).count() as u64;
    let global = count(|s| *s == Source::Global) + reuse.columns.len() as u64;
    let near = count(|s| matches!(s, Source::Tile(_)));
    let filled = |t: &Tile| extents(t, threads).iter().product::<i64>() as u64;
    let fills: u64 = reuse.tiles.iter().map(|t| filled(t).div_ceil(points)).sum();
    let double =
        s.writes.iter().any(|w| program.arrays[usize::from(w.access.array)].elem == ElemType::F64);
    let mut turn = BlockWork {
        instances: points,
        instructions: warps
            * (operations + 2 * (global + near + s.writes.len() as u64) + 5 * fills + 6),
        doubles: if double { warps * operations } else { 0 },
        special: warps * direct::special(s),
        barriers: u64::from(!reuse.tiles.is_empty()),
        chain: 500 + 4 * operations,
        ..BlockWork::default()
    };
    // Each plane of a slot comes from memory once, and through the cache as often as it is loaded.
    let mut slots = BTreeSet::new();
    let mut loaded = BTreeSet::new();
    for (access, source) in s.reads.iter().zip(&reuse.sources) {
        let full = access.subscripts.len() == program.dims;
        let plane = access.subscripts.first().and_then(|s| s.offset.as_constant()).unwrap_or(0);
        if full {
            slots.insert((access.array, access.rotation));
        }
        if full && *source == Source::Global {
            loaded.insert((access.array, access.rotation, plane));
        }
    }
    for c in &reuse.columns {
        loaded.insert((c.array, c.rotation, c.planes.1));
    }
    turn.bytes += slots.iter().map(|s| points * size(s.0)).sum::<u64>();
    turn.cached += loaded.iter().map(|s| points * size(s.0)).sum::<u64>();
    for t in &reuse.tiles {
        turn.cached += filled(t) * size(t.array);
        turn.words += filled(t) * size(t.array) / 4;
    }
    for (access, source) in s.reads.iter().zip(&reuse.sources) {
        if let Source::Tile(_) = source {
            turn.words += points * size(access.array) / 4;
        }
    }
    for w in &s.writes {
        turn.bytes += points * size(w.access.array);
        turn.cached += points * size(w.access.array);
    }
    let held: u64 =
        reuse.columns.iter().map(|c| reuse.ring as u64 * size(c.array).div_ceil(4)).sum();
    let registers = 28 + held + 2 * s.reads.len().min(16) as u64;
    let mut start = turn;
    start.instances = 0;
    KernelCost {
        registers: registers.min(255) as u16,
        start,
        turn,
        turns: Some(chunk()),
        ..KernelCost::default()
    }
}
