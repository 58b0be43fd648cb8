//! Consumes scalar-evolution expressions; produces polynomials over the nest's counters and parameters.
//!
//! Narrow arithmetic: an expression of n bits is read as a polynomial over the integers that is congruent modulo 2ⁿ.
//! Where the program extends it to a wider type, a check is recorded that the polynomial's value fits the n bits (signed
//! or unsigned as the extension is), so that the two agree; the runtime evaluates it before anything is written.
//!
//! Refuses (`non-affine`) what changes in the nest in any other way than by counters, `x mod c` and rotation.

use super::addresses::thawed;
use super::branches::Truth;
use super::context::{Context, CountedBefore, Known, name_of};
use super::narrow::{require_fits, small_constant};
use crate::llvm::{Opcode, ScevKind, ScevRef, TypeKind, Value};
use hexpass_abi::{CheckKind, IntExpr, Poly, Sym};
use hexpass_poly::facts::{CheckFact, ModFact};
use hexpass_poly::rejection::{Reason, Rejection};

/// How bits of a narrow value are read where it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extension {
    Signed,
    Unsigned,
}

/// A check found while an expression was read: `value >= 0` wherever the expression is evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub value: Poly,
    pub kind: CheckKind,
}

/// The refusal for an expression that is too large to handle.
pub fn too_large<E>(_: E) -> Rejection {
    Rejection::new(Reason::NonAffine, "a subscript's constants are too large to handle")
}

pub(super) fn not_linear() -> Rejection {
    non_affine("a subscript or bound is computed in the nest in a way that is not linear")
}

pub(super) fn non_affine(what: impl Into<String>) -> Rejection {
    Rejection::new(Reason::NonAffine, what)
}

