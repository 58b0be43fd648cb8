//! Rows of 32 lanes: the only place that turns a [`Slot`] into memory. Operations compute all 32
//! lanes, which the compiler turns into vector code, and keep those that are active.
//!
//! **Promise.** [`Lanes`] trusts slots: [`decode`](super::decode) and
//! [`allocate`](super::allocate) hand out only rows inside their banks, with both rows of a 64-bit
//! value, and predicate numbers below the kernel's count; [`warp`](super::warp) allocates banks of
//! those sizes. Constant, thread and block banks are never a destination.

use std::mem::MaybeUninit;

use super::code::{Pred, Row, Slot};
use super::syntax::Ty;

/// The value of one lane.
pub trait Lane: Copy {
    const TY: Ty;
    /// `new` where bit `lane` of `mask` is set, else `self`; in the form that becomes vector code.
    fn replaced(self, new: Self, mask: u32, lane: usize) -> Self;
    /// Bit `lane` where `flag` holds, in the width of this type.
    fn flag(flag: bool, lane: usize) -> u64;
}

macro_rules! lane {
    ($($t:ty, $ty:ident, $bits:ty, $flags:ty, $to:expr, $from:expr;)*) => { $(
        impl Lane for $t {
            const TY: Ty = Ty::$ty;

            #[inline(always)]
            fn replaced(self, new: Self, mask: u32, lane: usize) -> Self {
                let chosen = (((mask >> lane) & 1) as $bits).wrapping_neg();
                let (old, new): ($bits, $bits) = ($to(self), $to(new));
                $from((new & chosen) | (old & !chosen))
            }

            #[inline(always)]
            fn flag(flag: bool, lane: usize) -> u64 {
                u64::from(if flag { (1 as $flags) << lane } else { 0 })
            }
        }
    )* };
}
lane! {
    u8, U8, u8, u32, |a| a, |a| a;
    u16, U16, u16, u32, |a| a, |a| a;
    i16, S16, u16, u32, |a| a as u16, |a| a as i16;
    u32, U32, u32, u32, |a| a, |a| a;
    i32, S32, u32, u32, |a| a as u32, |a| a as i32;
    u64, U64, u64, u64, |a| a, |a| a;
    i64, S64, u64, u64, |a| a as u64, |a| a as i64;
    f32, F32, u32, u32, f32::to_bits, f32::from_bits;
    f64, F64, u64, u64, f64::to_bits, f64::from_bits;
}

/// The banks of one warp while it runs, and its active lanes.
pub struct Lanes {
    pub banks: [*mut Row; 4],
    pub predicates: *mut u32,
    /// Active lanes.
    pub mask: u32,
    /// All lanes that are still alive are active: the others' registers no longer matter.
    pub full: bool,
}

impl Lanes {
    /// The first lane of a row.
    #[inline(always)]
    pub fn row<T: Lane>(&self, slot: Slot) -> *mut T {
        // SAFETY: the slot's row lies inside its bank (see the promise above).
        unsafe { self.banks[slot.bank()].add(slot.row()).cast() }
    }

    /// A copy of all lanes.
    #[inline(always)]
    pub fn get<T: Lane>(&self, slot: Slot) -> [T; 32] {
        // SAFETY: a slot of type T has room for 32 of them, aligned to 128 bytes, and every bank is
        // initialised when it is allocated; the types of lanes accept any bits.
        unsafe { self.row::<T>(slot).cast::<[T; 32]>().read() }
    }

    #[inline(always)]
    pub fn lane<T: Lane>(&self, slot: Slot, lane: u32) -> T {
        // SAFETY: as in `get`; lane & 31 is below 32.
        unsafe { self.row::<T>(slot).add((lane & 31) as usize).read() }
    }

    #[inline(always)]
    pub fn pred(&self, p: Pred) -> u32 {
        // SAFETY: predicate numbers lie below the count that was allocated (see the promise above).
        unsafe { *self.predicates.add(p as usize) }
    }

    /// Sets the active lanes' predicate to their bits of `value`.
    #[inline(always)]
    pub fn set_pred(&self, p: Pred, value: u32) {
        // SAFETY: as in `pred`.
        let place = unsafe { &mut *self.predicates.add(p as usize) };
        *place = (*place & !self.mask) | (value & self.mask);
    }

