//! Branches on data: under which condition a block is reached, as a value of the body, and what a phi takes.
//!
//! Consumes blocks of one loop and the region's decisions ([`branches`](super::branches)); produces choices. Conditions
//! are joined by choices as well, never by `and`: what the original does not compute may be anything here.
//!
//! Refuses `control-flow` and `reduction`.

use super::body::{BodyBuilder, Rounding, phi_refusal};
use super::branches::{Truth, outermost};
use super::context::Context;
use crate::llvm::{Block, LoopRef, Value, ValueKind};
use hexpass_poly::body::{FpFlags, Op, Ty, UnaryOp, ValueId};
use hexpass_poly::rejection::{Reason, Rejection};

/// Under which condition something happens in an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    Never,
    Always,
    If(ValueId),
}

fn refuse(at: Block<'_>) -> Rejection {
    let line = at.instructions().into_iter().find_map(|i| i.location()).map(|p| p.line);
    Rejection::new(
        Reason::ControlFlow,
        "the loop body branches in a way that is not followed; write it with conditional expressions",
    )
    .at(line)
}

impl<'a> BodyBuilder<'a> {
    /// Under which condition control that has come to `from` reaches `block`; both directly in `l`, `from` on every way
    /// to `block`.
    pub fn guard(
        &mut self,
        c: &mut Context<'a>,
        l: LoopRef<'a>,
        (from, block): (Block<'a>, Block<'a>),
        how: Rounding,
    ) -> Result<Guard, Rejection> {
        let surely = from == l.header() && l.latch().is_some_and(|x| c.a.dominates(block, x));
        if block == from || surely || c.a.post_dominates(block, from) {
            return Ok(Guard::Always);
        }
        if let Some(&known) = self.guards.get(&(from, block)) {
            return Ok(known);
        }
        if !c.a.dominates(from, block) {
            return Err(refuse(block));
        }
        let mut any = Guard::Never;
        for way in c.ways_into(l, block)? {
            let here = self.guard(c, l, (from, way), how)?;
            if here != Guard::Never {
                let edge = self.edge_guard(c, l, way, block, how)?;
                let both = self.both(here, edge)?;
                any = self.either(any, both)?;
            }
        }
        self.guards.insert((from, block), any);
        Ok(any)
    }

    fn edge_guard(
        &mut self,
        c: &mut Context<'a>,
        l: LoopRef<'a>,
        from: Block<'a>,
        to: Block<'a>,
        how: Rounding,
    ) -> Result<Guard, Rejection> {
        match c.edge(l, from, to)? {
            Truth::Yes => return Ok(Guard::Always),
            Truth::No => return Ok(Guard::Never),
            Truth::Data => {}
        }
        let condition = from.terminator().and_then(Value::condition).ok_or_else(|| refuse(from))?;
        let v = self.value(c, condition, how)?;
        if from.successors().first() == Some(&to) {
            return Ok(Guard::If(v));
        }
        Ok(Guard::If(self.push(Op::Unary(UnaryOp::Not, v), Ty::Bool, FpFlags::default())?))
    }

    fn both(&mut self, a: Guard, b: Guard) -> Result<Guard, Rejection> {
        Ok(match (a, b) {
            (Guard::Never, _) | (_, Guard::Never) => Guard::Never,
            (Guard::Always, g) | (g, Guard::Always) => g,
            (Guard::If(x), Guard::If(y)) => {
                let no = self.push(Op::Integer(0), Ty::Bool, FpFlags::default())?;
                Guard::If(self.choose(x, y, no, Ty::Bool)?)
            }
        })
    }

    fn either(&mut self, a: Guard, b: Guard) -> Result<Guard, Rejection> {
        Ok(match (a, b) {
            (Guard::Never, g) | (g, Guard::Never) => g,
            (Guard::Always, _) | (_, Guard::Always) => Guard::Always,
            (Guard::If(x), Guard::If(y)) => {
                let yes = self.push(Op::Integer(1), Ty::Bool, FpFlags::default())?;
                Guard::If(self.choose(x, yes, y, Ty::Bool)?)
            }
        })
    }

    /// `c ? t : f`
    pub fn choose(
        &mut self,
        c: ValueId,
        t: ValueId,
        f: ValueId,
        ty: Ty,
    ) -> Result<ValueId, Rejection> {
        self.push(Op::Select(c, t, f), ty, FpFlags::default())
    }

    /// The value of a phi that joins ways through the body of one iteration.
    pub fn joined(
        &mut self,
        c: &mut Context<'a>,
        phi: Value<'a>,
        ty: Ty,
        how: Rounding,
    ) -> Result<ValueId, Rejection> {
        let block = phi.block().ok_or_else(|| phi_refusal(c, phi))?;
        let l = c.a.loop_of(block).filter(|l| l.header() != block);
        let l = l.ok_or_else(|| phi_refusal(c, phi))?;
        let mut ways = Vec::new();
        for (value, from) in phi.incoming() {
            if value.kind() == ValueKind::Undefined
                || !c.reachable(l, from)?
                || c.edge(l, from, block)? == Truth::No
            {
                continue;
            }
            ways.push((value, outermost(l, from)?));
        }
        let Some((last, rest)) = ways.split_last() else { return Err(phi_refusal(c, phi)) };
        let mut chosen = self.value(c, last.0, how)?;
        if rest.iter().all(|w| w.0 == last.0) {
            return Ok(chosen);
        }
        let over = nearest_above(c, l, block);
        for &(value, from) in rest.iter().rev() {
            let value = self.value(c, value, how)?;
            let here = self.guard(c, l, (over, from), how)?;
            let edge = self.edge_guard(c, l, from, block, how)?;
            chosen = match self.both(here, edge)? {
                Guard::Never => chosen,
                Guard::Always => value,
                Guard::If(_) if value == chosen => chosen,
                Guard::If(g) => self.choose(g, value, chosen, ty)?,
            };
        }
        Ok(chosen)
    }
}

/// The last block directly in `l` that every way to `block` passes.
fn nearest_above<'a>(c: &Context<'a>, l: LoopRef<'a>, block: Block<'a>) -> Block<'a> {
    let direct = |b: &Block<'a>| *b != block && c.a.loop_of(*b) == Some(l);
    let above = l.blocks().into_iter().filter(direct).filter(|&b| c.a.dominates(b, block));
    above.fold(l.header(), |nearest, b| if c.a.dominates(nearest, b) { b } else { nearest })
}
