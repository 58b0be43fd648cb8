//! The arithmetic of PTX as two tables: one line for each operation says its operand types, what it
//! does to one lane, and the PTX spellings (without `.ftz` and `.sat`, which become operations of
//! their own). The enums, the look-up by spelling and the loops over 32 lanes are made from them.

#![expect(
    clippy::neg_cmp_op_on_partial_ord,
    clippy::double_comparisons,
    reason = "the comparisons spell out what they say of NaNs"
)]

use std::collections::HashMap;
use std::sync::OnceLock;

use super::code::Slot;
use super::integer::{w16, w32, w64};
use super::lanes::{Lane, Lanes};
use super::syntax::Ty;
use super::{float, integer};

macro_rules! alu {
    ($($name:ident ($($from:ty),+) -> $to:ty = $f:expr; [$($ptx:literal),*])+) => {
        /// An operation on one to three rows of lanes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Alu { $($name),+ }

        impl Alu {
            /// Every operation, in the order of the table.
            const ALL: &[Alu] = &[$(Alu::$name),+];
            const SPELLINGS: &[&[&str]] = &[$(&[$($ptx),*]),+];
            const SOURCES: &[&[Ty]] = &[$(&[$(<$from as Lane>::TY),+]),+];
            const RESULTS: &[Ty] = &[$(<$to as Lane>::TY),+];

            /// Computes all lanes, and keeps those that are active.
            #[inline(always)]
            pub fn run(self, lanes: &Lanes, d: Slot, [a, b, c]: [Slot; 3]) {
                match self {
                    $(Alu::$name => alu!(@ lanes, d, a, b, c, ($($from),+) -> $to, $f)),+
                }
            }
        }
    };
    (@ $l:ident, $d:ident, $a:ident, $b:ident, $c:ident, ($t:ty) -> $r:ty, $f:expr) => {
        $l.map1::<$t, $r>($d, $a, $f)
    };
    (@ $l:ident, $d:ident, $a:ident, $b:ident, $c:ident, ($t:ty, $u:ty) -> $r:ty, $f:expr) => {
        $l.map2::<$t, $u, $r>($d, $a, $b, $f)
    };
    (@ $l:ident, $d:ident, $a:ident, $b:ident, $c:ident, ($t:ty, $u:ty, $v:ty) -> $r:ty, $f:expr) => {
        $l.map3::<$t, $u, $v, $r>($d, $a, $b, $c, $f)
    };
}

macro_rules! comparisons {
    ($($name:ident ($a:ty, $b:ty) = $f:expr; [$($ptx:literal),*])+) => {
        /// A comparison of two rows, whose result is a predicate.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Cmp { $($name),+ }

        impl Cmp {
            const ALL: &[Cmp] = &[$(Cmp::$name),+];
            const SPELLINGS: &[&[&str]] = &[$(&[$($ptx),*]),+];
            const SOURCES: &[Ty] = &[$(<$a as Lane>::TY),+];

            /// One bit for each lane.
            #[inline(always)]
            pub fn run(self, lanes: &Lanes, a: Slot, b: Slot) -> u32 {
                match self { $(Cmp::$name => lanes.compare::<$a>(a, b, $f)),+ }
            }
        }
    };
}

