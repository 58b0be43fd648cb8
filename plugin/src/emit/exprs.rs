//! Run-time integer expressions of a record as LLVM instructions, in 64 bits.

use super::fault::{Emitted, Fault};
use hexpass_abi::expr::Sym;
use hexpass_abi::{IntExpr, Poly};
use inkwell::IntPredicate;
use inkwell::builder::Builder;
use inkwell::intrinsics::Intrinsic;
use inkwell::module::Module;
use inkwell::values::IntValue;

/// Where the values of `Sym::Int` come from.
pub type Ints<'i, 'ctx> = &'i mut dyn FnMut(&Builder<'ctx>, u16) -> Emitted<IntValue<'ctx>>;

/// A value, and whether all steps to it stayed within 64 bits.
#[derive(Clone, Copy)]
pub struct Checked<'ctx> {
    pub value: IntValue<'ctx>,
    pub exact: IntValue<'ctx>,
}

/// Writes expressions into one module.
pub struct ExprWriter<'a, 'ctx> {
    pub module: &'a Module<'ctx>,
    pub builder: &'a Builder<'ctx>,
}

impl<'ctx> ExprWriter<'_, 'ctx> {
    /// The expression's value, with overflow noted.
    pub fn write(&self, e: &IntExpr, ints: Ints<'_, 'ctx>) -> Emitted<Checked<'ctx>> {
        match e {
            IntExpr::Poly(p) => self.poly(p, ints),
            IntExpr::Max(a, b) => self.extremum(IntPredicate::SGT, a, b, ints),
            IntExpr::Min(a, b) => self.extremum(IntPredicate::SLT, a, b, ints),
            IntExpr::Add(a, b) => {
                let (a, b) = (self.write(a, ints)?, self.write(b, ints)?);
                self.combine("llvm.sadd.with.overflow", a, b)
            }
        }
    }

    fn constant(&self, c: i64) -> Checked<'ctx> {
        let ctx = self.module.get_context();
        Checked {
            value: ctx.i64_type().const_int(c as u64, true),
            exact: ctx.bool_type().const_int(1, false),
        }
    }

    fn poly(&self, p: &Poly, ints: Ints<'_, 'ctx>) -> Emitted<Checked<'ctx>> {
        let mut sum = self.constant(0);
        for term in p.terms() {
            let mut product = self.constant(term.coefficient);
            for symbol in &term.symbols {
                let Sym::Int(i) = symbol else {
                    return Err(Fault::new(format!("{symbol:?} has no value before the nest")));
                };
                let factor = Checked { value: ints(self.builder, *i)?, ..self.constant(0) };
                product = if product.value == self.constant(1).value {
                    factor
                } else {
                    self.combine("llvm.smul.with.overflow", product, factor)?
                };
            }
            sum = if sum.value == self.constant(0).value {
                product
            } else {
                self.combine("llvm.sadd.with.overflow", sum, product)?
            };
        }
        Ok(sum)
    }

    fn extremum(
        &self,
        first: IntPredicate,
        a: &IntExpr,
        b: &IntExpr,
        ints: Ints<'_, 'ctx>,
    ) -> Emitted<Checked<'ctx>> {
        let (a, b) = (self.write(a, ints)?, self.write(b, ints)?);
        let builder = self.builder;
        let choice = builder.build_int_compare(first, a.value, b.value, "")?;
        let value = builder.build_select(choice, a.value, b.value, "")?.into_int_value();
        Ok(Checked { value, exact: builder.build_and(a.exact, b.exact, "")? })
    }

    fn combine(&self, name: &str, a: Checked<'ctx>, b: Checked<'ctx>) -> Emitted<Checked<'ctx>> {
        let missing = || Fault::new(format!("{name} is not there"));
        let builder = self.builder;
        let intrinsic = Intrinsic::find(name).ok_or_else(missing)?;
        let ty = a.value.get_type().into();
        let function = intrinsic.get_declaration(self.module, &[ty]).ok_or_else(missing)?;
        let call = builder.build_call(function, &[a.value.into(), b.value.into()], "")?;
        let pair = call.try_as_basic_value().basic().ok_or_else(missing)?.into_struct_value();
        let value = builder.build_extract_value(pair, 0, "")?.into_int_value();
        let over = builder.build_extract_value(pair, 1, "")?.into_int_value();
        let fits = builder.build_not(over, "")?;
        let before = builder.build_and(a.exact, b.exact, "")?;
        Ok(Checked { value, exact: builder.build_and(before, fits, "")? })
    }
}
