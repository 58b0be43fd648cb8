//! Pointers and sizes that are found where the step says.

use super::{DEEPEST, Turns};
use crate::detect::affine::{Extension, Found, too_large};
use crate::detect::bindings::Evidence;
use crate::detect::context::{Context, Data, Known, peel};
use crate::detect::tables::Witness;
use crate::llvm::{Block, Opcode, TypeKind, Value};
use hexpass_abi::{IntExpr, Poly};
use hexpass_poly::facts::RotationFact;
use hexpass_poly::rejection::Rejection;

/// A pointer of a rotation: base and bytes.
type Place = (u16, Poly);

impl<'a> Context<'a> {
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
        let pointer = v.ty().kind() == TypeKind::Pointer;
        let turns = if pointer { self.turns(condition, found)? } else { None };
        let Some(turns) = turns else { return Ok(None) };
        let (Some(yes), Some(no)) = (self.known_place(yes)?, self.known_place(no)?) else {
            return Ok(None);
        };
        let places = turns.values.iter().map(|&c| if c == 0 { no.clone() } else { yes.clone() });
        Ok(Some((places.collect(), turns.turned)))
    }

    /// A pointer that is the same in each step: from outside, or loaded from a fixed place.
    fn known_place(&mut self, v: Value<'a>) -> Result<Option<Place>, Rejection> {
        let v = peel(v);
        if self.is_outside(v) {
            return self.outside_address(v).map(Some);
        }
        if v.opcode() != Some(Opcode::LLVMLoad) || self.moves(v) {
            return Ok(None);
        }
        let load = self.invariant_load(v)?;
        Ok(Some((self.pointer(load)?, Poly::zero())))
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

    /// What a load reads turn by turn, loaded before the nest; `None` if the nest does not surely read all of it.
    fn turning_loads(
        &mut self,
        v: Value<'a>,
        found: &mut Vec<Found>,
    ) -> Result<Option<(Vec<Known<'a>>, Poly)>, Rejection> {
        let Some((base, turns)) = self.turning_address(v, found)? else { return Ok(None) };
        // Whoever's turn it is first.
        let mut asked = (base, turns.clone());
        asked.1.values.sort_unstable();
        if turns.values.len() < 2 || self.asked_turns.contains(&asked) {
            return Ok(None);
        }
        self.asked_turns.push(asked);
        let loads = self.read_by_turns(v, base, &turns);
        self.asked_turns.pop();
        Ok(loads?.map(|loads| (loads, turns.turned)))
    }

    /// What lies at the base turn by turn, of the type of `v`.
    fn read_by_turns(
        &mut self,
        v: Value<'a>,
        base: Known<'a>,
        turns: &Turns,
    ) -> Result<Option<Vec<Known<'a>>>, Rejection> {
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
            loads.push(self.table_load(v, base, bytes, true, (&requires, Evidence::Sure))?);
        }
        Ok(Some(loads))
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
                self.walked(&witness, false, step, Data::Decides).ok()
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
}
