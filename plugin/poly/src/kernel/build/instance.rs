//! One statement instance: its coordinates, and the places of what it reads and writes.

use super::Context;
use crate::body::Op;
use crate::kernel::ir::{IExpr, Node, Place};
use crate::schedule::Storage;
use hexpass_abi::expr::Sym;
use hexpass_abi::{Access, KernelParam, Poly};

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
    for value in &s.body.values {
        match &value.op {
            Op::Scalar(i) => {
                ctx.param(KernelParam::Scalar(*i));
            }
            Op::Index(poly) => {
                polynomial(ctx, poly, &point.time, &coords);
            }
            _ => (),
        }
    }
    Node::Instance { statement: statement as u16, time: point.time.clone(), coords, reads, writes }
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
    let slots = ctx.slots(access.array);
    let mut subscripts = Vec::new();
    if slots > 1 {
        subscripts.push(rotation(point, access).modulo(slots));
    }
    for (d, x) in point.local.iter().enumerate() {
        let offset = access.subscripts.get(d)?.offset.as_constant()?;
        subscripts.push(x.clone().plus(IExpr::Const(offset - staged.lo[d])));
    }
    Some(Place::Shared { buffer, subscripts })
}

/// The place in global memory of an access.
pub fn global(ctx: &mut Context, access: &Access, point: &Point, coords: &[IExpr]) -> Place {
    let subscripts = access
        .subscripts
        .iter()
        .map(|s| {
            let offset = polynomial(ctx, &s.offset, &point.time, coords);
            match s.dim.and_then(|d| coords.get(usize::from(d))) {
                Some(coordinate) => coordinate.clone().plus(offset),
                None => offset,
            }
        })
        .collect();
    global_at(ctx, access.array, rotation(point, access), subscripts)
}

/// A place in global memory, with the parameters for its address.
pub fn global_at(ctx: &mut Context, array: u16, rotation: IExpr, subscripts: Vec<IExpr>) -> Place {
    let slots = ctx.slots(array);
    let rotation = rotation.modulo(slots);
    let used = match rotation {
        IExpr::Const(c) => c..c + 1,
        _ => 0..slots,
    };
    for slot in used {
        ctx.param(KernelParam::Slot { array, rotation: slot as u16 });
    }
    for dim in 0..subscripts.len().saturating_sub(1) {
        ctx.param(KernelParam::Stride { array, dim: dim as u8 });
    }
    Place::Global { array, rotation, subscripts }
}

fn rotation(point: &Point, access: &Access) -> IExpr {
    point.rotation.clone().plus(IExpr::Const(i64::from(access.rotation)))
}

/// A polynomial as an expression: integer parameters alone are one parameter, else each is one.
pub fn polynomial(ctx: &mut Context, p: &Poly, time: &IExpr, coords: &[IExpr]) -> IExpr {
    if let Some(c) = p.as_constant() {
        return IExpr::Const(c);
    }
    if !p.mentions_any(|s| !matches!(s, Sym::Int(_))) {
        return ctx.param(KernelParam::Int(p.clone()));
    }
    let mut sum = IExpr::Const(0);
    for term in p.terms() {
        let mut product = IExpr::Const(term.coefficient);
        for &s in &term.symbols {
            let factor = match s {
                Sym::Int(_) => ctx.param(KernelParam::Int(Poly::symbol(s))),
                Sym::Time => time.clone(),
                Sym::Iv(d) => coords.get(usize::from(d)).cloned().unwrap_or(IExpr::Const(0)),
                Sym::Mod(_) => IExpr::Const(0),
            };
            product = product.product(factor);
        }
        sum = sum.plus(product);
    }
    sum
}
