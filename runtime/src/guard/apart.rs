//! Variables beside a nest's arrays: whether its sweeps may wait while the program reads and writes them.
//!
//! Consumes a nest, one execution's integers and addresses, and where the variables lie; answers whether none of them
//! shares a byte with what the nest touches in any number of steps up to a largest one; of those that the program only
//! reads, with what the nest writes. Refuses nests of which that can't be said: whose arrays move on with the steps, where it
//! is not known how many there are.

use super::{Extent, check};
use crate::footprint::Cuboid;
use crate::record::Nest;
use hexpass_abi::{Access, Bystander, ONLY_READ, Sym};

/// True if the nest passes the guard for so many steps, whose arrays then lie apart from all the variables.
pub fn are_apart(
    nest: &Nest,
    (ints, pointers): (&[i64], &[u64]),
    variables: &[Bystander],
    steps: i64,
) -> bool {
    is_apart(nest, in_steps(nest, ints, steps), (ints, pointers), variables)
}

/// The same of an execution of exactly so many steps: also of arrays in which each step has elements of its own.
pub fn are_apart_in(
    nest: &Nest,
    (ints, pointers): (&[i64], &[u64]),
    variables: &[Bystander],
    steps: i64,
) -> bool {
    is_apart(nest, of_steps(nest, ints, steps), (ints, pointers), variables)
}

fn is_apart(
    nest: &Nest,
    extent: Option<Extent>,
    (ints, pointers): (&[i64], &[u64]),
    variables: &[Bystander],
) -> bool {
    let checked = extent.map(|extent| check(nest, extent, ints, pointers));
    let Some(Ok(shape)) = checked else { return false };
    let arrays = nest.record.arrays.iter().zip(&shape.arrays).enumerate();
    let writes = |i: usize| {
        nest.record.statements.iter().any(|s| s.writes.iter().any(|a| a.array as usize == i))
    };
    let mut touched =
        arrays.filter(|(i, _)| !nest.record.is_own(*i)).flat_map(|(i, (array, of))| {
            let written = writes(i);
            of.slots.iter().filter_map(move |slot| {
                let span = |hull: &Cuboid| hull.span(&of.strides);
                let (low, high) = slot.hull.as_ref().map(span)?;
                // The origin of a box far from zero may itself lie below address zero.
                let origin = i128::from(slot.origin as i64);
                Some((origin + low, origin + high + i128::from(array.elem.size()), written))
            })
        });
    touched.all(|bytes| lies_apart(bytes, variables))
}

/// So many steps of an execution, of a nest whose arrays lie where they lie in all of them.
pub fn in_steps(nest: &Nest, ints: &[i64], steps: i64) -> Option<Extent> {
    let moves = |a: &Access| a.subscripts.iter().any(|s| s.offset.mentions(Sym::Time));
    let accesses = || nest.record.statements.iter().flat_map(|s| s.reads.iter().chain(&s.writes));
    if accesses().any(moves) { None } else { of_steps(nest, ints, steps) }
}

fn of_steps(nest: &Nest, ints: &[i64], steps: i64) -> Option<Extent> {
    Some(Extent { steps, ..Extent::of(nest, ints).ok()?? })
}

/// Bytes from one address up to another, which the nest writes or only reads, are none of the variables'.
pub fn lies_apart((low, high, written): (i128, i128, bool), variables: &[Bystander]) -> bool {
    variables.iter().all(|v| {
        let at = i128::from(v.at as i64);
        let only_read = v.bytes & ONLY_READ != 0;
        (only_read && !written) || at + i128::from(v.bytes & !ONLY_READ) <= low || high <= at
    })
}
