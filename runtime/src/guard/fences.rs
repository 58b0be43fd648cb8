//! Masks keep sweeps inside of their grids: at the border, where the model reads no neighbours, every element holds its point
//! back.
//!
//! Consumes the masks of a record; refuses (`check-mask`) where an element does not hold its point back. Only elements
//! that the original reads are looked at, and only in memory that may be read. [`super::tables::apart`] sees to it that the
//! nest doesn't write there.

use super::{COORDINATE_LIMIT, int_values, mapped, range};
use crate::error::{Reason, Refusal};
use crate::record::Nest;
use hexpass_abi::expr::OutOfRange;
use hexpass_abi::{ElemType, Fence, IntExpr, Poly};
use std::ops::Range;

/// Looks at every element; the bytes of all of them.
pub fn check(nest: &Nest, ints: &[i64], pointers: &[u64]) -> Result<Vec<Range<u64>>, Refusal> {
    let mut read = Vec::new();
    if nest.record.fences.is_empty() {
        return Ok(read);
    }
    let memory = mapped::Table::of_this_process();
    for mask in &nest.record.fences {
        let lines = Lines::of(mask, ints, pointers)?;
        lines.each(&mut |line| look_along(mask, line, &memory, &mut read))?;
    }
    Ok(read)
}

/// Elements at equal distances.
struct Line {
    first: u64,
    count: u64,
    stride: i64,
}

/// All elements of a mask that are looked at.
struct Lines {
    at: u64,
    /// How many, and the bytes from one to the next, of each counter; outermost first.
    counters: Vec<(u64, i64)>,
}

fn far(_: OutOfRange) -> Refusal {
    range("a mask's element")
}

impl Lines {
    fn of(mask: &Fence, ints: &[i64], pointers: &[u64]) -> Result<Lines, Refusal> {
        let value = int_values(ints);
        let number = |p: &Poly| p.eval(&value).map_err(far);
        let bound = |e: &IntExpr| match e.eval(&value) {
            Ok(at) if at.abs() < COORDINATE_LIMIT => Ok(at),
            _ => Err(far(OutOfRange)),
        };
        let mut offset = number(&mask.offset)?;
        let mut counters = Vec::with_capacity(mask.strides.len());
        for (stride, (first, last)) in mask.strides.iter().zip(&mask.ranges) {
            let (stride, first, last) = (number(stride)?, bound(first)?, bound(last)?);
            let start = stride.checked_mul(first).and_then(|by| offset.checked_add(by));
            offset = start.ok_or_else(|| far(OutOfRange))?;
            counters.push((u64::try_from(last - first + 1).unwrap_or(0), stride));
        }
        // Counters that one element is enough for come first: lines are as long as can be.
        counters.sort_by_key(|&(count, stride)| (count > 1, std::cmp::Reverse(stride.abs())));
        let at = pointers[usize::from(mask.pointer)].checked_add_signed(offset);
        Ok(Lines { at: at.ok_or_else(|| far(OutOfRange))?, counters })
    }

    fn each(&self, visit: &mut dyn FnMut(Line) -> Result<(), Refusal>) -> Result<(), Refusal> {
        if self.counters.iter().any(|&(count, _)| count == 0) {
            return Ok(());
        }
        self.below(self.at, 0, visit)
    }

    fn below(
        &self,
        at: u64,
        k: usize,
        visit: &mut dyn FnMut(Line) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let Some(&(count, stride)) = self.counters.get(k) else {
            return visit(Line { first: at, count: 1, stride: 0 });
        };
        if k + 1 == self.counters.len() {
            return visit(Line { first: at, count, stride });
        }
        for x in 0..count {
            let by = i64::try_from(x).ok().and_then(|x| x.checked_mul(stride));
            let at = by.and_then(|by| at.checked_add_signed(by)).ok_or_else(|| far(OutOfRange))?;
            self.below(at, k + 1, visit)?;
        }
        Ok(())
    }
}

fn look_along(
    mask: &Fence,
    line: Line,
    memory: &mapped::Table,
    read: &mut Vec<Range<u64>>,
) -> Result<(), Refusal> {
    let size = mask.elem.size();
    let reach = i64::try_from(line.count - 1).ok().and_then(|n| n.checked_mul(line.stride));
    let last = reach.and_then(|by| line.first.checked_add_signed(by));
    let last = last.ok_or_else(|| far(OutOfRange))?;
    let end = line.first.max(last).checked_add(size).ok_or_else(|| far(OutOfRange))?;
    let bytes = line.first.min(last)..end;
    if !memory.is_readable(&bytes) {
        let message = format!("the mask {} is not all readable", mask.name);
        return Err(Refusal::new(Reason::Unmapped, message));
    }
    let close = line.stride.unsigned_abs() == size || line.count == 1;
    if close {
        read.push(bytes);
    }
    for k in 0..line.count {
        let at = line.first.wrapping_add_signed((k as i64).wrapping_mul(line.stride));
        // SAFETY: all of the line is memory that may be read, and the original reads these elements too.
        let held = unsafe { holds_back(mask, at) };
        if !held {
            let message = format!("{} does not keep the sweep inside of its grid", mask.name);
            return Err(Refusal::new(Reason::CheckMask, message));
        }
        if !close {
            read.push(at..at + size);
        }
    }
    Ok(())
}

/// # Safety
/// There is an element at the address.
unsafe fn holds_back(mask: &Fence, at: u64) -> bool {
    let at = at as usize;
    macro_rules! element {
        ($ty:ty) => {
            std::ptr::with_exposed_provenance::<$ty>(at).read_unaligned()
        };
    }
    // SAFETY: the caller's.
    unsafe {
        match mask.elem {
            ElemType::I8 => mask.held.holds_integer(element!(i8).into()),
            ElemType::I16 => mask.held.holds_integer(element!(i16).into()),
            ElemType::I32 => mask.held.holds_integer(element!(i32).into()),
            ElemType::I64 => mask.held.holds_integer(element!(i64)),
            ElemType::F32 => mask.held.holds_real(element!(f32).into()),
            ElemType::F64 => mask.held.holds_real(element!(f64)),
        }
    }
}
