//! What one attempt at a time loop has learnt: its loops, parameters, pointers and the values behind them.

use super::affine::{Extension, Found, push_check, too_large};
use super::bindings::{Evidence, InvariantLoad, Operand};
use super::blocks::Blocked;
use super::branches::{Region, Split};
use super::chains::Start;
use super::collapsed::Collapsed;
use super::exchange::Cell;
use super::nest;
use super::places::Divisor;
use super::tables::{Holds, KnownTable};
use super::turns::Turns;
use crate::llvm::{Analyses, Block, LoopRef, Opcode, ScevRef, TypeKind, Value, ValueKind};
use hexpass_abi::{CheckKind, ElemType, Entry, IntExpr, Lookup, Poly, Sym, Table};
use hexpass_poly::facts::{ModFact, RotationFact, ScalarFact};
use hexpass_poly::rejection::{Reason, Rejection};
use std::collections::{HashMap, HashSet};

/// One attempt at one time loop.
pub struct Context<'a> {
    pub a: &'a Analyses<'a>,
    pub time: LoopRef<'a>,
    pub preheader: Block<'a>,
    pub header: Block<'a>,
    pub latch: Block<'a>,
    /// The block that the time loop is left from.
    pub exiting: Block<'a>,
    pub exit: Block<'a>,
    /// Space loops by id; the trip counts stand beside them.
    pub loops: Vec<LoopRef<'a>>,
    pub trips: Vec<IntExpr>,
    /// Loops that a memcpy stands for, numbered after all of `loops`.
    pub extra_loops: usize,
    /// Loops with several counters.
    pub collapsed: Vec<Collapsed<'a>>,
    /// Loops that are cut into blocks.
    pub blocks: Vec<Blocked<'a>>,
    pub extra_trips: Vec<IntExpr>,
    pub steps: IntExpr,
    pub ints: Vec<Known<'a>>,
    pub int_names: Vec<String>,
    pub pointers: Vec<Known<'a>>,
    pub pointer_names: Vec<String>,
    pub scalars: Vec<Known<'a>>,
    pub scalar_facts: Vec<ScalarFact>,
    pub loads: Vec<InvariantLoad>,
    /// The instruction each of `loads` stands for, and the type it reads.
    pub load_sources: Vec<(Value<'a>, ElemType)>,
    /// Base and constant offset of each of `loads`.
    pub load_bases: Vec<(Known<'a>, i64)>,
    pub mods: Vec<ModFact>,
    pub rotations: Vec<RotationFact>,
    /// Pointer phis of the time loop's header: (rotation, element).
    pub rotating: HashMap<Value<'a>, (u16, u16)>,
    /// Integer phis of the header whose turns have been looked for.
    pub turning_ints: HashMap<Value<'a>, Option<Turns>>,
    /// Those of them that the turns of others are counted from, where they start anywhere.
    pub references: Vec<(Value<'a>, Turns)>,
    /// Pointers whose turn the step decides: (rotation, element), or none.
    pub turning: HashMap<Value<'a>, Option<(u16, u16)>>,
    /// Underlying objects that the nest stores to; a load from one of them is never taken as invariant.
    pub stored_objects: Vec<Value<'a>>,
    /// Pointers in memory that the time loop exchanges: their address and which element of which rotation they are.
    pub cells: Vec<Cell<'a>>,
    /// Integer phis of the header that go round with the pointers (slice lengths): what they start with.
    pub int_cycles: HashMap<Value<'a>, Vec<Value<'a>>>,
    /// Checks that hold for the whole nest.
    pub checks: Vec<Found>,
    /// The iterations that are being looked at.
    pub region: Region,
    /// Why the last attempt gave up, if the region was too large for one answer.
    pub split: Option<Split>,
    /// Tables of rows and sizes, and what the facts say of each.
    pub tables: Vec<KnownTable<'a>>,
    pub table_facts: Vec<Table>,
    /// Their entries that the statement in the making reads.
    pub entries: Vec<Entry>,
    /// What is looked up in them, whatever the statements read.
    pub lookups: Vec<Lookup>,
    /// Those of `loads` that stand for entries of a table: their source reads others too.
    pub entry_loads: Vec<u16>,
    /// Loops whose trip counts are being looked for.
    pub measured: Vec<LoopRef<'a>>,
    /// Rotations of what lies at an offset from the pointers of another rotation.
    pub derived: HashMap<(u16, i64, bool), Vec<Known<'a>>>,
    /// And their own numbers, of pointers.
    pub derived_rotations: HashMap<(u16, i64), u16>,
    /// Integer parameters that are whole multiples of so many bytes.
    pub whole_strides: Vec<(u16, i64)>,
    /// Formulas that code has been made for before the nest.
    pub expanded: HashMap<ScevRef<'a>, Value<'a>>,
    /// Loads that are known to read no table.
    pub no_table: HashSet<(Value<'a>, Holds)>,
    /// Where tables of tables start, once somebody has asked.
    pub nested_starts: Option<HashSet<Start<'a>>>,
    /// Loads of which it is being asked when they are reached.
    pub asked: Vec<Value<'a>>,
    /// Blocks of which it is being asked when steps go the rare way there.
    pub asked_rare: Vec<Block<'a>>,
    /// Blocks of checks that are being said for a load behind them.
    pub asked_checks: Vec<Block<'a>>,
    /// What is looked up where the step says and is being asked for: the checks before it may compare with the same.
    pub asked_turns: Vec<(Known<'a>, Turns)>,
    /// Integer parameters that the guard checks to be equal to others, and to what.
    pub equals: HashMap<u16, Poly>,
    /// What loops before the nest have counted up to.
    pub counted: Vec<CountedBefore<'a>>,
    /// Loops before the nest that are being read as if they stood at that iteration ([`super::numbers`]).
    pub filling: Vec<(LoopRef<'a>, Poly)>,
    /// What the function stores to arrays of numbers before the nest, by the bytes of a number.
    pub fills: HashMap<(Known<'a>, u8), Vec<Value<'a>>>,
}

/// `start + step · n` after `n` iterations of a loop that the nest is not in, or in which it stands.
#[derive(Clone, Debug)]
pub struct CountedBefore<'a> {
    pub by: LoopRef<'a>,
    /// Of its type.
    pub bits: u32,
    pub start: Poly,
    pub step: i64,
    /// The parameter that it is.
    pub value: Poly,
}

/// Why what is loaded is not the same in all steps.
const EXCHANGED: &str = "a pointer, size or coefficient is read from memory that the loop nest also writes; copy it to a local variable before the loop";

impl<'a> Context<'a> {
    /// The counter of a loop of the nest; none if it has several.
    pub fn symbol_of(&self, l: LoopRef<'a>) -> Option<Sym> {
        if l == self.time {
            return Some(Sym::Time);
        }
        if self.collapsed.iter().any(|c| c.own == l) {
            return None;
        }
        self.loops.iter().position(|&x| x == l).and_then(|i| u16::try_from(i).ok()).map(Sym::Iv)
    }

    /// True if `v` is known before the time loop starts.
    pub fn is_outside(&self, v: Value<'a>) -> bool {
        let counts = |b| self.time.contains(b) || self.filling.iter().any(|(l, _)| l.contains(b));
        !v.block().is_some_and(|b| v.opcode().is_some() && counts(b))
    }

    /// True if the formula is the same in all of the nest.
    pub fn is_steady(&self, scev: ScevRef<'a>) -> bool {
        let around = [self.time].into_iter().chain(self.filling.iter().map(|(l, _)| *l));
        around.into_iter().all(|l| self.a.is_invariant(scev, l))
    }

    /// Code for `scev` at the end of the preheader, the same value each time.
    pub fn expand(&mut self, scev: ScevRef<'a>) -> Option<Value<'a>> {
        if let Some(&known) = self.expanded.get(&scev) {
            return Some(known);
        }
        let made = self.a.expand(scev, scev.ty()?, self.preheader.terminator()?)?;
        self.expanded.insert(scev, made);
        Some(made)
    }

    /// The id of a base pointer.
    pub fn pointer(&mut self, known: Known<'a>) -> Result<u16, Rejection> {
        let id = match self.pointers.iter().position(|p| *p == known) {
            Some(i) => i,
            None => {
                self.pointers.push(known);
                let name = name_of(known);
                self.pointer_names.push(name);
                self.pointers.len() - 1
            }
        };
        u16::try_from(id).map_err(too_large)
    }

    /// The id of a loop-invariant value of a body.
    pub fn scalar(&mut self, known: Known<'a>, ty: ElemType) -> Result<u16, Rejection> {
        let id = match self.scalars.iter().position(|p| *p == known) {
            Some(i) => i,
            None => {
                self.scalars.push(known);
                let name = name_of(known);
                self.scalar_facts.push(ScalarFact { name, ty });
                self.scalars.len() - 1
            }
        };
        u16::try_from(id).map_err(too_large)
    }

    /// A load in the nest from an address that does not change there, done once before the nest.
    pub fn invariant_load(&mut self, load: Value<'a>) -> Result<Known<'a>, Rejection> {
        let refuse = |what: &str| {
            Err(Rejection::new(Reason::BasePointer, what.to_string())
                .at(load.location().map(|l| l.line)))
        };
        if load.opcode() != Some(Opcode::LLVMLoad)
            || load.effects().volatile
            || load.effects().atomic
        {
            return refuse("a value that the loop nest depends on changes in it");
        }
        let own = |(i, &(v, _)): (usize, &(Value<'a>, ElemType))| {
            v == load && !self.entry_loads.iter().any(|&e| usize::from(e) == i)
        };
        if let Some(i) = self.load_sources.iter().enumerate().position(own) {
            let place = self.load_bases[i];
            if self.cells.iter().any(|cell| cell.may_meet(load, place)) {
                return refuse(EXCHANGED);
            }
            return Ok(Known::Load(u16::try_from(i).map_err(too_large)?));
        }
        let address = load.pointer().ok_or_else(|| too_strange("load"))?;
        let Some((pointer, offset)) = self.steady_address(address)? else {
            return refuse(
                "a pointer or size is loaded from an address that changes in the loop nest",
            );
        };
        let written = match pointer {
            Known::Value(v) => self.stored_objects.contains(&v.underlying_object()),
            _ => false,
        };
        let exchanged = self.cells.iter().any(|cell| cell.may_meet(load, (pointer, offset)));
        if (written || exchanged) && !self.a.is_invariant_load(load, self.time) {
            return refuse(EXCHANGED);
        }
        // The same address and type read elsewhere is the same value.
        let raw_ty = load.ty().raw();
        let operand = pointer.operand();
        if let Some(i) = self
            .loads
            .iter()
            .position(|l| l.pointer == operand && l.offset == offset && l.ty == raw_ty)
        {
            return Ok(Known::Load(u16::try_from(i).map_err(too_large)?));
        }
        let ty = match load.ty().kind() {
            TypeKind::Pointer => ElemType::I64,
            ty => elem_type(ty).ok_or_else(|| {
                Rejection::new(
                    Reason::ElementType,
                    "a value of a type that is not handled is loaded in the nest",
                )
            })?,
        };
        self.add_load(load, operand, pointer, offset, ty)
    }

    pub fn add_load(
        &mut self,
        load: Value<'a>,
        operand: Operand,
        pointer: Known<'a>,
        offset: i64,
        ty: ElemType,
    ) -> Result<Known<'a>, Rejection> {
        let when = match self.reached_if(load, Data::Decides) {
            Ok(requires) => When::sure(requires),
            Err(_) => {
                let requires = self.reached_if(load, Data::IsIgnored)?;
                When { requires, evidence: self.beside(operand) }
            }
        };
        let align = load.alignment().unwrap_or(1);
        self.add_load_where(load, operand, (pointer, offset), ty, (align, when))
    }

    /// Why a load from the pointer may be made that the original makes under a condition on data: it may be a field of a
    /// structure others of which are read surely.
    fn beside(&self, operand: Operand) -> Evidence {
        let is_sure = |l: &&InvariantLoad| l.pointer == operand && l.evidence == Evidence::Sure;
        let sure = self.loads.iter().find(is_sure);
        sure.map_or(Evidence::Asked, |l| Evidence::Beside(l.offset))
    }

    /// The same where it is known when what it reads may be read, and how it is aligned.
    pub fn add_load_where(
        &mut self,
        load: Value<'a>,
        operand: Operand,
        (pointer, offset): (Known<'a>, i64),
        ty: ElemType,
        (align, When { requires, evidence }): (u32, When),
    ) -> Result<Known<'a>, Rejection> {
        self.loads.push(InvariantLoad {
            pointer: operand,
            offset,
            // A place that steps only store to is read before the nest as what they leave there.
            ty: load.stored().unwrap_or(load).ty().raw(),
            align,
            requires,
            evidence,
        });
        self.load_sources.push((load, ty));
        self.load_bases.push((pointer, offset));
        Ok(Known::Load(u16::try_from(self.loads.len() - 1).map_err(too_large)?))
    }

    /// (pointer, bytes) of an address that does not change in the nest.
    pub fn constant_address(
        &mut self,
        address: Value<'a>,
    ) -> Result<Option<(Known<'a>, i64)>, Rejection> {
        let Some(scev) = self.a.scev(address) else { return Ok(None) };
        let Some(base) = self.a.pointer_base(scev) else { return Ok(None) };
        let Some(base_value) = base.value() else { return Ok(None) };
        let Some(offset) = self.a.minus(scev, base).and_then(|o| o.constant()) else {
            return Ok(None);
        };
        let known = if self.is_outside(base_value) {
            Known::Value(base_value)
        } else if base_value.opcode() == Some(Opcode::LLVMLoad) {
            self.invariant_load(base_value)?
        } else {
            return Ok(None);
        };
        Ok(Some((known, offset)))
    }

    /// The same where the bytes are not constant either, but known before the nest: an element of a table that a variable
    /// names (`u[old][i][j]`).
    pub fn steady_address(
        &mut self,
        address: Value<'a>,
    ) -> Result<Option<(Known<'a>, i64)>, Rejection> {
        if let Some(known) = self.constant_address(address)? {
            return Ok(Some(known));
        }
        let Some(scev) = self.a.scev(address) else { return Ok(None) };
        let Some(base) = self.a.pointer_base(scev) else { return Ok(None) };
        let Some(value) = base.value() else { return Ok(None) };
        let Some(bytes) = self.a.minus(scev, base) else { return Ok(None) };
        if !self.a.is_invariant(bytes, self.time) {
            return Ok(None);
        }
        if self.is_outside(value) {
            return Ok(self.computed(address, scev).map(|v| (Known::Value(v), 0)));
        }
        if value.opcode() != Some(Opcode::LLVMLoad) {
            return Ok(None);
        }
        let Known::Load(i) = self.invariant_load(value)? else { return Ok(None) };
        let by = bytes.value().unwrap_or(address);
        Ok(self.computed(by, bytes).map(|v| (Known::Moved(i, v), 0)))
    }

    /// The value of a formula before the nest, the same each time; `like` if that is it.
    fn computed(&mut self, like: Value<'a>, scev: ScevRef<'a>) -> Option<Value<'a>> {
        if self.is_outside(like) && self.a.scev(like) == Some(scev) {
            return Some(like);
        }
        self.expand(scev)
    }

    /// What is positive exactly when control reaches `block` in an iteration of `l`, for a load in it; that does not depend
    /// on what is loaded.
    pub fn reached_for(
        &mut self,
        load: Value<'a>,
        l: LoopRef<'a>,
        block: Block<'a>,
    ) -> Result<Option<IntExpr>, Rejection> {
        if self.asked.contains(&load) {
            return Err(loaded_under_condition(load));
        }
        self.asked.push(load);
        let reached = self.reached(l, block);
        self.asked.pop();
        reached
    }

    /// What must be positive for `v` to be executed at all: trip counts, conditions on sizes.
    fn reached_if(&mut self, v: Value<'a>, data: Data) -> Result<Vec<IntExpr>, Rejection> {
        let conditional = || loaded_under_condition(v);
        let mut requires = Vec::new();
        let mut block = v.block().ok_or_else(conditional)?;
        let mut at = self.a.loop_of(block);
        while let Some(l) = at {
            // A loop's header is executed whenever the loop is entered, also without an iteration.
            let in_header = block == l.header();
            if !in_header {
                let passed = |b| l.latch().is_some_and(|latch| self.a.dominates(b, latch));
                if !passed(block) {
                    // In the version of a loop that is believed to run, or under a condition on sizes.
                    let says = match nest::believed_version(self.a, l, block) {
                        Some((from, says)) if passed(from) => Some(self.condition(says, true)),
                        Some(_) => return Err(conditional()),
                        None => match self.reached_for(v, l, block) {
                            Err(_) if data == Data::IsIgnored => None,
                            says => says.transpose(),
                        },
                    };
                    if let Some(says) = says {
                        requires.push(says.map_err(|_| conditional())?);
                    }
                }
                if l == self.time {
                    requires.push(self.steps.clone());
                } else {
                    let own = self.loops.iter().zip(&self.trips).filter(|(x, _)| **x == l);
                    let before = requires.len();
                    requires.extend(own.map(|(_, trip)| trip.clone()));
                    if requires.len() == before {
                        return Err(conditional());
                    }
                }
            }
            if l == self.time {
                self.unless_rare(v, block, &mut requires)?;
                break;
            }
            block = l.preheader().ok_or_else(conditional)?;
            at = l.parent();
        }
        self.unless_failing(v, &[], Data::Decides, &mut requires)?;
        requires.reverse();
        Ok(requires)
    }

    /// The checks behind which `load` stands: in the first iterations of all loops they don't fail, and neither in the
    /// second of each of `walks`, whose next entry is read too. An empty vector's elements lie nowhere. What can't be said
    /// of parameters alone is not asked, nor what data may leave out, where that is ignored. Refuses what a check looks up itself.
    pub fn unless_failing(
        &mut self,
        load: Value<'a>,
        walks: &[LoopRef<'a>],
        data: Data,
        requires: &mut Vec<IntExpr>,
    ) -> Result<(), Rejection> {
        let Some(block) = load.block() else { return Ok(()) };
        for from in self.time.exiting_blocks() {
            let fails = |b: &Block<'a>| self.time.fails_at(*b) && !b.is_rare_path();
            let stays = match from.successors()[..] {
                [a, b] if fails(&b) => a,
                [a, b] if fails(&a) => b,
                _ => continue,
            };
            let (true, Some(branch)) =
                (from != block && self.a.dominates(from, block), from.terminator())
            else {
                continue;
            };
            if data == Data::IsIgnored && self.may_leave_out(from) {
                continue;
            }
            if self.asked_checks.contains(&from) {
                return Err(loaded_under_condition(load));
            }
            self.asked_checks.push(from);
            let found = self.said_aside(|c, found| c.never_fails(branch, stays, found));
            self.asked_checks.pop();
            for f in found.unwrap_or_default() {
                self.require_first(&f.value, walks, requires)?;
            }
        }
        Ok(())
    }

    /// Not all iterations of its loop come to the block.
    fn may_leave_out(&mut self, block: Block<'a>) -> bool {
        let Some(l) = self.a.loop_of(block) else { return false };
        let split = self.split.take();
        let covers = self.covers(l, &[block]);
        self.split = split;
        matches!(covers, Ok(false))
    }

    /// What is said of a check wherever it is met, without effect on what is being looked at: regions to split, entries
    /// that the guard looks up.
    fn said_aside(
        &mut self,
        say: impl FnOnce(&mut Self, &mut Vec<Found>) -> Result<(), Rejection>,
    ) -> Option<Vec<Found>> {
        let (split, entries) = (self.split.take(), std::mem::take(&mut self.entries));
        let region = std::mem::take(&mut self.region);
        let mut found = Vec::new();
        let said = say(self, &mut found).is_ok();
        (self.split, self.entries, self.region) = (split, entries, region);
        said.then_some(found)
    }

    /// A check's value is not negative in the first iterations, nor in the second of each of `walks`; and what the guard
    /// takes to be the same as its parameters is.
    fn require_first(
        &mut self,
        value: &Poly,
        walks: &[LoopRef<'a>],
        requires: &mut Vec<IntExpr>,
    ) -> Result<(), Rejection> {
        // A remainder may be anything.
        if value.mentions_any(|s| !matches!(s, Sym::Int(_) | Sym::Iv(_) | Sym::Time)) {
            return Ok(());
        }
        let at = |second: Option<Sym>| {
            let counters = value.terms().iter().flat_map(|t| &t.symbols);
            let counters: Vec<Sym> =
                counters.copied().filter(|s| !matches!(s, Sym::Int(_))).collect();
            counters.into_iter().try_fold(value.clone(), |p, s| {
                p.substitute(s, &Poly::constant(i64::from(Some(s) == second)))
            })
        };
        let seconds: Vec<_> = walks.iter().filter_map(|&l| self.symbol_of(l)).map(Some).collect();
        let mut values = Vec::new();
        for second in [None].into_iter().chain(seconds) {
            values.push(at(second).map_err(too_large)?);
        }
        let mentioned = |p: &Poly| p.mentions_any(|s| value.mentions(s));
        let over_sizes = |p: &Poly| !p.mentions_any(|s| !matches!(s, Sym::Int(_)));
        let equal = self.checks.iter().filter(|c| c.kind == CheckKind::Size);
        values.extend(equal.map(|c| c.value.clone()).filter(|p| over_sizes(p) && mentioned(p)));
        for value in values {
            let positive = IntExpr::Poly(value.add(&Poly::constant(1)).map_err(too_large)?);
            let holds = value.as_constant().is_some_and(|c| c >= 0);
            if !holds && !requires.contains(&positive) {
                requires.push(positive);
            }
        }
        Ok(())
    }

    /// What sends a step away from `block` to what hardly any step does, as far as it is said by sizes: storage that the
    /// first step has yet to allocate is not read. Refuses what depends on the load itself.
    pub fn unless_rare(
        &mut self,
        load: Value<'a>,
        block: Block<'a>,
        requires: &mut Vec<IntExpr>,
    ) -> Result<(), Rejection> {
        for from in self.time.exiting_blocks() {
            let successors = from.successors();
            let stays = match successors[..] {
                [a, b] if b.is_rare_path() => a,
                [a, b] if a.is_rare_path() => b,
                _ => continue,
            };
            let leads_here = from != block && self.a.dominates(from, block);
            if !leads_here || self.a.loop_of(from) != Some(self.time) {
                continue;
            }
            if self.asked_rare.contains(&from) {
                return Err(loaded_under_condition(load));
            }
            let condition = from.terminator().and_then(Value::condition);
            let wanted = successors[0] == stays;
            self.asked_rare.push(from);
            let says = condition.map(|c| self.says(c, wanted));
            self.asked_rare.pop();
            if let Some(Ok(says)) = says {
                requires.push(says);
            }
        }
        Ok(())
    }

    /// What is positive exactly when the condition is `wanted`, which may be known before the nest.
    fn says(&mut self, condition: Value<'a>, wanted: bool) -> Result<IntExpr, Rejection> {
        if !self.is_outside(condition) || condition.ty().kind() != TypeKind::Int(1) {
            return self.condition(condition, wanted);
        }
        // As a number it is 0, or -1 where it holds.
        let mut found = Vec::new();
        let says = self.leaf(Known::Value(condition), Extension::Signed, &mut found)?;
        self.checks.extend(found);
        let says = match wanted {
            true => says.scale(-1),
            false => says.add(&Poly::constant(1)),
        };
        Ok(IntExpr::Poly(says.map_err(too_large)?))
    }

    /// A length that goes round with its array: the nest is taken only where all of the cycle are equal, and then it
    /// does not change.
    pub fn cycle_value(
        &mut self,
        phi: Value<'a>,
        ext: Extension,
    ) -> Option<Result<Poly, Rejection>> {
        let initial: Vec<_> = self.int_cycles.get(&phi)?.iter().map(|&v| Known::Value(v)).collect();
        Some(self.equal_values(&initial, ext))
    }

    pub fn equal_values(
        &mut self,
        initial: &[Known<'a>],
        ext: Extension,
    ) -> Result<Poly, Rejection> {
        let mut first: Option<Poly> = None;
        let mut found = Vec::new();
        for &v in initial {
            let p = self.leaf(v, ext, &mut found)?;
            match &first {
                None => first = Some(p),
                Some(f) => {
                    let difference = f.sub(&p).map_err(too_large)?;
                    let reverse = p.sub(f).map_err(too_large)?;
                    push_check(&mut self.checks, difference, CheckKind::Size);
                    push_check(&mut self.checks, reverse, CheckKind::Size);
                }
            }
        }
        self.checks.extend(found);
        first.ok_or_else(|| too_strange("length"))
    }

    /// Learns which pointer and integer phis of the header go round in a cycle.
    pub fn find_rotations(&mut self) -> Result<(), Rejection> {
        for phi in phis(self.header) {
            let is_pointer = phi.ty().kind() == TypeKind::Pointer;
            if self.rotating.contains_key(&phi) || self.int_cycles.contains_key(&phi) {
                continue;
            }
            let mut cycle = vec![phi];
            let closed = loop {
                let last = cycle[cycle.len() - 1];
                let Some(next) = last.incoming_from(self.latch).map(peel) else { break false };
                if next == phi {
                    break true;
                }
                if !self.is_header_phi(next) || cycle.contains(&next) || cycle.len() > 7 {
                    break false;
                }
                cycle.push(next);
            };
            if !closed || cycle.len() < 2 {
                continue;
            }
            if !is_pointer {
                let initial: Option<Vec<_>> =
                    cycle.iter().map(|p| p.incoming_from(self.preheader)).collect();
                if let (Some(initial), TypeKind::Int(_)) = (initial, phi.ty().kind()) {
                    for &p in &cycle {
                        self.int_cycles.insert(p, initial.clone());
                    }
                }
                continue;
            }
            let mut initial = Vec::new();
            for &p in &cycle {
                let start = p.incoming_from(self.preheader).ok_or_else(|| {
                    Rejection::new(
                        Reason::BasePointer,
                        "the pointers that the time loop swaps have no single start",
                    )
                })?;
                let (base, offset) = self.outside_address(start)?;
                initial.push((base, offset));
            }
            let rotation = u16::try_from(self.rotations.len()).map_err(too_large)?;
            self.rotations.push(RotationFact::new(initial));
            for (i, &p) in cycle.iter().enumerate() {
                self.rotating.insert(p, (rotation, i as u16));
            }
        }
        Ok(())
    }

    /// What an integer that changes places with others is in each iteration, first in iteration 0.
    pub(super) fn int_turns(&self, v: Value<'a>) -> Option<Vec<Value<'a>>> {
        let len = self.int_cycles.get(&v)?.len();
        let (mut out, mut at) = (Vec::with_capacity(len), v);
        for _ in 0..len {
            out.push(at.incoming_from(self.preheader)?);
            at = peel(at.incoming_from(self.latch)?);
        }
        Some(out)
    }

    /// A pointer computed before the nest, as (base, bytes).
    pub(super) fn outside_address(&mut self, v: Value<'a>) -> Result<(u16, Poly), Rejection> {
        let whole = |c: &mut Self| Ok((c.pointer(Known::Value(v))?, Poly::zero()));
        let Some(scev) = self.a.scev(v) else { return whole(self) };
        let Some(base) = self.a.pointer_base(scev) else { return whole(self) };
        let Some(base_value) = base.value().filter(|&b| self.is_outside(b)) else {
            return whole(self);
        };
        let Some(offset) = self.a.minus(scev, base) else { return whole(self) };
        let mut found = Vec::new();
        match self.poly(offset, Extension::Signed, &mut found) {
            Ok(offset) if found.is_empty() => Ok((self.pointer(Known::Value(base_value))?, offset)),
            _ => whole(self),
        }
    }

    /// A phi of the time loop's header.
    pub fn is_header_phi(&self, v: Value<'a>) -> bool {
        v.opcode() == Some(Opcode::LLVMPHI) && v.block() == Some(self.header)
    }
}

/// What a condition on data does that a load stands under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data {
    /// Nothing says that the load is made.
    Decides,
    IsIgnored,
}

/// When a load may be made before the nest, as in [`InvariantLoad`].
pub struct When {
    pub requires: Vec<IntExpr>,
    pub evidence: Evidence,
}

impl When {
    /// Wherever these are positive.
    pub fn sure(requires: Vec<IntExpr>) -> When {
        When { requires, evidence: Evidence::Sure }
    }
}

/// A value known before the nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Known<'a> {
    /// A value that dominates the preheader's end.
    Value(Value<'a>),
    /// `Context::loads[i]`.
    Load(u16),
    /// The first of two loads less the second, as addresses.
    Difference(u16, u16),
    /// `Context::loads[i]`, an address as a number.
    Address(u16),
    /// `Context::loads[i]`, a pointer, and so many bytes.
    Moved(u16, Value<'a>),
    /// The integer parameter, divided and rounded down.
    Quotient(u16, Divisor),
    /// What is left then, never negative.
    Remainder(u16, Divisor),
}

impl Known<'_> {
    /// The same for emission.
    pub fn operand(self) -> Operand {
        match self {
            Known::Value(v) => Operand::Value(v.raw()),
            Known::Load(i) => Operand::Load(i),
            Known::Difference(a, b) => Operand::Difference(a, b),
            Known::Address(i) => Operand::Address(i),
            Known::Moved(i, by) => Operand::Moved(i, by.raw()),
            Known::Quotient(of, by) => Operand::Quotient(of, by),
            Known::Remainder(of, by) => Operand::Remainder(of, by),
        }
    }
}

/// A name for messages.
pub fn name_of(known: Known<'_>) -> String {
    match known {
        Known::Value(v) => match (written_name(v), v.kind()) {
            (Some(name), _) => name,
            (_, ValueKind::Argument(i)) => format!("argument {}", i + 1),
            _ => "a local value".into(),
        },
        Known::Load(i) => format!("pointer or value {} read from memory", i + 1),
        Known::Difference(..) => "the distance between rows".into(),
        Known::Address(i) => format!("address {} read from memory", i + 1),
        Known::Moved(i, _) => format!("an element of pointer {} read from memory", i + 1),
        Known::Quotient(..) => "a place or stride, divided".into(),
        Known::Remainder(..) => "what the division of a place or stride leaves".into(),
    }
}

/// The name of a value, or of the variable that it is read from, without what the compiler adds to names that somebody
/// has written; nothing if nobody has.
fn written_name(v: Value<'_>) -> Option<String> {
    let written = |v: Value<'_>| {
        let name = v.name();
        let end = name.find(".sroa.").unwrap_or(name.len());
        (end > 0).then(|| name[..end].to_owned())
    };
    let from = || v.pointer().map(Value::underlying_object).and_then(written);
    written(v).or_else(from)
}

/// The phis of a block.
pub fn phis(block: Block<'_>) -> Vec<Value<'_>> {
    block.instructions().into_iter().take_while(|i| i.opcode() == Some(Opcode::LLVMPHI)).collect()
}

/// The value behind phis that only hand one on (LCSSA).
pub fn peel(mut v: Value<'_>) -> Value<'_> {
    for _ in 0..64 {
        match single_incoming(v) {
            Some(next) => v = next,
            None => break,
        }
    }
    v
}

/// What a phi with one predecessor hands on.
pub fn single_incoming(v: Value<'_>) -> Option<Value<'_>> {
    if v.opcode() != Some(Opcode::LLVMPHI) {
        return None;
    }
    match v.incoming().as_slice() {
        [(x, _)] => Some(*x),
        _ => None,
    }
}

/// The element type of a value's type.
pub fn elem_type(ty: TypeKind) -> Option<ElemType> {
    Some(match ty {
        TypeKind::Float => ElemType::F32,
        TypeKind::Double => ElemType::F64,
        TypeKind::Int(8) => ElemType::I8,
        TypeKind::Int(16) => ElemType::I16,
        TypeKind::Int(32) => ElemType::I32,
        TypeKind::Int(64) => ElemType::I64,
        _ => return None,
    })
}

fn loaded_under_condition(load: Value<'_>) -> Rejection {
    Rejection::new(
        Reason::ControlFlow,
        "a pointer or size is loaded under a condition in the loop nest",
    )
    .at(load.location().map(|l| l.line))
}

fn too_strange(what: &str) -> Rejection {
    Rejection::new(Reason::Operation, format!("a {what} of a form that is not handled"))
}
