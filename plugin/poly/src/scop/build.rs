//! From facts to a [`Scop`], one step after the other.

use super::algebra::{exact_ratio, out_of_range, sign};
use super::arrays::{FlatAccess, Key, array, refuse_mixed};
use super::borders;
use super::components;
use super::contiguous;
use super::delinearize::{
    counters, divide, fold, fold_dimension, mentions_time, strides, unfold_dimension,
};
use super::fenced;
use super::flat;
use super::interleaved;
use super::lasting;
use super::linear::base_pointer;
use super::outside;
use super::pinned;
use super::planes::{Position, array_starts, join};
use super::rows::rows;
use super::traces;
use super::validate::normalise;
use super::{AccessRelation, Affine, Counter, Reads, Scop, Statement, WriteRelation};
use crate::body::Op;
use crate::facts::{CheckFact, NestFacts};
use crate::rejection::{Reason, Rejection};
use hexpass_abi::expr::{OutOfRange, Term};
use hexpass_abi::{Array, IntExpr, Poly, Sym};

/// One access on its way.
pub(super) struct Access {
    pub(super) statement: usize,
    pub(super) write: bool,
    line: Option<u32>,
    /// Index into the keys.
    key: usize,
    flat: FlatAccess,
    maybe: bool,
    /// Set by [`separate`].
    pub(super) start: Poly,
    pub(super) subscripts: Vec<Affine>,
}

/// The loads of which a statement makes what it stores at `store`, an access of its own.
pub(super) fn made_of(accesses: &[Access], store: usize, facts: &NestFacts) -> Vec<usize> {
    let statement = accesses[store].statement;
    let s = &facts.statements[statement];
    // Its loads come first, in order, and then its stores.
    let first = accesses[..store].iter().position(|a| a.statement == statement).unwrap_or(store);
    let Some(number) = (store - first).checked_sub(s.loads.len()) else { return Vec::new() };
    let needed = s.body.needed_by(s.stores[number].value);
    let loads = s.body.values.iter().zip(needed).filter_map(|(v, needed)| match v.op {
        Op::Load(l) if needed => Some(first + usize::from(l)),
        _ => None,
    });
    loads.collect()
}

/// The model, and whether reads were joined to what they may be of.
pub fn build(facts: &NestFacts, reads: Reads) -> Result<(Scop, bool), Rejection> {
    let mut facts = normalise(facts)?;
    if let Some(moving) = pinned::follow(&facts).map_err(out_of_range)? {
        facts = moving;
    }
    if let Some(last) = lasting::leave_last(&facts).map_err(out_of_range)? {
        facts = last;
    }
    facts = contiguous::assume(&facts)?;
    if let Some(parted) = interleaved::part(&facts).map_err(out_of_range)? {
        facts = parted;
    }
    // Pieces of rows may be loops with a single iteration.
    if let Some(cut) = flat::cut(&facts)? {
        facts = normalise(&cut)?;
    }
    if let Some(each) = components::write_out(&facts).map_err(out_of_range)? {
        facts = each;
    }
    let mut fences = Vec::new();
    if let Some(inside) = fenced::keep_inside(&facts).map_err(out_of_range)? {
        (facts, fences) = inside;
    }
    if let Some(inside) = outside::leave_out(&facts).map_err(out_of_range)? {
        facts = inside;
    }
    let facts = &facts;
    if facts.statements.is_empty() {
        return Err(Rejection::new(Reason::WriteShape, "the loop stores nothing"));
    }
    let mut keys = Vec::new();
    let mut accesses = flatten(facts, &mut keys)?;
    let (mut shapes, mut joined) = (Vec::with_capacity(keys.len()), false);
    for key in 0..keys.len() {
        let (shape, some) = separate(&mut accesses, key, &keys, facts, reads)?;
        shapes.push(shape);
        joined |= some;
    }
    let mut arrays: Vec<Array> = Vec::new();
    let mut identities: Vec<(usize, Poly)> = Vec::new();
    let mut array_of = Vec::with_capacity(accesses.len());
    for a in &accesses {
        let identity = (a.key, a.start.clone());
        let found = identities.iter().position(|i| *i == identity);
        let index = match found {
            Some(index) => index,
            None => {
                arrays.push(array(&keys[a.key], &a.start, shapes[a.key].clone(), facts)?);
                identities.push(identity);
                arrays.len() - 1
            }
        };
        array_of.push(index);
    }
    let keys_of: Vec<usize> = identities.iter().map(|(key, _)| *key).collect();
    refuse_mixed(&keys, &arrays, &keys_of)?;
    start_at_counters(&mut accesses, &array_of, &mut arrays).map_err(out_of_range)?;
    start_at_steps(&mut accesses, &array_of, &mut arrays).map_err(out_of_range)?;
    let mut lines =
        traces::spread(&mut accesses, &mut array_of, &mut arrays, facts).map_err(out_of_range)?;
    refuse_moving(&accesses, &array_of)?;
    name_apart(&mut arrays);
    let borders =
        borders::spread(&mut accesses, &array_of, &mut arrays, facts).map_err(out_of_range)?;
    lines.extend(borders);
    let mut scop = assemble(facts, arrays, accesses, &array_of)?;
    scop.lines = lines;
    scop.fences = fences;
    Ok((scop, joined))
}

