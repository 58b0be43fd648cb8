//! The launch plan: what the host does for one nest, as a small program over run-time sizes.

use alloc::{boxed::Box, vec::Vec};
use serde::{Deserialize, Serialize};

/// Integer expression of a plan. Division and remainder are floored, divisors positive constants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PlanExpr {
    /// A constant.
    Const(i64),
    /// Number of iterations of the time loop (positive when a plan runs).
    Steps,
    /// Smallest coordinate along a space dimension over all non-empty statements.
    SpaceLo(u8),
    /// Largest coordinate (inclusive).
    SpaceHi(u8),
    /// Variable of an enclosing [`PlanOp::Loop`].
    Var(u8),
    /// Sum.
    Add(Box<PlanExpr>, Box<PlanExpr>),
    /// Product with a constant.
    Mul(Box<PlanExpr>, i64),
    /// ⌊a / c⌋, c > 0.
    FloorDiv(Box<PlanExpr>, i64),
    /// Largest.
    Max(Box<PlanExpr>, Box<PlanExpr>),
    /// Smallest.
    Min(Box<PlanExpr>, Box<PlanExpr>),
    /// `then` if the first is not negative, else the last.
    Pick(Box<PlanExpr>, Box<PlanExpr>, Box<PlanExpr>),
    /// Value of `Variant::tunables[i]`, chosen when the plan runs; positive.
    Tunable(u8),
    /// ⌊a / b⌋ with a divisor that is known when the plan runs; positive.
    Quotient(Box<PlanExpr>, Box<PlanExpr>),
    /// Product.
    Product(Box<PlanExpr>, Box<PlanExpr>),
}

/// Run-time values a plan speaks of.
pub trait PlanValues {
    /// [`PlanExpr::Steps`].
    fn steps(&self) -> i64;
    /// [`PlanExpr::SpaceLo`] and [`PlanExpr::SpaceHi`] of a dimension.
    fn space(&self, dim: u8) -> (i64, i64);
    /// [`PlanExpr::Tunable`].
    fn tunable(&self, index: u8) -> i64;
}

impl PlanExpr {
    /// The value; arithmetic wraps (a guard has bounded all inputs before a plan runs).
    pub fn eval(&self, values: &dyn PlanValues, vars: &[i64]) -> i64 {
        let e = |x: &PlanExpr| x.eval(values, vars);
        match self {
            PlanExpr::Const(c) => *c,
            PlanExpr::Steps => values.steps(),
            PlanExpr::SpaceLo(d) => values.space(*d).0,
            PlanExpr::SpaceHi(d) => values.space(*d).1,
            PlanExpr::Var(v) => vars[usize::from(*v)],
            PlanExpr::Add(a, b) => e(a).wrapping_add(e(b)),
            PlanExpr::Mul(a, c) => e(a).wrapping_mul(*c),
            PlanExpr::FloorDiv(a, c) => e(a).div_euclid(*c),
            PlanExpr::Max(a, b) => e(a).max(e(b)),
            PlanExpr::Min(a, b) => e(a).min(e(b)),
            PlanExpr::Pick(c, a, b) => e(if e(c) >= 0 { a } else { b }),
            PlanExpr::Tunable(i) => values.tunable(*i),
            PlanExpr::Quotient(a, b) => e(a).div_euclid(e(b).max(1)),
            PlanExpr::Product(a, b) => e(a).wrapping_mul(e(b)),
        }
    }
}

impl PlanExpr {
    /// True if the value depends on [`PlanExpr::Var`]`(var)`.
    pub fn mentions(&self, var: u8) -> bool {
        let m = |x: &PlanExpr| x.mentions(var);
        match self {
            PlanExpr::Var(v) => *v == var,
            PlanExpr::Const(_)
            | PlanExpr::Steps
            | PlanExpr::SpaceLo(_)
            | PlanExpr::SpaceHi(_)
            | PlanExpr::Tunable(_) => false,
            PlanExpr::Mul(a, _) | PlanExpr::FloorDiv(a, _) => m(a),
            PlanExpr::Add(a, b)
            | PlanExpr::Max(a, b)
            | PlanExpr::Min(a, b)
            | PlanExpr::Quotient(a, b)
            | PlanExpr::Product(a, b) => m(a) || m(b),
            PlanExpr::Pick(c, a, b) => m(c) || m(a) || m(b),
        }
    }
}

impl core::ops::Add for PlanExpr {
    type Output = PlanExpr;
    fn add(self, o: PlanExpr) -> PlanExpr {
        PlanExpr::Add(Box::new(self), Box::new(o))
    }
}

impl core::ops::Mul<i64> for PlanExpr {
    type Output = PlanExpr;
    fn mul(self, c: i64) -> PlanExpr {
        PlanExpr::Mul(Box::new(self), c)
    }
}

/// `blocks` along x, one along y and z.
pub fn in_a_row(blocks: PlanExpr) -> [PlanExpr; 3] {
    [blocks, PlanExpr::Const(1), PlanExpr::Const(1)]
}

/// One operation of a plan; a list runs in order, each launch seeing all effects of the ones before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PlanOp {
    /// `body` for each value of [`PlanExpr::Var`]`(var)` from `lo` to `hi`, both included.
    Loop { var: u8, lo: PlanExpr, hi: PlanExpr, body: Vec<PlanOp> },
    /// One launch of `blocks` independent blocks (none if not positive).
    Launch {
        /// Index into [`crate::Variant::kernels`].
        kernel: u16,
        /// Number of blocks along the grid's axes (none if one of them is not positive); 1 along y and z on the
        /// host.
        blocks: [PlanExpr; 3],
        /// Time step (iteration of the time loop) at which slot rotation 0 is taken; may be negative.
        time: PlanExpr,
        /// Values of [`crate::KernelParam::Launch`].
        args: Vec<PlanExpr>,
    },
}

/// The plan of one variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchPlan {
    /// In order.
    pub ops: Vec<PlanOp>,
    /// Number of loop variables used.
    pub vars: u8,
}
