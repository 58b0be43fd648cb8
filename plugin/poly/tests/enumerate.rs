//! Dependences of random stencils against enumeration of every instance.

use hexpass_abi::{Access, Array, ElemType, FpMode, IntExpr, Poly, Slot, Subscript};
use hexpass_poly::body::{Body, Op, Ty, Value};
use hexpass_poly::deps::Dependences;
use hexpass_poly::isl::{self, Isl, UnionMap};
use hexpass_poly::rejection::Reason;
use hexpass_poly::schedule::Ratio;
use hexpass_poly::stencil::{Statement, StencilProgram, Write};
use std::collections::{BTreeMap, BTreeSet};

/// A linear congruential generator (Knuth's MMIX).
struct Random(u64);

impl Random {
    /// From `lo` to `hi`, both included.
    fn pick(&mut self, lo: i64, hi: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        lo + ((self.0 >> 33) % (hi - lo + 1) as u64) as i64
    }
}

const STEPS: i64 = 6;

fn constant(c: i64) -> IntExpr {
    IntExpr::Poly(Poly::constant(c))
}

fn program(r: &mut Random) -> StencilProgram {
    let dims = r.pick(1, 2) as usize;
    let arrays: Vec<Array> = (0..r.pick(1, 2))
        .map(|_| {
            let slot = |pointer| Slot { pointer, offset: Poly::zero() };
            let mut strides = vec![Poly::constant(800), Poly::constant(8)];
            strides.drain(..2 - dims);
            Array {
                name: "a".to_owned(),
                elem: ElemType::F64,
                slots: (0..r.pick(1, 3) as u16).map(slot).collect(),
                rotation: Poly::zero(),
                strides,
            }
        })
        .collect();
    let statements = (0..r.pick(1, 3)).map(|_| statement(r, dims, &arrays)).collect();
    StencilProgram {
        function: "random".to_owned(),
        file: None,
        line: None,
        dims,
        ints: Vec::new(),
        steps: constant(STEPS),
        arrays,
        tables: vec![],
        lookups: vec![],
        fences: vec![],
        statements,
        checks: Vec::new(),
        disjoint_pointers: Vec::new(),
        reductions: vec![],
        aside: vec![],
        granted: Default::default(),
        scalars: Vec::new(),
        fp: FpMode::Exact,
    }
}

fn statement(r: &mut Random, dims: usize, arrays: &[Array]) -> Statement {
    let lo: Vec<i64> = (0..dims).map(|_| r.pick(0, 3)).collect();
    let hi: Vec<i64> = lo.iter().map(|&l| l + r.pick(-1, 4)).collect();
    let access = |r: &mut Random, reach: i64| {
        let array = r.pick(0, arrays.len() as i64 - 1) as u16;
        let slots = arrays[usize::from(array)].slots.len() as i64;
        let subscript = |r: &mut Random, d: usize| match r.pick(0, 11) {
            0 if reach > 0 => Subscript { dim: None, offset: Poly::constant(r.pick(0, 4)) },
            _ => Subscript { dim: Some(d as u8), offset: Poly::constant(r.pick(-reach, reach)) },
        };
        let rotation = r.pick(0, slots - 1) as i32;
        Access { array, rotation, subscripts: (0..dims).map(|d| subscript(r, d)).collect() }
    };
    let reads: Vec<Access> = (0..r.pick(0, 3)).map(|_| access(r, 2)).collect();
    let write = access(r, 0);
    let zero = Value { op: Op::Float(0), ty: Ty::Elem(ElemType::F64), flags: Default::default() };
    Statement {
        lo: lo.into_iter().map(constant).collect(),
        hi: hi.into_iter().map(constant).collect(),
        reads,
        body: Body { values: vec![zero] },
        writes: vec![Write { access: write, value: 0 }],
        unsure_reads: vec![],
        unsure_writes: vec![],
        entries: vec![],
        line: None,
    }
}

/// (statement, t, coordinates)
type Instance = (usize, i64, Vec<i64>);
/// (array, slot, subscripts)
type Element = (u16, i64, Vec<i64>);

fn instances(p: &StencilProgram) -> Vec<Instance> {
    let value = |e: &IntExpr| e.eval(&|_| None).unwrap();
    let mut out = Vec::new();
    for t in 0..STEPS {
        for (i, s) in p.statements.iter().enumerate() {
            let mut points = vec![vec![]];
            for (lo, hi) in s.lo.iter().zip(&s.hi) {
                points = points
                    .into_iter()
                    .flat_map(|x: Vec<i64>| {
                        (value(lo)..=value(hi)).map(move |s| [x.clone(), vec![s]].concat())
                    })
                    .collect();
            }
            out.extend(points.into_iter().map(|s| (i, t, s)));
        }
    }
    out
}

