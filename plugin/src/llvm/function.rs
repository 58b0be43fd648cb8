//! Functions and blocks: what they hold, in order.
//!
//! Consumes: LLVM's C API. Nothing here changes the IR.

use super::Location;
use super::analyses::{LoopRef, location_of};
use super::handle::{Block, Function, Value, owned};
use super::sys;
use super::value::users_of;
use inkwell::llvm_sys::core::*;
use std::fmt;
use std::marker::PhantomData;

impl<'f> Function<'f> {
    /// The function's symbol.
    pub fn name(self) -> String {
        self.as_value().name()
    }

    /// The symbol of the function that one of its loops was written in, as far as is known; or its own.
    pub fn name_at(self, place: LoopRef<'_>) -> String {
        place.inlined_from().unwrap_or_else(|| self.name())
    }

    /// The function as a value (its address).
    pub fn as_value(self) -> Value<'f> {
        Value { raw: self.raw, of: PhantomData }
    }

    /// Its blocks, the entry first; none for a declaration.
    pub fn blocks(self) -> Vec<Block<'f>> {
        // SAFETY: the function is alive.
        let mut next = Block::from_raw(unsafe { LLVMGetFirstBasicBlock(self.raw()) });
        std::iter::from_fn(|| {
            let block = next?;
            // SAFETY: the block is alive.
            next = Block::from_raw(unsafe { LLVMGetNextBasicBlock(block.raw()) });
            Some(block)
        })
        .collect()
    }

    /// Its arguments in order.
    pub fn arguments(self) -> Vec<Value<'f>> {
        // SAFETY: the function is alive, and the index below its count.
        unsafe {
            (0..LLVMCountParams(self.raw()))
                .filter_map(|index| Value::from_raw(LLVMGetParam(self.raw(), index)))
                .collect()
        }
    }

    /// True when the body is elsewhere.
    pub fn is_declaration(self) -> bool {
        // SAFETY: the function is alive.
        unsafe { LLVMIsDeclaration(self.raw()) != 0 }
    }

    /// An intrinsic's name without its type suffix (`llvm.fmuladd`).
    pub fn intrinsic(self) -> Option<String> {
        // SAFETY: the function is alive.
        let name = sys::text(|sink, state| unsafe {
            sys::shim_intrinsic_name(self.raw(), sink, state);
        });
        (!name.is_empty()).then_some(name)
    }

    /// The value of a string attribute (`target-cpu`), empty or not.
    pub fn string_attribute(self, name: &str) -> Option<String> {
        // SAFETY: the function is alive; the attribute's text lives with the context.
        unsafe {
            let attribute = LLVMGetStringAttributeAtIndex(
                self.raw(),
                inkwell::llvm_sys::LLVMAttributeFunctionIndex,
                name.as_ptr().cast(),
                name.len() as u32,
            );
            if attribute.is_null() {
                return None;
            }
            let mut length = 0;
            let text = LLVMGetStringAttributeValue(attribute, &mut length);
            Some(owned(text, length as usize))
        }
    }

    /// Where the function stands in the source.
    pub fn location(self) -> Option<Location> {
        location_of(self.raw())
    }

    /// The verifier's words, if the function is broken.
    pub fn verify(self) -> Result<(), String> {
        super::target::verify_function(self.raw())
    }
}

impl<'f> Block<'f> {
    /// Its instructions in order.
    pub fn instructions(self) -> Vec<Value<'f>> {
        // SAFETY: the block is alive.
        let mut next = Value::from_raw(unsafe { LLVMGetFirstInstruction(self.raw()) });
        std::iter::from_fn(|| {
            let instruction = next?;
            // SAFETY: the instruction is alive.
            next = Value::from_raw(unsafe { LLVMGetNextInstruction(instruction.raw()) });
            Some(instruction)
        })
        .collect()
    }

    /// Its last instruction.
    pub fn terminator(self) -> Option<Value<'f>> {
        // SAFETY: the block is alive.
        Value::from_raw(unsafe { LLVMGetBasicBlockTerminator(self.raw()) })
    }

    /// A loop is left here for what it hardly ever does.
    pub fn is_rare_path(self) -> bool {
        // SAFETY: the block is alive.
        unsafe { sys::shim_block_is_rare_path(self.raw()) }
    }

    /// Where control may go next, in the terminator's order.
    pub fn successors(self) -> Vec<Block<'f>> {
        let Some(terminator) = self.terminator() else { return Vec::new() };
        // SAFETY: the terminator is alive, and the index below its count.
        unsafe {
            (0..LLVMGetNumSuccessors(terminator.raw()))
                .filter_map(|index| Block::from_raw(LLVMGetSuccessor(terminator.raw(), index)))
                .collect()
        }
    }

    /// The blocks that control may come from, each once.
    pub fn predecessors(self) -> Vec<Block<'f>> {
        // SAFETY: the block is alive; its users are terminators (or block addresses, left out).
        let users = unsafe { users_of(LLVMBasicBlockAsValue(self.raw())) };
        let mut blocks: Vec<_> = users.into_iter().filter_map(Value::block).collect();
        blocks.sort();
        blocks.dedup();
        blocks
    }

    /// Its name in the IR, for messages to developers.
    pub fn name(self) -> String {
        // SAFETY: the block is alive, its name a C string.
        unsafe {
            std::ffi::CStr::from_ptr(LLVMGetBasicBlockName(self.raw()))
                .to_string_lossy()
                .into_owned()
        }
    }
}

impl fmt::Debug for Function<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl fmt::Debug for Block<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}
