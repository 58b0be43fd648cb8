//! Consumes a working copy of a function; produces [`NestFacts`] and [`Bindings`] for each loop that looks like a time
//! loop around sweeps, or says why not.
//!
//! Works on loops as the front end wrote them, after scalar clean-up: no load has been carried over iterations and no
//! store moved. Nothing is changed but for expressions computed at the end of a preheader.

mod addresses;
pub mod affine;
pub mod bindings;
mod blocks;
pub mod body;
pub mod branches;
mod chains;
mod collapsed;
pub mod context;
mod descriptors;
mod equals;
pub mod exchange;
pub mod guards;
pub mod history;
mod lookups;
mod narrow;
pub mod nest;
mod numbers;
pub mod openmp;
pub mod places;
mod remainders;
pub mod statements;
pub mod tables;
mod turns;

use crate::emit::READABLE_CALL;
use crate::llvm::{Analyses, Block, Function, LoopRef, Opcode, TypeKind, Value, ValueKind, target};
use bindings::{Bindings, FinalStore, FinalValue, LiveOut};
use body::Rounding;
use branches::Region;
use context::{Context, Known, peel, phis};
use exchange::Cell;
use hexpass_abi::{FpMode, IntExpr, Poly};
use hexpass_poly::facts::{CheckFact, LoopFact, NestFacts};
use hexpass_poly::rejection::{Reason, Rejection};
use inkwell::llvm_sys::prelude::{LLVMBasicBlockRef, LLVMValueRef};
use statements::{Refusal, Statements};
use std::collections::{HashMap, HashSet};

/// Said of checks that can't be made before a nest.
const CHECKED: &str =
    "a check in the loop nest can't be moved before it; test the sizes once before the time loop";
/// What names begin with that `plugin/cpp/alarms.cpp` gives to its signs.
const ALARM: &str = "hexpass.alarm";
/// Of loops whose steps make arrays on the stack that can't be kept from one step to the next.
pub const ON_STACK: &str = "each step makes arrays on the stack that can't be kept for the next one: a size may change from step to step, or is not known before the loop, or a call may throw; compute sizes before the time loop, and leave them alone in it";

/// What stands in the way of a loop around a nest that has been taken.
pub const TAKEN: &str = "a nest in this loop has been taken; what is left of the loop is no nest";

/// A loop that was looked at.
pub struct Candidate<'a> {
    pub time_loop: LoopRef<'a>,
    pub result: Result<(NestFacts, Bindings), Rejection>,
    /// There are candidates in it, which can say more of why it was left.
    pub inside: bool,
}

/// A loop that has been dealt with.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    pub header: LLVMBasicBlockRef,
    /// There may be candidates in it.
    pub holds_others: bool,
}

/// Every loop of the function that looks like a time loop, outermost first, but those that are `done`. What was taken, here
/// or before it was inlined, is none.
///
/// A loop that can't be taken as it stands comes before the candidates inside it, but behind those that can; if there are
/// some (a loop over cases around a time loop) it is not reported itself.
pub fn candidates<'a>(
    a: &'a Analyses<'a>,
    original: Function<'_>,
    done: &[Done],
) -> Vec<Candidate<'a>> {
    let how = Rounding { fma: target::has_fma(original) == target::Answer::Yes };
    let mut out = Vec::new();
    for l in a.top_loops() {
        look(a, original, l, how, done, &mut out);
    }
    out
}

fn look<'a>(
    a: &'a Analyses<'a>,
    original: Function<'_>,
    l: LoopRef<'a>,
    how: Rounding,
    done: &[Done],
    out: &mut Vec<Candidate<'a>>,
) {
    if l.resumes_settled() {
        for inner in l.children().into_iter().filter(|inner| inner.is_settled()) {
            look(a, original, inner, how, done, out);
        }
        return;
    }
    let known = done.iter().find(|known| known.header == l.header().raw());
    if l.is_taken() || known.is_some_and(|known| !known.holds_others) {
        return;
    }
    if known.is_some() {
        for inner in l.children() {
            look(a, original, inner, how, done, out);
        }
        return;
    }
    if let Some(rejection) = openmp::region(a, l) {
        out.push(Candidate { time_loop: l, result: Err(rejection), inside: false });
        return;
    }
    if l.children().is_empty() {
        return;
    }
    match loop_nest(a, original, l, how) {
        Ok(found) if !l.holds_taken() => {
            out.push(Candidate { time_loop: l, result: Ok(found), inside: false });
        }
        nest => {
            let refusal = match nest {
                // What is handed to the runtime is stored there.
                Err(Refusal::Rejected(r)) if r.reason == Reason::BasePointer && l.holds_taken() => {
                    taken_inside().into()
                }
                Err(refusal) => refusal,
                Ok(_) => taken_inside().into(),
            };
            let before = out.len();
            for inner in l.children() {
                look(a, original, inner, how, done, out);
            }
            if let Refusal::Rejected(r) = refusal
                && looks_like_time_loop(a, l)
            {
                let inside = out.len() > before;
                let first = out[before..].iter().all(|c| c.result.is_err());
                let at = if first { before } else { out.len() };
                out.insert(at, Candidate { time_loop: l, result: Err(r), inside });
            }
        }
    }
}

