//! The caller's floating-point environment: what the original loop would have computed with.
//!
//! One of the few doors to unsafe code: two instructions.

use crate::error::{Reason, Refusal};
use hexpass_abi::FpMode;

/// The bits of MXCSR that change results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Environment(u32);

/// Rounding control.
const ROUNDING: u32 = 0b11 << 13;
/// Exception masks; all set: no traps.
const MASKS: u32 = 0b11_1111 << 7;
/// Flush to zero, and denormals are zero.
const FLUSH: u32 = 1 << 15 | 1 << 6;
/// Exception flags, which are results, not controls.
const FLAGS: u32 = 0b11_1111;

impl Environment {
    /// This thread's.
    #[inline]
    pub fn current() -> Environment {
        Environment(read() & !FLAGS)
    }

    /// Refused where no kernel computes like the original: rounding not to nearest, or exceptions that trap.
    pub fn check(self) -> Result<(), Refusal> {
        let refuse = |what| Err(Refusal::new(Reason::FpEnvironment, what));
        if self.0 & ROUNDING != 0 {
            return refuse("the program rounds otherwise than to nearest");
        }
        if self.0 & MASKS != MASKS {
            return refuse("the program traps floating-point exceptions");
        }
        Ok(())
    }

    /// Refused where device kernels, which keep denormals, would differ from the original by more than the source
    /// allows: `-ffast-math` sets both, flushing and the licence not to.
    pub fn check_for_devices(self, fp: FpMode) -> Result<(), Refusal> {
        if self.0 & FLUSH != 0 && fp != FpMode::Fast {
            let what =
                "the program flushes denormals to zero, and the object holds no kernels that do";
            return Err(Refusal::new(Reason::FpEnvironment, what));
        }
        Ok(())
    }

    /// Runs `f` in this environment and puts the thread's own back.
    pub fn during<R>(self, f: impl FnOnce() -> R) -> R {
        struct Restore(u32);
        impl Drop for Restore {
            fn drop(&mut self) {
                write(self.0);
            }
        }
        let _restore = Restore(read());
        write(self.0);
        f()
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn read() -> u32 {
    let mut value = 0u32;
    // SAFETY: stores four bytes to a local variable.
    unsafe { core::arch::asm!("stmxcsr [{}]", in(reg) &mut value, options(nostack)) };
    value
}

/// `value` has come from [`read`], so no reserved bit is set.
#[cfg(target_arch = "x86_64")]
#[inline]
fn write(value: u32) {
    // SAFETY: loads four bytes of a local variable; a value that was read before sets no reserved bit. Code that
    // assumes the default environment runs only outside: `during` calls nothing but kernels compiled like the
    // original loop, and puts the environment back.
    unsafe { core::arch::asm!("ldmxcsr [{}]", in(reg) &value, options(nostack, readonly)) };
}

#[cfg(not(target_arch = "x86_64"))]
fn read() -> u32 {
    MASKS
}

#[cfg(not(target_arch = "x86_64"))]
fn write(_: u32) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_environment_passes() {
        let now = Environment::current();
        assert_eq!(now.check(), Ok(()));
        assert!(Environment(now.0 | 1 << 13).check().is_err());
        assert!(Environment(now.0 & !(1 << 7)).check().is_err());
    }

    #[test]
    fn devices_keep_denormals_that_the_program_flushes_only_where_the_source_allows_it() {
        for (bits, fp, allowed) in [
            (0, FpMode::Exact, true),
            (0, FpMode::Contract, true),
            (0, FpMode::Fast, true),
            (1 << 6, FpMode::Exact, false),
            (1 << 15, FpMode::Exact, false),
            (FLUSH, FpMode::Contract, false),
            (1 << 6, FpMode::Fast, true),
            (FLUSH, FpMode::Fast, true),
        ] {
            let environment = Environment(MASKS | bits);
            assert_eq!(environment.check(), Ok(()));
            assert_eq!(environment.check_for_devices(fp).is_ok(), allowed, "{bits:x} {fp:?}");
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn an_environment_holds_only_during() {
        let before = read() & !FLAGS;
        let flushing = Environment(before | FLUSH);
        let inside =
            flushing.during(|| std::hint::black_box(f64::MIN_POSITIVE) / std::hint::black_box(2.0));
        assert_eq!(inside, 0.0);
        assert_eq!(read() & !FLAGS, before);
        let outside = std::hint::black_box(f64::MIN_POSITIVE) / std::hint::black_box(2.0);
        assert!(outside > 0.0);
    }
}
