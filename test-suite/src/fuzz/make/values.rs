//! What is stored: stencils, and what people do to them.

use super::*;

impl<'a> Maker<'a> {
    pub(super) fn near(&mut self, offset: i32) -> Index {
        match self.border {
            Border::Wrapped => Index::Wrap(offset),
            Border::Clamped => Index::Clamp(offset),
            Border::KeptAway | Border::Branch => Index::Near(offset),
        }
    }

    /// How far reads may go along a dimension.
    pub(super) fn bounds(&self, dim: usize, axis: Axis) -> (i32, i32) {
        match (self.border, axis) {
            (_, Axis::At(_)) => (0, 0),
            (Border::Wrapped | Border::Clamped, _) => self.reach[dim],
            (_, Axis::Span { lo, hi, .. }) => {
                (lo.min(self.reach[dim].0.max(1)), hi.min(self.reach[dim].1.max(1)))
            }
        }
    }

    pub(super) fn value(&mut self, reads: &[(usize, Level)], axes: &[Axis]) -> Expr {
        let mut value = self.stencil(reads[0], axes);
        for read in &reads[1..] {
            let there = self.load(*read, axes);
            value = if self.p.element.is_real() && self.choice.chance(25) {
                let more = self.stencil(*read, axes);
                self.blend(&[value, more])
            } else {
                self.blend(&[value, there])
            };
        }
        for _ in 0..self.choice.weighted(&[(55, 0), (30, 1), (15, 2)]) {
            value = self.change(value, reads, axes);
        }
        value
    }

    pub(super) fn load(&mut self, (field, level): (usize, Level), axes: &[Axis]) -> Expr {
        let at = self.scattered(axes);
        Expr::Load(Place { field, level, at })
    }

    /// Subscripts somewhere around the point.
    pub(super) fn scattered(&mut self, axes: &[Axis]) -> Vec<Index> {
        let still = self.choice.chance(50);
        (0..self.p.dims)
            .map(|d| {
                let (lo, hi) = self.bounds(d, axes[d]);
                let offset = if still { 0 } else { self.choice.between(-lo, hi) };
                self.near(offset)
            })
            .collect()
    }

    /// The places that a stencil reads, as offsets.
    pub(super) fn support(&mut self, axes: &[Axis]) -> Vec<Vec<i32>> {
        let bounds: Vec<(i32, i32)> = (0..self.p.dims).map(|d| self.bounds(d, axes[d])).collect();
        let centre = vec![0; self.p.dims];
        let mut all: Vec<Vec<i32>> = Vec::new();
        match self.choice.weighted(&[(45, 0), (15, 1), (25, 2), (15, 3)]) {
            0 => {
                // A star.
                for (d, (lo, hi)) in bounds.iter().enumerate() {
                    for o in
                        (-*lo..=*hi).filter(|o| *o != 0 && (o.abs() <= 2 || *o == -lo || o == hi))
                    {
                        let mut there = centre.clone();
                        there[d] = o;
                        all.push(there);
                    }
                }
            }
            1 => {
                // A box of reach one.
                all.push(centre.clone());
                for (d, (lo, hi)) in bounds.iter().enumerate() {
                    let so_far = all.clone();
                    for o in (-(*lo).min(1)..=(*hi).min(1)).filter(|o| *o != 0) {
                        all.extend(so_far.iter().map(|there| {
                            let mut there = there.clone();
                            there[d] = o;
                            there
                        }));
                    }
                }
            }
            2 => {
                for _ in 0..self.choice.between(1, 5) {
                    all.push(bounds.iter().map(|(lo, hi)| self.choice.between(-lo, *hi)).collect());
                }
            }
            _ => {
                // Upwind.
                for (d, (lo, hi)) in bounds.iter().enumerate() {
                    let mut there = centre.clone();
                    there[d] = if self.choice.chance(50) { -lo } else { *hi };
                    all.push(there);
                }
            }
        }
        if all.is_empty() || self.choice.chance(50) {
            all.push(centre);
        }
        all.dedup();
        all
    }

