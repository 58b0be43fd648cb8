//! The body of a GPU kernel: a block is one column of tiles, which it works through in sequence.
//!
//! ```text
//! for each classical tile C1, C2
//!     if the tile is full:  load boxes | barrier | levels written out, constant rows, a barrier after each
//!     else:                 load boxes, clipped | barrier | levels in a loop, rows clipped, a barrier after each
//! ```
//! With the paper's steps (e) and (f), the innermost loop's first tile loads its boxes; the others load what the tile before
//! has not, and move the rest, or find it where it lies. (hybrid-hexagonal-tiling-cgo14, section 4.)

use super::instance::{Point, instance};
use super::{Context, copies, thin};
use crate::kernel::cost::instructions;
use crate::kernel::ir::{Cond, IExpr, LoopKind, Node};
use crate::schedule::Storage;
use hexpass_abi::KernelParam;

/// Time steps of a full tile that are written out at most, and instructions of them, each point of a thread's counted once;
/// beyond, code would outgrow the instruction cache.
const MOST_UNROLLED: i64 = 32;
const MOST_CODE: u64 = 1 << 14;

/// The whole body.
pub fn body(ctx: &mut Context) -> Vec<Node> {
    ctx.around_tiles(Vec::new(), &mut tile)
}

/// One tile: full or partial.
fn tile(ctx: &mut Context, origin: &[IExpr]) -> Vec<Node> {
    let mut out = copies::rounds(ctx, origin);
    let otherwise = partial(ctx, origin);
    match full_condition(ctx, origin) {
        Some(cond) => out.push(Node::If { cond, then: full(ctx, origin), otherwise }),
        None => out.extend(otherwise),
    }
    out
}

/// All levels inside the time loop, each statement's rows inside its box (or, for a thin statement, outside), and
/// every staged box inside its array. `None` if no tile can be like that.
pub fn full_condition(ctx: &mut Context, origin: &[IExpr]) -> Option<Cond> {
    let (time, steps) = (ctx.time(), ctx.param(KernelParam::Steps));
    let last = time.clone().plus(IExpr::Const(ctx.groups() - 1));
    let mut all =
        vec![Cond::Le(IExpr::Const(0), time), Cond::Le(last, steps.plus(IExpr::Const(-1)))];
    if ctx.program.statements.iter().all(thin) {
        return None;
    }
    for i in 0..ctx.program.statements.len() {
        if ctx.levels_of(i).next().is_none() {
            continue;
        }
        let mut outside: Option<IExpr> = None;
        for (d, start) in origin.iter().enumerate() {
            let (lo, hi) = ctx.phase.statement_hull(ctx.program.statements.len(), i, d)?;
            let first = start.clone().plus(IExpr::Const(lo));
            let last = start.clone().plus(IExpr::Const(hi));
            let (s_lo, s_hi) = (ctx.statement_lo(i, d), ctx.statement_hi(i, d));
            if thin(&ctx.program.statements[i]) {
                let away = s_lo.minus(last).greater(first.minus(s_hi));
                outside = Some(match outside {
                    Some(o) => o.greater(away),
                    None => away,
                });
            } else {
                all.push(Cond::Le(s_lo, first));
                all.push(Cond::Le(last, s_hi));
            }
        }
        if let Some(distance) = outside {
            all.push(Cond::Le(IExpr::Const(1), distance));
        }
    }
    for staged in &ctx.phase.staging {
        for (d, start) in origin.iter().enumerate() {
            let (array, dim) = (staged.array, d as u8);
            let lo = ctx.param(KernelParam::ArrayLo { array, dim });
            let hi = ctx.param(KernelParam::ArrayHi { array, dim });
            all.push(Cond::Le(lo, start.clone().plus(IExpr::Const(staged.lo[d]))));
            all.push(Cond::Le(start.clone().plus(IExpr::Const(staged.hi[d])), hi));
        }
    }
    Some(Cond::All(all))
}

/// A full tile: no guard at all.
fn full(ctx: &mut Context, origin: &[IExpr]) -> Vec<Node> {
    let mut out = stage(ctx, origin, false);
    let group = ctx.var();
    let mut body = Vec::new();
    for i in 0..ctx.program.statements.len() {
        if !thin(&ctx.program.statements[i]) {
            let nodes = points(ctx, origin, group, i, false, Work::Compute);
            body.extend([nodes, Node::Barrier]);
        }
    }
    out.push(Node::For {
        var: group,
        lo: IExpr::Const(0),
        hi: IExpr::Const(ctx.groups() - 1),
        step: 1,
        kind: if is_short(ctx) { LoopKind::Unrolled } else { LoopKind::Sequential },
        body,
    });
    if copies_later(ctx) {
        out.extend(copies::copy_out_full(ctx, origin));
        out.push(Node::Barrier);
    }
    out
}

