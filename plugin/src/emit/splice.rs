//! The last step: the call of the runtime before the time loop.
//!
//! Consumes the working copy with its [`Bindings`] and the embedded header; produces
//!
//! ```text
//! preheader ─▶ hexpass.entry ──── NOT_DONE ──▶ hexpass.original ─▶ header …
//!                   │ DONE                                            │
//!              hexpass.done ─────────────▶ exit ◀─────────────────────┘
//! ```
//!
//! One way leads to the original, and one test stands before it: with two, the loop's own test would be copied into both,
//! and what it says of the number of iterations would be lost to the passes that unroll and vectorise the original. So
//! there are no branches on what the call needs, but around a question that is hardly ever asked (`loads`). Where no runtime is linked, or the original would not load what is loaded
//! here, `hexpass.absent` is called in the runtime's place, which answers NOT_DONE; loads read a word of zeros then.
//!
//! All blocks are built aside; only then the preheader's branch, the header's phis and the exit's phis change. A fault
//! before that removes the blocks; one after it (the function doesn't verify) leaves the copy to be discarded.
//!
//! Where arrays may stay on a device, and the runtime is not asked because the original would not load, there is a branch
//! after all: `hexpass.home` stands before the original then. (Where it answers NOT_DONE, it has seen to that.)
//!
//! The call, and what it needs, cost LLVM's inliner nothing, so that a function is inlined as it would be without them: where
//! its caller's sizes are known, or its arrays, the original is faster by that.
//!
//! Where nothing stays on a device or runs ahead, the runtime keeps none of the nest's pointers: they are handed over once
//! more behind the two arguments, as `captures(none)`, and what the arguments hold of them are bare addresses. Stored as
//! pointers, they would be known to everybody from then on, and the original would read vectors' heads again wherever it
//! has stored something. The runtime does not look at what is handed over in this way.
//!
//! The runtime is an undefined weak symbol: an object linked without it finds null there and runs the original loop.

mod loads;

use super::exprs::ExprWriter;
use super::fault::{Emitted, Fault};
use super::readable;
use crate::detect::bindings::{Bindings, FinalValue, InvariantLoad, LiveOut, Operand};
use crate::detect::places::Divisor;
use crate::llvm::target::verify_function;
use hexpass_abi::{DONE, ENTRY, ElemType, HOME, HOME_WRITES, NOT_DONE, Table, TableEntries};
use hexpass_poly::stencil::StencilProgram;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::context::ContextRef;
use inkwell::llvm_sys::prelude::{LLVMBasicBlockRef, LLVMValueRef};
use inkwell::module::{Linkage, Module};
use inkwell::types::{BasicTypeEnum, FunctionType};
use inkwell::values::{
    AsValueRef, BasicMetadataValueEnum, BasicValue, BasicValueEnum, CallSiteValue, FunctionValue,
    GlobalValue, InstructionOpcode, InstructionValue, IntValue, PhiValue, PointerValue,
};
use inkwell::{AddressSpace, IntPredicate};

/// What is called where the runtime can't be.
const ABSENT: &str = "hexpass.absent";
/// `captures(none)`, as LLVM writes it down.
const CAPTURES_NONE: u64 = 0;
/// What LLVM's inliner counts for an instruction.
const INLINED_INSTRUCTION: u32 = 5;

/// Puts the call of the runtime before the nest of `function`, which verifies afterwards.
pub fn splice<'ctx>(
    module: &Module<'ctx>,
    function: FunctionValue<'ctx>,
    stencil: &StencilProgram,
    bindings: &Bindings,
    header: GlobalValue<'ctx>,
) -> Emitted<()> {
    let mut splice = Splice::new(module, function, stencil, bindings)?;
    let built = splice.build(header);
    match built {
        Ok(finals) => splice.join(finals)?,
        Err(e) => {
            splice.remove();
            return Err(e);
        }
    }
    verify_function(function.as_value_ref()).map_err(|words| {
        let words = words.trim();
        Fault::new(format!(
            "the function with the call of the runtime is not well formed ({words})"
        ))
    })
}

