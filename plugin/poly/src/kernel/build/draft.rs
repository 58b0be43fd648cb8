//! What every builder of kernels shares: the program, a kernel's variables and parameters, and the places of accesses in
//! the arrays' own slots.

use crate::kernel::ir::{IExpr, Place};
use crate::stencil::{Statement, StencilProgram};
use hexpass_abi::expr::Sym;
use hexpass_abi::{Access, KernelParam, Poly};

/// A kernel under construction.
pub struct Draft<'a> {
    pub program: &'a StencilProgram,
    params: Vec<KernelParam>,
    vars: u16,
}

impl<'a> Draft<'a> {
    pub fn new(program: &'a StencilProgram) -> Draft<'a> {
        Draft { program, params: Vec::new(), vars: 0 }
    }

    /// A fresh variable.
    pub fn var(&mut self) -> u16 {
        self.vars += 1;
        self.vars - 1
    }

    /// The parameter as an expression; added if it is new.
    pub fn param(&mut self, p: KernelParam) -> IExpr {
        IExpr::Param(self.index(p))
    }

    fn index(&mut self, p: KernelParam) -> u16 {
        let at = self.params.iter().position(|q| *q == p).unwrap_or_else(|| {
            self.params.push(p);
            self.params.len() - 1
        });
        at as u16
    }

    /// Parameters in the order of first use, and the number of variables.
    pub fn finish(self) -> (Vec<KernelParam>, u16) {
        (self.params, self.vars)
    }

    pub fn dims(&self) -> usize {
        self.program.dims
    }

    pub fn slots(&self, array: u16) -> i64 {
        self.program.arrays[usize::from(array)].slots.len().max(1) as i64
    }

    pub fn statement_lo(&mut self, statement: usize, dim: usize) -> IExpr {
        self.param(KernelParam::StatementLo { statement: statement as u16, dim: dim as u8 })
    }

    pub fn statement_hi(&mut self, statement: usize, dim: usize) -> IExpr {
        self.param(KernelParam::StatementHi { statement: statement as u16, dim: dim as u8 })
    }

    /// Subscripts of an access at a step and coordinates.
    pub fn subscripts(&mut self, access: &Access, time: &IExpr, coords: &[IExpr]) -> Vec<IExpr> {
        let one = |s: &hexpass_abi::Subscript| {
            let offset = self.polynomial(&s.offset, time, coords);
            match s.dim.and_then(|d| coords.get(usize::from(d))) {
                Some(coordinate) => coordinate.clone().plus(offset),
                None => offset,
            }
        };
        access.subscripts.iter().map(one).collect()
    }

    /// A place in an array's own slots, with the parameters for its address; the rotation is relative to the launch's
    /// time.
    pub fn home(&mut self, array: u16, rotation: IExpr, subscripts: Vec<IExpr>) -> Place {
        let slots = self.slots(array);
        let rotation = rotation.modulo(slots);
        let used = match rotation {
            IExpr::Const(c) => c..c + 1,
            _ => 0..slots,
        };
        for slot in used {
            self.param(KernelParam::Slot { array, rotation: slot as u16 });
        }
        for dim in 0..subscripts.len().saturating_sub(1) {
            self.param(KernelParam::Stride { array, dim: dim as u8 });
        }
        Place::Global { array, rotation, subscripts }
    }

    /// Where an access lies in its array's own slots, so many steps after the launch's time.
    pub fn access(&mut self, access: &Access, step: i64, time: &IExpr, coords: &[IExpr]) -> Place {
        let subscripts = self.subscripts(access, time, coords);
        self.home(access.array, IExpr::Const(step + i64::from(access.rotation)), subscripts)
    }

    /// A place in one of two buffers of an array, the first where launch argument `arg` is even, with the parameters for its
    /// address.
    pub fn buffer(
        &mut self,
        array: u16,
        [even, odd]: [u16; 2],
        arg: u8,
        subscripts: Vec<IExpr>,
    ) -> Place {
        let param = self.index(KernelParam::Buffer { array, even, odd, arg });
        for dim in 0..subscripts.len().saturating_sub(1) {
            self.param(KernelParam::Stride { array, dim: dim as u8 });
        }
        Place::Buffer { param, subscripts }
    }

    /// The parameters that a statement's body speaks of.
    pub fn body(&mut self, s: &Statement, time: &IExpr, coords: &[IExpr]) {
        for value in &s.body.values {
            match &value.op {
                crate::body::Op::Scalar(i) => {
                    self.param(KernelParam::Scalar(*i));
                }
                crate::body::Op::Index(poly) => {
                    self.polynomial(poly, time, coords);
                }
                _ => (),
            }
        }
    }

    /// Two polynomials over `Int`.
    pub fn interval(&mut self, (lo, hi): &(Poly, Poly)) -> (IExpr, IExpr) {
        let zero = IExpr::Const(0);
        (self.polynomial(lo, &zero, &[]), self.polynomial(hi, &zero, &[]))
    }

    /// A polynomial as an expression: integer parameters alone are one parameter, else each is one.
    pub fn polynomial(&mut self, p: &Poly, time: &IExpr, coords: &[IExpr]) -> IExpr {
        if let Some(c) = p.as_constant() {
            return IExpr::Const(c);
        }
        if !p.mentions_any(|s| !matches!(s, Sym::Int(_))) {
            return self.param(KernelParam::Int(p.clone()));
        }
        let mut sum = IExpr::Const(0);
        for term in p.terms() {
            let mut product = IExpr::Const(term.coefficient);
            for &s in &term.symbols {
                let factor = match s {
                    Sym::Int(_) => self.param(KernelParam::Int(Poly::symbol(s))),
                    Sym::Time => time.clone(),
                    Sym::Iv(d) => coords.get(usize::from(d)).cloned().unwrap_or(IExpr::Const(0)),
                    Sym::Mod(_) => IExpr::Const(0),
                };
                product = product.product(factor);
            }
            sum = sum.plus(product);
        }
        sum
    }
}
