//! What a nest computes, run as written, against its stencil program run step by step with the iterations of each
//! statement backwards: whatever the front half accepts must leave the same memory.

mod common;

use common::nest;
use hexpass_abi::{Access, ElemType, Fence, IntExpr, Poly, Sym};
use hexpass_poly::body::{BinaryOp, Body, Op, Predicate, Ty};
use hexpass_poly::facts::{AccessFact, Base, NestFacts};
use hexpass_poly::problem::analyse;
use hexpass_poly::stencil::StencilProgram;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Values by pointer and byte.
type Memory = BTreeMap<(u16, i64), u64>;

fn mix(a: u64, b: u64) -> u64 {
    (a.rotate_left(17) ^ b).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(b)
}

/// What lies there before the nest.
fn before((pointer, byte): (u16, i64)) -> u64 {
    mix(u64::from(pointer) + 3, byte as u64)
}

fn load(memory: &Memory, at: (u16, i64)) -> u64 {
    memory.get(&at).copied().unwrap_or_else(|| before(at))
}

/// The byte of a mask: zero or one.
fn byte(x: u64) -> u64 {
    x & 1
}

/// Not the arithmetic that the operations mean, but a function of the same operands in the same order; masks are what
/// they are.
fn eval(body: &Body, loads: &[u64], index: &dyn Fn(&Poly) -> i64) -> Vec<u64> {
    let mut values: Vec<u64> = Vec::new();
    for v in &body.values {
        let x = match &v.op {
            Op::Load(i) if v.ty == Ty::Elem(ElemType::I8) => byte(loads[usize::from(*i)]),
            Op::Load(i) => loads[usize::from(*i)],
            Op::Integer(x) => *x as u64,
            Op::Compare(Predicate::IEq, a, b) => {
                u64::from(values[usize::from(*a)] == values[usize::from(*b)])
            }
            Op::Select(condition, then, otherwise) => {
                let chosen = if values[usize::from(*condition)] != 0 { then } else { otherwise };
                values[usize::from(*chosen)]
            }
            Op::Float(bits) => mix(11, *bits),
            Op::Index(p) => mix(13, index(p) as u64),
            Op::Binary(BinaryOp::FAdd, a, b) => {
                mix(values[usize::from(*a)], values[usize::from(*b)])
            }
            other => panic!("{other:?}"),
        };
        values.push(x);
    }
    values
}

/// Executes facts in the order of the source.
struct Original<'a> {
    facts: &'a NestFacts,
    ints: &'a [i64],
    memory: Memory,
}

impl Original<'_> {
    fn value(&self, e: &IntExpr) -> i64 {
        e.eval(&|s| if let Sym::Int(i) = s { self.ints.get(usize::from(i)).copied() } else { None })
            .unwrap()
    }

    fn run(&mut self) {
        for t in 0..self.value(&self.facts.steps) {
            let all: Vec<usize> = (0..self.facts.statements.len()).collect();
            self.group(t, &all, &mut Vec::new());
        }
    }

    /// Statements that share the loops bound so far.
    fn group(&mut self, t: i64, statements: &[usize], counters: &mut Vec<(u16, i64)>) {
        let depth = counters.len();
        let next = |s: usize| self.facts.statements[s].loops.get(depth).copied();
        let mut rest = statements;
        while let Some(&first) = rest.first() {
            let Some(l) = next(first) else {
                self.instance(t, first, counters);
                rest = &rest[1..];
                continue;
            };
            let shared = rest.iter().take_while(|&&s| next(s) == Some(l)).count();
            for x in 0..self.value(&self.facts.loops[usize::from(l)].trip) {
                counters.push((l, x));
                self.group(t, &rest[..shared], counters);
                counters.pop();
            }
            rest = &rest[shared..];
        }
    }

    fn instance(&mut self, t: i64, s: usize, counters: &[(u16, i64)]) {
        let statement = &self.facts.statements[s];
        if statement.conditions.iter().any(|p| self.poly(p, t, counters) < 0) {
            return;
        }
        let index = |p: &Poly| self.poly(p, t, counters);
        let loads: Vec<u64> = statement
            .loads
            .iter()
            .map(|a| load(&self.memory, self.place(a, t, counters)))
            .collect();
        let values = eval(&statement.body, &loads, &index);
        for w in &statement.stores {
            let at = self.place(&w.access, t, counters);
            self.memory.insert(at, values[usize::from(w.value)]);
        }
    }

    fn poly(&self, p: &Poly, t: i64, counters: &[(u16, i64)]) -> i64 {
        p.eval(&|s| match s {
            Sym::Int(i) => self.ints.get(usize::from(i)).copied(),
            Sym::Time => Some(t),
            Sym::Iv(l) => counters.iter().find(|(c, _)| *c == l).map(|(_, x)| *x),
            Sym::Mod(m) => {
                let m = &self.facts.mods[usize::from(m)];
                Some(self.poly(&m.inner, t, &[]).rem_euclid(m.modulus))
            }
        })
        .unwrap()
    }

    fn place(&self, a: &AccessFact, t: i64, counters: &[(u16, i64)]) -> (u16, i64) {
        let offset = self.poly(&a.offset, t, counters);
        match a.base {
            Base::Pointer(p) => (p, offset),
            Base::Rotation { rotation, index } => {
                let r = &self.facts.rotations[usize::from(rotation)];
                let all = &r.initial;
                let turned = i64::from(index) + t + self.poly(&r.turned, t, &[]);
                let (p, start) = &all[turned.rem_euclid(all.len() as i64) as usize];
                (*p, self.poly(start, t, &[]) + offset)
            }
        }
    }
}