alu! {
    // Integers of 16 bits.
    Mov16 (u16) -> u16 = |a| a; ["mov.b16", "mov.u16", "mov.s16"]
    Add16 (u16, u16) -> u16 = |a, b| a.wrapping_add(b); ["add.s16", "add.u16"]
    Sub16 (u16, u16) -> u16 = |a, b| a.wrapping_sub(b); ["sub.s16", "sub.u16"]
    Mul16 (u16, u16) -> u16 = |a, b| a.wrapping_mul(b); ["mul.lo.s16", "mul.lo.u16"]
    MulHiU16 (u16, u16) -> u16 = w16::mul_hi; ["mul.hi.u16"]
    MulHiS16 (i16, i16) -> i16 = w16::mul_hi_signed; ["mul.hi.s16"]
    Mad16 (u16, u16, u16) -> u16 = |a, b, c| a.wrapping_mul(b).wrapping_add(c); ["mad.lo.s16", "mad.lo.u16"]
    MadHiU16 (u16, u16, u16) -> u16 = |a, b, c| w16::mul_hi(a, b).wrapping_add(c); ["mad.hi.u16"]
    MadHiS16 (i16, i16, i16) -> i16 = |a, b, c| w16::mul_hi_signed(a, b).wrapping_add(c); ["mad.hi.s16"]
    DivU16 (u16, u16) -> u16 = w16::div; ["div.u16"]
    DivS16 (i16, i16) -> i16 = w16::div_signed; ["div.s16"]
    RemU16 (u16, u16) -> u16 = w16::rem; ["rem.u16"]
    RemS16 (i16, i16) -> i16 = w16::rem_signed; ["rem.s16"]
    MinU16 (u16, u16) -> u16 = |a, b| a.min(b); ["min.u16"]
    MinS16 (i16, i16) -> i16 = |a, b| a.min(b); ["min.s16"]
    MaxU16 (u16, u16) -> u16 = |a, b| a.max(b); ["max.u16"]
    MaxS16 (i16, i16) -> i16 = |a, b| a.max(b); ["max.s16"]
    Neg16 (u16) -> u16 = |a| a.wrapping_neg(); ["neg.s16"]
    Abs16 (i16) -> i16 = |a| a.wrapping_abs(); ["abs.s16"]
    And16 (u16, u16) -> u16 = |a, b| a & b; ["and.b16"]
    Or16 (u16, u16) -> u16 = |a, b| a | b; ["or.b16"]
    Xor16 (u16, u16) -> u16 = |a, b| a ^ b; ["xor.b16"]
    Not16 (u16) -> u16 = |a| !a; ["not.b16"]
    CNot16 (u16) -> u16 = |a| u16::from(a == 0); ["cnot.b16"]
    Shl16 (u16, u32) -> u16 = w16::shl; ["shl.b16"]
    Shr16 (u16, u32) -> u16 = w16::shr; ["shr.u16", "shr.b16"]
    Sar16 (i16, u32) -> i16 = w16::sar; ["shr.s16"]
    SlctS16 (u16, u16, i32) -> u16 = |a, b, c| if c >= 0 { a } else { b }; ["slct.b16.s32", "slct.u16.s32", "slct.s16.s32"]
    SlctF16 (u16, u16, f32) -> u16 = |a, b, c| if c >= 0.0 { a } else { b }; ["slct.b16.f32", "slct.u16.f32", "slct.s16.f32"]
    MulWideU16 (u16, u16) -> u32 = |a, b| u32::from(a).wrapping_mul(u32::from(b)); ["mul.wide.u16"]
    MulWideS16 (i16, i16) -> i32 = |a, b| i32::from(a).wrapping_mul(i32::from(b)); ["mul.wide.s16"]
    MadWideU16 (u16, u16, u32) -> u32 = |a, b, c| u32::from(a).wrapping_mul(u32::from(b)).wrapping_add(c); ["mad.wide.u16"]
    MadWideS16 (i16, i16, i32) -> i32 = |a, b, c| i32::from(a).wrapping_mul(i32::from(b)).wrapping_add(c); ["mad.wide.s16"]

    // Integers of 32 bits.
    Mov32 (u32) -> u32 = |a| a; ["mov.b32", "mov.u32", "mov.s32", "mov.f32"]
    Add32 (u32, u32) -> u32 = |a, b| a.wrapping_add(b); ["add.s32", "add.u32"]
    Sub32 (u32, u32) -> u32 = |a, b| a.wrapping_sub(b); ["sub.s32", "sub.u32"]
    Mul32 (u32, u32) -> u32 = |a, b| a.wrapping_mul(b); ["mul.lo.s32", "mul.lo.u32"]
    MulHiU32 (u32, u32) -> u32 = w32::mul_hi; ["mul.hi.u32"]
    MulHiS32 (i32, i32) -> i32 = w32::mul_hi_signed; ["mul.hi.s32"]
    Mad32 (u32, u32, u32) -> u32 = |a, b, c| a.wrapping_mul(b).wrapping_add(c); ["mad.lo.s32", "mad.lo.u32"]
    MadHiU32 (u32, u32, u32) -> u32 = |a, b, c| w32::mul_hi(a, b).wrapping_add(c); ["mad.hi.u32"]
    MadHiS32 (i32, i32, i32) -> i32 = |a, b, c| w32::mul_hi_signed(a, b).wrapping_add(c); ["mad.hi.s32"]
    DivU32 (u32, u32) -> u32 = w32::div; ["div.u32"]
    DivS32 (i32, i32) -> i32 = w32::div_signed; ["div.s32"]
    RemU32 (u32, u32) -> u32 = w32::rem; ["rem.u32"]
    RemS32 (i32, i32) -> i32 = w32::rem_signed; ["rem.s32"]
    MinU32 (u32, u32) -> u32 = |a, b| a.min(b); ["min.u32"]
    MinS32 (i32, i32) -> i32 = |a, b| a.min(b); ["min.s32"]
    MaxU32 (u32, u32) -> u32 = |a, b| a.max(b); ["max.u32"]
    MaxS32 (i32, i32) -> i32 = |a, b| a.max(b); ["max.s32"]
    Neg32 (u32) -> u32 = |a| a.wrapping_neg(); ["neg.s32"]
    Abs32 (i32) -> i32 = |a| a.wrapping_abs(); ["abs.s32"]
    And32 (u32, u32) -> u32 = |a, b| a & b; ["and.b32"]
    Or32 (u32, u32) -> u32 = |a, b| a | b; ["or.b32"]
    Xor32 (u32, u32) -> u32 = |a, b| a ^ b; ["xor.b32"]
    Not32 (u32) -> u32 = |a| !a; ["not.b32"]
    CNot32 (u32) -> u32 = |a| u32::from(a == 0); ["cnot.b32"]
    Shl32 (u32, u32) -> u32 = w32::shl; ["shl.b32"]
    Shr32 (u32, u32) -> u32 = w32::shr; ["shr.u32", "shr.b32"]
    Sar32 (i32, u32) -> i32 = w32::sar; ["shr.s32"]
    SlctS32 (u32, u32, i32) -> u32 = |a, b, c| if c >= 0 { a } else { b }; ["slct.b32.s32", "slct.u32.s32", "slct.s32.s32", "slct.f32.s32"]
    SlctF32 (u32, u32, f32) -> u32 = |a, b, c| if c >= 0.0 { a } else { b }; ["slct.b32.f32", "slct.u32.f32", "slct.s32.f32", "slct.f32.f32"]
    MulWideU32 (u32, u32) -> u64 = |a, b| u64::from(a).wrapping_mul(u64::from(b)); ["mul.wide.u32"]
    MulWideS32 (i32, i32) -> i64 = |a, b| i64::from(a).wrapping_mul(i64::from(b)); ["mul.wide.s32"]
    MadWideU32 (u32, u32, u64) -> u64 = |a, b, c| u64::from(a).wrapping_mul(u64::from(b)).wrapping_add(c); ["mad.wide.u32"]
    MadWideS32 (i32, i32, i64) -> i64 = |a, b, c| i64::from(a).wrapping_mul(i64::from(b)).wrapping_add(c); ["mad.wide.s32"]
    Popc32 (u32) -> u32 = |a| a.count_ones(); ["popc.b32"]
    Clz32 (u32) -> u32 = |a| a.leading_zeros(); ["clz.b32"]
    Brev32 (u32) -> u32 = |a| a.reverse_bits(); ["brev.b32"]
    FindU32 (u32) -> u32 = |a| integer::find(u64::from(a), 32, false); ["bfind.u32"]
    FindS32 (u32) -> u32 = |a| integer::find(u64::from(a), 32, true); ["bfind.s32"]
    BfeU32 (u32, u32, u32) -> u32 = |a, b, c| integer::extract(u64::from(a), b, c, 32, false) as u32; ["bfe.u32"]
    BfeS32 (u32, u32, u32) -> u32 = |a, b, c| integer::extract(u64::from(a), b, c, 32, true) as u32; ["bfe.s32"]
    Bfi32 (u32, u32, u32) -> u32 = |a, b, c| integer::insert(u64::from(a), u64::from(b), c, 32) as u32; []

    // Integers of 64 bits.
    Mov64 (u64) -> u64 = |a| a; ["mov.b64", "mov.u64", "mov.s64", "mov.f64"]
    Add64 (u64, u64) -> u64 = |a, b| a.wrapping_add(b); ["add.s64", "add.u64"]
    Sub64 (u64, u64) -> u64 = |a, b| a.wrapping_sub(b); ["sub.s64", "sub.u64"]
    Mul64 (u64, u64) -> u64 = |a, b| a.wrapping_mul(b); ["mul.lo.s64", "mul.lo.u64"]
    MulHiU64 (u64, u64) -> u64 = w64::mul_hi; ["mul.hi.u64"]
    MulHiS64 (i64, i64) -> i64 = w64::mul_hi_signed; ["mul.hi.s64"]
    Mad64 (u64, u64, u64) -> u64 = |a, b, c| a.wrapping_mul(b).wrapping_add(c); ["mad.lo.s64", "mad.lo.u64"]
    MadHiU64 (u64, u64, u64) -> u64 = |a, b, c| w64::mul_hi(a, b).wrapping_add(c); ["mad.hi.u64"]
    MadHiS64 (i64, i64, i64) -> i64 = |a, b, c| w64::mul_hi_signed(a, b).wrapping_add(c); ["mad.hi.s64"]
    DivU64 (u64, u64) -> u64 = w64::div; ["div.u64"]
    DivS64 (i64, i64) -> i64 = w64::div_signed; ["div.s64"]
    RemU64 (u64, u64) -> u64 = w64::rem; ["rem.u64"]
    RemS64 (i64, i64) -> i64 = w64::rem_signed; ["rem.s64"]
    MinU64 (u64, u64) -> u64 = |a, b| a.min(b); ["min.u64"]
    MinS64 (i64, i64) -> i64 = |a, b| a.min(b); ["min.s64"]
    MaxU64 (u64, u64) -> u64 = |a, b| a.max(b); ["max.u64"]
    MaxS64 (i64, i64) -> i64 = |a, b| a.max(b); ["max.s64"]
    Neg64 (u64) -> u64 = |a| a.wrapping_neg(); ["neg.s64"]
    Abs64 (i64) -> i64 = |a| a.wrapping_abs(); ["abs.s64"]
    And64 (u64, u64) -> u64 = |a, b| a & b; ["and.b64"]
    Or64 (u64, u64) -> u64 = |a, b| a | b; ["or.b64"]
    Xor64 (u64, u64) -> u64 = |a, b| a ^ b; ["xor.b64"]
    Not64 (u64) -> u64 = |a| !a; ["not.b64"]
    CNot64 (u64) -> u64 = |a| u64::from(a == 0); ["cnot.b64"]
    Shl64 (u64, u32) -> u64 = w64::shl; ["shl.b64"]
    Shr64 (u64, u32) -> u64 = w64::shr; ["shr.u64", "shr.b64"]
    Sar64 (i64, u32) -> i64 = w64::sar; ["shr.s64"]
    SlctS64 (u64, u64, i32) -> u64 = |a, b, c| if c >= 0 { a } else { b }; ["slct.b64.s32", "slct.u64.s32", "slct.s64.s32", "slct.f64.s32"]
    SlctF64 (u64, u64, f32) -> u64 = |a, b, c| if c >= 0.0 { a } else { b }; ["slct.b64.f32", "slct.u64.f32", "slct.s64.f32", "slct.f64.f32"]
    Popc64 (u64) -> u32 = |a| a.count_ones(); ["popc.b64"]
    Clz64 (u64) -> u32 = |a| a.leading_zeros(); ["clz.b64"]
    Brev64 (u64) -> u64 = |a| a.reverse_bits(); ["brev.b64"]
    FindU64 (u64) -> u32 = |a| integer::find(a, 64, false); ["bfind.u64"]
    FindS64 (u64) -> u32 = |a| integer::find(a, 64, true); ["bfind.s64"]
    BfeU64 (u64, u32, u32) -> u64 = |a, b, c| integer::extract(a, b, c, 64, false); ["bfe.u64"]
    BfeS64 (u64, u32, u32) -> u64 = |a, b, c| integer::extract(a, b, c, 64, true); ["bfe.s64"]
    Bfi64 (u64, u64, u32) -> u64 = |a, b, c| integer::insert(a, b, c, 64); []

    // Odd ones.
    Sad (i32, i32, u32) -> u32 = |a, b, c| c.wrapping_add(a.abs_diff(b)); ["sad.s32"]
    SadU (u32, u32, u32) -> u32 = |a, b, c| c.wrapping_add(a.abs_diff(b)); ["sad.u32"]
    AddSat (i32, i32) -> i32 = |a, b| a.saturating_add(b); ["add.sat.s32"]
    SubSat (i32, i32) -> i32 = |a, b| a.saturating_sub(b); ["sub.sat.s32"]
    Prmt (u32, u32, u32) -> u32 = integer::permute; ["prmt.b32"]
    FunnelLeftWrap (u32, u32, u32) -> u32 = |a, b, c| integer::funnel_left(a, b, c, true); ["shf.l.wrap.b32"]
    FunnelLeftClamp (u32, u32, u32) -> u32 = |a, b, c| integer::funnel_left(a, b, c, false); ["shf.l.clamp.b32"]
    FunnelRightWrap (u32, u32, u32) -> u32 = |a, b, c| integer::funnel_right(a, b, c, true); ["shf.r.wrap.b32"]
    FunnelRightClamp (u32, u32, u32) -> u32 = |a, b, c| integer::funnel_right(a, b, c, false); ["shf.r.clamp.b32"]

    // Single precision.
    AddF32 (f32, f32) -> u32 = |a, b| float::one(a + b); ["add.rn.f32", "add.f32"]
    SubF32 (f32, f32) -> u32 = |a, b| float::one(a - b); ["sub.rn.f32", "sub.f32"]
    MulF32 (f32, f32) -> u32 = |a, b| float::one(a * b); ["mul.rn.f32", "mul.f32"]
    FmaF32 (f32, f32, f32) -> u32 = |a, b, c| float::one(a.mul_add(b, c)); ["fma.rn.f32", "mad.rn.f32"]
    DivF32 (f32, f32) -> u32 = |a, b| float::one(a / b); ["div.rn.f32", "div.full.f32", "div.approx.f32"]
    RcpF32 (f32) -> u32 = |a| float::one(1.0 / a); ["rcp.rn.f32", "rcp.approx.f32"]
    SqrtF32 (f32) -> u32 = |a| float::one(a.sqrt()); ["sqrt.rn.f32", "sqrt.approx.f32"]
    RsqrtF32 (f32) -> u32 = float::rsqrt32; ["rsqrt.approx.f32"]
    MinF32 (f32, f32) -> u32 = float::min32; ["min.f32"]
    MaxF32 (f32, f32) -> u32 = float::max32; ["max.f32"]
    MinNanF32 (f32, f32) -> u32 = float::min_nan32; ["min.NaN.f32"]
    MaxNanF32 (f32, f32) -> u32 = float::max_nan32; ["max.NaN.f32"]
    NegF32 (f32) -> u32 = |a| float::one(-a); ["neg.f32"]
    AbsF32 (f32) -> u32 = |a| float::one(a.abs()); ["abs.f32"]
    CopysignF32 (u32, u32) -> u32 = |a, b| (a & (1 << 31)) | (b & !(1 << 31)); ["copysign.f32"]
    FlushF32 (f32) -> u32 = |a| float::flush32(a).to_bits(); []
    SaturateF32 (f32) -> u32 = float::saturate32; []
    Ex2F32 (f32) -> u32 = float::exp2; ["ex2.approx.f32"]
    Lg2F32 (f32) -> u32 = float::log2; ["lg2.approx.f32"]
    SinF32 (f32) -> u32 = float::sin; ["sin.approx.f32"]
    CosF32 (f32) -> u32 = float::cos; ["cos.approx.f32"]
    TanhF32 (f32) -> u32 = float::tanh; ["tanh.approx.f32"]

    // Double precision.
    AddF64 (f64, f64) -> u64 = |a, b| float::from2(a, b, a + b); ["add.rn.f64", "add.f64"]
    SubF64 (f64, f64) -> u64 = |a, b| float::from2(a, b, a - b); ["sub.rn.f64", "sub.f64"]
    MulF64 (f64, f64) -> u64 = |a, b| float::from2(a, b, a * b); ["mul.rn.f64", "mul.f64"]
    FmaF64 (f64, f64, f64) -> u64 = |a, b, c| float::from3(a, b, c, a.mul_add(b, c)); ["fma.rn.f64", "mad.rn.f64"]
    DivF64 (f64, f64) -> u64 = |a, b| float::from2(b, a, a / b); ["div.rn.f64"]
    RcpF64 (f64) -> u64 = |a| float::from1(a, 1.0 / a); ["rcp.rn.f64", "rcp.approx.f64"]
    SqrtF64 (f64) -> u64 = |a| float::from1(a, a.sqrt()); ["sqrt.rn.f64"]
    RsqrtF64 (f64) -> u64 = |a| float::from1(a, 1.0 / a.sqrt()); ["rsqrt.approx.f64"]
    MinF64 (f64, f64) -> u64 = float::min64; ["min.f64"]
    MaxF64 (f64, f64) -> u64 = float::max64; ["max.f64"]
    NegF64 (f64) -> u64 = |a| float::from1(a, -a); ["neg.f64"]
    AbsF64 (f64) -> u64 = |a| float::from1(a, a.abs()); ["abs.f64"]
    CopysignF64 (u64, u64) -> u64 = |a, b| (a & (1 << 63)) | (b & !(1 << 63)); ["copysign.f64"]
    FlushF64 (f64) -> u64 = |a| float::flush64(a).to_bits(); []
    SaturateF64 (f64) -> u64 = float::saturate64; []

    // The conversions that kernels are full of; the others are `convert::Conversion`s.
    ZeroExtend32To64 (u32) -> u64 = u64::from; []
    SignExtend32To64 (i32) -> i64 = i64::from; []
    Truncate64To32 (u64) -> u32 = |a| a as u32; []
    S32ToF32 (i32) -> f32 = |a| a as f32; []
    U32ToF32 (u32) -> f32 = |a| a as f32; []
    S32ToF64 (i32) -> f64 = f64::from; []
    U32ToF64 (u32) -> f64 = f64::from; []
    F32ToF64 (f32) -> u64 = |a| float::from1(f64::from(a), f64::from(a)); []
    F64ToF32 (f64) -> u32 = |a| float::narrowed(a, a as f32); []

    // Halves and quarters of a register.
    Pair16 (u16, u16) -> u32 = |a, b| u32::from(a) | (u32::from(b) << 16); []
    Pair32 (u32, u32) -> u64 = |a, b| u64::from(a) | (u64::from(b) << 32); []
    Low16 (u32) -> u16 = |a| a as u16; []
    High16 (u32) -> u16 = |a| (a >> 16) as u16; []
    High32 (u64) -> u32 = |a| (a >> 32) as u32; []
}