impl<'a> Context<'a> {
    /// `scev` as a polynomial, checks going to `found`.
    pub fn poly(
        &mut self,
        scev: ScevRef<'a>,
        ext: Extension,
        found: &mut Vec<Found>,
    ) -> Result<Poly, Rejection> {
        match scev.kind() {
            ScevKind::Constant => {
                let c = scev.constant().ok_or_else(|| too_large(()))?;
                Ok(Poly::constant(c))
            }
            ScevKind::Add => {
                let (mut sum, rest) = self.distances(scev.operands(), found)?;
                for op in rest {
                    let p = self.poly(op, ext, found)?;
                    sum = sum.add(&p).map_err(too_large)?;
                }
                Ok(sum)
            }
            ScevKind::Mul => self.product(scev, ext, found),
            ScevKind::AddRec => self.counter(scev, ext, found),
            ScevKind::ZeroExtend => self.zero_extended(scev, found),
            ScevKind::SignExtend => {
                let inner = scev.operands()[0];
                let bits = self.a.bits(inner);
                if bits == 1 {
                    if let Some(v) = inner.value()
                        && let Some(p) = self.turning(v, Extension::Signed, found)?
                    {
                        return Ok(p);
                    }
                    return match self.decided(inner)? {
                        Some(holds) => Ok(Poly::constant(-i64::from(holds))),
                        None => self.leaf_of(scev, ext, found),
                    };
                }
                let p = small_constant(self.poly(inner, Extension::Signed, found)?, bits)?;
                require_fits(&p, bits, Extension::Signed, found)?;
                Ok(p)
            }
            ScevKind::Truncate => {
                let inner = scev.operands()[0];
                if self.a.bits(scev) == 1 {
                    self.leaf_of(scev, ext, found)
                } else {
                    self.poly(inner, ext, found)
                }
            }
            ScevKind::PtrToInt => self.leaf_of(scev, ext, found),
            ScevKind::Unknown => match scev.value() {
                Some(v) => self.unknown(v, ext, found),
                None => self.leaf_of(scev, ext, found),
            },
            ScevKind::SMax
            | ScevKind::UMax
            | ScevKind::SMin
            | ScevKind::UMin
            | ScevKind::SequentialUMin
                if !self.is_steady(scev) =>
            {
                self.extremum(scev, found)
            }
            // Fortran's extents are never below zero: `max(n, 0)`, and `max(n - 1, -1) + 1` from 0 to n - 1; nor are sections
            // of an array that may be empty, `max(n, 2) - 2` from 2 to n - 1. The guard sees that they are what they seem.
            // A counter of `1..n` ends at `max(n, 1)`.
            kind @ (ScevKind::SMax | ScevKind::UMax)
                if scev
                    .operands()
                    .first()
                    .and_then(|o| o.constant())
                    .is_some_and(|least| kind == ScevKind::SMax || least >= 0) =>
            {
                let of =
                    if kind == ScevKind::SMax { Extension::Signed } else { Extension::Unsigned };
                let operands = scev.operands();
                let [least, size] = operands.as_slice() else {
                    return self.leaf_of(scev, ext, found);
                };
                let least = Poly::constant(least.constant().unwrap_or(0));
                let mut of_size = Vec::new();
                let Ok(size) = self.poly(*size, of, &mut of_size) else {
                    return self.leaf_of(scev, ext, found);
                };
                found.extend(of_size);
                push_check(found, size.sub(&least).map_err(too_large)?, CheckKind::Size);
                Ok(size)
            }
            // What Fortran's modulo adds for a negative size.
            ScevKind::SMin if scev.operands().first().and_then(|o| o.constant()) == Some(0) => {
                let operands = scev.operands();
                let [_, size] = operands.as_slice() else {
                    return self.leaf_of(scev, ext, found);
                };
                let size = self.poly(*size, Extension::Signed, found)?;
                push_check(found, size, CheckKind::Size);
                Ok(Poly::zero())
            }
            // Nobody divides before the loop by what may be zero.
            ScevKind::UDiv if !self.is_steady(scev) || self.expand(scev).is_none() => {
                let operands = scev.operands();
                let x = self.divided_value(operands[0], Extension::Unsigned, found)?;
                let y = self.divided_value(operands[1], Extension::Unsigned, found)?;
                // A distance in bytes as one in elements.
                if let Some(quotient) = y.as_constant().and_then(|_| x.exact_div(&y)) {
                    push_check(found, x, CheckKind::Size);
                    return Ok(quotient);
                }
                if let Some(quotient) = self.quotient(&x, &y, found)? {
                    return Ok(quotient);
                }
                if let Some((quotient, _)) = self.divided_counters(&x, &y, found)? {
                    return Ok(quotient);
                }
                let remainder = self.wrapped(&x, &y, false, found)?;
                let whole = x.sub(&remainder).map_err(too_large)?;
                // A remainder's number comes round no more than twice.
                for times in 0..=2 {
                    if y.scale(times).map_err(too_large)? == whole {
                        return Ok(Poly::constant(times));
                    }
                }
                Err(non_affine("a subscript is a quotient"))
            }
            _ => self.leaf_of(scev, ext, found),
        }
    }

    /// The largest or smallest of several: the one that it is at the iterations of the region. The larger of a constant
    /// and a size (Fortran's extents are never below zero) is the size, checked to be the larger.
    fn extremum(&mut self, scev: ScevRef<'a>, found: &mut Vec<Found>) -> Result<Poly, Rejection> {
        let kind = scev.kind();
        let signed = matches!(kind, ScevKind::SMax | ScevKind::SMin);
        let largest = matches!(kind, ScevKind::SMax | ScevKind::UMax);
        let ext = if signed { Extension::Signed } else { Extension::Unsigned };
        let bits = self.a.bits(scev);
        let mut best: Option<Poly> = None;
        for operand in scev.operands() {
            let p = self.poly(operand, ext, found)?;
            require_fits(&p, bits, ext, found)?;
            best = Some(match best {
                None => p,
                Some(b) => {
                    let difference = p.sub(&b).map_err(too_large)?;
                    match self.sign(&difference)? {
                        Truth::Yes => {
                            if largest {
                                p
                            } else {
                                b
                            }
                        }
                        Truth::No => {
                            if largest {
                                b
                            } else {
                                p
                            }
                        }
                        Truth::Data if largest && b.as_constant().is_some() => {
                            push_check(found, difference, CheckKind::Size);
                            p
                        }
                        Truth::Data => {
                            return Err(non_affine(
                                "a subscript or bound is not a linear function of the loop counters",
                            ));
                        }
                    }
                }
            });
        }
        best.ok_or_else(|| non_affine("an empty bound"))
    }

