//! Consumes the blocks of a nest in program order; produces its statements: what is loaded, computed and stored in one
//! iteration of the innermost loop around it.
//!
//! Refuses `call`, `volatile-or-atomic`, `base-pointer`, `dependence` and whatever subscripts and bodies refuse.

use super::affine::{Extension, Found, too_large};
use super::body::{BodyBuilder, Rounding};
use super::context::{Context, Known, elem_type};
use super::nest::{self, Node};
use crate::llvm::{Block, LoopRef, Opcode, Value};
use hexpass_abi::{CheckKind, ElemType, IntExpr, Poly, Sym};
use hexpass_poly::body::{Body, Op, Ty, ValueId};
use hexpass_poly::facts::{AccessFact, Base, CheckFact, StatementFact, StoreFact};
use hexpass_poly::rejection::{Reason, Rejection};

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
    early: Vec<(Base, Option<u32>)>,
    /// Checks of branches, with the loops they stand in, until a statement is found for them.
    pending: Vec<(Vec<u16>, Found)>,
    /// Copies and fills, whose element type comes from the other accesses.
    moves: Vec<Move<'a>>,
    how: Rounding,
}

/// A memcpy, memmove or memset of zeros.
struct Move<'a> {
    /// Position among the statements.
    at: usize,
    loops: Vec<u16>,
    to: (Base, Poly),
    from: Option<(Base, Poly)>,
    bytes: Poly,
    /// Positive exactly when the call is reached.
    condition: Option<IntExpr>,
    call: Value<'a>,
    found: Vec<Found>,
}

