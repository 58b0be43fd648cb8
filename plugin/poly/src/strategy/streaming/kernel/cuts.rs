//! Where the pieces of a level lie in the kernel, and the registers of what they hand on.

use super::registers::{Registers, Rows};
use crate::body::Ty;
use crate::kernel::pieces::Piece;
use crate::strategy::streaming::cut::Cut;
use crate::strategy::streaming::shape::Shape;

/// A level in pieces.
pub struct Cuts {
    pub cut: Cut,
    /// Of each piece, its index in the kernel.
    pub pieces: Vec<u16>,
    /// Of each piece but the last, rings of planes of what it writes.
    pub handed: Vec<Vec<Rows>>,
}

impl Cuts {
    /// Takes registers, and adds pieces that are new.
    pub fn of(
        cut: Cut,
        shape: &Shape,
        registers: &mut Registers,
        all: &mut Vec<Piece>,
    ) -> Option<Cuts> {
        let s = shape.sizes;
        let (mut pieces, mut handed) = (Vec::new(), Vec::new());
        for (i, part) in cut.parts.iter().enumerate() {
            let at = all.iter().position(|p| *p == part.piece).unwrap_or_else(|| {
                all.push(part.piece.clone());
                all.len() - 1
            });
            pieces.push(at as u16);
            if i + 1 == cut.parts.len() {
                continue;
            }
            let mut rings = Vec::new();
            for &v in &part.piece.writes {
                let Ty::Elem(elem) = part.piece.body.values.get(usize::from(v))?.ty else {
                    return None;
                };
                rings.push(registers.rows(elem, shape.unroll, s.rows, s.vector));
            }
            handed.push(rings);
        }
        Some(Cuts { cut, pieces, handed })
    }
}
