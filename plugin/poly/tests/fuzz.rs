//! Random facts, sensible and not: the front half answers, it never panics.

use hexpass_abi::{CheckKind, ElemType, FpMode, IntExpr, Poly, Sym};
use hexpass_poly::body::{Body, Op, Ty, Value};
use hexpass_poly::facts::{
    AccessFact, Base, CheckFact, DescriptorFact, LoopFact, ModFact, NestFacts, RotationFact,
    StatementFact, StoreFact,
};
use hexpass_poly::problem::analyse;
use hexpass_poly::scop::Scop;

/// A linear congruential generator (Knuth's MMIX).
struct Random(u64);

impl Random {
    /// From `lo` to `hi`, both included.
    fn pick(&mut self, lo: i64, hi: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        lo + ((self.0 >> 33) % (hi - lo + 1) as u64) as i64
    }

    fn one_in(&mut self, n: i64) -> bool {
        self.pick(1, n) == 1
    }

    fn number(&mut self) -> i64 {
        match self.pick(0, 60) {
            0 => i64::MAX,
            1 => i64::MIN,
            2 => i64::MAX / 8,
            3..=9 => self.pick(-3, 3),
            10..=30 => 8 * self.pick(-2, 2),
            31..=40 => 800 * self.pick(0, 2),
            _ => 8,
        }
    }

    fn symbol(&mut self, sensible: bool) -> Sym {
        match self.pick(0, if sensible { 5 } else { 12 }) {
            0..=3 => Sym::Int(self.pick(0, if sensible { 1 } else { 2 }) as u16),
            4 | 5 => Sym::Int(0),
            6 => Sym::Time,
            7 => Sym::Mod(self.pick(0, 2) as u16),
            _ => Sym::Iv(self.pick(0, 3) as u16),
        }
    }

    fn poly(&mut self, sensible: bool) -> Poly {
        let terms: Vec<(i64, Vec<Sym>)> = (0..self.pick(0, 3))
            .map(|_| {
                let symbols = (0..self.pick(0, 2)).map(|_| self.symbol(sensible)).collect();
                (self.number(), symbols)
            })
            .collect();
        Poly::from_terms(terms).unwrap_or_default()
    }

    fn expr(&mut self) -> IntExpr {
        let sensible = !self.one_in(40);
        match self.pick(0, 9) {
            0 => IntExpr::Max(Box::new(self.expr()), Box::new(self.expr())),
            1 => IntExpr::Min(Box::new(self.expr()), Box::new(self.expr())),
            2 => IntExpr::Add(Box::new(self.expr()), Box::new(self.expr())),
            _ => self.poly(sensible).into(),
        }
    }

    /// Mostly rows of n elements, with a stencil's constants.
    fn offset(&mut self, loops: &[u16]) -> Poly {
        if self.one_in(25) {
            return self.poly(false);
        }
        let mut terms = vec![(8 * self.pick(-3, 3), vec![])];
        let row = if self.one_in(2) { (8, vec![Sym::Int(0)]) } else { (800, vec![]) };
        for (d, &l) in loops.iter().rev().enumerate() {
            let (c, mut symbols) = if d == 0 { (8, vec![]) } else { row.clone() };
            symbols.push(Sym::Iv(l));
            terms.push((if self.one_in(12) { -c } else { c }, symbols));
        }
        if self.one_in(5) {
            terms.push((80000, vec![Sym::Mod(self.pick(0, 1) as u16)]));
        }
        if self.one_in(6) {
            terms.push((row.0 * self.pick(-2, 2), row.1));
        }
        if self.one_in(10) {
            terms.push((8, vec![Sym::Int(0), Sym::Int(1)]));
        }
        Poly::from_terms(terms).unwrap_or_default()
    }

    fn access(&mut self, loops: &[u16]) -> AccessFact {
        let base = match self.pick(0, 3) {
            0 => Base::Rotation { rotation: 0, index: self.pick(0, 1) as u16 },
            p => Base::Pointer(p as u16 - 1),
        };
        let elem = if self.one_in(30) { ElemType::F32 } else { ElemType::F64 };
        AccessFact { base, offset: self.offset(loops), elem, maybe: self.one_in(30) }
    }

