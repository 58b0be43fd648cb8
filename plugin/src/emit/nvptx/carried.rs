//! Differences that the time round a loop before has found already.
//!
//! Consumes a function whose registers are values. A gradient's difference between two planes is wanted at both. Where the
//! loop that streams through them writes several planes out, common-subexpression elimination finds it once, but for
//! planes that different times round the loop make. Of such a difference the value is handed on, instead of the older
//! plane: as many registers, and a subtraction less. Only differences of which nobody sees the sign ([`squares`]), so
//! that it doesn't matter which plane was subtracted from the other.
//!
//! [`squares`]: super::squares

use super::squares::{loses_its_sign, operand};
use crate::emit::fault::{Emitted, Fault};
use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::values::{
    AnyValue, AnyValueEnum, AsValueRef, BasicValueEnum, FastMathFlags, FloatValue, FunctionValue,
    InstructionOpcode, InstructionValue, PhiValue,
};
use std::collections::{HashMap, HashSet};

/// A loop that is entered in one place and has one latch.
struct Loop<'ctx> {
    before: BasicBlock<'ctx>,
    head: BasicBlock<'ctx>,
    latch: BasicBlock<'ctx>,
}

/// Hands differences on in all loops of the function.
pub fn hand_on<'ctx>(function: FunctionValue<'ctx>, b: &Builder<'ctx>) -> Emitted<()> {
    let Some(entry) = function.get_first_basic_block() else { return Ok(()) };
    for head in function.get_basic_blocks() {
        if let Some(found) = loop_of(entry, head) {
            in_loop(function, &found, b)?;
        }
    }
    Ok(())
}

fn loop_of<'ctx>(entry: BasicBlock<'ctx>, head: BasicBlock<'ctx>) -> Option<Loop<'ctx>> {
    let phi = PhiValue::try_from(head.get_first_instruction()?).ok()?;
    let (Some((_, one)), Some((_, other)), 2) =
        (phi.get_incoming(0), phi.get_incoming(1), phi.count_incoming())
    else {
        return None;
    };
    match (dominates(entry, head, one), dominates(entry, head, other)) {
        (true, false) => Some(Loop { before: other, head, latch: one }),
        (false, true) => Some(Loop { before: one, head, latch: other }),
        _ => None,
    }
}

fn in_loop<'ctx>(function: FunctionValue<'ctx>, at: &Loop<'ctx>, b: &Builder<'ctx>) -> Emitted<()> {
    // Of each value of the loop's head what it is before the loop, and what a time round makes of it.
    let mut made = HashMap::new();
    for phi in at.head.get_instructions().map_while(|i| PhiValue::try_from(i).ok()) {
        let from = |block| phi.get_incomings().find(|(_, b)| *b == block).map(|(value, _)| value);
        if let (Some(first), Some(next)) = (from(at.before), from(at.latch)) {
            made.insert(phi.as_value_ref(), [first, next]);
        }
    }
    let differences: Vec<Difference<'ctx>> = function
        .get_basic_block_iter()
        .flat_map(|block| block.get_instructions())
        .filter_map(Difference::of)
        .collect();
    let mut found: HashMap<_, (FloatValue<'ctx>, FastMathFlags)> = HashMap::new();
    for d in &differences {
        if d.instruction.get_parent().is_some_and(|block| dominates(at.head, block, at.latch)) {
            found.entry(unordered(d.operands)).or_insert((d.value, d.flags));
        }
    }
    for d in differences.iter().filter(|d| loses_its_sign(d.instruction)) {
        let of = |which: usize| made.get(&d.operands[which].as_value_ref());
        let (Some(x), Some(y)) = (of(0), of(1)) else { continue };
        let floats = |at: usize| match (x[at], y[at]) {
            (BasicValueEnum::FloatValue(x), BasicValueEnum::FloatValue(y)) => Some([x, y]),
            _ => None,
        };
        let (Some(first), Some(next)) = (floats(0), floats(1)) else { continue };
        match found.get(&unordered(next)) {
            Some((known, flags)) if *flags == d.flags => {
                let phi = handed_on(at, b, d.flags, first, *known)?;
                // What is handed on itself may be what another one is.
                for (value, _) in found.values_mut().filter(|(value, _)| *value == d.value) {
                    *value = phi;
                }
                let phi = phi.as_instruction().ok_or_else(|| Fault::new("no value of a loop"))?;
                d.instruction.replace_all_uses_with(&phi);
                d.instruction.erase_from_basic_block();
            }
            _ => (),
        }
    }
    Ok(())
}

/// A difference between numbers, not vectors.
struct Difference<'ctx> {
    instruction: InstructionValue<'ctx>,
    value: FloatValue<'ctx>,
    operands: [FloatValue<'ctx>; 2],
    flags: FastMathFlags,
}

impl<'ctx> Difference<'ctx> {
    fn of(instruction: InstructionValue<'ctx>) -> Option<Difference<'ctx>> {
        if instruction.get_opcode() != InstructionOpcode::FSub {
            return None;
        }
        let AnyValueEnum::FloatValue(value) = instruction.as_any_value_enum() else { return None };
        let number = |at| match operand(instruction, at)? {
            BasicValueEnum::FloatValue(x) => Some(x),
            _ => None,
        };
        let flags = instruction.get_fast_math_flags().ok()?;
        Some(Difference { instruction, value, operands: [number(0)?, number(1)?], flags })
    }
}

/// A value of the loop's head: at first the difference of `first`, then what the time round before has found.
fn handed_on<'ctx>(
    at: &Loop<'ctx>,
    b: &Builder<'ctx>,
    flags: FastMathFlags,
    first: [FloatValue<'ctx>; 2],
    known: FloatValue<'ctx>,
) -> Emitted<FloatValue<'ctx>> {
    let end = at.before.get_terminator().ok_or_else(|| Fault::new("a block without an end"))?;
    b.position_before(&end);
    let first = b.build_float_sub(first[0], first[1], "")?;
    if let Some(first) = first.as_instruction() {
        first.set_fast_math_flags(flags)?;
    }
    let begin = at.head.get_first_instruction().ok_or_else(|| Fault::new("an empty block"))?;
    b.position_before(&begin);
    let phi = b.build_phi(first.get_type(), "")?;
    phi.add_incoming(&[(&first, at.before), (&known, at.latch)]);
    Ok(phi.as_basic_value().into_float_value())
}

/// The same for both orders.
fn unordered(pair: [FloatValue<'_>; 2]) -> [LLVMValueRef; 2] {
    let mut pair = pair.map(|x| x.as_value_ref());
    pair.sort();
    pair
}

/// True if all ways from `entry` to a block lead through another one.
fn dominates<'ctx>(entry: BasicBlock<'ctx>, by: BasicBlock<'ctx>, block: BasicBlock<'ctx>) -> bool {
    let (mut seen, mut next) = (HashSet::from([by]), vec![entry]);
    while let Some(at) = next.pop() {
        if !seen.insert(at) {
            continue;
        }
        if at == block {
            return false;
        }
        let end = at.get_terminator();
        next.extend(end.iter().flat_map(|end| end.get_operands()).filter_map(|o| o?.block()));
    }
    true
}
