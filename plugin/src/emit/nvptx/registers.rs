//! What a block does with registers, before they become values.
//!
//! Consumes a function whose registers are slots on its stack; produces the same with at most one load of each slot in a
//! block, which stands at its beginning, and at most one store. LLVM's promotion looks through a block from its
//! beginning for the first use of each slot that lives in several: kernels that keep a whole tile in registers have
//! hundreds of slots in blocks of thousands of instructions, and it took a third of the time that they take to compile.
//!
//! Leaves slots alone whose address goes anywhere else, and those that are not used as what they are.

use super::squares::operand;
use crate::emit::fault::{Emitted, Fault};
use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::llvm_sys::core::LLVMReplaceAllUsesWith;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{
    AnyValueEnum, AsValueRef, BasicValue, BasicValueEnum, FunctionValue, InstructionOpcode,
    InstructionValue,
};
use std::collections::{HashMap, HashSet};

/// In all blocks of the function.
pub fn settle<'ctx>(function: FunctionValue<'ctx>, b: &Builder<'ctx>) -> Emitted<()> {
    let Some(entry) = function.get_first_basic_block() else { return Ok(()) };
    let slots: HashSet<LLVMValueRef> =
        entry.get_instructions().filter(|&i| is_slot(i)).map(|i| i.as_value_ref()).collect();
    function.get_basic_block_iter().try_for_each(|block| in_block(block, &slots, b))
}

/// A slot that is only loaded from and stored to, as what it is.
fn is_slot(i: InstructionValue<'_>) -> bool {
    let Ok(ty) = i.get_allocated_type() else { return false };
    let mut next = i.get_first_use();
    while let Some(used) = next {
        if !is_access(used.get_user(), i, ty).unwrap_or(false) {
            return false;
        }
        next = used.get_next_use();
    }
    i.get_opcode() == InstructionOpcode::Alloca
}

fn is_access<'ctx>(
    user: AnyValueEnum<'ctx>,
    slot: InstructionValue<'ctx>,
    ty: BasicTypeEnum<'ctx>,
) -> Option<bool> {
    let user = match user {
        AnyValueEnum::InstructionValue(user) => user,
        value => BasicValueEnum::try_from(value).ok()?.as_instruction_value()?,
    };
    let as_it_is = match user.get_opcode() {
        InstructionOpcode::Load => BasicTypeEnum::try_from(user.get_type()).ok()? == ty,
        InstructionOpcode::Store => {
            let stored = operand(user, 0)?;
            stored.as_value_ref() != slot.as_value_ref() && stored.get_type() == ty
        }
        _ => false,
    };
    Some(as_it_is && user.get_volatile() == Ok(false))
}

fn in_block<'ctx>(
    block: BasicBlock<'ctx>,
    slots: &HashSet<LLVMValueRef>,
    b: &Builder<'ctx>,
) -> Emitted<()> {
    let accesses = block.get_instructions().filter_map(|i| Some((i, accessed(i, slots)?)));
    let accesses: Vec<_> = accesses.collect();
    // What each slot holds, and the store that says so.
    let mut values: HashMap<LLVMValueRef, LLVMValueRef> = HashMap::new();
    let mut stores: HashMap<LLVMValueRef, InstructionValue<'ctx>> = HashMap::new();
    let mut first = Vec::new();
    for (access, slot) in accesses {
        if access.get_opcode() == InstructionOpcode::Store {
            let value = operand(access, 0).ok_or_else(|| Fault::new("a store of no value"))?;
            values.insert(slot, value.as_value_ref());
            if let Some(before) = stores.insert(slot, access) {
                before.erase_from_basic_block();
            }
        } else if let Some(&known) = values.get(&slot) {
            // SAFETY: both are values of the slot's type in one function, and what the slot holds by what stands before
            // in the block is known here. No map holds this load: what is stored is asked for when its turn has come.
            unsafe { LLVMReplaceAllUsesWith(access.as_value_ref(), known) };
            access.erase_from_basic_block();
        } else {
            values.insert(slot, access.as_value_ref());
            first.push(access);
        }
    }
    to_the_beginning(block, &first, b)
}

/// The slot that an instruction loads from, or stores to.
fn accessed(i: InstructionValue<'_>, slots: &HashSet<LLVMValueRef>) -> Option<LLVMValueRef> {
    let at = match i.get_opcode() {
        InstructionOpcode::Load => operand(i, 0)?,
        InstructionOpcode::Store => operand(i, 1)?,
        _ => return None,
    };
    slots.get(&at.as_value_ref()).copied()
}

/// Loads of slots that nothing before in the block stores to.
fn to_the_beginning<'ctx>(
    block: BasicBlock<'ctx>,
    loads: &[InstructionValue<'ctx>],
    b: &Builder<'ctx>,
) -> Emitted<()> {
    let moved: HashSet<_> = loads.iter().map(|l| l.as_value_ref()).collect();
    let stays = |i: &InstructionValue<'ctx>| {
        i.get_opcode() != InstructionOpcode::Phi && !moved.contains(&i.as_value_ref())
    };
    // The slots themselves are made in the first block.
    let Some(place) =
        block.get_instructions().find(|i| stays(i) && i.get_opcode() != InstructionOpcode::Alloca)
    else {
        return Err(Fault::new("a block without an end"));
    };
    for load in loads {
        load.remove_from_basic_block();
        b.position_before(&place);
        b.insert_instruction(load, None);
    }
    Ok(())
}
