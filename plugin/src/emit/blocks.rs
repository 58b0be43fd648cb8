//! Blocks of a device's kernel, without what their instances hardly ever compute.
//!
//! Consumes a kernel whose launch writes nothing that it reads, and whose instances hold roots; produces it twice: the
//! first takes the usual way everywhere, and gathers whether that may have been wrong anywhere; where that is so, the
//! block's threads go through the second, which computes as the bodies say and stores over what the first has stored. So
//! the loops that are nearly always gone through hold no branch and no second way.
//!
//! Every value that a root leads to becomes NaN with it ([`keeps_nans`]), so that a radicand which the usual way is not
//! for need not be looked at: what the block stores is, once, instead of each radicand of each step.
//!
//! Refuses kernels that may read what they have written, and double precision, where each root needs its own look: gathered
//! over a block these looks are one chain, and cost more than the branches (2-D gradients 4 %). Several warps can't be
//! asked without barriers, and their kernels have no register for what is gathered (3-D gradients 7 %). In all of these,
//! instances take their second way where they stand.

use super::fault::Emitted;
use super::writer::{KernelWriter, Machine};
use hexpass_abi::{ElemType, KernelParam};
use hexpass_poly::body::{BinaryOp, Body, Op, Ty, UnaryOp, ValueId};
use hexpass_poly::kernel::ir::{Kernel, Node, Place};
use hexpass_poly::kernel::pieces::Code;
use hexpass_poly::stencil::StencilProgram;
use inkwell::FloatPredicate;
use inkwell::values::{BasicValueEnum, FloatValue, IntValue};

/// What is being written of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// All of it: instances hold both ways.
    Only,
    /// The usual way of all instances; what is stored is asked whether it is a number.
    Usual,
    /// As the bodies say.
    Exact,
}

impl<'ctx, M: Machine<'ctx>> KernelWriter<'_, 'ctx, M> {
    /// The kernel's body, twice where its blocks may have to be computed again.
    pub(super) fn body(&mut self) -> Emitted<()> {
        let kernel = self.kernel;
        let found = Instances::of(self.stencil, kernel);
        let twice = self.machine.repeats_blocks()
            && kernel.general
            && found.roots
            && found.keep_nans
            && is_repeatable(self.stencil, kernel);
        if !twice {
            return self.nodes(&kernel.body);
        }
        let bool_type = self.ctx.bool_type();
        let flag = self.builder.build_alloca(bool_type, "again")?;
        self.builder.build_store(flag, bool_type.const_zero())?;
        self.again = Some(flag);
        self.pass = Pass::Usual;
        let scope = self.index.enter();
        self.nodes(&kernel.body)?;
        self.index.leave(scope);
        let again = self.builder.build_load(bool_type, flag, "")?.into_int_value();
        let again = self.machine.any_in_block(self.module, &self.builder, again)?;
        self.pass = Pass::Exact;
        self.rarely(again, |w| {
            w.registers.clear(w.ctx, &w.builder, kernel)?;
            w.hide_indices()?;
            w.nodes(&kernel.body)
        })
    }

    /// Looks at what is stored to memory, where the condition holds, if it has to be a number.
    pub(super) fn see_stored(
        &self,
        place: &Place,
        value: BasicValueEnum<'ctx>,
        condition: Option<IntValue<'ctx>>,
    ) -> Emitted<()> {
        let global = self.kernel.array_of(place).is_some();
        if self.pass != Pass::Usual || !global {
            return Ok(());
        }
        let b = &self.builder;
        let mut elements: Vec<FloatValue<'ctx>> = Vec::new();
        match value {
            BasicValueEnum::FloatValue(v) => elements.push(v),
            BasicValueEnum::VectorValue(v) => {
                for i in 0..v.get_type().get_size() {
                    let at = self.ctx.i32_type().const_int(u64::from(i), false);
                    if let BasicValueEnum::FloatValue(v) = b.build_extract_element(v, at, "")? {
                        elements.push(v);
                    }
                }
            }
            _ => {}
        }
        for two in elements.chunks(2) {
            let (first, last) = (two[0], two[two.len() - 1]);
            let mut nan = b.build_float_compare(FloatPredicate::UNO, first, last, "")?;
            if let Some(condition) = condition {
                nan = b.build_and(nan, condition, "")?;
            }
            self.again_if(nan)?;
        }
        Ok(())
    }
}

