//! Code for a device.
//!
//! Consumes a module and a code generator; produces the text of its code.

use super::sys;
use inkwell::module::Module;
use inkwell::targets::TargetMachine;

/// The assembly of `module`, by the target's pipeline without the one pass that takes most of its time
/// (`cpp/device_code.cpp` says why); `None` if `machine` can't write it. The module is changed.
pub fn device_code(machine: &TargetMachine, module: &Module<'_>) -> Option<String> {
    let mut written = false;
    let text = sys::text(|sink, state| {
        // SAFETY: both are alive, and `sink` and `state` are `text`'s own.
        written = unsafe {
            sys::shim_device_code(machine.as_mut_ptr(), module.as_mut_ptr(), sink, state)
        };
    });
    written.then_some(text)
}