fn flatten(facts: &NestFacts, keys: &mut Vec<Key>) -> Result<Vec<Access>, Rejection> {
    let mut out = Vec::new();
    for (statement, s) in facts.statements.iter().enumerate() {
        let loads = s.loads.iter().map(|a| (a, false));
        for (fact, write) in loads.chain(s.stores.iter().map(|w| (&w.access, true))) {
            let flat = FlatAccess::of(fact, facts).map_err(|e| e.at(s.line))?;
            let key = match keys.iter().position(|k| *k == flat.key) {
                Some(key) => key,
                None => {
                    keys.push(flat.key.clone());
                    keys.len() - 1
                }
            };
            let (start, subscripts) = (Poly::zero(), Vec::new());
            let maybe = fact.maybe;
            out.push(Access {
                statement,
                write,
                line: s.line,
                key,
                flat,
                maybe,
                start,
                subscripts,
            });
        }
    }
    Ok(out)
}

/// Finds the strides of one key's accesses, where their arrays start, and their subscripts; says whether any were joined.
fn separate(
    accesses: &mut [Access],
    key: usize,
    keys: &[Key],
    facts: &NestFacts,
    reads: Reads,
) -> Result<(Vec<Poly>, bool), Rejection> {
    let mut mine: Vec<&mut Access> = accesses.iter_mut().filter(|a| a.key == key).collect();
    let line = mine.first().and_then(|a| a.line);
    let elem = i64::try_from(keys[key].elem.size()).unwrap_or(8);
    let shape = shape_of(&mine, elem, facts).map_err(|e| e.at(line))?;
    let mut positions = Vec::with_capacity(mine.len());
    for a in &mine {
        let counters = counters(&a.flat.counters, &shape).map_err(|e| e.at(a.line))?;
        let start = smallest_offset(&a.flat, facts).map_err(out_of_range)?;
        let conditions = &facts.statements[a.statement].conditions;
        let rows = rows(&counters, &start, conditions, &shape, facts).map_err(out_of_range)?;
        positions.push(Position { statement: a.statement, counters, start, rows });
    }
    let written: Vec<bool> = mine.iter().map(|a| a.write).collect();
    let are_single =
        mine.iter().all(|a| a.flat.counters.is_empty() && !mentions_time(&a.flat.rest));
    let mut starts = if are_single && written.contains(&true) {
        // Variables beside one another, each by itself.
        positions.iter().map(|p| p.start.clone()).collect()
    } else {
        array_starts(&positions, &shape)?
    };
    let joined = reads == Reads::Joined
        && join(&positions, &written, &shape, &mut starts).map_err(out_of_range)?;
    for ((a, position), start) in mine.iter_mut().zip(positions).zip(starts) {
        place(a, &position.counters, start, &shape).map_err(out_of_range)?;
    }
    fold_all(&mut mine, &shape, facts).map_err(out_of_range)?;
    Ok((shape, joined))
}

