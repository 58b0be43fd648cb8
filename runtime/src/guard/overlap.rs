//! Written storage overlaps nothing else of the nest.
//!
//! Compares footprints, not pointers, slot by slot: a slot that this execution writes against every other slot that
//! it touches. Slots that are only read may be the same memory. What the program promised (`restrict`, distinct
//! objects) is believed.

use super::ArrayShape;
use crate::error::{Reason, Refusal};
use crate::footprint::boxes_meet;
use hexpass_abi::NestRecord;

/// A slot that an execution touches.
struct Touched<'a> {
    array: usize,
    slot: usize,
    shape: &'a ArrayShape,
}

impl Touched<'_> {
    fn written(&self) -> bool {
        !self.shape.slots[self.slot].outputs.is_empty()
    }

    /// First byte and the byte after the last.
    fn bytes(&self, elem: i128) -> (i128, i128) {
        let slot = &self.shape.slots[self.slot];
        let (low, high) = slot.hull.map_or((0, -elem), |h| h.span(&self.shape.strides));
        // The origin of a box far from zero may itself lie below address zero.
        let origin = i128::from(slot.origin as i64);
        (origin + low, origin + high + elem)
    }
}

/// Refuses if a written slot shares memory with another touched slot.
pub fn check(record: &NestRecord, arrays: &[ArrayShape]) -> Result<(), Refusal> {
    let mut touched = Vec::new();
    for (array, shape) in arrays.iter().enumerate() {
        for (slot, s) in shape.slots.iter().enumerate() {
            if s.hull.is_some() {
                touched.push(Touched { array, slot, shape });
            }
        }
    }
    for (i, a) in touched.iter().enumerate() {
        for b in &touched[i + 1..] {
            if (a.written() || b.written()) && !known_disjoint(record, a, b) && meet(record, a, b) {
                return Err(Refusal::new(Reason::Overlap, message(record, a, b)));
            }
        }
    }
    Ok(())
}

fn message(record: &NestRecord, a: &Touched, b: &Touched) -> String {
    let name = |t: &Touched| &record.arrays[t.array].name;
    if a.array == b.array {
        return format!(
            "two buffers of array {} overlap (numbers {} and {})",
            name(a),
            a.slot,
            b.slot
        );
    }
    let written = |t: &Touched| if t.written() { "written" } else { "read" };
    format!("array {} ({}) overlaps array {} ({})", name(a), written(a), name(b), written(b))
}

fn known_disjoint(record: &NestRecord, a: &Touched, b: &Touched) -> bool {
    let pointer = |t: &Touched| record.arrays[t.array].slots[t.slot].pointer;
    let (p, q) = (pointer(a), pointer(b));
    p != q && record.disjoint_pointers.iter().any(|&pair| pair == (p, q) || pair == (q, p))
}

fn meet(record: &NestRecord, a: &Touched, b: &Touched) -> bool {
    let elem = |t: &Touched| record.arrays[t.array].elem.size() as i64;
    let (a_bytes, b_bytes) = (a.bytes(elem(a).into()), b.bytes(elem(b).into()));
    if a_bytes.1 <= b_bytes.0 || b_bytes.1 <= a_bytes.0 {
        return false;
    }
    let hulls = (a.shape.slots[a.slot].hull, b.shape.slots[b.slot].hull);
    if let (Some(x), Some(y)) = hulls
        && a.shape.strides == b.shape.strides
        && elem(a) == elem(b)
    {
        let origin = |t: &Touched| i128::from(t.shape.slots[t.slot].origin as i64);
        return boxes_meet(&x, &y, &a.shape.strides, origin(b) - origin(a), elem(a));
    }
    true
}
