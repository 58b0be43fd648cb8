//! `cvt` between any two types, one lane at a time. The frequent forms are operations of
//! [`alu`](super::alu); this is the whole rule, rounding and saturation included.

use super::float;
use super::syntax::Ty;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    Nearest,
    Zero,
    Down,
    Up,
}

/// One `cvt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conversion {
    pub to: Ty,
    pub from: Ty,
    pub round: Option<Round>,
    /// Rounds to an integer, in a floating-point result too.
    pub integral: bool,
    pub flush: bool,
    pub saturate: bool,
    /// Bytes of the registers, at least those of the types.
    pub to_register: u8,
    pub from_register: u8,
}

impl Conversion {
    /// The result's bits, extended to the register; `bits` may hold more than the source's type.
    pub fn apply(self, bits: u64) -> u64 {
        match (self.from.float(), self.to.float()) {
            (false, false) => self.finish(self.clamp(integer(bits, self.from))),
            (false, true) => self.integer_to_float(integer(bits, self.from)),
            (true, false) => self.float_to_integer(bits),
            (true, true) => self.float_to_float(bits),
        }
    }

    /// Truncates to the type and extends to the register.
    fn finish(self, value: i128) -> u64 {
        integer(value as u64, self.to) as u64
    }

    fn clamp(self, value: i128) -> i128 {
        if !self.saturate {
            return value;
        }
        let (low, high) = range(self.to);
        value.clamp(low, high)
    }

    fn integer_to_float(self, value: i128) -> u64 {
        let bits = if self.to == Ty::F32 {
            let nearest = value as f32;
            let error = (nearest as i128).cmp(&value);
            directed(nearest, error, self.round, f32::next_up, f32::next_down).to_bits().into()
        } else {
            let nearest = value as f64;
            let error = (nearest as i128).cmp(&value);
            directed(nearest, error, self.round, f64::next_up, f64::next_down).to_bits()
        };
        self.saturated(bits)
    }

    fn float_to_integer(self, bits: u64) -> u64 {
        let value = self.widened(bits);
        if value.is_nan() {
            let wide = self.from == Ty::F64 || self.to.bytes() == 8;
            let top = 1i128 << (8 * self.to.bytes() - 1);
            return if wide { self.finish(top) } else { 0 };
        }
        let (low, high) = range(self.to);
        self.finish((integral(value, self.round) as i128).clamp(low, high))
    }

    fn float_to_float(self, bits: u64) -> u64 {
        let same = self.from == self.to;
        if same && !self.integral {
            return self.saturated(self.flushed(bits));
        }
        let value = self.widened(bits);
        let value = if self.integral { integral(value, self.round) } else { value };
        if self.to == Ty::F64 {
            return self.saturated(float::from1(value, value));
        }
        let nearest = value as f32;
        let error = f64::from(nearest).partial_cmp(&value).unwrap_or(std::cmp::Ordering::Equal);
        let round = if self.integral { Some(Round::Nearest) } else { self.round };
        let result = directed(nearest, error, round, f32::next_up, f32::next_down);
        let bits = if same { float::one(result) } else { float::narrowed(value, result) };
        self.saturated(self.flushed(bits.into()))
    }

    /// The source as a double, which holds every single exactly.
    fn widened(self, bits: u64) -> f64 {
        match self.from {
            Ty::F32 if self.flush => {
                f32::from_bits(float::one(float::flush32(f32::from_bits(bits as u32)))).into()
            }
            Ty::F32 => f32::from_bits(bits as u32).into(),
            _ => f64::from_bits(bits),
        }
    }

    fn flushed(self, bits: u64) -> u64 {
        if self.flush && self.to == Ty::F32 {
            return float::flush32(f32::from_bits(bits as u32)).to_bits().into();
        }
        bits
    }

    fn saturated(self, bits: u64) -> u64 {
        match (self.saturate, self.to) {
            (false, _) => bits,
            (true, Ty::F32) => float::saturate32(f32::from_bits(bits as u32)).into(),
            (true, _) => float::saturate64(f64::from_bits(bits)),
        }
    }
}

/// The low bits of a register as the value of type `ty`.
fn integer(bits: u64, ty: Ty) -> i128 {
    let spare = 64 - 8 * ty.bytes();
    let top = bits << spare;
    if ty.signed() { ((top as i64) >> spare).into() } else { (top >> spare).into() }
}

fn range(ty: Ty) -> (i128, i128) {
    let bits = 8 * ty.bytes();
    if ty.signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

fn integral(value: f64, round: Option<Round>) -> f64 {
    match round {
        Some(Round::Zero) => value.trunc(),
        Some(Round::Down) => value.floor(),
        Some(Round::Up) => value.ceil(),
        Some(Round::Nearest) | None => value.round_ties_even(),
    }
}

/// Moves the nearest result by one step where it lies on the wrong side of the exact value;
/// `error` says on which side it lies.
fn directed<T: Copy + PartialOrd + Default>(
    nearest: T,
    error: std::cmp::Ordering,
    round: Option<Round>,
    up: fn(T) -> T,
    down: fn(T) -> T,
) -> T {
    let (negative, positive) = (nearest < T::default(), nearest > T::default());
    match round {
        Some(Round::Down) if error.is_gt() => down(nearest),
        Some(Round::Up) if error.is_lt() => up(nearest),
        Some(Round::Zero) if negative && error.is_lt() => up(nearest),
        Some(Round::Zero) if positive && error.is_gt() => down(nearest),
        _ => nearest,
    }
}
