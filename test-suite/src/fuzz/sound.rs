//! Whether a program is well-defined: subscripts in bounds for every size from its least on, no integer overflow, no
//! variable that was not set. `make` only makes such programs; what `shrink` makes is asked here first.

use super::program::*;
use crate::table::Language;

/// Least size along each dimension from which a program is well-defined; `Err` says what isn't.
pub fn least(program: &Program) -> Result<[i32; 3], String> {
    let mut checker = Checker { program, least: [0; 3], axes: Vec::new(), set: Vec::new() };
    checker.program()?;
    Ok(checker.least)
}

/// The largest magnitude that an integer grid holds: what the corpus fills it with.
pub const GREATEST: i64 = 409_600;
/// Coordinates and steps stay below this.
pub const FARTHEST: i64 = 8192;

struct Checker<'a> {
    program: &'a Program,
    least: [i32; 3],
    axes: Vec<Axis>,
    /// Local variables that are set, with the largest magnitude of each.
    set: Vec<Option<i64>>,
}

type Checked = Result<(), String>;

impl Checker<'_> {
    fn program(&mut self) -> Checked {
        for part in &self.program.parts {
            self.set.clear();
            self.axes = vec![Axis::At(Spot::Front(0)); self.program.dims];
            match part {
                Part::Sweep(sweep) => self.sweep(sweep)?,
                Part::Point { place, add, value } => self.store(place, *add, value)?,
                Part::Clear { field, level } => self.level(*field, *level)?,
                Part::Print { place, .. }
                | Part::Trace(place)
                | Part::Look { place, .. }
                | Part::Touch { place, .. } => self.place(place)?,
                Part::Settled { fold, .. } | Part::Report { fold, .. } | Part::Stalled { fold } => {
                    self.fold(*fold)?;
                }
            }
        }
        self.exits()?;
        self.overlaps()?;
        // Rust's slices don't end before they begin, and its chunks are not empty.
        let rust = self.program.language == Language::Rust;
        let unsigned = matches!(self.program.style.counter, Counter::Size | Counter::Unsigned);
        if unsigned || rust {
            self.bounds_stay_positive();
        }
        if rust {
            self.least = self.least.map(|n| n.max(1));
        }
        self.extents()
    }

    /// What a step allocates is given back at its end.
    fn exits(&self) -> Checked {
        let fresh = self.program.idiom == Idiom::Fresh;
        if fresh && self.program.parts.iter().any(Part::leaves) {
            return Err("a step that keeps what it has allocated".to_owned());
        }
        Ok(())
    }

    /// Only plain pointers may lead to the same memory, and none of them may be `restrict`.
    fn overlaps(&self) -> Checked {
        let p = self.program;
        let plain = p.storage == Storage::Flat && !p.style.restricted && p.idiom != Idiom::Fresh;
        // memcpy wants its memory apart.
        let copied = p.idiom == Idiom::CopyMemory;
        let indexed = matches!(p.idiom, Idiom::Modulo | Idiom::Turn);
        if p.overlap != Overlap::None && (!plain || copied || indexed) {
            return Err("memory that may not overlap".to_owned());
        }
        Ok(())
    }

    /// `n - hi` must not wrap where sizes are unsigned.
    fn bounds_stay_positive(&mut self) {
        for part in &self.program.parts {
            let Part::Sweep(sweep) = part else { continue };
            for (d, axis) in sweep.axes.iter().enumerate() {
                if let Axis::Span { lo, hi, .. } = axis {
                    self.needs(d, lo + hi);
                }
            }
        }
    }

    fn extents(&self) -> Checked {
        let Some(extents) = self.program.extents else { return Ok(()) };
        let small = (0..self.program.dims).any(|d| extents[d] < self.least[d]);
        if small { Err("constant sizes are too small".to_owned()) } else { Ok(()) }
    }

    fn needs(&mut self, dim: usize, size: i32) {
        self.least[dim] = self.least[dim].max(size);
    }

    fn sweep(&mut self, sweep: &Sweep) -> Checked {
        if sweep.axes.len() != self.program.dims {
            return Err("a sweep of other dimensions".to_owned());
        }
        self.moving(sweep)?;
        self.axes.clone_from(&sweep.axes);
        for (d, axis) in sweep.axes.iter().enumerate() {
            match axis {
                Axis::Span { lo, hi, .. } if *lo < 0 || *hi < 0 => {
                    return Err("a span beyond the grid".to_owned());
                }
                Axis::Span { .. } => {}
                Axis::At(spot) => self.spot(d, *spot, 0)?,
            }
        }
        self.block(&sweep.body)
    }

    /// An end that moves to the front must not wrap where sizes are unsigned.
    fn moving(&self, sweep: &Sweep) -> Checked {
        let unsigned = matches!(self.program.style.counter, Counter::Size | Counter::Unsigned);
        match sweep.moving {
            None => Ok(()),
            Some((d, _)) if !matches!(sweep.axes.get(d), Some(Axis::Span { .. })) => {
                Err("a bound that is not there".to_owned())
            }
            Some((_, End::Back)) if unsigned => Err("a bound that may wrap".to_owned()),
            Some(_) => Ok(()),
        }
    }

    fn block(&mut self, body: &[Stmt]) -> Checked {
        let outside = self.set.clone();
        body.iter().try_for_each(|stmt| self.stmt(stmt))?;
        self.set = outside;
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt) -> Checked {
        match stmt {
            Stmt::Let(local, value) => {
                let bound = self.expr(value)?;
                if self.set.len() <= *local {
                    self.set.resize(local + 1, None);
                }
                self.set[*local] = Some(bound);
                Ok(())
            }
            Stmt::Store { place, add, value } => self.store(place, *add, value),
            Stmt::If { when, then, other } => {
                self.cond(when)?;
                let axes = self.axes.clone();
                if let Cond::Inside(margins) = when {
                    self.narrow(margins);
                }
                self.block(then)?;
                self.axes = axes;
                self.block(other)
            }
            Stmt::Fold(fold, value) => {
                self.fold(*fold)?;
                let bound = self.expr(value)?;
                let sums = matches!(self.program.folds[*fold].collects, Collects::Sum);
                // Sums of integers are kept in a double.
                if bound > i64::from(i32::MAX) || sums && bound > GREATEST {
                    return Err("a value too large to be collected".to_owned());
                }
                Ok(())
            }
        }
    }

    fn narrow(&mut self, margins: &[(i32, i32)]) {
        for (axis, (from, to)) in self.axes.iter_mut().zip(margins) {
            if let Axis::Span { lo, hi, .. } = axis {
                *lo = (*lo).max(*from);
                *hi = (*hi).max(*to);
            }
        }
    }

    fn fold(&self, fold: usize) -> Checked {
        match self.program.folds.get(fold) {
            Some(_) => Ok(()),
            None => Err("a variable that is not there".to_owned()),
        }
    }

    fn store(&mut self, place: &Place, add: bool, value: &Expr) -> Checked {
        self.place(place)?;
        let bound = self.expr(value)?;
        match self.program.element {
            Element::Int if add || bound > GREATEST => {
                Err(format!("an integer grid would grow to {bound}"))
            }
            _ => Ok(()),
        }
    }

    fn place(&mut self, place: &Place) -> Checked {
        self.level(place.field, place.level)?;
        self.indices(&place.at)
    }

    fn level(&self, field: usize, level: Level) -> Checked {
        let field = self.program.fields.get(field).ok_or("a field that is not there")?;
        let needed = match level {
            Level::Now => 1,
            Level::Next => 2,
            Level::Old => 3,
        };
        if field.buffers < needed {
            return Err("a level that the field has not".to_owned());
        }
        Ok(())
    }

    fn indices(&mut self, at: &[Index]) -> Checked {
        if at.len() != self.program.dims {
            return Err("subscripts of other dimensions".to_owned());
        }
        at.iter().enumerate().try_for_each(|(d, index)| self.index(d, *index))
    }

    fn index(&mut self, dim: usize, index: Index) -> Checked {
        match (index, self.axes[dim]) {
            (Index::At(spot), _) => self.spot(dim, spot, 0),
            (Index::Near(o), Axis::At(spot)) => self.spot(dim, spot, o),
            (Index::Near(o), Axis::Span { lo, hi, .. }) if -lo <= o && o <= hi => Ok(()),
            (Index::Near(o), Axis::Span { .. }) => Err(format!("{o} leads out of the grid")),
            (Index::Wrap(o), Axis::Span { .. }) => {
                self.needs(dim, o.abs());
                Ok(())
            }
            (Index::Clamp(_), Axis::Span { .. }) => Ok(()),
            (Index::Wrap(_) | Index::Clamp(_), Axis::At(_)) => {
                Err("a fixed place needs no border".to_owned())
            }
        }
    }

    fn spot(&mut self, dim: usize, spot: Spot, offset: i32) -> Checked {
        let (first, size) = match spot {
            Spot::Front(k) => (k + offset, k.max(k + offset) + 1),
            Spot::Back(k) => (k - offset, k.max(k - offset) + 1),
            Spot::Middle => (0, 2 * offset.abs() + 1 + i32::from(offset != 0)),
        };
        if first < 0 {
            return Err("a place out of the grid".to_owned());
        }
        self.needs(dim, size);
        Ok(())
    }

    /// The largest magnitude of an integer expression; of real ones it means nothing.
    fn expr(&mut self, expr: &Expr) -> Result<i64, String> {
        let bound = match expr {
            Expr::Number(n) => i64::from(*n).abs(),
            Expr::Load(place) => {
                self.place(place)?;
                self.held()
            }
            Expr::Input(input, at) => {
                self.input(*input, at)?;
                self.held()
            }
            Expr::Local(local) => {
                self.set.get(*local).copied().flatten().ok_or("a variable that is not set")?
            }
            Expr::Scalar(Scalar::Alpha) => 3,
            Expr::Scalar(Scalar::Step | Scalar::Wave) => 16,
            Expr::Scalar(Scalar::Series) => self.held(),
            Expr::Scalar(Scalar::Collected) => {
                self.fold(0)?;
                1000
            }
            Expr::Coordinate(d) if *d < self.program.dims => FARTHEST,
            Expr::Coordinate(_) => return Err("a coordinate that is not there".to_owned()),
            Expr::Unary(_, a) => self.expr(a)?,
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                binary(*op, a, b)
            }
            Expr::Whole(op, a, k) => {
                let a = self.expr(a)?;
                whole(*op, a, i64::from(*k))?
            }
            Expr::Choose(when, a, b) => {
                self.cond(when)?;
                self.expr(a)?.max(self.expr(b)?)
            }
        };
        if self.program.element.is_real() {
            return Ok(0);
        }
        if bound > i64::from(i32::MAX) {
            return Err(format!("an integer would grow to {bound}"));
        }
        Ok(bound)
    }

    fn held(&self) -> i64 {
        if self.program.element == Element::Byte { 255 } else { GREATEST }
    }

    fn input(&mut self, input: usize, at: &[Index]) -> Checked {
        let shape = *self.program.inputs.get(input).ok_or("an input that is not there")?;
        match shape.axis {
            None => self.indices(at),
            Some(d) => at
                .get(d)
                .ok_or_else(|| "subscripts of other dimensions".to_owned())
                .and_then(|index| self.index(d, *index)),
        }
    }

    fn cond(&mut self, cond: &Cond) -> Checked {
        match cond {
            Cond::Less(a, b) | Cond::Equal(a, b) => {
                self.expr(a)?;
                self.expr(b).map(drop)
            }
            Cond::Inside(margins) if margins.len() == self.program.dims => {
                for (d, (from, to)) in margins.iter().enumerate() {
                    self.needs(d, from.max(to) + 1);
                }
                Ok(())
            }
            Cond::Inside(_) => Err("margins of other dimensions".to_owned()),
            Cond::Before(d) if *d < self.program.dims => Ok(()),
            Cond::Before(_) => Err("a coordinate that is not there".to_owned()),
            Cond::Even { .. } => Ok(()),
            Cond::Mask(input, at) => self.input(*input, at),
            Cond::Not(a) => self.cond(a),
            Cond::And(a, b) | Cond::Or(a, b) => {
                self.cond(a)?;
                self.cond(b)
            }
        }
    }
}

fn binary(op: Binary, a: i64, b: i64) -> i64 {
    match op {
        Binary::Add | Binary::Subtract => a + b,
        Binary::Multiply => a.saturating_mul(b),
        Binary::Divide => a,
        Binary::Least | Binary::Most => a.max(b),
    }
}

fn whole(op: Whole, a: i64, k: i64) -> Result<i64, String> {
    match op {
        Whole::Quotient if k != 0 => Ok(a / k.abs()),
        Whole::Remainder if k > 0 => Ok(a.min(k - 1)),
        Whole::And if k > 0 => Ok(k),
        Whole::Xor if k >= 0 => {
            Ok((a.max(k) + 1).cast_unsigned().next_power_of_two().cast_signed())
        }
        Whole::ShiftRight if (0..31).contains(&k) => Ok(a),
        _ => Err("a constant that can't stand there".to_owned()),
    }
}
