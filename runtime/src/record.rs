//! A decoded record that has been looked over once, so that nothing after it need check an index.
//!
//! Consumes postcard bytes; produces a [`Nest`]; refuses what does not decode or points outside itself. Variants, which are
//! nearly all of a record, are decoded and looked over when one of their target may run: a nest that is too small for any
//! of them costs its program a few microseconds.

use crate::error::{Reason, Refusal};
use crate::footprint::MAX_DIMS;
use crate::gate;
use crate::pause::Pause;
use crate::run::Call;
use hexpass_abi::{
    Access, Array, ElemType, IntExpr, KernelCode, KernelParam, NestRecord, Packed, PlanExpr,
    PlanOp, Poly, PtxModule, Reduces, Subscript, Tunable, Variant, VariantTarget, expr::Sym,
};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, OnceLock};

/// A record as objects hold it.
pub type Record = NestRecord<Packed>;

/// A nest of the program: its record, and what is kept between its executions.
#[derive(Debug)]
pub struct Nest {
    /// As decoded; every index in it is in range.
    pub record: Record,
    /// The bytes of each variant.
    bodies: Vec<&'static [u8]>,
    /// Of each variant what it is, once somebody has wanted one of its target.
    opened: Vec<OnceLock<Result<Opened, Refusal>>>,
    /// Number of integers, pointers and scalars that the record speaks of, its variants left out.
    pub needs: Needs,
    /// The integers that say how large an execution is. Where steps run ahead of the loop, their number does not, as most
    /// of them are for other runs.
    sizes: Vec<u16>,
    /// Operations plus loads of one time step per instance of each statement.
    pub weights: Vec<f64>,
    /// Registers of the kernels of variants, by index, as the driver has counted them.
    pub registers: Mutex<Vec<(usize, Vec<u16>)>>,
    /// The fastest picks so far.
    pub tuned: crate::tune::Memory,
    /// How far the sweeps ran ahead.
    pub ahead: crate::ahead::Memory,
    /// Steps that are left to the original loop, as the first of a run depended on order.
    pub pause: Pause,
    /// For each reduction, sums that are not tried in chunks.
    pub hard_sums: Vec<Pause>,
    /// Arrivals that the gate need not see.
    pub rest: crate::rest::Rest,
    /// What the gate has found so far.
    pub gate: crate::gate::Memory,
    /// Modules loaded on devices.
    pub modules: Mutex<crate::device::Modules>,
    /// Set once the user has been told that the variant asked for is absent.
    pub told_absent: AtomicBool,
}

/// A variant whose indices are all in range, but for those of arguments.
#[derive(Debug)]
struct Opened {
    variant: Variant,
    needs: Needs,
}

/// Lengths that [`hexpass_abi::NestArgs`] must have at least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// `int_count`
    pub ints: usize,
    /// `pointer_count`
    pub pointers: usize,
    /// `scalar_count`
    pub scalars: usize,
    /// `NestHeader::host_kernel_count`
    pub host_kernels: usize,
}

impl Needs {
    /// Refuses a call that passes less.
    pub fn check(&self, call: &Call) -> Result<(), Refusal> {
        let enough = call.ints.len() >= self.ints
            && call.pointers.len() >= self.pointers
            && call.scalars.len() >= self.scalars
            && call.host_kernels.len() >= self.host_kernels;
        let message = "the object passes fewer arguments than the nest's record speaks of";
        if enough { Ok(()) } else { Err(Refusal::new(Reason::BadRecord, message)) }
    }
}

impl Nest {
    /// A step of the original's may end anywhere in its sweeps.
    pub fn may_alarm(&self) -> bool {
        self.record.reductions.iter().any(|r| r.alarm)
    }

    /// Decodes and checks a record.
    pub fn decode(bytes: &'static [u8]) -> Result<Nest, Refusal> {
        let (record, bodies) = NestRecord::from_bytes(bytes).map_err(|e| {
            Refusal::new(Reason::BadRecord, format!("the nest's record can't be read: {e}"))
        })?;
        let mut checker = Checker { record: &record, needs: Needs::default() };
        checker.record().map_err(|what| damaged(&record.function, what))?;
        let needs = checker.needs;
        let weights = record
            .statements
            .iter()
            .map(|s| f64::from(s.operations) + s.reads.len() as f64)
            .collect();
        let sizes = sizes(&record);
        let hard_sums = record.reductions.iter().map(|_| Pause::default()).collect();
        Ok(Nest {
            opened: record.variants.iter().map(|_| OnceLock::new()).collect(),
            record,
            bodies,
            needs,
            sizes,
            weights,
            registers: Mutex::default(),
            tuned: Default::default(),
            ahead: Default::default(),
            pause: Default::default(),
            hard_sums,
            rest: Default::default(),
            gate: Default::default(),
            modules: Mutex::default(),
            told_absent: AtomicBool::new(false),
        })
    }

