//! Rows of the host's kernels, without what their instances hardly ever compute.
//!
//! Consumes a loop over independent iterations whose instances hold rare choices ([`hexpass_poly::rare`]); produces two of
//! them: the first takes every choice as usual, and gathers whether one should have been another; where that is so, the
//! second computes the row again, as the body says.
//!
//! Refuses (`false`) rows that write what they read: they can be computed but once.

use super::blocks::are_apart;
use super::body::Rounding;
use super::fault::{Emitted, Fault};
use super::writer::{KernelWriter, Machine};
use hexpass_poly::body::{Body, ValueId};
use hexpass_poly::kernel::ir::{Kernel, LoopKind, Node, Place};
use hexpass_poly::kernel::pieces::Code;
use hexpass_poly::rare;
use hexpass_poly::stencil::StencilProgram;
use inkwell::builder::Builder;
use inkwell::values::{FloatValue, IntValue};
use std::cell::Cell;

/// Gathers the conditions under which a choice is not the usual one.
pub struct Gathered<'a, 'ctx> {
    builder: &'a Builder<'ctx>,
    any: Cell<Option<IntValue<'ctx>>>,
}

impl<'a, 'ctx> Gathered<'a, 'ctx> {
    pub fn new(builder: &'a Builder<'ctx>) -> Gathered<'a, 'ctx> {
        Gathered { builder, any: Cell::new(None) }
    }

    /// One of them holds; `None` if there were none.
    pub fn any(&self) -> Option<IntValue<'ctx>> {
        self.any.get()
    }
}

impl<'ctx> Rounding<'ctx> for Gathered<'_, 'ctx> {
    fn sqrt(
        &self,
        _: &Body,
        _: ValueId,
        _: ValueId,
        _: FloatValue<'ctx>,
    ) -> Emitted<Option<FloatValue<'ctx>>> {
        Ok(None)
    }

    fn divide(
        &self,
        _: &Body,
        _: (ValueId, FloatValue<'ctx>),
        _: (ValueId, FloatValue<'ctx>),
    ) -> Emitted<Option<FloatValue<'ctx>>> {
        Ok(None)
    }

    fn unless(&self, condition: IntValue<'ctx>) -> Emitted<()> {
        self.any.set(Some(match self.any.get() {
            Some(before) => self.builder.build_or(before, condition, "")?,
            None => condition,
        }));
        Ok(())
    }
}

/// A row of the kernel may be computed twice.
pub fn has_rare_rows(stencil: &StencilProgram, kernel: &Kernel) -> bool {
    fn any(nodes: &[Node], is: &dyn Fn(&[Node]) -> bool) -> bool {
        nodes.iter().any(|node| match node {
            Node::For { kind: LoopKind::Lanes, body, .. } => is(body),
            Node::For { body, .. } => any(body, is),
            Node::If { then, otherwise, .. } => any(then, is) || any(otherwise, is),
            _ => false,
        })
    }
    any(&kernel.body, &|body| is_rare_row(stencil, kernel, body))
}

/// The iterations hold rare choices, and write nothing that one of them reads.
fn is_rare_row(stencil: &StencilProgram, kernel: &Kernel, body: &[Node]) -> bool {
    let mut row = Row { stencil, kernel, rare: false, read: Vec::new(), written: Vec::new() };
    row.add(body)
        && row.rare
        && row.written.iter().all(|to| row.read.iter().all(|from| row.are_apart(to, from)))
}

/// What a row does.
struct Row<'a> {
    stencil: &'a StencilProgram,
    kernel: &'a Kernel,
    rare: bool,
    read: Vec<&'a Place>,
    written: Vec<&'a Place>,
}

impl<'a> Row<'a> {
    /// False where nodes do something else.
    fn add(&mut self, nodes: &'a [Node]) -> bool {
        nodes.iter().all(|node| match node {
            Node::Let { .. } => true,
            Node::If { then, otherwise, .. } => self.add(then) && self.add(otherwise),
            Node::For { body, .. } => self.add(body),
            Node::Copy { to, from } => {
                self.read.push(from);
                self.written.push(to);
                true
            }
            Node::Instance { statement, piece, reads, writes, .. } => {
                self.read.extend(reads);
                self.written.extend(writes.iter().flatten());
                let code = Code::of(self.stencil, self.kernel, *statement, *piece);
                self.rare |= code.is_some_and(|c| rare::usual(c.body).iter().any(Option::is_some));
                true
            }
            _ => false,
        })
    }

    /// The two lie in different memory.
    fn are_apart(&self, p: &Place, q: &Place) -> bool {
        match (p, q) {
            (Place::Shared { buffer, .. }, Place::Shared { buffer: other, .. }) => buffer != other,
            (Place::Shared { .. }, Place::Global { .. } | Place::Buffer { .. })
            | (Place::Global { .. } | Place::Buffer { .. }, Place::Shared { .. }) => true,
            _ if self.kernel.array_of(p).is_some() && self.kernel.array_of(q).is_some() => {
                are_apart(self.stencil, self.kernel, p, q)
            }
            _ => false,
        }
    }
}

impl<'ctx, M: Machine<'ctx>> KernelWriter<'_, 'ctx, M> {
    /// A flag for rows that must be computed again, if there may be such.
    pub(super) fn prepare_rows(&mut self) -> Emitted<()> {
        if self.machine.repeats_rows() && has_rare_rows(self.stencil, self.kernel) {
            self.again = Some(self.builder.build_alloca(self.ctx.bool_type(), "again")?);
        }
        Ok(())
    }

    /// True if the row is to be computed as usual first.
    pub(super) fn is_rare_row(&self, body: &[Node]) -> bool {
        self.again.is_some() && is_rare_row(self.stencil, self.kernel, body)
    }

    /// A row twice: `row` writes its loop.
    pub(super) fn usual_and_again(
        &mut self,
        row: impl Fn(&mut Self) -> Emitted<()>,
    ) -> Emitted<()> {
        let flag = self.again.ok_or_else(|| Fault::new("no flag for rows"))?;
        let bool_type = self.ctx.bool_type();
        self.builder.build_store(flag, bool_type.const_zero())?;
        self.usual = true;
        row(self)?;
        self.usual = false;
        let again = self.builder.build_load(bool_type, flag, "")?.into_int_value();
        self.rarely(again, row)
    }

    /// Notes that the row, or the block, must be computed again where the condition holds.
    pub(super) fn again_if(&self, condition: IntValue<'ctx>) -> Emitted<()> {
        let flag = self.again.ok_or_else(|| Fault::new("no flag for what is computed again"))?;
        let before = self.builder.build_load(self.ctx.bool_type(), flag, "")?.into_int_value();
        self.builder.build_store(flag, self.builder.build_or(before, condition, "")?)?;
        Ok(())
    }
}