    /// A product; `c · (x udiv d)` with d dividing c is what remains of `x mod d`, where x changes.
    fn product(
        &mut self,
        scev: ScevRef<'a>,
        ext: Extension,
        found: &mut Vec<Found>,
    ) -> Result<Poly, Rejection> {
        let ops = scev.operands();
        if let [c, rest] = ops.as_slice()
            && let (Some(c), ScevKind::UDiv) = (c.constant(), rest.kind())
            && !self.is_steady(*rest)
        {
            let div = rest.operands();
            if let Some(d) = div[1].constant()
                && d > 0
                && c % d == 0
            {
                let x = self.divided_value(div[0], Extension::Unsigned, found)?;
                let remainder = match self.divided_counters(&x, &Poly::constant(d), found)? {
                    Some((_, rest)) => rest,
                    None => self.modulo(&x, d, found)?,
                };
                return x.sub(&remainder).and_then(|p| p.scale(c / d)).map_err(too_large);
            }
        }
        let mut product = Poly::constant(1);
        for op in ops {
            let p = self.poly(op, ext, found)?;
            product = product.mul(&p).map_err(too_large)?;
        }
        Ok(product)
    }

    /// `{start,+,step}` of a loop of the nest, or of a loop around it.
    fn counter(
        &mut self,
        scev: ScevRef<'a>,
        ext: Extension,
        found: &mut Vec<Found>,
    ) -> Result<Poly, Rejection> {
        let ops = scev.operands();
        let counter = scev.add_rec_loop().map(|l| self.counter_of(l)).transpose()?.flatten();
        let Some(counter) = counter else {
            return self.counted_before(scev, ext, found);
        };
        let [start, step] = ops.as_slice() else {
            return Err(non_affine("a subscript grows faster than linearly"));
        };
        let start = self.poly(*start, ext, found)?;
        let step = self.poly(*step, ext, found)?;
        start.add(&step.mul(&counter).map_err(too_large)?).map_err(too_large)
    }

    /// What a loop before the nest has counted up to: a parameter, and of further ones the distance from that in its steps.
    fn counted_before(
        &mut self,
        scev: ScevRef<'a>,
        ext: Extension,
        found: &mut Vec<Found>,
    ) -> Result<Poly, Rejection> {
        let (ops, bits) = (scev.operands(), self.a.bits(scev));
        let step = ops.get(1).and_then(|step| step.constant()).filter(|&step| step != 0);
        let (Some(l), [start, _], Some(step)) = (scev.add_rec_loop(), ops.as_slice(), step) else {
            return self.leaf_of(scev, ext, found);
        };
        let known = self.counted.iter().find(|c| c.by == l && c.bits == bits && step % c.step == 0);
        if let Some(known) = known.cloned() {
            let start = self.poly(*start, ext, found)?;
            // `start + step·n`, of which `known.value` says what `n` is.
            let apart = known.value.sub(&known.start).and_then(|n| n.scale(step / known.step));
            let value = apart.and_then(|p| p.add(&start)).map_err(too_large)?;
            if ext == Extension::Unsigned {
                push_check(found, value.clone(), CheckKind::Size);
            }
            return Ok(value);
        }
        let value = self.leaf_of(scev, ext, found)?;
        if let Ok(start) = self.poly(*start, ext, &mut Vec::new()) {
            self.counted.push(CountedBefore { by: l, bits, start, step, value: value.clone() });
        }
        Ok(value)
    }