/// The levels of a full tile may be written out.
fn is_short(ctx: &Context) -> bool {
    let (each, groups) =
        (ctx.program.statements.iter().map(instructions).sum::<u64>(), ctx.groups());
    groups <= MOST_UNROLLED && each.saturating_mul(groups.unsigned_abs()) <= MOST_CODE
}

/// A partial tile: levels that exist, rows clipped to the statements' boxes.
fn partial(ctx: &mut Context, origin: &[IExpr]) -> Vec<Node> {
    let mut out = stage(ctx, origin, true);
    let mut passes = vec![Work::Compute];
    if copies_later(ctx) {
        passes.push(Work::CopyOut);
    }
    for work in passes {
        let group = ctx.var();
        let mut body = Vec::new();
        for i in 0..ctx.program.statements.len() {
            if work == Work::CopyOut && !copies::writes_staged(ctx, i) {
                continue;
            }
            let nodes = points(ctx, origin, group, i, true, work);
            body.extend([nodes, Node::Barrier]);
        }
        let (lo, hi) = existing_groups(ctx);
        out.push(Node::For { var: group, lo, hi, step: 1, kind: LoopKind::Sequential, body });
    }
    out
}

/// The groups of levels whose step exists.
pub fn existing_groups(ctx: &mut Context) -> (IExpr, IExpr) {
    let (time, steps) = (ctx.time(), ctx.param(KernelParam::Steps));
    let lo = IExpr::Const(0).greater(IExpr::Const(0).minus(time.clone()));
    let hi = IExpr::Const(ctx.groups() - 1).lesser(steps.minus(time).plus(IExpr::Const(-1)));
    (lo, hi)
}

fn stage(ctx: &mut Context, origin: &[IExpr], clip: bool) -> Vec<Node> {
    let mut out = copies::stage_in(ctx, origin, clip);
    if !out.is_empty() {
        out.push(Node::Barrier);
    }
    out
}

fn copies_later(ctx: &Context) -> bool {
    matches!(ctx.schedule.storage, Storage::Shared { interleave: false, .. })
        && !ctx.phase.staging.is_empty()
}

/// What a loop over a level's points does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Work {
    Compute,
    CopyOut,
}

/// The points of one statement in a group of levels, shared out over the threads.
fn points(
    ctx: &mut Context,
    origin: &[IExpr],
    group: u16,
    statement: usize,
    clip: bool,
    work: Work,
) -> Node {
    let group = IExpr::Var(group);
    let level = group.clone().times(ctx.k()).plus(IExpr::Const(statement as i64));
    let vars: Vec<u16> = origin.iter().map(|_| ctx.var()).collect();
    let mut ranges = Vec::new();
    for (d, start) in origin.iter().enumerate() {
        let inside = if clip || ctx.extent(d, &level).is_none() {
            let lo = ctx.statement_lo(statement, d).minus(start.clone());
            let hi = ctx.statement_hi(statement, d).minus(start.clone());
            Some((lo, hi))
        } else {
            None
        };
        ranges.push(match (ctx.extent(d, &level), inside) {
            (Some((lo, hi)), Some((first, last))) => (lo.greater(first), hi.lesser(last)),
            (Some(range), None) | (None, Some(range)) => range,
            (None, None) => (IExpr::Const(0), IExpr::Const(-1)),
        });
    }
    let point = Point {
        rotation: group.clone(),
        time: ctx.time().plus(group),
        origin: origin.to_vec(),
        local: vars.iter().map(|&v| IExpr::Var(v)).collect(),
    };
    let body = match work {
        Work::Compute => vec![instance(ctx, statement, &point)],
        Work::CopyOut => copies::copy_out_written(ctx, statement, &point),
    };
    threads_over(&vars, ranges, body)
}

/// Loops over inclusive ranges, outermost first, the innermost along the block's x.
pub fn threads_over(vars: &[u16], ranges: Vec<(IExpr, IExpr)>, body: Vec<Node>) -> Node {
    let dims = vars.len();
    let mut body = body;
    for (d, (lo, hi)) in ranges.into_iter().enumerate().rev() {
        let kind = copies::kind_of(d, dims);
        body = vec![Node::For { var: vars[d], lo, hi, step: 1, kind, body }];
    }
    body.pop().unwrap_or(Node::Barrier)
}