    pub(super) fn stencil(&mut self, (field, level): (usize, Level), axes: &[Axis]) -> Expr {
        let support = self.support(axes);
        let count = i32::try_from(support.len()).expect("few");
        let loads: Vec<Expr> = support
            .iter()
            .map(|there| {
                let at = there.iter().map(|o| self.near(*o)).collect();
                Expr::Load(Place { field, level, at })
            })
            .collect();
        if !self.p.element.is_real() {
            return self.whole_stencil(loads, count);
        }
        let weight = (100 / count).max(1);
        if self.choice.chance(40) {
            // Each with a weight of its own.
            let weighted = loads.into_iter().map(|load| {
                let number = Expr::Number(self.choice.between(-weight, weight));
                binary(Binary::Multiply, number, load)
            });
            return sum(weighted.collect());
        }
        let middle = Expr::Load(Place {
            field,
            level,
            at: (0..self.p.dims).map(|_| self.near(0)).collect(),
        });
        let total = sum(loads);
        if self.choice.chance(50) {
            return binary(Binary::Multiply, Expr::Number(weight), total);
        }
        let pull = binary(Binary::Multiply, Expr::Number(100 * count), middle.clone());
        let difference = binary(Binary::Subtract, total, pull);
        let alpha = if self.choice.chance(25) {
            let alpha = Expr::Scalar(Scalar::Alpha);
            binary(Binary::Multiply, Expr::Number(weight / 2), alpha)
        } else {
            Expr::Number((weight / 2).max(1))
        };
        binary(Binary::Add, middle, binary(Binary::Multiply, alpha, difference))
    }

    pub(super) fn whole_stencil(&mut self, loads: Vec<Expr>, count: i32) -> Expr {
        let scaled = self.choice.chance(30);
        let loads: Vec<Expr> = loads
            .into_iter()
            .map(|load| {
                if scaled {
                    binary(Binary::Multiply, Expr::Number(self.choice.between(-4, 5)), load)
                } else {
                    load
                }
            })
            .collect();
        let total = sum(loads);
        match self.choice.below(5) {
            0 => Expr::Whole(Whole::Quotient, total.into(), count),
            1 => Expr::Whole(Whole::And, total.into(), self.choice.of(&[1, 7, 255, 1023])),
            2 => Expr::Whole(Whole::Remainder, total.into(), self.choice.of(&[2, 7, 100, 1024])),
            3 => Expr::Whole(Whole::ShiftRight, total.into(), self.choice.between(1, 4)),
            _ => {
                // As in the game of life.
                let counted = Expr::Whole(Whole::And, total.into(), 7);
                let when = Cond::Equal(counted, Expr::Number(3));
                let other = Expr::Number(self.choice.between(0, 2));
                Expr::Choose(when.into(), Expr::Number(1).into(), other.into())
            }
        }
    }

    /// A mean of values, so that numbers stay of a size.
    pub(super) fn blend(&mut self, values: &[Expr]) -> Expr {
        if !self.p.element.is_real() {
            let total = sum(values.to_vec());
            let count = i32::try_from(values.len()).expect("few");
            return Expr::Whole(Whole::Quotient, total.into(), count);
        }
        let count = i32::try_from(values.len()).expect("few");
        let weight = 100 / count;
        let weighted = values.iter().map(|value| {
            let number = Expr::Number(weight - self.choice.between(0, weight / 4));
            let flipped = self.choice.chance(20);
            let value = binary(Binary::Multiply, number, value.clone());
            if flipped { Expr::Unary(Unary::Negate, value.into()) } else { value }
        });
        sum(weighted.collect())
    }

