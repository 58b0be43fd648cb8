//! Values that come round again every few steps of the time loop: whose turn it is among several buffers.
//!
//! Consumes integers, conditions and pointers that are computed in the nest from the step alone (`cur = 1 - cur`, `!cur`,
//! `t % 2`, `(c + 1) % 3`); produces their [`Turns`], remainders of the step for subscripts, and rotations of the pointers
//! that they choose (`g[cur]`, `t % 2 ? a : b`). Refuses nothing: what is not of this kind is `None`.

use super::affine::{Extension, Found, push_check, too_large};
use super::context::{Context, Known, peel};
use super::tables::Witness;
use crate::llvm::{Block, Opcode, ScevKind, TypeKind, Value};
use hexpass_abi::{CheckKind, IntExpr, Poly, Sym};
use hexpass_poly::facts::RotationFact;
use hexpass_poly::rejection::Rejection;
use hexpass_poly::scop::Linear;
use inkwell::llvm_sys::LLVMIntPredicate;
use std::collections::HashMap;

/// Steps after which a value must have come round.
const MOST_TURNS: usize = 8;
/// How far a value's operands are followed.
const DEEPEST: u32 = 8;
/// Phis that come round together.
const MOST_PHIS: usize = 4;

/// An integer that is `values[(t + turned) mod len]` in iteration t of the time loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Turns {
    /// One value if it never changes.
    pub values: Vec<i64>,
    /// Over `Int`.
    pub turned: Poly,
}

impl Turns {
    fn constant(value: i64) -> Turns {
        Turns { values: vec![value], turned: Poly::zero() }
    }

    fn at(&self, turn: usize) -> i64 {
        self.values[turn % self.values.len()]
    }

    /// Both, turn by turn, where they go round together.
    fn with(self, other: Turns, f: impl Fn(i64, i64) -> Option<i64>) -> Option<Turns> {
        let turned = match (self.values.len(), other.values.len()) {
            (_, 1) => self.turned.clone(),
            (1, _) => other.turned.clone(),
            _ if self.turned == other.turned => self.turned.clone(),
            _ => return None,
        };
        let (a, b) = (self.values.len(), other.values.len());
        let len = (1..=a * b).find(|n| n % a == 0 && n % b == 0)?;
        if len > MOST_TURNS {
            return None;
        }
        let values = (0..len).map(|i| f(self.at(i), other.at(i))).collect::<Option<_>>()?;
        Some(Turns { values, turned }.shortest())
    }

    /// Without repetitions.
    fn shortest(mut self) -> Turns {
        let len = self.values.len();
        let comes_round = |n: &usize| {
            len.is_multiple_of(*n) && (0..len).all(|i| self.values[i] == self.values[i % n])
        };
        let n = (1..=len).find(comes_round).unwrap_or(len);
        self.values.truncate(n);
        self
    }

    /// `(base, step, way, first)` such that turn i is `base + step · ((way · i + first) mod len)`, `way` being 1 or −1.
    fn as_remainder(&self) -> Option<(i64, i64, i64, i64)> {
        let m = self.values.len() as i64;
        let base = *self.values.iter().min()?;
        let at_base = self.values.iter().position(|&v| v == base)? as i64;
        let step = self.values.iter().filter(|&&v| v != base).min()? - base;
        let fits = |way: i64, first: i64| {
            (0..m).all(|i| self.values[i as usize] == base + step * (way * i + first).rem_euclid(m))
        };
        [1, -1].into_iter().find_map(|way| {
            let first = (-way * at_base).rem_euclid(m);
            fits(way, first).then_some((base, step, way, first))
        })
    }
}

fn bits(v: Value<'_>) -> Option<u32> {
    match v.ty().kind() {
        TypeKind::Int(bits @ 1..=64) => Some(bits),
        _ => None,
    }
}

/// A value of so many bits as a signed number; truth values are 0 and 1.
fn signed(value: i64, bits: u32) -> i64 {
    match bits {
        1 => value & 1,
        64.. => value,
        _ => (value << (64 - bits)) >> (64 - bits),
    }
}