/// What a kernel's instances are like.
struct Instances {
    /// Some hold roots.
    roots: bool,
    /// All are in single precision, and keep what is not a number.
    keep_nans: bool,
}

impl Instances {
    fn of(stencil: &StencilProgram, kernel: &Kernel) -> Instances {
        let mut found = Instances { roots: false, keep_nans: true };
        walk(&kernel.body, &mut |node| {
            let Node::Instance { statement, piece, .. } = node else { return };
            let code = Code::of(stencil, kernel, *statement, *piece);
            found.roots |= code.as_ref().is_some_and(|c| has_roots(c.body));
            found.keep_nans &=
                code.is_some_and(|c| is_single(c.body) && keeps_nans(c.body, &c.writes()));
        });
        found
    }
}

fn walk<'n>(nodes: &'n [Node], see: &mut dyn FnMut(&'n Node)) {
    for node in nodes {
        see(node);
        match node {
            Node::For { body, .. } => walk(body, see),
            Node::If { then, otherwise, .. } => {
                walk(then, see);
                walk(otherwise, see);
            }
            _ => {}
        }
    }
}

fn is_single(body: &Body) -> bool {
    body.values.iter().all(|v| v.ty != Ty::Elem(ElemType::F64))
}

fn has_roots(body: &Body) -> bool {
    body.values.iter().any(|v| matches!(v.op, Op::Unary(UnaryOp::Sqrt, _)))
}

/// True if each of these values is NaN wherever a number that it is computed from, a load or a root, is NaN: between the
/// two lies arithmetic on one way at least, and no operation was promised numbers.
fn keeps_nans(body: &Body, writes: &[ValueId]) -> bool {
    let is_source = |v: ValueId| {
        let value = &body.values[usize::from(v)];
        let number = matches!(value.ty, Ty::Elem(elem) if elem.is_float());
        number && matches!(value.op, Op::Load(_) | Op::Unary(UnaryOp::Sqrt, _))
    };
    let promised = |v: ValueId| {
        let flags = body.values[usize::from(v)].flags;
        flags.nnan || flags.ninf
    };
    writes.iter().all(|&write| {
        let from = reached(body, write, |_| true);
        let by_arithmetic = reached(body, write, is_arithmetic);
        let all = 0..body.values.len() as ValueId;
        all.into_iter()
            .filter(|&v| from[usize::from(v)])
            .all(|v| !promised(v) && (!is_source(v) || by_arithmetic[usize::from(v)]))
    })
}

/// A NaN among the operands makes the result one.
fn is_arithmetic(op: &Op) -> bool {
    match op {
        Op::Unary(op, _) => matches!(op, UnaryOp::Neg | UnaryOp::Abs | UnaryOp::Sqrt),
        Op::Binary(op, ..) => {
            matches!(op, BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv)
        }
        Op::Fma(..) => true,
        _ => false,
    }
}

/// The values that one is made of, itself included, through operations that `goes_on`.
fn reached(body: &Body, from: ValueId, goes_on: impl Fn(&Op) -> bool) -> Vec<bool> {
    let mut seen = vec![false; body.values.len()];
    let mut next = vec![from];
    while let Some(v) = next.pop() {
        let v = usize::from(v);
        if std::mem::replace(&mut seen[v], true) {
            continue;
        }
        let op = &body.values[v].op;
        if goes_on(op) {
            next.extend(op.operands());
        }
    }
    seen
}

