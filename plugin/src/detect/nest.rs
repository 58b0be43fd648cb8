//! Consumes the loops around and inside a candidate time loop; produces its shape: where each loop is left, how often
//! it runs, in which order its blocks stand and under which conditions they are reached.
//!
//! Refuses `irreducible-or-multi-exit`, `trip-count`, `stride` and `control-flow`.

use super::affine::{Extension, Found, too_large};
use super::context::{Context, Known};
use crate::llvm::{
    Analyses, Block, LoopRef, Opcode, Predicate, ScevKind, ScevRef, TypeKind, Value, ValueKind,
};
use hexpass_abi::{CheckKind, IntExpr, Poly, Sym};
use hexpass_poly::rejection::{Reason, Rejection};

/// The way out of a loop, and the ways into a failure (a bounds check's panic, an assertion).
pub struct Exits<'a> {
    pub exiting: Block<'a>,
    pub exit: Block<'a>,
    /// Branches that must never be taken that way: (branch, successor inside the loop).
    pub failing: Vec<(Value<'a>, Block<'a>)>,
}

/// A loop's body in program order: blocks directly in it, and the loops directly inside.
pub enum Node<'a> {
    Block(Block<'a>),
    Loop(LoopRef<'a>),
}

/// Where a loop is left.
pub fn exits<'a>(l: LoopRef<'a>) -> Result<Exits<'a>, Rejection> {
    let line = l.location().map(|p| p.line);
    let several = || {
        Rejection::new(
            Reason::MultiExit,
            "a loop is left in more than one way (break, goto or return); let it run to its end, or move the test out",
        )
        .at(line)
    };
    let mut normal: Option<(Block<'a>, Block<'a>)> = None;
    let mut failing = Vec::new();
    for from in l.exiting_blocks() {
        let branch = from.terminator().ok_or_else(several)?;
        let (inside, outside): (Vec<_>, Vec<_>) =
            from.successors().into_iter().partition(|&s| l.contains(s));
        let (dead, live): (Vec<_>, Vec<_>) = outside.into_iter().partition(|&s| l.fails_at(s));
        match (inside.as_slice(), dead.as_slice(), live.as_slice()) {
            (_, [], [exit]) if normal.is_none() => normal = Some((from, *exit)),
            ([next], [_], []) => failing.push((branch, *next)),
            _ => return Err(several()),
        }
    }
    let (exiting, exit) =
        normal.ok_or_else(|| Rejection::new(Reason::TripCount, "a loop has no end").at(line))?;
    Ok(Exits { exiting, exit, failing })
}

/// The body of `l` in program order.
///
/// Inner loops count as one node each, so that what follows a loop comes after all of it.
pub fn ordered<'a>(l: LoopRef<'a>) -> Vec<Node<'a>> {
    let children = l.children();
    let owner = |b: Block<'a>| children.iter().position(|c| c.contains(b));
    // Post-order over contracted nodes, keyed by their first block.
    let mut seen = Vec::new();
    let mut post: Vec<Block<'a>> = Vec::new();
    let mut stack: Vec<(Block<'a>, Vec<Block<'a>>)> = Vec::new();
    let key = |b: Block<'a>| owner(b).map_or(b, |i| children[i].header());
    let next_of = |k: Block<'a>| -> Vec<Block<'a>> {
        let out: Vec<Block<'a>> = match owner(k) {
            None => k.successors(),
            Some(i) => children[i].exit_blocks(),
        };
        out.into_iter().filter(|&s| l.contains(s) && s != l.header()).map(key).collect()
    };
    let start = key(l.header());
    seen.push(start);
    stack.push((start, next_of(start)));
    while let Some((at, todo)) = stack.last_mut() {
        match todo.pop() {
            Some(n) if !seen.contains(&n) => {
                seen.push(n);
                let next = next_of(n);
                stack.push((n, next));
            }
            Some(_) => {}
            None => {
                post.push(*at);
                stack.pop();
            }
        }
    }
    post.into_iter()
        .rev()
        .map(|b| match owner(b) {
            Some(i) => Node::Loop(children[i]),
            None => Node::Block(b),
        })
        .collect()
}

/// The loop stores to every second or third element of a row.
fn steps_over<'a>(a: &'a Analyses<'a>, l: LoopRef<'a>) -> bool {
    let mut stores = l.blocks().into_iter().flat_map(Block::instructions).filter(|i| {
        i.opcode() == Some(Opcode::LLVMStore) && i.block().and_then(|b| a.loop_of(b)) == Some(l)
    });
    stores.any(|s| {
        let size = s.stored().map_or(0, |v| a.store_size(v.ty()) as i64);
        let address = s.pointer().and_then(|p| a.scev(p));
        let step = address.filter(|p| p.add_rec_loop() == Some(l));
        let step = step.and_then(|p| p.operands().get(1).copied()?.constant());
        size > 0 && step.is_some_and(|step| [2 * size, 3 * size].contains(&step.abs()))
    })
}

