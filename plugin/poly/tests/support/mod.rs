//! Stencil problems written by hand, and runs of their kernels beside the reference.
#![allow(dead_code)]

pub mod problems;
pub mod threads;

use hexpass_abi::{
    Access, Array, ElemType, FpMode, IntExpr, Poly, Reduces, Reduction, Slot, Subscript, expr::Sym,
};
use hexpass_poly::body::{BinaryOp, Body, FpFlags, Op, Predicate, Ty, Value};
use hexpass_poly::deps::{DependenceCone, DependenceKind, Dependences, Distance};
use hexpass_poly::kernel::interp::memory::{Memory, Sizes};
use hexpass_poly::problem::Problem;
use hexpass_poly::schedule::Ratio;
use hexpass_poly::stencil::{Statement, StencilProgram, Write};

/// Steps are `Int(0)`, the extent of dimension d is `Int(d + 1)`.
pub fn extent(d: usize) -> Poly {
    Poly::symbol(Sym::Int(d as u16 + 1))
}

/// Bound of a statement in one dimension.
#[derive(Clone, Copy)]
pub enum Bound {
    /// From the first to N − last.
    Inside(i64, i64),
    /// One coordinate.
    At(i64),
}

/// A program under construction.
pub struct Program {
    dims: usize,
    elem: ElemType,
    arrays: Vec<Array>,
    pointers: u16,
    statements: Vec<Statement>,
    reductions: Vec<Reduction>,
}

/// Array, rotation, offsets.
pub type Touch<'a> = (u16, i32, &'a [i64]);

impl Program {
    pub fn new(dims: usize, elem: ElemType) -> Program {
        let (arrays, statements, reductions) = (Vec::new(), Vec::new(), Vec::new());
        Program { dims, elem, arrays, pointers: 0, statements, reductions }
    }

    /// An array of the nest's dimensions with several slots, each behind a pointer of its own.
    pub fn array(&mut self, slots: usize) -> u16 {
        let slots = (0..slots).map(|_| {
            self.pointers += 1;
            Slot { pointer: self.pointers - 1, offset: Poly::zero() }
        });
        let size = self.elem.size() as i64;
        let mut strides = vec![Poly::constant(size)];
        for d in (1..self.dims).rev() {
            strides.insert(0, strides[0].mul(&extent(d)).unwrap());
        }
        self.arrays.push(Array {
            name: format!("a{}", self.arrays.len()),
            elem: self.elem,
            slots: slots.collect(),
            rotation: Poly::zero(),
            strides,
        });
        self.arrays.len() as u16 - 1
    }

    /// A statement whose value is a sum of weighted loads, in the order of the list; writes all get that value.
    pub fn statement(
        &mut self,
        bounds: &[Bound],
        reads: &[Touch],
        writes: &[Touch],
    ) -> &mut Program {
        let ty = Ty::Elem(self.elem);
        let mut body = Body::default();
        let mut push = |op| {
            body.values.push(Value { op, ty, flags: FpFlags::default() });
            body.values.len() as u16 - 1
        };
        let mut sum = push(constant(self.elem, 0.125));
        for i in 0..reads.len() {
            let load = push(Op::Load(i as u16));
            if self.elem.is_float() {
                let weight = push(constant(self.elem, 0.17 + 0.01 * i as f64));
                let product = push(Op::Binary(BinaryOp::FMul, load, weight));
                sum = push(Op::Binary(BinaryOp::FAdd, sum, product));
            } else {
                let weight = push(Op::Integer(3 + 2 * i as i64));
                let product = push(Op::Binary(BinaryOp::IMul, load, weight));
                sum = push(Op::Binary(BinaryOp::IAdd, sum, product));
            }
        }
        let access = |t: &Touch| Access {
            array: t.0,
            rotation: t.1,
            subscripts: t
                .2
                .iter()
                .enumerate()
                .map(|(d, &c)| Subscript { dim: Some(d as u8), offset: Poly::constant(c) })
                .collect(),
        };
        let bound = |d: usize, upper: bool| match bounds[d] {
            Bound::At(c) => IntExpr::Poly(Poly::constant(c)),
            Bound::Inside(first, _) if !upper => IntExpr::Poly(Poly::constant(first)),
            Bound::Inside(_, last) => IntExpr::Poly(extent(d).sub(&Poly::constant(last)).unwrap()),
        };
        self.statements.push(Statement {
            lo: (0..self.dims).map(|d| bound(d, false)).collect(),
            hi: (0..self.dims).map(|d| bound(d, true)).collect(),
            reads: reads.iter().map(access).collect(),
            body,
            writes: writes.iter().map(|t| Write { access: access(t), value: sum }).collect(),
            unsure_reads: vec![],
            unsure_writes: vec![],
            entries: vec![],
            line: None,
        });
        self
    }