    /// What scalar evolution has no name for.
    fn unknown(
        &mut self,
        v: Value<'a>,
        ext: Extension,
        found: &mut Vec<Found>,
    ) -> Result<Poly, Rejection> {
        if self.is_outside(v) {
            if let Some(number) = self.known_number(v)? {
                return Ok(Poly::constant(number));
            }
            return self.leaf(Known::Value(v), ext, found);
        }
        if let Some(p) = self.turning(v, ext, found)? {
            return Ok(p);
        }
        match v.opcode() {
            Some(Opcode::LLVMFreeze) => match self.a.scev(thawed(v)) {
                Some(s) => self.poly(s, ext, found),
                None => Err(not_linear()),
            },
            Some(Opcode::LLVMLoad) => {
                if let Some(cell) = self.cell_of(v) {
                    return self.equal_values(&cell.values, ext);
                }
                if let Some(size) = self.part_of_cell(v, ext)? {
                    return Ok(size);
                }
                if let Some(size) = self.size_in_rotation(v, ext)? {
                    return Ok(size);
                }
                let moves = self.moves(v);
                let number = if moves { self.number(v, found)? } else { self.fixed_number(v)? };
                if let Some(number) = number {
                    return Ok(number);
                }
                if let Some(size) = self.table_size(v, found)? {
                    return Ok(size);
                }
                if let Some(size) = self.turning_size(v, ext)? {
                    return Ok(size);
                }
                let load = self.invariant_load(v).map_err(|r| match moves {
                    true => non_affine("a subscript is itself looked up in an array").at(r.line),
                    false => r,
                })?;
                self.leaf(load, ext, found)
            }
            Some(Opcode::LLVMSRem | Opcode::LLVMURem) => self.remainder(v, found),
            Some(Opcode::LLVMSDiv) => {
                let (x, by) = self.division_operands(v, found)?;
                if let Some((quotient, _)) = self.divided_counters(&x, &by, found)? {
                    return Ok(quotient);
                }
                // Rounded down, as it is towards zero where it is not negative: how many rows, of 24 bytes each.
                let quotient = self.quotient(&x, &by, found)?.ok_or_else(not_linear)?;
                push_check(found, x, CheckKind::Size);
                Ok(quotient)
            }
            Some(Opcode::LLVMPHI) => {
                if let Some(p) = self.cycle_value(v, ext) {
                    return p;
                }
                let one = match super::context::single_incoming(v) {
                    None => self.only_incoming(v)?,
                    some => some,
                };
                match one.and_then(|v| self.a.scev(v)) {
                    Some(s) => self.poly(s, ext, found),
                    None => Err(non_affine(
                        "a subscript or bound changes in the nest in a way that is not linear",
                    )),
                }
            }
            Some(Opcode::LLVMSelect) => {
                if let Some(p) = self.turning_choice(v, ext, found)? {
                    return Ok(p);
                }
                if let Some(p) = self.unless_empty(v, ext, found)? {
                    return Ok(p);
                }
                let chosen = match v.operand(0).map(|c| self.truth(c)).transpose()? {
                    Some(Truth::Yes) => v.operand(1),
                    Some(Truth::No) => v.operand(2),
                    _ => None,
                };
                match chosen.and_then(|x| self.a.scev(x)) {
                    Some(s) => self.poly(s, ext, found),
                    None => {
                        Err(non_affine("a subscript or bound is chosen by a condition on data"))
                    }
                }
            }
            Some(Opcode::LLVMAShr) => {
                let x = v.operand(0).and_then(|x| self.a.scev(x));
                match (x, v.operand(1).and_then(|c| c.as_int())) {
                    (Some(x), Some(bits @ 1..=4)) => {
                        let x = self.poly(x, Extension::Signed, found)?;
                        self.divided(&x, 1 << bits)
                    }
                    _ => Err(not_linear()),
                }
            }
            _ => Err(not_linear()),
        }
    }