impl<'a> Statements<'a> {
    pub fn new(how: Rounding) -> Statements<'a> {
        Statements {
            facts: Vec::new(),
            checks: Vec::new(),
            fused: false,
            fast: false,
            early: Vec::new(),
            pending: Vec::new(),
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
            let mut found = Vec::new();
            c.never_fails(branch, stays, &mut found)?;
            self.pending.extend(found.into_iter().map(|f| (loops.to_vec(), f)));
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
        self.flush(c, l, &mut blocks, loops, exits.exiting)
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
        let exits = nest::exits(l)?;
        let trip = c.trip_count(l, &exits)?;
        let before = l.preheader().expect("a simplified loop has a preheader");
        let trip = match c.reached(outer, before)? {
            None => trip,
            // Positive exactly when both are: a trip count is at most 2^31 for sizes that the guard lets through.
            Some(condition) => IntExpr::Min(Box::new(trip), Box::new(stretched(condition)?)),
        };
        let id = u16::try_from(c.loops.len()).map_err(too_large)?;
        c.loops.push(l);
        c.trips.push(trip);
        let mut inside = loops.to_vec();
        inside.push(id);
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
                if c.cells.iter().any(|cell| cell.store == i) {
                    continue;
                }
                if !effects.writes && !effects.may_throw && effects.returns || is_harmless(i) {
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
                let condition = c.reached(l, block)?;
                if is_move {
                    self.statement(c, l, std::mem::take(&mut group), loops)?;
                    self.moving(c, i, loops, condition)?;
                    continue;
                }
                if condition.is_some() {
                    let r = Rejection::new(
                        Reason::ControlFlow,
                        "a store under a condition inside a loop; put the whole loop under the condition",
                    );
                    return Err(r.at(line).into());
                }
                group.push(i);
            }
        }
        self.statement(c, l, group, loops)
    }

    /// Statements of a run of stores in one loop: one, or several where a load sees an earlier store.
    fn statement(
        &mut self,
        c: &mut Context<'a>,
        l: LoopRef<'a>,
        stores: Vec<Value<'a>>,
        loops: &[u16],
    ) -> Result<(), Refusal> {
        let mut rest = stores.as_slice();
        while let Some((first, others)) = rest.split_first() {
            let mut b = BodyBuilder::default();
            let mut written: Vec<(AccessFact, Value<'a>)> = Vec::new();
            let mut fact = StatementFact {
                loops: loops.to_vec(),
                loads: Vec::new(),
                body: Body::default(),
                stores: Vec::new(),
                line: first.location().map(|p| p.line),
            };
            let mut taken = 0;
            for &store in std::iter::once(first).chain(others) {
                if taken > 0 && !self.may_join(c, l, store, &written)? {
                    break;
                }
                let stored = store.stored().expect("a store");
                let value = b.value(c, stored, self.how)?;
                let access = self.access(
                    c,
                    store,
                    store.pointer().expect("a store"),
                    stored,
                    loops,
                    &mut b.found,
                )?;
                if access.offset.mentions(Sym::Time) {
                    return Err(Refusal::NotATimeLoop);
                }
                written.push((access.clone(), store));
                fact.stores.push(StoreFact { access, value });
                taken += 1;
            }
            for load in std::mem::take(&mut b.loads) {
                let access = self.access(
                    c,
                    load,
                    load.pointer().expect("a load"),
                    load,
                    loops,
                    &mut b.found,
                )?;
                if load.block().and_then(|x| c.a.loop_of(x)) != Some(l) {
                    self.early.push((access.base, load.location().map(|p| p.line)));
                } else if let Some((_, store)) = written
                    .iter()
                    .find(|(w, s)| w.base == access.base && c.a.is_available(*s, load))
                {
                    let r = Rejection::new(
                        Reason::Dependence,
                        "a value is read back from the array in the iteration that stores to it; keep it in a variable",
                    );
                    return Err(r.at(store.location().map(|p| p.line)).into());
                }
                fact.loads.push(access);
            }
            self.fused |= b.fused;
            self.fast |= b.fast;
            self.pending.extend(b.found.drain(..).map(|f| (loops.to_vec(), f)));
            fact.body = b.body;
            self.facts.push(fact);
            rest = &rest[taken..];
        }
        Ok(())
    }

    /// True if `store` belongs to the statement of the stores before it: nothing it is made of was loaded from what
    /// they write after they wrote it.
    fn may_join(
        &mut self,
        c: &mut Context<'a>,
        l: LoopRef<'a>,
        store: Value<'a>,
        written: &[(AccessFact, Value<'a>)],
    ) -> Result<bool, Refusal> {
        let mut probe = BodyBuilder::default();
        probe.value(c, store.stored().expect("a store"), self.how)?;
        for load in probe.loads {
            if load.block().and_then(|x| c.a.loop_of(x)) != Some(l) {
                continue;
            }
            let Some(base) = self.base_of(c, load.pointer().expect("a load"))? else { continue };
            if written.iter().any(|(w, s)| w.base == base && c.a.is_available(*s, load)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn access(
        &mut self,
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
        let (base, offset) = self
            .address(c, address, found)
            .map_err(|r| if r.line.is_none() { r.at(line) } else { r })?;
        let known = |s: Sym| !matches!(s, Sym::Iv(i) if !loops.contains(&i));
        if offset.mentions_any(|s| !known(s)) {
            let r = Rejection::new(
                Reason::NonAffine,
                "a subscript uses the counter of a loop that has ended",
            );
            return Err(r.at(line).into());
        }
        Ok(AccessFact { base, offset, elem })
    }

    fn base_of(
        &mut self,
        c: &mut Context<'a>,
        address: Value<'a>,
    ) -> Result<Option<Base>, Refusal> {
        Ok(self.address(c, address, &mut Vec::new()).ok().map(|(b, _)| b))
    }

    /// (base, bytes) of an address.
    fn address(
        &mut self,
        c: &mut Context<'a>,
        v: Value<'a>,
        found: &mut Vec<Found>,
    ) -> Result<(Base, Poly), Rejection> {
        let refuse = || {
            Rejection::new(
                Reason::BasePointer,
                "the address of an array changes in the loop nest in a way that is not followed",
            )
        };
        let scev = c.a.scev(v).ok_or_else(refuse)?;
        let base = c.a.pointer_base(scev).ok_or_else(refuse)?;
        let value = base.value().ok_or_else(refuse)?;
        let peeled = super::context::peel(value);
        let exchanged = c.rotating.get(&peeled).copied().or_else(|| {
            let cell = c.cell_of(peeled)?;
            Some((cell.rotation?, cell.index))
        });
        let base_fact = if let Some((rotation, index)) = exchanged {
            Base::Rotation { rotation, index }
        } else if c.is_outside(value) {
            Base::Pointer(c.pointer(Known::Value(value))?)
        } else if value.opcode() == Some(Opcode::LLVMLoad) {
            let known = c.invariant_load(value)?;
            Base::Pointer(c.pointer(known)?)
        } else {
            return Err(refuse());
        };
        let offset = c.a.minus(scev, base).ok_or_else(refuse)?;
        let offset = c.poly(offset, Extension::Signed, found)?;
        Ok((base_fact, offset))
    }

    fn moving(
        &mut self,
        c: &mut Context<'a>,
        call: Value<'a>,
        loops: &[u16],
        condition: Option<IntExpr>,
    ) -> Result<(), Refusal> {
        let refuse = || super::call_refusal(c, call);
        let arguments = call.call_arguments();
        let kind = moved(call).ok_or_else(refuse)?;
        let [to, second, length, ..] = arguments.as_slice() else { return Err(refuse().into()) };
        if kind == "llvm.memset" && second.as_int() != Some(0) {
            return Err(refuse().into());
        }
        let scev = c.a.scev(*length).ok_or_else(refuse)?;
        let mut found = Vec::new();
        let bytes = c.poly(scev, Extension::Signed, &mut found)?;
        let to = self.address(c, *to, &mut found)?;
        let from =
            if kind == "llvm.memset" { None } else { Some(self.address(c, *second, &mut found)?) };
        // A negative length would be a huge one: the original must deal with it. Under a condition, the loops' trip
        // counts are not positive then, and nothing is copied.
        if condition.is_none() {
            super::affine::push_check(&mut found, bytes.clone(), CheckKind::Size);
        }
        self.moves.push(Move {
            at: self.facts.len(),
            loops: loops.to_vec(),
            to,
            from,
            bytes,
            condition,
            call,
            found,
        });
        Ok(())
    }

    /// Turns copies and fills into statements, finds a statement for every check, holds early loads against stores.
    pub fn finish(&mut self, c: &mut Context<'a>) -> Result<(), Refusal> {
        let accesses: Vec<AccessFact> = self
            .facts
            .iter()
            .flat_map(|s| s.loads.iter().chain(s.stores.iter().map(|w| &w.access)))
            .cloned()
            .collect();
        for m in std::mem::take(&mut self.moves).into_iter().rev() {
            let fact = move_statement(c, &m, &accesses)?;
            let loops = fact.loops.clone();
            self.pending.extend(m.found.into_iter().map(|f| (loops.clone(), f)));
            self.facts.insert(m.at, fact);
        }
        for (base, line) in &self.early {
            if self.facts.iter().flat_map(|s| &s.stores).any(|w| w.access.base == *base) {
                let r = Rejection::new(
                    Reason::Dependence,
                    "an element is read before an inner loop that may store to it; read it where it is used",
                );
                return Err(r.at(*line).into());
            }
        }
        for (loops, found) in std::mem::take(&mut self.pending) {
            let needed: Vec<u16> =
                loops.iter().copied().filter(|&i| found.value.mentions(Sym::Iv(i))).collect();
            let statement = if needed.is_empty() {
                None
            } else {
                Some(self.place_of(c, &loops, &needed, &found)?)
            };
            self.add_check(CheckFact { value: found.value, statement, kind: found.kind });
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
    /// original meets it.
    fn place_of(
        &mut self,
        c: &Context<'a>,
        loops: &[u16],
        needed: &[u16],
        found: &Found,
    ) -> Result<u16, Refusal> {
        let more = |s: &StatementFact| {
            s.loops.iter().copied().filter(|i| !loops.contains(i)).collect::<Vec<_>>()
        };
        let place = (self.facts.iter().enumerate())
            .filter(|(_, s)| needed.iter().all(|i| s.loops.contains(i)))
            .min_by_key(|(_, s)| more(s).len());
        let Some((at, statement)) = place else {
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
                    self.add_check(CheckFact { value, statement: None, kind: CheckKind::Size });
                }
            }
        }
        Ok(u16::try_from(at).map_err(too_large)?)
    }
}

/// A copy or fill as a statement: loops over the dimensions that its length is a whole number of.
fn move_statement(
    c: &mut Context<'_>,
    m: &Move<'_>,
    accesses: &[AccessFact],
) -> Result<StatementFact, Refusal> {
    let refuse = || {
        Rejection::new(
            Reason::Call,
            "a memcpy or memset whose length is not a number of rows or elements",
        )
        .at(m.call.location().map(|p| p.line))
    };
    let bases: Vec<Base> = std::iter::once(m.to.0).chain(m.from.as_ref().map(|f| f.0)).collect();
    // Elements of a swapped buffer share their shape with the others of the cycle.
    let same = |x: &Base, y: &Base| match (x, y) {
        (Base::Rotation { rotation: a, .. }, Base::Rotation { rotation: b, .. }) => a == b,
        _ => x == y,
    };
    let of_array: Vec<&AccessFact> =
        accesses.iter().filter(|a| bases.iter().any(|b| same(b, &a.base))).collect();
    let elem = of_array.first().map(|a| a.elem).ok_or_else(refuse)?;
    let mut strides: Vec<Poly> = Vec::new();
    for access in &of_array {
        for i in 0..c.loops.len() as u16 {
            if let Some((factor, _)) = access.offset.split(Sym::Iv(i))
                && !factor.is_zero()
                && !factor.mentions_any(|s| matches!(s, Sym::Iv(_) | Sym::Time | Sym::Mod(_)))
                && !strides.contains(&factor)
            {
                strides.push(factor);
            }
        }
    }
    // Outermost first: more symbols, then larger constants.
    let weight = |p: &Poly| {
        p.terms()
            .iter()
            .map(|t| (t.symbols.len(), t.coefficient.unsigned_abs()))
            .max()
            .unwrap_or((0, 0))
    };
    strides.sort_by_key(|s| std::cmp::Reverse(weight(s)));
    strides.retain(|s| s.as_constant() != Some(elem.size() as i64));
    let mut loops = m.loops.clone();
    let mut shift = Poly::zero();
    let mut left = m.bytes.clone();
    let mut dimension = |c: &mut Context<'_>, trip: Poly, stride: &Poly| -> Result<(), Rejection> {
        let id = u16::try_from(c.loops.len() + c.extra_loops).map_err(too_large)?;
        c.extra_loops += 1;
        let trip = IntExpr::Poly(trip);
        c.extra_trips.push(match &m.condition {
            None => trip,
            Some(condition) => {
                IntExpr::Min(Box::new(trip), Box::new(stretched(condition.clone())?))
            }
        });
        loops.push(id);
        shift = shift
            .add(&Poly::symbol(Sym::Iv(id)).mul(stride).map_err(too_large)?)
            .map_err(too_large)?;
        Ok(())
    };
    for stride in &strides {
        if let Some(count) = left.exact_div(stride) {
            dimension(c, count, stride)?;
            left = stride.clone();
        }
    }
    let size = Poly::constant(elem.size() as i64);
    let count = left.exact_div(&size).ok_or_else(refuse)?;
    dimension(c, count, &size)?;
    let at = |(base, offset): &(Base, Poly)| -> Result<AccessFact, Rejection> {
        Ok(AccessFact { base: *base, offset: offset.add(&shift).map_err(too_large)?, elem })
    };
    let mut body = Body::default();
    let op = match (&m.from, elem.is_float()) {
        (Some(_), _) => Op::Load(0),
        (None, true) => Op::Float(0),
        (None, false) => Op::Integer(0),
    };
    body.values.push(hexpass_poly::body::Value {
        op,
        ty: Ty::Elem(elem),
        flags: Default::default(),
    });
    let value: ValueId = 0;
    let loads = match &m.from {
        Some(from) => vec![at(from)?],
        None => Vec::new(),
    };
    let stores = vec![StoreFact { access: at(&m.to)?, value }];
    Ok(StatementFact { loops, loads, body, stores, line: m.call.location().map(|p| p.line) })
}

/// A trip count that is positive exactly when `e` is, and then larger than any size that the guard lets through.
fn stretched(e: IntExpr) -> Result<IntExpr, Rejection> {
    const LARGER_THAN_ANY_SIZE: i64 = 1 << 31;
    Ok(match e {
        IntExpr::Poly(p) => IntExpr::Poly(p.scale(LARGER_THAN_ANY_SIZE).map_err(too_large)?),
        IntExpr::Min(a, b) => IntExpr::Min(Box::new(stretched(*a)?), Box::new(stretched(*b)?)),
        IntExpr::Max(a, b) => IntExpr::Max(Box::new(stretched(*a)?), Box::new(stretched(*b)?)),
        IntExpr::Add(a, b) => IntExpr::Add(Box::new(stretched(*a)?), Box::new(stretched(*b)?)),
    })
}

/// The name of the intrinsic, if the call copies or fills memory.
fn moved(i: Value<'_>) -> Option<String> {
    i.intrinsic().filter(|n| matches!(n.as_str(), "llvm.memcpy" | "llvm.memmove" | "llvm.memset"))
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
        c.cells.iter().flat_map(|cell| cell.values.iter().copied()).collect();
    let all: Vec<_> = c.load_sources.iter().map(|&(v, ty)| (v, ty)).collect();
    let mut out = Vec::new();
    for (i, (load, elem)) in all.into_iter().enumerate() {
        if c.a.is_invariant_load(load, c.time) && !exchanged.contains(&Known::Load(i as u16)) {
            continue;
        }
        let (known, offset) = c.load_bases[i];
        let pointer = c.pointer(known)?;
        let elem: ElemType = elem;
        out.push(AccessFact { base: Base::Pointer(pointer), offset: Poly::constant(offset), elem });
    }
    Ok(out)
}
