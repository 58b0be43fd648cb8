//! The list of a kernel's parameters, each once.

use crate::kernel::ir::IExpr;
use hexpass_abi::KernelParam;

/// Parameters in the order of first use.
#[derive(Debug, Default)]
pub struct Params(Vec<KernelParam>);

impl Params {
    /// The parameter as an expression; added if it is new.
    pub fn index(&mut self, p: KernelParam) -> IExpr {
        let at = self.0.iter().position(|q| *q == p).unwrap_or_else(|| {
            self.0.push(p);
            self.0.len() - 1
        });
        IExpr::Param(at as u16)
    }

    pub fn into_list(self) -> Vec<KernelParam> {
        self.0
    }
}