    /// What flang counts to where an array that is empty in one dimension is run through: nothing, or its extent in
    /// another one. The guard sees that the first has elements.
    fn unless_empty(
        &mut self,
        choice: Value<'a>,
        ext: Extension,
        found: &mut Vec<Found>,
    ) -> Result<Option<Poly>, Rejection> {
        use inkwell::llvm_sys::LLVMIntPredicate::{LLVMIntEQ, LLVMIntNE};
        let zero = |v: Option<Value<'a>>| v.and_then(|v| v.as_int()) == Some(0);
        let Some(condition) = choice.operand(0).filter(|c| zero(c.operand(1))) else {
            return Ok(None);
        };
        let (nothing, extent) = match condition.int_predicate() {
            Some(LLVMIntEQ) => (choice.operand(1), choice.operand(2)),
            Some(LLVMIntNE) => (choice.operand(2), choice.operand(1)),
            _ => return Ok(None),
        };
        let scev = |v: Option<Value<'a>>| v.and_then(|v| self.a.scev(v));
        let (true, Some(asked), Some(extent)) =
            (zero(nothing), scev(condition.operand(0)), scev(extent))
        else {
            return Ok(None);
        };
        let asked = self.poly(asked, Extension::Signed, found)?;
        if asked.mentions_any(|s| !matches!(s, Sym::Int(_))) {
            return Ok(None);
        }
        push_check(found, asked.sub(&Poly::constant(1)).map_err(too_large)?, CheckKind::Size);
        self.poly(extent, ext, found).map(Some)
    }

    /// A whole expression that does not change in the nest, as one parameter.
    pub(super) fn leaf_of(
        &mut self,
        scev: ScevRef<'a>,
        ext: Extension,
        found: &mut Vec<Found>,
    ) -> Result<Poly, Rejection> {
        if !self.is_steady(scev) || self.a.bits(scev) > 64 {
            return Err(non_affine(
                "a subscript or bound is not a linear function of the loop counters",
            ));
        }
        let v = self
            .expand(scev)
            .ok_or_else(|| non_affine("a bound can't be computed before the loop"))?;
        self.leaf(Known::Value(v), ext, found)
    }

    /// The parameter of that operand.
    pub fn leaf(
        &mut self,
        known: Known<'a>,
        ext: Extension,
        found: &mut Vec<Found>,
    ) -> Result<Poly, Rejection> {
        if let Known::Value(v) = known {
            if let Some(c) = v.as_int() {
                return Ok(Poly::constant(c));
            }
            if !matches!(v.ty().kind(), TypeKind::Int(bits) if bits <= 64) {
                return Err(non_affine("a subscript or bound has a type wider than 64 bits"));
            }
        }
        // Always read as signed: an unsigned one must not be so large that it matters.
        let id = self.parameter(known)?;
        let p = self.equals.get(&id).cloned().unwrap_or_else(|| Poly::symbol(Sym::Int(id)));
        if ext == Extension::Unsigned {
            push_check(found, p.clone(), CheckKind::Size);
        }
        Ok(p)
    }

    /// The number of the integer parameter.
    pub fn parameter(&mut self, known: Known<'a>) -> Result<u16, Rejection> {
        let id = match self.ints.iter().position(|b| *b == known) {
            Some(i) => i,
            None => {
                self.ints.push(known);
                self.int_names.push(name_of(known));
                self.ints.len() - 1
            }
        };
        u16::try_from(id).map_err(too_large)
    }

    /// A trip count: polynomials joined by max and min, each read in its own width.
    ///
    /// A constant branch of a maximum that is not positive is dropped: "not positive" already means "none".
    pub fn trip(
        &mut self,
        scev: ScevRef<'a>,
        found: &mut Vec<Found>,
    ) -> Result<IntExpr, Rejection> {
        let e = self.bound(scev, Extension::Signed, found)?;
        Ok(drop_empty(e))
    }