/// Memory whose masks hold back what the program takes to be held back.
fn fenced(fences: &[Fence], ints: &[i64]) -> Memory {
    let mut memory = Memory::new();
    let int = |s| if let Sym::Int(i) = s { ints.get(usize::from(i)).copied() } else { None };
    for fence in fences {
        let mut elements = vec![fence.offset.eval(&int).unwrap()];
        for (stride, (first, last)) in fence.strides.iter().zip(&fence.ranges) {
            let stride = stride.eval(&int).unwrap();
            let counters = first.eval(&int).unwrap()..=last.eval(&int).unwrap();
            elements = elements
                .iter()
                .flat_map(|&at| counters.clone().map(move |x| at + x * stride))
                .collect();
        }
        let held = (0..=1).find(|&x| fence.held.holds_integer(x)).expect("a byte");
        memory.extend(elements.iter().map(|&at| ((fence.pointer, at), held as u64)));
    }
    memory
}

/// Executes a stencil program.
fn replay(p: &StencilProgram, ints: &[i64], mut memory: Memory) -> Memory {
    let value = |x: &Poly, t: i64, s: &[i64]| {
        x.eval(&|sym| match sym {
            Sym::Int(i) => ints.get(usize::from(i)).copied(),
            Sym::Time => Some(t),
            Sym::Iv(d) => s.get(usize::from(d)).copied(),
            Sym::Mod(_) => None,
        })
        .unwrap()
    };
    let bound = |e: &IntExpr| {
        e.eval(&|s| if let Sym::Int(i) = s { ints.get(usize::from(i)).copied() } else { None })
            .unwrap()
    };
    let place = |a: &Access, t: i64, s: &[i64]| {
        let array = &p.arrays[usize::from(a.array)];
        let turn = t + i64::from(a.rotation) + value(&array.rotation, t, s);
        let slot = &array.slots[turn.rem_euclid(array.slots.len() as i64) as usize];
        let mut at = value(&slot.offset, t, s);
        for (x, stride) in a.subscripts.iter().zip(&array.strides) {
            let subscript = x.dim.map_or(0, |d| s[usize::from(d)]) + value(&x.offset, t, s);
            at += subscript * value(stride, t, s);
        }
        // What is kept aside lies elsewhere, and is nobody's business afterwards.
        let own = p.aside.iter().position(|&array| array == a.array);
        (own.map_or(slot.pointer, |i| u16::MAX - i as u16), at)
    };
    for t in 0..bound(&p.steps) {
        for statement in &p.statements {
            let mut points = vec![vec![]];
            for (lo, hi) in statement.lo.iter().zip(&statement.hi) {
                let range: Vec<i64> = (bound(lo)..=bound(hi)).rev().collect();
                points = points
                    .iter()
                    .flat_map(|x: &Vec<i64>| range.iter().map(|&y| [x.clone(), vec![y]].concat()))
                    .collect();
            }
            for s in points {
                let loads: Vec<u64> =
                    statement.reads.iter().map(|a| load(&memory, place(a, t, &s))).collect();
                let values = eval(&statement.body, &loads, &|x| value(x, t, &s));
                for w in &statement.writes {
                    memory.insert(place(&w.access, t, &s), values[usize::from(w.value)]);
                }
            }
        }
    }
    memory.retain(|(pointer, _), _| usize::from(*pointer) + p.aside.len() <= usize::from(u16::MAX));
    memory
}

