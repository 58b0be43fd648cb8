//! Sweeps over whole grids that a mask keeps inside: `if (!solid[k]) v[k] = u[k - 1] + …` for every k, where the mask holds
//! back all points at the border.
//!
//! Only the run knows what the mask holds. Where a statement reads beyond its rows (or before its array) under a condition
//! on an element that no statement stores, its border iterations become statements of their own, of which it is assumed
//! that the mask holds them back; the guard looks at the mask's elements there ([`Fence`]). Consumes and produces facts; refuses
//! nothing.

use super::outside::{InRow, in_row};
use crate::body::{
    BinaryOp, Body, Conversion, FpFlags, Op, Predicate, Ty, UnaryOp, Value, ValueId,
};
use crate::facts::{AccessFact, Base, CheckFact, NestFacts, StatementFact, StoreFact};
use hexpass_abi::expr::OutOfRange;
use hexpass_abi::{CheckKind, ElemType, Entry, Fence, Held, IntExpr, Lookup, Poly, Sym};
use std::collections::HashMap;

/// A border is no wider.
const WIDEST: i64 = 8;

/// The facts with such borders, and what the guard looks at; none where there are none.
pub fn keep_inside(facts: &NestFacts) -> Result<Option<(NestFacts, Vec<Fence>)>, OutOfRange> {
    let mut out: Option<(NestFacts, Vec<Fence>)> = None;
    let mut at = 0;
    for (i, s) in facts.statements.iter().enumerate() {
        let pieces = match Border::of(s, facts)? {
            Some(border) => border.pieces(s, i, facts)?,
            None => None,
        };
        let Some(pieces) = pieces else {
            at += 1;
            continue;
        };
        let (out, fences) = out.get_or_insert_with(|| (facts.clone(), Vec::new()));
        at += pieces.put((out, fences), at);
    }
    Ok(out)
}

/// How many of a loop's iterations reach beyond the grid.
struct Side {
    counter: u16,
    trip: Poly,
    /// First ones.
    low: i64,
    /// Last ones.
    high: i64,
}

impl Side {
    /// What the entry leads to lies before the loop's first iteration's row (-1), or behind the last one's (1).
    fn is_beyond(&self, e: &Entry, end: i64) -> bool {
        e.index
            .iter()
            .any(|p| p.coefficient(&[Sym::Iv(self.counter)]) * p.constant_part() * end > 0)
    }
}

/// The iterations of a statement whose reads lie outside of the grid that it stores to.
struct Border {
    /// Outermost loop first; none that has no such iterations.
    sides: Vec<Side>,
    /// By load: it reaches beyond.
    beyond: Vec<bool>,
}

impl Border {
    fn of(s: &StatementFact, facts: &NestFacts) -> Result<Option<Border>, OutOfRange> {
        let mut border = Border { sides: Vec::new(), beyond: vec![false; s.loads.len()] };
        if !s.loads.iter().any(|a| a.maybe) {
            return Ok(None);
        }
        for &counter in &s.loops {
            let IntExpr::Poly(trip) = &facts.loops[usize::from(counter)].trip else { continue };
            let mut side = Side { counter, trip: trip.clone(), low: 0, high: 0 };
            // The grid begins where the loop does.
            if !begins_with(s, counter)? {
                continue;
            }
            for (load, beyond) in s.loads.iter().zip(&mut border.beyond) {
                let Some((low, high)) = reach(load, s, counter, trip)? else { continue };
                *beyond |= load.maybe && (low > 0 || high > 0);
                if load.maybe {
                    side.low = side.low.max(low);
                    side.high = side.high.max(high);
                }
            }
            if side.low.max(side.high) > WIDEST {
                return Ok(None);
            }
            if side.low.max(side.high) > 0 {
                border.sides.push(side);
            }
        }
        // What is only read ahead may be a larger array.
        Ok(border.sides.iter().any(|side| side.low > 0).then_some(border))
    }

