//! Registers hold something where they are read.

use super::bug;
use crate::kernel::ir::{Kernel, Node, Register};
use crate::rejection::Rejection;
use std::collections::HashSet;

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
            for register in simple.registers_read() {
                if !written.contains(&register) {
                    let (bank, index) = register;
                    return Err(bug(format!(
                        "register {index} of bank {bank} is read, never written"
                    )));
                }
            }
            written.extend(simple.registers_written());
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
            simple => written.extend(simple.registers_written()),
        }
    }
}