comparisons! {
    Eq16 (u16, u16) = |a, b| a == b; ["eq.b16", "eq.u16", "eq.s16"]
    Ne16 (u16, u16) = |a, b| a != b; ["ne.b16", "ne.u16", "ne.s16"]
    LtU16 (u16, u16) = |a, b| a < b; ["lt.u16", "lo.u16"]
    LeU16 (u16, u16) = |a, b| a <= b; ["le.u16", "ls.u16"]
    GtU16 (u16, u16) = |a, b| a > b; ["gt.u16", "hi.u16"]
    GeU16 (u16, u16) = |a, b| a >= b; ["ge.u16", "hs.u16"]
    LtS16 (i16, i16) = |a, b| a < b; ["lt.s16"]
    LeS16 (i16, i16) = |a, b| a <= b; ["le.s16"]
    GtS16 (i16, i16) = |a, b| a > b; ["gt.s16"]
    GeS16 (i16, i16) = |a, b| a >= b; ["ge.s16"]
    Eq32 (u32, u32) = |a, b| a == b; ["eq.b32", "eq.u32", "eq.s32"]
    Ne32 (u32, u32) = |a, b| a != b; ["ne.b32", "ne.u32", "ne.s32"]
    LtU32 (u32, u32) = |a, b| a < b; ["lt.u32", "lo.u32"]
    LeU32 (u32, u32) = |a, b| a <= b; ["le.u32", "ls.u32"]
    GtU32 (u32, u32) = |a, b| a > b; ["gt.u32", "hi.u32"]
    GeU32 (u32, u32) = |a, b| a >= b; ["ge.u32", "hs.u32"]
    LtS32 (i32, i32) = |a, b| a < b; ["lt.s32"]
    LeS32 (i32, i32) = |a, b| a <= b; ["le.s32"]
    GtS32 (i32, i32) = |a, b| a > b; ["gt.s32"]
    GeS32 (i32, i32) = |a, b| a >= b; ["ge.s32"]
    Eq64 (u64, u64) = |a, b| a == b; ["eq.b64", "eq.u64", "eq.s64"]
    Ne64 (u64, u64) = |a, b| a != b; ["ne.b64", "ne.u64", "ne.s64"]
    LtU64 (u64, u64) = |a, b| a < b; ["lt.u64", "lo.u64"]
    LeU64 (u64, u64) = |a, b| a <= b; ["le.u64", "ls.u64"]
    GtU64 (u64, u64) = |a, b| a > b; ["gt.u64", "hi.u64"]
    GeU64 (u64, u64) = |a, b| a >= b; ["ge.u64", "hs.u64"]
    LtS64 (i64, i64) = |a, b| a < b; ["lt.s64"]
    LeS64 (i64, i64) = |a, b| a <= b; ["le.s64"]
    GtS64 (i64, i64) = |a, b| a > b; ["gt.s64"]
    GeS64 (i64, i64) = |a, b| a >= b; ["ge.s64"]
    EqF32 (f32, f32) = |a, b| a == b; ["eq.f32"]
    NeF32 (f32, f32) = |a, b| a < b || a > b; ["ne.f32"]
    LtF32 (f32, f32) = |a, b| a < b; ["lt.f32"]
    LeF32 (f32, f32) = |a, b| a <= b; ["le.f32"]
    GtF32 (f32, f32) = |a, b| a > b; ["gt.f32"]
    GeF32 (f32, f32) = |a, b| a >= b; ["ge.f32"]
    EquF32 (f32, f32) = |a, b| !(a < b || a > b); ["equ.f32"]
    NeuF32 (f32, f32) = |a, b| a != b; ["neu.f32"]
    LtuF32 (f32, f32) = |a, b| !(a >= b); ["ltu.f32"]
    LeuF32 (f32, f32) = |a, b| !(a > b); ["leu.f32"]
    GtuF32 (f32, f32) = |a, b| !(a <= b); ["gtu.f32"]
    GeuF32 (f32, f32) = |a, b| !(a < b); ["geu.f32"]
    NumF32 (f32, f32) = |a, b| !(a.is_nan() || b.is_nan()); ["num.f32"]
    NanF32 (f32, f32) = |a, b| a.is_nan() || b.is_nan(); ["nan.f32"]
    EqF64 (f64, f64) = |a, b| a == b; ["eq.f64"]
    NeF64 (f64, f64) = |a, b| a < b || a > b; ["ne.f64"]
    LtF64 (f64, f64) = |a, b| a < b; ["lt.f64"]
    LeF64 (f64, f64) = |a, b| a <= b; ["le.f64"]
    GtF64 (f64, f64) = |a, b| a > b; ["gt.f64"]
    GeF64 (f64, f64) = |a, b| a >= b; ["ge.f64"]
    EquF64 (f64, f64) = |a, b| !(a < b || a > b); ["equ.f64"]
    NeuF64 (f64, f64) = |a, b| a != b; ["neu.f64"]
    LtuF64 (f64, f64) = |a, b| !(a >= b); ["ltu.f64"]
    LeuF64 (f64, f64) = |a, b| !(a > b); ["leu.f64"]
    GtuF64 (f64, f64) = |a, b| !(a <= b); ["gtu.f64"]
    GeuF64 (f64, f64) = |a, b| !(a < b); ["geu.f64"]
    NumF64 (f64, f64) = |a, b| !(a.is_nan() || b.is_nan()); ["num.f64"]
    NanF64 (f64, f64) = |a, b| a.is_nan() || b.is_nan(); ["nan.f64"]
}

