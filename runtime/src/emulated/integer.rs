//! Integer operations that Rust spells differently: shifts past the width, division by zero, bit
//! fields, byte permutation. Each is a plain function of one lane.

macro_rules! per_width {
    ($module:ident, $u:ty, $s:ty, $wide:ty, $wide_s:ty) => {
        pub mod $module {
            //! One register width.
            const BITS: u32 = <$u>::BITS;

            #[inline(always)]
            pub fn shl(a: $u, by: u32) -> $u {
                if by < BITS { a << by } else { 0 }
            }

            #[inline(always)]
            pub fn shr(a: $u, by: u32) -> $u {
                if by < BITS { a >> by } else { 0 }
            }

            #[inline(always)]
            pub fn sar(a: $s, by: u32) -> $s {
                a >> (if by < BITS { by } else { BITS - 1 })
            }

            /// Division by zero gives all ones, quotient and remainder, as on the device.
            #[inline(always)]
            pub fn div(a: $u, b: $u) -> $u {
                if b == 0 { <$u>::MAX } else { a / b }
            }

            #[inline(always)]
            pub fn rem(a: $u, b: $u) -> $u {
                if b == 0 { <$u>::MAX } else { a % b }
            }

            #[inline(always)]
            pub fn div_signed(a: $s, b: $s) -> $s {
                if b == 0 { -1 } else { a.wrapping_div(b) }
            }

            #[inline(always)]
            pub fn rem_signed(a: $s, b: $s) -> $s {
                if b == 0 { -1 } else { a.wrapping_rem(b) }
            }

            #[inline(always)]
            pub fn mul_hi(a: $u, b: $u) -> $u {
                ((<$wide>::from(a) * <$wide>::from(b)) >> BITS) as $u
            }

            #[inline(always)]
            pub fn mul_hi_signed(a: $s, b: $s) -> $s {
                ((<$wide_s>::from(a) * <$wide_s>::from(b)) >> BITS) as $s
            }
        }
    };
}

per_width!(w16, u16, i16, u32, i32);
per_width!(w32, u32, i32, u64, i64);
per_width!(w64, u64, i64, u128, i128);

/// `bfe`: `length` bits of `a` from `start`, extended by zeros or by the field's top bit, which is
/// the value's own where the field reaches past it.
#[inline(always)]
pub fn extract(a: u64, start: u32, length: u32, bits: u32, signed: bool) -> u64 {
    // PTX defines both up to 255; past that the device's 32-bit form takes their low bytes.
    let (start, length) = if bits == 32 { (start & 0xff, length & 0xff) } else { (start, length) };
    if length == 0 {
        return 0;
    }
    let top = start.saturating_add(length - 1).min(bits - 1);
    let sign = signed && (a >> top) & 1 == 1;
    let shifted = if start < bits { a >> start } else { 0 };
    let kept = length.min(bits.saturating_sub(start));
    let mask = if kept >= 64 { u64::MAX } else { (1 << kept) - 1 };
    let field = shifted & mask;
    if sign { field | !mask } else { field }
}

/// `bfi`: the low bits of `a` put into `b`; `place` is the start in its low byte, then the length.
#[inline(always)]
pub fn insert(a: u64, b: u64, place: u32, bits: u32) -> u64 {
    let (start, length) = (place & 0xff, (place >> 8) & 0xff);
    if start >= bits {
        return b;
    }
    let mask = if length >= 64 { u64::MAX } else { (1u64 << length) - 1 };
    (b & !(mask << start)) | ((a & mask) << start)
}

/// `prmt` in its default mode.
#[inline(always)]
pub fn permute(a: u32, b: u32, selector: u32) -> u32 {
    let bytes = (u64::from(b) << 32) | u64::from(a);
    let mut result = 0;
    for lane in 0..4 {
        let select = selector >> (4 * lane);
        let byte = (bytes >> (8 * (select & 7))) as u8;
        let spread = ((byte as i8) >> 7) as u8;
        let chosen = if select & 8 == 0 { byte } else { spread };
        result |= u32::from(chosen) << (8 * lane);
    }
    result
}

/// `shf.l`: the upper half of `b:a` shifted left; past 32 it wraps or clamps.
#[inline(always)]
pub fn funnel_left(a: u32, b: u32, by: u32, wrap: bool) -> u32 {
    let by = if wrap { by & 31 } else { by.min(32) };
    let both = (u64::from(b) << 32) | u64::from(a);
    ((both << by) >> 32) as u32
}

/// `shf.r`: the lower half of `b:a` shifted right.
#[inline(always)]
pub fn funnel_right(a: u32, b: u32, by: u32, wrap: bool) -> u32 {
    let by = if wrap { by & 31 } else { by.min(32) };
    let both = (u64::from(b) << 32) | u64::from(a);
    (both >> by) as u32
}

/// `bfind`: the highest set bit (of a negative number: the highest clear one), or all ones.
#[inline(always)]
pub fn find(a: u64, bits: u32, signed: bool) -> u32 {
    let negative = signed && (a >> (bits - 1)) & 1 == 1;
    let wanted = if negative { !a } else { a };
    let wanted = if bits == 64 { wanted } else { wanted & ((1 << bits) - 1) };
    if wanted == 0 { u32::MAX } else { 63 - wanted.leading_zeros() }
}
