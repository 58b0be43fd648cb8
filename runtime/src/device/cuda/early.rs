//! When a launch may start before the one before has ended (programmatic dependent launch).
//!
//! Consumes a GPU, a kernel that waits for the launch before by itself, and the grid; produces the shared memory that a block
//! asks for, or the refusal to start early.
//!
//! Blocks that start early take the places which are free while the launch before still runs. Where a grid fills all
//! places, each multiprocessor gets its share whenever it ends; where it is smaller, the first to end would take as many
//! blocks as it has room for, and the last none: the slowest then has more to do than its share. So a block of such a
//! grid asks for shared memory that it does not use, as much as leaves room for its multiprocessor's share and no more.

use hexpass_abi::Machine;

/// Of all places, the part that a grid has to fill so that no multiprocessor gets many more blocks than another.
const FILLED: f64 = 0.95;

/// Shared memory of a block beyond which a kernel would have to be asked for its consent, in bytes.
const WITHOUT_CONSENT: u32 = 48 * 1024;

/// Shared memory of each block, in bytes, with which a grid of so many `blocks` may start early; `None`: it should wait.
///
/// `registers`, `threads` and `shared_bytes` are those of the kernel.
pub fn shared_bytes(
    machine: &Machine,
    registers: u16,
    threads: u32,
    shared_bytes: u32,
    blocks: u64,
) -> Option<u32> {
    let resident = machine.resident(registers, threads, shared_bytes);
    let units = machine.units.max(1);
    if blocks as f64 >= FILLED * f64::from(units) * f64::from(resident) {
        return Some(shared_bytes);
    }
    let share = u32::try_from(blocks.div_ceil(u64::from(units))).ok().filter(|n| *n > 0)?;
    let room = machine.shared_of(share);
    let asked = (shared_bytes..=WITHOUT_CONSENT).contains(&room).then_some(room)?;
    (machine.resident(registers, threads, asked) == share).then_some(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REGISTERS: u16 = 128;

    fn of(blocks: u64, threads: u32, shared: u32) -> Option<u32> {
        shared_bytes(&Machine::h200(), REGISTERS, threads, shared, blocks)
    }

    #[test]
    fn grids_that_fill_all_places_ask_for_nothing_more() {
        assert_eq!(of(132 * 16, 32, 0), Some(0));
        assert_eq!(of(132 * 100, 32, 1024), Some(1024));
        assert_eq!(of(2040, 32, 0), Some(0));
    }

    #[test]
    fn smaller_grids_leave_room_for_their_share_only() {
        for blocks in [1530, 800, 132 * 5] {
            let asked = of(blocks, 32, 0).unwrap();
            let share = blocks.div_ceil(132) as u32;
            assert_eq!(Machine::h200().resident(REGISTERS, 32, asked), share, "{blocks}");
        }
    }

    #[test]
    fn grids_of_few_blocks_wait() {
        assert_eq!(of(0, 32, 0), None);
        assert_eq!(of(132, 32, 0), None);
        assert_eq!(of(132 * 3, 128, 40 * 1024), None);
    }
}
