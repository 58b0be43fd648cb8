//! Copies between global and shared memory, and the buffers they fill (hybrid-hexagonal-tiling-cgo14, section 4.2).

use super::instance::{self, Point};
use super::{Context, gpu};
use crate::kernel::ir::{IExpr, LoopKind, Node, Place, SharedBuffer};
use hexpass_abi::KernelParam;

/// One buffer for each staged array; its first extent is the array's slots, if there are several.
pub fn buffers(ctx: &Context) -> Vec<SharedBuffer> {
    ctx.phase
        .staging
        .iter()
        .map(|s| {
            let array = &ctx.program.arrays[usize::from(s.array)];
            let slots = ctx.slots(s.array);
            let mut extents = if slots > 1 { vec![slots] } else { Vec::new() };
            extents.extend(s.extents());
            SharedBuffer { name: array.name.clone(), elem: array.elem, extents }
        })
        .collect()
}

/// Loads every staged box, all slots. With `clip`, only subscripts that some access of the nest touches.
pub fn stage_in(ctx: &mut Context, origin: &[IExpr], clip: bool) -> Vec<Node> {
    let mut out = Vec::new();
    for (buffer, staged) in ctx.phase.staging.iter().enumerate() {
        let (array, slots) = (staged.array, ctx.slots(staged.array));
        for slot in 0..slots {
            let vars: Vec<u16> = origin.iter().map(|_| ctx.var()).collect();
            let at = |d: usize| IExpr::Var(vars[d]);
            let global = (0..origin.len()).map(|d| origin[d].clone().plus(at(d))).collect();
            let mut near = if slots > 1 { vec![IExpr::Const(slot)] } else { Vec::new() };
            near.extend((0..origin.len()).map(|d| at(d).plus(IExpr::Const(-staged.lo[d]))));
            let from = ctx.home(array, IExpr::Const(slot), global);
            let copy =
                Node::Copy { to: Place::Shared { buffer: buffer as u16, subscripts: near }, from };
            let ranges = (0..origin.len()).map(|d| {
                let (lo, hi) = (IExpr::Const(staged.lo[d]), IExpr::Const(staged.hi[d]));
                if !clip {
                    return (lo, hi);
                }
                let dim = d as u8;
                let first = ctx.param(KernelParam::ArrayLo { array, dim }).minus(origin[d].clone());
                let last = ctx.param(KernelParam::ArrayHi { array, dim }).minus(origin[d].clone());
                (lo.greater(first), hi.lesser(last))
            });
            let ranges = ranges.collect();
            out.push(gpu::threads_over(&vars, ranges, vec![copy]));
        }
    }
    out
}

/// A box of local coordinates.
type Hull = Vec<(i64, i64)>;

/// Step (b) for a full tile: every element that the tile wrote, once, after its last level.
pub fn copy_out_full(ctx: &mut Context, origin: &[IExpr]) -> Vec<Node> {
    let mut out = Vec::new();
    for (buffer, staged) in ctx.phase.staging.iter().enumerate() {
        let (array, slots) = (staged.array, ctx.slots(staged.array));
        for slot in 0..slots {
            for hull in disjoint(written_boxes(ctx, array, slot)) {
                let vars: Vec<u16> = hull.iter().map(|_| ctx.var()).collect();
                let at = |d: usize| IExpr::Var(vars[d]);
                let global = (0..hull.len()).map(|d| origin[d].clone().plus(at(d))).collect();
                let mut near = if slots > 1 { vec![IExpr::Const(slot)] } else { Vec::new() };
                near.extend((0..hull.len()).map(|d| at(d).plus(IExpr::Const(-staged.lo[d]))));
                let to = ctx.home(array, IExpr::Const(slot), global);
                let from = Place::Shared { buffer: buffer as u16, subscripts: near };
                let ranges =
                    hull.iter().map(|&(lo, hi)| (IExpr::Const(lo), IExpr::Const(hi))).collect();
                out.push(gpu::threads_over(&vars, ranges, vec![Node::Copy { to, from }]));
            }
        }
    }
    out
}

/// Relative subscripts that a full tile writes in one slot of an array, one box for each level that does.
fn written_boxes(ctx: &Context, array: u16, slot: i64) -> Vec<Hull> {
    let (k, slots) = (ctx.k(), ctx.slots(array));
    let mut out = Vec::new();
    for level in 0..ctx.phase.levels {
        let statement = &ctx.program.statements[(level % k) as usize];
        if super::thin(statement) {
            continue;
        }
        for w in statement.writes.iter().filter(|w| w.access.array == array) {
            if (level / k + i64::from(w.access.rotation)).rem_euclid(slots) != slot {
                continue;
            }
            let interval = |d: usize| {
                let (lo, hi) = ctx.phase.extent(level, d)?;
                let offset = w.access.subscripts.get(d)?.offset.as_constant()?;
                (lo <= hi).then_some((lo + offset, hi + offset))
            };
            out.extend((0..ctx.dims()).map(interval).collect::<Option<Hull>>());
        }
    }
    out
}

/// Boxes that don't overlap and cover the same points.
fn disjoint(boxes: Vec<Hull>) -> Vec<Hull> {
    let mut out: Vec<Hull> = Vec::new();
    for new in boxes {
        let mut rest = vec![new];
        for old in &out {
            rest = rest.iter().flat_map(|b| without(b, old)).collect();
        }
        out.extend(rest);
    }
    out
}

/// The parts of `a` outside `b`.
fn without(a: &Hull, b: &Hull) -> Vec<Hull> {
    if a.iter().zip(b).any(|(x, y)| x.1 < y.0 || y.1 < x.0) {
        return vec![a.clone()];
    }
    let mut out = Vec::new();
    let mut rest = a.clone();
    for d in 0..a.len() {
        if rest[d].0 < b[d].0 {
            let mut part = rest.clone();
            part[d].1 = b[d].0 - 1;
            out.push(part);
            rest[d].0 = b[d].0;
        }
        if rest[d].1 > b[d].1 {
            let mut part = rest.clone();
            part[d].0 = b[d].1 + 1;
            out.push(part);
            rest[d].1 = b[d].1;
        }
    }
    out
}

/// Step (b) for one statement of a partial tile: the elements that its instances wrote.
pub fn copy_out_written(ctx: &mut Context, statement: usize, point: &Point) -> Vec<Node> {
    let coords = point.coords();
    let program = ctx.program;
    let mut out = Vec::new();
    for w in &program.statements[statement].writes {
        if let Some(from) = instance::shared(ctx, &w.access, point) {
            let to = instance::global(ctx, &w.access, point, &coords);
            out.push(Node::Copy { to, from });
        }
    }
    out
}

/// A loop nest for [`gpu::threads_over`]'s kinds.
pub fn kind_of(dim: usize, dims: usize) -> LoopKind {
    LoopKind::Threads((dims - 1 - dim) as u8)
}
