//! Arrays in which a nest keeps values aside until all instances of a statement have read.
//!
//! Consumes a nest and what the guard has found; gives those arrays a shape of their own, as large as what is touched of
//! them, which nothing is copied to or from, and, on the CPU, memory. Refuses where there is not so much.

use crate::error::{Reason, Refusal};
use crate::fresh;
use crate::guard::Shape;
use crate::record::Nest;

/// The memory, for as long as the nest runs.
pub struct Aside(#[allow(dead_code)] Vec<Vec<u64>>);

/// How the arrays lie from now on.
pub fn shape(nest: &Nest, shape: &mut Shape) {
    for &index in &nest.record.aside {
        let array = &mut shape.arrays[usize::from(index)];
        let mut bytes = nest.record.arrays[usize::from(index)].elem.size() as i64;
        let Some(hull) = array.hull else { continue };
        for d in (0..hull.dims).rev() {
            array.strides[d] = bytes;
            bytes = bytes.saturating_mul(hull.extent(d));
        }
        for slot in &mut array.slots {
            (slot.inputs, slot.outputs) = (Vec::new(), Vec::new());
        }
    }
}

/// Where they lie for the CPU's threads; devices have memory of their own.
pub fn place(nest: &Nest, shape: &mut Shape) -> Result<Aside, Refusal> {
    let mut memory = Vec::new();
    for &index in &nest.record.aside {
        let elem = nest.record.arrays[usize::from(index)].elem.size() as i64;
        let array = &mut shape.arrays[usize::from(index)];
        let Some(hull) = array.hull else { continue };
        let outermost = |d: usize| array.strides[d].saturating_mul(hull.extent(d));
        let bytes = if hull.dims == 0 { elem } else { outermost(0) };
        let words = usize::try_from(bytes).unwrap_or(usize::MAX).div_ceil(8);
        let mut own: Vec<u64> = Vec::new();
        own.try_reserve_exact(words).map_err(|_| {
            let message = "the values that a statement keeps aside take too much memory";
            Refusal::new(Reason::OutOfMemory, message)
        })?;
        fresh::in_large_pages(&mut own);
        own.resize(words, 0);
        let first = (0..hull.dims).map(|d| hull.lo[d].wrapping_mul(array.strides[d]));
        let first = first.fold(0, i64::wrapping_add);
        for slot in &mut array.slots {
            slot.origin = (own.as_ptr() as u64).wrapping_sub(first as u64);
        }
        memory.push(own);
    }
    Ok(Aside(memory))
}
