//! Packs registers into rows. LLVM writes a fresh register for every value; here those that are
//! never alive together share rows, so that a warp's registers stay in the cache. Consumes ordered
//! blocks whose register slots name registers, produces blocks whose slots name rows.
//!
//! Divergence does no harm: each lane follows one path, on which two values that share a row are
//! never alive together, and other lanes' writes leave its part of the row alone.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::code::*;

/// The register file of a warp.
pub struct Rows {
    pub count: u32,
    /// Rows that may be read before they are written, and so have to begin as zero.
    pub zeroed: Vec<u32>,
}

/// Positions from the first to the last at which a register is alive.
#[derive(Clone, Copy)]
struct Interval {
    from: u32,
    to: u32,
}

/// Rewrites the register slots of `blocks`; `rows` says how many rows each register takes.
pub fn allocate(blocks: &mut [Block], rows: &[u32]) -> Rows {
    let liveness = Liveness::of(blocks, rows.len());
    let (homes, count) = scan(&liveness.intervals, rows);
    for block in blocks.iter_mut() {
        each_operand(block, &mut |slot, _, _| {
            if slot.bank() == Bank::Register as usize {
                *slot = Slot::new(Bank::Register, homes[slot.row()]);
            }
        });
    }
    let mut zeroed = Vec::new();
    for &register in &liveness.unwritten {
        let first = homes[register as usize];
        zeroed.extend(first..first + rows[register as usize]);
    }
    Rows { count, zeroed }
}

/// Visits operands with their instruction's index; the block's own come last.
fn each_operand(block: &mut Block, visit: &mut dyn FnMut(&mut Slot, Role, u32)) {
    let last = block.insts.len() as u32;
    if let Some(members) = &mut block.members {
        visit(members, Role::Use, 0);
    }
    for (index, inst) in block.insts.iter_mut().enumerate() {
        inst.operands(&mut |slot, role| visit(slot, role, index as u32));
    }
    if let End::Switch { index: slot, .. } | End::Barrier { number: Some(slot), .. } =
        &mut block.end
    {
        visit(slot, Role::Use, last);
    }
}

struct Liveness {
    intervals: Vec<Option<Interval>>,
    /// Registers alive at the entry.
    unwritten: Vec<u32>,
}

/// What one block does to the registers that cross blocks.
struct Summary {
    used: Vec<u64>,
    defined: Vec<u64>,
    live_in: Vec<u64>,
    next: Vec<u32>,
    start: u32,
    end: u32,
}

const NOWHERE: u32 = u32::MAX;
const MANY: u32 = u32::MAX - 1;

impl Liveness {
    fn of(blocks: &mut [Block], registers: usize) -> Liveness {
        let crossing = crossing(blocks, registers);
        let count = crossing.iter().filter(|&&index| index != NOWHERE).count();
        let mut intervals = vec![None; registers];
        let mut summaries = summaries(blocks, &crossing, count, &mut intervals);
        solve(&mut summaries);
        let names: Vec<u32> = {
            let mut names = vec![0; count];
            for (register, &index) in crossing.iter().enumerate() {
                if index != NOWHERE {
                    names[index as usize] = register as u32;
                }
            }
            names
        };
        for index in 0..summaries.len() {
            let (start, end) = (summaries[index].start, summaries[index].end);
            for bit in bits(&summaries[index].live_in) {
                extend(&mut intervals[names[bit] as usize], start);
            }
            for bit in bits(&live_out(&summaries, index)) {
                extend(&mut intervals[names[bit] as usize], end);
            }
        }
        let entry = summaries.first().map_or(Vec::new(), |first| first.live_in.clone());
        let unwritten = bits(&entry).map(|bit| names[bit]).collect();
        Liveness { intervals, unwritten }
    }
}

