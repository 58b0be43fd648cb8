//! Global memory as kernels see it on a device: the arrays' slots, which are the program's memory, and scratch buffers.
//!
//! A device has less than the program: only elements that some access touches are there; other elements of an array's
//! box, and what lies beside it up to whole units of [`ALIGNMENT`] bytes in a row, are undefined.

use super::Fault;
use super::memory::{Address, Memory, Sizes};
use crate::stencil::StencilProgram;
use hexpass_abi::expr::Sym;
use hexpass_abi::{ALIGNMENT, ElemType, Poly};
use std::collections::HashMap;

/// The memory of one run.
pub struct Elements<'a> {
    pub memory: &'a mut Memory,
    sizes: &'a Sizes,
    arrays: Vec<Rows>,
    /// For each scratch buffer its array.
    scratch: Vec<u16>,
    /// What scratch buffers hold, where that is defined.
    filled: HashMap<Address, u64>,
}

/// How an array lies in memory.
struct Rows {
    elem: ElemType,
    /// Slot 0 first.
    slots: Vec<Address>,
    /// Run-time part of the rotation.
    rotation: i64,
    /// In bytes.
    strides: Vec<i64>,
    /// Smallest and largest subscript of each dimension.
    bounds: Vec<(i64, i64)>,
    /// As the last of `bounds`, rounded out to whole units.
    row: (i64, i64),
}

/// One element.
#[derive(Clone, Copy, Debug)]
pub struct Element {
    pub at: Address,
    elem: ElemType,
    scratch: bool,
    /// Some access of the program touches it; without one its value is undefined.
    touched: bool,
}

