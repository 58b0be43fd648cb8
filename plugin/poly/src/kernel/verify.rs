//! Checks a kernel's own rules, whoever built it: what emission and the runtime rely on.
//!
//! Refuses as `bug`. It says nothing of whether the schedule is legal: that is the judge's.

mod registers;

use super::ir::{Cond, IExpr, Kernel, KernelProgram, LoopKind, MOST_DEEP, Node, Place, Style};
use super::pieces::Code;
use crate::body::{Body, Op, Ty};
use crate::rejection::{Reason, Rejection};
use crate::stencil::StencilProgram;
use hexpass_abi::{Array, ElemType, KernelParam, PlanExpr, PlanOp};
use std::collections::{HashMap, HashSet};

impl KernelProgram {
    /// Every rule of the form; see [`super::ir`].
    pub fn verify(&self, stencil: &StencilProgram) -> Result<(), Rejection> {
        let mut names = HashSet::new();
        let mut filled = HashSet::new();
        for kernel in &self.kernels {
            if !names.insert(&kernel.name) || !is_name(&kernel.name) {
                return Err(bug(format!("`{}` is no kernel name, or is one twice", kernel.name)));
            }
            let mut v = Verifier {
                kernel,
                stencil,
                bound: HashMap::new(),
                threads: Vec::new(),
                varying: HashSet::new(),
                filled: HashSet::new(),
            };
            v.params(&self.scratch)?;
            v.folds()?;
            v.threads()?;
            bound_once(&kernel.body, kernel.vars, &mut HashSet::new())?;
            v.nodes(&kernel.body, true)?;
            registers::filled(kernel)?;
            filled.extend(v.filled);
        }
        written(stencil, &filled)?;
        self.tunables()?;
        self.ops(&self.plan.ops, &mut vec![false; usize::from(self.plan.vars)])
    }

    /// There is a value for each tunable, all positive, and each scratch buffer is an array's.
    fn tunables(&self) -> Result<(), Rejection> {
        match self.tunables.iter().find(|t| t.values.is_empty() || t.values.iter().any(|&v| v < 1))
        {
            Some(t) => {
                Err(bug(format!("size {} has no values, or one that isn't positive", t.name)))
            }
            None => Ok(()),
        }
    }

    /// Variables are bound, kernels exist, and each launch has all arguments.
    fn ops(&self, ops: &[PlanOp], bound: &mut Vec<bool>) -> Result<(), Rejection> {
        for op in ops {
            match op {
                PlanOp::Loop { var, lo, hi, body } => {
                    self.plan_is_bound(lo, bound)?;
                    self.plan_is_bound(hi, bound)?;
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
                        self.plan_is_bound(e, bound)?;
                    }
                    let missing = |p: &KernelParam| match p {
                        KernelParam::Launch(arg) | KernelParam::Buffer { arg, .. } => {
                            usize::from(*arg) >= args.len()
                        }
                        _ => false,
                    };
                    if k.params.iter().any(missing) {
                        return Err(bug("a launch argument is missing"));
                    }
                }
            }
        }
        Ok(())
    }

    fn plan_is_bound(&self, e: &PlanExpr, bound: &[bool]) -> Result<(), Rejection> {
        match e {
            PlanExpr::Var(v) if !bound.get(usize::from(*v)).copied().unwrap_or(false) => {
                Err(bug(format!("plan variable {v} is not bound")))
            }
            PlanExpr::Tunable(i) if usize::from(*i) >= self.tunables.len() => {
                Err(bug(format!("there is no size {i} to choose")))
            }
            PlanExpr::Const(_)
            | PlanExpr::Steps
            | PlanExpr::SpaceLo(_)
            | PlanExpr::SpaceHi(_)
            | PlanExpr::Var(_)
            | PlanExpr::Tunable(_) => Ok(()),
            PlanExpr::Mul(a, _) => self.plan_is_bound(a, bound),
            PlanExpr::FloorDiv(a, c) if *c > 0 => self.plan_is_bound(a, bound),
            PlanExpr::FloorDiv(..) => Err(bug("a divisor is not positive")),
            PlanExpr::Add(a, b)
            | PlanExpr::Max(a, b)
            | PlanExpr::Min(a, b)
            | PlanExpr::Quotient(a, b)
            | PlanExpr::Product(a, b) => {
                self.plan_is_bound(a, bound)?;
                self.plan_is_bound(b, bound)
            }
            PlanExpr::Pick(c, a, b) => {
                [c, a, b].iter().try_for_each(|e| self.plan_is_bound(e, bound))
            }
        }
    }
}