    fn bound(
        &mut self,
        scev: ScevRef<'a>,
        ext: Extension,
        found: &mut Vec<Found>,
    ) -> Result<IntExpr, Rejection> {
        use ScevKind::*;
        match scev.kind() {
            SMax => self.joined(scev, Extension::Signed, IntExpr::Max, found),
            UMax => self.joined(scev, Extension::Unsigned, IntExpr::Max, found),
            SMin => self.joined(scev, Extension::Signed, IntExpr::Min, found),
            UMin | SequentialUMin => self.joined(scev, Extension::Unsigned, IntExpr::Min, found),
            Add => {
                if let Some(quotient) = self.rounded_up(scev, found)? {
                    return Ok(quotient);
                }
                let mut sum = IntExpr::Poly(Poly::zero());
                for op in scev.operands() {
                    let e = self.bound(op, ext, found)?;
                    sum = add(sum, e)?;
                }
                Ok(sum)
            }
            Mul if scev.operands().len() == 2 && scev.operands()[0].constant() == Some(-1) => {
                let e = self.bound(scev.operands()[1], ext, found)?;
                negate(e)
            }
            ZeroExtend if self.a.bits(scev.operands()[0]) > 8 => {
                let inner = scev.operands()[0];
                self.bound(inner, Extension::Unsigned, found)
            }
            SignExtend if self.a.bits(scev.operands()[0]) > 8 => {
                let inner = scev.operands()[0];
                self.bound(inner, Extension::Signed, found)
            }
            _ => {
                let p = self.poly(scev, ext, found)?;
                Ok(IntExpr::Poly(p))
            }
        }
    }

    /// How often `for (p = 0; p < n * m * 9; p += 9)` runs, which scalar evolution calls `(x - 1 umin x) /u 9 + 1 umin x`:
    /// the quotient, where nothing is left over.
    fn rounded_up(
        &mut self,
        sum: ScevRef<'a>,
        found: &mut Vec<Found>,
    ) -> Result<Option<IntExpr>, Rejection> {
        let parts = sum.operands();
        let of_kind = |kind| parts.iter().find(|p| p.kind() == kind).map(|p| (*p, p.operands()));
        let (Some((least, one)), Some((_, quotient)), 2) =
            (of_kind(ScevKind::UMin), of_kind(ScevKind::UDiv), parts.len())
        else {
            return Ok(None);
        };
        let ([one, all], [less, by]) = (&one[..], &quotient[..]) else { return Ok(None) };
        let divisor = by.constant().filter(|by| *by > 1);
        let (Some(by), Some(1), Some(rest)) = (divisor, one.constant(), self.a.minus(*all, least))
        else {
            return Ok(None);
        };
        if rest != *less {
            return Ok(None);
        }
        let all = self.bound(*all, Extension::Signed, found)?;
        Ok(divided(&all, &Poly::constant(by)))
    }

    fn joined(
        &mut self,
        scev: ScevRef<'a>,
        ext: Extension,
        join: fn(Box<IntExpr>, Box<IntExpr>) -> IntExpr,
        found: &mut Vec<Found>,
    ) -> Result<IntExpr, Rejection> {
        let bits = self.a.bits(scev);
        let mut all: Option<IntExpr> = None;
        for op in scev.operands() {
            let e = self.bound(op, ext, found)?;
            if let IntExpr::Poly(p) = &e {
                require_fits(p, bits, ext, found)?;
            }
            all = Some(match all {
                None => e,
                Some(x) => join(Box::new(x), Box::new(e)),
            });
        }
        all.ok_or_else(|| non_affine("an empty bound"))
    }
}

/// Adds a check once; constants that hold need none.
pub fn push_check(found: &mut Vec<Found>, value: Poly, kind: CheckKind) {
    if value.as_constant().is_some_and(|c| c >= 0) {
        return;
    }
    let check = Found { value, kind };
    if !found.contains(&check) {
        found.push(check);
    }
}

/// The checks, each once, at both ends of what remainders may be: a check that is linear in a remainder holds where it
/// does at the ends.
pub fn without_remainders(
    checks: impl Iterator<Item = CheckFact>,
    mods: &[ModFact],
) -> Result<Vec<CheckFact>, Rejection> {
    let mut out: Vec<CheckFact> = Vec::new();
    for check in checks {
        for value in at_ends(check.value, mods)? {
            let check = CheckFact { value, ..check };
            if check.value.as_constant().is_none_or(|c| c < 0) && !out.contains(&check) {
                out.push(check);
            }
        }
    }
    Ok(out)
}

