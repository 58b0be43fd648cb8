//! The device's address space as the host lends it: [`Memory`] maps ranges of virtual device
//! addresses to host memory. Refuses regions that overlap, wrap, or lie differently against 8-byte
//! alignment on both sides; everything else about an access is checked when it is made.

use std::fmt;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use super::lanes::Lane;
use super::layout::SHARED_WINDOW;

/// The device's address space: disjoint regions of host memory at virtual device addresses.
#[derive(Default)]
pub struct Memory {
    /// By rising base.
    regions: Vec<Region>,
}

#[derive(Clone, Copy)]
pub(super) struct Region {
    base: u64,
    bytes: u64,
    pointer: *mut u8,
}

/// Why a region was not added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegionError {
    /// Another region has some of these addresses.
    Overlap,
    /// The addresses wrap around or reach the windows that the interpreter keeps for itself.
    OutOfRange,
    /// Address and pointer differ modulo 8.
    Alignment,
}

impl fmt::Display for RegionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RegionError::Overlap => "another region has some of these device addresses",
            RegionError::OutOfRange => "the device addresses are out of range",
            RegionError::Alignment => "device address and host pointer differ modulo 8",
        })
    }
}

impl std::error::Error for RegionError {}

// SAFETY: the pointers stand for memory that `add_region`'s caller promised to be usable from any
// thread while the region exists; Memory itself only reads its list.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    pub fn new() -> Memory {
        Memory::default()
    }

    /// Maps the device addresses from `base` on to the `bytes` bytes at `pointer`.
    ///
    /// # Safety
    /// Until the region is removed or the memory dropped, the bytes are valid and initialised, and
    /// while a launch runs nothing but that launch's threads accesses them, other than by relaxed
    /// atomics. (Kernels access them by relaxed atomics of their own width, so that even a racing
    /// kernel has no undefined behaviour as long as racing accesses have the same width.)
    pub unsafe fn add_region(
        &mut self,
        base: u64,
        pointer: *mut u8,
        bytes: usize,
    ) -> Result<(), RegionError> {
        let bytes = bytes as u64;
        if base.checked_add(bytes).is_none_or(|end| end > SHARED_WINDOW) {
            return Err(RegionError::OutOfRange);
        }
        if base % 8 != pointer as u64 % 8 {
            return Err(RegionError::Alignment);
        }
        let at = self.regions.partition_point(|region| region.base < base);
        let before = at.checked_sub(1).map(|before| self.regions[before]);
        let reaches = before.is_some_and(|before| before.base + before.bytes > base);
        let reached = self.regions.get(at).is_some_and(|after| {
            base + bytes > after.base || (base == after.base && after.bytes > 0)
        });
        if reaches || reached {
            return Err(RegionError::Overlap);
        }
        if bytes > 0 {
            self.regions.insert(at, Region { base, bytes, pointer });
        }
        Ok(())
    }

    /// Takes away the region that begins at `base`; whether there was one.
    pub fn remove_region(&mut self, base: u64) -> bool {
        let found = self.regions.iter().position(|region| region.base == base);
        found.map(|at| self.regions.remove(at)).is_some()
    }

    pub(super) fn regions(&self) -> &[Region] {
        &self.regions
    }
}

/// The regions of one launch, and the one that was used last.
pub(super) struct Map {
    regions: Vec<Region>,
    last: usize,
}

impl Map {
    /// `memory` and, above it, the module's own variables.
    ///
    /// # Safety
    /// As [`Memory::add_region`]; the result does not outlive either.
    pub unsafe fn new(memory: &Memory, base: u64, pointer: *mut u8, bytes: u64) -> Map {
        let mut regions = memory.regions().to_vec();
        regions.push(Region { base, bytes, pointer });
        Map { regions, last: 0 }
    }

    /// The host's place of the addresses from `from` up to, but without, `to`.
    #[inline(always)]
    pub fn find(&mut self, from: u64, to: u64) -> Option<*mut u8> {
        let last = self.regions[self.last];
        if from >= last.base && to <= last.base + last.bytes && from <= to {
            // SAFETY: the offset lies inside the region.
            return Some(unsafe { last.pointer.add((from - last.base) as usize) });
        }
        self.search(from, to)
    }

    #[inline(never)]
    fn search(&mut self, from: u64, to: u64) -> Option<*mut u8> {
        let at = self.regions.partition_point(|region| region.base <= from).checked_sub(1)?;
        let region = self.regions[at];
        if to > region.base + region.bytes || from > to {
            return None;
        }
        self.last = at;
        // SAFETY: the offset lies inside the region.
        Some(unsafe { region.pointer.add((from - region.base) as usize) })
    }
}

/// Memory that launches of one module share: its `.global` and `.const` variables.
pub(super) struct Storage {
    words: Vec<AtomicU64>,
    bytes: u64,
}

impl Storage {
    pub fn new(image: &[u8]) -> Storage {
        let word = |chunk: &[u8]| {
            let mut bytes = [0; 8];
            bytes[..chunk.len()].copy_from_slice(chunk);
            AtomicU64::new(u64::from_le_bytes(bytes))
        };
        Storage { words: image.chunks(8).map(word).collect(), bytes: image.len() as u64 }
    }

    pub fn pointer(&self) -> *mut u8 {
        self.words.as_ptr().cast::<u8>().cast_mut()
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// An integer that memory is read and written by, as a relaxed atomic.
pub(super) trait Cell: Lane {
    /// # Safety
    /// `place` is valid, initialised and aligned, and raced at most by relaxed atomics.
    unsafe fn load(place: *const u8) -> Self;
    /// # Safety
    /// As [`Cell::load`].
    unsafe fn store(place: *mut u8, value: Self);
}

macro_rules! cell {
    ($($t:ty => $atomic:ty),*) => { $(
        impl Cell for $t {
            #[inline(always)]
            unsafe fn load(place: *const u8) -> $t {
                // SAFETY: the caller's promise.
                let atomic = unsafe { <$atomic>::from_ptr(place.cast_mut().cast()) };
                atomic.load(Ordering::Relaxed)
            }

            #[inline(always)]
            unsafe fn store(place: *mut u8, value: $t) {
                // SAFETY: the caller's promise.
                unsafe { <$atomic>::from_ptr(place.cast()) }.store(value, Ordering::Relaxed);
            }
        }
    )* };
}
cell!(u8 => AtomicU8, u16 => AtomicU16, u32 => AtomicU32, u64 => AtomicU64);