    /// A nest of a record in memory, whose bytes are kept for the rest of the process: for tests. Looks at all variants.
    pub fn new(record: NestRecord) -> Result<Nest, Refusal> {
        let bytes = record.to_bytes();
        let bytes = bytes.map_err(|e| damaged(&record.function, &e.to_string()))?;
        let nest = Nest::decode(bytes.leak())?;
        [VariantTarget::Host, VariantTarget::Device]
            .into_iter()
            .try_for_each(|target| nest.variants(target).map(|_| ()))?;
        Ok(nest)
    }

    /// Stands for the sizes of an execution under these circumstances ([`gate::key`]).
    pub fn key(&self, ints: &[i64], circumstances: u64) -> u64 {
        gate::key(self.sizes.iter().map(|&i| ints[usize::from(i)]), circumstances)
    }

    /// `function@file:line`.
    pub fn place(&self) -> String {
        let r = &self.record;
        match (&r.file, r.line) {
            (Some(file), Some(line)) => format!("{}@{file}:{line}", r.function),
            (Some(file), None) => format!("{}@{file}", r.function),
            _ => r.function.clone(),
        }
    }

    /// Registers of each kernel of a variant; none before a driver has counted them.
    pub fn registers(&self, index: usize) -> Vec<u16> {
        let all = self.registers.lock().unwrap_or_else(|e| e.into_inner());
        all.iter().find(|(i, _)| *i == index).map(|(_, r)| r.clone()).unwrap_or_default()
    }

    /// True if there is a variant for a target.
    pub fn has(&self, target: VariantTarget) -> bool {
        self.record.variants.iter().any(|v| v.target == target)
    }

    /// Variants for a target with their indices, decoded and looked over the first time; refuses all where one is damaged.
    pub fn variants(&self, target: VariantTarget) -> Result<Vec<(usize, &Variant)>, Refusal> {
        let of_target = self.record.variants.iter().enumerate().filter(|(_, v)| v.target == target);
        of_target.map(|(index, _)| Ok((index, &self.opened(index)?.variant))).collect()
    }

    /// The variant of a pick: [`Nest::variants`] has given its index.
    pub fn variant(&self, index: usize) -> &Variant {
        &self.opened(index).expect("only variants that are whole are picked").variant
    }

    /// Refuses a call that passes less than a variant speaks of.
    pub fn check_arguments(&self, index: usize, call: &Call) -> Result<(), Refusal> {
        self.opened(index)?.needs.check(call)
    }

    fn opened(&self, index: usize) -> Result<&Opened, Refusal> {
        let open = || {
            let function = &self.record.function;
            let variant: Variant = postcard::from_bytes(self.bodies[index])
                .map_err(|e| damaged(function, &e.to_string()))?;
            let mut checker = Checker { record: &self.record, needs: Needs::default() };
            checker.variant(&variant).map_err(|what| damaged(function, what))?;
            Ok(Opened { variant, needs: checker.needs })
        };
        self.opened[index].get_or_init(open).as_ref().map_err(Clone::clone)
    }
}

fn damaged(function: &str, what: &str) -> Refusal {
    Refusal::new(Reason::BadRecord, format!("the record of {function} is damaged: {what}"))
}

/// The integers that all boxes speak of, and the steps of nests that don't run ahead.
fn sizes(record: &Record) -> Vec<u16> {
    let mut sizes = Vec::new();
    record
        .statements
        .iter()
        .flat_map(|s| s.lo.iter().chain(&s.hi))
        .for_each(|e| integers(e, &mut sizes));
    if record.reductions.is_empty() {
        integers(&record.steps, &mut sizes);
    }
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// Adds the integers that an expression speaks of.
fn integers(e: &IntExpr, all: &mut Vec<u16>) {
    match e {
        IntExpr::Poly(p) => {
            all.extend(p.terms().iter().flat_map(|t| &t.symbols).filter_map(|s| match s {
                Sym::Int(i) => Some(*i),
                _ => None,
            }))
        }
        IntExpr::Max(a, b) | IntExpr::Min(a, b) | IntExpr::Add(a, b) => {
            integers(a, all);
            integers(b, all);
        }
    }
}

/// A module's text.
pub fn text(module: &PtxModule) -> Result<&str, Refusal> {
    let damaged = |e| Refusal::new(Reason::ModuleLoad, format!("the object's PTX is no text: {e}"));
    module.text.as_str().map_err(damaged)
}

type Checked = Result<(), &'static str>;

/// The dimension in which an access to a written array speaks of the step: as the step plus a constant, in one dimension
/// at most.
fn step_of(a: &Access) -> Result<Option<usize>, &'static str> {
    let moves = |s: &Subscript| s.offset.mentions(Sym::Time);
    let Some(at) = a.subscripts.iter().position(moves) else { return Ok(None) };
    let s = &a.subscripts[at];
    let constant = s.offset.sub(&Poly::symbol(Sym::Time)).ok().and_then(|d| d.as_constant());
    let rest = &a.subscripts[at + 1..];
    that(s.dim.is_none() && constant.is_some() && !rest.iter().any(moves), "time in a subscript")?;
    Ok(Some(at))
}