struct Splice<'a, 'ctx> {
    ctx: ContextRef<'ctx>,
    module: &'a Module<'ctx>,
    function: FunctionValue<'ctx>,
    stencil: &'a StencilProgram,
    bindings: &'a Bindings,
    builder: Builder<'ctx>,
    /// For the stack slots in the function's first block.
    slots: Builder<'ctx>,
    allocas: Vec<PointerValue<'ctx>>,
    blocks: Vec<BasicBlock<'ctx>>,
    entry: BasicBlock<'ctx>,
    original: BasicBlock<'ctx>,
    /// Leads to the original, with everything at home.
    home: BasicBlock<'ctx>,
    done: BasicBlock<'ctx>,
    /// Whether the original would load all that has been loaded so far; none: it would.
    asked: Option<IntValue<'ctx>>,
    /// The runtime has been told of the execution, with the first of the loads that it is asked about.
    announced: bool,
    /// What is loaded where it would not.
    zeros: Option<PointerValue<'ctx>>,
    loads: Vec<BasicValueEnum<'ctx>>,
    ints: Vec<Option<IntValue<'ctx>>>,
}

impl<'a, 'ctx> Splice<'a, 'ctx> {
    fn new(
        module: &'a Module<'ctx>,
        function: FunctionValue<'ctx>,
        stencil: &'a StencilProgram,
        bindings: &'a Bindings,
    ) -> Emitted<Splice<'a, 'ctx>> {
        let ctx = module.get_context();
        let first = function.get_first_basic_block().and_then(|b| b.get_first_instruction());
        let first = first.ok_or_else(|| Fault::new("a function without a body"))?;
        let slots = ctx.create_builder();
        slots.position_before(&first);
        let block = |name| ctx.append_basic_block(function, name);
        let entry = block("hexpass.entry");
        let (done, original) = (block("hexpass.done"), block("hexpass.original"));
        let stays =
            bindings.frame.is_some() && bindings.loads.iter().any(InvariantLoad::is_conditional);
        let home = if stays { block("hexpass.home") } else { original };
        let mut blocks = vec![entry, done, original];
        blocks.extend(stays.then_some(home));
        Ok(Splice {
            ctx,
            module,
            function,
            stencil,
            bindings,
            builder: ctx.create_builder(),
            slots,
            allocas: Vec::new(),
            blocks,
            entry,
            original,
            home,
            done,
            asked: None,
            announced: false,
            zeros: None,
            loads: Vec::new(),
            ints: vec![None; bindings.ints.len()],
        })
    }

