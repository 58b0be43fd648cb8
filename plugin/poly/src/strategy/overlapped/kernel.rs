//! The kernel of a time tile: each slot that the launch touches has a buffer in shared memory, where its versions replace
//! each other (after a write nothing sees the value before, and no instance of a step needs what another one writes).
//!
//! ```text
//! load what lies there before: from a buffer what the nest writes, from home what it doesn't | barrier
//! for each level: its box, shared out over the threads | barrier
//! store the owned box of what is left
//! ```
//! Blocks whose boxes lie inside all statements, a condition on block indices only, test nothing.

use super::{ALIGN, widths};
use crate::kernel::build::{Draft, direct, thin};
use crate::kernel::ir::{Cond, IExpr, Kernel, LoopKind, Node, Place, SharedBuffer, Style};
use crate::schedule::overlapped::flow::Flow;
use crate::schedule::overlapped::plan::{FURTHER, INDEX, TIME};
use crate::schedule::overlapped::{Carried, TimeTile};
use crate::stencil::Write;
use hexpass_abi::{BlockWork, ElemType, KernelCost, KernelParam};

/// Margins of a box around the owned one.
type Margin = Vec<(i64, i64)>;

/// One buffer in shared memory.
#[derive(Clone, Debug, PartialEq)]
struct Buffer {
    array: u16,
    /// Relative to the first step, below the number of slots.
    slot: i64,
    margin: Margin,
}

/// The buffers of a tile: one for each slot, as wide as its widest version.
fn buffers(flow: &Flow, tile: &TimeTile) -> Vec<Buffer> {
    let mut out: Vec<Buffer> = Vec::new();
    for v in &tile.versions {
        let slot = slot(flow, v.array, v.rotation);
        match out.iter_mut().find(|b| b.array == v.array && b.slot == slot) {
            Some(known) => {
                for (k, m) in known.margin.iter_mut().zip(&v.margin) {
                    *k = (k.0.max(m.0), k.1.max(m.1));
                }
            }
            None => out.push(Buffer { array: v.array, slot, margin: v.margin.clone() }),
        }
    }
    out
}

fn slot(flow: &Flow, array: u16, rotation: i32) -> i64 {
    let slots = flow.problem.stencil.arrays[usize::from(array)].slots.len().max(1) as i64;
    i64::from(rotation).rem_euclid(slots)
}

fn shared(flow: &Flow, tile: &TimeTile) -> Vec<SharedBuffer> {
    let own = widths(tile);
    let one = |b: &Buffer| {
        let array = &flow.problem.stencil.arrays[usize::from(b.array)];
        let extents = own.iter().zip(&b.margin).map(|(w, m)| w + m.0 + m.1).collect();
        SharedBuffer { name: array.name.clone(), elem: array.elem, extents }
    };
    buffers(flow, tile).iter().map(one).collect()
}

/// Bytes of shared memory.
pub fn shared_bytes(flow: &Flow, tile: &TimeTile) -> u64 {
    shared(flow, tile).iter().map(|b| b.bytes().next_multiple_of(16)).sum()
}

/// Threads of a block along x, y, z.
fn threads(dims: usize) -> [u32; 3] {
    if dims == 1 { [256, 1, 1] } else { [32, 8, 1] }
}

/// The kernel of a tile.
pub fn kernel(flow: &Flow, carried: &[Carried], tile: &TimeTile) -> Kernel {
    let program = &flow.problem.stencil;
    let mut builder = Builder {
        draft: Draft::new(program),
        flow,
        carried,
        tile,
        own: widths(tile),
        buffers: buffers(flow, tile),
        origin: Vec::new(),
    };
    let body = builder.body();
    let (params, vars) = builder.draft.finish();
    Kernel {
        name: format!("overlapped_{}", tile.steps),
        threads: threads(program.dims),
        style: Style::Thread,
        shared: shared(flow, tile),
        registers: Vec::new(),
        params,
        pieces: Vec::new(),
        vars,
        body,
        general: false,
        round: Vec::new(),
        folds: None,
        cost: cost(flow, carried, tile),
    }
}

