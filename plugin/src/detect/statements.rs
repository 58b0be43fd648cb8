//! Consumes the blocks of a nest in program order; produces its statements: what is loaded, computed and stored in one
//! iteration of the innermost loop around it.
//!
//! Refuses `call`, `volatile-or-atomic`, `base-pointer`, `dependence` and whatever subscripts and bodies refuse.

mod asked;
mod moves;
mod ranges;

use super::affine::{Extension, Found, push_check, too_large};
use super::body::{BodyBuilder, Rounding, libm_function, type_of};
use super::context::{Context, Known, elem_type};
use super::guards::Guard;
use super::nest::{self, Node};
use crate::llvm::{Block, LoopRef, Opcode, ScevRef, Value};
use asked::Asked;
use hexpass_abi::{CheckKind, ElemType, Entry, IntExpr, Poly, Sym};
use hexpass_poly::body::{Op, ValueId};
use hexpass_poly::facts::{AccessFact, Base, CheckFact, StatementFact, StoreFact};
use hexpass_poly::rejection::{Reason, Rejection};
use moves::{Move, move_statement, moved, stretched};

/// Why a loop is not a nest of ours.
#[derive(Debug)]
pub enum Refusal {
    /// It does not look like a time loop at all: nothing to tell the user.
    NotATimeLoop,
    Rejected(Rejection),
}

impl From<Rejection> for Refusal {
    fn from(r: Rejection) -> Refusal {
        Refusal::Rejected(r)
    }
}

/// The statements of a nest in the making.
pub struct Statements<'a> {
    pub facts: Vec<StatementFact>,
    pub checks: Vec<CheckFact>,
    /// Something was fused, or approximation allowed.
    pub fused: bool,
    pub fast: bool,
    /// Loads done further out than their statement, to be held against all stores at the end.
    early: Vec<(AccessFact, Option<u32>)>,
    /// Checks, until a statement is found for them.
    pending: Vec<(Place, Found)>,
    /// Bounds checks of the source that conditions on data may leave out, until a statement under these is found.
    asked: Vec<Asked<'a>>,
    /// Copies and fills, whose element type comes from the other accesses.
    moves: Vec<Move<'a>>,
    how: Rounding,
}

/// Where a check stands.
#[derive(Clone, Debug)]
enum Place {
    /// In loops, whatever statements they hold.
    Loops(Vec<u16>),
    /// In the iterations of this statement, or in those where a value of its body is true. Those of copies are not counted
    /// yet.
    Statement(usize, Option<ValueId>),
}

/// A store of a run, with its place among the run's loads and stores.
struct Stored<'a> {
    at: usize,
    store: Value<'a>,
    block: Block<'a>,
    access: AccessFact,
}

/// What one look at a run of stores has found, at the iterations of one region.
#[derive(Default)]
struct Look {
    facts: Vec<StatementFact>,
    /// With the position among `facts`, and the value of that body under which they are asked.
    checks: Vec<(usize, Option<ValueId>, Found)>,
    /// Numbers of bounds checks that are among them.
    asked: Vec<usize>,
    /// What those look up, where they are asked.
    entries: Vec<Entry>,
    early: Vec<(AccessFact, Option<u32>)>,
    fused: bool,
    fast: bool,
}

/// Kinds of iterations that one loop body may be told apart into.
const MOST_REGIONS: usize = 64;

