//! Rows that a table of pointers finds anywhere, side by side for as long as a nest runs.
//!
//! Consumes a nest whose rows lie where the program's allocator has put them (a vector of vectors), and what the guard
//! says of how it finds them; produces a block for each table, the integers and pointers under which the nest finds its
//! rows there, and the shape that the guard gives it then. What the nest reads is copied in before it runs, exactly what it
//! writes is copied back when it has. Refuses (`overlap`) where bytes of one row, as far as the nest may touch them, are
//! those of another, of a table or of another array, and one of them is written; and what the layout of a block can't say.
//!
//! The address of an element is `base + Σ pitch·x + rest` in the record, where `x` is the number of its row, and `base` and
//! the pitches come from the table alone. A block has room for every `rest` behind every `x`: so an address in a block says
//! which row is meant, and where in it.
//!
//! One of the few files with unsafe code: it copies what the guard has found to be the nest's inputs and outputs.

use crate::error::{Reason, Refusal};
use crate::fresh;
use crate::guard::{self, Extent, Shape, fences, mapped, tables};
use crate::plan;
use crate::record::Nest;
use crate::transfer::{Rows, Side};
use hexpass_abi::{Bystander, IntExpr, KernelParam, Poly, TableEntries, Variant, expr::Sym};
use std::ops::Range;

/// Steps for which copying all rows twice may pay: it takes as long as three to five of them.
pub const FEWEST_STEPS: i64 = 32;
/// Steps that run ahead, at most 16 at a time, and are worth trying: by turns with the original loop.
pub const FEWEST_AHEAD: i64 = 8;
/// Rows begin at multiples of this in a block, if they do in the program's memory.
const LINE: i64 = 64;
/// Rows that begin so many bytes apart get into each other's way in caches.
const PAGE: i64 = 4096;
/// No row is longer.
const LONGEST: i128 = 1 << 40;

/// The nest's rows, and how it finds them.
#[derive(Debug)]
pub struct Gathered {
    /// Integers of the call, with the blocks' distances between rows.
    pub ints: Vec<i64>,
    /// Pointers of the call, those to rows into the blocks.
    pub pointers: Vec<u64>,
    /// Of the call.
    program: (Vec<i64>, Vec<u64>),
    blocks: Vec<Block>,
    /// Bytes of the tables that were read.
    tables: Vec<Range<u64>>,
    inputs: Vec<Piece>,
    outputs: Vec<Piece>,
    /// For each of these what the program's memory held before, where only what changes may be stored.
    before: Vec<Vec<u8>>,
}

/// How the rows of all slots of a table lie in their blocks.
#[derive(Clone, Debug)]
struct Plan {
    /// Bytes that the nest may touch, from the start of a row.
    touched: Range<i64>,
    /// From there on rows have room.
    start: i64,
    /// For each level, the first number of a row and how many there are.
    numbers: Vec<(i64, i64)>,
    /// Bytes between rows whose numbers differ by one.
    pitches: Vec<i64>,
    bytes: i64,
}

/// The rows of one slot of a table.
#[derive(Debug)]
struct Block {
    /// Number among the call's pointers.
    pointer: usize,
    /// Where the block's rows are in the program's memory; 0 for those that the nest does not look up.
    rows: Vec<u64>,
    plan: Plan,
    /// Where its first row has room, in the memory that it owns.
    address: u64,
    _memory: Vec<u64>,
}

/// From one address up to another, and whether they are written.
type Bytes = (i128, i128, bool);

/// Bytes of the program in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    row: u64,
    block: u64,
    bytes: usize,
}

fn refuse(what: &str) -> Refusal {
    Refusal::new(
        Reason::CheckTable,
        format!("rows behind a table can't be copied together: {what}"),
    )
}