    /// A value with something done to it.
    pub(super) fn change(&mut self, value: Expr, reads: &[(usize, Level)], axes: &[Axis]) -> Expr {
        let real = self.p.element.is_real();
        let there = self.choice.of(reads);
        let load = self.load(there, axes);
        match self.choice.weighted(&[
            (16, 0),
            (10, 1),
            (14, 2),
            (14, 3),
            (8, 4),
            (8, 5),
            (14, 6),
            (5, 7),
            (1, 8),
            (10, 9),
            (4, 10),
        ]) {
            0 => {
                let when = self.cond(reads, axes);
                Expr::Choose(when.into(), value.into(), load.into())
            }
            1 => binary(Binary::Divide, value, load),
            2 => {
                let op = self.choice.of(&[Binary::Least, Binary::Most]);
                let other = if self.choice.chance(50) {
                    load
                } else {
                    Expr::Number(self.choice.between(-50, 90))
                };
                binary(op, value, other)
            }
            3 => match self.input(axes) {
                Some(input) if real => {
                    let share = binary(Binary::Divide, load, input);
                    self.blend(&[value, share])
                }
                Some(input) => self.blend(&[value, input]),
                None => self.blend(&[value, load]),
            },
            4 => Expr::Unary(self.choice.of(&[Unary::Absolute, Unary::Negate]), value.into()),
            5 if real => Expr::Unary(Unary::Root, value.into()),
            5 => Expr::Whole(Whole::Xor, value.into(), self.choice.between(1, 255)),
            6 => {
                let collected = if self.p.folds.is_empty() { 0 } else { 30 };
                let scalar = self.choice.weighted(&[
                    (40, Scalar::Alpha),
                    (25, Scalar::Step),
                    (35, Scalar::Wave),
                    (8, Scalar::Series),
                    (collected, Scalar::Collected),
                ]);
                self.nudged(value, Expr::Scalar(scalar))
            }
            7 => {
                let place = Expr::Coordinate(self.choice.below(self.p.dims));
                self.nudged(value, place)
            }
            10 => {
                // An element that stands still.
                let at = self.spots();
                let fixed = Expr::Load(Place { field: there.0, level: there.1, at });
                self.blend(&[value, fixed])
            }
            8 if real => Expr::Unary(self.choice.of(&[Unary::Sine, Unary::Floor]), value.into()),
            _ => self.blend(&[value, load]),
        }
    }

    pub(super) fn nudged(&mut self, value: Expr, by: Expr) -> Expr {
        if !self.p.element.is_real() {
            return binary(Binary::Add, value, by);
        }
        let number = Expr::Number(self.choice.between(1, 9));
        binary(Binary::Add, value, binary(Binary::Multiply, number, by))
    }

    pub(super) fn input(&mut self, axes: &[Axis]) -> Option<Expr> {
        let all: Vec<usize> =
            (0..self.p.inputs.len()).filter(|i| !self.p.inputs[*i].mask).collect();
        if all.is_empty() {
            return None;
        }
        let input = self.choice.of(&all);
        let at = self.scattered(axes);
        Some(Expr::Input(input, at))
    }

    pub(super) fn cond(&mut self, reads: &[(usize, Level)], axes: &[Axis]) -> Cond {
        let masks: Vec<usize> =
            (0..self.p.inputs.len()).filter(|i| self.p.inputs[*i].mask).collect();
        if !masks.is_empty() && self.choice.chance(50) {
            let mask = self.choice.of(&masks);
            let at = (0..self.p.dims).map(|_| self.near(0)).collect();
            return Cond::Mask(mask, at);
        }
        let there = self.choice.of(reads);
        match self.choice.weighted(&[(40, 0), (18, 1), (12, 2), (8, 3), (11, 4), (11, 5)]) {
            0 => {
                let (a, b) = (self.load(reads[0], axes), self.load(there, axes));
                Cond::Less(a, b)
            }
            1 => {
                let a = self.load(there, axes);
                Cond::Less(a, Expr::Number(self.choice.between(-20, 50)))
            }
            2 => Cond::Before(self.choice.below(self.p.dims)),
            3 => Cond::Even { step: self.choice.chance(30) },
            4 => {
                let a = self.cond(reads, axes);
                Cond::Not(a.into())
            }
            _ => {
                let (a, b) = (self.cond(reads, axes), self.cond(reads, axes));
                if self.choice.chance(50) {
                    Cond::And(a.into(), b.into())
                } else {
                    Cond::Or(a.into(), b.into())
                }
            }
        }
    }

    /// Integers are brought back to the range that the grids hold.
    pub(super) fn fit(&mut self, value: Expr) -> Expr {
        if self.p.element.is_real() || self.p.element == Element::Byte {
            return value;
        }
        Expr::Whole(Whole::Remainder, value.into(), self.choice.of(&[1000, 4096, 100_003]))
    }
}
