//! What the kernels touch though the original might not: loads and stores that stand under a condition in the source.
//!
//! Consumes the shape of one execution; refuses (`unmapped`) where something that they cover may not be read, or
//! written. The process's own table of mappings answers; nothing is dereferenced. Memory between the rows of a box
//! counts as covered.
//!
//! What is written back there as it was should be the array's, or another thread, or the program while the array is on a
//! device, may write it meanwhile. That it is memory does not say so: stores that stay within what else the nest touches,
//! in this slot of the array or in one that it changes places with, may be made as they are. Loads around a point under the
//! point's condition count: an array that is worked on as a grid has the grid's elements, one that is only added to at places
//! may not. Of other arrays, which this tells, only what changes is stored ([`super::ArrayShape::careful`]).

use super::{ArrayShape, Extent, first_step, subscript_box};
use crate::error::{Reason, Refusal};
use crate::footprint::Cuboid;
use crate::record::Nest;
use hexpass_abi::Access;
use std::ops::Range;

/// One mapping of the process.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mapping {
    addresses: Range<u64>,
    readable: bool,
    writable: bool,
}

/// The mappings of the process.
pub struct Table {
    mappings: Vec<Mapping>,
}

impl Table {
    pub fn of_this_process() -> Table {
        let table = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        Table { mappings: table.lines().filter_map(mapping).collect() }
    }

    /// True if all these bytes may be read.
    pub fn is_readable(&self, addresses: &Range<u64>) -> bool {
        self.holds(addresses, false)
    }

    /// True if all these bytes may be read, and written where that is asked for.
    pub fn holds(&self, addresses: &Range<u64>, write: bool) -> bool {
        let wanted = Wanted { addresses: addresses.clone(), write };
        covered(&self.mappings, &wanted)
    }
}

/// What must be mapped.
#[derive(Clone, Debug)]
struct Wanted {
    addresses: Range<u64>,
    write: bool,
}

/// The lowest and the highest byte behind an array's origin at which an element begins.
type Span = (i128, i128);

pub fn check(
    nest: &Nest,
    extent: &Extent,
    arrays: &[ArrayShape],
    ints: &[i64],
) -> Result<Vec<usize>, Refusal> {
    let mut careful = Vec::new();
    let statements = &nest.record.statements;
    if statements.iter().all(|s| s.unsure_reads.is_empty() && s.unsure_writes.is_empty()) {
        return Ok(careful);
    }
    let span = |access: &Access, cuboid: &Cuboid| {
        let bounds = subscript_box(access, cuboid, ints, extent.steps);
        let (low, high) = bounds
            .map_err(|_| super::range("a subscript"))?
            .span(&arrays[usize::from(access.array)].strides);
        Ok((low, high))
    };
    let otherwise = otherwise(nest, extent, &span)?;
    let table = Table::of_this_process();
    for (s, cuboid) in statements.iter().zip(&extent.statements) {
        let Some(cuboid) = cuboid else { continue };
        let all = s.unsure_reads.iter().map(|a| (a, false));
        for (access, write) in all.chain(s.unsure_writes.iter().map(|a| (a, true))) {
            let array = usize::from(access.array);
            let record = &nest.record.arrays[array];
            let (low, high) = span(access, cuboid)?;
            let within = otherwise[array].is_some_and(|(from, to)| from <= low && high <= to);
            if write && !within {
                careful.push(array);
            }
            let shape = &arrays[array];
            for slot in slots(access, shape, extent.steps) {
                let origin = i128::from(shape.slots[slot].origin);
                // The guard has seen that these addresses don't wrap.
                let start = (origin + low) as u64;
                let end = (origin + high) as u64 + record.elem.size();
                if covered(&table.mappings, &Wanted { addresses: start..end, write }) {
                    continue;
                }
                let (done, name) = (if write { "written" } else { "read" }, &record.name);
                let message = format!(
                    "array {name} is {done} under a condition only, and not all that the condition may leave out is \
                     memory that can be {done}"
                );
                return Err(Refusal::new(Reason::Unmapped, message));
            }
        }
    }
    Ok(careful)
}