/// As [`guard::apart::are_apart`], for a nest that finds its rows anywhere.
pub fn are_apart(
    nest: &Nest,
    (ints, pointers): (&[i64], &[u64]),
    variables: &[Bystander],
    steps: i64,
) -> bool {
    if !has_rows(nest) {
        return false;
    }
    let Some(extent) = guard::apart::in_steps(nest, ints, steps) else { return false };
    let Ok(mut gathered) = Gathered::of(nest, &extent, ints, pointers) else { return false };
    let touched = gathered.check(nest, extent).and_then(|shape| gathered.touched(nest, &shape));
    let Ok((rows, others)) = touched else { return false };
    rows.into_iter().chain(others).all(|bytes| guard::apart::lies_apart(bytes, variables))
}

/// True if the nest finds rows through tables.
pub fn has_rows(nest: &Nest) -> bool {
    nest.record.tables.iter().any(|t| matches!(t.entries, TableEntries::Rows(_)))
}

impl Gathered {
    /// Finds the rows, and makes room for them.
    pub fn of(
        nest: &Nest,
        extent: &Extent,
        ints: &[i64],
        pointers: &[u64],
    ) -> Result<Gathered, Refusal> {
        let program = (ints.to_vec(), pointers.to_vec());
        let mut gathered = Gathered {
            ints: ints.to_vec(),
            pointers: pointers.to_vec(),
            program,
            blocks: Vec::new(),
            tables: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            before: Vec::new(),
        };
        let spans = tables::spans(nest, extent, ints)?;
        // For each table that has rows: how they lie, and the number of its first block.
        let mut placed: Vec<Option<usize>> = Vec::new();
        for (number, table) in nest.record.tables.iter().enumerate() {
            let TableEntries::Rows(slots) = &table.entries else {
                placed.push(None);
                continue;
            };
            placed.push(Some(gathered.blocks.len()));
            let touched = touched(nest, extent, ints, slots)?;
            let spans = spans.iter().filter(|s| s.table == number);
            let plan = Plan::of(touched, spans, table.strides.len())?;
            for (pointer, levels) in slots {
                gathered.place(usize::from(*pointer), levels, &plan)?;
            }
        }
        let moved = gathered.pointers.clone();
        let blocks = &mut gathered.blocks;
        gathered.tables =
            tables::each(nest, extent, ints, pointers, &mut |found| match placed[found.table] {
                Some(first) => {
                    let block = &mut blocks[first + found.slot];
                    let at = block.plan.number(found.index).ok_or_else(|| refuse("a number"))?;
                    block.rows[at] = found.word;
                    Ok(())
                }
                None => tables::regular(nest, found),
            })?;
        // A row that is known by its address too is one of them.
        for block in &gathered.blocks {
            let at = moved[block.pointer].wrapping_sub(block.address);
            let row = block.rows.get((at / block.plan.pitch()) as usize).copied().unwrap_or(0);
            if row != 0 && row != pointers[block.pointer] {
                return Err(refuse("a table has changed"));
            }
        }
        Ok(gathered)
    }

    /// Room for the rows of a slot, and what leads there.
    fn place(&mut self, pointer: usize, levels: &[(i64, u16)], plan: &Plan) -> Result<(), Refusal> {
        if self.blocks.iter().any(|b| b.pointer == pointer) {
            return Err(refuse("two tables begin with the same row"));
        }
        let block = Block::new(pointer, plan)?;
        let mut from_start = -plan.start;
        for (k, &(first, pitch)) in levels.iter().enumerate() {
            self.ints[usize::from(pitch)] = plan.pitches[k];
            let numbers = first.checked_sub(plan.numbers[k].0);
            let bytes = numbers.and_then(|n| n.checked_mul(plan.pitches[k]));
            let sum = bytes.and_then(|b| from_start.checked_add(b));
            from_start = sum.ok_or_else(|| refuse("a number"))?;
        }
        self.pointers[pointer] = block.address.wrapping_add_signed(from_start);
        self.blocks.push(block);
        Ok(())
    }