fn taken_inside() -> Rejection {
    Rejection::new(Reason::Call, TAKEN)
}

/// A loop around loops that store numbers to addresses which move in the inner loops and come round again; where others
/// go on with it (a history, a trace), those sweep over two dimensions at least, or a step looks at what the one before has
/// left there. Otherwise it goes from row to row of a grid, with a buffer for one of them. What was taken inside it is
/// spoken for.
fn looks_like_time_loop<'a>(a: &'a Analyses<'a>, l: LoopRef<'a>) -> bool {
    let stores = l.blocks().into_iter().flat_map(Block::instructions).filter(|i| {
        i.opcode() == Some(Opcode::LLVMStore)
            && i.block().and_then(|b| a.loop_of(b)).is_some_and(|at| at != l && !at.is_taken())
            && i.stored().is_some_and(|v| v.ty().kind() != TypeKind::Pointer)
    });
    let (mut any, mut deep, mut goes_on) = (false, false, false);
    let mut rounds = HashSet::new();
    for s in stores {
        let linear = s.pointer().and_then(|p| a.scev(p)).is_some_and(|p| steps_with(a, p, l));
        if linear {
            goes_on = true;
            continue;
        }
        let inner = s.block().and_then(|b| a.loop_of(b));
        let moves = s
            .pointer()
            .and_then(|p| a.scev(p))
            .zip(inner)
            .is_some_and(|(p, inner)| steps_with(a, p, inner) || walks(a, s, p, inner));
        any |= moves;
        deep |= moves && inner.is_some_and(|inner| inner.depth() >= l.depth() + 2);
        rounds.extend(base_of(a, s).filter(|_| moves));
    }
    any && (deep || !goes_on || is_read_before_written(a, l, &rounds))
}

/// What a load or store's address is counted from.
fn base_of<'a>(a: &'a Analyses<'a>, access: Value<'a>) -> Option<LLVMValueRef> {
    let address = access.pointer().and_then(|p| a.scev(p))?;
    a.pointer_base(address).and_then(|base| base.value()).map(Value::raw)
}

/// The first that an iteration of `l` does with one of the arrays is to read it.
fn is_read_before_written<'a>(
    a: &'a Analyses<'a>,
    l: LoopRef<'a>,
    arrays: &HashSet<LLVMValueRef>,
) -> bool {
    let mut written = HashSet::new();
    l.blocks().into_iter().flat_map(Block::instructions).any(|i| match i.opcode() {
        Some(Opcode::LLVMStore) => {
            written.extend(base_of(a, i));
            false
        }
        Some(Opcode::LLVMLoad) if i.ty().kind() != TypeKind::Pointer => {
            base_of(a, i).is_some_and(|base| arrays.contains(&base) && !written.contains(&base))
        }
        _ => false,
    })
}

/// A floating-point number is stored where a pointer points that goes on in `l` in a way of its own: an iterator's.
fn walks<'a>(
    a: &'a Analyses<'a>,
    store: Value<'a>,
    address: crate::llvm::ScevRef<'a>,
    l: LoopRef<'a>,
) -> bool {
    let kind = store.stored().map(|v| v.ty().kind());
    let pointer = a.pointer_base(address).and_then(|base| base.value());
    matches!(kind, Some(TypeKind::Float | TypeKind::Double))
        && pointer.is_some_and(|p| {
            p.opcode() == Some(Opcode::LLVMPHI) && p.block().is_some_and(|b| l.contains(b))
        })
}