fn that(holds: bool, otherwise: &'static str) -> Checked {
    if holds { Ok(()) } else { Err(otherwise) }
}

struct Checker<'a> {
    record: &'a Record,
    needs: Needs,
}

impl Checker<'_> {
    fn record(&mut self) -> Checked {
        let r = self.record;
        that((1..=3).contains(&r.dims), "space dimensions")?;
        that(!r.statements.is_empty(), "no statements")?;
        self.expr(&r.steps)?;
        for array in &r.arrays {
            that(!array.slots.is_empty() && array.slots.len() <= 64, "slots")?;
            that((1..=MAX_DIMS).contains(&array.strides.len()), "array dimensions")?;
            self.ints(&array.rotation)?;
            array.strides.iter().try_for_each(|p| self.ints(p))?;
            for slot in &array.slots {
                self.needs.pointers = self.needs.pointers.max(usize::from(slot.pointer) + 1);
                self.ints(&slot.offset)?;
            }
        }
        for s in &r.statements {
            that(
                s.lo.len() == usize::from(r.dims) && s.hi.len() == s.lo.len(),
                "statement bounds",
            )?;
            s.lo.iter().chain(&s.hi).try_for_each(|e| self.expr(e))?;
            s.reads.iter().try_for_each(|a| self.access(a, true))?;
            s.writes.iter().try_for_each(|a| self.access(a, true))?;
        }
        let all = || r.statements.iter().flat_map(|s| s.reads.iter().chain(&s.writes));
        for written in r.statements.iter().flat_map(|s| &s.writes) {
            let step = step_of(written)?;
            let of_array = |a: &&Access| a.array == written.array;
            let read = r.statements.iter().flat_map(|s| &s.reads).any(|a| of_array(&a));
            let last = step.is_some_and(|at| at + 1 == written.subscripts.len());
            let same = |a: &Access| step_of(a) == Ok(step);
            // Neighbours along a row lie in one step, but where nobody looks for them.
            that(all().filter(of_array).all(same) && !(read && last), "time in a subscript")?;
        }
        for check in &r.checks {
            that(check.statement.is_none_or(|s| usize::from(s) < r.statements.len()), "check")?;
            let (dims, in_statement) = (r.dims, check.statement.is_some());
            self.poly(&check.value, &|s| match s {
                Sym::Int(_) | Sym::Time => true,
                Sym::Iv(d) => in_statement && d < u16::from(dims),
                Sym::Mod(_) => false,
            })?;
        }
        for reduction in &r.reductions {
            let array = r.arrays.get(usize::from(reduction.array));
            that(array.is_some_and(|a| a.elem.is_float()), "reduction")?;
        }
        for (i, reduction) in r.reductions.iter().enumerate() {
            let sums = matches!(reduction.kind, Reduces::Sum | Reduces::Magnitudes);
            let wide = r.arrays[usize::from(reduction.array)].elem == ElemType::F64;
            that(!sums || wide, "sum")?;
            let is = |at: Option<usize>, kind: Reduces| {
                at.and_then(|at| r.reductions.get(at)).is_some_and(|other| other.kind == kind)
            };
            that(reduction.kind != Reduces::Sum || is(Some(i + 1), Reduces::Magnitudes), "sum")?;
            let before = is(i.checked_sub(1), Reduces::Sum);
            that(reduction.kind != Reduces::Magnitudes || before, "sum")?;
            let behind = is(i.checked_sub(1), Reduces::Terms);
            that(reduction.kind != Reduces::Factors || behind, "factors")?;
        }
        for array in &r.aside {
            that(usize::from(*array) < r.arrays.len(), "array kept aside")?;
        }
        Ok(())
    }

    /// Subscripts may speak of the time step; see [`step_of`] for arrays that are written.
    fn access(&mut self, access: &Access, time: bool) -> Checked {
        let array =
            self.record.arrays.get(usize::from(access.array)).ok_or("access to no array")?;
        that(access.subscripts.len() == array.strides.len(), "subscripts")?;
        for s in &access.subscripts {
            that(s.dim.is_none_or(|d| d < self.record.dims), "subscript")?;
            self.poly(&s.offset, &|x| matches!(x, Sym::Int(_)) || (time && x == Sym::Time))?;
        }
        Ok(())
    }

    fn variant(&mut self, variant: &Variant) -> Checked {
        that(variant.scratch.len() <= 64, "scratch buffers")?;
        let known = |a: &u16| usize::from(*a) < self.record.arrays.len();
        that(variant.scratch.iter().all(known), "scratch of no array")?;
        let positive = |t: &Tunable| !t.values.is_empty() && t.values.iter().all(|&v| v > 0);
        that(variant.tunables.iter().all(positive), "tunables")?;
        let mut args = vec![0usize; variant.kernels.len()];
        let reduced = |a: &u16| self.record.reductions.iter().any(|r| r.array == *a);
        for folds in variant.kernels.iter().filter_map(|k| k.folds.as_ref()) {
            that(folds.arrays.iter().all(reduced), "folds of no reduction")?;
            that(folds.rows.is_none_or(|(axis, each)| axis < 3 && each > 0), "rows of folds")?;
        }
        for (i, kernel) in variant.kernels.iter().enumerate() {
            match (&kernel.code, variant.target) {
                (KernelCode::Host(k), VariantTarget::Host) => {
                    let last = usize::from(*k) + usize::from(self.record.has_careful_kernels());
                    self.needs.host_kernels = self.needs.host_kernels.max(last + 1);
                }
                (KernelCode::Ptx(_), VariantTarget::Device) => {}
                _ => return Err("a kernel for another target"),
            }
            for p in &kernel.params {
                self.param(variant, p, &mut args[i])?;
            }
            if let Some(turns) = &kernel.cost.turns {
                self.plan_expr(variant, turns)?;
            }
        }
        self.ops(variant, &variant.plan.ops, &args)
    }

    fn param(&mut self, variant: &Variant, param: &KernelParam, args: &mut usize) -> Checked {
        let r = self.record;
        let of_array = |array: u16, dim: u8| {
            r.arrays.get(usize::from(array)).is_some_and(|a| usize::from(dim) < a.strides.len())
        };
        let of_statement = |s: u16, dim: u8| usize::from(s) < r.statements.len() && dim < r.dims;
        let good = match *param {
            KernelParam::Slot { array, .. } => of_array(array, 0),
            KernelParam::Stride { array, dim }
            | KernelParam::ArrayLo { array, dim }
            | KernelParam::ArrayHi { array, dim } => of_array(array, dim),
            KernelParam::StatementLo { statement, dim }
            | KernelParam::StatementHi { statement, dim } => of_statement(statement, dim),
            KernelParam::Int(ref p) => return self.ints(p),
            KernelParam::Scalar(i) => {
                self.needs.scalars = self.needs.scalars.max(usize::from(i) + 1);
                true
            }
            KernelParam::Steps => true,
            KernelParam::Buffer { array, even, odd, arg } => {
                *args = (*args).max(usize::from(arg) + 1);
                let scratch = variant.scratch.iter().filter(|&&a| a == array).count();
                let buffers = |a: &Array| a.slots.len() + scratch;
                let holds = |a: &Array| usize::from(even.max(odd)) < buffers(a);
                r.arrays.get(usize::from(array)).is_some_and(holds)
            }
            KernelParam::Launch(i) => {
                *args = (*args).max(usize::from(i) + 1);
                true
            }
        };
        that(good, "kernel parameter")
    }

    fn ops(&self, variant: &Variant, ops: &[PlanOp], args: &[usize]) -> Checked {
        for op in ops {
            match op {
                PlanOp::Loop { var, lo, hi, body } => {
                    that(*var < variant.plan.vars, "plan variable")?;
                    self.plan_expr(variant, lo)?;
                    self.plan_expr(variant, hi)?;
                    self.ops(variant, body, args)?;
                }
                PlanOp::Launch { kernel, blocks, time, args: given } => {
                    let wanted = args.get(usize::from(*kernel)).ok_or("launch of no kernel")?;
                    that(given.len() >= *wanted, "launch arguments")?;
                    let flat = blocks[1..].iter().all(|e| *e == PlanExpr::Const(1));
                    that(flat || variant.target == VariantTarget::Device, "blocks along an axis")?;
                    blocks.iter().try_for_each(|e| self.plan_expr(variant, e))?;
                    self.plan_expr(variant, time)?;
                    given.iter().try_for_each(|e| self.plan_expr(variant, e))?;
                }
            }
        }
        Ok(())
    }

    fn plan_expr(&self, variant: &Variant, e: &PlanExpr) -> Checked {
        match e {
            PlanExpr::Const(_) | PlanExpr::Steps => Ok(()),
            PlanExpr::Tunable(i) => that(usize::from(*i) < variant.tunables.len(), "plan tunable"),
            PlanExpr::SpaceLo(d) | PlanExpr::SpaceHi(d) => {
                that(*d < self.record.dims, "plan dimension")
            }
            PlanExpr::Var(v) => that(*v < variant.plan.vars, "plan variable"),
            PlanExpr::Mul(a, _) => self.plan_expr(variant, a),
            PlanExpr::FloorDiv(a, c) => {
                that(*c > 0, "plan divisor")?;
                self.plan_expr(variant, a)
            }
            PlanExpr::Pick(c, a, b) => {
                [c, a, b].iter().try_for_each(|e| self.plan_expr(variant, e))
            }
            PlanExpr::Add(a, b)
            | PlanExpr::Max(a, b)
            | PlanExpr::Min(a, b)
            | PlanExpr::Quotient(a, b)
            | PlanExpr::Product(a, b) => {
                self.plan_expr(variant, a)?;
                self.plan_expr(variant, b)
            }
        }
    }

    fn expr(&mut self, e: &IntExpr) -> Checked {
        match e {
            IntExpr::Poly(p) => self.ints(p),
            IntExpr::Max(a, b) | IntExpr::Min(a, b) | IntExpr::Add(a, b) => {
                self.expr(a)?;
                self.expr(b)
            }
        }
    }

    fn ints(&mut self, p: &Poly) -> Checked {
        self.poly(p, &|s| matches!(s, Sym::Int(_)))
    }

    fn poly(&mut self, p: &Poly, allowed: &dyn Fn(Sym) -> bool) -> Checked {
        for symbol in p.terms().iter().flat_map(|t| &t.symbols) {
            that(allowed(*symbol), "a symbol out of place")?;
            if let Sym::Int(i) = symbol {
                self.needs.ints = self.needs.ints.max(usize::from(*i) + 1);
            }
        }
        Ok(())
    }
}

