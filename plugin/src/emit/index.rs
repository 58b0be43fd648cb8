//! Writes a kernel's integer expressions as LLVM instructions.
//!
//! Consumes [`IExpr`]s and the values that variables are bound to; produces [`Affine`] sums over atoms, and instructions
//! for them when a value is needed. Equal atoms and sums are written once for each scope (a loop body or a branch).
//!
//! On the device, sums that provably fit are computed in 32 bits; quantities of unknown size stay 64 bits wide.

mod sums;

use super::affine::{Affine, AtomId, Range};
use super::fault::{Emitted, Fault};
use hexpass_poly::kernel::ir::IExpr;
use inkwell::IntPredicate;
use inkwell::builder::Builder;
use inkwell::context::ContextRef;
use inkwell::types::IntType;
use inkwell::values::IntValue;
use std::collections::HashMap;

/// What coordinates, counts and sums of both may be in kernels whose threads run every node.
pub const COORDINATE: Range = Range { lo: -(3 << 29), hi: 3 << 29 };

/// How often a smallest or largest may be looked into for a bound.
const BOUND_DEPTH: u32 = 5;
/// Sums that are looked at for one bound: their number doubles with each smallest or largest in a sum.
const MOST_BOUNDS: u32 = 256;

struct Atom<'ctx> {
    value: IntValue<'ctx>,
    range: Range,
    /// A kernel's parameter: the same for all threads.
    param: bool,
    /// Number of loops around the innermost counter that it depends on.
    depth: u32,
    /// The operands, if the atom is their smallest or largest.
    choice: Option<(Choice, Affine, Affine)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Choice {
    Min,
    Max,
}

/// What has an instruction already.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Floor(Affine, i64),
    Mod(Affine, i64),
    Choice(Choice, Affine, Affine),
    Product(Affine, Affine),
    Wide(Affine),
    Narrow(Affine),
    Truncated(Affine),
    Clamped(Affine),
}

#[derive(Clone, Copy)]
enum Known<'ctx> {
    Atom(AtomId),
    Value(IntValue<'ctx>),
}

/// A condition after folding.
#[derive(Clone, Copy, Debug)]
pub enum Test<'ctx> {
    Always,
    Never,
    Value(IntValue<'ctx>),
}

impl<'ctx> Test<'ctx> {
    /// Both conditions.
    pub fn and(self, b: &Builder<'ctx>, other: Test<'ctx>) -> Emitted<Test<'ctx>> {
        Ok(match (self, other) {
            (Test::Never, _) | (_, Test::Never) => Test::Never,
            (Test::Always, t) | (t, Test::Always) => t,
            (Test::Value(p), Test::Value(q)) => Test::Value(b.build_and(p, q, "")?),
        })
    }
}

/// A point to which a scope returns; see [`Indexer::enter`].
#[derive(Clone, Copy)]
pub struct Scope(usize);

/// Integer values of one kernel.
pub struct Indexer<'ctx> {
    narrow: bool,
    i32: IntType<'ctx>,
    i64: IntType<'ctx>,
    atoms: Vec<Atom<'ctx>>,
    known: HashMap<Key, Known<'ctx>>,
    log: Vec<Key>,
    vars: Vec<Option<Affine>>,
    params: Vec<Option<AtomId>>,
    block: [Option<AtomId>; 3],
    thread: [Option<Affine>; 3],
    depth: u32,
}