    /// A statement that keeps a sum of weighted loads of each step in a record of its own: its coordinates along `dims`, and
    /// the step before them or (`last`) behind.
    pub fn record(&mut self, bounds: &[Bound], reads: &[Touch], dims: &[usize], last: bool) {
        let array = self.array(1);
        let along = |&d: &usize| Subscript { dim: Some(d as u8), offset: Poly::zero() };
        let mut subscripts: Vec<Subscript> = dims.iter().map(along).collect();
        let mut extents: Vec<Poly> = dims.iter().map(|&d| extent(d)).collect();
        let at = if last { dims.len() } else { 0 };
        subscripts.insert(at, Subscript { dim: None, offset: Poly::symbol(Sym::Time) });
        extents.insert(at, Poly::symbol(Sym::Int(0)));
        let mut strides = vec![Poly::constant(self.elem.size() as i64)];
        for extent in extents[1..].iter().rev() {
            strides.insert(0, strides[0].mul(extent).unwrap());
        }
        self.arrays[usize::from(array)].strides = strides;
        self.statement(bounds, reads, &[]);
        let statement = self.statements.last_mut().unwrap();
        let value = statement.body.values.len() as u16 - 1;
        let access = Access { array, rotation: 0, subscripts };
        statement.writes = vec![Write { access, value }];
    }

    /// The last statement keeps, besides, what its step is reduced from: of numbers the largest of what it stores, of integers
    /// the sum of that and what the first load finds.
    pub fn reduce(&mut self, slots: usize) {
        let array = self.array(slots);
        let (elem, dims) = (self.elem, self.dims);
        let along = |d: usize| Subscript { dim: Some(d as u8), offset: Poly::zero() };
        let access = Access { array, rotation: 0, subscripts: (0..dims).map(along).collect() };
        let statement = self.statements.last_mut().unwrap();
        statement.reads.push(access.clone());
        let load = Op::Load(statement.reads.len() as u16 - 1);
        let values = &mut statement.body.values;
        let value = values.len() as u16 - 1;
        let mut push = |op, ty| {
            values.push(Value { op, ty, flags: FpFlags::default() });
            values.len() as u16 - 1
        };
        let ty = Ty::Elem(elem);
        let kept = push(load, ty);
        let value = match elem.is_float() {
            true => {
                let wins = push(Op::Compare(Predicate::FOgt, value, kept), Ty::Bool);
                push(Op::Select(wins, value, kept), ty)
            }
            false => {
                let first = push(Op::Load(0), ty);
                let both = push(Op::Binary(BinaryOp::IAdd, value, first), ty);
                push(Op::Binary(BinaryOp::IAdd, kept, both), ty)
            }
        };
        statement.writes.push(Write { access, value });
        let kind = if elem.is_float() { Reduces::Largest } else { Reduces::Sum };
        self.reductions.push(Reduction {
            array,
            kind,
            counts_nans: false,
            yields: false,
            sign_of_zero: true,
            strict: false,
            single: elem.size() == 4,
            alarm: false,
        });
    }

