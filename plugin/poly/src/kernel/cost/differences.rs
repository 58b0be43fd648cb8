//! Differences of which only the square, or the magnitude, is wanted: the code generator makes one for both of its points
//! (`emit/nvptx/squares`).
//!
//! Consumes the instances of straight-line code in order; says which of their differences are there already.

use crate::body::{BinaryOp, Body, Op, UnaryOp};
use crate::kernel::ir::Place;
use std::collections::{HashMap, HashSet};

type Register = (u16, u32);

/// What has been made so far.
#[derive(Default)]
pub struct Differences {
    /// Names of the values that registers hold.
    names: HashMap<Register, u64>,
    next: u64,
    known: HashSet<(u64, u64)>,
}

impl Differences {
    /// The register gets a new value.
    pub fn forget(&mut self, register: Register) {
        self.next += 1;
        self.names.insert(register, self.next);
    }

    /// A register gets what another holds.
    pub fn copy(&mut self, to: &Place, from: &Place) {
        if let (Some(to), Some(from)) = (register(to), register(from)) {
            let name = self.name(from);
            self.names.insert(to, name);
        }
    }

    /// True if value `at` of an instance's body is such a difference of two registers, and there already; if it is not
    /// there, it is from now on.
    pub fn is_known(&mut self, body: &Body, at: usize, reads: &[Place]) -> bool {
        let Op::Binary(BinaryOp::FSub, a, b) = body.values[at].op else { return false };
        let loaded = |v: u16| match body.values[usize::from(v)].op {
            Op::Load(i) => reads.get(usize::from(i)).and_then(register),
            _ => None,
        };
        let (Some(a), Some(b)) = (loaded(a), loaded(b)) else { return false };
        if !loses_its_sign(body, at) {
            return false;
        }
        let (a, b) = (self.name(a), self.name(b));
        !self.known.insert((a.min(b), a.max(b)))
    }

    fn name(&mut self, register: Register) -> u64 {
        self.next += 1;
        *self.names.entry(register).or_insert(self.next)
    }
}

fn register(place: &Place) -> Option<Register> {
    match place {
        Place::Register { bank, index } => Some((*bank, *index)),
        _ => None,
    }
}

fn loses_its_sign(body: &Body, at: usize) -> bool {
    let users =
        || body.values.iter().filter(|v| v.op.operands().iter().any(|&o| usize::from(o) == at));
    users().next().is_some()
        && users().all(|v| match v.op {
            Op::Binary(BinaryOp::FMul, a, b) => a == b,
            Op::Fma(a, b, c) => a == b && usize::from(c) != at,
            Op::Unary(UnaryOp::Abs, _) => true,
            _ => false,
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{FpFlags, Ty, Value};
    use hexpass_abi::ElemType;

    fn body(last: Op) -> Body {
        let ops = [Op::Load(0), Op::Load(1), Op::Binary(BinaryOp::FSub, 0, 1), last];
        let value = |op| Value { op, ty: Ty::Elem(ElemType::F32), flags: FpFlags::default() };
        Body { values: ops.map(value).to_vec() }
    }

    #[test]
    fn a_difference_is_made_once_for_both_points() {
        let at = |index| Place::Register { bank: 0, index };
        let squared = body(Op::Binary(BinaryOp::FMul, 2, 2));
        let mut all = Differences::default();
        assert!(!all.is_known(&squared, 2, &[at(0), at(1)]));
        assert!(all.is_known(&squared, 2, &[at(1), at(0)]));
        all.copy(&at(5), &at(1));
        assert!(all.is_known(&squared, 2, &[at(0), at(5)]));
        all.forget((0, 1));
        assert!(!all.is_known(&squared, 2, &[at(0), at(1)]));
        // With its sign it is another.
        let signed = body(Op::Binary(BinaryOp::FMul, 2, 0));
        assert!(!all.is_known(&signed, 2, &[at(1), at(0)]));
        assert!(!all.is_known(&signed, 2, &[at(1), at(0)]));
        let added = body(Op::Fma(0, 0, 2));
        assert!(!all.is_known(&added, 2, &[at(1), at(0)]));
        assert!(!all.is_known(&added, 2, &[at(1), at(0)]));
    }
}
