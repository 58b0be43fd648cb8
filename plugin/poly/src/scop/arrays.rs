//! Which accesses go to one array, and what its slots are.

use super::algebra::{out_of_range, sign};
use super::linear::{Linear, base_pointer};
use crate::facts::{AccessFact, Base, NestFacts};
use crate::rejection::{Reason, Rejection};
use hexpass_abi::expr::OutOfRange;
use hexpass_abi::{Array, ElemType, MAX_DIMS, Poly, Slot};

/// What accesses of one array have in common, apart from where in its allocation the array starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    pub store: Store,
    pub elem: ElemType,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Store {
    /// One slot at a base pointer.
    Fixed(u16),
    /// Pointers that the time loop rotates.
    Rotated(u16),
    /// Slots `plane` bytes apart, chosen by the time step modulo their number.
    Modular { pointer: u16, modulus: i64, direction: i64, rotation: Poly, plane: Poly },
}

/// One access before its offset is separated into dimensions.
#[derive(Clone, Debug)]
pub struct FlatAccess {
    pub key: Key,
    pub rotation: i32,
    pub counters: Vec<(u16, Poly)>,
    /// Bytes, over `Int` and `Time`.
    pub rest: Poly,
}

impl FlatAccess {
    pub fn of(fact: &AccessFact, facts: &NestFacts) -> Result<FlatAccess, Rejection> {
        let linear = Linear::of(&fact.offset, &facts.mods)?;
        let Linear { counters, modular, mut rest } = linear;
        let (store, rotation) = match (fact.base, modular) {
            (Base::Pointer(p), None) => (Store::Fixed(p), 0),
            (Base::Rotation { rotation, index }, None) => {
                (Store::Rotated(rotation), i32::from(index))
            }
            (Base::Rotation { .. }, Some(_)) => {
                return Err(base_pointer("a buffer is chosen both by swapping and by an index"));
            }
            (Base::Pointer(pointer), Some((phase, coefficient))) => {
                // A negative coefficient counts the planes from the other end.
                let (phase, plane) = if sign(&coefficient) < 0 {
                    let plane = coefficient.scale(-1).map_err(out_of_range)?;
                    let last = plane.scale(phase.modulus - 1).map_err(out_of_range)?;
                    rest = rest.sub(&last).map_err(out_of_range)?;
                    (phase.mirrored()?, plane)
                } else {
                    (phase, coefficient)
                };
                let phase = phase.canonical();
                let shift = (phase.direction * phase.shift).rem_euclid(phase.modulus);
                let store = Store::Modular {
                    pointer,
                    modulus: phase.modulus,
                    direction: phase.direction,
                    rotation: phase.rotation,
                    plane,
                };
                (store, i32::try_from(shift).unwrap_or(0))
            }
        };
        Ok(FlatAccess { key: Key { store, elem: fact.elem }, rotation, counters, rest })
    }
}

/// The array of these accesses whose subscript zero lies `start` bytes into its allocation.
pub fn array(
    key: &Key,
    start: &Poly,
    strides: Vec<Poly>,
    facts: &NestFacts,
) -> Result<Array, Rejection> {
    if strides.len() > MAX_DIMS {
        let detail = format!(
            "the subscripts of one array look like {} dimensions; up to {MAX_DIMS} are handled",
            strides.len()
        );
        return Err(Rejection::new(Reason::Stride, detail));
    }
    let slots = slots(&key.store, start, facts).map_err(out_of_range)?;
    let rotation = match &key.store {
        // Going down, slot (t − r − c) mod m lies at plane −slot mod m.
        Store::Modular { direction, rotation, .. } => {
            rotation.scale(*direction).map_err(out_of_range)?
        }
        Store::Rotated(r) => facts.rotations[usize::from(*r)].turned.clone(),
        Store::Fixed(_) => Poly::zero(),
    };
    let name = slots
        .first()
        .and_then(|s| facts.pointers.get(usize::from(s.pointer)))
        .cloned()
        .unwrap_or_default();
    Ok(Array { name, elem: key.elem, slots, rotation, strides })
}

fn slots(store: &Store, start: &Poly, facts: &NestFacts) -> Result<Vec<Slot>, OutOfRange> {
    match store {
        Store::Fixed(pointer) => Ok(vec![Slot { pointer: *pointer, offset: start.clone() }]),
        Store::Rotated(r) => facts.rotations[usize::from(*r)]
            .initial
            .iter()
            .map(|(pointer, offset)| Ok(Slot { pointer: *pointer, offset: offset.add(start)? }))
            .collect(),
        Store::Modular { pointer, modulus, direction, plane, .. } => (0..*modulus)
            .map(|slot| {
                let place = (direction * slot).rem_euclid(*modulus);
                let offset = start.add(&plane.scale(place)?)?;
                Ok(Slot { pointer: *pointer, offset })
            })
            .collect(),
    }
}

/// Refuses buffers that some accesses choose by the time step while others always take the same one.
pub fn refuse_mixed(keys: &[Key], arrays: &[Array], keys_of: &[usize]) -> Result<(), Rejection> {
    let mixed =
        || base_pointer("a buffer that takes turns with others is also used under a fixed name");
    for (i, a) in keys.iter().enumerate() {
        for b in &keys[i + 1..] {
            let pointers = (modular_pointer(&a.store), modular_pointer(&b.store));
            match (pointers, &a.store, &b.store) {
                ((Some(p), Some(q)), ..) if p == q => return Err(mixed()),
                ((Some(p), _), _, Store::Fixed(q)) | ((_, Some(p)), Store::Fixed(q), _)
                    if p == *q =>
                {
                    return Err(mixed());
                }
                _ => {}
            }
        }
    }
    for (i, a) in arrays.iter().enumerate() {
        for (j, b) in arrays.iter().enumerate().skip(i + 1) {
            let (x, y) = (&keys[keys_of[i]].store, &keys[keys_of[j]].store);
            // Members of two types go round together.
            if matches!((x, y), (Store::Rotated(x), Store::Rotated(y)) if x == y) {
                continue;
            }
            let turns = a.slots.len() > 1 || b.slots.len() > 1;
            if turns && keys_of[i] != keys_of[j] && a.slots.iter().any(|s| b.slots.contains(s)) {
                return Err(mixed());
            }
        }
    }
    Ok(())
}

fn modular_pointer(store: &Store) -> Option<u16> {
    match store {
        Store::Modular { pointer, .. } => Some(*pointer),
        _ => None,
    }
}
