//! Parameters that are equal wherever a step is not a rare one.
//!
//! Consumes the rare checks of a nest; says of a parameter what it is, so that expressions that speak of equal sizes are
//! the same polynomial. The guard looks at those checks before it believes any size.

use super::affine::{Found, too_large};
use super::context::Context;
use hexpass_abi::expr::Term;
use hexpass_abi::{CheckKind, Poly, Sym};
use hexpass_poly::rejection::Rejection;

impl Context<'_> {
    /// What must be equal unless a step does what hardly any does is one from here on: the shapes of two arrays one of which
    /// is assigned to the other, say. The guard looks at these checks before anything else.
    pub fn learn(&mut self, found: &[Found]) -> Result<(), Rejection> {
        for f in found.iter().filter(|f| f.kind == CheckKind::Rare) {
            let opposite = f.value.scale(-1).map_err(too_large)?;
            if found.iter().any(|o| o.kind == CheckKind::Rare && o.value == opposite) {
                self.learn_zero(&f.value)?;
            }
        }
        Ok(())
    }

    /// The latest parameter that stands alone in what is zero is what the rest says.
    fn learn_zero(&mut self, zero: &Poly) -> Result<(), Rejection> {
        if zero.mentions_any(|s| !matches!(s, Sym::Int(_))) {
            return Ok(());
        }
        let mut zero = zero.clone();
        for (&id, is) in &self.equals {
            zero = zero.substitute(Sym::Int(id), is).map_err(too_large)?;
        }
        let alone = |t: &Term| match t.symbols[..] {
            [s @ Sym::Int(id)] if t.coefficient.abs() == 1 => {
                let more = zero.terms().iter().filter(|o| o.symbols.contains(&s)).count() > 1;
                (!more).then_some((id, t.coefficient))
            }
            _ => None,
        };
        let Some((id, sign)) = zero.terms().iter().filter_map(alone).max() else { return Ok(()) };
        let own = Poly::symbol(Sym::Int(id));
        let is = own.sub(&zero.scale(sign).map_err(too_large)?).map_err(too_large)?;
        for other in self.equals.values_mut() {
            *other = other.substitute(Sym::Int(id), &is).map_err(too_large)?;
        }
        self.equals.insert(id, is);
        Ok(())
    }
}