impl<'ctx> Indexer<'ctx> {
    /// For a kernel of `vars` variables and `params` parameters; `narrow` allows 32-bit arithmetic.
    pub fn new(ctx: ContextRef<'ctx>, narrow: bool, vars: u16, params: usize) -> Indexer<'ctx> {
        Indexer {
            narrow,
            i32: ctx.i32_type(),
            i64: ctx.i64_type(),
            atoms: Vec::new(),
            known: HashMap::new(),
            log: Vec::new(),
            vars: vec![None; usize::from(vars)],
            params: vec![None; params],
            block: [None; 3],
            thread: [const { None }; 3],
            depth: 0,
        }
    }

    /// Makes an atom of a value that does not change in any loop.
    pub fn atom(&mut self, value: IntValue<'ctx>, range: Range) -> AtomId {
        self.atom_at(value, range, 0)
    }

    /// Makes an atom of the counter of the innermost open loop.
    pub fn counter(&mut self, value: IntValue<'ctx>, range: Range) -> AtomId {
        self.atom_at(value, range, self.depth)
    }

    fn atom_at(&mut self, value: IntValue<'ctx>, range: Range, depth: u32) -> AtomId {
        self.atoms.push(Atom { value, range, param: false, depth, choice: None });
        self.atoms.len() as AtomId - 1
    }

    /// Opens a loop; see [`Indexer::enter`].
    pub fn enter_loop(&mut self) -> Scope {
        self.depth += 1;
        self.enter()
    }

    /// Closes the loop.
    pub fn leave_loop(&mut self, scope: Scope) {
        self.depth -= 1;
        self.leave(scope);
    }

    fn depth_of(&self, a: &Affine) -> u32 {
        a.terms.iter().map(|&(x, _)| self.atoms[x as usize].depth).max().unwrap_or(0)
    }

    /// The terms that are no parameters, with the constant, and multiples of parameters.
    pub fn split_params(&self, a: &Affine) -> (Affine, Affine) {
        let (mut other, mut params) = (Affine::constant(a.constant), Affine::default());
        for &(atom, k) in &a.terms {
            let part = if self.atoms[atom as usize].param { &mut params } else { &mut other };
            part.terms.push((atom, k));
        }
        (other, params)
    }

    /// The terms that change in fewer loops than the others, and the others with the constant.
    pub fn split_depth(&self, a: &Affine) -> (Affine, Affine) {
        let depth = self.depth_of(a);
        let (mut outer, mut inner) = (Affine::default(), Affine::constant(a.constant));
        for &(atom, k) in &a.terms {
            let part =
                if self.atoms[atom as usize].depth < depth { &mut outer } else { &mut inner };
            part.terms.push((atom, k));
        }
        (outer, inner)
    }

    /// Says what an integer parameter is.
    pub fn set_param(&mut self, index: usize, value: IntValue<'ctx>, range: Range) {
        let atom = self.atom(value, range);
        self.atoms[atom as usize].param = true;
        self.params[index] = Some(atom);
    }

    /// Says what the block's index along an axis is.
    pub fn set_block(&mut self, axis: usize, value: IntValue<'ctx>) {
        self.block[axis] = Some(self.atom(value, Range::new(0, i32::MAX as i128)));
    }

    /// Says what the thread's index along an axis is.
    pub fn set_thread(&mut self, axis: usize, value: Affine) {
        self.thread[axis] = Some(value);
    }

    /// Binds a variable.
    pub fn bind(&mut self, var: u16, value: Affine) -> Emitted<()> {
        let slot = self.vars.get_mut(usize::from(var));
        *slot.ok_or_else(|| Fault::new(format!("variable v{var} out of range")))? = Some(value);
        Ok(())
    }

    /// The same value, known to be within [`COORDINATE`], as one that may be computed with in 32 bits.
    pub fn narrowed(&mut self, b: &Builder<'ctx>, a: Affine) -> Emitted<Affine> {
        if !self.narrow || a.as_constant().is_some() || self.is_narrow(&a) {
            return Ok(a);
        }
        let (value, depth) = (self.truncated(b, &a)?, self.depth_of(&a));
        Ok(Affine::atom(self.atom_at(value, COORDINATE, depth)))
    }

    /// A sum of which only the value is known.
    pub fn opaque(&mut self, value: IntValue<'ctx>, a: &Affine) -> Affine {
        let (range, depth) = (self.range(a), self.depth_of(a));
        Affine::atom(self.atom_at(value, range, depth))
    }

    /// Opens a scope: what is written from here on is forgotten by [`Indexer::leave`].
    pub fn enter(&self) -> Scope {
        Scope(self.log.len())
    }

    /// Forgets values that don't dominate what follows.
    pub fn leave(&mut self, scope: Scope) {
        for key in self.log.drain(scope.0..) {
            self.known.remove(&key);
        }
    }

    /// Type of 64-bit values.
    pub fn wide_type(&self) -> IntType<'ctx> {
        self.i64
    }

