//! The body of a host kernel: a block is one hexagonal tile, run by one thread of the pool.
//!
//! ```text
//! for each classical tile C1, C2
//!     for each group of levels, in chunks of as many steps as slots go round in: rotations are constants
//!         for each statement: rows clipped to its box, innermost a vector loop
//! ```
//! Nothing is staged: the cache does that, and no load is made that the original would not make.

use super::Context;
use super::gpu::existing_groups;
use super::instance::{Point, instance};
use crate::kernel::ir::{Cond, IExpr, LoopKind, Node};

/// More copies of the levels' code than this, and the rotation stays an expression.
const MOST_COPIES: i64 = 6;

/// The whole body.
pub fn body(ctx: &mut Context) -> Vec<Node> {
    ctx.around_tiles(Vec::new(), &mut tile)
}

/// All levels of a tile, those of one step together.
fn tile(ctx: &mut Context, origin: &[IExpr]) -> Vec<Node> {
    let (lo, hi) = existing_groups(ctx);
    let copies = (0..ctx.program.arrays.len() as u16).map(|a| ctx.slots(a)).fold(1, lcm);
    if copies == 1 || copies > MOST_COPIES {
        let group = ctx.var();
        let rotation = if copies == 1 { IExpr::Const(0) } else { IExpr::Var(group) };
        let body = step(ctx, origin, &IExpr::Var(group), &rotation);
        return vec![Node::For { var: group, lo, hi, step: 1, kind: LoopKind::Sequential, body }];
    }
    let (chunk, first, last) = (ctx.var(), ctx.var(), ctx.var());
    let mut body = Vec::new();
    for copy in 0..copies {
        let group = ctx.var();
        let value = IExpr::Var(chunk).times(copies).plus(IExpr::Const(copy));
        let cond = Cond::All(vec![
            Cond::Le(IExpr::Var(first), IExpr::Var(group)),
            Cond::Le(IExpr::Var(group), IExpr::Var(last)),
        ]);
        let then = step(ctx, origin, &IExpr::Var(group), &IExpr::Const(copy));
        body.push(Node::Let { var: group, value });
        body.push(Node::If { cond, then, otherwise: Vec::new() });
    }
    vec![
        Node::Let { var: first, value: lo },
        Node::Let { var: last, value: hi },
        Node::For {
            var: chunk,
            lo: IExpr::Var(first).floor_div(copies),
            hi: IExpr::Var(last).floor_div(copies),
            step: 1,
            kind: LoopKind::Sequential,
            body,
        },
    ]
}

/// The statements of one time step, each over its row.
fn step(ctx: &mut Context, origin: &[IExpr], group: &IExpr, rotation: &IExpr) -> Vec<Node> {
    (0..ctx.program.statements.len()).map(|i| row(ctx, origin, group, rotation, i)).collect()
}

fn row(
    ctx: &mut Context,
    origin: &[IExpr],
    group: &IExpr,
    rotation: &IExpr,
    statement: usize,
) -> Node {
    let level = group.clone().times(ctx.k()).plus(IExpr::Const(statement as i64));
    let vars: Vec<u16> = origin.iter().map(|_| ctx.var()).collect();
    let mut ranges = Vec::new();
    for (d, start) in origin.iter().enumerate() {
        let (first, last) = (ctx.statement_lo(statement, d), ctx.statement_hi(statement, d));
        ranges.push(match ctx.extent(d, &level) {
            Some((lo, hi)) => {
                (start.clone().plus(lo).greater(first), start.clone().plus(hi).lesser(last))
            }
            None => (first, last),
        });
    }
    let point = Point {
        rotation: rotation.clone(),
        time: ctx.time().plus(group.clone()),
        origin: vec![IExpr::Const(0); vars.len()],
        local: vars.iter().map(|&v| IExpr::Var(v)).collect(),
    };
    let mut body = vec![instance(ctx, statement, &point)];
    for (d, (lo, hi)) in ranges.into_iter().enumerate().rev() {
        let kind = if d + 1 == vars.len() { LoopKind::Lanes } else { LoopKind::Sequential };
        body = vec![Node::For { var: vars[d], lo, hi, step: 1, kind, body }];
    }
    body.pop().unwrap_or(Node::Barrier)
}

fn lcm(a: i64, b: i64) -> i64 {
    let mut gcd = (a, b);
    while gcd.1 != 0 {
        gcd = (gcd.1, gcd.0 % gcd.1);
    }
    a / gcd.0.max(1) * b
}
