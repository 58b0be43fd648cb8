//! The shim's C functions as bindgen reads them from `cpp/shim.h`, and the two ways in which lists
//! and text come across.
#![allow(non_upper_case_globals, dead_code, missing_docs)]

use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::target_machine::LLVMTargetMachineRef;
use std::ffi::{c_char, c_void};

include!(concat!(env!("OUT_DIR"), "/shim.rs"));

/// Collects a list that `fill(out, capacity)` writes and counts.
pub fn list<T: Copy>(fill: impl Fn(*mut T, usize) -> usize) -> Vec<T> {
    let mut items: Vec<T> = Vec::with_capacity(8);
    loop {
        let count = fill(items.as_mut_ptr(), items.capacity());
        if count <= items.capacity() {
            // SAFETY: the shim has written the first `count` items, which fit the capacity.
            unsafe { items.set_len(count) };
            return items;
        }
        items.reserve(count);
    }
}

/// Collects the text that `write(sink, state)` sends.
pub fn text(write: impl FnOnce(ShimSink, *mut c_void)) -> String {
    let mut bytes: Vec<u8> = Vec::new();
    write(Some(append), (&raw mut bytes).cast());
    String::from_utf8_lossy(&bytes).into_owned()
}

unsafe extern "C" fn append(state: *mut c_void, text: *const c_char, length: usize) {
    if length == 0 {
        return;
    }
    // SAFETY: `state` is the `Vec` that `text` above passed with this function, borrowed by nobody
    // else meanwhile; the shim passes `length` readable bytes.
    let (bytes, text) = unsafe {
        (&mut *state.cast::<Vec<u8>>(), std::slice::from_raw_parts(text.cast::<u8>(), length))
    };
    bytes.extend_from_slice(text);
}