/// Strides from the coefficients of the counters and of time; single elements lie in an array of one dimension.
fn shape_of(
    accesses: &[&mut Access],
    elem: i64,
    facts: &NestFacts,
) -> Result<Vec<Poly>, Rejection> {
    let mut coefficients: Vec<Poly> = Vec::new();
    // The loop over the steps is around all others.
    for a in accesses.iter().filter(|a| mentions_time(&a.flat.rest)) {
        let (speed, _) = a.flat.rest.split(Sym::Time).ok_or_else(|| {
            base_pointer("an address depends on the time step squared").at(a.line)
        })?;
        coefficients.push(speed);
    }
    let counters = accesses.iter().flat_map(|a| &a.flat.counters);
    coefficients.extend(counters.map(|(_, c)| c.clone()));
    // Of two that only the run knows, the first stays the larger one: in `f[j][i]` the outer table's rows lie further apart,
    // whichever loop is the outer one.
    coefficients.sort_by_key(|c| match c.terms() {
        [Term { coefficient: 1, symbols }] if symbols.len() == 1 => {
            facts.level_of_pitch(symbols[0]).unwrap_or(0)
        }
        _ => 0,
    });
    if coefficients.is_empty() {
        return Ok(vec![Poly::constant(elem)]);
    }
    strides(&coefficients, elem, &facts.descriptors)
}

/// Bytes where the counters make the offset smallest, as far as trip counts are polynomials.
fn smallest_offset(a: &FlatAccess, facts: &NestFacts) -> Result<Poly, OutOfRange> {
    let mut sum = a.rest.clone();
    for (index, c) in a.counters.iter().filter(|(_, c)| sign(c) < 0) {
        if let IntExpr::Poly(trip) = &facts.loops[usize::from(*index)].trip {
            sum = sum.add(&c.mul(&trip.sub(&Poly::constant(1))?)?)?;
        }
    }
    Ok(sum)
}

fn place(
    a: &mut Access,
    counters: &[Option<Counter>],
    start: Poly,
    shape: &[Poly],
) -> Result<(), OutOfRange> {
    let (quotients, left) = divide(&a.flat.rest.sub(&start)?, shape)?;
    a.start = start.add(&left)?;
    a.subscripts = counters
        .iter()
        .zip(quotients)
        .map(|(&counter, offset)| Affine { counter, offset })
        .collect();
    Ok(())
}

