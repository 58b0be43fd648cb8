//! Loads and stores of a warp. Each access is checked for alignment and bounds, then made; the
//! frequent shapes (consecutive lanes at consecutive addresses, all lanes in one region) are checked
//! once for the whole warp. A failing access names its first failing lane and writes nothing.

use super::code::{Access, SharedCopy};
use super::copies::Copies;
use super::error::{Fault, Space};
use super::lanes::{Lanes, each, lanes_of};
use super::layout::{LOCAL_WINDOW, SHARED_WINDOW, WINDOW};
use super::memory::{Cell, Map};

/// A fault and the lane that it happened in.
#[derive(Debug)]
pub struct Trouble {
    pub lane: u32,
    pub fault: Fault,
}

/// The memory that a warp sees.
pub(super) struct View<'m> {
    pub copies: &'m mut Copies,
    pub map: &'m mut Map,
    /// The block's shared memory, aligned to 16 bytes.
    pub shared: *mut u8,
    pub shared_bytes: u64,
    /// The warp's local memory: `local_bytes` for each lane, rounded up to 16.
    pub local: *mut u8,
    pub local_bytes: u64,
}

/// Where the lanes of an access are in host memory.
#[expect(clippy::large_enum_variant, reason = "lives on the stack for one access")]
enum Places {
    /// Lane l is at `pointer + l · bytes`; all lanes are active.
    Row(*mut u8),
    /// Inactive lanes have the place of an active one.
    Lanes([*mut u8; 32]),
}