/// A nest of seven steps over eight points that touches nothing, for tests of what surrounds it.
#[cfg(test)]
pub fn small_nest(variants: Vec<hexpass_abi::Variant>) -> Nest {
    Nest::new(small_record(variants)).unwrap()
}

/// The same, whose steps are reduced to the largest of what each point keeps.
#[cfg(test)]
pub fn reduced_nest(variants: Vec<hexpass_abi::Variant>) -> Result<Nest, Refusal> {
    use hexpass_abi::{Array, Reduction, Slot};
    let mut record = small_record(variants);
    record.arrays.push(Array {
        name: "kept".to_string(),
        elem: ElemType::F32,
        slots: vec![Slot { pointer: 0, offset: Poly::zero() }],
        rotation: Poly::zero(),
        strides: vec![Poly::constant(4)],
    });
    let along = Subscript { dim: Some(0), offset: Poly::zero() };
    record.statements[0].writes.push(Access { array: 0, rotation: 0, subscripts: vec![along] });
    record.reductions.push(Reduction {
        array: 0,
        kind: Reduces::Largest,
        counts_nans: false,
        yields: false,
        sign_of_zero: false,
        strict: false,
        single: true,
        alarm: false,
    });
    Nest::new(record)
}

#[cfg(test)]
fn small_record(variants: Vec<hexpass_abi::Variant>) -> NestRecord {
    use hexpass_abi::{FpMode, StatementRecord};
    let (zero, seven) = (Poly::constant(0), Poly::constant(7));
    let statement = StatementRecord {
        lo: vec![zero.into()],
        hi: vec![seven.clone().into()],
        reads: vec![],
        writes: vec![],
        unsure_reads: vec![],
        unsure_writes: vec![],
        entries: vec![],
        operations: 1,
    };
    NestRecord {
        function: "f".to_string(),
        file: None,
        line: None,
        fp: FpMode::Exact,
        steps: seven.into(),
        dims: 1,
        timeless: true,
        arrays: vec![],
        tables: vec![],
        lookups: vec![],
        fences: vec![],
        statements: vec![statement],
        checks: vec![],
        disjoint_pointers: vec![],
        reductions: vec![],
        aside: vec![],
        exchanged: vec![],
        variants,
    }
}