/// Folds subscripts; those of rising counters only where all of a statement's accesses to the array start below zero.
fn fold_all(mine: &mut [&mut Access], shape: &[Poly], facts: &NestFacts) -> Result<(), OutOfRange> {
    for d in (1..shape.len()).rev() {
        let rising = |s: &Affine| s.counter.is_some_and(|c| !c.negative);
        // Where a rising subscript starts; none where that is a size.
        let start = |a: &Access| {
            let s = &a.subscripts[d];
            let first =
                first_iteration(&facts.statements[a.statement].conditions, s.counter?.index)?;
            Some(s.offset.as_constant()? + first)
        };
        // The one value of a rising subscript at a single iteration: the end of a row that has wrapped round, say.
        let fixed = |a: &Access| {
            let s = &a.subscripts[d];
            let index = s.counter.filter(|c| !c.negative)?.index;
            let conditions = &facts.statements[a.statement].conditions;
            Some(s.offset.as_constant()? + only_iteration(conditions, index)?)
        };
        for s in 0..facts.statements.len() {
            let here =
                |a: &Access| a.statement == s && rising(&a.subscripts[d]) && fixed(a).is_none();
            let mut below = mine.iter().filter(|a| here(a)).peekable();
            if below.peek().is_some() && below.all(|a| start(a).is_some_and(|c| c < 0)) {
                for a in mine.iter_mut().filter(|a| here(a)) {
                    fold_dimension(&mut a.subscripts, shape, d)?;
                }
            }
        }
        let mut halo = vec![None; shape.len()];
        let moves = |a: &&&mut Access| rising(&a.subscripts[d]) && fixed(a).is_none();
        halo[d] = mine.iter().filter(moves).filter_map(|a| start(a)).min();
        for a in mine.iter_mut() {
            let left_of_row = fixed(a).is_some_and(|at| at < halo[d].unwrap_or(0).min(0));
            if left_of_row || lies_in_row_before(&a.subscripts[d], facts)? {
                fold_dimension(&mut a.subscripts, shape, d)?;
                continue;
            }
            let conditions = &facts.statements[a.statement].conditions;
            if lies_in_next_row(&a.subscripts[d], conditions, &shape[d - 1..=d])? {
                unfold_dimension(&mut a.subscripts, shape, d)?;
            }
            let (outer, inner) = a.subscripts.split_at_mut(d);
            let (last, one) = (outer.len() - 1, &mut inner[0]);
            let mut pair = [outer[last].clone(), one.clone()];
            let first = |c: Counter| least_iteration(conditions, c.index);
            fold(&mut pair, &shape[d - 1..=d], &[None, halo[d]], first)?;
            let [o, i] = pair;
            (outer[last], *one) = (o, i);
        }
    }
    Ok(())
}

