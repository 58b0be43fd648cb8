//! Checks a kernel's own rules, whoever built it: what emission and the runtime rely on.
//!
//! Refuses as `bug`. It says nothing of whether the schedule is legal: that is the judge's.

use super::ir::{Cond, IExpr, Kernel, KernelProgram, LoopKind, Node, Place};
use crate::body::Op;
use crate::rejection::{Reason, Rejection};
use crate::stencil::StencilProgram;
use hexpass_abi::{KernelParam, PlanExpr, PlanOp};
use std::collections::{HashMap, HashSet};

impl KernelProgram {
    /// Every rule of the form; see [`super::ir`].
    pub fn verify(&self, stencil: &StencilProgram) -> Result<(), Rejection> {
        let mut names = HashSet::new();
        for kernel in &self.kernels {
            if !names.insert(&kernel.name) || !is_name(&kernel.name) {
                return Err(bug(format!("`{}` is no kernel name, or is one twice", kernel.name)));
            }
            let mut v = Verifier {
                kernel,
                stencil,
                bound: HashMap::new(),
                threads: Vec::new(),
                filled: HashSet::new(),
            };
            v.params()?;
            bound_once(&kernel.body, kernel.vars, &mut HashSet::new())?;
            v.nodes(&kernel.body, true)?;
            v.written()?;
        }
        self.ops(&self.plan.ops, &mut vec![false; usize::from(self.plan.vars)])
    }

    /// Variables are bound, kernels exist, and each launch has all arguments.
    fn ops(&self, ops: &[PlanOp], bound: &mut Vec<bool>) -> Result<(), Rejection> {
        for op in ops {
            match op {
                PlanOp::Loop { var, lo, hi, body } => {
                    plan_is_bound(lo, bound)?;
                    plan_is_bound(hi, bound)?;
                    match bound.get_mut(usize::from(*var)) {
                        Some(b) if !*b => *b = true,
                        _ => return Err(bug(format!("plan variable {var} can't be bound"))),
                    }
                    self.ops(body, bound)?;
                    bound[usize::from(*var)] = false;
                }
                PlanOp::Launch { kernel, blocks, time, args } => {
                    let k = self.kernels.get(usize::from(*kernel));
                    let k = k.ok_or_else(|| bug("a launch of no kernel"))?;
                    for e in args.iter().chain(blocks).chain([time]) {
                        plan_is_bound(e, bound)?;
                    }
                    let needed = k.params.iter().any(
                        |p| matches!(p, KernelParam::Launch(i) if usize::from(*i) >= args.len()),
                    );
                    if needed {
                        return Err(bug("a launch argument is missing"));
                    }
                }
            }
        }
        Ok(())
    }
}

fn bug(detail: impl Into<String>) -> Rejection {
    Rejection::new(Reason::Bug, format!("kernel form: {}", detail.into()))
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn plan_is_bound(e: &PlanExpr, bound: &[bool]) -> Result<(), Rejection> {
    match e {
        PlanExpr::Var(v) if !bound.get(usize::from(*v)).copied().unwrap_or(false) => {
            Err(bug(format!("plan variable {v} is not bound")))
        }
        PlanExpr::Const(_)
        | PlanExpr::Steps
        | PlanExpr::SpaceLo(_)
        | PlanExpr::SpaceHi(_)
        | PlanExpr::Var(_)
        | PlanExpr::Tunable(_) => Ok(()),
        PlanExpr::Mul(a, _) => plan_is_bound(a, bound),
        PlanExpr::FloorDiv(a, c) if *c > 0 => plan_is_bound(a, bound),
        PlanExpr::FloorDiv(..) => Err(bug("a divisor is not positive")),
        PlanExpr::Add(a, b)
        | PlanExpr::Max(a, b)
        | PlanExpr::Min(a, b)
        | PlanExpr::Quotient(a, b)
        | PlanExpr::Product(a, b) => {
            plan_is_bound(a, bound)?;
            plan_is_bound(b, bound)
        }
        PlanExpr::Pick(c, a, b) => [c, a, b].iter().try_for_each(|e| plan_is_bound(e, bound)),
    }
}

/// Each variable is bound by one node.
fn bound_once(nodes: &[Node], vars: u16, seen: &mut HashSet<u16>) -> Result<(), Rejection> {
    for node in nodes {
        let (var, inside): (Option<u16>, [&[Node]; 2]) = match node {
            Node::Let { var, .. } => (Some(*var), [&[], &[]]),
            Node::For { var, body, .. } => (Some(*var), [body, &[]]),
            Node::If { then, otherwise, .. } => (None, [then, otherwise]),
            Node::Copy { .. }
            | Node::Vector { .. }
            | Node::Shuffle { .. }
            | Node::Select { .. }
            | Node::Instance { .. }
            | Node::Barrier => (None, [&[], &[]]),
        };
        if let Some(var) = var
            && (var >= vars || !seen.insert(var))
        {
            return Err(bug(format!("variable {var} is bound twice, or not counted")));
        }
        for part in inside {
            bound_once(part, vars, seen)?;
        }
    }
    Ok(())
}

/// Loops of at most so many iterations are looked at one by one.
const MOST_LEVELS: i64 = 1 << 13;

/// Smallest and largest value, where known.
type Range = (Option<i64>, Option<i64>);

struct Verifier<'a> {
    kernel: &'a Kernel,
    stencil: &'a StencilProgram,
    /// Variables in scope with their ranges.
    bound: HashMap<u16, Range>,
    /// Axes shared out by the loops around.
    threads: Vec<u8>,
    /// Arrays that some store reaches in global memory.
    filled: HashSet<u16>,
}