/// Two versions of a loop, as flang makes them of one over assumed-shape arrays.
struct Versions<'a> {
    /// Strides are the sizes of elements.
    condition: Value<'a>,
    /// The successor for that case.
    side_by_side: Block<'a>,
}

/// The block in `l` whose branch decides whether `at`, or what leads straight to it, is reached; and its successor there.
fn branch_before<'a>(l: LoopRef<'a>, mut at: Block<'a>) -> Option<(Block<'a>, Block<'a>)> {
    loop {
        let [from] = at.predecessors()[..] else { return None };
        if !l.contains(from) {
            return None;
        }
        match from.successors().len() {
            1 => at = from,
            2 => return Some((from, at)),
            _ => return None,
        }
    }
}

/// The branch at the end of `from` chooses between two loops directly in `l`, one of them for elements side by side.
fn versions<'a>(a: &'a Analyses<'a>, l: LoopRef<'a>, from: Block<'a>) -> Option<Versions<'a>> {
    let condition = from.terminator()?.condition()?;
    let [yes, no] = from.successors()[..] else { return None };
    let children = l.children();
    let leads_to = |side: Block<'a>| {
        children.iter().copied().find(|c| {
            let before = c.preheader().and_then(|b| branch_before(l, b).or(Some((b, b))));
            c.preheader() == Some(side) || before == Some((from, side))
        })
    };
    let (fast, _) = (leads_to(yes)?, leads_to(no)?);
    let sizes: Vec<i64> = fast
        .blocks()
        .into_iter()
        .flat_map(Block::instructions)
        .filter(|i| i.opcode() == Some(Opcode::LLVMStore))
        .filter_map(|i| Some(a.store_size(i.stored()?.ty()) as i64))
        .collect();
    says_strides(condition, &sizes).then_some(Versions { condition, side_by_side: yes })
}

/// Where `block` stands in the version for elements side by side: the block in `l` that chooses it, and the condition.
pub fn believed_version<'a>(
    a: &'a Analyses<'a>,
    l: LoopRef<'a>,
    block: Block<'a>,
) -> Option<(Block<'a>, Value<'a>)> {
    let (from, at) = branch_before(l, block)?;
    let two = versions(a, l, from)?;
    (two.side_by_side == at).then_some((from, two.condition))
}

/// Nothing but numbers from memory that are compared with sizes of elements.
fn says_strides(condition: Value<'_>, sizes: &[i64]) -> bool {
    use inkwell::llvm_sys::LLVMIntPredicate::LLVMIntEQ;
    let parts = || (condition.operand(0), condition.operand(1));
    match (condition.opcode(), parts()) {
        (Some(Opcode::LLVMAnd), (Some(x), Some(y))) => {
            says_strides(x, sizes) && says_strides(y, sizes)
        }
        (Some(Opcode::LLVMICmp), (Some(x), Some(y))) => {
            condition.int_predicate() == Some(LLVMIntEQ)
                && x.opcode() == Some(Opcode::LLVMLoad)
                && y.as_int().is_some_and(|c| sizes.contains(&c))
        }
        _ => false,
    }
}

impl<'a> Context<'a> {
    /// How often the body of `l` runs, given where it is left.
    pub fn trip_count(&mut self, l: LoopRef<'a>, exits: &Exits<'a>) -> Result<IntExpr, Rejection> {
        self.measured.push(l);
        let trip = self.measure(l, exits);
        self.measured.pop();
        trip
    }

    fn measure(&mut self, l: LoopRef<'a>, exits: &Exits<'a>) -> Result<IntExpr, Rejection> {
        let line = l.location().map(|p| p.line);
        let unknown = |what: &str| Rejection::new(Reason::TripCount, what.to_string()).at(line);
        let unknown = |what: &str| {
            match steps_over(self.a, l) {
            true => Rejection::new(
                Reason::Stride,
                "a loop steps over elements, from a start that depends on where it is (the colours of a red-black sweep)",
            )
            .at(line),
            false => unknown(what),
        }
        };
        if let Some(trip) = self.blocked_trip(l, exits)? {
            return Ok(trip);
        }
        let Some(count) = self.a.exit_count(l, exits.exiting) else {
            if let Some(trip) = self.reloaded_trip(l, exits)? {
                return Ok(trip);
            }
            if let Some(count) = self.goes_on(l, exits)? {
                return counted(l, exits, count).map_err(|r| r.at(line));
            }
            return Err(unknown(
                "the number of iterations is not known before the loop starts; use a counted loop whose bound does not change in it",
            ));
        };
        let mut found = Vec::new();
        let trip = self.trip(count, &mut found).map_err(|r| match r.reason {
            Reason::NonAffine => unknown(
                "the number of iterations is not a linear function of sizes known before the loops",
            ),
            _ => r.at(line),
        })?;
        let varies = |e: &Poly| e.mentions_any(|s| !matches!(s, Sym::Int(_)));
        if any_poly(&trip, &varies) || found.iter().any(|f| varies(&f.value)) {
            return Err(unknown(
                "a loop's bounds depend on the counter of a loop around it; only rectangular sweeps are taken",
            ));
        }
        self.checks.extend(found);
        counted(l, exits, trip).map_err(|r| r.at(line))
    }

