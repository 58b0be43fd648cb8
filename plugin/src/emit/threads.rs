//! What kernels whose threads run every node have besides: registers, vectors, shuffles, choices.
//!
//! A register is a stack slot of the function; the optimiser's first pass makes values of all of them, so what is left
//! of an instance between registers is its arithmetic. A register that nothing has written holds zero: what is computed
//! from it comes to nothing, but a branch on it must not be undefined.

use super::body::elem_type;
use super::fault::{Emitted, Fault};
use super::index::Test;
use super::writer::{KernelWriter, Machine};
use hexpass_poly::kernel::ir::{Cond, IExpr, Kernel, Node, Place};
use inkwell::builder::Builder;
use inkwell::context::ContextRef;
use inkwell::types::{BasicTypeEnum, VectorType};
use inkwell::values::{BasicValueEnum, IntValue, PointerValue};

/// The stack slots of each bank.
pub struct Registers<'ctx>(Vec<Vec<PointerValue<'ctx>>>);

impl<'ctx> Registers<'ctx> {
    /// All of a kernel's, in the block that the builder stands in.
    pub fn new(
        ctx: ContextRef<'ctx>,
        b: &Builder<'ctx>,
        kernel: &Kernel,
    ) -> Emitted<Registers<'ctx>> {
        let mut banks = Vec::with_capacity(kernel.registers.len());
        for bank in &kernel.registers {
            let ty = elem_type(ctx, bank.elem);
            let one = |i| {
                let slot = b.build_alloca(ty, &format!("{}{i}", bank.name))?;
                b.build_store(slot, ty.const_zero())?;
                Ok(slot)
            };
            banks.push((0..bank.len).map(one).collect::<Emitted<Vec<_>>>()?);
        }
        Ok(Registers(banks))
    }

    /// As if nothing had been written yet.
    pub fn clear(&self, ctx: ContextRef<'ctx>, b: &Builder<'ctx>, kernel: &Kernel) -> Emitted<()> {
        for (slots, bank) in self.0.iter().zip(&kernel.registers) {
            let zero = elem_type(ctx, bank.elem).const_zero();
            for &slot in slots {
                b.build_store(slot, zero)?;
            }
        }
        Ok(())
    }

    /// The slot of a register.
    pub fn slot(&self, bank: u16, index: u32) -> Emitted<PointerValue<'ctx>> {
        let slot = self.0.get(usize::from(bank)).and_then(|b| b.get(index as usize)).copied();
        slot.ok_or_else(|| Fault::new(format!("there is no register {index} in bank {bank}")))
    }
}

impl<'ctx, M: Machine<'ctx>> KernelWriter<'_, 'ctx, M> {
    /// `count` elements in one access between registers and memory.
    pub(super) fn vector(&mut self, to: &Place, from: &Place, count: u32) -> Emitted<()> {
        self.count_leaf()?;
        match (to, from) {
            (Place::Register { bank, index }, memory) => {
                let ty = self.vector_type(memory, count)?;
                let whole = self.load_as(memory, ty.into(), count)?.into_vector_value();
                for i in 0..count {
                    let at = self.ctx.i32_type().const_int(u64::from(i), false);
                    let part = self.builder.build_extract_element(whole, at, "")?;
                    self.builder.build_store(self.registers.slot(*bank, index + i)?, part)?;
                }
                Ok(())
            }
            (memory, Place::Register { bank, index }) => {
                let ty = self.vector_type(memory, count)?;
                let mut whole = ty.get_poison();
                for i in 0..count {
                    let slot = self.registers.slot(*bank, index + i)?;
                    let part = self.builder.build_load(ty.get_element_type(), slot, "")?;
                    let at = self.ctx.i32_type().const_int(u64::from(i), false);
                    whole = self.builder.build_insert_element(whole, part, at, "")?;
                }
                self.store_as(memory, whole.into(), count)
            }
            _ => Err(Fault::new("a vector without registers")),
        }
    }