    /// The guard's word on the nest as it is to run.
    pub fn check(&mut self, nest: &Nest, extent: Extent) -> Result<Shape, Refusal> {
        let (ints, pointers) = (&self.ints, &self.pointers);
        // Nothing else may depend on what was changed.
        if !guard::touches_the_same(nest, &extent, &self.program.0, ints)
            || !self.keeps_pitches(nest)
        {
            return Err(refuse("something else depends on how far they are apart"));
        }
        let mut read = self.tables.clone();
        read.extend(fences::check(nest, ints, pointers, &|fence, at| {
            let Some(block) = self.block_at(fence.pointer) else { return Ok(at) };
            let mut pieces = Vec::new();
            self.blocks[block].split(at, fence.elem.size(), &mut pieces)?;
            Ok(pieces[0].row)
        })?);
        let shape = guard::check_behind_tables(nest, extent, ints, pointers, &read)?;
        self.apart(nest, &shape)?;
        self.mapped(nest)?;
        self.inputs = self.pieces(nest, &shape, false)?;
        self.outputs = self.pieces(nest, &shape, true)?;
        Ok(shape)
    }

    /// Each distance is that of its table alone.
    fn keeps_pitches(&self, nest: &Nest) -> bool {
        let mut seen = Vec::new();
        let rows = nest.record.tables.iter().filter_map(|t| match &t.entries {
            TableEntries::Rows(slots) => Some(slots),
            TableEntries::Same(_) | TableEntries::Apart { .. } | TableEntries::Numbers { .. } => {
                None
            }
        });
        for (_, levels) in rows.flatten() {
            for (_, pitch) in levels {
                if seen.contains(pitch) {
                    return false;
                }
                seen.push(*pitch);
            }
        }
        true
    }

    /// True if the kernels of a variant are told the same of everything else.
    pub fn suits(&self, variant: &Variant) -> bool {
        let same = |p: &KernelParam| match p {
            KernelParam::Int(p) => {
                plan::wrapping_value(p, &self.ints) == plan::wrapping_value(p, &self.program.0)
            }
            _ => true,
        };
        variant.kernels.iter().all(|k| k.params.iter().all(same))
    }

    /// Bytes that the nest touches in the program's memory, and whether it writes them: tables and rows, in ascending order,
    /// and what is no row.
    fn touched(&self, nest: &Nest, shape: &Shape) -> Result<(Vec<Bytes>, Vec<Bytes>), Refusal> {
        let mut written = vec![false; self.blocks.len()];
        let mut others = Vec::new();
        for (a, array) in shape.arrays.iter().enumerate().filter(|(a, _)| !nest.record.is_own(*a)) {
            let record = &nest.record.arrays[a];
            for (slot, s) in array.slots.iter().enumerate() {
                let writes = !s.outputs.is_empty();
                let Some(hull) = s.hull else { continue };
                if let Some(block) = self.block_at(record.slots[slot].pointer) {
                    written[block] |= writes;
                    continue;
                }
                let (low, high) = hull.span(&array.strides);
                let origin = i128::from(s.origin as i64);
                let end = origin + high + i128::from(record.elem.size());
                others.push((origin + low, end, writes));
            }
        }
        let table = |r: &Range<u64>| (i128::from(r.start), i128::from(r.end), false);
        let mut rows: Vec<Bytes> = self.tables.iter().map(table).collect();
        for (block, &writes) in self.blocks.iter().zip(&written) {
            for row in block.bytes_of_rows() {
                if row.start <= 0 || row.end > i128::from(i64::MAX) {
                    return Err(refuse("one starts at no valid address"));
                }
                rows.push((row.start, row.end, writes));
            }
        }
        rows.sort_unstable();
        Ok((rows, others))
    }

    /// No byte of a row is written that belongs to another row, a table or another array.
    fn apart(&self, nest: &Nest, shape: &Shape) -> Result<(), Refusal> {
        let overlap =
            || Refusal::new(Reason::Overlap, "rows behind a table overlap, or another array");
        let (rows, others) = self.touched(nest, shape)?;
        // Ends of what lies before, and of what is written before.
        let (mut end, mut end_written) = (i128::MIN, i128::MIN);
        for &(first, behind, writes) in &rows {
            if first < end_written || (writes && first < end) {
                return Err(overlap());
            }
            end = end.max(behind);
            end_written = if writes { end_written.max(behind) } else { end_written };
        }
        let meet = |a: &Bytes, b: &Bytes| (a.2 || b.2) && a.0 < b.1 && b.0 < a.1;
        match others.iter().any(|other| rows.iter().any(|row| meet(other, row))) {
            true => Err(overlap()),
            false => Ok(()),
        }
    }

