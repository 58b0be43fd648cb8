//! One statement instance: its coordinates, and the places of what it reads and writes.

use super::Context;
use crate::kernel::ir::{IExpr, Node, Place};
use crate::schedule::Storage;
use hexpass_abi::Access;

/// A point of a tile: time step, and the parts of its coordinates.
pub struct Point {
    /// Step relative to the launch's time, for rotations; may leave out multiples of every number of slots.
    pub rotation: IExpr,
    /// Absolute step.
    pub time: IExpr,
    /// Tile's origin in each dimension.
    pub origin: Vec<IExpr>,
    /// Coordinates relative to the origin.
    pub local: Vec<IExpr>,
}

impl Point {
    /// Absolute coordinates.
    pub fn coords(&self) -> Vec<IExpr> {
        self.origin.iter().zip(&self.local).map(|(o, x)| o.clone().plus(x.clone())).collect()
    }
}

/// The instance of a statement at a point.
pub fn instance(ctx: &mut Context, statement: usize, point: &Point) -> Node {
    let coords = point.coords();
    let program = ctx.program;
    let s = &program.statements[statement];
    let reads = s.reads.iter().map(|a| near(ctx, a, point, &coords)).collect();
    let writes = s.writes.iter().map(|w| targets(ctx, &w.access, point, &coords)).collect();
    ctx.body(s, &point.time, &coords);
    Node::Instance {
        statement: statement as u16,
        piece: None,
        time: point.time.clone(),
        coords,
        reads,
        writes,
    }
}

/// Where a read finds its value: in shared memory if the array is staged.
fn near(ctx: &mut Context, access: &Access, point: &Point, coords: &[IExpr]) -> Place {
    shared(ctx, access, point).unwrap_or_else(|| global(ctx, access, point, coords))
}

/// Where a write goes: to shared memory if the array is staged, and to global memory unless that comes later.
fn targets(ctx: &mut Context, access: &Access, point: &Point, coords: &[IExpr]) -> Vec<Place> {
    let Some(near) = shared(ctx, access, point) else {
        return vec![global(ctx, access, point, coords)];
    };
    match ctx.schedule.storage {
        Storage::Shared { interleave: false, .. } => vec![near],
        _ => vec![near, global(ctx, access, point, coords)],
    }
}

/// The place in shared memory of a staged array's access.
pub fn shared(ctx: &Context, access: &Access, point: &Point) -> Option<Place> {
    let (buffer, staged) = ctx.staged(access.array)?;
    let slot = rotation(point, access).modulo(ctx.slots(access.array));
    let offset = |d: usize| access.subscripts.get(d)?.offset.as_constant();
    let offsets: Vec<i64> = (0..staged.lo.len()).map(offset).collect::<Option<_>>()?;
    let relative =
        point.local.iter().zip(offsets).map(|(x, offset)| x.clone().plus(IExpr::Const(offset)));
    Some(ctx.in_box(buffer, slot, relative))
}

/// The place in global memory of an access.
pub fn global(ctx: &mut Context, access: &Access, point: &Point, coords: &[IExpr]) -> Place {
    let subscripts = ctx.subscripts(access, &point.time, coords);
    ctx.home(access.array, rotation(point, access), subscripts)
}

fn rotation(point: &Point, access: &Access) -> IExpr {
    point.rotation.clone().plus(IExpr::Const(i64::from(access.rotation)))
}
