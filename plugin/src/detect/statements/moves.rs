//! Copies and fills of memory in a nest.
//!
//! Consumes calls of memcpy, memmove and memset of zeros, and all other accesses; produces a statement for each, with
//! loops over the dimensions that its length is a whole number of, or else one over all its elements.
//!
//! Refuses `call`: lengths that are not.

use super::super::affine::{Extension, Found, push_check, too_large};
use super::super::context::Context;
use super::{Refusal, Statements};
use crate::llvm::{ScevKind, ScevRef, Value};
use hexpass_abi::{CheckKind, Entry, IntExpr, Poly, Sym};
use hexpass_poly::body::{Body, Op, Ty, ValueId};
use hexpass_poly::facts::{AccessFact, Base, StatementFact, StoreFact};
use hexpass_poly::rejection::{Reason, Rejection};
use hexpass_poly::scop::LARGER_THAN_ANY_SIZE;

/// A memcpy, memmove or memset of zeros.
pub struct Move<'a> {
    /// Position among the statements.
    pub at: usize,
    loops: Vec<u16>,
    to: (Base, Poly),
    from: Option<(Base, Poly)>,
    bytes: Poly,
    /// Positive exactly when the call is reached.
    condition: Option<IntExpr>,
    call: Value<'a>,
    pub found: Vec<Found>,
    entries: Vec<Entry>,
}

impl<'a> Statements<'a> {
    /// Takes such a call, to be a statement once all accesses are known.
    pub(super) fn moving(
        &mut self,
        c: &mut Context<'a>,
        call: Value<'a>,
        loops: &[u16],
        condition: Option<IntExpr>,
    ) -> Result<(), Refusal> {
        let refuse = || super::super::call_refusal(c, call);
        let arguments = call.call_arguments();
        let kind = moved(call).ok_or_else(refuse)?;
        let [to, second, length, ..] = arguments.as_slice() else { return Err(refuse().into()) };
        if kind == "llvm.memset" && second.as_int() != Some(0) {
            return Err(refuse().into());
        }
        let scev = c.a.scev(*length).ok_or_else(refuse)?;
        let mut found = Vec::new();
        c.entries.clear();
        // How far the ends of a vector are apart may be known before the nest, as one number.
        let bytes = match is_of_addresses(scev) && c.is_steady(scev) {
            true => c.leaf_of(scev, Extension::Signed, &mut found)?,
            false => c.poly(scev, Extension::Signed, &mut found)?,
        };
        let to = self.address(c, *to, &mut found)?;
        let from =
            if kind == "llvm.memset" { None } else { Some(self.address(c, *second, &mut found)?) };
        // A negative length would be a huge one: the original must deal with it. Under a condition, the loops' trip
        // counts are not positive then, and nothing is copied.
        if condition.is_none() {
            push_check(&mut found, bytes.clone(), CheckKind::Size);
        }
        let entries = c.look_up_sizes(&c.region.clone())?;
        self.moves.push(Move {
            at: self.facts.len(),
            loops: loops.to_vec(),
            to,
            from,
            bytes,
            condition,
            call,
            found,
            entries,
        });
        Ok(())
    }
}

/// A copy or fill as a statement: loops over the dimensions that its length is a whole number of, or else one over all its
/// elements.
pub fn move_statement(
    c: &mut Context<'_>,
    m: &Move<'_>,
    others: &[StatementFact],
) -> Result<StatementFact, Refusal> {
    let refuse = || {
        Rejection::new(
            Reason::Call,
            "a memcpy or memset whose length is not a number of rows or elements",
        )
        .at(m.call.location().map(|p| p.line))
    };
    let bases: Vec<Base> = std::iter::once(m.to.0).chain(m.from.as_ref().map(|f| f.0)).collect();
    let touches = |a: &&AccessFact| bases.iter().any(|b| b.goes_with(&a.base));
    let of_array: Vec<(&StatementFact, &AccessFact)> =
        others.iter().flat_map(|s| s.accesses().filter(touches).map(move |a| (s, a))).collect();
    let elem = of_array.first().map(|(_, a)| a.elem).ok_or_else(refuse)?;
    let mut strides: Vec<Poly> = Vec::new();
    for (_, access) in &of_array {
        for i in 0..c.loops.len() as u16 {
            let Some((factor, _)) = access.offset.split(Sym::Iv(i)) else { continue };
            let is_stride =
                !factor.mentions_any(|s| matches!(s, Sym::Iv(_) | Sym::Time | Sym::Mod(_)));
            // A loop that counts down goes through the same rows.
            let down = factor.terms().iter().all(|t| t.coefficient < 0);
            let factor = if down { factor.scale(-1).map_err(too_large)? } else { factor };
            if is_stride && !factor.is_zero() && !strides.contains(&factor) {
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
            // Two negative factors are a length that no loop over rows has.
            push_check(&mut c.checks, stride.clone(), CheckKind::Size);
            if m.loops.is_empty() && m.condition.is_none() {
                let none = m.bytes.scale(-1).map_err(too_large)?;
                push_check(&mut c.checks, none, CheckKind::Idle);
            }
        }
    }
    let size = Poly::constant(elem.size() as i64);
    let count = match left.exact_div(&size) {
        Some(count) => count,
        // The distance between two addresses: a whole number of elements, which is to be checked.
        None => {
            if left.mentions_any(|s| !matches!(s, Sym::Int(_))) {
                return Err(refuse().into());
            }
            let mut found = Vec::new();
            let count = c.quotient(&left, &size, &mut found)?.ok_or_else(refuse)?;
            let whole = count.mul(&size).map_err(too_large)?;
            for more in [whole.sub(&left), left.sub(&whole)] {
                push_check(&mut found, more.map_err(too_large)?, CheckKind::Size);
            }
            c.checks.extend(found);
            count
        }
    };
    dimension(c, count, &size)?;
    let at = |(base, offset): &(Base, Poly)| -> Result<AccessFact, Rejection> {
        let offset = offset.add(&shift).map_err(too_large)?;
        Ok(AccessFact { base: *base, offset, elem, maybe: false })
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
    let (conditions, line) = (Vec::new(), m.call.location().map(|p| p.line));
    let entries = m.entries.clone();
    Ok(StatementFact { loops, conditions, loads, entries, body, stores, line })
}

/// Addresses are what it is made of.
fn is_of_addresses(scev: ScevRef<'_>) -> bool {
    scev.kind() == ScevKind::PtrToInt || scev.operands().into_iter().any(is_of_addresses)
}

/// A trip count that is positive exactly when `e` is, and then larger than any size that the guard lets through.
pub fn stretched(e: IntExpr) -> Result<IntExpr, Rejection> {
    Ok(match e {
        IntExpr::Poly(p) => IntExpr::Poly(p.scale(LARGER_THAN_ANY_SIZE).map_err(too_large)?),
        IntExpr::Min(a, b) => IntExpr::Min(Box::new(stretched(*a)?), Box::new(stretched(*b)?)),
        IntExpr::Max(a, b) => IntExpr::Max(Box::new(stretched(*a)?), Box::new(stretched(*b)?)),
        IntExpr::Add(a, b) => IntExpr::Add(Box::new(stretched(*a)?), Box::new(stretched(*b)?)),
    })
}

/// The name of the intrinsic, if the call copies or fills memory.
pub fn moved(i: Value<'_>) -> Option<String> {
    i.intrinsic().filter(|n| matches!(n.as_str(), "llvm.memcpy" | "llvm.memmove" | "llvm.memset"))
}