    /// One statement for each border where it does something, and one for what is inside; none where no mask holds back
    /// the reads.
    fn pieces(
        &self,
        s: &StatementFact,
        number: usize,
        facts: &NestFacts,
    ) -> Result<Option<Pieces>, OutOfRange> {
        let tests = tests(s, facts)?;
        let Some((held, becomes, pinned)) = self.held_back(s, &tests) else { return Ok(None) };
        let Some(lookups) = self.lookups(s, facts)? else { return Ok(None) };
        let (statements, fences, checks) = (Vec::new(), Vec::new(), Vec::new());
        let mut pieces = Pieces { statements, fences, checks, lookups };
        let mut inside = s.clone();
        for side in &self.sides {
            let counter = Poly::symbol(Sym::Iv(side.counter));
            let first = counter.sub(&Poly::constant(side.low))?;
            let last = side.trip.sub(&Poly::constant(side.high + 1))?.sub(&counter)?;
            for (inner, width, beyond) in [(&first, side.low, -1), (&last, side.high, 1)] {
                if width == 0 {
                    continue;
                }
                let outer = inner.scale(-1)?.sub(&Poly::constant(1))?;
                let mut conditions = inside.conditions.clone();
                conditions.push(outer);
                for &(test, holds) in &pinned {
                    pieces.fences.push(tests[test].fence(s, &conditions, holds, facts)?);
                }
                if !held.stores.is_empty() {
                    let mut piece = StatementFact { conditions, ..held.clone() };
                    piece.entries.retain(|e| !side.is_beyond(e, beyond));
                    pieces.statements.push(piece);
                }
                inside.conditions.push(inner.clone());
            }
            // Where there is room for both.
            let value = side.trip.sub(&Poly::constant(side.low + side.high))?;
            pieces.checks.push(CheckFact::once(value, CheckKind::Size));
        }
        pieces.statements.push(inside);
        let own = |c: &&CheckFact| c.statement.map(usize::from) == Some(number);
        for check in facts.checks.iter().filter(own) {
            let is_asked = check
                .under
                .is_none_or(|v| !matches!(becomes[usize::from(v)], Becomes::Bool(false)));
            if !pieces.ask(check, is_asked, s, facts)? {
                return Ok(None);
            }
        }
        Ok(Some(pieces))
    }

    /// What the border's iterations look up in tables, as where rows of the mask lie; none if that can't be said.
    fn lookups(
        &self,
        s: &StatementFact,
        facts: &NestFacts,
    ) -> Result<Option<Vec<Lookup>>, OutOfRange> {
        let is_beyond =
            |e: &Entry| self.sides.iter().any(|side| side.is_beyond(e, -1) || side.is_beyond(e, 1));
        let mut out = Vec::new();
        for entry in s.entries.iter().filter(|e| !is_beyond(e)) {
            let mut index = Vec::with_capacity(entry.index.len());
            for p in &entry.index {
                let (mut first, mut last) = (p.clone(), p.clone());
                for &l in &s.loops {
                    let IntExpr::Poly(trip) = &facts.loops[usize::from(l)].trip else { continue };
                    first = first.substitute(Sym::Iv(l), &Poly::zero())?;
                    last = last.substitute(Sym::Iv(l), &trip.sub(&Poly::constant(1))?)?;
                }
                index.push((first.into(), last.into()));
            }
            out.push(Lookup { table: entry.table, rotation: entry.rotation, index });
        }
        let is_said = |e: &IntExpr| matches!(e, IntExpr::Poly(p) if !p.mentions_any(|s| !matches!(s, Sym::Int(_))));
        let all = out.iter().flat_map(|l| &l.index).all(|(a, b)| is_said(a) && is_said(b));
        Ok(all.then_some(out))
    }

