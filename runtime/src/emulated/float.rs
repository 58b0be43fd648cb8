//! Floating point as the device computes it, where that is not what Rust's operators promise:
//! which NaN comes out, signed zeros of minimum and maximum, denormals flushed, approximations.
//!
//! Single precision has one NaN, [`NAN32`]. Double precision hands on a NaN operand, made quiet
//! (the second one's before the third's before the first's), and starts new ones as [`NAN64`]. (All of it was compared with an H200, bit for bit.) Every `.approx` and `.full` result is the correctly
//! rounded one here (for `ex2`, `lg2`, `sin`, `cos` and `tanh`: the double-precision function
//! rounded to single), which lies within the error that PTX allows but is not the device's bit
//! pattern; kernels that must agree bit for bit use the `.rn` forms.

/// The NaN of every single-precision result.
pub const NAN32: u32 = 0x7fff_ffff;
/// The NaN of an invalid double-precision operation.
pub const NAN64: u64 = 0xfff8_0000_0000_0000;

/// A single-precision result with its NaN made canonical.
#[inline(always)]
pub fn one(result: f32) -> u32 {
    if result.is_nan() { NAN32 } else { result.to_bits() }
}

#[inline(always)]
fn quiet(nan: f64) -> u64 {
    nan.to_bits() | (1 << 51)
}

/// A double-precision result of one operand.
#[inline(always)]
pub fn from1(a: f64, result: f64) -> u64 {
    let nan = if a.is_nan() { quiet(a) } else { NAN64 };
    if result.is_nan() { nan } else { result.to_bits() }
}

/// A double-precision result of two operands.
#[inline(always)]
pub fn from2(a: f64, b: f64, result: f64) -> u64 {
    let nan = if a.is_nan() { quiet(a) } else { NAN64 };
    let nan = if b.is_nan() { quiet(b) } else { nan };
    if result.is_nan() { nan } else { result.to_bits() }
}

/// A double-precision result of three operands.
#[inline(always)]
pub fn from3(a: f64, b: f64, c: f64, result: f64) -> u64 {
    let nan = if a.is_nan() { quiet(a) } else { NAN64 };
    let nan = if c.is_nan() { quiet(c) } else { nan };
    let nan = if b.is_nan() { quiet(b) } else { nan };
    if result.is_nan() { nan } else { result.to_bits() }
}

/// `a` as single precision, where `result` is its rounded value: a NaN keeps its sign and the upper
/// part of its payload.
#[inline(always)]
pub fn narrowed(a: f64, result: f32) -> u32 {
    let bits = a.to_bits();
    let nan = ((bits >> 32) as u32 & 0x8000_0000) | 0x7fc0_0000 | (bits >> 29) as u32 & 0x3f_ffff;
    if result.is_nan() { nan } else { result.to_bits() }
}

/// Total order of the bits of two numbers: −0 below +0. NaNs are the caller's.
#[inline(always)]
fn key32(a: f32) -> i32 {
    let bits = a.to_bits() as i32;
    bits ^ (((bits >> 31) as u32) >> 1) as i32
}

#[inline(always)]
fn key64(a: f64) -> i64 {
    let bits = a.to_bits() as i64;
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

/// The smaller or larger of two numbers; a NaN gives way to a number, unless `nan` says that it wins.
#[inline(always)]
fn extreme32(a: f32, b: f32, larger: bool, nan: bool) -> u32 {
    let pick_a = (key32(a) > key32(b)) == larger;
    let both = if pick_a { a } else { b };
    let kept = if a.is_nan() { b } else { a };
    let ordered = if a.is_nan() || b.is_nan() { kept } else { both };
    if nan && (a.is_nan() || b.is_nan()) { NAN32 } else { one(ordered) }
}

#[inline(always)]
fn extreme64(a: f64, b: f64, larger: bool) -> u64 {
    let pick_a = (key64(a) > key64(b)) == larger;
    let both = if pick_a { a } else { b };
    let kept = if a.is_nan() { b } else { a };
    let ordered = if a.is_nan() || b.is_nan() { kept } else { both };
    from2(a, b, ordered)
}

#[inline(always)]
pub fn min32(a: f32, b: f32) -> u32 {
    extreme32(a, b, false, false)
}

#[inline(always)]
pub fn max32(a: f32, b: f32) -> u32 {
    extreme32(a, b, true, false)
}

#[inline(always)]
pub fn min_nan32(a: f32, b: f32) -> u32 {
    extreme32(a, b, false, true)
}

#[inline(always)]
pub fn max_nan32(a: f32, b: f32) -> u32 {
    extreme32(a, b, true, true)
}

#[inline(always)]
pub fn min64(a: f64, b: f64) -> u64 {
    extreme64(a, b, false)
}

#[inline(always)]
pub fn max64(a: f64, b: f64) -> u64 {
    extreme64(a, b, true)
}

/// A denormal becomes a zero of its sign.
#[inline(always)]
pub fn flush32(a: f32) -> f32 {
    let bits = a.to_bits();
    f32::from_bits(if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits })
}

/// The double-precision counterpart, for the `.ftz.f64` approximations.
#[inline(always)]
pub fn flush64(a: f64) -> f64 {
    let bits = a.to_bits();
    f64::from_bits(if bits & (0x7ff << 52) == 0 { bits & (1 << 63) } else { bits })
}

/// `.sat`: into [+0, 1], NaN to +0.
#[inline(always)]
pub fn saturate32(a: f32) -> u32 {
    let low = if a > 0.0 { a } else { 0.0 };
    (if low < 1.0 { low } else { 1.0 }).to_bits()
}

#[inline(always)]
pub fn saturate64(a: f64) -> u64 {
    let low = if a > 0.0 { a } else { 0.0 };
    (if low < 1.0 { low } else { 1.0 }).to_bits()
}

/// 1/√a, rounded from double precision.
#[inline(always)]
pub fn rsqrt32(a: f32) -> u32 {
    one((1.0 / f64::from(a).sqrt()) as f32)
}

#[inline(never)]
pub fn exp2(a: f32) -> u32 {
    one(f64::from(a).exp2() as f32)
}

#[inline(never)]
pub fn log2(a: f32) -> u32 {
    one(f64::from(a).log2() as f32)
}

#[inline(never)]
pub fn sin(a: f32) -> u32 {
    one(f64::from(a).sin() as f32)
}

#[inline(never)]
pub fn cos(a: f32) -> u32 {
    one(f64::from(a).cos() as f32)
}

#[inline(never)]
pub fn tanh(a: f32) -> u32 {
    one(f64::from(a).tanh() as f32)
}
