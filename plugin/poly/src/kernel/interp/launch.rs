//! One launch: what all of its blocks have in common.

use super::elements::Elements;
use super::memory::{Address, Sizes};
use super::races::{History, Who};
use super::{Fault, Ran, block, threads};
use crate::kernel::ir::{IExpr, Kernel, Place, SharedBuffer, Style};
use crate::stencil::StencilProgram;
use hexpass_abi::KernelParam;
use std::collections::HashMap;

/// A launch in progress.
pub struct Launch<'a> {
    pub kernel: &'a Kernel,
    pub stencil: &'a StencilProgram,
    pub sizes: &'a Sizes,
    /// Values of the integer parameters; of a buffer, its number.
    pub params: Vec<i64>,
    pub time: i64,
    /// Number of blocks along each axis.
    pub grid: [i64; 3],
    global: HashMap<Address, History>,
}

impl<'a> Launch<'a> {
    pub fn new(
        kernel: &'a Kernel,
        stencil: &'a StencilProgram,
        sizes: &'a Sizes,
        params: Vec<i64>,
        time: i64,
        grid: [i64; 3],
    ) -> Launch<'a> {
        Launch { kernel, stencil, sizes, params, time, grid, global: HashMap::new() }
    }

    /// Runs the block at these indices.
    pub fn run_block(
        &mut self,
        block: [i64; 3],
        elements: &mut Elements<'_>,
        ran: &mut Ran,
    ) -> Result<(), Fault> {
        ran.blocks += 1;
        match self.kernel.style {
            Style::Block => block::run(self, block, elements, ran),
            Style::Thread => threads::run(self, block, elements, ran),
        }
    }

    /// Number of a block in its grid.
    pub fn number(&self, block: [i64; 3]) -> i64 {
        block[0] + self.grid[0] * (block[1] + self.grid[1] * block[2])
    }

    /// Notes that somebody reads an element.
    pub fn reads(&mut self, at: Address, place: &Place, who: Who) -> Result<(), Fault> {
        match self.global.entry(at).or_default().read(who) {
            true => Ok(()),
            false => Err(race("read", place, who)),
        }
    }

    /// Notes that somebody writes an element.
    pub fn writes(&mut self, at: Address, place: &Place, who: Who) -> Result<(), Fault> {
        match self.global.entry(at).or_default().write(who) {
            true => Ok(()),
            false => Err(race("write", place, who)),
        }
    }

    /// An array's slot for a rotation; its address and strides must be among the kernel's parameters.
    pub fn slot(&self, array: u16, rotation: i64) -> Result<i64, Fault> {
        let a = self.stencil.arrays.get(usize::from(array)).ok_or("no such array")?;
        let rotation = rotation.rem_euclid(a.slots.len() as i64);
        self.needs(KernelParam::Slot { array, rotation: rotation as u16 })?;
        self.needs_strides(array, a.strides.len())?;
        Ok(self.time + rotation)
    }

    /// The array of a [`KernelParam::Buffer`], whose strides must be among the parameters, and the buffer's number.
    pub fn buffer(&self, param: u16) -> Result<(u16, i64), Fault> {
        let at = usize::from(param);
        let Some(KernelParam::Buffer { array, .. }) = self.kernel.params.get(at) else {
            return Err(format!("parameter {param} is no buffer").into());
        };
        let a = self.stencil.arrays.get(usize::from(*array)).ok_or("no such array")?;
        self.needs_strides(*array, a.strides.len())?;
        Ok((*array, self.params[at]))
    }

    fn needs_strides(&self, array: u16, dims: usize) -> Result<(), Fault> {
        (1..dims).try_for_each(|d| self.needs(KernelParam::Stride { array, dim: d as u8 - 1 }))
    }

    fn needs(&self, p: KernelParam) -> Result<(), Fault> {
        match self.kernel.params.contains(&p) {
            true => Ok(()),
            false => Err(format!("{p:?} is not among the parameters").into()),
        }
    }
}

/// The fault of somebody who may not touch a place now.
pub fn race(what: &str, place: &Place, who: Who) -> Fault {
    Fault(format!("race: {who:?} may not {what} {place:?}"))
}

/// Value of a leaf that is the same for all threads of a block.
pub fn leaf(e: &IExpr, params: &[i64], block: [i64; 3]) -> Option<i64> {
    match e {
        IExpr::Param(p) => params.get(usize::from(*p)).copied(),
        IExpr::Block(axis) => block.get(usize::from(*axis)).copied(),
        _ => None,
    }
}

/// A shared buffer of one block.
pub struct Shared {
    pub bits: Vec<Option<u64>>,
    pub history: Vec<History>,
}

impl Shared {
    /// All of a kernel's buffers, filled with nothing.
    pub fn all(kernel: &Kernel) -> Vec<Shared> {
        let new = |b: &SharedBuffer| {
            let n = b.extents.iter().product::<i64>().max(0) as usize;
            Shared { bits: vec![None; n], history: vec![History::default(); n] }
        };
        kernel.shared.iter().map(new).collect()
    }
}

/// Index of an element of a shared buffer.
pub fn shared_index(b: &SharedBuffer, subscripts: &[i64]) -> Result<usize, Fault> {
    if subscripts.len() != b.extents.len() {
        return Err(format!("{} subscripts for buffer {}", subscripts.len(), b.name).into());
    }
    let mut at = 0;
    for (x, extent) in subscripts.iter().zip(&b.extents) {
        if !(0..*extent).contains(x) {
            return Err(format!("{}{subscripts:?} is outside {:?}", b.name, b.extents).into());
        }
        at = at * extent + x;
    }
    Ok(at as usize)
}
