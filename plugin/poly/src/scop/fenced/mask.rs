//! Questions about the elements of masks.
//!
//! Consumes a statement's body; produces comparisons of what no statement stores with constants, and of each what the guard is
//! to look at ([`Fence`]). Refuses nothing: what is no such comparison is no mask.

use crate::body::{BinaryOp, Body, Conversion, Op, Predicate, Ty, Value, ValueId};
use crate::facts::{AccessFact, Base, NestFacts, StatementFact};
use hexpass_abi::expr::OutOfRange;
use hexpass_abi::{ElemType, Fence, Held, IntExpr, Poly, Sym};

/// A question about an element of a mask.
#[derive(PartialEq)]
pub struct Test {
    load: u16,
    /// Which elements answer yes.
    yes: Held,
}

/// What a statement's values ask, each question once.
pub fn tests(s: &StatementFact, facts: &NestFacts) -> Result<Vec<Test>, OutOfRange> {
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
    if a.maybe || a.offset.mentions_any(moves) {
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
    pub fn of(body: &Body, v: ValueId, loads: &[AccessFact]) -> Option<Test> {
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

    /// What the guard asks where the test comes out so, in the iterations in which no condition is negative: of each of the
    /// masks that change places.
    pub fn fences(
        &self,
        s: &StatementFact,
        conditions: &[Poly],
        holds: bool,
        facts: &NestFacts,
    ) -> Result<Vec<Fence>, OutOfRange> {
        let access = &s.loads[usize::from(self.load)];
        let (mut offset, mut strides, mut ranges) = (access.offset.clone(), Vec::new(), Vec::new());
        for &l in &s.loops {
            let (stride, rest) = offset.split(Sym::Iv(l)).ok_or(OutOfRange)?;
            strides.push(stride);
            offset = rest;
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
        let masks = match access.base {
            Base::Pointer(pointer) => vec![(pointer, Poly::zero())],
            Base::Rotation { rotation, .. } => {
                facts.rotations[usize::from(rotation)].initial.clone()
            }
        };
        let fence = |(pointer, start): (u16, Poly)| {
            let name = facts.pointers[usize::from(pointer)].clone();
            let held = if holds { self.yes } else { self.yes.others() };
            let (offset, strides, ranges) = (start.add(&offset)?, strides.clone(), ranges.clone());
            Ok(Fence { name, pointer, offset, strides, elem: access.elem, ranges, held })
        };
        masks.into_iter().map(fence).collect()
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
            // Of the sign, a comparison would have to know whether it is one.
            Op::Binary(BinaryOp::And, a, b) => match (&value(b).op, value(b).ty) {
                (&Op::Integer(bits), Ty::Elem(ty)) if bits >= 0 && signed(bits, ty) == bits => {
                    Element::of(body, a, loads)?.masked(bits)
                }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::FpFlags;

    fn body(values: &[(Op, Ty)]) -> Body {
        let value =
            |(op, ty): &(Op, Ty)| Value { op: op.clone(), ty: *ty, flags: FpFlags::default() };
        Body { values: values.iter().map(value).collect() }
    }

    /// What a byte answers, as it is or widened without its sign.
    fn answer(p: Predicate, x: i8, c: i8, widened: bool) -> bool {
        use Predicate::*;
        let number = |b: i8| if widened { i64::from(b as u8) } else { i64::from(b) };
        let (x, c) = (number(x), number(c));
        match p {
            IEq => x == c,
            INe => x != c,
            ISgt => x > c,
            ISge => x >= c,
            ISlt => x < c,
            ISle => x <= c,
            IUgt => x as u8 > c as u8,
            IUge => x as u8 >= c as u8,
            IUlt => (x as u8) < c as u8,
            _ => x as u8 <= c as u8,
        }
    }

    #[test]
    fn bytes_answer_as_the_source_asks() {
        use Predicate::*;
        let (byte, word) = (Ty::Elem(ElemType::I8), Ty::Elem(ElemType::I32));
        let load = AccessFact {
            base: Base::Pointer(0),
            offset: Poly::zero(),
            elem: ElemType::I8,
            maybe: false,
        };
        let loads = [load];
        for p in [IEq, INe, ISgt, ISge, ISlt, ISle, IUgt, IUge, IUlt, IUle] {
            for c in [-128i8, -5, -1, 0, 1, 3, 126] {
                let plain = body(&[
                    (Op::Load(0), byte),
                    (Op::Integer(c.into()), byte),
                    (Op::Compare(p, 0, 1), Ty::Bool),
                ]);
                let wide = body(&[
                    (Op::Load(0), byte),
                    (Op::Convert(Conversion::ZeroExtend, 0), word),
                    (Op::Integer((c as u8).into()), word),
                    (Op::Compare(p.swapped(), 2, 1), Ty::Bool),
                ]);
                let of = |b: &Body, v| Test::of(b, v, &loads).expect("a question").yes;
                let (plain, wide) = (of(&plain, 2), of(&wide, 3));
                for x in i8::MIN..=i8::MAX {
                    assert_eq!(
                        plain.holds_integer(x.into()),
                        answer(p, x, c, false),
                        "{p:?} {x} {c}"
                    );
                    assert_eq!(
                        wide.holds_integer(x.into()),
                        answer(p, x, c, true),
                        "{p:?} {x} {c}"
                    );
                    assert_ne!(
                        plain.others().holds_integer(x.into()),
                        plain.holds_integer(x.into())
                    );
                }
            }
        }
    }
}