/// Nothing that a launch of the kernel reads from global memory is written by it.
fn is_repeatable(stencil: &StencilProgram, kernel: &Kernel) -> bool {
    let (mut read, mut written): (Vec<&Place>, Vec<&Place>) = (Vec::new(), Vec::new());
    walk(&kernel.body, &mut |node| match node {
        Node::Copy { to, from } | Node::Vector { to, from, .. } => {
            read.push(from);
            written.push(to);
        }
        Node::Instance { reads, writes, .. } => {
            read.extend(reads);
            written.extend(writes.iter().flatten());
        }
        Node::Fetch { copies, .. } => read.extend(copies.iter().map(|(_, from)| from)),
        _ => {}
    });
    let global = |p: &&Place| kernel.array_of(p).is_some();
    read.retain(global);
    written.retain(global);
    written.iter().all(|to| read.iter().all(|from| are_apart(stencil, kernel, to, from)))
}

/// Two places in global memory lie in different slots or buffers.
pub(super) fn are_apart(stencil: &StencilProgram, kernel: &Kernel, p: &Place, q: &Place) -> bool {
    if kernel.array_of(p) != kernel.array_of(q) {
        return true;
    }
    match (p, q) {
        (Place::Global { array, rotation: a, .. }, Place::Global { rotation: b, .. }) => {
            let slots = stencil.arrays.get(usize::from(*array)).map_or(0, |a| a.slots.len()) as i64;
            match (a.as_const(), b.as_const()) {
                (Some(a), Some(b)) if slots > 0 => (a - b).rem_euclid(slots) != 0,
                _ => false,
            }
        }
        (Place::Buffer { param: a, .. }, Place::Buffer { param: b, .. }) => {
            let of = |param: &u16| match kernel.params.get(usize::from(*param)) {
                Some(KernelParam::Buffer { even, odd, arg, .. }) => Some((*even, *odd, *arg)),
                _ => None,
            };
            match (of(a), of(b)) {
                // Both are chosen by one number's parity.
                (Some((even, odd, arg)), Some((other, another, same))) if arg == same => {
                    even != other && odd != another
                }
                (Some((even, odd, _)), Some((other, another, _))) => {
                    ![other, another].contains(&even) && ![other, another].contains(&odd)
                }
                _ => false,
            }
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexpass_poly::body::{FpFlags, Predicate, Value};

    /// A body of single precision, and what it writes.
    fn body(ops: &[Op]) -> Body {
        let ty = |op: &Op| match op {
            Op::Compare(..) => Ty::Bool,
            _ => Ty::Elem(ElemType::F32),
        };
        let value = |op: &Op| Value { op: op.clone(), ty: ty(op), flags: FpFlags::default() };
        Body { values: ops.iter().map(value).collect() }
    }

    #[test]
    fn arithmetic_keeps_nans() {
        let ops = [
            Op::Load(0),
            Op::Load(1),
            Op::Binary(BinaryOp::FSub, 0, 1),
            Op::Fma(2, 2, 1),
            Op::Unary(UnaryOp::Sqrt, 3),
            Op::Binary(BinaryOp::FDiv, 0, 4),
        ];
        assert!(keeps_nans(&body(&ops), &[5]));
        let mut promised = body(&ops);
        promised.values[2].flags.nnan = true;
        assert!(!keeps_nans(&promised, &[5]));
        // What is not looked at may promise what it likes.
        assert!(keeps_nans(&promised, &[1]));
    }

    #[test]
    fn choices_lose_nans() {
        let larger = [Op::Load(0), Op::Load(1), Op::Binary(BinaryOp::FMaxNum, 0, 1)];
        assert!(!keeps_nans(&body(&larger), &[2]));
        let mut chosen = vec![
            Op::Load(0),
            Op::Unary(UnaryOp::Sqrt, 0),
            Op::Compare(Predicate::FOlt, 1, 0),
            Op::Select(2, 1, 0),
        ];
        assert!(!keeps_nans(&body(&chosen), &[3]));
        // Beside another way by arithmetic alone they may stand.
        chosen.extend([Op::Binary(BinaryOp::FAdd, 3, 1), Op::Binary(BinaryOp::FAdd, 4, 0)]);
        assert!(keeps_nans(&body(&chosen), &[5]));
    }
}
