//! Registers hold something where they are read.

use super::bug;
use crate::kernel::ir::{Kernel, Node, Place};
use crate::rejection::Rejection;
use std::collections::HashSet;

/// Bank and index.
type Register = (u16, u32);

/// Some path from a write leads to each read. (Others need not have one: what a stream reads before it is filled is
/// undefined, and comes to nothing.)
pub fn filled(kernel: &Kernel) -> Result<(), Rejection> {
    nodes(&kernel.body, &mut HashSet::new())
}

fn nodes(all: &[Node], written: &mut HashSet<Register>) -> Result<(), Rejection> {
    all.iter().try_for_each(|n| node(n, written))
}

fn node(node: &Node, written: &mut HashSet<Register>) -> Result<(), Rejection> {
    match node {
        Node::For { body, .. } => {
            // What an iteration reads, the one before may have written.
            writes(body, written);
            nodes(body, written)
        }
        Node::If { then, otherwise, .. } => {
            let mut other = written.clone();
            nodes(then, written)?;
            nodes(otherwise, &mut other)?;
            written.extend(other);
            Ok(())
        }
        simple => {
            for register in read(simple) {
                if !written.contains(&register) {
                    let (bank, index) = register;
                    return Err(bug(format!(
                        "register {index} of bank {bank} is read, never written"
                    )));
                }
            }
            written.extend(stored(simple));
            Ok(())
        }
    }
}

fn writes(all: &[Node], written: &mut HashSet<Register>) {
    for node in all {
        match node {
            Node::For { body, .. } => writes(body, written),
            Node::If { then, otherwise, .. } => {
                writes(then, written);
                writes(otherwise, written);
            }
            simple => written.extend(stored(simple)),
        }
    }
}

/// `count` registers from a place on, if it is one.
fn run(place: &Place, count: u32) -> Vec<Register> {
    match place {
        Place::Register { bank, index } => (0..count).map(|i| (*bank, index + i)).collect(),
        Place::Global { .. } | Place::Buffer { .. } | Place::Shared { .. } => Vec::new(),
    }
}

fn read(node: &Node) -> Vec<Register> {
    match node {
        Node::Copy { from, .. } | Node::Shuffle { from, .. } => run(from, 1),
        Node::Vector { from, count, .. } => run(from, *count),
        Node::Select { then, otherwise, .. } => [run(then, 1), run(otherwise, 1)].concat(),
        Node::Instance { reads, .. } => reads.iter().flat_map(|p| run(p, 1)).collect(),
        Node::Let { .. }
        | Node::For { .. }
        | Node::If { .. }
        | Node::Prefetch { .. }
        | Node::Fetch { .. }
        | Node::Await { .. }
        | Node::Barrier
        | Node::BarrierBeside => Vec::new(),
    }
}

fn stored(node: &Node) -> Vec<Register> {
    match node {
        Node::Copy { to, .. } | Node::Shuffle { to, .. } | Node::Select { to, .. } => run(to, 1),
        Node::Vector { to, count, .. } => run(to, *count),
        Node::Instance { writes, .. } => writes.iter().flatten().flat_map(|p| run(p, 1)).collect(),
        Node::Let { .. }
        | Node::For { .. }
        | Node::If { .. }
        | Node::Prefetch { .. }
        | Node::Fetch { .. }
        | Node::Await { .. }
        | Node::Barrier
        | Node::BarrierBeside => Vec::new(),
    }
}
