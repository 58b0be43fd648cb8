//! When a launch may start before the one before has ended (programmatic dependent launch).
//!
//! Consumes a GPU, a kernel that waits for the launch before by itself, and the grid; produces the shared memory that a block
//! asks for, or the refusal to start early.
//!
//! Blocks that start early take the places which are free while the launch before still runs. Where a grid fills all
//! places, each multiprocessor gets its share whenever it ends; where it is smaller, the first to end would take as many
//! blocks as it has room for, and the last none: the slowest then has more to do than its share. So a block of such a
//! grid asks for shared memory that it does not use, as much as leaves room for its multiprocessor's share and no more.
//! That leaves little of the first-level cache, where lines wait that are on their way: blocks that load much in a turn
//! had rather wait for the launch before (FDTD f32 was 20 % slower with it).

use hexpass_abi::Machine;

/// Of all places, the part that a grid has to fill so that no multiprocessor gets many more blocks than another.
const FILLED: f64 = 0.95;

/// Shared memory of a block beyond which a kernel would have to be asked for its consent, in bytes.
const WITHOUT_CONSENT: u32 = 48 * 1024;

/// Bytes that all blocks of a multiprocessor may move in a turn where shared memory takes most of the first-level cache
/// (28 KiB are left on an H200).
const MOVED: u64 = 16 * 1024;

/// A kernel, as far as it matters here.
#[derive(Clone, Copy, Debug)]
pub struct Needs {
    /// Of a thread.
    pub registers: u16,
    /// Threads of a block.
    pub threads: u32,
    /// Shared memory of a block, in bytes.
    pub shared_bytes: u32,
    /// Bytes from and to memory in a turn of a block; 0: unknown.
    pub moved: u64,
}

/// Shared memory of each block, in bytes, with which a grid of so many `blocks` may start early; `None`: it should wait.
pub fn shared_bytes(machine: &Machine, needs: &Needs, blocks: u64) -> Option<u32> {
    let &Needs { registers, threads, shared_bytes, moved } = needs;
    let resident = machine.resident(registers, threads, shared_bytes);
    let units = machine.units.max(1);
    if blocks as f64 >= FILLED * f64::from(units) * f64::from(resident) {
        return Some(shared_bytes);
    }
    let share = u32::try_from(blocks.div_ceil(u64::from(units))).ok().filter(|n| *n > 0)?;
    if moved == 0 || moved * u64::from(share) > MOVED {
        return None;
    }
    let room = machine.shared_of(share);
    let asked = (shared_bytes..=WITHOUT_CONSENT).contains(&room).then_some(room)?;
    (machine.resident(registers, threads, asked) == share).then_some(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of strips of one warp, and of blocks of four that use shared memory.
    const STRIP: Needs = Needs { registers: 128, threads: 32, shared_bytes: 0, moved: 960 };
    const TILE: Needs = Needs { threads: 128, shared_bytes: 40 * 1024, ..STRIP };

    fn of(needs: &Needs, blocks: u64) -> Option<u32> {
        shared_bytes(&Machine::h200(), needs, blocks)
    }

    #[test]
    fn grids_that_fill_all_places_ask_for_nothing_more() {
        for blocks in [132 * 16, 132 * 100, 2040] {
            assert_eq!(of(&STRIP, blocks), Some(0));
        }
        assert_eq!(of(&TILE, 132 * 100), Some(40 * 1024));
    }

    #[test]
    fn smaller_grids_leave_room_for_their_share_only() {
        for blocks in [1530, 800, 132 * 5] {
            let asked = of(&STRIP, blocks).unwrap();
            let share = blocks.div_ceil(132) as u32;
            assert_eq!(Machine::h200().resident(128, 32, asked), share, "{blocks}");
        }
    }

    #[test]
    fn grids_of_few_blocks_or_of_blocks_that_load_much_wait() {
        for blocks in [0, 132] {
            assert_eq!(of(&STRIP, blocks), None);
        }
        assert_eq!(of(&TILE, 132 * 3), None);
        for moved in [0, 2880] {
            assert_eq!(of(&Needs { moved, ..STRIP }, 800), None);
        }
    }
}