    /// Writes the active lanes.
    #[inline(always)]
    pub fn put<T: Lane>(&self, d: Slot, value: &[T; 32]) {
        let place = self.row::<T>(d).cast::<[T; 32]>();
        if self.full {
            // SAFETY: a slot of type T has room for 32 of them; `value` lies elsewhere.
            unsafe { place.write(*value) }
        } else {
            // SAFETY: as above, and the row is initialised.
            blend(unsafe { &mut *place }, value, self.mask);
        }
    }

    /// `d = f(lane number)` for every lane.
    #[inline(always)]
    pub fn fill<T: Lane>(&self, d: Slot, f: impl Fn(usize) -> T) {
        self.put(d, &each(f));
    }

    #[inline(always)]
    pub fn map1<A: Lane, D: Lane>(&self, d: Slot, a: Slot, f: impl Fn(A) -> D) {
        let a = self.row::<A>(a);
        // SAFETY: as in `get`, for each lane below 32.
        self.put(d, &each(|l| f(unsafe { a.add(l).read() })));
    }

    #[inline(always)]
    pub fn map2<A: Lane, B: Lane, D: Lane>(
        &self,
        d: Slot,
        a: Slot,
        b: Slot,
        f: impl Fn(A, B) -> D,
    ) {
        let (a, b) = (self.row::<A>(a), self.row::<B>(b));
        // SAFETY: as in `get`, for each lane below 32.
        self.put(d, &each(|l| unsafe { f(a.add(l).read(), b.add(l).read()) }));
    }

    #[inline(always)]
    pub fn map3<A: Lane, B: Lane, C: Lane, D: Lane>(
        &self,
        d: Slot,
        a: Slot,
        b: Slot,
        c: Slot,
        f: impl Fn(A, B, C) -> D,
    ) {
        let (a, b, c) = (self.row::<A>(a), self.row::<B>(b), self.row::<C>(c));
        // SAFETY: as in `get`, for each lane below 32.
        self.put(d, &each(|l| unsafe { f(a.add(l).read(), b.add(l).read(), c.add(l).read()) }));
    }

    /// One bit for each lane.
    #[inline(always)]
    pub fn compare<T: Lane>(&self, a: Slot, b: Slot, f: impl Fn(T, T) -> bool) -> u32 {
        let (a, b) = (self.row::<T>(a), self.row::<T>(b));
        let mut bits = 0;
        for lane in 0..32 {
            // SAFETY: as in `get`, for each lane below 32.
            let flag = unsafe { f(a.add(lane).read(), b.add(lane).read()) };
            bits |= T::flag(flag, lane);
        }
        bits as u32
    }

    /// `d = p ? a : b`
    #[inline(always)]
    pub fn select<T: Lane>(&self, d: Slot, a: Slot, b: Slot, p: Pred) {
        let mut value = self.get::<T>(b);
        blend(&mut value, &self.get(a), self.pred(p));
        self.put(d, &value);
    }
}

/// An array made lane by lane in memory of its own, so that the loop needs no alias checks.
#[inline(always)]
pub fn each<T: Copy>(f: impl Fn(usize) -> T) -> [T; 32] {
    let mut value = MaybeUninit::<[T; 32]>::uninit();
    let first = value.as_mut_ptr().cast::<T>();
    for lane in 0..32 {
        // SAFETY: lane is below 32.
        unsafe { first.add(lane).write(f(lane)) };
    }
    // SAFETY: all 32 elements were written.
    unsafe { value.assume_init() }
}

/// Replaces the lanes that `mask` names.
#[inline(always)]
pub fn blend<T: Lane>(place: &mut [T; 32], value: &[T; 32], mask: u32) {
    for lane in 0..32 {
        place[lane] = place[lane].replaced(value[lane], mask, lane);
    }
}

/// Bit `l` is set where element `l` is true.
#[inline(always)]
pub fn gather_bits(flags: &[bool; 32]) -> u32 {
    let mut bits = 0;
    for (lane, &flag) in flags.iter().enumerate() {
        bits |= u32::from(flag) << lane;
    }
    bits
}

/// The numbers of the set bits, in rising order.
pub fn lanes_of(mask: u32) -> impl Iterator<Item = u32> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros();
        rest &= rest.wrapping_sub(1);
        (lane < 32).then_some(lane)
    })
}