fn element(p: &StencilProgram, a: &Access, (_, t, s): &Instance) -> Element {
    let slots = p.arrays[usize::from(a.array)].slots.len() as i64;
    let subscript =
        |x: &Subscript| x.dim.map_or(0, |d| s[usize::from(d)]) + x.offset.as_constant().unwrap();
    let subscripts = a.subscripts.iter().map(subscript).collect();
    (a.array, (t + i64::from(a.rotation)).rem_euclid(slots), subscripts)
}

#[derive(Default)]
struct Enumerated {
    /// Instances of one statement and step touch the same element.
    sequential: bool,
    flow: BTreeSet<(Instance, Instance)>,
    anti: BTreeSet<(Instance, Instance)>,
    output: BTreeSet<(Instance, Instance)>,
}

fn enumerate(p: &StencilProgram) -> Enumerated {
    let mut out = Enumerated::default();
    let mut writer: BTreeMap<Element, Instance> = BTreeMap::new();
    let mut readers: BTreeMap<Element, BTreeSet<Instance>> = BTreeMap::new();
    for x in instances(p) {
        let s = &p.statements[x.0];
        let same_step = |y: &Instance| y.0 == x.0 && y.1 == x.1 && *y != x;
        for a in &s.reads {
            let e = element(p, a, &x);
            if let Some(w) = writer.get(&e) {
                out.sequential |= same_step(w);
                out.flow.insert((w.clone(), x.clone()));
            }
            readers.entry(e).or_default().insert(x.clone());
        }
        for w in &s.writes {
            let e = element(p, &w.access, &x);
            for r in readers.remove(&e).unwrap_or_default() {
                out.sequential |= same_step(&r);
                if r != x {
                    out.anti.insert((r, x.clone()));
                }
            }
            if let Some(old) = writer.insert(e, x.clone()) {
                out.sequential |= same_step(&old);
                out.output.insert((old, x.clone()));
            }
        }
    }
    out
}

fn relation(pairs: &BTreeSet<(Instance, Instance)>) -> String {
    let one = |(i, t, s): &Instance| {
        let all: Vec<String> = [*t].iter().chain(s).map(i64::to_string).collect();
        format!("S{i}[{}]", all.join(", "))
    };
    let all: Vec<String> = pairs.iter().map(|(a, b)| format!("{} -> {}", one(a), one(b))).collect();
    format!("{{ {} }}", all.join("; "))
}

/// The smallest cone of enumerated distances.
fn smallest_cone(p: &StencilProgram, e: &Enumerated) -> Vec<(Ratio, Ratio)> {
    let k = p.statements.len() as i64;
    let mut delta = vec![(Ratio::whole(0), Ratio::whole(0)); p.dims];
    for (a, b) in e.flow.iter().chain(&e.anti).chain(&e.output) {
        let du = k * (b.1 - a.1) + b.0 as i64 - a.0 as i64;
        assert!(du >= 1);
        for (d, (delta0, delta1)) in delta.iter_mut().enumerate() {
            let ds = b.2[d] - a.2[d];
            *delta0 = Ratio::new(ds, du).unwrap().max(*delta0);
            *delta1 = Ratio::new(-ds, du).unwrap().max(*delta1);
        }
    }
    delta
}

#[test]
fn dependences_are_exact_and_the_cone_is_tight() {
    let mut r = Random(42);
    let (mut accepted, mut refused) = (0, 0);
    for round in 0..300 {
        let p = program(&mut r);
        let expected = enumerate(&p);
        match Dependences::of(&p) {
            Err(e) => {
                assert_eq!(e.reason, Reason::Dependence, "{round}: {e}\n{p:#?}");
                assert!(expected.sequential, "{round}: {e}\n{p:#?}");
                refused += 1;
            }
            Ok(deps) => {
                assert!(!expected.sequential, "{round}: accepted\n{p:#?}");
                let isl = Isl::new(isl::BUDGET).unwrap();
                for (kind, found, pairs) in [
                    ("flow", &deps.flow, &expected.flow),
                    ("anti", &deps.anti, &expected.anti),
                    ("output", &deps.output, &expected.output),
                ] {
                    let found = UnionMap::parse(&isl, found).unwrap();
                    let pairs = UnionMap::parse(&isl, &relation(pairs)).unwrap();
                    let equal = found.is_equal(&pairs).unwrap();
                    assert!(equal, "{round}: {kind} {found:?}\n{pairs:?}\n{p:#?}");
                }
                assert_eq!(deps.cone.delta, smallest_cone(&p, &expected), "{round}: {p:#?}");
                accepted += 1;
            }
        }
    }
    assert!(accepted > 50 && refused > 50, "{accepted} accepted, {refused} refused");
}
