//! Rows that are found through tables of pointers lie at equal distances, sizes in tables are all the same, and numbers in
//! them are what the kernels compute instead.
//!
//! Consumes the tables of a record and what each statement reads of them; refuses (`check-table`) where an entry that
//! the nest would read is not what the kernels compute instead, and where the nest may write to a table. Only entries
//! that the original reads are looked at, and only in memory that may be read. [`crate::gather`] looks at the same entries
//! where rows lie anywhere.

use super::{ArrayShape, COORDINATE_LIMIT, Extent, int_values, mapped, range};
use crate::error::{Reason, Refusal};
use crate::footprint::Cuboid;
use crate::record::Nest;
use hexpass_abi::expr::{OutOfRange, Sym};
use hexpass_abi::{IntExpr, Poly, Table, TableEntries};
use std::ops::{Range, RangeInclusive};

fn irregular(table: &Table) -> Refusal {
    let message = match table.entries {
        TableEntries::Rows(_) => {
            format!("the rows behind {} do not lie at equal distances", table.name)
        }
        TableEntries::Same(_) | TableEntries::Apart { .. } => {
            format!("the rows behind {} differ in length", table.name)
        }
        TableEntries::Numbers { .. } => {
            format!("the numbers in {} are not those that it was filled with", table.name)
        }
    };
    Refusal::new(Reason::CheckTable, message)
}

/// Entries that the nest reads in one slot's table.
pub struct Span {
    /// Number of the table.
    pub table: usize,
    /// Which of its slots.
    pub slot: usize,
    /// For each level.
    pub index: Vec<RangeInclusive<i64>>,
}

/// An entry that the nest would read.
pub struct Found<'a> {
    /// Number of the table.
    pub table: usize,
    /// Which of its slots.
    pub slot: usize,
    /// For each level.
    pub index: &'a [i64],
    /// What it holds.
    pub word: u64,
    /// What it holds where the table is regular.
    pub expected: u64,
}

/// Refuses an entry that is not what it would be in a regular table.
pub fn regular(nest: &Nest, found: &Found) -> Result<(), Refusal> {
    let table = &nest.record.tables[found.table];
    if found.word == found.expected { Ok(()) } else { Err(irregular(table)) }
}

/// Compares every entry; the bytes of all tables that were read.
pub fn check(
    nest: &Nest,
    extent: &Extent,
    ints: &[i64],
    pointers: &[u64],
) -> Result<Vec<Range<u64>>, Refusal> {
    each(nest, extent, ints, pointers, &mut |found| regular(nest, found))
}

/// All entries that the nest would read: statement by statement, and what is looked up beside them.
pub fn spans(nest: &Nest, extent: &Extent, ints: &[i64]) -> Result<Vec<Span>, Refusal> {
    let mut spans = Vec::new();
    for (s, cuboid) in nest.record.statements.iter().zip(&extent.statements) {
        let Some(cuboid) = cuboid else { continue };
        for entry in &s.entries {
            let interval = |symbol: Sym| match symbol {
                Sym::Time => Some((0, extent.steps - 1)),
                Sym::Iv(d) => Some((cuboid.lo[usize::from(d)], cuboid.hi[usize::from(d)])),
                other => int_values(ints)(other).map(|v| (v, v)),
            };
            let span = |p: &Poly| p.range(&interval).map(|(low, high)| low..=high);
            let index: Vec<_> = entry
                .index
                .iter()
                .map(span)
                .collect::<Result<_, OutOfRange>>()
                .map_err(|_| range("a table's index"))?;
            let table = usize::from(entry.table);
            for slot in slots(&nest.record.tables[table], entry.rotation, extent.steps) {
                spans.push(Span { table, slot, index: index.clone() });
            }
        }
    }
    let value = int_values(ints);
    let at = |e: &IntExpr| match e.eval(&value) {
        Ok(at) if at.abs() < COORDINATE_LIMIT => Ok(at),
        _ => Err(range("a table's index")),
    };
    for lookup in &nest.record.lookups {
        let span = |(first, last): &(IntExpr, IntExpr)| Ok(at(first)?..=at(last)?);
        let index: Vec<_> = lookup.index.iter().map(span).collect::<Result<_, Refusal>>()?;
        if index.iter().any(RangeInclusive::is_empty) {
            continue;
        }
        let table = usize::from(lookup.table);
        for slot in slots(&nest.record.tables[table], lookup.rotation, extent.steps) {
            spans.push(Span { table, slot, index: index.clone() });
        }
    }
    Ok(spans)
}

/// Hands over all entries that the nest would read; the bytes of all tables.
pub fn each(
    nest: &Nest,
    extent: &Extent,
    ints: &[i64],
    pointers: &[u64],
    visit: &mut dyn FnMut(&Found) -> Result<(), Refusal>,
) -> Result<Vec<Range<u64>>, Refusal> {
    let mut read = Vec::new();
    if nest.record.tables.is_empty() {
        return Ok(read);
    }
    let memory = mapped::Table::of_this_process();
    for span in spans(nest, extent, ints)? {
        let (number, slot) = (span.table, span.slot);
        let table = &nest.record.tables[number];
        let mut walk = Walk { number, table, slot, ints, pointers, memory: &memory, visit };
        let mut place = vec![0; span.index.len()];
        walk.level(walk.root()?, &span.index, &mut place, (0, 0), &mut read)?;
    }
    Ok(read)
}

/// The slots whose tables an entry of that rotation means in some step.
fn slots(table: &Table, rotation: u16, steps: i64) -> impl Iterator<Item = usize> {
    let count = table.roots.len();
    let turns = usize::try_from(steps).unwrap_or(count).min(count);
    let rotation = usize::from(rotation);
    (0..turns).map(move |t| (rotation + t) % count)
}