struct Builder<'a> {
    draft: Draft<'a>,
    flow: &'a Flow<'a>,
    carried: &'a [Carried],
    tile: &'a TimeTile,
    own: Vec<i64>,
    buffers: Vec<Buffer>,
    /// Smallest owned coordinates.
    origin: Vec<IExpr>,
}

impl Builder<'_> {
    fn dims(&self) -> usize {
        self.own.len()
    }

    fn body(&mut self) -> Vec<Node> {
        let dims = self.dims();
        let mut out = Vec::new();
        for d in 0..dims {
            let var = self.draft.var();
            let align = if d + 1 == dims { ALIGN } else { 1 };
            let first = self.space(d).0.floor_div(align).times(align);
            let value = first.plus(IExpr::Block((dims - 1 - d) as u8).times(self.own[d]));
            out.push(Node::Let { var, value });
            self.origin.push(IExpr::Var(var));
        }
        let cond = self.is_inside();
        let (then, otherwise) = (self.steps(false), self.steps(true));
        out.push(Node::If { cond, then, otherwise });
        out
    }

    /// Bounds of the space, passed by the launch.
    fn space(&mut self, d: usize) -> (IExpr, IExpr) {
        let at = FURTHER + 2 * d as u8;
        (self.draft.param(KernelParam::Launch(at)), self.draft.param(KernelParam::Launch(at + 1)))
    }

    /// What the nest writes of an array, inside the space.
    fn hull(&mut self, array: u16, d: usize) -> (IExpr, IExpr) {
        let writers: Vec<usize> = self.flow.writers(array).collect();
        let lo = writers.iter().map(|&i| self.draft.statement_lo(i, d)).collect::<Vec<_>>();
        let hi = writers.iter().map(|&i| self.draft.statement_hi(i, d)).collect::<Vec<_>>();
        let (first, last) = self.space(d);
        let lo = lo.into_iter().reduce(IExpr::lesser).unwrap_or(IExpr::Const(0));
        let hi = hi.into_iter().reduce(IExpr::greater).unwrap_or(IExpr::Const(-1));
        (lo.greater(first), hi.lesser(last))
    }

    /// The block's boxes lie in the boxes of all statements that aren't thin, outside those that are, and what is loaded
    /// in what the nest writes.
    fn is_inside(&mut self) -> Cond {
        let flow = self.flow;
        let mut all = Vec::new();
        for (i, s) in flow.problem.stencil.statements.iter().enumerate() {
            let levels = self.tile.levels.iter().filter(|l| usize::from(l.statement) == i);
            let margin = levels.map(|l| l.margin.clone()).reduce(|a, b| widest(&a, &b));
            let Some(margin) = margin else { continue };
            let mut away: Option<IExpr> = None;
            for (d, &margin) in margin.iter().enumerate() {
                let (first, last) = self.ends(d, margin);
                let (lo, hi) = (self.draft.statement_lo(i, d), self.draft.statement_hi(i, d));
                if thin(s) {
                    let distance = lo.minus(last).greater(first.minus(hi));
                    away = Some(match away {
                        Some(known) => known.greater(distance),
                        None => distance,
                    });
                } else {
                    all.extend([Cond::Le(lo, first), Cond::Le(last, hi)]);
                }
            }
            all.extend(away.map(|distance| Cond::Le(IExpr::Const(1), distance)));
        }
        for v in self.tile.versions.iter().filter(|v| v.level.is_none()) {
            for d in 0..self.dims() {
                let (first, last) = self.ends(d, v.margin[d]);
                let (lo, hi) = self.hull(v.array, d);
                all.extend([Cond::Le(lo, first), Cond::Le(last, hi)]);
            }
        }
        Cond::All(all)
    }

    /// First and last coordinate of a box.
    fn ends(&self, d: usize, margin: (i64, i64)) -> (IExpr, IExpr) {
        let first = self.origin[d].clone().plus(IExpr::Const(-margin.0));
        let last = self.origin[d].clone().plus(IExpr::Const(self.own[d] - 1 + margin.1));
        (first, last)
    }

    fn steps(&mut self, clip: bool) -> Vec<Node> {
        let mut out = Vec::new();
        for v in 0..self.tile.versions.len() {
            if self.tile.versions[v].level.is_none() {
                out.extend(self.load(v, clip));
            }
        }
        out.push(Node::Barrier);
        for l in 0..self.tile.levels.len() {
            let s = usize::from(self.tile.levels[l].statement);
            if clip || !thin(&self.flow.problem.stencil.statements[s]) {
                out.extend([self.level(l, clip), Node::Barrier]);
            }
        }
        for (at, c) in self.carried.iter().enumerate() {
            out.push(self.store(c, self.tile.left[at], clip));
        }
        out
    }

    /// The points of a box, shared out over the threads; `work` gets them relative to the owned box's first point.
    fn over(
        &mut self,
        margin: &[(i64, i64)],
        work: impl FnOnce(&mut Self, &[IExpr]) -> Node,
    ) -> Node {
        let dims = self.dims();
        let threads = threads(dims);
        let mut vars = Vec::new();
        let mut local = Vec::new();
        let mut beyond = Vec::new();
        for (d, m) in margin.iter().enumerate() {
            let axis = dims - 1 - d;
            let var = self.draft.var();
            let extent = self.own[d] + m.0 + m.1;
            let count = i64::from(threads[axis]);
            let thread = if count > 1 { IExpr::Thread(axis as u8) } else { IExpr::Const(0) };
            let mut place = IExpr::Var(var).times(count).plus(thread);
            if extent % count != 0 {
                beyond.push(Cond::Le(place.clone(), IExpr::Const(extent - 1)));
                place = place.lesser(IExpr::Const(extent - 1));
            }
            vars.push((var, (extent + count - 1) / count));
            local.push(place.plus(IExpr::Const(-m.0)));
        }
        let mut node = work(self, &local);
        if !beyond.is_empty() {
            let (cond, otherwise) = (Cond::All(beyond), Vec::new());
            node = Node::If { cond, then: vec![node], otherwise };
        }
        for &(var, turns) in vars.iter().rev() {
            let (lo, hi) = (IExpr::Const(0), IExpr::Const(turns - 1));
            let kind = LoopKind::Sequential;
            node = Node::For { var, lo, hi, step: 1, kind, body: vec![node] };
        }
        node
    }

    fn coords(&self, local: &[IExpr]) -> Vec<IExpr> {
        self.origin.iter().zip(local).map(|(o, x)| o.clone().plus(x.clone())).collect()
    }

    /// A version's place in shared memory, at a distance from a point.
    fn near(&self, version: u16, local: &[IExpr], distance: &[i64]) -> Place {
        let v = &self.tile.versions[usize::from(version)];
        let slot = slot(self.flow, v.array, v.rotation);
        let same = |b: &Buffer| b.array == v.array && b.slot == slot;
        let buffer = self.buffers.iter().position(same).unwrap_or(0);
        let margin = &self.buffers[buffer].margin;
        let one = |d: usize| local[d].clone().plus(IExpr::Const(distance[d] + margin[d].0));
        let subscripts = (0..local.len()).map(one).collect();
        Place::Shared { buffer: buffer as u16, subscripts }
    }

    /// Subscripts in an array that the nest writes.
    fn subscripts(&self, array: u16, coords: &[IExpr]) -> Vec<IExpr> {
        let anchor = self.flow.anchor(array).unwrap_or(&[]);
        coords.iter().zip(anchor).map(|(x, a)| x.clone().plus(IExpr::Const(*a))).collect()
    }

    /// A carried slot's place in the buffers before (0) or after (1) the launch.
    fn buffer(&mut self, c: &Carried, side: usize, coords: &[IExpr]) -> Place {
        let subscripts = self.subscripts(c.array, coords);
        self.draft.buffer(c.array, [c.buffers[side], c.buffers[1 - side]], INDEX, subscripts)
    }

    /// Conditions for coordinates inside bounds.
    fn within(
        &mut self,
        coords: &[IExpr],
        mut bounds: impl FnMut(&mut Self, usize) -> (IExpr, IExpr),
    ) -> Cond {
        let mut all = Vec::new();
        for (d, x) in coords.iter().enumerate() {
            let (lo, hi) = bounds(self, d);
            all.extend([Cond::Le(lo, x.clone()), Cond::Le(x.clone(), hi)]);
        }
        Cond::All(all)
    }

    /// What a slot holds before the launch.
    fn load(&mut self, v: usize, clip: bool) -> Option<Node> {
        let version = &self.tile.versions[v];
        let (array, slot) = (version.array, slot(self.flow, version.array, version.rotation));
        let same =
            |c: &&Carried| c.array == array && self::slot(self.flow, array, c.rotation) == slot;
        let carried = self.carried.iter().find(same);
        if !clip && carried.is_none() {
            return None;
        }
        let margin = version.margin.clone();
        Some(self.over(&margin, |b, local| {
            let coords = b.coords(local);
            let to = b.near(v as u16, local, &vec![0; local.len()]);
            let written = match carried {
                Some(c) => vec![Node::Copy { to: to.clone(), from: b.buffer(c, 0, &coords) }],
                None => Vec::new(),
            };
            if let (false, Some(node)) = (clip, written.first()) {
                return node.clone();
            }
            let subscripts = b.subscripts(array, &coords);
            let touched = b.within(&subscripts, |b, d| {
                let dim = d as u8;
                let lo = b.draft.param(KernelParam::ArrayLo { array, dim });
                (lo, b.draft.param(KernelParam::ArrayHi { array, dim }))
            });
            let from = b.draft.home(array, IExpr::Const(slot), subscripts);
            let home = Node::Copy { to, from };
            let otherwise =
                vec![Node::If { cond: touched, then: vec![home], otherwise: Vec::new() }];
            let cond = b.within(&coords, |b, d| b.hull(array, d));
            Node::If { cond, then: written, otherwise }
        }))
    }

    fn level(&mut self, l: usize, clip: bool) -> Node {
        let tile = self.tile;
        let level = &tile.levels[l];
        let flow = self.flow;
        let program = &flow.problem.stencil;
        let statement = usize::from(level.statement);
        let s = &program.statements[statement];
        let step = (l / program.statements.len()) as i64;
        self.over(&level.margin, |b, local| {
            let coords = b.coords(local);
            let time = b.draft.param(KernelParam::Launch(TIME)).plus(IExpr::Const(step));
            let zero = vec![0; local.len()];
            let mut reads = Vec::new();
            for (access, version) in s.reads.iter().zip(&level.reads) {
                reads.push(match (version, flow.distance(access)) {
                    (Some(v), Some(distance)) => b.near(*v, local, &distance),
                    _ => b.draft.access(access, step, &time, &coords),
                });
            }
            let writes = match flow.recorded(level.statement) {
                Some(writes) => {
                    let mut home = |w: &Write| b.draft.access(&w.access, step, &time, &coords);
                    writes.iter().map(|w| vec![home(w)]).collect()
                }
                None => level.writes.iter().map(|&w| vec![b.near(w, local, &zero)]).collect(),
            };
            b.draft.body(s, &time, &coords);
            let statement16 = level.statement;
            let instance = Node::Instance {
                piece: None,
                statement: statement16,
                time,
                coords: coords.clone(),
                reads,
                writes,
            };
            if !clip {
                return instance;
            }
            let cond = b.within(&coords, |b, d| {
                (b.draft.statement_lo(statement, d), b.draft.statement_hi(statement, d))
            });
            Node::If { cond, then: vec![instance], otherwise: Vec::new() }
        })
    }

    /// What the block owns of a slot, where the nest writes the array.
    fn store(&mut self, c: &Carried, left: u16, clip: bool) -> Node {
        let margin = vec![(0, 0); self.dims()];
        self.over(&margin, |b, local| {
            let coords = b.coords(local);
            let from = b.near(left, local, &vec![0; local.len()]);
            let node = Node::Copy { to: b.buffer(c, 1, &coords), from };
            if !clip {
                return node;
            }
            let cond = b.within(&coords, |b, d| b.hull(c.array, d));
            Node::If { cond, then: vec![node], otherwise: Vec::new() }
        })
    }
}

