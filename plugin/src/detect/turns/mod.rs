//! Values that come round again every few steps of the time loop: whose turn it is among several buffers.
//!
//! Consumes integers, conditions and pointers that are computed in the nest from the step alone (`cur = 1 - cur`, `!cur`,
//! `t % 2`, `(c + 1) % 3`); produces their [`Turns`], remainders of the step for subscripts ([`ints`], [`phis`]), and
//! rotations of the pointers that they choose (`g[cur]`, `t % 2 ? a : b`; [`places`]); and whether planes of one array are apart
//! in all turns ([`planes`]). Refuses nothing: what is not of this kind is `None`.

mod arithmetic;
mod ints;
mod phis;
mod places;
mod planes;

use hexpass_abi::Poly;

/// Steps after which a value must have come round.
const MOST_TURNS: usize = 8;
/// How far a value's operands are followed.
const DEEPEST: u32 = 8;
/// Phis that come round together.
const MOST_PHIS: usize = 4;

/// An integer that is `values[(t + turned) mod len]` in iteration t of the time loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Turns {
    /// One value if it never changes.
    pub values: Vec<i64>,
    /// Over `Int`.
    pub turned: Poly,
}

impl Turns {
    fn constant(value: i64) -> Turns {
        Turns { values: vec![value], turned: Poly::zero() }
    }

    fn at(&self, turn: usize) -> i64 {
        self.values[turn % self.values.len()]
    }

    /// Both, turn by turn, where they go round together.
    fn with(self, other: Turns, f: impl Fn(i64, i64) -> Option<i64>) -> Option<Turns> {
        let turned = match (self.values.len(), other.values.len()) {
            (_, 1) => self.turned.clone(),
            (1, _) => other.turned.clone(),
            _ if self.turned == other.turned => self.turned.clone(),
            _ => return None,
        };
        let (a, b) = (self.values.len(), other.values.len());
        let len = (1..=a * b).find(|n| n % a == 0 && n % b == 0)?;
        if len > MOST_TURNS {
            return None;
        }
        let values = (0..len).map(|i| f(self.at(i), other.at(i))).collect::<Option<_>>()?;
        Some(Turns { values, turned }.shortest())
    }

    /// Without repetitions.
    fn shortest(mut self) -> Turns {
        let len = self.values.len();
        let comes_round = |n: &usize| {
            len.is_multiple_of(*n) && (0..len).all(|i| self.values[i] == self.values[i % n])
        };
        let n = (1..=len).find(comes_round).unwrap_or(len);
        self.values.truncate(n);
        self
    }

    /// `(base, step, way, first)` such that turn i is `base + step · ((way · i + first) mod len)`, `way` being 1 or −1.
    fn as_remainder(&self) -> Option<(i64, i64, i64, i64)> {
        let m = self.values.len() as i64;
        let base = *self.values.iter().min()?;
        let at_base = self.values.iter().position(|&v| v == base)? as i64;
        let step = self.values.iter().filter(|&&v| v != base).min()? - base;
        let fits = |way: i64, first: i64| {
            (0..m).all(|i| self.values[i as usize] == base + step * (way * i + first).rem_euclid(m))
        };
        [1, -1].into_iter().find_map(|way| {
            let first = (-way * at_base).rem_euclid(m);
            fits(way, first).then_some((base, step, way, first))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::arithmetic::{compared, signed};
    use super::*;
    use hexpass_abi::Sym;
    use inkwell::llvm_sys::LLVMIntPredicate;

    fn turns(values: &[i64]) -> Turns {
        Turns { values: values.to_vec(), turned: Poly::zero() }
    }

    #[test]
    fn turns_are_remainders() {
        assert_eq!(turns(&[0, 1]).as_remainder(), Some((0, 1, 1, 0)));
        assert_eq!(turns(&[1, 0]).as_remainder(), Some((0, 1, 1, 1)));
        assert_eq!(turns(&[2, 1]).as_remainder(), Some((1, 1, 1, 1)));
        assert_eq!(turns(&[24, 0, 48]).as_remainder(), Some((0, 24, -1, 1)));
        assert_eq!(turns(&[1, 2, 0]).as_remainder(), Some((0, 1, 1, 1)));
        assert_eq!(turns(&[0, 1, 5]).as_remainder(), None);
        assert_eq!(turns(&[0, 2, 1, 3]).as_remainder(), None);
    }

    #[test]
    fn both_go_round_together() {
        let sum = |x: Turns, y: Turns| x.with(y, |x, y| Some(x + y));
        assert_eq!(turns(&[1, 2, 1, 2]).shortest(), turns(&[1, 2]));
        assert_eq!(sum(turns(&[0, 1]), Turns::constant(3)), Some(turns(&[3, 4])));
        assert_eq!(sum(turns(&[0, 1]), turns(&[1, 0])), Some(Turns::constant(1)));
        assert_eq!(sum(turns(&[0, 1]), turns(&[0, 10, 20])), Some(turns(&[0, 11, 20, 1, 10, 21])));
        let elsewhere = Turns { turned: Poly::symbol(Sym::Int(0)), ..turns(&[0, 1]) };
        assert_eq!(sum(turns(&[0, 1]), elsewhere), None);
        assert_eq!(sum(turns(&[0, 1, 2, 3, 4]), turns(&[0, 1])), None);
    }

    #[test]
    fn comparisons_and_widths() {
        use LLVMIntPredicate::{LLVMIntSLT, LLVMIntUGT};
        assert!(compared(LLVMIntUGT, -1, 1, 32) && compared(LLVMIntSLT, -1, 1, 32));
        assert!(compared(LLVMIntSLT, 1, 0, 1) && compared(LLVMIntUGT, 1, 0, 1));
        assert_eq!((signed(255, 8), signed(-1, 1), signed(3, 64)), (-1, 1, 3));
    }
}