    /// What the original may leave out can be read, and written.
    fn mapped(&self, nest: &Nest) -> Result<(), Refusal> {
        let statements = &nest.record.statements;
        let writes = statements.iter().any(|s| !s.unsure_writes.is_empty());
        if !writes && statements.iter().all(|s| s.unsure_reads.is_empty()) {
            return Ok(());
        }
        let memory = mapped::Table::of_this_process();
        let mut rows = self.blocks.iter().flat_map(Block::bytes_of_rows);
        match rows.all(|row| memory.holds(&(row.start as u64..row.end as u64), writes)) {
            true => Ok(()),
            false => Err(refuse("some of what a condition leaves out is not there")),
        }
    }

    fn block_at(&self, pointer: u16) -> Option<usize> {
        self.blocks.iter().position(|b| b.pointer == usize::from(pointer))
    }

    /// What is copied.
    fn pieces(&self, nest: &Nest, shape: &Shape, out: bool) -> Result<Vec<Piece>, Refusal> {
        let mut pieces = Vec::new();
        for (a, array) in shape.arrays.iter().enumerate().filter(|(a, _)| !nest.record.is_own(*a)) {
            let record = &nest.record.arrays[a];
            for (slot, s) in array.slots.iter().enumerate() {
                let Some(block) = self.block_at(record.slots[slot].pointer) else { continue };
                let side = Side { origin: s.origin, strides: &array.strides };
                for cuboid in if out { &s.outputs } else { &s.inputs } {
                    let rows = Rows::of(cuboid, record.elem.size(), side, side);
                    for row in 0..rows.count() {
                        let row = rows.row(row);
                        self.blocks[block].split(row.host, row.bytes, &mut pieces)?;
                    }
                }
            }
        }
        Ok(pieces)
    }

    /// Where in the program's memory it writes, and how many bytes.
    pub fn written(&self) -> impl Iterator<Item = (u64, usize)> + '_ {
        self.outputs.iter().map(|p| (p.row, p.bytes))
    }

    /// Copies what the nest reads into the blocks; bytes.
    ///
    /// # Safety
    /// The program's memory is what the guard has been told.
    pub unsafe fn fetch(&self) -> u64 {
        for p in &self.inputs {
            // SAFETY: the original reads these bytes; the others are in a block of ours, which they don't overlap.
            unsafe {
                std::ptr::copy_nonoverlapping(p.row as *const u8, p.block as *mut u8, p.bytes)
            };
        }
        self.inputs.iter().map(|p| p.bytes as u64).sum()
    }

    /// Has [`Gathered::put_back`] store only what changes from here on.
    ///
    /// # Safety
    /// As [`Gathered::fetch`].
    pub unsafe fn beware(&mut self) {
        // SAFETY: the guard has found that all of these bytes may be read.
        let row = |p: &Piece| unsafe { std::slice::from_raw_parts(p.row as *const u8, p.bytes) };
        self.before = self.outputs.iter().map(|p| row(p).to_vec()).collect();
    }

    /// Copies back what the nest has written; bytes.
    ///
    /// # Safety
    /// As [`Gathered::fetch`], after a nest that has run.
    pub unsafe fn put_back(&self) -> u64 {
        for (i, p) in self.outputs.iter().enumerate() {
            let (from, to) = (p.block as *const u8, p.row as *mut u8);
            let Some(before) = self.before.get(i) else {
                // SAFETY: the original writes these bytes; the others are in a block of ours, which they don't overlap.
                unsafe { std::ptr::copy_nonoverlapping(from, to, p.bytes) };
                continue;
            };
            for (at, before) in before.iter().enumerate() {
                // SAFETY: likewise of what is another byte now.
                unsafe {
                    let now = from.add(at).read();
                    if now != *before {
                        to.add(at).write(now);
                    }
                }
            }
        }
        self.outputs.iter().map(|p| p.bytes as u64).sum()
    }
}

