//! Rows that are found through tables of pointers (`double **u`, `double ***u`, a vector of vectors), and sizes that
//! stand in such tables (the lengths of a `Vec`'s rows, or how far the end of a `std::vector`'s row is from its start).
//!
//! A load in the nest whose address moves from entry to entry is followed if the runtime can see that the entries are
//! regular: the rows a constant number of bytes apart, the sizes all the same. Then the first row that the nest surely
//! reaches, and the distance to the second, stand for all of them. Both are loaded before the nest where the original
//! reaches at least two rows; the guard compares every entry that the nest would read ([`hexpass_abi::Table`]).
//!
//! Consumes a load and everything else in the time loop that starts from the same root; produces a base and bytes, or a
//! parameter; refuses `base-pointer`.

use super::affine::{Extension, Found, too_large};
use super::bindings::{Evidence, InvariantLoad};
use super::chains::{Chain, Line, MOST_LEVELS, Root};
use super::context::{Context, Data, Known, elem_type, name_of, phis};
use super::nest;
use crate::llvm::{Block, Opcode, TypeKind, Value};
use hexpass_abi::{CheckKind, ElemType, Entry, IntExpr, Poly, Table, TableEntries};
use hexpass_poly::facts::{Base, RotationFact};
use hexpass_poly::rejection::{Reason, Rejection};

/// A table that has been understood.
#[derive(Clone, Debug)]
pub struct KnownTable<'a> {
    root: Root<'a>,
    strides: Vec<i64>,
    fields: Vec<i64>,
    holds: Holds,
    /// Number among the facts' tables.
    id: u16,
    /// Of slot 0, for each level: the byte offset of its reference entry.
    first: Vec<i64>,
    what: What,
    /// One of the loads that read it.
    like: Value<'a>,
}

/// What the entries of a table are read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Holds {
    Rows,
    Sizes,
    /// How far they are ahead of the word that lies so many bytes before each.
    Ahead(i64),
}

#[derive(Clone, Debug)]
enum What {
    Rows { base: Base, pitches: Vec<Poly> },
    Same(Poly),
}

/// A load that the nest surely makes, and that shows where a table's entries lie.
#[derive(Clone)]
pub(super) struct Witness<'a> {
    pub load: Value<'a>,
    pub slot: u16,
    pub lines: Vec<Line<'a>>,
}

impl<'a> Witness<'a> {
    /// It reads the word so many bytes before the one that the other reads, in the same iterations' entries.
    fn stands_before(&self, other: &Witness<'a>, bytes: i64) -> bool {
        let last = self.lines.len() - 1;
        let like = |(k, (own, its)): (usize, (&Line<'a>, &Line<'a>))| {
            let before = if k == last { bytes } else { 0 };
            let same = own.step == its.step && own.counter == its.counter;
            same && own.start.checked_add(before) == Some(its.start)
        };
        self.slot == other.slot && self.lines.iter().zip(&other.lines).enumerate().all(like)
    }
}

fn refuse(words: &str, load: Value<'_>) -> Rejection {
    Rejection::new(Reason::BasePointer, words).at(load.location().map(|p| p.line))
}

fn is_word(v: Value<'_>) -> bool {
    matches!(v.ty().kind(), TypeKind::Pointer | TypeKind::Int(64))
}

impl<'a> Context<'a> {
    /// The row that a load finds: where it starts, in bytes from a base. `None` if the load is no table's.
    pub fn row(
        &mut self,
        load: Value<'a>,
        found: &mut Vec<Found>,
    ) -> Result<Option<(Base, Poly)>, Rejection> {
        if load.ty().kind() != TypeKind::Pointer {
            return Ok(None);
        }
        let Some((table, index, slot)) = self.entry(load, Holds::Rows, found)? else {
            return Ok(None);
        };
        let What::Rows { base, pitches } = &table.what else { return Ok(None) };
        let mut offset = Poly::zero();
        for (k, pitch) in pitches.iter().enumerate() {
            let first = Poly::constant(table.first[k].div_euclid(table.strides[k]));
            let away = index[k].sub(&first).and_then(|x| x.mul(pitch));
            offset = away.and_then(|x| offset.add(&x)).map_err(too_large)?;
        }
        let base = match *base {
            Base::Rotation { rotation, .. } => Base::Rotation { rotation, index: slot },
            fixed => fixed,
        };
        Ok(Some((base, offset)))
    }

