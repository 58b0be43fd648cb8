//! Constructors of [`IExpr`] that fold constants, and substitution of variables.

use super::ir::IExpr;

impl IExpr {
    /// The value if it is a constant.
    pub fn as_const(&self) -> Option<i64> {
        match self {
            IExpr::Const(c) => Some(*c),
            _ => None,
        }
    }

    /// a + b
    pub fn plus(self, o: IExpr) -> IExpr {
        match (self, o) {
            (IExpr::Const(a), IExpr::Const(b)) => IExpr::Const(a.wrapping_add(b)),
            (IExpr::Const(0), e) | (e, IExpr::Const(0)) => e,
            (IExpr::Const(a), e) => e.plus(IExpr::Const(a)),
            (IExpr::Add(e, inner), IExpr::Const(b)) => match *inner {
                IExpr::Const(a) => e.plus(IExpr::Const(a.wrapping_add(b))),
                inner => {
                    IExpr::Add(Box::new(IExpr::Add(e, Box::new(inner))), Box::new(IExpr::Const(b)))
                }
            },
            (a, IExpr::Add(e, inner)) if matches!(*inner, IExpr::Const(_)) => {
                a.plus(*e).plus(*inner)
            }
            (IExpr::Add(e, inner), b) if matches!(*inner, IExpr::Const(_)) => {
                e.plus(b).plus(*inner)
            }
            (a, b) => IExpr::Add(Box::new(a), Box::new(b)),
        }
    }

    /// a − b
    pub fn minus(self, o: IExpr) -> IExpr {
        match (self, o) {
            (a, IExpr::Const(b)) => a.plus(IExpr::Const(b.wrapping_neg())),
            (a, b) if a == b => IExpr::Const(0),
            (IExpr::Const(a), IExpr::Sub(b, c)) => c.plus(IExpr::Const(a)).minus(*b),
            (a, IExpr::Add(e, inner)) if matches!(*inner, IExpr::Const(_)) => match *inner {
                IExpr::Const(c) => a.minus(*e).plus(IExpr::Const(c.wrapping_neg())),
                inner => a.minus(IExpr::Add(e, Box::new(inner))),
            },
            (IExpr::Add(e, inner), b) if matches!(*inner, IExpr::Const(_)) => {
                e.minus(b).plus(*inner)
            }
            (a, b) => IExpr::Sub(Box::new(a), Box::new(b)),
        }
    }

    /// a · c
    pub fn times(self, c: i64) -> IExpr {
        match (self, c) {
            (_, 0) => IExpr::Const(0),
            (e, 1) => e,
            (IExpr::Const(a), c) => IExpr::Const(a.wrapping_mul(c)),
            (e, c) => IExpr::Mul(Box::new(e), Box::new(IExpr::Const(c))),
        }
    }

    /// a · b
    pub fn product(self, o: IExpr) -> IExpr {
        match (self, o) {
            (a, IExpr::Const(c)) | (IExpr::Const(c), a) => a.times(c),
            (a, b) => IExpr::Mul(Box::new(a), Box::new(b)),
        }
    }

    /// ⌊a / c⌋, c > 0
    pub fn floor_div(self, c: i64) -> IExpr {
        match (self, c) {
            (e, 1) => e,
            (IExpr::Const(a), c) => IExpr::Const(a.div_euclid(c)),
            (e, c) => IExpr::FloorDiv(Box::new(e), c),
        }
    }

    /// a mod c, c > 0
    pub fn modulo(self, c: i64) -> IExpr {
        match (self, c) {
            (_, 1) => IExpr::Const(0),
            (IExpr::Const(a), c) => IExpr::Const(a.rem_euclid(c)),
            (e, c) => IExpr::Mod(Box::new(e), c),
        }
    }

    /// Smaller of two.
    pub fn lesser(self, o: IExpr) -> IExpr {
        match (self, o) {
            (IExpr::Const(a), IExpr::Const(b)) => IExpr::Const(a.min(b)),
            (a, b) if a == b => a,
            (a, b) => IExpr::Min(Box::new(a), Box::new(b)),
        }
    }