    /// The trip count of a loop that is tested at the top against a bound which is read from memory each time
    /// (`i < grid->n`, where the nest stores numbers of the same type: the guard sees that nothing writes there), or whose
    /// counter is narrower than what it is compared with (`short i; … i < n`: the guard sees that it gets there).
    fn reloaded_trip(
        &mut self,
        l: LoopRef<'a>,
        exits: &Exits<'a>,
    ) -> Result<Option<IntExpr>, Rejection> {
        use inkwell::llvm_sys::LLVMIntPredicate::*;
        let test = self.test_at_top(l, exits, |s| counts(narrow(s), l));
        let Some((compared, bound, goes_on)) = test else { return Ok(None) };
        let ext = match goes_on {
            LLVMIntSLT | LLVMIntSLE | LLVMIntNE => Extension::Signed,
            LLVMIntULT | LLVMIntULE => Extension::Unsigned,
            _ => return Ok(None),
        };
        let counter = narrow(compared);
        let own = match compared.kind() {
            ScevKind::SignExtend => Extension::Signed,
            ScevKind::ZeroExtend => Extension::Unsigned,
            _ => ext,
        };
        let mut found = Vec::new();
        let start = self.poly(counter.operands()[0], own, &mut found)?;
        let bound = self.poly(bound, ext, &mut found)?;
        let mut trip = bound.sub(&start).map_err(too_large)?;
        if matches!(goes_on, LLVMIntSLE | LLVMIntULE) {
            trip = trip.add(&Poly::constant(1)).map_err(too_large)?;
        }
        if goes_on == LLVMIntNE {
            super::affine::push_check(&mut found, trip.clone(), CheckKind::Size);
        }
        let beyond = bound.add(&Poly::constant(1)).map_err(too_large)?;
        let kinds = [(self.a.bits(compared), ext), (self.a.bits(counter), own)];
        for &(bits, ext) in kinds.iter().take(if counter == compared { 1 } else { 2 }) {
            for p in [&start, &bound, &beyond] {
                super::narrow::require_fits(p, bits, ext, &mut found)?;
            }
        }
        let varies = |p: &Poly| p.mentions_any(|s| !matches!(s, Sym::Int(_)));
        if varies(&trip) || found.iter().any(|f| varies(&f.value)) {
            return Ok(None);
        }
        self.checks.extend(found);
        Ok(Some(IntExpr::Poly(trip)))
    }