fn unsigned(value: i64, bits: u32) -> u64 {
    if bits == 64 { value as u64 } else { value as u64 & ((1 << bits) - 1) }
}

fn compared(predicate: LLVMIntPredicate, x: i64, y: i64, bits: u32) -> bool {
    let (a, b) = (unsigned(x, bits), unsigned(y, bits));
    // True is the smaller truth value, as a signed one.
    let (x, y) = if bits == 1 { (-x, -y) } else { (x, y) };
    match predicate {
        LLVMIntPredicate::LLVMIntEQ => a == b,
        LLVMIntPredicate::LLVMIntNE => a != b,
        LLVMIntPredicate::LLVMIntUGT => a > b,
        LLVMIntPredicate::LLVMIntUGE => a >= b,
        LLVMIntPredicate::LLVMIntULT => a < b,
        LLVMIntPredicate::LLVMIntULE => a <= b,
        LLVMIntPredicate::LLVMIntSGT => x > y,
        LLVMIntPredicate::LLVMIntSGE => x >= y,
        LLVMIntPredicate::LLVMIntSLT => x < y,
        LLVMIntPredicate::LLVMIntSLE => x <= y,
    }
}

/// What an instruction without effects makes of two numbers; `None` where LLVM does not say, or here nobody asked.
fn operation(v: Value<'_>, opcode: Opcode, x: i64, y: i64) -> Option<i64> {
    let width = bits(v.operand(0)?)?;
    let value = match opcode {
        Opcode::LLVMAdd => x.wrapping_add(y),
        Opcode::LLVMSub => x.wrapping_sub(y),
        Opcode::LLVMMul => x.wrapping_mul(y),
        Opcode::LLVMAnd => x & y,
        Opcode::LLVMOr => x | y,
        Opcode::LLVMXor => x ^ y,
        Opcode::LLVMSRem if y > 0 => x % y,
        Opcode::LLVMURem if y != 0 => (unsigned(x, width) % unsigned(y, width)) as i64,
        Opcode::LLVMICmp => {
            return Some(i64::from(compared(v.int_predicate()?, x, y, width)));
        }
        _ => return None,
    };
    Some(signed(value, width))
}

/// What a change of width makes of a number.
fn converted(v: Value<'_>, opcode: Opcode, x: i64) -> Option<i64> {
    let (from, to) = (bits(v.operand(0)?)?, bits(v)?);
    Some(match opcode {
        Opcode::LLVMTrunc => signed(x, to),
        Opcode::LLVMSExt if from == 1 => -x,
        Opcode::LLVMSExt => x,
        // A number that is negative here would be a large one.
        Opcode::LLVMZExt if x >= 0 => x,
        _ => return None,
    })
}

fn is_conversion(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::LLVMTrunc | Opcode::LLVMSExt | Opcode::LLVMZExt)
}

fn is_operation(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::LLVMAdd
            | Opcode::LLVMSub
            | Opcode::LLVMMul
            | Opcode::LLVMAnd
            | Opcode::LLVMOr
            | Opcode::LLVMXor
            | Opcode::LLVMSRem
            | Opcode::LLVMURem
            | Opcode::LLVMICmp
    )
}

/// A pointer of a rotation: base and bytes.
type Place = (u16, Poly);

impl<'a> Context<'a> {
    /// A value that scalar evolution has no name for, as a remainder of the step.
    pub fn turning(
        &mut self,
        v: Value<'a>,
        ext: Extension,
        found: &mut Vec<Found>,
    ) -> Result<Option<Poly>, Rejection> {
        let Some(turns) = self.turns(v, found)? else { return Ok(None) };
        let negative = ext == Extension::Signed && bits(v) == Some(1);
        let p = self.remainder_of_step(&turns, found)?;
        p.map(|p| if negative { p.scale(-1).map_err(too_large) } else { Ok(p) }).transpose()
    }

