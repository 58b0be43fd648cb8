//! A byte offset, taken apart: counters with their coefficients, at most one modular term, and the rest.

use super::algebra::out_of_range;
use crate::facts::ModFact;
use crate::rejection::{Reason, Rejection};
use hexpass_abi::{Poly, Sym};

/// `Σ counters[i].1 · Iv(counters[i].0) + modular.1 · modular.0 + rest`
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    /// Coefficients over `Int`, never zero; sorted by counter.
    pub counters: Vec<(u16, Poly)>,
    pub modular: Option<(Phase, Poly)>,
    /// Over `Int` and `Time`.
    pub rest: Poly,
}

/// `(direction·t + rotation + shift) mod modulus`, `modulus` > 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    pub modulus: i64,
    /// 1 or −1.
    pub direction: i64,
    /// Over `Int`, no constant, coefficients from 0 to modulus − 1.
    pub rotation: Poly,
    /// From 0 to modulus − 1.
    pub shift: i64,
}

/// Slots that a modular index may choose among; more are no stencil.
const MAX_MODULUS: i64 = 64;

impl Linear {
    pub fn of(offset: &Poly, mods: &[ModFact]) -> Result<Linear, Rejection> {
        let mut rest = offset.clone();
        let mut modular = None;
        for (i, fact) in (0u16..).zip(mods) {
            let (coefficient, without) = split(&rest, Sym::Mod(i))?;
            if coefficient.is_zero() {
                continue;
            }
            rest = without;
            match phase(fact)? {
                Chosen::Fixed(value) => {
                    let fixed = coefficient.scale(value).map_err(out_of_range)?;
                    rest = rest.add(&fixed).map_err(out_of_range)?;
                }
                Chosen::ByTime(phase) if modular.is_none() => modular = Some((phase, coefficient)),
                Chosen::ByTime(_) => {
                    return Err(base_pointer(
                        "one access takes two buffer indices modulo something",
                    ));
                }
            }
        }
        let mut counters = Vec::new();
        for i in counters_of(&rest) {
            let (coefficient, without) = split(&rest, Sym::Iv(i))?;
            rest = without;
            counters.push((i, coefficient));
        }
        let simple = |p: &Poly| !p.mentions_any(|s| !matches!(s, Sym::Int(_)));
        if !counters.iter().all(|(_, c)| simple(c))
            || !modular.as_ref().is_none_or(|(_, c): &(Phase, Poly)| simple(c))
        {
            return Err(non_affine("a subscript multiplies loop counters"));
        }
        if rest.mentions_any(|s| matches!(s, Sym::Mod(_) | Sym::Iv(_))) {
            return Err(non_affine("a subscript is not an affine function of the loop counters"));
        }
        Ok(Linear { counters, modular, rest })
    }
}

fn counters_of(p: &Poly) -> Vec<u16> {
    let mut all: Vec<u16> = p
        .terms()
        .iter()
        .flat_map(|t| &t.symbols)
        .filter_map(|s| if let Sym::Iv(i) = s { Some(*i) } else { None })
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn split(p: &Poly, s: Sym) -> Result<(Poly, Poly), Rejection> {
    if !p.mentions(s) {
        return Ok((Poly::zero(), p.clone()));
    }
    p.split(s).ok_or_else(|| non_affine("a subscript holds a loop counter squared"))
}

enum Chosen {
    /// The same plane at all times.
    Fixed(i64),
    ByTime(Phase),
}

fn phase(fact: &ModFact) -> Result<Chosen, Rejection> {
    let modulus = fact.modulus;
    if !(1..=MAX_MODULUS).contains(&modulus) {
        return Err(base_pointer(format!("a buffer index is taken modulo {modulus}")));
    }
    let (time, rest) = split(&fact.inner, Sym::Time)?;
    if rest.mentions_any(|s| !matches!(s, Sym::Int(_))) {
        return Err(base_pointer("a buffer index modulo something depends on the position"));
    }
    let unknown = || base_pointer("a buffer index does not advance by one each time step");
    let speed = time.as_constant().ok_or_else(unknown)?.rem_euclid(modulus);
    let shift = rest.constant_part().rem_euclid(modulus);
    let reduced = rest
        .terms()
        .iter()
        .filter(|t| !t.symbols.is_empty())
        .map(|t| (t.coefficient.rem_euclid(modulus), t.symbols.clone()));
    let rotation = Poly::from_terms(reduced).map_err(out_of_range)?;
    if speed == 0 && rotation.is_zero() {
        return Ok(Chosen::Fixed(shift));
    }
    let direction = match speed {
        1 => 1,
        s if s == modulus - 1 && s > 0 => -1,
        _ => return Err(unknown()),
    };
    Ok(Chosen::ByTime(Phase { modulus, direction, rotation, shift }))
}

impl Phase {
    /// `modulus − 1 − self`, as a phase.
    pub fn mirrored(&self) -> Result<Phase, Rejection> {
        let reduced = |p: Poly| {
            Poly::from_terms(
                p.terms()
                    .iter()
                    .map(|t| (t.coefficient.rem_euclid(self.modulus), t.symbols.clone())),
            )
        };
        Ok(Phase {
            modulus: self.modulus,
            direction: -self.direction,
            rotation: self.rotation.scale(-1).and_then(reduced).map_err(out_of_range)?,
            shift: (-1 - self.shift).rem_euclid(self.modulus),
        })
    }

    /// With two slots both directions are the same.
    pub fn canonical(self) -> Phase {
        let direction = if self.modulus == 2 { 1 } else { self.direction };
        Phase { direction, ..self }
    }
}

pub fn base_pointer(detail: impl Into<String>) -> Rejection {
    Rejection::new(Reason::BasePointer, detail)
}

pub fn non_affine(detail: impl Into<String>) -> Rejection {
    Rejection::new(Reason::NonAffine, detail)
}