    pub fn statements_mut(&mut self) -> &mut Vec<Statement> {
        &mut self.statements
    }

    pub fn problem(self) -> Problem {
        let stencil = self.stencil();
        let deps = dependences(&stencil);
        Problem::with(stencil, deps)
    }

    pub fn stencil(self) -> StencilProgram {
        StencilProgram {
            function: "test".into(),
            file: None,
            line: None,
            dims: self.dims,
            ints: vec!["steps".into(), "n0".into(), "n1".into(), "n2".into()],
            steps: IntExpr::Poly(Poly::symbol(Sym::Int(0))),
            arrays: self.arrays,
            tables: vec![],
            lookups: vec![],
            fences: vec![],
            statements: self.statements,
            checks: Vec::new(),
            disjoint_pointers: Vec::new(),
            reductions: self.reductions,
            aside: vec![],
            granted: Default::default(),
            scalars: Vec::new(),
            fp: FpMode::Exact,
        }
    }
}

fn constant(elem: ElemType, x: f64) -> Op {
    match elem {
        ElemType::F32 => Op::Float(u64::from((x as f32).to_bits())),
        ElemType::F64 => Op::Float(x.to_bits()),
        _ => Op::Integer((x * 100.0) as i64),
    }
}

/// Uniform dependences, by comparing all pairs of accesses; each as if the space were unbounded.
pub fn dependences(p: &StencilProgram) -> Dependences {
    let k = p.statements.len() as i64;
    let mut distances = Vec::new();
    for (i, a, a_writes) in touches(p) {
        for (j, b, b_writes) in touches(p) {
            let kind = match (a_writes, b_writes) {
                (false, false) => continue,
                (true, false) => DependenceKind::Flow,
                (false, true) => DependenceKind::Anti,
                (true, true) => DependenceKind::Output,
            };
            if a.array != b.array {
                continue;
            }
            let offset = |x: &Access, d: usize| x.subscripts[d].offset.as_constant().unwrap();
            let ds: Vec<i64> = (0..p.dims).map(|d| offset(a, d) - offset(b, d)).collect();
            let slots = p.arrays[usize::from(a.array)].slots.len() as i64;
            let same_slot =
                |dt: i64| (dt + i64::from(b.rotation - a.rotation)).rem_euclid(slots) == 0;
            let later = |dt: &i64| k * dt + j as i64 - i as i64 > 0;
            let dt = (0..).filter(later).find(|&dt| same_slot(dt)).unwrap();
            let du = k * dt + j as i64 - i as i64;
            let (source, sink) = (i as u16, j as u16);
            distances.push(Distance { kind, array: a.array, source, sink, du, ds });
        }
    }
    distances.sort();
    distances.dedup();
    let cone = cone(p.dims, &distances);
    let text = |kind| union_map(p, &distances, kind);
    Dependences {
        flow: text(DependenceKind::Flow),
        anti: text(DependenceKind::Anti),
        output: text(DependenceKind::Output),
        cone,
        unbounded: None,
        distances,
        uniform: true,
    }
}

fn touches(p: &StencilProgram) -> Vec<(usize, &Access, bool)> {
    let mut out = Vec::new();
    for (i, s) in p.statements.iter().enumerate() {
        out.extend(s.reads.iter().map(|a| (i, a, false)));
        let depends = s.writes.iter().filter(|w| p.kept_steps(w.access.array).is_none());
        out.extend(depends.map(|w| (i, &w.access, true)));
    }
    out
}

fn cone(dims: usize, distances: &[Distance]) -> DependenceCone {
    let slope = |d: usize, sign: i64| {
        let slopes = distances.iter().map(|x| Ratio::new(sign * x.ds[d], x.du).unwrap());
        slopes.fold(Ratio::whole(0), Ratio::max)
    };
    DependenceCone { delta: (0..dims).map(|d| (slope(d, 1), slope(d, -1))).collect() }
}