impl Verifier<'_> {
    fn params(&self) -> Result<(), Rejection> {
        let mut seen = HashSet::new();
        match self.kernel.params.iter().find(|p| !seen.insert(*p)) {
            Some(p) => Err(bug(format!("{p:?} is a parameter twice"))),
            None => Ok(()),
        }
    }

    /// (e) Each array that an instance of this kernel writes is also written in global memory.
    fn written(&self) -> Result<(), Rejection> {
        let all = self.stencil.statements.iter().flat_map(|s| &s.writes).map(|w| w.access.array);
        match all.into_iter().find(|a| !self.filled.contains(a)) {
            Some(array) => Err(bug(format!("array {array} never reaches global memory"))),
            None => Ok(()),
        }
    }

    /// `uniform`: all threads of the block come here together.
    fn nodes(&mut self, nodes: &[Node], uniform: bool) -> Result<(), Rejection> {
        let scope = self.bound.clone();
        for node in nodes {
            self.node(node, uniform)?;
        }
        self.bound = scope;
        Ok(())
    }

    fn node(&mut self, node: &Node, uniform: bool) -> Result<(), Rejection> {
        match node {
            Node::Let { var, value } => {
                let range = self.range(value)?;
                self.bound.insert(*var, range);
                Ok(())
            }
            Node::For { var, lo, hi, step, kind, body } => {
                let (first, last) = (self.range(lo)?, self.range(hi)?);
                if *step < 1 {
                    return Err(bug("a step is not positive"));
                }
                if *kind == LoopKind::Unrolled
                    && (lo.as_const().is_none() || hi.as_const().is_none())
                {
                    return Err(bug("an unrolled loop has no constant bounds"));
                }
                let axis = match kind {
                    LoopKind::Threads(axis) => Some(*axis),
                    _ => None,
                };
                if let Some(axis) = axis {
                    if axis > 2 || self.threads.contains(&axis) {
                        return Err(bug(format!("axis {axis} can't be shared out here")));
                    }
                    self.threads.push(axis);
                }
                let inside = uniform && axis.is_none() && *kind != LoopKind::Lanes;
                for range in self.iterations((first.0, last.1), *kind) {
                    self.bound.insert(*var, range);
                    self.nodes(body, inside)?;
                }
                if axis.is_some() {
                    self.threads.pop();
                }
                self.bound.remove(var);
                Ok(())
            }
            Node::If { cond, then, otherwise } => {
                self.cond(cond)?;
                self.nodes(then, uniform)?;
                self.nodes(otherwise, uniform)
            }
            Node::Copy { to, from } => {
                self.one_thread()?;
                self.place(from)?;
                self.store(to)
            }
            Node::Instance { statement, time, coords, reads, writes } => {
                self.one_thread()?;
                self.instance(*statement, time, coords, reads, writes)
            }
            Node::Vector { .. } | Node::Shuffle { .. } | Node::Select { .. } => {
                Err(bug("a node for threads in a kernel for blocks"))
            }
            Node::Barrier if !uniform => Err(bug("not all threads come to a barrier")),
            Node::Barrier => Ok(()),
        }
    }

    /// The ranges of a loop's variable to look at: a loop over few levels one by one, since rows grow and shrink with
    /// the level, others as a whole; an empty loop not at all.
    fn iterations(&self, range: Range, kind: LoopKind) -> Vec<Range> {
        match range {
            (Some(lo), Some(hi)) if hi < lo => Vec::new(),
            (Some(lo), Some(hi))
                if hi - lo < MOST_LEVELS
                    && matches!(kind, LoopKind::Sequential | LoopKind::Unrolled) =>
            {
                (lo..=hi).map(|x| (Some(x), Some(x))).collect()
            }
            _ => vec![range],
        }
    }

    /// An effect happens once: every axis with several threads is shared out.
    fn one_thread(&self) -> Result<(), Rejection> {
        match (0..3u8)
            .find(|&a| self.kernel.threads[usize::from(a)] > 1 && !self.threads.contains(&a))
        {
            Some(axis) => Err(bug(format!("all threads of axis {axis} do the same work"))),
            None => Ok(()),
        }
    }

    fn instance(
        &mut self,
        statement: u16,
        time: &IExpr,
        coords: &[IExpr],
        reads: &[Place],
        writes: &[Vec<Place>],
    ) -> Result<(), Rejection> {
        let stencil = self.stencil;
        let s = stencil
            .statements
            .get(usize::from(statement))
            .ok_or_else(|| bug("no such statement"))?;
        if coords.len() != stencil.dims
            || reads.len() != s.reads.len()
            || writes.len() != s.writes.len()
        {
            return Err(bug(format!("an instance of statement {statement} is incomplete")));
        }
        self.range(time)?;
        for e in coords {
            self.range(e)?;
        }
        for v in &s.body.values {
            if let Op::Scalar(i) = v.op {
                self.needs(KernelParam::Scalar(i))?;
            }
        }
        for (place, access) in reads.iter().zip(&s.reads) {
            self.place(place)?;
            self.same_array(place, access.array)?;
        }
        for (places, w) in writes.iter().zip(&s.writes) {
            if places.is_empty() {
                return Err(bug("a write goes nowhere"));
            }
            for place in places {
                self.store(place)?;
                self.same_array(place, w.access.array)?;
            }
        }
        Ok(())
    }

    fn same_array(&self, place: &Place, expected: u16) -> Result<(), Rejection> {
        match place {
            Place::Global { array, .. } if *array != expected => {
                Err(bug(format!("array {array} stands for array {expected}")))
            }
            _ => Ok(()),
        }
    }

    fn store(&mut self, place: &Place) -> Result<(), Rejection> {
        self.place(place)?;
        if let Place::Global { array, .. } = place {
            self.filled.insert(*array);
        }
        Ok(())
    }

    fn place(&self, place: &Place) -> Result<(), Rejection> {
        match place {
            Place::Global { array, rotation, subscripts } => {
                let a = self.stencil.arrays.get(usize::from(*array));
                let a = a.ok_or_else(|| bug("no such array"))?;
                let slots = a.slots.len().max(1) as i64;
                let used = match (rotation.as_const(), self.range(rotation)?) {
                    (Some(c), _) => vec![c.rem_euclid(slots)],
                    _ => (0..slots).collect(),
                };
                for r in used {
                    self.needs(KernelParam::Slot { array: *array, rotation: r as u16 })?;
                }
                if subscripts.len() != a.strides.len() {
                    return Err(bug(format!(
                        "array {} has {} dimensions",
                        a.name,
                        a.strides.len()
                    )));
                }
                for (dim, e) in subscripts.iter().enumerate() {
                    self.range(e)?;
                    if dim + 1 < subscripts.len() {
                        self.needs(KernelParam::Stride { array: *array, dim: dim as u8 })?;
                    }
                }
                Ok(())
            }
            Place::Buffer { .. } | Place::Register { .. } => {
                Err(bug("a place for threads in a kernel for blocks"))
            }
            Place::Shared { buffer, subscripts } => {
                let b = self.kernel.shared.get(usize::from(*buffer));
                let b = b.ok_or_else(|| bug("no such buffer"))?;
                if subscripts.len() != b.extents.len() {
                    return Err(bug(format!(
                        "buffer {} has {} dimensions",
                        b.name,
                        b.extents.len()
                    )));
                }
                for (e, extent) in subscripts.iter().zip(&b.extents) {
                    let (lo, hi) = self.range(e)?;
                    if lo.is_none_or(|x| x < 0) || hi.is_none_or(|x| x >= *extent) {
                        return Err(bug(format!("{e:?} may leave buffer {}", b.name)));
                    }
                }
                Ok(())
            }
        }
    }

    fn needs(&self, p: KernelParam) -> Result<(), Rejection> {
        match self.kernel.params.contains(&p) {
            true => Ok(()),
            false => Err(bug(format!("{p:?} is not among the parameters"))),
        }
    }

    fn cond(&self, c: &Cond) -> Result<(), Rejection> {
        match c {
            Cond::Le(a, b) => self.range(a).and(self.range(b)).map(|_| ()),
            Cond::All(all) => all.iter().try_for_each(|c| self.cond(c)),
        }
    }

    /// Interval of an expression.
    fn range(&self, e: &IExpr) -> Result<Range, Rejection> {
        let two = |a: &IExpr, b: &IExpr| Ok::<_, Rejection>((self.range(a)?, self.range(b)?));
        let with = |a: Option<i64>, b: Option<i64>, f: fn(i64, i64) -> Option<i64>| f(a?, b?);
        Ok(match e {
            IExpr::Const(c) => (Some(*c), Some(*c)),
            IExpr::Var(v) => {
                *self.bound.get(v).ok_or_else(|| bug(format!("variable {v} is not bound")))?
            }
            IExpr::Param(p) => match self.kernel.params.get(usize::from(*p)) {
                Some(
                    KernelParam::Slot { .. } | KernelParam::Buffer { .. } | KernelParam::Scalar(_),
                )
                | None => {
                    return Err(bug(format!("parameter {p} is no integer")));
                }
                Some(_) => (None, None),
            },
            IExpr::Block(_) => (Some(0), None),
            IExpr::Thread(_) => return Err(bug("a thread's index in a kernel for blocks")),
            IExpr::Add(a, b) => {
                let (a, b) = two(a, b)?;
                (with(a.0, b.0, i64::checked_add), with(a.1, b.1, i64::checked_add))
            }
            IExpr::Sub(a, b) => {
                let (a, b) = two(a, b)?;
                (with(a.0, b.1, i64::checked_sub), with(a.1, b.0, i64::checked_sub))
            }
            IExpr::Mul(a, b) => {
                let (a, b) = two(a, b)?;
                product(a, b)
            }
            IExpr::FloorDiv(_, c) | IExpr::Mod(_, c) if *c < 1 => {
                return Err(bug("a divisor is not positive"));
            }
            IExpr::FloorDiv(a, c) => {
                let (lo, hi) = self.range(a)?;
                (lo.map(|x| x.div_euclid(*c)), hi.map(|x| x.div_euclid(*c)))
            }
            IExpr::Mod(a, c) => {
                self.range(a)?;
                (Some(0), Some(c - 1))
            }
            IExpr::Min(a, b) => {
                let (a, b) = two(a, b)?;
                (with(a.0, b.0, |x, y| Some(x.min(y))), one_or_both(a.1, b.1, i64::min))
            }
            IExpr::Max(a, b) => {
                let (a, b) = two(a, b)?;
                (one_or_both(a.0, b.0, i64::max), with(a.1, b.1, |x, y| Some(x.max(y))))
            }
        })
    }
}

fn one_or_both(a: Option<i64>, b: Option<i64>, f: fn(i64, i64) -> i64) -> Option<i64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(f(a, b)),
        (one, None) | (None, one) => one,
    }
}

fn product(a: Range, b: Range) -> Range {
    let (Some(a0), Some(a1), Some(b0), Some(b1)) = (a.0, a.1, b.0, b.1) else {
        return (None, None);
    };
    let corners: Option<Vec<i64>> =
        [(a0, b0), (a0, b1), (a1, b0), (a1, b1)].iter().map(|(x, y)| x.checked_mul(*y)).collect();
    match corners {
        Some(c) => (c.iter().copied().min(), c.iter().copied().max()),
        None => (None, None),
    }
}
