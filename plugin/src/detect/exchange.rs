//! Pointers and lengths that the time loop exchanges in memory: two fields of a structure, two vectors.
//!
//! Consumes the blocks of a time loop; produces its [`Cell`]s, and a rotation for each cycle of pointers. What is not
//! understood is left to the statements, which refuse it.

use super::affine::{Extension, too_large};
use super::context::{Context, Known, When, peel};
use crate::llvm::{Block, Opcode, TypeKind, Value};
use hexpass_abi::{ElemType, Exchanged, Poly};
use hexpass_poly::facts::RotationFact;
use hexpass_poly::rejection::Rejection;

/// A word in memory that the time loop exchanges with others in each step.
#[derive(Clone, Debug)]
pub struct Cell<'a> {
    /// Where it lies.
    pub address: (Known<'a>, i64),
    /// The rotation that it is element `index` of, if it is a pointer to what the nest works on.
    pub rotation: Option<u16>,
    pub index: u16,
    /// Bytes that are exchanged.
    pub width: i64,
    /// The store that exchanges it, and others before it in the step that nobody sees (two exchanges one after the other
    /// make a rotation of three).
    pub store: Value<'a>,
    pub overwritten: Vec<Value<'a>>,
    /// What the words of the cycle hold before the nest, from loads; its own at `index`.
    pub values: Vec<Known<'a>>,
    /// Where it is no word of the cycle, but one that each step leaves a word's value in and no step reads (the pointer
    /// that two others change places by): what it holds before the nest. After the first step, it is what the cycle's
    /// word at `index` would be.
    pub kept: Option<Known<'a>>,
}

/// A pointer or an integer that may be a size.
fn is_word(v: Value<'_>) -> bool {
    matches!(v.ty().kind(), TypeKind::Pointer | TypeKind::Int(32 | 64))
}

/// Bytes of such a word.
fn width(v: Value<'_>) -> i64 {
    if v.ty().kind() == TypeKind::Int(32) { 4 } else { 8 }
}

/// Bytes of a value, at most.
fn bytes(v: Value<'_>) -> i64 {
    match v.ty().kind() {
        TypeKind::Int(bits) => i64::from(bits.div_ceil(8)),
        TypeKind::Float => 4,
        TypeKind::Double | TypeKind::Pointer => 8,
        _ => i64::from(u16::MAX),
    }
}

impl<'a> Cell<'a> {
    /// One of its stores.
    pub fn is_stored_by(&self, i: Value<'a>) -> bool {
        self.store == i || self.overwritten.contains(&i)
    }

    /// What is loaded there may be its own: the same bytes from the same base, or anything in the same object.
    pub fn may_meet(&self, load: Value<'a>, (base, offset): (Known<'a>, i64)) -> bool {
        let (own, start) = self.address;
        if own == base {
            return offset < start + self.width && start < offset + bytes(load);
        }
        match (own, base) {
            (Known::Value(a), Known::Value(b)) => a.underlying_object() == b.underlying_object(),
            (Known::Load(a), Known::Moved(b, _)) => a == b,
            _ => false,
        }
    }
}