/// The formula grows with the counter of `l`, or what it starts from is looked up in a table at such a place.
fn steps_with<'a>(a: &'a Analyses<'a>, scev: crate::llvm::ScevRef<'a>, l: LoopRef<'a>) -> bool {
    use crate::llvm::ScevKind;
    match scev.kind() {
        ScevKind::AddRec => {
            scev.add_rec_loop() == Some(l)
                || scev.operands().into_iter().any(|o| steps_with(a, o, l))
        }
        ScevKind::Add | ScevKind::Mul | ScevKind::SignExtend => {
            scev.operands().into_iter().any(|o| steps_with(a, o, l))
        }
        ScevKind::ZeroExtend => scev
            .operands()
            .into_iter()
            .any(|o| o.kind() != ScevKind::Truncate && wide(o) && steps_with(a, o, l)),
        ScevKind::Unknown => scev
            .value()
            .filter(|v| v.opcode() == Some(Opcode::LLVMLoad))
            .filter(|v| v.ty().kind() == TypeKind::Pointer)
            .and_then(Value::pointer)
            .and_then(|p| a.scev(p))
            .is_some_and(|p| steps_with(a, p, l)),
        _ => false,
    }
}

fn wide(scev: crate::llvm::ScevRef<'_>) -> bool {
    !matches!(scev.ty().map(|t| t.kind()), Some(TypeKind::Int(1..=8)))
}

/// One attempt.
fn loop_nest<'a>(
    a: &'a Analyses<'a>,
    original: Function<'_>,
    l: LoopRef<'a>,
    how: Rounding,
) -> Result<(NestFacts, Bindings), Refusal> {
    let location = l.location();
    let irregular =
        || Rejection::new(Reason::MultiExit, "the time loop has several ways in, round or out");
    if !l.is_simplified() {
        return Err(irregular().into());
    }
    if target::watches_fp(original) {
        return Err(Rejection::new(
            Reason::Operation,
            "this file asks for floating-point exceptions or sets the rounding mode, which say nothing of, and nothing to, what is computed elsewhere; do that in another file, or test values instead (ieee_is_finite)",
        )
        .at(location.map(|p| p.line))
        .into());
    }
    let exits = nest::exits(l)?;
    let preheader = l.preheader().ok_or_else(irregular)?;
    let latch = l.latch().ok_or_else(irregular)?;
    let mut c = Context {
        a,
        time: l,
        preheader,
        header: l.header(),
        latch,
        exiting: exits.exiting,
        exit: exits.exit,
        loops: Vec::new(),
        trips: Vec::new(),
        extra_loops: 0,
        collapsed: Vec::new(),
        blocks: Vec::new(),
        extra_trips: Vec::new(),
        steps: IntExpr::Poly(Poly::zero()),
        ints: Vec::new(),
        int_names: Vec::new(),
        pointers: Vec::new(),
        pointer_names: Vec::new(),
        scalars: Vec::new(),
        scalar_facts: Vec::new(),
        loads: Vec::new(),
        load_sources: Vec::new(),
        load_bases: Vec::new(),
        expanded: HashMap::new(),
        counted: Vec::new(),
        mods: Vec::new(),
        rotations: Vec::new(),
        rotating: HashMap::new(),
        turning_ints: HashMap::new(),
        references: Vec::new(),
        turning: HashMap::new(),
        stored_objects: stored_objects(l, &[]),
        cells: Vec::new(),
        int_cycles: HashMap::new(),
        checks: Vec::new(),
        region: Region::default(),
        split: None,
        tables: Vec::new(),
        table_facts: Vec::new(),
        entries: Vec::new(),
        lookups: Vec::new(),
        entry_loads: Vec::new(),
        whole_strides: Vec::new(),
        no_table: HashSet::new(),
        nested_starts: None,
        measured: Vec::new(),
        derived: HashMap::new(),
        derived_rotations: HashMap::new(),
        asked: Vec::new(),
        asked_rare: Vec::new(),
        asked_checks: Vec::new(),
        asked_turns: Vec::new(),
        equals: HashMap::new(),
        filling: Vec::new(),
        fills: HashMap::new(),
    };
    c.find_rotations()?;
    c.steps = c.trip_count(l, &exits)?;
    c.look_up(&branches::Region::default())?;
    c.find_cells()?;
    c.stored_objects = stored_objects(l, &c.cells);
    let mut s = Statements::new(how);
    s.walk(&mut c, l, &[])?;
    s.finish(&mut c)?;
    // The loop around a settled one only comes back to it.
    let surrounded = l.depth() > 1 + u32::from(l.is_settled());
    if s.facts.is_empty() || !history::is_read_back(&s.facts, &c.mods, &c.steps, surrounded) {
        return Err(Refusal::NotATimeLoop);
    }
    places::divide(&mut c, &mut s.facts)?;
    let live_outs = live_outs(&mut c)?;
    // Guarded apart from every store, as arrays without dimensions.
    let reads = statements::invariant_reads(&mut c)?;
    let exchanged = c.exchanged_words()?;
    s.facts[0].loads.extend(reads);
    let found = std::mem::take(&mut c.checks).into_iter();
    let found = found.map(|f| CheckFact::once(f.value, f.kind));
    let mut checks = affine::without_remainders(s.checks.into_iter().chain(found), &c.mods)?;
    c.join_blocks(&mut s.facts, &mut checks)?;
    // Where one of those fails, nothing is amiss.
    checks.sort_by_key(|check| check.kind != hexpass_abi::CheckKind::Rare);
    let mut trips = std::mem::take(&mut c.trips);
    trips.append(&mut c.extra_trips);
    let facts = NestFacts {
        function: original.name_at(l),
        file: location.as_ref().map(|p| p.file.clone()),
        line: location.as_ref().map(|p| p.line),
        ints: c.int_names.clone(),
        pointers: c.pointer_names.clone(),
        disjoint_pointers: disjoint(&c),
        descriptors: descriptors::found(&c),
        scalars: c.scalar_facts.clone(),
        mods: c.mods.clone(),
        rotations: c.rotations.clone(),
        tables: c.table_facts.clone(),
        lookups: std::mem::take(&mut c.lookups),
        steps: c.steps.clone(),
        loops: trips.into_iter().map(|trip| LoopFact { trip }).collect(),
        blocked: !c.blocks.is_empty(),
        statements: s.facts,
        checks,
        fp: match (s.fast, s.fused) {
            (true, _) => FpMode::Fast,
            (false, true) => FpMode::Contract,
            _ => FpMode::Exact,
        },
    };
    let bindings = Bindings {
        preheader: preheader.raw(),
        header: c.header.raw(),
        exit: c.exit.raw(),
        exiting: c.exiting.raw(),
        loads: c.loads.clone(),
        ints: c.ints.iter().map(|k| k.operand()).collect(),
        pointers: c.pointers.iter().map(|k| k.operand()).collect(),
        scalars: c.scalars.iter().map(|k| k.operand()).collect(),
        live_outs,
        final_stores: c.cells.iter().filter_map(final_store).collect(),
        exchanged,
        ahead: None,
        frame: None,
    };
    Ok((facts, bindings))
}

