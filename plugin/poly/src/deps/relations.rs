//! Instances and accesses of a stencil program in isl's notation, in aligned coordinates.

use crate::scop::IslNames;
use crate::stencil::StencilProgram;
use hexpass_abi::Access;
use std::fmt::Write;

/// `S<i>[t, s0, …]`, dimensions called `s0`, `s1`, ….
pub fn instance(i: usize, dims: usize) -> String {
    tuple(i, dims, "s", "t")
}

/// `S<i>[t, s0, …]` with other names.
pub fn tuple(i: usize, dims: usize, coordinate: &str, time: &str) -> String {
    let mut out = format!("S{i}[{time}");
    for d in 0..dims {
        let _ = write!(out, ", {coordinate}{d}");
    }
    out.push(']');
    out
}

/// All instances: `{ S<i>[t, s0, …] : 0 <= t < steps and lo0 <= s0 <= hi0 … }`.
pub fn domains(p: &StencilProgram) -> String {
    let mut names = IslNames::new("s");
    let steps = names.expr(&p.steps);
    let mut pieces = Vec::new();
    for (i, s) in p.statements.iter().enumerate() {
        let mut piece = format!("{} : 0 <= t < {steps}", instance(i, p.dims));
        for (d, (lo, hi)) in s.lo.iter().zip(&s.hi).enumerate() {
            let _ = write!(piece, " and {} <= s{d} <= {}", names.expr(lo), names.expr(hi));
        }
        pieces.push(piece);
    }
    names.wrap(&pieces.join("; "))
}

/// Logical time, `{ S<i>[t, s0, …] -> [k·t + i] }`.
pub fn logical_time(p: &StencilProgram) -> String {
    let k = p.statements.len();
    let one = |i| format!("{} -> [{k} * t + {i}]", instance(i, p.dims));
    let all: Vec<String> = (0..k).map(one).collect();
    format!("{{ {} }}", all.join("; "))
}

/// Logical time and place, `{ S<i>[t, s0, …] -> [k·t + i, s0, …] }`.
pub fn logical_space(p: &StencilProgram) -> String {
    let k = p.statements.len();
    let one = |i| {
        let mut out = format!("{} -> [{k} * t + {i}", instance(i, p.dims));
        (0..p.dims).for_each(|d| out.push_str(&format!(", s{d}")));
        out + "]"
    };
    let all: Vec<String> = (0..k).map(one).collect();
    format!("{{ {} }}", all.join("; "))
}

/// Accesses to one array, `{ S<i>[t, s0, …] -> A[slot, subscripts…] }`. Rotation at step 0 is taken as zero: which
/// slot is which does not matter to dependences.
#[derive(Debug)]
pub struct Relation {
    names: IslNames,
    pieces: Vec<String>,
    dims: usize,
    slots: usize,
}

impl Relation {
    pub fn new(p: &StencilProgram, array: u16) -> Relation {
        let slots = p.arrays[usize::from(array)].slots.len();
        Relation { names: IslNames::new("s"), pieces: Vec::new(), dims: p.dims, slots }
    }

    pub fn add(&mut self, statement: usize, a: &Access) {
        let mut all = Vec::with_capacity(a.subscripts.len() + 1);
        all.push(match self.slots {
            1 => "0".to_owned(),
            slots => format!("(t + {}) mod {slots}", a.rotation),
        });
        for s in &a.subscripts {
            let coordinate = s.dim.map_or(String::new(), |d| format!("s{d} + "));
            all.push(format!("{coordinate}{}", self.names.poly(&s.offset)));
        }
        let element = all.join(", ");
        self.pieces.push(format!("{} -> A[{element}]", instance(statement, self.dims)));
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    pub fn text(&self) -> String {
        self.names.wrap(&self.pieces.join("; "))
    }
}
