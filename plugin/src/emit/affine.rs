//! Integer expressions of a kernel as sums over atoms, so that constants fold, tile origins cancel and ranges are known
//! before any instruction is written.
//!
//! An atom is a value that has an LLVM instruction (or is an argument): a thread index, a loop counter, a parameter, a
//! quotient, a smallest or largest. Everything here is independent of LLVM.

/// Index into the writer's table of atoms.
pub type AtomId = u32;

/// Inclusive range of a value. Wide enough arithmetic that it never overflows itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub lo: i128,
    pub hi: i128,
}

impl Range {
    /// What a guarded 64-bit quantity may be.
    pub const UNKNOWN: Range = Range { lo: i64::MIN as i128, hi: i64::MAX as i128 };

    /// From `lo` to `hi`.
    pub fn new(lo: i128, hi: i128) -> Range {
        Range { lo, hi }
    }

    /// True if every value is a signed 32-bit one.
    pub fn is_narrow(self) -> bool {
        self.lo >= i32::MIN as i128 && self.hi <= i32::MAX as i128
    }

    /// True if no value is negative.
    pub fn is_natural(self) -> bool {
        self.lo >= 0
    }

    fn scale(self, by: i64) -> Range {
        let (a, b) = (self.lo.saturating_mul(by as i128), self.hi.saturating_mul(by as i128));
        Range { lo: a.min(b), hi: a.max(b) }
    }
}

/// Σ coefficient · atom + constant; terms sorted by atom, no zero coefficient.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Affine {
    pub terms: Vec<(AtomId, i64)>,
    pub constant: i64,
}

impl Affine {
    /// A constant.
    pub fn constant(c: i64) -> Affine {
        Affine { terms: Vec::new(), constant: c }
    }

    /// One atom.
    pub fn atom(a: AtomId) -> Affine {
        Affine { terms: vec![(a, 1)], constant: 0 }
    }

    /// The value if there is no atom.
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The atom if it stands alone.
    pub fn as_atom(&self) -> Option<AtomId> {
        match self.terms.as_slice() {
            [(a, 1)] if self.constant == 0 => Some(*a),
            _ => None,
        }
    }

    /// `self + factor · other`; `None` if a coefficient leaves 64 bits.
    pub fn add_scaled(&self, other: &Affine, factor: i64) -> Option<Affine> {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut a, mut b) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let next = match (a.peek(), b.peek()) {
                (None, None) => break,
                (Some(&&(x, c)), Some(&&(y, d))) if x == y => {
                    a.next();
                    b.next();
                    (x, c.checked_add(d.checked_mul(factor)?)?)
                }
                (Some(&&(x, c)), Some(&&(y, _))) if x < y => {
                    a.next();
                    (x, c)
                }
                (Some(&&(x, c)), None) => {
                    a.next();
                    (x, c)
                }
                (_, Some(&&(y, d))) => {
                    b.next();
                    (y, d.checked_mul(factor)?)
                }
            };
            if next.1 != 0 {
                terms.push(next);
            }
        }
        let constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        Some(Affine { terms, constant })
    }

    /// `self + c`.
    pub fn offset(&self, c: i64) -> Option<Affine> {
        Some(Affine { terms: self.terms.clone(), constant: self.constant.checked_add(c)? })
    }

    /// `self · c`.
    pub fn scale(&self, c: i64) -> Option<Affine> {
        Affine::default().add_scaled(self, c)
    }

    /// `self = c · quotient + rest`, where every coefficient of `rest` is in `0..c` or, for an atom whose coefficient is
    /// no multiple of `c`, as it was.
    pub fn split_multiples(&self, c: i64) -> (Affine, Affine) {
        let (mut quotient, mut rest) = (Affine::default(), Affine::default());
        for &(atom, k) in &self.terms {
            if k % c == 0 {
                quotient.terms.push((atom, k / c));
            } else {
                rest.terms.push((atom, k));
            }
        }
        quotient.constant = self.constant.div_euclid(c);
        rest.constant = self.constant.rem_euclid(c);
        (quotient, rest)
    }

    /// Interval arithmetic over the atoms' ranges.
    pub fn range(&self, of: &dyn Fn(AtomId) -> Range) -> Range {
        let mut sum = Range::new(self.constant as i128, self.constant as i128);
        for &(atom, k) in &self.terms {
            let r = of(atom).scale(k);
            sum = Range::new(sum.lo.saturating_add(r.lo), sum.hi.saturating_add(r.hi));
        }
        sum
    }

    /// True if the sum fits 32 bits however it is bracketed.
    pub fn fits_narrow(&self, of: &dyn Fn(AtomId) -> Range) -> bool {
        let mut magnitude = (self.constant as i128).abs();
        for &(atom, k) in &self.terms {
            let r = of(atom).scale(k);
            magnitude = magnitude.saturating_add(r.lo.abs().max(r.hi.abs()));
        }
        magnitude <= i32::MAX as i128
    }
}
