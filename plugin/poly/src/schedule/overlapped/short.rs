//! How many blocks there are, and where they begin, where those near the border own less than others.
//!
//! Consumes the width of a part of the streamed dimension and the number of strips; produces what the plan says of
//! [`super::TimeTile::short`]: numbers of blocks, and the planes of the first part.

use hexpass_abi::PlanExpr;

/// Points after the first of a dimension.
fn rest(dim: u8) -> PlanExpr {
    PlanExpr::SpaceHi(dim) + PlanExpr::SpaceLo(dim) * -1
}

/// Parts of whole widths, all but the first and the last: as many as leave at least a point.
fn whole(dim: u8, width: &PlanExpr) -> PlanExpr {
    PlanExpr::Quotient(Box::new(rest(dim)), Box::new(width.clone()))
}

/// Parts of a dimension.
pub fn parts(dim: u8, width: &PlanExpr) -> PlanExpr {
    whole(dim, width) + PlanExpr::Const(2)
}

/// Points of the first part: half of what whole widths leave, rounded up.
pub fn first(dim: u8, width: &PlanExpr) -> PlanExpr {
    let taken = PlanExpr::Product(Box::new(whole(dim, width)), Box::new(width.clone()));
    // What is left is one more than this.
    let left = rest(dim) + taken * -1;
    PlanExpr::FloorDiv(Box::new(left + PlanExpr::Const(2)), 2)
}

/// Blocks along an axis of so many strips, the outermost of which have two for each part.
pub fn doubled(strips: &PlanExpr) -> PlanExpr {
    let outermost = PlanExpr::Min(Box::new(strips.clone()), Box::new(PlanExpr::Const(2)));
    strips.clone() + outermost
}
