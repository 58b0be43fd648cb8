//! What a nest reads but never writes, of arrays that it writes: the border of the grid.
//!
//! Kernels of [`Variant::alike`] take it from any slot of an array. Before they are chosen, the slots are compared; when
//! the nest's inputs have gone to the device, every buffer is given what it lacks. They also load the nearest element that
//! there is where an instance would have none, so every array must have one.

use crate::error::{Reason, Refusal};
use crate::footprint::{Cuboid, Region, difference};
use crate::guard::{ArrayShape, Shape};
use crate::record::Nest;
use crate::transfer::{Rows, Side};

/// Elements of each slot that the nest reads and that no step writes, in any slot; none for an array that it never writes.
fn never_written(array: &ArrayShape) -> Vec<Region> {
    let written: Region = array.slots.iter().flat_map(|s| s.outputs.iter().copied()).collect();
    array.slots.iter().map(|s| difference(&s.inputs, &written)).collect()
}

/// The array is written: by a statement, even if it has no instance.
fn is_written(nest: &Nest, array: usize) -> bool {
    let mut writes = nest.record.statements.iter().flat_map(|s| &s.writes);
    writes.any(|w| usize::from(w.array) == array)
}

/// [`check`] compares slots of the array in the program's memory.
pub fn is_compared(nest: &Nest, array: usize) -> bool {
    nest.record.arrays[array].slots.len() > 1 && is_written(nest, array)
}

/// Refuses where two slots of an array that the nest writes differ in an element that it never writes, where an array has
/// no element that this execution touches, and where what a slot lacks would be written over what another array has in
/// the same place.
///
/// # Safety
/// The inputs of `shape` must be readable.
pub unsafe fn check(nest: &Nest, shape: &Shape) -> Result<(), Refusal> {
    for (i, (array, found)) in nest.record.arrays.iter().zip(&shape.arrays).enumerate() {
        if found.hull.is_none() {
            let message = format!("nothing of array {} is touched", array.name);
            return Err(Refusal::new(Reason::Borders, message));
        }
        if !is_compared(nest, i) {
            continue;
        }
        if let Some(other) = shares(nest, shape, i) {
            let message = format!(
                "arrays {} and {} lie in one place, and only one of them has borders there",
                array.name, nest.record.arrays[other].name
            );
            return Err(Refusal::new(Reason::Borders, message));
        }
        let regions = never_written(found);
        for (a, first) in regions.iter().enumerate() {
            for (b, second) in regions.iter().enumerate().skip(a + 1) {
                let both = first.iter().flat_map(|x| second.iter().filter_map(|y| common(x, y)));
                for cuboid in both {
                    // SAFETY: both regions are inputs.
                    if !unsafe { equal(array.elem.size(), found, (a, b), &cuboid) } {
                        let message = format!(
                            "the buffers of array {} differ where the nest never writes",
                            array.name
                        );
                        return Err(Refusal::new(Reason::Borders, message));
                    }
                }
            }
        }
    }
    Ok(())
}

/// Another array that begins where a slot of this one does that lacks elements: one buffer serves both.
fn shares(nest: &Nest, shape: &Shape, array: usize) -> Option<usize> {
    let found = &shape.arrays[array];
    let lacks = lacking(nest, array, found, found.slots.len());
    let origins: Vec<u64> = lacks.iter().map(|&(buffer, ..)| found.slots[buffer].origin).collect();
    let begins = |other: &ArrayShape| {
        other.slots.iter().any(|s| s.hull.is_some() && origins.contains(&s.origin))
    };
    (0..shape.arrays.len()).find(|&other| other != array && begins(&shape.arrays[other]))
}

/// Points of both boxes.
fn common(a: &Cuboid, b: &Cuboid) -> Option<Cuboid> {
    let bounds: Vec<(i64, i64)> =
        a.bounds().zip(b.bounds()).map(|(x, y)| (x.0.max(y.0), x.1.min(y.1))).collect();
    Cuboid::new(&bounds)
}

/// Two slots agree in a box, in the program's memory; elements are `elem` bytes wide.
///
/// # Safety
/// The elements must be readable in both slots.
pub unsafe fn equal(elem: u64, shape: &ArrayShape, (a, b): (usize, usize), c: &Cuboid) -> bool {
    let side = |slot: usize| Side { origin: shape.slots[slot].origin, strides: &shape.strides };
    let rows = Rows::of(c, elem, side(a), side(b));
    (0..rows.count()).all(|row| {
        let (first, second) = rows.offsets(row);
        let row = |at: u64| {
            // SAFETY: a row of elements that may be read.
            unsafe { std::slice::from_raw_parts(at as *const u8, rows.bytes as usize) }
        };
        row(rows.host + first) == row(rows.device + second)
    })
}

/// For each buffer of an array on the device (its slots, then scratch buffers), what it lacks after the inputs have been
/// copied: the slot that has it, and where.
pub fn lacking(
    nest: &Nest,
    index: usize,
    shape: &ArrayShape,
    buffers: usize,
) -> Vec<(usize, usize, Cuboid)> {
    let mut out = Vec::new();
    if !is_written(nest, index) {
        return out;
    }
    let regions = never_written(shape);
    for buffer in 0..buffers {
        let mut has = shape.slots.get(buffer).map_or_else(Region::new, |s| s.inputs.clone());
        for (slot, region) in regions.iter().enumerate().filter(|&(slot, _)| slot != buffer) {
            let more = difference(region, &has);
            has.extend(&more);
            out.extend(more.into_iter().map(|cuboid| (buffer, slot, cuboid)));
        }
    }
    out
}
