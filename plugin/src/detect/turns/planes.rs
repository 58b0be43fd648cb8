//! Planes of one array that take turns by the step: `h[(t % 2) * nx * ny + j * nx + i]`.
//!
//! Consumes the distance of two places in it. Says whether they lie apart whatever the step is, for the guard to check of
//! the sizes that it is made of.

use crate::detect::affine::{Found, push_check};
use crate::detect::context::Context;
use hexpass_abi::{CheckKind, Poly, Sym};

impl Context<'_> {
    /// A place that is `distance` bytes behind another one is, in every turn, at least `room` bytes behind it or
    /// `bytes` before it. With the checks that this takes.
    pub fn apart_in_every_turn(
        &self,
        distance: &Poly,
        (room, bytes): (u64, u64),
    ) -> Option<Vec<Found>> {
        let mut found = Vec::new();
        for there in self.turn_by_turn(distance)? {
            let last = there.terms().iter().max_by_key(|t| t.symbols.len())?;
            let (ahead, least) = match last.coefficient > 0 {
                true => (there.clone(), room),
                false => (there.scale(-1).ok()?, bytes),
            };
            let rest = ahead.sub(&Poly::constant(i64::try_from(least).ok()?)).ok()?;
            match rest.as_constant() {
                Some(rest) if rest >= 0 => {}
                Some(_) => return None,
                None => push_check(&mut found, rest, CheckKind::Size),
            }
        }
        Some(found)
    }

    /// What it is in each turn of the remainders in it, of sizes; none if it has none, or counts anything else.
    fn turn_by_turn(&self, p: &Poly) -> Option<Vec<Poly>> {
        let of = |s: &Sym| match s {
            Sym::Mod(id) => self.mods.get(usize::from(*id)).map(|m| (*s, m)),
            _ => None,
        };
        let symbols = p.terms().iter().flat_map(|t| &t.symbols);
        let mut mods: Vec<_> = symbols.clone().filter_map(of).collect();
        mods.dedup();
        let (_, first) = mods.first()?;
        if symbols.clone().any(|s| !matches!(s, Sym::Mod(_) | Sym::Int(_))) {
            return None;
        }
        // They differ by constants.
        let apart = |m: &hexpass_poly::facts::ModFact| {
            let apart = m.inner.sub(&first.inner).ok()?.as_constant();
            apart.filter(|_| m.modulus == first.modulus)
        };
        let apart: Vec<(Sym, i64)> =
            mods.iter().map(|(s, m)| Some((*s, apart(m)?))).collect::<Option<_>>()?;
        (0..first.modulus)
            .map(|turn| {
                apart.iter().try_fold(p.clone(), |p, (s, apart)| {
                    let value = (turn + apart).rem_euclid(first.modulus);
                    p.substitute(*s, &Poly::constant(value)).ok()
                })
            })
            .collect()
    }
}