impl View<'_> {
    #[inline(always)]
    pub fn load(&mut self, lanes: &Lanes, access: &Access) -> Result<(), Trouble> {
        if lanes.mask == 0 {
            return Ok(());
        }
        let places = self.places(lanes, access, false)?;
        match (access.bytes, access.register_bytes, access.signed) {
            (4, 4, _) => load_elements::<u32, u32>(lanes, access, &places, |value| value),
            (8, _, _) => load_elements::<u64, u64>(lanes, access, &places, |value| value),
            _ => load_widening(lanes, access, &places),
        }
        Ok(())
    }

    #[inline(always)]
    pub fn store(&mut self, lanes: &Lanes, access: &Access) -> Result<(), Trouble> {
        if lanes.mask == 0 {
            return Ok(());
        }
        let places = self.places(lanes, access, true)?;
        match (access.bytes, access.register_bytes) {
            (4, 4) => store_elements::<u32, u32>(lanes, access, &places, |value| value),
            (8, _) => store_elements::<u64, u64>(lanes, access, &places, |value| value),
            _ => store_narrowing(lanes, access, &places),
        }
        Ok(())
    }

    /// Reads what each lane copies; [`View::arrive`] writes it.
    #[inline(never)]
    pub fn copy(&mut self, lanes: &Lanes, copy: &SharedCopy) -> Result<(), Trouble> {
        let from = self.places(lanes, &copy.from, false)?;
        let to = self.places(lanes, &copy.to, true)?;
        let count = usize::from(copy.from.count);
        let of = |places: &Places, lane: usize| match places {
            Places::Row(base) => base.wrapping_add(lane * 4 * count),
            Places::Lanes(each) => each[lane],
        };
        for lane in lanes_of(lanes.mask) {
            let (from, to) = (of(&from, lane as usize), of(&to, lane as usize));
            let mut words = [0; 4];
            for (i, word) in words.iter_mut().take(count).enumerate() {
                // SAFETY: `places` checked all words of each lane.
                *word = unsafe { u32::load(from.add(4 * i)) };
            }
            let offset = (to.addr() - self.shared.addr()) as u64;
            self.copies.ask(lane, offset, words, count);
        }
        Ok(())
    }

    /// Writes what the lanes wait for: all groups of copies but the last ones.
    #[inline(never)]
    pub fn arrive(&mut self, lanes: &Lanes, but: u32) {
        for copy in self.copies.arrive(lanes.mask, but) {
            let to = self.shared.wrapping_add(copy.to as usize);
            for (i, &word) in copy.words.iter().take(copy.count).enumerate() {
                // SAFETY: `copy` checked the place in the block's shared memory.
                unsafe { u32::store(to.add(4 * i), word) };
            }
        }
    }

    #[inline(always)]
    fn places(&mut self, lanes: &Lanes, access: &Access, write: bool) -> Result<Places, Trouble> {
        let size = u64::from(access.bytes) * u64::from(access.count);
        if let Some(first) = first_of_row(lanes, access, size)
            && let Some(base) = self.base(access.space, first, first.wrapping_add(31 * size), size)
        {
            return Ok(Places::Row(base));
        }
        let addresses = addresses(lanes, access);
        let (mut low, mut high, mut together) = (u64::MAX, 0, 0);
        for &address in &addresses {
            low = if address < low { address } else { low };
            high = if address > high { address } else { high };
            together |= address;
        }
        let aligned = together & (size - 1) == 0;
        let base = if aligned { self.base(access.space, low, high, size) } else { None };
        let Some(base) = base else {
            return Ok(Places::Lanes(self.places_one_by_one(lanes, access, &addresses, write)?));
        };
        Ok(Places::Lanes(each(|lane| base.wrapping_add((addresses[lane] - low) as usize))))
    }

    /// The place of address `low`, if all up to `high + size` belong to one stretch of memory.
    #[inline(always)]
    fn base(&mut self, space: Space, low: u64, high: u64, size: u64) -> Option<*mut u8> {
        let end = high.checked_add(size)?;
        match space {
            Space::Global => self.map.find(low, end),
            Space::Shared => self.shared_place(low, end),
            Space::Local => None,
            Space::Generic if high < SHARED_WINDOW => self.map.find(low, end),
            Space::Generic if high < LOCAL_WINDOW => {
                self.shared_place(low.checked_sub(SHARED_WINDOW)?, end - SHARED_WINDOW)
            }
            Space::Generic => None,
        }
    }

    #[inline(always)]
    fn shared_place(&self, low: u64, end: u64) -> Option<*mut u8> {
        let inside = end <= self.shared_bytes && low <= end;
        inside.then(|| self.shared.wrapping_add(low as usize))
    }

    #[inline(never)]
    fn places_one_by_one(
        &mut self,
        lanes: &Lanes,
        access: &Access,
        addresses: &[u64; 32],
        write: bool,
    ) -> Result<[*mut u8; 32], Trouble> {
        let bytes = u32::from(access.bytes) * u32::from(access.count);
        let mut places = [std::ptr::null_mut(); 32];
        for lane in lanes_of(lanes.mask) {
            let address = addresses[lane as usize];
            let space = access.space;
            if !address.is_multiple_of(bytes.into()) {
                let fault = Fault::Misaligned { space, address, bytes, write };
                return Err(Trouble { lane, fault });
            }
            let Some(place) = self.place(space, lane, address, bytes.into()) else {
                let fault = Fault::OutOfBounds { space, address, bytes, write };
                return Err(Trouble { lane, fault });
            };
            places[lane as usize] = place;
        }
        let first = places[lanes.mask.trailing_zeros() as usize];
        Ok(places.map(|place| if place.is_null() { first } else { place }))
    }

    fn place(&mut self, space: Space, lane: u32, address: u64, size: u64) -> Option<*mut u8> {
        let end = address.checked_add(size)?;
        match space {
            Space::Global => self.map.find(address, end),
            Space::Shared => self.shared_place(address, end),
            Space::Local => {
                let start = u64::from(lane) * self.local_bytes.next_multiple_of(16);
                let inside = end <= self.local_bytes;
                inside.then(|| self.local.wrapping_add((start + address) as usize))
            }
            Space::Generic => match window(address) {
                Some((space, offset)) => self.place(space, lane, offset, size),
                None => self.map.find(address, end),
            },
        }
    }
}

/// The first address, where all 32 lanes access aligned neighbours.
#[inline(always)]
fn first_of_row(lanes: &Lanes, access: &Access, size: u64) -> Option<u64> {
    if access.count != 1 || access.address_bytes != 8 || lanes.mask != u32::MAX {
        return None;
    }
    let row = lanes.row::<u64>(access.address);
    // SAFETY: a 64-bit row has 32 lanes; see the promise in `lanes`.
    let address = |lane: usize| unsafe { row.add(lane).read() };
    let (first, shift) = (address(0), size.trailing_zeros());
    let mut differences = 0;
    for lane in 0..32 {
        differences |= address(lane) ^ first.wrapping_add((lane as u64) << shift);
    }
    let first = first.wrapping_add(access.offset as u64);
    (differences == 0 && first & (size - 1) == 0).then_some(first)
}

/// The space and offset of a generic address that lies in one of the two windows.
pub fn window(address: u64) -> Option<(Space, u64)> {
    if address.wrapping_sub(SHARED_WINDOW) < WINDOW {
        return Some((Space::Shared, address - SHARED_WINDOW));
    }
    let offset = address.wrapping_sub(LOCAL_WINDOW);
    (offset < WINDOW).then_some((Space::Local, offset))
}

