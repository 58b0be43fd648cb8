//! What a launch reads and does not write, so that loads may go past stores and through the read-only path.

use hexpass_abi::KernelParam;
use hexpass_poly::kernel::ir::{Kernel, Node, Place, Style};
use hexpass_poly::stencil::StencilProgram;
use std::collections::HashSet;

/// For each array whether no statement of the nest writes it.
pub fn arrays(stencil: &StencilProgram) -> Vec<bool> {
    let mut out = vec![true; stencil.arrays.len()];
    for write in stencil.statements.iter().flat_map(|s| &s.writes) {
        if let Some(array) = out.get_mut(usize::from(write.access.array)) {
            *array = false;
        }
    }
    out
}

/// For each parameter whether it is the address of memory that no store of the kernel reaches.
///
/// Buffers are not among them, though a launch stores to others than it loads from: what is loaded planes ahead must be
/// asked for in its turn, and stores are all that keeps the assembler from asking for several planes at once, late.
pub fn params(stencil: &StencilProgram, kernel: &Kernel) -> Vec<bool> {
    let read_only = arrays(stencil);
    let mut stored = Stored { stencil, slots: HashSet::new(), buffers: HashSet::new() };
    stored.nodes(&kernel.body);
    let constant = |(i, p): (usize, &KernelParam)| match p {
        KernelParam::Slot { array, .. } => {
            let written = !read_only.get(usize::from(*array)).copied().unwrap_or(false);
            !written || kernel.style == Style::Thread && stored.spares(kernel, i, *array)
        }
        _ => false,
    };
    kernel.params.iter().enumerate().map(constant).collect()
}

/// Where a kernel stores.
struct Stored<'a> {
    stencil: &'a StencilProgram,
    /// Arrays and rotations; `None` for one that is chosen at run time.
    slots: HashSet<(u16, Option<i64>)>,
    buffers: HashSet<u16>,
}

impl Stored<'_> {
    fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::For { body, .. } => self.nodes(body),
                Node::If { then, otherwise, .. } => {
                    self.nodes(then);
                    self.nodes(otherwise);
                }
                Node::Copy { to, .. } | Node::Vector { to, .. } => self.place(to),
                Node::Instance { writes, .. } => {
                    writes.iter().flatten().for_each(|p| self.place(p));
                }
                Node::Let { .. }
                | Node::Shuffle { .. }
                | Node::Select { .. }
                | Node::Prefetch { .. }
                | Node::Fetch { .. }
                | Node::Await { .. }
                | Node::Barrier
                | Node::BarrierBeside => {}
            }
        }
    }

    fn place(&mut self, place: &Place) {
        match place {
            Place::Global { array, rotation, .. } => {
                let shape = self.stencil.arrays.get(usize::from(*array));
                let slots = shape.map_or(1, |a| a.slots.len().max(1)) as i64;
                self.slots.insert((*array, rotation.as_const().map(|r| r.rem_euclid(slots))));
            }
            Place::Buffer { param, .. } => {
                self.buffers.insert(*param);
            }
            Place::Shared { .. } | Place::Register { .. } => {}
        }
    }

    /// No store reaches the slot that address parameter `param` of `array` leads to. Slots of different rotations are
    /// apart; a slot may be a buffer.
    fn spares(&self, kernel: &Kernel, param: usize, array: u16) -> bool {
        let mut buffers = self.buffers.iter().filter_map(|&b| kernel.params.get(usize::from(b)));
        let of_array =
            |p: &KernelParam| matches!(p, KernelParam::Buffer { array: a, .. } if *a == array);
        let Some(KernelParam::Slot { rotation, .. }) = kernel.params.get(param) else {
            return false;
        };
        let own = i64::from(*rotation);
        let other = |&(a, r): &(u16, Option<i64>)| a != array || r.is_some_and(|r| r != own);
        self.slots.iter().all(other) && !buffers.any(of_array)
    }
}
