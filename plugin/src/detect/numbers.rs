//! Numbers of neighbours that stand in arrays: `u[next[i]][j]`, where `next[i]` is `(i + 1) % n`, and `u[i + dx[3]]`, where
//! `dx[3]` is 1.
//!
//! A number that is looked up at a line of one counter, in an array that the nest does not write, is taken to be what the
//! function has last stored to that place before the nest, as far as its stores are followed: the stored value is read as if
//! the loop that filled the array stood at the counter's place. Nothing is proved. The guard compares every entry that a
//! statement reads with what it is taken for ([`TableEntries::Numbers`]), so that a store which was not followed is a
//! guard that fails.
//!
//! Consumes a load and the stores before the nest; produces a polynomial, and an entry for the guard to look at.

use super::affine::{Extension, Found, push_check, too_large};
use super::branches::Truth;
use super::chains::Root;
use super::context::{Context, Known, name_of, peel};
use super::nest;
use crate::llvm::{LoopRef, Opcode, ScevRef, TypeKind, Value};
use hexpass_abi::{CheckKind, Entry, IntExpr, Poly, Sym, Table, TableEntries};
use hexpass_poly::rejection::Rejection;

/// Fixed numbers are known if they are no larger: those of directions, not sizes, which somebody may want to change.
const LARGEST: i64 = 64;
/// Stores that fill a table of fixed numbers, at least.
const FEWEST: usize = 3;

/// Where in a table of numbers a load reads: entry `index` of those that lie `stride` bytes apart.
struct Line {
    /// None: the one entry.
    counter: Option<u16>,
    stride: i64,
    field: i64,
    index: Poly,
}

impl Line {
    /// Of a byte offset that moves on with one counter, upwards.
    fn of(offset: &Poly) -> Option<Line> {
        let mut counters = offset.terms().iter().flat_map(|t| &t.symbols);
        let counter = counters.find_map(|s| match s {
            Sym::Iv(i) => Some(*i),
            _ => None,
        })?;
        let (factor, rest) = offset.split(Sym::Iv(counter))?;
        let stride = factor.as_constant().filter(|s| *s > 0)?;
        if rest.mentions_any(|s| !matches!(s, Sym::Int(_))) {
            return None;
        }
        let field = rest.constant_part().rem_euclid(stride);
        let inside = offset.sub(&Poly::constant(field)).ok()?;
        let index = inside.exact_div(&Poly::constant(stride))?;
        Some(Line { counter: Some(counter), stride, field, index })
    }
}

impl<'a> Context<'a> {
    /// What a load of a number finds; `None` where it is not known.
    pub fn number(
        &mut self,
        load: Value<'a>,
        found: &mut Vec<Found>,
    ) -> Result<Option<Poly>, Rejection> {
        let bytes = match load.ty().kind() {
            TypeKind::Int(32) => 4,
            TypeKind::Int(64) => 8,
            _ => return Ok(None),
        };
        if !self.filling.is_empty() {
            return Ok(None);
        }
        let Some((Root::Fixed(root), way)) = self.way_through(load)? else { return Ok(None) };
        if let Known::Value(v) = root
            && self.stored_objects.contains(&v.underlying_object())
        {
            return Ok(None);
        }
        let offset = self.poly(way, Extension::Signed, found)?;
        let Some(line) = Line::of(&offset) else { return Ok(None) };
        let fills = self.fills_of((root, bytes), load);
        // What is the same in all entries may be a size.
        if bytes == 8 && !fills.iter().any(|&store| self.counts_up(store)) {
            return Ok(None);
        }
        // First who reaches the place; else, where sizes have several names, who may: a region that has no iterations.
        for surely in [true, false] {
            for &store in &fills {
                if let Some(number) = self.filled(store, &line, surely)? {
                    return self.compared_number(&line, number, (root, bytes));
                }
            }
        }
        Ok(None)
    }

    /// The small number that a load finds at one place in a table, which the guard looks up there.
    pub fn fixed_number(&mut self, load: Value<'a>) -> Result<Option<Poly>, Rejection> {
        let Some((line, number, of)) = self.small_number(load)? else { return Ok(None) };
        self.compared_number(&line, Poly::constant(number), of)
    }

    /// The same of a number loaded before the nest, or passed to the function: the guard compares the number itself.
    pub fn known_number(&mut self, v: Value<'a>) -> Result<Option<i64>, Rejection> {
        let number = match v.opcode() {
            Some(_) => self.small_number(v)?.map(|(_, number, _)| number),
            None => self.a.likely_number(v).filter(|c| c.abs() <= LARGEST),
        };
        let Some(number) = number else { return Ok(None) };
        let parameter = Poly::symbol(Sym::Int(self.parameter(Known::Value(v))?));
        let more = parameter.sub(&Poly::constant(number)).map_err(too_large)?;
        let less = more.scale(-1).map_err(too_large)?;
        for value in [more, less] {
            push_check(&mut self.checks, value, CheckKind::Size);
        }
        Ok(Some(number))
    }

