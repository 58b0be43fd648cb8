//! Masks keep sweeps inside of their grids: at the border, where the model reads no neighbours, every element holds its point
//! back.
//!
//! Consumes the fences of a record; refuses (`check-mask`) where an element does not hold its point back. Only elements
//! that the original reads are looked at, and only in memory that may be read. [`super::tables::apart`] sees to it that the
//! nest doesn't write there.

use super::{COORDINATE_LIMIT, int_values, mapped, range};
use crate::error::{Reason, Refusal};
use crate::record::Nest;
use hexpass_abi::expr::OutOfRange;
use hexpass_abi::{ElemType, Fence, IntExpr, Poly};
use std::cmp::Reverse;
use std::ops::Range;

/// Looks at every element, which lies where `place` says of the address that the integers and pointers give; the bytes of all
/// of them.
pub fn check(
    nest: &Nest,
    ints: &[i64],
    pointers: &[u64],
    place: &dyn Fn(&Fence, u64) -> Result<u64, Refusal>,
) -> Result<Vec<Range<u64>>, Refusal> {
    let mut read = Vec::new();
    if nest.record.fences.is_empty() {
        return Ok(read);
    }
    let memory = mapped::Table::of_this_process();
    for fence in &nest.record.fences {
        let size = fence.elem.size();
        let mut runs: Vec<Range<u64>> = Vec::new();
        Elements::of(fence, ints, pointers)?.each(&mut |at| {
            let at = place(fence, at)?;
            let end = at.checked_add(size).ok_or_else(far)?;
            match runs.last_mut() {
                Some(last) if last.end == at => last.end = end,
                _ => runs.push(at..end),
            }
            Ok(())
        })?;
        for run in &runs {
            if !memory.is_readable(run) {
                let message = format!("the mask {} is not all readable", fence.name);
                return Err(Refusal::new(Reason::Unmapped, message));
            }
            // SAFETY: the elements of a run lie one behind the other, in memory that may be read, and the original reads
            // them too.
            let holds = |at: u64| unsafe { holds_back(fence, at) };
            if !run.clone().step_by(size as usize).all(holds) {
                let message = format!("{} does not keep the sweep inside of its grid", fence.name);
                return Err(Refusal::new(Reason::CheckMask, message));
            }
        }
        read.extend(runs);
    }
    Ok(read)
}

fn far() -> Refusal {
    range("a mask's element")
}

/// All elements of a fence.
struct Elements {
    first: u64,
    /// How many, and the bytes from one to the next, of each counter; the innermost last.
    counters: Vec<(i64, i64)>,
}

impl Elements {
    fn of(fence: &Fence, ints: &[i64], pointers: &[u64]) -> Result<Elements, Refusal> {
        let value = int_values(ints);
        let number = |p: &Poly| p.eval(&value).map_err(|OutOfRange| far());
        let bound = |e: &IntExpr| match e.eval(&value) {
            Ok(at) if at.abs() < COORDINATE_LIMIT => Ok(at),
            _ => Err(far()),
        };
        let mut offset = number(&fence.offset)?;
        let mut counters = Vec::with_capacity(fence.strides.len());
        for (stride, (first, last)) in fence.strides.iter().zip(&fence.ranges) {
            let (stride, first, last) = (number(stride)?, bound(first)?, bound(last)?);
            let start = stride.checked_mul(first).and_then(|by| offset.checked_add(by));
            offset = start.ok_or_else(far)?;
            counters.push((last - first + 1, stride));
        }
        counters.sort_by_key(|&(_, stride)| Reverse(stride.unsigned_abs()));
        let first = pointers[usize::from(fence.pointer)].checked_add_signed(offset);
        Ok(Elements { first: first.ok_or_else(far)?, counters })
    }

    /// Hands over the address of each; none where a counter has no values.
    fn each(&self, visit: &mut dyn FnMut(u64) -> Result<(), Refusal>) -> Result<(), Refusal> {
        if self.counters.iter().any(|&(count, _)| count <= 0) {
            return Ok(());
        }
        below(&self.counters, self.first, visit)
    }
}

fn below(
    counters: &[(i64, i64)],
    at: u64,
    visit: &mut dyn FnMut(u64) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    let Some((&(count, stride), inner)) = counters.split_first() else { return visit(at) };
    for x in 0..count {
        let at = x.checked_mul(stride).and_then(|by| at.checked_add_signed(by));
        below(inner, at.ok_or_else(far)?, visit)?;
    }
    Ok(())
}

/// # Safety
/// There is an element at the address.
unsafe fn holds_back(fence: &Fence, at: u64) -> bool {
    macro_rules! element {
        ($ty:ty) => {
            std::ptr::with_exposed_provenance::<$ty>(at as usize).read_unaligned()
        };
    }
    // SAFETY: the caller's.
    unsafe {
        match fence.elem {
            ElemType::I8 => fence.held.holds_integer(element!(i8).into()),
            ElemType::I16 => fence.held.holds_integer(element!(i16).into()),
            ElemType::I32 => fence.held.holds_integer(element!(i32).into()),
            ElemType::I64 => fence.held.holds_integer(element!(i64)),
            ElemType::F32 => fence.held.holds_real(element!(f32).into()),
            ElemType::F64 => fence.held.holds_real(element!(f64)),
        }
    }
}
