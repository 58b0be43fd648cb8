//! Registers, and rings of planes in them.

use crate::kernel::ir::{Node, Place, Register, RegisterBank};
use hexpass_abi::ElemType;
use std::collections::HashSet;

/// All registers of a thread; one bank for each type.
#[derive(Debug, Default)]
pub struct Registers {
    pub banks: Vec<RegisterBank>,
}

/// Planes of rows of columns, in sequence.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    bank: u16,
    first: u32,
    planes: i64,
    rows: i64,
    columns: i64,
}

/// One plane of them.
#[derive(Clone, Copy, Debug)]
pub struct Plane(Rows, i64);

impl Registers {
    /// So many new registers.
    pub fn rows(&mut self, elem: ElemType, planes: i64, rows: i64, columns: i64) -> Rows {
        let bank = match self.banks.iter().position(|b| b.elem == elem) {
            Some(bank) => bank,
            None => {
                let name = format!("r{}", self.banks.len());
                self.banks.push(RegisterBank { name, elem, len: 0 });
                self.banks.len() - 1
            }
        };
        let first = self.banks[bank].len;
        self.banks[bank].len += (planes * rows * columns) as u32;
        Rows { bank: bank as u16, first, planes, rows, columns }
    }

    /// At the end of a loop that is written out for one turn: what the next turn would find in the places after them, in those
    /// where this one finds it, as far as anybody asks for it.
    pub fn pass_on(&mut self, body: &[Node], rings: &[Rows]) -> Vec<Node> {
        let mut flow = Flow::default();
        flow.nodes(body);
        let Flow { written, mut wanted } = flow;
        let all: Vec<(Register, Register)> =
            rings.iter().filter(|ring| ring.planes > 1).flat_map(Rows::successors).collect();
        loop {
            let asked = all.iter().filter(|(to, from)| {
                wanted.contains(to) && !written.contains(from) && !wanted.contains(from)
            });
            let asked: Vec<Register> = asked.map(|(_, from)| *from).collect();
            if asked.is_empty() {
                break;
            }
            wanted.extend(asked);
        }
        let (mut first, mut out, mut last) = (Vec::new(), Vec::new(), Vec::new());
        for (to, from) in all.into_iter().filter(|(to, _)| wanted.contains(to)) {
            let place = |(bank, index)| Place::Register { bank, index };
            let copy = |to, from| Node::Copy { to, from };
            // The last place of a ring has what the first one had.
            if from < to {
                let elem = self.banks[usize::from(to.0)].elem;
                let kept = self.rows(elem, 1, 1, 1).plane(0).at(0, 0);
                first.push(copy(kept.clone(), place(from)));
                last.push(copy(place(to), kept));
            } else {
                out.push(copy(place(to), place(from)));
            }
        }
        first.into_iter().chain(out).chain(last).collect()
    }

    /// As many new registers as a plane has, of the same type.
    pub fn like(&mut self, plane: &Plane) -> Plane {
        let elem = self.banks[usize::from(plane.0.bank)].elem;
        self.rows(elem, 1, plane.rows(), plane.columns()).plane(0)
    }
}

/// What a body does with registers.
#[derive(Default)]
struct Flow {
    /// Those that it writes, whichever way it goes.
    written: HashSet<Register>,
    /// Those that it may read before that.
    wanted: HashSet<Register>,
}

impl Flow {
    fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            let read = node.registers_read().into_iter();
            self.wanted.extend(read.filter(|register| !self.written.contains(register)));
            self.written.extend(node.registers_written());
            if let Node::If { then, otherwise, .. } = node {
                let [then, otherwise] = [then, otherwise].map(|nodes| {
                    let mut way = Flow { written: self.written.clone(), ..Flow::default() };
                    way.nodes(nodes);
                    way
                });
                self.wanted.extend(then.wanted.into_iter().chain(otherwise.wanted));
                self.written.extend(then.written.intersection(&otherwise.written));
            }
        }
    }
}

impl Rows {
    /// Each register of a ring, with the one that holds the same of the plane after.
    fn successors(&self) -> impl Iterator<Item = (Register, Register)> {
        let (size, all) =
            ((self.rows * self.columns) as u32, (self.planes * self.rows * self.columns) as u32);
        let (bank, first) = (self.bank, self.first);
        (0..all).map(move |i| ((bank, first + i), (bank, first + (i + size) % all)))
    }

    /// The plane, counted modulo their number.
    pub fn plane(&self, plane: i64) -> Plane {
        Plane(*self, plane.rem_euclid(self.planes))
    }
}

impl Plane {
    pub fn rows(&self) -> i64 {
        self.0.rows
    }

    pub fn columns(&self) -> i64 {
        self.0.columns
    }

    /// One register.
    pub fn at(&self, row: i64, column: i64) -> Place {
        let Plane(all, plane) = self;
        let index = (plane * all.rows + row) * all.columns + column;
        Place::Register { bank: all.bank, index: all.first + index as u32 }
    }

    /// All registers of the other, one by one.
    pub fn copy_from(&self, from: &Plane) -> Vec<Node> {
        let each = |i: i64| (i / self.columns(), i % self.columns());
        (0..self.rows() * self.columns())
            .map(each)
            .map(|(r, c)| Node::Copy { to: self.at(r, c), from: from.at(r, c) })
            .collect()
    }
}