    /// The test of a loop that has one at the top: the side that `changes` there, the other, and how they compare where the
    /// loop goes on.
    fn test_at_top(
        &self,
        l: LoopRef<'a>,
        exits: &Exits<'a>,
        changes: impl Fn(ScevRef<'a>) -> bool,
    ) -> Option<(ScevRef<'a>, ScevRef<'a>, Predicate)> {
        let condition = exits.exiting.terminator().and_then(Value::condition)?;
        let stays = exits.exiting.successors().first().is_some_and(|&s| l.contains(s));
        let predicate = condition.int_predicate()?;
        let (x, y) = (self.a.scev(condition.operand(0)?)?, self.a.scev(condition.operand(1)?)?);
        let (of_loop, bound, predicate) = match (changes(x), changes(y)) {
            (true, false) => (x, y, predicate),
            (false, true) => (y, x, mirrored(predicate)),
            _ => return None,
        };
        let goes_on = if stays { predicate } else { inverse(predicate) };
        (exits.exiting == l.header()).then_some((of_loop, bound, goes_on))
    }

    /// How often a loop goes on that ends when one of several conditions holds, or takes pieces of one length from what is
    /// left of an array as long as there is a whole one (Rust's `chunks_exact`).
    fn goes_on(&mut self, l: LoopRef<'a>, exits: &Exits<'a>) -> Result<Option<IntExpr>, Rejection> {
        let Some(condition) = exits.exiting.terminator().and_then(Value::condition) else {
            return Ok(None);
        };
        let leaves = !exits.exiting.successors().first().is_some_and(|&s| l.contains(s));
        let mut parts = Vec::new();
        alternatives(condition, leaves, &mut parts);
        let varies = |p: &Poly| p.mentions_any(|s| !matches!(s, Sym::Int(_)));
        let mut all: Option<IntExpr> = None;
        for part in parts {
            let mut found = Vec::new();
            let count = match self.a.condition_count(l, part, leaves) {
                Some(count) => self.trip(count, &mut found).ok(),
                None => self.pieces(l, part, leaves, &mut found)?.map(IntExpr::Poly),
            };
            let Some(count) = count else { return Ok(None) };
            if any_poly(&count, &varies) || found.iter().any(|f| varies(&f.value)) {
                return Ok(None);
            }
            self.checks.extend(found);
            all = Some(match all {
                None => count,
                Some(x) => IntExpr::Min(Box::new(x), Box::new(count)),
            });
        }
        Ok(all)
    }

    /// How many whole pieces there are where a loop is left once less than one is left.
    fn pieces(
        &mut self,
        l: LoopRef<'a>,
        condition: Value<'a>,
        leaves: bool,
        found: &mut Vec<Found>,
    ) -> Result<Option<Poly>, Rejection> {
        use inkwell::llvm_sys::LLVMIntPredicate::LLVMIntUGE;
        let scev = |i: u32| condition.operand(i).and_then(|v| self.a.scev(v));
        let Some((predicate, x, y)) = condition
            .int_predicate()
            .and_then(|p| Some((if leaves { inverse(p) } else { p }, scev(0)?, scev(1)?)))
        else {
            return Ok(None);
        };
        let (left, piece, predicate) = match x.add_rec_loop() == Some(l) {
            true => (x, y, predicate),
            false => (y, x, mirrored(predicate)),
        };
        let ([start, step], LLVMIntUGE, true) =
            (&left.operands()[..], predicate, left.add_rec_loop() == Some(l))
        else {
            return Ok(None);
        };
        let piece = self.poly(piece, Extension::Signed, found)?;
        let step = self.poly(*step, Extension::Signed, found)?;
        let start = self.poly(*start, Extension::Signed, found)?;
        let falls = step.add(&piece).is_ok_and(|sum| sum.is_zero());
        let (true, Some(pieces)) = (falls, start.exact_div(&piece)) else { return Ok(None) };
        let positive = piece.sub(&Poly::constant(1)).map_err(too_large)?;
        super::affine::push_check(found, positive, CheckKind::Size);
        Ok(Some(pieces))
    }

    /// An expression that is positive exactly when control reaches `block` in an iteration of `l`; `None` if always.
    pub fn reached(
        &mut self,
        l: LoopRef<'a>,
        block: Block<'a>,
    ) -> Result<Option<IntExpr>, Rejection> {
        let latch = l
            .latch()
            .ok_or_else(|| Rejection::new(Reason::MultiExit, "a loop continues in several ways"))?;
        let mut all: Option<IntExpr> = None;
        let mut at = block;
        for _ in 0..256 {
            if self.a.dominates(at, latch) {
                return Ok(all);
            }
            let preds: Vec<_> = at.predecessors().into_iter().filter(|&p| l.contains(p)).collect();
            // Blocks inside an inner loop that falls through are skipped to its preheader.
            let from = match preds.as_slice() {
                [p] => *p,
                _ => match l.children().into_iter().find(|c| c.header() == at) {
                    Some(c) => c.preheader().ok_or_else(|| conditional(at))?,
                    None => return Err(conditional(at)),
                },
            };
            if let Some(inner) = l.children().into_iter().find(|c| c.contains(from)) {
                at = inner.header();
                continue;
            }
            let branch = from.terminator().ok_or_else(|| conditional(at))?;
            // Of two versions of a loop this is the one that is believed to run.
            let believed = believed_version(self.a, l, at).is_some();
            if let Some(condition) = branch.condition().filter(|_| !believed) {
                let succ = from.successors();
                let other = succ.iter().copied().find(|&s| s != at);
                if !other.is_some_and(|o| l.fails_at(o)) {
                    let e = self
                        .condition(condition, succ.first() == Some(&at))
                        .map_err(|_| conditional(at))?;
                    all = Some(match all {
                        None => e,
                        Some(x) => IntExpr::Min(Box::new(x), Box::new(e)),
                    });
                }
            }
            at = from;
        }
        Err(conditional(block))
    }

    /// Whether the loop that `before` leads to stands for the case that elements don't lie side by side, and is not looked
    /// at. Of its other version, the guard checks that it runs.
    pub fn is_other_version(
        &mut self,
        l: LoopRef<'a>,
        before: Block<'a>,
    ) -> Result<bool, Rejection> {
        let Some((from, at)) = branch_before(l, before) else { return Ok(false) };
        let Some(two) = versions(self.a, l, from) else { return Ok(false) };
        if two.side_by_side != at {
            return Ok(true);
        }
        let mut found = Vec::new();
        self.holds(two.condition, true, &mut found, conditional(at))?;
        self.checks.extend(found);
        Ok(false)
    }

    /// An expression that is positive exactly when the condition is `wanted`; over parameters only.
    pub fn condition(&mut self, c: Value<'a>, wanted: bool) -> Result<IntExpr, Rejection> {
        let refuse =
            || Rejection::new(Reason::ControlFlow, "a condition that is not a comparison of sizes");
        let chosen = |i| c.operand(i).and_then(|v| v.as_int());
        // Which two conditions it is made of, and whether both must hold; a choice is written for either.
        let parts = match c.opcode() {
            Some(Opcode::LLVMAnd) => Some(([0, 1], true)),
            Some(Opcode::LLVMOr) => Some(([0, 1], false)),
            Some(Opcode::LLVMSelect) if chosen(2) == Some(0) => Some(([0, 1], true)),
            Some(Opcode::LLVMSelect) if chosen(1).is_some_and(|t| t != 0) => Some(([0, 2], false)),
            _ => None,
        };
        if let Some((operands, both)) = parts {
            let mut part = |i| self.condition(c.operand(i).ok_or_else(refuse)?, wanted);
            let (x, y) = (Box::new(part(operands[0])?), Box::new(part(operands[1])?));
            return Ok(match both == wanted {
                true => IntExpr::Min(x, y),
                false => IntExpr::Max(x, y),
            });
        }
        let predicate = c.int_predicate().ok_or_else(refuse)?;
        let (x, y) = (c.operand(0).ok_or_else(refuse)?, c.operand(1).ok_or_else(refuse)?);
        let (x, y) = (self.a.scev(x).ok_or_else(refuse)?, self.a.scev(y).ok_or_else(refuse)?);
        use inkwell::llvm_sys::LLVMIntPredicate::{LLVMIntEQ, LLVMIntNE, LLVMIntSGT};
        let mut found = Vec::new();
        let e = match (predicate, wanted) {
            // One of them is larger.
            (LLVMIntNE, true) | (LLVMIntEQ, false) if !x.is_pointer() => {
                let mut more = |x, y| self.comparison(LLVMIntSGT, true, x, y, &mut found);
                let (more, less) = (more(x, y)?, more(y, x)?);
                IntExpr::Max(Box::new(more), Box::new(less))
            }
            _ => self.comparison(predicate, wanted, x, y, &mut found)?,
        };
        let varies = |p: &Poly| p.mentions_any(|s| !matches!(s, Sym::Int(_)));
        if any_poly(&e, &varies) || found.iter().any(|f| varies(&f.value)) {
            return Err(refuse());
        }
        self.checks.extend(found);
        Ok(e)
    }

    fn comparison(
        &mut self,
        predicate: Predicate,
        wanted: bool,
        x: ScevRef<'a>,
        y: ScevRef<'a>,
        found: &mut Vec<Found>,
    ) -> Result<IntExpr, Rejection> {
        use inkwell::llvm_sys::LLVMIntPredicate::*;
        let refuse =
            || Rejection::new(Reason::ControlFlow, "a condition that is not a comparison of sizes");
        let ext = match predicate {
            LLVMIntUGT | LLVMIntUGE | LLVMIntULT | LLVMIntULE => Extension::Unsigned,
            _ => Extension::Signed,
        };
        let is_null = |s: ScevRef<'a>| s.value().is_some_and(|v| v.kind() == ValueKind::Zero);
        let difference = match x.is_pointer() || y.is_pointer() {
            true if is_null(y) => match (predicate, wanted) {
                (LLVMIntNE, true) | (LLVMIntEQ, false) => {
                    return Ok(IntExpr::Poly(self.address_number(x)?.ok_or_else(refuse)?));
                }
                _ => return Err(refuse()),
            },
            true if matches!(predicate, LLVMIntEQ | LLVMIntNE) => {
                self.apart(x, y, found)?.ok_or_else(refuse)?
            }
            true => return Err(refuse()),
            false => {
                let bits = self.a.bits(x);
                let (x, y) = (self.poly(x, ext, found)?, self.poly(y, ext, found)?);
                super::narrow::require_fits(&x, bits, ext, found)?;
                super::narrow::require_fits(&y, bits, ext, found)?;
                x.sub(&y).map_err(too_large)?
            }
        };
        let plus = |p: &Poly, c: i64| p.add(&Poly::constant(c)).map_err(too_large);
        let reverse = difference.scale(-1).map_err(too_large)?;
        let p = match (predicate, wanted) {
            (LLVMIntSGT | LLVMIntUGT, true) | (LLVMIntSLE | LLVMIntULE, false) => difference,
            (LLVMIntSGE | LLVMIntUGE, true) | (LLVMIntSLT | LLVMIntULT, false) => {
                plus(&difference, 1)?
            }
            (LLVMIntSLT | LLVMIntULT, true) | (LLVMIntSGE | LLVMIntUGE, false) => reverse,
            (LLVMIntSLE | LLVMIntULE, true) | (LLVMIntSGT | LLVMIntUGT, false) => {
                plus(&reverse, 1)?
            }
            (LLVMIntEQ, true) | (LLVMIntNE, false) => {
                return Ok(IntExpr::Min(
                    Box::new(IntExpr::Poly(plus(&difference, 1)?)),
                    Box::new(IntExpr::Poly(plus(&reverse, 1)?)),
                ));
            }
            _ => return Err(refuse()),
        };
        Ok(IntExpr::Poly(p))
    }

    /// What must hold for a bounds check never to fail: its branch goes to `stays`.
    pub fn never_fails(
        &mut self,
        branch: Value<'a>,
        stays: Block<'a>,
        found: &mut Vec<Found>,
    ) -> Result<(), Rejection> {
        let line = branch.location().map(|p| p.line);
        let refuse = || Rejection::new(Reason::ControlFlow, super::CHECKED).at(line);
        let block = branch.block().ok_or_else(refuse)?;
        let wanted = block.successors().first() == Some(&stays);
        let condition = branch.condition().ok_or_else(refuse)?;
        let first = found.len();
        self.holds(condition, wanted, found, refuse())?;
        // Of a loop that has lost what it hardly ever does.
        if block.successors().into_iter().any(|s| s != stays && s.is_rare_path()) {
            found[first..].iter_mut().for_each(|f| f.kind = CheckKind::Rare);
        }
        Ok(())
    }

    /// Whether the condition is that a sum, difference or product overflows, as Rust asks where it is told to. Where it
    /// must not, what it is of integers fits its type.
    fn stays_in_range(
        &mut self,
        condition: Value<'a>,
        found: &mut Vec<Found>,
    ) -> Result<bool, Rejection> {
        let refuse = || Rejection::new(Reason::ControlFlow, "an overflow that is not followed");
        if condition.opcode() != Some(Opcode::LLVMExtractValue) || self.is_outside(condition) {
            return Ok(false);
        }
        let call = condition.operand(0).ok_or_else(refuse)?;
        let of = call.intrinsic().unwrap_or_default();
        let (ext, combine): (_, fn(&Poly, &Poly) -> _) = match of.as_str() {
            "llvm.sadd.with.overflow" => (Extension::Signed, Poly::add),
            "llvm.ssub.with.overflow" => (Extension::Signed, Poly::sub),
            "llvm.smul.with.overflow" => (Extension::Signed, Poly::mul),
            "llvm.uadd.with.overflow" => (Extension::Unsigned, Poly::add),
            "llvm.usub.with.overflow" => (Extension::Unsigned, Poly::sub),
            "llvm.umul.with.overflow" => (Extension::Unsigned, Poly::mul),
            _ => return Ok(false),
        };
        let arguments = call.call_arguments();
        let [x, y, ..] = arguments[..] else { return Err(refuse()) };
        let (x, y) = (self.a.scev(x).ok_or_else(refuse)?, self.a.scev(y).ok_or_else(refuse)?);
        let bits = self.a.bits(x);
        let (x, y) = (self.poly(x, ext, found)?, self.poly(y, ext, found)?);
        let all = combine(&x, &y).map_err(too_large)?;
        for p in [&x, &y, &all] {
            super::narrow::require_fits(p, bits, ext, found)?;
        }
        Ok(true)
    }

    /// One of both holds: what is decided before the nest, if one of them is, or the first that can be said.
    fn either_holds(
        &mut self,
        mut parts: [Value<'a>; 2],
        wanted: bool,
        found: &mut Vec<Found>,
        refusal: Rejection,
    ) -> Result<(), Rejection> {
        if !self.is_outside(parts[0]) && self.is_outside(parts[1]) {
            parts.swap(0, 1);
        }
        let before = found.len();
        for part in parts {
            if self.holds(part, wanted, found, refusal.clone()).is_ok() {
                return Ok(());
            }
            found.truncate(before);
        }
        Err(refusal)
    }

    fn holds(
        &mut self,
        condition: Value<'a>,
        wanted: bool,
        found: &mut Vec<Found>,
        refusal: Rejection,
    ) -> Result<(), Rejection> {
        use inkwell::llvm_sys::LLVMIntPredicate::{LLVMIntEQ, LLVMIntNE};
        if condition.as_int().is_some_and(|c| (c != 0) == wanted) {
            return Ok(());
        }
        if let Some(parts) = enough(condition, wanted) {
            return self.either_holds(parts, wanted, found, refusal);
        }
        let both = match condition.opcode() {
            Some(Opcode::LLVMAnd) if wanted => true,
            Some(Opcode::LLVMOr) if !wanted => true,
            Some(Opcode::LLVMSelect) => {
                // select a, b, false wanted; select a, true, b not wanted
                let (t, f) = (
                    condition.operand(1).and_then(|v| v.as_int()),
                    condition.operand(2).and_then(|v| v.as_int()),
                );
                let (a, b) = match (wanted, t, f) {
                    (true, _, Some(0)) => (condition.operand(0), condition.operand(1)),
                    (false, Some(_), _) => (condition.operand(0), condition.operand(2)),
                    _ => return Err(refusal),
                };
                for part in [a, b] {
                    let part = part.ok_or_else(|| refusal.clone())?;
                    self.holds(part, wanted, found, refusal.clone())?;
                }
                return Ok(());
            }
            _ => false,
        };
        if both {
            for i in 0..2 {
                let part = condition.operand(i).ok_or_else(|| refusal.clone())?;
                self.holds(part, wanted, found, refusal.clone())?;
            }
            return Ok(());
        }
        // Decided before the nest, that two sizes are the same says more than that a condition holds.
        let equal = match condition.int_predicate() {
            Some(LLVMIntEQ) => wanted,
            Some(LLVMIntNE) => !wanted,
            _ => false,
        };
        if equal && self.is_outside(condition) {
            let before = found.len();
            if self.compares(condition, wanted, found).is_ok() {
                return Ok(());
            }
            found.truncate(before);
        }
        // Whether two pointers are the same, for example. As a number it is 0, or −1 where it holds.
        if self.is_outside(condition) && condition.ty().kind() == TypeKind::Int(1) {
            let says = self.leaf(Known::Value(condition), Extension::Signed, found)?;
            let value = match wanted {
                true => {
                    says.scale(-1).and_then(|p| p.sub(&Poly::constant(1))).map_err(too_large)?
                }
                false => says,
            };
            super::affine::push_check(found, value, CheckKind::Bounds);
            return Ok(());
        }
        if !wanted && self.stays_in_range(condition, found).map_err(|_| refusal.clone())? {
            return Ok(());
        }
        self.compares(condition, wanted, found).map_err(|_| refusal)
    }

    /// What a comparison of two numbers asks of parameters and counters.
    fn compares(
        &mut self,
        condition: Value<'a>,
        wanted: bool,
        found: &mut Vec<Found>,
    ) -> Result<(), Rejection> {
        let refuse = || Rejection::new(Reason::ControlFlow, "a condition that compares no numbers");
        let predicate = condition.int_predicate().ok_or_else(refuse)?;
        let scev = |i: u32| condition.operand(i).and_then(|v| self.a.scev(v)).ok_or_else(refuse);
        let (x, y) = (scev(0)?, scev(1)?);
        let (predicate, wanted) = beside(predicate, wanted, x, y);
        let e = self.comparison(predicate, wanted, x, y, found)?;
        let mut parts = Vec::new();
        conjuncts(&e, &mut parts);
        for p in parts {
            // positive, that is: minus one is not negative
            let value = p.sub(&Poly::constant(1)).map_err(too_large)?;
            super::affine::push_check(found, value, CheckKind::Bounds);
        }
        Ok(())
    }
}

/// The two conditions one of which is enough for the whole to be true (or false): what Rust asks before a division,
/// that it is not the smallest number by −1.
fn enough<'a>(condition: Value<'a>, wanted: bool) -> Option<[Value<'a>; 2]> {
    let chosen = |i| condition.operand(i).and_then(|v| v.as_int());
    let parts = match (condition.opcode()?, wanted) {
        (Opcode::LLVMAnd, false) | (Opcode::LLVMOr, true) => [0, 1],
        (Opcode::LLVMSelect, false) if chosen(2) == Some(0) => [0, 1],
        (Opcode::LLVMSelect, true) if chosen(1).is_some_and(|t| t != 0) => [0, 2],
        _ => return None,
    };
    Some([condition.operand(parts[0])?, condition.operand(parts[1])?])
}

/// How often the body of `l` runs that goes on so often where it is left.
fn counted(l: LoopRef<'_>, exits: &Exits<'_>, goes_on: IntExpr) -> Result<IntExpr, Rejection> {
    if Some(exits.exiting) == l.latch() {
        // Tested at the end: one more than the back edge is taken.
        super::affine::add(goes_on, IntExpr::Poly(Poly::constant(1)))
    } else if exits.exiting == l.header() {
        Ok(goes_on)
    } else {
        Err(Rejection::new(Reason::MultiExit, "a loop is left in the middle of its body"))
    }
}

/// The conditions one of which makes the whole true (or false), in their order.
pub(super) fn alternatives<'a>(condition: Value<'a>, is: bool, out: &mut Vec<Value<'a>>) {
    let constant = |i| condition.operand(i).and_then(Value::as_int);
    let parts = match condition.opcode() {
        Some(Opcode::LLVMOr) if is => [0, 1],
        Some(Opcode::LLVMAnd) if !is => [0, 1],
        Some(Opcode::LLVMSelect) if is && constant(1).is_some_and(|c| c != 0) => [0, 2],
        Some(Opcode::LLVMSelect) if !is && constant(2) == Some(0) => [0, 1],
        _ => return out.push(condition),
    };
    for part in parts.into_iter().filter_map(|i| condition.operand(i)) {
        alternatives(part, is, out);
    }
}