/// What an exchanged word holds after the nest.
fn final_store(cell: &Cell<'_>) -> Option<FinalStore> {
    let own = cell.kept.as_ref().or(cell.values.get(usize::from(cell.index)));
    let Known::Load(load) = *own? else { return None };
    let initial = cell.values.iter().map(|v| v.operand()).collect();
    Some(FinalStore { load, initial, index: cell.index, kept: cell.kept.is_some() })
}

/// The objects behind everything that the loop stores to, but for words that it exchanges.
fn stored_objects<'a>(l: LoopRef<'a>, cells: &[Cell<'a>]) -> Vec<Value<'a>> {
    let mut out = Vec::new();
    for i in l.blocks().into_iter().flat_map(Block::instructions) {
        if cells.iter().any(|cell| cell.is_stored_by(i)) {
            continue;
        }
        let to = match i.opcode() {
            Some(Opcode::LLVMStore) => i.pointer(),
            Some(Opcode::LLVMCall) => {
                i.call_arguments().first().copied().filter(|v| v.ty().kind() == TypeKind::Pointer)
            }
            _ => None,
        };
        if let Some(object) = to.map(Value::underlying_object)
            && !out.contains(&object)
        {
            out.push(object);
        }
    }
    out
}

/// Pairs of base pointers that never overlap: two different identified objects, or `restrict` against another
/// argument or object.
fn disjoint(c: &Context<'_>) -> Vec<(u16, u16)> {
    use crate::llvm::ObjectKind::NoAliasArgument;
    let object = |k: &Known<'_>| match k {
        Known::Value(v) => {
            let o = v.underlying_object();
            // A select or phi may well be made from the restricted pointer itself; another argument is not.
            Some((o.raw(), o.object_kind(), matches!(o.kind(), ValueKind::Argument(_))))
        }
        Known::Load(_)
        | Known::Difference(..)
        | Known::Address(_)
        | Known::Moved(..)
        | Known::Quotient(..)
        | Known::Remainder(..) => None,
    };
    let mut out = Vec::new();
    for (i, x) in c.pointers.iter().enumerate() {
        for (j, y) in c.pointers.iter().enumerate().skip(i + 1) {
            let (Some((x, kx, ax)), Some((y, ky, ay))) = (object(x), object(y)) else { continue };
            let apart = (kx.is_identified() && ky.is_identified())
                || (kx == NoAliasArgument && ay)
                || (ky == NoAliasArgument && ax);
            if x != y && apart {
                out.push((i as u16, j as u16));
            }
        }
    }
    out
}