impl Alu {
    /// The operation that a spelling such as `add.rn.f32` names.
    pub fn spelled(opcode: &str) -> Option<Alu> {
        static INDEX: OnceLock<HashMap<&str, Alu>> = OnceLock::new();
        INDEX.get_or_init(|| index(Alu::ALL, Alu::SPELLINGS)).get(opcode).copied()
    }

    pub fn sources(self) -> &'static [Ty] {
        Alu::SOURCES[self as usize]
    }

    pub fn result(self) -> Ty {
        Alu::RESULTS[self as usize]
    }
}

impl Cmp {
    /// The comparison that `lt.s32` and its like name.
    pub fn spelled(name: &str) -> Option<Cmp> {
        static INDEX: OnceLock<HashMap<&str, Cmp>> = OnceLock::new();
        INDEX.get_or_init(|| index(Cmp::ALL, Cmp::SPELLINGS)).get(name).copied()
    }

    /// The type of both operands.
    pub fn source(self) -> Ty {
        Cmp::SOURCES[self as usize]
    }
}

fn index<T: Copy>(all: &[T], spellings: &[&[&'static str]]) -> HashMap<&'static str, T> {
    let pairs = all.iter().zip(spellings);
    pairs.flat_map(|(&op, names)| names.iter().map(move |&name| (name, op))).collect()
}
