//! Conditions on a thread's points that are the same at every plane, as bits of integers that are computed once.
//!
//! Near the border each computed value stands under one of them: a test of a bit is one instruction, and the bits of all
//! points of a thread take one register.

use super::Builder;
use super::bounds::Interval;
use crate::kernel::ir::{Cond, IExpr, Node};

/// Bits of a word: words stay within what kernels for threads may compute with.
const BITS: usize = 24;

/// Bits by number.
#[derive(Clone, Debug)]
pub enum Mask {
    Words(Vec<IExpr>),
    /// All of them, under conditions.
    All(Vec<Cond>),
}

impl Mask {
    /// Of bits that are 0 or 1 each, bound before everything else.
    pub fn new(b: &mut Builder<'_>, bits: Vec<IExpr>) -> Mask {
        let word = |bits: &[IExpr]| {
            let each = bits.iter().enumerate().map(|(i, bit)| bit.clone().times(1 << i));
            each.reduce(IExpr::plus).unwrap_or(IExpr::Const(0))
        };
        let opaque = |bits: &[IExpr]| IExpr::Opaque(Box::new(word(bits)));
        Mask::Words(bits.chunks(BITS).map(|bits| b.bind(opaque(bits))).collect())
    }

    /// The same bits where `bit` is 1, else none; bound here.
    pub fn only(&self, b: &mut Builder<'_>, out: &mut Vec<Node>, bit: &IExpr) -> Mask {
        let mut only = |word: &IExpr| {
            let var = b.var();
            let value = word.clone().lesser(bit.clone().times(1 << BITS));
            out.push(Node::Let { var, value });
            IExpr::Var(var)
        };
        match self {
            Mask::Words(words) => Mask::Words(words.iter().map(&mut only).collect()),
            Mask::All(conds) => {
                let more = Cond::Le(IExpr::Const(1), bit.clone());
                Mask::All(conds.iter().cloned().chain([more]).collect())
            }
        }
    }

    /// The condition that a bit is set.
    pub fn has(&self, bit: i64) -> Cond {
        let (word, bit) = (bit as usize / BITS, bit as usize % BITS);
        match self {
            Mask::Words(words) => {
                Cond::Le(IExpr::Const(1 << bit), words[word].clone().modulo(2 << bit))
            }
            Mask::All(conds) => Cond::All(conds.clone()),
        }
    }
}

/// 1 where the value lies in the interval, else 0.
pub fn bit(value: &IExpr, (lo, hi): &Interval) -> IExpr {
    let depth = value.clone().minus(lo.clone()).lesser(hi.clone().minus(value.clone()));
    depth.plus(IExpr::Const(1)).greater(IExpr::Const(0)).lesser(IExpr::Const(1))
}
