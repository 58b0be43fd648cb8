//! Addresses of places: elements of arrays in global memory and of shared buffers.
//!
//! An address is built in steps. On the host, from what changes least to what changes most: slot, outer loops, inner
//! loop, constant; LLVM hoists the first steps, and the last becomes an immediate offset. On the device, from what the
//! accesses of a thread have in common to what tells them apart: slot, tile and thread, multiples of strides, constant;
//! so a thread keeps one address for each slot and not one for each row.

use super::affine::Affine;
use super::body::elem_type;
use super::fault::{Emitted, Fault};
use super::index::{Indexer, too_large};
use super::writer::Machine;
use hexpass_abi::{Array, ElemType, KernelParam};
use hexpass_poly::kernel::ir::{IExpr, Kernel, Place};
use hexpass_poly::stencil::StencilProgram;
use inkwell::builder::Builder;
use inkwell::values::{BasicValueEnum, IntValue, PointerValue};
use inkwell::{IntPredicate, types::BasicTypeEnum};
use std::collections::HashMap;

/// Where a kernel's parameters hold slots and strides.
pub struct Places {
    slots: HashMap<(u16, u16), usize>,
    strides: HashMap<(u16, u8), usize>,
}

impl Places {
    /// Of this kernel.
    pub fn new(kernel: &Kernel) -> Places {
        let (mut slots, mut strides) = (HashMap::new(), HashMap::new());
        for (i, param) in kernel.params.iter().enumerate() {
            match param {
                KernelParam::Slot { array, rotation } => {
                    slots.insert((*array, *rotation), i);
                }
                KernelParam::Stride { array, dim } => {
                    strides.insert((*array, *dim), i);
                }
                _ => {}
            }
        }
        Places { slots, strides }
    }

    /// The address of a place.
    pub fn pointer<'ctx>(
        &self,
        b: &Builder<'ctx>,
        index: &mut Indexer<'ctx>,
        machine: &impl Machine<'ctx>,
        (stencil, kernel): (&StencilProgram, &Kernel),
        place: &Place,
    ) -> Emitted<PointerValue<'ctx>> {
        match place {
            Place::Global { array, rotation, subscripts } => {
                let shape = stencil.arrays.get(usize::from(*array));
                let shape =
                    shape.ok_or_else(|| Fault::new(format!("there is no array {array}")))?;
                let slot = self.slot(b, index, machine, (*array, shape), rotation)?;
                let offset = self.offset(b, index, (*array, shape), subscripts)?;
                element(b, index, slot, shape.elem, &offset, machine.narrow())
            }
            Place::Buffer { param, subscripts } => {
                let Some(KernelParam::Buffer { array, .. }) =
                    kernel.params.get(usize::from(*param))
                else {
                    return Err(Fault::new(format!("parameter {param} is no buffer")));
                };
                let shape = stencil.arrays.get(usize::from(*array));
                let shape =
                    shape.ok_or_else(|| Fault::new(format!("there is no array {array}")))?;
                let BasicValueEnum::PointerValue(start) = machine.param(usize::from(*param)) else {
                    return Err(Fault::new(format!("buffer {param} has no address")));
                };
                let offset = self.offset(b, index, (*array, shape), subscripts)?;
                element(b, index, start, shape.elem, &offset, machine.narrow())
            }
            Place::Register { .. } => Err(Fault::new("a register has no address")),
            Place::Shared { buffer, subscripts } => {
                let shape = kernel.shared.get(usize::from(*buffer));
                let shape = shape.ok_or_else(|| Fault::new(format!("no buffer {buffer}")))?;
                let start = machine.shared(usize::from(*buffer))?;
                let offset = row_major(b, index, &shape.extents, subscripts)?;
                small_element(b, index, start, shape.elem, &offset, machine.narrow())
            }
        }
    }

    /// The parameter that holds the start of a place in global memory, if that is known now.
    pub fn param(&self, place: &Place) -> Option<usize> {
        match place {
            Place::Global { array, rotation, .. } => {
                let rotation = u16::try_from(rotation.as_const()?).ok()?;
                self.slots.get(&(*array, rotation)).copied()
            }
            Place::Buffer { param, .. } => Some(usize::from(*param)),
            Place::Shared { .. } | Place::Register { .. } => None,
        }
    }

    /// The pointer of the slot of this rotation, chosen at run time where it must be.
    fn slot<'ctx>(
        &self,
        b: &Builder<'ctx>,
        index: &mut Indexer<'ctx>,
        machine: &impl Machine<'ctx>,
        (array, shape): (u16, &Array),
        rotation: &IExpr,
    ) -> Emitted<PointerValue<'ctx>> {
        let count = shape.slots.len().max(1) as i64;
        let pointer = |r: u16| match self.slots.get(&(array, r)).map(|&i| machine.param(i)) {
            Some(BasicValueEnum::PointerValue(p)) => Ok(p),
            _ => Err(Fault::new(format!("the kernel has no slot {r} of array {array}"))),
        };
        let rotation = index.affine(b, rotation)?;
        let rotation = index.modulo(b, &rotation, count)?;
        if let Some(r) = rotation.as_constant() {
            return pointer(r as u16);
        }
        let r = index.value(b, &rotation)?;
        let mut chosen = pointer(count as u16 - 1)?;
        for candidate in (0..count - 1).rev() {
            let same = r.get_type().const_int(candidate as u64, false);
            let same = b.build_int_compare(IntPredicate::EQ, r, same, "")?;
            let choice = b.build_select(same, pointer(candidate as u16)?, chosen, "")?;
            chosen = choice.into_pointer_value();
        }
        Ok(chosen)
    }

    /// Σ subscript · stride in elements.
    fn offset<'ctx>(
        &self,
        b: &Builder<'ctx>,
        index: &mut Indexer<'ctx>,
        (array, shape): (u16, &Array),
        subscripts: &[IExpr],
    ) -> Emitted<Affine> {
        if subscripts.len() != shape.strides.len() {
            return Err(Fault::new(format!(
                "{} subscripts for an array of {} dimensions",
                subscripts.len(),
                shape.strides.len()
            )));
        }
        let mut sum = Affine::default();
        for (dim, subscript) in subscripts.iter().enumerate() {
            let x = index.affine(b, subscript)?;
            let term = match self.strides.get(&(array, dim as u8)) {
                Some(&param) => {
                    let stride = index.affine(b, &IExpr::Param(param as u16))?;
                    index.product(b, &x, &stride)?
                }
                None => {
                    let bytes = shape.strides[dim].as_constant();
                    let elements = bytes.filter(|s| s % shape.elem.size() as i64 == 0);
                    let elements = elements.ok_or_else(|| {
                        Fault::new(format!("the kernel lacks stride {dim} of array {array}"))
                    })?;
                    x.scale(elements / shape.elem.size() as i64).ok_or_else(too_large)?
                }
            };
            sum = sum.add_scaled(&term, 1).ok_or_else(too_large)?;
        }
        Ok(sum)
    }
}