/// How to rebuild each value that is used after the loop.
/// Adds what leaves the loop only since code for another nest's expressions stands behind it: values from before the loop.
pub fn add_live_outs(bindings: &mut Bindings, time_loop: LoopRef<'_>) {
    let Ok(exits) = nest::exits(time_loop) else { return };
    for phi in phis(exits.exit) {
        let from_before = |v: &Value<'_>| v.block().is_none_or(|b| !time_loop.contains(b));
        let value = phi.incoming_from(exits.exiting).filter(from_before);
        if let Some(value) = value
            && !bindings.live_outs.iter().any(|l| l.phi == phi.raw())
        {
            let value = FinalValue::Value(value.raw());
            bindings.live_outs.push(LiveOut { phi: phi.raw(), value });
        }
    }
}

fn live_outs(c: &mut Context<'_>) -> Result<Vec<LiveOut>, Refusal> {
    let mut out = Vec::new();
    for phi in phis(c.exit) {
        let Some(v) = phi.incoming_from(c.exiting) else { continue };
        let value = final_value(c, peel(v)).map_err(|r| r.at(phi.location().map(|p| p.line)))?;
        out.push(LiveOut { phi: phi.raw(), value });
    }
    Ok(out)
}

fn final_value<'a>(c: &mut Context<'a>, v: Value<'a>) -> Result<FinalValue, Rejection> {
    let refuse = |words: &str| Err(Rejection::new(Reason::LiveOut, words.to_string()));
    if c.is_outside(v) {
        return Ok(FinalValue::Value(v.raw()));
    }
    let tested_at_end = c.exiting == c.latch;
    if let Some(&(rotation, index)) = c.rotating.get(&v) {
        let initial = c.rotations[usize::from(rotation)].initial.clone();
        let initial: Option<Vec<_>> = (0u16..)
            .zip(&initial)
            .map(|(element, (pointer, offset))| match offset.is_zero() {
                true => Some(c.pointers[usize::from(*pointer)].operand()),
                false => c.initial_element(rotation, element).map(|v| Known::Value(v).operand()),
            })
            .collect();
        let Some(initial) = initial else {
            return refuse("a swapped pointer that starts inside an array is used after the loop");
        };
        let len = initial.len() as u16;
        let index = if tested_at_end { (index + len - 1) % len } else { index };
        return Ok(FinalValue::Rotated { initial, index });
    }
    if let Some(initial) = c.int_turns(v) {
        let index = if tested_at_end { initial.len() as u16 - 1 } else { 0 };
        let initial = initial.into_iter().map(|v| Known::Value(v).operand()).collect();
        return Ok(FinalValue::Rotated { initial, index });
    }
    if let Some(scev) = c.a.scev(v) {
        if c.a.is_invariant(scev, c.time)
            && let Some(x) = c.expand(scev)
        {
            return Ok(FinalValue::Value(x.raw()));
        }
        let ops = scev.operands();
        if scev.kind() == crate::llvm::ScevKind::AddRec
            && scev.add_rec_loop() == Some(c.time)
            && ops.len() == 2
            && matches!(v.ty().kind(), TypeKind::Int(_))
            && let Some(step) = ops[1].constant()
        {
            let start = if tested_at_end { c.a.minus(ops[0], ops[1]) } else { Some(ops[0]) };
            if let Some(start) = start.and_then(|s| c.expand(s)) {
                return Ok(FinalValue::Counter { start: start.raw(), step });
            }
        }
    }
    if let Some(values) = c.turning_values(v)? {
        let initial: Vec<_> = values.into_iter().map(|v| Known::Value(v).operand()).collect();
        if let [only] = initial[..] {
            return Ok(FinalValue::Rotated { initial: vec![only], index: 0 });
        }
        let index = if tested_at_end { initial.len() as u16 - 1 } else { 0 };
        return Ok(FinalValue::Rotated { initial, index });
    }
    // What an inner loop left behind: the start value until the body has run once.
    if c.is_header_phi(v)
        && !tested_at_end
        && let (Some(never), Some(next)) = (v.incoming_from(c.preheader), v.incoming_from(c.latch))
        && let Some(scev) = c.a.scev(next).and_then(|s| c.a.at_scope(s, Some(c.time)))
        && c.a.is_invariant(scev, c.time)
        && let Some(reached) = c.expand(scev)
    {
        return Ok(FinalValue::Reached { never: never.raw(), reached: reached.raw() });
    }
    if c.is_header_phi(v)
        && matches!(v.ty().kind(), TypeKind::Float | TypeKind::Double)
        && feeds_the_nest(c, v)
    {
        return Err(Rejection::new(
            Reason::Reduction,
            "a value that is carried from step to step in a variable is used after the loop",
        ));
    }
    refuse(
        "a value computed in the loop nest is used after it; compute it again after the loop, from the arrays",
    )
}