    /// Type of 32-bit values.
    pub fn narrow_type(&self) -> IntType<'ctx> {
        self.i32
    }

    /// The range of a sum.
    pub fn range(&self, a: &Affine) -> Range {
        a.range(&|x| self.atoms[x as usize].range)
    }

    /// True if the sum may be computed in 32 bits.
    pub fn is_narrow(&self, a: &Affine) -> bool {
        self.narrow && a.fits_narrow(&|x| self.atoms[x as usize].range)
    }

    /// An upper bound of a sum that looks through smallest and largest.
    pub fn upper_bound(&self, a: &Affine) -> i128 {
        self.bound(a, BOUND_DEPTH, &mut { MOST_BOUNDS })
    }

    fn bound(&self, a: &Affine, depth: u32, left: &mut u32) -> i128 {
        let mut best = self.range(a).hi;
        *left = left.saturating_sub(1);
        if depth == 0 || *left == 0 {
            return best;
        }
        for &(atom, k) in &a.terms {
            let Some((choice, x, y)) = &self.atoms[atom as usize].choice else { continue };
            if (*choice == Choice::Min) != (k > 0) {
                continue;
            }
            let Some(rest) = a.add_scaled(&Affine::atom(atom), -k) else { continue };
            for option in [x, y] {
                if let Some(replaced) = rest.add_scaled(option, k) {
                    best = best.min(self.bound(&replaced, depth - 1, left));
                }
            }
        }
        best
    }

    /// The expression as a sum; writes the instructions of atoms that it needs.
    pub fn affine(&mut self, b: &Builder<'ctx>, e: &IExpr) -> Emitted<Affine> {
        Ok(match e {
            IExpr::Const(c) => Affine::constant(*c),
            IExpr::Var(v) => self
                .vars
                .get(usize::from(*v))
                .cloned()
                .flatten()
                .ok_or_else(|| Fault::new(format!("variable v{v} is not bound")))?,
            IExpr::Param(p) => {
                let atom = self.params.get(usize::from(*p)).copied().flatten();
                Affine::atom(
                    atom.ok_or_else(|| Fault::new(format!("parameter {p} is no integer")))?,
                )
            }
            IExpr::Block(axis) => {
                let atom = self.block.get(usize::from(*axis)).copied().flatten();
                Affine::atom(atom.ok_or_else(|| Fault::new("no block index here"))?)
            }
            IExpr::Thread(axis) => {
                let index = self.thread.get(usize::from(*axis)).cloned().flatten();
                index.ok_or_else(|| Fault::new("no thread index here"))?
            }
            IExpr::Add(x, y) => {
                let (x, y) = (self.affine(b, x)?, self.affine(b, y)?);
                x.add_scaled(&y, 1).ok_or_else(too_large)?
            }
            IExpr::Sub(x, y) => {
                let (x, y) = (self.affine(b, x)?, self.affine(b, y)?);
                x.add_scaled(&y, -1).ok_or_else(too_large)?
            }
            IExpr::Mul(x, y) => {
                let (x, y) = (self.affine(b, x)?, self.affine(b, y)?);
                self.product(b, &x, &y)?
            }
            IExpr::FloorDiv(x, c) => {
                let x = self.affine(b, x)?;
                self.floor_div(b, &x, *c)?
            }
            IExpr::Opaque(x) => self.affine(b, x)?,
            IExpr::Mod(x, c) => {
                let x = self.affine(b, x)?;
                self.modulo(b, &x, *c)?
            }
            IExpr::Min(x, y) => {
                let (x, y) = (self.affine(b, x)?, self.affine(b, y)?);
                self.choose(b, Choice::Min, x, y)?
            }
            IExpr::Max(x, y) => {
                let (x, y) = (self.affine(b, x)?, self.affine(b, y)?);
                self.choose(b, Choice::Max, x, y)?
            }
        })
    }

    /// x · y, the product of two non-constants being an atom; a constant part of `x` is multiplied out.
    pub fn product(&mut self, b: &Builder<'ctx>, x: &Affine, y: &Affine) -> Emitted<Affine> {
        if let Some(c) = x.as_constant() {
            return y.scale(c).ok_or_else(too_large);
        }
        if let Some(c) = y.as_constant() {
            return x.scale(c).ok_or_else(too_large);
        }
        let moving = x.offset(x.constant.checked_neg().ok_or_else(too_large)?);
        let moving = moving.ok_or_else(too_large)?;
        let key = Key::Product(moving.clone(), y.clone());
        let atom = match self.find_atom(&key) {
            Some(atom) => atom,
            None => {
                let (left, right) = (self.wide(b, &moving)?, self.wide(b, y)?);
                let value = b.build_int_nsw_mul(left, right, "")?;
                self.remember(key, value, Range::UNKNOWN)
            }
        };
        Affine::atom(atom).add_scaled(y, x.constant).ok_or_else(too_large)
    }

    fn floor_div(&mut self, b: &Builder<'ctx>, x: &Affine, c: i64) -> Emitted<Affine> {
        positive(c)?;
        let (quotient, rest) = x.split_multiples(c);
        let range = self.range(&rest);
        let (low, high) = (range.lo.div_euclid(c as i128), range.hi.div_euclid(c as i128));
        if low == high {
            return quotient.offset(low as i64).ok_or_else(too_large);
        }
        let key = Key::Floor(rest.clone(), c);
        let atom = match self.find_atom(&key) {
            Some(atom) => atom,
            None => {
                let v = self.value(b, &rest)?;
                let by = v.get_type().const_int(c as u64, true);
                let value = if c & (c - 1) == 0 {
                    let bits = v.get_type().const_int(u64::from(c.trailing_zeros()), false);
                    b.build_right_shift(v, bits, true, "")?
                } else if range.is_natural() {
                    b.build_int_unsigned_div(v, by, "")?
                } else {
                    let quotient = b.build_int_signed_div(v, by, "")?;
                    let rest = b.build_int_signed_rem(v, by, "")?;
                    let zero = v.get_type().const_zero();
                    let below = b.build_int_compare(IntPredicate::SLT, rest, zero, "")?;
                    let one = b.build_int_s_extend(below, v.get_type(), "")?;
                    b.build_int_nsw_add(quotient, one, "")?
                };
                self.remember(key, value, Range::new(low, high))
            }
        };
        quotient.add_scaled(&Affine::atom(atom), 1).ok_or_else(too_large)
    }

    /// x − c·⌊x / c⌋
    pub fn modulo(&mut self, b: &Builder<'ctx>, x: &Affine, c: i64) -> Emitted<Affine> {
        positive(c)?;
        let (_, rest) = x.split_multiples(c);
        let range = self.range(&rest);
        let turns = range.lo.div_euclid(c as i128);
        if turns == range.hi.div_euclid(c as i128) {
            return rest
                .offset((-turns * c as i128).try_into().map_err(|_| too_large())?)
                .ok_or_else(too_large);
        }
        let key = Key::Mod(rest.clone(), c);
        let atom = match self.find_atom(&key) {
            Some(atom) => atom,
            None => {
                let v = self.value(b, &rest)?;
                let by = v.get_type().const_int(c as u64, true);
                let value = if c & (c - 1) == 0 {
                    b.build_and(v, v.get_type().const_int(c as u64 - 1, false), "")?
                } else if range.is_natural() && range.hi < 2 * c as i128 {
                    let below = b.build_int_compare(IntPredicate::ULT, v, by, "")?;
                    let less = b.build_int_sub(v, by, "")?;
                    b.build_select(below, v, less, "")?.into_int_value()
                } else if range.is_natural() {
                    b.build_int_unsigned_rem(v, by, "")?
                } else {
                    let zero = v.get_type().const_zero();
                    let rest = b.build_int_signed_rem(v, by, "")?;
                    let below = b.build_int_compare(IntPredicate::SLT, rest, zero, "")?;
                    let up = b.build_int_nsw_add(rest, by, "")?;
                    b.build_select(below, up, rest, "")?.into_int_value()
                };
                self.remember(key, value, Range::new(0, c as i128 - 1))
            }
        };
        Ok(Affine::atom(atom))
    }

    fn choose(
        &mut self,
        b: &Builder<'ctx>,
        choice: Choice,
        x: Affine,
        y: Affine,
    ) -> Emitted<Affine> {
        let difference = x.add_scaled(&y, -1).ok_or_else(too_large)?;
        let minus = difference.scale(-1).ok_or_else(too_large)?;
        let (not_above, not_below) =
            (self.upper_bound(&difference) <= 0, self.upper_bound(&minus) <= 0);
        match (choice, not_above, not_below) {
            (Choice::Min, true, _) | (Choice::Max, _, true) => return Ok(x),
            (Choice::Min, _, true) | (Choice::Max, true, _) => return Ok(y),
            _ => {}
        }
        let key = Key::Choice(choice, x.clone(), y.clone());
        if let Some(atom) = self.find_atom(&key) {
            return Ok(Affine::atom(atom));
        }
        let narrow = self.is_narrow(&x) && self.is_narrow(&y);
        let (left, right) = if narrow {
            (self.sum32(b, &x)?, self.sum32(b, &y)?)
        } else {
            (self.wide(b, &x)?, self.wide(b, &y)?)
        };
        let predicate = if choice == Choice::Min { IntPredicate::SLT } else { IntPredicate::SGT };
        let first = b.build_int_compare(predicate, left, right, "")?;
        let value = b.build_select(first, left, right, "")?.into_int_value();
        let (a, c) = (self.range(&x), self.range(&y));
        let range = match choice {
            Choice::Min => Range::new(a.lo.min(c.lo), a.hi.min(c.hi)),
            Choice::Max => Range::new(a.lo.max(c.lo), a.hi.max(c.hi)),
        };
        let value = self.fit(b, value, range)?;
        let atom = self.remember(key, value, range);
        self.atoms[atom as usize].choice = Some((choice, x, y));
        Ok(Affine::atom(atom))
    }

    /// A 64-bit value whose range is narrow becomes a 32-bit one.
    fn fit(
        &self,
        b: &Builder<'ctx>,
        value: IntValue<'ctx>,
        range: Range,
    ) -> Emitted<IntValue<'ctx>> {
        let narrow = self.narrow && range.is_narrow() && value.get_type() == self.i64;
        Ok(if narrow { b.build_int_truncate(value, self.i32, "")? } else { value })
    }

    fn find_atom(&self, key: &Key) -> Option<AtomId> {
        match self.known.get(key) {
            Some(Known::Atom(a)) => Some(*a),
            _ => None,
        }
    }

    fn find_value(&self, key: &Key) -> Option<IntValue<'ctx>> {
        match self.known.get(key) {
            Some(Known::Value(v)) => Some(*v),
            _ => None,
        }
    }

    fn remember(&mut self, key: Key, value: IntValue<'ctx>, range: Range) -> AtomId {
        let depth = match &key {
            Key::Choice(_, x, y) | Key::Product(x, y) => self.depth_of(x).max(self.depth_of(y)),
            Key::Floor(x, _)
            | Key::Mod(x, _)
            | Key::Wide(x)
            | Key::Narrow(x)
            | Key::Truncated(x)
            | Key::Clamped(x) => self.depth_of(x),
        };
        let atom = self.atom_at(value, range, depth);
        self.known.insert(key.clone(), Known::Atom(atom));
        self.log.push(key);
        atom
    }

    fn remember_value(&mut self, key: Key, value: IntValue<'ctx>) {
        self.known.insert(key.clone(), Known::Value(value));
        self.log.push(key);
    }
}

/// The fault of a constant that leaves 64 bits.
pub fn too_large() -> Fault {
    Fault::new("a constant of an index expression leaves 64 bits")
}

fn positive(c: i64) -> Emitted<()> {
    if c > 0 { Ok(()) } else { Err(Fault::new(format!("division by {c}"))) }
}
