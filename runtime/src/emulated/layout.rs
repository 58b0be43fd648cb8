//! Where variables lie. Shared and local ones are numbered from 0 in their own space; constants and
//! globals, which a module keeps from launch to launch, lie in a window of generic addresses, as do
//! shared and local memory when they are reached through generic addresses. The windows are at the
//! top of the address space, where no region of [`Memory`](super::Memory) may lie.

use std::collections::{HashMap, HashSet};

use super::error::PtxError;
use super::syntax::*;

/// Generic addresses of shared memory begin here.
pub const SHARED_WINDOW: u64 = 0xffff_f000_0000_0000;
/// Generic addresses of local memory begin here.
pub const LOCAL_WINDOW: u64 = 0xffff_f100_0000_0000;
/// The module's own variables begin here.
pub const GLOBAL_WINDOW: u64 = 0xffff_f200_0000_0000;
/// Bytes of each window.
pub const WINDOW: u64 = 1 << 32;

/// Shared memory that a block can have (sm_90).
pub const MOST_SHARED: u64 = 227 * 1024;
/// Local memory that a thread can have.
const MOST_LOCAL: u64 = 512 * 1024;

/// Addresses of the module's `.global` and `.const` variables, and their first contents.
#[derive(Default)]
pub struct Globals<'a> {
    addresses: HashMap<&'a str, u64>,
    pub image: Vec<u8>,
}

impl<'a> Globals<'a> {
    pub fn new(unit: &Unit<'a>) -> Result<Globals<'a>, PtxError> {
        let mut globals = Globals::default();
        let of_entries = unit.entries.iter().flat_map(|entry| &entry.variables);
        for variable in unit.variables.iter().chain(of_entries) {
            if !matches!(variable.area, Area::Global | Area::Const) {
                continue;
            }
            let Some(size) = variable.size else {
                return Err(PtxError::new(variable.line, "a variable without size"));
            };
            let start = (globals.image.len() as u64).next_multiple_of(variable.align) as usize;
            globals.image.resize(start + size as usize, 0);
            globals.image[start..start + variable.bytes.len()].copy_from_slice(&variable.bytes);
            globals.addresses.insert(variable.name, GLOBAL_WINDOW + start as u64);
        }
        Ok(globals)
    }
}

/// The variables that one kernel sees.
pub struct Layout<'a> {
    addresses: HashMap<&'a str, u64>,
    /// Bytes of statically sized shared variables that the kernel mentions.
    pub shared: u32,
    /// Where `.extern .shared` variables begin.
    pub dynamic: u32,
    /// Bytes of local memory for each thread.
    pub local: u32,
}

impl<'a> Layout<'a> {
    pub fn new(
        unit: &Unit<'a>,
        entry: &Entry<'a>,
        globals: &Globals<'a>,
    ) -> Result<Layout<'a>, PtxError> {
        let mut layout =
            Layout { addresses: globals.addresses.clone(), shared: 0, dynamic: 0, local: 0 };
        let mentioned = mentions(entry);
        let (mut shared, mut local) = (0u64, 0u64);
        let (mut open, mut dynamic_align) = (Vec::new(), 16);
        for variable in unit.variables.iter().chain(&entry.variables) {
            let (end, most) = match variable.area {
                Area::Shared if mentioned.contains(variable.name) => (&mut shared, MOST_SHARED),
                Area::Local => (&mut local, MOST_LOCAL),
                _ => continue,
            };
            let Some(size) = variable.size else {
                open.push(variable);
                dynamic_align = variable.align.max(dynamic_align);
                continue;
            };
            let start: u64 = end.next_multiple_of(variable.align);
            *end = start + size;
            layout.addresses.insert(variable.name, start);
            if *end > most {
                return Err(PtxError::new(variable.line, "variables too large"));
            }
        }
        layout.shared = shared as u32;
        layout.dynamic = shared.next_multiple_of(dynamic_align) as u32;
        layout.local = local as u32;
        for variable in open {
            if variable.area == Area::Local {
                return Err(PtxError::new(variable.line, "a variable without size"));
            }
            layout.addresses.insert(variable.name, layout.dynamic.into());
        }
        Ok(layout)
    }

    /// The address of a variable in its own space.
    pub fn address(&self, name: &str) -> Option<u64> {
        self.addresses.get(name).copied()
    }
}

/// The symbols that a kernel's instructions name.
fn mentions<'a>(entry: &Entry<'a>) -> HashSet<&'a str> {
    let operands = entry.statements.iter().filter_map(|statement| match statement {
        Statement::Instruction(instruction) => Some(&instruction.operands),
        _ => None,
    });
    let names = operands.flatten().filter_map(|operand| match operand {
        Operand::Symbol(name, _) | Operand::Address(Base::Symbol(name), _) => Some(*name),
        _ => None,
    });
    names.collect()
}