    fn block(&mut self, name: &str) -> BasicBlock<'ctx> {
        let block = self.ctx.append_basic_block(self.function, name);
        self.blocks.push(block);
        block
    }

    /// All new blocks; gives what each exit phi gets from `hexpass.done`.
    fn build(
        &mut self,
        header: GlobalValue<'ctx>,
    ) -> Emitted<Vec<(PhiValue<'ctx>, BasicValueEnum<'ctx>)>> {
        self.check_exit()?;
        self.builder.position_at_end(self.entry);
        for load in &self.bindings.loads {
            self.invariant_load(load, header)?;
        }
        let args = self.arguments()?;
        let ty = self.entry_type();
        let runtime = self.weak(ENTRY, ty).as_global_value().as_pointer_value();
        let mut asked = self.builder.build_is_not_null(runtime, "hexpass.linked")?;
        if let Some(loaded) = self.asked {
            asked = self.builder.build_and(asked, loaded, "")?;
        }
        let absent = self.absent()?.as_global_value().as_pointer_value();
        let called = self.builder.build_select(asked, runtime, absent, "hexpass.run")?;
        let call = self.call(ty, called.into_pointer_value(), header, args)?;
        let result = call.try_as_basic_value().basic();
        let result = result.ok_or_else(|| Fault::new("the runtime's call has no result"))?;
        self.say(call, "call-inline-cost", 0);
        let wanted = self.ctx.i32_type().const_int(DONE as u64, true);
        let ran = self.builder.build_int_compare(
            IntPredicate::EQ,
            result.into_int_value(),
            wanted,
            "",
        )?;
        self.builder.build_conditional_branch(ran, self.done, self.original)?;
        self.builder.position_at_end(self.original);
        self.builder.build_unconditional_branch(self.known_block(self.bindings.header)?)?;
        self.come_home()?;
        self.builder.position_at_end(self.done);
        let finals = self.final_values()?;
        self.builder.build_unconditional_branch(self.known_block(self.bindings.exit)?)?;
        self.say(call, "call-threshold-bonus", self.inlined_cost());
        Ok(finals)
    }

    /// The call of the runtime, or of what is called in its place.
    fn call(
        &self,
        ty: FunctionType<'ctx>,
        called: PointerValue<'ctx>,
        header: GlobalValue<'ctx>,
        args: PointerValue<'ctx>,
    ) -> Emitted<CallSiteValue<'ctx>> {
        let mut handed: Vec<BasicMetadataValueEnum<'ctx>> =
            vec![header.as_pointer_value().into(), args.into()];
        for (i, &pointer) in self.bindings.pointers.iter().enumerate() {
            if !self.keeps(i as u16) {
                handed.push(self.operand(pointer)?.into());
            }
        }
        let call = self.builder.build_indirect_call(ty, called, &handed, "hexpass.ran")?;
        let uncaptured = self.ctx.create_enum_attribute(captures(), CAPTURES_NONE);
        for i in 2..handed.len() {
            call.add_attribute(AttributeLoc::Param(i as u32), uncaptured);
        }
        Ok(call)
    }

    /// The runtime may come back to this pointer when the nest has been executed: that of an array, or of a table that leads to
    /// rows. Others are there for the guard, which asks what overlaps.
    fn keeps(&self, pointer: u16) -> bool {
        let comes_back = self.bindings.frame.is_some() || self.bindings.ahead.is_some();
        let mut slots = self.stencil.arrays.iter().flat_map(|a| &a.slots).map(|s| s.pointer);
        let mut rows =
            self.stencil.tables.iter().filter(|t| matches!(t.entries, TableEntries::Rows(_)));
        let is_root = |t: &Table| t.roots.iter().any(|&(root, _)| root == pointer);
        comes_back && (slots.any(|p| p == pointer) || rows.any(is_root))
    }

    /// Tells the inliner something of a call.
    fn say(&self, call: CallSiteValue<'ctx>, what: &str, value: u32) {
        let attribute = self.ctx.create_string_attribute(what, &value.to_string());
        call.add_attribute(AttributeLoc::Function, attribute);
    }

    /// What the inliner counts for the new blocks, but for the calls.
    fn inlined_cost(&self) -> u32 {
        let counts = |i: &InstructionValue<'ctx>| match i.get_opcode() {
            InstructionOpcode::GetElementPtr => false,
            InstructionOpcode::PtrToInt | InstructionOpcode::PtrToAddr => false,
            InstructionOpcode::BitCast | InstructionOpcode::ZExt => false,
            InstructionOpcode::Br => i.get_num_operands() > 1,
            InstructionOpcode::Call => false,
            _ => true,
        };
        let instructions = self.blocks.iter().flat_map(|b| b.get_instructions());
        INLINED_INSTRUCTION * instructions.filter(counts).count() as u32
    }

    fn known_block(&self, block: LLVMBasicBlockRef) -> Emitted<BasicBlock<'ctx>> {
        // SAFETY: bindings hold blocks of the working copy, which is alive.
        let block = unsafe { BasicBlock::new(block) };
        block
            .filter(|b| b.get_parent() == Some(self.function))
            .ok_or_else(|| Fault::new("a block that is not of this function"))
    }

    fn known_value(&self, value: LLVMValueRef) -> BasicValueEnum<'ctx> {
        // SAFETY: bindings hold first-class values of the working copy, which is alive.
        unsafe { BasicValueEnum::new(value) }
    }

    /// Every phi of the exit must get a value.
    fn check_exit(&self) -> Emitted<()> {
        let header = self.known_block(self.bindings.header)?;
        let preheader = self.known_block(self.bindings.preheader)?;
        let branch = preheader.get_terminator();
        let single = branch.is_some_and(|t| {
            t.get_num_operands() == 1 && t.get_operand(0).and_then(|o| o.block()) == Some(header)
        });
        if !single {
            return Err(Fault::new("the preheader does not lead to the loop alone"));
        }
        let exit = self.known_block(self.bindings.exit)?;
        for phi in phis(exit) {
            if self.live_out_of(phi).is_none() {
                return Err(Fault::new("a value that leaves the loop has no final value"));
            }
        }
        Ok(())
    }

    /// Of `hexrt_run`.
    fn entry_type(&self) -> FunctionType<'ctx> {
        let pointer = self.ctx.ptr_type(AddressSpace::default());
        self.ctx.i32_type().fn_type(&[pointer.into(), pointer.into()], true)
    }

    /// What is called where the runtime can't be: it answers NOT_DONE.
    fn absent(&self) -> Emitted<FunctionValue<'ctx>> {
        if let Some(known) = self.module.get_function(ABSENT) {
            return Ok(known);
        }
        let ty = self.entry_type();
        let absent = self.module.add_function(ABSENT, ty, Some(Linkage::Internal));
        let builder = self.ctx.create_builder();
        builder.position_at_end(self.ctx.append_basic_block(absent, ""));
        let answer = self.ctx.i32_type().const_int(NOT_DONE as u64, true);
        builder.build_return(Some(&answer))?;
        Ok(absent)
    }

    fn weak(&self, name: &str, ty: FunctionType<'ctx>) -> FunctionValue<'ctx> {
        let declare = || self.module.add_function(name, ty, Some(Linkage::ExternalWeak));
        self.module.get_function(name).unwrap_or_else(declare)
    }

    /// `hexpass.home`: the original loop is next.
    fn come_home(&self) -> Emitted<()> {
        let Some(frame) = self.bindings.frame.filter(|_| self.home != self.original) else {
            return Ok(());
        };
        let (pointer, i32) = (self.ctx.ptr_type(AddressSpace::default()), self.ctx.i32_type());
        let ty = self.ctx.void_type().fn_type(&[pointer.into(), i32.into()], false);
        let how = i32.const_int(u64::from(HOME_WRITES), false);
        self.builder.position_at_end(self.home);
        let home = self.weak(HOME, ty);
        let call = self.builder.build_call(home, &[self.operand(frame)?.into(), how.into()], "")?;
        self.say(call, "call-inline-cost", 0);
        self.builder.build_unconditional_branch(self.original)?;
        Ok(())
    }

    fn load_address(&self, load: &InvariantLoad) -> Emitted<PointerValue<'ctx>> {
        self.address_of(load.pointer, load.offset)
    }

    fn address_of(&self, pointer: Operand, bytes: i64) -> Emitted<PointerValue<'ctx>> {
        let BasicValueEnum::PointerValue(start) = self.operand(pointer)? else {
            return Err(Fault::new("a load from what is no pointer"));
        };
        let by = self.ctx.i64_type().const_int(bytes as u64, true);
        // SAFETY: one index over bytes, without an inbounds flag.
        Ok(unsafe { self.builder.build_gep(self.ctx.i8_type(), start, &[by], "") }?)
    }

    fn operand(&self, operand: Operand) -> Emitted<BasicValueEnum<'ctx>> {
        match operand {
            Operand::Value(v) => Ok(self.known_value(v)),
            Operand::Load(i) => self.loaded(i),
            Operand::Difference(a, b) => {
                let (BasicValueEnum::PointerValue(a), BasicValueEnum::PointerValue(b)) =
                    (self.loaded(a)?, self.loaded(b)?)
                else {
                    return Err(Fault::new("a difference of what are no pointers"));
                };
                let i64 = self.ctx.i64_type();
                let a = self.builder.build_ptr_to_int(a, i64, "")?;
                let b = self.builder.build_ptr_to_int(b, i64, "")?;
                Ok(self.builder.build_int_sub(a, b, "")?.into())
            }
            Operand::Address(i) => {
                let BasicValueEnum::PointerValue(p) = self.loaded(i)? else {
                    return Err(Fault::new("an address of what is no pointer"));
                };
                Ok(self.builder.build_ptr_to_int(p, self.ctx.i64_type(), "")?.into())
            }
            Operand::Moved(i, by) => {
                let (BasicValueEnum::PointerValue(start), BasicValueEnum::IntValue(by)) =
                    (self.loaded(i)?, self.known_value(by))
                else {
                    return Err(Fault::new("what is moved is no pointer, or by no number"));
                };
                // SAFETY: one index over bytes, without an inbounds flag.
                let at = unsafe { self.builder.build_gep(self.ctx.i8_type(), start, &[by], "") }?;
                Ok(at.into())
            }
            Operand::Quotient(..) | Operand::Remainder(..) => {
                Err(Fault::new("a quotient is wanted of what is no parameter"))
            }
        }
    }

    fn loaded(&self, i: u16) -> Emitted<BasicValueEnum<'ctx>> {
        let found = self.loads.get(usize::from(i)).copied();
        found.ok_or_else(|| Fault::new(format!("load {i} is needed before it is done")))
    }

    /// Integer parameter `i` in 64 bits; the value dominates everything built after it, so it is written once.
    fn int(&mut self, i: u16) -> Emitted<IntValue<'ctx>> {
        let at = usize::from(i);
        if let Some(v) = self.ints.get(at).copied().flatten() {
            return Ok(v);
        }
        let binding = self.bindings.ints.get(at).copied();
        let binding = binding.ok_or_else(|| Fault::new(format!("integer {i} is not bound")))?;
        let bound = match binding {
            Operand::Quotient(of, by) => self.divided(of, by)?.0.into(),
            Operand::Remainder(of, by) => self.divided(of, by)?.1.into(),
            _ => self.operand(binding)?,
        };
        let BasicValueEnum::IntValue(v) = bound else {
            return Err(Fault::new(format!("integer {i} is bound to something else")));
        };
        let i64 = self.ctx.i64_type();
        let v = match v.get_type().get_bit_width() {
            64 => v,
            65.. => return Err(Fault::new(format!("integer {i} has more than 64 bits"))),
            _ => self.builder.build_int_s_extend(v, i64, "")?,
        };
        self.ints[at] = Some(v);
        Ok(v)
    }

    /// Quotient, rounded down, and remainder of a parameter. Where the divisor is not positive, which the guard refuses,
    /// it counts as one.
    fn divided(&mut self, of: u16, by: Divisor) -> Emitted<(IntValue<'ctx>, IntValue<'ctx>)> {
        let i64 = self.ctx.i64_type();
        let (zero, one) = (i64.const_zero(), i64.const_int(1, false));
        let v = self.int(of)?;
        let by = match by {
            Divisor::Constant(c) => i64.const_int(c as u64, true),
            Divisor::Int(i) => self.int(i)?,
        };
        let b = &self.builder;
        let positive = b.build_int_compare(IntPredicate::SGT, by, zero, "")?;
        let by = b.build_select(positive, by, one, "")?.into_int_value();
        let (quotient, left) =
            (b.build_int_signed_div(v, by, "")?, b.build_int_signed_rem(v, by, "")?);
        let below = b.build_int_compare(IntPredicate::SLT, left, zero, "")?;
        let more = b.build_select(below, by, zero, "")?.into_int_value();
        let less = b.build_int_s_extend(below, i64, "")?;
        Ok((b.build_int_add(quotient, less, "")?, b.build_int_add(left, more, "")?))
    }

    fn expression(&mut self, e: &hexpass_abi::IntExpr) -> Emitted<super::exprs::Checked<'ctx>> {
        let mut values = Vec::new();
        for i in symbols(e) {
            values.push((i, self.int(i)?));
        }
        let writer = ExprWriter { module: self.module, builder: &self.builder };
        writer.write(e, &mut |_, i| {
            let found = values.iter().find(|(j, _)| *j == i).map(|&(_, v)| v);
            found.ok_or_else(|| Fault::new(format!("integer {i} is not bound")))
        })
    }

    /// `NestArgs` on the stack, filled.
    fn arguments(&mut self) -> Emitted<PointerValue<'ctx>> {
        let i32 = self.ctx.i32_type();
        let mut ints = Vec::new();
        for i in 0..self.bindings.ints.len() {
            ints.push(self.int(i as u16)?.into());
        }
        let mut pointers = Vec::new();
        for (i, &p) in self.bindings.pointers.iter().enumerate() {
            let pointer = self.operand(p)?;
            pointers.push(match self.keeps(i as u16) {
                true => pointer,
                false => self.address(pointer)?,
            });
        }
        if self.bindings.scalars.len() != self.stencil.scalars.len() {
            return Err(Fault::new("scalars and their types differ in number"));
        }
        let mut scalars = Vec::new();
        for (&s, &elem) in self.bindings.scalars.iter().zip(&self.stencil.scalars) {
            scalars.push(self.widened(self.operand(s)?, elem)?.into());
        }
        let ahead = match self.bindings.ahead {
            Some(ahead) => self.operand(ahead)?,
            None => self.ctx.ptr_type(AddressSpace::default()).const_null().into(),
        };
        let frame = match self.bindings.frame {
            Some(frame) => self.operand(frame)?,
            None => self.ctx.ptr_type(AddressSpace::default()).const_null().into(),
        };
        let fields: [BasicValueEnum<'ctx>; 9] = [
            self.stored("hexpass.ints", &ints)?.into(),
            self.stored("hexpass.pointers", &pointers)?.into(),
            self.stored("hexpass.scalars", &scalars)?.into(),
            i32.const_int(ints.len() as u64, false).into(),
            i32.const_int(pointers.len() as u64, false).into(),
            i32.const_int(scalars.len() as u64, false).into(),
            i32.const_zero().into(),
            ahead,
            frame,
        ];
        let types = fields.map(|f| f.get_type());
        let ty = self.ctx.struct_type(&types, false);
        let args = self.slots.build_alloca(ty, "hexpass.args")?;
        self.allocas.push(args);
        for (i, field) in fields.into_iter().enumerate() {
            let at = self.builder.build_struct_gep(ty, args, i as u32, "")?;
            self.builder.build_store(at, field)?;
        }
        Ok(args)
    }

    /// Where a pointer leads, which is not the pointer.
    fn address(&self, pointer: BasicValueEnum<'ctx>) -> Emitted<BasicValueEnum<'ctx>> {
        let i64 = self.ctx.i64_type();
        Ok(self.builder.build_cast(InstructionOpcode::PtrToAddr, pointer, i64, "")?)
    }

    /// A scalar in the low bytes of eight.
    fn widened(&self, v: BasicValueEnum<'ctx>, elem: ElemType) -> Emitted<IntValue<'ctx>> {
        let i64 = self.ctx.i64_type();
        if v.get_type() != super::body::elem_type(self.ctx, elem) {
            return Err(Fault::new(format!("a scalar is not the {elem:?} that bodies use")));
        }
        let b = &self.builder;
        Ok(match v {
            BasicValueEnum::FloatValue(_) if elem == ElemType::F32 => {
                let bits = b.build_bit_cast(v, self.ctx.i32_type(), "")?.into_int_value();
                b.build_int_z_extend(bits, i64, "")?
            }
            BasicValueEnum::FloatValue(_) => b.build_bit_cast(v, i64, "")?.into_int_value(),
            BasicValueEnum::IntValue(v) if elem != ElemType::I64 => {
                b.build_int_s_extend(v, i64, "")?
            }
            BasicValueEnum::IntValue(v) => v,
            _ => return Err(Fault::new("a scalar that is no number")),
        })
    }

    /// An array of these eight-byte values on the stack; null if there are none.
    fn stored(
        &mut self,
        name: &str,
        values: &[BasicValueEnum<'ctx>],
    ) -> Emitted<PointerValue<'ctx>> {
        if values.is_empty() {
            return Ok(self.ctx.ptr_type(AddressSpace::default()).const_null());
        }
        let i64 = self.ctx.i64_type();
        let slot = self.slots.build_alloca(i64.array_type(values.len() as u32), name)?;
        self.allocas.push(slot);
        for (i, &value) in values.iter().enumerate() {
            let by = i64.const_int(i as u64, false);
            // SAFETY: one index below the length of the array just made.
            let at = unsafe { self.builder.build_in_bounds_gep(i64, slot, &[by], "") }?;
            self.builder.build_store(at, value)?;
        }
        Ok(slot)
    }

    /// What a phi of the exit is of the values that leave the loop: it itself, or one that takes the same. Looking at the loops
    /// behind may have made another phi of a value.
    fn live_out_of(&self, phi: PhiValue<'ctx>) -> Option<&'a LiveOut> {
        let takes = |phi: PhiValue<'ctx>| phi.get_incoming(0).map(|(value, _)| value);
        let own = |l: &&LiveOut| self.known_value(l.phi) == phi.as_basic_value();
        // SAFETY: bindings hold phis of the exit block of the working copy.
        let like = |l: &&LiveOut| takes(unsafe { PhiValue::new(l.phi) }) == takes(phi);
        let all = &self.bindings.live_outs;
        all.iter().find(own).or_else(|| all.iter().find(like))
    }

    /// What each phi of the exit gets, written in `hexpass.done`.
    fn final_values(&mut self) -> Emitted<Vec<(PhiValue<'ctx>, BasicValueEnum<'ctx>)>> {
        let mut finals = Vec::with_capacity(self.bindings.live_outs.len());
        let mut steps = None;
        let exit = self.known_block(self.bindings.exit)?;
        for phi in phis(exit) {
            let Some(live_out) = self.live_out_of(phi) else { continue };
            let value = match &live_out.value {
                FinalValue::Value(v) => self.known_value(*v),
                FinalValue::Counter { start, step } => {
                    let steps = self.steps(&mut steps)?;
                    self.counter(phi, self.known_value(*start), *step, steps)?
                }
                FinalValue::Reached { never, reached } => {
                    let steps = self.steps(&mut steps)?;
                    let zero = self.ctx.i64_type().const_zero();
                    let some =
                        self.builder.build_int_compare(IntPredicate::SGT, steps, zero, "")?;
                    let (reached, never) = (self.known_value(*reached), self.known_value(*never));
                    self.builder.build_select(some, reached, never, "")?
                }
                FinalValue::Rotated { initial, index } => {
                    let steps = self.steps(&mut steps)?;
                    self.rotated(initial, *index, steps)?
                }
            };
            if value.get_type() != phi.as_basic_value().get_type() {
                return Err(Fault::new("a final value of another type"));
            }
            finals.push((phi, value));
        }
        for store in &self.bindings.final_stores {
            let steps = self.steps(&mut steps)?;
            let mut value = self.rotated(&store.initial, store.index, steps)?;
            if store.kept {
                let zero = self.ctx.i64_type().const_zero();
                let some = self.builder.build_int_compare(IntPredicate::SGT, steps, zero, "")?;
                let before = self.operand(Operand::Load(store.load))?;
                value = self.builder.build_select(some, value, before, "")?;
            }
            let load = self.bindings.loads.get(usize::from(store.load));
            let load =
                load.ok_or_else(|| Fault::new("a pointer is stored where none was loaded"))?;
            let at = self.load_address(load)?;
            self.builder.build_store(at, value)?.set_alignment(load.align.max(1))?;
        }
        Ok(finals)
    }

    /// Iterations of the time loop, not below zero.
    fn steps(&mut self, known: &mut Option<IntValue<'ctx>>) -> Emitted<IntValue<'ctx>> {
        if let Some(v) = *known {
            return Ok(v);
        }
        let stencil = self.stencil;
        let value = self.expression(&stencil.steps)?.value;
        let zero = self.ctx.i64_type().const_zero();
        let some = self.builder.build_int_compare(IntPredicate::SGT, value, zero, "")?;
        let value = self.builder.build_select(some, value, zero, "hexpass.steps")?;
        *known = Some(value.into_int_value());
        Ok(value.into_int_value())
    }

    fn counter(
        &self,
        phi: PhiValue<'ctx>,
        start: BasicValueEnum<'ctx>,
        step: i64,
        steps: IntValue<'ctx>,
    ) -> Emitted<BasicValueEnum<'ctx>> {
        let (BasicTypeEnum::IntType(ty), BasicValueEnum::IntValue(start)) =
            (phi.as_basic_value().get_type(), start)
        else {
            return Err(Fault::new("a counter that is no integer"));
        };
        let b = &self.builder;
        let steps = b.build_int_cast_sign_flag(steps, ty, true, "")?;
        let way = b.build_int_mul(steps, ty.const_int(step as u64, true), "")?;
        Ok(b.build_int_add(start, way, "")?.into())
    }

    fn rotated(
        &self,
        initial: &[Operand],
        index: u16,
        steps: IntValue<'ctx>,
    ) -> Emitted<BasicValueEnum<'ctx>> {
        let [rest @ .., last] = initial else {
            return Err(Fault::new("a rotation of nothing"));
        };
        let b = &self.builder;
        let i64 = self.ctx.i64_type();
        let length = i64.const_int(initial.len() as u64, false);
        let turned = b.build_int_unsigned_rem(steps, length, "")?;
        let turned = b.build_int_nuw_add(turned, i64.const_int(u64::from(index), false), "")?;
        let at = b.build_int_unsigned_rem(turned, length, "")?;
        let mut value = self.operand(*last)?;
        for (i, &candidate) in rest.iter().enumerate().rev() {
            let this = i64.const_int(i as u64, false);
            let this = b.build_int_compare(IntPredicate::EQ, at, this, "")?;
            value = b.build_select(this, self.operand(candidate)?, value, "")?;
        }
        Ok(value)
    }

    /// Leads the preheader to the new blocks. From here on the function has changed.
    fn join(self, finals: Vec<(PhiValue<'ctx>, BasicValueEnum<'ctx>)>) -> Emitted<()> {
        let header = self.known_block(self.bindings.header)?;
        let preheader = self.known_block(self.bindings.preheader)?;
        for (phi, value) in &finals {
            phi.add_incoming(&[(value as &dyn BasicValue<'ctx>, self.done)]);
        }
        for phi in phis(header) {
            self.rename_incoming(phi, preheader)?;
        }
        if let Some(branch) = preheader.get_terminator() {
            branch.erase_from_basic_block();
        }
        self.builder.position_at_end(preheader);
        self.builder.build_unconditional_branch(self.entry)?;
        Ok(())
    }

    /// The same phi with `hexpass.original` in place of the preheader.
    fn rename_incoming(&self, phi: PhiValue<'ctx>, preheader: BasicBlock<'ctx>) -> Emitted<()> {
        self.builder.position_before(&phi.as_instruction());
        let name = phi.get_name().to_string_lossy().into_owned();
        let new = self.builder.build_phi(phi.as_basic_value().get_type(), "")?;
        for (value, block) in phi.get_incomings() {
            let block = if block == preheader { self.original } else { block };
            new.add_incoming(&[(&value as &dyn BasicValue<'ctx>, block)]);
        }
        phi.replace_all_uses_with(&new);
        phi.as_instruction().erase_from_basic_block();
        new.set_name(&name);
        Ok(())
    }

    /// Takes out everything that was built.
    fn remove(self) {
        for block in &self.blocks {
            while let Some(last) = block.get_last_instruction() {
                last.erase_from_basic_block();
            }
        }
        for block in self.blocks {
            // SAFETY: the blocks were made here and are empty; no branch leads to them.
            let _ = unsafe { block.delete() };
        }
        for slot in self.allocas.iter().rev() {
            if let Some(slot) = slot.as_instruction() {
                slot.erase_from_basic_block();
            }
        }
        if let Some(absent) = self.module.get_function(ABSENT)
            && absent.as_global_value().as_pointer_value().get_first_use().is_none()
        {
            // SAFETY: nobody calls it.
            unsafe { absent.delete() }
        }
        readable::remove_unused(self.module);
    }
}

/// LLVM's number for `captures`.
fn captures() -> u32 {
    Attribute::get_named_enum_kind_id("captures")
}

fn phis(block: BasicBlock<'_>) -> Vec<PhiValue<'_>> {
    block
        .get_instructions()
        .take_while(|i| i.get_opcode() == InstructionOpcode::Phi)
        .filter_map(|i| PhiValue::try_from(i).ok())
        .collect()
}

/// The integer parameters of an expression.
fn symbols(e: &hexpass_abi::IntExpr) -> Vec<u16> {
    use hexpass_abi::expr::Sym;
    match e {
        hexpass_abi::IntExpr::Poly(p) => p
            .terms()
            .iter()
            .flat_map(|t| &t.symbols)
            .filter_map(|s| if let Sym::Int(i) = s { Some(*i) } else { None })
            .collect(),
        hexpass_abi::IntExpr::Max(a, b)
        | hexpass_abi::IntExpr::Min(a, b)
        | hexpass_abi::IntExpr::Add(a, b) => {
            let mut all = symbols(a);
            all.extend(symbols(b));
            all
        }
    }
}
