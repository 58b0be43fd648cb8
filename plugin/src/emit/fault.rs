//! A failure of emission. It is never the scientist's fault: every one becomes a `bug` rejection and the original loop
//! stays.

use hexpass_poly::rejection::{Reason, Rejection};
use inkwell::builder::BuilderError;
use inkwell::support::LLVMString;
use inkwell::values::InstructionValueError;
use std::fmt;

/// What went wrong, in a developer's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(pub String);

/// Result of a step of emission.
pub type Emitted<T> = Result<T, Fault>;

impl Fault {
    /// A fault with this message.
    pub fn new(message: impl Into<String>) -> Fault {
        Fault(message.into())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<BuilderError> for Fault {
    fn from(e: BuilderError) -> Fault {
        Fault(format!("instruction not built: {e}"))
    }
}

impl From<InstructionValueError> for Fault {
    fn from(e: InstructionValueError) -> Fault {
        Fault(format!("instruction not marked: {e}"))
    }
}

impl From<LLVMString> for Fault {
    fn from(e: LLVMString) -> Fault {
        Fault(e.to_string())
    }
}

impl From<Fault> for Rejection {
    fn from(e: Fault) -> Rejection {
        Rejection::new(Reason::Bug, format!("the code generator failed: {e}"))
    }
}