    /// The size that a load finds in a table.
    pub fn table_size(
        &mut self,
        load: Value<'a>,
        found: &mut Vec<Found>,
    ) -> Result<Option<Poly>, Rejection> {
        if load.ty().kind() != TypeKind::Int(64) {
            return Ok(None);
        }
        match self.entry(load, Holds::Sizes, found)? {
            Some((KnownTable { what: What::Same(size), .. }, ..)) => Ok(Some(size)),
            _ => Ok(None),
        }
    }

    /// How far one word of a table's entry is ahead of another, both of them addresses that are read in the nest.
    pub fn table_distance(
        &mut self,
        ahead: Value<'a>,
        behind: Value<'a>,
        found: &mut Vec<Found>,
    ) -> Result<Option<Poly>, Rejection> {
        if !self.moves(ahead) || !self.moves(behind) {
            return Ok(None);
        }
        let (Some(x), Some(y)) =
            (self.chain(ahead, MOST_LEVELS)?, self.chain(behind, MOST_LEVELS)?)
        else {
            return Ok(None);
        };
        let Some(bytes) = self.bytes_between(&x, &y).filter(|bytes| *bytes != 0) else {
            return Ok(None);
        };
        match self.entry(ahead, Holds::Ahead(bytes), found)? {
            Some((KnownTable { what: What::Same(distance), .. }, ..)) => Ok(Some(distance)),
            _ => Ok(None),
        }
    }

    /// How far what the first load reads lies behind what the second reads, in the same entry.
    fn bytes_between(&self, x: &Chain<'a>, y: &Chain<'a>) -> Option<i64> {
        let ((x_last, x_way), (y_last, y_way)) = (x.offsets.split_last()?, y.offsets.split_last()?);
        let same = x.root == y.root && x_way == y_way;
        self.a.minus(*x_last, *y_last)?.constant().filter(|_| same)
    }

    /// The rotation that a pointer is an element of: swapped itself, or found in structures that are swapped.
    pub fn element(&mut self, v: Value<'a>) -> Result<Option<(u16, u16)>, Rejection> {
        let own = self.rotating.get(&v).copied().or_else(|| {
            let cell = self.cell_of(v)?;
            Some((cell.rotation?, cell.index))
        });
        if own.is_some() || self.is_outside(v) {
            return Ok(own);
        }
        let Some((rotation, index, offset)) = self.in_rotation(v)? else {
            return self.turning_pointer(v);
        };
        if v.ty().kind() != TypeKind::Pointer || self.leads_to_rows(rotation)? {
            return Ok(None);
        }
        if let Some(&known) = self.derived_rotations.get(&(rotation, offset)) {
            return Ok(Some((known, index)));
        }
        let Some(loads) = self.in_each(v, rotation, offset)? else { return Ok(None) };
        let mut initial = Vec::new();
        for known in loads {
            initial.push((self.pointer(known)?, Poly::zero()));
        }
        self.rotations.push(RotationFact::new(initial));
        let id = u16::try_from(self.rotations.len() - 1).map_err(too_large)?;
        self.derived_rotations.insert((rotation, offset), id);
        Ok(Some((id, index)))
    }