    fn statement(&mut self) -> StatementFact {
        let first = self.pick(0, 2) as u16;
        let mut loops: Vec<u16> = (first..first + self.pick(0, 2) as u16).collect();
        if self.one_in(30) {
            loops.push(self.pick(0, 6) as u16);
        }
        let loads: Vec<AccessFact> = (0..self.pick(0, 3)).map(|_| self.access(&loops)).collect();
        let op = match self.pick(0, 4) {
            0 => Op::Index(self.poly(false)),
            1 => Op::Load(0),
            _ => Op::Float(0),
        };
        let value = Value { op, ty: Ty::Elem(ElemType::F64), flags: Default::default() };
        let stores = (0..self.pick(1, 2))
            .map(|_| StoreFact { access: self.access(&loops), value: 0 })
            .collect();
        let conditions = self.conditions(&loops);
        let body = Body { values: vec![value] };
        StatementFact { loops, conditions, loads, entries: vec![], body, stores, line: None }
    }

    /// Now and then, the iterations from or up to a constant or a size.
    fn conditions(&mut self, loops: &[u16]) -> Vec<Poly> {
        let mut out = Vec::new();
        for &l in loops {
            if self.one_in(5) {
                let sign = if self.one_in(2) { 1 } else { -1 };
                let bound = vec![(sign, vec![Sym::Iv(l)]), (-sign * self.pick(0, 3), vec![])];
                out.push(Poly::from_terms(bound).unwrap_or_default());
            }
        }
        out
    }

    fn facts(&mut self) -> NestFacts {
        let modulus = self.number();
        NestFacts {
            function: "f".to_owned(),
            file: None,
            line: None,
            ints: vec!["n".to_owned(), "t".to_owned()],
            pointers: vec!["a".to_owned(), "b c".to_owned(), String::new()],
            disjoint_pointers: vec![],
            descriptors: vec![DescriptorFact { pointer: 1, stride: 0, dimension: 1 }],
            scalars: vec![],
            mods: vec![
                ModFact { inner: Poly::symbol(Sym::Time), modulus: 2 },
                ModFact {
                    inner: self.poly(true),
                    modulus: if self.one_in(2) { 2 } else { modulus },
                },
            ],
            tables: vec![],
            lookups: vec![],
            rotations: vec![RotationFact {
                initial: vec![(0, Poly::zero()), (self.pick(0, 2) as u16, self.poly(true))],
                turned: if self.one_in(3) { self.poly(false) } else { Poly::zero() },
            }],
            steps: self.expr(),
            loops: (0..4).map(|_| LoopFact { trip: self.expr() }).collect(),
            blocked: self.one_in(4),
            statements: (0..self.pick(1, 3)).map(|_| self.statement()).collect(),
            checks: if self.one_in(3) {
                vec![CheckFact {
                    value: self.poly(false),
                    statement: Some(0),
                    under: None,
                    kind: CheckKind::Wrap,
                }]
            } else {
                vec![]
            },
            fp: FpMode::Exact,
        }
    }
}

#[test]
fn never_panics() {
    let mut r = Random(7);
    let (mut accepted, mut refused) = (0, std::collections::BTreeMap::new());
    for _ in 0..300 {
        let facts = r.facts();
        let text = facts.to_string();
        if let Ok(read) = text.parse::<NestFacts>() {
            assert_eq!(read.to_string(), text);
        }
        if let Ok(scop) = Scop::build(&facts) {
            assert_eq!(scop.to_string().parse::<Scop>(), Ok(scop), "{text}");
        }
        match analyse(&facts) {
            Ok(_) => accepted += 1,
            Err(e) => {
                if e.reason.name() == "bug" && e.detail.starts_with("isl") {
                    panic!("{e}\n{text}");
                }
                *refused.entry(e.reason.name()).or_insert(0) += 1;
            }
        }
    }
    println!("{accepted} accepted, {refused:?}");
    assert!(accepted > 10, "{accepted} accepted, {refused:?}");
}
