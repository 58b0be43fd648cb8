//! Runs a stencil program as it was written: step by step, statement by statement, in lexicographic order.

use super::Fault;
use super::arithmetic::evaluate;
use super::memory::{Memory, Sizes};
use crate::stencil::StencilProgram;

/// Runs it; returns the number of instances.
pub fn run(p: &StencilProgram, sizes: &Sizes, memory: &mut Memory) -> Result<u64, Fault> {
    let mut instances = 0;
    for t in 0..sizes.steps {
        for statement in 0..p.statements.len() {
            if sizes.is_empty(statement) {
                continue;
            }
            let bounds = sizes.bounds(statement);
            let mut coords: Vec<i64> = bounds.iter().map(|b| b.0).collect();
            loop {
                instance(p, sizes, memory, statement, t, &coords)?;
                instances += 1;
                if !advance(&mut coords, bounds) {
                    break;
                }
            }
        }
    }
    Ok(instances)
}

/// The next point of a box in lexicographic order; false after the last.
pub fn advance(coords: &mut [i64], bounds: &[(i64, i64)]) -> bool {
    for d in (0..coords.len()).rev() {
        if coords[d] < bounds[d].1 {
            coords[d] += 1;
            return true;
        }
        coords[d] = bounds[d].0;
    }
    false
}

fn instance(
    p: &StencilProgram,
    sizes: &Sizes,
    memory: &mut Memory,
    statement: usize,
    t: i64,
    coords: &[i64],
) -> Result<(), Fault> {
    let s = &p.statements[statement];
    let elem = |array: u16| p.arrays[usize::from(array)].elem;
    let address = |access: &hexpass_abi::Access| {
        let subscripts = sizes.subscripts(access, t, coords)?;
        sizes.address(p, access.array, t + i64::from(access.rotation), &subscripts)
    };
    let mut loads = Vec::new();
    for access in &s.reads {
        loads.push(memory.load(address(access)?, elem(access.array))?);
    }
    let values = evaluate(&s.body, &loads, sizes, t, coords)?;
    for w in &s.writes {
        let bits = *values.get(usize::from(w.value)).ok_or("a store of no value")?;
        memory.store(address(&w.access)?, elem(w.access.array), bits)?;
    }
    Ok(())
}
