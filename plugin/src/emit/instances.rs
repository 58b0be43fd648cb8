//! Instances of statements: what they read, compute and write.
//!
//! Consumes instances that stand together in a kernel ([`Node::Instance`]); produces their loads, the values of their
//! bodies, and their stores.
//!
//! Divisions, roots and rare choices are computed as usual, and once more as the body says where that may be wrong: on
//! devices for the instances that stand together, or for a whole block ([`super::blocks`]); on the host for a whole row
//! ([`super::rows`]).

use super::blocks::Pass;
use super::body::{Approximation, BodyWriter, Leaves, Rounding};
use super::fault::{Emitted, Fault};
use super::index::Indexer;
use super::nvptx::straight::Straight;
use super::nvptx::straight::approximate::Approximate;
use super::rows::Gathered;
use super::writer::{KernelWriter, Machine};
use hexpass_abi::expr::Sym;
use hexpass_abi::{ElemType, KernelParam, Poly};
use hexpass_poly::body::ValueId;
use hexpass_poly::kernel::ir::{IExpr, Node, Place, Style};
use hexpass_poly::kernel::pieces::Code;
use inkwell::builder::Builder;
use inkwell::values::{BasicValueEnum, IntValue};
use std::collections::HashSet;

/// An instance whose reads have been made.
struct Ready<'n, 'ctx> {
    code: Code<'n>,
    loads: Vec<BasicValueEnum<'ctx>>,
    time: &'n IExpr,
    coords: &'n [IExpr],
}

impl<'ctx, M: Machine<'ctx>> KernelWriter<'_, 'ctx, M> {
    /// How many instances stand first in a row that may all read before any writes: those of kernels for threads that
    /// work on registers, none on what another has written.
    pub(super) fn together(&self, nodes: &[Node]) -> usize {
        if self.kernel.style != Style::Thread {
            return 0;
        }
        let mut written: HashSet<(u16, u32)> = HashSet::new();
        let register = |p: &Place| match p {
            Place::Register { bank, index } => Some((*bank, *index)),
            _ => None,
        };
        let apart = |node: &&Node| {
            let Node::Instance { reads, writes, .. } = node else { return false };
            let stale = reads.iter().any(|p| register(p).is_none_or(|r| written.contains(&r)));
            let stores: Option<Vec<_>> = writes.iter().flatten().map(register).collect();
            match stores {
                Some(stores) if !stale => {
                    written.extend(stores);
                    true
                }
                _ => false,
            }
        };
        nodes.iter().take_while(apart).count()
    }

    /// Statement instances that don't depend on each other. Where divisions and roots are written out, operands that
    /// this is not for take a second way, on which they are not: one for all instances.
    pub(super) fn instances(&mut self, nodes: &[Node]) -> Emitted<()> {
        let mut all = Vec::with_capacity(nodes.len());
        for node in nodes {
            let Node::Instance { statement, piece, time, coords, reads, writes } = node else {
                return Err(Fault::new("no instance stands where one is expected"));
            };
            let Some(code) = Code::of(self.stencil, self.kernel, *statement, *piece) else {
                return Err(Fault::new(format!(
                    "there is no statement {statement}, or piece of it"
                )));
            };
            if writes.len() != code.writes().len() {
                return Err(Fault::new("an instance lacks places for its stores"));
            }
            self.count_leaf()?;
            self.machine.line(&self.builder, code.statement.line);
            let loads = reads.iter().map(|p| self.load(p)).collect::<Emitted<Vec<_>>>()?;
            all.push((Ready { code, loads, time, coords }, writes));
        }
        let ready: Vec<&Ready<'_, 'ctx>> = all.iter().map(|(ready, _)| ready).collect();
        let results = self.results(&ready)?;
        for ((_, writes), values) in all.iter().zip(results) {
            for (value, places) in values.into_iter().zip(*writes) {
                for place in places {
                    self.store(place, value)?;
                }
            }
        }
        self.machine.line(&self.builder, None);
        Ok(())
    }