    /// Writes nodes that only store registers to global memory, where a condition holds, without a branch, so that the
    /// assembler may mix them with the arithmetic around; false, and nothing is written, if there are others.
    pub(super) fn stores_where(&mut self, c: IntValue<'ctx>, nodes: &[Node]) -> Emitted<bool> {
        let mut stores = Vec::new();
        for node in nodes {
            let (to, from, count) = match node {
                Node::Copy { to, from } => (to, from, 1),
                Node::Vector { to, from, count } => (to, from, *count),
                _ => return Ok(false),
            };
            match (to, from) {
                (Place::Global { .. } | Place::Buffer { .. }, Place::Register { bank, index })
                    if self.machine.stores_where(self.element(to)?, count) =>
                {
                    stores.push((to, *bank, *index, count));
                }
                _ => return Ok(false),
            }
        }
        for (to, bank, first, count) in stores {
            self.count_leaf()?;
            let elem = self.element(to)?;
            let mut elements = Vec::with_capacity(count as usize);
            for i in 0..count {
                let slot = self.registers.slot(bank, first + i)?;
                elements.push(self.builder.build_load(elem_type(self.ctx, elem), slot, "")?);
            }
            for &element in &elements {
                self.see_stored(to, element, Some(c))?;
            }
            let pointer = self.pointer(to)?;
            self.machine.store_where(&self.builder, c, pointer, &elements, elem)?;
        }
        Ok(true)
    }

    fn vector_type(&self, memory: &Place, count: u32) -> Emitted<VectorType<'ctx>> {
        match elem_type(self.ctx, self.element(memory)?) {
            BasicTypeEnum::FloatType(t) => Ok(t.vec_type(count)),
            BasicTypeEnum::IntType(t) => Ok(t.vec_type(count)),
            other => Err(Fault::new(format!("no vectors of {other}"))),
        }
    }

    pub(super) fn shuffle(&mut self, to: &Place, from: &Place, lanes: i32) -> Emitted<()> {
        self.count_leaf()?;
        let value = self.load(from)?;
        let value = self.machine.shuffle(self.module, &self.builder, value, lanes)?;
        self.store(to, value)
    }

    pub(super) fn select(
        &mut self,
        to: &Place,
        cond: &Cond,
        then: &Place,
        otherwise: &Place,
    ) -> Emitted<()> {
        let value: BasicValueEnum<'ctx> = match self.test(cond)? {
            Test::Always => self.load(then)?,
            Test::Never => self.load(otherwise)?,
            Test::Value(c) => {
                let (then, otherwise) = (self.load(then)?, self.load(otherwise)?);
                self.machine.select(&self.builder, c, then, otherwise)?
            }
        };
        self.store(to, value)
    }

    pub(super) fn prefetch(&mut self, from: &Place, cond: &Cond) -> Emitted<()> {
        self.count_leaf()?;
        let holds = match self.test(cond)? {
            Test::Never => return Ok(()),
            Test::Always => self.ctx.bool_type().const_all_ones(),
            Test::Value(c) => c,
        };
        let pointer = self.pointer(from)?;
        self.machine.prefetch(&self.builder, holds, pointer)
    }

    pub(super) fn fetch(&mut self, copies: &[(Place, Place)], count: u32) -> Emitted<()> {
        for (to, from) in copies {
            self.count_leaf()?;
            let bytes = self.element(to)?.size() * u64::from(count);
            let (to, from) = (self.pointer(to)?, self.pointer(from)?);
            self.machine.fetch(&self.builder, to, from, bytes)?;
        }
        self.machine.fetches(&self.builder)
    }

    /// What is known of a condition, and an instruction where it must be tested.
    pub(super) fn test(&mut self, cond: &Cond) -> Emitted<Test<'ctx>> {
        if let Cond::All(all) = cond {
            return all.iter().try_fold(Test::Always, |sum, c| {
                let c = self.test(c)?;
                sum.and(&self.builder, c)
            });
        }
        if let Some((word, bit)) = bit_of(cond) {
            let sum = self.index.affine(&self.builder, word)?;
            let is_word = self.index.is_narrow(&sum) && self.index.range(&sum).is_natural();
            if sum.as_constant().is_none() && is_word {
                let word = self.index.value(&self.builder, &sum)?;
                if let Some(set) = self.machine.bit(&self.builder, word, bit)? {
                    return Ok(Test::Value(set));
                }
            }
        }
        self.index.test(&self.builder, cond)
    }
}

/// The word and the bit, if the condition says that one bit is set.
fn bit_of(cond: &Cond) -> Option<(&IExpr, u32)> {
    match cond {
        Cond::Le(IExpr::Const(least), IExpr::Mod(word, past))
            if *least > 0 && least & (least - 1) == 0 && least.checked_mul(2) == Some(*past) =>
        {
            Some((word, least.trailing_zeros()))
        }
        _ => None,
    }
}