/// A dense number for each register that has to be followed over the flow: one that appears in
/// several blocks, or is read in its only block before it is written there.
fn crossing(blocks: &mut [Block], registers: usize) -> Vec<u32> {
    let mut home = vec![NOWHERE; registers];
    for (index, block) in blocks.iter_mut().enumerate() {
        each_operand(block, &mut |slot, role, _| {
            if slot.bank() != Bank::Register as usize {
                return;
            }
            let home = &mut home[slot.row()];
            if *home == NOWHERE && role == Role::Define {
                *home = index as u32;
            } else if *home != index as u32 {
                *home = MANY;
            }
        });
    }
    let mut next = 0;
    for home in &mut home {
        let number = if *home == MANY { next } else { NOWHERE };
        next += u32::from(*home == MANY);
        *home = number;
    }
    home
}

fn summaries(
    blocks: &mut [Block],
    crossing: &[u32],
    count: usize,
    intervals: &mut [Option<Interval>],
) -> Vec<Summary> {
    let words = count.div_ceil(64);
    let mut position = 0;
    let mut summaries = Vec::with_capacity(blocks.len());
    for block in blocks {
        let start = position;
        let (mut used, mut defined) = (vec![0u64; words], vec![0u64; words]);
        each_operand(block, &mut |slot, role, index| {
            if slot.bank() != Bank::Register as usize {
                return;
            }
            let register = slot.row();
            // Operands are read before results are written, so the two may share a row.
            let late = u32::from(role == Role::Define);
            extend(&mut intervals[register], start + 2 * index + late);
            let bit = crossing[register];
            if bit == NOWHERE {
                return;
            }
            let (word, bit) = (bit as usize / 64, 1u64 << (bit % 64));
            match role {
                Role::Define => defined[word] |= bit,
                Role::Use | Role::Modify => used[word] |= bit & !defined[word],
            }
        });
        position += 2 * block.insts.len() as u32 + 2;
        let mut next = Vec::new();
        block.end.targets(&mut |target| next.push(*target));
        let live_in = used.clone();
        summaries.push(Summary { used, defined, live_in, next, start, end: position - 1 });
    }
    summaries
}

fn live_out(summaries: &[Summary], index: usize) -> Vec<u64> {
    let mut out = vec![0; summaries[index].used.len()];
    for &next in &summaries[index].next {
        for (out, live) in out.iter_mut().zip(&summaries[next as usize].live_in) {
            *out |= live;
        }
    }
    out
}

fn solve(summaries: &mut [Summary]) {
    let mut changed = true;
    while changed {
        changed = false;
        for index in (0..summaries.len()).rev() {
            let out = live_out(summaries, index);
            let Summary { used, defined, live_in, .. } = &mut summaries[index];
            for (word, out) in out.into_iter().enumerate() {
                let live = used[word] | (out & !defined[word]);
                changed |= live != live_in[word];
                live_in[word] = live;
            }
        }
    }
}

fn bits(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(index, &word)| {
        (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| 64 * index + bit)
    })
}

fn extend(interval: &mut Option<Interval>, position: u32) {
    let old = interval.unwrap_or(Interval { from: position, to: position });
    *interval = Some(Interval { from: old.from.min(position), to: old.to.max(position) });
}

/// Linear scan: the first row of each register, and the number of rows.
fn scan(intervals: &[Option<Interval>], rows: &[u32]) -> (Vec<u32>, u32) {
    let mut order: Vec<(u32, u32, usize)> = Vec::new();
    for (register, interval) in intervals.iter().enumerate() {
        if let Some(Interval { from, to }) = *interval {
            order.push((from, to, register));
        }
    }
    order.sort_unstable();
    let mut homes = vec![0; rows.len()];
    let mut free: [Vec<u32>; 2] = Default::default();
    let mut active = BinaryHeap::new();
    let mut count = 0;
    for (from, to, register) in order {
        while let Some(&Reverse((end, row, size))) = active.peek() {
            if end >= from {
                break;
            }
            active.pop();
            free[size as usize - 1].push(row);
        }
        let size = rows[register];
        let row = free[size as usize - 1].pop().unwrap_or_else(|| {
            count += size;
            count - size
        });
        homes[register] = row;
        active.push(Reverse((to, row, size)));
    }
    (homes, count)
}
