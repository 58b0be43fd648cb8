//! Ways from a pointer to what a load reads: from the root, through tables of pointers that lead to others.
//!
//! Consumes a load of the time loop; produces its root and the bytes from there on, table by table, as scalar evolution
//! says them, and which of these move on with one counter. Refuses nothing of its own: what is no such way is none.

use super::context::{Context, Known, peel};
use crate::llvm::{Block, LoopRef, Opcode, ScevKind, ScevRef, Value};
use hexpass_poly::rejection::Rejection;
use std::collections::HashSet;

/// Tables of tables of tables are not followed.
pub(super) const MOST_LEVELS: usize = 2;

/// Where a chain of tables starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Root<'a> {
    Fixed(Known<'a>),
    /// Element of a rotation.
    Rotating {
        rotation: u16,
        index: u16,
    },
}

impl Root<'_> {
    pub(super) fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Root::Rotating { rotation: a, .. }, Root::Rotating { rotation: b, .. }) => a == b,
            _ => self == other,
        }
    }

    /// Which of the slots.
    pub(super) fn slot(&self) -> u16 {
        match self {
            Root::Fixed(_) => 0,
            Root::Rotating { index, .. } => *index,
        }
    }
}

/// A load, as the way to it: byte offsets from the root, then from what was loaded there.
pub(super) struct Chain<'a> {
    pub root: Root<'a>,
    pub offsets: Vec<ScevRef<'a>>,
}

/// Where tables of tables start: in a variable, or where a pointer to them lies that each step loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Start<'a> {
    Value(Value<'a>),
    At(ScevRef<'a>),
}

/// `start + step · counter`, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    pub start: i64,
    pub step: i64,
    pub counter: Option<LoopRef<'a>>,
}

impl<'a> Context<'a> {
    /// The pointer that a load starts from, and the bytes from there on.
    pub(super) fn way_to(&self, load: Value<'a>) -> Option<(Value<'a>, ScevRef<'a>)> {
        if load.opcode() != Some(Opcode::LLVMLoad) || load.effects().volatile {
            return None;
        }
        let address = self.a.scev(load.pointer()?)?;
        let base = self.a.pointer_base(address)?;
        Some((peel(base.value()?), self.a.minus(address, base)?))
    }

    /// The root and the bytes from there on of a load that no other load leads to.
    pub(super) fn way_through(
        &mut self,
        load: Value<'a>,
    ) -> Result<Option<(Root<'a>, ScevRef<'a>)>, Rejection> {
        let chain = self.chain(load, 1)?;
        Ok(chain.map(|chain| (chain.root, chain.offsets[0])))
    }

