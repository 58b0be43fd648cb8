//! Registers, and rings of planes in them.

use crate::kernel::ir::{Node, Place, RegisterBank};
use hexpass_abi::ElemType;

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

    /// As many new registers as a plane has, of the same type.
    pub fn like(&mut self, plane: &Plane) -> Plane {
        let elem = self.banks[usize::from(plane.0.bank)].elem;
        self.rows(elem, 1, plane.rows(), plane.columns()).plane(0)
    }
}

impl Rows {
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