impl<'a> Elements<'a> {
    pub fn new(
        stencil: &StencilProgram,
        sizes: &'a Sizes,
        memory: &'a mut Memory,
        scratch: &[u16],
    ) -> Result<Elements<'a>, Fault> {
        let arrays = (0..stencil.arrays.len()).map(|a| Rows::new(stencil, sizes, a));
        let arrays = arrays.collect::<Result<_, _>>()?;
        Ok(Elements { memory, sizes, arrays, scratch: scratch.to_vec(), filled: HashMap::new() })
    }

    /// Puts what the nest never writes into scratch buffers; a fault if an array's slots don't agree about it.
    pub fn fill_scratch(&mut self, stencil: &StencilProgram) -> Result<(), Fault> {
        for array in 0..stencil.arrays.len() as u16 {
            let slots = self.arrays[usize::from(array)].slots.len() as i64;
            let scratch = self.scratch.iter().filter(|&&a| a == array).count() as i64;
            for subscripts in self.sizes.never_written(stencil, array)? {
                let mut known = None;
                for buffer in 0..slots + scratch {
                    let Some(e) = self.of_buffer(array, buffer, &subscripts)? else { continue };
                    match (self.load(e)?, known) {
                        (None, _) => drop(self.store(e, known)?),
                        (bits, None) => known = bits,
                        (bits, _) if bits == known => (),
                        _ => {
                            return Err(
                                format!("slots of array {array} differ at {subscripts:?}").into()
                            );
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The element of the slot for an absolute rotation; `None` beside a row, where memory is undefined.
    pub fn of_slot(
        &self,
        array: u16,
        rotation: i64,
        subscripts: &[i64],
    ) -> Result<Option<Element>, Fault> {
        let rows = self.arrays.get(usize::from(array)).ok_or("no such array")?;
        let slot = (rotation + rows.rotation).rem_euclid(rows.slots.len() as i64);
        let start = rows.slots[slot as usize];
        self.element(array, rows, subscripts, false, |rows| {
            let offset = subscripts.iter().zip(&rows.strides).map(|(x, s)| x * s).sum::<i64>();
            Address { pointer: start.pointer, offset: start.offset + offset }
        })
    }

    /// The element of a buffer, by its number.
    pub fn of_buffer(
        &self,
        array: u16,
        buffer: i64,
        subscripts: &[i64],
    ) -> Result<Option<Element>, Fault> {
        let rows = self.arrays.get(usize::from(array)).ok_or("no such array")?;
        let Some(further) = usize::try_from(buffer - rows.slots.len() as i64).ok() else {
            return self.of_slot(array, buffer, subscripts);
        };
        let mut own = self.scratch.iter().enumerate().filter(|&(_, a)| *a == array);
        let (index, _) = own
            .nth(further)
            .ok_or_else(|| Fault(format!("array {array} has no buffer {buffer}")))?;
        let pointer = (self.memory.pointers.len() + index) as u16;
        self.element(array, rows, subscripts, true, |rows| {
            let mut at = 0;
            for (x, (lo, hi)) in subscripts.iter().zip(&rows.bounds) {
                at = at * (hi - lo + 1) + (x - lo);
            }
            Address { pointer, offset: at }
        })
    }

    fn element(
        &self,
        array: u16,
        rows: &Rows,
        subscripts: &[i64],
        scratch: bool,
        at: impl Fn(&Rows) -> Address,
    ) -> Result<Option<Element>, Fault> {
        if subscripts.len() != rows.strides.len() {
            return Err(format!("{} subscripts for array {array}", subscripts.len()).into());
        }
        let inside = |(x, b): (&i64, &(i64, i64))| b.0 <= *x && *x <= b.1;
        let outer = rows.bounds.len() - 1;
        let beside = !subscripts[..outer].iter().zip(&rows.bounds).all(inside);
        if beside || !inside((&subscripts[outer], &rows.row)) {
            return Err(format!(
                "{subscripts:?} is outside array {array}, which has {:?} and rows {:?}",
                rows.bounds, rows.row
            )
            .into());
        }
        if !inside((&subscripts[outer], &rows.bounds[outer])) {
            return Ok(None);
        }
        let touched = self.sizes.is_touched(array, subscripts);
        Ok(Some(Element { at: at(rows), elem: rows.elem, scratch, touched }))
    }

    /// The element's bits, where they are defined.
    pub fn load(&self, e: Element) -> Result<Option<u64>, Fault> {
        match (e.touched, e.scratch) {
            (false, _) => Ok(None),
            (true, true) => Ok(self.filled.get(&e.at).copied()),
            (true, false) => self.memory.load(e.at, e.elem).map(Some),
        }
    }

    /// Replaces the element; a value that the program can read must be defined: false if it isn't.
    pub fn store(&mut self, e: Element, bits: Option<u64>) -> Result<bool, Fault> {
        match (bits, e.scratch) {
            (None, _) => return Ok(!e.touched),
            (Some(bits), true) => drop(self.filled.insert(e.at, bits)),
            (Some(bits), false) => self.memory.store(e.at, e.elem, bits)?,
        }
        Ok(true)
    }
}

impl Rows {
    fn new(p: &StencilProgram, sizes: &Sizes, array: usize) -> Result<Rows, Fault> {
        let a = &p.arrays[array];
        let symbol = |s: Sym| sizes.symbol(s);
        let value = |p: &Poly| p.eval(&symbol).map_err(|_| Fault::from("an address overflows"));
        let mut slots = Vec::new();
        for slot in &a.slots {
            slots.push(Address { pointer: slot.pointer, offset: value(&slot.offset)? });
        }
        let strides = a.strides.iter().map(value).collect::<Result<Vec<i64>, _>>()?;
        let bounds = (0..a.strides.len())
            .map(|d| sizes.array(array as u16, d as u8))
            .collect::<Result<Vec<_>, _>>()?;
        let (lo, hi) = *bounds.last().ok_or("an array without dimensions")?;
        let unit = (ALIGNMENT / a.elem.size()) as i64;
        let row = (lo.div_euclid(unit) * unit, (hi.div_euclid(unit) + 1) * unit - 1);
        Ok(Rows { elem: a.elem, slots, rotation: value(&a.rotation)?, strides, bounds, row })
    }
}