    /// Where it stands, the number, and in what, of so many bytes each.
    #[allow(clippy::type_complexity)] // three that belong together for a moment
    fn small_number(
        &mut self,
        load: Value<'a>,
    ) -> Result<Option<(Line, i64, (Known<'a>, u8))>, Rejection> {
        let bytes = match (load.opcode(), load.ty().kind()) {
            (Some(Opcode::LLVMLoad), TypeKind::Int(32)) => 4,
            (Some(Opcode::LLVMLoad), TypeKind::Int(64)) => 8,
            _ => return Ok(None),
        };
        let place = load.pointer().map(|p| self.constant_address(p)).transpose()?.flatten();
        let Some((root @ Known::Value(variable), at)) = place else { return Ok(None) };
        if !self.filling.is_empty() || self.stored_objects.contains(&variable.underlying_object()) {
            return Ok(None);
        }
        let stride = i64::from(bytes);
        let field = at.rem_euclid(stride);
        let index = Poly::constant(at.div_euclid(stride));
        let line = Line { counter: None, stride, field, index };
        let mut number = self.a.likely_number(load).map(Poly::constant);
        if number.is_none() && self.a.is_written_here_only(variable) {
            let fills = self.fills_of((root, bytes), load);
            for store in if fills.len() < FEWEST { Vec::new() } else { fills } {
                number = self.filled(store, &line, true)?;
                if number.is_some() {
                    break;
                }
            }
        }
        let number = number.and_then(|p| p.as_constant()).filter(|c| c.abs() <= LARGEST);
        Ok(number.map(|number| (line, number, (root, bytes))))
    }

    /// The stores before the nest that fill the array from which the load reads, the last ones first.
    fn fills_of(&mut self, of: (Known<'a>, u8), load: Value<'a>) -> Vec<Value<'a>> {
        if let Some(known) = self.fills.get(&of) {
            return known.clone();
        }
        let mut fills = Vec::new();
        let mut before = vec![self.preheader];
        let mut next = 0;
        while let Some(&block) = before.get(next) {
            next += 1;
            for i in block.instructions().into_iter().rev() {
                let stored = i.stored().filter(|v| v.ty() == load.ty());
                if stored.is_some() && self.leads_from(of.0, i) {
                    fills.push(i);
                }
            }
            for from in block.predecessors() {
                if !self.time.contains(from) && !before.contains(&from) {
                    before.push(from);
                }
            }
        }
        self.fills.insert(of, fills.clone());
        fills
    }

    /// What is stored differs from iteration to iteration.
    fn counts_up(&self, store: Value<'a>) -> bool {
        let value = store.stored().and_then(|v| self.a.scev(v));
        let around = store.block().and_then(|block| self.a.loop_of(block));
        value.zip(around).is_some_and(|(value, l)| !self.a.is_invariant(value, l))
    }

    /// The address of a store before the nest starts from the root, or from what lies where the root has been loaded.
    fn leads_from(&mut self, root: Known<'a>, store: Value<'a>) -> bool {
        let Some((base, _)) = self.way_from(store) else { return false };
        let place = match root {
            Known::Value(v) if peel(v) == base => return true,
            Known::Value(v) => self.loaded_from(v),
            Known::Load(i) => Some(self.load_bases[usize::from(i)]),
            _ => None,
        };
        place.is_some() && (self.loaded_from(base) == place || self.is_kept_at(base, place))
    }

    /// Where a pointer has been loaded from.
    fn loaded_from(&mut self, v: Value<'a>) -> Option<(Known<'a>, i64)> {
        let is_load = v.opcode() == Some(Opcode::LLVMLoad);
        self.constant_address(v.pointer().filter(|_| is_load)?).ok()?
    }

    /// The pointer has been stored there.
    fn is_kept_at(&mut self, v: Value<'a>, place: Option<(Known<'a>, i64)>) -> bool {
        let stores = v.users().into_iter().filter(|user| user.stored() == Some(v));
        let places: Vec<Value<'a>> = stores.filter_map(Value::pointer).collect();
        places.into_iter().any(|p| self.constant_address(p).is_ok_and(|p| p == place))
    }

    /// What an access outside of the nest starts from, and the bytes from there on.
    fn way_from(&self, access: Value<'a>) -> Option<(Value<'a>, ScevRef<'a>)> {
        let address = self.a.scev(access.pointer()?)?;
        let base = self.a.pointer_base(address)?;
        Some((peel(base.value()?), self.a.minus(address, base)?))
    }

