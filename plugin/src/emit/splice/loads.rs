//! What the call of the runtime needs from memory: sizes and pointers that the loop reads again in each step.
//!
//! Consumes an [`InvariantLoad`]; produces its value before the call, and whether the original would load it too, or it may be
//! read all the same: it lies in a page that the original reads, or the runtime says so.

use super::super::fault::{Emitted, Fault};
use super::super::readable;
use super::Splice;
use crate::detect::bindings::{Evidence, InvariantLoad, Operand};
use crate::detect::places::Divisor;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{BasicValue, GlobalValue, IntValue, PointerValue};
use inkwell::{AddressSpace, IntPredicate};

/// Words that a load may read where the original would not load: more than any type that is loaded has.
const WORDS: u32 = 2;
/// The same in bytes.
const WIDEST: i64 = 8 * WORDS as i64;
/// 2⁶⁴ over the golden ratio, odd: what a hash is multiplied by.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
/// Bytes of x86-64's smallest page.
const SMALLEST_PAGE: u64 = 4096;

impl<'ctx> Splice<'_, 'ctx> {
    /// Loads it for the call, where it may be.
    pub(super) fn invariant_load(
        &mut self,
        load: &InvariantLoad,
        header: GlobalValue<'ctx>,
    ) -> Emitted<()> {
        let mut all: Option<IntValue<'ctx>> = None;
        for required in &load.requires {
            let trip = self.expression(required)?;
            let zero = self.ctx.i64_type().const_zero();
            let some = self.builder.build_int_compare(IntPredicate::SGT, trip.value, zero, "")?;
            let some = self.builder.build_and(some, trip.exact, "")?;
            all = Some(match all {
                Some(before) => self.builder.build_and(before, some, "")?,
                None => some,
            });
        }
        let evident = match load.evidence {
            Evidence::Sure => None,
            Evidence::Beside(bytes) => Some(self.beside(load, bytes, all)?),
            Evidence::Asked => {
                let told = std::mem::replace(&mut self.announced, true);
                Some(self.readable(load, (!told).then_some(header), all)?)
            }
        };
        if let Some(evident) = evident {
            all = Some(match all {
                Some(before) => self.builder.build_and(before, evident, "")?,
                None => evident,
            });
        }
        if let Some(all) = all
            && self.home == self.original
        {
            self.asked = Some(match self.asked {
                Some(before) => self.builder.build_and(before, all, "")?,
                None => all,
            });
        } else if let Some(all) = all {
            let next = self.block("hexpass.load");
            self.builder.build_conditional_branch(all, next, self.home)?;
            self.builder.position_at_end(next);
        }
        let mut at = self.load_address(load)?;
        if let Some(asked) = self.asked {
            let zeros = self.zeros()?;
            at = self.builder.build_select(asked, at, zeros, "")?.into_pointer_value();
        }
        // SAFETY: bindings hold first-class types of the module's context.
        let ty = unsafe { BasicTypeEnum::new(load.ty) };
        let value = self.builder.build_load(ty, at, "")?;
        let instruction = value.as_instruction_value();
        let instruction = instruction.ok_or_else(|| Fault::new("a load gave no instruction"))?;
        let most = if self.asked.is_some() { WORDS * 8 } else { u32::MAX };
        instruction.set_alignment(load.align.clamp(1, most))?;
        self.loads.push(value);
        Ok(())
    }

    /// Whether a word may be read that lies beside others which may: mostly it is in the same page. Where a page ends between
    /// them, the runtime is asked.
    fn beside(
        &mut self,
        load: &InvariantLoad,
        bytes: i64,
        before: Option<IntValue<'ctx>>,
    ) -> Emitted<IntValue<'ctx>> {
        let same = self.same_page(load, bytes)?;
        let no_block = || Fault::new("code outside of a block");
        let here = self.builder.get_insert_block().ok_or_else(no_block)?;
        let (ask, next) = (self.block("hexpass.ask"), self.block("hexpass.beside"));
        self.builder.build_conditional_branch(same, next, ask)?;
        self.builder.position_at_end(ask);
        let answer = self.readable(load, None, before)?;
        self.builder.build_unconditional_branch(next)?;
        self.builder.position_at_end(next);
        let evident = self.builder.build_phi(self.ctx.bool_type(), "")?;
        let yes = self.ctx.bool_type().const_all_ones();
        evident.add_incoming(&[(&yes, here), (&answer, ask)]);
        Ok(evident.as_basic_value().into_int_value())
    }

    /// Whether all bytes of the load lie in the page that its pointer and so many bytes lie in.
    fn same_page(&self, load: &InvariantLoad, beside: i64) -> Emitted<IntValue<'ctx>> {
        let i64 = self.ctx.i64_type();
        let sure = self.address_of(load.pointer, beside)?;
        let first = self.address_of(load.pointer, load.offset)?;
        let last = self.address_of(load.pointer, load.offset.saturating_add(WIDEST - 1))?;
        let differs = |at: PointerValue<'ctx>| -> Emitted<IntValue<'ctx>> {
            let at = self.builder.build_ptr_to_int(at, i64, "")?;
            let sure = self.builder.build_ptr_to_int(sure, i64, "")?;
            Ok(self.builder.build_xor(at, sure, "")?)
        };
        let both = self.builder.build_or(differs(first)?, differs(last)?, "")?;
        let page = i64.const_int(SMALLEST_PAGE, false);
        Ok(self.builder.build_int_compare(IntPredicate::ULT, both, page, "")?)
    }

    /// Whether a word may be read at the load's address; only asked where all that must hold before does. With a header the
    /// runtime is told of an execution.
    fn readable(
        &mut self,
        load: &InvariantLoad,
        header: Option<GlobalValue<'ctx>>,
        before: Option<IntValue<'ctx>>,
    ) -> Emitted<IntValue<'ctx>> {
        let key = self.key_so_far()?;
        let so_far = match (before, self.asked) {
            (Some(before), Some(asked)) => self.builder.build_and(before, asked, "")?,
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => self.ctx.bool_type().const_all_ones(),
        };
        let readable = readable::readable(self.ctx, self.module)?;
        let none = self.ctx.ptr_type(AddressSpace::default()).const_null();
        let header = header.map_or(none, |header| header.as_pointer_value());
        let at = self.load_address(load)?;
        let args = [header.into(), at.into(), key.into(), so_far.into()];
        let call = self.builder.build_call(readable, &args, "")?;
        self.say(call, "call-inline-cost", 0);
        let answer = call.try_as_basic_value().basic();
        Ok(answer.ok_or_else(|| Fault::new("no answer"))?.into_int_value())
    }

    /// Stands for the integer parameters that are known by now.
    fn key_so_far(&mut self) -> Emitted<IntValue<'ctx>> {
        let i64 = self.ctx.i64_type();
        let mut key = i64.const_zero();
        for i in 0..self.bindings.ints.len() as u16 {
            if self.is_known_by_now(i) {
                let value = self.int(i)?;
                let mixed = self.builder.build_xor(key, value, "")?;
                key = self.builder.build_int_mul(mixed, i64.const_int(GOLDEN, false), "")?;
            }
        }
        Ok(key)
    }

    /// True if integer parameter `i` needs no load that is yet to come.
    fn is_known_by_now(&self, i: u16) -> bool {
        let is_done = |load: u16| usize::from(load) < self.loads.len();
        match self.bindings.ints.get(usize::from(i)) {
            Some(&Operand::Value(_)) => true,
            Some(&(Operand::Load(a) | Operand::Address(a) | Operand::Moved(a, _))) => is_done(a),
            Some(&Operand::Difference(a, b)) => is_done(a) && is_done(b),
            Some(&(Operand::Quotient(of, by) | Operand::Remainder(of, by))) => {
                self.is_known_by_now(of)
                    && match by {
                        Divisor::Constant(_) => true,
                        Divisor::Int(by) => self.is_known_by_now(by),
                    }
            }
            None => false,
        }
    }

    /// Words of zeros on the stack.
    fn zeros(&mut self) -> Emitted<PointerValue<'ctx>> {
        if let Some(zeros) = self.zeros {
            return Ok(zeros);
        }
        let ty = self.ctx.i64_type().array_type(WORDS);
        let slot = self.slots.build_alloca(ty, "hexpass.zeros")?;
        self.allocas.push(slot);
        if let Some(slot) = slot.as_instruction() {
            slot.set_alignment(WORDS * 8)?;
        }
        self.builder.build_store(slot, ty.const_zero())?;
        self.zeros = Some(slot);
        Ok(slot)
    }
}