    /// The way from a root to what a load reads, through at most `levels` loads.
    pub(super) fn chain(
        &mut self,
        load: Value<'a>,
        levels: usize,
    ) -> Result<Option<Chain<'a>>, Rejection> {
        let address = load.pointer().and_then(|p| self.a.scev(p));
        let Some(address) = address.filter(|_| load.opcode() == Some(Opcode::LLVMLoad)) else {
            return Ok(None);
        };
        if load.effects().volatile || load.effects().atomic {
            return Ok(None);
        }
        let Some(base) = self.a.pointer_base(address) else { return Ok(None) };
        let (Some(value), Some(offset)) = (base.value().map(peel), self.a.minus(address, base))
        else {
            return Ok(None);
        };
        if let Some((rotation, index)) = self.element(value)? {
            if !self.rotations[usize::from(rotation)].turned.is_zero() {
                return Ok(None);
            }
            let root = Root::Rotating { rotation, index };
            return Ok(Some(Chain { root, offsets: vec![offset] }));
        }
        if self.is_outside(value) {
            let root = Root::Fixed(Known::Value(value));
            return Ok(Some(Chain { root, offsets: vec![offset] }));
        }
        if value.opcode() != Some(Opcode::LLVMLoad) {
            return Ok(None);
        }
        // `f[n][i]` is a row of `f[j][i]`.
        if levels > 1
            && self.is_entry_of_tables(value)
            && let Some(mut chain) = self.chain(value, 1)?
        {
            chain.offsets.push(offset);
            return Ok(Some(chain));
        }
        let fixed = value.pointer().map(|p| self.steady_address(p)).transpose()?.flatten();
        if fixed.is_some() {
            let root = Root::Fixed(self.invariant_load(value)?);
            return Ok(Some(Chain { root, offsets: vec![offset] }));
        }
        if levels < 2 {
            return Ok(None);
        }
        let Some(mut chain) = self.chain(value, levels - 1)? else { return Ok(None) };
        chain.offsets.push(offset);
        Ok(Some(chain))
    }

    /// It is loaded from the first of tables that the nest walks through one by one.
    fn is_entry_of_tables(&mut self, load: Value<'a>) -> bool {
        let Some(start) = self.way_to(load).and_then(|(of, _)| self.start(of)) else {
            return false;
        };
        if self.nested_starts.is_none() {
            let all = self.time.blocks().into_iter().flat_map(Block::instructions);
            let starts: HashSet<_> = all.filter_map(|load| self.nested_start(load)).collect();
            self.nested_starts = Some(starts);
        }
        self.nested_starts.as_ref().is_some_and(|starts| starts.contains(&start))
    }

    /// Where the tables of tables start through which a load walks.
    fn nested_start(&self, load: Value<'a>) -> Option<Start<'a>> {
        let (table, _) = self.way_to(load)?;
        let (of, bytes) = self.way_to(table)?;
        let moves = !self.is_outside(table) && !self.a.is_invariant(bytes, self.time);
        self.start(of).filter(|_| moves)
    }

    fn start(&self, v: Value<'a>) -> Option<Start<'a>> {
        match v.opcode() {
            Some(Opcode::LLVMLoad) if !self.is_outside(v) => {
                v.pointer().and_then(|p| self.a.scev(p)).map(Start::At)
            }
            _ => Some(Start::Value(v)),
        }
    }

    /// Bytes from a root on; numbers of directions are taken for what they are known to be.
    pub(super) fn line(&mut self, scev: ScevRef<'a>) -> Result<Option<Line<'a>>, Rejection> {
        let constant = |start| Line { start, step: 0, counter: None };
        Ok(match scev.kind() {
            ScevKind::Constant => scev.constant().map(constant),
            ScevKind::AddRec => {
                let operands = scev.operands();
                let [start, step] = operands.as_slice() else { return Ok(None) };
                let Some(start) = self.line(*start)?.filter(|l| l.counter.is_none()) else {
                    return Ok(None);
                };
                let counter = scev.add_rec_loop();
                step.constant().map(|step| Line { step, counter, ..start })
            }
            ScevKind::SignExtend | ScevKind::ZeroExtend => self.line(scev.operands()[0])?,
            ScevKind::Add => {
                let mut sum = constant(0);
                for operand in scev.operands() {
                    let Some(o) = self.line(operand)? else { return Ok(None) };
                    let start = sum.start.checked_add(o.start);
                    let (Some(start), Some(step)) = (start, sum.step.checked_add(o.step)) else {
                        return Ok(None);
                    };
                    if sum.counter.is_some() && o.counter.is_some() {
                        return Ok(None);
                    }
                    sum = Line { start, step, counter: sum.counter.or(o.counter) };
                }
                Some(sum)
            }
            ScevKind::Mul => {
                let operands = scev.operands();
                let [c, x] = operands.as_slice() else { return Ok(None) };
                let (Some(c), Some(x)) = (c.constant(), self.line(*x)?) else { return Ok(None) };
                let scaled = x.start.checked_mul(c).zip(x.step.checked_mul(c));
                scaled.map(|(start, step)| Line { start, step, ..x })
            }
            ScevKind::Unknown => match scev.value() {
                Some(v) if self.is_outside(v) => self.known_number(v)?.map(constant),
                _ => None,
            },
            _ => None,
        })
    }
}