/// Of each array, from where to where it is touched otherwise than where a condition says whether an element is written;
/// in bytes behind its origin.
fn otherwise(
    nest: &Nest,
    extent: &Extent,
    span: &dyn Fn(&Access, &Cuboid) -> Result<Span, Refusal>,
) -> Result<Vec<Option<Span>>, Refusal> {
    let mut out: Vec<Option<Span>> = vec![None; nest.record.arrays.len()];
    for (s, cuboid) in nest.record.statements.iter().zip(&extent.statements) {
        let Some(cuboid) = cuboid else { continue };
        // What was there is read where it may be written back, unless the original reads it itself.
        let back = |a: &Access| s.unsure_writes.contains(a) && s.unsure_reads.contains(a);
        let reads = s.reads.iter().filter(|a| !back(a));
        let writes = s.writes.iter().filter(|a| !s.unsure_writes.contains(a));
        for access in reads.chain(writes) {
            let (low, high) = span(access, cuboid)?;
            let all = &mut out[usize::from(access.array)];
            *all = Some(all.map_or((low, high), |(a, b)| (a.min(low), b.max(high))));
        }
    }
    Ok(out)
}

/// The slots that an access reaches.
fn slots(access: &Access, shape: &ArrayShape, steps: i64) -> impl Iterator<Item = usize> {
    let count = shape.slots.len() as i64;
    let shift = (i64::from(access.rotation) + shape.rotation).rem_euclid(count);
    (0..count)
        .filter(move |&slot| first_step(shift, slot, count, steps).is_some())
        .map(|s| s as usize)
}

/// `55d0-55f0 rw-p 00000000 08:01 123 /path`: what may be touched without a fault.
///
/// A file's pages past its end are mapped and fault all the same: such a mapping ends at the file's last page.
fn mapping(line: &str) -> Option<Mapping> {
    let mut words = line.split_ascii_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let flags = words.next()?.as_bytes();
    let offset = u64::from_str_radix(words.next()?, 16).ok()?;
    let inode = words.nth(1)?;
    let start = u64::from_str_radix(start, 16).ok()?;
    let mut end = u64::from_str_radix(end, 16).ok()?;
    if inode != "0" {
        let path = line.find('/').map(|at| &line[at..])?;
        let length = std::fs::metadata(path).ok()?.len();
        end = end.min(start + length.saturating_sub(offset).next_multiple_of(4096));
    }
    (start < end).then(|| Mapping {
        addresses: start..end,
        readable: flags.first() == Some(&b'r'),
        writable: flags.get(1) == Some(&b'w'),
    })
}

/// Mappings are sorted and don't overlap.
fn covered(mappings: &[Mapping], wanted: &Wanted) -> bool {
    let mut at = wanted.addresses.start;
    for m in mappings {
        let fine = m.readable && (m.writable || !wanted.write);
        if fine && m.addresses.contains(&at) {
            at = m.addresses.end;
        }
        if at >= wanted.addresses.end {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_table() {
        let found = mapping("7f00-7f20 rw-p 00000000 00:00 0 ").unwrap();
        assert_eq!(found, Mapping { addresses: 0x7f00..0x7f20, readable: true, writable: true });
        let found = mapping("7f00-7f20 r--p 00000000 00:00 0 [vvar]").unwrap();
        assert_eq!(found, Mapping { addresses: 0x7f00..0x7f20, readable: true, writable: false });
        for gone in ["", "x", "7f00-7f20 rw-p 00000000 08:01 77 /no/such/file"] {
            assert_eq!(mapping(gone), None, "{gone}");
        }
    }

    #[test]
    fn a_file_ends_before_its_mapping() {
        let file = std::env::temp_dir().join(format!("hexrt-mapped-{}", std::process::id()));
        std::fs::write(&file, [0; 5000]).unwrap();
        let line = format!("10000-20000 rw-s 00001000 08:01 77 {}", file.display());
        assert_eq!(mapping(&line).map(|m| m.addresses), Some(0x10000..0x11000));
        std::fs::remove_file(&file).unwrap();
        assert_eq!(mapping(&line), None);
    }

    #[test]
    fn neighbours_join_and_gaps_count() {
        let map =
            |start, end, writable| Mapping { addresses: start..end, readable: true, writable };
        let table = [map(10, 20, true), map(20, 30, false), map(40, 50, true)];
        let holds = |addresses, write| covered(&table, &Wanted { addresses, write });
        for (addresses, read, written) in [
            (10..20, true, true),
            (12..28, true, false),
            (25..41, false, false),
            (40..50, true, true),
            (40..51, false, false),
            (5..12, false, false),
        ] {
            assert_eq!(holds(addresses.clone(), false), read, "{addresses:?}");
            assert_eq!(holds(addresses.clone(), true), written, "{addresses:?}");
        }
    }
}
