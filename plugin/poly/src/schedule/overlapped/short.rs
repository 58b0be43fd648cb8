//! How many blocks there are, and where they begin, where those near the border own less than others.
//!
//! Consumes the largest width of a part of the streamed dimension and the number of strips; produces what the plan says of
//! [`super::TimeTile::short`]: numbers of blocks, and the planes of parts.

use hexpass_abi::PlanExpr;

/// Parts of the streamed dimension where the first and the last own less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Short {
    /// Points of the first part, and of the last; at least 1. With a width of fewer than twice as many, half of it.
    pub ends: i64,
    /// Blocks of the outermost strips for each part, at least 1, with pieces of one size; the last may be smaller, or empty.
    pub pieces: i64,
}

impl Short {
    /// Blocks along the axis of so many strips.
    pub fn blocks(&self, strips: &PlanExpr) -> PlanExpr {
        let outermost = PlanExpr::Min(Box::new(strips.clone()), Box::new(PlanExpr::Const(2)));
        strips.clone() + outermost * (self.pieces - 1)
    }

    /// Points of the largest piece of a part.
    pub fn piece(&self, part: PlanExpr) -> PlanExpr {
        PlanExpr::FloorDiv(Box::new(part + PlanExpr::Const(self.pieces - 1)), self.pieces)
    }

    /// Parts of a dimension.
    pub fn parts(&self, dim: u8, width: &PlanExpr) -> PlanExpr {
        self.between(dim, width) + PlanExpr::Const(2)
    }

    /// Points of the first part; those of each that lies between it and the last; how many of these have one more; and how
    /// many there are.
    pub fn planes(&self, dim: u8, width: &PlanExpr) -> [PlanExpr; 4] {
        let boxed = Box::new;
        let (inside, between) = (self.inside(dim, width), self.between(dim, width));
        let count = PlanExpr::Max(boxed(between.clone()), boxed(PlanExpr::Const(1)));
        let each = quotient(inside.clone(), count.clone());
        let more = inside.clone() + PlanExpr::Product(boxed(each.clone()), boxed(count)) * -1;
        let ends = points(dim) + inside * -1;
        [PlanExpr::FloorDiv(boxed(ends + PlanExpr::Const(1)), 2), each, more, between]
    }

    /// Points of the largest part that lies between the first and the last.
    pub fn most(&self, dim: u8, width: &PlanExpr) -> PlanExpr {
        let [_, each, more, _] = self.planes(dim, width);
        each + PlanExpr::Min(Box::new(more), Box::new(PlanExpr::Const(1)))
    }

    /// Points between the first part and the last.
    fn inside(&self, dim: u8, width: &PlanExpr) -> PlanExpr {
        let half = PlanExpr::FloorDiv(Box::new(width.clone() + PlanExpr::Const(1)), 2);
        let ends = PlanExpr::Min(Box::new(PlanExpr::Const(self.ends)), Box::new(half));
        PlanExpr::Max(Box::new(points(dim) + ends * -2), Box::new(PlanExpr::Const(0)))
    }

    /// Parts between the first and the last.
    fn between(&self, dim: u8, width: &PlanExpr) -> PlanExpr {
        let up = width.clone() + PlanExpr::Const(-1);
        quotient(self.inside(dim, width) + up, width.clone())
    }
}

fn points(dim: u8) -> PlanExpr {
    PlanExpr::SpaceHi(dim) + PlanExpr::SpaceLo(dim) * -1 + PlanExpr::Const(1)
}

fn quotient(a: PlanExpr, b: PlanExpr) -> PlanExpr {
    PlanExpr::Quotient(Box::new(a), Box::new(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexpass_abi::plan::PlanValues;

    /// A dimension of so many points, from a coordinate on, and a width.
    struct Sizes(i64, i64, i64);

    impl PlanValues for Sizes {
        fn steps(&self) -> i64 {
            0
        }

        fn space(&self, _: u8) -> (i64, i64) {
            (self.0, self.0 + self.1 - 1)
        }

        fn tunable(&self, _: u8) -> i64 {
            self.2
        }
    }

    #[test]
    fn parts_share_the_dimension_evenly_between_few_points_at_its_ends() {
        for (points, width, ends) in
            (1..90).flat_map(|p| (1..40).flat_map(move |w| [1, 5, 13].map(|e| (p, w, e))))
        {
            let (short, sizes) = (Short { ends, pieces: 2 }, Sizes(3, points, width));
            let value = |e: PlanExpr| e.eval(&sizes, &[]);
            let w = PlanExpr::Tunable(0);
            let [first, each, more, between] = short.planes(0, &w).map(value);
            let last = points - first - each * between - more;
            let what =
                format!("{points} points, width {width}, ends {ends}: {first} {each} {more}");
            assert_eq!(value(short.parts(0, &w)), between + 2, "{what}");
            assert!((0..=1).contains(&(first - last)), "{what}, last {last}");
            assert!(first <= ends && first <= (width + 1) / 2, "{what}");
            assert!(between == 0 || first == ends.min((width + 1) / 2), "{what}");
            assert_eq!(value(short.most(0, &w)), each + i64::from(more > 0), "{what}");
            assert!(each + i64::from(more > 0) <= width && more <= between, "{what}");
        }
    }
}
