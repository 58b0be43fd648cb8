//! The kernel of a time tile on the host.
//!
//! ```text
//! for each strip of the chunk:
//!     for z, from the first plane that is loaded or computed to the last at which something is stored:
//!         the plane z of what is there before, from the other end of the grid beyond its ends
//!         each level in order, its plane z − delay
//!         what is owned of what is left, its plane z − delay
//! ```
//! A plane that nobody needs is left out. Rings hold as many planes of a version as are still read.

use crate::kernel::build::Draft;
use crate::kernel::ir::{Cond, IExpr, Kernel, LoopKind, Node, Place, SharedBuffer, Style};
use crate::schedule::overlapped::flow::Flow;
use crate::schedule::overlapped::plan::{FURTHER, INDEX, TIME};
use crate::schedule::overlapped::{Carried, TimeTile, Version};
use hexpass_abi::{Access, KernelCost, KernelParam};

type Interval = (IExpr, IExpr);

/// Versions that have a ring: those that are made, and those that are loaded.
fn rings<'a>(
    tile: &'a TimeTile,
    carried: &'a [Carried],
    flow: &'a Flow,
) -> impl Iterator<Item = usize> + 'a {
    (0..tile.versions.len()).filter(move |&v| {
        let v = &tile.versions[v];
        v.level.is_some() || carried.iter().any(|c| is_slot(flow, v, c))
    })
}

fn is_slot(flow: &Flow, v: &Version, c: &Carried) -> bool {
    let slots = flow.problem.stencil.arrays[usize::from(v.array)].slots.len().max(1) as i32;
    c.array == v.array && (c.rotation - v.rotation).rem_euclid(slots) == 0
}

/// Planes, then what a strip has of them.
fn ring(flow: &Flow, tile: &TimeTile, version: usize, widths: &[i64]) -> SharedBuffer {
    let v = &tile.versions[version];
    let array = &flow.problem.stencil.arrays[usize::from(v.array)];
    let first = v.margin.len() - widths.len();
    let across = widths.iter().zip(&v.margin[first..]).map(|(w, m)| w + m.0 + m.1);
    let planes = if tile.streamed.is_some() { Some(v.kept) } else { None };
    let extents = planes.into_iter().chain(across).collect();
    SharedBuffer { name: array.name.clone(), elem: array.elem, extents }
}

/// Bytes of all rings.
pub fn bytes(flow: &Flow, tile: &TimeTile, widths: &[i64]) -> u64 {
    let carried = flow.carried().0;
    let all = rings(tile, &carried, flow).map(|v| ring(flow, tile, v, widths));
    all.map(|ring| ring.bytes().next_multiple_of(64)).sum()
}

/// True if a statement reads, of an array that the nest doesn't write, other elements along a row than those at its own
/// coordinate.
pub fn looks_aside(flow: &Flow) -> bool {
    let last = flow.problem.dims() - 1;
    let mut reads = flow.problem.stencil.statements.iter().flat_map(|s| &s.reads);
    reads.any(|a| {
        let moved = |s: &hexpass_abi::Subscript| {
            s.dim.map(usize::from) == Some(last) && s.offset.as_constant() != Some(0)
        };
        flow.anchor(a.array).is_none() && a.subscripts.iter().any(moved)
    })
}

/// The kernel of a tile.
pub fn kernel(flow: &Flow, carried: &[Carried], tile: &TimeTile, widths: &[i64]) -> Kernel {
    let program = &flow.problem.stencil;
    let mut b = Builder {
        draft: Draft::new(program),
        flow,
        carried,
        tile,
        widths,
        rings: rings(tile, carried, flow).collect(),
        space: Vec::new(),
        own: (IExpr::Const(0), IExpr::Const(-1)),
        strip: Vec::new(),
    };
    let shared = b.rings.iter().map(|&v| ring(flow, tile, v, widths)).collect();
    let body = b.block();
    let (params, vars) = b.draft.finish();
    Kernel {
        name: format!("streaming_{}", tile.steps),
        threads: [1, 1, 1],
        style: Style::Block,
        shared,
        registers: Vec::new(),
        params,
        pieces: Vec::new(),
        vars,
        body,
        general: false,
        round: (0..program.dims as u8).collect(),
        folds: None,
        cost: KernelCost::default(),
    }
}