    /// What is left of the statement where tests come out so that nothing beyond the border is read; which ones, and how.
    fn held_back(
        &self,
        s: &StatementFact,
        tests: &[Test],
    ) -> Option<(StatementFact, Vec<Becomes>, Vec<(usize, bool)>)> {
        let all = |holds: bool| (0..tests.len()).map(|t| (t, holds)).collect();
        let alone = (0..tests.len()).flat_map(|t| [vec![(t, false)], vec![(t, true)]]);
        let ways = alone.chain([all(false), all(true)]);
        let mut left = ways.map(|pinned: Vec<(usize, bool)>| {
            let (held, becomes) = pin(s, tests, &pinned);
            (held, becomes, pinned)
        });
        left.find(|(held, ..)| !self.reaches_beyond(s, held))
    }

    fn reaches_beyond(&self, s: &StatementFact, held: &StatementFact) -> bool {
        let mut beyond = s.loads.iter().zip(&self.beyond).filter(|(_, beyond)| **beyond);
        beyond.any(|(load, _)| held.loads.contains(load))
    }
}

/// The loop's first iteration stores to the first row, or column.
fn begins_with(s: &StatementFact, counter: u16) -> Result<bool, OutOfRange> {
    for w in &s.stores {
        match in_row(&w.access, s, counter)? {
            Some(InRow { first, .. }) if first.is_zero() => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

/// In how many first and last iterations the place lies outside of its row, or of as many rows as the loop has iterations.
fn reach(
    a: &AccessFact,
    s: &StatementFact,
    counter: u16,
    trip: &Poly,
) -> Result<Option<(i64, i64)>, OutOfRange> {
    let Some(InRow { first, row }) = in_row(a, s, counter)? else { return Ok(None) };
    let Some(first) = first.as_constant() else { return Ok(None) };
    let room = match row {
        Some(row) => row.sub(trip)?.as_constant().unwrap_or(0).max(0),
        None => 0,
    };
    let (mut low, mut high) = ((-first).max(0), (first - room).max(0));
    for condition in &s.conditions {
        let Some((factor, rest)) = condition.split(Sym::Iv(counter)) else { continue };
        match factor.as_constant() {
            // Iterations that the statement does not run in anyway.
            Some(1) if rest.as_constant().is_some_and(|c| c <= -low) => low = 0,
            Some(-1) => {
                let left = trip.sub(&Poly::constant(1))?.sub(&rest)?.as_constant();
                if left.is_some_and(|left| left >= high) {
                    high = 0;
                }
            }
            _ => {}
        }
    }
    Ok(Some((low, high)))
}

/// The statement where tests come out so, without stores that leave what was there, and what its values become.
fn pin(
    s: &StatementFact,
    tests: &[Test],
    pinned: &[(usize, bool)],
) -> (StatementFact, Vec<Becomes>) {
    let known = |v: ValueId| {
        let test = Test::of(&s.body, v, &s.loads)?;
        pinned.iter().find(|&&(t, _)| tests[t] == test).map(|&(_, holds)| holds)
    };
    let becomes = fold(&s.body, &known);
    let leaves = |w: &StoreFact| {
        let Becomes::Value(v) = becomes[usize::from(w.value)] else { return false };
        let Op::Load(load) = s.body.values[usize::from(v)].op else { return false };
        let old = &s.loads[usize::from(load)];
        let there = |a: &AccessFact| (a.base, a.elem, a.offset.clone());
        there(old) == there(&w.access)
    };
    let mut stores: Vec<StoreFact> = s.stores.iter().filter(|w| !leaves(w)).cloned().collect();
    let mut piece = Rebuilt::default();
    for store in &mut stores {
        store.value = piece.value(s, &becomes, store.value);
    }
    (StatementFact { loads: piece.loads, body: piece.body, stores, ..s.clone() }, becomes)
}

/// What a value has become.
#[derive(Clone, Copy)]
enum Becomes {
    Bool(bool),
    /// What another value is, or this one.
    Value(ValueId),
}

/// Choices whose conditions are known are made.
fn fold(body: &Body, known: &dyn Fn(ValueId) -> Option<bool>) -> Vec<Becomes> {
    let mut out: Vec<Becomes> = Vec::with_capacity(body.values.len());
    for (v, value) in body.values.iter().enumerate() {
        let of = |v: ValueId| out[usize::from(v)];
        let is = |v: ValueId| if let Becomes::Bool(is) = of(v) { Some(is) } else { None };
        let own = Becomes::Value(v as ValueId);
        out.push(match value.op {
            _ if let Some(is) = known(v as ValueId) => Becomes::Bool(is),
            Op::Integer(number) if value.ty == Ty::Bool => Becomes::Bool(number != 0),
            Op::Unary(UnaryOp::Not, a) => is(a).map_or(own, |a| Becomes::Bool(!a)),
            Op::Select(c, t, f) => match is(c) {
                Some(c) => of(if c { t } else { f }),
                None => own,
            },
            Op::Binary(BinaryOp::And, a, b) if value.ty == Ty::Bool => match (is(a), is(b)) {
                (Some(false), _) | (_, Some(false)) => Becomes::Bool(false),
                (Some(true), _) => of(b),
                (_, Some(true)) => of(a),
                _ => own,
            },
            Op::Binary(BinaryOp::Or, a, b) if value.ty == Ty::Bool => match (is(a), is(b)) {
                (Some(true), _) | (_, Some(true)) => Becomes::Bool(true),
                (Some(false), _) => of(b),
                (_, Some(false)) => of(a),
                _ => own,
            },
            _ => own,
        });
    }
    out
}

/// A body of those values that are wanted, and its loads.
#[derive(Default)]
struct Rebuilt {
    body: Body,
    loads: Vec<AccessFact>,
    names: HashMap<ValueId, ValueId>,
    /// `false` and `true`.
    bools: [Option<ValueId>; 2],
}

impl Rebuilt {
    fn value(&mut self, s: &StatementFact, becomes: &[Becomes], v: ValueId) -> ValueId {
        let v = match becomes[usize::from(v)] {
            Becomes::Value(v) => v,
            Becomes::Bool(is) => {
                let op = Op::Integer(i64::from(is));
                let flags = FpFlags::default();
                let known = self.bools[usize::from(is)];
                let v = known.unwrap_or_else(|| self.push(Value { op, ty: Ty::Bool, flags }));
                self.bools[usize::from(is)] = Some(v);
                return v;
            }
        };
        if let Some(&known) = self.names.get(&v) {
            return known;
        }
        let value = &s.body.values[usize::from(v)];
        let op = match value.op {
            Op::Load(load) => {
                self.loads.push(s.loads[usize::from(load)].clone());
                Op::Load((self.loads.len() - 1) as u16)
            }
            ref op => {
                for operand in op.operands() {
                    self.value(s, becomes, operand);
                }
                op.renamed(|v| self.name(becomes, v)).unwrap_or_else(|| op.clone())
            }
        };
        let new = self.push(Value { op, ..value.clone() });
        self.names.insert(v, new);
        new
    }

    fn name(&self, becomes: &[Becomes], v: ValueId) -> Option<ValueId> {
        match becomes[usize::from(v)] {
            Becomes::Value(v) => self.names.get(&v).copied(),
            Becomes::Bool(is) => self.bools[usize::from(is)],
        }
    }

    fn push(&mut self, value: Value) -> ValueId {
        self.body.values.push(value);
        (self.body.values.len() - 1) as ValueId
    }
}

/// What stands for one statement.
struct Pieces {
    /// The last is what is inside.
    statements: Vec<StatementFact>,
    fences: Vec<Fence>,
    /// Of numbers of `statements`.
    checks: Vec<CheckFact>,
    lookups: Vec<Lookup>,
}

impl Pieces {
    /// A check of the statement, which the border's iterations ask too unless the mask holds them back before; false where that
    /// can't be said.
    fn ask(
        &mut self,
        check: &CheckFact,
        everywhere: bool,
        s: &StatementFact,
        facts: &NestFacts,
    ) -> Result<bool, OutOfRange> {
        let inside = self.statements.len() - 1;
        let first = if everywhere { 0 } else { inside };
        self.checks.extend((first..=inside).map(|piece| CheckFact {
            statement: Some(piece as u16),
            under: None,
            ..check.clone()
        }));
        if !everywhere || inside > 0 {
            return Ok(true);
        }
        // Nothing is left of the border: at all corners instead.
        let mut corners = vec![check.value.clone()];
        for &l in &s.loops {
            let counter = Sym::Iv(l);
            let IntExpr::Poly(trip) = &facts.loops[usize::from(l)].trip else { return Ok(false) };
            let last = trip.sub(&Poly::constant(1))?;
            let is_linear =
                |p: &Poly| p.split(counter).is_some_and(|(factor, _)| !factor.mentions(counter));
            if !corners.iter().all(is_linear) {
                return Ok(false);
            }
            if corners.iter().any(|p| p.mentions(counter)) {
                let ends = corners.iter().flat_map(|p| {
                    [p.substitute(counter, &Poly::zero()), p.substitute(counter, &last)]
                });
                corners = ends.collect::<Result<_, _>>()?;
            }
        }
        self.checks.extend(corners.into_iter().map(|value| CheckFact::once(value, check.kind)));
        Ok(true)
    }

    /// Puts them in the place of a statement; how many there are.
    fn put(self, (facts, fences): (&mut NestFacts, &mut Vec<Fence>), at: usize) -> usize {
        let count = self.statements.len();
        facts.statements.splice(at..=at, self.statements);
        facts.checks.retain(|c| c.statement.map(usize::from) != Some(at));
        for check in &mut facts.checks {
            if let Some(of) = check.statement.filter(|&of| usize::from(of) > at) {
                check.statement = Some(of + count as u16 - 1);
            }
        }
        for mut check in self.checks {
            check.statement = check.statement.map(|piece| piece + at as u16);
            if !facts.checks.contains(&check) {
                facts.checks.push(check);
            }
        }
        for lookup in self.lookups {
            if !facts.lookups.contains(&lookup) {
                facts.lookups.push(lookup);
            }
        }
        for fence in self.fences {
            if !fences.contains(&fence) {
                fences.push(fence);
            }
        }
        count
    }
}

/// A question about an element of a mask.
#[derive(PartialEq)]
struct Test {
    load: u16,
    /// Which elements answer yes.
    yes: Held,
}

/// The statement's values that ask one of them, each once, and all values that ask it.
fn tests(s: &StatementFact, facts: &NestFacts) -> Result<Vec<Test>, OutOfRange> {
    let mut out: Vec<Test> = Vec::new();
    for v in 0..s.body.values.len() {
        if let Some(test) = Test::of(&s.body, v as ValueId, &s.loads)
            && !out.contains(&test)
            && is_mask(&s.loads[usize::from(test.load)], s, facts)?
        {
            out.push(test);
        }
    }
    Ok(out)
}

/// No statement stores to it, every iteration reads its own element, in every step the same.
fn is_mask(a: &AccessFact, s: &StatementFact, facts: &NestFacts) -> Result<bool, OutOfRange> {
    let moves = |x: Sym| matches!(x, Sym::Time | Sym::Mod(_));
    if a.maybe || !matches!(a.base, Base::Pointer(_)) || a.offset.mentions_any(moves) {
        return Ok(false);
    }
    let mut rest = a.offset.clone();
    for &l in &s.loops {
        let Some((stride, other)) = rest.split(Sym::Iv(l)) else { return Ok(false) };
        if stride.mentions_any(|x| !matches!(x, Sym::Int(_))) {
            return Ok(false);
        }
        rest = other;
    }
    // Another member of the same structures.
    let steps = s.loops.iter().map(|&l| a.offset.coefficient(&[Sym::Iv(l)]));
    let Some(cell) = steps.filter(|&c| c > 0).min() else { return Ok(false) };
    let is_apart = |w: &AccessFact| {
        let whole =
            |p: &Poly| p.terms().iter().all(|t| t.symbols.is_empty() || t.coefficient % cell == 0);
        let d = (w.offset.constant_part() - a.offset.constant_part()).rem_euclid(cell);
        let (own, other) = (a.elem.size() as i64, w.elem.size() as i64);
        whole(&w.offset) && whole(&a.offset) && d >= own && d + other <= cell
    };
    let stores = facts.statements.iter().flat_map(|s| &s.stores).map(|w| &w.access);
    Ok(stores.filter(|w| w.base.goes_with(&a.base)).all(is_apart))
}

impl Test {
    /// Of a value that is a comparison of an element with a constant, or its lowest bit.
    fn of(body: &Body, v: ValueId, loads: &[AccessFact]) -> Option<Test> {
        let value = |v: ValueId| &body.values[usize::from(v)];
        let constant = |v: ValueId| matches!(value(v).op, Op::Integer(_) | Op::Float(_));
        match value(v).op {
            Op::Compare(p, a, b) if constant(b) => {
                let element = Element::of(body, a, loads)?;
                Some(Test { load: element.load, yes: element.compared(p, value(b))? })
            }
            Op::Compare(p, a, b) if constant(a) => {
                let element = Element::of(body, b, loads)?;
                Some(Test { load: element.load, yes: element.compared(p.swapped(), value(a))? })
            }
            Op::Convert(Conversion::Truncate, a) if value(v).ty == Ty::Bool => {
                let element = Element::of(body, a, loads)?;
                let yes =
                    Held::Integers { bits: element.bits & 1, first: 1, last: 1, within: true };
                Some(Test { load: element.load, yes })
            }
            _ => None,
        }
    }

    /// What the guard asks where the test comes out so, in the iterations in which no condition is negative.
    fn fence(
        &self,
        s: &StatementFact,
        conditions: &[Poly],
        holds: bool,
        facts: &NestFacts,
    ) -> Result<Fence, OutOfRange> {
        let access = &s.loads[usize::from(self.load)];
        let Base::Pointer(pointer) = access.base else { return Err(OutOfRange) };
        let (mut offset, mut strides, mut ranges) = (access.offset.clone(), Vec::new(), Vec::new());
        for &l in &s.loops {
            let (stride, rest) = offset.split(Sym::Iv(l)).ok_or(OutOfRange)?;
            (offset, strides) = (rest, [strides, vec![stride]].concat());
            let trip = facts.loops[usize::from(l)].trip.clone();
            let less = IntExpr::Poly(Poly::constant(-1));
            let mut first = IntExpr::Poly(Poly::zero());
            let mut last = IntExpr::Add(Box::new(trip), Box::new(less));
            for condition in conditions {
                match condition.split(Sym::Iv(l)) {
                    Some((factor, rest)) if factor.as_constant() == Some(1) => {
                        first = IntExpr::Max(Box::new(first), Box::new(rest.scale(-1)?.into()));
                    }
                    Some((factor, rest)) if factor.as_constant() == Some(-1) => {
                        last = IntExpr::Min(Box::new(last), Box::new(rest.into()));
                    }
                    _ => {}
                }
            }
            ranges.push((first, last));
        }
        let name = facts.pointers[usize::from(pointer)].clone();
        let held = if holds { self.yes } else { self.yes.others() };
        Ok(Fence { name, pointer, offset, strides, elem: access.elem, ranges, held })
    }
}

/// An element of a mask, or some of its bits.
struct Element {
    load: u16,
    elem: ElemType,
    bits: i64,
}

impl Element {
    fn of(body: &Body, v: ValueId, loads: &[AccessFact]) -> Option<Element> {
        let value = |v: ValueId| &body.values[usize::from(v)];
        match value(v).op {
            Op::Load(load) => Some(Element { load, elem: loads[usize::from(load)].elem, bits: -1 }),
            Op::Convert(Conversion::SignExtend | Conversion::FpExtend, a) => {
                Element::of(body, a, loads)
            }
            Op::Convert(Conversion::ZeroExtend, a) => match value(a).ty {
                Ty::Elem(narrow) => Element::of(body, a, loads)?.masked(width(narrow)?),
                Ty::Bool => None,
            },
            Op::Binary(BinaryOp::And, a, b) => match value(b).op {
                Op::Integer(bits) if bits >= 0 => Element::of(body, a, loads)?.masked(bits),
                _ => None,
            },
            _ => None,
        }
    }

    fn masked(self, bits: i64) -> Option<Element> {
        Some(Element { bits: self.bits & bits, ..self })
    }

    /// The elements that compare so with a constant.
    fn compared(&self, predicate: Predicate, with: &Value) -> Option<Held> {
        use Predicate::*;
        if self.elem.is_float() {
            return self.compared_float(predicate, with);
        }
        let Op::Integer(number) = with.op else { return None };
        let unsigned = matches!(predicate, IUgt | IUge | IUlt | IUle);
        let Ty::Elem(ty) = with.ty else { return None };
        // What has lost its sign compares as a signed number does.
        let (bits, c) = match (self.bits, unsigned) {
            (-1, true) => (width(ty)?, number & width(ty)?),
            (bits, false) => (bits, signed(number, ty)),
            (bits, true) => (bits, number & width(ty).or((number >= 0).then_some(i64::MAX))?),
        };
        let (first, last) = match predicate {
            IEq | INe => (c, c),
            ISgt | IUgt => (c.checked_add(1)?, i64::MAX),
            ISge | IUge => (c, i64::MAX),
            ISlt | IUlt => (i64::MIN, c.checked_sub(1)?),
            ISle | IUle => (i64::MIN, c),
            _ => return None,
        };
        Some(Held::Integers { bits, first, last, within: predicate != INe })
    }

    fn compared_float(&self, predicate: Predicate, with: &Value) -> Option<Held> {
        use Predicate::*;
        let Op::Float(bits) = with.op else { return None };
        let c = match with.ty {
            Ty::Elem(ElemType::F32) => f64::from(f32::from_bits(bits as u32)),
            Ty::Elem(ElemType::F64) => f64::from_bits(bits),
            _ => return None,
        };
        if !c.is_finite() {
            return None;
        }
        let all = |first: f64, last: f64, within: bool| Held::Reals { first, last, within };
        Some(match predicate {
            FOeq => all(c, c, true),
            FUne => all(c, c, false),
            FOgt => all(c.next_up(), f64::INFINITY, true),
            FOge => all(c, f64::INFINITY, true),
            FOlt => all(f64::NEG_INFINITY, c.next_down(), true),
            FOle => all(f64::NEG_INFINITY, c, true),
            FUgt => all(f64::NEG_INFINITY, c, false),
            FUge => all(f64::NEG_INFINITY, c.next_down(), false),
            FUlt => all(c, f64::INFINITY, false),
            FUle => all(c.next_up(), f64::INFINITY, false),
            _ => return None,
        })
    }
}

/// All bits of a narrower type.
fn width(ty: ElemType) -> Option<i64> {
    match ty {
        ElemType::I8 => Some(0xff),
        ElemType::I16 => Some(0xffff),
        ElemType::I32 => Some(0xffff_ffff),
        _ => None,
    }
}

/// A constant as a number of its type.
fn signed(number: i64, ty: ElemType) -> i64 {
    match ty {
        ElemType::I8 => i64::from(number as i8),
        ElemType::I16 => i64::from(number as i16),
        ElemType::I32 => i64::from(number as i32),
        _ => number,
    }
}
