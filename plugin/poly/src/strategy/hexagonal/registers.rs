//! Tiles in the registers of a warp: which boxes its lanes hold.

use super::tiling::Unstaged;
use crate::kernel::build::cost::registers;
use crate::kernel::cost::{has_rare_ways, instructions};
use crate::problem::Problem;
use crate::schedule::{Phase, staging};

/// Lanes of a warp.
const LANES: i64 = 32;

/// Columns of a lane at most.
const MOST_COLUMNS: i64 = 8;

/// Registers of a thread that a tile may be expected to take; a thread has 255, and the assembler keeps some tens out of the
/// way.
const MOST_REGISTERS: u64 = 288;

/// Instructions of a full tile, which are written out, at most, in two and in three dimensions. Partial tiles take two or
/// three times as many, and all together should fit an instruction cache of some 64 to 128 KiB.
const MOST_INSTRUCTIONS: [u64; 2] = [4096, 1152];
/// The same where divisions and roots have rare ways, which lie between.
const MOST_WITH_RARE_WAYS: [u64; 2] = [2560, 1152];

/// Insets of a shrinking tile whose box is as wide as its pitch: whole vectors, so that its stores are aligned.
pub fn insets(reach: (i64, i64), pitch: i64) -> (i64, i64) {
    let columns = columns(pitch);
    let whole = |x: i64| (x + columns - 1).div_euclid(columns) * columns;
    (whole(reach.0), whole(reach.1))
}

/// Columns of a lane for boxes of that width.
fn columns(width: i64) -> i64 {
    let needed = (width + LANES - 1).div_euclid(LANES).max(1);
    (needed as u64).next_power_of_two() as i64
}

/// Adds the boxes of all arrays that move with the tile, 32 times as wide as a lane.
pub fn stage(problem: &Problem, phases: &mut [Phase]) -> Result<(), Unstaged> {
    let program = &problem.stencil;
    let arrays = staging::moving(program);
    let impossible = |why: &str| Err(Unstaged::Impossible(why.to_owned()));
    let last = problem.dims() - 1;
    if last == 0 {
        return impossible("registers hold tiles of two and three dimensions");
    }
    if !problem.written_arrays().iter().all(|a| arrays.contains(a)) {
        return impossible(
            "an access to an array that the nest writes does not move with the tile",
        );
    }
    let aside = |array: u16| {
        staging::accesses(program, array)
            .any(|(_, a, write)| write && staging::aligned_offset(a, last) != Some(0))
    };
    if arrays.iter().any(|&a| aside(a)) {
        return impossible("a statement writes beside its own column");
    }
    for phase in phases {
        if phase.rows().count() <= last {
            return impossible(
                "registers hold a tile only where every dimension after the first is split",
            );
        }
        let Some(mut boxes) = staging::boxes(program, &arrays, phase, None) else {
            return impossible("a dimension is whole");
        };
        let touched = boxes.iter().map(|b| (b.lo[last], b.hi[last]));
        let Some((lo, hi)) = touched.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))) else { continue };
        let Some((left, columns)) = lanes(lo, hi) else {
            return Err(Unstaged::TooLarge(format!(
                "a tile of {} columns is wider than a warp of {MOST_COLUMNS} columns a lane",
                hi - lo + 1
            )));
        };
        if let Some((_, row)) = phase.rows().next_back().filter(|(_, r)| r.pitch % columns != 0) {
            return Err(Unstaged::Impossible(format!(
                "p{last} = {} must be a multiple of the {columns} columns of a lane",
                row.pitch
            )));
        }
        for b in &mut boxes {
            (b.lo[last], b.hi[last]) = (left, left + LANES * columns - 1);
        }
        phase.staging = boxes;
        fits(problem, phase, columns)?;
        if !staging::clear_of_neighbours(program, phase) {
            return impossible(
                "w0 is too small to load a tile's box beside its neighbours' writes",
            );
        }
    }
    Ok(())
}

/// First column of lane 0 and columns of a lane for a box from `lo` to `hi`.
fn lanes(lo: i64, hi: i64) -> Option<(i64, i64)> {
    let all = (0..).map(|n| 1 << n).take_while(|&columns| columns <= MOST_COLUMNS);
    all.map(|columns| (lo.div_euclid(columns) * columns, columns))
        .find(|(left, columns)| left + LANES * columns > hi)
}

fn fits(problem: &Problem, phase: &Phase, columns: i64) -> Result<(), Unstaged> {
    let program = &problem.stencil;
    let of_level = |level: i64| {
        let points = (0..problem.dims() - 1)
            .filter_map(|d| phase.extent(level, d))
            .fold(columns, |n, (lo, hi)| n.saturating_mul((hi - lo + 1).max(0)));
        let s = &program.statements[(level % problem.k()) as usize];
        (points as u64).saturating_mul(instructions(s) + 3)
    };
    let instructions = (0..phase.levels).map(of_level).fold(0, u64::saturating_add);
    let most = match program.statements.iter().any(has_rare_ways) {
        true => MOST_WITH_RARE_WAYS,
        false => MOST_INSTRUCTIONS,
    }[usize::from(problem.dims() > 2)];
    if instructions > most {
        return Err(Unstaged::TooLarge(format!(
            "a tile is about {instructions} instructions, of which {most} may be written out"
        )));
    }
    // Counted last: rows of short tiles only.
    let registers = registers(problem, phase);
    if registers > MOST_REGISTERS {
        return Err(Unstaged::TooLarge(format!(
            "a tile needs {registers} registers of a lane, of which {MOST_REGISTERS} may be expected"
        )));
    }
    Ok(())
}
