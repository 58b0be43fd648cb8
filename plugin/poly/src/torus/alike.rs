//! Statements that compute the same: whether they read at other places, or read what they make nothing of, is not asked.

use crate::body::{Op, ValueId};
use crate::stencil::Statement;
use hexpass_abi::Access;
use std::collections::HashMap;

/// For each read of `a` that it makes something of, the read that `b` makes the same of; `None` if they don't compute the same,
/// or store it elsewhere.
pub fn alike(a: &Statement, b: &Statement) -> Option<Vec<Option<u16>>> {
    let mut pair = Pair { a, b, reads: vec![None; a.reads.len()], known: HashMap::new() };
    let writes = a.writes.iter().zip(&b.writes);
    let same = a.writes.len() == b.writes.len()
        && writes.into_iter().all(|(x, y)| x.access == y.access && pair.same(x.value, y.value));
    same.then_some(pair.reads)
}

struct Pair<'a> {
    a: &'a Statement,
    b: &'a Statement,
    reads: Vec<Option<u16>>,
    /// Values of `a`, and those of `b` that they have been found to be.
    known: HashMap<ValueId, ValueId>,
}

impl Pair<'_> {
    fn same(&mut self, x: ValueId, y: ValueId) -> bool {
        if let Some(&known) = self.known.get(&x) {
            return known == y;
        }
        let value = |s: &Statement, v: ValueId| s.body.values.get(usize::from(v)).cloned();
        let (Some(p), Some(q)) = (value(self.a, x), value(self.b, y)) else { return false };
        let same = p.ty == q.ty
            && p.flags == q.flags
            && match (&p.op, &q.op) {
                (Op::Load(i), Op::Load(j)) => self.same_read(*i, *j),
                (f, g) => {
                    let (operands, others) = (f.operands(), g.operands());
                    // With the operands of the other one it is the other one.
                    let renamed: HashMap<ValueId, ValueId> =
                        operands.iter().copied().zip(others.iter().copied()).collect();
                    operands.len() == others.len()
                        && operands.iter().zip(&others).all(|(&x, &y)| self.same(x, y))
                        && f.renamed(|v| renamed.get(&v).copied()).as_ref() == Some(g)
                }
            };
        if same {
            self.known.insert(x, y);
        }
        same
    }

    fn same_read(&mut self, i: u16, j: u16) -> bool {
        let of = |s: &Statement, i: u16| -> Option<Access> { s.reads.get(usize::from(i)).cloned() };
        let (Some(x), Some(y)) = (of(self.a, i), of(self.b, j)) else { return false };
        let slot = &mut self.reads[usize::from(i)];
        let same = slot.is_none_or(|known| known == j);
        *slot = Some(j);
        same && x.array == y.array
            && x.rotation == y.rotation
            && x.subscripts.len() == y.subscripts.len()
    }
}
