//! Fortran's descriptors: which parameters are the strides of an array's dimensions, where they are read from one descriptor
//! (that of a pointer, of a dummy argument of assumed shape).
//!
//! Consumes what the nest's parameters are; produces facts that no more than suggest something: what is made of them is
//! checked by the runtime. Refuses nothing.

use super::context::{Context, Known};
use crate::llvm::Opcode;
use hexpass_poly::facts::DescriptorFact;

/// From the address of the data to the stride of the first dimension, in bytes: flang's descriptors are those of
/// `ISO_Fortran_binding.h`. Those of further dimensions follow.
const FIRST_STRIDE: i64 = 40;
const BETWEEN: i64 = 24;
/// Dimensions that are told apart.
const DIMENSIONS: u8 = 4;

/// Bytes from the start of an object.
type Place<'a> = (Object<'a>, i64);

/// What holds a parameter.
#[derive(Clone, Copy, PartialEq)]
enum Object<'a> {
    At(Known<'a>),
    /// Sweeps that wait are handed what it holds.
    Numbered(u32),
}

pub fn found(c: &Context<'_>) -> Vec<DescriptorFact> {
    let ints = all_held(c, &c.ints);
    let mut out = Vec::new();
    for (pointer, (object, start)) in all_held(c, &c.pointers) {
        for &(stride, (other, place)) in &ints {
            let Some(distance) = place.checked_sub(start).filter(|_| other == object) else {
                continue;
            };
            for dimension in 0..DIMENSIONS {
                if distance == FIRST_STRIDE + BETWEEN * i64::from(dimension) {
                    out.push(DescriptorFact { pointer, stride, dimension });
                }
            }
        }
    }
    out
}

/// Those that are read from memory, by number.
fn all_held<'a>(c: &Context<'a>, all: &[Known<'a>]) -> Vec<(u16, Place<'a>)> {
    let places = all.iter().map(|&known| held_at(c, known));
    (0..).zip(places).filter_map(|(i, place)| Some((i, place?))).collect()
}

/// Where in memory a parameter is read from.
fn held_at<'a>(c: &Context<'a>, known: Known<'a>) -> Option<Place<'a>> {
    match known {
        Known::Load(i) => {
            let (base, offset) = c.load_bases.get(usize::from(i)).copied()?;
            Some((Object::At(base), offset))
        }
        Known::Value(load) if load.opcode() == Some(Opcode::LLVMLoad) => {
            let address = c.a.scev(load.pointer()?)?;
            let base = c.a.pointer_base(address)?;
            let offset = c.a.minus(address, base)?.constant()?;
            Some((Object::At(Known::Value(base.value()?)), offset))
        }
        Known::Value(handed) => {
            let (object, offset) = handed.held_at()?;
            Some((Object::Numbered(object), offset))
        }
        _ => None,
    }
}