/// The address of each lane; inactive lanes get that of the first active one.
#[inline(always)]
fn addresses(lanes: &Lanes, access: &Access) -> [u64; 32] {
    let offset = access.offset as u64;
    let addresses: [u64; 32] = if access.address_bytes == 8 {
        let row = lanes.get::<u64>(access.address);
        each(|lane| row[lane].wrapping_add(offset))
    } else {
        let row = lanes.get::<u32>(access.address);
        each(|lane| u64::from(row[lane].wrapping_add(offset as u32)))
    };
    if lanes.mask == u32::MAX {
        return addresses;
    }
    let first = addresses[lanes.mask.trailing_zeros() as usize];
    each(|lane| if lanes.mask & (1 << lane) != 0 { addresses[lane] } else { first })
}

#[inline(always)]
fn load_elements<T: Cell, R: super::lanes::Lane>(
    lanes: &Lanes,
    access: &Access,
    places: &Places,
    widen: impl Fn(T) -> R,
) {
    match places {
        Places::Row(base) => {
            // SAFETY: `places` checked the 32 consecutive elements at `base`; races, if any, are
            // between relaxed atomics.
            let value = each(|lane| widen(unsafe { T::load(base.add(lane * size_of::<T>())) }));
            lanes.put(access.registers[0], &value);
        }
        Places::Lanes(pointers) => {
            for element in 0..usize::from(access.count) {
                let offset = element * size_of::<T>();
                // SAFETY: `places` checked all elements of each lane.
                let value = each(|lane| widen(unsafe { T::load(pointers[lane].add(offset)) }));
                lanes.put(access.registers[element], &value);
            }
        }
    }
}

#[inline(always)]
fn store_elements<T: Cell, R: super::lanes::Lane>(
    lanes: &Lanes,
    access: &Access,
    places: &Places,
    narrow: impl Fn(R) -> T,
) {
    match places {
        Places::Row(base) => {
            let value = lanes.get::<R>(access.registers[0]);
            for (lane, &value) in value.iter().enumerate() {
                // SAFETY: as in `load_elements`.
                unsafe { T::store(base.add(lane * size_of::<T>()), narrow(value)) };
            }
        }
        Places::Lanes(pointers) => {
            for element in 0..usize::from(access.count) {
                let value = lanes.get::<R>(access.registers[element]);
                let offset = element * size_of::<T>();
                for lane in lanes_of(lanes.mask) {
                    let lane = lane as usize;
                    // SAFETY: as in `load_elements`; only active lanes are stored.
                    unsafe { T::store(pointers[lane].add(offset), narrow(value[lane])) };
                }
            }
        }
    }
}

#[inline(never)]
fn load_widening(lanes: &Lanes, access: &Access, places: &Places) {
    macro_rules! widths {
        ($(($bytes:literal, $register:literal, $signed:literal) => $t:ty, $via:ty, $r:ty;)*) => {
            match (access.bytes, access.register_bytes, access.signed) {
                $(($bytes, $register, $signed) => {
                    load_elements::<$t, $r>(lanes, access, places, |value| value as $via as $r);
                })*
                _ => (),
            }
        };
    }
    widths! {
        (1, 2, false) => u8, u8, u16;
        (1, 4, false) => u8, u8, u32;
        (1, 8, false) => u8, u8, u64;
        (1, 2, true) => u8, i8, u16;
        (1, 4, true) => u8, i8, u32;
        (1, 8, true) => u8, i8, u64;
        (2, 2, false) => u16, u16, u16;
        (2, 2, true) => u16, u16, u16;
        (2, 4, false) => u16, u16, u32;
        (2, 8, false) => u16, u16, u64;
        (2, 4, true) => u16, i16, u32;
        (2, 8, true) => u16, i16, u64;
        (4, 8, false) => u32, u32, u64;
        (4, 8, true) => u32, i32, u64;
    }
}

#[inline(never)]
fn store_narrowing(lanes: &Lanes, access: &Access, places: &Places) {
    match (access.bytes, access.register_bytes) {
        (1, 2) => store_elements::<u8, u16>(lanes, access, places, |value| value as u8),
        (1, 4) => store_elements::<u8, u32>(lanes, access, places, |value| value as u8),
        (1, 8) => store_elements::<u8, u64>(lanes, access, places, |value| value as u8),
        (2, 2) => store_elements::<u16, u16>(lanes, access, places, |value| value),
        (2, 4) => store_elements::<u16, u32>(lanes, access, places, |value| value as u16),
        (2, 8) => store_elements::<u16, u64>(lanes, access, places, |value| value as u16),
        (4, 8) => store_elements::<u32, u64>(lanes, access, places, |value| value as u32),
        _ => (),
    }
}