/// A store of a word, and where.
type Place<'a> = (Value<'a>, (Known<'a>, i64));

/// The cycles of two and more in "who gets whose value", also those that others lead into.
fn cycles(next: &[Option<usize>]) -> Vec<Vec<usize>> {
    let mut seen = vec![false; next.len()];
    let mut out = Vec::new();
    for first in 0..next.len() {
        let mut path = Vec::new();
        let mut at = Some(first);
        while let Some(i) = at.filter(|&i| !seen[i]) {
            seen[i] = true;
            path.push(i);
            at = next[i];
        }
        let Some(start) = at.and_then(|i| path.iter().position(|&p| p == i)) else { continue };
        let cycle = path.split_off(start);
        if cycle.len() >= 2 {
            out.push(cycle);
        }
    }
    out
}

impl<'a> Context<'a> {
    /// Learns which words in memory the time loop exchanges (`tmp = g->a; g->a = g->b; g->b = tmp`, or the parts of two
    /// vectors): every store of a pointer or 64-bit integer, directly in the loop, to an address that does not change,
    /// of what was read from such an address.
    ///
    /// A read of a word sees what it held when the step began, or, behind the only store to it, what the word held that is
    /// next in the cycle.
    pub fn find_cells(&mut self) -> Result<(), Rejection> {
        let inside: Vec<Value<'a>> =
            self.time.blocks().into_iter().flat_map(Block::instructions).collect();
        let mut stores: Vec<Place<'a>> = Vec::new();
        for &s in inside
            .iter()
            .filter(|i| i.opcode() == Some(Opcode::LLVMStore) && i.stored().is_some_and(is_word))
        {
            let direct = |b: &Block<'a>| {
                self.a.loop_of(*b) == Some(self.time) && self.a.dominates(*b, self.latch)
            };
            if s.block().filter(direct).is_none() {
                continue;
            }
            if let Some(address) = self.fixed_address(s) {
                stores.push((s, address));
            }
        }
        let mut loads = Vec::new();
        for &l in inside.iter().filter(|i| i.opcode() == Some(Opcode::LLVMLoad) && is_word(**i)) {
            let Some(address) = self.fixed_address(l) else { continue };
            let same = |s: &Value<'a>| s.stored().is_some_and(|v| width(v) == width(l));
            let of: Vec<&Place<'a>> =
                stores.iter().filter(|(s, a)| *a == address && same(s)).collect();
            let behind = of.iter().any(|(store, _)| self.a.is_available(*store, l));
            match of.len() {
                0 => {}
                1 if behind => {}
                _ if behind => return Ok(()),
                _ => loads.push((l, address)),
            }
        }
        let (stores, overwritten) = self.last_stores(stores);
        // Who gets whose value.
        let next: Vec<Option<usize>> = stores
            .iter()
            .map(|(s, _)| {
                let from = peel(s.stored()?);
                let (_, address) = loads.iter().find(|(l, _)| *l == from)?;
                stores.iter().position(|(_, a)| a == address)
            })
            .collect();
        for cycle in cycles(&next) {
            self.add_cells(&cycle, &stores, &overwritten, &loads)?;
        }
        self.keep_others(&next, &stores, &overwritten, &inside)
    }

    /// Learns which words each step leaves a value of a cycle in, where no step reads them.
    fn keep_others(
        &mut self,
        next: &[Option<usize>],
        stores: &[Place<'a>],
        overwritten: &[Place<'a>],
        inside: &[Value<'a>],
    ) -> Result<(), Rejection> {
        let exchanged: Vec<Value<'a>> = self.cells.iter().map(|c| c.store).collect();
        for (&(store, address), from) in stores.iter().zip(next) {
            let Some(from) = from.map(|from| stores[from].0) else { continue };
            if exchanged.contains(&store) || overwritten.iter().any(|(_, a)| *a == address) {
                continue;
            }
            let Some(of) = self.cells.iter().find(|c| c.store == from && c.kept.is_none()) else {
                continue;
            };
            let of = of.clone();
            let loads = inside.iter().filter(|l| l.opcode() == Some(Opcode::LLVMLoad));
            if loads.into_iter().all(|&l| self.fixed_address(l) != Some(address)) {
                self.keep(of, (store, address))?;
            }
        }
        Ok(())
    }

    /// A word that each step leaves in `place`, which no step reads, is the one that `of` held when the step began.
    fn keep(&mut self, of: Cell<'a>, place: Place<'a>) -> Result<(), Rejection> {
        let (store, (pointer, offset)) = place;
        let elem = if of.width == 4 { ElemType::I32 } else { ElemType::I64 };
        let known = (store.alignment().unwrap_or(1), When::sure(vec![self.steps.clone()]));
        let own = self.add_load_where(store, pointer.operand(), (pointer, offset), elem, known)?;
        let count = u16::try_from(of.values.len()).map_err(too_large)?;
        self.cells.push(Cell {
            address: (pointer, offset),
            index: (of.index + count - 1) % count,
            store,
            overwritten: Vec::new(),
            kept: Some(own),
            ..of
        });
        Ok(())
    }

    /// The last store of a step to each address, and those before it, which nothing reads.
    fn last_stores(&self, stores: Vec<Place<'a>>) -> (Vec<Place<'a>>, Vec<Place<'a>>) {
        let wide = |s: Value<'a>| s.stored().map(width);
        let all = stores.clone();
        stores.into_iter().partition(|&(s, address)| {
            let later = |&(o, a): &Place<'a>| {
                o != s && a == address && wide(o) == wide(s) && self.a.is_available(s, o)
            };
            !all.iter().any(later)
        })
    }

    /// One cycle of exchanged words: swapped pointers where the nest loads them as such, lengths otherwise.
    fn add_cells(
        &mut self,
        cycle: &[usize],
        stores: &[Place<'a>],
        overwritten: &[Place<'a>],
        loads: &[Place<'a>],
    ) -> Result<(), Rejection> {
        let direct =
            |l: &Value<'a>| l.block().is_some_and(|b| self.a.loop_of(b) == Some(self.time));
        // A sweep's own loop may read the word again and again: what it reads is what the step begins with all the same.
        let of = |i: usize, pointer: bool| {
            let is_its = |(l, a): &&Place<'a>| {
                *a == stores[i].1 && (l.ty().kind() == TypeKind::Pointer) == pointer
            };
            let found = || loads.iter().filter(is_its).map(|&(l, _)| l);
            found().find(direct).or_else(|| found().next())
        };
        let as_pointers = cycle.iter().map(|&i| of(i, true)).collect::<Option<Vec<_>>>();
        let is_pointer = as_pointers.is_some();
        let Some(first) = as_pointers.or_else(|| cycle.iter().map(|&i| of(i, false)).collect())
        else {
            return Ok(());
        };
        let mut values = Vec::new();
        for (load, &i) in first.into_iter().zip(cycle) {
            let (pointer, offset) = stores[i].1;
            let elem = match load.ty().kind() {
                TypeKind::Int(32) => ElemType::I32,
                _ => ElemType::I64,
            };
            // Every step stores there, whatever the conditions are under which this load reads it.
            let align = |v: Value<'a>| v.alignment().unwrap_or(1);
            let when = When::sure(vec![self.steps.clone()]);
            let known = (align(load).min(align(stores[i].0)), when);
            let place = (pointer, offset);
            values.push(self.add_load_where(load, pointer.operand(), place, elem, known)?);
        }
        let rotation = if is_pointer {
            let initial = values
                .iter()
                .map(|&v| Ok((self.pointer(v)?, Poly::zero())))
                .collect::<Result<_, Rejection>>()?;
            self.rotations.push(RotationFact::new(initial));
            Some(u16::try_from(self.rotations.len() - 1).map_err(too_large)?)
        } else {
            None
        };
        for (index, &i) in cycle.iter().enumerate() {
            let (store, address) = stores[i];
            let gone = overwritten.iter().filter(|(_, a)| *a == address);
            self.cells.push(Cell {
                address,
                rotation,
                index: index as u16,
                width: store.stored().map_or(8, width),
                store,
                overwritten: gone.map(|&(s, _)| s).collect(),
                values: values.clone(),
                kept: None,
            });
        }
        Ok(())
    }

    /// The load's address changes in the nest.
    pub fn moves(&mut self, load: Value<'a>) -> bool {
        self.fixed_address(load).is_none()
    }

    fn fixed_address(&mut self, access: Value<'a>) -> Option<(Known<'a>, i64)> {
        self.constant_address(access.pointer()?).ok()?
    }

    /// The words, for the guard.
    pub fn exchanged_words(&mut self) -> Result<Vec<Exchanged>, Rejection> {
        let places: Vec<_> = self.cells.iter().map(|c| (c.address, c.width as u8)).collect();
        let word =
            |((base, offset), bytes)| Ok(Exchanged { pointer: self.pointer(base)?, offset, bytes });
        places.into_iter().map(word).collect()
    }

    /// What lies there is one of the words, or a part of one.
    pub fn is_exchanged(&self, pointer: u16, offset: &Poly, bytes: u64) -> bool {
        let (Some(offset), base) = (offset.as_constant(), self.pointers[usize::from(pointer)])
        else {
            return false;
        };
        self.cells.iter().any(|c| {
            let (own, start) = c.address;
            own == base && offset < start + c.width && start < offset + bytes as i64
        })
    }

    /// The exchanged word whose value, when the step begins, a load reads.
    pub fn cell_of(&mut self, load: Value<'a>) -> Option<Cell<'a>> {
        if self.cells.is_empty() || load.opcode() != Some(Opcode::LLVMLoad) {
            return None;
        }
        let address = self.fixed_address(load)?;
        let is_its =
            |c: &&Cell<'a>| c.address == address && c.width == width(load) && c.kept.is_none();
        let mut cell = self.cells.iter().find(is_its).cloned()?;
        if self.a.is_available(cell.store, load) {
            cell.index = (cell.index + 1) % u16::try_from(cell.values.len()).ok()?;
        }
        Some(cell)
    }

    /// A part of an exchanged word (two sizes that are exchanged as one): where all words of the cycle are equal, it does
    /// not change.
    pub fn part_of_cell(
        &mut self,
        load: Value<'a>,
        ext: Extension,
    ) -> Result<Option<Poly>, Rejection> {
        let TypeKind::Int(32) = load.ty().kind() else { return Ok(None) };
        let Some((base, offset)) = self.fixed_address(load) else { return Ok(None) };
        let holds = |c: &&Cell<'a>| {
            let (start, end) = (c.address.1, c.address.1 + c.width);
            let here = c.address.0 == base && start <= offset && offset + 4 <= end;
            c.rotation.is_none() && c.kept.is_none() && here
        };
        let Some(cell) = self.cells.iter().find(holds).cloned() else { return Ok(None) };
        self.equal_values(&cell.values, ext)?;
        let part = self.add_load(load, base.operand(), base, offset, ElemType::I32)?;
        let mut found = Vec::new();
        let part = self.leaf(part, ext, &mut found)?;
        self.checks.extend(found);
        Ok(Some(part))
    }
}