/// True if accepted; fails if the two runs differ.
fn agree(text: &str, ints: &[i64]) -> bool {
    let facts = nest(text);
    let Ok(problem) = analyse(&facts) else { return false };
    let memory = fenced(&problem.stencil.fences, ints);
    let mut original = Original { facts: &facts, ints, memory: memory.clone() };
    original.run();
    let mut found = replay(&problem.stencil, ints, memory);
    // A point that its mask holds back is stored as it is, or not at all.
    for memory in [&mut original.memory, &mut found] {
        memory.retain(|&at, x| *x != before(at));
    }
    assert!(original.memory == found, "ints {ints:?}\n{text}\n{:#?}", problem.stencil);
    true
}

#[test]
fn nests_as_written() {
    let directory = format!("{}/tests/nests", env!("CARGO_MANIFEST_DIR"));
    let mut accepted = 0;
    for entry in std::fs::read_dir(directory).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        for first in [[5, 6, 7, 8], [7, 9, 5, 6], [3, 4, 3, 4], [6, 11, 6, 5]] {
            // Distances of rows and elements come last.
            let sizes = [&first[..], &[800, 8, 880, 8]].concat();
            let ints: Vec<i64> = sizes[..nest(&text).ints.len()].to_vec();
            accepted += u32::from(agree(&text, &ints));
        }
    }
    assert!(accepted >= 14 * 4, "{accepted}");
}

/// A linear congruential generator (Knuth's MMIX).
struct Random(u64);

impl Random {
    /// From `lo` to `hi`, both included.
    fn pick(&mut self, lo: i64, hi: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        lo + ((self.0 >> 33) % (hi - lo + 1) as u64) as i64
    }
}

/// Offset of an element in rows of 20, near the counters of `loops`, which may run backwards or swapped.
fn element(r: &mut Random, style: &[i64; 3], loops: [usize; 2], reach: i64) -> String {
    let [swap, back0, back1] = style;
    let (outer, inner) = if *swap == 0 { (loops[0], loops[1]) } else { (loops[1], loops[0]) };
    let counter = |l: usize, back: i64| match back {
        0 => format!("i{l}"),
        _ => format!("(4 - i{l})"),
    };
    let (a, b) = (r.pick(-reach, reach), r.pick(-reach, reach));
    format!(
        "[160*({} + {}) + 8*({} + {})]",
        counter(outer, *back0),
        a + 3,
        counter(inner, *back1),
        b + 3
    )
}

fn random_nest(r: &mut Random) -> String {
    let mut text = String::from(
        "nest \"random\"\nint steps\npointer a\npointer b\npointer c\npointer d\nrotation @2 [0], @3 [0]\nsteps steps\n",
    );
    let statements = r.pick(1, 3) as usize;
    let style = [r.pick(0, 1), r.pick(0, 2) / 2, r.pick(0, 2) / 2];
    // 0: nests of their own; 1: the outer loop is shared; 2: both are.
    let fused = r.pick(0, 2);
    (0..2 * statements).for_each(|_| text.push_str("loop 5\n"));
    text.push_str("fp exact\n");
    for s in 0..statements {
        let own = |d: usize| if fused > d as i64 { d } else { 2 * s + d };
        let loops = [own(0), own(1)];
        let _ = writeln!(text, "statement {} {}", loops[0], loops[1]);
        let base = |r: &mut Random| match r.pick(0, 3) {
            0 => "@r0.0".to_owned(),
            1 => "@r0.1".to_owned(),
            p => format!("@{}", p - 2),
        };
        for _ in 0..r.pick(1, 4) / 3 + 1 {
            let far = r.pick(0, 3) / 3;
            let target = format!("{} {}", base(r), element(r, &style, loops, far));
            let sources: Vec<String> = (0..r.pick(0, 2))
                .map(|_| format!("{} {}", base(r), element(r, &style, loops, 1)))
                .collect();
            let _ = writeln!(text, "  f64 {target} = {}", sources.join(", "));
        }
    }
    text
}

#[test]
fn random_nests() {
    let mut r = Random(1);
    let accepted = (0..1500).filter(|_| agree(&random_nest(&mut r), &[4])).count();
    assert!(accepted > 200, "{accepted}");
}