impl<'a> Statements<'a> {
    pub fn new(how: Rounding) -> Statements<'a> {
        Statements {
            facts: Vec::new(),
            checks: Vec::new(),
            fused: false,
            fast: false,
            early: Vec::new(),
            pending: Vec::new(),
            asked: Vec::new(),
            moves: Vec::new(),
            how,
        }
    }

    /// Walks `l`, whose counter and those around it are known, `loops` being the space loops around.
    pub fn walk(
        &mut self,
        c: &mut Context<'a>,
        l: LoopRef<'a>,
        loops: &[u16],
    ) -> Result<(), Refusal> {
        let exits = nest::exits(l)?;
        for &(branch, stays) in &exits.failing {
            // Those of inner loops are met there.
            if branch.block().and_then(|b| c.a.loop_of(b)) != Some(l) {
                continue;
            }
            match branch.block() {
                Some(block) if matches!(c.covers(l, &[block]), Ok(false)) => {
                    self.asked.push(Asked::new(branch, stays, block));
                }
                _ => self.check(c, l, (branch, stays), loops)?,
            }
        }
        let mut blocks: Vec<Block<'a>> = Vec::new();
        for node in nest::ordered(l) {
            match node {
                Node::Block(b) => blocks.push(b),
                Node::Loop(inner) => {
                    self.flush(c, l, &mut blocks, loops, exits.exiting)?;
                    self.enter(c, l, inner, loops)?;
                }
            }
        }
        self.flush(c, l, &mut blocks, loops, exits.exiting)?;
        self.rest_of_asked(c, l, loops)
    }

    /// A bounds check of the source; where its subscript depends on the position (it is clamped, say), for each region of
    /// iterations, over the box around it.
    fn check(
        &mut self,
        c: &mut Context<'a>,
        l: LoopRef<'a>,
        (branch, stays): (Value<'a>, Block<'a>),
        loops: &[u16],
    ) -> Result<(), Refusal> {
        let around = c.region.clone();
        let mut left = vec![around.clone()];
        let mut looked = 0;
        while let Some(region) = left.pop() {
            if region.is_empty(&|l| c.plain_trip(l)) {
                continue;
            }
            looked += 1;
            let mut found = Vec::new();
            c.region = region.clone();
            c.split = None;
            c.entries.clear();
            let result = match branch.block().map_or(Ok(true), |b| c.reachable(l, b)) {
                Ok(true) => c.never_fails(branch, stays, &mut found),
                // It is not met there.
                Ok(false) => Ok(()),
                Err(why) => Err(why),
            };
            c.region = around.clone();
            let result = result.and_then(|()| c.look_up(&region));
            match (result, c.split.take()) {
                (Ok(()), _) if region == around => {
                    if loops.is_empty() {
                        c.learn(&found)?;
                    }
                    let whole = found.into_iter().map(|f| (Place::Loops(loops.to_vec()), f));
                    self.pending.extend(whole);
                }
                (Ok(()), _) => {
                    for f in found {
                        for value in c.corners_within(&f.value, &region)? {
                            push_check(&mut c.checks, value, f.kind);
                        }
                    }
                }
                (Err(_), Some(split)) if looked <= 2 * MOST_REGIONS => {
                    left.extend(region.split(&split)?.into_iter().rev());
                }
                (Err(refusal), _) => return Err(refusal.into()),
            }
        }
        Ok(())
    }

    /// An inner loop: its counter, its trip count with the conditions around it, its body.
    fn enter(
        &mut self,
        c: &mut Context<'a>,
        outer: LoopRef<'a>,
        l: LoopRef<'a>,
        loops: &[u16],
    ) -> Result<(), Refusal> {
        let line = l.location().map(|p| p.line);
        if !l.is_simplified() {
            return Err(Rejection::new(Reason::MultiExit, "a loop has several ways in or round")
                .at(line)
                .into());
        }
        let before = l.preheader().expect("a simplified loop has a preheader");
        if c.is_other_version(outer, before)? {
            return Ok(());
        }
        let exits = nest::exits(l)?;
        c.entries.clear();
        let trip = c.trip_count(l, &exits)?;
        let trip = match c.reached(outer, before)? {
            None => trip,
            // Positive exactly when both are: a trip count is at most 2^31 for sizes that the guard lets through.
            Some(condition) => IntExpr::Min(Box::new(trip), Box::new(stretched(condition)?)),
        };
        c.look_up(&c.region.clone())?;
        let mut inside = loops.to_vec();
        inside.extend(c.count(l, trip)?);
        self.walk(c, l, &inside)
    }

    /// The stores of blocks that stand next to each other in one loop.
    fn flush(
        &mut self,
        c: &mut Context<'a>,
        l: LoopRef<'a>,
        blocks: &mut Vec<Block<'a>>,
        loops: &[u16],
        exiting: Block<'a>,
    ) -> Result<(), Refusal> {
        // Loads and stores in the order of the program.
        let mut group: Vec<Value<'a>> = Vec::new();
        for block in blocks.drain(..) {
            for i in block.instructions() {
                let effects = i.effects();
                let line = i.location().map(|p| p.line);
                if effects.volatile || effects.atomic {
                    let r = Rejection::new(
                        Reason::VolatileOrAtomic,
                        "a volatile or atomic access in the loop nest",
                    );
                    return Err(r.at(line).into());
                }
                let is_move = moved(i).is_some();
                if c.cells.iter().any(|cell| cell.is_stored_by(i)) {
                    continue;
                }
                if i.opcode() == Some(Opcode::LLVMLoad) {
                    group.push(i);
                    continue;
                }
                if !effects.writes && !effects.may_throw && effects.returns || is_harmless(i) {
                    continue;
                }
                if i.is_call() && libm_function(c, i).is_some() {
                    continue;
                }
                if i.opcode() != Some(Opcode::LLVMStore) && !is_move {
                    if i == block.terminator().unwrap_or(i) {
                        continue;
                    }
                    return Err(super::call_refusal(c, i).at(line).into());
                }
                if block == exiting && Some(block) != l.latch() {
                    let r =
                        Rejection::new(Reason::ControlFlow, "a store in the condition of a loop");
                    return Err(r.at(line).into());
                }
                if is_move {
                    c.entries.clear();
                    let condition = c.reached(l, block)?;
                    c.look_up(&c.region.clone())?;
                    self.regions(c, l, &std::mem::take(&mut group), loops)?;
                    self.moving(c, i, loops, condition)?;
                    continue;
                }
                group.push(i);
            }
        }
        self.regions(c, l, &group, loops)
    }

    /// The statements of a run of loads and stores in one loop, for each kind of iterations that its conditions on the
    /// position tell apart.
    fn regions(
        &mut self,
        c: &mut Context<'a>,
        l: LoopRef<'a>,
        group: &[Value<'a>],
        loops: &[u16],
    ) -> Result<(), Refusal> {
        if !group.iter().any(|i| i.opcode() == Some(Opcode::LLVMStore)) {
            return Ok(());
        }
        let around = c.region.clone();
        let mut left = vec![around.clone()];
        let mut looked = 0;
        let mut placed: Option<Vec<usize>> = None;
        while let Some(region) = left.pop() {
            if region.is_empty(&|l| c.plain_trip(l)) {
                continue;
            }
            looked += 1;
            c.region = region.clone();
            c.split = None;
            match (self.look(c, l, group, loops), c.split.take()) {
                (Ok(look), _) => {
                    match &mut placed {
                        Some(all) => all.retain(|number| look.asked.contains(number)),
                        None => placed = Some(look.asked.clone()),
                    }
                    self.take(look);
                }
                (Err(_), Some(split)) if looked <= 2 * MOST_REGIONS => {
                    left.extend(region.split(&split)?.into_iter().rev());
                }
                (Err(refusal), _) => {
                    c.region = around;
                    return Err(refusal);
                }
            }
        }
        c.region = around;
        for number in placed.unwrap_or_default() {
            self.asked[number].is_placed = true;
        }
        Ok(())
    }

    fn take(&mut self, look: Look) {
        let at = self.facts.len();
        let checks = look.checks.into_iter();
        self.pending.extend(checks.map(|(i, under, f)| (Place::Statement(at + i, under), f)));
        self.facts.extend(look.facts);
        self.early.extend(look.early);
        self.fused |= look.fused;
        self.fast |= look.fast;
    }

    /// Statements of a run of loads and stores: one, or several where a load sees an earlier store to another element
    /// of the same array.
    fn look(
        &self,
        c: &mut Context<'a>,
        l: LoopRef<'a>,
        group: &[Value<'a>],
        loops: &[u16],
    ) -> Result<Look, Refusal> {
        c.entries.clear();
        let mut stores = Vec::new();
        let mut found = Vec::new();
        for (at, &i) in group.iter().enumerate() {
            if i.opcode() != Some(Opcode::LLVMStore) {
                continue;
            }
            let block = i.block().ok_or(Refusal::NotATimeLoop)?;
            if !c.reachable(l, block)? {
                continue;
            }
            let (address, value) = (i.pointer().expect("a store"), i.stored().expect("a store"));
            let access = self.access(c, i, address, value, loops, &mut found)?;
            stores.push(Stored { at, store: i, block, access });
        }
        let mut look = Look::default();
        let mut rest = stores.as_slice();
        let mut before: Vec<&Stored<'a>> = Vec::new();
        while !rest.is_empty() {
            let taken = self.one(c, l, group, loops, (&before, rest), &mut look)?;
            before.extend(&rest[..taken]);
            rest = &rest[taken..];
        }
        let entries = c.look_up_sizes(&c.region.clone())?;
        for fact in &mut look.facts {
            fact.entries = [&entries[..], &look.entries].concat();
        }
        if look.facts.is_empty() {
            c.look_up_numbers(entries, &c.region.clone())?;
        } else {
            look.checks.extend(found.into_iter().map(|f| (0, None, f)));
        }
        Ok(look)
    }

    /// One statement of the first stores of `rest`, `before` being those of the statements before it: how many.
    fn one(
        &self,
        c: &mut Context<'a>,
        l: LoopRef<'a>,
        group: &[Value<'a>],
        loops: &[u16],
        (before, rest): (&[&Stored<'a>], &[Stored<'a>]),
        look: &mut Look,
    ) -> Result<usize, Refusal> {
        let mut b = BodyBuilder::default();
        let mut written: Vec<(AccessFact, ValueId)> = Vec::new();
        let mut taken = 0;
        let mut at = rest[0].at;
        for s in rest {
            let mut next = b.clone();
            if taken > 0 {
                self.see(c, l, &group[at..s.at], &mut written, &mut next)?;
            }
            let value = next.value(c, s.store.stored().expect("a store"), self.how)?;
            let from = (l.header(), s.block);
            let guard = next.guard(c, l, from, self.how)?;
            let same = |a: &AccessFact| a.base == s.access.base && a.offset == s.access.offset;
            let place = written.iter().position(|(a, _)| same(a));
            // What one place holds is a number of one type: bits that are moved as an integer, or a zero instead, are not
            // chosen between.
            let retyped = place.is_some_and(|i| written[i].0.elem != s.access.elem);
            if taken > 0 && (next.used_late || retyped) {
                break;
            }
            b = next;
            let ty = type_of(s.store.stored().expect("a store"))?;
            match (place, guard) {
                (_, Guard::Never) => {}
                (Some(i), Guard::Always) => written[i].1 = value,
                (Some(i), Guard::If(g)) => written[i].1 = b.choose(g, value, written[i].1, ty)?,
                (None, Guard::Always) => written.push((s.access.clone(), value)),
                (None, Guard::If(g)) => {
                    let blocks: Vec<_> =
                        rest.iter().filter(|o| same(&o.access)).map(|o| o.block).collect();
                    // Whatever way is taken, one of the stores is on it: the last choice needs no condition, where
                    // nobody looks before it.
                    let last = rest.iter().rfind(|o| same(&o.access)).map_or(s.at, |o| o.at);
                    let covers = c.covers(l, &blocks)?;
                    if covers && !self.looks(c, l, &group[s.at..last], &s.access)? {
                        written.push((s.access.clone(), value));
                    } else {
                        let old = b.read(s.store, !covers, ty)?;
                        let value = b.choose(g, value, old, ty)?;
                        written.push((AccessFact { maybe: !covers, ..s.access.clone() }, value));
                    }
                }
            }
            taken += 1;
            at = s.at + 1;
        }
        self.ask(c, l, &written, &mut b, look)?;
        self.finish_one(c, group, loops, (before, b, written), look)?;
        Ok(taken)
    }

    /// Those of the loads that the region lets control reach. Where it does not, their addresses mean nothing: a row that
    /// is found in a table may not be there.
    fn loads_of(
        &self,
        c: &mut Context<'a>,
        l: LoopRef<'a>,
        between: &[Value<'a>],
    ) -> Result<Vec<Value<'a>>, Refusal> {
        let mut loads = Vec::new();
        for &load in between.iter().filter(|i| i.opcode() == Some(Opcode::LLVMLoad)) {
            if c.reachable(l, load.block().ok_or(Refusal::NotATimeLoop)?)? {
                loads.push(load);
            }
        }
        Ok(loads)
    }

    /// One of these may load what the access writes, in the same instance or another.
    fn looks(
        &self,
        c: &mut Context<'a>,
        l: LoopRef<'a>,
        between: &[Value<'a>],
        stored: &AccessFact,
    ) -> Result<bool, Refusal> {
        for load in self.loads_of(c, l, between)? {
            let bytes = elem_type(load.ty().kind()).map_or(8, ElemType::size);
            match self.address(c, load.pointer().expect("a load"), &mut Vec::new()) {
                Ok((base, _)) if base != stored.base => {}
                Ok((_, offset)) if never_meet(stored, &offset, bytes) => {}
                Err(_) if c.split.is_some() => {
                    return Err(Rejection::new(Reason::ControlFlow, "an address").into());
                }
                _ => return Ok(true),
            }
        }
        Ok(false)
    }

    /// Loads behind stores of the statement: what they see is the stored value, or another statement's business. What each
    /// instance loads is there, also where a condition says whether it is stored.
    fn see(
        &self,
        c: &mut Context<'a>,
        l: LoopRef<'a>,
        between: &[Value<'a>],
        written: &mut [(AccessFact, ValueId)],
        b: &mut BodyBuilder<'a>,
    ) -> Result<(), Refusal> {
        for load in self.loads_of(c, l, between)? {
            let Ok((base, offset)) =
                self.address(c, load.pointer().expect("a load"), &mut Vec::new())
            else {
                if c.split.is_some() {
                    return Err(Rejection::new(Reason::ControlFlow, "an address").into());
                }
                continue;
            };
            let elem = elem_type(load.ty().kind());
            let bytes = elem.map_or(8, ElemType::size);
            let mut of_base =
                written.iter().filter(|(w, _)| w.base == base && !never_meet(w, &offset, bytes));
            let seen = written
                .iter()
                .position(|(w, _)| w.base == base && w.offset == offset && Some(w.elem) == elem);
            match seen {
                Some(i) => {
                    b.forward(load, written[i].1);
                    let block = load.block().ok_or(Refusal::NotATimeLoop)?;
                    if written[i].0.maybe && c.covers(l, &[block])? {
                        written[i].0.maybe = false;
                    }
                }
                None if of_base.any(|(w, _)| !b.in_other_plane(c, w, &offset, bytes)) => {
                    b.late.push(load)
                }
                None => {}
            }
        }
        Ok(())
    }

    /// The facts of one statement, once its body is known.
    fn finish_one(
        &self,
        c: &mut Context<'a>,
        group: &[Value<'a>],
        loops: &[u16],
        (before, mut b, written): (&[&Stored<'a>], BodyBuilder<'a>, Vec<(AccessFact, ValueId)>),
        look: &mut Look,
    ) -> Result<(), Refusal> {
        let mut loads = Vec::new();
        for (load, maybe) in
            std::mem::take(&mut b.loads).into_iter().zip(std::mem::take(&mut b.maybe))
        {
            let (pointer, value) = match load.stored() {
                Some(stored) => (load.pointer(), stored),
                None => (load.pointer(), load),
            };
            let pointer = pointer.expect("a load or store");
            let mut found = Vec::new();
            let access = self.access(c, load, pointer, value, loops, &mut found)?;
            match b.under.get(&load) {
                Some(&under) => b.asked.extend(found.into_iter().map(|f| (f, Some(under)))),
                None => b.found.extend(found),
            }
            let line = load.location().map(|p| p.line);
            match group.iter().position(|&i| i == load) {
                None => look.early.push((access.clone(), line)),
                // Read before a store that the model puts before it.
                Some(at)
                    if before.iter().any(|s| {
                        s.at > at
                            && may_meet(&s.access, &access)
                            && !b.in_other_plane(c, &s.access, &access.offset, access.elem.size())
                    }) =>
                {
                    let r = Rejection::new(
                        Reason::Dependence,
                        "a value is read before the iteration stores to its array, and used after another is read; store once, at the end",
                    );
                    return Err(r.at(line).into());
                }
                Some(_) => {}
            }
            // What each instance stores, or has been seen to load, is there.
            let there = |(w, _): &(AccessFact, ValueId)| {
                !w.maybe && w.base == access.base && w.offset == access.offset
            };
            let maybe = maybe && !written.iter().any(there);
            let offset = c.shortest(&access.offset)?;
            loads.push(AccessFact { maybe, offset, ..access });
        }
        if written.is_empty() {
            return Ok(());
        }
        let line = group.iter().find_map(|i| {
            (i.opcode() == Some(Opcode::LLVMStore)).then(|| i.location().map(|p| p.line))
        });
        let ended = |op: &Op| matches!(op, Op::Index(p) if uses_ended(p, loops));
        if b.body.values.iter().any(|v| ended(&v.op)) {
            let words = "a value uses the counter of a loop that has ended";
            return Err(Rejection::new(Reason::NonAffine, words).at(line.flatten()).into());
        }
        let stores = written.into_iter().map(|(access, value)| StoreFact { access, value });
        look.fused |= b.fused;
        look.fast |= b.fast;
        let statement = look.facts.len();
        look.checks.extend(b.found.into_iter().map(|f| (statement, None, f)));
        look.checks.extend(b.asked.into_iter().map(|(f, under)| (statement, under, f)));
        look.facts.push(StatementFact {
            loops: loops.to_vec(),
            conditions: c.region.conditions.clone(),
            loads,
            entries: Vec::new(),
            body: b.body,
            stores: stores.collect(),
            line: line.flatten(),
        });
        Ok(())
    }

    fn access(
        &self,
        c: &mut Context<'a>,
        at: Value<'a>,
        address: Value<'a>,
        value: Value<'a>,
        loops: &[u16],
        found: &mut Vec<Found>,
    ) -> Result<AccessFact, Refusal> {
        let line = at.location().map(|p| p.line);
        let elem = elem_type(value.ty().kind()).ok_or_else(|| {
            let pointer = value.ty().kind() == crate::llvm::TypeKind::Pointer;
            let (reason, words) = if pointer {
                (
                    Reason::BasePointer,
                    "pointers are stored in the loop nest; swap them in local variables",
                )
            } else {
                (
                    Reason::ElementType,
                    "an array element that is not float, double or an integer of 8 to 64 bits",
                )
            };
            Rejection::new(reason, words).at(line)
        })?;
        let in_place = |r: Rejection| if r.line.is_none() { r.at(line) } else { r };
        let before = found.len();
        let (mut base, mut offset) = self.address(c, address, found).map_err(in_place)?;
        // What a counter is when its loop has ended.
        if uses_ended(&offset, loops)
            && let Some(last) =
                c.a.scev(address).and_then(|s| c.a.at_scope(s, c.a.loop_of(at.block()?)))
        {
            found.truncate(before);
            (base, offset) = self.address_of(c, last, found).map_err(in_place)?;
        }
        if uses_ended(&offset, loops) {
            let r = Rejection::new(
                Reason::NonAffine,
                "a subscript uses the counter of a loop that has ended",
            );
            return Err(r.at(line).into());
        }
        if let Base::Pointer(pointer) = base
            && c.is_exchanged(pointer, &offset, elem.size())
        {
            let words = "a number lies in structures that the steps exchange, and goes with them; copy it to a local variable before the loop, or exchange pointers only";
            return Err(Rejection::new(Reason::BasePointer, words).at(line).into());
        }
        Ok(AccessFact { base, offset, elem, maybe: false })
    }

    /// (base, bytes) of an address.
    fn address(
        &self,
        c: &mut Context<'a>,
        v: Value<'a>,
        found: &mut Vec<Found>,
    ) -> Result<(Base, Poly), Rejection> {
        let scev = c.a.scev(v).ok_or_else(not_followed)?;
        self.address_of(c, scev, found)
    }

    fn address_of(
        &self,
        c: &mut Context<'a>,
        scev: ScevRef<'a>,
        found: &mut Vec<Found>,
    ) -> Result<(Base, Poly), Rejection> {
        let base = c.a.pointer_base(scev).ok_or_else(not_followed)?;
        let value = base.value().ok_or_else(not_followed)?;
        let peeled = super::context::peel(value);
        let exchanged = c.element(peeled)?;
        let base_fact = if let Some((rotation, index)) = exchanged {
            Base::Rotation { rotation, index }
        } else if c.is_outside(value) {
            Base::Pointer(c.pointer(Known::Value(value))?)
        } else if let Some((row, start)) = c.row(value, found)? {
            let offset = c.a.minus(scev, base).ok_or_else(not_followed)?;
            let offset = c.poly(offset, Extension::Signed, found)?;
            return Ok((row, start.add(&offset).map_err(too_large)?));
        } else if value.opcode() == Some(Opcode::LLVMLoad) {
            let known = c.invariant_load(value)?;
            Base::Pointer(c.pointer(known)?)
        } else {
            return Err(not_followed());
        };
        let offset = c.a.minus(scev, base).ok_or_else(not_followed)?;
        let offset = c.poly(offset, Extension::Signed, found)?;
        Ok((base_fact, offset))
    }

    /// Turns copies and fills into statements, finds a statement for every check, holds early loads against stores.
    pub fn finish(&mut self, c: &mut Context<'a>) -> Result<(), Refusal> {
        let others = self.facts.clone();
        for m in std::mem::take(&mut self.moves).into_iter().rev() {
            let fact = move_statement(c, &m, &others)?;
            let loops = Place::Loops(fact.loops.clone());
            self.pending.extend(m.found.into_iter().map(|f| (loops.clone(), f)));
            self.facts.insert(m.at, fact);
            for (place, _) in &mut self.pending {
                if let Place::Statement(at, _) = place
                    && *at >= m.at
                {
                    *at += 1;
                }
            }
        }
        for (load, line) in std::mem::take(&mut self.early) {
            let stores = self.facts.iter().flat_map(|s| &s.stores).map(|w| &w.access);
            for store in stores.filter(|w| w.base == load.base) {
                if !ranges::are_apart(&load, store, &c.trips)? {
                    let r = Rejection::new(
                        Reason::Dependence,
                        "an element is read before an inner loop that may store to it; read it where it is used",
                    );
                    return Err(r.at(line).into());
                }
            }
        }
        for (place, found) in std::mem::take(&mut self.pending) {
            let loops = match place {
                Place::Statement(at, under) => {
                    let counted = found.value.mentions_any(|s| matches!(s, Sym::Iv(_)));
                    let statement = counted.then_some(u16::try_from(at).map_err(too_large)?);
                    let (value, kind) = (found.value, found.kind);
                    let under = under.filter(|_| counted);
                    self.add_check(CheckFact { value, statement, under, kind });
                    continue;
                }
                Place::Loops(loops) => loops,
            };
            let needed: Vec<u16> =
                loops.iter().copied().filter(|&i| found.value.mentions(Sym::Iv(i))).collect();
            if needed.is_empty() {
                self.add_check(CheckFact::once(found.value, found.kind));
            } else if let Some(at) = self.place_of(c, &loops, &needed, &found)? {
                self.add_check(CheckFact {
                    value: found.value,
                    statement: Some(at),
                    under: None,
                    kind: found.kind,
                });
            } else {
                for value in c.corners(&found.value)? {
                    self.add_check(CheckFact::once(value, found.kind));
                }
            }
        }
        Ok(())
    }

    fn add_check(&mut self, check: CheckFact) {
        if !self.checks.contains(&check) {
            self.checks.push(check);
        }
    }

    /// The statement over whose instances a check is held that stands in `loops` and speaks of `needed`: the one with
    /// the fewest loops more. Those must then run at least once, or the check would be held over nothing where the
    /// original meets it. `None` if all such statements leave iterations out.
    fn place_of(
        &mut self,
        c: &Context<'a>,
        loops: &[u16],
        needed: &[u16],
        found: &Found,
    ) -> Result<Option<u16>, Refusal> {
        let more = |s: &StatementFact| {
            s.loops.iter().copied().filter(|i| !loops.contains(i)).collect::<Vec<_>>()
        };
        let place = (self.facts.iter().enumerate())
            .filter(|(_, s)| s.conditions.is_empty() && needed.iter().all(|i| s.loops.contains(i)))
            .min_by_key(|(_, s)| more(s).len());
        let Some((at, statement)) = place else {
            if self.facts.iter().any(|s| needed.iter().all(|i| s.loops.contains(i))) {
                return Ok(None);
            }
            return Err(Rejection::new(
                Reason::ControlFlow,
                "a check in a loop that stores nothing",
            )
            .into());
        };
        if found.kind == CheckKind::Bounds {
            for i in more(statement) {
                let trip = c
                    .trips
                    .get(usize::from(i))
                    .or_else(|| c.extra_trips.get(usize::from(i) - c.trips.len()));
                let mut positive = Vec::new();
                nest::conjuncts(trip.ok_or_else(|| too_large(()))?, &mut positive);
                for p in positive {
                    let value = p.sub(&Poly::constant(1)).map_err(too_large)?;
                    self.add_check(CheckFact::once(value, CheckKind::Size));
                }
            }
        }
        Ok(Some(u16::try_from(at).map_err(too_large)?))
    }
}

/// Said of addresses.
fn not_followed() -> Rejection {
    Rejection::new(
        Reason::BasePointer,
        "the address of an array changes in the loop nest in a way that is not followed",
    )
}

/// The formula speaks of the counter of a loop that is not among those around.
fn uses_ended(p: &Poly, loops: &[u16]) -> bool {
    p.mentions_any(|s| matches!(s, Sym::Iv(i) if !loops.contains(&i)))
}

/// Calls that say something to the optimiser and do nothing.
fn is_harmless(i: Value<'_>) -> bool {
    i.intrinsic().is_some_and(|n| {
        n.starts_with("llvm.dbg.")
            || n.starts_with("llvm.lifetime.")
            || matches!(
                n.as_str(),
                "llvm.assume"
                    | "llvm.experimental.noalias.scope.decl"
                    | "llvm.donothing"
                    | "llvm.pseudoprobe"
            )
    })
}

/// Elements of zero-dimensional arrays: what the guard must keep apart from every store.
pub fn invariant_reads(c: &mut Context<'_>) -> Result<Vec<AccessFact>, Rejection> {
    let exchanged: Vec<Known<'_>> =
        c.cells.iter().flat_map(|cell| cell.values.iter().copied().chain(cell.kept)).collect();
    let all: Vec<_> = c.load_sources.iter().map(|&(v, ty)| (v, ty)).collect();
    let mut out = Vec::new();
    for (i, (load, elem)) in all.into_iter().enumerate() {
        if c.a.is_invariant_load(load, c.time) && !exchanged.contains(&Known::Load(i as u16)) {
            continue;
        }
        let (known, offset) = c.load_bases[i];
        let pointer = c.pointer(known)?;
        let elem: ElemType = elem;
        let (base, offset) = (Base::Pointer(pointer), Poly::constant(offset));
        out.push(AccessFact { base, offset, elem, maybe: false });
    }
    Ok(out)
}

/// What is stored there and the `bytes` at that offset are different fields of structures: whatever the counters are,
/// they lie apart.
fn never_meet(stored: &AccessFact, offset: &Poly, bytes: u64) -> bool {
    let Ok(distance) = offset.sub(&stored.offset) else { return false };
    let own = |p: &Poly| {
        p.terms().iter().filter(|t| !t.symbols.is_empty()).fold(0, |g, t| gcd(g, t.coefficient))
    };
    // Both counted in the same steps: addresses of other instances differ by multiples of it.
    let size = gcd(own(offset), own(&stored.offset));
    let at = distance.constant_part();
    if size == 0 || distance.as_constant().is_none() {
        return false;
    }
    let after = at.rem_euclid(size);
    after >= stored.elem.size() as i64 && after + bytes as i64 <= size
}

/// What one instance stores and reads there may be the same.
fn may_meet(stored: &AccessFact, read: &AccessFact) -> bool {
    let distance = read.offset.sub(&stored.offset).ok().and_then(|d| d.as_constant());
    stored.base == read.base
        && distance.is_none_or(|d| d < stored.elem.size() as i64 && -d < read.elem.size() as i64)
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}