/// Each array that the nest writes is written in global memory.
fn written(stencil: &StencilProgram, filled: &HashSet<u16>) -> Result<(), Rejection> {
    let all = stencil.statements.iter().flat_map(|s| &s.writes).map(|w| w.access.array);
    match all.into_iter().find(|a| !filled.contains(a)) {
        Some(array) => Err(bug(format!("array {array} never reaches global memory"))),
        None => Ok(()),
    }
}

fn bug(detail: impl Into<String>) -> Rejection {
    Rejection::new(Reason::Bug, format!("kernel form: {}", detail.into()))
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
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
            | Node::Prefetch { .. }
            | Node::Fetch { .. }
            | Node::Await { .. }
            | Node::Instance { .. }
            | Node::Barrier
            | Node::BarrierBeside => (None, [&[], &[]]),
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
    /// Variables that differ between threads.
    varying: HashSet<u16>,
    /// Arrays that some store reaches in global memory.
    filled: HashSet<u16>,
}

impl Verifier<'_> {
    fn params(&self, scratch: &[u16]) -> Result<(), Rejection> {
        let mut seen = HashSet::new();
        if let Some(p) = self.kernel.params.iter().find(|p| !seen.insert(*p)) {
            return Err(bug(format!("{p:?} is a parameter twice")));
        }
        for p in &self.kernel.params {
            let KernelParam::Buffer { array, even, odd, .. } = p else { continue };
            let a = self.stencil.arrays.get(usize::from(*array));
            let further = scratch.iter().filter(|a| *a == array).count();
            let buffers = a.ok_or_else(|| bug("no such array"))?.slots.len() + further;
            if usize::from(*even.max(odd)) >= buffers {
                return Err(bug(format!(
                    "array {array} has {buffers} buffers, not those of {p:?}"
                )));
            }
        }
        Ok(())
    }

    /// What threads keep one element each of is what a step is reduced from.
    fn folds(&self) -> Result<(), Rejection> {
        let Some(folds) = &self.kernel.folds else { return Ok(()) };
        let right = folds.arrays.iter().all(|&array| self.stencil.is_fold(array));
        match right && folds.steps > 0 && folds.rows.is_none_or(|(axis, each)| axis < 3 && each > 0)
        {
            true => Ok(()),
            false => Err(bug(format!("{folds:?} make no sense"))),
        }
    }

    /// Whole warps where threads speak to each other, and registers only where they are.
    fn threads(&self) -> Result<(), Rejection> {
        let kernel = self.kernel;
        if kernel.threads.contains(&0) {
            return Err(bug("a block without threads"));
        }
        if kernel.threads[2] > MOST_DEEP {
            return Err(bug(format!("a block of {:?} threads", kernel.threads)));
        }
        match kernel.style {
            Style::Block if !kernel.registers.is_empty() => {
                Err(bug("registers in a kernel for blocks"))
            }
            Style::Block | Style::Thread => Ok(()),
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
                if self.varies(value) {
                    self.varying.insert(*var);
                }
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
                if self.kernel.style == Style::Thread {
                    self.uniform_loop(lo, hi, *kind)?;
                }
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
                let uniform = uniform && !self.cond_varies(cond);
                self.nodes(then, uniform)?;
                self.nodes(otherwise, uniform)
            }
            Node::Copy { to, from } => {
                self.one_thread()?;
                self.same_type(to, from)?;
                self.place(from)?;
                self.store(to)
            }
            Node::Instance { statement, piece, time, coords, reads, writes } => {
                self.one_thread()?;
                match piece {
                    None => self.instance(*statement, time, coords, reads, writes),
                    Some(_) => self.piece(*statement, *piece, time, coords, reads, writes),
                }
            }
            Node::Vector { .. }
            | Node::Shuffle { .. }
            | Node::Select { .. }
            | Node::Prefetch { .. }
            | Node::Fetch { .. }
            | Node::Await { .. }
                if self.kernel.style == Style::Block =>
            {
                Err(bug("a node for threads in a kernel for blocks"))
            }
            Node::Vector { to, from, count } => self.vector(to, from, *count),
            Node::Shuffle { .. } if !uniform => Err(bug("not all threads come to a shuffle")),
            Node::Shuffle { to, from, lanes } => {
                if !(-31..=31).contains(lanes) || !self.kernel.threads[0].is_multiple_of(32) {
                    return Err(bug(format!("{lanes} lanes further there is no thread")));
                }
                self.registers(&[to, from])
            }
            Node::Select { to, cond, then, otherwise } => {
                self.cond(cond)?;
                self.registers(&[to, then, otherwise])
            }
            Node::Prefetch { from, cond } => {
                self.cond(cond)?;
                match from {
                    Place::Global { .. } | Place::Buffer { .. } => self.place(from),
                    Place::Shared { .. } | Place::Register { .. } => {
                        Err(bug("what is prefetched lies in the device's memory"))
                    }
                }
            }
            Node::Fetch { copies, count } => {
                copies.iter().try_for_each(|(to, from)| self.fetched(to, from, *count))
            }
            Node::Await { .. } => Ok(()),
            Node::Barrier | Node::BarrierBeside if !uniform => {
                Err(bug("not all threads come to a barrier"))
            }
            Node::Barrier => Ok(()),
            Node::BarrierBeside if self.kernel.has_neighbours() => Ok(()),
            Node::BarrierBeside => Err(bug("not all warps have two beside them")),
        }
    }

    /// The ranges of a loop's variable to look at: a loop over few levels one by one, since rows grow and shrink with
    /// the level, others as a whole; an empty loop not at all.
    fn iterations(&self, range: Range, kind: LoopKind) -> Vec<Range> {
        let one_by_one = match kind {
            LoopKind::Sequential => self.kernel.style == Style::Block,
            LoopKind::Unrolled => true,
            LoopKind::Threads(_) | LoopKind::Lanes => false,
        };
        match range {
            (Some(lo), Some(hi)) if hi < lo => Vec::new(),
            (Some(lo), Some(hi)) if hi - lo < MOST_LEVELS && one_by_one => {
                (lo..=hi).map(|x| (Some(x), Some(x))).collect()
            }
            _ => vec![range],
        }
    }

    /// An effect happens once: every axis with several threads is shared out.
    fn one_thread(&self) -> Result<(), Rejection> {
        if self.kernel.style == Style::Thread {
            return Ok(());
        }
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
        self.leaves(&s.body, time, coords)?;
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

    /// What a body computes with besides its loads.
    fn leaves(&self, body: &Body, time: &IExpr, coords: &[IExpr]) -> Result<(), Rejection> {
        self.range(time)?;
        for e in coords {
            self.range(e)?;
        }
        for v in &body.values {
            if let Op::Scalar(i) = v.op {
                self.needs(KernelParam::Scalar(i))?;
            }
        }
        Ok(())
    }

    /// An instance of a piece: between registers, of the types of its loads and of what it hands on.
    fn piece(
        &self,
        statement: u16,
        piece: Option<u16>,
        time: &IExpr,
        coords: &[IExpr],
        reads: &[Place],
        writes: &[Vec<Place>],
    ) -> Result<(), Rejection> {
        let code = Code::of(self.stencil, self.kernel, statement, piece)
            .ok_or_else(|| bug("no such piece"))?;
        let wanted = code.writes();
        if coords.len() != self.stencil.dims || writes.len() != wanted.len() {
            return Err(bug(format!(
                "an instance of a piece of statement {statement} is incomplete"
            )));
        }
        self.leaves(code.body, time, coords)?;
        let (sound, holds) = (code.is_sound(), |place: &Place, ty: Ty| {
            let of_register = matches!(place, Place::Register { .. });
            Ok::<_, Rejection>(of_register && Ty::Elem(self.elem(place)?) == ty)
        });
        let mut fits = sound;
        for v in code.body.values.iter().filter(|_| sound) {
            if let Op::Load(i) = v.op {
                fits &= reads.get(usize::from(i)).map_or(Ok(false), |p| holds(p, v.ty))?;
            }
        }
        for (places, &v) in writes.iter().zip(&wanted).filter(|_| sound) {
            fits &= !places.is_empty();
            for place in places {
                fits &= holds(place, code.body.values[usize::from(v)].ty)?;
            }
        }
        for place in reads.iter().chain(writes.iter().flatten()) {
            self.registers(&[place])?;
        }
        match fits {
            true => Ok(()),
            false => {
                Err(bug(format!("a piece of statement {statement} does not fit its registers")))
            }
        }
    }

    fn same_array(&self, place: &Place, expected: u16) -> Result<(), Rejection> {
        match (self.kernel.array_of(place), self.elem(place)?) {
            (Some(array), _) if array != expected => {
                Err(bug(format!("array {array} stands for array {expected}")))
            }
            (_, elem) if elem != self.elem_of(expected)? => {
                Err(bug(format!("{place:?} holds {elem:?}, array {expected} doesn't")))
            }
            _ => Ok(()),
        }
    }

    fn elem_of(&self, array: u16) -> Result<ElemType, Rejection> {
        let a = self.stencil.arrays.get(usize::from(array));
        a.map(|a| a.elem).ok_or_else(|| bug("no such array"))
    }

    fn elem(&self, place: &Place) -> Result<ElemType, Rejection> {
        match place {
            Place::Global { .. } | Place::Buffer { .. } => self.elem_of(
                self.kernel.array_of(place).ok_or_else(|| bug("a parameter is no buffer"))?,
            ),
            Place::Shared { buffer, .. } => {
                let b = self.kernel.shared.get(usize::from(*buffer));
                b.map(|b| b.elem).ok_or_else(|| bug("no such buffer"))
            }
            Place::Register { bank, .. } => {
                let b = self.kernel.registers.get(usize::from(*bank));
                b.map(|b| b.elem).ok_or_else(|| bug("no such bank of registers"))
            }
        }
    }

    fn same_type(&self, a: &Place, b: &Place) -> Result<(), Rejection> {
        match self.elem(a)? == self.elem(b)? {
            true => Ok(()),
            false => Err(bug(format!("{a:?} and {b:?} are of different types"))),
        }
    }

    /// Registers of one type.
    fn registers(&self, places: &[&Place]) -> Result<(), Rejection> {
        for place in places {
            if !matches!(place, Place::Register { .. }) {
                return Err(bug(format!("{place:?} is no register")));
            }
            self.place(place)?;
            self.same_type(place, places[0])?;
        }
        Ok(())
    }

    /// A run of registers and aligned memory of at most 16 bytes.
    fn vector(&mut self, to: &Place, from: &Place, count: u32) -> Result<(), Rejection> {
        self.same_type(to, from)?;
        if !count.is_power_of_two() || u64::from(count) * self.elem(to)?.size() > 16 {
            return Err(bug(format!("{count} elements of {to:?} are no vector")));
        }
        let (register, memory) = match (to, from) {
            (Place::Register { .. }, Place::Register { .. }) => {
                return Err(bug("a vector from registers to registers"));
            }
            (Place::Register { bank, index }, memory) => ((bank, index), memory),
            (memory, Place::Register { bank, index }) => ((bank, index), memory),
            _ => return Err(bug("a vector without registers")),
        };
        let last =
            Place::Register { bank: *register.0, index: register.1.saturating_add(count - 1) };
        self.place(&last)?;
        if let Some(last) = shifted(memory, i64::from(count - 1)) {
            self.place(&last)?;
        }
        self.place(from)?;
        self.store(to)
    }

    fn fetched(&self, to: &Place, from: &Place, count: u32) -> Result<(), Rejection> {
        self.same_type(to, from)?;
        if !matches!(u64::from(count) * self.elem(to)?.size(), 4 | 8 | 16) {
            return Err(bug(format!("{count} elements of {to:?} can't be fetched")));
        }
        let is_memory = matches!(from, Place::Global { .. } | Place::Buffer { .. });
        if !is_memory || !matches!(to, Place::Shared { .. }) {
            return Err(bug("what is fetched goes from the device's memory to shared memory"));
        }
        for place in [to, from] {
            self.place(place)?;
            shifted(place, i64::from(count) - 1).map_or(Ok(()), |last| self.place(&last))?;
        }
        Ok(())
    }

    /// Loops in which all threads take the same turns.
    fn uniform_loop(&self, lo: &IExpr, hi: &IExpr, kind: LoopKind) -> Result<(), Rejection> {
        match kind {
            LoopKind::Threads(_) | LoopKind::Lanes => {
                Err(bug("a loop that is shared out, in a kernel whose threads run every node"))
            }
            _ if self.varies(lo) || self.varies(hi) => {
                Err(bug("the bounds of a loop differ between threads"))
            }
            _ => Ok(()),
        }
    }

    /// The value may differ between the threads of a block.
    fn varies(&self, e: &IExpr) -> bool {
        match e {
            IExpr::Thread(_) => true,
            IExpr::Var(v) => self.varying.contains(v),
            IExpr::Const(_) | IExpr::Param(_) | IExpr::Block(_) => false,
            IExpr::FloorDiv(a, _) | IExpr::Mod(a, _) | IExpr::Opaque(a) => self.varies(a),
            IExpr::Add(a, b)
            | IExpr::Sub(a, b)
            | IExpr::Mul(a, b)
            | IExpr::Min(a, b)
            | IExpr::Max(a, b) => self.varies(a) || self.varies(b),
        }
    }

    fn cond_varies(&self, c: &Cond) -> bool {
        match c {
            Cond::Le(a, b) => self.varies(a) || self.varies(b),
            Cond::All(all) => all.iter().any(|c| self.cond_varies(c)),
        }
    }

    fn store(&mut self, place: &Place) -> Result<(), Rejection> {
        self.place(place)?;
        self.filled.extend(self.kernel.array_of(place));
        Ok(())
    }

    fn place(&self, place: &Place) -> Result<(), Rejection> {
        match place {
            Place::Global { array, rotation, subscripts } => {
                let a = self.known_array(*array)?;
                let slots = a.slots.len().max(1) as i64;
                let used = match (rotation.as_const(), self.range(rotation)?) {
                    (Some(c), _) => vec![c.rem_euclid(slots)],
                    _ => (0..slots).collect(),
                };
                for r in used {
                    self.needs(KernelParam::Slot { array: *array, rotation: r as u16 })?;
                }
                self.subscripts(*array, subscripts)
            }
            Place::Register { .. } if self.kernel.style == Style::Block => {
                Err(bug("a place for threads in a kernel for blocks"))
            }
            Place::Buffer { param, subscripts } => match self.kernel.array_of(place) {
                Some(array) => self.subscripts(array, subscripts),
                None => Err(bug(format!("parameter {param} is no buffer"))),
            },
            Place::Register { bank, index } => {
                let b = self.kernel.registers.get(usize::from(*bank));
                match b.is_some_and(|b| *index < b.len) {
                    true => Ok(()),
                    false => Err(bug(format!("there is no register {index} in bank {bank}"))),
                }
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

    fn known_array(&self, array: u16) -> Result<&Array, Rejection> {
        self.stencil.arrays.get(usize::from(array)).ok_or_else(|| bug("no such array"))
    }

    /// Subscripts of an array's element, whose strides are parameters.
    fn subscripts(&self, array: u16, subscripts: &[IExpr]) -> Result<(), Rejection> {
        let a = self.known_array(array)?;
        if subscripts.len() != a.strides.len() {
            return Err(bug(format!("array {} has {} dimensions", a.name, a.strides.len())));
        }
        for (dim, e) in subscripts.iter().enumerate() {
            self.range(e)?;
            if dim + 1 < subscripts.len() {
                self.needs(KernelParam::Stride { array, dim: dim as u8 })?;
            }
        }
        Ok(())
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
            IExpr::Block(axis) if *axis > 2 => return Err(bug(format!("no axis {axis}"))),
            IExpr::Block(_) => (Some(0), None),
            IExpr::Thread(axis) => {
                match (self.kernel.style, self.kernel.threads.get(usize::from(*axis))) {
                    (Style::Thread, Some(threads)) => (Some(0), Some(i64::from(*threads) - 1)),
                    (Style::Thread, None) => return Err(bug(format!("no axis {axis}"))),
                    _ => return Err(bug("a thread's index in a kernel for blocks")),
                }
            }
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
            IExpr::Opaque(a) => self.range(a)?,
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

/// The element so many further in the innermost dimension.
fn shifted(place: &Place, by: i64) -> Option<Place> {
    let mut place = place.clone();
    let last = match &mut place {
        Place::Global { subscripts, .. }
        | Place::Buffer { subscripts, .. }
        | Place::Shared { subscripts, .. } => subscripts.last_mut()?,
        Place::Register { .. } => return None,
    };
    *last = last.clone().plus(IExpr::Const(by));
    Some(place)
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
