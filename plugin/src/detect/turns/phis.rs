//! Integers that the time loop carries from step to step, and that come round.

use super::arithmetic::{bits, converted, is_conversion, is_operation, operation, signed};
use super::{DEEPEST, MOST_PHIS, MOST_TURNS, Turns};
use crate::detect::affine::{Extension, push_check, too_large};
use crate::detect::context::{Context, Known, peel};
use crate::llvm::{Opcode, Value};
use hexpass_abi::{CheckKind, Poly};
use hexpass_poly::rejection::Rejection;
use std::collections::HashMap;

impl<'a> Context<'a> {
    /// An integer phi of the header that comes round, alone or with others.
    pub(super) fn turning_phi(&mut self, phi: Value<'a>) -> Result<Option<Turns>, Rejection> {
        let Some(phis) = self.phis_behind(phi) else { return Ok(None) };
        let preheader = self.preheader;
        let starts = |of: &dyn Fn(Value<'a>) -> Option<i64>| {
            let start = |p: &Value<'a>| Some(signed(of(p.incoming_from(preheader)?)?, bits(*p)?));
            phis.iter().map(start).collect::<Option<Vec<i64>>>()
        };
        if let Some(first) = starts(&|v| v.as_int()) {
            let turned = Poly::zero();
            return Ok(self.follow(&phis, first).map(|values| Turns { values, turned }.shortest()));
        }
        for (reference, turns) in self.references.clone() {
            if let Some(lag) = self.behind(reference, phi, turns.values.len())
                && self.stands_with(phi, lag, reference, &turns)?
            {
                let values = (0..turns.values.len()).map(|i| turns.at(i + lag)).collect();
                return Ok(Some(Turns { values, turned: turns.turned }));
            }
        }
        // A loop around this one goes on with them, as they stood when that began; or they are a module's, as it begins.
        let before = |v: Value<'a>| {
            v.first_value().or_else(|| v.incoming().into_iter().find_map(|(v, _)| v.as_int()))
        };
        let known = starts(&|v| v.as_int().or_else(|| before(v)));
        let own = (phis.len() == 1).then(|| [vec![0], vec![1]]);
        for first in known.into_iter().chain(own.into_iter().flatten()) {
            if let Some(values) = self.follow(&phis, first)
                && let Some(turns) = self.started_anywhere(&phis, values)?
            {
                return Ok(Some(turns));
            }
        }
        Ok(None)
    }

    /// The integer phis of the header that a phi's next values are made from, itself first.
    fn phis_behind(&self, phi: Value<'a>) -> Option<Vec<Value<'a>>> {
        let mut phis = vec![phi];
        let mut at = 0;
        while let Some(&p) = phis.get(at) {
            at += 1;
            let mut behind = vec![(peel(p.incoming_from(self.latch)?), DEEPEST)];
            while let Some((v, deep)) = behind.pop() {
                if self.is_header_phi(v) {
                    bits(v)?;
                    if !phis.contains(&v) {
                        phis.push(v);
                    }
                } else if v.as_int().is_none() {
                    if deep == 0 || self.is_outside(v) {
                        return None;
                    }
                    behind.extend(v.operands().into_iter().map(|x| (x, deep - 1)));
                }
            }
            if phis.len() > MOST_PHIS {
                return None;
            }
        }
        Some(phis)
    }

    /// The first phi's values, step by step, until all of them are again what they are now.
    fn follow(&self, phis: &[Value<'a>], first: Vec<i64>) -> Option<Vec<i64>> {
        let mut states = vec![first];
        loop {
            let known: HashMap<Value<'a>, i64> =
                phis.iter().copied().zip(states[states.len() - 1].iter().copied()).collect();
            let next = |p: &Value<'a>| {
                self.value_where(peel(p.incoming_from(self.latch)?), &known, DEEPEST)
            };
            let state = phis.iter().map(next).collect::<Option<Vec<i64>>>()?;
            if state == states[0] {
                return Some(states.iter().map(|s| s[0]).collect());
            }
            if states.len() == MOST_TURNS {
                return None;
            }
            states.push(state);
        }
    }

    /// The turns of phis of which the first goes through `values`, numbers that follow on each other up or down, and starts
    /// at any of them, which the guard checks.
    fn started_anywhere(
        &mut self,
        phis: &[Value<'a>],
        values: Vec<i64>,
    ) -> Result<Option<Turns>, Rejection> {
        let m = values.len() as i64;
        let turns = Turns { values, turned: Poly::zero() };
        let Some((base, 1, way, _)) = turns.as_remainder().filter(|_| m > 1) else {
            return Ok(None);
        };
        let Some(start) = phis[0].incoming_from(self.preheader) else { return Ok(None) };
        // Parameters are read as signed numbers.
        let start = match bits(start) {
            Some(1) => {
                let wide = self.a.scev(start).and_then(|s| self.a.cast(s, 64, false));
                wide.and_then(|s| self.expand(s))
            }
            _ => Some(start),
        };
        let Some(start) = start else { return Ok(None) };
        let at = self.leaf(Known::Value(start), Extension::Signed, &mut Vec::new())?;
        let above = at.sub(&Poly::constant(base)).map_err(too_large)?;
        let below = Poly::constant(base + m - 1).sub(&at).map_err(too_large)?;
        // Number i is at the turn where base + way · turn + first is i.
        let turned = at.scale(way.rem_euclid(m)).map_err(too_large)?;
        let value = |turn: i64| base + (turn * way - base).rem_euclid(m);
        let turns = Turns { values: (0..m).map(value).collect(), turned };
        for &other in &phis[1..] {
            let lag = self.behind(phis[0], other, turns.values.len());
            let stands = lag.map(|lag| self.stands_with(other, lag, phis[0], &turns));
            if !stands.transpose()?.unwrap_or(false) {
                return Ok(None);
            }
        }
        push_check(&mut self.checks, above, CheckKind::Size);
        push_check(&mut self.checks, below, CheckKind::Size);
        self.references.push((phis[0], turns.clone()));
        Ok(Some(turns))
    }

    /// What another phi starts with is what the reference comes to be `lag` steps after its start, which the guard checks.
    fn stands_with(
        &mut self,
        other: Value<'a>,
        lag: usize,
        reference: Value<'a>,
        turns: &Turns,
    ) -> Result<bool, Rejection> {
        let starts = (reference.incoming_from(self.preheader), other.incoming_from(self.preheader));
        let (Some(start), Some(own)) = starts else { return Ok(false) };
        // Narrower ones can't hold what is added to the start here.
        if bits(start).is_none_or(|bits| bits < 8) {
            return Ok(false);
        }
        let (Some(base), Some((_, _, way, _))) = (turns.values.iter().min(), turns.as_remainder())
        else {
            return Ok(false);
        };
        let m = turns.values.len() as i64;
        let off = self.a.scev(start).and_then(|at| {
            let constant = |c: i64| self.a.constant(c, at);
            let further = constant((lag as i64 * way - base).rem_euclid(m) + m)?;
            let place = self.a.remainder(self.a.plus(at, further)?, constant(m)?)?;
            self.a.minus(self.a.scev(own)?, self.a.plus(place, constant(*base)?)?)
        });
        let Some(off) = off.and_then(|s| self.expand(s)) else { return Ok(false) };
        let off = self.leaf(Known::Value(off), Extension::Signed, &mut Vec::new())?;
        let behind = off.scale(-1).map_err(too_large)?;
        push_check(&mut self.checks, behind, CheckKind::Size);
        push_check(&mut self.checks, off, CheckKind::Size);
        Ok(true)
    }

    /// How many steps `phi` comes to be what `other` is now after, where values are only handed on between the two.
    fn behind(&self, phi: Value<'a>, other: Value<'a>, len: usize) -> Option<usize> {
        let next =
            |v: Value<'a>| v.incoming_from(self.latch).map(peel).filter(|n| self.is_header_phi(*n));
        let steps = |from: Value<'a>, to: Value<'a>| {
            let mut at = from;
            (1..len).find(|_| match next(at) {
                Some(n) => {
                    at = n;
                    at == to
                }
                None => false,
            })
        };
        // One that is handed another's value is that step's before.
        steps(phi, other).or_else(|| steps(other, phi).map(|back| len - back))
    }

    /// `v` where the header's phis are these and nothing else changes.
    fn value_where(&self, v: Value<'a>, phis: &HashMap<Value<'a>, i64>, deep: u32) -> Option<i64> {
        if let Some(&known) = phis.get(&v) {
            return Some(known);
        }
        if let Some(c) = v.as_int() {
            return Some(signed(c, bits(v)?));
        }
        if deep == 0 || self.is_outside(v) {
            return None;
        }
        let opcode = v.opcode()?;
        let of = |i: u32| self.value_where(v.operand(i)?, phis, deep - 1);
        match opcode {
            Opcode::LLVMSelect => of(if of(0)? == 0 { 2 } else { 1 }),
            _ if is_conversion(opcode) => converted(v, opcode, of(0)?),
            _ if is_operation(opcode) => operation(v, opcode, of(0)?, of(1)?),
            _ => None,
        }
    }
}
