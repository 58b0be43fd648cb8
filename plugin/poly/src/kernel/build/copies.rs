//! Copies between global and shared memory, and the buffers they fill (hybrid-hexagonal-tiling-cgo14, section 4.2).

use super::instance::{self, Point};
use super::{Context, gpu};
use crate::kernel::ir::{Cond, IExpr, LoopKind, Node, SharedBuffer};
use crate::schedule::{Kept, StagedArray};
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
            extents.extend(s.places());
            SharedBuffer { name: array.name.clone(), elem: array.elem, extents }
        })
        .collect()
}

/// A box of local coordinates.
type Hull = Vec<(i64, i64)>;

/// Where coordinates go round in a buffer: the place of the box's first element.
pub fn rounds(ctx: &mut Context, origin: &[IExpr]) -> Vec<Node> {
    let mut out = Vec::new();
    for (buffer, staged) in ctx.phase.staging.iter().enumerate() {
        let Some(Kept { dim, round: Some(places), .. }) = staged.kept else { continue };
        let first = origin[dim].clone().plus(IExpr::Const(staged.lo[dim]));
        let var = ctx.var();
        out.push(Node::Let { var, value: first.modulo(places) });
        ctx.rounds[buffer] = Some(IExpr::Var(var));
    }
    out
}

/// Fills every staged box, all slots, so that all threads see it after the next barrier. With `clip`, only subscripts that
/// some access of the nest touches.
pub fn stage_in(ctx: &mut Context, origin: &[IExpr], clip: bool) -> Vec<Node> {
    let whole = each_box(ctx, origin, clip, &hull, &load);
    let keeps = ctx.phase.staging.iter().any(|s| s.kept.is_some_and(|kept| kept.count > 0));
    let Some((tile, first)) = ctx.walk.clone().filter(|_| keeps) else { return whole };
    let mut again = keep(ctx, origin, clip);
    again.extend(each_box(ctx, origin, clip, &new_part, &load));
    let cond = Cond::Le(first.plus(IExpr::Const(1)), tile);
    vec![Node::If { cond, then: again, otherwise: whole }]
}

/// Step (f): moves what the tile before has to where this one expects it, no further at once than the tiles are apart, so
/// that nothing is overwritten that is still to be moved.
fn keep(ctx: &mut Context, origin: &[IExpr], clip: bool) -> Vec<Node> {
    let Some((dim, by)) = ctx.phase.walk() else { return Vec::new() };
    let moved = |s: &StagedArray| match s.kept {
        Some(Kept { count, round: None, .. }) => count,
        _ => 0,
    };
    let most = ctx.phase.staging.iter().map(moved).max().unwrap_or(0);
    let mut out = Vec::new();
    for start in (0..most).step_by(by.max(1) as usize) {
        let part = |staged: &StagedArray| {
            let mut part = hull(staged);
            let first = part[dim].0;
            part[dim] = (first + start, first + moved(staged).min(start + by) - 1);
            part
        };
        let to_here = |ctx: &mut Context, buffer: u16, slot: i64, at: &[IExpr], _: &[IExpr]| {
            let here = |d: usize| at[d].clone();
            let there = |d: usize| at[d].clone().plus(IExpr::Const(if d == dim { by } else { 0 }));
            let slot = IExpr::Const(slot);
            let to = ctx.in_box(buffer, slot.clone(), (0..at.len()).map(here));
            let from = ctx.in_box(buffer, slot, (0..at.len()).map(there));
            Node::Copy { to, from }
        };
        out.extend(each_box(ctx, origin, clip, &part, &to_here));
        out.push(Node::Barrier);
    }
    out
}

/// From global memory to the box.
fn load(ctx: &mut Context, buffer: u16, slot: i64, at: &[IExpr], global: &[IExpr]) -> Node {
    let array = ctx.phase.staging[usize::from(buffer)].array;
    let to = ctx.in_box(buffer, IExpr::Const(slot), at.iter().cloned());
    Node::Copy { to, from: ctx.home(array, IExpr::Const(slot), global.to_vec()) }
}

fn hull(staged: &StagedArray) -> Hull {
    staged.lo.iter().copied().zip(staged.hi.iter().copied()).collect()
}

/// What the tile before doesn't have of a box.
fn new_part(staged: &StagedArray) -> Hull {
    let mut part = hull(staged);
    if let Some(kept) = staged.kept {
        part[kept.dim].0 += kept.count;
    }
    part
}

/// What to do with an element: of a buffer's slot, at relative subscripts and at those in global memory.
type Act<'f> = &'f dyn Fn(&mut Context, u16, i64, &[IExpr], &[IExpr]) -> Node;

/// Loops over a part of every staged box, all slots, shared out over the threads.
fn each_box(
    ctx: &mut Context,
    origin: &[IExpr],
    clip: bool,
    part: &dyn Fn(&StagedArray) -> Hull,
    act: Act,
) -> Vec<Node> {
    let mut out = Vec::new();
    for (buffer, staged) in ctx.phase.staging.iter().enumerate() {
        let (array, slots) = (staged.array, ctx.slots(staged.array));
        let part = part(staged);
        if part.iter().any(|(lo, hi)| lo > hi) {
            continue;
        }
        for slot in 0..slots {
            let vars: Vec<u16> = origin.iter().map(|_| ctx.var()).collect();
            let at: Vec<IExpr> = vars.iter().map(|&v| IExpr::Var(v)).collect();
            let global: Vec<IExpr> =
                origin.iter().zip(&at).map(|(o, x)| o.clone().plus(x.clone())).collect();
            let body = vec![act(ctx, buffer as u16, slot, &at, &global)];
            let ranges = part.iter().enumerate().map(|(d, &(lo, hi))| {
                let (lo, hi) = (IExpr::Const(lo), IExpr::Const(hi));
                if !clip {
                    return (lo, hi);
                }
                let dim = d as u8;
                let first = ctx.param(KernelParam::ArrayLo { array, dim }).minus(origin[d].clone());
                let last = ctx.param(KernelParam::ArrayHi { array, dim }).minus(origin[d].clone());
                (lo.greater(first), hi.lesser(last))
            });
            let ranges = ranges.collect();
            out.push(gpu::threads_over(&vars, ranges, body));
        }
    }
    out
}

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
                let to = ctx.home(array, IExpr::Const(slot), global);
                let from = ctx.in_box(buffer as u16, IExpr::Const(slot), (0..hull.len()).map(at));
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

/// Has [`copy_out_written`] anything to do?
pub fn writes_staged(ctx: &Context, statement: usize) -> bool {
    let writes = &ctx.program.statements[statement].writes;
    writes.iter().any(|w| ctx.staged(w.access.array).is_some())
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