    fn remainder_of_step(
        &mut self,
        turns: &Turns,
        found: &mut Vec<Found>,
    ) -> Result<Option<Poly>, Rejection> {
        if let [value] = turns.values[..] {
            return Ok(Some(Poly::constant(value)));
        }
        let Some((base, step, way, first)) = turns.as_remainder() else { return Ok(None) };
        let modulus = turns.values.len() as i64;
        let turn = Poly::symbol(Sym::Time).add(&turns.turned).map_err(too_large)?;
        let turn = turn.scale(way.rem_euclid(modulus)).map_err(too_large)?;
        let turn = turn.add(&Poly::constant(first)).map_err(too_large)?;
        let turn = self.modulo(&turn, modulus, found)?;
        turn.scale(step).and_then(|p| p.add(&Poly::constant(base))).map(Some).map_err(too_large)
    }

    /// The turns of an integer or a condition.
    pub fn turns(
        &mut self,
        v: Value<'a>,
        found: &mut Vec<Found>,
    ) -> Result<Option<Turns>, Rejection> {
        match self.is_of_steps(v, DEEPEST) {
            true => self.turns_of(v, found),
            false => Ok(None),
        }
    }

    /// It is made of integer phis of the time loop's header and of what is known before the nest.
    fn is_of_steps(&self, v: Value<'a>, deep: u32) -> bool {
        if bits(v).is_none() {
            return false;
        }
        if self.is_outside(v) || self.is_header_phi(v) {
            return true;
        }
        let selects = v.opcode() == Some(Opcode::LLVMSelect);
        let fine = |o: Opcode| selects || is_operation(o) || is_conversion(o);
        deep > 0
            && v.opcode().is_some_and(fine)
            && v.operands().into_iter().all(|x| self.is_of_steps(x, deep - 1))
    }

    fn turns_of(
        &mut self,
        v: Value<'a>,
        found: &mut Vec<Found>,
    ) -> Result<Option<Turns>, Rejection> {
        if let Some(c) = v.as_int() {
            return Ok(bits(v).map(|bits| Turns::constant(signed(c, bits))));
        }
        if self.is_outside(v) {
            return Ok(None);
        }
        if self.is_header_phi(v) {
            if let Some(known) = self.turning_ints.get(&v) {
                return Ok(known.clone());
            }
            let turns = self.turning_phi(v)?;
            self.turning_ints.insert(v, turns.clone());
            return Ok(turns);
        }
        let Some(opcode) = v.opcode() else { return Ok(None) };
        let mut of = Vec::new();
        for x in v.operands() {
            match self.turns_of(x, found)? {
                Some(turns) => of.push(turns),
                None => return self.turns_of_step(v, found),
            }
        }
        let mut of = of.into_iter();
        let (Some(x), y, z) = (of.next(), of.next(), of.next()) else { return Ok(None) };
        Ok(match (y, z) {
            (None, _) => x.clone().with(x, |x, _| converted(v, opcode, x)),
            (Some(y), None) => x.with(y, |x, y| operation(v, opcode, x, y)),
            (Some(y), Some(z)) => {
                // Places in the list of both, then what stands there.
                let if_not = x.clone().with(z, |c, z| Some(if c == 0 { z } else { 0 }));
                let if_so = x.with(y, |c, y| Some(if c == 0 { 0 } else { y }));
                if_so.zip(if_not).and_then(|(a, b)| a.with(b, |a, b| Some(a + b)))
            }
        })
    }

    /// A remainder of the step's own number (`t % 2`), as scalar evolution knows it.
    fn turns_of_step(
        &mut self,
        v: Value<'a>,
        found: &mut Vec<Found>,
    ) -> Result<Option<Turns>, Rejection> {
        let Some(scev) = self.a.scev(v).filter(|s| s.kind() != ScevKind::Unknown) else {
            let remains = matches!(v.opcode(), Some(Opcode::LLVMSRem | Opcode::LLVMURem));
            let p = if remains { self.remainder(v, found).ok() } else { None };
            return Ok(p.and_then(|p| self.turns_of_poly(&p)));
        };
        let split = self.split.take();
        let p = self.poly(scev, Extension::Unsigned, found).ok();
        self.split = split;
        Ok(p.and_then(|p| self.turns_of_poly(&p)))
    }