/// Row-major index into constant extents.
fn row_major<'ctx>(
    b: &Builder<'ctx>,
    index: &mut Indexer<'ctx>,
    extents: &[i64],
    subscripts: &[IExpr],
) -> Emitted<Affine> {
    if subscripts.len() != extents.len() {
        return Err(Fault::new("a shared buffer has another number of dimensions"));
    }
    let mut sum = Affine::default();
    for (subscript, extent) in subscripts.iter().zip(extents) {
        let x = index.affine(b, subscript)?;
        sum = sum.scale(*extent).and_then(|s| s.add_scaled(&x, 1)).ok_or_else(too_large)?;
    }
    Ok(sum)
}

/// An element in global memory.
fn element<'ctx>(
    b: &Builder<'ctx>,
    index: &mut Indexer<'ctx>,
    start: PointerValue<'ctx>,
    elem: ElemType,
    offset: &Affine,
    device: bool,
) -> Emitted<PointerValue<'ctx>> {
    let (wide, small) = index.split_widths(offset)?;
    let moving = small.offset(-small.constant).ok_or_else(too_large)?;
    let parts = if device {
        let (tile, strides) = index.split_params(&wide);
        [tile, moving, strides]
    } else {
        let (outer, inner) = index.split_depth(&wide);
        [outer, inner, moving]
    };
    let mut pointer = start;
    for part in parts {
        if part != Affine::default() {
            let by = index.value(b, &part)?;
            pointer = step(b, index, pointer, elem, by)?;
        }
    }
    constant_step(b, index, pointer, elem, small.constant)
}

/// An element of a shared buffer, whose index is small by construction.
fn small_element<'ctx>(
    b: &Builder<'ctx>,
    index: &mut Indexer<'ctx>,
    start: PointerValue<'ctx>,
    elem: ElemType,
    offset: &Affine,
    narrow: bool,
) -> Emitted<PointerValue<'ctx>> {
    let moving = offset.offset(offset.constant.checked_neg().ok_or_else(too_large)?);
    let moving = moving.ok_or_else(too_large)?;
    if narrow && !index.is_narrow(&moving) {
        let by = index.truncated(b, offset)?;
        return step(b, index, start, elem, by);
    }
    let mut pointer = start;
    if moving.as_constant().is_none() {
        let by = index.value(b, &moving)?;
        pointer = step(b, index, pointer, elem, by)?;
    }
    constant_step(b, index, pointer, elem, offset.constant)
}

fn constant_step<'ctx>(
    b: &Builder<'ctx>,
    index: &Indexer<'ctx>,
    pointer: PointerValue<'ctx>,
    elem: ElemType,
    by: i64,
) -> Emitted<PointerValue<'ctx>> {
    if by == 0 {
        return Ok(pointer);
    }
    step(b, index, pointer, elem, index.wide_type().const_int(by as u64, true))
}

fn step<'ctx>(
    b: &Builder<'ctx>,
    index: &Indexer<'ctx>,
    pointer: PointerValue<'ctx>,
    elem: ElemType,
    by: IntValue<'ctx>,
) -> Emitted<PointerValue<'ctx>> {
    let ty: BasicTypeEnum<'ctx> = elem_type(index.wide_type().get_context(), elem);
    // SAFETY: one index for a sized element type, as `getelementptr` wants it; the instruction carries no inbounds
    // flag, so it has no precondition of its own.
    Ok(unsafe { b.build_gep(ty, pointer, &[by], "") }?)
}
