//! Numbers of few bits: what they are when they are widened.
//!
//! Consumes extensions of narrow expressions; produces polynomials congruent modulo 2ⁿ with checks that they fit n bits,
//! or remainders where so few bits are kept that a remainder was meant. Refuses nothing of its own.

use super::affine::{Extension, Found, push_check, too_large};
use super::branches::Truth;
use super::context::Context;
use crate::llvm::{ScevKind, ScevRef, TypeKind};
use hexpass_abi::{CheckKind, Poly, Sym};
use hexpass_poly::rejection::Rejection;

/// Numbers of so many bits are no period of a grid.
const LARGEST_TORUS: u32 = 24;

/// The same modulo 2^bits, with the constant nearest to zero: what was widened and cut off again says `c + 4294967295`
/// where it means `c - 1`.
pub(super) fn small_constant(p: Poly, bits: u32) -> Result<Poly, Rejection> {
    if !(LARGEST_TORUS..=62).contains(&bits) {
        return Ok(p);
    }
    let (c, half) = (p.constant_part(), 1i64 << (bits - 1));
    let nearest = c.checked_add(half).ok_or_else(|| too_large(()))?.rem_euclid(2 * half) - half;
    p.add(&Poly::constant(nearest - c)).map_err(too_large)
}

impl<'a> Context<'a> {
    /// A zero extension: of one or a few bits it is a remainder, otherwise the value itself, checked to fit.
    pub(super) fn zero_extended(
        &mut self,
        scev: ScevRef<'a>,
        found: &mut Vec<Found>,
    ) -> Result<Poly, Rejection> {
        let inner = scev.operands()[0];
        let bits = self.a.bits(inner);
        let wide = match inner.kind() {
            ScevKind::Truncate => Some(inner.operands()[0]),
            // Whole rows before the first are gone from it.
            ScevKind::AddRec => Some(inner),
            _ => None,
        };
        if let Some(wide) = wide.filter(|_| !self.collapsed.is_empty() && bits < 32) {
            let mut of_it = Vec::new();
            let x = self.poly(wide, Extension::Signed, &mut of_it);
            let divisor = Poly::constant(1 << bits);
            if let Ok(x) = x
                && let Some((_, rest)) = self.divided_counters(&x, &divisor, &mut of_it)?
            {
                found.extend(of_it);
                return Ok(rest);
            }
        }
        // A power of two minus one was a mask: `(i - 1) & (n - 1)`. That of a byte, or of two, may have been a conversion; so
        // was what is nearly a word, of a multiple of a power of two.
        if (3..LARGEST_TORUS).contains(&bits) {
            let may_be_type = matches!(bits, 8 | 16);
            let x = match inner.kind() {
                ScevKind::Truncate => Some(inner.operands()[0]),
                ScevKind::AddRec if inner.add_rec_loop() != Some(self.time) => Some(inner),
                _ => None,
            };
            if let Some(x) = x {
                let mut of_it = Vec::new();
                let x = match self.poly(x, Extension::Signed, &mut of_it) {
                    Err(_) if may_be_type => None,
                    x => Some(x?),
                };
                if let Some(x) = x.filter(|x| x.mentions_any(|s| matches!(s, Sym::Iv(_))))
                    && (!may_be_type || self.comes_round(&x, 1 << bits)?)
                {
                    found.extend(of_it);
                    return self.wrapped(&x, &Poly::constant(1 << bits), true, found);
                }
            }
        }
        if bits == 1 || (bits < 8 && inner.kind() != ScevKind::Unknown) {
            let x = match inner.kind() {
                ScevKind::Truncate => {
                    let wide = inner.operands()[0];
                    self.poly(wide, Extension::Unsigned, found)?
                }
                ScevKind::AddRec => {
                    // Coefficients modulo 2^bits, made non-negative; the constant start as well.
                    let ops = inner.operands();
                    let Some(symbol) = inner
                        .add_rec_loop()
                        .filter(|&l| !self.is_blocked(l))
                        .and_then(|l| self.symbol_of(l))
                    else {
                        return self.leaf_of(scev, Extension::Unsigned, found);
                    };
                    let modulus = 1i64 << bits;
                    let Some(step) = ops[1].constant() else {
                        return self.leaf_of(scev, Extension::Unsigned, found);
                    };
                    let Some(start) = self.congruent(ops[0], modulus, found)? else {
                        return self.leaf_of(scev, Extension::Unsigned, found);
                    };
                    start
                        .add(
                            &Poly::symbol(symbol)
                                .scale(step.rem_euclid(modulus))
                                .map_err(too_large)?,
                        )
                        .map_err(too_large)?
                }
                _ => {
                    if let Some(v) = inner.value()
                        && let Some(p) = self.turning(v, Extension::Unsigned, found)?
                    {
                        return Ok(p);
                    }
                    return match self.decided(inner)? {
                        Some(holds) => Ok(Poly::constant(i64::from(holds))),
                        None => self.leaf_of(scev, Extension::Unsigned, found),
                    };
                }
            };
            return self.modulo(&x, 1i64 << bits, found);
        }
        let p = small_constant(self.poly(inner, Extension::Unsigned, found)?, bits)?;
        require_fits(&p, bits, Extension::Unsigned, found)?;
        Ok(p)
    }

    /// What a narrow number is, but for multiples of the modulus; of constants and what has been cut off.
    fn congruent(
        &mut self,
        scev: ScevRef<'a>,
        modulus: i64,
        found: &mut Vec<Found>,
    ) -> Result<Option<Poly>, Rejection> {
        if let Some(c) = scev.constant() {
            return Ok(Some(Poly::constant(c.rem_euclid(modulus))));
        }
        match scev.kind() {
            ScevKind::Truncate => {
                self.poly(scev.operands()[0], Extension::Unsigned, found).map(Some)
            }
            ScevKind::Add => {
                let mut sum = Poly::zero();
                for operand in scev.operands() {
                    let Some(p) = self.congruent(operand, modulus, found)? else {
                        return Ok(None);
                    };
                    sum = sum.add(&p).map_err(too_large)?;
                }
                Ok(Some(sum))
            }
            _ => Ok(None),
        }
    }

    /// Whether a comparison that is computed with as a number holds, in the region: `i - (i > 0)`.
    pub(super) fn decided(&mut self, scev: ScevRef<'a>) -> Result<Option<bool>, Rejection> {
        let Some(v) = scev.value().filter(|v| v.ty().kind() == TypeKind::Int(1)) else {
            return Ok(None);
        };
        if self.is_outside(v) {
            return Ok(None);
        }
        Ok(match self.truth(v)? {
            Truth::Yes => Some(true),
            Truth::No => Some(false),
            Truth::Data => None,
        })
    }
}

/// Records that `p` must fit `bits` bits, where that isn't plain.
pub fn require_fits(
    p: &Poly,
    bits: u32,
    ext: Extension,
    found: &mut Vec<Found>,
) -> Result<(), Rejection> {
    let (low, high) = match (ext, bits) {
        (Extension::Signed, 1..=63) => (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1),
        (Extension::Unsigned, 1..=62) => (0, (1i64 << bits) - 1),
        (Extension::Unsigned, _) => (0, i64::MAX),
        _ => return Ok(()),
    };
    if let Some(c) = p.as_constant()
        && low <= c
        && c <= high
    {
        return Ok(());
    }
    push_check(found, p.sub(&Poly::constant(low)).map_err(too_large)?, CheckKind::Wrap);
    if high != i64::MAX {
        push_check(found, Poly::constant(high).sub(p).map_err(too_large)?, CheckKind::Wrap);
    }
    Ok(())
}