/// Bytes that the nest may touch in a table's rows, from where they start.
fn touched(
    nest: &Nest,
    extent: &Extent,
    ints: &[i64],
    slots: &[(u16, Vec<(i64, u16)>)],
) -> Result<Range<i64>, Refusal> {
    let pitches: Vec<u16> = slots.iter().flat_map(|s| &s.1).map(|&(_, pitch)| pitch).collect();
    let is_pitch = |s: &Sym| matches!(s, Sym::Int(i) if pitches.contains(i));
    // How far it is from the start of a row.
    let rest = |p: &Poly| {
        let linear = |symbols: &[Sym]| symbols.iter().filter(|s| is_pitch(s)).count() <= 1;
        if !p.terms().iter().all(|t| linear(&t.symbols)) {
            return Err(refuse("distances are multiplied"));
        }
        let value = |s: Sym| match s {
            s if is_pitch(&s) => Some(0),
            Sym::Int(i) => ints.get(usize::from(i)).copied(),
            _ => None,
        };
        p.eval(&value).map(i128::from).map_err(|_| refuse("a distance"))
    };
    let (mut low, mut high) = (0, 0);
    let mut reaches = |least: i128, most: i128| {
        (low, high) = match low == high {
            true => (least, most),
            false => (low.min(least), high.max(most)),
        };
    };
    for fence in nest.record.fences.iter().filter(|f| slots.iter().any(|s| s.0 == f.pointer)) {
        let offset = rest(&fence.offset)?;
        let (mut least, mut most) = (offset, offset + i128::from(fence.elem.size()));
        for (stride, (first, last)) in fence.strides.iter().zip(&fence.ranges) {
            let stride = rest(stride)?;
            let end = |e: &IntExpr| e.eval(&|s| guard::int_values(ints)(s)).map(i128::from);
            let ends = (end(first), end(last));
            let (Ok(first), Ok(last)) = ends else { return Err(refuse("a distance")) };
            let (a, b) = (first * stride, last * stride);
            (least, most) = (least + a.min(b), most + a.max(b));
        }
        reaches(least, most);
    }
    for (a, array) in nest.record.arrays.iter().enumerate() {
        let is_row = |s: &hexpass_abi::Slot| slots.iter().any(|&(pointer, _)| pointer == s.pointer);
        if nest.record.is_own(a) || !array.slots.iter().any(is_row) {
            continue;
        }
        if !array.slots.iter().all(is_row) {
            return Err(refuse("others take turns with them"));
        }
        let Some((hull, fills)) = guard::touched(nest, a as u16, extent, ints)? else { continue };
        if !fills {
            return Err(refuse("they are not read side by side"));
        }
        let (mut least, mut most) = (0, i128::from(array.elem.size()));
        for ((lo, hi), stride) in hull.bounds().zip(&array.strides) {
            let stride = rest(stride)?;
            let (a, b) = (i128::from(lo) * stride, i128::from(hi) * stride);
            (least, most) = (least + a.min(b), most + a.max(b));
        }
        for slot in &array.slots {
            let offset = rest(&slot.offset)?;
            reaches(offset + least, offset + most);
        }
    }
    if low < -LONGEST || high > LONGEST {
        return Err(refuse("they are too long"));
    }
    Ok(low as i64..high as i64)
}