/// A value carried by the header's phi is used in the loop, not just handed on.
fn feeds_the_nest<'a>(c: &Context<'a>, phi: Value<'a>) -> bool {
    let mut seen = vec![phi];
    let mut at = 0;
    while let Some(&v) = seen.get(at) {
        at += 1;
        for user in v.users() {
            if c.is_outside(user) {
                continue;
            }
            if user.opcode() != Some(Opcode::LLVMPHI) {
                return true;
            }
            if !seen.contains(&user) {
                seen.push(user);
            }
        }
    }
    false
}

/// The refusal for a call or another instruction with effects.
fn call_refusal(c: &Context<'_>, i: Value<'_>) -> Rejection {
    let line = i.location().map(|p| p.line);
    if !i.is_call() {
        return Rejection::new(
            Reason::Operation,
            "an operation with effects that are not handled in the loop nest",
        )
        .at(line);
    }
    if let Some(name) = i.intrinsic().filter(|_| !i.effects().writes) {
        let plain = name.trim_start_matches("llvm.");
        let words = if plain.starts_with("experimental.constrained.") {
            "the loop nest depends on the floating-point environment (-frounding-math, FENV_ACCESS)"
                .to_owned()
        } else {
            format!(
                "the loop body uses {plain}, which is not handled: its bits are the host library's own"
            )
        };
        return Rejection::new(Reason::Operation, words).at(line);
    }
    let name = c.a.library_function(i).or_else(|| i.callee().map(Function::name));
    // Of what is done about an alarm, the sign at its beginning (plugin/cpp/alarms.cpp) comes first.
    if name.as_deref().is_some_and(|n| n.starts_with(ALARM)) {
        let here = i.block().into_iter().flat_map(|b| b.instructions());
        let mut behind = here.skip_while(|&other| other != i).skip(1);
        let said = behind.find(|other| other.is_call() && other.intrinsic().is_none());
        return match said {
            Some(said) => call_refusal(c, said),
            None => Rejection::new(Reason::ControlFlow, CHECKED).at(line),
        };
    }
    // A loop inside may have arrays of its steps from the heap.
    let keeps = matches!(name.as_deref(), Some("malloc" | "free")) && c.time.holds_taken();
    let is_ours = |name: &str| name.starts_with(hexpass_abi::PREFIX) || name == READABLE_CALL;
    if keeps || i.callees().iter().any(|f| is_ours(&f.name())) {
        return taken_inside().at(line);
    }
    let words = match name.as_deref() {
        Some(n) if n.starts_with("llvm.stacksave") || n.starts_with("llvm.stackrestore") => {
            ON_STACK.into()
        }
        Some(
            n @ ("sqrt" | "sqrtf" | "fabs" | "fabsf" | "fmin" | "fmax" | "fminf" | "fmaxf" | "fma"
            | "fmaf"),
        ) => format!("{n} may set errno, at which this file looks; compile with -fno-math-errno"),
        Some(n) => format!(
            "{n} is called in the loop nest, and what it does is not known; move the call out of the time loop, or make its body visible and inlinable"
        ),
        None => "a function is called through a pointer in the loop nest".into(),
    };
    Rejection::new(Reason::Call, words).at(line)
}