    /// The values that instances store.
    fn results(&mut self, all: &[&Ready<'_, 'ctx>]) -> Emitted<Vec<Vec<BasicValueEnum<'ctx>>>> {
        if self.usual {
            return self.usual_results(all);
        }
        if !self.machine.writes_out_divisions() || self.pass == Pass::Exact {
            return all.iter().map(|ready| self.values(ready, None)).collect();
        }
        let (module, builder) = (self.module, self.ctx.create_builder());
        builder.position_at_end(self.here()?);
        self.machine.line(&builder, all.first().and_then(|ready| ready.code.statement.line));
        let straight = Straight::new(self.ctx, module, &builder, self.pass == Pass::Usual);
        let scope = self.index.enter();
        let mut usual = Vec::with_capacity(all.len());
        for ready in all {
            usual.push(self.values(ready, Some(&straight))?);
            straight.end_body();
        }
        let Some(special) = straight.special() else { return Ok(usual) };
        if self.pass != Pass::Only {
            self.again_if(special)?;
            return Ok(usual);
        }
        let (from, slow, after) = (self.here()?, self.block("special"), self.block("usual"));
        let branch = self.builder.build_conditional_branch(special, slow, after)?;
        self.mark_rare(branch)?;
        self.builder.position_at_end(slow);
        let exact =
            all.iter().map(|ready| self.values(ready, None)).collect::<Emitted<Vec<_>>>()?;
        self.index.leave(scope);
        let slow = self.here()?;
        self.builder.build_unconditional_branch(after)?;
        self.builder.position_at_end(after);
        let choose = |(usual, exact): (&BasicValueEnum<'ctx>, &BasicValueEnum<'ctx>)| {
            let phi = self.builder.build_phi(usual.get_type(), "")?;
            phi.add_incoming(&[(usual, from), (exact, slow)]);
            Ok(phi.as_basic_value())
        };
        let one =
            |(usual, exact): (&Vec<_>, &Vec<_>)| usual.iter().zip(exact).map(choose).collect();
        usual.iter().zip(&exact).map(one).collect()
    }

    /// The same, if no rare choice comes out the other way.
    fn usual_results(
        &mut self,
        all: &[&Ready<'_, 'ctx>],
    ) -> Emitted<Vec<Vec<BasicValueEnum<'ctx>>>> {
        let builder = self.ctx.create_builder();
        builder.position_at_end(self.here()?);
        let gathered = Gathered::new(&builder);
        let values = all.iter().map(|ready| self.values(ready, Some(&gathered)));
        let values = values.collect::<Emitted<Vec<_>>>()?;
        if let Some(any) = gathered.any() {
            self.again_if(any)?;
        }
        Ok(values)
    }

    /// One value for each write of a statement.
    fn values(
        &mut self,
        ready: &Ready<'_, 'ctx>,
        rounding: Option<&dyn Rounding<'ctx>>,
    ) -> Emitted<Vec<BasicValueEnum<'ctx>>> {
        let Ready { code, loads, time, coords } = ready;
        let mut leaves = InstanceLeaves {
            builder: &self.builder,
            index: &mut self.index,
            machine: &self.machine,
            params: &self.kernel.params,
            loads,
            time,
            coords,
        };
        let (ctx, module, builder) = (self.ctx, self.module, &self.builder);
        let approximate = self
            .machine
            .writes_out_divisions()
            .then(|| Approximate::new(Straight::new(ctx, module, builder, false), self.function));
        let approximation = approximate.as_ref().map(|a| a as &dyn Approximation<'ctx>);
        let body = BodyWriter { ctx, module, builder, rounding, approximation };
        let writes = code.writes();
        let values = body.write(code.body, &writes, &mut leaves)?;
        let of = |write: ValueId| {
            let value = values.get(usize::from(write)).copied();
            value.ok_or_else(|| Fault::new("a store of a value that is not there"))
        };
        writes.into_iter().map(of).collect()
    }
}

/// The leaves of one instance's body.
struct InstanceLeaves<'w, 'ctx, M> {
    builder: &'w Builder<'ctx>,
    index: &'w mut Indexer<'ctx>,
    machine: &'w M,
    params: &'w [KernelParam],
    loads: &'w [BasicValueEnum<'ctx>],
    time: &'w IExpr,
    coords: &'w [IExpr],
}

impl<'ctx, M: Machine<'ctx>> InstanceLeaves<'_, 'ctx, M> {
    fn param(&self, wanted: &KernelParam) -> Emitted<BasicValueEnum<'ctx>> {
        let at = self.params.iter().position(|p| p == wanted);
        let at = at.ok_or_else(|| Fault::new(format!("the kernel has no parameter {wanted:?}")))?;
        Ok(self.machine.param(at))
    }

    fn symbol(&mut self, s: Sym) -> Emitted<IntValue<'ctx>> {
        let e = match s {
            Sym::Int(_) => {
                let value = self.param(&KernelParam::Int(Poly::symbol(s)))?;
                return Ok(value.into_int_value());
            }
            Sym::Time => self.time,
            Sym::Iv(d) => self
                .coords
                .get(usize::from(d))
                .ok_or_else(|| Fault::new(format!("an instance has no coordinate {d}")))?,
            Sym::Mod(_) => return Err(Fault::new("a modular term in a body")),
        };
        let a = self.index.affine(self.builder, e)?;
        self.index.wide(self.builder, &a)
    }
}

impl<'ctx, M: Machine<'ctx>> Leaves<'ctx> for InstanceLeaves<'_, 'ctx, M> {
    fn load(&mut self, i: u16) -> Emitted<BasicValueEnum<'ctx>> {
        let value = self.loads.get(usize::from(i)).copied();
        value.ok_or_else(|| Fault::new(format!("an instance has no load {i}")))
    }

    fn scalar(&mut self, i: u16, _ty: ElemType) -> Emitted<BasicValueEnum<'ctx>> {
        self.param(&KernelParam::Scalar(i))
    }

    fn index(&mut self, p: &Poly) -> Emitted<IntValue<'ctx>> {
        let ty = self.index.wide_type();
        if let Some(c) = p.as_constant() {
            return Ok(ty.const_int(c as u64, true));
        }
        if !p.mentions_any(|s| !matches!(s, Sym::Int(_))) {
            return Ok(self.param(&KernelParam::Int(p.clone()))?.into_int_value());
        }
        let mut sum = ty.const_zero();
        for term in p.terms() {
            let mut product = ty.const_int(term.coefficient as u64, true);
            for &s in &term.symbols {
                let value = self.symbol(s)?;
                product = self.builder.build_int_mul(product, value, "")?;
            }
            sum = self.builder.build_int_add(sum, product, "")?;
        }
        Ok(sum)
    }
}
