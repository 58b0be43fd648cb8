//! A failure of emission. It is never the scientist's fault: but for a kernel that is too long, whose variant is left
//! out, every one becomes a `bug` rejection and the original loop stays.

use hexpass_poly::rejection::{Reason, Rejection};
use inkwell::builder::BuilderError;
use inkwell::support::LLVMString;
use inkwell::values::InstructionValueError;
use std::fmt;

/// What went wrong, in a developer's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    message: String,
    /// How long a kernel gets is known only when its loops are written out.
    too_long: bool,
}

/// Result of a step of emission.
pub type Emitted<T> = Result<T, Fault>;

impl Fault {
    /// A fault with this message.
    pub fn new(message: impl Into<String>) -> Fault {
        Fault { message: message.into(), too_long: false }
    }

    /// A kernel that no compiler should be given.
    pub fn too_long(message: impl Into<String>) -> Fault {
        Fault { message: message.into(), too_long: true }
    }

    /// The same, with where it happened.
    pub fn within(self, place: &str) -> Fault {
        Fault { message: format!("{place}: {}", self.message), ..self }
    }

    /// Whether other variants may do.
    pub fn is_too_long(&self) -> bool {
        self.too_long
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<BuilderError> for Fault {
    fn from(e: BuilderError) -> Fault {
        Fault::new(format!("instruction not built: {e}"))
    }
}

impl From<InstructionValueError> for Fault {
    fn from(e: InstructionValueError) -> Fault {
        Fault::new(format!("instruction not marked: {e}"))
    }
}

impl From<LLVMString> for Fault {
    fn from(e: LLVMString) -> Fault {
        Fault::new(e.to_string())
    }
}

impl From<Fault> for Rejection {
    fn from(e: Fault) -> Rejection {
        match e.too_long {
            true => Rejection::new(Reason::TileSize, "its kernels would take a compiler too long"),
            false => Rejection::new(Reason::Bug, format!("the code generator failed: {e}")),
        }
    }
}