/// A rising subscript that starts at a size ends where the row begins (`a[n*(i + 1) - s + j]` for s iterations, what a cyclic
/// shift by s moves to the end of a row).
fn lies_in_row_before(s: &Affine, facts: &NestFacts) -> Result<bool, OutOfRange> {
    let Some(counter) = s.counter.filter(|c| !c.negative) else { return Ok(false) };
    if s.offset.as_constant().is_some() {
        return Ok(false);
    }
    for most in at_most(&facts.loops[usize::from(counter.index)].trip) {
        let behind = s.offset.add(most)?;
        if behind.as_constant().is_some_and(|c| c <= 0) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Polynomials that a number of iterations does not exceed.
fn at_most(trip: &IntExpr) -> Vec<&Poly> {
    match trip {
        IntExpr::Poly(p) => vec![p],
        IntExpr::Min(a, b) => [at_most(a), at_most(b)].concat(),
        IntExpr::Max(..) | IntExpr::Add(..) => Vec::new(),
    }
}

/// A rising subscript starts, under the conditions, where the row has ended (`a[n*i + j + 1]` for j from n−1 on, the end
/// of a row that wraps round).
fn lies_in_next_row(s: &Affine, conditions: &[Poly], strides: &[Poly]) -> Result<bool, OutOfRange> {
    let Some(counter) = s.counter.filter(|c| !c.negative) else { return Ok(false) };
    let Some(row) = exact_ratio(&strides[0], &strides[1])? else { return Ok(false) };
    for condition in conditions {
        let Some((factor, rest)) = condition.split(Sym::Iv(counter.index)) else { continue };
        let beyond = s.offset.sub(&rest)?.sub(&row)?;
        if factor.as_constant() == Some(1) && beyond.as_constant().is_some_and(|c| c >= 0) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What the conditions on a counter say that it is at least; `None` for what is not a constant.
fn lower_bounds(conditions: &[Poly], counter: u16) -> impl Iterator<Item = Option<i64>> {
    conditions.iter().filter_map(move |p| {
        let (factor, rest) = p.split(Sym::Iv(counter))?;
        (factor.as_constant() == Some(1)).then(|| rest.as_constant().map(|c| -c))
    })
}

/// The first iteration that the conditions on a counter allow, if it is a constant.
fn first_iteration(conditions: &[Poly], counter: u16) -> Option<i64> {
    lower_bounds(conditions, counter).try_fold(0, |first, bound| Some(first.max(bound?)))
}

/// No iteration before this one is allowed.
fn least_iteration(conditions: &[Poly], counter: u16) -> i64 {
    lower_bounds(conditions, counter).flatten().fold(0, i64::max)
}

/// The only iteration that they allow, if it is a constant.
fn only_iteration(conditions: &[Poly], counter: u16) -> Option<i64> {
    let last = conditions.iter().filter_map(|p| {
        let (factor, rest) = p.split(Sym::Iv(counter))?;
        (factor.as_constant() == Some(-1)).then(|| rest.as_constant())?
    });
    let last = last.min()?;
    (first_iteration(conditions, counter)? == last).then_some(last)
}

/// An array whose rising subscripts all lie the same unknown distance from the counters (`u(i - lower, j)`) starts
/// there instead.
fn start_at_counters(
    accesses: &mut [Access],
    array_of: &[usize],
    arrays: &mut [Array],
) -> Result<(), OutOfRange> {
    for (index, array) in arrays.iter_mut().enumerate() {
        for d in 0..array.strides.len() {
            let mine = || accesses.iter().zip(array_of).filter(|(_, i)| **i == index);
            let rising = |a: &&Access| a.subscripts[d].counter.is_some_and(|c| !c.negative);
            let mut distances = mine().map(|(a, _)| a).filter(rising).map(|a| {
                let offset = &a.subscripts[d].offset;
                offset.sub(&Poly::constant(offset.constant_part()))
            });
            let Some(first) = distances.next().transpose()? else { continue };
            let same = distances.all(|other| other.is_ok_and(|o| o == first));
            if first.is_zero() || !same || mentions_time(&first) {
                continue;
            }
            for (a, _) in accesses.iter_mut().zip(array_of).filter(|(_, i)| **i == index) {
                a.subscripts[d].offset = a.subscripts[d].offset.sub(&first)?;
            }
            let bytes = first.mul(&array.strides[d])?;
            for slot in &mut array.slots {
                slot.offset = slot.offset.add(&bytes)?;
            }
        }
    }
    Ok(())
}

/// An array whose accesses all lie the same unknown number of steps after the first (`u[t0 + t]`) starts there instead.
fn start_at_steps(
    accesses: &mut [Access],
    array_of: &[usize],
    arrays: &mut [Array],
) -> Result<(), OutOfRange> {
    for (index, array) in arrays.iter_mut().enumerate() {
        let mine = || accesses.iter().zip(array_of).filter(|(_, i)| **i == index).map(|(a, _)| a);
        for d in 0..array.strides.len() {
            let since = |a: &Access| {
                let offset = &a.subscripts[d].offset;
                let own = offset.sub(&Poly::constant(offset.constant_part()))?;
                own.sub(&Poly::symbol(Sym::Time))
            };
            let Some(first) = mine().next().map(since).transpose()? else { continue };
            let same = mine().all(|a| since(a).is_ok_and(|p| p == first));
            if first.is_zero() || mentions_time(&first) || !same {
                continue;
            }
            for (a, _) in accesses.iter_mut().zip(array_of).filter(|(_, i)| **i == index) {
                a.subscripts[d].offset = a.subscripts[d].offset.sub(&first)?;
            }
            let bytes = first.mul(&array.strides[d])?;
            for slot in &mut array.slots {
                slot.offset = slot.offset.add(&bytes)?;
            }
            break;
        }
    }
    Ok(())
}

/// The dimension in which an array that the nest writes keeps its steps: all accesses are at the step plus a constant
/// there, and nowhere else do they speak of it. It is not the innermost one, unless nothing is read there.
fn history(accesses: &[Access], array_of: &[usize], index: usize) -> Option<usize> {
    let mine = || accesses.iter().zip(array_of).filter(|(_, i)| **i == index).map(|(a, _)| a);
    let is_step = |s: &Affine| {
        let distance = s.offset.sub(&Poly::symbol(Sym::Time));
        s.counter.is_none()
            && mentions_time(&s.offset)
            && distance.is_ok_and(|d| d.as_constant().is_some())
    };
    let dims = mine().next()?.subscripts.len();
    let read = mine().any(|a| !a.write);
    (0..dims.saturating_sub(usize::from(read))).find(|&d| {
        mine().all(|a| {
            let mut others = a.subscripts.iter().enumerate().filter(|(e, _)| *e != d);
            is_step(&a.subscripts[d]) && !others.any(|(_, s)| mentions_time(&s.offset))
        })
    })
}

/// Arrays that are never written may be read at a place that moves with time, along a dimension of their own; those that
/// are written keep all their steps, or none.
fn refuse_moving(accesses: &[Access], array_of: &[usize]) -> Result<(), Rejection> {
    for (a, &index) in accesses.iter().zip(array_of) {
        let scaled = |p: &Poly| {
            p.terms().iter().any(|t| t.symbols.contains(&Sym::Time) && t.symbols.len() > 1)
        };
        let moving = mentions_time(&a.start)
            || a.subscripts.iter().any(|s| mentions_time(&s.offset) && s.counter.is_some())
            || a.subscripts.iter().any(|s| scaled(&s.offset));
        let written = accesses.iter().zip(array_of).any(|(w, &i)| i == index && w.write);
        let moves = a.subscripts.iter().any(|s| mentions_time(&s.offset));
        let kept = || history(accesses, array_of, index).is_some();
        if moving || (moves && written && !kept()) {
            return Err(base_pointer(
                "each time step writes another part of the array, and what it reads there is not at a fixed number of steps before",
            )
            .at(a.line));
        }
    }
    Ok(())
}

/// Arrays that share a pointer get names of their own.
fn name_apart(arrays: &mut [Array]) {
    for i in 1..arrays.len() {
        let base = arrays[i].name.clone();
        let same = arrays[..i].iter().filter(|a| {
            a.name == base || a.name.strip_prefix(&base).is_some_and(|r| r.starts_with('+'))
        });
        let count = same.count();
        if count > 0 {
            arrays[i].name = format!("{base}+{count}");
        }
    }
}

fn assemble(
    facts: &NestFacts,
    arrays: Vec<Array>,
    accesses: Vec<Access>,
    array_of: &[usize],
) -> Result<Scop, Rejection> {
    let mut relations = Vec::with_capacity(accesses.len());
    for (a, &index) in accesses.into_iter().zip(array_of) {
        let array = u16::try_from(index)
            .map_err(|_| Rejection::new(Reason::Budget, "the loop uses too many arrays"))?;
        relations.push(AccessRelation {
            array,
            rotation: a.flat.rotation,
            subscripts: a.subscripts,
            maybe: a.maybe,
        });
    }
    let mut relations = relations.into_iter();
    let statements = facts
        .statements
        .iter()
        .map(|s| Statement {
            loops: s.loops.clone(),
            conditions: s.conditions.clone(),
            reads: relations.by_ref().take(s.loads.len()).collect(),
            entries: s.entries.clone(),
            body: s.body.clone(),
            writes: relations
                .by_ref()
                .take(s.stores.len())
                .zip(&s.stores)
                .map(|(access, w)| WriteRelation { access, value: w.value })
                .collect(),
            line: s.line,
        })
        .collect();
    Ok(Scop {
        function: facts.function.clone(),
        file: facts.file.clone(),
        line: facts.line,
        ints: facts.ints.clone(),
        pointers: facts.pointers.clone(),
        disjoint_pointers: facts.disjoint_pointers.clone(),
        scalars: facts.scalars.clone(),
        tables: facts.tables.clone(),
        lookups: facts.lookups.clone(),
        fences: vec![],
        steps: facts.steps.clone(),
        loops: facts.loops.iter().map(|l| l.trip.clone()).collect(),
        blocked: facts.blocked,
        arrays,
        lines: vec![],
        statements,
        // Statements are asked as a whole from here on.
        checks: facts.checks.iter().map(|c| CheckFact { under: None, ..c.clone() }).collect(),
        fp: facts.fp,
    })
}
