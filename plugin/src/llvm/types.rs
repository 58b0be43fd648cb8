//! Types, as far as we tell them apart.

use super::handle::Type;
use inkwell::llvm_sys::LLVMTypeKind;
use inkwell::llvm_sys::core::*;
use std::fmt;

/// What sort of type it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeKind {
    /// No value.
    Void,
    /// IEEE binary32.
    Float,
    /// IEEE binary64.
    Double,
    /// Any other floating-point type.
    OtherFloat,
    /// An integer of this many bits.
    Int(u32),
    /// A pointer.
    Pointer,
    /// An array of this length.
    Array(u64),
    /// A struct.
    Struct,
    /// A vector.
    Vector,
    /// Anything else.
    Other,
}

impl Type<'_> {
    /// What sort of type it is.
    pub fn kind(self) -> TypeKind {
        // SAFETY: the type is alive; each query below is asked of the kind that it is for.
        unsafe {
            match LLVMGetTypeKind(self.raw()) {
                LLVMTypeKind::LLVMVoidTypeKind => TypeKind::Void,
                LLVMTypeKind::LLVMFloatTypeKind => TypeKind::Float,
                LLVMTypeKind::LLVMDoubleTypeKind => TypeKind::Double,
                LLVMTypeKind::LLVMHalfTypeKind
                | LLVMTypeKind::LLVMBFloatTypeKind
                | LLVMTypeKind::LLVMX86_FP80TypeKind
                | LLVMTypeKind::LLVMFP128TypeKind
                | LLVMTypeKind::LLVMPPC_FP128TypeKind => TypeKind::OtherFloat,
                LLVMTypeKind::LLVMIntegerTypeKind => TypeKind::Int(LLVMGetIntTypeWidth(self.raw())),
                LLVMTypeKind::LLVMPointerTypeKind => TypeKind::Pointer,
                LLVMTypeKind::LLVMArrayTypeKind => TypeKind::Array(LLVMGetArrayLength2(self.raw())),
                LLVMTypeKind::LLVMStructTypeKind => TypeKind::Struct,
                LLVMTypeKind::LLVMVectorTypeKind | LLVMTypeKind::LLVMScalableVectorTypeKind => {
                    TypeKind::Vector
                }
                _ => TypeKind::Other,
            }
        }
    }
}

impl fmt::Debug for Type<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.kind(), f)
    }
}