struct Builder<'a> {
    draft: Draft<'a>,
    flow: &'a Flow<'a>,
    carried: &'a [Carried],
    tile: &'a TimeTile,
    widths: &'a [i64],
    rings: Vec<usize>,
    space: Vec<Interval>,
    /// Planes that the block owns; in one dimension points.
    own: Interval,
    /// What the strip owns across, behind the planes.
    strip: Vec<Interval>,
}

/// A point.
#[derive(Clone, Default)]
struct Point {
    /// In a plane of the strip, from the first that is owned.
    place: Vec<IExpr>,
    /// Coordinates, which may lie beyond the grid, and where they are in it.
    coords: Vec<IExpr>,
    found: Vec<IExpr>,
}

impl Point {
    fn and(&self, place: Option<IExpr>, coordinate: IExpr, found: IExpr) -> Point {
        let mut out = self.clone();
        out.place.extend(place);
        out.coords.push(coordinate);
        out.found.push(found);
        out
    }
}

impl Builder<'_> {
    fn dims(&self) -> usize {
        self.space.len()
    }

    fn bind(&mut self, out: &mut Vec<Node>, value: IExpr) -> IExpr {
        let var = self.draft.var();
        out.push(Node::Let { var, value });
        IExpr::Var(var)
    }

    fn block(&mut self) -> Vec<Node> {
        let dims = self.flow.problem.dims();
        let flow = self.flow;
        self.space = (0..dims).filter_map(|d| Some(self.draft.interval(flow.ends(d)?))).collect();
        let mut out = Vec::new();
        let (lo, hi) = self.space[0].clone();
        let width = match dims {
            1 => IExpr::Const(self.widths[0]),
            _ => self.draft.param(KernelParam::Launch(FURTHER)),
        };
        let first = self.bind(&mut out, lo.plus(IExpr::Block(0).product(width.clone())));
        let last = first.clone().plus(width).plus(IExpr::Const(-1)).lesser(hi);
        let last = self.bind(&mut out, last);
        self.own = (first, last);
        if dims == 1 {
            self.strip = vec![self.own.clone()];
            out.extend(self.turn(&IExpr::Const(0)));
        } else {
            out.extend(self.strips(1));
        }
        out
    }

    /// Loops over the strips of a dimension, and of those behind it.
    fn strips(&mut self, dim: usize) -> Vec<Node> {
        if dim == self.dims() {
            return vec![self.planes()];
        }
        let (lo, hi) = self.space[dim].clone();
        let (width, var) = (self.widths[dim - 1], self.draft.var());
        let mut body = Vec::new();
        let last = IExpr::Var(var).plus(IExpr::Const(width - 1)).lesser(hi.clone());
        let last = self.bind(&mut body, last);
        self.strip.truncate(dim - 1);
        self.strip.push((IExpr::Var(var), last));
        body.extend(self.strips(dim + 1));
        vec![Node::For { var, lo, hi, step: width, kind: LoopKind::Sequential, body }]
    }

    fn planes(&mut self) -> Node {
        let before = self.tile.versions.iter().map(|v| v.margin[0].0).max().unwrap_or(0);
        let var = self.draft.var();
        let body = self.turn(&IExpr::Var(var));
        let lo = self.own.0.clone().plus(IExpr::Const(-before));
        let hi = self.own.1.clone().plus(IExpr::Const(self.tile.latest()));
        Node::For { var, lo, hi, step: 1, kind: LoopKind::Sequential, body }
    }

    /// All that happens at a plane; in one dimension all.
    fn turn(&mut self, z: &IExpr) -> Vec<Node> {
        let mut out = Vec::new();
        let (tile, carried, flow) = (self.tile, self.carried, self.flow);
        let here = vec![0; self.dims()];
        for version in self.rings.clone() {
            let v = &tile.versions[version];
            let slot = carried.iter().find(|c| is_slot(flow, v, c));
            if let (None, Some(c)) = (v.level, slot) {
                out.extend(self.rows(z, 0, &v.margin, true, |b, at| {
                    let from = b.buffer(c, 0, at);
                    Node::Copy { to: b.ring(version, at, &here, z, 0), from }
                }));
            }
        }
        for level in 0..tile.levels.len() {
            out.extend(self.level(z, level));
        }
        let owned = vec![(0, 0); self.dims()];
        for (c, &left) in carried.iter().zip(&tile.left) {
            let delay = tile.delay_of(left);
            out.extend(self.rows(z, delay, &owned, false, |b, at| {
                let from = b.ring(usize::from(left), at, &here, z, delay);
                Node::Copy { to: b.buffer(c, 1, at), from }
            }));
        }
        out
    }

    fn level(&mut self, z: &IExpr, level: usize) -> Vec<Node> {
        let (flow, l) = (self.flow, &self.tile.levels[level]);
        let s = &flow.problem.stencil.statements[usize::from(l.statement)];
        let step = IExpr::Const(level as i64 / flow.problem.k());
        let here = vec![0; self.dims()];
        let reads_memory = s.reads.iter().any(|a| flow.anchor(a.array).is_none());
        self.rows(z, l.delay, &l.margin, reads_memory, |b, at| {
            let time = b.draft.param(KernelParam::Launch(TIME)).plus(step.clone());
            let mut reads = Vec::new();
            for (access, version) in s.reads.iter().zip(&l.reads) {
                reads.push(match (version, flow.distance(access)) {
                    (Some(v), Some(distance)) => b.ring(usize::from(*v), at, &distance, z, l.delay),
                    _ => b.constant(access, &time, &step, at),
                });
            }
            let write = |&w: &u16| vec![b.ring(usize::from(w), at, &here, z, l.delay)];
            let writes = l.writes.iter().map(write).collect();
            b.draft.body(s, &time, &at.coords);
            let (statement, coords) = (l.statement, at.coords.clone());
            Node::Instance { statement, piece: None, time, coords, reads, writes }
        })
    }

    /// All rows of a plane that has this delay, with margins around what is owned. `torn`: each turn round the torus is a loop
    /// of its own, else coordinates along a row may lie beyond the grid.
    fn rows(
        &mut self,
        z: &IExpr,
        delay: i64,
        margin: &[(i64, i64)],
        torn: bool,
        work: impl Fn(&mut Self, &Point) -> Node,
    ) -> Vec<Node> {
        let dims = self.dims();
        if dims == 1 {
            return self.row(&Point::default(), margin[0], torn, &work);
        }
        let plane = z.clone().plus(IExpr::Const(-delay));
        let first = self.own.0.clone().plus(IExpr::Const(-margin[0].0));
        let last = self.own.1.clone().plus(IExpr::Const(margin[0].1));
        let cond = Cond::All(vec![Cond::Le(first, plane.clone()), Cond::Le(plane.clone(), last)]);
        let mut then = Vec::new();
        let found = plane.clone().wrapped(self.space[0].clone());
        let found = self.bind(&mut then, found);
        let at = Point::default().and(None, plane, found);
        if dims == 2 {
            then.extend(self.row(&at, margin[1], torn, &work));
        } else {
            let ((lo, hi), var) = (self.strip[0].clone(), self.draft.var());
            let (before, after) = margin[1];
            let place = IExpr::Var(var).plus(IExpr::Const(-before));
            let mut body = Vec::new();
            let y = self.bind(&mut body, lo.clone().plus(place.clone()));
            let found = y.clone().wrapped(self.space[1].clone());
            let found = self.bind(&mut body, found);
            body.extend(self.row(&at.and(Some(place), y, found), margin[2], torn, &work));
            let last = hi.minus(lo).lesser(IExpr::Const(self.widths[0] - 1));
            then.push(Node::For {
                var,
                lo: IExpr::Const(0),
                hi: last.plus(IExpr::Const(before + after)),
                step: 1,
                kind: LoopKind::Sequential,
                body,
            });
        }
        vec![Node::If { cond, then, otherwise: Vec::new() }]
    }

    /// A row.
    fn row(
        &mut self,
        at: &Point,
        (before, after): (i64, i64),
        torn: bool,
        work: &impl Fn(&mut Self, &Point) -> Node,
    ) -> Vec<Node> {
        let ends = |all: &[Interval]| all[all.len() - 1].clone();
        let ((first, end), (lo, hi)) = (ends(&self.strip), ends(&self.space));
        let width = self.widths.last().copied().unwrap_or(1);
        let last = end.minus(first.clone()).lesser(IExpr::Const(width - 1));
        let last = last.plus(IExpr::Const(before + after));
        let points = hi.clone().minus(lo.clone()).plus(IExpr::Const(1));
        let turns: &[i64] = if torn { &[-1, 0, 1] } else { &[0] };
        let mut out = Vec::new();
        for &turn in turns {
            let var = self.draft.var();
            let place = IExpr::Var(var).plus(IExpr::Const(-before));
            let x = first.clone().plus(place.clone());
            let by = points.clone().times(turn);
            let (mut from, mut to) = (IExpr::Const(0), last.clone());
            if torn {
                // Where coordinates lie on this turn.
                let behind = by.clone().minus(first.clone()).plus(IExpr::Const(before));
                from = lo.clone().plus(behind.clone()).greater(from);
                to = to.lesser(hi.clone().plus(behind));
            }
            let found = x.clone().minus(by);
            let body = vec![work(self, &at.and(Some(place), x, found))];
            let kind = LoopKind::Lanes;
            out.push(Node::For { var, lo: from, hi: to, step: 1, kind, body });
        }
        out
    }

    /// A version's place in its ring at a distance from a point of the plane z − delay.
    fn ring(&self, version: usize, at: &Point, distance: &[i64], z: &IExpr, delay: i64) -> Place {
        let v = &self.tile.versions[version];
        let across = self.dims() - at.place.len();
        let mut subscripts = Vec::new();
        if across > 0 {
            let plane = z.clone().plus(IExpr::Const(distance[0] - delay));
            subscripts.push(plane.modulo(v.kept));
        }
        for (place, d) in at.place.iter().zip(across..) {
            subscripts.push(place.clone().plus(IExpr::Const(v.margin[d].0 + distance[d])));
        }
        let buffer = self.rings.iter().position(|&r| r == version).unwrap_or(0) as u16;
        Place::Shared { buffer, subscripts }
    }

    /// A carried slot's place in the buffers before (0) or after (1) the launch.
    fn buffer(&mut self, c: &Carried, side: usize, at: &Point) -> Place {
        let anchor = self.flow.anchor(c.array).unwrap_or_default();
        let found = at.found.iter().cloned().zip(anchor);
        let subscripts = found.map(|(x, &a)| x.plus(IExpr::Const(a))).collect();
        self.draft.buffer(c.array, [c.buffers[side], c.buffers[1 - side]], INDEX, subscripts)
    }

    /// An element of an array that the nest only reads.
    fn constant(&mut self, access: &Access, time: &IExpr, step: &IExpr, at: &Point) -> Place {
        let rotation = step.clone().plus(IExpr::Const(i64::from(access.rotation)));
        let coords = &at.found;
        let mut subscripts = Vec::new();
        for s in &access.subscripts {
            let offset = self.draft.polynomial(&s.offset, time, coords);
            subscripts.push(match s.dim.map(usize::from) {
                Some(d) if offset != IExpr::Const(0) => {
                    coords[d].clone().plus(offset).wrapped(self.space[d].clone())
                }
                Some(d) => coords[d].clone(),
                None => offset,
            });
        }
        self.draft.home(access.array, rotation, subscripts)
    }
}