    /// Larger of two.
    pub fn greater(self, o: IExpr) -> IExpr {
        match (self, o) {
            (IExpr::Const(a), IExpr::Const(b)) => IExpr::Const(a.max(b)),
            (a, b) if a == b => a,
            (a, b) => IExpr::Max(Box::new(a), Box::new(b)),
        }
    }

    /// A coordinate of a dimension that goes round from `lo` to `hi`, taken to lie there: of one that lies at most once round
    /// beyond its ends.
    pub fn wrapped(self, (lo, hi): (IExpr, IExpr)) -> IExpr {
        let points = hi.clone().minus(lo.clone()).plus(IExpr::Const(1));
        let is_positive = |e: IExpr| e.greater(IExpr::Const(0)).lesser(IExpr::Const(1));
        let (below, above) =
            (is_positive(lo.minus(self.clone())), is_positive(self.clone().minus(hi)));
        self.plus(below.minus(above).product(points))
    }

    /// The expression with each leaf `e` for which `of(e)` is `Some` replaced by that, folded again.
    pub fn map_leaves(&self, of: &dyn Fn(&IExpr) -> Option<IExpr>) -> IExpr {
        let both = |a: &IExpr, b: &IExpr| (a.map_leaves(of), b.map_leaves(of));
        match self {
            IExpr::Const(_)
            | IExpr::Var(_)
            | IExpr::Param(_)
            | IExpr::Block(_)
            | IExpr::Thread(_) => of(self).unwrap_or_else(|| self.clone()),
            IExpr::Add(a, b) => {
                let (a, b) = both(a, b);
                a.plus(b)
            }
            IExpr::Sub(a, b) => {
                let (a, b) = both(a, b);
                a.minus(b)
            }
            IExpr::Mul(a, b) => {
                let (a, b) = both(a, b);
                a.product(b)
            }
            IExpr::FloorDiv(a, c) => a.map_leaves(of).floor_div(*c),
            IExpr::Mod(a, c) => a.map_leaves(of).modulo(*c),
            IExpr::Min(a, b) => {
                let (a, b) = both(a, b);
                a.lesser(b)
            }
            IExpr::Max(a, b) => {
                let (a, b) = both(a, b);
                a.greater(b)
            }
            IExpr::Opaque(a) => IExpr::Opaque(Box::new(a.map_leaves(of))),
        }
    }

    /// The expression with variable `var` replaced.
    pub fn substitute(&self, var: u16, by: &IExpr) -> IExpr {
        self.map_leaves(&|leaf| (*leaf == IExpr::Var(var)).then(|| by.clone()))
    }

    /// The value, with leaves from `leaf`; `None` if a leaf has none.
    pub fn eval(&self, leaf: &dyn Fn(&IExpr) -> Option<i64>) -> Option<i64> {
        let of = |e: &IExpr| e.eval(leaf);
        Some(match self {
            IExpr::Const(c) => *c,
            IExpr::Var(_) | IExpr::Param(_) | IExpr::Block(_) | IExpr::Thread(_) => leaf(self)?,
            IExpr::Add(a, b) => of(a)?.wrapping_add(of(b)?),
            IExpr::Sub(a, b) => of(a)?.wrapping_sub(of(b)?),
            IExpr::Mul(a, b) => of(a)?.wrapping_mul(of(b)?),
            IExpr::FloorDiv(a, c) => of(a)?.div_euclid(*c),
            IExpr::Mod(a, c) => of(a)?.rem_euclid(*c),
            IExpr::Min(a, b) => of(a)?.min(of(b)?),
            IExpr::Max(a, b) => of(a)?.max(of(b)?),
            IExpr::Opaque(a) => of(a)?,
        })
    }

    /// The value at a level, for expressions over [`crate::schedule::LEVEL`] only.
    pub fn at_level(&self, level: i64) -> Option<i64> {
        self.eval(&|leaf| (*leaf == IExpr::Var(crate::schedule::LEVEL)).then_some(level))
    }
}
