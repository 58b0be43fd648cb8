//! Written storage overlaps nothing else of the nest.
//!
//! Compares footprints, not pointers, slot by slot: a slot that this execution writes against every other slot that
//! it touches, box by box. Slots that are only read may be the same memory. What the program promised (`restrict`, distinct
//! objects) is believed.

use super::{ArrayShape, SlotShape};
use crate::error::{Reason, Refusal};
use crate::footprint::{Cuboid, boxes_meet};
use crate::record::Record;
use hexpass_abi::Exchanged;
use std::ops::Range;

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
pub fn check(record: &Record, arrays: &[ArrayShape]) -> Result<(), Refusal> {
    let mut touched = Vec::new();
    for (array, shape) in arrays.iter().enumerate() {
        // Those lie where the runtime puts them.
        if record.is_own(array) {
            continue;
        }
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

/// Refuses if a word that the steps exchange shares memory with what the nest touches, but at places that the program names
/// from the same pointer: those the compiler has compared. Nor may it be an entry of the tables that were read, `tables`: the
/// next step would find another row there.
pub fn check_exchanged(
    record: &Record,
    arrays: &[ArrayShape],
    pointers: &[u64],
    tables: &[Range<u64>],
) -> Result<(), Refusal> {
    let place = |word: &Exchanged| {
        i128::from(pointers[usize::from(word.pointer)] as i64) + i128::from(word.offset)
    };
    for word in &record.exchanged {
        let (at, after) = (place(word), place(word) + i128::from(word.bytes));
        let holds = |t: &Range<u64>| i128::from(t.start) < after && at < i128::from(t.end);
        if tables.iter().any(holds) {
            let what = "the steps exchange rows of a table of pointers";
            return Err(Refusal::new(Reason::Overlap, what));
        }
    }
    for (array, shape) in arrays.iter().enumerate().filter(|(a, _)| !record.is_own(*a)) {
        let of = &record.arrays[array];
        let elem = i128::from(of.elem.size());
        let named = !record.exchanged.is_empty() && is_named(record, array);
        for (slot, s) in shape.slots.iter().enumerate() {
            let origin = i128::from(s.origin as i64);
            for word in &record.exchanged {
                if named && of.slots[slot].pointer == word.pointer {
                    continue;
                }
                let at = place(word) - origin;
                let meets = |touched: &Cuboid| {
                    let (low, high) = touched.span(&shape.strides);
                    low < at + i128::from(word.bytes) && at < high + elem
                };
                if s.inputs.iter().chain(&s.outputs).any(meets) {
                    let what = format!(
                        "array {} shares memory with a word that the steps exchange",
                        of.name
                    );
                    return Err(Refusal::new(Reason::Overlap, what));
                }
            }
        }
    }
    Ok(())
}

/// All accesses to the array are at constant places.
fn is_named(record: &Record, array: usize) -> bool {
    let accesses = record.statements.iter().flat_map(|s| s.reads.iter().chain(&s.writes));
    let mut own = accesses.filter(|a| usize::from(a.array) == array);
    own.all(|a| a.subscripts.iter().all(|s| s.dim.is_none() && s.offset.as_constant().is_some()))
}

fn message(record: &Record, a: &Touched, b: &Touched) -> String {
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

fn known_disjoint(record: &Record, a: &Touched, b: &Touched) -> bool {
    let pointer = |t: &Touched| record.arrays[t.array].slots[t.slot].pointer;
    let (p, q) = (pointer(a), pointer(b));
    p != q && record.disjoint_pointers.iter().any(|&pair| pair == (p, q) || pair == (q, p))
}

fn meet(record: &Record, a: &Touched, b: &Touched) -> bool {
    let elem = |t: &Touched| record.arrays[t.array].elem.size() as i64;
    let (a_bytes, b_bytes) = (a.bytes(elem(a).into()), b.bytes(elem(b).into()));
    if a_bytes.1 <= b_bytes.0 || b_bytes.1 <= a_bytes.0 {
        return false;
    }
    let origin = |t: &Touched| i128::from(t.shape.slots[t.slot].origin as i64);
    let mut boxes = written_and_touched(&a.shape.slots[a.slot], &b.shape.slots[b.slot]);
    if a.shape.strides == b.shape.strides && elem(a) == elem(b) {
        let distance = origin(b) - origin(a);
        return boxes.any(|(x, y)| boxes_meet(x, y, &a.shape.strides, distance, elem(a)));
    }
    let places = |t: &Touched, of: &Cuboid| Places::new(t, of, origin(t), elem(t));
    let apart = |x: &Places, y: &Places| x.end() <= y.first || y.end() <= x.first;
    !boxes.all(|(x, y)| {
        let (x, y) = (places(a, x), places(b, y));
        apart(&x, &y) || interleaved(&x, &y)
    }) && !lies_between((a, elem(a)), (b, elem(b)))
        && !lies_between((b, elem(b)), (a, elem(a)))
}

/// The first is a run of elements side by side (entries of a table, coefficients), and lies where the box of the other has
/// gaps: between rows that a program allocates one after the other.
fn lies_between((run, run_elem): (&Touched, i64), (rows, elem): (&Touched, i64)) -> bool {
    let hulls = (run.shape.slots[run.slot].hull, rows.shape.slots[rows.slot].hull);
    let (Some(of_run), Some(of_rows)) = hulls else { return false };
    let outer = of_run.dims.saturating_sub(1);
    if (0..outer).any(|d| of_run.extent(d) > 1) {
        return false;
    }
    let (start, end) = run.bytes(run_elem.into());
    let origin = i128::from(rows.shape.slots[rows.slot].origin as i64);
    !of_rows.meets_bytes(&rows.shape.strides, elem as u64, (start - origin, end - origin))
}

/// Boxes of one and the other, one of them written: faces of one grid that two sweeps work on lie between each other,
/// though the boxes around all that is touched meet.
fn written_and_touched<'a>(
    a: &'a SlotShape,
    b: &'a SlotShape,
) -> impl Iterator<Item = (&'a Cuboid, &'a Cuboid)> {
    let touched_there = || b.outputs.iter().chain(&b.inputs);
    let written_here = a.outputs.iter().flat_map(move |x| touched_there().map(move |y| (x, y)));
    let read_here = a.inputs.iter().flat_map(|x| b.outputs.iter().map(move |y| (x, y)));
    written_here.chain(read_here)
}

/// Where the elements of a box lie.
struct Places {
    /// The first byte of the lowest one.
    first: i128,
    elem: i128,
    /// Bytes from one to the next along each dimension that has several, and how many more there are.
    steps: Vec<(i128, i128)>,
}

impl Places {
    fn new(t: &Touched, of: &Cuboid, origin: i128, elem: i64) -> Places {
        let dims = t.shape.strides.iter().enumerate();
        let steps = dims
            .map(|(d, &stride)| (i128::from(stride).abs(), i128::from(of.hi[d] - of.lo[d])))
            .filter(|&(stride, more)| stride > 0 && more > 0)
            .collect();
        let first = origin + of.span(&t.shape.strides).0;
        Places { first, elem: i128::from(elem), steps }
    }

    /// The byte behind the highest one.
    fn end(&self) -> i128 {
        self.first + self.window(i128::MAX)
    }

    /// Bytes from the first of what lies closer together than `size` to behind its last.
    fn window(&self, size: i128) -> i128 {
        let closer = self.steps.iter().filter(|(stride, _)| *stride < size);
        closer.map(|(stride, more)| stride * more).sum::<i128>() + self.elem
    }
}

/// The elements lie in different fields of the same structures, one or several of them: what is further apart than a
/// structure's size is a multiple of it, and in that the fields of one and the other don't meet.
fn interleaved(a: &Places, b: &Places) -> bool {
    let mut strides: Vec<i128> =
        a.steps.iter().chain(&b.steps).map(|&(stride, _)| stride).collect();
    strides.sort_unstable_by(|x, y| y.cmp(x));
    let mut size = 0;
    strides.iter().enumerate().any(|(at, &stride)| {
        size = gcd(size, stride);
        let closer = strides.get(at + 1).copied().unwrap_or(0);
        size > closer && fields_apart(size, a.first, a.window(size), b.first, b.window(size))
    })
}

/// `[place, place + elem)` of one and the other never meet, each repeated every `size` bytes.
fn fields_apart(size: i128, a: i128, a_elem: i128, b: i128, b_elem: i128) -> bool {
    if size == 0 {
        return false;
    }
    let after = (b - a).rem_euclid(size);
    after >= a_elem && after + b_elem <= size
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_a_structure_never_meet() {
        // struct { double u; int mark; }: 16 bytes.
        for (case, expected) in [
            ((16, 0, 8, 8, 4), true),
            ((16, 8, 4, 0, 8), true),
            ((16, 160, 8, 8, 4), true),
            ((16, 0, 8, 4, 4), false),
            ((16, 0, 8, 16, 8), false),
            ((16, 12, 8, 0, 4), false),
            ((8, 0, 8, 8, 4), false),
            ((4, 0, 4, 2, 4), false),
            ((0, 0, 8, 8, 8), false),
        ] {
            let (size, a, a_elem, b, b_elem) = case;
            assert_eq!(fields_apart(size, a, a_elem, b, b_elem), expected, "{case:?}");
        }
    }

    #[test]
    fn several_fields_beside_one_of_another_type() {
        // struct { double h, u, v; int kind; }: 32 bytes, in ten rows of ten.
        let of =
            |first, elem, steps: &[(i128, i128)]| Places { first, elem, steps: steps.to_vec() };
        let doubles = || of(3200, 8, &[(320, 9), (32, 9), (8, 2)]);
        for (first, row, cell, expected) in [
            (3224, 320, 32, true),
            (3228, 320, 32, true),
            (3216, 320, 32, false),
            (3229, 320, 32, false),
            // One row of them, and rows that drift.
            (24, 0, 32, true),
            (3224, 336, 32, false),
            (3224, 320, 40, false),
        ] {
            let kinds = of(first, 4, &[(row, 9), (cell, 9)][usize::from(row == 0)..]);
            assert_eq!(interleaved(&doubles(), &kinds), expected, "{first} {row} {cell}");
            assert_eq!(interleaved(&kinds, &doubles()), expected, "{first} {row} {cell}");
        }
    }
}
