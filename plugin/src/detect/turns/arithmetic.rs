//! What instructions make of numbers that are known, one turn at a time.

use crate::llvm::{Opcode, TypeKind, Value};
use inkwell::llvm_sys::LLVMIntPredicate;

pub fn bits(v: Value<'_>) -> Option<u32> {
    match v.ty().kind() {
        TypeKind::Int(bits @ 1..=64) => Some(bits),
        _ => None,
    }
}

/// A value of so many bits as a signed number; truth values are 0 and 1.
pub fn signed(value: i64, bits: u32) -> i64 {
    match bits {
        1 => value & 1,
        64.. => value,
        _ => (value << (64 - bits)) >> (64 - bits),
    }
}

pub fn unsigned(value: i64, bits: u32) -> u64 {
    if bits == 64 { value as u64 } else { value as u64 & ((1 << bits) - 1) }
}

pub fn compared(predicate: LLVMIntPredicate, x: i64, y: i64, bits: u32) -> bool {
    let (a, b) = (unsigned(x, bits), unsigned(y, bits));
    // True is the smaller truth value, as a signed one.
    let (x, y) = if bits == 1 { (-x, -y) } else { (x, y) };
    match predicate {
        LLVMIntPredicate::LLVMIntEQ => a == b,
        LLVMIntPredicate::LLVMIntNE => a != b,
        LLVMIntPredicate::LLVMIntUGT => a > b,
        LLVMIntPredicate::LLVMIntUGE => a >= b,
        LLVMIntPredicate::LLVMIntULT => a < b,
        LLVMIntPredicate::LLVMIntULE => a <= b,
        LLVMIntPredicate::LLVMIntSGT => x > y,
        LLVMIntPredicate::LLVMIntSGE => x >= y,
        LLVMIntPredicate::LLVMIntSLT => x < y,
        LLVMIntPredicate::LLVMIntSLE => x <= y,
    }
}

/// What an instruction without effects makes of two numbers; `None` where LLVM does not say, or here nobody asked.
pub fn operation(v: Value<'_>, opcode: Opcode, x: i64, y: i64) -> Option<i64> {
    let width = bits(v.operand(0)?)?;
    let value = match opcode {
        Opcode::LLVMAdd => x.wrapping_add(y),
        Opcode::LLVMSub => x.wrapping_sub(y),
        Opcode::LLVMMul => x.wrapping_mul(y),
        Opcode::LLVMAnd => x & y,
        Opcode::LLVMOr => x | y,
        Opcode::LLVMXor => x ^ y,
        Opcode::LLVMSRem if y > 0 => x % y,
        Opcode::LLVMURem if y != 0 => (unsigned(x, width) % unsigned(y, width)) as i64,
        Opcode::LLVMICmp => {
            return Some(i64::from(compared(v.int_predicate()?, x, y, width)));
        }
        _ => return None,
    };
    Some(signed(value, width))
}

/// What a change of width makes of a number.
pub fn converted(v: Value<'_>, opcode: Opcode, x: i64) -> Option<i64> {
    let (from, to) = (bits(v.operand(0)?)?, bits(v)?);
    Some(match opcode {
        Opcode::LLVMTrunc => signed(x, to),
        Opcode::LLVMSExt if from == 1 => -x,
        Opcode::LLVMSExt => x,
        // A number that is negative here would be a large one.
        Opcode::LLVMZExt if x >= 0 => x,
        _ => return None,
    })
}

pub fn is_conversion(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::LLVMTrunc | Opcode::LLVMSExt | Opcode::LLVMZExt)
}

pub fn is_operation(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::LLVMAdd
            | Opcode::LLVMSub
            | Opcode::LLVMMul
            | Opcode::LLVMAnd
            | Opcode::LLVMOr
            | Opcode::LLVMXor
            | Opcode::LLVMSRem
            | Opcode::LLVMURem
            | Opcode::LLVMICmp
    )
}