    /// What an element of a rotation is before the nest, where a variable of its own holds it.
    pub(super) fn initial_element(&self, rotation: u16, element: u16) -> Option<Value<'a>> {
        let own = |phi: &Value<'a>| self.rotating.get(phi) == Some(&(rotation, element));
        phis(self.header).into_iter().find(own)?.incoming_from(self.preheader)
    }

    /// The pointers of a rotation lead to tables: the nest reads entries that move on with a counter there. One that does not
    /// (`u[0]`) is a row of them, too.
    fn leads_to_rows(&mut self, rotation: u16) -> Result<bool, Rejection> {
        let all = self.time.blocks().into_iter().flat_map(Block::instructions);
        let pointers: Vec<Value<'a>> = all
            .filter(|i| i.opcode() == Some(Opcode::LLVMLoad) && i.ty().kind() == TypeKind::Pointer)
            .collect();
        for load in pointers {
            let Some((of, bytes)) = self.way_to(load) else { continue };
            if bytes.constant().is_none()
                && self.turn_of(of)?.is_some_and(|(own, _)| own == rotation)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A size that stands in structures that are swapped, and must be the same in all.
    pub fn size_in_rotation(
        &mut self,
        v: Value<'a>,
        ext: Extension,
    ) -> Result<Option<Poly>, Rejection> {
        let Some((rotation, _, offset)) = self.in_rotation(v)? else { return Ok(None) };
        match self.in_each(v, rotation, offset)? {
            Some(loads) => self.equal_values(&loads, ext).map(Some),
            None => Ok(None),
        }
    }

    /// `(rotation, element, bytes)` of a load from a swapped pointer, or from one whose turn it is.
    fn in_rotation(&mut self, load: Value<'a>) -> Result<Option<(u16, u16, i64)>, Rejection> {
        let Some((of, bytes)) = self.way_to(load) else { return Ok(None) };
        let Some(bytes) = bytes.constant() else { return Ok(None) };
        Ok(self.turn_of(of)?.map(|(rotation, index)| (rotation, index, bytes)))
    }

    /// `(rotation, element)` of a swapped pointer, or of one whose turn it is, where both start at once.
    fn turn_of(&mut self, v: Value<'a>) -> Result<Option<(u16, u16)>, Rejection> {
        let element = match self.rotating.get(&v) {
            Some(&known) => Some(known),
            None if self.is_outside(v) => None,
            None => match self.cell_of(v) {
                Some(cell) => cell.rotation.map(|rotation| (rotation, cell.index)),
                None => self.turning_pointer(v)?,
            },
        };
        let fixed = |(r, _): &(u16, u16)| self.rotations[usize::from(*r)].turned.is_zero();
        Ok(element.filter(fixed))
    }

    /// What lies at this offset from each pointer of a rotation, loaded before the nest; `None` if the nest does not
    /// surely read all of them.
    fn in_each(
        &mut self,
        like: Value<'a>,
        rotation: u16,
        offset: i64,
    ) -> Result<Option<Vec<Known<'a>>>, Rejection> {
        let key = (rotation, offset, like.ty().kind() == TypeKind::Pointer);
        if let Some(known) = self.derived.get(&key) {
            return Ok(Some(known.clone()));
        }
        let all = self.time.blocks().into_iter().flat_map(Block::instructions);
        let loads: Vec<Value<'a>> =
            all.filter(|i| i.opcode() == Some(Opcode::LLVMLoad) && i.ty() == like.ty()).collect();
        let initial = self.rotations[usize::from(rotation)].initial.clone();
        let mut witnesses = Vec::new();
        for load in loads {
            if let Some((r, index, o)) = self.in_rotation(load)?
                && (r, o) == (rotation, offset)
            {
                witnesses.push(Witness { load, slot: index, lines: Vec::new() });
            }
        }
        let mut out = Vec::new();
        for (slot, (pointer, bytes)) in initial.iter().enumerate() {
            let Some(bytes) = bytes.as_constant() else { return Ok(None) };
            // The step in which the witness reads this one.
            let when =
                |w: &Witness<'_>| (slot + initial.len() - usize::from(w.slot)) % initial.len();
            witnesses.sort_by_key(when);
            let mut found = None;
            for w in &witnesses {
                if let Ok(requires) = self.walked(w, false, when(w), Data::Decides) {
                    found = Some((w.load, requires));
                    break;
                }
            }
            let Some((load, requires)) = found else { return Ok(None) };
            let root = self.pointers[usize::from(*pointer)];
            out.push(self.table_load(
                load,
                root,
                bytes + offset,
                true,
                (&requires, Evidence::Sure),
            )?);
        }
        self.derived.insert(key, out.clone());
        Ok(Some(out))
    }

    /// The table of a load, which entry it reads, and of which slot.
    fn entry(
        &mut self,
        load: Value<'a>,
        holds: Holds,
        found: &mut Vec<Found>,
    ) -> Result<Option<(KnownTable<'a>, Vec<Poly>, u16)>, Rejection> {
        let Some(chain) = self.chain(load, MOST_LEVELS)? else { return Ok(None) };
        if self.no_table.contains(&(load, holds)) {
            return Ok(None);
        }
        let mut offsets = Vec::new();
        for &o in &chain.offsets {
            offsets.push(self.poly(o, Extension::Signed, found)?);
        }
        let known = self.tables.iter().find(|t| t.explains(&chain.root, &offsets, holds)).cloned();
        let table = match known {
            Some(table) => table,
            None => {
                let Some(table) = self.learn_table(load, &chain, holds)? else {
                    self.no_table.insert((load, holds));
                    return Ok(None);
                };
                if !table.explains(&chain.root, &offsets, holds) {
                    return Err(refuse(
                        "the entries of a table of pointers are read at places that have nothing in common",
                        load,
                    ));
                }
                self.tables.push(table.clone());
                table
            }
        };
        let mut index = Vec::new();
        for (k, offset) in offsets.iter().enumerate() {
            let inside = offset.sub(&Poly::constant(table.fields[k])).map_err(too_large)?;
            let at = inside.exact_div(&Poly::constant(table.strides[k]));
            index.push(
                at.ok_or_else(|| refuse("a table of pointers is read between its entries", load))?,
            );
        }
        let entry = Entry { table: table.id, rotation: chain.root.slot(), index: index.clone() };
        if !self.entries.contains(&entry) {
            self.entries.push(entry);
        }
        Ok(Some((table, index, chain.root.slot())))
    }

    /// Everything in the time loop that reads the same table, as far as it says where the entries lie.
    fn witnesses(
        &mut self,
        load: Value<'a>,
        chain: &Chain<'a>,
    ) -> Result<Vec<Witness<'a>>, Rejection> {
        let all = self.time.blocks().into_iter().flat_map(Block::instructions);
        let loads: Vec<Value<'a>> = all
            .filter(|i| i.opcode() == Some(Opcode::LLVMLoad) && is_word(*i) && i.ty() == load.ty())
            .collect();
        let mut out = Vec::new();
        for other in loads {
            let Ok(Some(c)) = self.chain(other, MOST_LEVELS) else { continue };
            if !c.root.is_like(&chain.root) || c.offsets.len() != chain.offsets.len() {
                continue;
            }
            let mut lines = Vec::new();
            for &offset in &c.offsets {
                lines.extend(self.line(offset)?);
            }
            if lines.len() == c.offsets.len() {
                out.push(Witness { load: other, slot: c.root.slot(), lines });
            }
        }
        Ok(out)
    }

    /// A new table: its strides from the loads that walk through it, its rows from the first entries that the nest reads.
    /// `None` if nothing walks through it.
    fn learn_table(
        &mut self,
        load: Value<'a>,
        chain: &Chain<'a>,
        holds: Holds,
    ) -> Result<Option<KnownTable<'a>>, Rejection> {
        let mut witnesses = self.witnesses(load, chain)?;
        let time = self.time;
        // Who walks through all levels upwards: in each step, or with the steps (rows that keep them all).
        let each = |w: &Witness<'_>| w.lines.iter().all(|l| l.counter.is_some_and(|c| c != time));
        // Of a size, any entry will do: the end of the loop that walks may be the first row's.
        let stands = |w: &Witness<'_>| holds != Holds::Rows && w.lines.iter().all(|l| l.step == 0);
        let standing: Vec<_> = witnesses.iter().filter(|w| stands(w)).cloned().collect();
        witnesses.retain(|w| w.lines.iter().all(|l| l.step > 0 && l.counter.is_some()));
        if witnesses.iter().any(each) {
            witnesses.retain(each);
        }
        let own = witnesses.iter().find(|w| w.load == load).or(witnesses.first());
        let Some(own) = own else { return Ok(None) };
        let strides: Vec<i64> = own.lines.iter().map(|l| l.step).collect();
        let fields: Vec<i64> = own.lines.iter().map(|l| l.start.rem_euclid(l.step)).collect();
        let mut all = witnesses.clone();
        all.extend(standing.iter().cloned());
        let is_entry = |w: &Witness<'_>, moves: bool| {
            let same = |(l, (s, f)): (&Line<'_>, (&i64, &i64))| {
                l.step == if moves { *s } else { 0 } && l.start.rem_euclid(*s) == *f
            };
            w.lines.iter().zip(strides.iter().zip(&fields)).all(same)
        };
        witnesses.retain(|w| is_entry(w, true));
        let mut roots = Vec::new();
        let mut firsts: Vec<Vec<i64>> = Vec::new();
        let mut references: Vec<Vec<u16>> = Vec::new();
        for (slot, root) in self.roots_of(&chain.root, load)?.into_iter().enumerate() {
            roots.push((self.pointer(root)?, 0));
            // One size stands for those of all slots.
            if holds != Holds::Rows && !references.is_empty() {
                continue;
            }
            // Who reads this one in the first step, or when the tables have changed places; rather those that are surely
            // looked up.
            let count = usize::from(self.slots_of(&chain.root));
            let when = |w: &Witness<'_>| (slot + count - usize::from(w.slot)) % count;
            let mut mine: Vec<_> = witnesses.iter().collect();
            // What lies before the table is not looked up, whatever the conditions are.
            let before = |w: &Witness<'_>| w.lines.iter().any(|l| l.start < 0);
            mine.sort_by_key(|w| {
                (when(w), before(w), w.lines.iter().map(|l| l.start).collect::<Vec<_>>())
            });
            mine.extend(standing.iter().filter(|w| is_entry(w, false)));
            let ways = [Data::Decides, Data::IsIgnored];
            for (data, w) in ways.into_iter().flat_map(|d| mine.iter().map(move |w| (d, *w))) {
                let at = (&chain.root, root, when(w));
                if let Some(loads) = self.references(w, at, (&all, &strides), (holds, data))? {
                    references.push(loads);
                    firsts.push(w.lines.iter().map(|l| l.start).collect());
                    break;
                }
            }
            if holds == Holds::Rows && references.len() <= slot {
                break;
            }
        }
        if references.is_empty() || (holds == Holds::Rows && references.len() < roots.len()) {
            return Err(refuse(
                "rows are looked up in a table under conditions, or not in the first steps",
                load,
            ));
        }
        let id = u16::try_from(self.table_facts.len()).map_err(too_large)?;
        let (what, entries) = match holds {
            Holds::Rows => self.rows_of(&chain.root, &strides, &firsts, &references)?,
            Holds::Sizes | Holds::Ahead(_) => self.sizes_of(&references[0], holds)?,
        };
        let name = match chain.root {
            Root::Fixed(known) => name_of(known),
            Root::Rotating { .. } => self.pointer_names[usize::from(roots[0].0)].clone(),
        };
        let fact = Table { name, roots, strides: strides.clone(), fields: fields.clone(), entries };
        self.table_facts.push(fact);
        let first = firsts[0].clone();
        let like = load;
        Ok(Some(KnownTable { root: chain.root, strides, fields, holds, id, first, what, like }))
    }

    /// How many tables change places; one that stays.
    fn slots_of(&self, root: &Root<'a>) -> u16 {
        match *root {
            Root::Fixed(_) => 1,
            Root::Rotating { rotation, .. } => {
                self.rotations[usize::from(rotation)].initial.len() as u16
            }
        }
    }

    /// Where the tables of all slots start.
    fn roots_of(&self, root: &Root<'a>, load: Value<'a>) -> Result<Vec<Known<'a>>, Rejection> {
        let rotation = match *root {
            Root::Fixed(known) => return Ok(vec![known]),
            Root::Rotating { rotation, .. } => &self.rotations[usize::from(rotation)],
        };
        let start = |(pointer, offset): &(u16, Poly)| match offset.is_zero() {
            true => Ok(self.pointers[usize::from(*pointer)]),
            false => Err(refuse("a swapped table of pointers starts inside another", load)),
        };
        rotation.initial.iter().map(start).collect()
    }

    /// The loads that say what a table's entries are like: the first entry's, and what it is compared with or, of rows,
    /// those one further in each level. `None` if the nest does not surely make them.
    fn references(
        &mut self,
        w: &Witness<'a>,
        (of, root, step): (&Root<'a>, Known<'a>, usize),
        (all, strides): (&[Witness<'a>], &[i64]),
        (holds, data): (Holds, Data),
    ) -> Result<Option<Vec<u16>>, Rejection> {
        let rows = holds == Holds::Rows;
        let evidence = match data {
            Data::Decides => Evidence::Sure,
            Data::IsIgnored => Evidence::Asked,
        };
        let Ok(mut requires) = self.walked(w, rows, step, data) else { return Ok(None) };
        if rows && w.lines.len() > 1 {
            self.require_lengths(w, (of, root), strides[0], &mut requires)?;
        }
        let mut found = Vec::new();
        if let Holds::Ahead(bytes) = holds {
            let other = all.iter().filter(|o| o.stands_before(w, bytes));
            let mut other = other.map(|o| (o, self.walked(o, false, step, data)));
            let Some((other, Ok(requires))) = other.find(|(_, walked)| walked.is_ok()) else {
                return Ok(None);
            };
            found = self.reference_loads(other, root, strides, rows, (requires, evidence))?;
        }
        let mut loads = self.reference_loads(w, root, strides, rows, (requires, evidence))?;
        loads.append(&mut found);
        Ok(Some(loads))
    }

    /// The tables that the first two entries lead to are as long as checks take all to be: nothing lies in one that is
    /// empty.
    fn require_lengths(
        &mut self,
        w: &Witness<'a>,
        (of, root): (&Root<'a>, Known<'a>),
        stride: i64,
        requires: &mut Vec<IntExpr>,
    ) -> Result<(), Rejection> {
        let lengths = |t: &&KnownTable<'a>| {
            t.holds != Holds::Rows && t.root.is_like(of) && t.strides == [stride]
        };
        let known: Vec<KnownTable<'a>> = self.tables.iter().filter(lengths).cloned().collect();
        let first = w.lines[0].start - w.lines[0].start.rem_euclid(stride);
        for table in known {
            let What::Same(length) = &table.what else { continue };
            for entry in [first, first + stride] {
                let word = entry + table.fields[0];
                let sure = (requires.as_slice(), Evidence::Sure);
                let last = self.table_load(table.like, root, word, true, sure)?;
                let its = match (table.holds, last) {
                    (Holds::Ahead(bytes), Known::Load(ahead)) => {
                        match self.table_load(table.like, root, word - bytes, true, sure)? {
                            Known::Load(behind) => Known::Difference(ahead, behind),
                            _ => continue,
                        }
                    }
                    _ => last,
                };
                let its = self.leaf(its, Extension::Signed, &mut Vec::new())?;
                for (x, y) in [(&its, length), (length, &its)] {
                    let fits = x.sub(y).and_then(|d| d.add(&Poly::constant(1)));
                    let fits = IntExpr::Poly(fits.map_err(too_large)?);
                    if !requires.contains(&fits) && its != *length {
                        requires.push(fits);
                    }
                }
            }
        }
        Ok(())
    }

    /// What must be positive for the witness to be read in that step, at two entries of each level if they are rows.
    pub(super) fn walked(
        &mut self,
        w: &Witness<'a>,
        twice: bool,
        step: usize,
        data: Data,
    ) -> Result<Vec<IntExpr>, Rejection> {
        let conditional = || refuse("rows are looked up under a condition", w.load);
        let mut requires = Vec::new();
        let mut block = w.load.block().ok_or_else(conditional)?;
        let mut around = self.a.loop_of(block);
        while let Some(l) = around {
            if block != l.header() && !l.latch().is_some_and(|latch| self.a.dominates(block, latch))
            {
                match self.reached_for(w.load, l, block) {
                    Ok(says) => requires.extend(says),
                    Err(_) if data == Data::IsIgnored => {}
                    Err(_) => return Err(conditional()),
                }
            }
            let walks = w.lines.iter().any(|line| line.counter == Some(l));
            // A loop's header is executed whenever the loop is entered, also without an iteration.
            if block == l.header() && !walks && l != self.time {
                block = l.preheader().ok_or_else(conditional)?;
                around = l.parent();
                continue;
            }
            let trip = if l == self.time {
                let before = IntExpr::Poly(Poly::constant(-(step as i64)));
                super::affine::add(self.steps.clone(), before)?
            } else {
                match self.loops.iter().position(|&x| x == l) {
                    Some(_) if self.symbol_of(l).is_none() => return Err(conditional()),
                    Some(i) => self.trips[i].clone(),
                    None if self.measured.contains(&l) => return Err(conditional()),
                    None => {
                        let exits = nest::exits(l)?;
                        self.trip_count(l, &exits)?
                    }
                }
            };
            if twice && walks {
                let less = IntExpr::Poly(Poly::constant(-1));
                requires.push(super::affine::add(trip, less)?);
            } else {
                requires.push(trip);
            }
            if l == self.time {
                self.unless_rare(w.load, block, &mut requires)?;
                break;
            }
            block = l.preheader().ok_or_else(conditional)?;
            around = l.parent();
        }
        let further = w.lines.iter().filter(|_| twice).filter_map(|line| line.counter);
        self.unless_failing(w.load, &further.collect::<Vec<_>>(), data, &mut requires)?;
        requires.reverse();
        Ok(requires)
    }

    /// The first entry and, of rows, those one further in each level: numbers of loads.
    fn reference_loads(
        &mut self,
        w: &Witness<'a>,
        root: Known<'a>,
        strides: &[i64],
        rows: bool,
        (requires, evidence): (Vec<IntExpr>, Evidence),
    ) -> Result<Vec<u16>, Rejection> {
        let mut out = Vec::new();
        for further in 0..=if rows { w.lines.len() } else { 0 } {
            let mut at = root;
            for (k, line) in w.lines.iter().enumerate() {
                let step = if further == k + 1 { strides[k] } else { 0 };
                let last = k + 1 == w.lines.len();
                let place = line.start + step;
                at = self.table_load(w.load, at, place, last, (&requires, evidence))?;
            }
            let Known::Load(i) = at else { return Err(refuse("a table without entries", w.load)) };
            out.push(i);
        }
        Ok(out)
    }

    pub(super) fn table_load(
        &mut self,
        like: Value<'a>,
        pointer: Known<'a>,
        offset: i64,
        last: bool,
        (requires, evidence): (&[IntExpr], Evidence),
    ) -> Result<Known<'a>, Rejection> {
        // Entries that lead on are pointers, as the base of the last load is.
        let ty = if last { like.ty() } else { like.pointer().map_or(like.ty(), Value::ty) };
        let operand = pointer.operand();
        let same = |l: &InvariantLoad| {
            l.pointer == operand
                && l.offset == offset
                && l.ty == ty.raw()
                && l.requires == requires
                && l.evidence == evidence
        };
        if let Some(i) = self.loads.iter().position(same) {
            return Ok(Known::Load(u16::try_from(i).map_err(too_large)?));
        }
        self.loads.push(InvariantLoad {
            pointer: operand,
            offset,
            ty: ty.raw(),
            align: if last { like.alignment().unwrap_or(1) } else { 8 },
            requires: requires.to_vec(),
            evidence,
        });
        // Not the load itself: that one reads other entries too.
        let elem = if last { elem_type(like.ty().kind()) } else { None };
        self.load_sources.push((like, elem.unwrap_or(ElemType::I64)));
        self.load_bases.push((pointer, offset));
        let i = u16::try_from(self.loads.len() - 1).map_err(too_large)?;
        self.entry_loads.push(i);
        Ok(Known::Load(i))
    }

    /// Rows a constant distance apart, the same for all slots.
    fn rows_of(
        &mut self,
        root: &Root<'a>,
        strides: &[i64],
        firsts: &[Vec<i64>],
        references: &[Vec<u16>],
    ) -> Result<(What, TableEntries), Rejection> {
        let mut slots = Vec::new();
        let mut pitches: Vec<Poly> = Vec::new();
        for (first, loads) in firsts.iter().zip(references) {
            let base = self.pointer(Known::Load(loads[0]))?;
            let mut levels = Vec::new();
            for (k, &further) in loads[1..].iter().enumerate() {
                let distance = Known::Difference(further, loads[0]);
                let pitch = self.leaf(distance, Extension::Signed, &mut Vec::new())?;
                let id = self.ints.iter().position(|i| *i == distance).unwrap_or_default();
                levels
                    .push((first[k].div_euclid(strides[k]), u16::try_from(id).map_err(too_large)?));
                match pitches.get(k) {
                    None => pitches.push(pitch),
                    Some(p) => {
                        let more = p.sub(&pitch).map_err(too_large)?;
                        let less = pitch.sub(p).map_err(too_large)?;
                        super::affine::push_check(&mut self.checks, more, CheckKind::Size);
                        super::affine::push_check(&mut self.checks, less, CheckKind::Size);
                    }
                }
            }
            slots.push((base, levels));
        }
        let base = match root {
            Root::Fixed(_) => Base::Pointer(slots[0].0),
            Root::Rotating { .. } => {
                // Of each slot, the row that has the number of slot 0's first.
                let mut initial = Vec::new();
                for (base, levels) in &slots {
                    let mut offset = Poly::zero();
                    for (k, (first, _)) in levels.iter().enumerate() {
                        let rows = Poly::constant(slots[0].1[k].0 - first);
                        let bytes = rows.mul(&pitches[k]).map_err(too_large)?;
                        offset = offset.add(&bytes).map_err(too_large)?;
                    }
                    initial.push((*base, offset));
                }
                self.rotations.push(RotationFact::new(initial));
                let rotation = u16::try_from(self.rotations.len() - 1).map_err(too_large)?;
                Base::Rotation { rotation, index: 0 }
            }
        };
        Ok((What::Rows { base, pitches }, TableEntries::Rows(slots)))
    }

    /// One size in all entries of all slots.
    fn sizes_of(
        &mut self,
        references: &[u16],
        holds: Holds,
    ) -> Result<(What, TableEntries), Rejection> {
        let known = match references {
            [ahead, behind] => Known::Difference(*ahead, *behind),
            _ => Known::Load(references[0]),
        };
        let size = self.leaf(known, Extension::Signed, &mut Vec::new())?;
        let id = self.ints.iter().position(|i| *i == known).unwrap_or_default();
        let id = u16::try_from(id).map_err(too_large)?;
        let entries = match holds {
            Holds::Ahead(bytes) => TableEntries::Apart { ahead: id, bytes },
            Holds::Rows | Holds::Sizes => TableEntries::Same(id),
        };
        Ok((What::Same(size), entries))
    }
}

impl<'a> KnownTable<'a> {
    /// An access from this root, at these byte offsets, reads an entry of this table.
    fn explains(&self, root: &Root<'a>, offsets: &[Poly], holds: Holds) -> bool {
        let fits = |(offset, (stride, field)): (&Poly, (&i64, &i64))| {
            let whole = offset.sub(&Poly::constant(*field)).ok();
            whole.is_some_and(|p| p.exact_div(&Poly::constant(*stride)).is_some())
        };
        self.holds == holds
            && self.root.is_like(root)
            && self.strides.len() == offsets.len()
            && offsets.iter().zip(self.strides.iter().zip(&self.fields)).all(fits)
    }
}