fn union_map(p: &StencilProgram, distances: &[Distance], kind: DependenceKind) -> String {
    let k = p.statements.len() as i64;
    let pieces: Vec<String> = distances
        .iter()
        .filter(|d| d.kind == kind)
        .map(|x| {
            let dt = (x.du - i64::from(x.sink) + i64::from(x.source)) / k;
            let space: Vec<String> = (0..p.dims).map(|d| format!("s{d}")).collect();
            let moved: Vec<String> = (0..p.dims).map(|d| format!("s{d} + {}", x.ds[d])).collect();
            format!(
                "S{}[t, {}] -> S{}[t + {dt}, {}]",
                x.source,
                space.join(", "),
                x.sink,
                moved.join(", ")
            )
        })
        .collect();
    format!("{{ {} }}", pieces.join("; "))
}

/// Memory full of numbers, those that the nest never writes equal in all slots of an array.
pub fn memory_alike(p: &StencilProgram, ints: &[i64], sizes: &Sizes) -> Memory {
    let mut memory = memory(p, ints);
    for (array, a) in (0u16..).zip(&p.arrays) {
        for subscripts in sizes.never_written(p, array).unwrap() {
            let at = |slot: usize| sizes.address(p, array, slot as i64, &subscripts).unwrap();
            let bits = memory.load(at(0), a.elem).unwrap();
            (1..a.slots.len()).for_each(|slot| memory.store(at(slot), a.elem, bits).unwrap());
        }
    }
    memory
}

/// Memory full of numbers that differ.
pub fn memory(p: &StencilProgram, ints: &[i64]) -> Memory {
    let pointers = p
        .arrays
        .iter()
        .flat_map(|a| &a.slots)
        .map(|s| usize::from(s.pointer) + 1)
        .max()
        .unwrap_or(0);
    let elements: i64 = ints[1..=p.dims].iter().product();
    let elem = p.arrays[0].elem;
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut number = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % 2000) as f64 / 1000.0 - 1.0
    };
    let pointer = |pointer: u16| {
        let mut bytes = Vec::new();
        let is_its = |a: u16| p.arrays[usize::from(a)].slots.iter().any(|s| s.pointer == pointer);
        let recorded = (0..p.arrays.len() as u16).any(|a| is_its(a) && p.kept_steps(a).is_some());
        for _ in 0..elements.max(0) * if recorded { ints[0].max(1) } else { 1 } {
            match elem {
                ElemType::F32 => bytes.extend((number() as f32).to_le_bytes()),
                ElemType::F64 => bytes.extend(number().to_le_bytes()),
                e => bytes.extend(&((number() * 1000.0) as i64).to_le_bytes()[..e.size() as usize]),
            }
        }
        bytes
    };
    Memory { pointers: (0..pointers as u16).map(pointer).collect() }
}

/// Of each slot of what steps are reduced from, the largest of all numbers, or the sum; forgotten in the memory.
pub fn folded(p: &StencilProgram, memory: &mut Memory) -> Vec<u64> {
    let mut out = Vec::new();
    for r in &p.reductions {
        let array = &p.arrays[usize::from(r.array)];
        for slot in &array.slots {
            let bytes = std::mem::take(&mut memory.pointers[usize::from(slot.pointer)]);
            let words = bytes.chunks(array.elem.size() as usize);
            let word = |w: &[u8]| w.iter().rev().fold(0, |bits, &b| bits << 8 | u64::from(b));
            let number = |w: &[u8]| match array.elem {
                ElemType::F32 => f64::from(f32::from_bits(word(w) as u32)),
                _ => f64::from_bits(word(w)),
            };
            out.push(match r.kind {
                Reduces::Largest => words.map(number).fold(f64::NEG_INFINITY, f64::max).to_bits(),
                _ => words.map(word).fold(0, u64::wrapping_add),
            });
        }
    }
    out
}

/// The numbers of a run.
pub fn sizes(p: &StencilProgram, ints: &[i64]) -> Sizes {
    Sizes::new(p, ints, &[]).unwrap()
}
