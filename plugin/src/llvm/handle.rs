//! Handles of functions, blocks, values and types: pointers under a lifetime (see the parent module
//! for the promise behind them).

use inkwell::llvm_sys::prelude::*;
use std::ffi::c_char;
use std::marker::PhantomData;
use std::ptr::NonNull;

macro_rules! handle {
    ($(#[$doc:meta])* $name:ident, $raw:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name<'f> {
            pub(super) raw: NonNull<std::ffi::c_void>,
            pub(super) of: PhantomData<&'f ()>,
        }

        impl<'f> $name<'f> {
            /// The handle of a live object, or `None` for null.
            pub(crate) fn from_raw(raw: $raw) -> Option<Self> {
                NonNull::new(raw.cast()).map(|raw| $name { raw, of: PhantomData })
            }

            /// The pointer, for inkwell or the C API.
            pub fn raw(self) -> $raw {
                self.raw.as_ptr().cast()
            }
        }
    };
}

handle!(
    /// A function of the module, or a working copy of one.
    Function, LLVMValueRef
);
handle!(
    /// A basic block.
    Block, LLVMBasicBlockRef
);
handle!(
    /// An instruction, argument, constant or global.
    Value, LLVMValueRef
);
handle!(
    /// A type.
    Type, LLVMTypeRef
);

/// A copy of a text that LLVM owns.
///
/// # Safety
/// `text` points to `length` bytes of a live LLVM object.
pub(super) unsafe fn owned(text: *const c_char, length: usize) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}