    /// What the store has left where the line reads; `None` if it stores elsewhere, or that is not followed.
    fn filled(
        &mut self,
        store: Value<'a>,
        line: &Line,
        surely: bool,
    ) -> Result<Option<Poly>, Rejection> {
        let (Some((_, way)), Some(block)) = (self.way_from(store), store.block()) else {
            return Ok(None);
        };
        let mut around = self.a.loop_of(block);
        while let Some(l) = around.filter(|l| self.a.is_invariant(way, *l)) {
            around = l.parent();
        }
        let value = store.stored().and_then(|v| self.a.scev(v));
        let (Some(value), here) = (value, self.split.take()) else { return Ok(None) };
        let before = self.filling.len();
        let number = match around {
            None if surely => self.filled_once(way, value, line),
            None => Ok(None),
            Some(l) => self.filled_in(l, (way, store, surely), value, line),
        };
        self.filling.truncate(before);
        match number {
            // The region has to be split first.
            Err(why) if self.split.is_some() => Err(why),
            Err(_) => {
                self.split = here;
                Ok(None)
            }
            known => known,
        }
    }

    /// One entry.
    fn filled_once(
        &mut self,
        way: ScevRef<'a>,
        value: ScevRef<'a>,
        line: &Line,
    ) -> Result<Option<Poly>, Rejection> {
        let Some(distance) = self.distance(way, line)? else { return Ok(None) };
        match self.zero(&distance)? {
            Truth::Yes => self.poly(value, Extension::Signed, &mut Vec::new()).map(Some),
            Truth::No | Truth::Data => Ok(None),
        }
    }

    /// An entry in each iteration of a loop.
    fn filled_in(
        &mut self,
        l: LoopRef<'a>,
        (way, store, surely): (ScevRef<'a>, Value<'a>, bool),
        value: ScevRef<'a>,
        line: &Line,
    ) -> Result<Option<Poly>, Rejection> {
        self.filling.push((l, Poly::constant(1)));
        let Some(further) = self.distance(way, line)? else { return Ok(None) };
        self.filling.pop();
        self.filling.push((l, Poly::zero()));
        let Some(iteration) = self.distance(way, line)? else { return Ok(None) };
        self.filling.pop();
        let step = iteration.sub(&further).map_err(too_large)?;
        if step.as_constant() != Some(1) {
            return Ok(None);
        }
        self.filling.push((l, iteration.clone()));
        let trip = nest::exits(l).and_then(|exits| self.trip_count(l, &exits));
        self.split = None;
        let last = match trip {
            Ok(IntExpr::Poly(trip)) => trip.sub(&iteration).and_then(|p| p.sub(&Poly::constant(1))),
            _ => Ok(Poly::zero()),
        };
        for end in [iteration, last.map_err(too_large)?] {
            if surely && self.known_sign(&end) == Some(false) {
                return Ok(None);
            }
        }
        let reaches = store.block().map(|block| self.reachable(l, block)).transpose()?;
        if reaches == Some(false) {
            return Ok(None);
        }
        self.poly(value, Extension::Signed, &mut Vec::new()).map(Some)
    }

    /// How many entries the line's is behind the one at these bytes.
    fn distance(&mut self, way: ScevRef<'a>, line: &Line) -> Result<Option<Poly>, Rejection> {
        let at = self.poly(way, Extension::Signed, &mut Vec::new())?;
        let at = at.sub(&Poly::constant(line.field)).map_err(too_large)?;
        let Some(at) = at.exact_div(&Poly::constant(line.stride)) else { return Ok(None) };
        line.index.sub(&at).map(Some).map_err(too_large)
    }

    /// Has the guard compare the entry with the number.
    fn compared_number(
        &mut self,
        line: &Line,
        number: Poly,
        (root, bytes): (Known<'a>, u8),
    ) -> Result<Option<Poly>, Rejection> {
        let step = match line.counter {
            Some(i) => number.split(Sym::Iv(i)).ok_or_else(|| too_large(()))?.0,
            None => Poly::zero(),
        };
        let Some(step) = step.as_constant() else { return Ok(None) };
        let start = line.index.scale(step).and_then(|p| number.sub(&p)).map_err(too_large)?;
        if start.mentions_any(|s| !matches!(s, Sym::Int(_))) {
            return Ok(None);
        }
        let table = Table {
            name: name_of(root),
            roots: vec![(self.pointer(root)?, 0)],
            strides: vec![line.stride],
            fields: vec![line.field],
            entries: TableEntries::Numbers { bytes, step, start },
        };
        let known = self.table_facts.iter().position(|t| *t == table);
        let at = known.unwrap_or(self.table_facts.len());
        if known.is_none() {
            self.table_facts.push(table);
        }
        let table = u16::try_from(at).map_err(too_large)?;
        let entry = Entry { table, rotation: 0, index: vec![line.index.clone()] };
        if !self.entries.contains(&entry) {
            self.entries.push(entry);
        }
        Ok(Some(number))
    }
}