impl Plan {
    fn of<'a>(
        touched: Range<i64>,
        spans: impl Iterator<Item = &'a tables::Span>,
        levels: usize,
    ) -> Result<Plan, Refusal> {
        let mut between: Option<Vec<(i64, i64)>> = None;
        for span in spans {
            let span = span.index.iter().map(|i| (*i.start(), *i.end()));
            between = Some(match between {
                None => span.collect(),
                Some(b) => b.iter().zip(span).map(|(b, s)| (b.0.min(s.0), b.1.max(s.1))).collect(),
            });
        }
        let large = || refuse("they are too many");
        let mut numbers = Vec::new();
        for (k, (lo, hi)) in between.unwrap_or(vec![(0, 0); levels]).into_iter().enumerate() {
            // Where rows are numbered in two levels, those of the inner one count from 0.
            let lo = if k > 0 { lo.min(0) } else { lo };
            let count = hi.checked_sub(lo).and_then(|n| n.checked_add(1)).ok_or_else(large)?;
            numbers.push((lo, count));
        }
        let start = touched.start.min(0).div_euclid(LINE) * LINE;
        let mut pitch = (touched.end.max(1) - start + LINE - 1) / LINE * LINE;
        if pitch % PAGE == 0 {
            pitch += LINE;
        }
        let mut pitches = Vec::new();
        for &(_, count) in numbers.iter().rev() {
            pitches.push(pitch);
            pitch = pitch.checked_mul(count).ok_or_else(large)?;
        }
        pitches.reverse();
        Ok(Plan { touched, start, numbers, pitches, bytes: pitch })
    }

    /// Bytes of a row's room.
    fn pitch(&self) -> u64 {
        self.pitches.last().map_or(1, |&p| p as u64)
    }

    /// Which of the rows this is.
    fn number(&self, index: &[i64]) -> Option<usize> {
        let mut at: i64 = 0;
        for (&x, &(lo, count)) in index.iter().zip(&self.numbers) {
            let x = x.checked_sub(lo).filter(|x| (0..count).contains(x))?;
            at = at.checked_mul(count)?.checked_add(x)?;
        }
        usize::try_from(at).ok()
    }
}

impl Block {
    fn new(pointer: usize, plan: &Plan) -> Result<Block, Refusal> {
        let none = || {
            let message = "rows behind a table take too much memory to be copied together";
            Refusal::new(Reason::OutOfMemory, message)
        };
        let words =
            usize::try_from(plan.bytes.saturating_add(LINE)).map_err(|_| none())?.div_ceil(8);
        let count = (plan.bytes as u64 / plan.pitch()) as usize;
        let rows = fresh::zeros(count).ok_or_else(none)?;
        let mut memory = fresh::zeros(words).ok_or_else(none)?;
        let address = memory.as_mut_ptr().expose_provenance() as u64;
        let address = address.next_multiple_of(LINE as u64);
        Ok(Block { pointer, rows, plan: plan.clone(), address, _memory: memory })
    }