fn at_ends(value: Poly, mods: &[ModFact]) -> Result<Vec<Poly>, Rejection> {
    let mut all = vec![value];
    for (i, m) in (0u16..).zip(mods) {
        let s = Sym::Mod(i);
        let mut next = Vec::new();
        for value in all {
            if !value.mentions(s) {
                next.push(value);
                continue;
            }
            if value.terms().iter().any(|t| t.symbols.iter().filter(|&&x| x == s).count() > 1) {
                return Err(non_affine("a check is not linear in a remainder"));
            }
            for end in [0, m.modulus - 1] {
                next.push(value.substitute(s, &Poly::constant(end)).map_err(too_large)?);
            }
        }
        all = next;
    }
    Ok(all)
}

/// a + b with the sum inside of max and min.
pub fn add(a: IntExpr, b: IntExpr) -> Result<IntExpr, Rejection> {
    Ok(match (a, b) {
        (IntExpr::Poly(p), IntExpr::Poly(q)) => IntExpr::Poly(p.add(&q).map_err(too_large)?),
        (IntExpr::Max(x, y), o) | (o, IntExpr::Max(x, y)) => {
            IntExpr::Max(Box::new(add(*x, o.clone())?), Box::new(add(*y, o)?))
        }
        (IntExpr::Min(x, y), o) | (o, IntExpr::Min(x, y)) => {
            IntExpr::Min(Box::new(add(*x, o.clone())?), Box::new(add(*y, o)?))
        }
        (a, b) => IntExpr::Add(Box::new(a), Box::new(b)),
    })
}

/// e divided by something positive, if nothing is left over in any branch.
fn divided(e: &IntExpr, by: &Poly) -> Option<IntExpr> {
    let both = |a, b| Some((Box::new(divided(a, by)?), Box::new(divided(b, by)?)));
    Some(match e {
        IntExpr::Poly(p) => IntExpr::Poly(p.exact_div(by)?),
        IntExpr::Max(a, b) => both(a, b).map(|(a, b)| IntExpr::Max(a, b))?,
        IntExpr::Min(a, b) => both(a, b).map(|(a, b)| IntExpr::Min(a, b))?,
        IntExpr::Add(a, b) => both(a, b).map(|(a, b)| IntExpr::Add(a, b))?,
    })
}

fn negate(e: IntExpr) -> Result<IntExpr, Rejection> {
    Ok(match e {
        IntExpr::Poly(p) => IntExpr::Poly(p.scale(-1).map_err(too_large)?),
        IntExpr::Max(a, b) => IntExpr::Min(Box::new(negate(*a)?), Box::new(negate(*b)?)),
        IntExpr::Min(a, b) => IntExpr::Max(Box::new(negate(*a)?), Box::new(negate(*b)?)),
        IntExpr::Add(a, b) => IntExpr::Add(Box::new(negate(*a)?), Box::new(negate(*b)?)),
    })
}

/// Without the branches of a maximum that are constants below one, and those of a minimum that are there twice.
fn drop_empty(e: IntExpr) -> IntExpr {
    let none =
        |e: &IntExpr| matches!(e, IntExpr::Poly(p) if p.as_constant().is_some_and(|c| c <= 0));
    match e {
        IntExpr::Max(a, b) => {
            let (a, b) = (drop_empty(*a), drop_empty(*b));
            if none(&a) {
                b
            } else if none(&b) {
                a
            } else {
                IntExpr::Max(Box::new(a), Box::new(b))
            }
        }
        IntExpr::Min(a, b) => {
            let (a, b) = (drop_empty(*a), drop_empty(*b));
            if a == b { a } else { IntExpr::Min(Box::new(a), Box::new(b)) }
        }
        e => e,
    }
}