    /// The turns of a polynomial over one remainder of the step.
    fn turns_of_poly(&self, p: &Poly) -> Option<Turns> {
        let linear = Linear::of(p, &self.mods).ok()?;
        let rest = linear.rest.as_constant().filter(|_| linear.counters.is_empty())?;
        let Some((phase, step)) = linear.modular else { return Some(Turns::constant(rest)) };
        let step = step.as_constant()?;
        if phase.modulus > MOST_TURNS as i64 {
            return None;
        }
        let value = |turn: i64| {
            rest + step * (phase.direction * turn + phase.shift).rem_euclid(phase.modulus)
        };
        let values = (0..phase.modulus).map(value).collect();
        let by = phase.direction.rem_euclid(phase.modulus);
        Some(Turns { values, turned: phase.rotation.scale(by).ok()? })
    }

    /// What a comparison of such polynomials says in every turn.
    pub fn in_every_turn(&self, predicate: LLVMIntPredicate, x: &Poly, y: &Poly) -> Option<bool> {
        let (x, y) = (self.turns_of_poly(x)?, self.turns_of_poly(y)?);
        let answers = x.with(y, |x, y| Some(i64::from(compared(predicate, x, y, 64))))?;
        (answers.values.len() == 1).then(|| answers.values[0] != 0)
    }