/// One slot's table.
struct Walk<'a> {
    number: usize,
    table: &'a Table,
    slot: usize,
    ints: &'a [i64],
    pointers: &'a [u64],
    memory: &'a mapped::Table,
    visit: &'a mut dyn FnMut(&Found) -> Result<(), Refusal>,
}

impl Walk<'_> {
    fn root(&self) -> Result<u64, Refusal> {
        let (pointer, bytes) = self.table.roots[self.slot];
        self.pointers[usize::from(pointer)].checked_add_signed(bytes).ok_or_else(|| self.far())
    }

    fn far(&self) -> Refusal {
        range("a table of rows")
    }

    /// The entries of level `k` from `at`; `place`: their number in each level, `behind`: what the levels above add to the
    /// row's address.
    fn level(
        &mut self,
        at: u64,
        index: &[RangeInclusive<i64>],
        place: &mut [i64],
        (k, behind): (usize, i64),
        read: &mut Vec<Range<u64>>,
    ) -> Result<(), Refusal> {
        let (stride, field) = (self.table.strides[k], self.table.fields[k]);
        let size = self.table.entries.size();
        let address = |x: i64| {
            let by = x.checked_mul(stride)?.checked_add(field)?;
            at.checked_add_signed(by).filter(|a| a % size == 0)
        };
        let (first, last) = (address(*index[k].start()), address(*index[k].end()));
        let (Some(first), Some(last)) = (first, last) else { return Err(self.far()) };
        let bytes = first..last.checked_add(size).ok_or_else(|| self.far())?;
        let before = if k + 1 < index.len() { 0 } else { self.before() };
        let moved = |at: u64| at.checked_add_signed(-before).filter(|a| a % size == 0);
        let (Some(start), Some(end)) = (moved(bytes.start), moved(bytes.end)) else {
            return Err(self.far());
        };
        for bytes in [bytes, start..end].into_iter().take(if before == 0 { 1 } else { 2 }) {
            if !self.memory.is_readable(&bytes) {
                let message = format!("the table behind {} is not all readable", self.table.name);
                return Err(Refusal::new(Reason::Unmapped, message));
            }
            read.push(bytes);
        }
        for x in index[k].clone() {
            let at = address(x).ok_or_else(|| self.far())?;
            let word_at = |at: u64| match size {
                // SAFETY: whole, aligned words of memory that may be read; the original reads them too.
                4 => unsafe {
                    let word = std::ptr::with_exposed_provenance::<i32>(at as usize).read();
                    i64::from(word) as u64
                },
                // SAFETY: likewise.
                _ => unsafe { std::ptr::with_exposed_provenance::<u64>(at as usize).read() },
            };
            let word = match before {
                0 => word_at(at),
                _ => word_at(at).wrapping_sub(word_at(at.wrapping_add_signed(-before))),
            };
            let behind = behind.wrapping_add(self.pitch(k, x));
            place[k] = x;
            if k + 1 < index.len() {
                self.level(word, index, place, (k + 1, behind), read)?;
                continue;
            }
            let expected = self.expected(behind, x)?;
            let (table, slot) = (self.number, self.slot);
            (self.visit)(&Found { table, slot, index: place, word, expected })?;
        }
        Ok(())
    }

    /// How far before an entry of the last level the word lies that it is compared with.
    fn before(&self) -> i64 {
        match self.table.entries {
            TableEntries::Apart { bytes, .. } => bytes,
            TableEntries::Rows(_) | TableEntries::Same(_) | TableEntries::Numbers { .. } => 0,
        }
    }

    /// What entry `x` of level `k` adds to the address of a row.
    fn pitch(&self, k: usize, x: i64) -> i64 {
        match &self.table.entries {
            TableEntries::Rows(slots) => {
                let (first, pitch) = slots[self.slot].1[k];
                x.wrapping_sub(first).wrapping_mul(self.ints[usize::from(pitch)])
            }
            TableEntries::Same(_) | TableEntries::Apart { .. } | TableEntries::Numbers { .. } => 0,
        }
    }

    /// What entry `x` of the last level holds.
    fn expected(&self, behind: i64, x: i64) -> Result<u64, Refusal> {
        Ok(match &self.table.entries {
            TableEntries::Rows(slots) => {
                self.pointers[usize::from(slots[self.slot].0)].wrapping_add_signed(behind)
            }
            TableEntries::Same(size) | TableEntries::Apart { ahead: size, .. } => {
                self.ints[usize::from(*size)] as u64
            }
            TableEntries::Numbers { step, start, .. } => {
                let start = start.eval(&int_values(self.ints)).ok();
                let number = start.zip(step.checked_mul(x)).and_then(|(s, x)| s.checked_add(x));
                number.ok_or_else(|| self.far())? as u64
            }
        })
    }
}

/// Refuses where the nest writes to a table that it reads.
pub fn apart(nest: &Nest, arrays: &[ArrayShape], tables: &[Range<u64>]) -> Result<(), Refusal> {
    for (record, shape) in nest.record.arrays.iter().zip(arrays) {
        for slot in &shape.slots {
            for bytes in tables {
                let origin = i128::from(slot.origin as i64);
                let around = (i128::from(bytes.start) - origin, i128::from(bytes.end) - origin);
                // A mask may be a member of the structures whose other members are written.
                let meets = |written: &Cuboid| {
                    written.meets_bytes(&shape.strides, record.elem.size(), around)
                };
                if slot.outputs.iter().any(meets) {
                    let message = format!("array {} overlaps a table of its rows", record.name);
                    return Err(Refusal::new(Reason::Overlap, message));
                }
            }
        }
    }
    Ok(())
}