/// What is made wider.
fn narrow(scev: ScevRef<'_>) -> ScevRef<'_> {
    match scev.kind() {
        ScevKind::SignExtend | ScevKind::ZeroExtend => scev.operands()[0],
        _ => scev,
    }
}

/// The expression counts the iterations of `l` upwards by one.
fn counts(scev: ScevRef<'_>, l: LoopRef<'_>) -> bool {
    scev.kind() == ScevKind::AddRec
        && scev.add_rec_loop() == Some(l)
        && matches!(scev.operands().as_slice(), [_, step] if step.constant() == Some(1))
}

/// The same comparison with its sides exchanged.
pub(super) fn mirrored(p: Predicate) -> Predicate {
    use inkwell::llvm_sys::LLVMIntPredicate::*;
    match p {
        LLVMIntSLT => LLVMIntSGT,
        LLVMIntSLE => LLVMIntSGE,
        LLVMIntSGT => LLVMIntSLT,
        LLVMIntSGE => LLVMIntSLE,
        LLVMIntULT => LLVMIntUGT,
        LLVMIntULE => LLVMIntUGE,
        LLVMIntUGT => LLVMIntULT,
        LLVMIntUGE => LLVMIntULE,
        other => other,
    }
}

/// A comparison under which two numbers are never equal, where it is asked that they are not: what is checked against a
/// length counts up to it, against zero down, and a length is more than a constant, as is what is left of one in chunks. LLVM
/// asks so once it knows that there is nothing beyond. A divisor is asked whether it is −1.
fn beside(p: Predicate, wanted: bool, x: ScevRef<'_>, y: ScevRef<'_>) -> (Predicate, bool) {
    use inkwell::llvm_sys::LLVMIntPredicate::{LLVMIntEQ, LLVMIntNE, LLVMIntSGT, LLVMIntSLT};
    match (p, wanted) {
        (LLVMIntEQ, false) | (LLVMIntNE, true) if !x.is_pointer() && !y.is_pointer() => {
            // A length that is known to be as much is asked whether it is more.
            let x = narrow(x);
            let step = x.operands().get(1).and_then(|s| s.constant()).unwrap_or(0);
            let counts = x.kind() == ScevKind::AddRec && step >= -1;
            let is_reached = !counts && narrow(y).kind() == ScevKind::AddRec;
            let is_length = is_reached || y.constant().is_some_and(|c| c <= 0 || !counts);
            (if is_length { LLVMIntSGT } else { LLVMIntSLT }, true)
        }
        _ => (p, wanted),
    }
}

/// What holds exactly where the comparison does not.
pub(super) fn inverse(p: Predicate) -> Predicate {
    use inkwell::llvm_sys::LLVMIntPredicate::*;
    match p {
        LLVMIntSLT => LLVMIntSGE,
        LLVMIntSLE => LLVMIntSGT,
        LLVMIntSGT => LLVMIntSLE,
        LLVMIntSGE => LLVMIntSLT,
        LLVMIntULT => LLVMIntUGE,
        LLVMIntULE => LLVMIntUGT,
        LLVMIntUGT => LLVMIntULE,
        LLVMIntUGE => LLVMIntULT,
        LLVMIntEQ => LLVMIntNE,
        LLVMIntNE => LLVMIntEQ,
    }
}

fn conditional(at: Block<'_>) -> Rejection {
    let line = at.instructions().into_iter().find_map(|i| i.location()).map(|p| p.line);
    Rejection::new(
        Reason::ControlFlow,
        "part of the loop body is executed under a condition that depends on data or on the position; write it without a branch (a conditional expression, or loops of their own for the border)",
    )
    .at(line)
}

/// The polynomials that an expression is made of: where all are positive, so is their minimum (and their maximum).
pub fn conjuncts(e: &IntExpr, out: &mut Vec<Poly>) {
    match e {
        IntExpr::Poly(p) => out.push(p.clone()),
        IntExpr::Min(a, b) | IntExpr::Max(a, b) | IntExpr::Add(a, b) => {
            conjuncts(a, out);
            conjuncts(b, out);
        }
    }
}

/// True if `f` holds for any polynomial of an expression.
pub fn any_poly(e: &IntExpr, f: &dyn Fn(&Poly) -> bool) -> bool {
    match e {
        IntExpr::Poly(p) => f(p),
        IntExpr::Min(a, b) | IntExpr::Max(a, b) | IntExpr::Add(a, b) => {
            any_poly(a, f) || any_poly(b, f)
        }
    }
}