    /// An integer phi of the header that comes round, alone or with others.
    fn turning_phi(&mut self, phi: Value<'a>) -> Result<Option<Turns>, Rejection> {
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
        // A loop around this one goes on with them: as they stood when that began.
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

    /// The turns of phis of which the first goes through `values`, numbers that follow on each other up or down, where it is
    /// known before the loop only at which of them it starts: all of them, which the guard checks.
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
        push_check(&mut self.checks, above, CheckKind::Size);
        push_check(&mut self.checks, below, CheckKind::Size);
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

    /// The rotation that a pointer is an element of because its turn comes: chosen by a condition on the step, or loaded from
    /// where the step says.
    pub fn turning_pointer(&mut self, v: Value<'a>) -> Result<Option<(u16, u16)>, Rejection> {
        if let Some(&known) = self.turning.get(&v) {
            return Ok(known);
        }
        let mut found = Vec::new();
        let places = match v.opcode() {
            Some(Opcode::LLVMSelect) => self.chosen_places(v, &mut found)?,
            Some(Opcode::LLVMLoad) => self.loaded_places(v, &mut found)?,
            _ => None,
        };
        let element = match places {
            Some((places, turned)) if places.len() > 1 => {
                self.checks.extend(found);
                Some(self.element_of(places, turned)?)
            }
            _ => None,
        };
        self.turning.insert(v, element);
        Ok(element)
    }

    /// The element whose pointers these are, turn by turn; of a rotation that is known, or of a new one.
    fn element_of(&mut self, places: Vec<Place>, turned: Poly) -> Result<(u16, u16), Rejection> {
        for (id, r) in self.rotations.iter().enumerate() {
            let len = r.initial.len();
            if r.turned != turned || len != places.len() {
                continue;
            }
            let fits = |s: &usize| (0..len).all(|i| places[i] == r.initial[(i + s) % len]);
            if let Some(index) = (0..len).find(fits) {
                return Ok((u16::try_from(id).map_err(too_large)?, index as u16));
            }
        }
        self.rotations.push(RotationFact { initial: places, turned });
        Ok((u16::try_from(self.rotations.len() - 1).map_err(too_large)?, 0))
    }

    /// `t % 2 ? a : b`
    fn chosen_places(
        &mut self,
        v: Value<'a>,
        found: &mut Vec<Found>,
    ) -> Result<Option<(Vec<Place>, Poly)>, Rejection> {
        let (Some(condition), Some(yes), Some(no)) = (v.operand(0), v.operand(1), v.operand(2))
        else {
            return Ok(None);
        };
        let outside = self.is_outside(yes) && self.is_outside(no);
        let pointer = v.ty().kind() == TypeKind::Pointer && outside;
        let turns = if pointer { self.turns(condition, found)? } else { None };
        let Some(turns) = turns else { return Ok(None) };
        let (yes, no) = (self.outside_address(yes)?, self.outside_address(no)?);
        let places = turns.values.iter().map(|&c| if c == 0 { no.clone() } else { yes.clone() });
        Ok(Some((places.collect(), turns.turned)))
    }

    /// `g[cur]`: from a fixed base, at bytes that take turns.
    fn loaded_places(
        &mut self,
        v: Value<'a>,
        found: &mut Vec<Found>,
    ) -> Result<Option<(Vec<Place>, Poly)>, Rejection> {
        if v.ty().kind() != TypeKind::Pointer {
            return Ok(None);
        }
        let Some((loads, turned)) = self.turning_loads(v, found)? else { return Ok(None) };
        let mut places = Vec::new();
        for load in loads {
            places.push((self.pointer(load)?, Poly::zero()));
        }
        Ok(Some((places, turned)))
    }

    /// A size that is looked up where the step says, and must be the same in all places.
    pub fn turning_size(
        &mut self,
        v: Value<'a>,
        ext: Extension,
    ) -> Result<Option<Poly>, Rejection> {
        let mut found = Vec::new();
        let Some((mut loads, _)) = self.turning_loads(v, &mut found)? else { return Ok(None) };
        self.checks.extend(found);
        // Whoever's turn it is first, one of them stands for all.
        loads.sort_by_key(|load| if let Known::Load(i) = load { *i } else { u16::MAX });
        self.equal_values(&loads, ext).map(Some)
    }

    /// How far one of two addresses that are looked up where the step says is ahead of the other: the same in all places.
    pub fn turning_distance(
        &mut self,
        ahead: Value<'a>,
        behind: Value<'a>,
    ) -> Result<Option<Poly>, Rejection> {
        let mut found = Vec::new();
        let (Some((x, turned)), Some((y, other))) =
            (self.turning_loads(ahead, &mut found)?, self.turning_loads(behind, &mut found)?)
        else {
            return Ok(None);
        };
        let mut pairs: Vec<(u16, u16)> = Vec::new();
        for pair in x.into_iter().zip(y) {
            let (Known::Load(a), Known::Load(b)) = pair else { return Ok(None) };
            pairs.push((a, b));
        }
        if turned != other {
            return Ok(None);
        }
        self.checks.extend(found);
        pairs.sort_unstable();
        let distances: Vec<_> = pairs.into_iter().map(|(a, b)| Known::Difference(a, b)).collect();
        self.equal_values(&distances, Extension::Signed).map(Some)
    }

    /// One of two sizes that a condition on the step chooses: they must be the same.
    pub fn turning_choice(
        &mut self,
        v: Value<'a>,
        ext: Extension,
        found: &mut Vec<Found>,
    ) -> Result<Option<Poly>, Rejection> {
        let operands = (v.operand(0), v.operand(1), v.operand(2));
        let (Some(condition), Some(yes), Some(no)) = operands else { return Ok(None) };
        if self.turns(condition, found)?.is_none() {
            return Ok(None);
        }
        let (Some(yes), Some(no)) = (self.a.scev(yes), self.a.scev(no)) else { return Ok(None) };
        let (x, y) = (self.poly(yes, ext, found)?, self.poly(no, ext, found)?);
        push_check(found, x.sub(&y).map_err(too_large)?, CheckKind::Size);
        push_check(found, y.sub(&x).map_err(too_large)?, CheckKind::Size);
        Ok(Some(x.min(y)))
    }

    /// What a load reads turn by turn, loaded before the nest; `None` if the nest does not surely read all of it.
    fn turning_loads(
        &mut self,
        v: Value<'a>,
        found: &mut Vec<Found>,
    ) -> Result<Option<(Vec<Known<'a>>, Poly)>, Rejection> {
        let Some((base, turns)) = self.turning_address(v, found)? else { return Ok(None) };
        if turns.values.len() < 2 {
            return Ok(None);
        }
        // Who reads each of them, and in which step.
        let all = self.time.blocks().into_iter().flat_map(Block::instructions);
        let alike: Vec<Value<'a>> =
            all.filter(|i| i.opcode() == Some(Opcode::LLVMLoad) && i.ty() == v.ty()).collect();
        let mut readers = Vec::new();
        for load in alike {
            if let Some((other, its)) = self.turning_address(load, &mut Vec::new())?
                && other == base
                && its.turned == turns.turned
            {
                readers.push((load, its));
            }
        }
        let mut loads = Vec::new();
        for &bytes in &turns.values {
            let Some(requires) = self.surely_read(&readers, bytes) else { return Ok(None) };
            loads.push(self.table_load(v, base, bytes, true, &requires)?);
        }
        Ok(Some((loads, turns.turned)))
    }

    /// What must be positive for one of the readers to read these bytes, in one of the first steps, whoever's turn it is in
    /// the first one.
    fn surely_read(&mut self, readers: &[(Value<'a>, Turns)], bytes: i64) -> Option<Vec<IntExpr>> {
        let (_, first) = readers.first()?;
        let starts = if first.turned.is_zero() { 1 } else { first.values.len() };
        let mut requires = Vec::new();
        for start in 0..starts {
            let reads = |(load, its): &(Value<'a>, Turns)| {
                let step = (0..its.values.len()).find(|&step| its.at(start + step) == bytes);
                step.map(|step| (step, *load))
            };
            let mut all: Vec<_> = readers.iter().filter_map(reads).collect();
            all.sort_by_key(|(step, _)| *step);
            let sure = all.into_iter().find_map(|(step, load)| {
                let witness = Witness { load, slot: 0, lines: Vec::new() };
                self.walked(&witness, false, step).ok()
            })?;
            requires.extend(sure.into_iter().filter(|r| !requires.contains(r)).collect::<Vec<_>>());
        }
        Some(requires)
    }

    /// The fixed base of a load, which nothing in the nest writes, and the bytes from it turn by turn.
    fn turning_address(
        &mut self,
        load: Value<'a>,
        found: &mut Vec<Found>,
    ) -> Result<Option<(Known<'a>, Turns)>, Rejection> {
        let effects = load.effects();
        let at = load.pointer().filter(|p| p.opcode() == Some(Opcode::LLVMGetElementPtr));
        let Some(at) = at.filter(|p| !self.is_outside(*p) && !effects.volatile && !effects.atomic)
        else {
            return Ok(None);
        };
        let of_steps = |p: Value<'a>| {
            p.operands().into_iter().skip(1).all(|index| self.is_of_steps(index, DEEPEST))
        };
        let mut inner = Some(at);
        while let Some(p) = inner.filter(|p| p.opcode() == Some(Opcode::LLVMGetElementPtr)) {
            if !of_steps(p) {
                return Ok(None);
            }
            inner = p.operand(0);
        }
        let Some(address) = self.a.scev(at) else { return Ok(None) };
        let Some(base) = self.a.pointer_base(address) else { return Ok(None) };
        let (Some(value), Some(bytes)) = (base.value(), self.a.minus(address, base)) else {
            return Ok(None);
        };
        let split = self.split.take();
        let bytes = self.poly(bytes, Extension::Signed, found).ok();
        self.split = split;
        let turns = bytes.and_then(|p| self.turns_of_poly(&p));
        let Some(turns) = turns.filter(|t| t.values.len() > 1) else { return Ok(None) };
        let base = if self.is_outside(value) {
            let written = self.stored_objects.contains(&value.underlying_object());
            if written && !self.a.is_invariant_load(load, self.time) {
                return Ok(None);
            }
            Known::Value(value)
        } else if value.opcode() == Some(Opcode::LLVMLoad) && !self.moves(value) {
            self.invariant_load(value)?
        } else {
            return Ok(None);
        };
        Ok(Some((base, turns)))
    }

    /// What a value that takes turns is in each of them, as values before the nest: first in iteration 0.
    pub fn turning_values(&mut self, v: Value<'a>) -> Result<Option<Vec<Value<'a>>>, Rejection> {
        let mut found = Vec::new();
        let (Some(turns), Some(like)) = (self.turns(v, &mut found)?, self.a.scev(v)) else {
            return Ok(None);
        };
        let len = turns.values.len();
        let values = if turns.turned.is_zero() {
            let constant = |&value: &i64| self.a.constant(value, like);
            turns.values.iter().map(constant).collect::<Option<Vec<_>>>()
        } else {
            self.from_where_it_starts(&turns, v)
        };
        let Some(values) = values else { return Ok(None) };
        self.checks.extend(found);
        let values: Option<Vec<_>> = values.into_iter().map(|s| self.expand(s)).collect();
        Ok(values.filter(|v| v.len() == len))
    }

    /// The turns in iterations 0 … m−1 as formulas over the one parameter that says where they start.
    fn from_where_it_starts(
        &self,
        turns: &Turns,
        v: Value<'a>,
    ) -> Option<Vec<crate::llvm::ScevRef<'a>>> {
        let [term] = turns.turned.terms() else { return None };
        let [Sym::Int(start)] = term.symbols[..] else { return None };
        let Known::Value(start) = *self.ints.get(usize::from(start))? else { return None };
        let start = self.a.cast(self.a.scev(start)?, 64, true)?;
        let (base, step, way, first) = turns.as_remainder()?;
        let m = turns.values.len() as i64;
        let constant = |c: i64| self.a.constant(c, start);
        let turned = self.a.times(start, constant(term.coefficient)?)?;
        (0..m)
            .map(|i| {
                let turn = self.a.plus(turned, constant(i)?)?;
                let turn = self.a.times(turn, constant(way.rem_euclid(m))?)?;
                let turn = self.a.remainder(self.a.plus(turn, constant(first)?)?, constant(m)?)?;
                let value = self.a.times(turn, constant(step)?)?;
                let value = self.a.plus(value, constant(base)?)?;
                self.a.cast(value, bits(v)?, true)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(values: &[i64]) -> Turns {
        Turns { values: values.to_vec(), turned: Poly::zero() }
    }

    #[test]
    fn turns_are_remainders() {
        assert_eq!(turns(&[0, 1]).as_remainder(), Some((0, 1, 1, 0)));
        assert_eq!(turns(&[1, 0]).as_remainder(), Some((0, 1, 1, 1)));
        assert_eq!(turns(&[2, 1]).as_remainder(), Some((1, 1, 1, 1)));
        assert_eq!(turns(&[24, 0, 48]).as_remainder(), Some((0, 24, -1, 1)));
        assert_eq!(turns(&[1, 2, 0]).as_remainder(), Some((0, 1, 1, 1)));
        assert_eq!(turns(&[0, 1, 5]).as_remainder(), None);
        assert_eq!(turns(&[0, 2, 1, 3]).as_remainder(), None);
    }

    #[test]
    fn both_go_round_together() {
        let sum = |x: Turns, y: Turns| x.with(y, |x, y| Some(x + y));
        assert_eq!(turns(&[1, 2, 1, 2]).shortest(), turns(&[1, 2]));
        assert_eq!(sum(turns(&[0, 1]), Turns::constant(3)), Some(turns(&[3, 4])));
        assert_eq!(sum(turns(&[0, 1]), turns(&[1, 0])), Some(Turns::constant(1)));
        assert_eq!(sum(turns(&[0, 1]), turns(&[0, 10, 20])), Some(turns(&[0, 11, 20, 1, 10, 21])));
        let elsewhere = Turns { turned: Poly::symbol(Sym::Int(0)), ..turns(&[0, 1]) };
        assert_eq!(sum(turns(&[0, 1]), elsewhere), None);
        assert_eq!(sum(turns(&[0, 1, 2, 3, 4]), turns(&[0, 1])), None);
    }

    #[test]
    fn comparisons_and_widths() {
        use LLVMIntPredicate::{LLVMIntSLT, LLVMIntUGT};
        assert!(compared(LLVMIntUGT, -1, 1, 32) && compared(LLVMIntSLT, -1, 1, 32));
        assert!(compared(LLVMIntSLT, 1, 0, 1) && compared(LLVMIntUGT, 1, 0, 1));
        assert_eq!((signed(255, 8), signed(-1, 1), signed(3, 64)), (-1, 1, 3));
    }
}