    /// What the nest may touch of each row that it looks up.
    fn bytes_of_rows(&self) -> impl Iterator<Item = Range<i128>> + '_ {
        let Range { start, end } = self.plan.touched;
        let bytes = move |&row: &u64| {
            let row = i128::from(row as i64);
            row + i128::from(start)..row + i128::from(end)
        };
        self.rows.iter().filter(move |&&row| row != 0 && start < end).map(bytes)
    }

    /// Where bytes of the block belong.
    fn split(&self, mut from: u64, mut bytes: u64, out: &mut Vec<Piece>) -> Result<(), Refusal> {
        let pitch = self.plan.pitch();
        while bytes > 0 {
            let at = from.wrapping_sub(self.address);
            let row = self.rows.get((at / pitch) as usize).copied().filter(|&row| row != 0);
            let row = row.ok_or_else(|| refuse("one is used that the table was not asked for"))?;
            let here = bytes.min(pitch - at % pitch);
            let inside = self.plan.start + (at % pitch) as i64;
            let touched = &self.plan.touched;
            if inside < touched.start || inside + here as i64 > touched.end {
                return Err(refuse("one is longer than it looked"));
            }
            let row = row.wrapping_add_signed(inside);
            out.push(Piece { row, block: from, bytes: here as usize });
            (from, bytes) = (from + here, bytes - here);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Reason;
    use hexpass_abi::*;

    const N: usize = 6;
    const M: usize = 9;

    fn int(i: u16) -> Poly {
        Poly::symbol(Sym::Int(i))
    }

    fn number(n: i64) -> Poly {
        Poly::constant(n)
    }

    /// A five-point stencil over two grids of rows. Integers: steps and, for each grid, the distance between its rows.
    /// Pointers: rows number 0, then the tables.
    fn star() -> Nest {
        let point = |rotation, y, x| Access {
            array: 0,
            rotation,
            subscripts: vec![
                Subscript { dim: Some(0), offset: number(y) },
                Subscript { dim: Some(1), offset: number(x) },
            ],
        };
        let entry = |rotation, y| Entry {
            table: 0,
            rotation,
            index: vec![Poly::symbol(Sym::Iv(0)).add(&number(y)).unwrap()],
        };
        let equal = |value: Poly| Check { value, statement: None, kind: CheckKind::Size };
        let slot = |pointer| Slot { pointer, offset: Poly::zero() };
        let rows = TableEntries::Rows(vec![(0, vec![(0, 1)]), (1, vec![(0, 2)])]);
        let record = NestRecord {
            function: "star".into(),
            file: None,
            line: None,
            fp: FpMode::Exact,
            steps: int(0).into(),
            dims: 2,
            timeless: true,
            arrays: vec![Array {
                name: "u".into(),
                elem: ElemType::F64,
                slots: vec![slot(0), slot(1)],
                rotation: Poly::zero(),
                strides: vec![int(1), number(8)],
            }],
            tables: vec![Table {
                name: "u".into(),
                roots: vec![(2, 0), (3, 0)],
                strides: vec![8],
                fields: vec![0],
                entries: rows,
            }],
            lookups: vec![],
            fences: vec![],
            statements: vec![StatementRecord {
                lo: vec![number(1).into(), number(1).into()],
                hi: vec![number(N as i64 - 2).into(), number(M as i64 - 2).into()],
                reads: [(-1, 0), (1, 0), (0, -1), (0, 1)].map(|(y, x)| point(0, y, x)).into(),
                writes: vec![point(1, 0, 0)],
                unsure_reads: vec![],
                unsure_writes: vec![],
                entries: vec![entry(0, -1), entry(0, 0), entry(0, 1), entry(1, 0)],
                operations: 4,
            }],
            checks: vec![equal(int(1).sub(&int(2)).unwrap()), equal(int(2).sub(&int(1)).unwrap())],
            disjoint_pointers: vec![],
            reductions: vec![],
            aside: vec![],
            exchanged: vec![],
            variants: vec![],
        };
        Nest::new(record).unwrap()
    }

    /// Where rows lie, in elements, in the memory of a test.
    type Places = [[usize; N]; 2];

    const SHUFFLED: Places = [[10, 90, 31, 22, 40, 50], [180, 60, 70, 100, 170, 150]];

    /// The nest on rows of such a memory.
    fn gathered(memory: &mut [f64], places: Places) -> Result<(Nest, Gathered, Shape), Reason> {
        let nest = star();
        let base = memory.as_mut_ptr().expose_provenance() as u64;
        let tables = places.map(|rows| rows.map(|at| base + 8 * at as u64));
        let roots = [0, 1].map(|t| tables[t].as_ptr().expose_provenance() as u64);
        let ints = [3, 16, 24];
        let pointers = [tables[0][0], tables[1][0], roots[0], roots[1]];
        let extent = Extent::of(&nest, &ints).map_err(|r| r.reason)?.unwrap();
        let found = Gathered::of(&nest, &extent, &ints, &pointers);
        let (rows, shape) = found
            .and_then(|mut rows| rows.check(&nest, extent).map(|shape| (rows, shape)))
            .map_err(|r| r.reason)?;
        Ok((nest, rows, shape))
    }

    #[test]
    fn rows_go_side_by_side_and_back() {
        let mut memory: Vec<f64> = (0..200).map(f64::from).collect();
        let (_, rows, shape) = gathered(&mut memory, SHUFFLED).unwrap();
        let array = &shape.arrays[0];
        let at = |slot: usize, y: usize, x: usize| {
            let bytes = y as i64 * array.strides[0] + x as i64 * array.strides[1];
            array.slots[slot].origin.wrapping_add_signed(bytes) as *mut f64
        };
        // SAFETY: the memory is the test's.
        unsafe { rows.fetch() };
        let (inner_y, inner_x) = (1..N - 1, 1..M - 1);
        for (slot, starts) in SHUFFLED.iter().enumerate() {
            for (y, x) in (0..N).flat_map(|y| (0..M).map(move |x| (y, x))) {
                let inner = (inner_y.contains(&y), inner_x.contains(&x));
                // Corners nobody looks at; what the first step overwrites needs no value.
                let is_read = if slot == 0 { inner.0 || inner.1 } else { inner.0 != inner.1 };
                // SAFETY: elements of the block.
                let found = unsafe { at(slot, y, x).read() };
                let expected = (starts[y] + x) as f64;
                assert_eq!(found, if is_read { expected } else { 0.0 }, "{slot} {y} {x}");
                // SAFETY: as above.
                unsafe { at(slot, y, x).write(expected + 1000.0) };
            }
        }
        // SAFETY: as above.
        let bytes = unsafe { rows.put_back() };
        assert_eq!(bytes, (2 * (N - 2) * (M - 2) * 8) as u64);
        let written = |at: usize| {
            let inner = |row: &usize| (row + 1..row + M - 1).contains(&at);
            SHUFFLED.iter().any(|rows| rows[1..N - 1].iter().any(inner))
        };
        for (i, &value) in memory.iter().enumerate() {
            assert_eq!(value, i as f64 + if written(i) { 1000.0 } else { 0.0 }, "{i}");
        }
    }

    #[test]
    fn variables_lie_apart_from_each_row() {
        let nest = star();
        let mut memory = [0.0f64; 200];
        let base = memory.as_mut_ptr().expose_provenance() as u64;
        let tables = SHUFFLED.map(|rows| rows.map(|at| base + 8 * at as u64));
        let roots = [0, 1].map(|t| tables[t].as_ptr().expose_provenance() as u64);
        let pointers = [tables[0][0], tables[1][0], roots[0], roots[1]];
        let ask = |at: u64, how: u64| {
            let variable = Bystander { at, bytes: 8 | how };
            are_apart(&nest, (&[3, 16, 24], &pointers), &[variable], 3)
        };
        // Before all rows, between two and behind all; in one.
        assert!(ask(base, 0) && ask(base + 8 * 99, 0) && ask(base + 8 * 190, 0));
        assert!(!ask(base + 8 * 33, 0) && !ask(base + 8 * 33, ONLY_READ));
        // Tables are only read.
        assert!(!ask(roots[0] + 8, 0) && ask(roots[0] + 8, ONLY_READ));
    }

    #[test]
    fn rows_that_share_bytes_stay_where_they_are() {
        let with = |grid: usize, row: usize, at: usize| {
            let mut places = SHUFFLED;
            places[grid][row] = at;
            gathered(&mut [0.0; 200], places).map(|_| ())
        };
        assert_eq!(with(0, 1, 90), Ok(()));
        // One row twice, in one grid and in both.
        assert_eq!(with(0, 1, 50), Err(Reason::Overlap));
        assert_eq!(with(1, 2, 22), Err(Reason::Overlap));
        // The last element of another row, and the one behind it.
        assert_eq!(with(0, 1, 58), Err(Reason::Overlap));
        assert_eq!(with(0, 1, 79), Ok(()));
        assert_eq!(with(0, 1, 78), Err(Reason::Overlap));
    }

    #[test]
    fn a_table_in_a_row_stays_what_it_is() {
        let nest = star();
        let mut memory = [0u64; 200];
        let base = memory.as_mut_ptr().expose_provenance() as u64;
        for (table, at) in [(0, 3), (1, 150)] {
            for row in 0..N {
                memory[at + row] = base + 8 * (10 + 60 * table + 10 * row) as u64;
            }
        }
        let ints = [3, 80, 80];
        let of = |root: u64| {
            let pointers = [base + 80, base + 560, base + 24, base + 8 * root];
            let extent = Extent::of(&nest, &ints).unwrap().unwrap();
            let rows = Gathered::of(&nest, &extent, &ints, &pointers);
            rows.and_then(|mut r| r.check(&nest, extent)).map(|_| ()).map_err(|r| r.reason)
        };
        assert_eq!(of(150), Ok(()));
        memory.copy_within(150..150 + N, 91);
        assert_eq!(of(91), Err(Reason::Overlap));
    }
}