fn widest(a: &[(i64, i64)], b: &[(i64, i64)]) -> Margin {
    a.iter().zip(b).map(|(a, b)| (a.0.max(b.0), a.1.max(b.1))).collect()
}

/// A block inside the space.
fn cost(flow: &Flow, carried: &[Carried], tile: &TimeTile) -> KernelCost {
    let program = &flow.problem.stencil;
    let own = widths(tile);
    let all = threads(program.dims);
    let warps_of = |margin: &[(i64, i64)]| {
        let rounds = |d: usize| {
            let extent = (own[d] + margin[d].0 + margin[d].1) as u64;
            extent.div_ceil(u64::from(all[own.len() - 1 - d]))
        };
        let threads: u64 = all.iter().map(|&t| u64::from(t)).product();
        (0..own.len()).map(rounds).product::<u64>() * (threads / 32)
    };
    let points = |margin: &[(i64, i64)]| {
        let extents = own.iter().zip(margin).map(|(w, m)| (w + m.0 + m.1) as u64);
        extents.product::<u64>()
    };
    let size = |array: u16| program.arrays[usize::from(array)].elem.size();
    let zero = vec![(0, 0); own.len()];
    let mut work = BlockWork { barriers: 1, chain: 600, ..BlockWork::default() };
    for level in &tile.levels {
        let s = &program.statements[usize::from(level.statement)];
        if thin(s) {
            continue;
        }
        let (instances, warps) = (points(&level.margin), warps_of(&level.margin));
        let operations = direct::operations(s);
        let accesses = (s.reads.len() + s.writes.len()) as u64;
        work.instances += instances;
        work.redundant += instances - points(&zero);
        work.instructions += warps * (operations + 2 * accesses + 10);
        let is_double =
            |w: &Write| program.arrays[usize::from(w.access.array)].elem == ElemType::F64;
        if s.writes.iter().any(is_double) {
            work.doubles += warps * operations;
        }
        work.special += warps * direct::special(s);
        work.barriers += 1;
        work.chain += 60 + 4 * operations;
        for (access, version) in s.reads.iter().zip(&level.reads) {
            match version {
                Some(_) => work.words += instances * size(access.array) / 4,
                None => work.cached += instances * size(access.array),
            }
        }
        let stored = s.writes.iter().map(|w| size(w.access.array)).sum::<u64>();
        match level.records() {
            true => work.bytes += instances * stored,
            false => work.words += instances * stored / 4,
        }
    }
    for v in tile.versions.iter().filter(|v| v.level.is_none()) {
        let slot = slot(flow, v.array, v.rotation);
        let same =
            |c: &Carried| c.array == v.array && self::slot(flow, v.array, c.rotation) == slot;
        if carried.iter().any(same) {
            let bytes = points(&v.margin) * size(v.array);
            work.bytes += points(&zero) * size(v.array);
            work.cached += bytes;
            work.words += bytes / 4;
            work.instructions += 8 * warps_of(&v.margin);
        }
    }
    for c in carried {
        let bytes = points(&zero) * size(c.array);
        work.bytes += bytes;
        work.cached += bytes;
        work.words += bytes / 4;
        work.instructions += 6 * warps_of(&zero);
    }
    let registers = 40;
    KernelCost { registers, start: work, ..KernelCost::default() }
}
