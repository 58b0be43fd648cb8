//! Addresses that are read from memory in the nest, and the distances between them.
//!
//! Consumes scalar-evolution expressions; produces parameters of their own ([`Known::Difference`], [`Known::Address`]),
//! which the guard computes: the head of a C++ vector says so how long it is.

use super::affine::{Extension, Found, not_linear, too_large};
use super::context::{Context, Known};
use super::exchange::Cell;
use crate::llvm::{Opcode, ScevKind, ScevRef, Value};
use hexpass_abi::{Poly, Sym};
use hexpass_poly::rejection::Rejection;

/// What is frozen: whatever it is where it is not defined, memory holds something there.
pub(super) fn thawed(v: Value<'_>) -> Value<'_> {
    match v.opcode() {
        Some(Opcode::LLVMFreeze) => v.operand(0).unwrap_or(v),
        _ => v,
    }
}

impl<'a> Context<'a> {
    /// Addresses that are read from memory in the nest and subtracted from each other, as the head of a C++ vector says how
    /// long it is: the sum of the distances, and the other operands.
    pub(super) fn distances(
        &mut self,
        operands: Vec<ScevRef<'a>>,
        found: &mut Vec<Found>,
    ) -> Result<(Poly, Vec<ScevRef<'a>>), Rejection> {
        let (mut ahead, mut behind, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for op in operands {
            let less = op.kind() == ScevKind::Mul;
            let of = match op.operands()[..] {
                [c, of] if less && c.constant() == Some(-1) => of,
                _ => op,
            };
            match self.address_read(of) {
                Some(load) if less => behind.push((load, op)),
                Some(load) => ahead.push((load, op)),
                None => rest.push(op),
            }
        }
        let mut sum = Poly::zero();
        for (load, op) in ahead {
            let object = |v: Value<'a>| v.pointer().map(Value::underlying_object);
            // Those of one head belong together.
            let own = behind.iter().position(|(other, _)| object(*other) == object(load));
            if behind.is_empty() {
                rest.push(op);
                continue;
            }
            let (other, _) = behind.remove(own.unwrap_or(0));
            if let Some(distance) = self.turning_distance(load, other)? {
                sum = sum.add(&distance).map_err(too_large)?;
                continue;
            }
            if let Some(distance) = self.table_distance(load, other, found)? {
                sum = sum.add(&distance).map_err(too_large)?;
                continue;
            }
            if let Some(distance) = self.exchanged_distance(load, other)? {
                sum = sum.add(&distance).map_err(too_large)?;
                continue;
            }
            let pair = (self.invariant_load(load)?, self.invariant_load(other)?);
            let (Known::Load(a), Known::Load(b)) = pair else { return Err(not_linear()) };
            let distance = Poly::symbol(Sym::Int(self.parameter(Known::Difference(a, b))?));
            sum = sum.add(&distance).map_err(too_large)?;
        }
        rest.extend(behind.into_iter().map(|(_, op)| op));
        Ok((sum, rest))
    }

    /// How far one address is ahead of another where steps exchange both, as the ends of vectors that change places: equal for
    /// all that do.
    fn exchanged_distance(
        &mut self,
        ahead: Value<'a>,
        behind: Value<'a>,
    ) -> Result<Option<Poly>, Rejection> {
        let (Some(ahead), Some(behind)) = (self.cell_of(ahead), self.cell_of(behind)) else {
            return Ok(None);
        };
        if ahead.values.len() != behind.values.len() {
            return Ok(None);
        }
        let in_turn = |cell: Cell<'a>| {
            let first = usize::from(cell.index) % cell.values.len();
            [&cell.values[first..], &cell.values[..first]].concat()
        };
        let pairs = in_turn(ahead).into_iter().zip(in_turn(behind));
        let mut distances = Vec::new();
        for pair in pairs {
            let (Known::Load(a), Known::Load(b)) = pair else { return Ok(None) };
            distances.push(Known::Difference(a, b));
        }
        self.equal_values(&distances, Extension::Signed).map(Some)
    }

    /// How far the first address is ahead of the second, both of them made from what is read from memory in the nest.
    pub fn apart(
        &mut self,
        x: ScevRef<'a>,
        y: ScevRef<'a>,
        found: &mut Vec<Found>,
    ) -> Result<Option<Poly>, Rejection> {
        let (Some((from_x, past_x)), Some((from_y, past_y))) =
            (self.read_and_past(x, found)?, self.read_and_past(y, found)?)
        else {
            return Ok(None);
        };
        let more = past_x.sub(&past_y).map_err(too_large)?;
        let distance = match from_x == from_y {
            true => Poly::zero(),
            false => Poly::symbol(Sym::Int(self.parameter(Known::Difference(from_x, from_y))?)),
        };
        distance.add(&more).map(Some).map_err(too_large)
    }

    /// An address that is read from memory in the nest, as a number.
    pub fn address_number(&mut self, x: ScevRef<'a>) -> Result<Option<Poly>, Rejection> {
        let Some(load) = self.read(x) else { return Ok(None) };
        let Known::Load(load) = self.invariant_load(load)? else { return Ok(None) };
        Ok(Some(Poly::symbol(Sym::Int(self.parameter(Known::Address(load))?))))
    }

    /// An address as what is read from memory and the bytes behind that.
    fn read_and_past(
        &mut self,
        scev: ScevRef<'a>,
        found: &mut Vec<Found>,
    ) -> Result<Option<(u16, Poly)>, Rejection> {
        let scev = scev.value().and_then(|v| self.a.scev(thawed(v))).unwrap_or(scev);
        let Some(base) = self.a.pointer_base(scev) else { return Ok(None) };
        let (Some(load), Some(past)) = (self.read(base), self.a.minus(scev, base)) else {
            return Ok(None);
        };
        let Known::Load(load) = self.invariant_load(load)? else { return Ok(None) };
        Ok(Some((load, self.poly(past, Extension::Signed, found)?)))
    }

    /// The load in the nest that gives an address, read as a number.
    fn address_read(&self, scev: ScevRef<'a>) -> Option<Value<'a>> {
        self.read((scev.kind() == ScevKind::PtrToInt).then(|| scev.operands()[0])?)
    }

    fn read(&self, scev: ScevRef<'a>) -> Option<Value<'a>> {
        let v = thawed(scev.value()?);
        (v.opcode() == Some(Opcode::LLVMLoad) && !self.is_outside(v)).then_some(v)
    }
}
